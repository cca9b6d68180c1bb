"""From a sparse 64-bit identifier to a small number: open addressing, for a few thousand keys."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import integer

__all__ = ["Lookup", "build_lookup", "find", "slot_of"]

_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: spreads aligned addresses


class Lookup(NamedTuple):
    """Keys and their numbers; a power of two of slots, at most a quarter of them used.

    Attributes:
        keys: int64.
        values: int32, -1 in a free slot.
    """

    keys: NDArray[np.int64]
    values: NDArray[np.int32]


@inlined
def slot_of(key: int, slots: int) -> int:
    """Where the search for a key begins, among a power of two of slots."""
    return integer((np.uint64(key) * _MIX) >> np.uint64(20)) & (slots - 1)


@inlined
def find(lookup: Lookup, key: int) -> int:
    """The number of a key, -1 if it is not there."""
    slots = lookup.keys.size
    at = slot_of(key, slots)
    while lookup.values[at] >= 0:
        if lookup.keys[at] == key:
            return integer(lookup.values[at])
        at = (at + 1) & (slots - 1)
    return -1


@kernel
def _insert(lookup: Lookup, keys: NDArray[np.int64]) -> None:
    slots = lookup.keys.size
    for number in range(keys.size):
        key = keys[number]
        at = slot_of(key, slots)
        while lookup.values[at] >= 0 and lookup.keys[at] != key:
            at = (at + 1) & (slots - 1)
        if lookup.values[at] < 0:  # of equal keys the first one counts
            lookup.keys[at] = key
            lookup.values[at] = number


def build_lookup(keys: NDArray[np.int64]) -> Lookup:
    """A look-up table that numbers the keys in their order; of equal keys the first one counts."""
    slots = 64
    while slots < 4 * keys.size:
        slots *= 2
    lookup = Lookup(np.zeros(slots, np.int64), np.full(slots, -1, np.int32))
    _insert(lookup, keys)
    return lookup
