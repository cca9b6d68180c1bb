"""G_m of a framework whose reducer ends a group when it has met the next one."""

from __future__ import annotations

from dataclasses import replace

from mprof.engines import SCRIPT_FRAMEWORKS
from mprof.evidence.distribution import Distribution
from mprof.evidence.facts import DeathPosition, Group, GroupSizes, Unknown
from mprof.trace import Trace

__all__ = ["at_the_group_before"]

_JUST_BEGUN = 1  # record of the group that was met


def at_the_group_before(
    trace: Trace, position: DeathPosition | None, groups: GroupSizes | Unknown | None
) -> tuple[DeathPosition | None, GroupSizes | Unknown | None]:
    """Position and groups, set back to the group before where that is what was being worked on.

    Such a reducer aggregates, joins and writes a group in the call for the next one, of which it
    has taken in one record at most. The group before is only known where it is the largest so far,
    which is what a group must be that fills the heap; it is then none of those that G_m is compared
    with.

    Args:
        trace: of the failed attempt.
        position: at death.
        groups: as they were counted.
    """
    if position is None or not isinstance(groups, GroupSizes) or groups.largest is None:
        return position, groups
    begun = position.record_in_group
    before = (position.group or 0) - 1
    if begun is None or begun > _JUST_BEGUN or before < 1 or groups.largest.ordinal != before:
        return position, groups
    if not _ends_groups_late(trace):
        return position, groups
    largest = replace(groups.largest, whole=True)
    others = _without(largest, groups)
    record = position.record - begun if position.record is not None else None
    return (
        replace(position, record=record, group=before, record_in_group=largest.records),
        replace(others, current=largest, largest=largest, counted=None),
    )


def _without(group: Group, groups: GroupSizes) -> GroupSizes:
    """The groups beside one that had been counted with them."""
    records, sizes = groups.other_records, groups.other_bytes
    if isinstance(records, Distribution):
        groups = replace(groups, other_records=records.without(group.records))
    if isinstance(sizes, Distribution) and group.bytes is not None:
        groups = replace(groups, other_bytes=sizes.without(group.bytes))
    return replace(groups, passed_records=None, passed_bytes=None)


def _ends_groups_late(trace: Trace) -> bool:
    late = {each.late_reducer for each in SCRIPT_FRAMEWORKS if each.late_reducer is not None}
    stack = trace.death.stack
    return any((frame.class_name, frame.method) in late for frame in stack)
