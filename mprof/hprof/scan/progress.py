"""How far a walk is, and what it has found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import inlined

__all__ = [
    "AT",
    "BITS",
    "CHUNK",
    "CHUNK_OBJECTS",
    "CUT",
    "DESCENTS",
    "DONE",
    "END",
    "ENDED",
    "FIRST",
    "FIRST_ROOT",
    "FULL",
    "HIGH",
    "LAST_OBJECT",
    "LENGTH",
    "LOW",
    "OBJECTS",
    "ODD",
    "OPEN",
    "PREVIOUS",
    "SEGMENTS",
    "SENSELESS",
    "STATE_SIZE",
    "TOTAL",
    "Tables",
    "close_chunk",
]

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
def close_chunk(
    state: NDArray[np.int64], counts: NDArray[np.int64], chunks: NDArray[np.int64]
) -> None:
    """Ends the current chunk here, if it holds anything, and begins the next one."""
    if state[OBJECTS] > 0:
        row = counts[7]
        chunks[row, 0] = state[CHUNK]
        chunks[row, 1] = state[AT]
        chunks[row, 2] = state[OBJECTS]
        counts[7] += 1
    state[CHUNK] = state[AT]
    state[OBJECTS] = 0
