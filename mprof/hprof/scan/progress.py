"""How far a walk over a dump has come, and what it has found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import inlined

__all__ = [
    "AT",
    "BITS",
    "CHUNK",
    "CHUNKS",
    "CHUNK_OBJECTS",
    "CLASSES",
    "DESCENTS",
    "DONE",
    "END",
    "ENDED",
    "FAULTS",
    "FIRST",
    "FIRST_ROOT",
    "FRAMES",
    "FULL",
    "HIGH",
    "INVALID",
    "LAST_OBJECT",
    "LOADS",
    "LOW",
    "OBJECTS",
    "OPEN",
    "PREVIOUS",
    "ROOTS",
    "ROOT_FRAME",
    "ROOT_OBJECT",
    "ROOT_TAG",
    "ROOT_THREAD",
    "SEGMENTS",
    "STARTS",
    "STATE_SIZE",
    "STRINGS",
    "TOTAL",
    "TRACES",
    "TRUNCATED",
    "UNREADABLE",
    "WRONG_LENGTH",
    "Progress",
    "Tables",
    "close_chunk",
]

CHUNK_OBJECTS = 16_384
"""Objects in a chunk: its columns then fit the second-level cache."""

DONE = 0
"""The walk is at the end of the file."""
FULL = 1
"""The walk needs larger tables."""
INVALID = 2
"""The walk met bytes that are no record."""

TRUNCATED = 0
"""Kind of fault: the file ends inside a record."""
UNREADABLE = 1
"""Kind of fault: bytes that are no record were skipped."""
WRONG_LENGTH = 2
"""Kind of fault: the length of a segment is wrong; nothing was skipped."""


class Tables(NamedTuple):
    """What a walk has found so far; int64 tables, one row a record.

    Attributes:
        strings: identifier, position of the text, bytes of the text.
        loads: class serial, class identifier, name identifier.
        frames: position of each FRAME body.
        traces: position and bytes of each TRACE body.
        starts: position and bytes of each START_THREAD body.
        classes: position of each CLASS sub-record.
        roots: tag, object, thread serial, frame number (thread object: stack serial); -1 for none.
        chunks: position, end, objects.
        faults: position, position where reading went on, kind of fault.
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


# Indices into the counts of rows: the tables in their order.
STRINGS, LOADS, FRAMES, TRACES, STARTS, CLASSES, ROOTS, CHUNKS, FAULTS = range(len(Tables._fields))

ROOT_TAG, ROOT_OBJECT, ROOT_THREAD, ROOT_FRAME = range(4)
"""Columns of ``Tables.roots``."""

# Indices into the state of a walk; positions are bytes from the beginning of the file.
AT = 0
"""Position of the next record or sub-record."""
END = 1
"""Where the current segment ends; 0 between records."""
CHUNK = 2
"""Where the current chunk begins."""
OBJECTS = 3
"""Objects of the current chunk so far."""
LOW = 4
"""The lowest address of an object."""
HIGH = 5
"""The highest address of an object."""
BITS = 6
"""The bits in which any address differs from the first one."""
FIRST = 7
"""The first address."""
TOTAL = 8
"""Object records, classes included."""
ENDED = 9
"""Position after the header of HEAP_DUMP_END; 0 before it is met."""
FIRST_ROOT = 10
"""Position of the first root record; 0 before it is met."""
LAST_OBJECT = 11
"""Position of the last object record."""
OPEN = 12
"""1 if the current segment goes on to wherever its records end, whatever its length says."""
SEGMENTS = 13
"""HEAP_DUMP_SEGMENT records."""
PREVIOUS = 14
"""The address before."""
DESCENTS = 15
"""How often an address was lower than the one before."""
STATE_SIZE = 16


class Progress(NamedTuple):
    """The state and the findings of a walk, which changes them in place.

    Attributes:
        state: int64, STATE_SIZE values; see the indices above.
        counts: int64, rows used of each table; see STRINGS to FAULTS.
        tables: the rows.
    """

    state: NDArray[np.int64]
    counts: NDArray[np.int64]
    tables: Tables


@inlined
def close_chunk(progress: Progress) -> None:
    """Ends the current chunk here, if it holds any object, and begins the next one."""
    state, counts, chunks = progress.state, progress.counts, progress.tables.chunks
    if state[OBJECTS] > 0:
        row = counts[CHUNKS]
        chunks[row, 0] = state[CHUNK]
        chunks[row, 1] = state[AT]
        chunks[row, 2] = state[OBJECTS]
        counts[CHUNKS] += 1
    state[CHUNK] = state[AT]
    state[OBJECTS] = 0
