"""References in the order of nodes, read from the dump itself; compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.scan import Schema, read_row_at
from mprof.kernels._compile import kernel
from mprof.kernels.rank import Ranks

__all__ = ["read_targets"]


@kernel
def read_targets(
    buffer: NDArray[np.uint8],
    width: int,
    schema: Schema,
    ranks: Ranks,
    nodes: NDArray[np.int32],
    positions: NDArray[np.int64],
    classes: NDArray[np.int32],
    starts: NDArray[np.int64],
    targets: NDArray[np.int32],
    notes: NDArray[np.int64],
) -> int:
    count = 0
    for node in range(positions.size):
        starts[node] = count
        position = positions[node]
        if position == 0:
            continue
        end = read_row_at(
            buffer, position, classes[node], width, schema, ranks, targets, count, notes
        )
        for at in range(count, end):
            target = nodes[targets[at]]
            if target >= 0:
                targets[count] = target
                count += 1
    starts[positions.size] = count
    return count
