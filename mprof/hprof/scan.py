"""The walk over a dump's records: bytes in, columns out. The only compiled file of this package.

Format: ``hprof_b_spec.h`` and ``heapDumper.cpp`` of the JDK. Sub-records of a heap segment carry
no length, so they can only be walked in order: :func:`walk` does so once, checks every bound, and
leaves *chunks*, stretches of whole, sound records that :func:`read_objects` can read again
independently, on any thread.

Where bytes make no sense the walk notes a fault and looks for the next place from which several
records in a row are plausible. It never goes back, so damaged input costs linear time too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import load_be16, load_be32, load_be64
from mprof.kernels.lookup import Lookup, find
from mprof.kernels.rank import Ranks, prefetch_rank, rank_of

__all__ = [
    "CHUNK_OBJECTS",
    "CLASS",
    "CUT",
    "DONE",
    "FULL",
    "INSTANCE",
    "LENGTH",
    "OBJECT_ARRAY",
    "ODD",
    "PRIMITIVE_ARRAY",
    "SENSELESS",
    "STATE_SIZE",
    "Columns",
    "Schema",
    "Tables",
    "classify",
    "columns_at",
    "fill_rows",
    "find_cuts",
    "parse_classes",
    "read_objects",
    "read_row",
    "recover",
    "walk",
]

CLASS = 0x20
INSTANCE = 0x21
OBJECT_ARRAY = 0x22
PRIMITIVE_ARRAY = 0x23

CHUNK_OBJECTS = 16_384
"""Objects in a chunk: its columns then fit the second-level cache."""

DONE = 0
"""The walk is at the end of the file."""
FULL = 1
"""The walk needs larger tables."""
ODD = 2
"""The walk met bytes that make no sense."""

CUT = 0
"""Kind of fault: the file ends inside a record."""
SENSELESS = 1
"""Kind of fault: bytes that make no record were skipped."""
LENGTH = 2
"""Kind of fault: a segment's length is wrong; nothing was skipped."""

_UNKNOWN = -1
_CROSSES = -2
_AHEAD = 16  # rows and elements: far enough that a cache line arrives in time
_PLAUSIBLE_CHAIN = 8  # records in a row: 8 random bytes pass as tags once in 10**9
_WRAP = 1 << 32  # a record length is a u4
_HIGH_SLACK = 1 << 36  # addresses ascend, so what follows damage may lie above all seen so far

# Fixed part of a sub-record after its tag: identifiers, other bytes; -1 where it is no such tag.
_ROOTS = {
    0x01: (2, 0),  # JNI global
    0x02: (1, 8),  # JNI local: thread, frame
    0x03: (1, 8),  # Java frame: thread, frame
    0x04: (1, 4),  # native stack: thread
    0x05: (1, 0),  # sticky class
    0x06: (1, 4),  # thread block: thread
    0x07: (1, 0),  # monitor used
    0x08: (1, 8),  # thread object: thread, stack trace
    0xFF: (1, 0),  # unknown
    0x89: (1, 0),  # Android: interned string
    0x8A: (1, 0),  # Android: finalizing
    0x8B: (1, 0),  # Android: debugger
    0x8C: (1, 0),  # Android: reference cleanup
    0x8D: (1, 0),  # Android: virtual machine internal
    0x8E: (1, 8),  # Android: JNI monitor
}
_OTHERS = {
    0x90: (1, 0),  # Android: unreachable
    0xFE: (1, 4),  # Android: heap info
    0xC3: (1, 9),  # Android: primitive array without its data
}


def _fixed(part: int, table: dict[int, tuple[int, int]]) -> tuple[int, ...]:
    return tuple(table[tag][part] if tag in table else -1 for tag in range(256))


_FIXED_IDENTIFIERS = np.array(_fixed(0, _ROOTS | _OTHERS), np.int64)
_FIXED_BYTES = np.array(_fixed(1, _ROOTS | _OTHERS), np.int64)
_IS_ROOT = np.array([tag in _ROOTS for tag in range(256)])
_WIDTHS = np.array([-1, -1, 0, -1, 1, 2, 4, 8, 1, 2, 4, 8], np.int64)  # 0: an identifier
_TOP_TAGS = np.array([1 <= tag <= 7 or 0x0A <= tag <= 0x0E or tag in (0x1C, 0x2C)
                      for tag in range(256)])  # fmt: skip


