"""Pictures: a name and a height, about the same of all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``pictures.txt`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)

    def pictures() -> Iterator[bytes]:
        while True:
            yield b"picture-%06d %d" % (rng.integers(0, 1_000_000), rng.integers(1000, 1060))

    write_lines(folder / "pictures.txt", pictures(), size_bytes=size_bytes)
