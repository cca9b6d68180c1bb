"""The addresses of all objects of a dump, and the rank of each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mprof.heap._passes import add_chunk
from mprof.heap.chunks import Chunk, Chunks, new_scratch
from mprof.hprof import Dump, scan
from mprof.kernels import repeated
from mprof.kernels.rank import BLOCK, Ranks, count_ranks

__all__ = ["rank_objects"]

_WINDOW_BYTES_AT_LEAST = 1 << 30  # virtual; only blocks with objects are ever touched
_WINDOW_BYTES_PER_OBJECT = 64


def rank_objects(dump: Dump) -> tuple[Ranks, int, int]:
    """Ranks of all addresses, how many there are, and how many records repeat an address."""
    state = dump.state
    records = dump.object_records
    low, high = int(state[scan.LOW]), int(state[scan.HIGH])
    bits = int(state[scan.BITS])
    shift = min((bits & -bits).bit_length() - 1, 8) if bits else 3
    most_bytes = max(_WINDOW_BYTES_AT_LEAST, _WINDOW_BYTES_PER_OBJECT * records)
    most = (most_bytes // 16 * 64) << shift
    width = dump.identifier_bytes
    if high - low < most:
        base, span, outliers = low, high - low + 1, np.empty(0, np.int64)
    else:
        base, span, outliers = _densest_window(dump, shift, most)
    if not records:
        span = 0
    table = np.zeros(2 * ((span >> shift) // 64 + 1), np.uint64)
    blocks = np.zeros(table.size // BLOCK + 1, np.uint8)
    ranks = Ranks(table, base, span, shift, 0, outliers)
    repeats: list[int] = []  # by chunk

    def add(own_chunks: Iterator[Chunk]) -> None:
        columns = new_scratch().columns
        add_addresses = repeated(
            add_chunk, dump.buffer, 0, 0, width, columns, ranks, blocks, changing=(1, 2)
        )
        for _, start, end in own_chunks:
            repeats.append(add_addresses(start, end))

    Chunks(dump).each(add)
    inside = count_ranks(table, blocks)
    objects = inside + outliers.size
    duplicates = records - objects if outliers.size else sum(repeats)
    return ranks._replace(inside=inside), objects, duplicates


def _densest_window(dump: Dump, shift: int, most: int) -> tuple[int, int, NDArray[np.int64]]:
    """The stretch of at most ``most`` addresses that holds the most objects, and all others."""
    pieces = []

    def collect(own_chunks: Iterator[Chunk]) -> None:
        columns = new_scratch().columns
        for _, start, end in own_chunks:
            count = scan.read_objects(dump.buffer, start, end, dump.identifier_bytes, columns)
            pieces.append(columns.addresses[:count].copy())

    Chunks(dump).each(collect)
    addresses = np.unique(np.concatenate(pieces))
    align = np.int64((1 << shift) - 1)
    ends = np.searchsorted(addresses, addresses + min(most, np.iinfo(np.int64).max // 4))
    ends[addresses > np.iinfo(np.int64).max // 2] = addresses.size
    first = int(np.argmax(ends - np.arange(addresses.size)))
    last = int(ends[first]) - 1
    base = int(addresses[first])
    span = int(addresses[last]) - base + 1
    inside = np.zeros(addresses.size, bool)
    inside[first : last + 1] = ((addresses[first : last + 1] - base) & align) == 0
    return base, span, addresses[~inside]
