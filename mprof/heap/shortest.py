"""Shortest paths from the roots, for the paths that a report shows.

The search starts at the locals of frames, the thread that ran out of memory first, then at classes,
threads and all other roots; so of paths equally long, one from a frame is found. It goes as far as
the objects that are asked for, and on from there when others are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mprof.heap.outgoing import Outgoing
from mprof.heap.roots import Roots
from mprof.heap.storage import Storage
from mprof.kernels.breadth_first import BreadthFirst

__all__ = ["ShortestPaths"]

_ROOT = 0


class ShortestPaths:
    """Finds the nodes of shortest paths; of several threads one at a time.

    Args:
        outgoing: references by node.
        nodes: int32, the node of each vertex, negative if it was not reached.
        roots: where reachability begins; its vertices are ranks.
        classes: int64, ranks of class objects.
        waiting: int64, ranks of what only waits for its finalizer: after all that others reach.
        storage: where the references lie.
        empty: where memory is taken from, as of ``numpy.empty``.
    """

    def __init__(
        self,
        outgoing: Outgoing,
        nodes: NDArray[np.int32],
        roots: Roots,
        classes: NDArray[np.int64],
        waiting: NDArray[np.int64],
        storage: Storage,
        empty: Callable[[int, DTypeLike], NDArray[Any]] = np.empty,
    ) -> None:
        self._outgoing, self._nodes, self._roots = outgoing, nodes, roots
        self._classes, self._waiting = classes, waiting
        self._storage, self._empty = storage, empty
        self._one_at_a_time = threading.Lock()

    def to(self, nodes: Sequence[int]) -> list[list[int]]:
        """The nodes of a shortest path to each, from below the virtual root; empty without one."""
        with self._one_at_a_time:
            if not self._search.search(nodes):
                self._begin_at_waiting()
                self._search.search(nodes)
            return self._search.lines(nodes)

    def to_all(self) -> None:
        """Searches on until the end, so that every answer is there at once."""
        with self._one_at_a_time:
            self._search.search_all()
            self._begin_at_waiting()
            self._search.search_all()

    @cached_property
    def _search(self) -> BreadthFirst:
        self._storage.read_ahead(*self._outgoing)
        search = BreadthFirst(*self._outgoing.anywhere(self._storage), empty=self._empty)
        self._begin(search, self._starts())
        return search

    def _begin_at_waiting(self) -> None:
        root = self._nodes.size - 1
        self._begin(self._search, [(rank, root) for rank in self._waiting.tolist()])

    def _begin(self, search: BreadthFirst, starts: list[tuple[int, int]]) -> None:
        """Begins at ranks, each with the one before it; the virtual root's is none."""
        pairs = self._nodes[np.array(starts, np.int64).reshape(-1, 2)]
        pairs = pairs[pairs[:, 0] > _ROOT]  # not at a class that is garbage
        search.begin(*pairs.T.tolist())

    def _starts(self) -> list[tuple[int, int]]:
        """Ranks, and the one before each on its path, in order of precedence."""
        root = self._nodes.size - 1
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
