"""A log of page views, "visitor page": two in three visitors were never seen before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines, zipf_ranks

PAGES = 2_000
SHARE_OF_NEW_VISITORS = 0.66
BLOCK = 100_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``views.txt`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    pages = [b"/" + word for word in random_words(rng, PAGES, longest=10).tolist()]

    def lines() -> Iterator[bytes]:
        known = 1
        while True:
            new = rng.random(BLOCK) < SHARE_OF_NEW_VISITORS
            numbers = known + np.cumsum(new)
            again = rng.integers(1, known + 1, size=BLOCK)
            visitors = np.where(new, numbers, again) * 1_000_003
            known = int(numbers[-1])
            views = zipf_ranks(rng, BLOCK, ranks=PAGES, exponent=0.9)
            for visitor, page in zip(visitors.tolist(), views.tolist(), strict=True):
                yield b"%d %b" % (visitor, pages[page])

    write_lines(folder / "views.txt", lines(), size_bytes=size_bytes)
