"""A breadth-first search over the dump itself, for the shortest path to a few objects; compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.scan import CLASS, INSTANCE, Schema, read_row
from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import load_be32
from mprof.kernels.rank import Ranks

__all__ = ["WANTED", "rows_of", "search_breadth_first"]

WANTED = -2
"""Parent of a node that is looked for and not found yet; -1 of any other node not found yet."""


@kernel
def search_breadth_first(
    buffer: NDArray[np.uint8],
    width: int,
    schema: Schema,
    ranks: Ranks,
    nodes: NDArray[np.int32],
    positions: NDArray[np.int64],
    classes: NDArray[np.int32],
    parents: NDArray[np.int32],
    queue: NDArray[np.int32],
    state: NDArray[np.int64],
    wanted: int,
    row: NDArray[np.int32],
    notes: NDArray[np.int64],
) -> int:
    """Goes on until ``wanted`` nodes that are marked WANTED are found, or there is nothing left.

    Args:
        buffer: the dump.
        width: bytes of an identifier.
        schema: where references lie.
        ranks: addresses to ranks.
        nodes: int32, ranks to nodes.
        positions: int64, of each node's record, 0 if it has none.
        classes: int32, class number of each node.
        parents: int32, by node; changed in place.
        queue: int32, nodes in the order they were found.
        state: int64, how many of the queue are done, and how long it is.
        wanted: how many to find.
        row: int32, room for the longest row.
        notes: int64, counts of :func:`mprof.hprof.scan.read_row`, of no use here.

    Returns:
        How many are still not found.
    """
    done = state[0]
    found = state[1]
    while done < found and wanted > 0:
        node = queue[done]
        done += 1
        position = positions[node]
        if position == 0:
            continue
        tag = buffer[position]
        length = 0
        if tag == INSTANCE:
            length = load_be32(buffer, position + 5 + 2 * width)
        elif tag != CLASS:
            length = load_be32(buffer, position + 5 + width)
        end = read_row(
            buffer, tag, position, length, classes[node], width, schema, ranks, row, 0, notes
        )
        for at in range(end):
            target = nodes[row[at]]
            if target >= 0 and parents[target] < 0:
                if parents[target] == WANTED:
                    wanted -= 1
                parents[target] = node
                queue[found] = target
                found += 1
    state[0] = done
    state[1] = found
    return wanted


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
        tag = buffer[position]
        length = 0
        if tag == INSTANCE:
            length = load_be32(buffer, position + 5 + 2 * width)
        elif tag != CLASS:
            length = load_be32(buffer, position + 5 + width)
        end = read_row(
            buffer, tag, position, length, classes[node], width, schema, ranks, row, 0, notes
        )
        for at in range(end):
            target = nodes[row[at]]
            if target >= 0:
                if fill:
                    sources[counts[target]] = node
                    counts[target] += 1
                else:
                    counts[target + 1] += 1
