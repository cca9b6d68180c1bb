"""Visits: a visitor, whose first letter is a region, and a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

REGIONS = b"abcdef"
SHARES = (0.05, 0.05, 0.75, 0.05, 0.05, 0.05)
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``visits.txt`` of about ``size_bytes``; most visitors come once or twice."""
    rng = np.random.default_rng(seed)

    def visits() -> Iterator[bytes]:
        while True:
            regions = rng.choice(list(REGIONS), size=BLOCK, p=SHARES).tolist()
            visitors = rng.integers(0, 3_000_000, size=BLOCK).tolist()
            pages = rng.integers(0, 10_000, size=BLOCK).tolist()
            for region, visitor, page in zip(regions, visitors, pages, strict=True):
                yield b"%c-%08d p%d" % (region, visitor, page)

    write_lines(folder / "visits.txt", visits(), size_bytes=size_bytes)
