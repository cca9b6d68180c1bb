"""Runs command lines of mprof, each in a process of its own, with limits; imports once, then forks.

A process of mprof needs a second to import what it needs; a fork of one that has done so, twenty
milliseconds. It is a process all the same: its descriptors, signals, limits and exit code are real.

Read from stdin: one JSON object a line, see `Job`. Written: one JSON object a line, `Outcome`.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

import mprof

__all__ = ["Job", "Outcome", "Server"]

_IMPORTS = ("rich.table", "fastavro", "rich.markdown", "multiprocessing")
_NOBODY = 65_534


@dataclass(frozen=True, slots=True)
class Job:
    """One run.

    Attributes:
        words: the command line after ``mprof``.
        folder: where it runs.
        scratch: its temporary folder, and that of its output.
        stdout: where stdout leads: ``file``, ``full``, ``closed pipe``, ``closed``.
        unbuffered: as ``PYTHONUNBUFFERED``.
        seconds: after which it is ended, as a hang.
        memory_bytes: limit of its address space.
        unprivileged: run as nobody, whom permissions stop.
        changing: a file that is made shorter (or longer, ``grows``) while it is read.
        delay: seconds until then.
        encoding: of stdout.
        full_temporary: no byte more fits into the temporary folder.
        full_folder: nor into the folder where it runs.
        environment: all of its environment; where it is None, folders of its own and no Java.
    """

    words: tuple[str, ...]
    folder: str
    scratch: str
    stdout: str = "file"
    unbuffered: bool = False
    seconds: float = 30.0
    memory_bytes: int = 6 << 30
    unprivileged: bool = False
    changing: str | None = None
    grows: bool = False
    delay: float = 0.0
    encoding: str = "utf-8"
    full_temporary: bool = False
    full_folder: bool = False
    environment: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended; ``code`` is negative for a signal, ``peak_bytes`` its resident memory."""

    code: int
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    stdout: bytes
    stderr: bytes
    hung: bool


