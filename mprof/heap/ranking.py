"""The addresses of all objects of a dump, and the rank of each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mprof.heap._passes import add_chunk, count_chunk
from mprof.heap.chunks import Chunk, Chunks, new_scratch
from mprof.hprof import Dump, scan
from mprof.kernels import repeated
from mprof.kernels.rank import (
    BLOCK,
    BLOCK_BITS,
    NO_REGIONS,
    Blocks,
    Ranks,
    count_ranks,
)

__all__ = ["rank_objects", "regions_of"]

_TABLE_BYTES_AT_LEAST = 1 << 30  # virtual; only blocks with objects are ever touched
_TABLE_BYTES_PER_OBJECT = 64
_TABLE_SHARE = 8  # of the bytes of the dump: a heap takes 32 times the bytes of its table
_BLOCK_BYTES = 8 * BLOCK  # of the table
_FEWEST = 32  # objects of a region; fewer are found faster among the outliers
_COUNTED = 4  # times as many blocks as fit into the table are counted, to choose the fullest


def rank_objects(dump: Dump) -> tuple[Ranks, int, int]:
    """Ranks of all addresses, how many there are, and how many records repeat an address."""
    state = dump.state
    records = dump.object_records
    low, high = int(state[scan.LOW]), int(state[scan.HIGH])
    bits = int(state[scan.BITS])
    shift = min((bits & -bits).bit_length() - 1, 8) if bits else 3
    most_bytes = max(
        _TABLE_BYTES_AT_LEAST, _TABLE_BYTES_PER_OBJECT * records, dump.buffer.size // _TABLE_SHARE
    )
    if not records:
        ranks = Ranks(np.zeros(2, np.uint64), low, 0, shift, 0, np.empty(0, np.int64))
    elif high - low < (most_bytes // 16 * 64) << shift:
        span = high - low + 1
        table = np.zeros(2 * ((span >> shift) // 64 + 1), np.uint64)
        ranks = Ranks(table, low, span, shift, 0, np.empty(0, np.int64))
    else:
        ranks = _spread_out(dump, low, shift, most_bytes // _BLOCK_BYTES)
    blocks = np.zeros(ranks.table.size // BLOCK + 1, np.uint8)
    repeats: list[int] = []  # by chunk
    outside = [np.empty(0, np.int64)]

    def add(own_chunks: Iterator[Chunk]) -> None:
        columns = new_scratch().columns
        add_addresses = repeated(
            add_chunk, dump.buffer, 0, 0, dump.identifier_bytes, columns, ranks, blocks,
            changing=(1, 2),
        )  # fmt: skip
        for _, start, end in own_chunks:
            again, left = add_addresses(start, end)
            repeats.append(again)
            if left:
                outside.append(columns.addresses[:left].copy())

    Chunks(dump).each(add)
    # sorted, not numpy's unique: that hashes, and addresses that end in the same bits collide, so
    # that 15 million of them took 17 seconds
    outliers = np.sort(np.concatenate(outside))
    again = np.append(False, outliers[1:] == outliers[:-1])[: outliers.size]
    outliers = outliers[~again]
    inside = count_ranks(ranks.table, blocks)
    ranks = ranks._replace(inside=inside, outliers=outliers)
    return ranks, inside + outliers.size, sum(repeats) + int(again.sum())


def _spread_out(dump: Dump, low: int, shift: int, most_blocks: int) -> Ranks:
    """An empty table of at most so many blocks, for where the addresses of a dump lie."""
    bits = BLOCK_BITS + shift
    slots = 1 << (2 * _COUNTED * most_blocks - 1).bit_length()
    counted: list[Blocks] = []

    def count(own_chunks: Iterator[Chunk]) -> None:
        blocks = Blocks(np.zeros(slots, np.int64), np.zeros(slots, np.int64), np.zeros(1, np.int64))
        count_blocks = repeated(
            count_chunk, dump.buffer, 0, 0, dump.identifier_bytes, new_scratch().columns, low, bits,
            blocks, changing=(1, 2),
        )  # fmt: skip
        for _, start, end in own_chunks:
            count_blocks(start, end)
        counted.append(blocks)

    Chunks(dump).each(count)
    keys = np.concatenate([blocks.keys[blocks.counts > 0] for blocks in counted])
    counts = np.concatenate([blocks.counts[blocks.counts > 0] for blocks in counted])
    order = np.argsort(keys)
    keys, counts = keys[order], counts[order]
    firsts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    starts, lengths = regions_of(keys[firsts], np.add.reduceat(counts, firsts), most_blocks)
    places = np.append(0, np.cumsum(lengths + 1))  # a block behind each stays empty
    table = np.zeros(int(places[-1]) * BLOCK, np.uint64)
    rows = [
        (low + (start << bits), length << bits, place << bits)
        for start, length, place in zip(
            starts.tolist(), lengths.tolist(), places.tolist(), strict=False
        )
    ]
    base, span, _ = rows[0]
    regions = np.array(sorted(rows[1:]), np.int64) if rows[1:] else NO_REGIONS
    return Ranks(table, base, span, shift, 0, np.empty(0, np.int64), regions)


def regions_of(
    blocks: NDArray[np.int64], counts: NDArray[np.int64], most_blocks: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Stretches of the address space for which a table has room.

    The space is cut where the widest stretches without objects are, until what is left fits, with
    an empty block behind each piece. If it never does, the pieces with most objects are taken.

    Args:
        blocks: int64, the blocks that hold objects, ascending; there is at least one.
        counts: int64, how many objects each of them holds.
        most_blocks: how many blocks the table may have.

    Returns:
        The first block and the number of blocks of each region, that with most objects first.
    """
    gaps = np.diff(blocks) - 1
    widest = np.argsort(-gaps, kind="stable")
    widest = widest[gaps[widest] > 1]  # to cut takes an empty block as well
    excess = int(blocks[-1] - blocks[0]) + 2 - most_blocks
    cuts = int(np.searchsorted(np.cumsum(gaps[widest] - 1), excess)) + 1 if excess > 0 else 0
    begins = np.append(0, np.sort(widest[:cuts]) + 1)
    ends = np.append(begins[1:], blocks.size)
    starts = blocks[begins]
    lengths = blocks[ends - 1] - starts + 1
    lengths = np.minimum(lengths, most_blocks - 1)
    members = np.add.reduceat(counts, begins)
    order = np.argsort(-members, kind="stable")
    fits = np.cumsum(lengths[order] + 1) <= most_blocks
    fits &= members[order] >= _FEWEST
    fits[0] = True
    return starts[order[fits]], lengths[order[fits]]
