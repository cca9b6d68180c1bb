"""Names of users."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``users.txt`` of about ``size_bytes``."""
    rng = np.random.default_rng(seed)

    def users() -> Iterator[bytes]:
        while True:
            yield b"user-%08d" % rng.integers(0, 100_000_000)

    write_lines(folder / "users.txt", users(), size_bytes=size_bytes)
