"""The walk over all records in order, every bound checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.format import (
    ANDROID_HEAP_INFO,
    CLASS,
    FRAME,
    HEAP_DUMP,
    HEAP_DUMP_END,
    HEAP_DUMP_SEGMENT,
    LENGTH_WRAP,
    LOAD_CLASS,
    RECORD_HEADER,
    ROOT_UNKNOWN,
    START_THREAD,
    TRACE,
    UTF8,
)
from mprof.hprof.scan.progress import (
    AT,
    BITS,
    CHUNK,
    CHUNK_OBJECTS,
    CHUNKS,
    CLASSES,
    DESCENTS,
    DONE,
    END,
    ENDED,
    FAULTS,
    FIRST,
    FIRST_ROOT,
    FRAMES,
    FULL,
    HIGH,
    INVALID,
    LAST_OBJECT,
    LOADS,
    LOW,
    OBJECTS,
    OPEN,
    PREVIOUS,
    ROOT_FRAME,
    ROOT_OBJECT,
    ROOT_TAG,
    ROOT_THREAD,
    ROOTS,
    SEGMENTS,
    STARTS,
    STRINGS,
    TOTAL,
    TRACES,
    Progress,
    close_chunk,
)
from mprof.hprof.scan.records import (
    FIXED_BYTES,
    IS_ROOT,
    IS_TOP_LEVEL,
    identifier_at,
    is_object,
    prefetch_records,
    record_bytes,
)
from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import load_be32

__all__ = ["find_cuts", "walk"]


# --- inside a segment -----------------------------------------------------------------------------


@inlined
def _note_address(state: NDArray[np.int64], address: int) -> None:
    if state[TOTAL] == 0:
        state[FIRST] = address
        state[LOW] = address
        state[HIGH] = address
        state[PREVIOUS] = address
    state[LOW] = min(state[LOW], address)
    state[HIGH] = max(state[HIGH], address)
    state[BITS] |= address ^ state[FIRST]
    state[DESCENTS] += address < state[PREVIOUS]
    state[PREVIOUS] = address


@inlined
def _add_root(buffer: NDArray[np.uint8], width: int, progress: Progress, at: int) -> None:
    state, counts, roots = progress.state, progress.counts, progress.tables.roots
    if state[FIRST_ROOT] == 0:
        state[FIRST_ROOT] = at
    tag = buffer[at]
    row = counts[ROOTS]
    roots[row, ROOT_TAG] = tag
    roots[row, ROOT_OBJECT] = identifier_at(buffer, at + 1, width)
    roots[row, ROOT_THREAD] = -1
    roots[row, ROOT_FRAME] = -1
    if FIXED_BYTES[tag] >= 4:
        roots[row, ROOT_THREAD] = load_be32(buffer, at + 1 + width)
    if FIXED_BYTES[tag] == 8:
        roots[row, ROOT_FRAME] = load_be32(buffer, at + 5 + width)
    counts[ROOTS] += 1


@inlined
def _walk_segment(buffer: NDArray[np.uint8], width: int, progress: Progress) -> int:
    """Walks on to the end of the current segment; returns DONE, FULL or INVALID."""
    state, counts, tables = progress.state, progress.counts, progress.tables
    end = state[END]
    while state[AT] < end:
        if (
            counts[CLASSES] == tables.classes.shape[0]
            or counts[ROOTS] == tables.roots.shape[0]
            or counts[CHUNKS] + 2 > tables.chunks.shape[0]
        ):
            return FULL
        at = state[AT]
        prefetch_records(buffer, at)
        size = record_bytes(buffer, at, end, width)
        if size < 0:
            return INVALID
        tag = buffer[at]
        if is_object(tag):
            identifier = identifier_at(buffer, at + 1, width)
            if identifier != 0:
                _note_address(state, identifier)
                state[TOTAL] += 1
                state[OBJECTS] += 1
                state[LAST_OBJECT] = at
                if tag == CLASS:
                    tables.classes[counts[CLASSES], 0] = at
                    counts[CLASSES] += 1
        elif IS_ROOT[tag]:
            _add_root(buffer, width, progress, at)
        state[AT] = at + size
        if state[OBJECTS] == CHUNK_OBJECTS:
            close_chunk(progress)
    close_chunk(progress)
    return DONE


# --- between segments -----------------------------------------------------------------------------


@inlined
def _is_full(progress: Progress) -> bool:
    """Whether a table of records has no free row; a segment may note two faults."""
    counts, tables = progress.counts, progress.tables
    return bool(
        counts[STRINGS] == tables.strings.shape[0]
        or counts[LOADS] == tables.loads.shape[0]
        or counts[FRAMES] == tables.frames.shape[0]
        or counts[TRACES] == tables.traces.shape[0]
        or counts[STARTS] == tables.starts.shape[0]
        or counts[FAULTS] + 2 > tables.faults.shape[0]
    )


@inlined
def _open_segment(
    buffer: NDArray[np.uint8], state: NDArray[np.int64], tag: int, body: int, length: int
) -> None:
    """Goes into a segment; finds out where it ends if its length cannot be right."""
    limit = buffer.size
    state[SEGMENTS] += tag == HEAP_DUMP_SEGMENT
    state[AT] = body
    state[CHUNK] = body
    state[END] = min(body + length, limit)
    state[OPEN] = body + length > limit
    rest = limit - body - length
    if tag == HEAP_DUMP and rest > 0 and rest % LENGTH_WRAP == 0:
        state[END] = limit  # longer than 4 GiB
    if (
        length == 0
        and body < limit
        and (is_object(buffer[body]) or buffer[body] in (ANDROID_HEAP_INFO, ROOT_UNKNOWN))
    ):
        state[END] = limit  # the JVM was killed before it wrote the length
        state[OPEN] = 1
    if state[END] == body:
        state[END] = 0


@inlined
def _add_record(
    buffer: NDArray[np.uint8], width: int, progress: Progress, tag: int, body: int, length: int
) -> None:
    """Adds a record to its table, if it has one and its body is as long as it must be."""
    counts, tables = progress.counts, progress.tables
    if tag == UTF8:
        if length >= width:
            row = counts[STRINGS]
            tables.strings[row, 0] = identifier_at(buffer, body, width)
            tables.strings[row, 1] = body + width
            tables.strings[row, 2] = length - width
            counts[STRINGS] += 1
    elif tag == LOAD_CLASS:
        if length >= 8 + 2 * width:
            row = counts[LOADS]
            tables.loads[row, 0] = load_be32(buffer, body)
            tables.loads[row, 1] = identifier_at(buffer, body + 4, width)
            tables.loads[row, 2] = identifier_at(buffer, body + 8 + width, width)
            counts[LOADS] += 1
    elif tag == FRAME:
        if length >= 8 + 4 * width:
            tables.frames[counts[FRAMES], 0] = body
            counts[FRAMES] += 1
    elif tag == TRACE:
        if length >= 12:
            tables.traces[counts[TRACES], 0] = body
            tables.traces[counts[TRACES], 1] = length
            counts[TRACES] += 1
    elif tag == START_THREAD:
        if length >= 8 + 4 * width:
            tables.starts[counts[STARTS], 0] = body
            tables.starts[counts[STARTS], 1] = length
            counts[STARTS] += 1
    elif tag == HEAP_DUMP_END:
        progress.state[ENDED] = body


@kernel
def walk(buffer: NDArray[np.uint8], width: int, progress: Progress) -> int:
    """Walks all records from ``state[AT]`` on, in one thread.

    Args:
        buffer: uint8, the dump.
        width: bytes of an identifier, 4 or 8.
        progress: where to begin, and the tables to fill.

    Returns:
        DONE; or FULL: give the tables more rows, and call again with the same state; or INVALID:
        the bytes at ``state[AT]`` are no record, call :func:`recover` and then go on.
    """
    state = progress.state
    limit = buffer.size
    while state[AT] < limit or state[END] > 0:
        if state[END] > 0:
            code = _walk_segment(buffer, width, progress)
            if code != DONE:
                return code
            state[END] = 0
            continue
        if _is_full(progress):
            return FULL
        at = state[AT]
        if at + RECORD_HEADER > limit:
            return INVALID
        tag = buffer[at]
        length = load_be32(buffer, at + 5)
        body = at + RECORD_HEADER
        is_segment = tag in (HEAP_DUMP, HEAP_DUMP_SEGMENT)
        if not IS_TOP_LEVEL[tag] or (body + length > limit and not is_segment):
            return INVALID
        if is_segment:
            _open_segment(buffer, state, tag, body, length)
        else:
            _add_record(buffer, width, progress, tag, body, length)
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
        a segment has none.
    """
    limit = buffer.size
    at = position
    following = position + step
    count = 0
    while at < limit:
        if at + RECORD_HEADER > limit or not IS_TOP_LEVEL[buffer[at]]:
            return -1
        tag = buffer[at]
        length = load_be32(buffer, at + 5)
        end = at + RECORD_HEADER + length
        if end > limit or (tag in (HEAP_DUMP, HEAP_DUMP_SEGMENT) and length == 0):
            return -1
        if tag == HEAP_DUMP and end < limit and (limit - end) % LENGTH_WRAP == 0:
            return -1  # perhaps longer than 4 GiB
        if at >= following and count < cuts.size:
            cuts[count] = at
            count += 1
            following = at + step
        at = end
    return count
