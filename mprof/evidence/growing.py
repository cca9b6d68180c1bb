"""Which objects of a lifecycle grow with their data? The question behind rules 1, 2 and 3.

Asked of whatever evidence there is, the most direct first: sizes of the holder itself in several
dumps; the live heap (or a class) at several positions, with the dump at death saying whose it is;
one dump in which a container holds as many elements as records were taken in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from mprof.evidence.facts import (
    Evidence,
    Holder,
    HolderKey,
    Lifecycle,
    Series,
    Source,
    Unit,
    Unknown,
    known,
)
from mprof.evidence.growth import Growth, assess_growth, noise_floor_bytes
from mprof.evidence.one_each import counts_so_far

__all__ = ["Growing", "NotGrowing", "find_growth", "large_holders", "series_of"]

GrowthUnit = Literal["record", "group", "record_in_group"]

UNIT_OF: dict[Lifecycle, Unit] = {
    "map": "record",
    "reduce": "group",
    "group": "record_in_group",
    "record": "record",
}

_UNIT: dict[Lifecycle, str] = {
    "map": "record", "reduce": "group", "group": "record of the group", "record": "record"
}  # fmt: skip

_SMALL_SHARE = 0.10
"""Objects of a lifecycle that hold less than this share of the heap at death are not pursued:
a third of what counts as huge, so that the fit still has room to say otherwise."""

_SHARE_OF_RISE = 0.5
"""A holder explains a rise of the whole live heap when it holds half of it or more."""

_CLEARLY_BETTER = 0.02
"""Of R squared: over groups of like sizes both lines are as good."""

_POINTS_OF_SILENCE = 4
_FIRST_BY = 0.5
"""Passive points that show no growth say so only if there are four, the first by half of x."""

_LATE = 2.0
"""Times the even pace: what rises so fast at the end, where alone it was seen, began late."""


@dataclass(frozen=True, slots=True)
class Growing:
    """Objects of one lifecycle that grow continuously.

    Attributes:
        lifecycle: theirs.
        unit: what x counts.
        fits: one fitted curve a series; empty where a single dump said it.
        holders: at death, largest first; empty without a dump.
        held_bytes: what they hold at death, else at the last point.
        x_now: x at death, else at the last point.
        source: of the points.
        confidence: `sure` for the holder's own sizes in dumps, `likely` where two observations
            had to be joined, `possible` where nothing says whose memory it is.
        how: a phrase for people.
        keys: logical keys of what grew, in the order of `fits`; empty where no series has one.
        by_group: it grows so much a group, whatever the group's size: a line over the groups
            explains it clearly better than one over their records.
    """

    lifecycle: Lifecycle
    unit: Unit
    fits: tuple[Growth, ...]
    holders: tuple[Holder, ...]
    held_bytes: int
    x_now: float
    source: Source
    confidence: Literal["sure", "likely", "possible"]
    how: str
    keys: tuple[HolderKey, ...] = ()
    by_group: bool = False

    def at(self, x: float) -> float:
        """The fitted bytes at x; through the origin where a single dump said it."""
        if not self.fits:
            return self.held_bytes * x / self.x_now if self.x_now > 0 else float(self.held_bytes)
        rise = sum(fit.at(x) - fit.last_bytes for fit in self.fits)
        # The fit is tied to the last point measured, so that a jump at R_n, which may be a
        # container that doubled, does not count as growth.
        return self.measured_bytes + rise

    @property
    def measured_bytes(self) -> float:
        """Bytes at the last point measured before R_n."""
        if not self.fits:
            return float(self.held_bytes)
        if self.source == "dump":
            return sum(fit.last_bytes for fit in self.fits)
        # Of the whole live heap only the rise can be theirs; what had risen before the first
        # collection is read off the curve.
        return sum(fit.last_bytes - min(fit.at(0.0), fit.last_bytes) for fit in self.fits)

    @property
    def bytes_per_unit(self) -> float:
        """Bytes a unit of x over the whole range."""
        if self.fits:
            return sum(fit.slope for fit in self.fits)
        return self.held_bytes / self.x_now if self.x_now > 0 else 0.0

    @property
    def complexity(self) -> str:
        """The space complexity in words, of the fit that grew most."""
        if not self.fits:
            return "grows in proportion to the data, O(n)"
        return max(self.fits, key=lambda fit: fit.grown_bytes).complexity


@dataclass(frozen=True, slots=True)
class NotGrowing:
    """Objects of that lifecycle do not grow, and why that can be said."""

    why: str


def find_growth(evidence: Evidence, lifecycle: Lifecycle) -> Growing | NotGrowing | Unknown:
    """Whether objects of a lifecycle grow continuously over the data they live for.

    A field of the reducer that is flat from group to group but grows inside G_m counts as
    group-level, as does one that had no second group to live through.

    Args:
        evidence: of the attempt.
        lifecycle: `map`, `reduce` or `group`.
    """
    floor = noise_floor_bytes(known(evidence.memory.capacity_bytes))
    own = series_of(evidence, lifecycle)
    dumps = [one for one in own if one.source == "dump" and one.holder is not None]
    fits = [(one, _fit(one, floor)) for one in dumps]
    grew = [(one, fit) for one, fit in fits if fit.continuous]
    if lifecycle == "reduce":
        # Where groups are unlike, what keeps so much a record grows evenly over the records alone.
        over_records = [(one, _fit(one, floor)) for one in _over_records(evidence)]
        if grew and not _is_straight_over_records(grew, over_records):
            by_group = _is_by_group(grew, over_records)
            return replace(_from_dumps(evidence, lifecycle, grew), by_group=by_group)
        grew = [(one, fit) for one, fit in over_records if fit.continuous]
    if grew:
        return _from_dumps(evidence, lifecycle, grew)
    holders = large_holders(evidence, lifecycle)
    if isinstance(holders, tuple) and _is_small(evidence, holders):
        if not _is_small(evidence, _without_lifecycle(evidence)):
            return Unknown("the holder path of the largest objects", "rerun")
        return NotGrowing(f"no {lifecycle}-level object is large at the death")
    if fits and all(fit.points >= 3 for _, fit in fits) and _covers(fits, holders):
        return NotGrowing(max(fits, key=lambda pair: pair[1].last_bytes)[1].why)
    if _all_at_the_last(evidence, dumps, holders):
        return NotGrowing(
            f"no {lifecycle}-level object was large before the last {_UNIT[lifecycle]}"
        )
    for source in ("histogram", "passive"):
        found = _from_live_heap(evidence, lifecycle, own, source, holders, floor)
        if found is not None:
            return found
    return _from_one_dump(evidence, lifecycle, holders)


def series_of(evidence: Evidence, lifecycle: Lifecycle) -> tuple[Series, ...]:
    """The series that tell about a lifecycle, over the unit it grows with."""
    unit = UNIT_OF[lifecycle]
    mine = tuple(s for s in evidence.series if s.lifecycle == lifecycle and s.unit == unit)
    if lifecycle != "group":
        return mine
    over_groups = _growing_over_groups(evidence)
    fields = (
        s
        for s in evidence.series
        if s.lifecycle == "reduce" and s.unit == unit and s.holder not in over_groups
    )
    return (*mine, *fields)


def _is_by_group(
    grew: list[tuple[Series, Growth]], over_records: list[tuple[Series, Growth]]
) -> bool:
    """Whether a line over groups explains the largest growth clearly better than over records."""
    series, by_group = max(grew, key=lambda pair: pair[1].grown_bytes)
    by_record = next((fit for one, fit in over_records if one.holder == series.holder), None)
    return by_record is not None and by_group.r_squared >= by_record.r_squared + _CLEARLY_BETTER


def _is_straight_over_records(
    grew: list[tuple[Series, Growth]], over_records: list[tuple[Series, Growth]]
) -> bool:
    """Whether the largest growth is a line over the records and a bent curve over the groups.

    Large groups that came first bend the curve over the groups, and it then says too much of less
    data and too little of more.
    """
    series, by_group = max(grew, key=lambda pair: pair[1].grown_bytes)
    by_record = next((fit for one, fit in over_records if one.holder == series.holder), None)
    return (
        by_record is not None
        and by_record.continuous
        and by_record.shape == "linear"
        and by_group.shape != "linear"
        and by_record.r_squared >= by_group.r_squared
    )


def _over_records(evidence: Evidence) -> tuple[Series, ...]:
    """Sizes of reduce-level objects before groups, over the records of all groups before."""
    return tuple(
        one
        for one in evidence.series
        if one.lifecycle == "reduce" and one.unit == "record" and one.source == "dump"
    )


def _growing_over_groups(evidence: Evidence) -> frozenset[HolderKey | None]:
    """Keys of the reducer's fields that grow from group to group: they are of no one group."""
    floor = noise_floor_bytes(known(evidence.memory.capacity_bytes))
    series = (
        one.holder
        for one in evidence.series
        if one.lifecycle == "reduce"
        and one.unit in {"group", "record"}
        and one.source == "dump"
        and _fit(one, floor).continuous
    )
    return frozenset((*series, *_with_an_element_each(evidence)))


