"""At how much input the heap of an attempt that finished would have been full."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from mprof.evidence import Evidence, Series, Unit, Unknown, known
from mprof.patterns.finding import Absent
from mprof.patterns.growth import TREND_POINTS, Law, fitted, noise_floor_bytes
from mprof.threshold import Threshold

__all__ = ["FORECAST_THRESHOLDS", "Forecast", "Outlook", "forecast_of", "outlook_of"]

FURTHEST = Threshold(
    "furthest forecast",
    100.0,
    "times the input that was seen",
    "a line through one run says nothing of an input a hundred times as large",
)

FORECAST_THRESHOLDS = (TREND_POINTS, FURTHEST)


@dataclass(frozen=True, slots=True)
class Forecast:
    """When the heap would be full, if the live heap went on growing as it did.

    Attributes:
        unit: what `at` counts: records of map(), groups of reduce(), or records of one group.
        at: 1-based ordinal of the first one for which there is no room.
        times: the input of this attempt that so many are; of one group, what it had been given when
            it was last looked at.
        group: that one.
        input_bytes: the size of a split, or of a partition, of that many; None where that of this
            attempt is not known.
        at_the_earliest: it was measured by upper bounds, so it may come later.
    """

    unit: Unit
    at: float
    times: float
    input_bytes: int | None
    at_the_earliest: bool
    group: int | None = None


@dataclass(frozen=True, slots=True)
class Outlook:
    """Where a running attempt will run out of memory, if its live heap goes on growing.

    Attributes:
        unit: what the others count.
        at: the ordinal at which the heap is full.
        now: so many have been taken in.
        end: so many there will be, as its progress says; None where that is not known.
        group: the group whose records are counted.
    """

    unit: Unit
    at: float
    now: float
    end: float | None
    group: int | None = None


def forecast_of(evidence: Evidence) -> Forecast | Absent | Unknown:
    """The forecast for an attempt that did not fail.

    The live heap after collections is followed over the records of a split, or over the groups of
    a partition and the records of the group in which most was live, whatever it consists of.
    """
    if evidence.death.kind != "none":
        return Absent("it died")
    peak = evidence.peak
    if isinstance(peak, Unknown):
        return peak
    if evidence.is_map:
        return _forecast(evidence, "record", peak.records_in_all)
    within = _of_unit(evidence, "record_in_group")
    last = within.points[-1].x if within is not None else None
    if within is not None and last is not None:
        last = max(last, _records_of(evidence, within.group))  # it may have gone on unseen
    over_groups = _forecast(evidence, "group", peak.groups_in_all)
    inside = _forecast(evidence, "record_in_group", last)
    both = [each for each in (inside, over_groups) if isinstance(each, Forecast)]
    return min(both, key=lambda one: one.times, default=over_groups)


def _forecast(evidence: Evidence, unit: Unit, total: float | None) -> Forecast | Absent | Unknown:
    if not total:
        return Unknown("garbage collections at known positions", "none")
    full = _full(evidence, unit, FURTHEST.value * total)
    if not isinstance(full, _Full):
        return full
    if full.at <= total:
        return Absent("its live heap did not keep growing as it had at first")
    in_group = unit == "record_in_group"
    own = None if in_group else _input_bytes(evidence)
    live = _of_unit(evidence, unit)
    return Forecast(
        unit=unit,
        at=full.at,
        times=full.at / total,
        input_bytes=round(own * full.at / total) if own is not None else None,
        at_the_earliest=full.at_the_earliest,
        group=live.group if live is not None and in_group else None,
    )


def _records_of(evidence: Evidence, group: int | None) -> float:
    """Records of a group that was read to its end; 0 where nothing says."""
    groups = known(evidence.groups)
    seen = (groups.current, groups.largest) if groups is not None else ()
    records = (one.records for one in seen if one is not None and one.ordinal == group)
    return max(records, default=0)


def outlook_of(evidence: Evidence) -> Outlook | None:
    """Where an attempt that is running will run out of memory; None where nothing says it will.

    Over its records or groups, or inside the group it is in. What is left of its input counts
    where its progress says so: a task that will have finished by then is in no danger.
    """
    peak, progress = known(evidence.peak), known(evidence.progress)
    if evidence.death.kind != "none" or peak is None:
        return None
    position = known(evidence.position)
    done = progress.done if progress is not None else None
    read: dict[Unit, int | None] = {"record": peak.records_in_all}
    if evidence.is_reduce:
        in_group = position.record_in_group if position is not None else None
        read = {"group": peak.groups_in_all, "record_in_group": in_group}
    found: list[tuple[float, Outlook]] = []
    for unit, now in read.items():
        full = _full(evidence, unit, FURTHEST.value * now) if now else None
        if not now or not isinstance(full, _Full) or full.at <= now:
            continue
        end = now / done if done and unit != "record_in_group" else None
        if end is None or full.at < end:
            group = position.group if position is not None and unit == "record_in_group" else None
            found.append((full.at / now, Outlook(unit, full.at, float(now), end, group)))
    return min(found, key=lambda one: one[0])[1] if found else None


@dataclass(frozen=True, slots=True)
class _Full:
    """The x at which the live heap reaches the capacity."""

    at: float
    at_the_earliest: bool


def _full(evidence: Evidence, unit: Unit, furthest: float) -> _Full | Absent | Unknown:
    capacity = evidence.memory.capacity_bytes
    if isinstance(capacity, Unknown):
        return capacity
    live = _of_unit(evidence, unit)
    if live is None:
        return Unknown("garbage collections at known positions", "none")
    followed = fitted(live, noise_floor_bytes(capacity))
    law = followed.law
    if law.points < TREND_POINTS.value:
        return Unknown(f"{TREND_POINTS.value:.0f} garbage collections while it read", "none")
    if not followed.grows:
        over = "from group to group" if unit == "group" else "with its input"
        why = "it rose in one step only" if law.grows else law.why
        return Absent(f"its live heap did not grow {over}: {why}")
    x = _full_at(law, float(capacity), furthest)
    if x is None:
        return Absent(f"{FURTHEST.value:.0f} times its input would fit too")
    return _Full(x, live.upper_bounds)


def _of_unit(evidence: Evidence, unit: Unit) -> Series | None:
    if unit == "record_in_group" and evidence.fullest_group is not None:
        return evidence.fullest_group
    passive = (one for one in evidence.series if one.source == "passive")
    return next((one for one in passive if one.unit == unit), None)


def _full_at(law: Law, capacity: float, furthest: float) -> float | None:
    """The least x with this many bytes by the law, which ends in its last point."""
    low, high = law.last_x, furthest
    if high <= low or law.at(high) < capacity:
        return None
    while low < (middle := fmean((low, high))) < high:  # until no number lies between them
        low, high = (middle, high) if law.at(middle) < capacity else (low, middle)
    return high


def _input_bytes(evidence: Evidence) -> int | None:
    """Of the split of a map attempt, or of the partition of a reduce attempt."""
    if evidence.is_map:
        split = known(evidence.split)
        return split.length_bytes if split is not None else None
    partitions = known(evidence.partitions)
    sizes = known(partitions.bytes) if partitions is not None else None
    return sizes[partitions.own] if partitions is not None and sizes is not None else None
