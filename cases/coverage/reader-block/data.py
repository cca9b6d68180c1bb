"""Blocks of readings: a sensor and a number; one block holds nearly all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

BLOCK = 20_000
SMALL_BLOCKS = 20


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``readings.txt`` of about ``size_bytes``; only its first blocks have an end."""
    rng = np.random.default_rng(seed)

    def readings() -> Iterator[bytes]:
        made = 0
        while True:
            for sensor, number in rng.integers(0, 1000, size=(BLOCK, 2)).tolist():
                yield b"s%03d %03d" % (sensor, number)
            made += 1
            if made <= SMALL_BLOCKS:
                yield b""

    write_lines(folder / "readings.txt", readings(), size_bytes=size_bytes)
