"""Where the running embedded cluster is written down, and who uses it.

The state file holds the token of the gateway, which gives the power to run things as this user:
only its owner may read it.
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
from typing import Any

from mprof.hadoop import processes
from mprof.hadoop.places import state_folder

__all__ = [
    "EmbeddedCluster",
    "begin_use",
    "forget",
    "in_use",
    "locked",
    "read_state",
    "work_folder",
    "write_private",
    "write_start",
    "write_state",
]

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class EmbeddedCluster:
    """A running embedded cluster.

    Attributes:
        conf_dir: a client's configuration folder.
        bin_dir: holds a ``hadoop`` command.
        log_dirs: the NodeManager's; ``application_.../container_.../`` below each.
        pid: of its JVM.
        gateway_port: where its gateway listens.
        gateway_token: what a connection must show.
        version: of Hadoop.
        work_dir: all that it writes; removed when it stops.
        data_dir: below it, what containers work in.
        stays: whether it outlives the commands that use it.
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

    @property
    def environment(self) -> dict[str, str]:
        """What a shell needs to use it; ``PATH`` is the present one with the command in front."""
        return {
            "HADOOP_CONF_DIR": str(self.conf_dir),
            "PATH": f"{self.bin_dir}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        }


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """One start, join or stop at a time; the lock goes with the process that holds it."""
    state_folder().mkdir(parents=True, exist_ok=True)
    with (state_folder() / "cluster.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def write_start(work: Path) -> None:
    """Say what will be started, so that a start that is killed half-way can be cleaned up."""
    _write({"work_dir": str(work)})


def write_state(cluster: EmbeddedCluster) -> None:
    """Say which cluster is running."""
    _write({"format": _FORMAT, **asdict(cluster)})


def read_state() -> EmbeddedCluster | None:
    """The cluster that was started last and has not been stopped; it may have died since."""
    values = _read()
    if values is None or values.get("format") != _FORMAT:
        return None
    return EmbeddedCluster(
        conf_dir=Path(values["conf_dir"]),
        bin_dir=Path(values["bin_dir"]),
        log_dirs=tuple(Path(folder) for folder in values["log_dirs"]),
        pid=values["pid"],
        gateway_port=values["gateway_port"],
        gateway_token=values["gateway_token"],
        version=values["version"],
        work_dir=Path(values["work_dir"]),
        data_dir=Path(values["data_dir"]),
        stays=values["stays"],
    )


def work_folder() -> Path | None:
    """The working folder of what was started last, even if it never came up."""
    values = _read()
    return Path(values["work_dir"]) if values is not None else None


def forget() -> None:
    """Nothing is running."""
    _state_file().unlink(missing_ok=True)


def begin_use() -> Path:
    """Note a use by this process; the file goes when the use ends.

    One file a use, not a process: a command may join again while it is joined.
    """
    _users_folder().mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f"{os.getpid()}-", dir=_users_folder())
    os.close(handle)
    return Path(name)


def in_use() -> bool:
    """Whether a living process still uses the cluster; what dead ones left is cleared."""
    for use in _users_folder().iterdir():
        if not processes.runs(int(use.name.partition("-")[0]), mentioning=""):
            use.unlink(missing_ok=True)
    return any(_users_folder().iterdir())


def write_private(file: Path, text: str) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, fresh = tempfile.mkstemp(dir=file.parent)
    with os.fdopen(handle, "w") as out:
        out.write(text)
    Path(fresh).replace(file)


def _state_file() -> Path:
    return state_folder() / "cluster.json"


def _users_folder() -> Path:
    return state_folder() / "cluster-users"


def _write(values: Mapping[str, object]) -> None:
    write_private(_state_file(), json.dumps(values, indent=1, default=str))


def _read() -> dict[str, Any] | None:
    try:
        values = json.loads(_state_file().read_text())
    except (OSError, ValueError):
        return None
    return values if isinstance(values, dict) and "work_dir" in values else None
