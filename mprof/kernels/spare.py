"""Memory of large arrays that are no longer needed, for the next ones."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["Spare"]


_ALIGNED = 64  # bytes: of a cache line


class Spare:
    """Passes the memory of large arrays on to the next ones.

    The system must find and clear new memory page by page, which took a fifth to a third of the CPU
    time of an analysis: half a second to two for each GB.

    Args:
        empty: where new memory is taken from, as of ``numpy.empty``.
        scattered: the same for arrays that are read here and there.
        keeps: whether what is given is kept; else it goes at once.
    """

    def __init__(
        self,
        empty: Callable[[int, DTypeLike], NDArray[Any]] = np.empty,
        scattered: Callable[[int, DTypeLike], NDArray[Any]] = np.empty,
        *,
        keeps: bool = True,
    ) -> None:
        self._empty, self._scattered, self._keeps = empty, scattered, keeps
        self._blocks: list[NDArray[np.uint8]] = []
        self._one_at_a_time = threading.Lock()

    def give(self, *arrays: NDArray[Any]) -> None:
        """Takes over the memory of arrays; the caller must not use them any more.

        Neighbours in what was one array are one again.
        """
        if self._keeps:
            given = [array.reshape(-1).view(np.uint8) for array in arrays if array.size]
            with self._one_at_a_time:
                self._blocks = _joined(self._blocks + given)

    def take(self, count: int, dtype: DTypeLike) -> NDArray[Any]:
        """An uninitialised array at the begin of the smallest block that fits; else new memory."""
        return self._taken(count, dtype, self._empty)

    def scattered(self, count: int, dtype: DTypeLike) -> NDArray[Any]:
        """The same for an array that is read here and there."""
        return self._taken(count, dtype, self._scattered)

    def _taken(
        self, count: int, dtype: DTypeLike, new: Callable[[int, DTypeLike], NDArray[Any]]
    ) -> NDArray[Any]:
        size = count * np.dtype(dtype).itemsize
        with self._one_at_a_time:
            fitting = [at for at, block in enumerate(self._blocks) if size <= block.size]
            if not fitting:
                return new(count, dtype)
            block = self._blocks.pop(min(fitting, key=lambda at: self._blocks[at].size))
            rest = block[-(-size // _ALIGNED) * _ALIGNED :]
            if rest.size:
                self._blocks.append(rest)
        return block[:size].view(dtype)


def _joined(blocks: list[NDArray[np.uint8]]) -> list[NDArray[np.uint8]]:
    joined: list[NDArray[np.uint8]] = []
    for block in sorted(blocks, key=_address):
        before = joined[-1] if joined else None
        if (
            before is not None
            and before.base is block.base is not None
            and _address(block) - _address(before) - before.size < _ALIGNED
        ):
            whole = block.base.reshape(-1).view(np.uint8)
            begin = _address(before) - _address(whole)
            joined[-1] = whole[begin : _address(block) - _address(whole) + block.size]
        else:
            joined.append(block)
    return joined


def _address(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)
