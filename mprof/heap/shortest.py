"""Shortest paths from the roots to everything, for the paths that a report shows.

The search starts at the locals of frames, the thread that ran out of memory first, then at classes,
threads and all other roots; so of paths equally long, one from a frame is found. Vertices are
numbers among the core (:mod:`mprof.kernels.pendants`), the virtual root being the last of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mprof.heap.roots import Roots
from mprof.kernels.breadth_first import NOT_FOUND, shortest_paths
from mprof.kernels.pendants import Core, core_numbers
from mprof.kernels.spare import Spare

__all__ = ["ShortestPaths"]


class ShortestPaths:
    """Searches while another core numbers the same graph depth first.

    Args:
        slots: where the row of each vertex begins; a copy, since that search changes its own.
        edges: the rows.
        roots: where reachability begins; its vertices are ranks.
        classes: int64, ranks of class objects.
        core: the number of each rank.
        empty: where memory is taken from, as of ``numpy.empty``.
    """

    def __init__(
        self,
        slots: NDArray[Any],
        edges: NDArray[np.int32],
        roots: Roots,
        classes: NDArray[np.int64],
        core: Core,
        empty: Callable[[int, DTypeLike], NDArray[Any]] = np.empty,
    ) -> None:
        self._slots, self._edges, self._roots, self._core = slots, edges, roots, core
        self._classes = classes
        self._root = slots.size - 1
        self._parents = empty(slots.size, np.int32)
        self._queue = empty(slots.size, np.int32)
        self._running: Future[None] = Future()

    def start(self, other_core: Executor) -> None:
        """Starts to search all that the roots and the classes reach."""
        self._running = other_core.submit(self._search)

    def search(self) -> None:
        """The same before anything else, where two searches at once would not fit into memory."""
        self._search()
        self._running.set_result(None)

    def _search(self) -> None:
        self._parents[:] = NOT_FOUND
        self._parents[self._root] = self._root
        pairs = np.array(self._starts(), np.int64).reshape(-1, 2)
        numbers = core_numbers(self._core, pairs.reshape(-1)).reshape(-1, 2)
        self._follow((vertex, before) for vertex, before in numbers.tolist())

    def finish(
        self, numbered: NDArray[Any], waiting: NDArray[np.int64], spare: Spare
    ) -> NDArray[np.int32]:
        """Waits for the search; the vertex before each on its path, NOT_FOUND if it is not reached.

        Args:
            numbered: below 0 for every vertex that the roots reach.
            waiting: further roots, vertices.
            spare: takes over the memory that the search needed.
        """
        self._running.result()
        reached = numbered[core_numbers(self._core, self._classes)] < 0
        if not reached.all():  # a class that is garbage must not be on a path; there rarely is one
            self._classes = self._classes[reached]
            self._search()
        self._follow((vertex, self._root) for vertex in waiting.tolist())
        spare.give(self._slots, self._queue)
        return self._parents

    def _follow(self, pairs: Iterable[tuple[int, int]]) -> None:
        parents = self._parents
        starts = []
        for vertex, before in pairs:
            if parents[vertex] == NOT_FOUND:
                parents[vertex] = before
                starts.append(vertex)
        if starts:
            shortest_paths(
                self._slots, self._edges, starts=np.array(starts, np.int32), parents=parents,
                queue=self._queue,
            )  # fmt: skip

    def _starts(self) -> list[tuple[int, int]]:
        """Ranks, and the one before each on its path, in order of precedence."""
        root = self._core.vertices - 1
        threads = sorted(self._roots.threads, key=lambda thread: not thread.ran_out_of_memory)
        own = dict.fromkeys(thread.vertex for thread in threads)
        starts = [(frame.vertex, thread.vertex) for thread in threads for frame in thread.frames]
        starts += [
            (local, frame.vertex)
            for thread in threads
            for frame in thread.frames
            for local in frame.locals
        ]
        starts += [(rank, root) for rank in self._classes.tolist()]
        starts = [pair for pair in starts if pair[0] not in own]
        starts += [(vertex, root) for vertex in own]
        starts += [(vertex, thread.vertex) for thread in threads for vertex in thread.others]
        return starts + [(rank, root) for rank in self._roots.starts.tolist()]
