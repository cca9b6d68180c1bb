"""Readings of sensors: a station, a second, a value; one station has half of all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

STATIONS = 500
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``readings.csv`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)

    def readings() -> Iterator[bytes]:
        while True:
            stations = rng.integers(0, STATIONS, size=BLOCK)
            stations[rng.random(BLOCK) < 0.5] = 0
            seconds, values = rng.integers(0, 10_000_000, size=(2, BLOCK)).tolist()
            each = zip(stations.tolist(), seconds, values, strict=True)
            yield from (b"%d,%d,%d" % one for one in each)

    write_lines(folder / "readings.csv", readings(), size_bytes=size_bytes)
