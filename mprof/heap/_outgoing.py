"""References in the order of nodes, read from the dump itself; compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.heap._passes import Nodes
from mprof.hprof.scan import Source, read_row_at
from mprof.kernels._compile import kernel

__all__ = ["read_targets"]


@kernel
def read_targets(
    source: Source,
    nodes: Nodes,
    starts: NDArray[np.int64],
    targets: NDArray[np.int32],
    notes: NDArray[np.int64],
) -> int:
    """Writes the nodes that each node refers to contiguously; returns how many there are.

    Args:
        source: what to read from.
        nodes: the nodes.
        starts: int64, one longer than nodes; takes where the targets of each begin.
        targets: int32, takes the targets; with room for all references of the dump.
        notes: int64, counts that are not used again, see :func:`read_row_at`.
    """
    count = 0
    for node in range(nodes.positions.size):
        starts[node] = count
        position = nodes.positions[node]
        if position == 0:
            continue
        end = read_row_at(source, position, nodes.classes[node], targets, count, notes)
        for at in range(count, end):
            target = nodes.by_rank[targets[at]]
            if target >= 0:
                targets[count] = target
                count += 1
    starts[nodes.positions.size] = count
    return count
