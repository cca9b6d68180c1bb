"""Rankings, "rank|url|seconds" lines: nine in ten pages have one rank, and each has one line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

RANKS = 200
FREQUENT_RANK = 3
SHARE_OF_FREQUENT_RANK = 0.90
LONGEST_SECONDS = 100
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``rankings.txt``."""
    rng = np.random.default_rng(seed)

    def rows() -> Iterator[bytes]:
        page = 0
        while True:
            ranks = rng.integers(1, RANKS, size=BLOCK)
            ranks[rng.random(BLOCK) < SHARE_OF_FREQUENT_RANK] = FREQUENT_RANK
            words = rng.integers(0, 1 << 32, size=BLOCK)
            seconds = rng.integers(1, LONGEST_SECONDS, size=BLOCK)
            for rank, word, each in zip(
                ranks.tolist(), words.tolist(), seconds.tolist(), strict=True
            ):
                page += 1
                yield b"%d|http://example.org/%08x%06d|%d" % (rank, word, page, each)

    write_lines(folder / "rankings.txt", rows(), size_bytes=size_bytes)
