"""What became of R_n alone: the runs in verify mode of the task that is diagnosed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from mprof.dataflow import LastRecord, last_record, with_history
from mprof.evidence.assemble.counted_groups import Counted, counted_in
from mprof.evidence.assemble.moments import snapshots_of
from mprof.evidence.facts import Unknown, Verification
from mprof.job_run import JobRun
from mprof.objects import HeapObjects
from mprof.trace import MEMORY_KINDS, Trace, digest_text
from mprof.trace.events import Verify

__all__ = ["verification_of"]

_Room = Literal["same", "less", "more", "whole", "open"]
"""``less`` and ``more``: no more, and no less, than in the job; ``open``: nothing tells."""

_OF_A_BOUND: Final[Mapping[str, _Room]] = {"most": "less", "least": "more"}
_NAMES_THE_RECORD: Final = frozenset({"met", "not_met"})


def verification_of(
    runs: Sequence[JobRun], trace: Trace
) -> tuple[Verification | Unknown, Counted | None]:
    """What the verifications of this task say: what became of R_n, and how large its group is.

    The task may have died at another record in a newer run: the order of fetches, or a collection
    that came a little earlier, is enough. Where the group is the same its size still holds.

    Args:
        runs: all runs of the job, oldest first.
        trace: of the attempt.

    Returns:
        What became of R_n alone in the newest verification of this R_n, and the groups as the
        newest verification of this R_n, or of its group, counted them.
    """
    record = last_record(trace)
    of_task = tuple(_of_the_task(runs, trace))
    of_record = [(run, each) for run, each in of_task if _is_of(each.of(Verify), record)]
    counts = (
        counted_in(each)
        for _, each in of_task
        if _is_of(each.of(Verify), record) or _is_of_the_group(each, record)
    )
    counted = next((each for each in counts if each is not None), None)
    if of_record:
        run, verified = of_record[0]
        control = _control([each for _, each in of_record])
        dumps = run.snapshots.get(verified.attempt_id or "", ())
        found = _verified(verified, dumps, another_lived=control == "lived")
        return replace(found, control=control if found.same_room else None), counted
    if of_task:
        missing = Unknown(
            "a run of the record at death alone; the one available was of another record",
            "verify",
        )
        return missing, counted
    if any(each.mode == "verify" for each in runs):
        return Unknown("a verification run that reached the record again", "none"), counted
    return Unknown("a run of the record at death alone", "verify"), counted


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
    counted = counted_in(verified)
    if record is None or record.group is None or counted is None or counted.group is None:
        return False
    return digest_text(counted.group.digest) == record.group


def _verified(trace: Trace, dumps: Sequence[HeapObjects], *, another_lived: bool) -> Verification:
    """Where more was live than in the job, R_n had less room: its death shows no more than that.

    Unless an ordinary record came to its end there.
    """
    by_name = {each.step: each for each in trace.of(Verify)}
    met = by_name.get("met")
    if met is None:
        return Verification(False, Unknown(_why_not_met(by_name.get("warm_up_failed")), "none"))
    heap = snapshots_of(trace, dumps)
    points = {each.point: each.objects for each in heap.moments}
    # where the dump is not of the death: that it died of R_n alone stands, what it held does not
    before, after = points.get("verify_before"), points.get("verify_after") or heap.death
    growth: int | Unknown = Unknown("heap dumps before and after the record", "verify")
    if before is not None and after is not None:
        growth = after.user_bytes - before.user_bytes
    survived = by_name.get("survived")
    died = survived is None and trace.death.kind in MEMORY_KINDS
    room = _room(by_name.get("room"), survived)
    if room == "less" and died and another_lived:
        room = "same"
    # what ended otherwise, of a time-out or an exception, neither died of memory nor lived
    ended = died or survived is not None
    return Verification(
        met=True,
        growth_bytes=growth,
        died=died and room not in {"less", "open"},
        same_room=ended and room in {"same", "more" if died else "less"},
        warm_up_records=met.warm_up or 0,
    )


def _control(verified: Sequence[Trace]) -> Literal["lived", "died"] | None:
    """What became of the ordinary record before R_n, in the newest run that says so."""
    for trace in verified:
        by_name = {each.step: each for each in trace.of(Verify)}
        room, failed = by_name.get("control"), by_name.get("warm_up_failed")
        survived = by_name.get("control_survived")
        if room is None:
            continue
        if _is_less(room) and "met" in by_name:
            return "lived"  # it was handed over as well, and R_n after it
        if not room.same_room:
            continue
        if survived is not None and not survived.room_lost:
            return "lived"
        if failed is not None and failed.control and trace.death.kind in MEMORY_KINDS:
            return "died"
    return None


def _room(room: Verify | None, survived: Verify | None) -> _Room:
    """How much room R_n had, compared with the job."""
    if room is None or (survived is not None and survived.room_lost):
        return "whole"  # or it had all of it in the end: after an error that user code lived with
    if room.same_room:
        return _OF_A_BOUND.get(room.target_is or "", "same")
    if _is_less(room):
        return "open" if room.target_is == "least" else "less"
    return "whole"


def _is_less(room: Verify) -> bool:
    """Whether more was live than in the job before anything filled the heap."""
    return room.why is not None and room.why.code == "more_is_live"


def _why_not_met(failed: Verify | None) -> str:
    if failed is None:
        return "the record: it was not met again"
    why = "" if failed.class_name is None else f" of {failed.class_name}"
    return f"the record: user code failed{why} at one of the records handed over before it"
