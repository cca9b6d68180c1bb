"""Sales of eight branches of nearly the same size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

BRANCHES = b"ABCDEFGH"
SPREAD = 0.08
BLOCK = 50_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``sales.txt``, "branch TAB number" lines in random order, of about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    shares = rng.uniform(1 - SPREAD, 1 + SPREAD, size=len(BRANCHES))

    def lines() -> Iterator[bytes]:
        while True:
            branches = rng.choice(len(BRANCHES), size=BLOCK, p=shares / shares.sum()).tolist()
            numbers = rng.integers(0, 100_000_000, size=BLOCK).tolist()
            for branch, number in zip(branches, numbers, strict=True):
                yield b"%c\t%08d" % (BRANCHES[branch], number)

    write_lines(folder / "sales.txt", lines(), size_bytes=size_bytes)
