"""Books with ranges of pages; of one the last page is thirty millions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

BLOCK = 10_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``books.txt`` of about ``size_bytes``, the damaged line at two thirds."""
    rng = np.random.default_rng(seed)

    def books() -> Iterator[bytes]:
        written, damaged = 0, False
        while True:
            titles = random_words(rng, BLOCK).tolist()
            firsts = rng.integers(1, 300, size=(BLOCK, 3)).tolist()
            for title, (a, b, c) in zip(titles, firsts, strict=True):
                if not damaged and written > size_bytes * 2 // 3:
                    damaged = True
                    yield b"%b 1-30000000" % title
                line = b"%b %d-%d,%d-%d,%d-%d" % (title, a, a + 9, b, b + 3, c, c + 30)
                written += len(line) + 1
                yield line

    write_lines(folder / "books.txt", books(), size_bytes=size_bytes)
