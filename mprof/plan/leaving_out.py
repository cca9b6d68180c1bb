"""The plan of a run that keeps one record or group from user code: the reverse of R_n alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from mprof.job_run import JobRun
from mprof.plan.make import plan_verify
from mprof.plan.probe_plan import ProbePlan, TaskPlan
from mprof.units import format_count

__all__ = ["plan_leave_out"]


def plan_leave_out(
    runs: Sequence[JobRun], what: Literal["record", "group"], attempt_id: str | None = None
) -> ProbePlan | None:
    """The task that died, with all of its input but R_n or G_m.

    None where that cannot be told in another run: a record of combine() or reduce() comes in an
    order that differs from run to run, a group by the digest of its key.
    """
    verified = plan_verify(runs, attempt_id)
    task = verified.tasks[0] if verified is not None else None
    if task is None:
        return None
    left = TaskPlan(task.task, "verify")
    if what == "group" and task.verify_group is not None:
        left = replace(left, leave_out_group=task.verify_group)
        but = f"the group with digest {task.verify_group}"
    elif what == "record" and task.verify_place == "map" and task.verify_record is not None:
        left = replace(left, leave_out_record=task.verify_record)
        but = f"record {format_count(task.verify_record)}"
    else:
        return None
    return ProbePlan(
        tasks=(left,),
        summary=f"{task.task} with all of its input but {but}; the attempt never commits",
    )
