"""Messages that a line of two dashes ends; their lines end as those of Windows do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

SENDERS = 500
WORDS = 12
BLOCK = 5_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``messages.txt``."""
    rng = np.random.default_rng(seed)

    def lines() -> Iterator[bytes]:
        while True:
            words = random_words(rng, BLOCK * WORDS).reshape(BLOCK, WORDS).tolist()
            for sender, text in zip(
                rng.integers(0, SENDERS, size=BLOCK).tolist(), words, strict=True
            ):
                yield b"sender-%03d\r\n%b\r\n--\r" % (sender, b" ".join(text))

    write_lines(folder / "messages.txt", lines(), size_bytes=size_bytes)
