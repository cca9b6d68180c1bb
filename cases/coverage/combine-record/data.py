"""Notes of authors, a few hundred bytes each; one author pasted a whole archive into a note."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import random_words, write_lines

AUTHORS = 400
WORDS = (20, 200)
GIANT_WORDS = 1_200_000
BLOCK = 1_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``notes.txt`` of about ``size_bytes``, the giant note in the middle."""
    rng = np.random.default_rng(seed)
    vocabulary = random_words(rng, 5_000, longest=8)
    giant_words = min(GIANT_WORDS, size_bytes // 20)

    def note(author: int, count: int) -> bytes:
        words = vocabulary[rng.integers(0, len(vocabulary), size=count)].tolist()
        return b"author%03d\t%b" % (author, b" ".join(words))

    def notes() -> Iterator[bytes]:
        written, giant = 0, False
        while True:
            authors = rng.integers(0, AUTHORS, size=BLOCK).tolist()
            for author, count in zip(
                authors, rng.integers(*WORDS, size=BLOCK).tolist(), strict=True
            ):
                if not giant and 3 * written > size_bytes:
                    giant = True
                    yield note(AUTHORS // 2, giant_words)
                line = note(author, count)
                written += len(line) + 1
                yield line

    write_lines(folder / "notes.txt", notes(), size_bytes=size_bytes)
