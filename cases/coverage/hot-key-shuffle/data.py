"""Trips: country, vehicle, route, metres; nine tenths of them in one country."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

COUNTRIES = (b"us", b"de", b"fr", b"it", b"es", b"jp", b"cn", b"in", b"br", b"ca", b"mx", b"uk")
SHARE_OF_THE_FIRST = 0.9
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``trips.csv`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    routes = random_words(rng, 5_000, shortest=8).tolist()

    def trips() -> Iterator[bytes]:
        while True:
            countries = rng.integers(1, len(COUNTRIES), size=BLOCK)
            countries[rng.random(BLOCK) < SHARE_OF_THE_FIRST] = 0
            vehicles, metres = rng.integers(0, 1_000_000, size=(2, BLOCK)).tolist()
            for country, vehicle, distance in zip(
                countries.tolist(), vehicles, metres, strict=True
            ):
                route = routes[vehicle % len(routes)]
                yield b"%b,v%06d,%b,%d" % (COUNTRIES[country], vehicle, route, distance)

    write_lines(folder / "trips.csv", trips(), size_bytes=size_bytes)