def _with_an_element_each(evidence: Evidence) -> tuple[HolderKey, ...]:
    """Keys of the reducer's fields that hold one element a group, or a record of all groups.

    They were emptied for none. Where G_m has nearly all of the records, that cannot be told.
    """
    if isinstance(evidence.holders, Unknown):
        return ()
    over_all = counts_so_far(evidence, "reduce")
    inside = [one for one in counts_so_far(evidence, "group") if one.elements is None]
    return tuple(
        one.key
        for one in evidence.holders
        if one.lifecycle == "reduce"
        and any(count.is_kept_by(one) for count in over_all)
        and not any(count.is_kept_by(one) for count in inside)
    )


def large_holders(evidence: Evidence, lifecycle: Lifecycle) -> tuple[Holder, ...] | Unknown:
    """User holders of a lifecycle at death that were not loaded before the data; largest first."""
    if isinstance(evidence.holders, Unknown):
        return evidence.holders
    lives: tuple[Lifecycle, ...] = (lifecycle,)
    elsewhere: frozenset[HolderKey | None] = frozenset()
    if lifecycle == "group":
        # A reducer's field may be emptied for each group: rule 3 looks at it too, series decide.
        lives = ("group", "reduce")
        elsewhere = _growing_over_groups(evidence)
    external = evidence.external
    loaded: tuple[HolderKey, ...] = ()
    if external is not None and not isinstance(external, Unknown):
        loaded = external.holders
    own = (
        one
        for one in evidence.holders
        if one.owner in ("user", "output")
        and one.lifecycle in lives
        and one.loaded_before_first_record is not True
        and one.key not in loaded
        and one.key not in elsewhere
    )
    return tuple(sorted(own, key=lambda one: (-one.bytes, one.key)))


