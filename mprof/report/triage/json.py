"""The public JSON object of a triage (``docs/reference/triage.schema.json``).

A contract: members may be added, none is removed or changes its meaning within a schema version.
"""

from __future__ import annotations

import math
from typing import Any

from mprof.triage import Branch, Figure, Finding, JobSummary, Triage

__all__ = ["SCHEMA_VERSION", "to_json"]

SCHEMA_VERSION = 1


def to_json(triage: Triage) -> dict[str, Any]:
    """The triage as an object of strings, numbers, lists and None."""
    fired = triage.fired
    return {
        "schema_version": SCHEMA_VERSION,
        "job": _job(triage.job),
        "answer": fired[0].name if fired else None,
        "branches": [_branch(one) for one in triage.branches],
        "losses": list(triage.losses),
    }


def _job(job: JobSummary) -> dict[str, Any]:
    return {
        "id": job.id,
        "name": job.name,
        "user": job.user,
        "state": job.state,
        "submitted_s": job.submitted_s,
        "seconds": job.seconds,
        "hosts": job.hosts,
        "map_attempts": job.maps,
        "reduce_attempts": job.reduces,
        "failed_attempts": job.failed,
        "killed_attempts": job.killed,
        "task_seconds": job.task_seconds,
    }


def _branch(branch: Branch) -> dict[str, Any]:
    step = branch.step
    return {
        "branch": branch.name,
        "verdict": branch.verdict,
        "confidence": branch.confidence,
        "ended_job": branch.ended_job,
        "seconds": branch.seconds,
        "findings": [_finding(one) for one in branch.findings],
        "why": branch.why,
        "left_out": list(branch.left_out),
        "next": None if step is None else {"text": step.text, "command": step.command},
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "sentence": finding.sentence,
        "confidence": finding.confidence,
        "ended_job": finding.ended_job,
        "seconds": finding.seconds,
        "hosts": list(finding.hosts),
        "attempts": list(finding.attempts),
        "figures": [_figure(one) for one in finding.figures],
    }


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "name": figure.name,
        "value": _number(figure.value),
        "usual": None if figure.usual is None else _number(figure.usual),
        "unit": figure.unit,
    }


def _number(value: float) -> float | None:
    """A number as JSON has it; null where it is none, or beyond every other."""
    return value if math.isfinite(value) else None
