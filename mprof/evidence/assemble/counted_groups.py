"""Groups that no user code saw: counted after a failure, or while an R_n was verified."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mprof.dataflow import GroupCounts, groups_of, with_history
from mprof.evidence.facts import Group
from mprof.job_run import JobRun
from mprof.trace import Sketch, Trace, digest_text, merge_sketches
from mprof.trace.events import CountedGroup, OtherGroups, Rest, Verify

__all__ = ["Counted", "best_counted", "counted_beside", "counted_in", "rest_of"]


@dataclass(frozen=True, slots=True)
class Counted:
    """A count of G_m and of what lies beside it.

    Attributes:
        group: G_m as far as it was counted, None where it was not met.
        others: the other groups of its partition, or of its pass of combine(), as far as read.
    """

    group: Group | None
    others: OtherGroups | None


def rest_of(runs: Sequence[JobRun], trace: Trace, place: str | None) -> Counted | None:
    """What was counted once memory had run out in `place`, by this attempt or another of its task.

    Another one that died in the same group of reduce() has counted the same: its partition is this
    one. A pass of combine() never comes again.
    """
    scope = "combine" if place == "combine" else "reduce"
    own = _rest(trace, scope)
    group = digest_text(trace.position.group_digest) if trace.position is not None else None
    if own is None and scope == "reduce" and group is not None:
        task = (trace.task_type, trace.index)
        others = (
            _rest(each, scope)
            for run in reversed(runs)
            for each in run.traces
            if (each.task_type, each.index) == task
        )
        same = (one for one in others if one is not None and digest_text(one.group.digest) == group)
        own = next(same, None)
    return None if own is None else Counted(_group(own.group), own.others)


def counted_in(verified: Trace) -> Counted | None:
    """What a verify attempt counted of its group; None where it did not come to that."""
    steps = [each for each in verified.of(Verify) if each.step == "group_total"]
    if not steps:
        return None
    newest = steps[-1]
    if newest.records is None:
        return Counted(None, newest.others)
    total = Group(None, newest.records, newest.bytes, newest.digest, whole=bool(newest.whole))
    return Counted(total, newest.others)


def best_counted(*counts: Counted | None) -> Counted:
    """Of several counts of one G_m what each has most of; of equal ones the first."""
    many = [each for each in counts if each is not None]
    groups = [each.group for each in many if each.group is not None]
    others = [each.others for each in many if each.others is not None]
    return Counted(
        max(groups, key=lambda group: (group.whole, group.records), default=None),
        max(others, key=lambda each: _count(each.records), default=None),
    )


def counted_beside(runs: Iterable[JobRun]) -> tuple[GroupCounts, ...]:
    """Groups of reducers as they were counted after a failure, or in a verification.

    One a reducer and run. Not those of the reducer whose R_n was verified: its G_m is none of the
    others.
    """
    found: list[GroupCounts | None] = []
    for run in runs:
        for trace in with_history(run.traces, run.history):
            if trace.task_type != "reduce":
                continue
            if trace.mode == "verify":
                # of a verify attempt `groups` are those that the user's code was given
                found.append(_counted(trace))
            else:
                found.append(_with_rest(trace))
                found += [groups_of(trace, "reduce")] if run.mode == "verify" else []
    return tuple(counts for counts in found if counts is not None)


def _counted(trace: Trace) -> GroupCounts | None:
    step = next((each for each in reversed(trace.of(Verify)) if each.step == "counted"), None)
    if step is None or step.others is None:
        return None
    return _counts(trace, step.others.records, step.others.bytes, whole=bool(step.end))


def _with_rest(trace: Trace) -> GroupCounts | None:
    """All groups of a partition, that of the failure included."""
    rest = _rest(trace, "reduce")
    if rest is None:
        return None
    others, group = rest.others or OtherGroups(), rest.group
    return _counts(
        trace,
        _with_value(others.records, group.records if group.whole else None),
        _with_value(others.bytes, group.bytes if group.whole else None),
        whole=rest.end,
    )


def _with_value(sketch: Sketch | None, value: int | None) -> Sketch | None:
    if value is None or sketch is None:
        return sketch if value is None else Sketch.of(value)
    return merge_sketches([sketch, Sketch.of(value, gamma=sketch.gamma)])


def _counts(
    trace: Trace, records: Sketch | None, sizes: Sketch | None, *, whole: bool
) -> GroupCounts:
    return GroupCounts(
        scope="reduce",
        attempt_id=trace.attempt_id,
        index=trace.index,
        count=_count(records),
        records=records,
        bytes=sizes,
        whole=whole,
    )


def _rest(trace: Trace, scope: str) -> Rest | None:
    return next((each for each in trace.of(Rest) if each.scope == scope), None)


def _group(counted: CountedGroup) -> Group:
    return Group(None, counted.records, counted.bytes, counted.digest, whole=counted.whole)


def _count(sketch: Sketch | None) -> int:
    return 0 if sketch is None else sketch.count
