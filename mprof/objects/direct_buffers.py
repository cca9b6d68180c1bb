"""The native memory behind direct buffers: no byte of it is in the heap, and who holds it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mprof.heap import Heap

__all__ = ["DirectMemory", "direct_memory"]

_BUFFER: Final = "java.nio.DirectByteBuffer"
_CAPACITY: Final = "java.nio.Buffer.capacity"
_OF_OTHERS: Final = ("att", "fd")
"""Whose memory it shows: the buffer that a slice or duplicate is of, the file that is mapped
(``DirectByteBuffer``, ``MappedByteBuffer``; JDK 8 to 25)."""


@dataclass(frozen=True, slots=True, eq=False)
class DirectMemory:
    """Bytes of direct buffers, and how many there are, by the label that owns the buffer."""

    bytes: NDArray[np.int64]
    buffers: NDArray[np.int64]


def direct_memory(heap: Heap, owners: NDArray[np.int32], labels: int) -> DirectMemory:
    """The memory that the reachable direct buffers have outside the heap.

    Time is linear in the number of buffers, some microseconds each.

    Args:
        heap: the heap.
        owners: label of each node.
        labels: how many labels there are.
    """
    found = DirectMemory(np.zeros(labels, np.int64), np.zeros(labels, np.int64))
    for node in heap.instances(_BUFFER).tolist():
        fields = heap.fields(node)
        capacity, owner = fields.get(_CAPACITY), int(owners[node])
        is_own = all(fields.get(name) is None for name in _OF_OTHERS)
        if isinstance(capacity, int) and is_own and owner >= 0:
            found.bytes[owner] += capacity
            found.buffers[owner] += 1
    return found
