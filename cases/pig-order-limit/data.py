"""Citations, "citing|cited" lines: one document is cited by more than any other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

DOCUMENTS = 3_000
FAMOUS = 1234
SHARE_OF_FAMOUS = 0.15
BLOCK = 20_000


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``citations.txt``."""
    rng = np.random.default_rng(seed)

    def rows() -> Iterator[bytes]:
        while True:
            cited = rng.integers(0, DOCUMENTS, size=BLOCK)
            cited[rng.random(BLOCK) < SHARE_OF_FAMOUS] = FAMOUS
            citing = rng.integers(0, 1 << 60, size=BLOCK)
            for one, other in zip(citing.tolist(), cited.tolist(), strict=True):
                yield b"doc%015x|doc%07d" % (one, other)

    write_lines(folder / "citations.txt", rows(), size_bytes=size_bytes)
