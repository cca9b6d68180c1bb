"""Vertices that hang on one edge are told from the core of a graph, which alone has to be searched.

A vertex is *pendant* if one edge alone leads to it, and every edge of its own leads to a vertex
that one edge alone leads to and that has no edges. So a pendant vertex is a leaf, or the head of
some leaves; the source of its one edge dominates it immediately and is the step before it on every
path. All other vertices are the *core*: no path between two of them leads through a pendant one, so
a search of the core alone numbers it in the same order.

Of a heap the arrays of strings, boxed numbers, and strings that one object refers to are pendant:
58 % of 25 million objects, where a third level would have added 0.005 %.

The graph is that of :mod:`mprof.kernels.depth_first`: a row of targets for each vertex, the last
one stored as its complement.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import count_bits, integer
from mprof.kernels.cores import on_all_cores

__all__ = [
    "Core",
    "Shape",
    "add_entries",
    "core_numbers",
    "core_rows",
    "find_core",
    "joined_entries",
    "new_entries",
    "number_vertices",
    "weights_of",
    "whole_core",
]

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


class Core(NamedTuple):
    """Which vertices are the core, and the number of each among them, in their order.

    Attributes:
        table: uint64, two for each 64 vertices: a bit for each one of the core, and how many of the
            core are before these.
        vertices: how many vertices there are.
        members: how many of them are the core.
    """

    table: NDArray[np.uint64]
    vertices: int
    members: int


class Shape(NamedTuple):
    """A graph, and which of its vertices are the core.

    Attributes:
        slots: int32 or int64 by vertex: where its row begins, 0 or less for an empty one.
        edges: int32, the rows: vertices.
        table: of :class:`Core`.
        far_slots: the same as ``slots``, for vertices out of order.
        far_edges: the same as ``edges``, for those.
    """

    slots: NDArray[Any]
    edges: NDArray[np.int32]
    table: NDArray[np.uint64]
    far_slots: NDArray[Any]
    far_edges: NDArray[np.int32]


# --- how many edges lead to a vertex --------------------------------------------------------------


def new_entries(vertices: int) -> NDArray[np.uint64]:
    """Two words for each 64 vertices: which an edge leads to, and which a second one leads to."""
    return np.zeros(2 * (vertices // 64 + 1), np.uint64)


@kernel
def add_entries(
    entries: NDArray[np.uint64], edges: NDArray[np.int32], start: int, end: int
) -> None:
    """Notes where edges from ``start`` to ``end`` lead; each thread in words of its own.

    In words of all threads each edge would take an atomic instruction, and three times as long.
    """
    for at in range(start, end):
        target = integer(edges[at])
        if target < 0:
            target = ~target
        word = (target >> 6) << 1
        bit = np.uint64(1) << np.uint64(target & 63)
        before = entries[word]
        entries[word] = before | bit
        entries[word + 1] |= before & bit


@kernel
def _join(entries: NDArray[np.uint64], others: NDArray[np.uint64]) -> None:
    for word in range(0, entries.size, 2):
        again = entries[word + 1] | others[word + 1] | (entries[word] & others[word])
        entries[word] |= others[word]
        entries[word + 1] = again


def joined_entries(parts: list[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """What several threads have noted, in the words of the first of them."""
    entries, *others = parts
    for other in others:
        _join(entries, other)
    return entries


@kernel
def _keep(entries: NDArray[np.uint64], vertices: NDArray[np.int64]) -> None:
    for vertex in vertices:
        entries[((vertex >> 6) << 1) + 1] |= np.uint64(1) << np.uint64(vertex & 63)


@inlined
def _hangs(entries: NDArray[np.uint64], vertex: int) -> bool:
    """Whether one edge alone leads to a vertex."""
    word = (vertex >> 6) << 1
    hanging = entries[word] & ~entries[word + 1]
    return bool((hanging >> np.uint64(vertex & 63)) & np.uint64(1) != np.uint64(0))


# --- the core -------------------------------------------------------------------------------------


@inlined
def _is_core(table: NDArray[np.uint64], vertex: int) -> bool:
    bits = table[(vertex >> 6) << 1]
    return bool((bits >> np.uint64(vertex & 63)) & np.uint64(1) != np.uint64(0))


@inlined
def _core_number(table: NDArray[np.uint64], vertex: int) -> int:
    word = (vertex >> 6) << 1
    below = (np.uint64(1) << np.uint64(vertex & 63)) - np.uint64(1)
    return integer(table[word + 1]) + count_bits(table[word] & below)


@inlined
def _holds_leaves(
    edges: NDArray[np.int32], entries: NDArray[np.uint64], table: NDArray[np.uint64], at: int
) -> bool:
    """Whether all targets of a row are leaves that hang on it."""
    while True:
        target = integer(edges[at])
        last = target < 0
        if last:
            target = ~target
        leaves = table[((target >> 6) << 1) + 1] >> np.uint64(target & 63)
        if not _hangs(entries, target) or leaves & np.uint64(1) == np.uint64(0):
            return False
        if last:
            return True
        at += 1


@kernel
def _find_leaves(slots: NDArray[Any], table: NDArray[np.uint64], start: int, end: int) -> None:
    """Notes the vertices without a row where the counts will be: slots lie far apart, bits do not.

    Where slots lie on disk, to look at that of each target would read all of them many times over.
    """
    for word in range(start, end):
        first = word << 6
        leaves = np.uint64(0)
        for vertex in range(first, min(first + 64, slots.size)):
            if slots[vertex] <= 0:
                leaves |= np.uint64(1) << np.uint64(vertex & 63)
        table[2 * word + 1] = leaves


@kernel
def _find_core(
    slots: NDArray[Any],
    edges: NDArray[np.int32],
    entries: NDArray[np.uint64],
    table: NDArray[np.uint64],
    start: int,
    end: int,
) -> None:
    """Sets the bits of the core among the vertices of some words."""
    for word in range(start, end):
        hanging = entries[2 * word] & ~entries[2 * word + 1]
        core = ~hanging
        first = word << 6
        while hanging != np.uint64(0):
            bit = hanging & (~hanging + np.uint64(1))
            hanging ^= bit
            at = integer(slots[first + count_bits(bit - np.uint64(1))])
            if at > 0 and not _holds_leaves(edges, entries, table, at):
                core |= bit
        table[2 * word] = core


@kernel
def _count_core(table: NDArray[np.uint64], vertices: int) -> int:
    """Fills in the counts beside the words; returns how many vertices are the core."""
    before = integer(0)
    for word in range(table.size >> 1):
        left = vertices - (word << 6)
        if left < 64:
            table[2 * word] &= (np.uint64(1) << np.uint64(max(left, 0))) - np.uint64(1)
        table[2 * word + 1] = np.uint64(before)
        before += count_bits(table[2 * word])
    return before


def find_core(
    slots: NDArray[Any],
    edges: NDArray[np.int32],
    entries: NDArray[np.uint64],
    kept: NDArray[np.int64],
) -> Core:
    """Tells the core from the pendant vertices, on all cores of the machine.

    Time linear in the edges of vertices that one edge leads to; memory 2 bits a vertex.
    Largest input tried: 73 million vertices.

    Args:
        slots: int32 or int64 by vertex, where its row begins, 0 or less for an empty one.
        edges: int32, the rows.
        entries: of all edges.
        kept: int64, vertices that are the core whatever leads to them, such as roots.
    """
    _keep(entries, kept)
    table = np.empty(entries.size, np.uint64)
    on_all_cores(lambda start, end: _find_leaves(slots, table, start, end), table.size // 2)
    on_all_cores(
        lambda start, end: _find_core(slots, edges, entries, table, start, end), table.size // 2
    )
    return Core(table, slots.size, _count_core(table, slots.size))


def whole_core(vertices: int) -> Core:
    """The core of a graph of which all vertices are to be searched."""
    table = np.full(2 * (vertices // 64 + 1), _ALL, np.uint64)
    return Core(table, vertices, _count_core(table, vertices))


@kernel
def _core_numbers(
    table: NDArray[np.uint64], vertices: NDArray[np.int64], numbers: NDArray[np.int64]
) -> None:
    for row in range(vertices.size):
        numbers[row] = -1
        if _is_core(table, vertices[row]):
            numbers[row] = _core_number(table, vertices[row])


def core_numbers(core: Core, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of each vertex among the core, -1 where it is pendant."""
    numbers = np.empty(vertices.size, np.int64)
    _core_numbers(core.table, np.ascontiguousarray(vertices), numbers)
    return numbers


