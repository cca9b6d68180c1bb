"""Reducers that count their groups while R_n of another reducer is verified."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mprof.dataflow import groups_of
from mprof.plan.probe_plan import TaskPlan
from mprof.trace import Trace

__all__ = ["VERIFY_HOLD_SECONDS", "counting_tasks"]

# An attempt fails after its hold time, and the job with it. The attempt that verifies R_n waits so
# that concurrent ones, which started with it and read as much, can count to the end of their
# partitions. Those wait longer, because it makes heap dumps: three times their expected duration.
VERIFY_HOLD_SECONDS: Final = 5
_MIN_COUNTING_HOLD_SECONDS: Final = 60


def counting_tasks(
    task: TaskPlan,
    target: Iterable[Trace],
    earlier: Iterable[Trace],
    *,
    seconds: float,
) -> tuple[TaskPlan, ...]:
    """The other reducers whose partitions no run has counted to the end.

    G_m is compared with their groups. They hand no record to user code, so they cannot run out of
    memory before R_n is reached. Only reducers that ran concurrently with it are chosen, because
    they will again: one that waits for a container would start after the job has failed.

    Args:
        task: the verification.
        target: attempts of the run it is planned from.
        earlier: attempts of all runs but verifications.
        seconds: expected duration of the verification.
    """
    if task.verify_place != "reduce":
        return ()
    concurrent = _reducers(target) - {each.index for each in earlier if _was_read_whole(each)}
    hold = max(_MIN_COUNTING_HOLD_SECONDS, round(3 * seconds))
    names = {f"r_{index:06d}" for index in concurrent} - {task.task}
    return tuple(
        TaskPlan(name, "verify", verify_place="reduce", verify_hold=hold) for name in sorted(names)
    )


def _reducers(traces: Iterable[Trace]) -> set[int]:
    return {each.index for each in traces if each.task_type == "reduce" and each.index is not None}


def _was_read_whole(trace: Trace) -> bool:
    groups = groups_of(trace, "reduce")
    return groups is not None and groups.whole
