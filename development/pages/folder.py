"""A folder of generated pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

__all__ = ["MADE_BY", "replace_pages"]

MADE_BY: Final = "Made by `make docs`; do not edit."
"""A line of the index, by which a folder is known as one of ours."""


def replace_pages(folder: Path, pages: Mapping[str, str]) -> None:
    """Write the pages, by file name, and delete others where the index says the folder is ours."""
    folder.mkdir(parents=True, exist_ok=True)
    index = folder / "README.md"
    if index.is_file() and MADE_BY in index.read_text(encoding="utf-8"):
        for old in folder.glob("*.md"):
            if old.name not in pages:
                old.unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