def _fit(series: Series, floor: float) -> Growth:
    return assess_growth(
        ((p.x, p.size_bytes) for p in series.points),
        noise_floor_bytes=floor,
        upper_bounds=series.upper_bounds,
    )


def _without_lifecycle(evidence: Evidence) -> tuple[Holder, ...]:
    """User holders of which the dump does not say how long they live, while user code ran."""
    if isinstance(evidence.holders, Unknown) or evidence.place not in ("map", "combine", "reduce"):
        return ()
    return tuple(one for one in evidence.holders if one.owner == "user" and one.lifecycle is None)


def _is_small(evidence: Evidence, holders: Iterable[Holder]) -> bool:
    capacity = known(evidence.memory.capacity_bytes)
    held = sum(one.bytes for one in holders)
    return held == 0 or (capacity is not None and held < _SMALL_SHARE * capacity)


def _covers(fits: list[tuple[Series, Growth]], holders: tuple[Holder, ...] | Unknown) -> bool:
    """Every large holder at death has a series of its own, so silence means something."""
    if isinstance(holders, Unknown):
        return False
    followed = {series.holder for series, _ in fits}
    held = sum(one.bytes for one in holders)
    return sum(one.bytes for one in holders if one.key in followed) >= _SHARE_OF_RISE * held


def _all_at_the_last(
    evidence: Evidence, dumps: Iterable[Series], holders: tuple[Holder, ...] | Unknown
) -> bool:
    """A dump right before R_n (G_m) shows the large holders of the death still small.

    Of a group of one or two records no run brings the three points that a trend takes, but where
    all of it came with the last record, nothing had been accumulated before that.
    """
    capacity = known(evidence.memory.capacity_bytes)
    if isinstance(holders, Unknown) or capacity is None:
        return False
    before: dict[HolderKey | None, float] = {}
    for one in dumps:
        last = max(one.points, key=lambda point: point.x, default=None)
        if last is not None and one.at_death is not None and one.at_death.x - last.x <= 1:
            before[one.holder] = last.size_bytes
    followed = [one for one in holders if one.key in before]
    held = sum(one.bytes for one in holders)
    if not followed or sum(one.bytes for one in followed) < _SHARE_OF_RISE * held:
        return False
    return sum(before[one.key] for one in followed) < _SMALL_SHARE * capacity


def _from_dumps(
    evidence: Evidence, lifecycle: Lifecycle, grew: list[tuple[Series, Growth]]
) -> Growing:
    grew = sorted(grew, key=lambda pair: (-pair[1].grown_bytes, str(pair[0].holder)))
    holders = tuple(
        holder for series, _ in grew if (holder := evidence.holder(series.holder)) is not None
    )
    last = sum(round(fit.last_bytes) for _, fit in grew)
    held = sum(one.bytes for one in holders) or last
    largest = grew[0][1]
    deaths = [series.at_death.x for series, _ in grew if series.at_death is not None]
    return Growing(
        lifecycle=lifecycle,
        unit=grew[0][0].unit,
        fits=tuple(fit for _, fit in grew),
        holders=holders,
        held_bytes=held,
        x_now=max([largest.last_x, *deaths]),
        source="dump",
        confidence="sure",
        how=f"over {largest.points} heap dumps it {largest.complexity}{largest.fit}",
        keys=tuple(series.holder for series, _ in grew if series.holder is not None),
    )


