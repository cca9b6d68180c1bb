"""Visits: a page and a visitor; half of all are to the page that sorts first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

SHARE_OF_FIRST = 0.8
PAGES = 2_000
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``visits.txt`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    pages = [b"/" + word for word in random_words(rng, PAGES, shortest=4).tolist()]

    def visits() -> Iterator[bytes]:
        while True:
            which = rng.integers(0, PAGES, size=BLOCK).tolist()
            first = (rng.random(BLOCK) < SHARE_OF_FIRST).tolist()
            visitors = rng.integers(0, 900_000_000, size=BLOCK).tolist()
            for page, is_first, visitor in zip(which, first, visitors, strict=True):
                yield b"%b %d" % (b"/" if is_first else pages[page], visitor)

    write_lines(folder / "visits.txt", visits(), size_bytes=size_bytes)