class Tables(NamedTuple):
    """What a walk has found so far; int64 tables, one row a record.

    Attributes:
        strings: identifier, position of the text, bytes of the text.
        loads: class serial, class identifier, name identifier.
        frames: position of each STACK_FRAME body.
        traces: position and bytes of each STACK_TRACE body.
        starts: position and bytes of each START_THREAD body.
        classes: position of each CLASS_DUMP sub-record.
        roots: tag, object, thread serial, frame number (thread object: stack trace serial).
        chunks: position, end, objects.
        faults: position, position where reading went on, kind (CUT, SENSELESS or LENGTH).
    """

    strings: NDArray[np.int64]
    loads: NDArray[np.int64]
    frames: NDArray[np.int64]
    traces: NDArray[np.int64]
    starts: NDArray[np.int64]
    classes: NDArray[np.int64]
    roots: NDArray[np.int64]
    chunks: NDArray[np.int64]
    faults: NDArray[np.int64]


# Indices into the state of a walk.
(
    AT, END, CHUNK, OBJECTS, LOW, HIGH, BITS, FIRST, TOTAL, ENDED, FIRST_ROOT, LAST_OBJECT, OPEN,
    SEGMENTS, PREVIOUS, DESCENTS,
) = range(16)  # fmt: skip
STATE_SIZE = 16


@inlined
def _identifier(buffer: NDArray[np.uint8], position: int, width: int) -> int:
    if width == 8:
        return load_be64(buffer, position)
    return load_be32(buffer, position)


@inlined
def _value_bytes(kind: int, width: int) -> int:
    """Bytes of a value of a basic type, -1 if there is no such type."""
    if kind > 11:
        return -1
    size = _WIDTHS[kind]
    return width if size == 0 else size


@inlined
def _class_bytes(buffer: NDArray[np.uint8], position: int, limit: int, width: int) -> int:
    at = position + 1 + 7 * width + 8
    for section in range(3):  # constant pool, statics, instance fields
        if at + 2 > limit:
            return _CROSSES
        entries = load_be16(buffer, at)
        at += 2
        before = 2 if section == 0 else width
        for _ in range(entries):
            if at + before + 1 > limit:
                return _CROSSES
            size = _value_bytes(buffer[at + before], width)
            if size < 0:
                return _UNKNOWN
            at += before + 1 + (0 if section == 2 else size)
            if at > limit:
                return _CROSSES
    return at - position


@inlined
def _record_bytes(buffer: NDArray[np.uint8], position: int, limit: int, width: int) -> int:
    """Bytes of the sub-record at a position, or _UNKNOWN, or _CROSSES if it passes the limit."""
    tag = buffer[position]
    if tag == INSTANCE:
        size = 9 + 2 * width
        if position + size > limit:
            return _CROSSES
        size += load_be32(buffer, position + size - 4)
    elif tag == OBJECT_ARRAY:
        size = 9 + 2 * width
        if position + size > limit:
            return _CROSSES
        size += load_be32(buffer, position + 5 + width) * width
    elif tag == PRIMITIVE_ARRAY:
        size = 10 + width
        if position + size > limit:
            return _CROSSES
        element = _value_bytes(buffer[position + size - 1], width)
        if element < 0 or buffer[position + size - 1] == 2:
            return _UNKNOWN
        size += load_be32(buffer, position + 5 + width) * element
    elif tag == CLASS:
        return _class_bytes(buffer, position, limit, width)
    elif _FIXED_IDENTIFIERS[tag] >= 0:
        size = 1 + _FIXED_IDENTIFIERS[tag] * width + _FIXED_BYTES[tag]
    else:
        return _UNKNOWN
    return size if position + size <= limit else _CROSSES


