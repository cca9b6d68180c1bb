"""What a search in the facts comes to: found, absent with the reason, or not known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeVar

from mprof.evidence import Unknown

__all__ = ["Absent", "Confidence", "EvidenceLevel", "found"]

T = TypeVar("T")

Confidence = Literal["sure", "likely", "possible"]
EvidenceLevel = Literal["passive", "histogram", "dump", "verified"]


@dataclass(frozen=True, slots=True)
class Absent:
    """The pattern is not there, and why that can be said. Never the same as not known."""

    why: str


def found(pattern: T | Absent | Unknown) -> T | None:
    """The pattern, or None where it is absent or not known."""
    return None if isinstance(pattern, Absent | Unknown) else pattern
