"""What of a long log is worth reading line by line: the lines that speak of an end, and its last.

A log of a gigabyte is mostly of what went well. Only lines around a hit are kept, with their
numbers. Memory is bounded whatever the log, and what is dropped first is never a death:

1. Of ordinary hits, `MOST_LINES` at each end of the log stay.
2. Lines that say whose an end is, one or more for every attempt of a job, go where no end names the
   same attempt or container, the oldest first, once there are `MOST_WHOSE` of them.
3. Lines that name an end stay with what stands around them, a stack as a rule, up to `MOST_STRONG`;
   of those behind, the line alone, up to `MOST_BYTES` more. A death takes about 300 bytes of these:
   they are enough for 200,000 of them in one log.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import pairwise
from typing import Any, Final

from mprof.trace.blocks import NAMES_END, SAYS_WHOSE, Block, Blocks

__all__ = ["Excerpt", "Excerpting", "Stretch", "excerpt_of", "stretches"]

MOST_LINES: Final = 10_000
MOST_STRONG: Final = 300_000
MOST_WHOSE: Final = 100_000
MOST_BYTES: Final = 64 << 20
HEAD_LINES: Final = 40
TAIL_LINES: Final = 150
_BEFORE: Final = 2
_BEFORE_A_STACK: Final = 22  # mprof.trace.throwable looks back so far for the head of a stack
_AFTER: Final = 3

_ID: Final = re.compile(rb"(?:attempt|container)_\w+")
_NEWEST_WHOSE: Final = 5_000  # of attempts that may still die, as far as the log goes

Stretch = tuple[int, int, int]
"""Lines around hits that touch: the index of the first, one after the last, and what they weigh:
`NAMES_END` of what names an end, or goes on with what does; `SAYS_WHOSE`; or 0."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A log as far as it is read line by line.

    Attributes:
        parts: stretches of lines that follow each other: the number of the first, from 1, and they.
        tail: the last lines.
        lines: how many the log has.
        left_out: of those with a hit, how many are in no part.
        broken: numbers of those that the next one goes on with in the same line of the file.
    """

    parts: tuple[tuple[int, tuple[str, ...]], ...] = ()
    tail: tuple[str, ...] = ()
    lines: int = 0
    left_out: int = 0
    broken: tuple[int, ...] = ()

    def of_file(self, number: int) -> int:
        """The number of a line in the file: several here may stand in one line there."""
        return number - bisect_left(self.broken, number)

    def all_lines(self) -> Iterator[str]:
        """The lines of all parts."""
        for _, lines in self.parts:
            yield from lines

    def numbered(self) -> Iterator[tuple[int, str]]:
        """The lines of all parts and of the tail, each once and with its number."""
        of_parts = (one for first, lines in self.parts for one in enumerate(lines, first))
        of_tail = enumerate(self.tail, self.lines - len(self.tail) + 1)
        last = 0
        for number, line in merge(of_parts, of_tail):  # the tail reaches back between the parts
            if number > last:
                yield number, line
                last = number

    def between(self, low: int, high: int) -> Excerpt:
        """The lines from one number to before another, with the numbers that they have."""
        parts = []
        for first, lines in self.parts:
            kept = lines[max(0, low - first) : max(0, high - first)]
            if kept:
                parts.append((max(first, low), kept))
        last = min(self.lines, high - 1)
        tail = [line for number, line in self.numbered() if low <= number <= last][-TAIL_LINES:]
        return Excerpt(tuple(parts), tuple(tail), last, self.left_out, self.broken)


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
        weight: what that stretch weighs.
        in_frames: whether the last line was a frame of a stack.
    """

    lines: int = 0
    hits: int = 0
    open_until: int = HEAD_LINES
    weight: int = NAMES_END
    in_frames: bool = False
    _head: list[_Kept] = field(default_factory=list)
    _head_lines: int = 0
    _strong: list[_Kept] = field(default_factory=list)
    _strong_lines: int = 0
    _strong_bytes: int = 0
    _bare: list[_Kept] = field(default_factory=list)
    _bare_bytes: int = 0
    _whose: list[_Kept] = field(default_factory=list)
    _ids: set[bytes] = field(default_factory=set)
    _read: tuple[int, int] = (0, 0)  # of strong and of bare stretches, whose ids are known
    _late: deque[_Kept] = field(default_factory=deque)
    _late_lines: int = 0
    _late_bytes: int = 0
    _left_out: int = 0
    _tail: bytes = b""
    _tail_lines: int = 0
    _last: int = 0
    _broken: list[int] = field(default_factory=list)

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
        for begin, end, weight in found:
            self._keep(block, low, at, min(until, begin), self.weight)
            at, until, self.weight = begin, max(until, end), weight
        self._keep(block, low, at, min(until, high), self.weight)
        self.open_until = self.lines + until - low
        self.hits += len(found)
        self._keep_tail(block, low, high)
        if block.broken.size:
            here = block.broken[slice(*block.broken.searchsorted([low, high]).tolist())]
            self._broken += (here - low + self.lines + 1).tolist()
        self.lines += high - low
        self.in_frames = high == block.lines and block.ends_in_a_frame

    def _keep(self, block: Block[Any], first: int, low: int, high: int, weight: int) -> None:
        number = self.lines + low - first + 1
        if number <= self._last:  # of this much there is a copy already
            low += self._last + 1 - number
            number = self._last + 1
        if high <= low:
            return
        self._last = number + high - low - 1
        if weight == NAMES_END:
            self._keep_end(block, first, low, high)
        elif weight == SAYS_WHOSE:
            self._keep_whose(block, first, low, high)
        else:
            self._keep_ordinary(block, first, low, high)

    def _keep_end(self, block: Block[Any], first: int, low: int, high: int) -> None:
        if self._strong_lines < MOST_STRONG and self._strong_bytes < MOST_BYTES:
            one = self._taken(block, first, low, high)
            self._strong.append(one)
            self._strong_lines += one.count
            self._strong_bytes += len(one.text)
            return
        here = slice(*block.hits.searchsorted([low, high]).tolist())
        for row in block.hits[here][block.weights[here] == NAMES_END].tolist():
            if self._bare_bytes >= MOST_BYTES:
                self._left_out += 1
                continue
            one = self._taken(block, first, row, row + 1)
            self._bare.append(one)
            self._bare_bytes += len(one.text)

    def _keep_whose(self, block: Block[Any], first: int, low: int, high: int) -> None:
        self._whose += [self._taken(block, first, row, row + 1) for row in range(low, high)]
        if len(self._whose) >= MOST_WHOSE:
            self._drop_whose()
            if len(self._whose) > MOST_WHOSE // 2:  # as many deaths, or lines without an id
                self._left_out += len(self._whose) - MOST_WHOSE // 2
                del self._whose[: -MOST_WHOSE // 2]

    def _drop_whose(self) -> None:
        """Drop what says whose no end is, except the newest."""
        strong, bare = self._read
        for one in (*self._strong[strong:], *self._bare[bare:]):
            self._ids.update(_ID.findall(one.text))
        self._read = len(self._strong), len(self._bare)
        old = self._whose[:-_NEWEST_WHOSE]
        kept = [
            one
            for one in old
            if not (named := _ID.findall(one.text)) or not self._ids.isdisjoint(named)
        ]
        self._whose[: len(old)] = kept

    def _keep_ordinary(self, block: Block[Any], first: int, low: int, high: int) -> None:
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
        if len(self._whose) > _NEWEST_WHOSE:
            self._drop_whose()
        every = (*self._head, *self._strong, *self._bare, *self._whose, *self._late)
        kept = sorted(every, key=lambda one: one.number)
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
            tuple(self._broken),
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
    weights = block.weights[inside]
    is_first = np.diff(log, prepend=-1) > 0
    floor = floors[log]
    floor[log == 0] -= open_.before
    goes_on = np.diff(hits, prepend=-2) == 1  # the line above is a hit, too
    above = np.concatenate(([False], frames[:-1])) & goes_on & ~is_first
    above[0] |= log[0] == 0 and hits[0] == floors[0] and open_.in_frames
    around = weights != SAYS_WHOSE  # which is a line by itself
    back = np.where(frames & ~above, _BEFORE_A_STACK, np.where(around, _BEFORE, 0))
    low = np.maximum(hits - back, floor)
    high = np.maximum.accumulate(hits + 1 + np.where(around, _AFTER, 0))
    reached = np.concatenate(([0], high[:-1]))  # to where what came before is kept
    reached[is_first] = floors[log[is_first]] + HEAD_LINES
    touches = low <= reached
    if log[0] == 0:
        reached[0] = floors[0] + open_.open_until - open_.lines
        touches[0] = open_.weight == NAMES_END and low[0] <= reached[0]
    # what follows a line that names an end, indented as a stack is, is of it
    joins = block.indented[inside] & touches
    names = (weights == NAMES_END) | (is_first & joins)
    index = np.arange(hits.size)
    run = np.maximum.accumulate(np.where(joins & ~is_first, 0, index))
    of_end = np.maximum.accumulate(np.where(names, index, -1)) >= run
    weights = np.where(of_end, NAMES_END, weights)
    new = is_first | (low > reached) | (np.diff(weights, prepend=weights[0]) != 0)
    at = np.flatnonzero(new)
    # a stack further down reaches back, but not into what is kept before its stretch
    begin = np.maximum(np.minimum.reduceat(low, at), np.minimum(reached[at], low[at]))
    end = high[np.append(at[1:], hits.size) - 1]
    rows = zip(log[at].tolist(), begin.tolist(), end.tolist(), weights[at].tolist(), strict=True)
    for number, first, last, weight in rows:
        found.setdefault(number, []).append((first, last, weight))
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
