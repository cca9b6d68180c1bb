"""Whether a task crawls: its heap is full, and nearly all of its time goes into collections.

HotSpot ends such a task by an error under one of its collectors only (``GC overhead limit
exceeded``, Parallel GC). Under the others, and where that limit is switched off, it lives on until
somebody kills it.

The law: the longest stretch up to the end in which collections took at least `COLLECTING` of the
time and each of those of the whole heap left at least `GIVEN_UP` of it in use.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from mprof.trace.events import Attach, CrawlEvent, End, Event, MemoryEvent, ProcessEvent
from mprof.trace.gc_log import Collection
from mprof.trace.position import Position
from mprof.trace.thresholds import COLLECTING, GIVEN_UP

__all__ = ["Crawl", "Fill", "crawl_of", "fill_of"]

Source = Literal["event log", "garbage collection log", "jstat"]

_LEAST_SHOWN_S: Final = 10.0
"""A log of less whose beginning is missing says nothing of the time before it."""
_LEAST_WINDOW_S: Final = 1.0
"""A stretch of less is a collection, and no state of a task."""


@dataclass(frozen=True, slots=True)
class Crawl:
    """How a task crawled at the end of what is known of it.

    Attributes:
        seconds: for how long, up to the end.
        share: of that time in collections.
        collections: of the whole heap in it.
        live_bytes: what the last of them left; by the agent's events the least that was in use; of
            jstat, which tells shares, 0.
        capacity_bytes: largest heap; of jstat 0.
        source: where that stands.
        at: position at its beginning; None where nothing says.
        is_all: whether it is all that a log shows whose beginning is missing.
    """

    seconds: float
    share: float
    collections: int
    live_bytes: int
    capacity_bytes: int
    source: Source
    at: Position | None = None
    is_all: bool = False

    @property
    def is_cut(self) -> bool:
        """Whether that is enough to say that it had begun before the first line of the log."""
        return self.is_all and self.seconds >= _LEAST_SHOWN_S


@dataclass(frozen=True, slots=True)
class Fill:
    """How full a heap was after its last collection, at least or at most.

    Attributes:
        capacity_bytes: largest heap.
        at_most: it was a minor one: what was live is less.
        source: where that stands.
    """

    bytes: int
    capacity_bytes: int
    at_most: bool
    source: Source

    @property
    def is_full(self) -> bool:
        """Whether a collector would give up with so much."""
        return self.bytes >= GIVEN_UP.value * self.capacity_bytes


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Some time, of which collections took a part; both in seconds since any fixed moment."""

    begin_s: float
    end_s: float
    collecting_s: float
    majors: int
    used_after: int | None
    at: Position | None = None


def crawl_of(
    events: Sequence[Event],
    collections: Sequence[Collection],
    heap_max: int | None,
    *,
    most_seconds: float = math.inf,
) -> Crawl | None:
    """How the task crawled to its end; None where it did not, or where nothing says.

    The log of the JVM is exact, and beyond it the agent's events tell; both know no more of a time
    in which they are silent than that there was no crawling.

    Args:
        events: of the attempt.
        collections: of its garbage collection log.
        heap_max: largest heap, None where only the log tells.
        most_seconds: what came earlier is of no interest.
    """
    capacity = heap_max or max((each.committed for each in collections), default=0)
    if not capacity:
        return None
    logged = [
        _Stretch(
            (each.uptime_s or 0.0) - each.seconds,
            each.uptime_s or 0.0,
            each.seconds,
            int(each.major),
            each.used_after if each.major else None,
        )
        for each in (collections if all(one.uptime_s is not None for one in collections) else ())
    ]
    lived_s = _lived_s(events)
    last_s = max((each.end_s for each in logged), default=0.0)
    end_s = last_s if lived_s is None else max(lived_s, last_s)
    found = _longest(logged, end_s, capacity, most_seconds, "garbage collection log")
    if found is None:
        return _longest(_told(events), _told_until_s(events), capacity, most_seconds, "event log")
    # no heap fills up without a minor collection, and none of the time before is told of
    first = collections[0]
    begins_late = first.major and (logged[0].begin_s >= most_seconds or not first.is_first)
    is_all = found.seconds >= end_s - logged[0].begin_s
    return replace(found, is_all=begins_late and is_all)


