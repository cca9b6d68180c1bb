"""What the cluster reports, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = [
    "AttemptStatus",
    "FileStatus",
    "HistoryFiles",
    "JobStatus",
    "SiteProperties",
    "Space",
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
        container_id: its container; None if it never had one.
        node: ``host:port`` of its NodeManager, or None.
        diagnostics: the diagnostics of its end, or "".
        exit_code: of its container, if the diagnostics name one, else None.
        run_time_ms: how long it ran; None where it is not known.
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
        """Whether it failed; an attempt that was killed did not."""
        return self.state in {"FAILED", "TIPFAILED"}


@dataclass(frozen=True, slots=True)
class JobStatus:
    """One job.

    Attributes:
        job_id: ``job_...``.
        state: ``PREP``, ``RUNNING``, ``SUCCEEDED``, ``FAILED`` or ``KILLED``.
        diagnostics: the diagnostics of its end, or "".
        submit_time_ms: epoch milliseconds; None once the ResourceManager has forgotten it.
        start_time_ms: epoch milliseconds, or None.
        finish_time_ms: epoch milliseconds; None while it runs.
        has_history: False where no application master lived long enough to write a history.
        uber: whether its tasks ran inside the application master.
        counters: group -> counter -> value, as far as they were reported.
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
        """Whether it has ended, successfully or not."""
        return self.state in {"SUCCEEDED", "FAILED", "KILLED"}


@dataclass(frozen=True, slots=True)
class TaggedApplication:
    """An application with a tag.

    Attributes:
        job_id: its job id; meaningful if its type is ``MAPREDUCE``.
        type: ``MAPREDUCE``, ``SPARK``, ``TEZ``...
        state: as in ``JobStatus``.
    """

    application_id: str
    job_id: str
    type: str
    state: str


@dataclass(frozen=True, slots=True)
class Submission:
    """The result of running the user's command.

    Attributes:
        exit_code: of the command; the negative signal number if a signal ended it.
        job_ids: the jobs it started on the cluster, in order of submission.
        untagged_job_ids: those of ``job_ids`` without the tag: their driver uses a configuration
            of its own, and the overlay has no effect.
        local_job_ids: jobs that ran inside the driver (``mapreduce.framework.name=local``).
        uber_job_ids: those of ``job_ids`` whose tasks ran inside the application master, as far as
            the driver printed it.
        tag: the tag of its jobs.
        memory_error: message of the OutOfMemoryError that the command itself printed; None if it
            did not.
    """

    exit_code: int
    job_ids: tuple[str, ...]
    untagged_job_ids: tuple[str, ...]
    local_job_ids: tuple[str, ...]
    uber_job_ids: tuple[str, ...]
    output_tail: tuple[str, ...]
    tag: str
    memory_error: str | None = None


@dataclass(frozen=True, slots=True)
class HistoryFiles:
    """The history of a job, as local files."""

    jhist: Path
    conf_xml: Path


@dataclass(frozen=True, slots=True)
class FileStatus:
    """A file or folder on a Hadoop file system.

    Attributes:
        uri: fully qualified.
        modified_ms: modification time in epoch milliseconds.
        owner: its owner; None in a listing.
        mode: its permissions, the sticky bit included; None in a listing.
    """

    uri: str
    is_folder: bool
    size_bytes: int
    modified_ms: int
    is_link: bool = False
    owner: str | None = None
    mode: int | None = None

    @property
    def name(self) -> str:
        """The last part of its URI."""
        return self.uri.rstrip("/").rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Space:
    """The space of a file system."""

    used_bytes: int
    usable_bytes: int

    @property
    def share_used(self) -> float | None:
        """Share in use, 0 to 1; None where the file system does not say how large it is."""
        total = self.used_bytes + self.usable_bytes
        return self.used_bytes / total if total > 0 else None


@dataclass(frozen=True, slots=True)
class SiteProperties:
    """What the site files of a client configuration folder say, by Hadoop's own rules.

    Attributes:
        values: property -> value, variables not replaced, defaults left out.
        final: properties that no client can change.
    """

    values: Mapping[str, str]
    final: frozenset[str]