@inlined
def _plausible_records(
    buffer: NDArray[np.uint8], position: int, limit: int, width: int, state: NDArray[np.int64]
) -> bool:
    """Whether several sub-records in a row, or all up to the limit, could begin here."""
    found = 0
    while position < limit and found < _PLAUSIBLE_CHAIN:
        size = _record_bytes(buffer, position, limit, width)
        if size < 0:
            return found > 0 and _plausible_top(buffer, position, width, 1)
        identifier = _identifier(buffer, position + 1, width)
        if identifier == 0:
            return False
        if (
            CLASS <= buffer[position] <= PRIMITIVE_ARRAY
            and state[TOTAL] > 16
            and (identifier < state[LOW] or identifier > state[HIGH] + _HIGH_SLACK)
        ):
            return False
        position += size
        found += 1
    return found > 0


@inlined
def _plausible_top(buffer: NDArray[np.uint8], position: int, width: int, chain: int) -> bool:
    """Whether top-level records could go on here: known tags, lengths that lead on."""
    limit = buffer.size
    for _ in range(chain):
        if position == limit:
            return True
        if position + 9 > limit:
            return False
        tag = buffer[position]
        length = load_be32(buffer, position + 5)
        if not _TOP_TAGS[tag] or position + 9 + length > limit:
            return False
        if tag in (0x0C, 0x1C):
            if length > 0:
                size = _record_bytes(buffer, position + 9, position + 9 + length, width)
                if size < 0:
                    return False
        elif tag == 0x2C:
            return length == 0
        elif length < 4:
            return False
        position += 9 + length
    return position == limit or bool(_TOP_TAGS[buffer[position]])


@inlined
def _close_chunk(
    state: NDArray[np.int64], counts: NDArray[np.int64], chunks: NDArray[np.int64]
) -> None:
    if state[OBJECTS] > 0:
        row = counts[7]
        chunks[row, 0] = state[CHUNK]
        chunks[row, 1] = state[AT]
        chunks[row, 2] = state[OBJECTS]
        counts[7] += 1
    state[CHUNK] = state[AT]
    state[OBJECTS] = 0


@inlined
def _fault(
    state: NDArray[np.int64],
    counts: NDArray[np.int64],
    chunks: NDArray[np.int64],
    faults: NDArray[np.int64],
    onward: int,
    kind: int,
) -> None:
    """Notes damage at the current position and goes on at another one."""
    _close_chunk(state, counts, chunks)
    row = counts[8]
    faults[row, 0] = state[AT]
    faults[row, 1] = onward
    faults[row, 2] = kind
    counts[8] += 1
    state[AT] = onward
    state[CHUNK] = onward


@inlined
def _note_address(state: NDArray[np.int64], address: int) -> None:
    if state[TOTAL] == 0:
        state[FIRST] = address
        state[LOW] = address
        state[HIGH] = address
    state[LOW] = min(state[LOW], address)
    state[HIGH] = max(state[HIGH], address)
    state[BITS] |= address ^ state[FIRST]
    state[DESCENTS] += address < state[PREVIOUS]
    state[PREVIOUS] = address


@inlined
def _walk_segment(
    buffer: NDArray[np.uint8],
    width: int,
    state: NDArray[np.int64],
    counts: NDArray[np.int64],
    classes: NDArray[np.int64],
    roots: NDArray[np.int64],
    chunks: NDArray[np.int64],
) -> int:
    """Walks on to the end of the current segment; returns DONE, FULL or ODD."""
    end = state[END]
    while state[AT] < end:
        if (
            counts[5] == classes.shape[0]
            or counts[6] == roots.shape[0]
            or counts[7] + 2 > chunks.shape[0]
        ):
            return FULL
        at = state[AT]
        size = _record_bytes(buffer, at, end, width)
        if size < 0:
            return ODD
        tag = buffer[at]
        identifier = _identifier(buffer, at + 1, width)
        if CLASS <= tag <= PRIMITIVE_ARRAY:
            if identifier != 0:
                _note_address(state, identifier)
                state[TOTAL] += 1
                state[OBJECTS] += 1
                state[LAST_OBJECT] = at
                if tag == CLASS:
                    classes[counts[5], 0] = at
                    counts[5] += 1
        elif _IS_ROOT[tag]:
            if state[FIRST_ROOT] == 0:
                state[FIRST_ROOT] = at
            row = counts[6]
            roots[row, 0] = tag
            roots[row, 1] = identifier
            roots[row, 2] = -1
            roots[row, 3] = -1
            if _FIXED_BYTES[tag] >= 4:
                roots[row, 2] = load_be32(buffer, at + 1 + width)
            if _FIXED_BYTES[tag] == 8:
                roots[row, 3] = load_be32(buffer, at + 5 + width)
            counts[6] += 1
        state[AT] = at + size
        if state[OBJECTS] == CHUNK_OBJECTS:
            _close_chunk(state, counts, chunks)
    _close_chunk(state, counts, chunks)
    return DONE


