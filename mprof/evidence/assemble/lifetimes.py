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
from mprof.evidence.facts import CodeSite, Holder
from mprof.evidence.thresholds import MOST_OF_IT
from mprof.objects import HeapObjects, StackFrame

__all__ = ["with_lifetimes_of_probes", "with_true_lifetimes"]


def with_true_lifetimes(
    holders: tuple[Holder, ...], death: HeapObjects, before: LiveBefore
) -> tuple[Holder, ...]:
    """The holders, those of a call corrected where the heap was as full before R_n.

    They are those of one record, and locals of which the dump alone does not say whose they are.
    What came after the group had begun is the group's, and the call of reduce() holds it; of the
    rest nothing says how long it lived.

    Args:
        holders: at death, with no dump before it to compare with.
        death: the heap they are in.
        before: what was live before R_n and its group.
    """
    if before.record is None:
        return holders
    of_call = [each for each in holders if each.owner == "user" and _is_of_a_call(each)]
    least = MOST_OF_IT.value * sum(each.bytes for each in of_call)
    if death.live_bytes - before.record >= least:
        return holders
    call = _called_by_framework(death.frames)
    if before.group is None or before.record - before.group < least:
        in_reduce = call is not None and call.method == "reduce"
        return tuple(
            replace(one, lifecycle="group" if in_reduce and _is_in_doubt(one) else None)
            if one in of_call
            else one
            for one in holders
        )
    return tuple(
        replace(one, lifecycle="group", site=call or one.site) if one in of_call else one
        for one in holders
    )


def _is_of_a_call(holder: Holder) -> bool:
    return _is_in_doubt(holder) or holder.lifecycle == "record"


def _is_in_doubt(holder: Holder) -> bool:
    """Whether compiled code held it alone, and the dump does not say in which of two methods.

    So it was in no field, and what is not of the record is of the call of reduce().
    """
    return holder.lifecycle is None and holder.key.kind == "local"


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


def _called_by_framework(frames: Sequence[StackFrame]) -> CodeSite | None:
    """The user's lowest frame; of a bridge and the method it calls, the method."""
    from_below = [each for each in reversed(frames) if each.user]
    if not from_below:
        return None
    lowest, *above = from_below
    bridged = above[:1] and above[0].class_name == lowest.class_name
    call = above[0] if bridged and above[0].method == lowest.method else lowest
    return call.site
