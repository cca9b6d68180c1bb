"""G_m beside the groups of all reducers, and whether an ordinary group would fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mprof.evidence import Distribution, Evidence, Group, GroupSizes, Unknown, known
from mprof.patterns.finding import Absent
from mprof.patterns.growth import Growing
from mprof.patterns.passed import Beyond, beyond_what_passed
from mprof.threshold import Threshold
from mprof.units import format_bytes, format_count

__all__ = [
    "MEDIAN_GROUPS",
    "ComparedGroup",
    "ComparedSize",
    "GroupsBeside",
    "groups_beside_of",
    "mean_group",
    "ordinary_group_of",
    "size_in_words",
]

MEDIAN_GROUPS = Threshold(
    "groups of a median",
    3.0,
    "groups",
    "the least that have a middle one beside G_m",
)

Measure = Literal["records", "bytes"]
_MEASURES: tuple[Measure, ...] = ("records", "bytes")


def size_in_words(measure: str, value: float) -> str:
    """A size of a group or partition."""
    if measure == "bytes":
        return format_bytes(value)
    return f"{format_count(value)} record" + ("" if round(value) == 1 else "s")


@dataclass(frozen=True, slots=True)
class ComparedSize:
    """One size of a group against the same of the others.

    Attributes:
        measure: which size.
        value: of the group.
        beyond: how it stands to the others.
        only_passed: others as large were counted, and user code got through none of them: it was
            compared with those that it got through.
    """

    measure: Measure
    value: float
    beyond: Beyond
    only_passed: bool = False


@dataclass(frozen=True, slots=True)
class ComparedGroup:
    """A group against the others.

    Attributes:
        group: as whole as it was ever counted.
        sizes: of records and bytes those that are known of it and of the others.
        of_all_reducers: the others are all groups of all reducers, each counted to its end.
    """

    group: Group
    sizes: tuple[ComparedSize, ...]
    of_all_reducers: bool

    @property
    def above(self) -> ComparedSize | None:
        """The first size that is far beyond the others."""
        return next((one for one in self.sizes if one.beyond.stands == "above"), None)

    @property
    def doubt(self) -> str | None:
        """Why one of the comparisons decides nothing; None where each decides."""
        unsure = (one.beyond.why for one in self.sizes if one.beyond.stands == "cannot tell")
        return next(unsure, None) if self.sizes else "no other group was counted"

    @property
    def is_complete(self) -> bool:
        """Whether both records and bytes were compared."""
        return len(self.sizes) == len(_MEASURES)


@dataclass(frozen=True, slots=True)
class GroupsBeside:
    """The group at death, and the largest of the partition, each against the others."""

    at_death: ComparedGroup
    largest: ComparedGroup


def groups_beside_of(evidence: Evidence) -> GroupsBeside | Absent | Unknown:
    """The groups of the partition that a rule may ask about."""
    groups = evidence.groups
    if groups is None:
        return Absent("no group was being processed")
    if isinstance(groups, Unknown):
        return groups
    at_death = groups.whole or groups.current or groups.largest
    if at_death is None:
        return Unknown("the size of the group", "rerun")
    largest = groups.largest or at_death
    return GroupsBeside(_compared(groups, at_death), _compared(groups, largest))


def _compared(groups: GroupSizes, group: Group) -> ComparedGroup:
    of_group = (group.records, group.bytes)
    others = (groups.other_records, groups.other_bytes)
    passed = (groups.passed_records, groups.passed_bytes)
    compared = (
        _compared_size(measure, value, other, through, lower_bound=not group.whole)
        for measure, value, other, through in zip(_MEASURES, of_group, others, passed, strict=True)
        if value is not None and not isinstance(other, Unknown)
    )
    return ComparedGroup(group, tuple(compared), groups.all_reducers)


def _compared_size(
    measure: Measure,
    value: float,
    others: Distribution,
    passed: Distribution | None,
    *,
    lower_bound: bool,
) -> ComparedSize:
    """Against all others; where some are as large, against those that user code got through."""
    beyond = beyond_what_passed(value, others, lower_bound=lower_bound)
    if beyond.stands != "above" and passed is not None:
        of_passed = beyond_what_passed(value, passed, lower_bound=lower_bound)
        if of_passed.stands != "below":
            return ComparedSize(measure, float(value), of_passed, only_passed=True)
    return ComparedSize(measure, float(value), beyond)


def ordinary_group_of(
    evidence: Evidence, growth: Growing | Absent | Unknown
) -> str | Absent | Unknown:
    """Words saying that an ordinary group does not fit either: the key is too coarse.

    It does not where it has more records than were there at the death. The median of a sketch is
    off by its error at most.

    Args:
        evidence: of the attempt.
        growth: of group-level objects.
    """
    groups = known(evidence.groups)
    if isinstance(growth, Unknown):
        return growth
    if isinstance(growth, Absent) or groups is None:
        return Absent("nothing shows how memory grows over the records of a group")
    if _may_outlive_the_group(evidence, growth):
        return Unknown("a second group (what a field holds may outlive the first)", "none")
    others, error = known(groups.other_records), 0.0
    if others is not None and others.count >= MEDIAN_GROUPS.value:
        records, name = others.median, "the median group of"
        error = others.relative_error
    else:
        mean = mean_group(evidence)
        if mean is None:
            return Absent("nothing says how large an ordinary group is")
        records, name = mean, "the mean group of"
    passed = groups.passed_records
    if passed is not None and passed.count >= MEDIAN_GROUPS.value and passed.median >= growth.x_now:
        return Unknown(
            "a smaller group to compare with: most that passed had as many records", "none"
        )
    if records / (1 + error) > growth.x_now:
        return (
            f"is not an outlier: {name} {format_count(records)} records has more than the "
            f"{format_count(growth.x_now)} at which the task died, so the key is too coarse"
        )
    if records * (1 + error) <= growth.x_now:
        return Absent("an ordinary group would fit")
    return Unknown(
        "a more exact size of the median group (the answer lies within the sketch's error)", "none"
    )


def _may_outlive_the_group(evidence: Evidence, growth: Growing) -> bool:
    """Whether it may be kept from group to group: a field, and no group went before."""
    position = known(evidence.position)
    first = position is not None and position.groups <= 1
    return first and any(one.lifecycle == "reduce" for one in growth.holders)


def mean_group(evidence: Evidence) -> float | None:
    """Records of the mean group of the partition beside G_m; None where G_m was not counted whole.

    By its distinct keys, of which there are at most so many: a lower bound.
    """
    partitions, groups = known(evidence.partitions), known(evidence.groups)
    records = known(partitions.records) if partitions is not None else None
    keys = known(partitions.keys) if partitions is not None else None
    whole = groups.whole if groups is not None else None
    if partitions is None or records is None or keys is None or whole is None:
        return None
    own = partitions.own
    return max(0, records[own] - whole.records) / (keys[own] - 1) if keys[own] > 1 else None
