"""How long holders have lived, where the live heap or a probe knows better than the stack.

The JIT compiler replaces locals of map() and reduce() by their fields (scalar replacement).
What they held is then seen from a frame further up alone, as if the work on one record held it.
And a method that reads the values of a group holds what it collects for as long as it reads, which
the stack tells only while the next value is being fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mprof.evidence.assemble.live_heap import LiveBefore
from mprof.evidence.assemble.moments import Moment
from mprof.evidence.facts import CodeSite, DeathPosition, Holder, RecordGrowth, Series
from mprof.evidence.thresholds import MOST_OF_IT, WHOLE_COLLECTION
from mprof.objects import HeapObjects, StackFrame

__all__ = ["with_lifetimes_of_curves", "with_lifetimes_of_probes", "with_true_lifetimes"]


def with_true_lifetimes(
    holders: tuple[Holder, ...],
    death: HeapObjects,
    before: LiveBefore,
    record_in_group: int | None = None,
) -> tuple[Holder, ...]:
    """The holders, those of a call corrected where the heap was as full before R_n.

    They are those of one record, and locals of which the dump alone does not say whose they are.
    What came after the group had begun is the group's, and the call of reduce() holds it; so is
    what compiled code held with one element for each of its records. Of the rest nothing says how
    long it lived. Where user code was at work on several records at once, what was live before R_n
    may be of the others, and says nothing.

    Args:
        holders: at death, with no dump before it to compare with.
        death: the heap they are in.
        before: what was live before R_n and its group.
        record_in_group: ordinal of R_n in its group.
    """
    if before.record is None or death.records_at_once > 1:
        return holders
    of_call = [each for each in holders if each.owner == "user" and _is_of_a_call(each)]
    least = MOST_OF_IT.value * sum(each.bytes for each in of_call)
    if death.live_bytes - before.record >= least:
        return holders
    if before.group is None or before.record - before.group < least:
        return tuple(
            replace(one, lifecycle="group" if _has_one_of_each(one, record_in_group) else None)
            if one in of_call
            else one
            for one in holders
        )
    call = _called_by_framework(death.frames)
    return tuple(
        replace(one, lifecycle="group", site=call or one.site) if one in of_call else one
        for one in holders
    )


def _is_of_a_call(holder: Holder) -> bool:
    return _is_in_doubt(holder) or holder.lifecycle == "record"


def _is_in_doubt(holder: Holder) -> bool:
    """Whether compiled code held it alone, and the dump does not say in which of two methods."""
    return holder.lifecycle is None and holder.key.kind == "local"


def _has_one_of_each(holder: Holder, record_in_group: int | None) -> bool:
    """Whether compiled code held it alone, with one element for each record of the group.

    It is in no field then; and the last record may not be among them yet.
    """
    if record_in_group is None or record_in_group < WHOLE_COLLECTION.value:
        return False
    return _is_in_doubt(holder) and holder.length in (record_in_group - 1, record_in_group)


def with_lifetimes_of_probes(
    holders: tuple[Holder, ...], moments: Sequence[Moment]
) -> tuple[Holder, ...]:
    """The holders, those of one record corrected where a probe within the group met them.

    A probe stands between two records: what is held there outlives a record.

    Args:
        holders: at death.
        moments: of the group at death, before R_n.
    """
    if not moments:
        return holders
    last = max(moments, key=lambda one: one.records or 0)
    met = {one.key: one.lives_for for one in last.objects.holders if one.owner == "user"}
    return tuple(
        replace(one, lifecycle=met[one.key])
        if one.owner == "user" and one.lifecycle == "record" and met.get(one.key) == "group"
        else one
        for one in holders
    )


def with_lifetimes_of_curves(
    holders: tuple[Holder, ...],
    series: Sequence[Series],
    position: DeathPosition | None,
    growth: RecordGrowth | None,
) -> tuple[tuple[Holder, ...], tuple[Series, ...]]:
    """Holders and series, with what held little right before R_n corrected: it is of one record.

    A local of reduce() stands in its frame while the group lasts, whether the code keeps it for the
    group or makes it anew for each value. What it did not hold right before R_n came with R_n.

    Args:
        holders: at death.
        series: of the sizes that they had.
        position: at the death.
        growth: of all user objects at R_n; compiled code may drop a local, and others then have its
            number, but not its bytes.
    """
    if position is None or not position.records_of_group or growth is None:
        return holders, tuple(series)
    made = {
        one.key
        for one in holders
        if one.owner == "user"
        and one.lifecycle == "group"
        and one.key.kind == "local"
        and growth.last_bytes > MOST_OF_IT.value * one.bytes
        and _came_last(one, series, position.records_of_group)
    }
    return (
        tuple(replace(one, lifecycle="record") if one.key in made else one for one in holders),
        tuple(replace(one, lifecycle="record") if one.holder in made else one for one in series),
    )


def _came_last(holder: Holder, series: Sequence[Series], record_in_group: int) -> bool:
    """Whether the last of its sizes was taken right before R_n, and is less than half of it."""
    points = [
        point
        for one in series
        if one.holder == holder.key and one.source == "dump" and one.unit == "record_in_group"
        for point in one.points
    ]
    last = max(points, key=lambda one: (one.x, one.size_bytes), default=None)
    return (
        last is not None
        and last.x >= record_in_group - 1
        and holder.bytes - last.size_bytes > MOST_OF_IT.value * holder.bytes
    )


def _called_by_framework(frames: Sequence[StackFrame]) -> CodeSite | None:
    """The user's lowest frame; of a bridge and the method it calls, the method."""
    from_below = [each for each in reversed(frames) if each.user]
    if not from_below:
        return None
    lowest, *above = from_below
    bridged = above[:1] and above[0].class_name == lowest.class_name
    call = above[0] if bridged and above[0].method == lowest.method else lowest
    return call.site
