"""What all readers of sources share: their form, what they could not read, and opened content."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from reprlib import Repr
from typing import Any, Final

import pyarrow as pa

from mprof.io.files import open_file
from mprof.io.gzip import GZIP, unpacked

__all__ = [
    "ROWS_AT_ONCE",
    "Losses",
    "Part",
    "Reader",
    "Window",
    "as_count",
    "as_figure",
    "as_text",
    "as_word",
    "head_of",
    "lines_of",
    "pieces_of",
    "quotable",
    "seen_through",
    "slices_of",
]

ROWS_AT_ONCE: Final = 100_000
"""Rows that a reader holds before it gives them on."""

HEAD_BYTES: Final = 4096
_PIECE_BYTES: Final = 1 << 20
_LONGEST_LINE: Final = 1 << 20
_LONGEST_QUOTE: Final = 120
_SHORT: Final = Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 4, 60, 60
_LARGEST_LONG: Final = 2**63 - 1

Part = tuple[str, pa.Table]
"""Rows of a table, and its name."""


@dataclass(slots=True)
class Losses:
    """Parts of a source that could not be read."""

    count: int = 0
    first: str | None = None

    def add(self, why: str, quoted: object = "") -> None:
        """Count one more.

        Args:
            why: it could not be read.
            quoted: what it is, a text or any value of JSON.
        """
        self.count += 1
        if self.first is None:
            self.first = f"{why}: {quotable(quoted)}" if quoted else why


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one kind of file.

    Attributes:
        recognises: whether a file of that name, whose content begins so, is of that kind.
        read: gives its rows part by part, and notes what it cannot read.
        lacks_zone: its times are of the clock on the wall, and it does not say where that hangs.
        carried: of a log whose lines can be read as they come, the lines that must stand before
            those that come next; None where such a file is read whole.
    """

    kind: str
    recognises: Callable[[Path, bytes], bool]
    read: Callable[[Path, Losses], Iterable[Part]]
    tables: tuple[str, ...] = field(default=())
    lacks_zone: bool = False
    carried: Callable[[Path], bytes] | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a file that is read.

    Attributes:
        begin: of the part, in bytes.
        end: behind it: a log may grow while it is read.
        before: lines that are read before it.
    """

    path: Path
    begin: int
    end: int
    before: bytes = b""


_WINDOW: Final[ContextVar[Window | None]] = ContextVar("_WINDOW", default=None)


@contextlib.contextmanager
def seen_through(window: Window) -> Iterator[None]:
    """Within the block the content of that file is this part of it; its head stays its head."""
    token = _WINDOW.set(window)
    try:
        yield
    finally:
        _WINDOW.reset(token)


def quotable(value: object) -> str:
    """A text in quotes, and not too much of it; of any other value what its outermost parts are.

    >>> quotable({"a": [[[[[1]]]]]})
    "{'a': [[[[...]]]]}"
    """
    if isinstance(value, str):
        return repr(_shortened(value))
    return _shortened(_SHORT.repr(value))  # repr does not get through all that is nested


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."


def as_text(value: Any) -> str | None:
    """A value of somebody's JSON where it is a text that says something, else None."""
    return value if isinstance(value, str) and value else None


def as_word(value: Any) -> str | None:
    """A text, or a number, of somebody's JSON as a text; None for what has parts.

    >>> as_word("a"), as_word(7), as_word(None), as_word([])
    ('a', '7', None, None)
    """
    return str(value) if isinstance(value, str | int | float) else None


def as_count(value: Any) -> int | None:
    """A number of somebody's JSON where it is a count that a Java long can hold, else None.

    >>> as_count(7), as_count(7.0), as_count(-1), as_count(True), as_count(10**30)
    (7, 7, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= _LARGEST_LONG else None


def as_figure(value: Any) -> float | None:
    """A number of somebody's JSON where it measures something that is never below 0, else None.

    >>> as_figure(1.5), as_figure(-1), as_figure(float("nan")), as_figure("2")
    (1.5, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= _LARGEST_LONG else None


def slices_of(values: Any) -> list[float] | None:
    """The figures of an attempt's twelfths; None where any of them is no count."""
    if not isinstance(values, list | tuple) or not values:
        return None
    known = [as_count(each) for each in values]
    return None if None in known else [float(each or 0) for each in known]


def head_of(path: Path) -> bytes:
    """The first bytes of the content; fewer where it is cut off, none where it is damaged.

    Raises:
        UnreadableError: if it is no regular file, or may not be read.
    """
    return next(_pieces(path, Losses(), piece_bytes=HEAD_BYTES, window=None), b"")


def pieces_of(path: Path, losses: Losses) -> Iterator[bytes]:
    """The content of a file as far as it can be read, decompressed where it is gzip.

    Raises:
        UnreadableError: if it is no regular file, or may not be read.
    """
    window = _WINDOW.get()
    window = window if window is not None and window.path == path else None
    return _pieces(path, losses, piece_bytes=_PIECE_BYTES, window=window)


def _pieces(
    path: Path, losses: Losses, *, piece_bytes: int, window: Window | None
) -> Iterator[bytes]:
    with open_file(path) as file:
        packed = file.read(len(GZIP)) == GZIP
        file.seek(0)
        try:
            if packed:
                yield from unpacked(file, losses.add, piece_bytes=piece_bytes)
            elif window is None:
                while piece := file.read(piece_bytes):
                    yield piece
            else:
                yield window.before
                file.seek(window.begin)
                left = window.end - window.begin
                while left > 0 and (piece := file.read(min(piece_bytes, left))):
                    left -= len(piece)
                    yield piece
        except OSError as error:
            losses.add(f"the file cannot be read from here on ({error.strerror or error})")


MOST_SKIPPED: Final = 256 << 20
"""Bytes in which nothing of what a file should hold is found: a few kilobytes of gzip can unpack to
any number of zeros, and behind damage to one record the next one is much nearer."""


def lines_of(path: Path, losses: Losses, *, may_end_open: bool = False) -> Iterator[str]:
    """The lines of a text, as far as it can be read.

    Args:
        path: of the file.
        losses: what cannot be read.
        may_end_open: whether the last line may lack its line break. Programs write one behind every
            line: without it the last is cut off, perhaps within a number.

    Raises:
        UnreadableError: if it is no regular file, or may not be read.
    """
    held = b""
    skipping = False
    skipped = 0
    for piece in pieces_of(path, losses):
        *whole, held = (held + piece).split(b"\n")
        for line in whole:
            if skipping:
                skipping, skipped = False, 0
            else:
                yield _decoded(line)
        if len(held) > _LONGEST_LINE:
            if not skipping:
                losses.add(f"a line is longer than {_LONGEST_LINE:,} bytes", _decoded(held[:200]))
            held, skipping, skipped = b"", True, skipped + len(held)
            if skipped > MOST_SKIPPED:
                losses.add(f"{MOST_SKIPPED:,} bytes without a line break: no more is read")
                return
    if held and not skipping:
        if may_end_open:
            yield _decoded(held)
        else:
            losses.add("the last line is cut off", _decoded(held))


def _decoded(line: bytes) -> str:
    return line.rstrip(b"\r").decode("utf-8", "replace")
