"""A share that was counted, with what chance leaves open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

__all__ = ["CONFIDENCE", "Share", "together"]

CONFIDENCE: Final = 0.95
"""Of the intervals: the usual one."""


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many.

    Attributes:
        count: that have what is counted.
        total: that were looked at.
    """

    count: int
    total: int

    @property
    def rate(self) -> float | None:
        """The share; None where nothing was looked at."""
        return self.count / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's interval of 95 %; None where nothing was looked at.

        Wilson, *Probable inference, the law of succession, and statistical inference*, 1927.
        """
        if not self.total:
            return None
        from statsmodels.stats.proportion import proportion_confint  # takes a second to load

        low, high = proportion_confint(
            self.count, self.total, alpha=1 - CONFIDENCE, method="wilson"
        )
        return max(0.0, float(low)), min(1.0, float(high))

    def __str__(self) -> str:
        """As tables print it: ``2 of 60 (3.3 %, 0.9 to 11.4 %)``."""
        if (rate := self.rate) is None or (interval := self.interval) is None:
            return "0 of 0"
        low, high = interval
        return (
            f"{self.count} of {self.total} ({100 * rate:.1f} %,"
            f" {100 * low:.1f} to {100 * high:.1f} %)"
        )


def together(shares: Iterable[Share]) -> Share:
    """All of them as one."""
    every = list(shares)
    return Share(sum(each.count for each in every), sum(each.total for each in every))
