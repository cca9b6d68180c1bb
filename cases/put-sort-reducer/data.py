"""Visits of pages, "row TAB time TAB reads TAB writes TAB user"; one row has a third of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

ROWS = 20_000
BUSY_ROW = 4_000
SHARE_OF_BUSY_ROW = 0.36
USERS = 10_000
START_MILLISECONDS = 1_460_000_000_000
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``visits.txt`` in the order of time, no two visits at the same time."""
    rng = np.random.default_rng(seed)
    users = random_words(rng, USERS, shortest=16, longest=24).tolist()

    def visits() -> Iterator[bytes]:
        time = START_MILLISECONDS
        while True:
            rows = rng.integers(0, ROWS, size=BLOCK)
            rows[rng.random(BLOCK) < SHARE_OF_BUSY_ROW] = BUSY_ROW
            counts = rng.integers(0, 1_000_000, size=(BLOCK, 2)).tolist()
            by = rng.integers(0, USERS, size=BLOCK).tolist()
            for row, (reads, writes), user in zip(rows.tolist(), counts, by, strict=True):
                yield b"row%06d\t%d\t%d\t%d\t%b" % (row, time, reads, writes, users[user])
                time += 1

    write_lines(folder / "visits.txt", visits(), size_bytes=size_bytes)
