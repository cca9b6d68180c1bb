"""The public JSON object of a triage (``docs/reference/triage.schema.json``).

A contract: members may be added, none is removed or changes its meaning within a schema version.
"""

from __future__ import annotations

from typing import Any

from mprof.report.json_text import members
from mprof.triage import Branch, Finding, JobSummary, Triage

__all__ = ["to_json"]


def to_json(triage: Triage) -> dict[str, Any]:
    """The triage as an object of what msgspec encodes: NaN and infinity as null."""
    fired = triage.fired
    return {
        "schema_version": 1,
        "job": _job(triage.job),
        "answer": fired[0].name if fired else None,
        "branches": [_branch(one) for one in triage.branches],
        "losses": triage.losses,
    }


def _job(job: JobSummary) -> dict[str, Any]:
    return {
        **members(job, "id", "name", "user", "state", "submitted_s", "seconds", "hosts"),
        "map_attempts": job.maps,
        "reduce_attempts": job.reduces,
        "failed_attempts": job.failed,
        "killed_attempts": job.killed,
        "task_seconds": job.task_seconds,
    }


def _branch(branch: Branch) -> dict[str, Any]:
    return {
        "branch": branch.name,
        **members(branch, "verdict", "confidence", "ended_job", "seconds"),
        "findings": [_finding(one) for one in branch.findings],
        **members(branch, "why", "left_out"),
        "next": branch.step,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return members(
        finding, "id", "sentence", "confidence", "ended_job", "seconds", "hosts", "attempts",
        "figures",
    )  # fmt: skip
