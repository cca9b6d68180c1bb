"""A model (a word and its quantised weights a line) and the text it is applied to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines, write_text

WEIGHTS = 32
SHARE_OF_TEXT = 0.2
BLOCK = 10_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``model.txt`` and the folder ``text``, together about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    text_bytes = int(size_bytes * SHARE_OF_TEXT)

    def model() -> Iterator[bytes]:
        number = 0
        while True:
            words = random_words(rng, BLOCK, shortest=6).tolist()
            weights = rng.integers(0, 256, size=(BLOCK, WEIGHTS // 2), dtype=np.uint8)
            for word, row in zip(words, weights, strict=True):
                number += 1
                yield b"%b%d %b" % (word, number, row.tobytes().hex().encode())

    write_lines(folder / "model.txt", model(), size_bytes=size_bytes - text_bytes)
    write_text(folder / "text.txt", seed=seed, size_bytes=text_bytes)
