"""Text of long words, all equally frequent: pairs of them spread evenly over the reducers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import lines_of, random_words, write_lines

VOCABULARY = 30_000
LETTERS = (20, 40)
WORDS_PER_LINE = 50
BLOCK = 100_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``text.txt`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    words = random_words(rng, VOCABULARY, shortest=LETTERS[0], longest=LETTERS[1])

    def lines() -> Iterator[bytes]:
        while True:
            chosen = words[rng.integers(0, VOCABULARY, size=BLOCK)].tolist()
            yield from lines_of(chosen, per_line=[WORDS_PER_LINE] * (BLOCK // WORDS_PER_LINE))

    write_lines(folder / "text.txt", lines(), size_bytes=size_bytes)