@kernel
def walk(
    buffer: NDArray[np.uint8],
    width: int,
    state: NDArray[np.int64],
    counts: NDArray[np.int64],
    strings: NDArray[np.int64],
    loads: NDArray[np.int64],
    frames: NDArray[np.int64],
    traces: NDArray[np.int64],
    starts: NDArray[np.int64],
    classes: NDArray[np.int64],
    roots: NDArray[np.int64],
    chunks: NDArray[np.int64],
    faults: NDArray[np.int64],
) -> int:
    """Walks all records from ``state[AT]`` on, in one thread.

    Args:
        buffer: uint8, the dump.
        width: bytes of an identifier, 4 or 8.
        state: int64, :data:`STATE_SIZE` values; ``state[AT]`` is the first record's position.
        counts: int64, rows used of each table.
        strings: this and all that follow: the tables to fill, see :class:`Tables`.
        loads: see above.
        frames: see above.
        traces: see above.
        starts: see above.
        classes: see above.
        roots: see above.
        chunks: see above.
        faults: see above.

    Returns:
        DONE; or FULL: give the tables more rows, and call again with the same state; or ODD: the
        bytes at ``state[AT]`` make no sense, call :func:`recover` and then go on.
    """
    limit = buffer.size
    while state[AT] < limit or state[END] > 0:
        if state[END] > 0:
            code = _walk_segment(buffer, width, state, counts, classes, roots, chunks)
            if code != DONE:
                return code
            state[END] = 0
            continue
        if (
            counts[0] == strings.shape[0]
            or counts[1] == loads.shape[0]
            or counts[2] == frames.shape[0]
            or counts[3] == traces.shape[0]
            or counts[4] == starts.shape[0]
            or counts[8] + 2 > faults.shape[0]
        ):
            return FULL
        at = state[AT]
        if at + 9 > limit:
            return ODD
        tag = buffer[at]
        length = load_be32(buffer, at + 5)
        body = at + 9
        is_heap = tag in (0x0C, 0x1C)
        if not _TOP_TAGS[tag] or (body + length > limit and not is_heap):
            return ODD
        if is_heap:
            state[SEGMENTS] += tag == 0x1C
            state[AT] = body
            state[CHUNK] = body
            state[END] = min(body + length, limit)
            state[OPEN] = body + length > limit
            if tag == 0x0C and limit - body > length and (limit - body - length) % _WRAP == 0:
                state[END] = limit  # a length beyond 4 GiB, of which the field holds the rest
            if (
                length == 0
                and body < limit
                and (CLASS <= buffer[body] <= PRIMITIVE_ARRAY or buffer[body] >= 0xFE)
            ):
                state[END] = limit  # killed before the length was written
                state[OPEN] = 1
            if state[END] == body:
                state[END] = 0
            continue
        if tag == 0x01:
            if length >= width:
                row = counts[0]
                strings[row, 0] = _identifier(buffer, body, width)
                strings[row, 1] = body + width
                strings[row, 2] = length - width
                counts[0] += 1
        elif tag == 0x02:
            if length >= 8 + 2 * width:
                row = counts[1]
                loads[row, 0] = load_be32(buffer, body)
                loads[row, 1] = _identifier(buffer, body + 4, width)
                loads[row, 2] = _identifier(buffer, body + 8 + width, width)
                counts[1] += 1
        elif tag == 0x04:
            if length >= 8 + 4 * width:
                frames[counts[2], 0] = body
                counts[2] += 1
        elif tag == 0x05:
            if length >= 12:
                traces[counts[3], 0] = body
                traces[counts[3], 1] = length
                counts[3] += 1
        elif tag == 0x0A:
            if length >= 8 + 4 * width:
                starts[counts[4], 0] = body
                starts[counts[4], 1] = length
                counts[4] += 1
        elif tag == 0x2C:
            state[ENDED] = body
        state[AT] = body + length
    return DONE


