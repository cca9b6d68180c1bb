"""Memory of large arrays that are done with, for those that come next."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["Spare"]


class Spare:
    """Hands the memory of one large array on to the next; not made for several threads.

    New memory must be found and cleared by the system, page by page, which took a fifth of the
    processor time of an analysis: about a second for each GB.
    """

    def __init__(self) -> None:
        self._blocks: list[NDArray[np.uint8]] = []

    def give(self, *arrays: NDArray[Any]) -> None:
        """Takes memory over; whoever gives an array must not use it any more."""
        self._blocks += [array.reshape(-1).view(np.uint8) for array in arrays]

    def take(self, count: int, dtype: DTypeLike) -> NDArray[Any]:
        """An array of any content, in the smallest memory that is there and fits, else in new."""
        size = count * np.dtype(dtype).itemsize
        fitting = [index for index, block in enumerate(self._blocks) if block.size >= size]
        if not fitting:
            return np.empty(count, dtype)
        best = min(fitting, key=lambda index: self._blocks[index].size)
        return self._blocks.pop(best)[:size].view(dtype)
