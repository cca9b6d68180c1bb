"""What a record is: tags, widths, and how long each kind of sub-record is.

Format: ``hprof_b_spec.h`` and ``heapDumper.cpp`` of the JDK.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import inlined
from mprof.kernels._intrinsics import load_be16, load_be32, load_be64, prefetch

__all__ = [
    "CLASS",
    "CROSSES",
    "FIXED_BYTES",
    "FIXED_IDENTIFIERS",
    "INSTANCE",
    "IS_ROOT",
    "OBJECT_ARRAY",
    "PRIMITIVE_ARRAY",
    "TOP_TAGS",
    "UNKNOWN",
    "WIDTHS",
    "WRAP",
    "ask_ahead",
    "identifier_at",
    "record_bytes",
    "value_bytes",
]

CLASS = 0x20
INSTANCE = 0x21
OBJECT_ARRAY = 0x22
PRIMITIVE_ARRAY = 0x23

UNKNOWN = -1
CROSSES = -2
WRAP = 1 << 32  # a record length is a u4
_AHEAD = 4096  # bytes: some hundred records

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


FIXED_IDENTIFIERS = np.array(_fixed(0, _ROOTS | _OTHERS), np.int64)
FIXED_BYTES = np.array(_fixed(1, _ROOTS | _OTHERS), np.int64)
IS_ROOT = np.array([tag in _ROOTS for tag in range(256)])
WIDTHS = np.array([-1, -1, 0, -1, 1, 2, 4, 8, 1, 2, 4, 8], np.int64)  # 0: an identifier
TOP_TAGS = np.array([1 <= tag <= 7 or 0x0A <= tag <= 0x0E or tag in (0x1C, 0x2C)
                      for tag in range(256)])  # fmt: skip


@inlined
def identifier_at(buffer: NDArray[np.uint8], position: int, width: int) -> int:
    """The identifier at a position."""
    if width == 8:
        return load_be64(buffer, position)
    return load_be32(buffer, position)


@inlined
def ask_ahead(buffer: NDArray[np.uint8], position: int) -> None:
    """Asks for the bytes some hundred records on.

    A walk from header to header is one chain of loads, which the processor does not see coming: a
    walk over a file that lies in memory takes 60 % of the time with this, from 1 to 8 KiB alike.
    """
    prefetch(buffer, position + _AHEAD)


@inlined
def value_bytes(kind: int, width: int) -> int:
    """Bytes of a value of a basic type, -1 if there is no such type."""
    if kind > 11:
        return -1
    size = WIDTHS[kind]
    return width if size == 0 else size


@inlined
def class_bytes(buffer: NDArray[np.uint8], position: int, limit: int, width: int) -> int:
    at = position + 1 + 7 * width + 8
    for section in range(3):  # constant pool, statics, instance fields
        if at + 2 > limit:
            return CROSSES
        entries = load_be16(buffer, at)
        at += 2
        before = 2 if section == 0 else width
        for _ in range(entries):
            if at + before + 1 > limit:
                return CROSSES
            size = value_bytes(buffer[at + before], width)
            if size < 0:
                return UNKNOWN
            at += before + 1 + (0 if section == 2 else size)
            if at > limit:
                return CROSSES
    return at - position


@inlined
def record_bytes(buffer: NDArray[np.uint8], position: int, limit: int, width: int) -> int:
    """Bytes of the sub-record at a position, or UNKNOWN, or CROSSES if it passes the limit."""
    tag = buffer[position]
    if tag == INSTANCE:
        size = 9 + 2 * width
        if position + size > limit:
            return CROSSES
        size += load_be32(buffer, position + size - 4)
    elif tag == OBJECT_ARRAY:
        size = 9 + 2 * width
        if position + size > limit:
            return CROSSES
        size += load_be32(buffer, position + 5 + width) * width
    elif tag == PRIMITIVE_ARRAY:
        size = 10 + width
        if position + size > limit:
            return CROSSES
        element = value_bytes(buffer[position + size - 1], width)
        if element < 0 or buffer[position + size - 1] == 2:
            return UNKNOWN
        size += load_be32(buffer, position + 5 + width) * element
    elif tag == CLASS:
        return class_bytes(buffer, position, limit, width)
    elif FIXED_IDENTIFIERS[tag] >= 0:
        size = 1 + FIXED_IDENTIFIERS[tag] * width + FIXED_BYTES[tag]
    else:
        return UNKNOWN
    return size if position + size <= limit else CROSSES
