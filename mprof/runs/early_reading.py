"""Reads the heap dumps of a job while it still runs, so that its end is not waited for.

One dump at a time, in a process of low priority, and only while the machine has memory to
spare. What goes wrong costs a dump's early reading, never the run: it is read when the job ended.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec

from mprof.errors import MprofError
from mprof.history import read_conf
from mprof.io.files import UnreadableError, read_ends, read_file, replace_file
from mprof.io.printable import file_name
from mprof.runs.dump_reader import Request
from mprof.runs.following import Folders
from mprof.runs.load import user_classes
from mprof.runs.looking import Looking
from mprof.runs.snapshots import point_of, snapshot_file
from mprof.trace import DumpEvent, Trace, read_trace
from mprof.units import parse_long

__all__ = ["EarlyReader"]

_INTERVAL_SECONDS: Final = 0.5
_MOST_SECONDS: Final = 300.0  # for one dump; a 1.3 GB one took 23 s beside three other jobs
_LAST_SECONDS: Final = 30.0
"""Of waiting for the dump that is being read when the job ends; then it is read as any other."""

_MEMORY_PER_DUMP_BYTE: Final = 4
"""Bytes that must be available: reading 1.3 GB took 3.3 GB, and the job needs its own."""

_CLOCK_SECONDS: Final = 1.0  # the clock of a file system may be behind that of Python

_CREATED: Final = re.compile(rb"^Heap dump file created \[(\d{1,18}) bytes in ", re.MULTILINE)
_MOST_SNAPSHOT_BYTES: Final = 64 << 20
_MOST_SAID_BYTES: Final = 1 << 17  # of stdout, of which the user's code writes the rest

# -P: a module in the user's folder must not be taken for one of ours.
_COMMAND: Final = (sys.executable, "-P", "-m", "mprof.runs.dump_reader")


class EarlyReader(Looking):
    """A context in which complete heap dumps of a run's attempts are read, in a thread.

    Args:
        folders: names the log folders of attempts on this machine, `application_.../container_...`.
        run_id: of the run; attempts of others are left alone.
        conf_of: the file with the configuration of a container's job, while the container runs.
        scratch: an empty folder for the snapshots.
    """

    def __init__(
        self,
        folders: Folders,
        run_id: str,
        conf_of: Callable[[str], Path | None],
        scratch: Path,
    ) -> None:
        super().__init__(self.look, seconds=_INTERVAL_SECONDS, name="mprof early reader")
        self._folders = folders
        self._run_id = run_id
        self._conf_of = conf_of
        self._scratch = scratch
        self._classes: dict[str, frozenset[str]] = {}  # by application
        self._used: dict[str, frozenset[str]] = {}  # by attempt
        self._began = time.time() - _CLOCK_SECONDS
        self._tried: set[Path] = set()
        self._left_out: set[Path] = set()  # folders of other runs
        self._process: subprocess.Popen[bytes] | None = None
        self._given_up = False

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait for the dump that is being read, not long; after an error, not at all."""
        try:
            self.end(0.0)
            process = self._process
            if error is None:
                if process is not None:
                    _hurry(process.pid)
                self.end(_LAST_SECONDS)
        finally:
            self._given_up = True  # by a process that is just being started, too
            process = self._process
            if process is not None:
                process.kill()
        self.end(_LAST_SECONDS)

    def look(self) -> None:
        """Read every complete dump that was not tried yet, until the context ends."""
        for folder in self._folders(self._left_out):
            if self.is_ending:
                return
            with contextlib.suppress(MprofError, OSError, ValueError):  # it may just be written
                self._look_at(folder)

    def _look_at(self, folder: Path) -> None:
        if folder.stat().st_mtime < self._began:
            self._left_out.add(folder)  # of an earlier job
            return
        self._note_classes(folder)
        dumps = [one for one in sorted(folder.glob("*.hprof")) if one not in self._tried]
        trace = read_trace(folder) if dumps else None
        if trace is None or trace.attach is None:
            return
        if trace.attach.run != self._run_id:
            self._left_out.add(folder)
            return
        for dump in dumps:
            if not self.is_ending:
                self._read(dump, trace)

    def _note_classes(self, folder: Path) -> None:
        """The classes that the job names; once its last container has ended nothing says."""
        application = folder.parent.name
        if application not in self._classes:
            file = self._conf_of(folder.name)
            if file is not None:
                self._classes[application] = user_classes(read_conf(file)).task_classes

    def _read(self, dump: Path, trace: Trace) -> None:
        event = next((each for each in trace.dumps if each.file == dump.name), None)
        attempt = file_name(trace.attempt_id or "")  # of a log folder, where a task writes
        classes = self._classes.get(dump.parent.parent.name)
        if not attempt or classes is None or not _is_complete(dump, event):
            return
        import psutil  # here: mprof run starts without it

        if psutil.virtual_memory().available < _MEMORY_PER_DUMP_BYTE * dump.stat().st_size:
            return
        self._tried.add(dump)
        folder = self._scratch / attempt
        folder.mkdir(exist_ok=True)
        self._used[attempt] = classes
        point = point_of(dump, event, trace)
        request = Request(
            dump=str(dump),
            snapshot=str(snapshot_file(folder, point.name)),
            point=point,
            user_classes=tuple(sorted(classes)),
        )
        self._run(msgspec.json.encode(request))

    def _run(self, request: bytes) -> None:
        with subprocess.Popen(
            _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            self._process = process
            try:
                if self._given_up:
                    process.kill()
                process.communicate(request, timeout=_MOST_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
            finally:
                self._process = None

    def hand_over(self, jobs: Path) -> None:
        """Move the snapshots beside the dumps that were fetched in the meantime.

        Where the fetched configuration names other classes, they are left out: the dumps are then
        read again.
        """
        for attempt, used in self._used.items():
            target = next(jobs.glob(f"*/attempts/{attempt}"), None)
            if target is None or _classes_in(target.parent.parent / "conf.xml") not in (None, used):
                continue
            for snapshot in sorted((self._scratch / attempt).glob("*.json")):
                with contextlib.suppress(OSError, UnreadableError):  # then its dump is read again
                    content = read_file(snapshot, limit_bytes=_MOST_SNAPSHOT_BYTES)
                    replace_file(target / snapshot.name, content)


def _hurry(pid: int) -> None:
    """Take the low priority off a process, where this user may: the job has ended."""
    with contextlib.suppress(OSError):  # it ended, or only root may
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.setpriority(os.PRIO_PROCESS, int(thread.name), 0)


def _classes_in(conf: Path) -> frozenset[str] | None:
    """The classes that a configuration names; None where it is lost and says nothing."""
    try:
        return user_classes(read_conf(conf)).task_classes
    except MprofError:
        return None


def _is_complete(dump: Path, event: DumpEvent | None) -> bool:
    """Whether all of a dump is written: its event has its size, or the virtual machine says so.

    It says so on the task's stdout, "Heap dump file created [1428842104 bytes in 14.8 secs]", and
    then throws the OutOfMemoryError. The event needs memory, for which a heap of 1 GB may be
    collected for seconds; and where another thread met the error first, it is written while that
    one still waits for the dump, with the size that the file had by then.
    """
    if event is not None and event.bytes == dump.stat().st_size:
        return True
    try:
        said, _ = read_ends(dump.with_name("stdout"), limit_bytes=_MOST_SAID_BYTES)
    except UnreadableError:
        return False
    return dump.stat().st_size in {parse_long(size.decode()) for size in _CREATED.findall(said)}
