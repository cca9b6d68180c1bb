"""Heap snapshots to curves: growth of each holder, growth at R_n, data loaded before the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from mprof.code import CodeSite
from mprof.engines import MAPREDUCE, Engine, UserClasses, enlarges_container
from mprof.evidence.assemble_choice import (
    BEFORE_GROUP,
    BEFORE_RECORD,
    IN_COMBINE,
    IN_GROUP,
    SETUP_BYTES,
    Moment,
)
from mprof.evidence.assemble_objects import (
    LEAST_HOLDER_BYTES,
    bytes_of,
    first_moment,
    lifecycle_of,
    user_bytes,
)
from mprof.evidence.facts import (
    DeathPosition,
    ExternalLoad,
    Holder,
    Lifecycle,
    OpenedFile,
    Point,
    RecordGrowth,
    Series,
    Unit,
    Unknown,
)
from mprof.objects import LARGE_OBJECT_BYTES, HeapObjects, HolderKey
from mprof.objects import Holder as HeapHolder

__all__ = ["external_of", "record_growth_of", "series_of_holders"]

_MOST_SERIES: Final = 20
_FLAT: Final = 0.1
_MOST_INFLATION: Final = 50
"""Bytes of heap a byte of a file: a gzip of ten to one, and five for strings in a hash map."""
_NO_PROBES: Final = Unknown("heap sizes at earlier records", "rerun")
_TOP_FRAMES: Final = 4


@dataclass(frozen=True, slots=True)
class _At:
    """A moment on one axis: so many were taken in before it."""

    x: int
    objects: HeapObjects


def series_of_holders(
    moments: Sequence[Moment], death: HeapObjects | None, position: DeathPosition | None
) -> tuple[Series, ...]:
    """The curve of each logical holder, told by its key, on every axis that was probed."""
    every = [m.objects for m in moments] + ([death] if death else [])
    largest: dict[HolderKey, HeapHolder] = {}
    for objects in every:  # the newest snapshot that lists a holder says what it is
        for holder in objects.holders:
            if holder.owner == "user" and holder.bytes >= LEAST_HOLDER_BYTES:
                largest[holder.key] = holder
    ranked = sorted(largest.values(), key=lambda each: (-each.bytes, each.key))[:_MOST_SERIES]
    found: list[Series] = []
    for unit, group, axis in _axes(moments):
        at_death = _death_x(unit, group, position)
        for holder in ranked:
            lifecycle = lifecycle_of(holder)
            if lifecycle is None or not _lives_on(lifecycle, unit):
                continue
            points = tuple(Point(float(a.x), float(bytes_of(a.objects, holder.key))) for a in axis)
            end = (
                Point(at_death, float(bytes_of(death, holder.key)))
                if death is not None and at_death is not None
                else None
            )
            found.append(
                Series(holder.key, lifecycle, unit, points, "dump", end, holder.class_name, group)
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


def _axes(moments: Sequence[Moment]) -> list[tuple[Unit, int | None, list[_At]]]:
    """What was probed over: records, groups, records inside one group or combine call, bytes."""
    table: dict[tuple[Unit, int | None], dict[int, HeapObjects]] = {}

    def put(unit: Unit, group: int | None, x: int, objects: HeapObjects) -> None:
        table.setdefault((unit, group), {})[x] = objects

    def before_group(x: int, moment: Moment) -> None:
        put("group", None, x, moment.objects)
        if moment.records is not None:
            put("record", None, moment.records, moment.objects)

    for moment in moments:
        if moment.ordinal is None:
            continue
        if moment.point == BEFORE_RECORD:
            put("record", None, moment.ordinal - 1, moment.objects)
        elif moment.point == BEFORE_GROUP:
            before_group(moment.ordinal - 1, moment)
        elif moment.point in {IN_GROUP, IN_COMBINE}:
            put("record_in_group", moment.group, moment.ordinal - 1, moment.objects)
            if moment.point == IN_GROUP and moment.ordinal == 1 and moment.group is not None:
                # before the first record of a group is before the group
                before_group(moment.group - 1, moment)
        elif moment.point == SETUP_BYTES:
            put("byte_read", None, moment.ordinal, moment.objects)
    return [
        (unit, group, [_At(x, objects) for x, objects in sorted(points.items())])
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


def record_growth_of(
    moments: Sequence[Moment],
    death: HeapObjects | None,
    position: DeathPosition | None,
    logged: Sequence[CodeSite],
    no_dump: Unknown,
    engine: Engine = MAPREDUCE,
) -> RecordGrowth | Unknown:
    """Growth of user memory from point to point, and from the last point to the death."""
    if death is None:
        return no_dump
    if position is None:
        return Unknown("the position at death", "rerun")
    axes = {(unit, group): axis for unit, group, axis in _axes(moments)}
    inside = position.record_in_group is not None
    unit: Unit = "record_in_group" if inside else "record"
    ordinal = position.record_in_group if inside else position.record
    axis = axes.get((unit, position.group if inside else None), [])
    usable = [each for each in axis if ordinal is not None and each.x < ordinal]
    if not usable or ordinal is None:
        return _NO_PROBES
    sizes = [(each.x, user_bytes(each.objects)) for each in usable]
    before = tuple((b[0] - a[0], b[1] - a[1]) for a, b in pairwise(sizes))
    last_x, last_bytes = sizes[-1]
    return RecordGrowth(
        before=before,
        last_records=ordinal - last_x,
        last_bytes=user_bytes(death) - last_bytes,
        source="dump",
        doubling=any(each.doubling for each in death.holders) or _enlarges(logged, engine),
        unit=unit,
    )


def _enlarges(frames: Sequence[CodeSite], engine: Engine) -> bool:
    """Whether a container of the JDK or of a library was being enlarged.

    One that users wrote is told by the shape of its object, which a log does not show.
    """
    classes = UserClasses(engine)
    return any(
        enlarges_container(each.class_name, each.method, classes) for each in frames[:_TOP_FRAMES]
    )


def external_of(
    holders: Sequence[Holder] | Unknown,
    series: Sequence[Series],
    moments: Sequence[Moment],
    opened: tuple[OpenedFile, ...],
    *,
    place: str | None,
    loading: tuple[OpenedFile, ...] | None,
    bound: int | None,
) -> ExternalLoad | Unknown | None:
    """What was loaded before R_1 or G_1, or once and never grew again.

    Args:
        holders: at death.
        series: curves of the holders.
        moments: of the heap before the death.
        opened: files the task opened besides its split.
        place: where it died.
        loading: files that were being loaded at death, as `loading_of` tells.
        bound: what a collection left behind at least once after the first record, which what was
            loaded before cannot exceed; None where no collection says.
    """
    if place in {"init", "shuffle", "sort"}:
        return None
    if isinstance(holders, Unknown):
        return _bounded(bound) or holders
    user = [each for each in holders if each.owner in {"user", "external"}]
    if place == "setup":
        return _load(user, "loading", opened)
    if loading is not None:
        last = max(moments, key=lambda each: each.ordinal or 0).objects if moments else None
        new = [each for each in user if _is_being_loaded(each, last, loading)]
        if new:
            return _load(new, "loading", loading or opened)
    if first_moment(moments) is not None:
        before = [each for each in user if each.loaded_before_first_record]
        if before:
            return _load(before, "setup", opened)
        once = {each.holder for each in series if _once(each)}
        loaded = [each for each in user if each.key in once and each.bytes >= LARGE_OBJECT_BYTES]
        return _load(loaded, "once", opened) if loaded else None
    # What lives for one record or one group was not there before the first.
    lasting = (each for each in user if each.lifecycle not in {"record", "group"})
    if max((each.bytes for each in lasting), default=0) < LARGE_OBJECT_BYTES:
        return None
    return _bounded(bound) or Unknown("the heap before the first record", "rerun")


def _is_being_loaded(holder: Holder, last: HeapObjects | None, files: Sequence[OpenedFile]) -> bool:
    """Whether a holder is what files became: not there at the last probe, and not too large."""
    lengths = [each.length_bytes for each in files]
    known_bytes = sum(each for each in lengths if each is not None)
    if files and None not in lengths and holder.bytes > _MOST_INFLATION * known_bytes:
        return False
    return last is None or bytes_of(last, holder.key) < 0.5 * holder.bytes


def _bounded(bound: int | None) -> ExternalLoad | None:
    """No more than this can have been loaded; whose it is nobody knows."""
    return None if bound is None else ExternalLoad(bound, (), "setup", source="passive")


def _load(holders: Sequence[Holder], when: str, opened: tuple[OpenedFile, ...]) -> ExternalLoad:
    return ExternalLoad(
        bytes=sum(each.bytes for each in holders),
        holders=tuple(each.key for each in holders),
        when="loading" if when == "loading" else ("once" if when == "once" else "setup"),
        opened=opened,
    )


def _once(series: Series) -> bool:
    """It jumped to its size between the first two points and stayed there for three or more."""
    points = sorted(series.points, key=lambda each: each.x)
    if series.unit not in {"record", "group"} or len(points) < 4:
        return False
    first, rest = points[0].size_bytes, [each.size_bytes for each in points[1:]]
    if series.at_death is not None:
        rest.append(series.at_death.size_bytes)
    top = max(rest)
    return top >= LARGE_OBJECT_BYTES and first < 0.5 * top and min(rest) >= (1 - _FLAT) * top
