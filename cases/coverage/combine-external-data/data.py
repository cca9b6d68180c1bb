"""Prices of articles, and orders: an article and a number of pieces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

SHARE_OF_ORDERS = 0.3
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``prices.csv`` and ``orders.csv``, together about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    names = random_words(rng, 5_000).tolist()

    def prices() -> Iterator[bytes]:
        number = 0
        while True:
            for price in rng.integers(1, 100_000, size=BLOCK).tolist():
                number += 1
                yield b"a%08d,%d,%b" % (number, price, names[price % len(names)])

    def orders() -> Iterator[bytes]:
        while True:
            articles = rng.integers(1, 30_000, size=BLOCK).tolist()
            for article, pieces in zip(
                articles, rng.integers(1, 9, size=BLOCK).tolist(), strict=True
            ):
                yield b"a%08d,%d" % (article, pieces)

    order_bytes = int(size_bytes * SHARE_OF_ORDERS)
    write_lines(folder / "prices.csv", prices(), size_bytes=size_bytes - order_bytes)
    write_lines(folder / "orders.csv", orders(), size_bytes=order_bytes)
