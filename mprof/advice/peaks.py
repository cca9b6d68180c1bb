"""The peak of another amount of data, tied to what was live when the attempt died.

At the death both are known: how much data had been taken in, and how much was needed. A prediction
for as much data or more is never below that. For less data, what does not grow is needed all the
same, and what grows came up from nothing to its size at the death: the chord between the two. The
curve may say more, and so may the points that it was fitted to, as where it rises fast at first
(sets of distinct values).

Of several parts of the data one needs most. The growth differs from part to part by as much as it
differs from the law between the points that were measured: of independent steps the variance is in
proportion to their number. And a part may have one step more than the mean one. Of thousands of
records neither is much; of five it is a quarter.

A curve alone is not enough. It is tied to the last point measured, so that what came between that
point and the death is not in it: a split of 26.2 MB was advised for a task that had died at 27.0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from mprof.evidence import HolderKey, Lifecycle, Series
from mprof.patterns import Growing, MemoryModel
from mprof.patterns.growth.laws import DEVIATIONS

__all__ = ["GROWING", "Peaks", "peaks_of"]

GROWING: Final[dict[str, Lifecycle]] = {
    "large_accumulated_results.map": "map",
    "large_accumulated_results.reduce": "reduce",
    "large_accumulated_results.group": "group",
    "hotspot_key": "group",
}
"""Causes of which something grows, and how long that lives."""


@dataclass(frozen=True, slots=True)
class Peaks:
    """Peaks by the amount of data, in the unit of what grows.

    Attributes:
        memory: of the attempt.
        growing: what grows with the data.
        constant_bytes: what was live at the death and does not grow with all of the data, what is
            emptied now and then included.
        death_bytes: what was needed when it died: what was live, or all that can be where an
            allocation failed beside that.
        spread_bytes: standard deviation of what comes with one unit of x, by the points measured.
        measured: (x, bytes) of each thing that grows, in order of x; empty where only the heap as
            a whole was measured.
    """

    memory: MemoryModel
    growing: Growing
    constant_bytes: int
    death_bytes: float
    spread_bytes: float = 0.0
    measured: tuple[tuple[tuple[float, float], ...], ...] = ()

    def at(self, x: float) -> float:
        """Bytes needed when x has been taken in."""
        fitted = self.memory.need_at(self.growing, x)
        return max(fitted, self._tied(x), self._seen(x))

    def of_a_part(self, x: float) -> float:
        """Bytes needed by one of several tasks that get x on the mean: by the one that needs most.

        A part of the size that died is as large, and may be any other.
        """
        if x >= self.growing.x_now:
            return self.at(x)
        least = self.at(min(x + 1, self.growing.x_now))
        return least + DEVIATIONS.value * self.spread_bytes * math.sqrt(x)

    def fits(self, x: float, share: float) -> bool:
        """Whether parts of that size stay within that share of what live objects may take."""
        return self.of_a_part(x) <= share * self.memory.capacity_bytes

    def _tied(self, x: float) -> float:
        at_death = self.growing.x_now
        if x >= at_death or at_death <= 0:
            return self.death_bytes
        grown = self.death_bytes - self.constant_bytes
        return self.constant_bytes + grown * max(0.0, x) / at_death

    def _seen(self, x: float) -> float:
        """What was live with x taken in, between the points that were measured."""
        if not self.measured or x >= self.growing.x_now:
            return 0.0
        return self.constant_bytes + sum(
            float(np.interp(x, [at for at, _ in points], [size for _, size in points]))
            for points in self.measured
        )


def peaks_of(memory: MemoryModel, growing: Growing, series: Iterable[Series]) -> Peaks:
    """The peaks of an attempt in which that grows."""
    rest = max(0, memory.rest_beside(growing) - memory.cleanup_bytes)
    needed = rest + memory.need_at_death(growing) + memory.cleanup_bytes
    emptied, kept = growing.emptied, growing.kept
    keys = kept.keys if kept is not None else ()
    measured = {
        one.holder: tuple(sorted((point.x, point.size_bytes) for point in one.points))
        for one in series
        if one.holder in keys and one.unit == growing.unit and one.points
    }
    constant = rest + (emptied.held_bytes if emptied is not None else 0)
    spread = _spread(kept, measured) if kept is not None else 0.0
    death = max(float(memory.live_bytes), needed)
    return Peaks(memory, growing, constant, death, spread, tuple(measured.values()))


def _spread(kept: Growing, measured: Mapping[HolderKey, Iterable[tuple[float, float]]]) -> float:
    """Standard deviation of what one unit of x brings, beside the law of each object."""
    if len(kept.keys) != len(kept.laws):
        return 0.0  # of a class, or the heap as a whole: no object's own points
    variance = 0.0
    for key, law in zip(kept.keys, kept.laws, strict=True):
        off = [(x, size - law.at(x)) for x, size in measured.get(key, ())]
        steps = [(b - a) ** 2 / (v - u) for (u, a), (v, b) in pairwise(off) if v > u]
        variance += sum(steps) / len(steps) if steps else 0.0
    return math.sqrt(variance)
