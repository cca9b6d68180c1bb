"""A text -> the logs in it: one, or those of many containers behind one another.

What ``yarn logs`` writes, in all lines of YARN (``LogCLIHelpers``, ``AggregatedLogFormat``,
``LogToolUtils``)::

    Container: container_1700000000000_0005_01_000002 on w2.example.com_45454
    LogAggregationType: AGGREGATED                 (since 2.9)
    =========================================================
    LogType:syslog                                 ("LogType: syslog" in 2.2)
    Log Upload Time:... / LogLastModifiedTime:...  (since 2.6, since 2.9)
    LogLength:620
    Log Contents:                                  ("LogContents:" since 2.9)
    ...
    End of LogType:syslog                          (since 2.6)

People also put logs behind one another under headings of their own, as ``tail`` and ``head`` do
(``==> userlogs/.../container_.../syslog <==``): a heading with the id of an attempt or a container
begins a log of it. A prompt of a shell ends the log above it: what was typed is of somebody.
"""

from __future__ import annotations

import codecs
import html
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from mprof.intake.kinds import Kind
from mprof.intake.roles import OTHERS
from mprof.intake.walk import Item
from mprof.trace import Block, Blocks, Excerpt, Excerpting, Stretch, stretches

__all__ = ["Section", "Sections", "container_in"]

CONTAINER: Final = r"container_(?:e\d{1,10}_)?\d{1,19}_\d{1,10}_\d{1,10}_\d{1,19}"
"""``ContainerId.toString``; the epoch stands in it where the ResourceManager was restarted."""

_HEADER: Final = re.compile(rf"^\s*Container: ({CONTAINER})(?: on (\S+))?\s*$".encode())
_TYPE: Final = re.compile(rb"^LogType: ?(\S[^\r\n]*?)\s*$")
_CONTENTS: Final = re.compile(rb"^Log ?Contents:\s*$")
_OF_HEAD: Final = re.compile(rb"^\s*(?:[=*-]{3,}\s*$|Log ?(?:Upload|Last|Len|Agg)|$)")
_MOST_OF_HEAD: Final = 16  # lines
_END: Final = re.compile(rb"^End of LogType: ?(\S+)")
# of a shell, with user, machine and folder; or before a command of those who look at logs
_PROMPT: Final = (
    r"^\[[a-z_][\w.-]{0,40}@[\w.-]{1,80} [^\]\n]{1,200}\][$#] |"
    r"^[a-z_][\w.-]{0,40}@[\w.-]{1,80}:[~/][^ \t\n$#]{0,200}[$#] |"
    r"^[$#] (?:yarn|hadoop|hdfs|mapred|hive|beeline|pig|spark-\w+|grep|zgrep|egrep|cat|zcat|less|"
    r"tail|head|ps|jps|jmap|jstat|jcmd|free|top|dmesg|ulimit|kubectl|oozie|sqoop) "
)
_MARKS: Final = (
    r"^[ \t]*Container: container_|^LogType: ?\S|^Log ?Contents:|^End of LogType:|"
    r"^[=#*-]{2}.*(?:attempt|container)_|"
    rf"{_PROMPT}"
)
_COMMAND: Final = re.compile(_PROMPT.encode())
_HEADING: Final = re.compile(
    rb"^[=#*-]{2,80}[> \t]{1,4}((?:\S{1,300}[ \t]{1,4}){0,6}?"
    rb"\S{0,300}(?:attempt|container)_(?:e\d{1,10}_)?\d{1,19}_\d{1,10}_[^\n]{1,300}?)\s*$"
)
_PORT: Final = re.compile(r"_\d{1,5}$|:\d{1,5}$")
_IN_PATH: Final = re.compile(CONTAINER)
_TAG: Final = re.compile(r"<[^<>]{0,2000}>")
_BREAK: Final = re.compile(
    r"(?i)<(?:br|/p|/tr|/div|/pre|/li|/dd|/dt|/h\d|/title)\b[^<>]{0,200}>|(?<=\")\s*\]\s*,\s*\[\s*(?=\")"
)
_CELL: Final = re.compile(r"(?i)</t[dh]\b[^<>]{0,200}>|\"\s*,\s*\"")
"""Between cells of a row: of a table, or of the array from which a page of the JobHistoryServer
makes one (``attemptsTableData``)."""


