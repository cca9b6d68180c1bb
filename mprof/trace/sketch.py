"""The agent's sketch: the sizes of many records or groups in logarithmic buckets.

DDSketch (Masson, Rim and Lee: "DDSketch: a fast and fully-mergeable quantile sketch with
relative-error guarantees", VLDB 2019). Value ``x >= 1`` falls into bucket
``ceil(ln(x) / ln(gamma))``; a bucket's estimate ``2 * gamma**i / (gamma + 1)`` is at most
``(gamma - 1) / (gamma + 1)`` off: 0.99 % for gamma 1.02.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import msgspec

__all__ = ["GAMMA", "Sketch", "merge_sketches"]

GAMMA: Final = 1.02
"""What the agent uses by default; a sketch has its own gamma."""


class Sketch(msgspec.Struct, frozen=True, kw_only=True):
    """A sketch, as in the event log.

    Attributes:
        gamma: ratio of neighbouring bucket bounds.
        zero: number of values below 1.
        buckets: (index, number of values), any order.
        min: smallest value, exact; None when empty.
        max: largest value, exact; None when empty.
        sum: sum of the values, exact.
    """

    gamma: float = GAMMA
    zero: int = 0
    buckets: tuple[tuple[int, int], ...] = ()
    min: float | None = None
    max: float | None = None
    sum: float = 0
    count: int = 0

    @classmethod
    def of(cls, value: int, *, gamma: float = GAMMA) -> Sketch:
        """The sketch of one value, in the bucket that the agent's has for it.

        Raises:
            ValueError: if the value is negative.
        """
        if value < 0:
            raise ValueError(f"a size is at least 0, not {value}")
        index = math.ceil(math.log(value) / math.log(gamma)) if value > 0 else 0
        while value > 0 and math.floor(gamma**index) < value:
            index += 1  # the logarithm was rounded down
        return cls(
            gamma=gamma,
            zero=0 if value else 1,
            buckets=((index, 1),) if value else (),
            min=value,
            max=value,
            sum=value,
            count=1,
        )

    @property
    def relative_error(self) -> float:
        """Maximum relative error of an estimate."""
        return (self.gamma - 1) / (self.gamma + 1)

    @property
    def mean(self) -> float | None:
        """The exact mean; None when empty."""
        return self.sum / self.count if self.count else None

    def values(self) -> list[tuple[float, int]]:
        """(estimate, number of values), increasing; the smallest and the largest are exact."""
        pairs = [(0.0, self.zero)] if self.zero else []
        pairs += [(self._clamped(self._estimate(i)), n) for i, n in sorted(self.buckets) if n > 0]
        return pairs

    def at_rank(self, rank: int) -> float:
        """Estimate of the value at this 1-based rank, in increasing order.

        Raises:
            ValueError: if there is no such rank.
        """
        if not 1 <= rank <= self.count:
            raise ValueError(f"rank {rank} of {self.count} values")
        seen = 0
        for value, number in self.values():
            seen += number
            if rank <= seen:
                return value
        return self.max if self.max is not None else 0.0

    def quantile(self, share: float) -> float | None:
        """The quantile at position ``share * (N + 1)``, interpolated; None when empty.

        NIST/SEMATECH e-Handbook 7.2.6.2 (the definition the paper's fences use).
        """
        if self.count == 0:
            return None
        position = share * (self.count + 1)
        lower = min(max(math.floor(position), 1), self.count)
        upper = min(lower + 1, self.count)
        below, above = self.at_rank(lower), self.at_rank(upper)
        return below + (above - below) * min(max(position - lower, 0.0), 1.0)

    def _estimate(self, index: int) -> float:
        middle = 2 * self.gamma**index / (self.gamma + 1)
        # sizes and counts are integers: below 50, a bucket contains only one of them
        low, high = self.gamma ** (index - 1), self.gamma**index * (1 + 1e-12)
        only = math.floor(high)
        return float(only) if only - math.floor(low) == 1 else middle

    def _clamped(self, value: float) -> float:
        low = self.min if self.min is not None else value
        high = self.max if self.max is not None else value
        return min(max(value, low), high)


def merge_sketches(sketches: Iterable[Sketch]) -> Sketch | None:
    """One sketch of all values; None if there are none.

    Raises:
        ValueError: if their bucket widths differ.
    """
    many = [each for each in sketches if each.count]
    if not many:
        return None
    if len({each.gamma for each in many}) > 1:
        raise ValueError("sketches of different gamma cannot be merged")
    buckets: dict[int, int] = {}
    for each in many:
        for index, number in each.buckets:
            buckets[index] = buckets.get(index, 0) + number
    return Sketch(
        gamma=many[0].gamma,
        zero=sum(each.zero for each in many),
        buckets=tuple(sorted(buckets.items())),
        min=min((each.min for each in many if each.min is not None), default=None),
        max=max((each.max for each in many if each.max is not None), default=None),
        sum=sum(each.sum for each in many),
        count=sum(each.count for each in many),
    )
