"""All references of a heap at once, from each node: for passes that follow them over and over."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.heap._outgoing import read_targets
from mprof.heap.heap import Heap
from mprof.hprof.scan import NOTES_SIZE
from mprof.kernels.cores import on_all_cores

__all__ = ["Outgoing", "outgoing_references"]


class Outgoing(NamedTuple):
    """References between objects; those of frames and of threads to frames are not among them.

    Attributes:
        starts: int64, one longer than nodes: where the references of each begin in ``targets``.
        targets: int32, nodes.
    """

    starts: NDArray[np.int64]
    targets: NDArray[np.int32]


def outgoing_references(heap: Heap) -> Outgoing:
    """Reads the dump once more, in the order of nodes; weak and phantom references are left out.

    Each core reads the nodes of a part of its own, into an array of its own; all but the first are
    then moved behind it. Time about 60 ns a reference and core; memory 4 bytes a reference, half of
    them again while they are moved, and 8 a node.
    """
    dump, graph = heap._dump, heap._graph
    starts = np.empty(heap.nodes + 1, np.int64)
    room = dump.buffer.size // dump.identifier_bytes + 64  # untouched pages cost nothing
    parts: dict[int, tuple[int, int, NDArray[np.int32]]] = {}

    def read(first: int, last: int) -> None:
        targets = np.empty(room, np.int32)
        notes = np.zeros(NOTES_SIZE, np.int64)
        count = read_targets(graph.source, graph.by_node, first, last, starts, targets, notes)
        parts[first] = last, count, targets

    on_all_cores(read, heap.nodes)
    _, end, targets = parts.pop(0)
    for first, (last, count, others) in sorted(parts.items()):
        targets[end : end + count] = others[:count]
        starts[first:last] += end
        end += count
    starts[heap.nodes] = end
    return Outgoing(starts, targets[:end])
