"""What came of the first attempts of a job: of those in the agent's share, and of the others.

Both are of the same job, and chance alone has put each where it is: whatever lets the job's tasks
fail meets both alike.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Final

import msgspec

from mprof.history import AttemptHistory, JobConf, JobHistory, TaskHistory
from mprof.runs.agent_injection import task_profile
from mprof.runs.draw import draw
from mprof.runs.switch.properties import PARAMS, switch_in

__all__ = ["OUTCOMES", "Arms", "Trial", "trial_of"]

SLOW: Final = 2.0
"""Times the median of a job's tasks of one kind. The agent costs a task a few per cent at most
(docs/reference/agent-cost.md); a task of that length is no harm that calls for switching it off.
"""

# How TaskAttemptListenerImpl begins what the task itself has told before it ended.
_TOLD: Final = ("Error: ", "FSError: ")


class Arms(msgspec.Struct, frozen=True):
    """A number of attempts of each arm: in the agent's share (``watched``), and not."""

    watched: int
    others: int


class Trial(msgspec.Struct, frozen=True):
    """A job some of whose first attempts have been drawn for the agent.

    Attributes:
        agent: checksum and length of the agent's jar, see `checksum`.
        share: the share of attempts that were drawn.
        outcomes: how many of them came to an end of that kind, for each of `OUTCOMES`.
    """

    submitted_ms: int
    agent: str
    share: float
    attempts: Arms
    outcomes: dict[str, Arms]


def trial_of(job: JobHistory, conf: JobConf) -> Trial | None:
    """Count the ends of a job's first attempts; None where none of them has been drawn.

    That is a job without the agent, one with it in all attempts, one whose user has set something
    else, and one whose tasks ran inside the application master.
    """
    params = conf.raw.get(PARAMS) or ""
    switch = switch_in(conf.raw)
    as_given = all(conf.raw.get(key) == value for key, value in task_profile(params).items())
    if switch is None or switch.share is None or switch.share == 1 or not as_given or job.uber:
        return None
    drawn = [
        (task, first, number < switch.share)
        for task in job.tasks
        if task.type in {"map", "reduce"}
        for first in task.attempts
        if first.number == 0 and (number := draw(first.container_id or "")) is not None
    ]
    if not drawn:
        return None
    median = {
        kind: statistics.median(times)
        for kind in ("map", "reduce")
        if (times := [_ms(one) for task, one, _ in drawn if task.type == kind and _lasted(one)])
    }
    ends: dict[str, Callable[[TaskHistory, AttemptHistory], bool]] = {
        "failed": lambda _, one: one.state == "FAILED",
        "silent": lambda _, one: one.state == "FAILED" and not one.error.lstrip().startswith(_TOLD),
        "late": lambda task, one: _is_late(task, one, median.get(task.type)),
    }
    outcomes = {name: _arms(drawn, ends[name]) for name in OUTCOMES}
    return Trial(
        submitted_ms=job.submit_ms or 0,
        agent=switch.jar_checksum,
        share=switch.share,
        attempts=_arms(drawn, lambda *_: True),
        outcomes=outcomes,
    )


OUTCOMES: Final = ("failed", "silent", "late")
"""``failed``, whatever the reason; ``silent``, failed without a word of the task itself: its
process was gone, or it was killed for its silence; ``late``, superseded by a faster attempt, or
`SLOW` times the median of its job and kind.
"""


def _arms(
    drawn: list[tuple[TaskHistory, AttemptHistory, bool]],
    is_so: Callable[[TaskHistory, AttemptHistory], bool],
) -> Arms:
    found = [watched for task, one, watched in drawn if is_so(task, one)]
    return Arms(watched=sum(found), others=len(found) - sum(found))


def _is_late(task: TaskHistory, one: AttemptHistory, median_ms: float | None) -> bool:
    if one.state == "KILLED":
        return task.successful_attempt not in {None, one.id}
    return median_ms is not None and _lasted(one) and _ms(one) > SLOW * median_ms


def _lasted(one: AttemptHistory) -> bool:
    return one.state == "SUCCEEDED" and one.start_ms is not None and one.finish_ms is not None


def _ms(one: AttemptHistory) -> int:
    return (one.finish_ms or 0) - (one.start_ms or 0)
