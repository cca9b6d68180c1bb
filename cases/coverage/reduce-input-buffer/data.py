"""Items with seeds of their vectors, in several files; an item has one or two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

FILES = 5
BLOCK = 20_000
ITEMS = 1_500_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write five files, together about ``size_bytes``."""
    rng = np.random.default_rng(seed)

    def vectors() -> Iterator[bytes]:
        while True:
            items = rng.integers(0, ITEMS, size=BLOCK).tolist()
            for item in items:
                yield b"%d %d" % (item, item % 1009)

    for number in range(FILES):
        place = folder / f"vectors-{number}.txt"
        write_lines(place, vectors(), size_bytes=max(1, size_bytes // FILES))
