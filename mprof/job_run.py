"""One job as one run of it left it behind: what `mprof.evidence` and `mprof.plan` read.

A capture holds the same job several times (watch, profile, verify), oldest first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mprof.history import JobConf, JobHistory
from mprof.objects import HeapObjects
from mprof.trace import Trace

__all__ = ["JobRun", "PartitionFile"]


@dataclass(frozen=True, slots=True)
class PartitionFile:
    """A partition file that was made from the keys of the job.

    Attributes:
        uri: where it lies.
        records: that each partition gets by it.
    """

    uri: str
    records: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class JobRun:
    """A job and what its attempts left behind in one run.

    Attributes:
        job_id: None where only files without a job id are at hand (a lone dump, lone logs).
        mode: what its failed tasks ran in; `none` without an agent.
        history: the job history, None where it could not be had.
        conf: the job's configuration, None where it could not be had.
        traces: one a task attempt whose files are at hand.
        snapshots: by attempt id, what was read from its heap dumps, in order of their points.
        losses: what is missing or could not be read, one sentence each.
        state: how the job ended, as the cluster said or else its history: ``SUCCEEDED``,
            ``FAILED``, ``KILLED``; None where nobody said.
        diagnostics: what the cluster said of that end.
        partition_file: None where none was made.
        number: of the run in its capture, from 1; None where there is no capture.
    """

    job_id: str | None
    mode: Literal["none", "watch", "profile", "verify"]
    history: JobHistory | None = None
    conf: JobConf | None = None
    traces: tuple[Trace, ...] = ()
    snapshots: Mapping[str, tuple[HeapObjects, ...]] = field(default_factory=dict)
    losses: tuple[str, ...] = ()
    state: str | None = None
    diagnostics: str = ""
    partition_file: PartitionFile | None = None
    number: int | None = None
