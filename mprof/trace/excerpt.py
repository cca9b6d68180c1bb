"""What of a long log is worth reading line by line: the lines that speak of an end, and its last.

A log of a gigabyte is mostly of what went well. It is searched in blocks, by one expression for all
that a diagnosis reads (:data:`SIGNAL`); only lines around a hit are kept, with their numbers.
Memory is bounded whatever the log: by `MOST_LINES` of ordinary hits at each end of it, and by
`MOST_STRONG` of those that name an end (:data:`STRONG`).

Measured: 1 GB in which nothing is found takes some 3 s; the search is RE2's, which does not slow
down with the number of alternatives. 1 GB of nothing but hits takes 80 s. Python's own search
finds the same lines in 50 times as long; it stands in where no RE2 can be had.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

try:
    import re2 as engine
except ImportError:  # there is no wheel of it for every processor
    engine = re

__all__ = ["SIGNAL", "Block", "Excerpt", "Excerpting", "excerpt_of", "marked_blocks"]

# Both expressions are read by RE2 and by re, and hold what both read alike; nothing in them matches
# the end of a line, as \s would.
STRONG: Final = (
    r"OutOfMemory|Error running child|Exception running child|Exception in thread|"
    r"containerID=|Task Id : |Diagnostics report from |- exited : |"
    r"Container id: |Container ?Id: |Exit code from container|xit status|exitCode|"
    r"under oom|memory limit|memory-limit|"
    r" to (?:state )?(?:FAILED|KILLED|KILLING|ERROR|EXITED_WITH_FAILURE)\b|"
    r"Job Transitioned from|Job complete: |completed successfully|failed with state|"
    r"Running job: |Starting Job = |Ended Job = |Diagnostic Messages|^[ \t]*task_|"
    r"using containerId: |Assigned container |"
    r"Task 'attempt_|Application application_|appId=application_|finalStatus|"
    r"insufficient memory|pthread_create|Native memory allocation|^# A fatal error|"
    r"due to java\.lang|due to Out Of Memory|Last retry, killing|MRAppMaster metrics|"
    r"Final Status is|End of LogType|attempt_\w+ FAILED|YarnChild \S+ \d+ attempt_"
)
"""What names an end, or whose it is; of these lines none is left out before `MOST_STRONG`."""
SIGNAL: Final = (
    STRONG + r"|^[ \t]+at \S|^[ \t]+\.\.\. \d|Caused by|Suppressed:|Exception|Error|ERROR|"
    r"Throwable|FATAL|emory|alloc|xceeded|Processing split|mapred\.Task: |xit code|xitCode|"
    r"Kill|kill|Status : |Diagnostics|Dumping heap|Heap dump file|\|- |-Xm|"
    r"failed to report|imed out|taskTimedOut|taskStuck|[Tt]oo many|No space|ShuffleError|"
    r"\[GC|\[Full GC|\]\[gc"
)
"""What a diagnosis reads; mprof.trace.logs finds nothing in lines without it."""

MOST_LINES: Final = 10_000
MOST_STRONG: Final = 300_000
HEAD_LINES: Final = 40
TAIL_LINES: Final = 150
_BEFORE: Final = 2
_BEFORE_A_STACK: Final = 22  # mprof.trace.throwable looks back so far for the head of a stack
_AFTER: Final = 3
_LONGEST_LINE: Final = 4000
_LONGEST_KEPT: Final = 1 << 16  # bytes of one line while it is searched
_BLOCK_BYTES: Final = 1 << 20
_INDENTS: Final = (b" ", b"\t", b"C")  # what follows an error: its frames, and "Caused by: "
_COLOURS: Final = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")  # of a terminal, as `script` records it


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


@dataclass(frozen=True, slots=True)
class Block:
    """Some whole lines of a text.

    Attributes:
        lines: they, without their ends.
        hits: the indices of those with a `SIGNAL`, in order, and whether it is a `STRONG` one.
    """

    lines: list[bytes]
    hits: list[tuple[int, bool]]


def marked_blocks(pieces: Iterable[bytes], more: str = "") -> Iterator[Block]:
    """A text in blocks of whole lines, with the lines that are worth reading.

    Args:
        pieces: the text, cut anywhere.
        more: another expression whose lines are hits.
    """
    held = b""
    expression = SIGNAL if not more else f"{SIGNAL}|{more}"
    for piece in pieces:
        held += piece
        if len(held) < _BLOCK_BYTES:
            continue
        cut = held.rfind(b"\n") + 1
        if not cut:
            if len(held) > 4 * _BLOCK_BYTES:  # no text at all, or a record of one line
                held = held[:_LONGEST_KEPT]
            continue
        yield _marked(held[:cut], expression)
        held = held[cut:]
    if held:
        yield _marked(held, expression)


def _marked(data: bytes, expression: str) -> Block:
    if b"\x1b" in data:
        data = _COLOURS.sub(b"", data)
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    return Block(lines, _hits(data, expression))


def _hits(data: bytes, expression: str) -> list[tuple[int, bool]]:
    """The lines with a hit, and whether it is a strong one, by two searches of the whole block."""
    hits = list(_rows(data, expression))
    strong = set(_rows(data, STRONG)) if hits else ()
    return [(row, row in strong) for row in hits]


def _rows(data: bytes, expression: str) -> Iterator[int]:
    """The numbers of the lines with a hit.

    One search leads from hit to hit; of a call for each line most of the time goes into the call.
    """
    row = at = 0
    for found in _whole_lines_with(expression).finditer(data):
        start = found.start()
        row += data.count(b"\n", at, start)
        at = start
        yield row


@lru_cache(maxsize=8)  # callers add few expressions
def _whole_lines_with(expression: str) -> Any:
    return engine.compile(f"(?m)^.*?(?:{expression}).*".encode())


@dataclass(slots=True)
class Excerpting:
    """Takes the lines of one log in order, and keeps those that are worth it."""

    lines: int = 0
    _head: list[tuple[int, list[bytes]]] = field(default_factory=list)
    _head_lines: int = 0
    _strong: list[tuple[int, list[bytes]]] = field(default_factory=list)
    _strong_lines: int = 0
    _late: deque[tuple[int, list[bytes]]] = field(default_factory=deque)
    _late_lines: int = 0
    _left_out: int = 0
    _before: list[bytes] = field(default_factory=list)
    _open_until: int = 0
    _last: int = 0

    def add(self, lines: list[bytes], hits: list[tuple[int, bool]]) -> None:
        """The next lines, and the hits in them, as in `Block`."""
        first = self.lines + 1
        before = len(self._before)
        low, high, strong = 0, max(HEAD_LINES, self._open_until) - self.lines, True
        for hit, names_an_end in hits:
            line = lines[hit]
            previous = lines[hit - 1] if hit else (self._before[-1] if before else b"")
            heads = _is_frame(line) and not _is_frame(previous)
            begin = max(hit - (_BEFORE_A_STACK if heads else _BEFORE), -before)
            goes_on = strong and begin <= high and line[:1] in _INDENTS
            is_strong = goes_on or names_an_end
            if begin > high or is_strong != strong:
                self._keep(first, lines, low, min(high, begin), strong=strong)
                low, high, strong = begin, max(high, begin), is_strong
            low, high = min(low, begin), max(high, hit + 1 + _AFTER)
        self._keep(first, lines, low, high, strong=strong)
        self._open_until = self.lines + high
        tail = (self._before + lines[-TAIL_LINES:])[-TAIL_LINES:]
        self._before = [line[:_LONGEST_LINE] for line in tail]
        self.lines += len(lines)

    def _keep(self, first: int, lines: list[bytes], low: int, high: int, *, strong: bool) -> None:
        if high <= low:
            return
        number = first + low
        wanted = (self._before[low:] if low < 0 else []) + lines[max(low, 0) : high]
        if number <= self._last:  # of this much there is a copy already
            wanted = wanted[self._last + 1 - number :]
            number = self._last + 1
        if not wanted:
            return
        wanted = [line[:_LONGEST_LINE] for line in wanted]
        self._last = number + len(wanted) - 1
        if strong and self._strong_lines < MOST_STRONG:
            self._strong.append((number, wanted))
            self._strong_lines += len(wanted)
            return
        room = max(0, MOST_LINES - self._head_lines)
        if room:
            self._head.append((number, wanted[:room]))
            self._head_lines += min(room, len(wanted))
        late = wanted[room:]
        if late:
            self._left_out += max(0, len(late) - MOST_LINES)
            late = late[-MOST_LINES:]
            self._late.append((number + len(wanted) - len(late), late))
            self._late_lines += len(late)
        while self._late_lines > MOST_LINES and len(self._late) > 1:
            gone = len(self._late.popleft()[1])
            self._late_lines -= gone
            self._left_out += gone

    def done(self) -> Excerpt:
        """What was kept, in order; stretches that touch are one."""
        parts: list[tuple[int, list[bytes]]] = []
        for number, lines in sorted(
            [*self._head, *self._strong, *self._late], key=lambda part: part[0]
        ):
            if parts and parts[-1][0] + len(parts[-1][1]) == number:
                parts[-1][1].extend(lines)
            else:
                parts.append((number, list(lines)))
        return Excerpt(
            tuple((number, tuple(map(_text, lines))) for number, lines in parts),
            tuple(map(_text, self._before)),
            self.lines,
            self._left_out,
        )


def excerpt_of(pieces: Iterable[bytes]) -> Excerpt:
    """The excerpt of one log."""
    excerpting = Excerpting()
    for block in marked_blocks(pieces):
        excerpting.add(block.lines, block.hits)
    return excerpting.done()


def _is_frame(line: bytes) -> bool:
    return line[:1] in (b" ", b"\t") and line.lstrip().startswith(b"at ")


def _text(line: bytes) -> str:
    return line.rstrip(b"\r").decode("utf-8", "replace").replace("\0", "")
