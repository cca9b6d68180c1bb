"""What of a long log is worth reading line by line: the lines that speak of an end, and its last.

A log of a gigabyte is mostly of what went well. It is searched in blocks, by one expression for all
that a diagnosis reads (:data:`SIGNAL`); only lines around a hit are kept, with their numbers.
Memory is bounded whatever the log: by `MOST_LINES` of ordinary hits at each end of it, and by
`MOST_STRONG` of those that name an end (:data:`STRONG`).

Measured: 1 GB in which nothing is found takes some 3 s; the search is RE2's (pyarrow), which does
not slow down with the number of alternatives, but takes milliseconds to compile them: a block is
searched in three calls however many of its lines are hits. Python's own search takes 40 s, so it
reads small logs only, for which loading pyarrow would take longer.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

__all__ = ["SIGNAL", "Block", "Excerpt", "Excerpting", "excerpt_of", "marked_blocks"]

# Both expressions are read by RE2 and by re, and hold what both read alike.
STRONG: Final = (
    r"OutOfMemory|Error running child|Exception running child|Exception in thread|"
    r"containerID=|Task Id : |Diagnostics report from |- exited : |"
    r"Container id: |Container ?Id: |Exit code from container|xit status|exitCode|"
    r"under oom|memory limit|memory-limit|"
    r" to (?:state )?(?:FAILED|KILLED|KILLING|ERROR|EXITED_WITH_FAILURE)\b|"
    r"Job Transitioned from|Job complete: |completed successfully|failed with state|"
    r"Running job: |Starting Job = |Ended Job = |Diagnostic Messages|^\s*task_|"
    r"using containerId: |Assigned container |"
    r"Task 'attempt_|Application application_|appId=application_|finalStatus|"
    r"insufficient memory|pthread_create|Native memory allocation|^# A fatal error|"
    r"due to java\.lang|due to Out Of Memory|Last retry, killing|MRAppMaster metrics|"
    r"Final Status is|End of LogType|attempt_\w+ FAILED|YarnChild \S+ \d+ attempt_"
)
"""What names an end, or whose it is; of these lines none is left out before `MOST_STRONG`."""
SIGNAL: Final = (
    STRONG + r"|^\s+at \S|^\s+\.\.\. \d|Caused by|Suppressed:|Exception|Error|ERROR|Throwable|"
    r"FATAL|emory|alloc|xceeded|Processing split|mapred\.Task: |xit code|xitCode|"
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
_CHUNK_BYTES: Final = 1 << 14
_SMALL_BYTES: Final = 1 << 20  # 0.15 s by Python's search, which is what loading pyarrow takes
_INDENTS: Final = (b" ", b"\t", b"C")  # what follows an error: its frames, and "Caused by: "
_COLOURS: Final = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")  # of a terminal, as `script` records it
_SIGNAL: Final = re.compile(SIGNAL.encode())
_STRONG: Final = re.compile(STRONG.encode())


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
    seen = 0
    expression = SIGNAL if not more else f"{SIGNAL}|{more}"
    own = _SIGNAL if not more else re.compile(expression.encode())
    for piece in pieces:
        held += piece
        if len(held) < _BLOCK_BYTES:
            continue
        cut = held.rfind(b"\n") + 1
        if not cut:
            if len(held) > 4 * _BLOCK_BYTES:  # no text at all, or a record of one line
                held = held[:_LONGEST_KEPT]
            continue
        seen += cut
        yield _marked(held[:cut], own, expression if seen > _SMALL_BYTES else None)
        held = held[cut:]
    if held:
        yield _marked(held, own, expression if seen > _SMALL_BYTES else None)


def _marked(data: bytes, own: re.Pattern[bytes], expression: str | None) -> Block:
    if b"\x1b" in data:
        data = _COLOURS.sub(b"", data)
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    if expression is not None:
        return Block(lines, _searched(data, expression))
    hits = [at for at, line in enumerate(lines) if own.search(line)]
    return Block(lines, [(at, _STRONG.search(lines[at]) is not None) for at in hits])


def _searched(data: bytes, expression: str) -> list[tuple[int, bool]]:
    """The lines with a hit: first the chunks with one are found, then their lines."""
    # Here, because loading it takes longer than reading a small log.
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n")) + 1
    if not ends.size or ends[-1] != len(data):
        ends = np.append(ends, len(data))
    # chunks end at ends of lines, so that no hit is cut in two
    chunks = np.unique(np.searchsorted(ends, np.arange(_CHUNK_BYTES, len(data), _CHUNK_BYTES)))
    chunks = np.unique(np.append(chunks, ends.size - 1))
    buffer = pa.py_buffer(data)

    def texts(text_ends: np.ndarray) -> Any:
        offsets = np.concatenate(([0], text_ends)).astype(np.int64)
        return pa.LargeBinaryArray.from_buffers(
            pa.large_binary(), len(text_ends), [None, pa.py_buffer(offsets), buffer]
        )

    def matching(array: Any, pattern: str) -> np.ndarray:
        found: np.ndarray = pc.match_substring_regex(array, pattern).to_numpy(zero_copy_only=False)
        return found

    of_hit_chunks = np.repeat(
        matching(texts(ends[chunks]), f"(?m){expression}"), np.diff(chunks, prepend=-1)
    )
    rows = np.flatnonzero(of_hit_chunks)
    if not rows.size:
        return []
    lines = texts(ends)
    rows = rows[matching(lines.take(rows), expression)]
    return list(zip(rows.tolist(), matching(lines.take(rows), STRONG).tolist(), strict=True))


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
