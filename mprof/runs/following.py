"""Looks at the attempts of a job while they run, and says which of them will run out of memory."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path
from typing import Final

from mprof.errors import MprofError
from mprof.evidence import known
from mprof.evidence.assemble import assemble
from mprof.hadoop import Cluster
from mprof.job_run import JobRun
from mprof.patterns import Outlook, outlook_of
from mprof.runs.looking import Looking
from mprof.runs.observer import Observer
from mprof.runs.staging import COPIES
from mprof.trace import Crawl, Position, Trace, crawl_of, read_trace
from mprof.trace.events import CrawlEvent, End
from mprof.trace.read import EVENTS_FILE, POSITION_FILE
from mprof.units import format_bytes, format_count, format_ratio

__all__ = ["Folders", "Follower", "local_folders", "staged_folders"]

Folders = Callable[[Container[Path]], Iterable[Path]]
"""Folders of attempts, the newest first, without those in the container."""

INTERVAL_SECONDS: Final = 5.0

MOST_ATTEMPTS: Final = 64
"""Attempts looked at in one round: a job may have thousands, and a look reads a file each."""

_MOVED: Final = 0.2
"""A forecast that moved by less is the same one."""

_HOPELESS_SECONDS: Final = 15.0
"""Of crawling: HotSpot's own limit, that of Parallel GC, gives up within a few seconds."""

_AGAIN: Final = 2.0
"""Crawling is told again once it has lasted this many times as long."""


class Follower(Looking):
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
        super().__init__(self._tell, seconds=interval_seconds, name="mprof follow")
        self._folders = folders
        self._run_id = run_id
        self._observer = observer
        self._said: dict[str, Outlook | None] = {}
        self._crawled: dict[str, float] = {}
        self._left_out: set[Path] = set()

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
        crawl = crawl_of(trace.events, trace.collections, trace.heap_max)
        if crawl is not None and crawl.seconds >= _HOPELESS_SECONDS:
            return self._crawling(trace, crawl)
        return self._forecast(trace)

    def _crawling(self, trace: Trace, crawl: Crawl) -> str | None:
        """That it will not come out again, told at growing intervals."""
        name = trace.attempt_id or trace.folder.name
        if crawl.seconds < _AGAIN * self._crawled.get(name, 0.0):
            return None
        self._crawled[name] = crawl.seconds
        return f"{name} {_crawl_in_words(trace, crawl)}"

    def _forecast(self, trace: Trace) -> str | None:
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


def _crawl_in_words(trace: Trace, crawl: Crawl) -> str:
    now, then = trace.position, _position_then(trace, crawl)
    stands = now is not None and then is not None and _progress(now) == _progress(then)
    hopeless = " and will not come out again" if stands else ""
    where = ""
    if now is not None and now.records_in is not None:
        where = f"; it is at record {format_count(now.records_in)}"
        if stands:
            where += ", as it was then"
        elif then is not None and then.records_in is not None:
            where += f", {format_count(now.records_in - then.records_in)} further"
    left = f"{format_bytes(crawl.live_bytes)} of {format_bytes(crawl.capacity_bytes)}"
    full = f" ({format_count(crawl.collections)} full ones)" if crawl.collections else ""
    return (
        f"crawls in a full heap{hopeless}: for the last {crawl.seconds:.0f} s collections{full} "
        f"took {format_ratio(crawl.share)} of its time and left {left} live{where}"
    )


def _position_then(trace: Trace, crawl: Crawl) -> Position | None:
    """Where it stood when the crawling began, as far as an event says."""
    if crawl.at is not None:
        return crawl.at
    told = trace.of(CrawlEvent)
    since = told[-1].t - 1000 * crawl.seconds if told else 0
    return next((each.at for each in told if each.t >= since and each.at is not None), None)


def _progress(at: Position) -> tuple[object, ...]:
    """What moves where a task does anything for its data."""
    return (
        at.phase, at.records_in, at.records_out, at.spill, at.fetched_segments, at.combine_call,
        at.combine_records_in,
    )  # fmt: skip


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
