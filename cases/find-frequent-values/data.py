"""Rows of an id and nine attributes; a quarter of the rows have the same id."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines, zipf_ranks

IDS = 3_000
EXPONENT = 0.9
HOT_ID = 500
SHARE_OF_HOT_ID = 0.25
ATTRIBUTES = 9
HIGHEST_VALUE = 5_000
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``rows.csv``, "id,a,b,..." lines."""
    rng = np.random.default_rng(seed)

    def rows() -> Iterator[bytes]:
        while True:
            ids = zipf_ranks(rng, BLOCK, ranks=IDS, exponent=EXPONENT)
            ids[rng.random(BLOCK) < SHARE_OF_HOT_ID] = HOT_ID
            values = rng.integers(0, HIGHEST_VALUE, size=(BLOCK, ATTRIBUTES)).tolist()
            for number, row in zip(ids.tolist(), values, strict=True):
                yield b"id%05d,%b" % (number, ",".join(map(str, row)).encode())

    write_lines(folder / "rows.csv", rows(), size_bytes=size_bytes)