@dataclass(frozen=True, slots=True)
class Section:
    """One log.

    Attributes:
        name: of the content that it is in.
        place: of that content.
        hint: its whole path.
        log_type: ``syslog``, as ``yarn logs`` says; None in a text that is one log.
        container_id: as the header says.
        host: the same.
        excerpt: what of it is worth reading.
        is_plain: whether none of its lines is of a process that is no task.
        before: how many lines of the file stand before it in that content.
    """

    name: str
    place: str
    hint: str
    log_type: str | None
    container_id: str | None
    host: str | None
    excerpt: Excerpt
    is_plain: bool = False
    before: int = 0


def container_in(text: str) -> str | None:
    """The last id of a container in a path; None where there is none."""
    found = _IN_PATH.findall(text)
    return found[-1] if found else None


_State = Literal["alone", "head", "log", "between"]
_NO_LOG: Final = (None, None, None)


class _Place(NamedTuple):
    """Of a content: its name, its place, and its whole path."""

    name: str
    place: str
    hint: str


@dataclass(slots=True)
class _Open:
    """A log whose lines are being taken in, or what stands before or after one."""

    place: _Place
    state: _State = "alone"
    log_type: str | None = None
    container: str | None = None
    host: str | None = None
    is_plain: bool = True
    excerpting: Excerpting | None = None
    before: int = 0
    is_typed: bool = False

    def after(self, line: bytes) -> _Open | None:
        """What comes after a line; None where the line is one of the log."""
        if line.startswith(b"LogType:"):
            type_ = _TYPE.match(line)
            if type_ is None:
                return None
            name = type_[1].decode("utf-8", "replace")
            return _Open(self.place, "head", name, self.container, self.host)
        if line.startswith(b"Log"):
            begins = self.state == "head" and _CONTENTS.match(line) is not None
            return self._then("log") if begins else None
        if line.startswith(b"End"):
            return self._then("between") if self.state == "log" and _END.match(line) else None
        if _COMMAND.match(line) is not None:
            of_log = self.log_type is not None
            return _Open(self.place, is_typed=True) if of_log else None
        heading = _HEADING.match(line)
        if heading is not None:
            hint = heading[1].decode("utf-8", "replace").rstrip("=#*-< \t")
            log_type = hint.rsplit("/", 1)[-1]
            return _Open(self.place._replace(hint=hint), "log", log_type)
        header = _HEADER.match(line)
        if header is None:
            return None
        host = _PORT.sub("", header[2].decode()) if header[2] else None
        return _Open(self.place, "head", None, header[1].decode(), host)

    def _then(self, state: _State) -> _Open:
        return _Open(self.place, state, self.log_type, self.container, self.host)

    def add(self, block: Block[_Place], low: int, high: int, found: Sequence[Stretch]) -> None:
        """The next lines, unless nothing in them can be of use."""
        if self.state == "head" and any(
            _OF_HEAD.match(block.line(at)) is None
            for at in range(low, min(high, low + _MOST_OF_HEAD))
        ):
            self.state = "log"  # whose line before its contents somebody has left out
        if self.state == "head" or (self.state == "between" and not found):
            return
        if self.excerpting is None:
            self.excerpting = Excerpting()
        self.excerpting.add(block, low, high, found)

    def closed(self) -> Iterator[Section]:
        """The log, if there is one."""
        if self.excerpting is None:
            return
        excerpt = self.excerpting.done()
        if not any(map(str.strip, (*excerpt.tail, *excerpt.all_lines()))):
            return
        of_log = (self.log_type, self.container, self.host) if self.state == "log" else _NO_LOG
        yield Section(*self.place, *of_log, excerpt, self.is_plain, self.before)


