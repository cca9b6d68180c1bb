"""Blocks with their lengths; of one the length is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

DAMAGED = b"2147483647 damaged\n"


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``blocks.txt`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)

    def blocks() -> Iterator[bytes]:
        while True:
            words = random_words(rng, 10_000).tolist()
            lengths = rng.integers(100, 5_000, size=len(words)).tolist()
            yield from (b"%d %b" % each for each in zip(lengths, words, strict=True))

    write_lines(folder / "blocks.txt", blocks(), size_bytes=size_bytes)
    with (folder / "blocks.txt").open("ab") as out:
        out.write(DAMAGED)
