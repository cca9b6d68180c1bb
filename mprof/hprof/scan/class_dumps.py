"""CLASS sub-records as tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.scan.records import identifier_at, value_bytes
from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import load_be16, load_be32

__all__ = [
    "HEAD_COLUMNS",
    "HEAD_FIELDS",
    "HEAD_IDENTIFIER",
    "HEAD_LOADER",
    "HEAD_SIZE",
    "HEAD_STATICS",
    "HEAD_SUPER",
    "parse_classes",
]

HEAD_IDENTIFIER, HEAD_SUPER, HEAD_LOADER, HEAD_SIZE, HEAD_FIELDS, HEAD_STATICS = range(6)
"""Columns of ``heads``: identifiers, instance size in bytes, first rows of fields and statics."""
HEAD_COLUMNS = 6


@kernel
def parse_classes(
    buffer: NDArray[np.uint8],
    positions: NDArray[np.int64],
    width: int,
    heads: NDArray[np.int64],
    fields: NDArray[np.int64],
    statics: NDArray[np.int64],
) -> tuple[int, int]:
    """Reads CLASS sub-records.

    Args:
        buffer: uint8, the dump.
        positions: int64, where the records begin.
        width: bytes of an identifier.
        heads: int64 rows of HEAD_COLUMNS.
        fields: int64 rows: name identifier, basic type.
        statics: int64 rows: name identifier, basic type, position of the value.

    Returns:
        Rows of ``fields`` and ``statics`` in all; if they do not fit, the call is to be repeated.
    """
    field_row = 0
    static_row = 0
    for row in range(positions.size):
        at = positions[row]
        heads[row, HEAD_IDENTIFIER] = identifier_at(buffer, at + 1, width)
        heads[row, HEAD_SUPER] = identifier_at(buffer, at + 5 + width, width)
        heads[row, HEAD_LOADER] = identifier_at(buffer, at + 5 + 2 * width, width)
        heads[row, HEAD_SIZE] = load_be32(buffer, at + 5 + 7 * width)
        heads[row, HEAD_FIELDS] = field_row
        heads[row, HEAD_STATICS] = static_row
        at += 9 + 7 * width
        for _ in range(load_be16(buffer, at)):
            at += 3 + value_bytes(buffer[at + 4], width)
        at += 2
        entries = load_be16(buffer, at)
        at += 2
        for _ in range(entries):
            if static_row < statics.shape[0]:
                statics[static_row, 0] = identifier_at(buffer, at, width)
                statics[static_row, 1] = buffer[at + width]
                statics[static_row, 2] = at + width + 1
            static_row += 1
            at += width + 1 + value_bytes(buffer[at + width], width)
        entries = load_be16(buffer, at)
        at += 2
        for _ in range(entries):
            if field_row < fields.shape[0]:
                fields[field_row, 0] = identifier_at(buffer, at, width)
                fields[field_row, 1] = buffer[at + width]
            field_row += 1
            at += width + 1
    return field_row, static_row
