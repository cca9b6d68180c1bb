"""Text whose vocabulary never stops growing: common words, and words that occur once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import lines_of, random_words, write_lines, zipf_ranks

COMMON_WORDS = 20_000
SHARE_OF_NEW_WORDS = 0.5
WORDS_PER_LINE = (60, 180)
BLOCK = 200_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``text.txt`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    common = random_words(rng, COMMON_WORDS, longest=10)

    def lines() -> Iterator[bytes]:
        while True:
            words = common[zipf_ranks(rng, BLOCK, ranks=COMMON_WORDS, exponent=1.1)].astype("S12")
            new = rng.random(BLOCK) < SHARE_OF_NEW_WORDS
            words[new] = random_words(rng, int(new.sum()), shortest=8, longest=12)
            per_line = rng.integers(*WORDS_PER_LINE, size=BLOCK // WORDS_PER_LINE[0])
            yield from lines_of(words.tolist(), per_line=per_line.tolist())

    write_lines(folder / "text.txt", filter(None, lines()), size_bytes=size_bytes)
