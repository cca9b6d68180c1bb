"""Parses ``events.jsonl`` into typed events; invalid lines are counted, never fatal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, Final

import msgspec

from mprof.errors import EvidenceError
from mprof.io.json import has_number_beyond_long
from mprof.trace import events as types
from mprof.trace.events import FORMAT, Event

__all__ = ["EventLog", "parse_events"]

_KNOWN: Final[tuple[type[Event], ...]] = tuple(
    each
    for name in types.__all__
    if isinstance(each := getattr(types, name), type)
    and issubclass(each, Event)
    and each is not Event
)
_KNOWN_TAGS: Final = frozenset(str(each.__struct_config__.tag) for each in _KNOWN)
_UNION: Final[Any] = reduce(or_, _KNOWN)  # Any: type checkers do not support a computed union


_DAMAGED: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class _Head(msgspec.Struct):
    type: str = ""
    v: int = FORMAT


@dataclass(frozen=True, slots=True)
class EventLog:
    """The events in the order written, and what is missing."""

    events: tuple[Event, ...]
    losses: tuple[str, ...]


def parse_events(data: bytes) -> EventLog:
    """Decode the lines of an event log.

    A last line that is cut off is normal after a kill. Types that this version does not know are
    skipped, as the format requires. Missing events at the beginning of the log are a loss.

    Raises:
        EvidenceError: if a line is of another version of the format.
    """
    decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(_UNION)
    head_decoder = msgspec.json.Decoder(_Head)
    events: list[Event] = []
    losses: list[str] = []
    damaged = 0
    lines = data.split(b"\n")
    last = max((i for i, line in enumerate(lines) if line.strip()), default=-1)
    cut_off = last >= 0 and last == len(lines) - 1  # a complete last line ends with a line break
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        try:
            event = _decoded(decoder, line)
            _check_format(event.v)
            events.append(event)
        except _DAMAGED:
            if cut_off and number == last:
                losses.append("events: the last line is cut off, as after a kill; it is left out")
                continue
            head = _head(head_decoder, line)
            _check_format(head.v)
            if not head.type or head.type in _KNOWN_TAGS:
                damaged += 1
    if damaged:
        losses.append(f"events: {damaged} lines are damaged and left out")
    losses += _gaps(events, left_out=damaged)
    return EventLog(tuple(events), tuple(losses))


def _check_format(version: int) -> None:
    if version != FORMAT:
        raise EvidenceError(
            f"the event log is of format {version}, and this mprof reads format {FORMAT}",
            next_step="read it with the mprof that recorded it, or run the job again: mprof run",
        )


def _head(decoder: msgspec.json.Decoder[_Head], line: bytes) -> _Head:
    """What a line that is no event says of itself; nothing where it is damaged."""
    try:
        return decoder.decode(line)
    except _DAMAGED:
        return _Head()


def _decoded(decoder: msgspec.json.Decoder[Event], line: bytes) -> Event:
    if has_number_beyond_long(line):
        raise msgspec.DecodeError("a number that is no Java long")
    return decoder.decode(line)


def _gaps(events: list[Event], *, left_out: int) -> list[str]:
    numbers = [each.n for each in events if each.n > 0]
    if not numbers:
        return []
    missing = max(numbers) - len(set(numbers)) - left_out
    # unknown types leave gaps too, so only a gap at the beginning is a certain loss
    if missing > 0 and min(numbers) > 1 + left_out:
        return [f"events: the log begins with event {min(numbers)}; earlier events are lost"]
    return []
