"""What became of R_n alone: the runs in verify mode of the task that is diagnosed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mprof.dataflow import LastRecord, last_record, with_history
from mprof.evidence.assemble.memory import dump_is_of_death
from mprof.evidence.assemble.moments import moments_of
from mprof.evidence.assemble.snapshot import user_bytes
from mprof.evidence.facts import Group, Unknown, Verification
from mprof.job_run import JobRun
from mprof.objects import HeapObjects
from mprof.trace import MEMORY_KINDS, Trace, digest_text
from mprof.trace.events import OtherGroups, Verify

__all__ = ["other_groups_of", "verification_of"]

_NAMES_THE_RECORD: Final = frozenset({"met", "not_met"})


def verification_of(runs: Sequence[JobRun], trace: Trace) -> Verification | Unknown:
    """What became of R_n alone in the newest verification of this task that was of this R_n.

    The task may have died at another record in a newer run: the order of fetches, or a collection
    that came a little earlier, is enough. Where the group is the same its size still holds.
    """
    found = next(_verifications(runs, trace), None)
    if found is not None:
        run, each = found
        snapshots = run.snapshots.get(each.attempt_id or "", ())
        return _verified(each, each.of(Verify), snapshots)
    others = [each for _, each in _of_the_task(runs, trace)]
    if others:
        missing = Unknown(
            "a run of the record at death alone; the one available was of another record",
            "verify",
        )
        record = last_record(trace)
        same = (_group_total(each) for each in others if _is_of_the_group(each, record))
        total = next(same, None)
        return missing if total is None else Verification(False, missing, False, total)
    if any(each.mode == "verify" for each in runs):
        return Unknown("a verification run that reached the record again", "none")
    return Unknown("a run of the record at death alone", "verify")


def other_groups_of(runs: Sequence[JobRun], trace: Trace) -> OtherGroups | None:
    """Groups that the newest verification of this R_n, or of its group, read beside that."""
    record = last_record(trace)
    for _, each in _of_the_task(runs, trace):
        if not (_is_of(each.of(Verify), record) or _is_of_the_group(each, record)):
            continue
        for step in each.of(Verify):
            if step.step == "group_total" and step.others is not None:
                return step.others
    return None


def _verifications(runs: Sequence[JobRun], trace: Trace) -> Iterator[tuple[JobRun, Trace]]:
    """The attempts of this task that verified its R_n, newest first, with their runs."""
    record = last_record(trace)
    for run, each in _of_the_task(runs, trace):
        if _is_of(each.of(Verify), record):
            yield run, each


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


def _verified(
    trace: Trace, steps: Sequence[Verify], snapshots: Sequence[HeapObjects]
) -> Verification:
    by_name = {each.step: each for each in steps}
    group = _group_total(trace)
    if "met" not in by_name:
        return Verification(
            False, Unknown("the record: it was not met again", "none"), False, group
        )
    moments, death = moments_of(trace, snapshots)
    if death is not None and not dump_is_of_death(trace, death):
        death = None  # that it died of R_n alone stands, and what it held by then is not known
    points = {each.point: each.objects for each in moments}
    before, after = points.get("verify_before"), points.get("verify_after") or death
    growth: int | Unknown = Unknown("heap dumps before and after the record", "verify")
    if before is not None and after is not None:
        growth = user_bytes(after) - user_bytes(before)
    died = "survived" not in by_name and trace.death.kind in MEMORY_KINDS
    return Verification(True, growth, died, group)
