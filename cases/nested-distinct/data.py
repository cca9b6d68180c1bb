"""Visits, "site|visitor|clicks|pages|seconds" lines: sites from large to small, in even steps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

SITES = 6
MOST_CLICKS = 50
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``visits.txt``; the first site has as many parts of the visits as there are sites."""
    rng = np.random.default_rng(seed)
    parts = np.arange(SITES, 0, -1)

    def rows() -> Iterator[bytes]:
        while True:
            sites = rng.choice(SITES, size=BLOCK, p=parts / parts.sum())
            visitors = rng.integers(0, 1 << 48, size=BLOCK)
            clicks = rng.integers(1, MOST_CLICKS, size=BLOCK)
            for site, visitor, each in zip(
                sites.tolist(), visitors.tolist(), clicks.tolist(), strict=True
            ):
                yield b"site%02d.example.org|%012x|%d|%d|%d" % (
                    site, visitor, each, 1 + each // 5, each * 7,
                )  # fmt: skip

    write_lines(folder / "visits.txt", rows(), size_bytes=size_bytes)
