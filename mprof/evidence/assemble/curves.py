"""Heap snapshots, and class histograms between them, to curves.

The growth of each holder, and the growth at R_n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from mprof.code_site import CodeSite
from mprof.engines import MAPREDUCE, UserClasses, enlarges_container
from mprof.evidence.assemble.between_dumps import BetweenDumps
from mprof.evidence.assemble.moments import (
    BEFORE_GROUP,
    BEFORE_RECORD,
    IN_COMBINE,
    IN_GROUP,
    SETUP_BYTES,
    Moment,
)
from mprof.evidence.facts import (
    DeathPosition,
    Lifecycle,
    Point,
    RecordGrowth,
    Series,
    Unit,
    Unknown,
)
from mprof.evidence.thresholds import ENLARGING_FRAMES, LEAST_HOLDER
from mprof.objects import HeapObjects, HolderKey, Owner
from mprof.objects import Holder as HeapHolder

__all__ = ["curves_of"]

_KEEPERS: Final[tuple[Owner, ...]] = ("user", "writer", "reader", "library")
"""Owners of what may grow from record to record, or from group to group."""

_MOST_SERIES: Final = 20
"""Holders whose curves are kept, the largest: enough to hold a heap ten times over."""
_NO_PROBES: Final = Unknown("heap sizes at earlier records", "rerun")


@dataclass(frozen=True, slots=True)
class _At:
    """A moment on one axis: so many were taken in before it."""

    x: int
    seen: HeapObjects | BetweenDumps


_Axis = tuple[Unit, int | None, list[_At]]
"""A unit, the group it is inside of, and the moments along it."""


def curves_of(
    moments: Sequence[Moment],
    between: Sequence[BetweenDumps],
    death: HeapObjects | None,
    position: DeathPosition | None,
    logged: Sequence[CodeSite],
    no_dump: Unknown,
) -> tuple[tuple[Series, ...], RecordGrowth | Unknown]:
    """The curve of each holder, and the growth of user memory at R_n.

    Args:
        moments: of the heap before the death, owners decided.
        between: points between them at which a class histogram was made.
        death: the heap at death.
        position: at death.
        logged: the dying thread, top first, as the logs have it.
        no_dump: why there is no heap at death, where there is none.
    """
    if position is not None and position.unread and position.record is not None:
        moments = _with_record_being_read(moments, death, position.record)
    axes = _axes(moments, between)
    series = _series_of_holders(axes, moments, death, position and position.handed_over)
    return series, _record_growth(axes, death, position, logged, no_dump)


def _with_record_being_read(
    moments: Sequence[Moment], death: HeapObjects | None, record: int
) -> Sequence[Moment]:
    """The moments, and the death as one more where R_n was still being read.

    User code had done all its work on the records before, and none on R_n: what it held by then is
    what it held right before R_n. Of a few large records no probe shows more.
    """
    if death is None or not moments or not death.point.at_death:
        return moments
    return (*moments, Moment(BEFORE_RECORD, record, None, death))


def _series_of_holders(
    axes: Sequence[_Axis],
    moments: Sequence[Moment],
    death: HeapObjects | None,
    position: DeathPosition | None,
) -> tuple[Series, ...]:
    """The curve of each logical holder, told by its key, on every axis that was probed."""
    every = [m.objects for m in moments] + ([death] if death else [])
    largest: dict[HolderKey, HeapHolder] = {}
    for objects in every:  # the newest snapshot that lists a holder says what it is
        for holder in objects.holders:
            if holder.owner in _KEEPERS and holder.bytes >= LEAST_HOLDER.value:
                largest[holder.key] = holder
    ranked = sorted(largest.values(), key=lambda each: (-each.bytes, each.key))[:_MOST_SERIES]
    found: list[Series] = []
    for unit, group, axis in axes:
        at_death = _death_x(unit, group, position)
        for holder in ranked:
            lifecycle = holder.lives_for
            if lifecycle is None or not _lives_on(lifecycle, unit):
                continue
            # What the reader holds at the death it may have read of R_n, or beyond.
            before = [a for a in axis if holder.owner != "reader" or a.seen is not death]
            sizes = [(a, a.seen.bytes_at(holder.key)) for a in before]
            known_sizes = [(a, size) for a, size in sizes if size is not None]
            points = tuple(Point(float(a.x), float(size)) for a, size in known_sizes)
            end = (
                Point(at_death, float(death.bytes_at(holder.key)))
                if death is not None and at_death is not None
                else None
            )
            found.append(
                Series(
                    holder=holder.key,
                    lifecycle=lifecycle,
                    unit=unit,
                    points=points,
                    source="dump",
                    at_death=end,
                    class_name=holder.class_name,
                    group=group,
                    by_histogram=sum(isinstance(a.seen, BetweenDumps) for a, _ in known_sizes),
                )
            )
    return tuple(found)


def _lives_on(lifecycle: Lifecycle, unit: Unit) -> bool:
    """Whether a curve of such an object over this axis means anything."""
    if unit == "byte_read":
        return True
    return {
        "map": unit == "record",
        "reduce": unit in {"group", "record", "record_in_group"},
        "group": unit == "record_in_group",
        "record": False,
    }[lifecycle]


def _axes(moments: Sequence[Moment], between: Sequence[BetweenDumps]) -> list[_Axis]:
    """What was probed over: records, groups, records inside one group or combine call, bytes."""
    table: dict[tuple[Unit, int | None], dict[int, HeapObjects | BetweenDumps]] = {}

    def put(unit: Unit, group: int | None, x: int, moment: Moment | BetweenDumps) -> None:
        seen = moment.objects if isinstance(moment, Moment) else moment
        table.setdefault((unit, group), {})[x] = seen

    def before_group(x: int, moment: Moment | BetweenDumps) -> None:
        put("group", None, x, moment)
        if moment.records is not None:
            put("record", None, moment.records, moment)

    # The dumps last: of two measurements at one point they say more.
    every: tuple[Moment | BetweenDumps, ...] = (*between, *moments)
    for moment in every:
        if moment.ordinal is None:
            continue
        if moment.point == BEFORE_RECORD:
            put("record", None, moment.ordinal - 1, moment)
        elif moment.point == BEFORE_GROUP:
            before_group(moment.ordinal - 1, moment)
        elif moment.point in {IN_GROUP, IN_COMBINE}:
            put("record_in_group", moment.group, moment.ordinal - 1, moment)
            if moment.point == IN_GROUP and moment.ordinal == 1 and moment.group is not None:
                # before the first record of a group is before the group
                before_group(moment.group - 1, moment)
        elif moment.point == SETUP_BYTES:
            put("byte_read", None, moment.ordinal, moment)
    return [
        (unit, group, [_At(x, points[x]) for x in sorted(points)])
        for (unit, group), points in table.items()
    ]


def _death_x(unit: Unit, group: int | None, position: DeathPosition | None) -> float | None:
    if position is None:
        return None
    value = {
        "record": position.record if position.phase != "combine" else None,
        "group": position.group if position.phase != "combine" else None,
        "record_in_group": position.record_in_group if group in (None, position.group) else None,
    }.get(unit)
    return None if value is None else float(value)


def _record_growth(
    axes: Sequence[_Axis],
    death: HeapObjects | None,
    position: DeathPosition | None,
    logged: Sequence[CodeSite],
    no_dump: Unknown,
) -> RecordGrowth | Unknown:
    """Growth of user memory from point to point, and from the last point to the death."""
    if death is None:
        return no_dump
    if position is None:
        return Unknown("the position at death", "rerun")
    inside = position.record_in_group is not None
    unit: Unit = "record_in_group" if inside else "record"
    ordinal = position.record_in_group if inside else position.record
    wanted = (unit, position.group if inside else None)
    axis = next((axis for unit, group, axis in axes if (unit, group) == wanted), [])
    usable = [each for each in axis if ordinal is not None and each.x < ordinal]
    sizes = [(each.x, size) for each in usable if (size := each.seen.user_bytes) is not None]
    if not sizes or ordinal is None:
        return _NO_PROBES
    before = tuple((b[0] - a[0], b[1] - a[1]) for a, b in pairwise(sizes))
    last_x, last_bytes = sizes[-1]
    return RecordGrowth(
        before=before,
        last_records=ordinal - last_x,
        last_bytes=death.user_bytes - last_bytes,
        source="dump",
        doubling=any(each.doubling for each in death.holders) or _enlarges(logged),
        unit=unit,
    )


def _enlarges(frames: Sequence[CodeSite]) -> bool:
    """Whether a container of the JDK or of a library was being enlarged.

    One that users wrote is told by the shape of its object, which a log does not show.
    """
    classes = UserClasses(MAPREDUCE)
    return any(
        enlarges_container(each.class_name, each.method, classes)
        for each in frames[: int(ENLARGING_FRAMES.value)]
    )
