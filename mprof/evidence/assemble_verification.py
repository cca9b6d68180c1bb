"""What became of R_n alone: the runs in verify mode of the task that is diagnosed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mprof.dataflow import LastRecord, last_record, with_history
from mprof.evidence.assemble_choice import moments_of
from mprof.evidence.assemble_objects import user_bytes
from mprof.evidence.facts import Group, Unknown, Verification
from mprof.evidence.recorded import RecordedJob
from mprof.objects import HeapObjects
from mprof.trace import MEMORY_KINDS, Trace, digest_text
from mprof.trace.events import OtherGroups, Verify

__all__ = ["other_groups_of", "verification_of"]

_NAMES_THE_RECORD: Final = frozenset({"met", "not_met"})


def verification_of(recordings: Sequence[RecordedJob], trace: Trace) -> Verification | Unknown:
    """What became of R_n alone in the newest verification of this task that was of this R_n."""
    found = next(_verifications(recordings, trace), None)
    if found is not None:
        recording, each = found
        snapshots = recording.snapshots.get(each.attempt_id or "", ())
        return _verified(each, each.of(Verify), snapshots)
    tried = [each for each in recordings if each.mode == "verify"]
    if any(True for _ in _of_the_task(tried, trace)):
        # The task died at another record in a newer run: the order of fetches, or a collection
        # that came a little earlier, is enough.
        return Unknown("a run with R_n only; the one at hand was of another record", "verify")
    if tried:
        return Unknown("a verification in which the record was met again", "none")
    return Unknown("a run with R_n only", "verify")


def other_groups_of(recordings: Sequence[RecordedJob], trace: Trace) -> OtherGroups | None:
    """Groups that the newest verification of this R_n read beside that of R_n."""
    for _, each in _verifications(recordings, trace):
        for step in each.of(Verify):
            if step.step == "group_total" and step.others is not None:
                return step.others
    return None


def _verifications(
    recordings: Sequence[RecordedJob], trace: Trace
) -> Iterator[tuple[RecordedJob, Trace]]:
    """The attempts of this task that verified its R_n, newest first, with their runs."""
    record = last_record(trace)
    for recording, each in _of_the_task(recordings, trace):
        if _is_of(each.of(Verify), record):
            yield recording, each


def _of_the_task(
    recordings: Sequence[RecordedJob], trace: Trace
) -> Iterator[tuple[RecordedJob, Trace]]:
    for recording in reversed(recordings):
        if recording.mode != "verify":
            continue
        for each in with_history(recording.traces, recording.history):
            same = each.task_type == trace.task_type and each.index == trace.index
            if same and any(step.step != "counted" for step in each.of(Verify)):
                yield recording, each


def _is_of(steps: Sequence[Verify], record: LastRecord | None) -> bool:
    """Whether this is the record that was verified; so it is taken to be where nothing says."""
    step = next((each for each in steps if each.step in _NAMES_THE_RECORD), None)
    if step is None or record is None:
        return True
    if record.ordinal is not None:
        return step.ordinal in {None, record.ordinal}
    return digest_text(step.digest) in {None, record.digest}


def _verified(
    trace: Trace, steps: Sequence[Verify], snapshots: Sequence[HeapObjects]
) -> Verification:
    by_name = {each.step: each for each in steps}
    total = by_name.get("group_total")
    group = (
        Group(None, total.records, total.bytes, total.digest, whole=bool(total.whole))
        if total is not None and total.records is not None
        else None
    )
    if "met" not in by_name:
        return Verification(
            False, Unknown("the record: it was not met again", "none"), False, group
        )
    moments, death = moments_of(trace, snapshots)
    points = {each.point: each.objects for each in moments}
    before, after = points.get("verify_before"), points.get("verify_after") or death
    growth: int | Unknown = Unknown("heap dumps before and after the record", "verify")
    if before is not None and after is not None:
        growth = user_bytes(after) - user_bytes(before)
    died = "survived" not in by_name and trace.death.kind in MEMORY_KINDS
    return Verification(True, growth, died, group)
