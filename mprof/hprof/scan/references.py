"""What the objects of a chunk refer to, as rows of ranks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.format import CLASS, CLASS_LINKS, INSTANCE, OBJECT_ARRAY, TYPE_OBJECT
from mprof.hprof.scan.objects import Columns
from mprof.hprof.scan.records import identifier_at, value_bytes
from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import load_be16, load_be32
from mprof.kernels.rank import Ranks, prefetch_rank, rank_of

__all__ = [
    "CLASSLESS",
    "DANGLING",
    "DANGLING_UNLISTED",
    "LISTED",
    "MISMATCHED",
    "NOTES_SIZE",
    "Rows",
    "Schema",
    "Source",
    "fill_rows",
    "read_row_at",
]

_AHEAD = 16  # rows and elements: far enough that a cache line arrives in time

# Indices into the counts that reading rows adds to.
DANGLING = 0
"""References to objects that are not in the dump."""
CLASSLESS = 1
"""Objects whose class is not in the dump."""
MISMATCHED = 2
"""Instances whose fields take other bytes than their class says."""
LISTED = 3
"""Rows used of ``Rows.dangling``."""
DANGLING_UNLISTED = 4
"""References to objects that are not in the dump, from objects that no longer fit into it."""
NOTES_SIZE = 5


class Schema(NamedTuple):
    """What reading references takes to know of the classes, by class number.

    Attributes:
        ranks: int64, the rank of the class object, -1 where no edge to it is wanted.
        starts: int64, one longer: where each class's reference offsets begin.
        offsets: int32, byte offsets of references in an instance's fields.
        field_bytes: int64, bytes of an instance's fields, -1 if not known.
    """

    ranks: NDArray[np.int64]
    starts: NDArray[np.int64]
    offsets: NDArray[np.int32]
    field_bytes: NDArray[np.int64]


class Source(NamedTuple):
    """What references are read from.

    Attributes:
        buffer: uint8, the dump.
        width: bytes of an identifier, 4 or 8.
        schema: where references lie.
        ranks: the set of all addresses.
    """

    buffer: NDArray[np.uint8]
    width: int
    schema: Schema
    ranks: Ranks


class Rows(NamedTuple):
    """Where the rows of a dump are written.

    Attributes:
        slots: int32 or int64 by rank: where the row of an object begins, 0 for an empty row,
            below 0 before its object is met.
        edges: int32, the rows: ranks; the last one of a row is stored as its complement.
        notes: int64, NOTES_SIZE counts; see DANGLING to DANGLING_UNLISTED.
        dangling: int64 rows: the rank of an object with references to objects that are not in the
            dump, and how many it has.
    """

    slots: NDArray[Any]
    edges: NDArray[np.int32]
    notes: NDArray[np.int64]
    dangling: NDArray[np.int64]


class _Object(NamedTuple):
    """One object: its tag, position and length as in Columns, and its class number."""

    tag: int
    position: int
    length: int
    number: int


class _Row(NamedTuple):
    """Where one row is written: the rows, where this one begins, and the notes."""

    edges: NDArray[np.int32]
    begin: int
    notes: NDArray[np.int64]


@inlined
def _add(source: Source, position: int, row: _Row, at: int) -> int:
    """Appends an edge to what a reference leads to, unless it is the edge just appended."""
    identifier = identifier_at(source.buffer, position, source.width)
    if identifier == 0:
        return at
    rank = rank_of(source.ranks, identifier)
    if rank < 0:
        row.notes[DANGLING] += 1
        return at
    if at > row.begin and row.edges[at - 1] == rank:
        return at
    row.edges[at] = rank
    return at + 1


@inlined
def _read_class(source: Source, position: int, row: _Row) -> int:
    """The row of a class: its links, object constants and object statics."""
    buffer, width = source.buffer, source.width
    at = row.begin
    data = position + 5 + width
    for index in range(CLASS_LINKS):
        at = _add(source, data + index * width, row, at)
    data += CLASS_LINKS * width + 4
    for section in range(2):  # constant pool, statics
        before = 2 if section == 0 else width
        entries = load_be16(buffer, data)
        data += 2
        for _ in range(entries):
            kind = buffer[data + before]
            data += before + 1
            if kind == TYPE_OBJECT:
                at = _add(source, data, row, at)
            data += value_bytes(kind, width)
    return at


@inlined
def _read_row(source: Source, one: _Object, row: _Row) -> int:
    """Writes the ranks that an object refers to, its class last; returns the end of the row."""
    buffer, width, schema, ranks = source
    at = row.begin
    number = one.number
    data = one.position + 9 + 2 * width
    if one.tag == INSTANCE:
        if number < 0:
            row.notes[CLASSLESS] += 1
            return at
        if schema.field_bytes[number] != one.length and schema.field_bytes[number] >= 0:
            row.notes[MISMATCHED] += 1
        for index in range(schema.starts[number], schema.starts[number + 1]):
            offset = schema.offsets[index]
            if offset + width <= one.length:
                at = _add(source, data + offset, row, at)
    elif one.tag == OBJECT_ARRAY:
        for index in range(one.length):
            if index + _AHEAD < one.length:
                prefetch_rank(ranks, identifier_at(buffer, data + (index + _AHEAD) * width, width))
            at = _add(source, data + index * width, row, at)
        if number < 0:
            row.notes[CLASSLESS] += 1
            return at
    elif one.tag == CLASS:
        return _read_class(source, one.position, row)
    if number >= 0 and schema.ranks[number] >= 0:
        rank = schema.ranks[number]
        if at == row.begin or row.edges[at - 1] != rank:
            row.edges[at] = rank
            at += 1
    return at


@inlined
def read_row_at(
    source: Source,
    position: int,
    number: int,
    edges: NDArray[np.int32],
    begin: int,
    notes: NDArray[np.int64],
) -> int:
    """Writes the ranks that one object refers to from ``edges[begin]`` on; returns the end.

    Args:
        source: what to read from.
        position: where the object's record begins.
        number: its class number.
        edges: int32, takes the ranks; an equal one in a row is left out.
        begin: where to write.
        notes: int64, NOTES_SIZE counts that are added to.
    """
    tag = source.buffer[position]
    length = 0
    if tag == INSTANCE:
        length = load_be32(source.buffer, position + 5 + 2 * source.width)
    elif tag != CLASS:
        length = load_be32(source.buffer, position + 5 + source.width)
    return _read_row(source, _Object(tag, position, length, number), _Row(edges, begin, notes))


@inlined
def _prefetch_row(source: Source, columns: Columns, numbers: NDArray[np.int32], row: int) -> None:
    """Prefetches what the first references of an object will need."""
    buffer, width, schema, ranks = source
    length = columns.lengths[row]
    data = columns.positions[row] + 9 + 2 * width
    if columns.tags[row] == INSTANCE and numbers[row] >= 0:
        start = schema.starts[numbers[row]]
        for index in range(start, min(start + _AHEAD, schema.starts[numbers[row] + 1])):
            offset = schema.offsets[index]
            if offset + width <= length:
                prefetch_rank(ranks, identifier_at(buffer, data + offset, width))
    elif columns.tags[row] == OBJECT_ARRAY:
        for index in range(min(length, _AHEAD)):
            prefetch_rank(ranks, identifier_at(buffer, data + index * width, width))


@inlined
def _note_dangling(rows: Rows, rank: int, found: int) -> None:
    notes, dangling = rows.notes, rows.dangling
    if notes[LISTED] < dangling.shape[0]:
        dangling[notes[LISTED], 0] = rank
        dangling[notes[LISTED], 1] = found
        notes[LISTED] += 1
    else:
        notes[DANGLING_UNLISTED] += found


@kernel
def fill_rows(
    source: Source,
    columns: Columns,
    numbers: NDArray[np.int32],
    count: int,
    rows: Rows,
    begin: int,
) -> int:
    """Writes the rows of a chunk's objects contiguously.

    An object whose slot is taken occurs twice in the dump: the first one counts.

    Args:
        source: what to read from.
        columns: the objects.
        numbers: int32, their class numbers.
        count: how many.
        rows: takes the rows.
        begin: where in ``rows.edges`` to write.

    Returns:
        The end of the rows.
    """
    slots, edges, notes = rows.slots, rows.edges, rows.notes
    at = begin
    for row in range(count):
        if row + _AHEAD < count:
            _prefetch_row(source, columns, numbers, row + _AHEAD)
        rank = rank_of(source.ranks, columns.addresses[row])
        if rank < 0 or slots[rank] >= 0:
            continue
        start = at
        before = notes[DANGLING]
        one = _Object(columns.tags[row], columns.positions[row], columns.lengths[row], numbers[row])
        at = _read_row(source, one, _Row(edges, start, notes))
        if notes[DANGLING] > before:
            _note_dangling(rows, rank, notes[DANGLING] - before)
        if at > start:
            edges[at - 1] = ~edges[at - 1]
            slots[rank] = start
        else:
            slots[rank] = 0
    return at
