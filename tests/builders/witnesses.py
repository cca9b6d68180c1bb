"""Evidence that must keep its verdicts where a threshold is moved, whatever says them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from development.sweep import Verdicts
from mprof.threshold import Threshold, thresholds_moved, thresholds_read

__all__ = ["Said"]


@dataclass(frozen=True)
class Said:
    """One set of evidence of which everything is said in one step.

    Attributes:
        name: as tables print it.
        say: what is said of it with the thresholds in force.
        of: the names of the thresholds that are moved on it; all that it reads where None.
    """

    name: str
    say: Callable[[], Verdicts]
    of: frozenset[str] | None = None

    @property
    def verdicts(self) -> Verdicts:
        """With every threshold at its default."""
        return self._followed[0]

    @property
    def read(self) -> frozenset[str]:
        """The names of the thresholds on which it may depend."""
        read = self._followed[1]
        return read if self.of is None else read & self.of

    def verdicts_with(self, threshold: Threshold, value: float) -> Verdicts:
        """With another value of one threshold."""
        if threshold.name not in self.read:
            return self.verdicts
        with thresholds_moved({threshold.name: value}):
            return self.say()

    @cached_property
    def _followed(self) -> tuple[Verdicts, frozenset[str]]:
        with thresholds_read() as read:
            said = self.say()
        return said, frozenset(read)
