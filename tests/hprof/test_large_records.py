"""Records and lengths beyond 32 bits, in files that are nearly all holes."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from mprof.hprof import scan

HEADER = b"JAVA PROFILE 1.0.1\0" + struct.pack(">IQ", 8, 0)
ELEMENTS = (1 << 31) + 5


def _walk(buffer: np.ndarray, start: int):
    state = np.zeros(scan.STATE_SIZE, np.int64)
    state[scan.AT] = start
    tables = scan.Tables(
        *(np.zeros((64, width), np.int64) for width in (3, 3, 1, 2, 2, 1, 4, 3, 3))
    )
    used = np.zeros(len(tables), np.int64)
    assert scan.DONE == scan.walk(buffer, 8, scan.Progress(state, used, tables))
    return state, dict(zip(tables._fields, used.tolist(), strict=True)), tables


def test_a_heap_record_beyond_4_gib_is_read_to_its_end(tmp_path: Path) -> None:
    # HEAP_DUMP { int[2**31 + 5], byte[3], root } in one record whose length has wrapped round
    first = b"\x23" + struct.pack(">QIIB", 0x1000, 1, ELEMENTS, 10)
    second = b"\x23" + struct.pack(">QIIB", 0x1000 + 16 + 4 * ELEMENTS + 4, 1, 3, 8) + b"abc"
    root = b"\x05" + struct.pack(">Q", 0x1000)
    body = len(first) + 4 * ELEMENTS + len(second) + len(root)
    path = tmp_path / "large.hprof"
    with path.open("wb") as file:
        file.write(HEADER + struct.pack(">BII", 0x0C, 0, body % (1 << 32)) + first)
        file.seek(4 * ELEMENTS, 1)  # a hole: costs no disk
        file.write(second + root)
    buffer = np.memmap(path, np.uint8, mode="r")
    state, used, tables = _walk(buffer, len(HEADER))
    assert (2, 0, 1) == (state[scan.TOTAL], used["faults"], used["roots"])
    assert 0 == state[scan.OPEN]
    columns = scan.Columns(np.zeros(8, np.uint8), *np.zeros((4, 8), np.int64))
    start, end, objects = tables.chunks[0].tolist()
    assert 2 == objects == scan.read_objects(buffer, start, end, 8, columns)
    assert [ELEMENTS, 3] == columns.lengths[:2].tolist()
