"""Where reading can go on after bytes that are no record.

That is the next position from which several records in a row are plausible. The search never goes
back, so damaged input costs linear time too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.format import HEAP_DUMP, HEAP_DUMP_END, HEAP_DUMP_SEGMENT, RECORD_HEADER
from mprof.hprof.scan.progress import (
    AT,
    CHUNK,
    END,
    FAULTS,
    HIGH,
    LOW,
    OPEN,
    TOTAL,
    TRUNCATED,
    UNREADABLE,
    WRONG_LENGTH,
    Progress,
    close_chunk,
)
from mprof.hprof.scan.records import (
    IS_TOP_LEVEL,
    PASSES_LIMIT,
    identifier_at,
    is_object,
    record_bytes,
)
from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import load_be32

__all__ = ["recover"]

_PLAUSIBLE_CHAIN = 8  # sub-records in a row: 8 random bytes pass as tags once in 10**9
_NEXT_RECORDS = 2  # top-level records in a row that end a segment: its length may say so, too
_FOUND_RECORDS = 3  # in a row, where nothing but the search says that records begin here
_KNOWN_ADDRESSES = 16  # addresses; fewer do not show where the heap lies
_HIGH_SLACK = 1 << 36  # bytes: addresses ascend, so those after damage may lie above all so far


@inlined
def _plausible_records(
    buffer: NDArray[np.uint8], position: int, limit: int, width: int, state: NDArray[np.int64]
) -> bool:
    """Whether several sub-records in a row, or all up to the limit, could begin here."""
    found = 0
    while position < limit and found < _PLAUSIBLE_CHAIN:
        size = record_bytes(buffer, position, limit, width)
        if size < 0:
            return found > 0 and _plausible_top(buffer, position, width, 1)
        identifier = identifier_at(buffer, position + 1, width)
        if identifier == 0:
            return False
        if (
            is_object(buffer[position])
            and state[TOTAL] > _KNOWN_ADDRESSES
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
        body = position + RECORD_HEADER
        if body > limit:
            return False
        tag = buffer[position]
        length = load_be32(buffer, position + 5)
        if not IS_TOP_LEVEL[tag] or body + length > limit:
            return False
        if tag in (HEAP_DUMP, HEAP_DUMP_SEGMENT):
            if length > 0 and record_bytes(buffer, body, body + length, width) < 0:
                return False
        elif tag == HEAP_DUMP_END:
            return length == 0
        elif length < 4:
            return False
        position = body + length
    return position == limit or bool(IS_TOP_LEVEL[buffer[position]])


@inlined
def _add_fault(progress: Progress, onward: int, kind: int) -> None:
    """Notes damage at the current position and goes on at another one."""
    close_chunk(progress)
    state, counts, faults = progress.state, progress.counts, progress.tables.faults
    row = counts[FAULTS]
    faults[row, 0] = state[AT]
    faults[row, 1] = onward
    faults[row, 2] = kind
    counts[FAULTS] += 1
    state[AT] = onward
    state[CHUNK] = onward


@inlined
def _recover_in_segment(buffer: NDArray[np.uint8], width: int, progress: Progress) -> None:
    state = progress.state
    limit = buffer.size
    at = state[AT]
    end = state[END]
    size = record_bytes(buffer, at, end, width)
    follows_open = state[OPEN] and buffer[at] in (HEAP_DUMP, HEAP_DUMP_SEGMENT, HEAP_DUMP_END)
    if follows_open or _plausible_top(buffer, at, width, _NEXT_RECORDS):
        _add_fault(progress, at, WRONG_LENGTH)
        state[OPEN] = 0
        state[END] = 0  # the segment ends here, whatever its length says
        return
    if size == PASSES_LIMIT and end == limit:
        _add_fault(progress, limit, TRUNCATED)
        state[END] = 0
        return
    if size == PASSES_LIMIT and record_bytes(buffer, at, limit, width) > 0:
        onward = at + record_bytes(buffer, at, limit, width)
        if _plausible_records(buffer, onward, limit, width, state) or _plausible_top(
            buffer, onward, width, _NEXT_RECORDS
        ):
            _add_fault(progress, at, WRONG_LENGTH)  # the segment is longer than it says
            state[END] = limit
            state[OPEN] = 1
            return
    onward = at + 1
    while onward < end:
        if _plausible_records(buffer, onward, end, width, state):
            break
        if _plausible_top(buffer, onward, width, _FOUND_RECORDS):
            end = onward
            break
        onward += 1
    _add_fault(progress, onward, UNREADABLE)
    state[END] = end if onward < end else 0


@kernel
def recover(buffer: NDArray[np.uint8], width: int, progress: Progress) -> None:
    """Notes what is wrong at ``state[AT]`` and finds where reading can go on; never goes back.

    A kernel separate from :func:`walk`, so that only damaged dumps pay for compiling it.

    Args:
        buffer: uint8, the dump.
        width: bytes of an identifier, 4 or 8.
        progress: of the walk; its chunks and faults must have a free row.
    """
    state = progress.state
    if state[END] > 0:
        _recover_in_segment(buffer, width, progress)
        return
    limit = buffer.size
    at = state[AT]
    is_known = at < limit and IS_TOP_LEVEL[buffer[at]]
    onward = at
    in_segment = False
    while onward < limit:
        if onward > at and _plausible_top(buffer, onward, width, _FOUND_RECORDS):
            break
        if state[TOTAL] > 0 and _plausible_records(buffer, onward, limit, width, state):
            in_segment = True  # of a segment whose header is lost, or which is longer than it says
            break
        onward += 1
    kind = UNREADABLE
    if onward == at:
        kind = WRONG_LENGTH
    elif onward == limit and (is_known or at + RECORD_HEADER > limit):
        kind = TRUNCATED
    _add_fault(progress, onward, kind)
    if in_segment:
        state[END] = limit
        state[OPEN] = 1
