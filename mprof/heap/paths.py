"""Paths from roots to objects, and inverted references."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mprof.heap._incoming import rows_of
from mprof.heap.answers import Frame, PathStep, Thread
from mprof.heap.graph import Graph
from mprof.hprof.scan import NOTES_SIZE

__all__ = ["NamedNodes", "Paths"]


class NamedNodes(Protocol):
    """What a path must know of the nodes on it; :class:`mprof.heap.heap.Heap` has it."""

    nodes: int

    @property
    def threads(self) -> tuple[Thread, ...]:
        """All threads."""

    @property
    def frames_by_node(self) -> Mapping[int, Frame]:
        """Every frame by its node."""

    def address(self, node: int) -> int:
        """The object's identifier in the dump, 0 if the node is no object."""

    def is_class(self, node: int) -> bool:
        """Whether the node is a class object of the dump."""

    def class_name(self, node: int) -> str:
        """Class in Java source form."""

    def described_class(self, node: int) -> str | None:
        """The class that a class object represents, None for any other node."""

    def reference_name(self, above: int, below: int) -> str | None:
        """By what one node refers to another, None if it does not."""


class Paths:
    """Paths in terms of nodes, with the name of each step; references are inverted on demand."""

    def __init__(self, heap: NamedNodes, graph: Graph) -> None:
        self._heap = heap
        self._graph = graph

    def to(self, node: int) -> tuple[PathStep, ...]:
        """A shortest path to a node; ValueError if none were searched."""
        return self.to_each([node])[0]

    def to_each(self, nodes: Sequence[int]) -> list[tuple[PathStep, ...]]:
        """The same of many nodes, in one search."""
        return [
            tuple(self.step(above, below) for above, below in pairwise(line))
            for line in self.lines_to(nodes)
        ]

    def line_to(self, node: int) -> list[int]:
        """The nodes of a shortest path, the virtual root first; empty for the root itself."""
        return self.lines_to([node])[0]

    def lines_to(self, nodes: Sequence[int]) -> list[list[int]]:
        """The same of many nodes, in one search, and one pass over what it has met."""
        if self._graph.paths is None:
            raise ValueError("the heap was opened without paths")
        asked = [node for node in nodes if node]
        lines = dict(zip(asked, self._graph.paths.to(asked), strict=True))
        return [[0, *lines[node]] if lines.get(node) else [] for node in nodes]

    def step(self, above: int, below: int) -> PathStep:
        """The step from one node of a path to the next."""
        heap = self._heap
        name = heap.described_class(below) or heap.class_name(below)
        frame = heap.frames_by_node.get(below)
        if frame is not None:
            name = frame.class_name
        return PathStep(below, name, self._via(above, below), frame)

    def _via(self, above: int, below: int) -> str:
        if above == 0:
            return self.root_kind(below)
        name = self._heap.reference_name(above, below)
        if name is not None:
            return name
        return "<class>" if self._heap.is_class(below) else "?"

    def root_kind(self, node: int) -> str:
        """In words, why a node is reached from the virtual root, if it is."""
        return self._root_kinds.get(node, "class" if self._heap.is_class(node) else "root")

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
        """Room for the references of one object, were it as large as the dump."""
        source = self._graph.source
        return np.empty(source.buffer.size // source.width + 64, np.int32)

    @property
    def are_inverted(self) -> bool:
        """Whether :attr:`incoming` is there."""
        return "incoming" in self.__dict__

    @cached_property
    def incoming(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """References between objects, inverted: where each node's begin, and the sources."""
        graph = self._graph
        counts = np.zeros(self._heap.nodes + 1, np.int64)
        arguments = (graph.source, graph.by_node, self._row, np.zeros(NOTES_SIZE, np.int64))
        rows_of(*arguments, counts, np.empty(0, np.int32), False)
        starts = np.cumsum(counts)
        sources = np.empty(int(starts[-1]), np.int32)
        rows_of(*arguments, starts[:-1].copy(), sources, True)
        return starts, sources

    @cached_property
    def extra_referrers(self) -> dict[int, tuple[int, ...]]:
        """Frames, threads and loaders by the node they hold without a reference in the dump."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for source, target in self._graph.roots.extra_edges:
            found[int(self._graph.nodes[target])].append(int(self._graph.nodes[source]))
        return {node: tuple(sources) for node, sources in found.items()}
