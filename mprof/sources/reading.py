"""What all readers of sources share: their form, what they could not read, and opened content."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

import pyarrow as pa

from mprof.files import open_file

__all__ = ["ROWS_AT_ONCE", "Losses", "Part", "Reader", "head_of", "lines_of", "open_content"]

ROWS_AT_ONCE: Final = 100_000
"""Rows that a reader holds before it gives them on."""

HEAD_BYTES: Final = 4096
_GZIP: Final = b"\x1f\x8b"
_LONGEST_QUOTE: Final = 120

Part = tuple[str, pa.Table]
"""Rows of a table, and its name."""


@dataclass(slots=True)
class Losses:
    """Parts of a source that could not be read.

    Attributes:
        count: of them.
        first: the first one, and why.
    """

    count: int = 0
    first: str | None = None

    def add(self, why: str, quoted: str = "") -> None:
        """Count one more."""
        self.count += 1
        if self.first is None:
            shown = quoted if len(quoted) <= _LONGEST_QUOTE else f"{quoted[:_LONGEST_QUOTE]}..."
            self.first = f"{why}: {shown!r}" if quoted else why


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one kind of file.

    Attributes:
        kind: its name.
        recognises: whether a file of that name, whose content begins so, is of that kind.
        read: gives its rows part by part, and notes what it cannot read.
        tables: that it fills.
    """

    kind: str
    recognises: Callable[[Path, bytes], bool]
    read: Callable[[Path, Losses], Iterable[Part]]
    tables: tuple[str, ...] = field(default=())


def open_content(path: Path) -> BinaryIO:
    """The content of a file, decompressed where it is gzip.

    Raises:
        UnreadableError: if it is no regular file, or may not be read.
    """
    file = open_file(path)
    packed = file.read(len(_GZIP)) == _GZIP
    file.seek(0)
    if packed:
        return io.BufferedReader(gzip.GzipFile(fileobj=file))
    return file


def head_of(path: Path) -> bytes:
    """The first bytes of the content; fewer where it is cut off, none where it is damaged."""
    with open_content(path) as file:
        try:
            return file.read(HEAD_BYTES)
        except (OSError, EOFError, zlib.error):
            return b""


def lines_of(path: Path, losses: Losses) -> Iterator[str]:
    """The lines of a text, as far as it can be read."""
    with open_content(path) as file:
        try:
            for line in file:
                yield line.rstrip(b"\r\n").decode("utf-8", "replace")
        except (OSError, EOFError, zlib.error) as error:
            losses.add(f"the file is damaged or cut off from here on ({error})")
