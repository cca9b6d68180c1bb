"""Compiled passes over columns and rows that know of classes, sizes or roots."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.format import CLASS, INSTANCE, OBJECT_ARRAY, TYPE_OBJECT
from mprof.hprof.scan import (
    ClassNumbers,
    Columns,
    Rows,
    Source,
    classify,
    fill_rows,
    read_objects,
)
from mprof.hprof.scan.records import identifier_at
from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import integer, load_be32, prefetch
from mprof.kernels.cores import on_all_cores
from mprof.kernels.pendants import add_entries
from mprof.kernels.rank import (
    Blocks,
    Ranks,
    add_addresses,
    count_blocks,
    next_address,
    rank_of,
)

__all__ = [
    "LONGEST_SAMPLED",
    "SAMPLES",
    "Finals",
    "Gaps",
    "Nodes",
    "Placement",
    "Scratch",
    "Sizes",
    "StackChunks",
    "add_chunk",
    "append_row",
    "count_chunk",
    "cut_off",
    "fill_chunk",
    "first_search",
    "gaps_of",
    "gather_referents",
    "mark_referenced",
    "number_nodes",
    "place_chunk",
    "place_objects",
    "sample_gaps",
    "stack_bytes",
    "sum_up",
]

SAMPLES = 32
"""Gaps kept for each class and for each kind and length of array."""

LONGEST_SAMPLED = 64
"""Arrays of this many elements or more say nothing new about the layout."""

_NO_RANK = -2
_FARTHEST = 4096  # bytes; no instance is larger, except a few stack chunks


class Scratch(NamedTuple):
    """Room for what is known of a chunk's objects while one thread works on it.

    Attributes:
        columns: the objects.
        numbers: int32, their class numbers.
        nodes: int32, their nodes.
    """

    columns: Columns
    numbers: NDArray[np.int32]
    nodes: NDArray[np.int32]


# --- distances between addresses ------------------------------------------------------------------


@inlined
def _gap(ranks: Ranks, columns: Columns, row: int, count: int) -> int:
    """The distance to the next higher address; without ranks, to the next object of the file."""
    if ranks.span > 0:
        return integer(next_address(ranks, columns.addresses[row], _FARTHEST))
    gap = columns.addresses[row + 1] - columns.addresses[row] if row + 1 < count else 0
    if 0 < gap < _FARTHEST:
        return integer(gap)
    return 0


class Gaps(NamedTuple):
    """Distances between addresses, for the size fit.

    Attributes:
        class_gaps: int32 of shape (classes, SAMPLES), for instances.
        class_seen: int32, how many of those are filled.
        array_gaps: int32 of shape (BASIC_TYPES, LONGEST_SAMPLED, SAMPLES), by element type and
            length.
        array_seen: int32 of shape (BASIC_TYPES, LONGEST_SAMPLED).
    """

    class_gaps: NDArray[np.int32]
    class_seen: NDArray[np.int32]
    array_gaps: NDArray[np.int32]
    array_seen: NDArray[np.int32]


@kernel
def sample_gaps(
    columns: Columns, numbers: NDArray[np.int32], count: int, ranks: Ranks, gaps: Gaps
) -> None:
    """Notes the distance to the next higher address, for the first objects of each class.

    Args:
        columns: a chunk's objects.
        numbers: their class numbers.
        count: how many.
        ranks: the set of all addresses; if empty, objects are assumed to be in address order.
        gaps: is added to.
    """
    class_gaps, class_seen, array_gaps, array_seen = gaps
    for row in range(count):
        tag = columns.tags[row]
        if tag == INSTANCE:
            number = numbers[row]
            if number >= 0 and class_seen[number] < SAMPLES:
                gap = _gap(ranks, columns, row, count)
                if gap > 0:
                    class_gaps[number, class_seen[number]] = gap
                    class_seen[number] += 1
        elif tag != CLASS:
            length = columns.lengths[row]
            kind = TYPE_OBJECT if tag == OBJECT_ARRAY else columns.classes[row]
            if length < LONGEST_SAMPLED and array_seen[kind, length] < SAMPLES:
                gap = _gap(ranks, columns, row, count)
                if gap > 0:
                    array_gaps[kind, length, array_seen[kind, length]] = gap
                    array_seen[kind, length] += 1


@kernel
def _gaps_of(ranks: Ranks, addresses: NDArray[np.int64], result: NDArray[np.int64]) -> None:
    for row in range(addresses.size):
        result[row] = next_address(ranks, addresses[row], _FARTHEST)


def gaps_of(ranks: Ranks, addresses: NDArray[np.int64]) -> NDArray[np.int64]:
    """The distance from each address to the next higher one, 0 if it is far."""
    result = np.zeros(addresses.size, np.int64)
    _gaps_of(ranks, addresses, result)
    return result


# --- sizes and positions by node ------------------------------------------------------------------


class StackChunks(NamedTuple):
    """The one class whose instances differ in size: a chunk holds a piece of a stack.

    Attributes:
        number: class number of ``jdk.internal.vm.StackChunk``, -2 without one: instances of a
            class that is not known have -1.
        field: where, among the fields of a record, the words of the stack are counted.
    """

    number: int
    field: int


class Sizes(NamedTuple):
    """The size model in arrays.

    Attributes:
        instances: int64, bytes of an instance by class number; of a stack chunk without its stack.
        mirrors: int64, bytes of a class object by class number.
        array_bases: int64, where elements begin, by basic type.
        array_widths: int64, bytes of an element in the heap, by basic type.
        alignment: every size is a multiple of this.
        stacks: which class has stacks.
    """

    instances: NDArray[np.int64]
    mirrors: NDArray[np.int64]
    array_bases: NDArray[np.int64]
    array_widths: NDArray[np.int64]
    alignment: int
    stacks: StackChunks


@inlined
def stack_bytes(words: int, reference: int, alignment: int) -> int:
    """Bytes of the stack in a chunk, and of a bit for each place in it where a reference may lie.

    ``InstanceStackChunkKlass::instance_size`` in ``instanceStackChunkKlass.inline.hpp``, JDK 19 and
    later; what precedes the stack is a multiple of the alignment already.
    """
    marks = (words * (8 // reference) + 63) >> 6
    return integer((8 * (words + marks) + alignment - 1) & -alignment)


@inlined
def _shallow(sizes: Sizes, tag: int, kind: int, number: int, length: int) -> int:
    if tag == INSTANCE:
        return sizes.instances[number] if number >= 0 else length + 16
    if tag == CLASS:
        return sizes.mirrors[number] if number >= 0 else 0
    element = TYPE_OBJECT if tag == OBJECT_ARRAY else kind
    size = sizes.array_bases[element] + length * sizes.array_widths[element]
    return integer((size + sizes.alignment - 1) & -sizes.alignment)


_AHEAD = 16  # rows: far enough that a cache line arrives in time
_SIZE_BITS = 40  # of a word that holds a class number, one higher, and above 0 a size: 1 TB


class Nodes(NamedTuple):
    """What is known of the nodes.

    Attributes:
        by_rank: int32, the node of each rank, negative if it was not reached.
        positions: uint32 or int64 by node, where its record begins, 0 if it is no object.
        classes: int32 by node, its class number, -1 if it is no object.
    """

    by_rank: NDArray[np.int32]
    positions: NDArray[Any]
    classes: NDArray[np.int32]


class Placement(NamedTuple):
    """Where objects are written by node, as far as that lies in some stretch.

    Attributes:
        by_rank: int32, the node of each rank, negative if it was not reached.
        positions: uint32 or int64 by node, uninitialised.
        found: int64 by node, 0 where nothing is written yet; takes class and size in one word,
            for :func:`sum_up`.
        first: the node where the stretch begins.
        unreachable: int64, number and bytes of the objects that were not reached are added here,
            with the first stretch.
    """

    by_rank: NDArray[np.int32]
    positions: NDArray[Any]
    found: NDArray[np.int64]
    first: int
    unreachable: NDArray[np.int64]


@kernel
def place_objects(
    source: Source,
    scratch: Scratch,
    count: int,
    classes: ClassNumbers,
    sizes: Sizes,
    placement: Placement,
) -> None:
    """Writes position, class and shallow size of each reached object to its node.

    Nodes come in any order, so each array costs a cache line an object: two cost less than three.

    Args:
        source: what the objects were read from.
        scratch: a chunk's objects and their class numbers; room for their nodes.
        count: how many.
        classes: how classes are numbered.
        sizes: the size model.
        placement: is written to.
    """
    columns, numbers, nodes = scratch
    by_rank, positions, found, first, unreachable = placement
    stacks = sizes.stacks
    for row in range(count):
        rank = rank_of(source.ranks, columns.addresses[row])
        node = by_rank[rank] if rank >= 0 else integer(_NO_RANK)
        if node >= 0:
            node = node - first if first <= node < first + found.size else integer(_NO_RANK)
        elif first > 0:
            node = integer(_NO_RANK)
        nodes[row] = node
    for row in range(count):
        if row + _AHEAD < count and nodes[row + _AHEAD] >= 0:
            prefetch(positions, nodes[row + _AHEAD])
            prefetch(found, nodes[row + _AHEAD])
        node = nodes[row]
        if node == _NO_RANK:
            continue
        tag = columns.tags[row]
        size = _shallow(sizes, tag, columns.classes[row], numbers[row], columns.lengths[row])
        if (
            numbers[row] == stacks.number
            and tag == INSTANCE
            and stacks.field + 4 <= columns.lengths[row]
        ):
            at = columns.positions[row] + 9 + 2 * source.width + stacks.field
            words = load_be32(source.buffer, at)
            size += stack_bytes(words, sizes.array_widths[TYPE_OBJECT], sizes.alignment)
        if node < 0:
            unreachable[0] += 1
            unreachable[1] += size
        elif found[node] == 0:
            positions[node] = columns.positions[row]
            number = integer(numbers[row]) if numbers[row] >= 0 else classes.unknown
            if tag == CLASS:
                number = classes.class_class
            found[node] = ((number + 1) << _SIZE_BITS) | size


@kernel
def sum_up(
    found: NDArray[np.int64], positions: NDArray[Any], classes: NDArray[np.int32], before: int
) -> int:
    """Unpacks the words of :func:`place_objects`.

    ``found`` becomes the sums of shallow sizes up to each node, with what the nodes ``before`` it
    have; ``classes`` the class numbers. What is no object gets class -1 and position 0.
    """
    for node in range(positions.size):
        word = found[node]
        classes[node] = (word >> _SIZE_BITS) - 1
        if word == 0:
            positions[node] = 0
        before += word & ((1 << _SIZE_BITS) - 1)
        found[node] = before
    return before


# --- rows of references ---------------------------------------------------------------------------


class Finals(NamedTuple):
    """Final references and their referents.

    Attributes:
        offsets: int32 by class number: where an instance has its referent, -1 if the class is none
            of final references.
        pairs: int64 rows, one an object of the chunk at most: the ranks of both.
    """

    offsets: NDArray[np.int32]
    pairs: NDArray[np.int64]


@kernel
def gather_referents(
    source: Source, columns: Columns, numbers: NDArray[np.int32], count: int, finals: Finals
) -> int:
    """Ranks of each final reference of a chunk and of its referent; returns how many there are."""
    offsets, pairs = finals
    width = source.width
    found = 0
    for row in range(count):
        if columns.tags[row] != INSTANCE or numbers[row] < 0 or offsets[numbers[row]] < 0:
            continue
        offset = offsets[numbers[row]]
        if offset + width > columns.lengths[row]:
            continue
        at = columns.positions[row] + 9 + 2 * width + offset
        referent = rank_of(source.ranks, identifier_at(source.buffer, at, width))
        if referent >= 0:
            pairs[found, 0] = rank_of(source.ranks, columns.addresses[row])
            pairs[found, 1] = referent
            found += 1
    return found


@kernel
def mark_referenced(
    slots: NDArray[Any], edges: NDArray[np.int32], objects: int, marks: NDArray[np.uint8]
) -> None:
    """Marks the target of every edge, except edges from an object to itself."""
    for source in range(objects):
        at = slots[source]
        if at <= 0:
            continue
        while True:
            target = edges[at]
            last = target < 0
            if last:
                target = ~target
            if target != source:
                marks[target] = 1
            if last:
                break
            at += 1


@kernel
def cut_off(slots: NDArray[Any], edges: NDArray[np.int32], objects: int) -> None:
    """Redirects edges from objects that no search has numbered to those that one has.

    They lead to where they begin then, so that what is numbered is held by what reached it.
    """
    for source in range(objects):
        at = slots[source]
        if at <= 0:
            continue
        while True:
            target = edges[at]
            last = target < 0
            if last:
                target = ~target
            if slots[target] < 0:
                edges[at] = ~source if last else source
            if last:
                break
            at += 1


@kernel
def first_search(
    slots: NDArray[Any],
    edges: NDArray[np.int32],
    ranks: NDArray[np.int64],
    marks: NDArray[np.uint8],
    pending: NDArray[np.int64],
    begins: NDArray[np.int64],
) -> int:
    """Searches the objects that are not numbered, in order; returns how often it began anew.

    Args:
        slots: of all objects, negative where numbered.
        edges: the rows; what is numbered is not searched.
        ranks: where to begin, in order.
        marks: by rank, 0; what was met is marked.
        pending: room for all that is met.
        begins: takes the objects that none before them had reached.
    """
    count = integer(0)
    for first in ranks:
        if slots[first] < 0 or marks[first]:
            continue
        begins[count] = first
        count += 1
        marks[first] = 1
        pending[0] = first
        depth = integer(1)
        while depth:
            depth -= 1
            at = slots[pending[depth]]
            while at > 0:
                target = integer(edges[at])
                last = target < 0
                if last:
                    target = ~target
                if not marks[target]:
                    marks[target] = 1
                    pending[depth] = target
                    depth += 1
                at = integer(0) if last else at + 1
    return count


@kernel
def append_row(
    slots: NDArray[Any],
    edges: NDArray[np.int32],
    source: int,
    targets: NDArray[np.int64],
    at: int,
) -> int:
    """Gives a vertex further targets: its row is copied to ``edges[at]``; returns the end."""
    start = at
    old = slots[source]
    if old > 0:
        while True:
            target = edges[old]
            last = target < 0
            edges[at] = ~target if last else target
            at += 1
            old += 1
            if last:
                break
    for target in targets:
        edges[at] = target
        at += 1
    if at > start:
        edges[at - 1] = ~edges[at - 1]
        slots[source] = start
    else:
        slots[source] = 0
    return at


@kernel
def _number_nodes(slots: NDArray[Any], places: NDArray[np.int32], nodes: NDArray[np.int32]) -> None:
    for vertex in range(slots.size):
        slot = slots[vertex]
        nodes[vertex] = places[~slot] if slot < 0 else -1


def number_nodes(slots: NDArray[Any], places: NDArray[np.int32]) -> NDArray[np.int32]:
    """The place of each reached vertex, -1 for others; overwrites ``slots``."""
    nodes: NDArray[np.int32] = slots if slots.dtype == np.int32 else np.empty(slots.size, np.int32)
    on_all_cores(
        lambda start, end: _number_nodes(slots[start:end], places, nodes[start:end]), slots.size
    )
    return nodes


# --- one call a chunk -----------------------------------------------------------------------------


@kernel
def add_chunk(
    buffer: NDArray[np.uint8],
    start: int,
    end: int,
    width: int,
    columns: Columns,
    ranks: Ranks,
    blocks: NDArray[np.uint8],
) -> tuple[int, int]:
    """Adds a chunk's addresses to the ranks; see :func:`mprof.kernels.rank.add_addresses`."""
    count = read_objects(buffer, start, end, width, columns)
    return add_addresses(ranks, columns.addresses, count, blocks)


