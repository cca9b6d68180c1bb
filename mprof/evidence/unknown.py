"""What is not known, which is never the same as nothing, and the run that would tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeVar

__all__ = ["Run", "Unknown", "known"]

T = TypeVar("T")

Run = Literal["run", "rerun", "verify", "cluster", "none"]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A fact that the evidence at hand does not hold.

    Attributes:
        missing: what is missing, as a phrase that completes "cannot tell without ...".
        run_that_would_tell: `run` (watch), `rerun` (profile), `verify` (R_n only),
            `cluster` (ask the cluster again), `none` (no run would).
    """

    missing: str
    run_that_would_tell: Run = "rerun"


def known(fact: T | Unknown) -> T | None:
    """The fact, or None where it is not known."""
    return None if isinstance(fact, Unknown) else fact