# --- rows of the core -----------------------------------------------------------------------------


@kernel
def _count_rows(shape: Shape, start: int, end: int) -> int:
    """How many edges lead from the core to the core, among the vertices of some words."""
    slots, edges, table, _, _ = shape
    count = integer(0)
    for word in range(start, end):
        core = table[2 * word]
        first = word << 6
        while core != np.uint64(0):
            bit = core & (~core + np.uint64(1))
            core ^= bit
            at = integer(slots[first + count_bits(bit - np.uint64(1))])
            while at > 0:
                target = integer(edges[at])
                last = target < 0
                count += _is_core(table, ~target if last else target)
                at = integer(0) if last else at + 1
    return count


@kernel
def _write_rows(
    shape: Shape,
    own_slots: NDArray[Any],
    own_edges: NDArray[np.int32],
    weights: NDArray[np.int32],
    start: int,
    end: int,
    begin: int,
) -> None:
    """Writes the rows of the core among the vertices of some words from ``begin`` on."""
    slots, edges, table, far_slots, far_edges = shape
    free = begin
    for word in range(start, end):
        core = table[2 * word]
        number = integer(table[2 * word + 1])
        first = word << 6
        while core != np.uint64(0):
            bit = core & (~core + np.uint64(1))
            core ^= bit
            at = integer(slots[first + count_bits(bit - np.uint64(1))])
            row = free
            weight = integer(1)
            while at > 0:
                target = integer(edges[at])
                last = target < 0
                if last:
                    target = ~target
                if _is_core(table, target):
                    own_edges[free] = _core_number(table, target)
                    free += 1
                else:
                    weight += 1
                    inner = integer(far_slots[target])
                    while inner > 0:
                        weight += 1
                        inner = integer(0) if far_edges[inner] < 0 else inner + 1
                at = integer(0) if last else at + 1
            if free > row:
                own_edges[free - 1] = ~own_edges[free - 1]
                own_slots[number] = row
            else:
                own_slots[number] = 0
            weights[number] = weight
            number += 1


