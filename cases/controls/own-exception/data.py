"""Plain text whose last line has a word too many."""

from __future__ import annotations

from pathlib import Path

from mprof.catalogue.text import write_text


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``text.txt`` of about ``size_bytes``."""
    write_text(folder / "text.txt", seed=seed, size_bytes=size_bytes)
    with (folder / "text.txt").open("ab") as out:
        out.write(b"one two three four five six seven eight nine ten eleven\n")
