"""Memory of large arrays that are no longer needed, for the next ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["Spare"]


class Spare:
    """Passes the memory of one large array on to the next; not thread-safe.

    The system must find and clear new memory page by page, which took a fifth of the CPU time of
    an analysis: about a second for each GB.

    Args:
        empty: where new memory is taken from, as of ``numpy.empty``.
        keeps: whether what is given is kept; else it goes at once.
    """

    def __init__(
        self, empty: Callable[[int, DTypeLike], NDArray[Any]] = np.empty, *, keeps: bool = True
    ) -> None:
        self._empty, self._keeps = empty, keeps
        self._blocks: list[NDArray[np.uint8]] = []

    def give(self, *arrays: NDArray[Any]) -> None:
        """Takes over the memory of arrays; the caller must not use them any more."""
        if self._keeps:
            self._blocks += [array.reshape(-1).view(np.uint8) for array in arrays]

    def take(self, count: int, dtype: DTypeLike) -> NDArray[Any]:
        """An uninitialised array, in the smallest spare block that fits, else in new memory.

        A block of twice the size or more is left for an array that needs it.
        """
        size = count * np.dtype(dtype).itemsize
        fitting = [at for at, block in enumerate(self._blocks) if size <= block.size < 2 * size]
        if not fitting:
            return self._empty(count, dtype)
        best = min(fitting, key=lambda index: self._blocks[index].size)
        return self._blocks.pop(best)[:size].view(dtype)
