"""A web log, "time host uri status bytes" lines: half of the pages are asked for once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

HOSTS = 20
ARTICLES = 30_000
ONCE = 0.5
LARGEST_ANSWER = 50_000
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``access.log``."""
    rng = np.random.default_rng(seed)

    def rows() -> Iterator[bytes]:
        searches = 0
        while True:
            is_search = rng.random(BLOCK) < ONCE
            hosts = rng.integers(0, HOSTS, size=BLOCK)
            articles = rng.integers(0, ARTICLES, size=BLOCK)
            sizes = rng.integers(100, LARGEST_ANSWER, size=BLOCK)
            for once, host, article, size in zip(
                is_search.tolist(), hosts.tolist(), articles.tolist(), sizes.tolist(), strict=True
            ):
                searches += once
                uri = b"/search?q=%010d" % searches if once else b"/article/%06d" % article
                status = 404 if size % 50 == 0 else 200
                yield b"2014-05-%02dT%02d:%02d www%02d.example.org %s %d %d" % (
                    1 + size % 31, size % 24, article % 60, host, uri, status, size,
                )  # fmt: skip

    write_lines(folder / "access.log", rows(), size_bytes=size_bytes)
