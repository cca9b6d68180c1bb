"""From an address to a dense number, by rank among all addresses.

Addresses of a heap lie close together, so most fall into a *window*: one bit for every possible
address and, beside every word of 64 bits, the number of bits set before it. Word and count share
a cache line. Where a heap is spread out (ZGC of JDK 17 and 21 puts small objects at one end of a
space 16 times as large as the heap, and large ones at the other), the window is where most objects
are, and further *regions* have their bits and counts behind it, in the same table; a binary search
among them, of which there are few, finds where. Single addresses far away (a flipped bit, one
large array) are *outliers*, found by binary search among themselves. Ranks ascend with the address
inside the window, then from region to region, and last among the outliers.

Memory: 16 bytes for every 64 possible addresses of the window and of regions, 8 for an outlier.
Time: one cache line a look-up in the window, a binary search besides for all others.
Largest input tried: 205 million addresses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import inlined, kernel, repeated
from mprof.kernels._intrinsics import add_bits, count_bits, integer, prefetch
from mprof.kernels.lookup import slot_of

__all__ = [
    "BLOCK",
    "BLOCK_BITS",
    "NO_REGIONS",
    "Blocks",
    "Ranks",
    "add_addresses",
    "count_blocks",
    "count_ranks",
    "look_up",
    "next_address",
    "prefetch_rank",
    "rank_of",
    "ranks_of",
]


BLOCK = 8192
"""Table entries that are counted or skipped together: 64 KiB, for 2 MiB of heap."""

BLOCK_BITS = 18
"""log2 of the possible addresses that a block of the table stands for."""

NO_REGIONS = np.empty((0, 3), np.int64)
"""Of a heap that lies in its window."""


class Ranks(NamedTuple):
    """A set of addresses, with the rank of each.

    Attributes:
        table: uint64 pairs (bits, set bits before them): of the window, then of the regions.
        base: the lowest address of the window.
        span: how many addresses above ``base`` the window covers.
        shift: log2 of the step between possible addresses.
        inside: how many addresses the window and the regions hold.
        outliers: int64, sorted, all other addresses.
        regions: int64 rows by address: the lowest one of a region, how many addresses it covers,
            and how far above ``base`` the table stands for it. Behind the window, and behind each
            region, a block of the table stays empty.
    """

    table: NDArray[np.uint64]
    base: int
    span: int
    shift: int
    inside: int
    outliers: NDArray[np.int64]
    regions: NDArray[np.int64] = NO_REGIONS


@inlined
def _in_region(ranks: Ranks, address: int) -> int:
    """How far above ``base`` the table stands for an address outside the window, -1 nowhere."""
    regions = ranks.regions
    low = 0
    high = regions.shape[0]
    while low < high:
        middle = (low + high) >> 1
        if regions[middle, 0] <= address:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return -1
    offset = np.uint64(address - regions[low - 1, 0])
    if offset >= np.uint64(regions[low - 1, 1]):
        return -1
    return integer(offset) + integer(regions[low - 1, 2])


@inlined
def _outlier(ranks: Ranks, address: int) -> int:
    """The rank of an address that the table does not stand for, -1 if it is not in the set."""
    low = 0
    high = ranks.outliers.size
    while low < high:
        middle = (low + high) >> 1
        if ranks.outliers[middle] < address:
            low = middle + 1
        else:
            high = middle
    if low < ranks.outliers.size and ranks.outliers[low] == address:
        return ranks.inside + low
    return -1


@inlined
def rank_of(ranks: Ranks, address: int) -> int:
    """The rank of an address, -1 if it is not in the set."""
    offset = np.uint64(address - ranks.base)
    if offset >= np.uint64(ranks.span):
        moved = _in_region(ranks, address)
        if moved < 0:
            return _outlier(ranks, address)
        offset = np.uint64(moved)
    step = offset >> np.uint64(ranks.shift)
    if (step << np.uint64(ranks.shift)) != offset:
        return -1
    at = (step >> np.uint64(6)) << np.uint64(1)  # unsigned: never counted from the end
    word = ranks.table[at]
    bit = np.uint64(1) << (step & np.uint64(63))
    if word & bit == np.uint64(0):
        return -1
    return integer(ranks.table[at + np.uint64(1)]) + count_bits(word & (bit - np.uint64(1)))


@inlined
def prefetch_rank(ranks: Ranks, address: int) -> None:
    """Prefetches what :func:`rank_of` will read; to be called some 50 look-ups earlier."""
    offset = np.uint64(address - ranks.base)
    if offset >= np.uint64(ranks.span):
        moved = _in_region(ranks, address)
        if moved < 0:
            return
        offset = np.uint64(moved)
    step = offset >> np.uint64(ranks.shift)
    prefetch(ranks.table, integer(step >> np.uint64(6)) << 1)


@inlined
def _add_word(ranks: Ranks, blocks: NDArray[np.uint8], at: int, bits: np.uint64) -> int:
    """Sets bits of one word; returns how many of them were set already."""
    before = add_bits(ranks.table, at, bits)
    blocks[at // BLOCK] = 1
    return count_bits(before & bits)


@kernel
def add_addresses(
    ranks: Ranks, addresses: NDArray[np.int64], count: int, blocks: NDArray[np.uint8]
) -> tuple[int, int]:
    """Sets the bits of addresses; returns how many were set already, and how many have none.

    Those that lie neither in the window nor in a region are moved to the front of ``addresses``.
    Several threads may add to one table: bits are gathered as long as addresses fall into the same
    word, as neighbours in a dump do, and then set in one step.
    ``blocks`` marks the stretches of BLOCK table entries that hold any.
    """
    repeats = integer(0)
    outside = integer(0)
    current = integer(0)
    gathered = np.uint64(0)
    for i in range(count):
        address = integer(addresses[i])
        offset = np.uint64(address - ranks.base)
        if offset >= np.uint64(ranks.span):
            moved = _in_region(ranks, address)
            if moved < 0:
                addresses[outside] = address
                outside += 1
                continue
            offset = np.uint64(moved)
        step = offset >> np.uint64(ranks.shift)
        if (step << np.uint64(ranks.shift)) == offset:
            at = integer(step >> np.uint64(6)) << 1
            bit = np.uint64(1) << (step & np.uint64(63))
            if at != current:
                if gathered != np.uint64(0):
                    repeats += _add_word(ranks, blocks, current, gathered)
                current = at
                gathered = np.uint64(0)
            repeats += integer(gathered & bit != np.uint64(0))
            gathered |= bit
    if gathered != np.uint64(0):
        repeats += _add_word(ranks, blocks, current, gathered)
    return repeats, outside


class Blocks(NamedTuple):
    """How many addresses lie in each block of the address space, for as many as there is room.

    Attributes:
        keys: int64, numbers of blocks, by open addressing; a power of two.
        counts: int64, 0 in a free slot.
        used: int64, how many slots are not free; at most half of them are used.
    """

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]
    used: NDArray[np.int64]


@kernel
def count_blocks(
    addresses: NDArray[np.int64], count: int, lowest: int, bits: int, blocks: Blocks
) -> None:
    """Counts addresses by the block of ``1 << bits`` that they lie in, numbered from ``lowest``."""
    keys, counts, used = blocks
    slots = keys.size
    previous = integer(-1)
    at = integer(0)
    for i in range(count):
        key = integer(np.uint64(addresses[i] - lowest) >> np.uint64(bits))
        if key != previous:
            previous = integer(-1)
            at = slot_of(key, slots)
            while counts[at] > 0 and keys[at] != key:
                at = (at + 1) & (slots - 1)
            if counts[at] == 0:
                if 2 * used[0] >= slots:
                    continue
                keys[at] = key
                used[0] += 1
            previous = key
        counts[at] += 1


@kernel
def count_ranks(table: NDArray[np.uint64], blocks: NDArray[np.uint8]) -> int:
    """Fills in the counts beside the words; returns the number of addresses that have a bit.

    Only marked blocks are touched: an empty stretch of the heap costs neither memory nor time.
    """
    before = 0
    for block in range(blocks.size):
        if blocks[block] == 0:
            continue
        for at in range(block * BLOCK, min((block + 1) * BLOCK, table.size), 2):
            word = table[at]
            if word != np.uint64(0):
                table[at + 1] = np.uint64(before)
                before += count_bits(word)
    return before


@kernel
def _ranks_of(ranks: Ranks, addresses: NDArray[np.int64], result: NDArray[np.int64]) -> None:
    for i in range(addresses.size):
        result[i] = rank_of(ranks, addresses[i])


def ranks_of(ranks: Ranks, addresses: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rank of every address, -1 where it is not in the set."""
    result = np.empty(addresses.size, np.int64)
    _ranks_of(ranks, addresses, result)
    return result