@kernel
def find_cuts(buffer: NDArray[np.uint8], position: int, step: int, cuts: NDArray[np.int64]) -> int:
    """Where a sound dump can be cut between top-level records, into pieces of ``step`` or more.

    Args:
        buffer: uint8, the dump.
        position: where the first record begins.
        step: bytes.
        cuts: int64, takes the positions.

    Returns:
        How many there are; -1 if the lengths of the records do not lead to the end of the file, or
        a heap record has none.
    """
    limit = buffer.size
    at = position
    following = position + step
    count = 0
    while at < limit:
        if at + 9 > limit or not _TOP_TAGS[buffer[at]]:
            return -1
        length = load_be32(buffer, at + 5)
        end = at + 9 + length
        if end > limit or (buffer[at] in (0x0C, 0x1C) and length == 0):
            return -1
        if buffer[at] == 0x0C and end < limit and (limit - end) % _WRAP == 0:
            return -1  # perhaps a length beyond 4 GiB, of which the field holds the rest
        if at >= following and count < cuts.size:
            cuts[count] = at
            count += 1
            following = at + step
        at = end
    return count


@inlined
def _recover_in_segment(
    buffer: NDArray[np.uint8],
    width: int,
    state: NDArray[np.int64],
    counts: NDArray[np.int64],
    chunks: NDArray[np.int64],
    faults: NDArray[np.int64],
) -> None:
    limit = buffer.size
    at = state[AT]
    end = state[END]
    size = _record_bytes(buffer, at, end, width)
    if (state[OPEN] and buffer[at] in (0x0C, 0x1C, 0x2C)) or _plausible_top(buffer, at, width, 2):
        _fault(state, counts, chunks, faults, at, LENGTH)
        state[OPEN] = 0
        state[END] = 0  # the segment ends here, whatever its length says
        return
    if size == _CROSSES and end == limit:
        _fault(state, counts, chunks, faults, limit, CUT)
        state[END] = 0
        return
    if size == _CROSSES and _record_bytes(buffer, at, limit, width) > 0:
        onward = at + _record_bytes(buffer, at, limit, width)
        if _plausible_records(buffer, onward, limit, width, state) or _plausible_top(
            buffer, onward, width, 2
        ):
            _fault(state, counts, chunks, faults, at, LENGTH)  # it is longer than it says
            state[END] = limit
            state[OPEN] = 1
            return
    onward = at + 1
    while onward < end:
        if _plausible_records(buffer, onward, end, width, state):
            break
        if _plausible_top(buffer, onward, width, 3):
            end = onward
            break
        onward += 1
    _fault(state, counts, chunks, faults, onward, SENSELESS)
    state[END] = end if onward < end else 0


