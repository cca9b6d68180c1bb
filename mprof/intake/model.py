"""What was taken in: jobs with what is left of their attempts, and what could not be used."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mprof.findings import Found, Unused
from mprof.history import JobConf, JobHistory
from mprof.trace import Trace

__all__ = ["TakenIn", "TakenJob"]


@dataclass(frozen=True, slots=True)
class TakenJob:
    """One job, as far as anything tells of it.

    Attributes:
        job_id: None of logs that name no job.
        history: None where there is none.
        conf: the same.
        state: ``SUCCEEDED``, ``FAILED``, ``KILLED``; None where nothing says.
        diagnostics: what is said about the job as a whole, or "".
        traces: of its attempts and containers.
        losses: what could not be read of it, one sentence each.
    """

    job_id: str | None
    history: JobHistory | None = None
    conf: JobConf | None = None
    state: str | None = None
    diagnostics: str = ""
    traces: tuple[Trace, ...] = ()
    losses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TakenIn:
    """Everything that was found at the places named.

    Attributes:
        jobs: in order of their ids; logs that name none come last.
        dumps: heap dumps that are of no known attempt.
        captures: folders that mprof wrote.
        found: what each content is.
        unused: what could not be used, and why.
        notes: what else the reader should know, one sentence each.
    """

    jobs: tuple[TakenJob, ...] = ()
    dumps: tuple[Path, ...] = ()
    captures: tuple[Path, ...] = ()
    found: tuple[Found, ...] = ()
    unused: tuple[Unused, ...] = ()
    notes: tuple[str, ...] = field(default=())
