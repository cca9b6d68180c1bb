"""Visits, ``site|visitor|pages|seconds|clicks|orders|cents`` lines: small sites, and large ones.

No site is an outlier: a third of them are large, one like the other. None is of a size between.
A visitor is a cookie of 200 characters, so that the visitors of a large site are 35 MB.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

SMALL = (0.5, 0.8, 1.0, 1.5, 1.8, 2.0)
LARGE = (21.5, 22.0, 22.5)
JITTER = 0.02
BLOCK = 20_000
LINE_BYTES = 240
COOKIE_BITS = 800
SCATTER = int("9E3779B97F4A7C15F39CC0605CEDC835" * 6 + "9E3779B9", 16)  # odd: no two alike


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``visits.txt``; small sites come first in the order of names."""
    rng = np.random.default_rng(seed)
    sizes = np.array(SMALL + LARGE) * (1 + JITTER * (2 * rng.random(len(SMALL + LARGE)) - 1))
    visitors = 4 * int(size_bytes / LINE_BYTES)

    def rows() -> Iterator[bytes]:
        while True:
            sites = rng.choice(len(sizes), size=BLOCK, p=sizes / sizes.sum())
            numbers = rng.integers(0, visitors, size=BLOCK)
            did = rng.integers(0, 100, size=(BLOCK, 5))
            for site, number, what in zip(
                sites.tolist(), numbers.tolist(), did.tolist(), strict=True
            ):
                yield b"site-%02d.example.org|%0200x|%d|%d|%d|%d|%d" % (
                    site,
                    (number + 1) * SCATTER % (1 << COOKIE_BITS),
                    *what,
                )

    write_lines(folder / "visits.txt", rows(), size_bytes=size_bytes)
