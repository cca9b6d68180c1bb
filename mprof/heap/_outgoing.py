"""Rows of vertices turned into rows of nodes; compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import integer, prefetch

__all__ = ["number_targets"]


_AHEAD = 32  # references; rows of neighbours lie side by side, their targets anywhere


@kernel
def number_targets(
    slots: NDArray[Any],
    edges: NDArray[np.int32],
    nodes: NDArray[np.int32],
    starts: NDArray[Any],
    first: int,
    last: int,
) -> None:
    """Replaces the targets in the rows of some vertices by their nodes, and notes where rows begin.

    Args:
        slots: int32 or int64 by vertex, where its row begins, 0 for an empty one.
        edges: int32, the rows, the last target of each stored as its complement.
        nodes: int32 by vertex, -1 if it was not reached: its row is left as it is.
        starts: as ``slots``, by node; is written to.
        first: the first vertex.
        last: the vertex behind the last one.
    """
    for vertex in range(first, last):
        node = nodes[vertex]
        if node < 0:
            continue
        at = integer(slots[vertex])
        starts[node] = at
        if at <= 0:
            continue
        while True:
            if (
                at + _AHEAD < edges.size
            ):  # may be of another row, or of none: then it is for nothing
                following = integer(edges[at + _AHEAD])
                prefetch(nodes, max(following, ~following))
            target = integer(edges[at])
            if target < 0:
                edges[at] = ~nodes[~target]
                break
            edges[at] = nodes[target]
            at += 1
