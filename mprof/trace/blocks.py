"""Texts in blocks of whole lines, unwrapped, with the lines that are worth reading.

A block holds the end of one text and the beginning of the next: compiling the expressions takes
milliseconds, so that many small texts are searched together, and a large one in few blocks.

Measured: RE2 (google-re2) searches 400 MB a second of lines without a hit, 200 of lines with one,
and 40 where every other line has one, and does not slow down with the number of alternatives.
Python's own search takes 40 s for 1 GB; it stands in where no RE2 can be had.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

try:
    import re2
except ImportError:  # there is no wheel of it for every processor
    re2 = None

from mprof.trace.signals import END, QUIET, SIGNAL, STRONG
from mprof.trace.unwrapping import BROKEN, Unwrapping, whole_to_the_end

if TYPE_CHECKING:
    import numpy as np

__all__ = ["LONGEST_LINE", "NAMES_END", "SAYS_WHOSE", "Block", "Blocks"]

K = TypeVar("K")

LONGEST_LINE: Final = 4000
"""Bytes of a line that are kept."""

NAMES_END: Final = 2
"""Of a hit that names an end: `signals.END`."""

SAYS_WHOSE: Final = 1
"""Of a hit that says whose an end is, or that something ended well: `signals.WHOSE`."""

_BLOCK_BYTES: Final = 8 << 20
_LONGEST_SEARCHED: Final = 4 << 20  # a longer line is no text at all, or a record
_LONGEST_KEPT: Final = 1 << 16  # bytes of such a line
_FRAME: Final = r"^[ \t]+at "
_TABBED: Final = b"\tat "  # as Throwable.printStackTrace writes it, and nearly every frame stands
_INDENTS: Final = b" \tC"  # what follows an error: its frames, and "Caused by: "
_BREAK: Final = ord("\n")
_MOST_OF_THEM: Final = 0.5  # of the lines: to search the others costs less than to take them out


@dataclass(frozen=True, slots=True)
class Block(Generic[K]):
    """Some whole lines of texts.

    Attributes:
        data: the lines, each with its end.
        ends: where each line ends.
        texts: the index of the first line of each text that begins here, and its name.
        hits: indices of the lines with a `SIGNAL`, in order.
        weights: of each hit, `NAMES_END`, `SAYS_WHOSE`, or 0 for any other.
        frames: of each hit, whether it is a frame of a stack.
        indented: of each hit, whether it begins as what follows an error does.
        others: for each expression more, the indices of its lines.
        broken: indices of the lines that the next one goes on with in the file.
    """

    data: bytes
    ends: np.ndarray
    texts: tuple[tuple[int, K], ...]
    hits: np.ndarray
    weights: np.ndarray
    frames: np.ndarray
    indented: np.ndarray
    others: tuple[np.ndarray, ...]
    broken: np.ndarray
    _longest: int

    @property
    def lines(self) -> int:
        """How many."""
        return len(self.ends)

    @property
    def ends_in_a_frame(self) -> bool:
        """Whether the last line is a frame of a stack."""
        return bool(self.hits.size and self.hits[-1] == self.lines - 1 and self.frames[-1])

    def line(self, at: int) -> bytes:
        """One of them, without its end."""
        return self._cut(at, at + 1).rstrip(b"\n")

    def text(self, low: int, high: int) -> bytes:
        """Lines from one index to another, each with its end and no longer than is kept."""
        cut = self._cut(low, high)
        if self._longest <= LONGEST_LINE or len(cut) <= LONGEST_LINE:
            return cut
        return b"".join(line[:LONGEST_LINE] + b"\n" for line in cut.split(b"\n")[:-1])

    def is_blank(self, low: int, high: int) -> bool:
        """Whether nothing stands in these lines."""
        return not self._cut(low, high).strip()

    def _cut(self, low: int, high: int) -> bytes:
        if high <= low:
            return b""
        return self.data[int(self.ends[low - 1]) if low else 0 : int(self.ends[high - 1])]


@dataclass(slots=True)
class Blocks(Generic[K]):
    """Takes texts in, one after the other, and gives blocks of them.

    Attributes:
        others: expressions whose lines are to be found as well.
    """

    others: Sequence[str] = ()
    _texts: list[tuple[K | None, Unwrapping, list[bytes]]] = field(default_factory=list)
    _size: int = 0

    def begin(self, name: K) -> None:
        """From here on another text."""
        self._texts.append((name, Unwrapping(), []))

    def add(self, piece: bytes) -> Iterator[Block[K]]:
        """The next bytes of the text, cut anywhere."""
        self._texts[-1][2].append(piece)
        self._size += len(piece)
        if self._size >= _BLOCK_BYTES:
            yield from self._block(ends=False)

    def rest(self) -> Iterator[Block[K]]:
        """What is held; the last text ends here."""
        yield from self._block(ends=True)

    def _block(self, *, ends: bool) -> Iterator[Block[K]]:
        data, held = [], b""
        names: list[tuple[int, K]] = []
        at = 0
        for number, (name, unwrapping, pieces) in enumerate(self._texts):
            text = b"".join(pieces)
            if number == len(self._texts) - 1 and not ends:
                cut = text.rfind(b"\n") + 1
                text, held = text[:cut], text[cut:]
            else:
                text = whole_to_the_end(text)
            text = unwrapping.of(text)
            if text and not text.endswith(b"\n"):
                text += b"\n"
            if name is not None:
                names.append((at, name))
            data.append(text)
            at += len(text)
        if len(held) > _LONGEST_SEARCHED:
            held = held[:_LONGEST_KEPT]
        self._texts = [(None, self._texts[-1][1], [held])] if self._texts else []
        self._size = len(held)
        if at or names:
            yield _searched(b"".join(data), names, self.others)


def _searched(data: bytes, names: Sequence[tuple[int, K]], others: Sequence[str]) -> Block[K]:
    import numpy as np  # here: a command that fails at once needs none of it

    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == _BREAK).astype(np.int32) + 1
    every = "|".join((SIGNAL, *others))
    matches = _matches
    rows = np.flatnonzero(matches(data, ends, np.arange(len(ends)), every))
    found = [matches(data, ends, rows, each) for each in others]
    of_others = np.logical_or.reduce(found) if found else np.zeros(len(rows), bool)
    is_hit = ~of_others
    is_hit[of_others] = matches(data, ends, rows[of_others], SIGNAL)
    hits = rows[is_hit]
    starts = np.concatenate(([0], ends[:-1]))[hits] if hits.size else hits
    characters = np.frombuffer(data, np.uint8)
    first = characters[starts]
    indented = np.isin(first, np.frombuffer(_INDENTS, np.uint8))
    frames = _begin_with(_TABBED, characters, starts)
    spaced = indented & ~frames & (first != ord("C"))
    frames[spaced] = matches(data, ends, hits[spaced], _FRAME)
    return Block(
        data=data,
        ends=ends,
        texts=tuple((int(np.searchsorted(ends, at, "right")), name) for at, name in names),
        hits=hits,
        weights=_weights(data, ends, hits),
        frames=frames,
        indented=indented,
        others=tuple(rows[each] for each in found),
        broken=_broken(data, ends),
        _longest=int(np.diff(ends, prepend=0).max(initial=0)),
    )


def _broken(data: bytes, ends: np.ndarray) -> np.ndarray:
    """The indices of the lines that end as unwrapping ends those that it has made."""
    import numpy as np  # here: a command that fails at once needs none of it

    if BROKEN not in data:
        return np.zeros(0, np.int64)
    before = np.frombuffer(data, np.uint8)[np.maximum(ends - len(BROKEN), 0)]
    return np.flatnonzero(before == BROKEN[0])


def _begin_with(word: bytes, characters: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Of some lines, whether each begins with a word."""
    import numpy as np  # here: a command that fails at once needs none of it

    found = np.ones(len(starts), bool)
    for at, character in enumerate(word):
        found &= characters[np.minimum(starts + at, len(characters) - 1)] == character
    return found


