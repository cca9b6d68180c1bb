"""Rows of vertices turned into rows of nodes; compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import integer, prefetch

__all__ = ["copy_rows", "count_targets", "number_targets", "starts_of"]


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
            # may be of another row, or of none: then it is for nothing
            if at + _AHEAD < edges.size:
                following = integer(edges[at + _AHEAD])
                prefetch(nodes, max(following, ~following))
            target = integer(edges[at])
            if target < 0:
                edges[at] = ~nodes[~target]
                break
            edges[at] = nodes[target]
            at += 1


@kernel
def count_targets(
    slots: NDArray[Any],
    edges: NDArray[np.int32],
    nodes: NDArray[np.int32],
    counts: NDArray[Any],
    begin: int,
    numbers: int,
    first: int,
    last: int,
) -> None:
    """Counts the targets in the rows of some vertices, and may replace them by their nodes.

    Args:
        slots: as of :func:`number_targets`.
        edges: as of :func:`number_targets`.
        nodes: as of :func:`number_targets`.
        counts: by node, a stretch of them; is written to where a row is not empty.
        begin: the node where the stretch begins.
        numbers: whether targets are replaced, of all vertices; 0 or 1.
        first: the first vertex.
        last: the vertex behind the last one.
    """
    for vertex in range(first, last):
        place = integer(nodes[vertex]) - begin
        at = integer(slots[vertex])
        is_wanted = 0 <= place < counts.size
        if nodes[vertex] < 0 or at <= 0 or (numbers == 0 and not is_wanted):
            continue
        row = at
        while True:
            target = integer(edges[at])
            if numbers != 0:
                if at + _AHEAD < edges.size:
                    following = integer(edges[at + _AHEAD])
                    prefetch(nodes, max(following, ~following))
                edges[at] = ~nodes[~target] if target < 0 else nodes[target]
            at += 1
            if target < 0:
                break
        if is_wanted:
            counts[place] = at - row


@kernel
def starts_of(counts: NDArray[Any], at: int) -> int:
    """Turns the lengths of rows into where they begin, 0 for an empty one; returns the end."""
    for node in range(counts.size):
        length = integer(counts[node])
        counts[node] = at if length > 0 else 0
        at += length
    return at


@kernel
def copy_rows(
    slots: NDArray[Any],
    edges: NDArray[np.int32],
    nodes: NDArray[np.int32],
    starts: NDArray[Any],
    begin: int,
    targets: NDArray[np.int32],
    start: int,
    first: int,
    last: int,
) -> None:
    """Copies the rows of some vertices, as far as their nodes lie in a stretch.

    Args:
        slots: as of :func:`number_targets`.
        edges: int32, the rows of nodes.
        nodes: as of :func:`number_targets`.
        starts: by node, a stretch of them: where its row is to begin.
        begin: the node where the stretch begins.
        targets: int32, takes the rows of the stretch.
        start: where the first of them is to begin.
        first: the first vertex.
        last: the vertex behind the last one.
    """
    for vertex in range(first, last):
        place = integer(nodes[vertex]) - begin
        at = integer(slots[vertex])
        if nodes[vertex] < 0 or not 0 <= place < starts.size or at <= 0:
            continue
        own = integer(starts[place]) - start
        while True:
            target = edges[at]
            targets[own] = target
            own += 1
            at += 1
            if target < 0:
                break
