"""Growth seen in an object's own sizes over several heap dumps: the most direct witness."""

from __future__ import annotations

from collections.abc import Sequence

from mprof.evidence import Evidence, HolderKey, Unknown
from mprof.patterns.finding import Absent
from mprof.patterns.growth.growth import Growing
from mprof.patterns.growth.subject import UNIT_OF, Fitted, Subject
from mprof.threshold import Threshold

__all__ = ["OWN_SIZES_THRESHOLDS", "SHARE_OF_RISE", "all_at_the_last", "grew", "stayed_flat"]

SHARE_OF_RISE = Threshold(
    "share of the rise",
    0.50,
    "of what is to be explained",
    "a holder explains a rise of the live heap when it holds half of it or more; series that cover "
    "half of what is large at death speak for all of it",
)

CLEARLY_BETTER = Threshold(
    "clearly better",
    0.02,
    "of R squared",
    "over groups of like sizes the line over groups and the line over records are as good",
)

SURE_POINTS = Threshold(
    "points of a sure law",
    5.0,
    "points",
    "fewer choose no law, and what is one step among three or four is a trend by chance",
)

OWN_SIZES_THRESHOLDS = (SHARE_OF_RISE, CLEARLY_BETTER, SURE_POINTS)

_DATA = {"map": "record", "reduce": "group", "group": "record of the group", "record": "record"}


def grew(subject: Subject) -> Growing | None:
    """The objects whose own sizes grow continuously.

    Where groups are unlike, what keeps so much a record grows evenly over the records alone: the
    law over the records of all groups then stands for the one over the groups.
    """
    over_unit = [one for one in subject.own_sizes if one.grows and not _was_released(one)]
    over_records = [one for one in subject.over_records if one.grows and not _was_released(one)]
    if over_unit and not _is_straight_over_records(over_unit, subject.over_records):
        by_group = _is_by_group(over_unit, subject.over_records)
        return _growing(subject, over_unit, by_group=by_group)
    if over_records:
        return _growing(subject, over_records)
    return None


def stayed_flat(subject: Subject) -> Absent | Unknown | None:
    """Series of what is large at death, none of which grows.

    What came in one step may have been loaded, or be a cache that was full early. What is large at
    death and was not at the last point came between the two: no flat law holds of it.
    """
    own = subject.own_sizes
    if not own or not all(one.law.is_fitted for one in own) or not _covers(subject):
        return None
    if any(one.law.grows for one in own):
        return None
    came_late = sum(
        max(one.series.at_death.size_bytes - one.law.last_bytes, 0.0)
        for one in own
        if one.series.at_death is not None
    )
    if not subject.is_small_size(came_late):
        return None
    largest = max(own, key=lambda one: one.law.last_bytes).law
    if largest.shape == "loaded" and subject.is_large(largest.last_bytes):
        return Unknown("whether it was loaded, or filled by the records of one step", "none")
    return Absent(largest.why)


def all_at_the_last(subject: Subject) -> Absent | Unknown | None:
    """A dump right before R_n (G_m) shows the large holders of the death still small.

    Of a group of one or two records no run brings the three points that a trend takes, but where
    all of it came with the last record, nothing had been accumulated before that. A field that had
    little before G_m was emptied for it only where the groups before would have left more.
    """
    if not isinstance(subject.holders, tuple) or subject.capacity_bytes is None:
        return None
    before: dict[HolderKey | None, float] = {}
    for one in subject.own_sizes:
        last = max(one.series.points, key=lambda point: (point.x, point.size_bytes), default=None)
        end = one.series.at_death
        if last is not None and end is not None and end.x - last.x <= 1:
            known_size = before.get(one.series.holder, 0.0)
            before[one.series.holder] = max(known_size, last.size_bytes)
    followed = [one for one in subject.holders if one.key in before]
    held = sum(one.bytes for one in subject.holders)
    if sum(one.bytes for one in followed) < SHARE_OF_RISE.value * held:
        return None
    if not subject.is_small_size(sum(before[one.key] for one in followed)):
        return None
    lifecycle = subject.lifecycle
    if lifecycle == "reduce":
        return Unknown("other large groups (a field may be emptied for each)", "none")
    return Absent(f"no {lifecycle}-level object was large before the last {_DATA[lifecycle]}")


