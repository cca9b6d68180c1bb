"""How values are spread, exactly or from a sketch, as one small frozen value."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from mprof.trace import Sketch

__all__ = ["Distribution"]

_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Distribution:
    """Distinct values in rising order, each with how often it was seen.

    Attributes:
        values: rising, no two alike.
        counts: how often each was seen, same length, all positive.
        relative_error: how far a value may be from the true one, as a share of it.
            0 where the values are exact; 0.01 for the sketches of the event log.
    """

    values: tuple[float, ...]
    counts: tuple[int, ...]
    relative_error: float = 0.0

    @classmethod
    def of(cls, values: Iterable[float], *, relative_error: float = 0.0) -> Distribution:
        """The distribution of a list of values.

        >>> Distribution.of([3, 1, 3]).counts
        (1, 2)
        """
        return cls.from_counts(((value, 1) for value in values), relative_error=relative_error)

    @classmethod
    def from_counts(
        cls, pairs: Iterable[tuple[float, int]], *, relative_error: float = 0.0
    ) -> Distribution:
        """The distribution of (value, count) pairs in any order; equal values are added up."""
        table: dict[float, int] = {}
        for value, count in pairs:
            if count > 0:
                table[float(value)] = table.get(float(value), 0) + count
        ordered = sorted(table)
        return cls(tuple(ordered), tuple(table[value] for value in ordered), relative_error)

    @classmethod
    def of_sketch(cls, sketch: Sketch) -> Distribution:
        """The distribution that a sketch of the event log holds, with its error."""
        return cls.from_counts(sketch.values(), relative_error=sketch.relative_error)

    def without(self, value: float) -> Distribution:
        """The distribution without one value that is in it, or the nearest within its error.

        >>> Distribution.of([1, 3, 3]).without(3).counts
        (1, 1)
        """
        near = min(self.values, key=lambda one: abs(one - value), default=None)
        if near is None or abs(near - value) > 2 * self.relative_error * value:
            return self
        pairs = zip(self.values, self.counts, strict=True)
        fewer = ((one, count - (one == near)) for one, count in pairs)
        return Distribution.from_counts(fewer, relative_error=self.relative_error)

    @property
    def count(self) -> int:
        """How many values there are."""
        return sum(self.counts)

    @property
    def total(self) -> float:
        """Of all values together; of a sketch within its error."""
        return sum(size * times for size, times in zip(self.values, self.counts, strict=True))

    @property
    def largest(self) -> float:
        """The largest value; 0 where there is none."""
        return self.values[-1] if self.values else 0.0

    @property
    def median(self) -> float:
        """The value in the middle.

        Raises:
            ValueError: if there are no values.
        """
        return self.quantile(_HALF)

    def quantile(self, p: float) -> float:
        """The value at position p * (N + 1), interpolated between ranks (NIST 7.2.6.2).

        The handbook's own example, twelve wafer measurements:

        >>> wafers = Distribution.of([95.1772, 95.1567, 95.1937, 95.1959, 95.1442, 95.0610,
        ...                           95.1591, 95.1195, 95.1065, 95.0925, 95.1990, 95.1682])
        >>> round(wafers.quantile(0.9), 4)
        95.1981

        Raises:
            ValueError: if there are no values.
        """
        position = p * (self.count + 1)
        rank = math.floor(position)
        low = self.at_rank(rank)
        if rank < 1 or rank >= self.count:
            return low
        return low + (position - rank) * (self.at_rank(rank + 1) - low)

    def at_rank(self, rank: int) -> float:
        """The value at a 1-based rank; ranks outside are taken to the nearest end.

        Raises:
            ValueError: if there are no values.
        """
        if not self.values:
            raise ValueError("an empty distribution has no ranks")
        seen = 0
        for value, count in zip(self.values, self.counts, strict=True):
            seen += count
            if seen >= rank:
                return value
        return self.values[-1]
