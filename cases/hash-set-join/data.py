"""A list of users that has grown, and the events that are filtered with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mprof.catalogue.text import write_lines

SHARE_OF_EVENTS = 0.2
BLOCK = 50_000
STEP, MODULUS = 7_919, 99_999_989


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``users.txt`` and ``events.txt`` ("user TAB event")."""
    rng = np.random.default_rng(seed)
    first = int(rng.integers(1, MODULUS))

    def users() -> Iterator[bytes]:
        number = first
        while True:
            number = (number + STEP) % MODULUS
            yield b"user%08d" % number

    def events() -> Iterator[bytes]:
        while True:
            draws = rng.integers(1, MODULUS, size=(BLOCK, 2)).tolist()
            for user, event in draws:
                yield b"user%08d\te%d" % (user, event % 1000)

    event_bytes = int(size_bytes * SHARE_OF_EVENTS)
    write_lines(folder / "users.txt", users(), size_bytes=size_bytes - event_bytes)
    write_lines(folder / "events.txt", events(), size_bytes=event_bytes)