def fill_of(
    events: Sequence[Event], collections: Sequence[Collection], heap_max: int | None
) -> Fill | None:
    """How full the heap was after the last collection of all, else of some of it; None: not known.

    Once it is nearly full the agent listens to no more collections: what its last event says of a
    full heap may have changed since.
    """
    if collections:
        capacity = heap_max or max(each.committed for each in collections)
        return _fill(
            [(each.used_after, each.major) for each in collections],
            capacity,
            "garbage collection log",
        )
    seen = [
        (each.used_after, bool(each.major))
        for each in events
        if isinstance(each, MemoryEvent) and each.used_after is not None
    ]
    return _fill(seen, heap_max, "event log") if heap_max else None


def _fill(seen: Sequence[tuple[int, bool]], capacity: int, source: Source) -> Fill | None:
    if not seen:
        return None
    used, major = seen[-1]
    return Fill(used, capacity, at_most=not major, source=source)


def _longest(
    stretches: Sequence[_Stretch], end_s: float, capacity: int, most_s: float, source: Source
) -> Crawl | None:
    """The longest stretch of crawling that reaches to the end, in so many seconds."""
    collecting_s, majors, live = 0.0, 0, None
    found: Crawl | None = None
    for each in reversed(stretches):
        if found is not None and end_s - each.begin_s > most_s:
            break
        if each.used_after is not None:
            if each.used_after < GIVEN_UP.value * capacity:
                break
            live = each.used_after if live is None else live
        collecting_s += each.collecting_s
        majors += each.majors
        seconds = end_s - each.begin_s
        if live is None or seconds < _LEAST_WINDOW_S:
            continue
        share = min(1.0, collecting_s / seconds)
        if share >= COLLECTING.value:
            found = Crawl(seconds, share, majors, live, capacity, source, each.at)
    return found


def _told(events: Iterable[Event]) -> list[_Stretch]:
    """The agent's own sums where there are some, else its events of single collections."""
    summed = [
        _Stretch(
            (each.t - each.ms) / 1000,
            each.t / 1000,
            each.collecting_ms / 1000,
            each.collections or 0,
            each.used,
            each.at,
        )
        for each in events
        if isinstance(each, CrawlEvent) and each.ms is not None and each.collecting_ms is not None
    ]
    return summed or [
        _Stretch(
            (each.t - (each.end - each.start)) / 1000,
            each.t / 1000,
            _waited_ms(each.end - each.start, each) / 1000,
            (1 + (each.skipped or 0)) if each.major else 0,
            each.used_after if each.major else None,
            each.at,
        )
        for each in events
        if isinstance(each, MemoryEvent) and each.start is not None and each.end is not None
    ]


def _waited_ms(ms: int, event: MemoryEvent) -> int:
    """For how long the program stood still for a collection and those left out before it.

    Those that changed nothing worth a line were like it. A concurrent collection of ZGC holds
    nobody up, unless an allocation stall has caused it.
    """
    if (event.collector or "").startswith("ZGC") and event.cause != "Allocation Stall":
        return 0
    return ms * (1 + (event.skipped or 0))


def _told_until_s(events: Iterable[Event]) -> float:
    """The time of the newest event, since the epoch; of a crawl before it, where that says no less.

    The agent tells of a window at its end: that the last one was not told yet says nothing.
    """
    last_s, crawl = 0.0, None
    for each in events:
        last_s = max(last_s, each.t / 1000)
        crawl = each if isinstance(each, CrawlEvent) else crawl
    if crawl is not None and crawl.ms is not None and last_s - crawl.t / 1000 <= crawl.ms / 1000:
        return crawl.t / 1000
    return last_s


def _lived_s(events: Sequence[Event]) -> float | None:
    """How long the JVM is known to have lived; None where nothing says.

    The agent attaches some tenths of a second after the start of the JVM.
    """
    first = next((each.t for each in events if isinstance(each, Attach)), None)
    last = max((each.t for each in events if isinstance(each, (End, ProcessEvent))), default=None)
    return None if first is None or last is None else (last - first) / 1000
