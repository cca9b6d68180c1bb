"""Groups that reducers counted while R_n of another one was verified."""

from __future__ import annotations

from collections.abc import Iterable

from mprof.dataflow import GroupCounts, groups_of, with_history
from mprof.job_run import JobRun
from mprof.trace import Trace
from mprof.trace.events import Verify

__all__ = ["counted_beside"]


def counted_beside(runs: Iterable[JobRun]) -> tuple[GroupCounts, ...]:
    """Groups of reducers in the verifications, one a reducer and run.

    Not those of the reducer whose R_n was verified: its G_m is none of the others.
    """
    found: list[GroupCounts] = []
    for run in runs:
        if run.mode != "verify":
            continue
        for trace in with_history(run.traces, run.history):
            if trace.task_type == "reduce":
                # of a verify attempt `groups` are those that the user's code was given
                counts = _counted(trace) if trace.mode == "verify" else groups_of(trace, "reduce")
                found += [counts] if counts is not None else []
    return tuple(found)


def _counted(trace: Trace) -> GroupCounts | None:
    step = next((each for each in reversed(trace.of(Verify)) if each.step == "counted"), None)
    if step is None or step.others is None:
        return None
    records = step.others.records
    return GroupCounts(
        scope="reduce",
        attempt_id=trace.attempt_id,
        index=trace.index,
        count=records.count if records is not None else 0,
        records=records,
        bytes=step.others.bytes,
        whole=bool(step.end),
    )
