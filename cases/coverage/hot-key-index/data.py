"""Tags of pictures; one tag has more than half of all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

HOT_TAG = b"sunset"
SHARE_OF_HOT_TAG = 0.6
TAGS = 40_000
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``tags.txt`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    tags = random_words(rng, TAGS).tolist()

    def lines() -> Iterator[bytes]:
        while True:
            which = rng.integers(0, TAGS, size=BLOCK)
            hot = (rng.random(BLOCK) < SHARE_OF_HOT_TAG).tolist()
            pictures = rng.integers(0, 100_000_000, size=BLOCK).tolist()
            for one, is_hot, picture in zip(which.tolist(), hot, pictures, strict=True):
                yield b"%b img%08d.jpg" % (HOT_TAG if is_hot else tags[one], picture)

    write_lines(folder / "tags.txt", lines(), size_bytes=size_bytes)
