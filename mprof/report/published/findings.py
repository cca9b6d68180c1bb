"""What `mprof diagnose` publishes: every death with its diagnosis, and what was not used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from mprof.findings import Findings, Found, Told, Unused
from mprof.report.published.base import Published
from mprof.report.published.report import SCHEMA_VERSION, Report

__all__ = ["Dead", "FindingsReport"]


class Dead(Published, frozen=True, kw_only=True):
    """A container or an attempt that died; what nothing names is null.

    Attributes:
        line: from which the kind of its death is told.
        diagnosis: index of its diagnosis.
    """

    container_id: str | None
    attempt_id: str | None
    job_id: str | None
    host: str | None
    kind: str
    line: str
    diagnosis: int


class FindingsReport(Published, frozen=True, kw_only=True):
    """Every death that was found; the same object of one, of several and of none.

    Attributes:
        deaths: every container or attempt that died.
        diagnoses: the most telling first, one for all that died in the same way; of a job that did
            not fail its own; empty where nothing that was read speaks of an end.
        found: what was read; empty of the id of a job.
        unused: what could not be used.
        notes: what else the reader should know, one sentence each.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    deaths: tuple[Dead, ...]
    diagnoses: tuple[Report, ...]
    found: tuple[Found, ...]
    unused: tuple[Unused, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, findings: Findings) -> FindingsReport:
        """All of what was found."""
        return cls(
            deaths=tuple(
                dead for number, told in enumerate(findings.told) for dead in _dead(told, number)
            ),
            diagnoses=tuple(Report.of(one.diagnosed) for one in findings.told),
            found=findings.found,
            unused=findings.unused,
            notes=findings.notes,
        )


def _dead(told: Told, diagnosis: int) -> Iterator[Dead]:
    """All that died so; of a capture or a dump the attempt that its diagnosis is of."""
    for one in told.dead:
        yield Dead.taken(one, diagnosis=diagnosis)
    evidence = told.diagnosed.evidence
    if not told.dead and evidence.death.kind != "none":
        yield Dead(
            container_id=evidence.attempt.container_id,
            attempt_id=evidence.attempt.attempt_id,
            job_id=evidence.job.job_id,
            host=evidence.attempt.host,
            kind=evidence.death.kind,
            line=evidence.death.evidence.strip().split("\n")[0],
            diagnosis=diagnosis,
        )
