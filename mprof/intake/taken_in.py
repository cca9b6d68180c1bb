"""What was read: jobs with what is left of their attempts, and what could not be used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from mprof.findings import Found, Unused
from mprof.job_run import JobRun
from mprof.trace import MEMORY_KINDS, Trace

__all__ = ["TakenIn", "together", "without_said"]


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


def together(parts: Sequence[TakenIn]) -> TakenIn:
    """What the chapters of one text tell, in their order."""
    if len(parts) == 1:
        return parts[0]
    found = {one.kind: one for one in chain.from_iterable(one.found for one in parts)}
    used = {one.first for one in found.values()}
    lost = chain.from_iterable(one.unused for one in parts)
    return TakenIn(
        jobs=_without_what_is_only_said([*chain.from_iterable(one.jobs for one in parts)]),
        found=tuple(found.values()),
        unused=tuple(one for one in lost if one.name not in used),
        notes=tuple(dict.fromkeys(chain.from_iterable(one.notes for one in parts))),
        remarks=tuple(dict.fromkeys(chain.from_iterable(one.remarks for one in parts))),
    )


def _without_what_is_only_said(jobs: Sequence[JobRun]) -> tuple[JobRun, ...]:
    """The jobs of chapters without deaths that somebody only names, as of one of them."""
    kept = without_said([list(job.traces) for job in jobs])
    return tuple(
        replace(job, traces=tuple(traces))
        for job, traces in zip(jobs, kept, strict=True)
        if traces or not job.traces or job.job_id is not None
    )


def without_said(traces: Sequence[list[Trace]]) -> Sequence[list[Trace]]:
    """The traces of each job without what is only named, where a log tells of a death of memory.

    Who writes about a death names it as well, and asks about it.
    """
    every = chain.from_iterable(traces)
    if not any(one.death.kind in MEMORY_KINDS and not one.death.said for one in every):
        return traces
    return [[one for one in of_job if not one.death.said] for of_job in traces]
