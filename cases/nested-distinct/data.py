"""Visits, ``site|visitor|pages|seconds|clicks|orders|cents`` lines: small sites, and large ones.

No site is an outlier: a third of them are large, one like the other. None is of a size between.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

SMALL = (1.0, 1.5, 2.0, 3.0, 3.5, 4.0)
LARGE = (20.0, 21.0, 22.0)
JITTER = 0.03
BLOCK = 20_000
LINE_BYTES = 72


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``visits.txt``; small sites come first in the order of names."""
    rng = np.random.default_rng(seed)
    sizes = np.array(SMALL + LARGE) * (1 + JITTER * (2 * rng.random(len(SMALL + LARGE)) - 1))
    visitors = int(size_bytes / LINE_BYTES)

    def rows() -> Iterator[bytes]:
        while True:
            sites = rng.choice(len(sizes), size=BLOCK, p=sizes / sizes.sum())
            numbers = rng.integers(0, visitors, size=BLOCK)
            did = rng.integers(0, 100, size=(BLOCK, 5))
            for site, number, what in zip(
                sites.tolist(), numbers.tolist(), did.tolist(), strict=True
            ):
                yield b"site-%02d.example.org|%032x|%d|%d|%d|%d|%d" % (
                    site,
                    number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128),
                    *what,
                )

    write_lines(folder / "visits.txt", rows(), size_bytes=size_bytes)
