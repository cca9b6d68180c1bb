"""Text of words that are new most of the time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mprof.catalogue.text import lines_of, random_words, write_lines

WORDS_PER_LINE = 10


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``text.txt`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    count = size_bytes // 8
    words = random_words(rng, count, shortest=8).tolist()
    lines = lines_of(words, per_line=[WORDS_PER_LINE] * (count // WORDS_PER_LINE))
    write_lines(folder / "text.txt", lines, size_bytes=size_bytes)
