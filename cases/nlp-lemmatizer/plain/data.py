"""Texts, one a line: ordinary ones of 10 to 200 KB, and one that is a whole book."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, zipf_ranks

VOCABULARY = 20_000
ORDINARY_BYTES = (10_000, 200_000)
GIANT_SHARE = 0.5
GIANT_AT = 0.8
WORD_BYTES = 7
SENTENCE_WORDS = 15


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``texts.txt``; four fifths of the ordinary lines come before the giant one."""
    rng = np.random.default_rng(seed)
    words = random_words(rng, VOCABULARY, longest=9)
    ends = np.array([word + b"." for word in words.tolist()])

    def line(length_bytes: int) -> bytes:
        count = length_bytes // WORD_BYTES
        ranks = zipf_ranks(rng, count, ranks=VOCABULARY, exponent=0.8)
        chosen = words[ranks].astype(ends.dtype)
        last = rng.random(count) < 1 / SENTENCE_WORDS
        chosen[last] = ends[ranks[last]]
        return b" ".join(chosen.tolist()) + b"\n"

    giant_bytes = int(size_bytes * GIANT_SHARE)
    ordinary_bytes = size_bytes - giant_bytes
    written, giant = 0, False
    with (folder / "texts.txt").open("wb") as out:
        while written < ordinary_bytes:
            if not giant and written >= GIANT_AT * ordinary_bytes:
                out.write(line(giant_bytes))
                giant = True
            written += out.write(line(int(rng.integers(*ORDINARY_BYTES))))
