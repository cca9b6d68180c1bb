"""Round values at which an axis is marked."""

from __future__ import annotations

import math
from collections.abc import Iterator

__all__ = ["ticks"]

GRID_LINES = 4


def ticks(most: float, unit: float) -> Iterator[float]:
    """Multiples of 1, 2 or 5 times a power of ten of a unit, from 0 up, about `GRID_LINES`.

    >>> list(ticks(271, 1))
    [0, 100, 200]
    """
    at_least = max(most / unit / GRID_LINES, 1)
    power = 10 ** math.floor(math.log10(at_least))
    step = next(nice * power for nice in (1, 2, 5, 10) if nice * power >= at_least) * unit
    tick: float = 0
    while tick <= most:
        yield tick
        tick += step
