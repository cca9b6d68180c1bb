"""References turned round, read from the dump itself; compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.scan import Schema, read_row_at
from mprof.kernels._compile import kernel
from mprof.kernels.rank import Ranks

__all__ = ["rows_of"]


@kernel
def rows_of(
    buffer: NDArray[np.uint8],
    width: int,
    schema: Schema,
    ranks: Ranks,
    nodes: NDArray[np.int32],
    positions: NDArray[np.int64],
    classes: NDArray[np.int32],
    row: NDArray[np.int32],
    notes: NDArray[np.int64],
    counts: NDArray[np.int64],
    sources: NDArray[np.int32],
    fill: bool,
) -> None:
    """Incoming references of every node, in two calls: count them, then fill them in.

    ``counts`` of the first call holds the number of referrers of each node, one row further on; for
    the second call it must be the running sum of them, and is moved on while ``sources`` is filled.
    """
    for node in range(positions.size):
        position = positions[node]
        if position == 0:
            continue
        end = read_row_at(buffer, position, classes[node], width, schema, ranks, row, 0, notes)
        for at in range(end):
            target = nodes[row[at]]
            if target >= 0:
                if fill:
                    sources[counts[target]] = node
                    counts[target] += 1
                else:
                    counts[target + 1] += 1
