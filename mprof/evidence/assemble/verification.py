"""What became of R_n alone: the runs in verify mode of the task that is diagnosed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mprof.dataflow import LastRecord, last_record, with_history
from mprof.evidence.assemble.moments import snapshots_of
from mprof.evidence.facts import Group, Unknown, Verification
from mprof.job_run import JobRun
from mprof.objects import HeapObjects
from mprof.trace import MEMORY_KINDS, Trace, digest_text
from mprof.trace.events import OtherGroups, Verify

__all__ = ["verification_of"]

_NAMES_THE_RECORD: Final = frozenset({"met", "not_met"})


def verification_of(
    runs: Sequence[JobRun], trace: Trace
) -> tuple[Verification | Unknown, OtherGroups | None]:
    """What the verifications of this task say: what became of R_n, and the groups beside its own.

    The task may have died at another record in a newer run: the order of fetches, or a collection
    that came a little earlier, is enough. Where the group is the same its size still holds.

    Args:
        runs: all runs of the job, oldest first.
        trace: of the attempt.

    Returns:
        What became of R_n alone in the newest verification of this R_n, and the groups that the
        newest verification of this R_n, or of its group, read beside that.
    """
    record = last_record(trace)
    of_task = tuple(_of_the_task(runs, trace))
    of_record = [(run, each) for run, each in of_task if _is_of(each.of(Verify), record)]
    of_group = [each for _, each in of_task if _is_of_the_group(each, record)]
    others = _other_groups(
        each for _, each in of_task if _is_of(each.of(Verify), record) or each in of_group
    )
    if of_record:
        run, verified = of_record[0]
        found = _verified(verified, run.snapshots.get(verified.attempt_id or "", ()))
        return found, others
    if of_task:
        missing = Unknown(
            "a run of the record at death alone; the one available was of another record",
            "verify",
        )
        total = _group_total(of_group[0]) if of_group else None
        return missing if total is None else Verification(False, missing, False, total), others
    if any(each.mode == "verify" for each in runs):
        return Unknown("a verification run that reached the record again", "none"), others
    return Unknown("a run of the record at death alone", "verify"), others


def _other_groups(verifications: Iterable[Trace]) -> OtherGroups | None:
    for each in verifications:
        for step in each.of(Verify):
            if step.step == "group_total" and step.others is not None:
                return step.others
    return None


def _of_the_task(runs: Sequence[JobRun], trace: Trace) -> Iterator[tuple[JobRun, Trace]]:
    for run in reversed(runs):
        if run.mode != "verify":
            continue
        for each in with_history(run.traces, run.history):
            same = each.task_type == trace.task_type and each.index == trace.index
            if same and any(step.step != "counted" for step in each.of(Verify)):
                yield run, each


def _is_of(steps: Sequence[Verify], record: LastRecord | None) -> bool:
    """Whether this is the record that was verified; so it is taken to be where nothing says."""
    step = next((each for each in steps if each.step in _NAMES_THE_RECORD), None)
    if step is None or record is None:
        return True
    if record.ordinal is not None:
        return step.ordinal in {None, record.ordinal}
    return digest_text(step.digest) in {None, record.digest}


def _is_of_the_group(verified: Trace, record: LastRecord | None) -> bool:
    """Whether a record of this group was verified, and the group counted."""
    total = _group_total(verified)
    if record is None or record.group is None or total is None:
        return False
    return digest_text(total.digest) == record.group


def _group_total(verified: Trace) -> Group | None:
    steps = reversed(verified.of(Verify))
    total = next((each for each in steps if each.step == "group_total"), None)
    if total is None or total.records is None:
        return None
    return Group(None, total.records, total.bytes, total.digest, whole=bool(total.whole))


def _verified(trace: Trace, dumps: Sequence[HeapObjects]) -> Verification:
    by_name = {each.step: each for each in trace.of(Verify)}
    group = _group_total(trace)
    if "met" not in by_name:
        return Verification(
            False, Unknown("the record: it was not met again", "none"), False, group
        )
    heap = snapshots_of(trace, dumps)
    points = {each.point: each.objects for each in heap.moments}
    # where the dump is not of the death: that it died of R_n alone stands, what it held does not
    before, after = points.get("verify_before"), points.get("verify_after") or heap.death
    growth: int | Unknown = Unknown("heap dumps before and after the record", "verify")
    if before is not None and after is not None:
        growth = after.user_bytes - before.user_bytes
    died = "survived" not in by_name and trace.death.kind in MEMORY_KINDS
    return Verification(True, growth, died, group)