@dataclass(slots=True)
class Sections:
    """Takes texts in, and gives the logs in them, in their order but not at once.

    Small texts are searched together. What is held is of some MB.
    """

    _blocks: Blocks[_Place] = field(default_factory=lambda: Blocks((_MARKS, OTHERS)))
    _open: _Open | None = None
    _lines: int = 0  # of the content that the next block goes on with
    _made: int = 0  # of them those that the next one goes on with in the same line of the file

    def take(self, item: Item, kind: Kind) -> Iterator[Section]:
        """Read a text; some logs in it may come with the next one, or with the rest."""
        self._blocks.begin(_Place(item.name, item.place, item.hint))
        for piece in _as_utf8(item.pieces(), kind):
            for block in self._blocks.add(piece):
                yield from self._read(block)

    def rest(self) -> Iterator[Section]:
        """The logs that are held."""
        for block in self._blocks.rest():
            yield from self._read(block)
        if self._open is not None:
            yield from self._open.closed()
        self._open = None

    def _read(self, block: Block[_Place]) -> Iterator[Section]:
        logs, begins, stops = self._logs(block)
        others = block.others[1].tolist()
        open_ = logs[0].excerpting or Excerpting()
        found = stretches(block, begins, stops, open_)
        for number, (log, low, high) in enumerate(zip(logs, begins, stops, strict=True)):
            hits = found.get(number, ())
            is_last = number == len(logs) - 1
            if is_last or log.excerpting is not None or hits or not block.is_blank(low, high):
                log.add(block, low, high, hits)
                log.is_plain &= bisect_left(others, low) == bisect_left(others, high)
            if not is_last:
                yield from log.closed()
        self._open = logs[-1]

    def _logs(self, block: Block[_Place]) -> tuple[list[_Open], list[int], list[int]]:
        """The logs of a block, with the index of the first line, and one after the last."""
        logs = [self._open] if self._open is not None else []
        begins, stops = [0] if logs else [], []
        texts: list[tuple[int, _Place | None]] = list(block.texts)
        marks: list[tuple[int, _Place | None]] = [(at, None) for at in block.others[0].tolist()]
        for at, place in sorted(texts + marks, key=lambda one: (one[0], one[1] is None)):
            after = logs[-1].after(block.line(at)) if place is None else _Open(place)
            if after is None:
                continue
            if logs:
                stops.append(at)
            made = block.broken.searchsorted(at)
            if place is not None:
                self._lines, self._made = -at, -int(made)
            begins.append(at if place is not None or after.is_typed else at + 1)
            after.before = self._lines + begins[-1] - self._made - int(made)
            logs.append(after)
        stops.append(block.lines)
        self._lines += block.lines
        self._made += block.broken.size
        return logs, begins, stops


def _as_utf8(pieces: Iterable[bytes], kind: Kind) -> Iterator[bytes]:
    """The text in UTF-8; of a page its words."""
    if kind == "utf-16":
        yield from _decoded(pieces)
    elif kind == "html":
        yield from _words(pieces)
    else:
        first = True
        for piece in pieces:
            yield piece.removeprefix(codecs.BOM_UTF8) if first else piece
            first = False


def _decoded(pieces: Iterable[bytes]) -> Iterator[bytes]:
    decoder: codecs.IncrementalDecoder | None = None
    for piece in pieces:
        if decoder is None:
            marked = piece[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
            big = piece[:1] == b"\0"
            name = "utf-16" if marked else "utf-16-be" if big else "utf-16-le"
            decoder = codecs.getincrementaldecoder(name)("replace")
        yield decoder.decode(piece).encode("utf-8", "replace")


def _words(pieces: Iterable[bytes]) -> Iterator[bytes]:
    held = ""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for piece in pieces:
        held += decoder.decode(piece)
        cut = max(held.rfind("\n"), held.rfind(">")) + 1
        yield _without_tags(held[:cut]).encode("utf-8", "replace")
        held = held[cut:]
    yield _without_tags(held).encode("utf-8", "replace")


def _without_tags(text: str) -> str:
    return html.unescape(_TAG.sub("", _CELL.sub(" ", _BREAK.sub("\n", text))))
