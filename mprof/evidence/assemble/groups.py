"""Sizes of groups: G_m and those it is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mprof.dataflow import Dataflow, GroupCounts, groups_of, merged_groups
from mprof.evidence.assemble.counted_groups import Counted
from mprof.evidence.assemble.position import absent
from mprof.evidence.distribution import Distribution
from mprof.evidence.facts import DeathPosition, Group, GroupSizes, Unknown
from mprof.trace import Position as TracePosition
from mprof.trace import Sketch, Trace, digest_text
from mprof.trace.events import GroupEntry, Groups

__all__ = ["group_sizes_of"]


def group_sizes_of(
    trace: Trace,
    flows: Sequence[Dataflow],
    position: DeathPosition | None,
    place: str | None,
    counted: Counted,
    beside: Sequence[GroupCounts] = (),
) -> GroupSizes | Unknown | None:
    """G_m and the groups it is compared with.

    Args:
        trace: of the failed attempt.
        flows: of all runs but verifications, for the groups of the other reducers.
        position: at death.
        place: at death.
        counted: G_m and the groups beside it, as they were counted without the user's code.
        beside: groups of the other reducers, as `counted_beside` tells.
    """
    if place == "combine":
        return _combine_groups(trace, position, counted)
    if trace.task_type != "reduce" or place not in {"reduce", "cleanup", None}:
        return None
    own = groups_of(trace, "reduce")
    if own is None:
        if counted.group is None:
            return absent(trace, "sizes of the groups")
        own = GroupCounts(
            "reduce", trace.attempt_id, trace.index, count=0, records=None, bytes=None
        )
    others, everyone = _of_other_reducers(flows, beside, trace.index)
    before, more = own, counted.others
    if more is not None and _count(more.records) >= own.count:
        # They are those that this attempt had read before G_m, and those after it.
        before = replace(own, records=more.records, bytes=more.bytes)
    records, sizes, _ = merged_groups([before, *others])
    current = _current(own, trace.position, position)
    sizes_of = _sizes(own, current, records, sizes, all_reducers=everyone)
    passed_records, passed_bytes = _passed(own, flows)
    return replace(
        sizes_of,
        counted=counted.group,
        passed_records=passed_records,
        passed_bytes=passed_bytes,
    )


def _passed(own: GroupCounts, flows: Iterable[Dataflow]) -> tuple[Distribution, Distribution]:
    """Groups that user code got through: those before G_m, and those of the other reducers.

    What was counted after a failure, or in a verification, no user code has seen.
    """
    seen, _ = _of_other_reducers(flows, (), own.index)
    records, sizes, _ = merged_groups([own, *seen])
    return _all_of(records), _all_of(sizes)


def _all_of(sketch: Sketch | None) -> Distribution:
    return Distribution.of_sketch(sketch) if sketch is not None else Distribution.of([])


def _combine_groups(
    trace: Trace, position: DeathPosition | None, counted: Counted
) -> GroupSizes | Unknown:
    """Groups of the failing pass, and of the passes before it, which were read to their end.

    Where the pass died early, more of it was counted later: all but G_m.
    """
    own = groups_of(trace, "combine")
    if own is None:
        return absent(trace, "sizes of the groups of combine()")
    passes = _whole_passes(trace)
    records, sizes, _ = merged_groups([own, *passes] if not own.whole else passes)
    more = counted.others
    if more is not None and _count(more.records) > _count(records):
        records, sizes = more.records, more.bytes
    calls = trace.position.combine_call if trace.position else None
    current: Group | None = None
    at = trace.position
    if position is not None and position.record_in_group is not None and at is not None:
        current = Group(
            ordinal=position.group,
            records=position.record_in_group,
            bytes=at.combine_group_bytes,
            digest=digest_text(at.combine_group_digest),
        )
    elif own.current is not None:
        current = _group(own.current)
    everyone = calls is not None and len(passes) >= calls - 1
    found = _sizes(own, current, records, sizes, all_reducers=everyone)
    return replace(found, counted=counted.group)


def _sizes(
    own: GroupCounts,
    current: Group | None,
    records: Sketch | None,
    sizes: Sketch | None,
    *,
    all_reducers: bool,
) -> GroupSizes:
    return GroupSizes(
        current=current,
        largest=_largest(own, current),
        all_reducers=all_reducers,
        other_records=_distribution(records),
        other_bytes=_distribution(sizes),
    )


def _distribution(sketch: Sketch | None) -> Distribution | Unknown:
    if not _count(sketch) or sketch is None:
        return Unknown("sizes of the other groups", "rerun")
    return Distribution.of_sketch(sketch)


def _count(sketch: Sketch | None) -> int:
    return 0 if sketch is None else sketch.count


def _whole_passes(trace: Trace) -> list[GroupCounts]:
    """One a combine pass that ended; an event that says the same again is left out."""
    found: list[GroupCounts] = []
    for event in trace.of(Groups):
        if event.scope != "combine" or not event.whole:
            continue
        counts = GroupCounts(
            scope="combine",
            attempt_id=trace.attempt_id,
            index=trace.index,
            count=event.count,
            records=event.records,
            bytes=event.bytes,
            whole=True,
        )
        if not found or found[-1] != counts:
            found.append(counts)
    return found


def _of_other_reducers(
    flows: Iterable[Dataflow], beside: Iterable[GroupCounts], own: int | None
) -> tuple[list[GroupCounts], bool]:
    """Of each other reducer the run that saw most of its groups; whether all saw all of them."""
    best: dict[int, GroupCounts] = {}
    total: int | None = None
    seen = list(beside)
    for flow in flows:
        total = flow.total_reduces if flow.total_reduces is not None else total
        seen += [reducer.groups for reducer in flow.reduces if reducer.groups is not None]
    for groups in seen:
        if groups.index is None or groups.index == own or not (groups.whole or groups.count):
            continue
        known = best.get(groups.index)
        if known is None or (groups.whole, groups.count) >= (known.whole, known.count):
            best[groups.index] = groups
    whole = sum(groups.whole for groups in best.values())
    return list(best.values()), total is not None and whole >= total - 1


def _current(
    own: GroupCounts, at: TracePosition | None, position: DeathPosition | None
) -> Group | None:
    """The open group; the position file is newer than the sketch."""
    open_group = _group(own.current) if own.current is not None else None
    if position is None or position.group is None or at is None or not position.record_in_group:
        return open_group
    same = open_group is not None and open_group.ordinal == position.group
    return Group(
        ordinal=position.group,
        records=position.record_in_group,
        bytes=at.group_bytes,
        digest=digest_text(at.group_digest),
        key=open_group.key if same and open_group is not None else None,
    )


def _largest(own: GroupCounts, current: Group | None) -> Group | None:
    """By bytes where they are known, else by records; the open group counts as far as it was."""
    many = [_group(each, whole=True) for each in (*own.largest_by_bytes, *own.largest_by_records)]
    if current is not None:
        many.append(current)
    return max(many, key=lambda g: (g.bytes or 0, g.records), default=None)


def _group(entry: GroupEntry, *, whole: bool = False) -> Group:
    return Group(
        ordinal=entry.group,
        records=entry.records or 0,
        bytes=entry.bytes,
        digest=entry.digest,
        key=entry.key,
        whole=whole,
    )
