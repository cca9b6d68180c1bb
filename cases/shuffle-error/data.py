"""Events of sessions, none of them busier than the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

SESSIONS = 20_000
WORDS_PER_EVENT = (10, 30)
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``events.txt``, "session TAB event" lines."""
    rng = np.random.default_rng(seed)
    words = random_words(rng, 5_000, shortest=6, longest=12).tolist()

    def lines() -> Iterator[bytes]:
        while True:
            sessions = rng.integers(0, SESSIONS, size=BLOCK).tolist()
            lengths = rng.integers(*WORDS_PER_EVENT, size=BLOCK).tolist()
            starts = rng.integers(0, len(words) - WORDS_PER_EVENT[1], size=BLOCK).tolist()
            for session, start, length in zip(sessions, starts, lengths, strict=True):
                yield b"s%06d\t%b" % (session, b" ".join(words[start : start + length]))

    write_lines(folder / "events.txt", lines(), size_bytes=size_bytes)
