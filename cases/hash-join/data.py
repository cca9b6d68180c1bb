"""A table of pages that was small once, and the visits that are joined with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

WORDS_PER_TITLE = 4
SHARE_OF_VISITS = 0.1
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``pages.csv`` (url, title) and ``visits.csv`` (url, visitor, seconds)."""
    rng = np.random.default_rng(seed)
    words = random_words(rng, 5_000, longest=10).tolist()

    def pages() -> Iterator[bytes]:
        number = 0
        while True:
            starts = rng.integers(0, len(words) - WORDS_PER_TITLE, size=BLOCK).tolist()
            for start in starts:
                number += 1
                title = b" ".join(words[start : start + WORDS_PER_TITLE])
                yield b"p%09d.html,%b" % (number * 7919 % 999_999_937, title)

    def visits() -> Iterator[bytes]:
        while True:
            draws = rng.integers(1, 2_000_000, size=(BLOCK, 3)).tolist()
            for page, visitor, seconds in draws:
                yield b"p%09d.html,v%d,%d" % (page * 7919 % 999_999_937, visitor, seconds % 600)

    visited_bytes = int(size_bytes * SHARE_OF_VISITS)
    write_lines(folder / "pages.csv", pages(), size_bytes=size_bytes - visited_bytes)
    write_lines(folder / "visits.csv", visits(), size_bytes=visited_bytes)
