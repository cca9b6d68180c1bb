"""What could not be read of a history, in sentences, and not too many of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

__all__ = ["Losses"]

_MOST: Final = 100
"""Sentences that are kept: every line of a gigabyte may be damaged."""


@dataclass(slots=True)
class Losses:
    """Takes in sentences; those beyond the first hundred are counted."""

    _first: list[str] = field(default_factory=list)
    _more: int = 0

    def add(self, sentence: str) -> None:
        """One more loss."""
        if len(self._first) < _MOST:
            self._first.append(sentence)
        else:
            self._more += 1

    def told(self) -> tuple[str, ...]:
        """The first ones, and how many there were besides."""
        if not self._more:
            return tuple(self._first)
        return (*self._first, f"history: {self._more:,} further lines are damaged")
