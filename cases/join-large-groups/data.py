"""Sales and returns, "kind|id|text" lines: twenty kinds of goods, one of them with long texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

KINDS = 20
WORDY_KIND = 7
WORDS = 2
MORE_WORDS = 60
ARTICLES = 100_000
VOCABULARY = 2_000
SHARE_OF_RETURNS = 0.02
BLOCK = 5_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``sales.txt`` and ``returns.txt``."""
    rng = np.random.default_rng(seed)
    vocabulary = random_words(rng, VOCABULARY).tolist()

    def rows() -> Iterator[bytes]:
        while True:
            kinds = rng.integers(0, KINDS, size=BLOCK)
            articles = rng.integers(0, ARTICLES, size=BLOCK)
            words = rng.integers(0, VOCABULARY, size=(BLOCK, MORE_WORDS))
            for kind, article, chosen in zip(
                kinds.tolist(), articles.tolist(), words.tolist(), strict=True
            ):
                count = MORE_WORDS if kind == WORDY_KIND else WORDS
                text = b" ".join(vocabulary[each] for each in chosen[:count])
                yield b"kind%02d|%d|%s" % (kind, article, text)

    returned = round(SHARE_OF_RETURNS * size_bytes)
    write_lines(folder / "sales.txt", rows(), size_bytes=size_bytes - returned)
    write_lines(folder / "returns.txt", rows(), size_bytes=returned)
