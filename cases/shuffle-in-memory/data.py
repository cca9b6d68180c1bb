"""Two tables of rankings, "rank|url|seconds": high ranks are given in steps of five only.

Five reducers and the hash of a whole number: four fifths of the keys meet in one partition.
No rank is more frequent than another.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

HIGHEST_RANK = 10_000
HIGHEST_EXACT_RANK = 625
STEP = 5
WORDS_PER_URL = (20, 40)
BLOCK = 20_000
SHARE_OF_OLD_TABLE = 1 / 3


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``old.txt`` (a third) and ``new.txt``, together about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    exact = np.arange(1, HIGHEST_EXACT_RANK)
    given = np.concatenate(
        [np.arange(STEP, HIGHEST_RANK + 1, STEP), exact[exact % STEP != 0]],
    )
    words = random_words(rng, 5_000, shortest=6, longest=12).tolist()

    def rows() -> Iterator[bytes]:
        while True:
            ranks = rng.choice(given, size=BLOCK)
            seconds = rng.integers(1, 300, size=BLOCK)
            lengths = rng.integers(*WORDS_PER_URL, size=BLOCK)
            starts = rng.integers(0, len(words) - WORDS_PER_URL[1], size=BLOCK)
            for rank, start, length, second in zip(
                ranks.tolist(), starts.tolist(), lengths.tolist(), seconds.tolist(), strict=True
            ):
                path = b"/".join(words[start : start + length])
                yield b"%d|http://www.example.org/%s|%d" % (rank, path, second)

    old_bytes = int(size_bytes * SHARE_OF_OLD_TABLE)
    write_lines(folder / "old.txt", rows(), size_bytes=old_bytes)
    write_lines(folder / "new.txt", rows(), size_bytes=size_bytes - old_bytes)
