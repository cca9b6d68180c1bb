"""Blocks of the pages that show what commands print, and folders in which they can be run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pages.commands import ROOT, blocks

_INPUTS: Mapping[str, str] = {
    "capture": "cases/build-inverted-index/evidence",
    "cpu-hog-word-count-1": "testbed/recordings/cpu-hog-word-count-1",
}
"""What the pages call files and folders that are recorded in the checkout."""

_LEFT_OUT = "[...]"
_OF_ERRORS = "docs/reference/errors/"
"""Their commands fail; ``tests/development/test_pages_of_errors.py`` runs them."""


@dataclass(frozen=True, slots=True)
class Step:
    """A command and what a page says it prints.

    Attributes:
        words: those after ``mprof``.
        printed: the text below it; ``[...]`` stands for any that is left out.
    """

    words: tuple[str, ...]
    printed: str

    def is_printed_in(self, output: str) -> bool:
        """Whether the output begins with that text, however its lines are broken."""
        parts = (" ".join(part.split()) for part in self.printed.split(_LEFT_OUT))
        pattern = ".*?".join(re.escape(part) for part in parts)
        return re.match(pattern, " ".join(output.split()), re.DOTALL) is not None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A block with prompts: commands that are run one after the other in one folder.

    Attributes:
        page: the page, relative to the checkout.
        steps: the commands.
    """

    page: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return f"{self.page}: mprof {' '.join(self.steps[0].words)}"


def transcripts() -> Iterator[Transcript]:
    """All of the pages."""
    for block in blocks():
        if block.page.startswith(_OF_ERRORS):
            continue
        parts = re.split(r"^\$ mprof (.*)\n?", block.text, flags=re.MULTILINE)
        if len(parts) > 1:
            pairs = zip(parts[1::2], parts[2::2], strict=True)
            steps = (Step(tuple(shlex.split(words)), printed) for words, printed in pairs)
            yield Transcript(block.page, tuple(steps))


def lay_out(folder: Path) -> None:
    """Link what the pages name into a folder."""
    for name in ("cases", "testbed"):
        (folder / name).symlink_to(ROOT / name)
    for name, place in _INPUTS.items():
        (folder / name).symlink_to(ROOT / place)
    for sample in (ROOT / "docs" / "samples").iterdir():
        (folder / sample.name).symlink_to(sample)
