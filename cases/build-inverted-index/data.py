"""Titles of products, "id TAB title": four of five are "new", most other keywords are rare."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines, zipf_ranks

HOT_KEYWORD = b"new"
SHARE_OF_HOT_KEYWORD = 0.8
BRANDS = 3_000
NOUNS = 5_000
EXPONENT = 0.7
# Drawn from so many that a model number stands for one product or two.
MODELS = 1_000_000
IDS = 36**9
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``products.txt`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    brands = random_words(rng, BRANDS, longest=8)
    nouns = random_words(rng, NOUNS, longest=9)

    def products() -> Iterator[bytes]:
        while True:
            ids = rng.integers(0, IDS, size=BLOCK).tolist()
            brand = brands[zipf_ranks(rng, BLOCK, ranks=BRANDS, exponent=EXPONENT)].tolist()
            noun = nouns[zipf_ranks(rng, BLOCK, ranks=NOUNS, exponent=EXPONENT)].tolist()
            models = rng.integers(0, MODELS, size=BLOCK).tolist()
            new = (rng.random(BLOCK) < SHARE_OF_HOT_KEYWORD).tolist()
            for number, row in enumerate(zip(ids, brand, noun, models, strict=True)):
                state = b" " + HOT_KEYWORD if new[number] else b""
                yield b"B%014d\t%b %b m%06d%b" % (*row, state)

    write_lines(folder / "products.txt", products(), size_bytes=size_bytes)
