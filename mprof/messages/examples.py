"""Builders of evidence for the examples of messages: a death told by logs alone."""

from __future__ import annotations

from typing import Any

from mprof.code import CodeSite
from mprof.evidence import Attempt, Death, Evidence, Job

__all__ = ["at", "map_death", "reduce_death"]


def at(class_name: str, method: str, file: str | None = None, line: int | None = None) -> CodeSite:
    """A frame of a stack."""
    return CodeSite(class_name, method, file, line)


def map_death(death: Death, **changes: Any) -> Evidence:
    """A map attempt that died so; nothing else is known of it."""
    attempt = Attempt("attempt_1700000000000_0001_m_000003_0", "map", 3)
    return Evidence(job=Job("job_1700000000000_0001"), attempt=attempt, death=death, **changes)


def reduce_death(death: Death, **changes: Any) -> Evidence:
    """The same of a reduce attempt."""
    attempt = Attempt("attempt_1700000000000_0001_r_000002_0", "reduce", 2)
    return Evidence(job=Job("job_1700000000000_0001"), attempt=attempt, death=death, **changes)