@kernel
def count_chunk(
    buffer: NDArray[np.uint8],
    start: int,
    end: int,
    width: int,
    columns: Columns,
    lowest: int,
    bits: int,
    blocks: Blocks,
) -> None:
    """Counts a chunk's addresses by block; see :func:`mprof.kernels.rank.count_blocks`."""
    count = read_objects(buffer, start, end, width, columns)
    count_blocks(columns.addresses, count, lowest, bits, blocks)


@kernel
def fill_chunk(
    source: Source,
    start: int,
    end: int,
    scratch: Scratch,
    classes: ClassNumbers,
    rows: Rows,
    begin: int,
    gaps: Gaps,
    finals: Finals,
    entries: NDArray[np.uint64],
) -> tuple[int, int]:
    """All that must be known of a chunk before the search; returns the end of its rows, and pairs.

    One call for :func:`read_objects`, :func:`classify`, :func:`fill_rows`, :func:`add_entries`,
    :func:`sample_gaps` and :func:`gather_referents`: a call from Python costs as much as a hundred
    objects.
    """
    columns, numbers, _ = scratch
    count = read_objects(source.buffer, start, end, source.width, columns)
    classify(columns, count, classes, numbers)
    filled = fill_rows(source, columns, numbers, count, rows, begin)
    add_entries(entries, rows.edges, begin, filled)
    sample_gaps(columns, numbers, count, source.ranks, gaps)
    found = gather_referents(source, columns, numbers, count, finals)
    return filled, found


@kernel
def place_chunk(
    source: Source,
    start: int,
    end: int,
    scratch: Scratch,
    classes: ClassNumbers,
    sizes: Sizes,
    placement: Placement,
) -> None:
    """Reads a chunk again and places its objects; see :func:`place_objects`."""
    columns, numbers, _ = scratch
    count = read_objects(source.buffer, start, end, source.width, columns)
    classify(columns, count, classes, numbers)
    place_objects(source, scratch, count, classes, sizes, placement)
