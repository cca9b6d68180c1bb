"""What was live before R_n when the job died: a verification fills the heap up to that.

A probe before R_n itself says it. Without one, what the last collection or probe before R_n left is
the least that it was, and what the dump at death holds beyond the record is the most. With too
little in the heap R_n may live although it alone is what the job died of, and with too much it may
die although it is not: so a bound is chosen from which what is to be expected would follow all the
same, that R_n dies where much of the heap at death lives for it alone, and that it lives elsewhere.

The agent fills the heap by what the collector counts as used. That is more than the objects have:
under G1 a large array takes whole regions (5 MB more in all, in a heap of 128 MB with a sort buffer
of 24 MB and two arrays of 9 MB). So of a probe, the collection that came with it counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from mprof.job_run import JobRun
from mprof.objects import HeapObjects, Owner
from mprof.plan.kinds import is_made_too_late
from mprof.plan.thresholds import AGREE, IN_WORK, WITH_THE_PROBE
from mprof.trace import Position, Trace
from mprof.trace.events import DumpEvent, Histogram, MemoryEvent

__all__ = ["LiveBefore", "live_before_record"]

_INITIATED: Final = ("Heap Dump Initiated GC", "Heap Inspection Initiated GC")
"""Causes of the collection that a dump or a class histogram begins with (`GCCause::to_string`)."""

_OF_THE_RECORD: Final[tuple[Owner, ...]] = ("record_in_flight", "record_being_written")


@dataclass(frozen=True, slots=True)
class LiveBefore:
    """Bytes that were live as user code was given R_n.

    Attributes:
        bytes: live then.
        bound: ``least`` or ``most`` where it was no less or no more than that.
    """

    bytes: int
    bound: Literal["exact", "least", "most"] = "exact"


def live_before_record(trace: Trace, run: JobRun) -> LiveBefore | None:
    """What was live as user code was given the record at death; None where nothing says."""
    at = trace.position
    heap = trace.heap_max
    if at is None or heap is None:
        return None
    dumps = {each.point.name: each for each in run.snapshots.get(trace.attempt_id or "", ())}
    probes = list(_probes(trace, dumps))
    exact = next((size for _, size, point in probes if _is_before_it(point, at)), None)
    if exact is not None:
        return LiveBefore(exact)
    least, death = _least(trace, probes, at), _of_death(trace, dumps)
    if death is None:
        return None
    most = max(death.live_bytes, trace.peak_before_failure or 0) - _of_record(death)
    if least is not None and abs(most - least) <= AGREE.value * heap:
        return LiveBefore(least)
    if _of_record(death) <= IN_WORK.value * heap:
        return LiveBefore(most, "most")
    return None if least is None else LiveBefore(least, "least")


def _probes(
    trace: Trace, dumps: Mapping[str, HeapObjects]
) -> Iterable[tuple[int, int, Position | None]]:
    """Number of the event, bytes in use and position of each probe of the attempt."""
    for dump in trace.of(DumpEvent):
        objects = dumps.get(dump.file.removesuffix(".gz").removesuffix(".hprof"))
        if dump.reason == "probe" and objects is not None:
            yield dump.n, _used(trace, dump.n, objects.live_bytes), dump.at
    for made in trace.of(Histogram):
        if made.reason == "probe" and made.total_bytes is not None:
            yield made.n, _used(trace, made.n, made.total_bytes), made.at


def _used(trace: Trace, n: int, live: int) -> int:
    """What the collection of a probe left in use; what was live where its event is missing."""
    near = [
        each.used_after
        for each in trace.of(MemoryEvent)
        if each.cause in _INITIATED and abs(each.n - n) <= WITH_THE_PROBE.value and each.used_after
    ]
    return min((used for used in near if used >= live), default=live)


def _is_before_it(point: Position | None, death: Position) -> bool:
    """Whether a probe was made as the record in flight at death was handed over."""
    if point is None or point.phase != death.phase:
        return False
    if death.combine_place:
        return (point.combine_call, point.combine_records_in) == (
            death.combine_call,
            death.combine_records_in,
        )
    return (point.records_in, point.group) == (death.records_in, death.group)


def _least(
    trace: Trace, probes: Iterable[tuple[int, int, Position | None]], death: Position
) -> int | None:
    """What the last full collection, or probe, before R_n found alive."""
    collections = [
        (each.n, each.used_after, each.at)
        for each in trace.of(MemoryEvent)
        if each.major and each.used_after is not None
    ]
    before = [
        (n, size)
        for n, size, at in (*collections, *probes)
        if at is not None and _is_earlier(at, death)
    ]
    return max(before, default=(0, None))[1]


def _is_earlier(at: Position, death: Position) -> bool:
    if death.combine_place or at.records_in is None or death.records_in is None:
        return False  # which call a position is in does not say how far the task was
    # a record of map() is counted once it has been read, before user code is done with the last one
    counted = death.records_in - 1 if death.phase == "map" else death.records_in
    return at.phase == death.phase and at.records_in < counted


def _of_death(trace: Trace, dumps: Mapping[str, HeapObjects]) -> HeapObjects | None:
    death = next((each for each in dumps.values() if each.point.at_death), None)
    return None if death is None or is_made_too_late(trace, death) else death


def _of_record(death: HeapObjects) -> int:
    """What lives for the record at death alone."""
    return death.held_by("record") + sum(death.bytes_of(owner) for owner in _OF_THE_RECORD)
