"""A log of positions, "user,time,latitude,longitude,road"; one user has two fifths of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines, zipf_ranks

USERS = 3_000
EXPONENT = 0.8
BUSY_USER = 700
SHARE_OF_BUSY_USER = 0.42
ROADS = 20_000
START_SECONDS = 1_460_000_000
SECONDS_BETWEEN_LINES = 2
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``positions.csv`` in the order of time."""
    rng = np.random.default_rng(seed)

    def positions() -> Iterator[bytes]:
        time = START_SECONDS
        while True:
            users = zipf_ranks(rng, BLOCK, ranks=USERS, exponent=EXPONENT)
            users[rng.random(BLOCK) < SHARE_OF_BUSY_USER] = BUSY_USER
            latitudes = rng.uniform(47.0, 55.0, size=BLOCK).tolist()
            longitudes = rng.uniform(6.0, 15.0, size=BLOCK).tolist()
            roads = rng.integers(0, ROADS, size=BLOCK).tolist()
            for user, latitude, longitude, road in zip(
                users.tolist(), latitudes, longitudes, roads, strict=True
            ):
                yield b"u%05d,%d,%.5f,%.5f,road%05d" % (user, time, latitude, longitude, road)
                time += SECONDS_BETWEEN_LINES

    write_lines(folder / "positions.csv", positions(), size_bytes=size_bytes)
