"""Compiled passes: what a chunk's records take, what they refer to, and their emptied copy.

Nothing is copied that is not understood: a record is written from its parts, and what is no part of
it stays zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.format import (
    CLASS,
    CLASS_LINKS,
    INSTANCE,
    OBJECT_ARRAY,
    PRIMITIVE_ARRAY,
    RECORD_HEADER,
    ROOT_JNI_GLOBAL,
    TYPE_OBJECT,
    UTF8,
)
from mprof.hprof.scan.records import (
    FIXED_BYTES,
    identifier_at,
    is_object,
    prefetch_records,
    record_bytes,
    value_bytes,
)
from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import (
    integer,
    load_be16,
    load_be32,
    load_be64,
    store_be32,
    store_be64,
)
from mprof.kernels.lookup import Lookup, find
from mprof.kernels.rank import Ranks, prefetch_rank, rank_of
from mprof.redaction.kept import COUNT, FLAG, LISTED, REFERENCES, SIGNED, WHOLE, Rules

__all__ = [
    "ADDRESS_BITS",
    "LARGEST_ARRAY",
    "LARGEST_ROOT",
    "MEASURES",
    "MOST_SERIAL",
    "OBJECTS",
    "OBJECT_BYTES",
    "Links",
    "Piece",
    "Plan",
    "empty_chunk",
    "empty_elements",
    "end_within",
    "measure_chunk",
    "new_piece",
    "write_head",
    "write_names",
    "write_roots",
]

ADDRESS_BITS = 48
"""Of an identifier: no JVM has an address above, and eight bytes of text are one."""

MOST_SERIAL = 1 << 24
"""More threads, stacks, classes and bytes of an instance than there are; four bytes of text are
larger numbers."""

# Indices into what is measured of a chunk.
OBJECT_BYTES = 0
"""Bytes of the records of its objects."""
LARGEST_ARRAY = 1
"""Elements of its largest array."""
OBJECTS = 2
"""How many objects have an address."""
MEASURES = 3

LARGEST_ROOT = 32
"""More bytes than any root record has."""

_SMALL = 64  # bytes
_AHEAD = 32  # references: far enough that a cache line of the set of addresses arrives in time


class Links(NamedTuple):
    """References to be gathered from instances.

    Attributes:
        classes: the number of a class by its identifier.
        starts: int64, one longer than there are classes: where the offsets of each begin.
        offsets: int32, of the references in an instance's fields.
        among: where it has any keys, only instances of these identifiers count.
        any_object: 1 where all instances count.
    """

    classes: Lookup
    starts: NDArray[np.int64]
    offsets: NDArray[np.int32]
    among: Lookup
    any_object: int


class Plan(NamedTuple):
    """What stays.

    Attributes:
        classes: the number of a class by its identifier.
        rules: what stays of an instance.
        counters: objects whose count stays, see ``LISTED``.
        arrays: primitive arrays that stay whole.
        names: identifiers of the names of fields.
        objects: the set of all addresses.
        nowhere: an identifier that is none, for references to what is not in the dump.
        kinds: uint8, by basic type: 1 where a static or constant of the type stays.
        elements: uint8, by basic type: 1 where all arrays of the type stay.
        most: the largest count there can be.
    """

    classes: Lookup
    rules: Rules
    counters: Lookup
    arrays: Lookup
    names: Lookup
    objects: Ranks
    nowhere: int
    kinds: NDArray[np.uint8]
    elements: NDArray[np.uint8]
    most: int


class Piece(NamedTuple):
    """A piece of the new dump.

    Attributes:
        out: uint8, its bytes.
        places: int32, where references stand in it that are not checked yet.
        counts: int64, one: how many those are.
    """

    out: NDArray[np.uint8]
    places: NDArray[np.int32]
    counts: NDArray[np.int64]


def new_piece(size: int) -> Piece:
    """Room for so many bytes."""
    return Piece(np.empty(size, np.uint8), np.empty(size // 4, np.int32), np.zeros(1, np.int64))


@inlined
def _is_address(identifier: int) -> bool:
    return identifier > 0 and identifier >> ADDRESS_BITS == 0


@kernel
def measure_chunk(
    buffer: NDArray[np.uint8],
    begin: int,
    end: int,
    width: int,
    links: Links,
    measures: NDArray[np.int64],
    found: NDArray[np.int64],
) -> int:
    """Measures the records of a chunk, and gathers references.

    Args:
        buffer: uint8, the dump.
        begin: where the chunk begins.
        end: where it ends.
        width: bytes of an identifier.
        links: which references to gather.
        measures: int64, takes OBJECT_BYTES, LARGEST_ARRAY and OBJECTS.
        found: int64, takes the references; there must be room for them.

    Returns:
        How many references there are; -1 if the chunk is no longer what it was.
    """
    at = begin
    total = 0
    largest = 0
    objects = 0
    count = 0
    gathers = links.offsets.size > 0
    while at < end:
        prefetch_records(buffer, at)
        size = record_bytes(buffer, at, end, width)
        if size < 0:
            return -1
        tag = buffer[at]
        if is_object(tag) and _is_address(identifier_at(buffer, at + 1, width)):
            total += size
            objects += 1
            if tag == INSTANCE:
                if gathers:
                    number = find(links.classes, identifier_at(buffer, at + 5 + width, width))
                    if number >= 0 and links.starts[number + 1] > links.starts[number]:
                        address = identifier_at(buffer, at + 1, width)
                        if links.any_object == 1 or find(links.among, address) >= 0:
                            length = load_be32(buffer, at + 5 + 2 * width)
                            for row in range(links.starts[number], links.starts[number + 1]):
                                offset = links.offsets[row]
                                if offset + width <= length:
                                    found[count] = identifier_at(
                                        buffer, at + 9 + 2 * width + offset, width
                                    )
                                    count += 1
            elif tag != CLASS:
                largest = max(largest, load_be32(buffer, at + 5 + width))
        at += size
    measures[OBJECT_BYTES] = total
    measures[LARGEST_ARRAY] = largest
    measures[OBJECTS] = objects
    return count


# --- the emptied copy -----------------------------------------------------------------------------


@inlined
def _copy(
    buffer: NDArray[np.uint8], source: int, out: NDArray[np.uint8], target: int, size: int
) -> None:
    for index in range(size):
        out[target + index] = buffer[source + index]


@inlined
def _clear(out: NDArray[np.uint8], target: int, size: int) -> None:
    if size > _SMALL:
        for index in range(size):
            out[target + index] = 0
        return
    # A call that clears so little takes longer than to clear it.
    at = 0
    while at + 8 <= size:
        store_be64(out, target + at, 0)
        at += 8
    while at < size:
        out[target + at] = 0
        at += 1


@inlined
def _store(out: NDArray[np.uint8], target: int, identifier: int, width: int) -> None:
    if width == 8:
        store_be64(out, target, identifier)
    else:
        store_be32(out, target, identifier)


@inlined
def _copy_references(
    buffer: NDArray[np.uint8],
    source: int,
    width: int,
    piece: Piece,
    target: int,
    size: int,
) -> None:
    """Copies what may be references, and notes where, for :func:`_check_references`."""
    out, places, counts = piece
    count = counts[0]
    for offset in range(0, size - width + 1, width):
        identifier = identifier_at(buffer, source + offset, width)
        _store(out, target + offset, identifier, width)
        if identifier != 0:
            places[count] = target + offset
            count += 1
    counts[0] = count


@inlined
def _check_references(width: int, plan: Plan, piece: Piece) -> None:
    """Puts ``nowhere`` in the place of each noted reference that leads to no object."""
    out, places, counts = piece
    count = counts[0]
    for index in range(count):
        if index + _AHEAD < count:
            prefetch_rank(plan.objects, identifier_at(out, places[index + _AHEAD], width))
        identifier = identifier_at(out, places[index], width)
        if not _is_address(identifier) or rank_of(plan.objects, identifier) < 0:
            _store(out, places[index], plan.nowhere, width)
    counts[0] = 0


@inlined
def _signed(buffer: NDArray[np.uint8], position: int, size: int) -> int:
    if size == 8:
        return load_be64(buffer, position)
    if size == 4:
        value = load_be32(buffer, position)
        return value - ((value >> 31) << 32)
    if size == 2:
        value = load_be16(buffer, position)
        return value - ((value >> 15) << 16)
    value = integer(buffer[position])
    return value - ((value >> 7) << 8)


@inlined
def _write_number(
    buffer: NDArray[np.uint8],
    source: int,
    out: NDArray[np.uint8],
    target: int,
    size: int,
    action: int,
    most: int,
) -> None:
    """Writes a number where the rule lets it stay; what stands there is zero before."""
    value = _signed(buffer, source, size)
    if action == FLAG:
        if value == 1:
            out[target + size - 1] = 1
    elif action == SIGNED:
        if -most <= value <= most:
            _copy(buffer, source, out, target, size)
    elif 0 <= value <= most:
        _copy(buffer, source, out, target, size)
    else:
        for index in range(size):
            out[target + index] = 0xFF


@inlined
def _empty_instance(
    buffer: NDArray[np.uint8],
    at: int,
    width: int,
    number: int,
    plan: Plan,
    piece: Piece,
    target: int,
) -> None:
    """The fields of an instance; ``target`` is where its record begins."""
    out = piece.out
    head = 9 + 2 * width
    length = load_be32(buffer, at + head - 4)
    _clear(out, target + head, length)
    if number < 0:
        return
    rules = plan.rules
    is_whole = rules.field_bytes[number] == length
    for row in range(rules.starts[number], rules.starts[number + 1]):
        offset = rules.rows[row, 0]
        size = rules.rows[row, 1]
        action = rules.rows[row, 2]
        source = at + head + offset
        begin = target + head + offset
        if action == REFERENCES:
            there = max(0, min(size, length - offset))
            _copy_references(buffer, source, width, piece, begin, there)
        elif is_whole:
            if action == WHOLE:
                _copy(buffer, source, out, begin, size)
            elif action == LISTED:
                if find(plan.counters, identifier_at(buffer, at + 1, width)) >= 0:
                    _write_number(buffer, source, out, begin, size, COUNT, plan.most)
            else:
                _write_number(buffer, source, out, begin, size, action, plan.most)


@inlined
def _empty_class(
    buffer: NDArray[np.uint8],
    at: int,
    size: int,
    width: int,
    plan: Plan,
    piece: Piece,
    target: int,
) -> None:
    """A class: its links, sizes, names and types; of constants and statics what is kept."""
    out = piece.out
    _clear(out, target, size)
    out[target] = CLASS
    _copy(buffer, at + 1, out, target + 1, width)
    data = 5 + width
    _copy_references(buffer, at + data, width, piece, target + data, CLASS_LINKS * width)
    data += CLASS_LINKS * width
    instance_bytes = load_be32(buffer, at + data)
    store_be32(out, target + data, instance_bytes if instance_bytes < MOST_SERIAL else 0)
    data += 4
    for section in range(3):  # constant pool, statics, instance fields
        entries = load_be16(buffer, at + data)
        _copy(buffer, at + data, out, target + data, 2)
        data += 2
        before = 2 if section == 0 else width
        for _ in range(entries):
            kind = buffer[at + data + before]
            if section > 0 and find(plan.names, identifier_at(buffer, at + data, width)) >= 0:
                _copy(buffer, at + data, out, target + data, width)
            out[target + data + before] = kind
            data += before + 1
            if section < 2:
                taken = value_bytes(kind, width)
                if kind == TYPE_OBJECT:
                    _copy_references(buffer, at + data, width, piece, target + data, width)
                elif plan.kinds[kind] == 1:
                    _copy(buffer, at + data, out, target + data, taken)
                data += taken


@inlined
def _empty_elements(
    buffer: NDArray[np.uint8],
    at: int,
    offset: int,
    size: int,
    width: int,
    plan: Plan,
    piece: Piece,
    target: int,
) -> None:
    """Bytes of the elements of the array whose record begins at ``at``."""
    out = piece.out
    if buffer[at] == OBJECT_ARRAY:
        source = at + 9 + 2 * width + offset
        _copy_references(buffer, source, width, piece, target, size)
        return
    head = 10 + width
    if (
        plan.elements[buffer[at + head - 1]] == 1
        or find(plan.arrays, identifier_at(buffer, at + 1, width)) >= 0
    ):
        _copy(buffer, at + head + offset, out, target, size)
    else:
        _clear(out, target, size)


@kernel
def empty_elements(
    buffer: NDArray[np.uint8],
    at: int,
    offset: int,
    size: int,
    width: int,
    plan: Plan,
    piece: Piece,
) -> None:
    """Writes a part of an array's elements.

    Args:
        buffer: uint8, the dump.
        at: where the array's record begins.
        offset: bytes of elements before the part; it cuts none.
        size: bytes of the part.
        width: bytes of an identifier.
        plan: what stays.
        piece: takes the part.
    """
    _empty_elements(buffer, at, offset, size, width, plan, piece, 0)
    _check_references(width, plan, piece)


@kernel
def end_within(
    buffer: NDArray[np.uint8], begin: int, end: int, width: int, most: int
) -> tuple[int, int]:
    """Where the last record ends that lies within ``most`` bytes, and how many the first takes."""
    at = begin
    first = 0
    while at < end:
        size = record_bytes(buffer, at, end, width)
        if first == 0:
            first = size
        if size < 0 or at + size > begin + most:
            break
        at += size
    return at, first


@inlined
def _write_head(
    buffer: NDArray[np.uint8],
    at: int,
    width: int,
    is_known: bool,
    plan: Plan,
    out: NDArray[np.uint8],
    target: int,
) -> int:
    """The head of an array or instance, without its stack serial; returns its bytes."""
    tag = buffer[at]
    out[target] = tag
    _store(out, target + 1, identifier_at(buffer, at + 1, width), width)
    store_be32(out, target + 1 + width, 0)
    if tag == PRIMITIVE_ARRAY:
        store_be32(out, target + 5 + width, load_be32(buffer, at + 5 + width))
        out[target + 9 + width] = buffer[at + 9 + width]
        return 10 + width
    of_class = at + 5 + width if tag == INSTANCE else at + 9 + width
    of_length = at + 5 + 2 * width if tag == INSTANCE else at + 5 + width
    identifier = identifier_at(buffer, of_class, width) if is_known else plan.nowhere
    _store(out, target + of_class - at, identifier, width)
    store_be32(out, target + of_length - at, load_be32(buffer, of_length))
    return 9 + 2 * width


@kernel
def write_head(
    buffer: NDArray[np.uint8], at: int, width: int, plan: Plan, out: NDArray[np.uint8]
) -> int:
    """Writes the head of the array whose record begins at ``at``; returns its bytes."""
    is_known = find(plan.classes, identifier_at(buffer, at + 9 + width, width)) >= 0
    return _write_head(buffer, at, width, is_known, plan, out, 0)


@kernel
def empty_chunk(
    buffer: NDArray[np.uint8],
    begin: int,
    end: int,
    width: int,
    plan: Plan,
    piece: Piece,
) -> tuple[int, int]:
    """Writes the emptied records of a chunk's objects, as far as there is room for them.

    Args:
        buffer: uint8, the dump.
        begin: where to begin, at a record.
        end: where the chunk ends.
        width: bytes of an identifier.
        plan: what stays.
        piece: takes the records from its beginning.

    Returns:
        Where the first record begins that did not fit, or -1 if the chunk is no longer what it was;
        and how many bytes were written.
    """
    out = piece.out
    at = begin
    written = 0
    previous = integer(0)
    number = -1
    while at < end:
        prefetch_records(buffer, at)
        size = record_bytes(buffer, at, end, width)
        if size < 0:
            return -1, written
        tag = buffer[at]
        if not is_object(tag) or not _is_address(identifier_at(buffer, at + 1, width)):
            at += size
            continue
        if written + size > out.size:
            break
        if tag == CLASS:
            _empty_class(buffer, at, size, width, plan, piece, written)
        elif tag == PRIMITIVE_ARRAY:
            head = _write_head(buffer, at, width, True, plan, out, written)
            _empty_elements(buffer, at, 0, size - head, width, plan, piece, written + head)
        else:
            of_class = at + 5 + width if tag == INSTANCE else at + 9 + width
            identifier = identifier_at(buffer, of_class, width)
            if identifier != previous:
                previous = identifier
                number = find(plan.classes, identifier)
            head = _write_head(buffer, at, width, number >= 0, plan, out, written)
            if tag == INSTANCE:
                _empty_instance(buffer, at, width, number, plan, piece, written)
            else:
                _empty_elements(buffer, at, 0, size - head, width, plan, piece, written + head)
        written += size
        at += size
    _check_references(width, plan, piece)
    return at, written


# --- records that are written anew ----------------------------------------------------------------


@kernel
def write_roots(roots: NDArray[np.int64], width: int, out: NDArray[np.uint8]) -> int:
    """Writes root records; returns their bytes.

    Args:
        roots: int64 rows: tag, object, thread serial, frame number; -1 for none.
        width: bytes of an identifier.
        out: uint8, with LARGEST_ROOT bytes for each row.
    """
    at = 0
    for row in range(roots.shape[0]):
        tag = roots[row, 0]
        out[at] = tag
        _store(out, at + 1, roots[row, 1], width)
        at += 1 + width
        if tag == ROOT_JNI_GLOBAL:  # the reference, an address of the virtual machine's own
            _store(out, at, 0, width)
            at += width
        if FIXED_BYTES[tag] >= 4:
            store_be32(out, at, roots[row, 2])
            at += 4
        if FIXED_BYTES[tag] == 8:
            store_be32(out, at, roots[row, 3])
            at += 4
    return at


@kernel
def write_names(
    buffer: NDArray[np.uint8],
    names: NDArray[np.int64],
    width: int,
    longest: int,
    out: NDArray[np.uint8],
) -> tuple[int, int]:
    """Writes UTF8 records as far as there is room; returns how many, and their bytes.

    Args:
        buffer: uint8, the dump.
        names: int64 rows: identifier, position and bytes of the text.
        width: bytes of an identifier.
        longest: bytes of a text that are written at most.
        out: uint8, takes the records.
    """
    at = 0
    for row in range(names.shape[0]):
        size = min(names[row, 2], longest)
        if at + RECORD_HEADER + width + size > out.size:
            return row, at
        out[at] = UTF8
        _clear(out, at + 1, 4)
        store_be32(out, at + 5, width + size)
        _store(out, at + RECORD_HEADER, names[row, 0], width)
        at += RECORD_HEADER + width
        _copy(buffer, names[row, 1], out, at, size)
        at += size
    return names.shape[0], at