@kernel
def recover(
    buffer: NDArray[np.uint8],
    width: int,
    state: NDArray[np.int64],
    counts: NDArray[np.int64],
    chunks: NDArray[np.int64],
    faults: NDArray[np.int64],
) -> None:
    """Notes what is wrong at ``state[AT]`` and finds where reading can go on; never goes back.

    A kernel apart from :func:`walk`, so that only damaged dumps pay for compiling it. Arguments as
    there; ``chunks`` and ``faults`` must have a free row.
    """
    if state[END] > 0:
        _recover_in_segment(buffer, width, state, counts, chunks, faults)
        return
    limit = buffer.size
    at = state[AT]
    is_known = at < limit and _TOP_TAGS[buffer[at]]
    onward = at
    in_segment = False
    while onward < limit:
        if onward > at and _plausible_top(buffer, onward, width, 3):
            break
        if state[TOTAL] > 0 and _plausible_records(buffer, onward, limit, width, state):
            in_segment = True  # of a segment whose header is gone, or which is longer than it says
            break
        onward += 1
    kind = SENSELESS
    if onward == at:
        kind = LENGTH
    elif onward == limit and (is_known or at + 9 > limit):
        kind = CUT
    _fault(state, counts, chunks, faults, onward, kind)
    if in_segment:
        state[END] = limit
        state[OPEN] = 1


class Columns(NamedTuple):
    """The objects of one chunk, in file order.

    Attributes:
        tags: uint8, CLASS, INSTANCE, OBJECT_ARRAY or PRIMITIVE_ARRAY.
        positions: int64, where the record begins.
        addresses: int64, the object's identifier.
        classes: int64, identifier of the class, or the basic type of a primitive array.
        lengths: int64, elements of an array, bytes of an instance's fields.
    """

    tags: NDArray[np.uint8]
    positions: NDArray[np.int64]
    addresses: NDArray[np.int64]
    classes: NDArray[np.int64]
    lengths: NDArray[np.int64]


@inlined
def _read_header(
    buffer: NDArray[np.uint8], at: int, width: int, columns: Columns, row: int
) -> None:
    tag = buffer[at]
    columns.tags[row] = tag
    columns.positions[row] = at
    columns.addresses[row] = _identifier(buffer, at + 1, width)
    if tag == INSTANCE:
        columns.classes[row] = _identifier(buffer, at + 5 + width, width)
        columns.lengths[row] = load_be32(buffer, at + 5 + 2 * width)
    elif tag == OBJECT_ARRAY:
        columns.lengths[row] = load_be32(buffer, at + 5 + width)
        columns.classes[row] = _identifier(buffer, at + 9 + width, width)
    elif tag == PRIMITIVE_ARRAY:
        columns.lengths[row] = load_be32(buffer, at + 5 + width)
        columns.classes[row] = buffer[at + 9 + width]
    else:
        columns.classes[row] = columns.addresses[row]
        columns.lengths[row] = 0


@kernel
def read_objects(
    buffer: NDArray[np.uint8], start: int, end: int, width: int, columns: Columns
) -> int:
    """Reads the objects of a chunk into columns of CHUNK_OBJECTS rows; returns how many."""
    at = start
    count = 0
    while at < end:
        tag = buffer[at]
        head = at + 9 + 2 * width
        following = end
        if tag == INSTANCE and head <= end:
            following = head + load_be32(buffer, head - 4)
        elif tag == OBJECT_ARRAY and head <= end:
            following = head + load_be32(buffer, at + 5 + width) * width
        elif tag == PRIMITIVE_ARRAY and at + 10 + width <= end:
            element = _WIDTHS[buffer[at + 9 + width]]
            following = at + 10 + width + load_be32(buffer, at + 5 + width) * element
        else:
            size = _record_bytes(buffer, at, end, width)
            if size < 0:
                break  # the file changed under us; what was read stays sound
            following = at + size
            if tag < CLASS or tag > PRIMITIVE_ARRAY:
                at = following
                continue
        if following > end or count == columns.tags.size:
            break
        if _identifier(buffer, at + 1, width) != 0:
            _read_header(buffer, at, width, columns, count)
            count += 1
        at = following
    return count


@kernel
def columns_at(
    buffer: NDArray[np.uint8], positions: NDArray[np.int64], width: int, columns: Columns
) -> int:
    """Reads the objects at given positions into columns of as many rows."""
    for row in range(positions.size):
        _read_header(buffer, positions[row], width, columns, row)
    return positions.size


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


