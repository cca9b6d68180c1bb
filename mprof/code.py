"""A place in Java code, as stacks, dumps and reports name it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CodeSite"]


@dataclass(frozen=True, slots=True)
class CodeSite:
    """A method, and the line where it stood; ``file`` and ``line`` are None where unknown."""

    class_name: str
    method: str
    file: str | None = None
    line: int | None = None
