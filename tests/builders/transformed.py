"""The same evidence in another order, of larger objects, or of more records."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from builders.chance import Chance

from mprof.evidence import (
    DeathPosition,
    Distribution,
    Evidence,
    ExternalLoad,
    GroupSizes,
    Holder,
    Partitions,
    Point,
    RecordGrowth,
    RecordSizes,
    Series,
    Unknown,
    known,
)

__all__ = ["larger", "more_records", "reordered", "without_ambiguous_lengths"]

_COLUMNS = (
    "records", "bytes", "keys", "keys_in_one_map", "largest_key_records", "largest_key_bytes",
)  # fmt: skip


def reordered(evidence: Evidence, chance: Chance) -> Evidence:
    """Everything whose order says nothing in another order; the stack stays as it is."""
    series = tuple(
        replace(one, points=chance.shuffled(one.points)) for one in chance.shuffled(evidence.series)
    )
    changes: dict[str, Any] = {
        "attempts": chance.shuffled(evidence.attempts),
        "series": series,
    }
    if not isinstance(evidence.holders, Unknown):
        changes["holders"] = chance.shuffled(evidence.holders)
    external = known(evidence.external)
    if isinstance(external, ExternalLoad):
        changes["external"] = replace(
            external,
            holders=chance.shuffled(external.holders),
            opened=chance.shuffled(external.opened),
        )
    growth = known(evidence.record_growth)
    if isinstance(growth, RecordGrowth):
        changes["record_growth"] = replace(growth, before=chance.shuffled(growth.before))
    partitions = known(evidence.partitions)
    if isinstance(partitions, Partitions):
        changes["partitions"] = _with_other_indices(partitions, chance)
    groups, records = known(evidence.groups), known(evidence.records)
    if isinstance(groups, GroupSizes):
        changes["groups"] = replace(
            groups,
            other_records=_built_in_another_order(groups.other_records, chance),
            other_bytes=_built_in_another_order(groups.other_bytes, chance),
        )
    if isinstance(records, RecordSizes):
        before = _built_in_another_order(records.before, chance)
        changes["records"] = replace(records, before=before)
    return replace(evidence, **changes)


def _with_other_indices(partitions: Partitions, chance: Chance) -> Partitions:
    columns = {name: getattr(partitions, name) for name in _COLUMNS}
    number = max((len(one) for one in columns.values() if isinstance(one, tuple)), default=0)
    order = chance.shuffled(range(number))
    moved = {
        name: tuple(column[index] for index in order) if isinstance(column, tuple) else column
        for name, column in columns.items()
    }
    own = order.index(partitions.own) if number else partitions.own
    return replace(partitions, own=own, **moved)


def _built_in_another_order(sizes: Any, chance: Chance) -> Any:
    if not isinstance(sizes, Distribution):
        return sizes
    pairs = chance.shuffled(zip(sizes.values, sizes.counts, strict=True))
    return Distribution.from_counts(pairs, relative_error=sizes.relative_error)


def without_ambiguous_lengths(evidence: Evidence) -> Evidence:
    """No length of a container whose elements may be records, groups or the bytes of a text.

    Which of them a length counts, and so what it is to be multiplied by, is not written there.
    """
    if isinstance(evidence.holders, Unknown):
        return evidence
    return replace(
        evidence,
        holders=tuple(
            replace(one, length=None)
            if one.element_class in (None, "byte", "char") or one.lifecycle in ("reduce", None)
            else one
            for one in evidence.holders
        ),
    )


def larger(evidence: Evidence, factor: float) -> Evidence:
    """Every size in bytes multiplied by the factor, of the heap and of all data."""
    found: Evidence = _larger(evidence, factor)
    return found


def _larger(value: Any, factor: float) -> Any:
    if isinstance(value, tuple):
        return tuple(_larger(one, factor) for one in value)
    if isinstance(value, RecordGrowth):
        before = tuple((records, _times(size, factor)) for records, size in value.before)
        return replace(value, before=before, last_bytes=_times(value.last_bytes, factor))
    if isinstance(value, RecordSizes):
        return replace(
            value, bytes=_times(value.bytes, factor), before=_times(value.before, factor)
        )
    if not is_dataclass(value) or isinstance(value, type | Unknown):
        return value
    changes = {
        each.name: (
            _times(getattr(value, each.name), factor)
            if "bytes" in each.name.split("_")
            else _larger(getattr(value, each.name), factor)
        )
        for each in fields(value)
    }
    return replace(value, **changes)


def _times(size: Any, factor: float) -> Any:
    """A size, sizes or a distribution of them, multiplied; whole numbers stay whole."""
    if isinstance(size, tuple):
        return tuple(_times(one, factor) for one in size)
    if isinstance(size, Distribution):
        return replace(size, values=tuple(one * factor for one in size.values))
    if isinstance(size, int):
        return round(size * factor)
    return size * factor if isinstance(size, float) else size


def more_records(evidence: Evidence, factor: int) -> Evidence:
    """Each record replaced by so many of its share; groups, keys and partitions stay as many.

    What was measured right before R_n stays right before it.
    """
    changes: dict[str, Any] = {"series": tuple(_stretched(one, factor) for one in evidence.series)}
    position, groups = known(evidence.position), known(evidence.groups)
    growth, records = known(evidence.record_growth), known(evidence.records)
    partitions = known(evidence.partitions)
    if isinstance(position, DeathPosition):
        changes["position"] = replace(
            position,
            record=_times(position.record, factor),
            record_in_group=_times(position.record_in_group, factor),
        )
    if not isinstance(evidence.holders, Unknown):
        changes["holders"] = tuple(_longer(one, factor) for one in evidence.holders)
    if isinstance(growth, RecordGrowth):
        changes["record_growth"] = replace(
            growth,
            before=tuple((count * factor, size) for count, size in growth.before),
            last_records=growth.last_records * factor,
        )
    if isinstance(groups, GroupSizes):
        changes["groups"] = replace(
            groups,
            current=_grown(groups.current, factor),
            largest=_grown(groups.largest, factor),
            counted=_grown(groups.counted, factor),
            other_records=_times(groups.other_records, factor),
            passed_records=_times(groups.passed_records, factor),
        )
    if isinstance(records, RecordSizes):
        changes["records"] = replace(records, ordinal=_times(records.ordinal, factor))
    if isinstance(partitions, Partitions):
        changes["partitions"] = replace(
            partitions,
            records=_times(partitions.records, factor),
            largest_key_records=_times(partitions.largest_key_records, factor),
        )
    return replace(evidence, **changes)


def _grown(group: Any, factor: int) -> Any:
    return None if group is None else replace(group, records=group.records * factor)


def _longer(holder: Holder, factor: int) -> Holder:
    return replace(holder, length=_times(holder.length, factor))


def _stretched(series: Series, factor: int) -> Series:
    if series.unit not in ("record", "record_in_group"):
        return series
    points = tuple(replace(one, x=one.x * factor) for one in series.points)
    end = series.at_death
    if end is None:
        return replace(series, points=points)
    last = max((one.x for one in series.points), default=0.0)
    right_before = bool(series.points) and end.x - last <= 1
    x = last * factor + end.x - last if right_before else end.x * factor
    return replace(series, points=points, at_death=Point(x, end.size_bytes))
