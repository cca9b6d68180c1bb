"""The object of several deaths, or of none."""

from __future__ import annotations

from typing import Literal

from msgspec import structs

from mprof.findings import Findings, Found, Unused
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
    """Every death that was found, of several and of none; one death is a diagnosis by itself.

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
    def of(cls, findings: Findings) -> FindingsReport | Report:
        """One diagnosis as its own object, with what was read beside it; else all of them."""
        reports = tuple(Report.of(one.diagnosed) for one in findings.told)
        found, unused = findings.found, findings.unused
        notes = (*findings.answers, *findings.notes)
        if len(reports) == 1 and findings.deaths <= 1:
            (report,) = reports
            if not found:
                return report
            return structs.replace(report, found=found, unused=unused, notes=notes)
        return cls(
            deaths=tuple(
                Dead.taken(one, diagnosis=number)
                for number, told in enumerate(findings.told)
                for one in told.dead
            ),
            diagnoses=reports,
            found=found,
            unused=unused,
            notes=notes,
        )
