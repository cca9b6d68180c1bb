"""What the cluster says, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = [
    "AttemptStatus",
    "FileStatus",
    "HistoryFiles",
    "JobStatus",
    "Submission",
    "TaggedApplication",
]


@dataclass(frozen=True, slots=True)
class AttemptStatus:
    """One attempt of a task.

    Attributes:
        attempt_id: ``attempt_..._m_000000_0``.
        task_type: ``MAP`` or ``REDUCE`` (or ``JOB_SETUP``, ``JOB_CLEANUP``).
        state: ``SUCCEEDED``, ``FAILED``, ``TIPFAILED`` (the failure that failed its task),
            ``KILLED`` or ``OBSOLETE`` (succeeded, then its output was lost).
        container_id: where it ran, or None if it never had one.
        node: ``host:port`` of its NodeManager, or None.
        diagnostics: what was reported about its end; empty for a good one.
        exit_code: of its container, where the diagnostics name one.
        run_time_ms: how long it ran, where the cluster says so.
    """

    attempt_id: str
    task_type: str
    state: str
    container_id: str | None
    node: str | None
    diagnostics: str
    exit_code: int | None
    run_time_ms: int | None

    @property
    def failed(self) -> bool:
        """Whether it ended by a failure of its own."""
        return self.state in {"FAILED", "TIPFAILED"}

    @property
    def task_id(self) -> str:
        """``task_..._m_000000``."""
        return "task" + self.attempt_id.removeprefix("attempt").rpartition("_")[0]


@dataclass(frozen=True, slots=True)
class JobStatus:
    """One job.

    Attributes:
        job_id: ``job_...``.
        name: as its driver set it.
        state: ``PREP``, ``RUNNING``, ``SUCCEEDED``, ``FAILED`` or ``KILLED``.
        user: who submitted it.
        diagnostics: what was reported about its end.
        submit_time_ms: since the epoch; None once the ResourceManager has forgotten it.
        start_time_ms: since the epoch, or None.
        finish_time_ms: since the epoch, or None while it runs.
        has_history: False where no master lived long enough to leave one.
        uber: whether its tasks ran inside the application master.
        counters: group to counter to value, as far as the job reported them.
        attempts: in the order in which they ended.
    """

    job_id: str
    name: str
    state: str
    user: str
    diagnostics: str
    submit_time_ms: int | None
    start_time_ms: int | None
    finish_time_ms: int | None
    has_history: bool
    uber: bool
    counters: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    attempts: tuple[AttemptStatus, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether it has ended in any way."""
        return self.state in {"SUCCEEDED", "FAILED", "KILLED"}


@dataclass(frozen=True, slots=True)
class TaggedApplication:
    """An application that carries a tag.

    Attributes:
        application_id: ``application_...``.
        job_id: the same as a job, where its type is ``MAPREDUCE``.
        type: ``MAPREDUCE``, ``SPARK``, ``TEZ``...
        name: as its driver set it.
        state: as in JobStatus.
    """

    application_id: str
    job_id: str
    type: str
    name: str
    state: str


@dataclass(frozen=True, slots=True)
class Submission:
    """What came of running the user's command.

    Attributes:
        exit_code: of the command; negative signal number if a signal ended it.
        job_ids: the jobs it started on the cluster, in order of submission.
        untagged_job_ids: those of them that do not carry the tag, so that the overlay has not
            reached them (their driver sets its own configuration).
        local_job_ids: jobs that ran inside the driver (``mapreduce.framework.name=local``).
        uber_job_ids: those of `job_ids` whose tasks ran inside the application master, as far as
            the driver was told.
        seconds: how long the command ran.
        output_tail: its last lines.
        tag: what marks its jobs.
    """

    exit_code: int
    job_ids: tuple[str, ...]
    untagged_job_ids: tuple[str, ...]
    local_job_ids: tuple[str, ...]
    uber_job_ids: tuple[str, ...]
    seconds: float
    output_tail: tuple[str, ...]
    tag: str


@dataclass(frozen=True, slots=True)
class HistoryFiles:
    """The history of a job, as local files."""

    jhist: Path
    conf_xml: Path


@dataclass(frozen=True, slots=True)
class FileStatus:
    """A file or folder on some Hadoop file system.

    Attributes:
        uri: fully qualified.
        is_folder: whether it is one.
        size_bytes: of a file.
        modified_ms: since the epoch.
    """

    uri: str
    is_folder: bool
    size_bytes: int
    modified_ms: int
