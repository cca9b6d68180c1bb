"""What is asked when growth is looked for: the curves and the large objects of one lifecycle."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from mprof.evidence import (
    Evidence,
    Holder,
    HolderKey,
    Lifecycle,
    Point,
    Series,
    Unit,
    Unknown,
    known,
)
from mprof.patterns.growth.element_counts import counts_so_far
from mprof.patterns.growth.laws import Law, fit_law, noise_floor_bytes
from mprof.patterns.loaded import loaded_keys
from mprof.patterns.sizes import HUGE
from mprof.threshold import Threshold

__all__ = ["CARRIED", "SMALL_SHARE", "UNIT_OF", "Fitted", "Subject", "fitted", "subject_of"]

UNIT_OF: dict[Lifecycle, Unit] = {
    "map": "record",
    "reduce": "group",
    "group": "record_in_group",
    "record": "record",
}
"""The data that objects of a lifecycle grow with."""

SMALL_SHARE = Threshold(
    "small share",
    0.10,
    "share of the heap at death",
    "a third of what counts as huge: what holds less is not pursued, and the fit of what holds "
    "more still has room to say otherwise",
)


CARRIED = Threshold(
    "carried into the group",
    0.50,
    "of what a field holds at death",
    "what held half of it when the group began was not emptied for the group",
)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A series with the law that its points follow."""

    series: Series
    law: Law

    @property
    def grows(self) -> bool:
        """Whether it grew with the data: over more than one of the intervals between points."""
        return self.law.grows and self.law.rising_steps > 1


@dataclass(frozen=True, slots=True)
class Subject:
    """The evidence about objects of one lifecycle.

    Attributes:
        evidence: of the attempt.
        lifecycle: theirs.
        floor_bytes: growth or size up to here is noise.
        own_sizes: their own sizes in dumps, over the unit they grow with.
        over_records: of reduce-level objects, the same over the records of all groups.
        live_heap: sizes of the whole live heap or of a class, over the same unit.
        holders: their large objects at death that were not loaded before the data, largest first.
        without_lifecycle: user objects at death of which nothing says how long they live.
    """

    evidence: Evidence
    lifecycle: Lifecycle
    floor_bytes: float
    own_sizes: tuple[Fitted, ...]
    over_records: tuple[Fitted, ...]
    live_heap: tuple[Series, ...]
    holders: tuple[Holder, ...] | Unknown
    without_lifecycle: tuple[Holder, ...]

    @property
    def capacity_bytes(self) -> int | None:
        """What live objects may take of the heap."""
        return known(self.evidence.memory.capacity_bytes)

    @property
    def x_at_death(self) -> float:
        """How much of the data had been taken in at the death; 0 where nothing says."""
        position = known(self.evidence.position)
        if position is None or self.evidence.death.kind == "none":
            return 0.0
        of_unit = {
            "record": position.records,
            "group": position.groups,
            "record_in_group": position.records_of_group,
        }
        return float(of_unit.get(UNIT_OF.get(self.lifecycle, "record"), 0))

    def without(self, keys: Collection[HolderKey]) -> Subject:
        """The evidence about the other objects of that lifecycle."""
        mine = self.holders
        if isinstance(mine, tuple):
            mine = tuple(one for one in mine if one.key not in keys)
        return replace(
            self,
            own_sizes=tuple(one for one in self.own_sizes if one.series.holder not in keys),
            over_records=tuple(one for one in self.over_records if one.series.holder not in keys),
            holders=mine,
        )

    def is_small(self, holders: Iterable[Holder]) -> bool:
        """Whether these hold too little to be pursued."""
        return self.is_small_size(sum(one.bytes for one in holders))

    def is_large(self, size_bytes: float) -> bool:
        """Whether so much may be what filled the heap."""
        capacity = self.capacity_bytes
        return capacity is None or size_bytes >= HUGE.value * capacity

    def is_small_size(self, size_bytes: float) -> bool:
        """Whether so much is known to be too little to be pursued."""
        capacity = self.capacity_bytes
        return capacity is not None and size_bytes < SMALL_SHARE.value * capacity


def subject_of(evidence: Evidence, lifecycle: Lifecycle) -> Subject:
    """What is known about the objects of a lifecycle."""
    floor = noise_floor_bytes(known(evidence.memory.capacity_bytes))
    over_groups: frozenset[HolderKey | None] = frozenset()
    if lifecycle == "group":
        over_groups = _growing_over_groups(evidence, floor)
    loaded = loaded_keys(evidence)
    mine = _series(evidence, lifecycle, over_groups | loaded)
    dumps = (one for one in mine if one.holder is not None)
    over_records = _over_records(evidence, loaded) if lifecycle == "reduce" else ()
    return Subject(
        evidence=evidence,
        lifecycle=lifecycle,
        floor_bytes=floor,
        own_sizes=tuple(_fitted_to_death(evidence, one, floor) for one in dumps),
        over_records=tuple(_fitted_to_death(evidence, one, floor) for one in over_records),
        live_heap=tuple(one for one in mine if one.source != "dump"),
        holders=_large_holders(evidence, lifecycle, over_groups),
        without_lifecycle=_without_lifecycle(evidence),
    )


def fitted(
    series: Series, floor_bytes: float, holder: Holder | None = None, missing: float = 0.0
) -> Fitted:
    """The series with its law.

    Args:
        series: points of an object, or of the live heap.
        floor_bytes: growth up to here is noise.
        holder: what the heap at death says of the object.
        missing: how much of the last unit had not been taken in at the death, 0 to 1.
    """
    death = series.at_death if series.holder is not None else None
    law = fit_law(
        ((p.x, p.size_bytes) for p in series.points),
        noise_floor_bytes=floor_bytes,
        at_death=(death.x - missing, death.size_bytes) if death is not None else None,
        upper_bounds=series.upper_bounds,
        was_enlarged=holder is not None and holder.doubling,
    )
    return Fitted(series, law)


