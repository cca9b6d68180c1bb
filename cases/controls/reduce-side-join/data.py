"""Two tables in one folder: users (id, name) and their visits (id, page), some users with many."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines, zipf_ranks

USERS = 20_000
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``users.csv`` and ``visits.csv``, together about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    names = random_words(rng, USERS).tolist()
    users = (b"U,%d,%b" % (number, name) for number, name in enumerate(names))
    used = write_lines(folder / "users.csv", users, size_bytes=size_bytes)

    def visits() -> Iterator[bytes]:
        while True:
            who = zipf_ranks(rng, BLOCK, ranks=USERS, exponent=0.7).tolist()
            pages = rng.integers(0, 1_000_000, size=BLOCK).tolist()
            yield from (b"V,%d,page%06d.html" % each for each in zip(who, pages, strict=True))

    write_lines(folder / "visits.csv", visits(), size_bytes=max(1, size_bytes - used))