@kernel
def _rank_at(ranks: Ranks, address: int) -> int:
    return rank_of(ranks, address)


def look_up(ranks: Ranks) -> Callable[[int], int]:
    """Ranks of single addresses, for one thread: as :func:`ranks_of`, at a fifth of a call's cost.

    An address is an int64; -1 comes back where it is not in the set.
    """
    return repeated(_rank_at, ranks, 0, changing=(1,))


@inlined
def next_address(ranks: Ranks, address: int, limit: int) -> int:
    """The distance to the next higher address beside it, 0 if it is ``limit`` or more away.

    An outlier has none beside it. ``limit`` is less than a block, so the empty one behind a region
    is never crossed.
    """
    offset = np.uint64(address - ranks.base)
    if offset >= np.uint64(ranks.span):
        moved = _in_region(ranks, address)
        if moved < 0:
            return 0
        offset = np.uint64(moved)
    step = integer(offset >> np.uint64(ranks.shift)) + 1
    last = step + (limit >> ranks.shift)
    at = (step >> 6) << 1
    word = np.uint64(0)
    if at < ranks.table.size:
        word = ranks.table[at] & ~((np.uint64(1) << np.uint64(step & 63)) - np.uint64(1))
    while word == np.uint64(0):
        at += 2
        if at >= ranks.table.size or (at << 5) > last:
            return 0
        word = ranks.table[at]
    lowest = word & (~word + np.uint64(1))
    found = (at << 5) + count_bits(lowest - np.uint64(1))
    distance = (found << ranks.shift) - integer(offset)
    return distance if distance < limit else 0
