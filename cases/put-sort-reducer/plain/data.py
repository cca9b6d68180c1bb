"""Puts, "row|time|column=value;..."; one row, a counter, has a third of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

ROWS = 20_000
BUSY_ROW = 4_000
SHARE_OF_BUSY_ROW = 0.36
COLUMNS = 40
CELLS = 3
VALUES = 10_000
START_MILLISECONDS = 1_460_000_000_000
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``puts.txt`` in the order of time, no two puts at the same time."""
    rng = np.random.default_rng(seed)
    values = random_words(rng, VALUES, shortest=16, longest=24).tolist()

    def puts() -> Iterator[bytes]:
        time = START_MILLISECONDS
        while True:
            rows = rng.integers(0, ROWS, size=BLOCK)
            rows[rng.random(BLOCK) < SHARE_OF_BUSY_ROW] = BUSY_ROW
            first = rng.integers(0, COLUMNS, size=BLOCK).tolist()
            chosen = rng.integers(0, VALUES, size=(BLOCK, CELLS)).tolist()
            for row, column, picks in zip(rows.tolist(), first, chosen, strict=True):
                cells = b";".join(
                    b"c%02d=%b" % ((column + at) % COLUMNS, values[pick])
                    for at, pick in enumerate(picks)
                )
                yield b"row%06d|%d|%b" % (row, time, cells)
                time += 1

    write_lines(folder / "puts.txt", puts(), size_bytes=size_bytes)
