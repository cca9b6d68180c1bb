"""References inverted, read from the dump itself; compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.heap._passes import Nodes
from mprof.hprof.scan import Source, read_row_at
from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import integer

__all__ = ["rows_of"]


@kernel
def rows_of(
    source: Source,
    nodes: Nodes,
    row: NDArray[np.int32],
    notes: NDArray[np.int64],
    counts: NDArray[np.int64],
    sources: NDArray[np.int32],
    fill: bool,
) -> None:
    """Incoming references of every node, in two calls: count them, then fill them in.

    Args:
        source: what to read from.
        nodes: the nodes.
        row: int32, room for the references of the largest object.
        notes: int64, counts that are not used again, see :func:`read_row_at`.
        counts: int64, one longer than nodes. The first call adds the number of referrers of node v
            to ``counts[v + 1]``. For the second it must hold the running sums of those, where the
            referrers of each node begin, and is advanced.
        sources: int32, takes the referring nodes.
        fill: whether this is the second call.
    """
    for node in range(nodes.positions.size):
        position = integer(nodes.positions[node])
        if position == 0:
            continue
        end = read_row_at(source, position, nodes.classes[node], row, 0, notes)
        for at in range(end):
            target = nodes.by_rank[row[at]]
            if target >= 0:
                if fill:
                    sources[counts[target]] = node
                    counts[target] += 1
                else:
                    counts[target + 1] += 1
