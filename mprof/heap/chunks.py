"""Hands the chunks of a dump to several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.hprof import Dump, scan
from mprof.kernels.cores import core_count

__all__ = ["Chunk", "Chunks", "Scratch", "new_scratch"]


class Chunk(NamedTuple):
    """A stretch of sound object records: its number, and where it begins and ends in the file."""

    number: int
    start: int
    end: int


class Scratch(NamedTuple):
    """Room for what is known of a chunk's objects while one thread works on it.

    Attributes:
        columns: the objects.
        numbers: int32, their class numbers.
        nodes: int32, their nodes.
    """

    columns: scan.Columns
    numbers: NDArray[np.int32]
    nodes: NDArray[np.int32]


def new_scratch(rows: int = scan.CHUNK_OBJECTS) -> Scratch:
    """Room for a chunk."""
    columns = scan.Columns(np.empty(rows, np.uint8), *(np.empty(rows, np.int64) for _ in range(4)))
    return Scratch(columns, np.empty(rows, np.int32), np.empty(rows, np.int32))


class Chunks:
    """The chunks of a dump, given to worker threads one at a time, in file order."""

    def __init__(self, dump: Dump, *, workers: int | None = None) -> None:
        self._chunks = [
            Chunk(number, start, end) for number, (start, end, _) in enumerate(dump.chunks.tolist())
        ]
        self.workers = min(workers or core_count(), max(1, len(self._chunks)))

    def each(self, work: Callable[[Iterator[Chunk]], None]) -> None:
        """Calls ``work`` once a worker, with an iterator over the chunks it is to do."""
        lock = threading.Lock()
        chunks = iter(self._chunks)

        def mine() -> Iterator[Chunk]:
            while True:
                with lock:
                    chunk = next(chunks, None)
                if chunk is None:
                    return
                yield chunk

        if self.workers == 1:
            work(mine())
            return
        with ThreadPoolExecutor(self.workers) as pool:
            for future in [pool.submit(work, mine()) for _ in range(self.workers)]:
                future.result()
