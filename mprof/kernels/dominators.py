"""Immediate dominators by Semi-NCA (Georgiadis, Tarjan, Werneck, JGAA 10(1), 2006).

The semidominator of w is the smallest number from which a path leads to w through larger numbers
only. The immediate dominator of w is the nearest ancestor, on the dominator path of w's parent,
that is not larger than w's semidominator. Vertices are numbered in preorder throughout, so both
passes walk their arrays almost in order, and no stack of calls, bucket or label is needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import integer, prefetch
from mprof.kernels.depth_first import DepthFirst
from mprof.kernels.spare import Spare

__all__ = ["immediate_dominators"]


_FAR, _NEAR = (
    16,
    8,
)  # vertices ahead: the source of the edge is prefetched, then its ancestor and bounds


@kernel
def _semidominators(
    search: DepthFirst, ancestors: NDArray[np.int32], path: NDArray[np.int32]
) -> None:
    """Lowers ``search.bounds[:, 0]`` to the semidominators.

    ``ancestors`` starts as a copy of the parents and is shortened as paths are walked; a vertex
    larger than the current one counts as linked to its ancestor, so nothing marks the linking.
    Once the edges of a vertex are walked, ``bounds[v, 1]`` becomes the smallest semidominator on
    the shortened part of the path above v.
    """
    bounds, sources, links = search.bounds, search.sources, search.links
    for vertex in range(bounds.shape[0] - 1, 0, -1):
        if vertex > _FAR:
            edge = integer(bounds[vertex - _FAR, 1])
            if edge >= 0:
                prefetch(sources, edge)
                prefetch(links, edge)
            edge = integer(bounds[vertex - _NEAR, 1])
            if edge >= 0:
                source = sources[edge]
                prefetch(ancestors, source)
                prefetch(bounds, source)
        bound = integer(bounds[vertex, 0])
        edge = integer(bounds[vertex, 1])
        while edge >= 0 and bound > 0:
            source = integer(sources[edge])
            edge = integer(links[edge])
            depth = 0
            top = source
            while ancestors[top] > vertex:
                path[depth] = top
                depth += 1
                top = integer(ancestors[top])
            best = integer(bounds[top, 1])
            above = ancestors[top]
            while depth > 0:
                depth -= 1
                below = path[depth]
                best = min(best, integer(bounds[below, 1]))
                bounds[below, 1] = best
                ancestors[below] = above
            bound = min(bound, best)
        bounds[vertex, 0] = bound
        bounds[vertex, 1] = bound


@kernel
def _nearest_common_ancestors(parents: NDArray[np.int32], bounds: NDArray[Any]) -> None:
    """Turns parents into immediate dominators, in place."""
    for vertex in range(1, parents.size):
        candidate = parents[vertex]
        while candidate > bounds[vertex, 0]:
            candidate = parents[candidate]
        parents[vertex] = candidate


def immediate_dominators(search: DepthFirst, spare: Spare | None = None) -> NDArray[np.int32]:
    """The immediate dominator of every vertex, by preorder number; 0, the root, for the root.

    Overwrites ``search``: its parents become the result.
    Time almost linear (worst case quadratic, never seen on heaps); memory 4 bytes a vertex, and 4
    for each vertex of the longest path walked.
    Largest input tried: see ``docs/reference/heap-engine-benchmarks.md``.
    """
    spare = spare or Spare()
    ancestors = spare.scattered(search.parents.size, np.int32)
    path = spare.take(search.parents.size, np.int32)
    ancestors[:] = search.parents
    _semidominators(search, ancestors, path)
    _nearest_common_ancestors(search.parents, search.bounds)
    spare.give(ancestors, path)
    return search.parents
