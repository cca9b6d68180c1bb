"""The contents of a job history: job, tasks, attempts. Times are epoch milliseconds."""

from __future__ import annotations

from dataclasses import dataclass, field

from mprof.history.counters import NO_COUNTERS, Counters

__all__ = ["AttemptHistory", "JobHistory", "TaskHistory"]


@dataclass(frozen=True, slots=True)
class AttemptHistory:
    """One attempt of a task; None where the history does not say.

    Attributes:
        state: ``SUCCEEDED``, ``FAILED``, ``KILLED``; None if the history has no end of it.
        error: all diagnostics of a failed attempt, or "".
        wall_splits_ms: time spent in each twelfth of its *progress*; of an attempt that dies at
            20 % only the first ones are filled, and the last seconds are missing
            (``org.apache.hadoop.mapred.ProgressSplitsBlock``).
    """

    id: str
    type: str
    number: int
    state: str | None = None
    error: str = ""
    container_id: str | None = None
    host: str | None = None
    rack: str | None = None
    counters: Counters = NO_COUNTERS
    start_ms: int | None = None
    finish_ms: int | None = None
    shuffle_finish_ms: int | None = None
    sort_finish_ms: int | None = None
    wall_splits_ms: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class TaskHistory:
    """One task and its attempts, oldest first.

    Attributes:
        type: ``map``, ``reduce``, ``setup`` or ``cleanup``.
        index: the task's number, which for a reduce task is its partition.
    """

    id: str
    type: str
    index: int
    state: str | None = None
    successful_attempt: str | None = None
    counters: Counters = NO_COUNTERS
    attempts: tuple[AttemptHistory, ...] = ()


@dataclass(frozen=True, slots=True)
class JobHistory:
    """A job, from its history file.

    Attributes:
        format: ``avro-json``, ``avro-binary`` or ``text-1`` (MapReduce 1).
        state: ``SUCCEEDED``, ``FAILED``, ``KILLED``, ``ERROR``, or None where the file breaks off.
        counters: the job's counters. Hadoop writes none for a job that did not succeed; these are
            then the sums over its finished tasks.
        uber: whether its tasks ran inside the application master.
        losses: what could not be read, one sentence each.
    """

    format: str
    job_id: str
    name: str = ""
    user: str = ""
    queue: str = ""
    state: str | None = None
    submit_ms: int | None = None
    launch_ms: int | None = None
    finish_ms: int | None = None
    diagnostics: str = ""
    total_maps: int | None = None
    total_reduces: int | None = None
    uber: bool | None = None
    counters: Counters = NO_COUNTERS
    tasks: tuple[TaskHistory, ...] = ()
    losses: tuple[str, ...] = field(default=())

    def attempts(self) -> dict[str, AttemptHistory]:
        """Every attempt by its id."""
        return {attempt.id: attempt for task in self.tasks for attempt in task.attempts}

    def failed_attempts(self) -> tuple[AttemptHistory, ...]:
        """Attempts that failed, ordered by task and number."""
        return tuple(a for t in self.tasks for a in t.attempts if a.state == "FAILED")
