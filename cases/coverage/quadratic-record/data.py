"""Articles in two versions, a line each; one article is many times as long as the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

BLOCK = 1_000
SHORTEST_WORDS, LONGEST_WORDS = 60, 160
LONG_ARTICLE_WORDS = 10_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``articles.txt`` of about ``size_bytes``, the long line at two thirds."""
    rng = np.random.default_rng(seed)

    def article(words: int) -> bytes:
        before = random_words(rng, words).tolist()
        after = [word for word in before if rng.random() > 0.05]
        return b" ".join(before) + b"\t" + b" ".join(after)

    def articles() -> Iterator[bytes]:
        written, long_one = 0, False
        while True:
            for words in rng.integers(SHORTEST_WORDS, LONGEST_WORDS, size=BLOCK).tolist():
                if not long_one and written > size_bytes * 2 // 3:
                    long_one = True
                    words = LONG_ARTICLE_WORDS
                line = article(words)
                written += len(line) + 1
                yield line

    write_lines(folder / "articles.txt", articles(), size_bytes=size_bytes)
