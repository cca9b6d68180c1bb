"""Looks at the attempts of a job while they run, and says which of them will run out of memory."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from mprof.errors import MprofError
from mprof.evidence import known
from mprof.evidence.assemble import assemble
from mprof.hadoop import Cluster
from mprof.job_run import JobRun
from mprof.patterns import Outlook, outlook_of
from mprof.runs.looking import Looking
from mprof.runs.observer import Observer
from mprof.runs.staging import COPIES
from mprof.trace import Trace, read_trace
from mprof.trace.events import End
from mprof.trace.read import EVENTS_FILE, POSITION_FILE
from mprof.units import format_bytes, format_count

__all__ = ["Folders", "Follower", "local_folders", "staged_folders"]

Folders = Callable[[Container[Path]], Iterable[Path]]
"""Folders of attempts, the newest first, without those in the container."""

INTERVAL_SECONDS: Final = 5.0

MOST_ATTEMPTS: Final = 64
"""Attempts looked at in one round: a job may have thousands, and a look reads a file each."""

_MOVED: Final = 0.2
"""A forecast that moved by less is the same one."""


class Follower:
    """A context in which running attempts are looked at every few seconds, in a thread."""

    def __init__(
        self,
        folders: Folders,
        run_id: str,
        observer: Observer,
        *,
        interval_seconds: float = INTERVAL_SECONDS,
    ) -> None:
        """Follow the attempts whose folders `folders` names, those of run `run_id` alone."""
        self._folders = folders
        self._run_id = run_id
        self._observer = observer
        self._said: dict[str, Outlook | None] = {}
        self._left_out: set[Path] = set()
        self._looking = Looking(self._tell, seconds=interval_seconds, name="mprof follow")

    def __enter__(self) -> Self:
        self._looking.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._looking.__exit__(kind, error, trace)

    def _tell(self) -> None:
        for line in self.look():
            self._observer.output(f"mprof: {line}")

    def look(self) -> list[str]:
        """One look at the newest attempts that run; what is new, one line an attempt."""
        found = []
        for folder in itertools.islice(self._folders(self._left_out), MOST_ATTEMPTS):
            with contextlib.suppress(MprofError, OSError, ValueError):
                trace = self._running(folder)
                line = self._line(trace) if trace is not None else None
                if line is not None:
                    found.append(line)
        return found

    def _running(self, folder: Path) -> Trace | None:
        """The attempt, None where it is of another run or has ended; that is not asked again."""
        trace = read_trace(folder)
        if trace.attach is None:
            return None  # its first line is not there yet
        if trace.attach.run != self._run_id or trace.failed or trace.last(End) is not None:
            self._left_out.add(folder)
            return None
        return trace

    def _line(self, trace: Trace) -> str | None:
        evidence = assemble([JobRun(None, "watch", traces=(trace,))])
        outlook = outlook_of(evidence)
        name = trace.attempt_id or trace.folder.name
        before = self._said.get(name)
        self._said[name] = outlook
        if outlook is None:
            # That a group came to its end is no news.
            ended = before is None or before.group is not None
            return None if ended else f"{name}: its heap no longer grows as it did"
        same = before is not None and before.group == outlook.group
        if same and before is not None and abs(outlook.at - before.at) <= _MOVED * before.at:
            self._said[name] = before
            return None
        peak, capacity = known(evidence.peak), known(evidence.memory.capacity_bytes)
        live = f", {format_bytes(peak.live_bytes)}" if peak is not None else ""
        of = f" of {format_bytes(capacity)}" if capacity is not None else ""
        return f"{name} {_words(outlook)}; now at {format_count(outlook.now)}{live} live{of}"


def _words(outlook: Outlook) -> str:
    """Without an end of the data it is not said that there is so much of it."""
    at = format_count(outlook.at)
    if outlook.group is not None:
        group = format_count(outlook.group)
        return f"will fail near record {at} of group {group}, if that has so many"
    what = "group" if outlook.unit == "group" else "record"
    if outlook.end is None:
        return f"will fail near {what} {at}, if there are so many"
    return f"will fail near {what} {at} of about {format_count(outlook.end)}"


def local_folders(log_dirs: Iterable[Path]) -> Folders:
    """The containers' log folders of NodeManagers on this machine."""
    roots = tuple(log_dirs)

    def folders(left_out: Container[Path]) -> Iterable[Path]:
        every = (events for root in roots for events in root.glob(f"application_*/*/{EVENTS_FILE}"))
        running = (one for one in every if one.parent not in left_out)
        newest = []
        for one in running:
            with contextlib.suppress(OSError):  # the NodeManager may delete it meanwhile
                newest.append((one.stat().st_mtime, one.parent))
        return [folder for _, folder in sorted(newest, reverse=True)]

    return folders


def staged_folders(cluster: Cluster, staged: str, scratch: Path) -> Folders:
    """The folders into which agents copy events and position, fetched into `scratch` each time."""
    copies = f"{staged}/{COPIES}"

    def folders(left_out: Container[Path]) -> Iterator[Path]:
        attempts = cluster.list(copies) if cluster.exists(copies) else ()
        for attempt in sorted(attempts, key=lambda one: one.modified_ms, reverse=True):
            target = scratch / attempt.name
            if target not in left_out:
                with contextlib.suppress(MprofError, OSError):  # one copy may just be replaced
                    _fetch(cluster, attempt.uri, target)
                    yield target

    return folders


def _fetch(cluster: Cluster, attempt: str, target: Path) -> None:
    cluster.fetch(f"{attempt}/{EVENTS_FILE}", target)
    if cluster.exists(f"{attempt}/{POSITION_FILE}"):
        cluster.fetch(f"{attempt}/{POSITION_FILE}", target)
