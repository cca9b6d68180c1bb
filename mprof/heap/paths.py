"""Paths from roots to objects, and references turned round."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mprof.heap._incoming import rows_of
from mprof.heap.classes import Classes
from mprof.heap.graph import Graph
from mprof.heap.model import PathStep
from mprof.hprof import Dump
from mprof.kernels.rank import ranks_of

if TYPE_CHECKING:
    from mprof.heap.heap import Heap

__all__ = ["Paths"]


class Paths:
    """Paths in terms of nodes, with the name of each step; references turned round on demand."""

    def __init__(self, heap: Heap, dump: Dump, classes: Classes, graph: Graph) -> None:
        self._heap = heap
        self._dump = dump
        self._classes = classes
        self._graph = graph

    def to(self, node: int) -> tuple[PathStep, ...]:
        """A shortest path to a node."""
        graph = self._graph
        if node == 0:
            return ()
        root = graph.parents.size - 1
        vertex = self._vertex_of(node)
        line = [node]
        while (vertex := int(graph.parents[vertex])) != root:
            if vertex < 0:
                return ()
            line.append(int(graph.nodes[vertex]))
        line.append(0)
        line.reverse()
        return tuple(self._step(above, below) for above, below in pairwise(line))

    def _vertex_of(self, node: int) -> int:
        address = self._heap.address(node)
        if address:
            return int(ranks_of(self._graph.ranks, np.array([address], np.int64))[0])
        return self._extra_vertices[node]

    @cached_property
    def _extra_vertices(self) -> dict[int, int]:
        """The vertex of each node that is no object."""
        first = self._graph.nodes.size - 1 - self._graph.roots.extra_vertices
        nodes = self._graph.nodes[first:].tolist()
        return {node: vertex for vertex, node in enumerate(nodes, start=first)}

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
