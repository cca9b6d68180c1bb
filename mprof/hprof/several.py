"""Several heap dumps in one file, of which the last one is read.

The HPROF agent (``-agentlib:hprof=heap=dump,format=b``, ``mapreduce.task.profile``) writes one at
each SIGQUIT and one at exit, behind one another. A HEAP_DUMP record is a whole dump; segments are
one up to their HEAP_DUMP_END.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.format import (
    CPU_SAMPLES,
    HEAP_DUMP,
    HEAP_DUMP_END,
    HEAP_DUMP_SEGMENT,
    RECORD_HEADER,
)

__all__ = ["dumps_in", "last_only"]


def dumps_in(buffer: NDArray[np.uint8], begin: int) -> list[list[int]]:
    """Where the records of each dump begin; one dump where the records lead nowhere.

    Args:
        buffer: uint8, the file.
        begin: where some record begins, none of a heap dump before it.
    """
    dumps: list[list[int]] = [[]]
    at, limit, ended, data = begin, buffer.size, False, buffer.data
    while at + RECORD_HEADER <= limit:
        tag, _, length = struct.unpack_from(">BII", data, at)
        if tag == HEAP_DUMP_END:
            ended = True
        elif tag in (HEAP_DUMP, HEAP_DUMP_SEGMENT):
            if dumps[-1] and (ended or tag == HEAP_DUMP):
                dumps.append([])
            dumps[-1].append(at)
            ended = False
        at += RECORD_HEADER + length
    return dumps if at == limit else [[record for dump in dumps for record in dump]]


def last_only(buffer: NDArray[np.uint8], dumps: list[list[int]]) -> NDArray[np.uint8]:
    """A copy of the file in which all dumps but the last are records that nothing reads."""
    copied = buffer.copy()
    for records in dumps[:-1]:
        copied[records] = CPU_SAMPLES
    return copied
