"""Who owns what: claims that spread over a graph in order of precedence.

Each source claims what it reaches and no earlier source has claimed, so every vertex has one owner
and the sums over owners count nothing twice. A blocked vertex is neither claimed nor passed.
The graph is that of :mod:`mprof.kernels.depth_first`: a row of targets for each vertex, the last
one stored as its complement; ``starts`` says where each row begins, 0 for an empty one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import integer, prefetch
from mprof.kernels.cores import on_all_cores

__all__ = [
    "BLOCKED",
    "FREE",
    "block",
    "claim",
    "claim_ranges",
    "move_ranges",
    "reached_sizes",
    "sum_by_owner",
    "sum_by_owner_and_class",
    "unblock",
]

FREE = 0
BLOCKED = -1

_AHEAD = 8  # places in the stack: rows lie in the order of the dump, so the next one is anywhere


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
def _claim(
    starts: NDArray[Any],
    targets: NDArray[np.int32],
    sources: NDArray[np.int64],
    labels: NDArray[np.int32],
    owners: NDArray[np.int32],
    pending: NDArray[np.int32],
) -> None:
    for i in range(sources.size):
        source = sources[i]
        if owners[source] != 0:
            continue
        label = labels[i]
        owners[source] = label
        pending[0] = source
        depth = 1
        while depth > 0:
            depth -= 1
            if depth >= _AHEAD:
                prefetch(targets, starts[pending[depth - _AHEAD]])
            at = integer(starts[pending[depth]])
            if at <= 0:
                continue
            while True:
                target = integer(targets[at])
                last = target < 0
                if last:
                    target = ~target
                if owners[target] == 0:
                    owners[target] = label
                    pending[depth] = target
                    depth += 1
                if last:
                    break
                at += 1


def claim(
    starts: NDArray[Any],
    targets: NDArray[np.int32],
    *,
    sources: NDArray[np.int64],
    labels: NDArray[np.int32],
    owners: NDArray[np.int32],
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
        pending: int32, one per vertex: scratch, for callers that call again and again.
    """
    pending = np.empty(owners.size, np.int32) if pending is None else pending
    _claim(starts, targets, sources, labels, owners, pending)


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
    owners: NDArray[np.int32], prefix: NDArray[np.int64], sums: NDArray[np.int64]
) -> None:
    for vertex in range(owners.size):
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
    sums = np.zeros((2, count), np.int64)
    _sum_by_owner(owners, prefix, sums)
    return sums


@kernel
def _sum_by_owner_and_class(
    owners: NDArray[np.int32],
    classes: NDArray[np.int32],
    prefix: NDArray[np.int64],
    rows: NDArray[np.int32],
    sums: NDArray[np.int64],
) -> None:
    for vertex in range(owners.size):
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
    sums = np.zeros(shape, np.int64)
    _sum_by_owner_and_class(owners, classes, prefix, rows, sums)
    return sums
