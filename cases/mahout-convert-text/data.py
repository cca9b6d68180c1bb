"""A folder of text files: many small ones, and one that holds a whole table."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, zipf_ranks

VOCABULARY = 20_000
SMALL_BYTES = (2_000, 60_000)
LARGE_BYTES = 60_000_000
SMALL_FILES_BYTES = 12_000_000
LARGE_AT = 0.7
WORDS_A_LINE = 12
WORD_BYTES = 7
LINES_REPEATED = 5_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``text-00001.txt`` and so on; the large file is the one at seven tenths of them.

    Of a larger input it is the large file that has more.
    """
    rng = np.random.default_rng(seed)
    words = random_words(rng, VOCABULARY, longest=9)

    def lines(count: int) -> bytes:
        ranks = zipf_ranks(rng, count * WORDS_A_LINE, ranks=VOCABULARY, exponent=0.8)
        rows = words[ranks].reshape(count, WORDS_A_LINE).tolist()
        return b"".join(b" ".join(row) + b"\n" for row in rows)

    large_bytes = max(LARGE_BYTES, size_bytes - SMALL_FILES_BYTES)
    sizes: list[int] = []
    while sum(sizes) < size_bytes - large_bytes:
        sizes.append(int(rng.integers(*SMALL_BYTES)))
    sizes.insert(int(LARGE_AT * len(sizes)), large_bytes)
    for number, size in enumerate(sizes, start=1):
        text = lines(min(LINES_REPEATED, 1 + size // (WORD_BYTES * WORDS_A_LINE)))
        text *= 1 + size // len(text)
        cut = text[: size - 1].rfind(b"\n") + 1
        (folder / f"text-{number:05d}.txt").write_bytes(text[:cut])
