"""Pages and visits of them: "url|rank" and "ip|url|seconds" lines, all pages visited alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

PAGES = 50_000
HIGHEST_RANK = 100
LONGEST_SECONDS = 600
SHARE_OF_PAGES = 0.05
BLOCK = 20_000


def url(page: int) -> bytes:
    """The address of a page."""
    return b"http://www.example.org/articles/of/the/archive/%08d.html" % page


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``pages.txt`` and ``visits.txt``."""
    rng = np.random.default_rng(seed)

    def pages() -> Iterator[bytes]:
        ranks = rng.integers(1, HIGHEST_RANK, size=PAGES).tolist()
        yield from (b"%b|%d" % (url(page), rank) for page, rank in enumerate(ranks))

    def visits() -> Iterator[bytes]:
        while True:
            seen = rng.integers(0, PAGES, size=BLOCK).tolist()
            hosts = rng.integers(0, 1 << 24, size=BLOCK).tolist()
            seconds = rng.integers(1, LONGEST_SECONDS, size=BLOCK).tolist()
            for page, host, each in zip(seen, hosts, seconds, strict=True):
                address = b"10.%d.%d.%d" % (host >> 16, host >> 8 & 255, host & 255)
                yield b"%b|%b|%d" % (address, url(page), each)

    for_pages = round(SHARE_OF_PAGES * size_bytes)
    write_lines(folder / "pages.txt", pages(), size_bytes=for_pages)
    write_lines(folder / "visits.txt", visits(), size_bytes=size_bytes - for_pages)