@kernel
def classify(
    columns: Columns,
    count: int,
    lookup: Lookup,
    primitive: NDArray[np.int32],
    numbers: NDArray[np.int32],
) -> None:
    """The class number of each object, -1 if its class is not in the dump; of a class, its own.

    ``lookup`` numbers class identifiers, ``primitive`` the basic types of primitive arrays.
    """
    previous = np.int64(0)
    number = -1
    for row in range(count):
        if columns.tags[row] == PRIMITIVE_ARRAY:
            numbers[row] = primitive[columns.classes[row]]
        else:
            if columns.classes[row] != previous:
                previous = columns.classes[row]
                number = find(lookup, previous)
            numbers[row] = number


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
                at = _add(ranks, _identifier(buffer, data + offset, width), edges, at, begin, notes)
    elif tag == OBJECT_ARRAY:
        data = position + 9 + 2 * width
        for index in range(length):
            if index + _AHEAD < length:
                prefetch_rank(ranks, _identifier(buffer, data + (index + _AHEAD) * width, width))
            at = _add(
                ranks, _identifier(buffer, data + index * width, width), edges, at, begin, notes
            )
        if number < 0:
            notes[1] += 1
            return at
    elif tag == CLASS:
        data = position + 5 + width
        for index in range(6):  # superclass, loader, signers, protection domain, two reserved
            at = _add(
                ranks, _identifier(buffer, data + index * width, width), edges, at, begin, notes
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
                    at = _add(ranks, _identifier(buffer, data, width), edges, at, begin, notes)
                data += _value_bytes(kind, width)
        return at
    if number >= 0 and schema.ranks[number] >= 0:
        rank = schema.ranks[number]
        if at == begin or edges[at - 1] != rank:
            edges[at] = rank
            at += 1
    return at


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
                prefetch_rank(ranks, _identifier(buffer, data + offset, width))
    elif columns.tags[row] == OBJECT_ARRAY:
        for index in range(min(length, _AHEAD)):
            prefetch_rank(ranks, _identifier(buffer, data + index * width, width))


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


@kernel
def parse_classes(
    buffer: NDArray[np.uint8],
    positions: NDArray[np.int64],
    width: int,
    heads: NDArray[np.int64],
    fields: NDArray[np.int64],
    statics: NDArray[np.int64],
) -> tuple[int, int]:
    """Reads CLASS_DUMPs.

    Args:
        buffer: uint8, the dump.
        positions: int64, where the records begin.
        width: bytes of an identifier.
        heads: int64 rows: identifier, superclass, loader, instance size, first field row, first
            static row.
        fields: int64 rows: name identifier, basic type.
        statics: int64 rows: name identifier, basic type, position of the value.

    Returns:
        Rows of ``fields`` and ``statics`` in all; if they do not fit, the call is to be repeated.
    """
    field_row = 0
    static_row = 0
    for row in range(positions.size):
        at = positions[row]
        heads[row, 0] = _identifier(buffer, at + 1, width)
        heads[row, 1] = _identifier(buffer, at + 5 + width, width)
        heads[row, 2] = _identifier(buffer, at + 5 + 2 * width, width)
        heads[row, 3] = load_be32(buffer, at + 5 + 7 * width)
        heads[row, 4] = field_row
        heads[row, 5] = static_row
        at += 9 + 7 * width
        for _ in range(load_be16(buffer, at)):
            at += 3 + _value_bytes(buffer[at + 4], width)
        at += 2
        entries = load_be16(buffer, at)
        at += 2
        for _ in range(entries):
            if static_row < statics.shape[0]:
                statics[static_row, 0] = _identifier(buffer, at, width)
                statics[static_row, 1] = buffer[at + width]
                statics[static_row, 2] = at + width + 1
            static_row += 1
            at += width + 1 + _value_bytes(buffer[at + width], width)
        entries = load_be16(buffer, at)
        at += 2
        for _ in range(entries):
            if field_row < fields.shape[0]:
                fields[field_row, 0] = _identifier(buffer, at, width)
                fields[field_row, 1] = buffer[at + width]
            field_row += 1
            at += width + 1
    return field_row, static_row
