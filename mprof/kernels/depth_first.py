"""Numbers a graph depth first, and keeps only the edges that the dominator search needs.

The graph is a row of targets for each vertex, all rows in one array; the last target of a row is
stored as its complement (``~target``). ``slots[v]`` holds where the row of ``v`` begins, 0 for an
empty row. While the search runs, the slot of a visited vertex turns into the complement of its
number: one cache line then answers both "seen already?" and "where are its edges?".

With numbers in preorder an edge v → w is one of

- a tree edge: ``parents[w] = v``;
- a forward edge, v < w: it can only lower the semidominator of w to v, which is done at once;
- a back or cross edge, v > w: kept in a linked list at w, unless w is a child of the root, whose
  dominator cannot change any more.

So only back and cross edges cost memory, and no inverted graph is ever built.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import integer, prefetch
from mprof.kernels.spare import Spare

__all__ = ["DepthFirst", "Search"]


class DepthFirst(NamedTuple):
    """Vertices by preorder number, the root being 0.

    Attributes:
        parents: int32, the parent of each number in the search tree, 0 for the root.
        bounds: int32 or int64 of shape (vertices, 2), side by side because an edge needs both: the
            smallest number among those predecessors that come before the vertex, and the first
            back or cross edge that ends at the vertex, -1 without one.
        sources: int32, where each back or cross edge begins.
        links: int32 or int64, the next back or cross edge with the same end, -1 at the last.
    """

    parents: NDArray[np.int32]
    bounds: NDArray[Any]
    sources: NDArray[np.int32]
    links: NDArray[Any]


@kernel
def _search(
    slots: NDArray[Any],
    edges: NDArray[np.int32],
    cursor: int,
    result: DepthFirst,
    reached: int,
    kept: int,
    pending: NDArray[np.int32],
    cursors: NDArray[np.int64],
) -> tuple[int, int]:
    """Follows the root's row at ``cursor``; returns how many are reached, and edges kept."""
    parents, bounds, sources, links = result
    depth = integer(0)
    vertex = integer(0)
    while True:
        target = integer(edges[cursor])
        cursor += 1
        last = target < 0
        if last:
            target = ~target
        else:
            following = integer(edges[cursor])
            prefetch(slots, max(following, ~following))
        slot = integer(slots[target])
        if slot >= 0:
            number = reached
            reached += 1
            slots[target] = ~number
            parents[number] = vertex
            bounds[number, 0] = vertex
            bounds[number, 1] = -1
            if slot > 0:
                if not last:  # after its last edge there is no need to return to a vertex
                    pending[depth] = vertex
                    cursors[depth] = cursor
                    depth += 1
                vertex = number
                cursor = slot
                continue
        else:
            number = ~slot
            bound = integer(bounds[number, 0])
            if number > vertex:
                if vertex < bound:
                    bounds[number, 0] = vertex
            elif bound != 0 and number != vertex:
                sources[kept] = vertex
                links[kept] = bounds[number, 1]
                bounds[number, 1] = kept
                kept += 1
        if last:
            if depth == 0:
                return reached, kept
            depth -= 1
            vertex = integer(pending[depth])
            cursor = cursors[depth]


class Search:
    """A depth-first search from a virtual root, which may be given more successors later on.

    Time linear in edges.
    Memory: 12 to 16 bytes a vertex, 8 to 16 a kept edge, and 12 for every open vertex on the
    deepest path. Largest input tried: 22 million vertices.

    Args:
        slots: int32 or int64, one per vertex, changed in place.
        edges: int32, the rows; position 0 belongs to no row.
        root: a vertex that no edge leads to; its slot is not read.
        edge_count: an upper bound of the edges in all rows.
        empty: where memory for vertices and kept edges is taken from, as of ``numpy.empty``.
        scattered: the same for what is read here and there.
    """

    def __init__(
        self,
        slots: NDArray[Any],
        edges: NDArray[np.int32],
        root: int,
        *,
        edge_count: int,
        empty: Callable[[int, DTypeLike], NDArray[Any]] = np.empty,
        scattered: Callable[[int, DTypeLike], NDArray[Any]] = np.empty,
    ) -> None:
        vertices = slots.size
        link_type = np.int32 if edge_count < np.iinfo(np.int32).max else np.int64
        self._slots, self._edges = slots, edges
        self._result = DepthFirst(  # untouched pages of these arrays cost nothing
            empty(vertices, np.int32),
            scattered(2 * vertices, link_type).reshape(-1, 2),
            scattered(edge_count + 1, np.int32),
            scattered(edge_count + 1, link_type),
        )
        self._pending = empty(vertices, np.int32)
        self._cursors = empty(vertices, np.int64)
        slots[root] = ~0
        self._result.parents[0] = 0
        self._result.bounds[0] = 0, -1
        self._reached, self._kept = 1, 0

    def follow(self, cursor: int) -> None:
        """Numbers what the root's row at ``cursor`` leads to and is not numbered yet."""
        if cursor > 0:
            self._reached, self._kept = _search(
                self._slots, self._edges, cursor, self._result,
                self._reached, self._kept, self._pending, self._cursors,
            )  # fmt: skip

    def end(self, spare: Spare) -> None:
        """Gives back what only the search takes: nothing can be followed any more."""
        spare.give(self._pending, self._cursors)
        del self._slots, self._edges, self._pending, self._cursors

    def give_to(self, spare: Spare) -> None:
        """Gives the memory of all but the parents back, when dominators are found."""
        _, *others = self._result
        spare.give(*others)

    @property
    def result(self) -> DepthFirst:
        """The numbering; ``slots`` holds ``~number`` of every vertex reached, others are >= 0."""
        parents, bounds, sources, links = self._result
        return DepthFirst(
            parents[: self._reached],
            bounds[: self._reached],
            sources[: self._kept],
            links[: self._kept],
        )