def _from_live_heap(
    evidence: Evidence,
    lifecycle: Lifecycle,
    own: Iterable[Series],
    source: str,
    holders: tuple[Holder, ...] | Unknown,
    floor: float,
) -> Growing | NotGrowing | None:
    """From passive points or histograms; None where they cannot decide."""
    mine = [one for one in own if one.source == source]
    fits = [(one, _fit(one, floor)) for one in mine]
    grew = [pair for pair in fits if pair[1].continuous]
    if not grew:
        # Classes that stay flat say nothing about a class outside the hundred largest, and
        # collections that all came at the end say nothing about the way there.
        enough = [
            fit
            for one, fit in fits
            if source == "passive"
            and _spans(one, fit)
            and (evidence.death.kind == "none" or not _hides_growth(one, holders, floor))
        ]
        return NotGrowing(enough[0].why) if enough else None
    series, fit = max(grew, key=lambda pair: pair[1].grown_bytes)
    words = "live heap" if source == "passive" else f"memory of {series.class_name}"
    how = f"the {words} at {fit.points} positions {fit.complexity}{fit.fit}"
    if isinstance(holders, Unknown):
        confidence: Literal["likely", "possible"] = "possible"
        named: tuple[Holder, ...] = ()
        held = round(fit.grown_bytes)
    else:
        held = sum(one.bytes for one in holders)
        if held < _SHARE_OF_RISE * fit.grown_bytes or _began_late(series, fit, held, floor):
            return None
        confidence, named = "likely", holders
    return Growing(
        lifecycle=lifecycle,
        unit=series.unit,
        fits=(fit,),
        holders=named,
        held_bytes=held,
        x_now=series.at_death.x if series.at_death is not None else fit.last_x,
        source=series.source,
        confidence=confidence,
        how=how,
    )


def _spans(series: Series, fit: Growth) -> bool:
    end = series.at_death.x if series.at_death is not None else fit.last_x
    return fit.points >= _POINTS_OF_SILENCE and fit.first_x <= _FIRST_BY * end


def _hides_growth(series: Series, holders: tuple[Holder, ...] | Unknown, floor: float) -> bool:
    """Whether the holders may have grown evenly without showing in what collections left behind.

    Where a heap is nearly full, minor collections leave so much garbage that the sum stays flat;
    and where the first major one came late, what grew since may be no more than the noise.
    The first half tells: there an even growth is furthest below what is live at the death.
    """
    if isinstance(holders, Unknown) or series.at_death is None or series.at_death.x <= 0:
        return series.upper_bounds
    end, live = series.at_death.x, series.at_death.size_bytes
    held = sum(one.bytes for one in holders)
    # What was live before the death, as it would have been by then, against what was left behind.
    more = [
        point.size_bytes - (live - held * (1 - point.x / end))
        for point in series.points
        if point.x <= _FIRST_BY * end
    ]
    return all(-floor <= one and (series.upper_bounds or one <= floor) for one in more)


def _began_late(series: Series, fit: Growth, held: int, floor: float) -> bool:
    """The live heap rose over the last half only, so not with all of the data.

    Collections may all come at the end. At an even pace a holder would have risen by the share of
    x that was seen then, and what rises far more had not risen before.
    """
    end = series.at_death.x if series.at_death is not None else fit.last_x
    if fit.first_x > _FIRST_BY * end:
        return fit.grown_bytes > _LATE * held * (fit.last_x - fit.first_x) / end
    points = sorted(series.points, key=lambda point: point.x)
    flat = [one.x for one in points if one.size_bytes <= points[0].size_bytes + floor]
    return flat[-1] >= _FIRST_BY * end


def _from_one_dump(
    evidence: Evidence, lifecycle: Lifecycle, holders: tuple[Holder, ...] | Unknown
) -> Growing | NotGrowing | Unknown:
    """One dump can say it when a container holds as many elements as there were records."""
    if isinstance(holders, Unknown):
        return holders
    for count in counts_so_far(evidence, lifecycle) if holders else ():
        largest = holders[0]
        if count.is_kept_by(largest):
            return Growing(
                lifecycle=lifecycle, unit=UNIT_OF[lifecycle], fits=(), holders=(largest,),
                held_bytes=largest.bytes, x_now=count.x, source="dump", confidence="likely",
                how=f"it holds {largest.length:,} elements after {count.seen:,} {count.of}",
            )  # fmt: skip
    return _needs_more(evidence, lifecycle)


def _needs_more(evidence: Evidence, lifecycle: Lifecycle) -> Unknown:
    position = known(evidence.position)
    data = {"map": "records", "reduce": "groups", "group": "records of its group"}
    where = data.get(lifecycle, "records")
    if position is None:
        return Unknown("the position at the death, and heap sizes at earlier records", "rerun")
    return Unknown(f"sizes of the {lifecycle}-level objects at earlier {where}", "rerun")
