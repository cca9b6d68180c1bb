"""The state file of the embedded cluster, and the list of its users.

The state file holds the token of the gateway, which allows running programs as this user: only its
owner may read it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

import msgspec

from mprof.hadoop import processes
from mprof.io.base_folders import made, state_folder
from mprof.io.files import UnreadableError
from mprof.io.json import read_json
from mprof.io.ownership import check_writers, other_writer
from mprof.units import parse_long

__all__ = [
    "WORK_PREFIX",
    "EmbeddedCluster",
    "begin_use",
    "forget",
    "in_use",
    "locked",
    "locked_if_free",
    "read_state",
    "work_folder",
    "write_private",
    "write_start",
    "write_state",
]

_FORMAT = 2
_MAX_BYTES = 1 << 20

WORK_PREFIX = "cluster-"
"""With which the name of every working folder begins."""


@dataclass(frozen=True, slots=True)
class EmbeddedCluster:
    """A running embedded cluster.

    Attributes:
        bin_dir: folder of its ``hadoop`` command.
        log_dirs: the NodeManager's log folders, with ``application_.../container_.../`` in each.
        gateway_token: authentication token of its gateway.
        work_dir: folder of everything it writes; deleted when it stops.
        data_dir: folder in ``work_dir`` with the working folders of containers.
        stays: whether it keeps running after the last command that uses it.
        private: whether it has a network of its own, which no other user reaches.
    """

    conf_dir: Path
    bin_dir: Path
    log_dirs: tuple[Path, ...]
    pid: int
    gateway_port: int
    gateway_token: str
    version: str
    work_dir: Path
    data_dir: Path
    stays: bool
    private: bool

    @property
    def environment(self) -> dict[str, str]:
        """The variables a shell needs to use it; ``PATH`` is the current one after ``bin_dir``."""
        return {
            "HADOOP_CONF_DIR": str(self.conf_dir),
            "PATH": f"{self.bin_dir}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        }

    @property
    def entrance(self) -> Path:
        """The command that runs another where the cluster can be reached."""
        return self.bin_dir / "in-cluster"


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """Allow one start, join or stop at a time; the lock is freed if its process dies."""
    with _lock_file() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def locked_if_free() -> Iterator[bool]:
    """The same without waiting, since a start may take a minute; False where one is going on."""
    with _lock_file() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            held = False
        else:
            held = True
        yield held


def _lock_file() -> TextIO:
    made(state_folder())
    return (_own_folder() / "cluster.lock").open("w")


def write_start(work: Path) -> None:
    """Note the working folder before a start, so that an interrupted start can be cleaned up."""
    _write({"work_dir": str(work)})


def write_state(cluster: EmbeddedCluster) -> None:
    """Note the running cluster."""
    _write({"format": _FORMAT, **asdict(cluster)})


def read_state() -> EmbeddedCluster | None:
    """The cluster that was started last and has not been stopped; it may have died."""
    values = _read()
    if values is None or values.get("format") != _FORMAT:
        return None
    try:
        return msgspec.convert(values, EmbeddedCluster, dec_hook=_path)
    except msgspec.ValidationError:
        return None


def work_folder() -> Path | None:
    """The working folder of the last start, even if that start failed."""
    values = _read()
    return Path(values["work_dir"]) if values is not None else None


def forget() -> None:
    """Note that no cluster is running."""
    _state_file().unlink(missing_ok=True)


def begin_use() -> Path:
    """Note a use by this process; the caller deletes the file when the use ends.

    One file per use, not per process: a command may join the cluster more than once.
    """
    _users_folder().mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f"{os.getpid()}-", dir=_users_folder())
    os.close(handle)
    return Path(name)


def in_use() -> bool:
    """Whether a running process uses the cluster; files of dead processes are deleted."""
    used = False
    for use in _users_folder().glob("*"):
        pid = parse_long(use.name.partition("-")[0])
        if pid is not None and processes.is_running(pid, containing=""):
            used = True
        else:
            with contextlib.suppress(IsADirectoryError):  # nothing of mprof's
                use.unlink(missing_ok=True)
    return used


def write_private(file: Path, text: str) -> None:
    """Write a file atomically that only its owner may read."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, fresh = tempfile.mkstemp(dir=file.parent)
    with os.fdopen(handle, "w") as out:
        out.write(text)
    Path(fresh).replace(file)


def _own_folder() -> Path:
    """The folder of the state: what that names is executed, ended and deleted.

    Raises:
        ClusterError: if others could have written it.
    """
    folder = state_folder()
    check_writers(folder, what=f"{folder}, which says which cluster is running,")
    return folder


def _state_file() -> Path:
    return _own_folder() / "cluster.json"


def _users_folder() -> Path:
    return _own_folder() / "cluster-users"


def _write(values: Mapping[str, object]) -> None:
    write_private(_state_file(), json.dumps(values, indent=1, default=str))


def _read() -> dict[str, Any] | None:
    if other_writer(_state_file()) is not None:
        return None  # written while the folder was open to others
    try:
        values = read_json(_state_file(), dict[str, Any], limit_bytes=_MAX_BYTES)
    except UnreadableError:
        return None
    return values if _is_work_folder(values.get("work_dir")) else None


def _is_work_folder(path: object) -> bool:
    """Whether a text names a cluster's folder: a stop ends and deletes what it names."""
    if not isinstance(path, str) or "\0" in path:
        return False
    parts = Path(path).parts
    return (
        Path(path).is_absolute()
        and len(parts) > 2
        and ".." not in parts
        and parts[-1].startswith(WORK_PREFIX)
    )


def _path(type_: type, value: Any) -> Any:
    if type_ is Path and isinstance(value, str):
        return Path(value)
    raise NotImplementedError
