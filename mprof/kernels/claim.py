"""Who owns what: claims that spread over a graph in order of precedence.

Each source claims what it reaches and no earlier source has claimed, so every vertex has one owner
and the sums over owners count nothing twice. A blocked vertex is neither claimed nor passed.
The graph is that of :mod:`mprof.kernels.depth_first`: a row of targets for each vertex, the last
one stored as its complement; ``starts`` says where each row begins, 0 for an empty one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import integer, prefetch
from mprof.kernels.cores import on_all_cores

__all__ = [
    "BLOCKED",
    "FREE",
    "Tree",
    "block",
    "claim",
    "claim_ranges",
    "move_dominated",
    "move_ranges",
    "reached_sizes",
    "retained_by_class",
    "sum_by_owner",
    "sum_by_owner_and_class",
    "unblock",
]

FREE = 0
BLOCKED = -1

_AHEAD = 8  # places in the stack: rows lie in the order of the dump, so the next one is anywhere
_LOOKS = 4  # at each vertex
_LONG = 1 << 13  # vertices in a row, whose rows are read in order


@kernel
def _block(
    kinds: NDArray[np.uint8], first: int, owners: NDArray[np.int32], start: int, end: int
) -> None:
    for vertex in range(start, end):
        owners[vertex] = -1 if kinds[vertex] >= first else 0


def block(kinds: NDArray[np.uint8], first: int, owners: NDArray[np.int32]) -> None:
    """Makes every vertex ``FREE``, or ``BLOCKED`` where its kind is ``first`` or a later one.

    Args:
        kinds: uint8, one per vertex.
        first: the lowest kind that is blocked.
        owners: int32, one per vertex; is written to.
    """
    on_all_cores(lambda start, end: _block(kinds, first, owners, start, end), kinds.size)


@kernel
def _unblock(
    kinds: NDArray[np.uint8], kind: int, owners: NDArray[np.int32], start: int, end: int
) -> None:
    for vertex in range(start, end):
        if kinds[vertex] == kind:
            owners[vertex] = -1
        elif owners[vertex] == -1:
            owners[vertex] = 0


def unblock(kinds: NDArray[np.uint8], kind: int, owners: NDArray[np.int32]) -> None:
    """Frees what is blocked, and blocks every vertex of one kind, whoever owns it.

    Args:
        kinds: uint8, one per vertex.
        kind: the one that is blocked.
        owners: int32, one per vertex; changed in place.
    """
    on_all_cores(lambda start, end: _unblock(kinds, kind, owners, start, end), kinds.size)


@kernel
def move_ranges(
    starts: NDArray[np.int64], ends: NDArray[np.int64], kinds: NDArray[np.uint8], old: int, new: int
) -> None:
    """Gives the vertices of one kind in some ranges another kind; time linear in what they hold.

    Args:
        starts: int64, the first vertex of each.
        ends: int64, the vertex behind its last.
        kinds: uint8, one per vertex; changed in place.
        old: the kind that is looked for.
        new: the kind that it becomes.
    """
    for i in range(starts.size):
        for vertex in range(starts[i], ends[i]):
            if kinds[vertex] == old:
                kinds[vertex] = new


@kernel
def move_dominated(
    subtrees: NDArray[np.int32], kinds: NDArray[np.uint8], above: int, old: int, new: int
) -> None:
    """Gives the vertices of one kind that any of another kind dominates a new kind; time linear.

    Args:
        subtrees: int32, as in :class:`Tree`.
        kinds: uint8, one per vertex; changed in place.
        above: the kind that dominates.
        old: the kind that is looked for.
        new: the kind that it becomes.
    """
    end = integer(0)
    for vertex in range(kinds.size):
        if kinds[vertex] == above:
            end = max(end, vertex + integer(subtrees[vertex]))
        elif vertex < end and kinds[vertex] == old:
            kinds[vertex] = new


class Tree(NamedTuple):
    """The dominator tree of the graph, its vertices numbered in preorder.

    Attributes:
        subtrees: int32, how many vertices each dominates, itself included; empty if not known.
        apart: int64, ascending: vertices of which the tree knows further edges, which are not among
            the rows.
        starts: as of :func:`claim`, for rows that are read in order.
        targets: as of :func:`claim`, for those.
    """

    subtrees: NDArray[np.int32]
    apart: NDArray[np.int64]
    starts: NDArray[Any]
    targets: NDArray[np.int32]


_NONE = np.empty(0, np.int32)
_NO_TREE = Tree(_NONE, np.empty(0, np.int64), _NONE, _NONE)


@inlined
def _holds_any(sorted_vertices: NDArray[np.int64], start: int, end: int) -> bool:
    low = 0
    high = sorted_vertices.size
    while low < high:
        middle = (low + high) >> 1
        if sorted_vertices[middle] < start:
            low = middle + 1
        else:
            high = middle
    return low < sorted_vertices.size and sorted_vertices[low] < end


@inlined
def _claim_targets(
    starts: NDArray[Any],
    targets: NDArray[np.int32],
    first: int,
    last: int,
    label: int,
    owners: NDArray[np.int32],
    pending: NDArray[np.int32],
    depth: int,
) -> int:
    """Claims what some vertices refer to outside of their range; returns how many are pending."""
    for vertex in range(first, last):
        if vertex + _AHEAD < last:
            prefetch(targets, starts[vertex + _AHEAD])
        at = integer(starts[vertex])
        while at > 0:
            target = integer(targets[at])
            at += 1
            if target < 0:
                target = ~target
                at = integer(0)
            if (target < first or target >= last) and owners[target] == 0:
                owners[target] = label
                pending[depth] = target
                depth += 1
    return depth


@kernel
def _claim(
    starts: NDArray[Any],
    targets: NDArray[np.int32],
    tree: Tree,
    sources: NDArray[np.int64],
    labels: NDArray[np.int32],
    owners: NDArray[np.int32],
    pending: NDArray[np.int32],
) -> None:
    """What a vertex dominates it reaches, and only ways through it do.

    So where all of that is free, it is claimed in the order of its numbers, and only references
    that lead elsewhere are followed one by one: two thirds of the time of a search. Whether all is
    free may be looked up in vain; that ends after a few looks at each vertex.
    """
    subtrees, apart, _, _ = tree
    taken = integer(-1)  # what was found in vain the last time
    looks = _LOOKS * owners.size
    for i in range(sources.size):
        source = sources[i]
        if owners[source] != 0:
            continue
        label = labels[i]
        owners[source] = label
        pending[0] = source
        depth = integer(1)
        while depth > 0:
            depth -= 1
            if depth >= _AHEAD:
                prefetch(targets, starts[pending[depth - _AHEAD]])
                if subtrees.size > 0:
                    prefetch(subtrees, pending[depth - _AHEAD])
            first = integer(pending[depth])
            last = first + 1
            if subtrees.size > 0 and subtrees[first] > 1:
                end = first + integer(subtrees[first])
                known = first < taken and taken < end
                if not known and looks > 0 and not _holds_any(apart, first, end):
                    taken = last
                    while taken < end and owners[taken] == 0:
                        taken += 1
                    if taken == end:
                        last, taken = end, integer(-1)
                        for vertex in range(first, end):
                            owners[vertex] = label
                    else:
                        looks -= taken - first
            if last - first >= _LONG:
                depth = _claim_targets(
                    tree.starts, tree.targets, first, last, label, owners, pending, depth
                )
            else:
                depth = _claim_targets(starts, targets, first, last, label, owners, pending, depth)


def claim(
    starts: NDArray[Any],
    targets: NDArray[np.int32],
    *,
    sources: NDArray[np.int64],
    labels: NDArray[np.int32],
    owners: NDArray[np.int32],
    tree: Tree = _NO_TREE,
    pending: NDArray[np.int32] | None = None,
) -> None:
    """Lets each source, in order, claim the free vertices it reaches through free vertices.

    Time linear in the edges of what is claimed; memory 4 bytes a vertex.
    Largest input tried: 25 million vertices.

    Args:
        starts: int32 or int64, where the row of each vertex begins, 0 for an empty one.
        targets: int32, the rows; position 0 belongs to no row.
        sources: int64, vertices; a source that is not free is skipped.
        labels: int32, the owner each source stands for, above 0.
        owners: int32, one per vertex: ``FREE``, ``BLOCKED`` or an owner; changed in place.
        tree: the dominator tree, where it is known; the result is the same.
        pending: int32, one per vertex: scratch, for callers that call again and again.
    """
    pending = np.empty(owners.size, np.int32) if pending is None else pending
    _claim(starts, targets, tree, sources, labels, owners, pending)


@kernel
def _claim_ranges(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    label: int,
    owners: NDArray[np.int32],
) -> None:
    for i in range(starts.size):
        for vertex in range(starts[i], ends[i]):
            if owners[vertex] == 0:
                owners[vertex] = label


def claim_ranges(
    starts: NDArray[np.int64], ends: NDArray[np.int64], *, label: int, owners: NDArray[np.int32]
) -> None:
    """Lets an owner claim the free vertices of some ranges; time linear in what they hold.

    Args:
        starts: int64, the first vertex of each.
        ends: int64, the vertex behind its last.
        label: the owner, above 0.
        owners: as for :func:`claim`.
    """
    _claim_ranges(starts, ends, label, owners)


@kernel
def _reached_sizes(
    starts: NDArray[Any],
    targets: NDArray[np.int32],
    prefix: NDArray[np.int64],
    owners: NDArray[np.int32],
    wanted: NDArray[np.bool_],
    sources: NDArray[np.int64],
    seen: NDArray[np.bool_],
    pending: NDArray[np.int32],
    sizes: NDArray[np.int64],
) -> None:
    for i in range(sources.size):
        source = sources[i]
        if seen[source] or owners[source] < 0 or not wanted[owners[source]]:
            continue
        seen[source] = True
        pending[0] = source
        depth = 1
        total = np.int64(0)
        while depth > 0:
            depth -= 1
            if depth >= _AHEAD:
                prefetch(targets, starts[pending[depth - _AHEAD]])
            vertex = pending[depth]
            total += prefix[vertex + 1] - prefix[vertex]
            at = integer(starts[vertex])
            if at <= 0:
                continue
            while True:
                target = integer(targets[at])
                last = target < 0
                if last:
                    target = ~target
                if not seen[target] and owners[target] >= 0 and wanted[owners[target]]:
                    seen[target] = True
                    pending[depth] = target
                    depth += 1
                if last:
                    break
                at += 1
        sizes[i] = total


def reached_sizes(
    starts: NDArray[Any],
    targets: NDArray[np.int32],
    *,
    prefix: NDArray[np.int64],
    owners: NDArray[np.int32],
    wanted: NDArray[np.bool_],
    sources: NDArray[np.int64],
    seen: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """What each source reaches over vertices of wanted owners that no earlier source reached.

    Time and memory as for :func:`claim`, and one more byte a vertex.

    Args:
        starts: as for :func:`claim`.
        targets: as for :func:`claim`.
        prefix: int64, the sizes of all vertices before each one, and of all at the end.
        owners: int32, as :func:`claim` left them.
        wanted: bool, by owner, 0 being ``FREE``.
        sources: int64, vertices.
        seen: bool, one per vertex: those that were reached before and are left out; changed in
            place. None at first.

    Returns:
        int64, one size a source.
    """
    sizes = np.zeros(sources.size, np.int64)
    if sources.size:
        seen = np.zeros(owners.size, np.bool_) if seen is None else seen
        pending = np.empty(owners.size, np.int32)
        _reached_sizes(starts, targets, prefix, owners, wanted, sources, seen, pending, sizes)
    return sizes


@kernel
def _sum_by_owner(
    owners: NDArray[np.int32],
    prefix: NDArray[np.int64],
    sums: NDArray[np.int64],
    start: int,
    end: int,
) -> None:
    for vertex in range(start, end):
        owner = owners[vertex]
        if owner >= 0:
            sums[0, owner] += prefix[vertex + 1] - prefix[vertex]
            sums[1, owner] += 1


def sum_by_owner(
    owners: NDArray[np.int32], prefix: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """Sizes and numbers of the vertices of each owner, 0 being ``FREE``; shape (2, count).

    Args:
        owners: int32, as :func:`claim` left them.
        prefix: as for :func:`reached_sizes`.
        count: owners, ``FREE`` among them.
    """
    return _summed(
        (2, count), owners.size,
        lambda sums, start, end: _sum_by_owner(owners, prefix, sums, start, end),
    )  # fmt: skip


def _summed(
    shape: tuple[int, int], count: int, add: Callable[[NDArray[np.int64], int, int], None]
) -> NDArray[np.int64]:
    """What is added up on all cores, by each in an array of its own."""
    parts = [np.zeros(shape, np.int64)]

    def work(start: int, end: int) -> None:
        own = np.zeros(shape, np.int64)
        parts.append(own)
        add(own, start, end)

    on_all_cores(work, count)
    return np.asarray(np.sum(parts, axis=0), np.int64)


@kernel
def _sum_by_owner_and_class(
    owners: NDArray[np.int32],
    classes: NDArray[np.int32],
    prefix: NDArray[np.int64],
    rows: NDArray[np.int32],
    sums: NDArray[np.int64],
    start: int,
    end: int,
) -> None:
    for vertex in range(start, end):
        owner = owners[vertex]
        number = classes[vertex]
        if owner >= 0 and number >= 0:
            sums[rows[owner], number] += prefix[vertex + 1] - prefix[vertex]


def sum_by_owner_and_class(
    owners: NDArray[np.int32],
    classes: NDArray[np.int32],
    prefix: NDArray[np.int64],
    *,
    rows: NDArray[np.int32],
    shape: tuple[int, int],
) -> NDArray[np.int64]:
    """Sizes of the vertices of each class and group of owners; time linear in vertices.

    Args:
        owners: int32, as :func:`claim` left them.
        classes: int32, the class of each vertex; of those below 0 nothing is counted.
        prefix: as for :func:`reached_sizes`.
        rows: int32, by owner, 0 being ``FREE``: its row in the result.
        shape: rows and classes.
    """
    return _summed(
        shape, owners.size,
        lambda sums, start, end: _sum_by_owner_and_class(
            owners, classes, prefix, rows, sums, start, end
        ),
    )  # fmt: skip


@kernel
def _retained_by_class(
    owners: NDArray[np.int32],
    owner: int,
    classes: NDArray[np.int32],
    subtrees: NDArray[np.int32],
    prefix: NDArray[np.int64],
    sums: NDArray[np.int64],
    start: int,
    end: int,
) -> None:
    for vertex in range(start, end):
        number = classes[vertex]
        if owners[vertex] == owner and number >= 0:
            sums[0, number] += prefix[vertex + subtrees[vertex]] - prefix[vertex]
            sums[1, number] += 1


def retained_by_class(
    owners: NDArray[np.int32],
    owner: int,
    *,
    classes: NDArray[np.int32],
    subtrees: NDArray[np.int32],
    prefix: NDArray[np.int64],
    count: int,
) -> NDArray[np.int64]:
    """What the vertices of one owner retain, and how many they are, by class; shape (2, count).

    What one retains is counted again where another one retains it. Time linear in vertices.

    Args:
        owners: int32, as :func:`claim` left them.
        owner: the one.
        classes: int32, the class of each vertex; of those below 0 nothing is counted.
        subtrees: int32, as in :class:`Tree`.
        prefix: as for :func:`reached_sizes`.
        count: classes.
    """
    return _summed(
        (2, count), owners.size,
        lambda sums, start, end: _retained_by_class(
            owners, owner, classes, subtrees, prefix, sums, start, end
        ),
    )  # fmt: skip
