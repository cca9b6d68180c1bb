"""Compiled passes over columns and rows that know of classes, sizes or roots."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.scan import CLASS, INSTANCE, OBJECT_ARRAY, Columns
from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import integer, load_be32, load_be64
from mprof.kernels.rank import Ranks, next_address, rank_of

__all__ = [
    "ARRAY_HEADERS",
    "LONGEST_SAMPLED",
    "SAMPLES",
    "Sizes",
    "append_row",
    "gaps_of",
    "gather_referents",
    "mark_referenced",
    "number_nodes",
    "place_objects",
    "sample_gaps",
    "tally",
]

SAMPLES = 32
"""Gaps kept for each class and for each kind and length of array."""

LONGEST_SAMPLED = 64
"""Arrays of this many elements or more say nothing new about the layout."""

_ELEMENT_BYTES = np.array([0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8], np.int64)
_FARTHEST = 4096  # bytes; no instance is larger but a few stacks


@inlined
def _gap(ranks: Ranks, columns: Columns, row: int, count: int) -> int:
    """The distance to the next higher address; without ranks, to the next object of the file."""
    if ranks.span > 0:
        return integer(next_address(ranks, columns.addresses[row], _FARTHEST))
    gap = columns.addresses[row + 1] - columns.addresses[row] if row + 1 < count else 0
    if 0 < gap < _FARTHEST:
        return integer(gap)
    return 0


@kernel
def sample_gaps(
    columns: Columns,
    numbers: NDArray[np.int32],
    count: int,
    ranks: Ranks,
    class_gaps: NDArray[np.int32],
    class_seen: NDArray[np.int32],
    array_gaps: NDArray[np.int32],
    array_seen: NDArray[np.int32],
) -> None:
    """Notes the distance to the next higher address, for the first objects of each class.

    Args:
        columns: a chunk's objects.
        numbers: their class numbers.
        count: how many.
        ranks: the set of all addresses; if empty, objects are taken to stand in address order.
        class_gaps: int32 of shape (classes, SAMPLES), for instances.
        class_seen: int32, how many of those are filled.
        array_gaps: int32 of shape (12, LONGEST_SAMPLED, SAMPLES), by element type and length.
        array_seen: int32 of shape (12, LONGEST_SAMPLED).
    """
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
            kind = 2 if tag == OBJECT_ARRAY else columns.classes[row]
            if length < LONGEST_SAMPLED and array_seen[kind, length] < SAMPLES:
                gap = _gap(ranks, columns, row, count)
                if gap > 0:
                    array_gaps[kind, length, array_seen[kind, length]] = gap
                    array_seen[kind, length] += 1


class Sizes(NamedTuple):
    """The size model in arrays.

    Attributes:
        instances: int64, bytes of an instance by class number.
        mirrors: int64, bytes of a class object by class number.
        array_bases: int64, where elements begin, by basic type.
        array_widths: int64, bytes of an element in the heap, by basic type.
        alignment: every size is a multiple of this.
    """

    instances: NDArray[np.int64]
    mirrors: NDArray[np.int64]
    array_bases: NDArray[np.int64]
    array_widths: NDArray[np.int64]
    alignment: int


@inlined
def _shallow(sizes: Sizes, tag: int, kind: int, number: int, length: int) -> int:
    if tag == INSTANCE:
        return sizes.instances[number] if number >= 0 else length + 16
    if tag == CLASS:
        return sizes.mirrors[number] if number >= 0 else 0
    element = 2 if tag == OBJECT_ARRAY else kind
    size = sizes.array_bases[element] + length * sizes.array_widths[element]
    return integer((size + sizes.alignment - 1) & -sizes.alignment)


@kernel
def place_objects(
    columns: Columns,
    numbers: NDArray[np.int32],
    count: int,
    ranks: Ranks,
    sizes: Sizes,
    class_class: int,
    unknown: int,
    nodes: NDArray[np.int32],
    positions: NDArray[np.int64],
    classes: NDArray[np.int32],
    shallow: NDArray[np.int64],
    left: NDArray[np.int64],
) -> None:
    """Writes position, class and shallow size of each reached object to its node.

    Args:
        columns: a chunk's objects.
        numbers: their class numbers.
        count: how many.
        ranks: the set of all addresses.
        sizes: the size model.
        class_class: class number of class objects.
        unknown: class number for -1.
        nodes: int32, the node of each rank, negative if it was not reached.
        positions: int64 by node, 0 where nothing is written yet.
        classes: int32 by node.
        shallow: int64 by node.
        left: int64, number and bytes of the objects that were not reached are added here.
    """
    for row in range(count):
        rank = rank_of(ranks, columns.addresses[row])
        if rank < 0:
            continue
        tag = columns.tags[row]
        size = _shallow(sizes, tag, columns.classes[row], numbers[row], columns.lengths[row])
        node = nodes[rank]
        if node < 0:
            left[0] += 1
            left[1] += size
        elif positions[node] == 0:
            positions[node] = columns.positions[row]
            shallow[node] = size
            if tag == CLASS:
                classes[node] = class_class
            else:
                classes[node] = numbers[row] if numbers[row] >= 0 else unknown


@kernel
def _gaps_of(ranks: Ranks, addresses: NDArray[np.int64], result: NDArray[np.int64]) -> None:
    for row in range(addresses.size):
        result[row] = next_address(ranks, addresses[row], _FARTHEST)


def gaps_of(ranks: Ranks, addresses: NDArray[np.int64]) -> NDArray[np.int64]:
    """The distance from each address to the next higher one, 0 if it is far."""
    result = np.zeros(addresses.size, np.int64)
    _gaps_of(ranks, addresses, result)
    return result


@kernel
def gather_referents(
    buffer: NDArray[np.uint8],
    columns: Columns,
    numbers: NDArray[np.int32],
    count: int,
    width: int,
    offsets: NDArray[np.int32],
    ranks: Ranks,
    pairs: NDArray[np.int64],
) -> int:
    """Ranks of each final reference of a chunk and of its referent; returns how many there are.

    ``offsets`` is where the referent lies in an instance of each class, -1 in all other classes.
    """
    found = 0
    for row in range(count):
        if columns.tags[row] != INSTANCE or numbers[row] < 0 or offsets[numbers[row]] < 0:
            continue
        offset = offsets[numbers[row]]
        if offset + width > columns.lengths[row]:
            continue
        at = columns.positions[row] + 9 + 2 * width + offset
        referent = rank_of(ranks, load_be64(buffer, at) if width == 8 else load_be32(buffer, at))
        if referent >= 0:
            pairs[found, 0] = rank_of(ranks, columns.addresses[row])
            pairs[found, 1] = referent
            found += 1
    return found


@kernel
def mark_referenced(
    slots: NDArray[Any], edges: NDArray[np.int32], objects: int, marks: NDArray[np.uint8]
) -> None:
    """Marks the target of every edge, but for edges from an object to itself."""
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
def number_nodes(slots: NDArray[Any], places: NDArray[np.int32], nodes: NDArray[np.int32]) -> None:
    """The place of each reached vertex, -1 of others; ``nodes`` may be ``slots`` itself."""
    for vertex in range(slots.size):
        slot = slots[vertex]
        nodes[vertex] = places[~slot] if slot < 0 else -1


ARRAY_HEADERS = (12, 16, 20, 24)
"""Every array header that some virtual machine has."""


@kernel
def tally(
    columns: Columns,
    numbers: NDArray[np.int32],
    count: int,
    unknown: int,
    alignment: int,
    objects: NDArray[np.int64],
    fields: NDArray[np.int64],
    arrays: NDArray[np.int64],
) -> None:
    """Counts objects by class before the layout is known, so for every layout of arrays at once.

    Args:
        columns: a chunk's objects.
        numbers: their class numbers.
        count: how many.
        unknown: class number for -1.
        alignment: every size is a multiple of this.
        objects: int64 by class: instances and arrays, class objects apart.
        fields: int64 by class: bytes of instances whose class is not known.
        arrays: int64 of shape (classes, 4, 2): bytes for each array header and reference width.
    """
    for row in range(count):
        tag = columns.tags[row]
        if tag == CLASS:
            continue
        number = numbers[row] if numbers[row] >= 0 else unknown
        objects[number] += 1
        length = columns.lengths[row]
        if tag == INSTANCE:
            if number == unknown:
                fields[number] += length + 16
            continue
        for wide in range(2):
            width = 8 if wide else 4
            if tag != OBJECT_ARRAY:
                width = _ELEMENT_BYTES[columns.classes[row]]
            for header in range(4):
                base = 12 + 4 * header
                size = base + (-base & (width - 1)) + length * width
                arrays[number, header, wide] += (size + alignment - 1) & -alignment