def _fitted_to_death(evidence: Evidence, series: Series, floor: float) -> Fitted:
    missing = _missing_of_the_group(evidence) if series.unit == "group" else 0.0
    return fitted(series, floor, evidence.holder(series.holder), missing)


def _missing_of_the_group(evidence: Evidence) -> float:
    """The part of G_m that reduce() had not been given, were it as large as the mean of the others.

    A group that has only begun counts as one, and what grew evenly with the groups looks full then.
    """
    position = known(evidence.position)
    if position is None or position.groups <= 1:
        return 0.0
    usual = (position.records - position.records_of_group) / (position.groups - 1)
    return max(0.0, 1 - position.records_of_group / usual) if usual > 0 else 0.0


def _series(
    evidence: Evidence, lifecycle: Lifecycle, without: frozenset[HolderKey | None]
) -> tuple[Series, ...]:
    """The series about a lifecycle, over the unit it grows with."""
    unit = UNIT_OF[lifecycle]
    lives = ("group", "reduce") if lifecycle == "group" else (lifecycle,)
    return tuple(
        one
        for one in evidence.series
        if one.lifecycle in lives
        and one.unit == unit
        and (one.holder is None or one.holder not in without)
    )


def _over_records(evidence: Evidence, without: frozenset[HolderKey | None]) -> tuple[Series, ...]:
    """Sizes of reduce-level objects over the records of all groups: before groups, and inside G_m.

    Inside G_m only of what had been carried into it: what began there may be emptied for the next.
    """
    found = []
    for one in evidence.series:
        if one.lifecycle != "reduce" or one.unit != "record" or one.holder in without:
            continue
        inside = _inside_the_group(evidence, one.holder)
        more = inside if _was_carried(evidence, one.holder) else ()
        seen = {point.x for point in one.points}
        added = tuple(point for point in more if point.x not in seen)
        found.append(replace(one, points=(*one.points, *added)))
    return tuple(found)


def _inside_the_group(evidence: Evidence, holder: HolderKey | None) -> tuple[Point, ...]:
    """Sizes of a reducer's field inside G_m, over the records of all groups."""
    position = known(evidence.position)
    if position is None:
        return ()
    before = position.records - position.records_of_group
    return tuple(
        Point(before + point.x, point.size_bytes)
        for one in evidence.series
        if one.holder == holder and one.unit == "record_in_group"
        for point in one.points
    )


def _was_carried(evidence: Evidence, holder: HolderKey | None) -> bool:
    """Whether a field held much when G_m began, which is not the first: it was not emptied for it.

    Half of what it held at death, or of what the records before would have left of it.
    """
    position = known(evidence.position)
    at_death = evidence.holder(holder)
    if position is None or position.groups <= 1 or at_death is None:
        return False
    begins = (("group", position.groups - 1), ("record_in_group", 0))
    begun = (
        point.size_bytes
        for one in evidence.series
        if one.holder == holder
        for point in one.points
        if (one.unit, point.x) in begins
    )
    held = max(begun, default=0.0)
    share = 1 - position.records_of_group / max(position.records, 1)
    floor = noise_floor_bytes(known(evidence.memory.capacity_bytes))
    return held >= max(CARRIED.value * share * at_death.bytes, floor)


def _growing_over_groups(evidence: Evidence, floor: float) -> frozenset[HolderKey | None]:
    """Keys of the reducer's fields that are of no one group: carried into G_m, or growing."""
    series = (
        one.holder
        for one in evidence.series
        if one.lifecycle == "reduce"
        and one.unit in {"group", "record"}
        and (_was_carried(evidence, one.holder) or fitted(one, floor).grows)
    )
    return frozenset((*series, *_with_an_element_each(evidence)))


def _with_an_element_each(evidence: Evidence) -> tuple[HolderKey, ...]:
    """Keys of the reducer's fields that hold one element a group, or a record of all groups.

    They were emptied for none. Where G_m has nearly all of the records, that cannot be told apart.
    """
    over_all = counts_so_far(evidence, "reduce")
    inside = counts_so_far(evidence, "group")[:1]
    return tuple(
        one.key
        for one in evidence.held
        if one.lifecycle == "reduce"
        and any(count.is_kept_by(one) for count in over_all)
        and not any(count.is_kept_by(one) for count in inside)
    )


def _large_holders(
    evidence: Evidence, lifecycle: Lifecycle, over_groups: frozenset[HolderKey | None]
) -> tuple[Holder, ...] | Unknown:
    """User holders of a lifecycle at death that were not loaded before the data; largest first.

    A reducer's field may be emptied for each group: it counts as group-level too, unless it was
    seen to grow over the groups. And what is mostly room that its contents never needed did not
    grow with them: it stands beside what does.
    """
    if isinstance(evidence.holders, Unknown):
        return evidence.holders
    lives = ("group", "reduce") if lifecycle == "group" else (lifecycle,)
    loaded = loaded_keys(evidence)
    own = (
        one
        for one in evidence.holders
        if one.is_of_user_code
        and one.lifecycle in lives
        and one.key not in loaded
        and one.key not in over_groups
        and not one.is_mostly_spare
    )
    return tuple(sorted(own, key=lambda one: (-one.bytes, one.key)))


def _without_lifecycle(evidence: Evidence) -> tuple[Holder, ...]:
    """User holders of which the dump does not say how long they live.

    Before the data nothing lives for it; and those of cleanup() are locals of its own.
    """
    if evidence.place in ("init", "setup", "cleanup"):
        return ()
    return tuple(one for one in evidence.held if one.owner == "user" and one.lifecycle is None)
