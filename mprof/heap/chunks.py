"""Reads the chunks of a dump on several threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from mprof.hprof import Dump, scan

__all__ = ["Chunks", "new_columns", "worker_count"]


def worker_count() -> int:
    """How many cores this process may use."""
    return max(1, len(os.sched_getaffinity(0)))


class Chunks:
    """Hands the chunks of a dump to worker threads, a few at a time, in file order."""

    def __init__(self, dump: Dump, *, workers: int) -> None:
        self._dump = dump
        self.workers = workers

    def each(self, work: Callable[[Iterator[tuple[int, scan.Columns, int]]], None]) -> None:
        """Calls ``work`` once a worker, with an iterator over the chunks it is to do."""
        rows = self._dump.chunks.tolist()
        lock = threading.Lock()
        numbers = iter(range(len(rows)))

        def mine() -> Iterator[tuple[int, scan.Columns, int]]:
            columns = new_columns(scan.CHUNK_OBJECTS)
            width = self._dump.identifier_bytes
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                start, end, _ = rows[number]
                count = scan.read_objects(self._dump.buffer, start, end, width, columns)
                yield number, columns, count

        if self.workers == 1 or len(rows) == 1:
            work(mine())
            return
        with ThreadPoolExecutor(self.workers) as pool:
            for future in [pool.submit(work, mine()) for _ in range(self.workers)]:
                future.result()


def new_columns(rows: int) -> scan.Columns:
    """Room for the columns of a chunk."""
    return scan.Columns(np.empty(rows, np.uint8), *(np.empty(rows, np.int64) for _ in range(4)))
