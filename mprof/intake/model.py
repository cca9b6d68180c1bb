"""What was read: jobs with what is left of their attempts, and what could not be used."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mprof.findings import Found, Unused
from mprof.job_run import JobRun

__all__ = ["TakenIn"]


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
        remarks: what is known of the words of texts; of use where nothing is told to have died.
    """

    jobs: tuple[JobRun, ...] = ()
    dumps: tuple[Path, ...] = ()
    captures: tuple[Path, ...] = ()
    found: tuple[Found, ...] = ()
    unused: tuple[Unused, ...] = ()
    notes: tuple[str, ...] = field(default=())
    remarks: tuple[str, ...] = ()
