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
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from mprof.intake.kinds import Kind
from mprof.intake.walk import Item
from mprof.trace import SIGNAL, Excerpt, Excerpting, marked_blocks

__all__ = ["Section", "container_in", "sections_of"]

CONTAINER: Final = r"container_(?:e\d{1,10}_)?\d{1,19}_\d{1,10}_\d{1,10}_\d{1,19}"
"""``ContainerId.toString``; the epoch stands in it where the ResourceManager was restarted."""

_HEADER: Final = re.compile(rf"^\s*Container: ({CONTAINER})(?: on (\S+))?\s*$".encode())
_TYPE: Final = re.compile(rb"^LogType: ?(\S[^\r\n]*?)\s*$")
_CONTENTS: Final = re.compile(rb"^Log ?Contents:\s*$")
_END: Final = re.compile(rb"^End of LogType: ?(\S+)")
_MARKS: Final = r"^[ \t]*Container: container_|^LogType: ?\S|^Log ?Contents:|^End of LogType:"
_SIGNAL: Final = re.compile(SIGNAL)
_PORT: Final = re.compile(r"_\d{1,5}$|:\d{1,5}$")
_IN_PATH: Final = re.compile(CONTAINER)
_TAG: Final = re.compile(r"<[^<>]{0,2000}>")
_BREAK: Final = re.compile(r"(?i)<(?:br|/p|/tr|/div|/pre|/li|/td|/dd|/dt|/h\d)\b[^<>]{0,200}>")


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
    """

    name: str
    place: str
    hint: str
    log_type: str | None
    container_id: str | None
    host: str | None
    excerpt: Excerpt


def container_in(text: str) -> str | None:
    """The last id of a container in a path; None where there is none."""
    found = _IN_PATH.findall(text)
    return found[-1] if found else None


def sections_of(item: Item, kind: Kind) -> Iterator[Section]:
    """The logs in a text, in its order."""
    open_ = Excerpting()
    log_type: str | None = None
    container: str | None = None
    host: str | None = None
    state: Literal["alone", "head", "log", "between"] = "alone"

    def closed() -> Iterator[Section]:
        excerpt = open_.done()
        if state == "head" or not any(map(str.strip, (*excerpt.tail, *excerpt.all_lines()))):
            return
        if state == "log":
            yield Section(item.name, item.place, item.hint, log_type, container, host, excerpt)
        elif state == "alone" or any(_SIGNAL.search(one) for one in excerpt.all_lines()):
            yield Section(item.name, item.place, item.hint, None, None, None, excerpt)

    for block in marked_blocks(_as_utf8(item.pieces(), kind), _MARKS):
        begin = 0
        hits: list[tuple[int, bool]] = []
        for at, is_strong in block.hits:
            line = block.lines[at]
            header, type_ = _HEADER.match(line), _TYPE.match(line)
            begins = state == "head" and _CONTENTS.match(line) is not None
            ends = state == "log" and _END.match(line) is not None
            if not (header or type_ or begins or ends):
                hits.append((at - begin, is_strong))
                continue
            open_.add(block.lines[begin:at], hits)
            yield from closed()
            open_, begin, hits = Excerpting(), at + 1, []
            if header is not None:
                container, log_type, state = header[1].decode(), None, "head"
                host = _PORT.sub("", header[2].decode()) if header[2] else None
            elif type_ is not None:
                log_type, state = type_[1].decode("utf-8", "replace"), "head"
            else:
                state = "log" if begins else "between"
        open_.add(block.lines[begin:], hits)
    yield from closed()


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
    return html.unescape(_TAG.sub("", _BREAK.sub("\n", text)))
