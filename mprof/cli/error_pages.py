"""Which page explains an error of mprof, by the message as it was printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["pages_of_error"]

_INDEX: Final = "README.md"
_CELL: Final = r"((?:[^|\\]|\\.)*)"
_ROW: Final = re.compile(rf"\| {_CELL} \| {_CELL} \| \[([a-z-]+)\]\([a-z.-]+\) \|")
"""Of the table of all errors: message, next step, page."""

_FILLED_IN: Final = re.compile(r"<[^<>]*>")
_NEXT_STEP: Final = re.compile(r"\s*\bnext step:\s*", re.IGNORECASE)
_FEWEST_LETTERS: Final = 4
"""A message of which the table knows fewer would be found in anything."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A message with its next step, ``<...>`` for what is filled in, and the name of its page."""

    message: str
    next_step: str
    page: str


def pages_of_error(printed: str, folder: Path) -> tuple[Path, ...]:
    """The pages of the messages that the words may be; none if they are no message of mprof.

    Args:
        printed: a message, with or without ``mprof:`` and the next step; or a next step alone.
        folder: of the pages, with their index.
    """
    what, *step = _NEXT_STEP.split(" ".join(printed.split()), maxsplit=1)
    # An error as Python shows it has a full stop before its next step.
    what = what.removeprefix("mprof: ").rstrip(".")
    best: dict[str, int] = {}
    for row in _rows(folder / _INDEX):
        letters = (_letters(row.message, what) if what else 0) + sum(
            _letters(row.next_step, each) for each in (step or [what])
        )
        if letters >= _FEWEST_LETTERS:
            best[row.page] = max(letters, best.get(row.page, 0))
    most = max(best.values(), default=0)
    return tuple(folder / f"{page}.md" for page, letters in best.items() if letters == most)


def _rows(index: Path) -> Iterator[_Row]:
    if index.is_file():
        for line in index.read_text(encoding="utf-8").splitlines():
            if (found := _ROW.fullmatch(line)) is not None:
                yield _Row(_plain(found[1]), _plain(found[2]), found[3])


def _plain(cell: str) -> str:
    return re.sub(r"\\(.)", r"\1", cell).replace("&lt;", "<")


def _letters(template: str, text: str) -> int:
    """How many letters of a text the template has itself; 0 where it does not fit."""
    parts = _FILLED_IN.split(template)
    pattern = ".*".join(map(re.escape, parts))
    if re.fullmatch(pattern, text, re.DOTALL) is None:
        return 0
    return sum(letter.isalpha() for part in parts for letter in part)
