"""Memory of large arrays that are no longer needed, for the next ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["Spare"]


class Spare:
    """Passes the memory of one large array on to the next; not thread-safe.

    The system must find and clear new memory page by page, which took a fifth of the CPU time of
    an analysis: about a second for each GB.
    """

    def __init__(self) -> None:
        self._blocks: list[NDArray[np.uint8]] = []

    def give(self, *arrays: NDArray[Any]) -> None:
        """Takes over the memory of arrays; the caller must not use them any more."""
        self._blocks += [array.reshape(-1).view(np.uint8) for array in arrays]

    def take(self, count: int, dtype: DTypeLike) -> NDArray[Any]:
        """An uninitialised array, in the smallest spare block that fits, else in new memory.

        A block of twice the size or more is left for an array that needs it.
        """
        size = count * np.dtype(dtype).itemsize
        fitting = [at for at, block in enumerate(self._blocks) if size <= block.size < 2 * size]
        if not fitting:
            return np.empty(count, dtype)
        best = min(fitting, key=lambda index: self._blocks[index].size)
        return self._blocks.pop(best)[:size].view(dtype)
