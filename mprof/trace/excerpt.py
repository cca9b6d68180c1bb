"""What of a long log is worth reading line by line: the lines that speak of an end, and its last.

A log of a gigabyte is mostly of what went well. Only lines around a hit are kept, with their
numbers. Memory is bounded whatever the log: by `MOST_LINES` of ordinary hits at each end of it, by
`MOST_STRONG` of those that name an end, and by `MOST_BYTES` of each of these.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from mprof.trace.blocks import Block, Blocks

__all__ = ["Excerpt", "Excerpting", "Stretch", "excerpt_of", "stretches"]

MOST_LINES: Final = 10_000
MOST_STRONG: Final = 300_000
MOST_BYTES: Final = 64 << 20
HEAD_LINES: Final = 40
TAIL_LINES: Final = 150
_BEFORE: Final = 2
_BEFORE_A_STACK: Final = 22  # mprof.trace.throwable looks back so far for the head of a stack
_AFTER: Final = 3

Stretch = tuple[int, int, bool]
"""Lines around hits that touch: the index of the first, one after the last, and whether it names an
end, or goes on with what does."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A log as far as it is read line by line.

    Attributes:
        parts: stretches of lines that follow each other: the number of the first, from 1, and they.
        tail: the last lines.
        lines: how many the log has.
        left_out: of those with a hit, how many are in no part.
    """

    parts: tuple[tuple[int, tuple[str, ...]], ...] = ()
    tail: tuple[str, ...] = ()
    lines: int = 0
    left_out: int = 0

    def all_lines(self) -> Iterator[str]:
        """The lines of all parts."""
        for _, lines in self.parts:
            yield from lines


@dataclass(slots=True)
class _Kept:
    """Some lines of the log: the number of the first, how many, and they."""

    number: int
    count: int
    text: bytes


@dataclass(slots=True)
class Excerpting:
    """Takes the lines of one log in order, and keeps those that are worth it.

    Attributes:
        lines: how many it has taken.
        hits: how many stretches around hits were in them.
        open_until: the number of lines to which the last stretch reaches, which may be to come.
        is_strong: whether that stretch names an end.
        in_frames: whether the last line was a frame of a stack.
    """

    lines: int = 0
    hits: int = 0
    open_until: int = HEAD_LINES
    is_strong: bool = True
    in_frames: bool = False
    _head: list[_Kept] = field(default_factory=list)
    _head_lines: int = 0
    _strong: list[_Kept] = field(default_factory=list)
    _strong_lines: int = 0
    _strong_bytes: int = 0
    _late: deque[_Kept] = field(default_factory=deque)
    _late_lines: int = 0
    _late_bytes: int = 0
    _left_out: int = 0
    _tail: bytes = b""
    _tail_lines: int = 0
    _last: int = 0

    @property
    def before(self) -> int:
        """How many of the lines before the next are at hand."""
        return self._tail_lines

    def add(self, block: Block[Any], low: int, high: int, found: Sequence[Stretch]) -> None:
        """The next lines, from one index of a block to another.

        Args:
            block: in which they are.
            low: index of the first.
            high: one after that of the last.
            found: the stretches in them, as `stretches` gives them.
        """
        if high <= low:
            return
        at, until = low, low + self.open_until - self.lines
        for begin, end, is_strong in found:
            self._keep(block, low, at, min(until, begin), strong=self.is_strong)
            at, until, self.is_strong = begin, max(until, end), is_strong
        self._keep(block, low, at, min(until, high), strong=self.is_strong)
        self.open_until = self.lines + until - low
        self.hits += len(found)
        self._keep_tail(block, low, high)
        self.lines += high - low
        self.in_frames = high == block.lines and block.ends_in_a_frame

    def _keep(self, block: Block[Any], first: int, low: int, high: int, *, strong: bool) -> None:
        number = self.lines + low - first + 1
        if number <= self._last:  # of this much there is a copy already
            low += self._last + 1 - number
            number = self._last + 1
        if high <= low:
            return
        self._last = number + high - low - 1
        if strong and self._strong_lines < MOST_STRONG and self._strong_bytes < MOST_BYTES:
            one = self._taken(block, first, low, high)
            self._strong.append(one)
            self._strong_lines += one.count
            self._strong_bytes += len(one.text)
            return
        room = max(0, MOST_LINES - self._head_lines)
        if room:
            one = self._taken(block, first, low, min(high, low + room))
            self._head.append(one)
            self._head_lines += one.count
            low += one.count
        if low < high:
            late = max(low, high - MOST_LINES)
            self._left_out += late - low
            one = self._taken(block, first, late, high)
            self._late.append(one)
            self._late_lines += one.count
            self._late_bytes += len(one.text)
        while len(self._late) > 1 and (
            self._late_lines > MOST_LINES or self._late_bytes > MOST_BYTES
        ):
            gone = self._late.popleft()
            self._late_lines -= gone.count
            self._late_bytes -= len(gone.text)
            self._left_out += gone.count

    def _taken(self, block: Block[Any], first: int, low: int, high: int) -> _Kept:
        text = block.text(max(low, first), high)
        if low < first:
            held = self._tail.split(b"\n")[:-1][low - first :]
            held = held[: min(high, first) - low]
            text = b"".join(line + b"\n" for line in held) + text
        return _Kept(self.lines + low - first + 1, high - low, text)

    def _keep_tail(self, block: Block[Any], low: int, high: int) -> None:
        text = block.text(max(low, high - TAIL_LINES), high)
        more = TAIL_LINES - (high - low)
        if more > 0 and self._tail_lines:
            held = self._tail.split(b"\n")[:-1][-more:]
            text = b"".join(line + b"\n" for line in held) + text
            self._tail_lines = len(held) + high - low
        else:
            self._tail_lines = min(high - low, TAIL_LINES)
        self._tail = text

    def done(self) -> Excerpt:
        """What was kept, in order; stretches that touch are one."""
        kept = sorted([*self._head, *self._strong, *self._late], key=lambda one: one.number)
        begins = [
            at
            for at, one in enumerate(kept)
            if not at or kept[at - 1].number + kept[at - 1].count != one.number
        ]
        parts = (kept[low:high] for low, high in pairwise([*begins, len(kept)]))
        return Excerpt(
            tuple((part[0].number, _lines(b"".join(one.text for one in part))) for part in parts),
            _lines(self._tail),
            self.lines,
            self._left_out,
        )


def stretches(
    block: Block[Any], begins: Sequence[int], stops: Sequence[int], open_: Excerpting
) -> dict[int, list[Stretch]]:
    """The lines of a block that are worth keeping, by the number of their log in it, from 0.

    Args:
        block: the block.
        begins: index of the first line of each log, or of what of it is in this block, in order.
        stops: one after that of its last.
        open_: what has taken the lines of the first of them that came before.
    """
    import numpy as np  # here: a command that fails at once needs none of it

    found: dict[int, list[Stretch]] = {}
    floors = np.asarray(begins)
    log = np.searchsorted(floors, block.hits, "right") - 1
    inside = block.hits < np.asarray(stops)[log]  # and no line between two logs
    hits, frames, log = block.hits[inside], block.frames[inside], log[inside]
    if not hits.size:
        return found
    is_first = np.diff(log, prepend=-1) > 0
    floor = floors[log]
    floor[log == 0] -= open_.before
    goes_on = np.diff(hits, prepend=-2) == 1  # the line above is a hit, too
    above = np.concatenate(([False], frames[:-1])) & goes_on & ~is_first
    above[0] |= log[0] == 0 and hits[0] == floors[0] and open_.in_frames
    back = np.where(frames & ~above, _BEFORE_A_STACK, _BEFORE)
    low = np.maximum(hits - back, floor)
    high = hits + 1 + _AFTER
    reached = np.concatenate(([0], high[:-1]))  # to where what came before is kept
    reached[is_first] = floors[log[is_first]] + HEAD_LINES
    touches = low <= reached
    if log[0] == 0:
        reached[0] = floors[0] + open_.open_until - open_.lines
        touches[0] = open_.is_strong and low[0] <= reached[0]
    # what follows a line that names an end, indented as a stack is, is of it
    joins = block.indented[inside] & touches
    names = block.strong[inside] | (is_first & joins)
    index = np.arange(hits.size)
    run = np.maximum.accumulate(np.where(joins & ~is_first, 0, index))
    strong = np.maximum.accumulate(np.where(names, index, -1)) >= run
    new = is_first | (low > reached) | (np.diff(strong, prepend=strong[0]) != 0)
    at = np.flatnonzero(new)
    # a stack further down reaches back, but not into what is kept before its stretch
    begin = np.maximum(np.minimum.reduceat(low, at), np.minimum(reached[at], low[at]))
    end = high[np.append(at[1:], hits.size) - 1]
    rows = zip(log[at].tolist(), begin.tolist(), end.tolist(), strong[at].tolist(), strict=True)
    for number, first, last, is_strong in rows:
        found.setdefault(number, []).append((first, last, is_strong))
    return found


def excerpt_of(pieces: Iterable[bytes]) -> Excerpt:
    """The excerpt of one log."""
    blocks: Blocks[None] = Blocks()
    excerpting = Excerpting()
    blocks.begin(None)
    for piece in pieces:
        for block in blocks.add(piece):
            _add_whole(excerpting, block)
    for block in blocks.rest():
        _add_whole(excerpting, block)
    return excerpting.done()


def _add_whole(excerpting: Excerpting, block: Block[None]) -> None:
    found = stretches(block, [0], [block.lines], excerpting)
    excerpting.add(block, 0, block.lines, found.get(0, ()))


def _lines(text: bytes) -> tuple[str, ...]:
    lines = text.decode("utf-8", "replace").replace("\0", "").split("\n")
    lines.pop()
    return tuple(lines)
