"""References as compiled passes take them, from plain lists."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

__all__ = ["columns", "prefix_of"]


def columns(rows: list[list[int]], width: type = np.int32) -> tuple[np.ndarray, np.ndarray]:
    """Rows as the kernels take them: position 0 belongs to none, the last target complemented."""
    starts, targets = [], [0]
    for row in rows:
        starts.append(len(targets) if row else 0)
        targets += [*row[:-1], ~row[-1]] if row else []
    return np.array(starts, width), np.array(targets, np.int32)


def prefix_of(weights: Sequence[int]) -> np.ndarray:
    """Sums of the weights before each one, and of all at the end."""
    return np.array([0, *accumulate(weights)], np.int64)
