"""Requests to a web server: client, path, bytes; nine tenths of them by one of 20,000 clients."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

CLIENTS = 20_000
SHARE_OF_THE_CRAWLER = 0.9
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``access.log`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)
    addresses = rng.choice(256**3, size=CLIENTS, replace=False).tolist()
    clients = [b"10.%d.%d.%d" % (one >> 16, one >> 8 & 255, one & 255) for one in addresses]
    words = random_words(rng, 5_000, shortest=8).tolist()

    def requests() -> Iterator[bytes]:
        while True:
            callers = rng.integers(1, CLIENTS, size=BLOCK)
            callers[rng.random(BLOCK) < SHARE_OF_THE_CRAWLER] = 0
            paths, sent = rng.integers(0, 1_000_000, size=(2, BLOCK)).tolist()
            for caller, path, size in zip(callers.tolist(), paths, sent, strict=True):
                word = words[path % len(words)]
                yield b"%b /%b/%06d %d" % (clients[caller], word, path, size)

    write_lines(folder / "access.log", requests(), size_bytes=size_bytes)
