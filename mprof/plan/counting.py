"""Which reducers count their groups while R_n of another one is verified."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mprof.dataflow import groups_of
from mprof.plan.model import TaskPlan
from mprof.trace import Trace

__all__ = ["HOLD_OF_RECORD_SECONDS", "counting_beside"]

# The attempt that verifies R_n fails last, so that those that count beside it come to the end of
# their partitions: they read as much as it does, and began when it did. Theirs is the longer wait,
# for it makes heap dumps: three times what these are expected to take.
HOLD_OF_RECORD_SECONDS: Final = 5
_HOLD_OF_COUNTING_SECONDS: Final = 60


def counting_beside(
    task: TaskPlan,
    target: Iterable[Trace],
    earlier: Iterable[Trace],
    *,
    seconds: float,
) -> tuple[TaskPlan, ...]:
    """The reducers beside the verified one whose groups no run has read to their end.

    G_m is compared with theirs. They hand nothing to the user's code, and so cannot die before R_n
    is met. Only those that ran beside it are asked, and so will again: one that has to wait for a
    container would find the job failed, or keep R_n waiting.

    Args:
        task: the verification.
        target: attempts of the run it is planned from.
        earlier: attempts of all runs but verifications.
        seconds: what the verification is expected to take.
    """
    if task.verify_place != "reduce":
        return ()
    beside = _reducers(target) - {each.index for each in earlier if _was_read_whole(each)}
    hold = max(_HOLD_OF_COUNTING_SECONDS, round(3 * seconds))
    names = {f"r_{index:06d}" for index in beside} - {task.task}
    return tuple(
        TaskPlan(name, "verify", verify_place="reduce", verify_hold=hold) for name in sorted(names)
    )


def _reducers(traces: Iterable[Trace]) -> set[int]:
    return {each.index for each in traces if each.task_type == "reduce" and each.index is not None}


def _was_read_whole(trace: Trace) -> bool:
    groups = groups_of(trace, "reduce")
    return groups is not None and groups.whole
