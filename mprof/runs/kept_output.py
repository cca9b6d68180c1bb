"""What the user's command printed, kept in the capture."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mprof.units import MIB

__all__ = ["KeptOutput"]

_MOST_CHARACTERS: Final = 16 * MIB
"""Of a log of a client, which has some hundred lines: a command may print gigabytes besides."""


class KeptOutput:
    """A file with the lines of a command, written as they come.

    A disk that is full costs the lines, and never the run: they are shown as well.
    """

    def __init__(self, path: Path) -> None:
        self._left = _MOST_CHARACTERS
        self._left_out = 0
        self._file = None
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
            self._file = os.fdopen(
                descriptor, "w", encoding="utf-8", errors="backslashreplace", buffering=1
            )

    def add(self, line: str) -> None:
        """Keep a line."""
        self._left -= len(line) + 1
        if self._left < 0:
            self._left_out += 1
            return
        self._write(line)

    def end(self, tail: Sequence[str]) -> None:
        """The command has ended.

        Args:
            tail: the last lines that it printed, which are kept of any output.
        """
        missing = tail[-self._left_out :] if self._left_out else ()
        if self._left_out > len(missing):
            self._write(f"mprof: {self._left_out - len(missing):,} lines were left out here")
        for line in missing:
            self._write(line)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()

    def _write(self, line: str) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.write(line + "\n")
