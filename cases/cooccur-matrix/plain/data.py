"""Text in which one word stands everywhere: Zipf over known words, and words that are new.

The neighbours of the hot word never stop being new, so its row of the matrix keeps growing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import lines_of, random_words, write_lines, zipf_ranks

HOT_WORD = b"of"
SHARE_OF_HOT_WORD = 0.28
SHARE_OF_NEW_WORDS = 0.55
KNOWN_WORDS = 5_000
WORDS_PER_LINE = (40, 120)
BLOCK = 200_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``text.txt`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    known = random_words(rng, KNOWN_WORDS, longest=9).astype("S12")

    def lines() -> Iterator[bytes]:
        while True:
            words = known[zipf_ranks(rng, BLOCK, ranks=KNOWN_WORDS, exponent=0.8)]
            draw = rng.random(BLOCK)
            words[draw < SHARE_OF_HOT_WORD] = HOT_WORD
            new = draw > 1 - SHARE_OF_NEW_WORDS
            words[new] = random_words(rng, int(new.sum()), shortest=8, longest=12)
            per_line = rng.integers(*WORDS_PER_LINE, size=BLOCK // WORDS_PER_LINE[0])
            yield from lines_of(words.tolist(), per_line=per_line.tolist())

    write_lines(folder / "text.txt", filter(None, lines()), size_bytes=size_bytes)
