"""A log of visits, "day|visitor|page|seconds" lines: most visitors come once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

PAGES = 5_000
LONGEST_SECONDS = 100
RETURNING = 0.2
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``visits.txt``."""
    rng = np.random.default_rng(seed)

    def rows() -> Iterator[bytes]:
        visitors = 0
        while True:
            returning = rng.random(BLOCK) < RETURNING
            earlier = rng.random(BLOCK)
            pages = rng.integers(0, PAGES, size=BLOCK)
            seconds = rng.integers(1, LONGEST_SECONDS, size=BLOCK)
            for again, at, page, each in zip(
                returning.tolist(), earlier.tolist(), pages.tolist(), seconds.tolist(), strict=True
            ):
                visitors += not again
                visitor = int(at * visitors) if again else visitors
                yield b"2014-05-%02d|visitor%08d|/page/%04d|%d" % (
                    1 + each % 31, visitor * 7919 % 99999989, page, each,
                )  # fmt: skip

    write_lines(folder / "visits.txt", rows(), size_bytes=size_bytes)
