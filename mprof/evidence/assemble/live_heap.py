"""The live heap after collections, and classes of the histograms, over the units of the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mprof.evidence.facts import DeathPosition, Point, Series, Unit
from mprof.evidence.thresholds import LARGE_OBJECT, MAJOR_COLLECTIONS
from mprof.trace import Position as TracePosition
from mprof.trace import Trace
from mprof.trace.events import Histogram, MemoryEvent

__all__ = ["LiveBefore", "LiveHeap", "live_before", "live_heap_of"]

_MOST_POINTS: Final = 40
"""Points of a curve that are kept: more do not change its fit, and the report has no room."""

_MOST_CLASSES: Final = 5
"""Classes of histograms that are followed: a container grows with its array, its entries, their
keys and values."""


@dataclass(frozen=True, slots=True)
class LiveBefore:
    """What collections before R_n and before its group left behind; None: there was none.

    Attributes:
        record: bytes that were live before R_n was handed over (a major collection).
        group: bytes before the group at death, at least what was live; of a reduce attempt only.
        in_group: the least that was live within that group and before R_n, from a major collection
            on; what a later one, or a minor one, no longer found had been freed.
    """

    record: int | None = None
    group: int | None = None
    in_group: int | None = None


@dataclass(frozen=True, slots=True)
class LiveHeap:
    """What collections and class histograms say of the live heap.

    Attributes:
        before: what was live before R_n and its group.
        lowest_bytes: the least that a collection left behind since user code had its first data;
            None where none says.
        series: the live heap, and its classes, over the units of the data.
        fullest_group: of a reduce attempt that came to its end, the live heap over the records of
            the group in which most was left.
    """

    before: LiveBefore
    lowest_bytes: int | None
    series: tuple[Series, ...]
    fullest_group: Series | None = None


def live_heap_of(trace: Trace, position: DeathPosition | None, live: int | None) -> LiveHeap:
    """What the collections and the class histograms of an attempt say.

    Args:
        trace: of the attempt.
        position: at death.
        live: bytes that were live at death.
    """
    # the position of a collection does not tell the work on a record from the reading of the next
    given = position and position.handed_over
    before = live_before(trace, position)
    passive = _passive_series(trace, given, live, before)
    return LiveHeap(
        before=before,
        lowest_bytes=_lowest_live_bytes(trace),
        series=(*passive, *_histogram_series(trace, given)),
        fullest_group=_in_fullest_group(trace, given, before),
    )


def _in_fullest_group(
    trace: Trace, position: DeathPosition | None, before: LiveBefore
) -> Series | None:
    """The live heap over the records of the fullest group of an attempt that came to its end."""
    if position is None or position.group is not None or trace.death.kind != "none":
        return None
    inside = replace(position, group=_fullest_group(trace))
    series = _passive_series(trace, inside, None, before)
    return next((one for one in series if one.unit == "record_in_group"), None)


def _lowest_live_bytes(trace: Trace) -> int | None:
    """An upper bound of what stood in the heap when user code had begun with its data.

    The least that any collection left behind since then: whatever was loaded before and is still
    there is part of it, and so are the framework's buffers.
    """
    since = [
        each.used_after
        for each in _before_the_end(trace)
        if each.used_after is not None
        and each.at is not None
        and each.at.phase in {"map", "reduce"}
        and (each.at.records_in or 0) > 0
    ]
    return min(since, default=None)


def _fullest_group(trace: Trace) -> int | None:
    """The group in which most was left; an attempt that came to its end has no G_m."""
    left = [
        (each.used_after, each.at.group)
        for each in trace.of(MemoryEvent)
        if each.used_after is not None and each.at is not None and each.at.phase == "reduce"
    ]
    return max(left, default=(0, None), key=lambda one: one[0])[1]


def _before_the_end(trace: Trace) -> list[MemoryEvent]:
    """Collections until the task failed: what it holds after that is no longer its data."""
    failed = trace.death.failure
    return [each for each in trace.of(MemoryEvent) if failed is None or each.n < failed.n]


def live_before(trace: Trace, position: DeathPosition | None) -> LiveBefore:
    """What was live before R_n, and at most before its group.

    Major collections leave nothing but live objects, minor ones some garbage too. A record of map()
    is counted once it has been read: what stood when the one before it was the last may be its own.
    """
    if position is None or position.phase not in {"map", "reduce"} or position.record is None:
        return LiveBefore()
    collections = [
        (each, each.at)
        for each in _before_the_end(trace)
        if each.at is not None and each.at.phase == position.phase
    ]
    counted_from = position.record - 1 if position.phase == "map" else position.record
    record = [
        each.used_after
        for each, at in collections
        if each.major and (at.records_in or 0) < counted_from
    ]
    group = [each.used_after for each, at in collections if (at.group or 0) < (position.group or 0)]
    within = [
        (each.major, each.used_after)
        for each, at in collections
        if position.phase == "reduce"
        and at.group == position.group
        and (at.records_in or 0) < counted_from
        and each.used_after is not None
    ]
    whole = max((i for i, (major, _) in enumerate(within) if major), default=len(within))
    in_group = min((size for _, size in within[whole:]), default=None)
    return LiveBefore(record[-1] if record else None, group[-1] if group else None, in_group)


def _passive_series(
    trace: Trace, position: DeathPosition | None, live: int | None, before: LiveBefore
) -> tuple[Series, ...]:
    """The live heap after collections, over the units of the data.

    Major collections leave exactly what is live. Minor ones leave garbage in the old generation
    too, so they are upper bounds; they are used where there are too few major ones, each lowered to
    the least value seen later: what was live then and still is cannot have been more.
    """
    if position is None:
        return ()
    samples = [
        (each.at, each.used_after, bool(each.major))
        for each in _before_the_end(trace)
        if each.used_after is not None and each.at is not None
    ]
    own = [_is_of_the_call(at, trace, position) for at, _, _ in samples]
    first = own.index(True) if True in own else 0
    at_start = samples[first - 1][1] if first else before.group
    samples = [each for each, is_own in zip(samples, own, strict=True) if is_own]
    found: list[Series] = []
    for unit in _units(trace, position):
        placed = [
            (x, size, major)
            for at, size, major in samples
            if (x := _x(at, unit, position)) is not None
        ]
        end = _end(position, unit)
        earlier = [each for each in placed if end is None or each[0] < end]
        points = _points(earlier)
        if points:
            one = _series(unit, points, "passive", end, live, None, position)
            start = None
            if unit == "record_in_group" and at_start is not None:
                # at most: what the group before had kept is gone when this one begins
                start = Point(0.0, min(float(at_start), points[0].size_bytes))
            found.append(replace(one, at_start=start, upper_bounds=not _enough_major(earlier)))
    return tuple(found)


def _histogram_series(trace: Trace, position: DeathPosition | None) -> tuple[Series, ...]:
    """Sizes of the classes that grew most over the class histograms."""
    if position is None:
        return ()
    made = [(each.at, each.classes) for each in trace.of(Histogram) if each.at is not None]
    histograms = [each for each in made if _is_of_the_call(each[0], trace, position)]
    if len(histograms) <= 1:
        return ()
    sizes: dict[str, list[tuple[TracePosition, int]]] = {}
    for at, classes in histograms:
        seen = {name: size for name, _, size in classes}
        for name in {name for _, each in histograms for name, _, _ in each}:
            # outside the largest hundred: less than the smallest of them, next to nothing
            sizes.setdefault(name, []).append((at, seen.get(name, 0)))
    ranked = sorted(sizes, key=lambda name: (sizes[name][0][1] - sizes[name][-1][1], name))
    found: list[Series] = []
    for name in ranked[:_MOST_CLASSES]:
        if sizes[name][-1][1] < LARGE_OBJECT.value:
            continue
        for unit in _units(trace, position):
            end = _end(position, unit)
            points = tuple(
                Point(x, float(size))
                for at, size in sizes[name]
                if (x := _x(at, unit, position)) is not None and (end is None or x < end)
            )
            if len(points) > 1:
                found.append(_series(unit, points, "histogram", end, None, name, position))
    return tuple(found)


def _is_of_the_call(at: TracePosition, trace: Trace, position: DeathPosition) -> bool:
    """Whether a position is in the call of combine() that died, and in its group.

    Each spill and each merge begins with group 1 again: the same record of the same group was met
    in the calls before, and what stood in the heap then says nothing of this one. Of other deaths
    every position counts.
    """
    if position.phase != "combine":
        return True
    dying = trace.position
    same_call = dying is None or at.combine_call == dying.combine_call
    same_group = at.combine_group == position.group and at.combine_partition == position.partition
    return at.in_combine and same_call and same_group


def _series(
    unit: Unit,
    points: tuple[Point, ...],
    source: str,
    end: float | None,
    live: int | None,
    class_name: str | None,
    position: DeathPosition,
) -> Series:
    # the record or group in flight counts as taken in at the death
    at_death = Point(end + 1, float(live)) if end is not None and live is not None else None
    inside = unit == "record_in_group"
    return Series(
        holder=None,
        lifecycle="map" if unit == "record" else ("group" if inside else "reduce"),
        unit=unit,
        points=points,
        source="passive" if source == "passive" else "histogram",
        at_death=at_death,
        class_name=class_name,
        group=position.group if inside else None,
    )


def _units(trace: Trace, position: DeathPosition) -> tuple[Unit, ...]:
    if position.phase == "combine":
        return ("record_in_group",)
    return ("record",) if trace.task_type == "map" else ("group", "record_in_group")


def _x(at: TracePosition, unit: Unit, position: DeathPosition) -> float | None:
    """Records or groups taken in when the position was ``at``; None where it does not count."""
    if position.phase == "combine":
        return _taken(at.combine_record_in_group)
    if unit == "record":
        return _taken(at.records_in) if at.phase in {"setup", "map", "cleanup"} else None
    if at.phase not in {"reduce", "cleanup"}:
        return None
    if unit == "group":
        return _taken(at.group)
    return _taken(at.record_in_group) if at.group == position.group else None


def _taken(ordinal: int | None) -> float | None:
    return None if ordinal is None else float(max(ordinal - 1, 0))


def _end(position: DeathPosition, unit: Unit) -> float | None:
    value = {
        "record": position.record,
        "group": position.group,
        "record_in_group": position.record_in_group,
    }.get(unit)
    # taken in *before* the one in flight, so that points at death itself are left out
    return None if value is None else float(max(value - 1, 0))


def _enough_major(placed: Sequence[tuple[float, int, bool]]) -> bool:
    return len({x for x, _, major in placed if major}) >= MAJOR_COLLECTIONS.value


def _points(placed: Sequence[tuple[float, int, bool]]) -> tuple[Point, ...]:
    if _enough_major(placed):
        return _thinned((x, size) for x, size, major in placed if major)
    lowered: list[tuple[float, int]] = []
    least: int | None = None
    for x, size, _ in reversed(placed):
        least = size if least is None else min(least, size)
        lowered.append((x, least))
    lowered.reverse()
    return _thinned(lowered)


def _thinned(points: Iterable[tuple[float, int]]) -> tuple[Point, ...]:
    """At most so many points, the lowest of each stretch of x, both ends kept."""
    ordered = sorted(points)
    if len(ordered) <= _MOST_POINTS:
        return tuple(Point(x, float(size)) for x, size in ordered)
    low, high = ordered[0][0], ordered[-1][0]
    width = (high - low) / _MOST_POINTS or 1.0
    best: dict[int, tuple[float, int]] = {}
    for x, size in ordered:
        stretch = int((x - low) / width)
        if stretch not in best or size < best[stretch][1]:
            best[stretch] = (x, size)
    return tuple(Point(x, float(size)) for x, size in sorted(best.values()))
