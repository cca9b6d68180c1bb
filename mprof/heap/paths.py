"""Paths from roots to objects, and references turned round."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mprof.heap._search import WANTED, rows_of, search_breadth_first
from mprof.heap.classes import Classes
from mprof.heap.graph import Graph
from mprof.heap.model import PathStep
from mprof.hprof import Dump
from mprof.kernels.rank import ranks_of

if TYPE_CHECKING:
    from mprof.heap.heap import Heap

__all__ = ["Paths"]


class Paths:
    """Searches breadth first, only as far as the nodes asked for demand, and remembers.

    The search starts at the locals of frames, the thread that ran out of memory first, then at
    classes, threads and all other roots; so of paths equally long, one from a frame is found.
    """

    def __init__(self, heap: Heap, dump: Dump, classes: Classes, graph: Graph) -> None:
        self._heap = heap
        self._dump = dump
        self._classes = classes
        self._graph = graph
        self._state = np.zeros(2, np.int64)

    def find(self, nodes: list[int]) -> None:
        """Searches until all nodes are found."""
        parents = self._parents
        missing = [node for node in dict.fromkeys(nodes) if parents[node] == -1]
        if not missing:
            return
        parents[missing] = WANTED
        graph = self._graph
        search_breadth_first(
            self._dump.buffer, self._dump.identifier_bytes, graph.schema, graph.ranks, graph.nodes,
            graph.positions, graph.classes, parents, self._queue, self._state, len(missing),
            self._row, np.zeros(3, np.int64),
        )  # fmt: skip

    def to(self, node: int) -> tuple[PathStep, ...]:
        """A shortest path to a node."""
        self.find([node])
        line = [node]
        while line[-1] > 0 and len(line) <= self._heap.nodes:
            line.append(int(self._parents[line[-1]]))
        line.reverse()
        if line[0] != 0:
            return ()
        return tuple(self._step(above, below) for above, below in pairwise(line))

    def _step(self, above: int, below: int) -> PathStep:
        heap = self._heap
        name = heap.described_class(below) or heap.class_name(below)
        frame = heap.frames_by_node.get(below)
        if frame is not None:
            name = frame.class_name
        return PathStep(below, name, self._via(above, below), frame)

    def _via(self, above: int, below: int) -> str:
        if above == 0:
            return self._root_kinds.get(below, "class" if self._heap.is_class(below) else "root")
        for reference in self._heap.references(above):
            if reference.target == below:
                return reference.name
        return "<class>" if self._heap.is_class(below) else "?"

    @cached_property
    def _root_kinds(self) -> dict[int, str]:
        graph = self._graph
        kinds = dict.fromkeys(graph.nodes[graph.finalizable].tolist(), "waits for its finalizer")
        if graph.roots.incomplete:
            kinds.update(dict.fromkeys(graph.nodes[graph.roots.starts].tolist(), "unreferenced"))
        kinds.update({int(graph.nodes[rank]): kind for rank, kind in graph.roots.kinds.items()})
        kinds.update({thread.node: "thread" for thread in self._heap.threads})
        return kinds

    @cached_property
    def _row(self) -> NDArray[np.int32]:
        return np.empty(self._dump.buffer.size // self._dump.identifier_bytes + 64, np.int32)

    @cached_property
    def _queue(self) -> NDArray[np.int32]:
        return np.empty(self._heap.nodes, np.int32)

    @cached_property
    def _parents(self) -> NDArray[np.int32]:
        """The parent of each node found so far; filled with where the search starts."""
        parents = np.full(self._heap.nodes, -1, np.int32)
        parents[0] = 0
        found = 0
        for node, parent in self._starts():
            if parents[node] < 0:
                parents[node] = parent
                self._queue[found] = node
                found += 1
        self._state[1] = found
        return parents

    def _starts(self) -> list[tuple[int, int]]:
        heap, graph = self._heap, self._graph
        threads = sorted(
            zip(heap.threads, graph.roots.threads, strict=True),
            key=lambda pair: not pair[1].ran_out_of_memory,
        )
        starts: list[tuple[int, int]] = []
        starts += [(f.node, t.node) for t, _ in threads for f in t.frames]
        starts += [(local, f.node) for t, _ in threads for f in t.frames for local in f.locals]
        classes = ranks_of(graph.ranks, self._classes.identifiers[: self._classes.dumped])
        class_nodes = graph.nodes[classes[classes >= 0]]
        starts += [(node, 0) for node in class_nodes[class_nodes > 0].tolist()]
        own_threads = {thread.node for thread in heap.threads}
        starts = [pair for pair in starts if pair[0] not in own_threads]
        starts += [(node, 0) for node in own_threads]
        for thread, root in threads:
            starts += [(int(graph.nodes[vertex]), thread.node) for vertex in root.others]
        starts += [(node, 0) for node in graph.nodes[graph.roots.starts].tolist()]
        starts += [(node, 0) for node in graph.nodes[graph.finalizable].tolist()]
        return starts

    @cached_property
    def incoming(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """References between objects turned round: where each node's begin, and the sources."""
        graph = self._graph
        counts = np.zeros(self._heap.nodes + 1, np.int64)
        arguments = (
            self._dump.buffer, self._dump.identifier_bytes, graph.schema, graph.ranks, graph.nodes,
            graph.positions, graph.classes, self._row, np.zeros(3, np.int64),
        )  # fmt: skip
        rows_of(*arguments, counts, np.empty(0, np.int32), False)
        starts = np.cumsum(counts)
        sources = np.empty(int(starts[-1]), np.int32)
        rows_of(*arguments, starts[:-1].copy(), sources, True)
        return starts, sources

    @cached_property
    def extra_referrers(self) -> dict[int, tuple[int, ...]]:
        """Frames, threads and loaders by the node they hold without a reference in the dump."""
        found: dict[int, tuple[int, ...]] = {}
        for source, target in self._graph.roots.extra_edges:
            node = int(self._graph.nodes[target])
            found[node] = (*found.get(node, ()), int(self._graph.nodes[source]))
        return found
