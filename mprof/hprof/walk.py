"""Walks all records of a dump: at once on several cores where it is sound, else in order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mprof.hprof import scan
from mprof.hprof.source import jumping
from mprof.kernels.cores import core_count

__all__ = ["walk_records"]

_CHUNK_BYTES = 1 << 18  # a guess at CHUNK_OBJECTS small objects, that makes growing rare
_PIECES_PER_CORE = 4  # so that a core with easy pieces takes one more
_SMALLEST_PIECE = 8 << 20  # bytes; below that a thread costs more than it saves


def walk_records(
    buffer: NDArray[np.uint8], width: int, start: int
) -> tuple[scan.Tables, NDArray[np.int64]]:
    """All records from ``start`` on, and the state at the end of the walk.

    Sub-records can only be walked in order, but a segment can be walked without the others, unless
    something is wrong with it: then the whole dump is walked again in order, which also finds how
    far the damage reaches.
    """
    found = _walk_pieces(buffer, width, start)
    return found if found is not None else _walk(buffer, width, start)


def _walk_pieces(
    buffer: NDArray[np.uint8], width: int, start: int
) -> tuple[scan.Tables, NDArray[np.int64]] | None:
    """As :func:`walk_records`, for a sound dump with many segments; None for any other."""
    workers = core_count()
    pieces = min(workers * _PIECES_PER_CORE, buffer.size // _SMALLEST_PIECE)
    if workers == 1 or pieces < 2:
        return None
    cuts = np.empty(pieces, np.int64)
    with jumping(buffer):
        count = scan.find_cuts(buffer, start, buffer.size // pieces, cuts)
    if count < 1:
        return None
    bounds = [start, *cuts[:count].tolist(), buffer.size]
    with ThreadPoolExecutor(workers) as pool:
        futures = [
            pool.submit(_walk, buffer[:end], width, begin, recover=False)
            for begin, end in pairwise(bounds)
        ]
        results = [future.result() for future in futures]
    states = [state for _, state in results]
    if any(state[scan.AT] < 0 for state in states):
        return None
    tables = scan.Tables(
        *(np.concatenate(parts) for parts in zip(*(one for one, _ in results), strict=True))
    )
    return tables, _joined(states)


def _joined(states: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The state that one walk over all pieces would have ended in."""
    whole = states[0].copy()
    for state in states[1:]:
        for index in (scan.AT, scan.CHUNK, scan.END, scan.OBJECTS, scan.OPEN):
            whole[index] = state[index]
        whole[scan.SEGMENTS] += state[scan.SEGMENTS]
        whole[scan.ENDED] = max(whole[scan.ENDED], state[scan.ENDED])
        whole[scan.FIRST_ROOT] = whole[scan.FIRST_ROOT] or state[scan.FIRST_ROOT]
        if not state[scan.TOTAL]:
            continue
        if not whole[scan.TOTAL]:
            first = state[scan.FIRST]
            whole[scan.LOW] = whole[scan.HIGH] = whole[scan.FIRST] = first
            whole[scan.PREVIOUS] = first
        whole[scan.LOW] = min(whole[scan.LOW], state[scan.LOW])
        whole[scan.HIGH] = max(whole[scan.HIGH], state[scan.HIGH])
        whole[scan.BITS] |= state[scan.BITS] | (whole[scan.FIRST] ^ state[scan.FIRST])
        whole[scan.DESCENTS] += state[scan.DESCENTS]
        whole[scan.DESCENTS] += state[scan.FIRST] < whole[scan.PREVIOUS]
        whole[scan.PREVIOUS] = state[scan.PREVIOUS]
        whole[scan.LAST_OBJECT] = state[scan.LAST_OBJECT]
        whole[scan.TOTAL] += state[scan.TOTAL]
    return whole


def _walk(
    buffer: NDArray[np.uint8], width: int, start: int, *, recover: bool = True
) -> tuple[scan.Tables, NDArray[np.int64]]:
    """One walk in order; without ``recover`` it gives up where bytes are no record: AT is -1."""
    progress = scan.Progress(
        np.zeros(scan.STATE_SIZE, np.int64),
        np.zeros(len(scan.Tables._fields), np.int64),
        _tables(buffer.size - start),
    )
    state, counts, _ = progress
    state[scan.AT] = start
    while True:
        code = scan.walk(buffer, width, progress)
        if code == scan.DONE:
            break
        if code == scan.INVALID and not recover:
            state[scan.AT] = -1
            counts[:] = 0
            break
        progress = progress._replace(tables=_with_room(progress))
        if code == scan.INVALID:
            scan.recover(buffer, width, progress)
    used = zip(progress.tables, counts.tolist(), strict=True)
    return scan.Tables(*(table[:rows] for table, rows in used)), state


def _tables(size: int) -> scan.Tables:
    """Empty tables for a dump of so many bytes; those that are too small will grow."""

    def table(rows: int, columns: int) -> NDArray[np.int64]:
        return np.empty((rows, columns), np.int64)

    return scan.Tables(
        strings=table(65_536, 3),
        loads=table(2_048, 3),
        frames=table(1_024, 1),
        traces=table(256, 2),
        starts=table(64, 2),
        classes=table(2_048, 1),
        roots=table(4_096, 4),
        chunks=table(size // _CHUNK_BYTES + 64, 3),
        faults=table(64, 3),
    )


def _with_room(progress: scan.Progress) -> scan.Tables:
    """The tables, those twice as large that have no room for what one step may add."""
    used = zip(progress.tables, progress.counts.tolist(), strict=True)
    return scan.Tables(
        *(_grown(table) if rows + 2 >= table.shape[0] else table for table, rows in used)
    )


def _grown(table: NDArray[np.int64]) -> NDArray[np.int64]:
    larger = np.empty((2 * table.shape[0], table.shape[1]), np.int64)
    larger[: table.shape[0]] = table
    return larger
