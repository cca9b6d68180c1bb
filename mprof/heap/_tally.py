"""The counting pass of the class histogram; compiled.

Sizes of arrays depend on a layout that is fitted afterwards, so arrays are counted by length. Only
long ones, which are rare, are added up at once, for every layout.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.heap._passes import LONGEST_SAMPLED, SAMPLES, Gaps, StackChunks, stack_bytes
from mprof.hprof.format import BASIC_TYPES, INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY, TYPE_OBJECT
from mprof.hprof.scan import ClassNumbers
from mprof.hprof.scan.records import (
    WIDTHS,
    identifier_at,
    is_object,
    prefetch_records,
    record_bytes,
)
from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import integer, load_be32
from mprof.kernels.lookup import find
from mprof.kernels.rank import Ranks, next_address

__all__ = ["ARRAY_HEADERS", "Counters", "Tally", "array_bytes", "new_tally", "tally_chunk"]

ARRAY_HEADERS = (12, 16, 20, 24)
"""Bytes of every array header that some virtual machine has."""

_SHORT = 64  # elements; nearly all arrays are shorter
_FARTHEST = 4096  # bytes; no instance is larger, except a few stack chunks


class Tally(NamedTuple):
    """Objects by class number, before the layout is known.

    Attributes:
        objects: int64, instances and arrays; class objects are not counted.
        fields: int64, bytes of instances whose class is not known.
        primitive: int64 of shape (BASIC_TYPES, _SHORT): arrays by element type and length.
        references: int64 of shape (classes, _SHORT): object arrays by class and length.
        long: int64 of shape (classes, 4, 2): bytes of longer arrays, for each header and each
            width of a reference.
        stacks: int64 of shape (2,): bytes of the stacks in stack chunks, for each width of a
            reference.
    """

    objects: NDArray[np.int64]
    fields: NDArray[np.int64]
    primitive: NDArray[np.int64]
    references: NDArray[np.int64]
    long: NDArray[np.int64]
    stacks: NDArray[np.int64]


class Counters(NamedTuple):
    """What is counted, and by what.

    Attributes:
        classes: how classes are numbered.
        stacks: which class has stacks.
        alignment: every size is a multiple of this.
        tally: is added to.
        ranks: the set of all addresses; if empty, objects are assumed to be in address order.
        gaps: is added to, see :func:`mprof.heap._passes.sample_gaps`.
    """

    classes: ClassNumbers
    stacks: StackChunks
    alignment: int
    tally: Tally
    ranks: Ranks
    gaps: Gaps


def new_tally(classes: int) -> Tally:
    """A tally of nothing."""
    return Tally(
        np.zeros(classes, np.int64),
        np.zeros(classes, np.int64),
        np.zeros((BASIC_TYPES, _SHORT), np.int64),
        np.zeros((classes, _SHORT), np.int64),
        np.zeros((classes, len(ARRAY_HEADERS), 2), np.int64),
        np.zeros(2, np.int64),
    )


def array_bytes(
    tally: Tally, numbers: NDArray[np.int32], *, header: int, reference: int, alignment: int
) -> NDArray[np.int64]:
    """Bytes of all arrays of each class, int64.

    Args:
        tally: the counts.
        numbers: int32, the class number of the arrays of each basic type, none below 0.
        header: bytes before the elements of an int array.
        reference: bytes of a reference, 4 or 8.
        alignment: every size is a multiple of this.
    """
    lengths = np.arange(_SHORT, dtype=np.int64)

    def sizes(width: int) -> NDArray[np.int64]:
        ends = header + (-header & (width - 1)) + lengths * width
        return np.asarray((ends + alignment - 1) & -alignment, np.int64)

    total = tally.long[:, ARRAY_HEADERS.index(header), int(reference == 8)].copy()
    total += tally.references @ sizes(reference)
    for kind, width in enumerate(WIDTHS.tolist()):
        if width > 0:
            total[numbers[kind]] += int(tally.primitive[kind] @ sizes(width))
    return total


class _Object(NamedTuple):
    """One object record and the number of its class, which may be -1.

    ``kind`` is the basic type of an array's elements; ``length`` counts those, or the bytes of an
    instance's fields; the next record begins at ``following``, the chunk ends at ``end``.
    """

    address: int
    number: int
    kind: int
    length: int
    following: int
    end: int


@inlined
def _gap(ranks: Ranks, buffer: NDArray[np.uint8], width: int, one: _Object) -> int:
    """The distance to the next higher address; without ranks, to the next object of the file."""
    if ranks.span > 0:
        return integer(next_address(ranks, one.address, _FARTHEST))
    if one.following + 1 + width <= one.end and is_object(buffer[one.following]):
        gap = identifier_at(buffer, one.following + 1, width) - one.address
        if 0 < gap < _FARTHEST:
            return integer(gap)
    return integer(0)


@inlined
def _add_long(tally: Tally, number: int, width: int, length: int, alignment: int) -> None:
    for wide in range(2):
        element = width
        if width == 0:
            element = 8 if wide else 4
        for header in range(4):
            base = 12 + 4 * header
            size = base + (-base & (element - 1)) + length * element
            tally.long[number, header, wide] += (size + alignment - 1) & -alignment


@inlined
def _count_instance(
    buffer: NDArray[np.uint8], width: int, counters: Counters, one: _Object
) -> None:
    tally, gaps, number = counters.tally, counters.gaps, one.number
    if number < 0:
        tally.objects[counters.classes.unknown] += 1
        tally.fields[counters.classes.unknown] += one.length + 16
        return
    tally.objects[number] += 1
    if number == counters.stacks.number and counters.stacks.field + 4 <= one.length:
        words = load_be32(buffer, one.following - one.length + counters.stacks.field)
        for wide in range(2):
            tally.stacks[wide] += stack_bytes(words, 8 if wide else 4, counters.alignment)
    seen = gaps.class_seen[number]
    if seen < SAMPLES:
        gap = _gap(counters.ranks, buffer, width, one)
        if gap > 0:
            gaps.class_gaps[number, seen] = gap
            gaps.class_seen[number] = seen + 1


@inlined
def _count_array(buffer: NDArray[np.uint8], width: int, counters: Counters, one: _Object) -> None:
    tally, gaps, kind, length = counters.tally, counters.gaps, one.kind, one.length
    number = one.number if one.number >= 0 else integer(counters.classes.unknown)
    tally.objects[number] += 1
    if length >= _SHORT:
        _add_long(tally, number, WIDTHS[kind], length, counters.alignment)
    elif kind == TYPE_OBJECT:
        tally.references[number, length] += 1
    else:
        tally.primitive[kind, length] += 1
    if length < LONGEST_SAMPLED:
        seen = gaps.array_seen[kind, length]
        if seen < SAMPLES:
            gap = _gap(counters.ranks, buffer, width, one)
            if gap > 0:
                gaps.array_gaps[kind, length, seen] = gap
                gaps.array_seen[kind, length] = seen + 1


@kernel
def tally_chunk(
    buffer: NDArray[np.uint8], start: int, end: int, width: int, counters: Counters
) -> None:
    """Counts the objects of a chunk and samples distances, in one pass over its bytes.

    Args:
        buffer: uint8, the dump.
        start: where the chunk begins.
        end: where it ends.
        width: bytes of an identifier.
        counters: what is counted.
    """
    classes = counters.classes
    at = start
    previous = integer(0)  # the class looked up last, and its number: objects come in runs
    number = integer(-1)
    while at < end:
        prefetch_records(buffer, at)
        tag = buffer[at]
        head = at + 9 + 2 * width
        if tag == INSTANCE and head <= end:
            length = load_be32(buffer, head - 4)
            following = head + length
            if following > end:
                break
            identifier = identifier_at(buffer, at + 5 + width, width)
            if identifier != previous:
                previous = identifier
                number = integer(find(classes.lookup, identifier))
            address = identifier_at(buffer, at + 1, width)
            if address != 0:
                one = _Object(address, number, TYPE_OBJECT, length, following, end)
                _count_instance(buffer, width, counters, one)
        elif tag == OBJECT_ARRAY and head <= end:
            length = load_be32(buffer, at + 5 + width)
            following = head + length * width
            if following > end:
                break
            identifier = identifier_at(buffer, at + 9 + width, width)
            if identifier != previous:
                previous = identifier
                number = integer(find(classes.lookup, identifier))
            address = identifier_at(buffer, at + 1, width)
            if address != 0:
                one = _Object(address, number, TYPE_OBJECT, length, following, end)
                _count_array(buffer, width, counters, one)
        elif tag == PRIMITIVE_ARRAY and at + 10 + width <= end:
            length = load_be32(buffer, at + 5 + width)
            kind = integer(buffer[at + 9 + width])
            if kind >= BASIC_TYPES:
                break
            following = at + 10 + width + length * WIDTHS[kind]
            if following > end:
                break
            address = identifier_at(buffer, at + 1, width)
            if address != 0:
                owner = integer(classes.primitive[kind])
                one = _Object(address, owner, kind, length, following, end)
                _count_array(buffer, width, counters, one)
        else:
            size = record_bytes(buffer, at, end, width)
            if size < 0:
                break  # the file changed meanwhile; what was read stays valid
            following = at + size
        at = following
