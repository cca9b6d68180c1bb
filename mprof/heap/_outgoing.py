"""References in the order of nodes, read from the dump itself; compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.heap._passes import Nodes
from mprof.hprof.scan import Source, read_row_at
from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import prefetch

__all__ = ["read_targets"]


_AHEAD = 24  # nodes; their records lie all over the dump


@kernel
def read_targets(
    source: Source,
    nodes: Nodes,
    first: int,
    last: int,
    starts: NDArray[np.int64],
    targets: NDArray[np.int32],
    notes: NDArray[np.int64],
) -> int:
    """Writes the nodes that each node refers to contiguously; returns how many there are.

    Args:
        source: what to read from.
        nodes: the nodes.
        first: the first node to read.
        last: the node behind the last one to read.
        starts: int64, one for each node; takes where the targets of each begin.
        targets: int32, takes the targets from 0 on; with room for all references of the dump.
        notes: int64, counts that are not used again, see :func:`read_row_at`.
    """
    count = 0
    for node in range(first, last):
        starts[node] = count
        if node + _AHEAD < last:
            prefetch(source.buffer, nodes.positions[node + _AHEAD])
        position = nodes.positions[node]
        if position == 0:
            continue
        end = read_row_at(source, position, nodes.classes[node], targets, count, notes)
        for at in range(count, end):
            target = nodes.by_rank[targets[at]]
            if target >= 0:
                targets[count] = target
                count += 1
    return count
