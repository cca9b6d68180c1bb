"""Lines of words."""

from __future__ import annotations

from pathlib import Path

from mprof.catalogue.text import write_text


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``text.txt``."""
    write_text(folder / "text.txt", seed=seed, size_bytes=size_bytes)