_WORDS_OF_A_PART = 1 << 12  # 262,144 vertices: parts enough that no core waits for another


def core_rows(
    shape: Shape,
    core: Core,
    *,
    room: int,
    empty: Any = np.empty,
    scattered: Any = np.empty,
) -> tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int32], int]:
    """The rows of the core, with its numbers for vertices, on all cores of the machine.

    Args:
        shape: the whole graph.
        core: which vertices they lead between.
        room: for how many further edges there is to be room behind the rows.
        empty: where memory is taken from, as of ``numpy.empty``.
        scattered: the same for what a search will read here and there.

    Returns:
        Where the row of each begins, 0 for an empty one; the rows, position 0 belonging to none;
        how many vertices each stands for, itself and those that hang on it; and where the rows end.
    """
    words = core.table.size // 2
    parts = -(-words // _WORDS_OF_A_PART)
    counts = np.zeros(parts + 1, np.int64)
    bounds = [min(words, part * _WORDS_OF_A_PART) for part in range(parts + 1)]

    def count(start: int, end: int) -> None:
        for part in range(start, end):
            counts[part + 1] = _count_rows(shape, bounds[part], bounds[part + 1])

    on_all_cores(count, parts, smallest=1)
    begins = 1 + np.cumsum(counts)
    end_of_rows = int(begins[-1])
    slot_type = np.int32 if end_of_rows + room < np.iinfo(np.int32).max else np.int64
    own_slots = scattered(core.members, slot_type)
    own_edges = scattered(end_of_rows + room, np.int32)
    weights = empty(core.members, np.int32)

    def write(start: int, end: int) -> None:
        for part in range(start, end):
            _write_rows(
                shape, own_slots, own_edges, weights, bounds[part], bounds[part + 1],
                int(begins[part]),
            )  # fmt: skip

    on_all_cores(write, parts, smallest=1)
    return own_slots, own_edges, weights, end_of_rows


# --- pendant vertices in the dominator tree -------------------------------------------------------


@kernel
def _reorder(
    own_slots: NDArray[Any],
    weights: NDArray[np.int32],
    result: NDArray[np.int32],
    start: int,
    end: int,
) -> None:
    for number in range(start, end):
        if own_slots[number] < 0:
            result[~own_slots[number]] = weights[number]


def weights_of(
    own_slots: NDArray[Any], weights: NDArray[np.int32], result: NDArray[np.int32]
) -> None:
    """Weights in the order of the search.

    Args:
        own_slots: by number among the core; where it was reached, the complement of its number in
            the search.
        weights: int32, by number among the core.
        result: int32, takes them by number in the search.
    """
    on_all_cores(
        lambda start, end: _reorder(own_slots, weights, result, start, end), own_slots.size
    )


class _Tree(NamedTuple):
    """Where the pendant vertices are put into the flat tree.

    Attributes:
        own_slots: by number among the core; the complement of a number in the search, if reached.
        weights: int32, by number among the core; 1 where nothing hangs on it.
        places: int32, the place of each number in the search.
        nodes: int32 by vertex, takes its place; may lie where the slots do.
        sizes: int32 by place, a stretch of them.
        first: where the stretch begins.
    """

    own_slots: NDArray[Any]
    weights: NDArray[np.int32]
    places: NDArray[np.int32]
    nodes: NDArray[np.int32]
    sizes: NDArray[np.int32]
    first: int


@inlined
def _note_size(tree: _Tree, place: int, size: int) -> None:
    if 0 <= place - tree.first < tree.sizes.size:
        tree.sizes[place - tree.first] = size


@inlined
def _hang_leaves(shape: Shape, tree: _Tree, at: int, above: int) -> int:
    """Puts the leaves of a pendant row behind their head; returns how many; all below 0 if it is.

    ``above`` is the place of the head, below 0 if nothing reaches it.
    """
    edges = shape.far_edges
    count = integer(0)
    while at > 0:
        target = integer(edges[at])
        last = target < 0
        if last:
            target = ~target
        count += 1
        if above < 0:
            tree.nodes[target] = -1
        else:
            tree.nodes[target] = above + count
            _note_size(tree, above + count, 1)
        at = integer(0) if last else at + 1
    return count


@kernel
def _number_vertices(shape: Shape, tree: _Tree, start: int, end: int) -> None:
    """Numbers the core among some words, and what hangs on it.

    The row of a pendant vertex is read before its slot is overwritten, since only the one vertex
    that it hangs on leads here.
    """
    slots, edges, table, far_slots, _ = shape
    own_slots, weights, places, nodes, _, _ = tree
    for word in range(start, end):
        core = table[2 * word]
        number = integer(table[2 * word + 1])
        first = word << 6
        while core != np.uint64(0):
            bit = core & (~core + np.uint64(1))
            core ^= bit
            vertex = first + count_bits(bit - np.uint64(1))
            reached = integer(own_slots[number])
            weight = integer(weights[number])
            number += 1
            own = integer(places[~reached]) if reached < 0 else -1
            if max(own, 0) + weight <= tree.first or own >= tree.first + tree.sizes.size:
                continue
            at = integer(slots[vertex]) if weight > 1 else integer(0)
            free = own + 1
            while at > 0:
                target = integer(edges[at])
                last = target < 0
                if last:
                    target = ~target
                if not _is_core(table, target):
                    inner = integer(far_slots[target])
                    if own < 0:
                        nodes[target] = -1
                        _hang_leaves(shape, tree, inner, -1)
                    else:
                        nodes[target] = free
                        below = _hang_leaves(shape, tree, inner, free)
                        _note_size(tree, free, 1 + below)
                        free += 1 + below
                at = integer(0) if last else at + 1
            nodes[vertex] = own


def number_vertices(
    shape: Shape,
    own_slots: NDArray[Any],
    weights: NDArray[np.int32],
    *,
    places: NDArray[np.int32],
    sizes: NDArray[np.int32],
    nodes: NDArray[np.int32],
    first: int = 0,
) -> None:
    """Puts the pendant vertices right behind what they hang on, in the order of its row.

    What has its place in one stretch is done with, and no more; all stretches together are all.

    Args:
        shape: the whole graph; its slots are overwritten if ``nodes`` lies there, which is only
            right where the stretch is all there is.
        own_slots: by number among the core; the complement of a number in the search, if reached.
        weights: int32, by number among the core; 1 where nothing hangs on it.
        places: int32, the place in the flat tree of each number in the search.
        sizes: int32 by place, a stretch; takes those of the pendant vertices.
        nodes: int32 by vertex, takes the place of every vertex, -1 of one that is not reached.
        first: where the stretch begins.
    """
    tree = _Tree(own_slots, weights, places, nodes, sizes, first)
    on_all_cores(
        lambda start, end: _number_vertices(shape, tree, start, end),
        shape.table.size // 2,
        smallest=1 << 10,
    )
