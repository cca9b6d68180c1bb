"""Shortest paths from a list of starting vertices, by breadth-first search.

The graph is that of :mod:`mprof.kernels.depth_first`: a row of targets for each vertex, the last
one stored as its complement; ``slots`` says where each row begins, 0 for an empty one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import integer, prefetch

__all__ = ["NOT_FOUND", "shortest_paths"]

NOT_FOUND = -1

_FAR, _NEAR = 32, 16  # places in the queue: the slot is prefetched, then the row, then its targets


@kernel
def _follow(
    slots: NDArray[Any],
    edges: NDArray[np.int32],
    parents: NDArray[np.int32],
    queue: NDArray[np.int32],
    found: int,
) -> int:
    done = integer(0)
    while done < found:
        if done + _FAR < found:
            prefetch(slots, queue[done + _FAR])
        if done + _NEAR < found:
            slot = integer(slots[queue[done + _NEAR]])
            if slot > 0:
                prefetch(edges, slot)
        if done + _NEAR // 2 < found:
            slot = integer(slots[queue[done + _NEAR // 2]])
            if slot > 0:
                for ahead in range(slot, slot + 4):
                    target = integer(edges[ahead])
                    prefetch(parents, max(target, ~target))
                    if target < 0:
                        break
        vertex = queue[done]
        done += 1
        at = integer(slots[vertex])
        if at <= 0:
            continue
        while True:
            target = integer(edges[at])
            last = target < 0
            if last:
                target = ~target
            if parents[target] == NOT_FOUND:
                parents[target] = vertex
                queue[found] = target
                found += 1
            if last:
                break
            at += 1
    return found


def shortest_paths(
    slots: NDArray[Any],
    edges: NDArray[np.int32],
    *,
    starts: NDArray[np.int32],
    parents: NDArray[np.int32],
    queue: NDArray[np.int32],
) -> None:
    """Finds a shortest path to every vertex that is reached from ``starts``.

    Time linear in edges.
    Largest input tried: see ``docs/reference/heap-engine-benchmarks.md``.

    Args:
        slots: int32 or int64, one per vertex.
        edges: int32, the rows; position 0 belongs to no row.
        starts: int32, each once, in order of precedence; their ``parents`` are set already.
        parents: int32, one per vertex, NOT_FOUND for vertices not found yet; changed in place: the
            vertex before each on its path.
        queue: int32, one per vertex, uninitialised.
    """
    queue[: starts.size] = starts
    _follow(slots, edges, parents, queue, starts.size)
