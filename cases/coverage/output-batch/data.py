"""Orders: an article, mostly one of its own, and how many of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``orders.txt`` of about ``size_bytes``; most articles are ordered once or twice."""
    rng = np.random.default_rng(seed)

    def orders() -> Iterator[bytes]:
        while True:
            articles = rng.integers(0, 8_000_000, size=BLOCK).tolist()
            numbers = rng.integers(1, 100, size=BLOCK).tolist()
            for article, number in zip(articles, numbers, strict=True):
                yield b"article-%08d %d" % (article, number)

    write_lines(folder / "orders.txt", orders(), size_bytes=size_bytes)
