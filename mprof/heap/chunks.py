"""Distributes the chunks of a dump among several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from mprof.heap._passes import Scratch
from mprof.hprof import Dump, scan
from mprof.kernels.cores import core_count

__all__ = ["Chunk", "Chunks", "new_scratch"]


class Chunk(NamedTuple):
    """A stretch of sound object records: its number, and where it begins and ends in the file."""

    number: int
    start: int
    end: int


def new_scratch() -> Scratch:
    """Room for a chunk."""
    rows = scan.CHUNK_OBJECTS
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
        """Calls ``work`` once per worker, with an iterator over the chunks of that worker."""
        lock = threading.Lock()
        chunks = iter(self._chunks)

        def own_chunks() -> Iterator[Chunk]:
            while True:
                with lock:
                    chunk = next(chunks, None)
                if chunk is None:
                    return
                yield chunk

        if self.workers == 1:
            work(own_chunks())
            return
        with ThreadPoolExecutor(self.workers) as pool:
            for future in [pool.submit(work, own_chunks()) for _ in range(self.workers)]:
                future.result()
