"""The dominator tree in rows for people: what is large alone, what is small together, by class.

Below one and the same row, all small vertices of a class are one row; so are those below them, by
class again. Each byte is in one row, and what a row and those below it hold adds up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import integer
from mprof.kernels.lookup import Lookup, slot_of

__all__ = ["Rows", "outline"]

_LONGEST_RUN = 8
"""Vertices of one class that each dominate the next, and have a row alone: the first of a chain."""
_DEEPEST = 200


class Rows(NamedTuple):
    """The rows, parents first.

    Attributes:
        vertices: int32, the vertex of a row that has one; of what is small together -1.
        parents: int32, the row above; that of the first is 0.
        classes: int32, the class of all vertices in it.
        members: int64, how many.
        shallow: int64, bytes of these alone.
        totals: int64, bytes of these and of all rows below.
        below: int64, vertices of these and of all rows below.
    """

    vertices: NDArray[np.int32]
    parents: NDArray[np.int32]
    classes: NDArray[np.int32]
    members: NDArray[np.int64]
    shallow: NDArray[np.int64]
    totals: NDArray[np.int64]
    below: NDArray[np.int64]


@kernel
def _outline(
    dominators: NDArray[np.int32],
    classes: NDArray[np.int32],
    sizes: NDArray[np.int32],
    prefix: NDArray[np.int64],
    least: int,
    table: Lookup,
    row_of: NDArray[np.int32],
    rows: Rows,
    runs: NDArray[np.int32],
    depths: NDArray[np.int32],
) -> int:
    count, others = 0, 0
    most = rows.vertices.size
    slots = table.keys.size
    for vertex in range(dominators.size):
        kind = classes[vertex]
        above = integer(row_of[dominators[vertex]]) if vertex > 0 else 0
        alone = vertex == 0
        run = 0
        if vertex > 0 and rows.vertices[above] >= 0 and count < most:
            retained = prefix[vertex + sizes[vertex]] - prefix[vertex]
            run = integer(runs[above]) + 1 if kind >= 0 and rows.classes[above] == kind else 0
            alone = retained >= least and run < _LONGEST_RUN and depths[above] < _DEEPEST
        row = -1
        if not alone:
            key = (above << 32) | (integer(kind) + 1)
            at = slot_of(key, slots)
            while table.values[at] >= 0 and table.keys[at] != key:
                at = (at + 1) & (slots - 1)
            row = integer(table.values[at])
            if row < 0:
                # Of what refers to its own kind again, however far below, one row is enough.
                other = above
                while rows.vertices[other] < 0 and rows.classes[other] != kind:
                    other = integer(rows.parents[other])
                if rows.vertices[other] < 0:
                    row = other
                elif count >= most:
                    row = above
                else:
                    row = count
                # A quarter of the slots is for rows, one for other ways to them, which are found
                # again without it. The rest stay free: a search for what is not there ends there.
                if row == count or 4 * others < slots:
                    table.keys[at] = key
                    table.values[at] = row
                    others += row != count
        if alone or row == count:
            row = count
            count += 1
            rows.vertices[row] = vertex if alone else -1
            rows.parents[row] = above
            rows.classes[row] = kind
            runs[row] = run
            depths[row] = depths[above] + 1
        row_of[vertex] = row
        rows.members[row] += 1
        rows.shallow[row] += prefix[vertex + 1] - prefix[vertex]
    for row in range(count):
        rows.totals[row] = rows.shallow[row]
        rows.below[row] = rows.members[row]
    for row in range(count - 1, 0, -1):
        rows.totals[rows.parents[row]] += rows.totals[row]
        rows.below[rows.parents[row]] += rows.below[row]
    return count


def outline(
    dominators: NDArray[np.int32],
    classes: NDArray[np.int32],
    sizes: NDArray[np.int32],
    prefix: NDArray[np.int64],
    *,
    least: int,
    most: int = 1 << 20,
) -> Rows:
    """Rows of a dominator tree whose vertices are numbered in preorder.

    Time linear; memory 4 bytes a vertex and about 100 a possible row. Largest input tried: 25
    million vertices.

    Args:
        dominators: int32, ``dominators[v] < v``, the root being 0.
        classes: int32, a number for each, -1 for none.
        sizes: int32, vertices dominated by each, itself included.
        prefix: int64, one longer, sums of shallow sizes before each vertex.
        least: retained bytes of a vertex that has a row alone, if the one above it has one too. Of
            vertices of one class that each dominate the next only the first eight have one.
        most: rows; where there would be more, the rest counts among the rows above it.
    """
    most = max(1, min(most, dominators.size))
    slots = 1 << (4 * most - 1).bit_length()
    table = Lookup(np.zeros(slots, np.int64), np.full(slots, -1, np.int32))
    vertices, parents, kinds = np.full((3, most), -1, np.int32)
    rows = Rows(vertices, parents, kinds, *np.zeros((4, most), np.int64))
    row_of = np.empty(dominators.size, np.int32)
    runs, depths = np.zeros((2, most), np.int32)
    count = _outline(dominators, classes, sizes, prefix, least, table, row_of, rows, runs, depths)
    return Rows(
        vertices=rows.vertices[:count].copy(),
        parents=rows.parents[:count].copy(),
        classes=rows.classes[:count].copy(),
        members=rows.members[:count].copy(),
        shallow=rows.shallow[:count].copy(),
        totals=rows.totals[:count].copy(),
        below=rows.below[:count].copy(),
    )
