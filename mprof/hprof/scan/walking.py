"""The walk over all records in order, every bound checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.scan.progress import (
    AT,
    BITS,
    CHUNK,
    CHUNK_OBJECTS,
    DESCENTS,
    DONE,
    END,
    ENDED,
    FIRST,
    FIRST_ROOT,
    FULL,
    HIGH,
    LAST_OBJECT,
    LOW,
    OBJECTS,
    ODD,
    OPEN,
    PREVIOUS,
    SEGMENTS,
    TOTAL,
    close_chunk,
)
from mprof.hprof.scan.records import (
    CLASS,
    FIXED_BYTES,
    IS_ROOT,
    PRIMITIVE_ARRAY,
    TOP_TAGS,
    WRAP,
    ask_ahead,
    identifier_at,
    record_bytes,
)
from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import load_be32

__all__ = ["find_cuts", "walk"]


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
        ask_ahead(buffer, at)
        size = record_bytes(buffer, at, end, width)
        if size < 0:
            return ODD
        tag = buffer[at]
        identifier = identifier_at(buffer, at + 1, width)
        if CLASS <= tag <= PRIMITIVE_ARRAY:
            if identifier != 0:
                _note_address(state, identifier)
                state[TOTAL] += 1
                state[OBJECTS] += 1
                state[LAST_OBJECT] = at
                if tag == CLASS:
                    classes[counts[5], 0] = at
                    counts[5] += 1
        elif IS_ROOT[tag]:
            if state[FIRST_ROOT] == 0:
                state[FIRST_ROOT] = at
            row = counts[6]
            roots[row, 0] = tag
            roots[row, 1] = identifier
            roots[row, 2] = -1
            roots[row, 3] = -1
            if FIXED_BYTES[tag] >= 4:
                roots[row, 2] = load_be32(buffer, at + 1 + width)
            if FIXED_BYTES[tag] == 8:
                roots[row, 3] = load_be32(buffer, at + 5 + width)
            counts[6] += 1
        state[AT] = at + size
        if state[OBJECTS] == CHUNK_OBJECTS:
            close_chunk(state, counts, chunks)
    close_chunk(state, counts, chunks)
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
        if not TOP_TAGS[tag] or (body + length > limit and not is_heap):
            return ODD
        if is_heap:
            state[SEGMENTS] += tag == 0x1C
            state[AT] = body
            state[CHUNK] = body
            state[END] = min(body + length, limit)
            state[OPEN] = body + length > limit
            if tag == 0x0C and limit - body > length and (limit - body - length) % WRAP == 0:
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
                strings[row, 0] = identifier_at(buffer, body, width)
                strings[row, 1] = body + width
                strings[row, 2] = length - width
                counts[0] += 1
        elif tag == 0x02:
            if length >= 8 + 2 * width:
                row = counts[1]
                loads[row, 0] = load_be32(buffer, body)
                loads[row, 1] = identifier_at(buffer, body + 4, width)
                loads[row, 2] = identifier_at(buffer, body + 8 + width, width)
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
        if at + 9 > limit or not TOP_TAGS[buffer[at]]:
            return -1
        length = load_be32(buffer, at + 5)
        end = at + 9 + length
        if end > limit or (buffer[at] in (0x0C, 0x1C) and length == 0):
            return -1
        if buffer[at] == 0x0C and end < limit and (limit - end) % WRAP == 0:
            return -1  # perhaps a length beyond 4 GiB, of which the field holds the rest
        if at >= following and count < cuts.size:
            cuts[count] = at
            count += 1
            following = at + step
        at = end
    return count
