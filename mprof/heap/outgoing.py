"""All references of a heap at once, from each node: for passes that follow them over and over."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.heap._outgoing import read_targets
from mprof.heap.heap import Heap
from mprof.hprof.scan import NOTES_SIZE

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

    Time about 60 ns a reference; memory 4 bytes a reference and 8 a node.
    """
    dump, graph = heap._dump, heap._graph
    starts = np.empty(heap.nodes + 1, np.int64)
    room = dump.buffer.size // dump.identifier_bytes + 64  # untouched pages cost nothing
    targets = np.empty(room, np.int32)
    notes = np.zeros(NOTES_SIZE, np.int64)
    count = read_targets(graph.source, graph.by_node, starts, targets, notes)
    return Outgoing(starts, targets[:count])