class Server:
    """A process that forks the runs, one at a time.

    Args:
        whole: evidence to read once before: what reading loads late is then loaded.
    """

    def __init__(self, whole: Sequence[Path]) -> None:
        environment = {
            **os.environ,
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join(
                filter(None, (str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")))
            ),
            "PYTHONUTF8": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "builders.command_server", *map(str, whole)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip

    def run(self, job: Job) -> Outcome:
        """Run one command line to its end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asdict(job)) + "\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline())
        scratch = Path(job.scratch)
        out, err = scratch / "stdout", scratch / "stderr"
        return Outcome(
            **told,
            stdout=out.read_bytes() if out.exists() else b"",
            stderr=err.read_bytes() if err.exists() else b"",
        )

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()


def _serve() -> None:
    # A run without rights may read no library that lies where root alone may.
    for module in pkgutil.walk_packages(mprof.__path__, "mprof."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in _IMPORTS:
        importlib.import_module(name)
    for evidence in sys.argv[1:]:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            _read_once(Path(evidence))
    gc.collect()
    gc.freeze()  # what all runs share stays shared
    for line in sys.stdin:
        values = json.loads(line)
        job = Job(**{**values, "words": tuple(values["words"])})
        print(json.dumps(_forked(job)), flush=True)


def _read_once(evidence: Path) -> None:
    api, heap = importlib.import_module("mprof.api"), importlib.import_module("mprof.cli.heap")
    report = importlib.import_module("mprof.report")
    store = importlib.import_module("mprof.store").Store
    if store.is_at(evidence):
        # A run without rights may not read what compiles the kernels, where root alone may.
        importlib.import_module("mprof.peers.findings").find_sick_nodes(store.at(evidence))
        return
    diagnosed = api.diagnose(evidence)
    report.render_html(diagnosed), report.render_text(diagnosed), report.render_json(diagnosed)
    if evidence.is_file():
        heap.heap(evidence, strings=True)
        heap.heap(evidence, histogram=True)
        with tempfile.TemporaryDirectory() as folder:
            cut = Path(folder) / evidence.name  # repair has kernels of its own, compiled once
            cut.write_bytes(evidence.read_bytes()[: evidence.stat().st_size // 2])
            heap.heap(cut)


def _forked(job: Job) -> dict[str, Any]:
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        _be_mprof(job)
    hung = False
    while True:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            break
        if time.monotonic() - started > job.seconds:
            hung = True
            os.killpg(pid, signal.SIGKILL)
            _, status, usage = os.wait4(pid, 0)
            break
        time.sleep(0.002)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "seconds": round(time.monotonic() - started, 3),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 3),
        "peak_bytes": usage.ru_maxrss * 1024,
        "hung": hung,
    }


def _be_mprof(job: Job) -> NoReturn:
    """In the child: become one run of mprof. The interpreter ends it as it ends any program."""
    os.setsid()
    os.chdir(job.folder)
    scratch = Path(job.scratch)
    environment = job.environment
    if environment is None:
        environment = {**os.environ, **_own_folders(job, scratch)}
        for name in ("JAVA_HOME", "HADOOP_CONF_DIR"):
            environment.pop(name, None)
    os.environ.clear()
    os.environ.update(environment)
    _redirect(job, scratch)
    if job.unprivileged:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
    resource.setrlimit(resource.RLIMIT_AS, (job.memory_bytes, job.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.argv = ["mprof", *job.words]
    if job.changing is not None:
        _change_later(job)
    importlib.import_module("mprof.cli.main").main()
    os._exit(99)  # it never returns


def _own_folders(job: Job, scratch: Path) -> dict[str, str]:
    names = {"TMPDIR": "tmp", "HOME": "home", "XDG_CACHE_HOME": "cache"}
    own = {name: str(scratch / folder) for name, folder in names.items()}
    return {**own, "PATH": str(scratch), "XDG_STATE_HOME": str(Path(job.folder) / "state")}


def _redirect(job: Job, scratch: Path) -> None:
    def opened(path: Path | str, flags: int) -> int:
        return os.open(path, flags, 0o600)

    null = opened(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    if job.stdout == "full":
        os.dup2(opened("/dev/full", os.O_WRONLY), 1)
    elif job.stdout == "closed pipe":
        read, write = os.pipe()
        os.close(read)
        os.dup2(write, 1)
    elif job.stdout == "closed":
        os.close(1)
    else:
        os.dup2(opened(scratch / "stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
    os.dup2(opened(scratch / "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = io.TextIOWrapper(
        io.FileIO(2, "w", closefd=False), "utf-8", "backslashreplace", line_buffering=True,
        write_through=True,
    )  # fmt: skip
    sys.stdout = sys.__stdout__ = None if job.stdout == "closed" else _stdout(job)  # type: ignore[assignment]


def _stdout(job: Job) -> io.TextIOWrapper:
    """As the interpreter opens it (``create_stdio`` of pylifecycle.c)."""
    raw = io.FileIO(1, "w", closefd=False)
    stream: Any = raw if job.unbuffered else io.BufferedWriter(raw)
    return io.TextIOWrapper(stream, job.encoding, "strict", write_through=job.unbuffered)


def _change_later(job: Job) -> None:
    """Make the file shorter or longer, again and again, as soon as it has been opened."""
    assert job.changing is not None
    path = Path(job.folder) / job.changing
    size, seen = path.stat().st_size, threading.Event()

    def opened(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and str(arguments[0]).endswith(path.name):
            seen.set()

    def change() -> None:
        seen.wait()
        time.sleep(job.delay)
        for step in range(1, 40):
            with open(path, "r+b") as file:  # noqa: PTH123
                file.truncate(size + step * 999 if job.grows else size * max(0, 3 - step) // 4)
            time.sleep(0.002)

    sys.addaudithook(opened)
    threading.Thread(target=change, daemon=True).start()


if __name__ == "__main__":
    _serve()