def _was_released(one: Fitted) -> bool:
    """Whether at the death it held less than half of what it had held: it did not fill the heap."""
    end = one.series.at_death
    return end is not None and end.size_bytes < SHARE_OF_RISE.value * one.law.last_bytes


def _covers(subject: Subject) -> bool:
    """Whether the series follow enough of what is large at death for their silence to count."""
    if not isinstance(subject.holders, tuple):
        return False
    followed = {one.series.holder for one in subject.own_sizes}
    held = sum(one.bytes for one in subject.holders)
    seen = sum(one.bytes for one in subject.holders if one.key in followed)
    return seen >= SHARE_OF_RISE.value * held


def _is_by_group(grown: Sequence[Fitted], over_records: Sequence[Fitted]) -> bool:
    """Whether a line over groups explains the largest growth clearly better than over records."""
    largest, by_record = _both_axes(grown, over_records)
    return (
        by_record is not None
        and largest.law.r_squared >= by_record.law.r_squared + CLEARLY_BETTER.value
    )


def _is_straight_over_records(grown: Sequence[Fitted], over_records: Sequence[Fitted]) -> bool:
    """Whether the largest growth is a line over the records and a bent law over the groups.

    Large groups that came first bend the law over the groups, and it then says too much of less
    data and too little of more.
    """
    largest, by_record = _both_axes(grown, over_records)
    return (
        by_record is not None
        and by_record.grows
        and by_record.law.shape == "linear"
        and largest.law.shape != "linear"
        and by_record.law.r_squared >= largest.law.r_squared
    )


def _both_axes(
    grown: Sequence[Fitted], over_records: Sequence[Fitted]
) -> tuple[Fitted, Fitted | None]:
    """What grew most, and the same object over the records of all groups."""
    largest = max(grown, key=lambda one: one.law.grown_bytes)
    same = (one for one in over_records if one.series.holder == largest.series.holder)
    return largest, next(same, None)


def _probes(one: Fitted) -> str:
    """What its points were measured with, in words."""
    by_histogram = one.series.by_histogram
    dumps = one.law.points - by_histogram
    if not by_histogram:
        return f"{dumps} heap dumps"
    plural = "" if dumps == 1 else "s"
    return (
        f"{dumps} heap dump{plural}, and {by_histogram} class histograms between dumps which show "
        "whose the classes are,"
    )


def _x_at_death(subject: Subject, ranked: Sequence[Fitted]) -> float:
    """Of objects that are counted by what their lifecycle is counted by."""
    of_unit = ranked[0].series.unit == UNIT_OF[subject.lifecycle]
    return subject.x_at_death if of_unit else 0.0


def _name(evidence: Evidence, ranked: Sequence[Fitted]) -> str:
    """What the law is of: the first of several."""
    first = evidence.holder(ranked[0].series.holder)
    return first.path if len(ranked) > 1 and first is not None else "it"


def _growing(subject: Subject, grown: Sequence[Fitted], *, by_group: bool = False) -> Growing:
    ranked = sorted(
        grown, key=lambda one: (one.law.is_full, -one.law.grown_bytes, str(one.series.holder))
    )
    evidence = subject.evidence
    holders = tuple(
        holder for one in ranked if (holder := evidence.holder(one.series.holder)) is not None
    )
    last = sum(round(one.law.last_bytes) for one in ranked)
    largest = ranked[0].law
    law_in_words = f"{largest.complexity}{largest.fit}"
    deaths = [one.series.at_death.x for one in ranked if one.series.at_death is not None]
    return Growing(
        lifecycle=subject.lifecycle,
        unit=ranked[0].series.unit,
        laws=tuple(one.law for one in ranked),
        holders=holders,
        held_bytes=sum(one.bytes for one in holders) or last,
        x_now=max([largest.last_x, *(deaths or [_x_at_death(subject, ranked)])]),
        source="dump",
        confidence="sure" if largest.points >= SURE_POINTS.value else "likely",
        how=f"over {_probes(ranked[0])} {_name(evidence, ranked)} {law_in_words}",
        keys=tuple(one.series.holder for one in ranked if one.series.holder is not None),
        by_group=by_group,
    )
