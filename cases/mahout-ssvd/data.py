"""A matrix of Mahout, one row a record: sparse rows, and one with a value in each column."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.sequence_file import write_sequence_file

BYTES_A_COLUMN = 8
DENSE_SHARE = 0.75
DENSE_AT = 0.7
ROW_BYTES = 360
VALUES_A_ROW = 36
FREQUENT_COLUMNS = 4_000
# Flags of org.apache.mahout.math.VectorWritable.
DENSE, SEQUENTIAL = 1, 2


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``matrix.seq``; the full row is the one at seven tenths of the rows."""
    rng = np.random.default_rng(seed)
    columns = int(DENSE_SHARE * size_bytes) // BYTES_A_COLUMN
    rows = int((1 - DENSE_SHARE) * size_bytes) // ROW_BYTES
    frequent = np.sort(rng.choice(columns, size=min(FREQUENT_COLUMNS, columns), replace=False))

    def records() -> Iterator[tuple[bytes, bytes]]:
        for row in range(rows):
            if row == int(DENSE_AT * rows):
                values = rng.random(columns).astype(">f8").tobytes()
                yield struct.pack(">i", rows), bytes([DENSE]) + _varint(columns) + values
            chosen = np.unique(rng.choice(frequent, size=VALUES_A_ROW))
            steps = np.diff(chosen, prepend=0)
            elements = b"".join(
                _varint(int(step)) + struct.pack(">d", value)
                for step, value in zip(steps, rng.random(chosen.size), strict=True)
            )
            head = bytes([SEQUENTIAL]) + _varint(columns) + _varint(chosen.size)
            yield struct.pack(">i", row), head + elements

    write_sequence_file(
        folder / "matrix.seq",
        records(),
        key_class="org.apache.hadoop.io.IntWritable",
        value_class="org.apache.mahout.math.VectorWritable",
    )


def _varint(number: int) -> bytes:
    """As ``org.apache.mahout.math.Varint`` writes a number that is not negative."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
