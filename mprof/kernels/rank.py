"""From an address to a dense number, by rank among all addresses.

Addresses of a heap lie close together, so most fall into a *window*: one bit for every possible
address and, beside every word of 64 bits, the number of bits set before it. Word and count share
a cache line. A few addresses far away (a flipped bit, a far region) are *outliers*, found by
binary search; a dump whose addresses fit no window is all outliers. Ranks ascend with the address
inside the window and among the outliers, whose ranks come last.

Memory: 16 bytes for every 64 possible addresses of the window, 8 for an outlier.
Time: one cache line a look-up in the window, a binary search for outliers.
Largest input tried: 22 million addresses.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import add_bits, count_bits, integer, prefetch

__all__ = [
    "BLOCK",
    "Ranks",
    "add_addresses",
    "count_ranks",
    "next_address",
    "prefetch_rank",
    "rank_of",
    "ranks_of",
]


BLOCK = 8192
"""Table entries that are counted or skipped together: 64 KiB, for 2 MiB of heap."""


class Ranks(NamedTuple):
    """A set of addresses, with the rank of each.

    Attributes:
        table: uint64 pairs (bits, set bits before them).
        base: the lowest address of the window.
        span: how many addresses above ``base`` the window covers.
        shift: log2 of the step between possible addresses.
        inside: how many addresses the window holds.
        outliers: int64, sorted, the addresses outside the window.
    """

    table: NDArray[np.uint64]
    base: int
    span: int
    shift: int
    inside: int
    outliers: NDArray[np.int64]


@inlined
def rank_of(ranks: Ranks, address: int) -> int:
    """The rank of an address, -1 if it is not in the set."""
    offset = np.uint64(address - ranks.base)
    if offset < np.uint64(ranks.span):
        step = offset >> np.uint64(ranks.shift)
        if (step << np.uint64(ranks.shift)) != offset:
            return -1
        at = (step >> np.uint64(6)) << np.uint64(1)  # unsigned: never counted from the end
        word = ranks.table[at]
        bit = np.uint64(1) << (step & np.uint64(63))
        if word & bit == np.uint64(0):
            return -1
        return integer(ranks.table[at + np.uint64(1)]) + count_bits(word & (bit - np.uint64(1)))
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
def prefetch_rank(ranks: Ranks, address: int) -> None:
    """Prefetches what :func:`rank_of` will read; to be called some 50 look-ups earlier."""
    offset = np.uint64(address - ranks.base)
    if offset < np.uint64(ranks.span):
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
) -> int:
    """Sets the bits of the addresses that lie in the window; returns how many were set already.

    Several threads may add to one table: bits are gathered as long as addresses fall into the same
    word, as neighbours in a dump do, and then set in one step.
    ``blocks`` marks the stretches of BLOCK table entries that hold any.
    """
    repeats = integer(0)
    current = integer(0)
    gathered = np.uint64(0)
    for i in range(count):
        offset = np.uint64(addresses[i] - ranks.base)
        if offset < np.uint64(ranks.span):
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
    return repeats


@kernel
def count_ranks(table: NDArray[np.uint64], blocks: NDArray[np.uint8]) -> int:
    """Fills in the counts beside the words; returns the number of addresses in the window.

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


@inlined
def next_address(ranks: Ranks, address: int, limit: int) -> int:
    """The distance to the next higher address of the window, 0 if it is ``limit`` or more away."""
    offset = np.uint64(address - ranks.base)
    if offset >= np.uint64(ranks.span):
        return 0
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
