"""Reading identifiers, values and the length of sub-records; the facts are in ``hprof.format``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.format import (
    BASIC_TYPES,
    CLASS,
    INSTANCE,
    OBJECT_ARRAY,
    OTHER_SUB_RECORDS,
    PRIMITIVE_ARRAY,
    ROOTS,
    TOP_LEVEL,
    TYPE_OBJECT,
    VALUE_BYTES,
)
from mprof.kernels._compile import inlined
from mprof.kernels._intrinsics import load_be16, load_be32, load_be64, prefetch

__all__ = [
    "FIXED_BYTES",
    "FIXED_IDENTIFIERS",
    "IS_ROOT",
    "IS_TOP_LEVEL",
    "PASSES_LIMIT",
    "UNKNOWN",
    "WIDTHS",
    "identifier_at",
    "is_object",
    "prefetch_records",
    "record_bytes",
    "value_bytes",
]

UNKNOWN = -1
"""Instead of a length: no record begins like this."""
PASSES_LIMIT = -2
"""Instead of a length: the record does not end before the limit."""

_AHEAD = 4096  # bytes: some hundred records


def _fixed(part: int) -> tuple[int, ...]:
    table = ROOTS | OTHER_SUB_RECORDS
    return tuple(table[tag][part] if tag in table else -1 for tag in range(256))


FIXED_IDENTIFIERS = np.array(_fixed(0), np.int64)
"""By tag: identifiers in a sub-record of fixed size; -1 for any other tag."""
FIXED_BYTES = np.array(_fixed(1), np.int64)
"""By tag: bytes after those identifiers; -1 for any other tag."""
IS_ROOT = np.array([tag in ROOTS for tag in range(256)])
IS_TOP_LEVEL = np.array([tag in TOP_LEVEL for tag in range(256)])
WIDTHS = np.array(
    [0 if kind == TYPE_OBJECT else VALUE_BYTES.get(kind, -1) for kind in range(BASIC_TYPES)],
    np.int64,
)
"""By basic type: bytes of a value, 0 for an identifier, -1 for no type."""


@inlined
def is_object(tag: int) -> bool:
    """Whether a sub-record is a class, an instance or an array."""
    return CLASS <= tag <= PRIMITIVE_ARRAY


@inlined
def identifier_at(buffer: NDArray[np.uint8], position: int, width: int) -> int:
    """The identifier at a position."""
    if width == 8:
        return load_be64(buffer, position)
    return load_be32(buffer, position)


@inlined
def prefetch_records(buffer: NDArray[np.uint8], position: int) -> None:
    """Prefetches the bytes some hundred records on.

    A walk from header to header is one chain of dependent loads, which the processor cannot
    foresee: over a file in memory it takes 60 % of the time with this, from 1 to 8 KiB alike.
    """
    prefetch(buffer, position + _AHEAD)


@inlined
def value_bytes(kind: int, width: int) -> int:
    """Bytes of a value of a basic type, -1 if there is no such type."""
    if kind >= BASIC_TYPES:
        return -1
    size = WIDTHS[kind]
    return width if size == 0 else size


@inlined
def _class_bytes(buffer: NDArray[np.uint8], position: int, limit: int, width: int) -> int:
    at = position + 1 + 7 * width + 8
    for section in range(3):  # constant pool, statics, instance fields
        if at + 2 > limit:
            return PASSES_LIMIT
        entries = load_be16(buffer, at)
        at += 2
        before = 2 if section == 0 else width
        for _ in range(entries):
            if at + before + 1 > limit:
                return PASSES_LIMIT
            size = value_bytes(buffer[at + before], width)
            if size < 0:
                return UNKNOWN
            at += before + 1 + (0 if section == 2 else size)
            if at > limit:
                return PASSES_LIMIT
    return at - position


@inlined
def record_bytes(buffer: NDArray[np.uint8], position: int, limit: int, width: int) -> int:
    """Bytes of the sub-record at a position, or UNKNOWN, or PASSES_LIMIT."""
    tag = buffer[position]
    if tag == INSTANCE:
        size = 9 + 2 * width
        if position + size > limit:
            return PASSES_LIMIT
        size += load_be32(buffer, position + size - 4)
    elif tag == OBJECT_ARRAY:
        size = 9 + 2 * width
        if position + size > limit:
            return PASSES_LIMIT
        size += load_be32(buffer, position + 5 + width) * width
    elif tag == PRIMITIVE_ARRAY:
        size = 10 + width
        if position + size > limit:
            return PASSES_LIMIT
        kind = buffer[position + size - 1]
        element = value_bytes(kind, width)
        if element < 0 or kind == TYPE_OBJECT:
            return UNKNOWN
        size += load_be32(buffer, position + 5 + width) * element
    elif tag == CLASS:
        return _class_bytes(buffer, position, limit, width)
    elif FIXED_IDENTIFIERS[tag] >= 0:
        size = 1 + FIXED_IDENTIFIERS[tag] * width + FIXED_BYTES[tag]
    else:
        return UNKNOWN
    return size if position + size <= limit else PASSES_LIMIT