def _weights(data: bytes, ends: np.ndarray, hits: np.ndarray) -> np.ndarray:
    """Of each hit, how much it weighs."""
    import numpy as np  # here: a command that fails at once needs none of it

    weights = np.zeros(len(hits), np.int8)
    strong = np.flatnonzero(_matches(data, ends, hits, STRONG))
    weights[strong] = SAYS_WHOSE
    named = strong[_matches(data, ends, hits[strong], END)]
    weights[named[~_matches(data, ends, hits[named], QUIET)]] = NAMES_END
    return weights


def _by_re(data: bytes, ends: np.ndarray, rows: np.ndarray, expression: str) -> np.ndarray:
    """Of some lines, whether the expression stands in each."""
    import numpy as np  # here: a command that fails at once needs none of it

    search = re.compile(expression.encode()).search
    stops = ends.tolist()
    lines = (data[stops[row - 1] if row else 0 : stops[row]] for row in rows.tolist())
    return np.array([search(line) is not None for line in lines], dtype=bool)


def _by_re2(data: bytes, ends: np.ndarray, rows: np.ndarray, expression: str) -> np.ndarray:
    """The same; one match is of all lines with a hit that follow each other, as in stacks."""
    import numpy as np  # here: a command that fails at once needs none of it

    if not len(rows):
        return np.zeros(0, bool)
    every = len(rows) > _MOST_OF_THEM * len(ends)
    if not every:
        starts = np.concatenate(([0], ends[:-1]))
        cuts = zip(starts[rows].tolist(), ends[rows].tolist(), strict=True)
        data = b"".join([data[low:high] for low, high in cuts])
        ends = np.cumsum(ends[rows] - starts[rows])
    found = np.zeros(len(ends), bool)
    spans = [match.span() for match in _runs_of_lines_with(expression).finditer(data)]
    for low, high in np.searchsorted(ends, spans, "right").tolist():
        found[low:high] = True
    return found[rows] if every else found


@lru_cache(maxsize=16)  # callers add few expressions
def _runs_of_lines_with(expression: str) -> Any:
    return re2.compile(f"(?m)(?:^.*?(?:{expression}).*\n)+".encode())


_matches: Final = _by_re if re2 is None else _by_re2
