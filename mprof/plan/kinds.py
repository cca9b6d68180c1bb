"""Which probes of a plan are heap dumps, and which are class histograms: a small cost model.

A histogram takes a third of the time of a dump, is read in no time and tells what each class takes;
a dump tells who holds it. The dumps around a histogram say how to read it
(`mprof.evidence.assemble.between_dumps`), so few dumps are needed: the first of each range, and the
one at death, which is made anyway. What is left of the budget, a tenth of the time that the task
took until it failed, goes into further dumps: in the middle of each range, then before its last
record, then elsewhere.

Dumps alone are made where the dump at death of the failed run is missing, was made after the task
had released its memory, or shows memory that comes and goes and is not the user's: a large record
in flight, shuffled segments that reduce() is reading, a buffer of a serialiser. Then histograms
cannot be read by the dumps around them.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from mprof.job_run import JobRun
from mprof.objects import HeapObjects, Owner
from mprof.plan.probe_plan import DUMP_SECONDS_PER_BYTE, TaskCost, TaskPlan
from mprof.plan.thresholds import (
    BUDGET,
    COMING_AND_GOING,
    LIVE_AT_FIRST,
    MADE_IN_TIME,
    MEASURED_HEAP,
)
from mprof.trace import MEMORY_KINDS, Position, Trace
from mprof.trace.events import DumpEvent, Histogram, MemoryEvent
from mprof.units import MIB

__all__ = ["choose_kinds", "is_made_too_late"]

# 630 MB of live objects took 1.0 to 1.8 s, and one array of 419 MB was dumped in 0.6 s.
_HISTOGRAM_SECONDS_PER_BYTE: Final = 1.8 / (630 * MIB)
_ARRAY_SECONDS_PER_BYTE: Final = 0.6 / (400 * MIB)

_COMES_AND_GOES: Final[tuple[Owner, ...]] = (
    "record_in_flight", "record_being_written", "serialization", "reader",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Point:
    """A point of a plan, and the live heap expected there."""

    list_name: str
    ordinal: int
    live_bytes: float


@dataclass(frozen=True, slots=True)
class _Costs:
    """Seconds a live byte takes, beside `array_bytes` that are one array."""

    dump: float
    histogram: float
    array_bytes: int

    def dump_seconds(self, live_bytes: float) -> float:
        array = min(self.array_bytes, live_bytes)
        return self.dump * (live_bytes - array) + _ARRAY_SECONDS_PER_BYTE * array

    def histogram_seconds(self, live_bytes: float) -> float:
        return self.histogram * max(0.0, live_bytes - self.array_bytes)


def choose_kinds(
    plan: TaskPlan, trace: Trace, run: JobRun, runs: Sequence[JobRun], heap_bytes: int
) -> tuple[TaskPlan, TaskCost]:
    """The plan of a task with a kind for each of its points, and what it is expected to cost."""
    death = _death_of(trace, run)
    costs = _costs(runs, death)
    live_at_death = float(death.live_bytes) if death is not None else float(heap_bytes)
    points = _points(plan, trace, live_at_death, heap_bytes)
    seconds = trace.seconds
    why = _why_dumps_only(trace, death)
    dumps = set(points)
    if not why:
        dumps = _dumps(points, costs, BUDGET.value * (seconds or 0.0))
    counted = frozenset((each.list_name, each.ordinal) for each in points if each not in dumps)
    chosen = replace(plan, by_histogram=counted, histograms=len(counted) or None)
    live = sum(each.live_bytes for each in dumps)
    if plan.setup_bytes is not None:
        live = plan.probes * live_at_death / 2
        if not why:
            # While data is loaded, the dump at death alone says whose it is.
            chosen = replace(plan, probe="histogram", histograms=plan.points)
            live = 0.0
    cost = TaskCost(
        task=plan.task,
        seconds=_total(chosen, points, costs, live_at_death),
        death_seconds=costs.dump_seconds(live_at_death),
        dump_bytes=live + live_at_death,
        task_seconds=seconds,
        why=why,
    )
    return chosen, cost


def _total(plan: TaskPlan, points: Sequence[_Point], costs: _Costs, live_at_death: float) -> float:
    if plan.setup_bytes is not None:
        one = costs.histogram_seconds if plan.probe == "histogram" else costs.dump_seconds
        return plan.probes * one(live_at_death / 2)
    return sum(
        costs.histogram_seconds(each.live_bytes)
        if (each.list_name, each.ordinal) in plan.by_histogram
        else costs.dump_seconds(each.live_bytes)
        for each in points
    )


def _dumps(points: Sequence[_Point], costs: _Costs, budget: float) -> set[_Point]:
    """The points that are dumps: those that must be, and more while the budget lasts."""
    ranges: dict[str, list[_Point]] = {}
    for point in points:
        ranges.setdefault(point.list_name, []).append(point)
    dumps = {each[0] for each in ranges.values()}
    spent = sum(costs.dump_seconds(each.live_bytes) for each in dumps)
    spent += sum(costs.histogram_seconds(each.live_bytes) for each in points if each not in dumps)
    middle = [each[len(each) // 2] for each in ranges.values()]
    last = [each[-1] for each in ranges.values()]
    for point in (*middle, *last, *points):
        more = costs.dump_seconds(point.live_bytes) - costs.histogram_seconds(point.live_bytes)
        if point not in dumps and spent + more <= budget:
            dumps.add(point)
            spent += more
    return dumps


def is_made_too_late(trace: Trace, death: HeapObjects) -> bool:
    """Whether the task had released much of its memory before the dump at its death was made."""
    peak = trace.peak_before_failure
    return peak is not None and death.live_bytes < MADE_IN_TIME.value * peak


def _why_dumps_only(trace: Trace, death: HeapObjects | None) -> str:
    """Why histograms could not be read by the dumps around them; "" where they can."""
    if death is None or not death.classes:
        return "no heap dump shows what filled the heap"
    if is_made_too_late(trace, death):
        return "the heap dump was made after the task had released its memory"
    moving = sum(death.bytes_of(owner) for owner in _COMES_AND_GOES)
    # Segments stay until the merge has read them, so while reduce() runs they come and go.
    moving += death.shuffle_bytes
    if moving > COMING_AND_GOING.value * death.live_bytes:
        return "much of the heap is records and buffers that come and go"
    return ""


def _death_of(trace: Trace, run: JobRun) -> HeapObjects | None:
    """The dump at death of this attempt, else of another that died of memory on its side."""
    for each in (trace, *run.traces):
        same = each.task_type == trace.task_type and each.death.kind in MEMORY_KINDS
        for objects in run.snapshots.get(each.attempt_id or "", ()) if same else ():
            if objects.point.at_death:
                return objects
    return None


def _costs(runs: Iterable[JobRun], death: HeapObjects | None) -> _Costs:
    """As measured by the probes of these runs, else as measured on other jobs."""
    array = death.part("sort_buffer").bytes if death is not None else 0
    dumps, histograms = [], []
    for run in runs:
        for trace in run.traces:
            sizes = {
                each.point.name: each.live_bytes
                for each in run.snapshots.get(trace.attempt_id or "", ())
            }
            for dump in trace.of(DumpEvent):
                live = sizes.get(dump.file.removesuffix(".hprof"), 0) - array
                if dump.seconds and live >= MEASURED_HEAP.value:
                    dumps.append(dump.seconds / live)
            for made in trace.of(Histogram):
                live = (made.total_bytes or 0) - array
                if made.seconds and live >= MEASURED_HEAP.value:
                    histograms.append(made.seconds / live)
    return _Costs(
        dump=statistics.median(dumps) if dumps else DUMP_SECONDS_PER_BYTE,
        histogram=statistics.median(histograms) if histograms else _HISTOGRAM_SECONDS_PER_BYTE,
        array_bytes=array,
    )


def _points(
    plan: TaskPlan, trace: Trace, live_at_death: float, heap_bytes: int
) -> tuple[_Point, ...]:
    found = []
    for name, ordinals in plan.lists.items():
        curve = _live_curve(name, plan, trace, live_at_death, heap_bytes, ordinals)
        found += [_Point(name, each, curve(each)) for each in ordinals]
    return tuple(found)


def _live_curve(
    name: str,
    plan: TaskPlan,
    trace: Trace,
    live_at_death: float,
    heap_bytes: int,
    ordinals: Sequence[int],
) -> Callable[[int], float]:
    """What was live at an ordinal: by the collections of the failed attempt, straight between."""
    seen = [
        (x, each.used_after)
        for each in trace.of(MemoryEvent)
        if each.used_after is not None
        and each.at is not None
        and (x := _ordinal(name, plan, each.at)) is not None
    ]
    last = ordinals[-1]
    samples: list[tuple[int, float]] = [(last, live_at_death)]
    # What is live now was no more than what any later collection left behind.
    for x, size in sorted((one for one in seen if one[0] < last), reverse=True):
        samples.append((x, min(float(size), samples[-1][1])))
    samples.reverse()
    if samples[0][0] > ordinals[0]:
        least = LIVE_AT_FIRST.value * heap_bytes
        samples.insert(0, (ordinals[0], min(least, samples[0][1])))
    return lambda ordinal: _between(samples, ordinal)


def _between(samples: Sequence[tuple[int, float]], x: int) -> float:
    for (x1, y1), (x2, y2) in pairwise(samples):
        if x1 <= x <= x2:
            return y2 if x2 == x1 else y1 + (y2 - y1) * (x - x1) / (x2 - x1)
    return samples[0][1] if x < samples[0][0] else samples[-1][1]


def _ordinal(name: str, plan: TaskPlan, at: Position) -> int | None:
    """The ordinal of a position in one of the plan's lists."""
    if name == "before_record":
        return at.records_in
    if name == "before_group":
        return at.group
    if name == "in_group" and plan.in_group is not None and at.group == plan.in_group[0]:
        return at.record_in_group
    return None
