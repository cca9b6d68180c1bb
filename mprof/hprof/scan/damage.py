"""Where reading can go on after bytes that make no sense.

The next place is taken from which several records in a row are plausible. The search never goes
back, so damaged input costs linear time too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.scan.progress import (
    AT,
    CHUNK,
    CUT,
    END,
    HIGH,
    LENGTH,
    LOW,
    OPEN,
    SENSELESS,
    TOTAL,
    close_chunk,
)
from mprof.hprof.scan.records import (
    CLASS,
    CROSSES,
    PRIMITIVE_ARRAY,
    TOP_TAGS,
    identifier_at,
    record_bytes,
)
from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import load_be32

__all__ = ["recover"]

_PLAUSIBLE_CHAIN = 8  # records in a row: 8 random bytes pass as tags once in 10**9
_HIGH_SLACK = 1 << 36  # addresses ascend, so what follows damage may lie above all seen so far


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
        if not TOP_TAGS[tag] or position + 9 + length > limit:
            return False
        if tag in (0x0C, 0x1C):
            if length > 0:
                size = record_bytes(buffer, position + 9, position + 9 + length, width)
                if size < 0:
                    return False
        elif tag == 0x2C:
            return length == 0
        elif length < 4:
            return False
        position += 9 + length
    return position == limit or bool(TOP_TAGS[buffer[position]])


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
    close_chunk(state, counts, chunks)
    row = counts[8]
    faults[row, 0] = state[AT]
    faults[row, 1] = onward
    faults[row, 2] = kind
    counts[8] += 1
    state[AT] = onward
    state[CHUNK] = onward


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
    size = record_bytes(buffer, at, end, width)
    if (state[OPEN] and buffer[at] in (0x0C, 0x1C, 0x2C)) or _plausible_top(buffer, at, width, 2):
        _fault(state, counts, chunks, faults, at, LENGTH)
        state[OPEN] = 0
        state[END] = 0  # the segment ends here, whatever its length says
        return
    if size == CROSSES and end == limit:
        _fault(state, counts, chunks, faults, limit, CUT)
        state[END] = 0
        return
    if size == CROSSES and record_bytes(buffer, at, limit, width) > 0:
        onward = at + record_bytes(buffer, at, limit, width)
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
    is_known = at < limit and TOP_TAGS[buffer[at]]
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
