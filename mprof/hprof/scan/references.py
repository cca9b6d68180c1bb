"""What the objects of a chunk refer to, as rows of ranks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.scan.objects import Columns
from mprof.hprof.scan.records import CLASS, INSTANCE, OBJECT_ARRAY, identifier_at, value_bytes
from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import load_be16, load_be32
from mprof.kernels.rank import Ranks, prefetch_rank, rank_of

__all__ = ["Schema", "fill_rows", "read_row_at"]

_AHEAD = 16  # rows and elements: far enough that a cache line arrives in time


class Schema(NamedTuple):
    """What the reading of rows must know of the classes, by class number.

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


@inlined
def _add(
    ranks: Ranks,
    identifier: int,
    edges: NDArray[np.int32],
    at: int,
    begin: int,
    notes: NDArray[np.int64],
) -> int:
    """Appends an edge to the object with this identifier, unless it is the one just appended."""
    if identifier == 0:
        return at
    rank = rank_of(ranks, identifier)
    if rank < 0:
        notes[0] += 1
        return at
    if at > begin and edges[at - 1] == rank:
        return at
    edges[at] = rank
    return at + 1


@inlined
def read_row(
    buffer: NDArray[np.uint8],
    tag: int,
    position: int,
    length: int,
    number: int,
    width: int,
    schema: Schema,
    ranks: Ranks,
    edges: NDArray[np.int32],
    begin: int,
    notes: NDArray[np.int64],
) -> int:
    """Writes the ranks an object refers to from ``edges[begin]`` on; returns the end.

    ``notes[0]`` counts references to objects that are not in the dump, ``notes[1]`` objects whose
    class is not, ``notes[2]`` instances whose fields take other bytes than their class says.
    """
    at = begin
    if tag == INSTANCE:
        data = position + 9 + 2 * width
        if number < 0:
            notes[1] += 1
            return at
        if schema.field_bytes[number] != length and schema.field_bytes[number] >= 0:
            notes[2] += 1
        for index in range(schema.starts[number], schema.starts[number + 1]):
            offset = schema.offsets[index]
            if offset + width <= length:
                at = _add(
                    ranks, identifier_at(buffer, data + offset, width), edges, at, begin, notes
                )
    elif tag == OBJECT_ARRAY:
        data = position + 9 + 2 * width
        for index in range(length):
            if index + _AHEAD < length:
                prefetch_rank(ranks, identifier_at(buffer, data + (index + _AHEAD) * width, width))
            at = _add(
                ranks, identifier_at(buffer, data + index * width, width), edges, at, begin, notes
            )
        if number < 0:
            notes[1] += 1
            return at
    elif tag == CLASS:
        data = position + 5 + width
        for index in range(6):  # superclass, loader, signers, protection domain, two reserved
            at = _add(
                ranks, identifier_at(buffer, data + index * width, width), edges, at, begin, notes
            )
        data += 6 * width + 4
        for section in range(2):  # constant pool, statics
            before = 2 if section == 0 else width
            entries = load_be16(buffer, data)
            data += 2
            for _ in range(entries):
                kind = buffer[data + before]
                data += before + 1
                if kind == 2:
                    at = _add(ranks, identifier_at(buffer, data, width), edges, at, begin, notes)
                data += value_bytes(kind, width)
        return at
    if number >= 0 and schema.ranks[number] >= 0:
        rank = schema.ranks[number]
        if at == begin or edges[at - 1] != rank:
            edges[at] = rank
            at += 1
    return at


@inlined
def read_row_at(
    buffer: NDArray[np.uint8],
    position: int,
    number: int,
    width: int,
    schema: Schema,
    ranks: Ranks,
    edges: NDArray[np.int32],
    begin: int,
    notes: NDArray[np.int64],
) -> int:
    """As :func:`read_row`, with tag and length read off the record at ``position``."""
    tag = buffer[position]
    length = 0
    if tag == INSTANCE:
        length = load_be32(buffer, position + 5 + 2 * width)
    elif tag != CLASS:
        length = load_be32(buffer, position + 5 + width)
    return read_row(
        buffer, tag, position, length, number, width, schema, ranks, edges, begin, notes
    )


@inlined
def _prefetch_row(
    buffer: NDArray[np.uint8],
    columns: Columns,
    numbers: NDArray[np.int32],
    row: int,
    width: int,
    schema: Schema,
    ranks: Ranks,
) -> None:
    """Asks for what the first references of an object will need."""
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


@kernel
def fill_rows(
    buffer: NDArray[np.uint8],
    columns: Columns,
    numbers: NDArray[np.int32],
    count: int,
    width: int,
    schema: Schema,
    ranks: Ranks,
    slots: NDArray[Any],
    edges: NDArray[np.int32],
    begin: int,
    notes: NDArray[np.int64],
    holes: NDArray[np.int64],
) -> int:
    """Writes the rows of a chunk's objects into ``edges`` and their beginnings into ``slots``.

    The last target of a row is stored as its complement; an empty row has slot 0. An object whose
    slot is taken occurs twice in the dump: the first one counts. Returns the end of the rows.

    ``holes`` takes the rank of each object with references to nowhere and their number, and
    ``notes[3]`` counts its rows; what no longer fits is added to ``notes[4]``.
    """
    at = begin
    for row in range(count):
        if row + _AHEAD < count:
            _prefetch_row(buffer, columns, numbers, row + _AHEAD, width, schema, ranks)
        rank = rank_of(ranks, columns.addresses[row])
        if rank < 0 or slots[rank] >= 0:
            continue
        start = at
        before = notes[0]
        at = read_row(
            buffer,
            columns.tags[row],
            columns.positions[row],
            columns.lengths[row],
            numbers[row],
            width,
            schema,
            ranks,
            edges,
            start,
            notes,
        )
        if notes[0] > before:
            if notes[3] < holes.shape[0]:
                holes[notes[3], 0] = rank
                holes[notes[3], 1] = notes[0] - before
                notes[3] += 1
            else:
                notes[4] += notes[0] - before
        if at > start:
            edges[at - 1] = ~edges[at - 1]
            slots[rank] = start
        else:
            slots[rank] = 0
    return at
