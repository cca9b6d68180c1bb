"""Files of JSON objects that stand one after the other, as Rumen and exports write them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Any, Final

import msgspec

from mprof.sources.reader import MOST_SKIPPED, Losses, pieces_of

__all__ = ["LONGEST_OBJECT", "MOST_VALUES", "json_object", "json_objects"]

LONGEST_OBJECT: Final = 128 << 20
"""Bytes: a job of 50,000 attempts has some 110 MB in a trace of Rumen."""

MOST_VALUES: Final = 5_000_000
"""Values, lists and objects of an object, which take up to 150 bytes each: as many as it has."""

_TOO_MANY: Final = object()
_MOST_SPACE: Final = 64
_BORDER: Final = re.compile(rb"\}\s{0,62}\{")
_QUOTE_OR_BORDER: Final = re.compile(rb'"|\}\s{0,62}\{')
_END_OF_TEXT: Final = re.compile(rb'["\\]')
_SPACE: Final = re.compile(rb"\s*")
_BEHIND_TEXT: Final = frozenset(b",:]}")
_LONGEST_QUOTE: Final = 80


def json_objects(path: Path, losses: Losses) -> Iterator[dict[str, Any]]:
    """JSON objects one after the other, with nothing but space between them.

    Two closed and opened braces with only space between them, a border, stand nowhere inside of an
    object but in a text: an object that is damaged costs no other.

    Time: each byte is looked at, and decoded, a fixed number of times. Memory: of one object.
    """
    held = bytearray()
    one = _Object()
    skipping = False
    skipped = 0
    for piece in pieces_of(path, losses):
        held += piece
        if skipping:
            border = _BORDER.search(held)
            del held[: -_MOST_SPACE if border is None else border.end() - 1]
            skipping = border is None
            if skipping:
                skipped += len(piece)
                if skipped > MOST_SKIPPED:
                    losses.add(f"{MOST_SKIPPED:,} bytes without an object: no more is read")
                    return
                continue
            skipped = 0
        while one.ends_in(held):
            yield from _given(one.value, held, one.start, losses)
            one = _Object(start=one.next, at=one.next)
        del held[: one.start]
        one = one.moved()
        if len(held) > LONGEST_OBJECT:
            # In a text that was never closed there may be objects.
            yield from _each(held, losses, why=f"an object is longer than {LONGEST_OBJECT:,} bytes")
            del held[:-_MOST_SPACE]
            one, skipping = _Object(), True
    if not skipping:
        yield from _last(held, losses)


def json_object(text: bytes) -> dict[str, Any] | None:
    """The one object that a text is; None where it is another value, damaged or too large."""
    found = _value(bytearray(text), 0, len(text)) if len(text) <= LONGEST_OBJECT else None
    return found if isinstance(found, dict) else None


class _Place(Enum):
    UNKNOWN = auto()
    OUTSIDE = auto()
    IN_TEXT = auto()
    BEHIND_TEXT = auto()
    DAMAGED = auto()


@dataclass(slots=True)
class _Object:
    """Looks for the end of an object in what is held of it; goes on where it has stopped.

    Up to the first border it is decoded: most objects end there. Where that fails, the border may
    be within a text, and the quotes are counted. Behind a text stands one of four characters: where
    another does, the quotes cannot be trusted, and the next border ends the object.

    Attributes:
        start: where it begins.
        at: up to where it was looked at.
        place: what stands there.
        value: of the object; None where it is damaged.
        end: behind it.
        next: where the next one begins.
    """

    start: int = 0
    at: int = 0
    place: _Place = _Place.UNKNOWN
    value: Any = None
    end: int = 0
    next: int = 0

    def moved(self) -> _Object:
        """The same, once what stands before it is no longer held."""
        return _Object(0, self.at - self.start, self.place)

    def ends_in(self, held: bytearray) -> bool:
        """Whether its end is held."""
        while self.at < len(held):
            if self.place is _Place.IN_TEXT:
                self._pass_text(held)
            elif self.place is _Place.BEHIND_TEXT:
                self._pass_space(held)
            else:
                pattern = _QUOTE_OR_BORDER if self.place is _Place.OUTSIDE else _BORDER
                found = pattern.search(held, self.at)
                if found is None:
                    # Of a border the first part may be held.
                    self.at = max(self.at, len(held) - _MOST_SPACE)
                    return False
                if found[0] == b'"':
                    self.at, self.place = found.end(), _Place.IN_TEXT
                    continue
                tried = self.end
                self.end, self.next = found.start() + 1, found.end() - 1
                if self.place is not _Place.DAMAGED and self.end != tried:
                    self.value = _value(held, self.start, self.end)
                if self.value is not None or self.place is not _Place.UNKNOWN:
                    return True
                self.at, self.place = self.start, _Place.OUTSIDE
        return False

    def _pass_text(self, held: bytearray) -> None:
        found = _END_OF_TEXT.search(held, self.at)
        if found is None:
            self.at = len(held)
        elif found[0] == b'"':
            self.at, self.place = found.end(), _Place.BEHIND_TEXT
        else:
            self.at = found.end() + 1  # which may not be held yet

    def _pass_space(self, held: bytearray) -> None:
        space = _SPACE.match(held, self.at)
        self.at = self.at if space is None else space.end()
        if self.at < len(held):
            trusted = held[self.at] in _BEHIND_TEXT
            self.place = _Place.OUTSIDE if trusted else _Place.DAMAGED


def _last(held: bytearray, losses: Losses) -> Iterator[dict[str, Any]]:
    """What stands at the end; a text that was never closed does not cost the objects behind it."""
    if not held.strip():
        return
    found = _value(held, 0, len(held))
    if found is not None:
        yield from _given(found, held, 0, losses)
    else:
        yield from _each(held, losses, why="the last object is cut off, or no JSON")


def _each(held: bytearray, losses: Losses, *, why: str) -> Iterator[dict[str, Any]]:
    """The objects between all borders, and why there is none behind the last one."""
    start = 0
    while (border := _BORDER.search(held, start)) is not None:
        yield from _given(_value(held, start, border.start() + 1), held, start, losses)
        start = border.end() - 1
    found = _value(held, start, len(held)) if start else None
    if found is not None:
        yield from _given(found, held, start, losses)
    else:
        losses.add(why, _quoted(held, start))


def _given(found: Any, held: bytearray, start: int, losses: Losses) -> Iterator[dict[str, Any]]:
    if isinstance(found, dict):
        yield found
    elif found is _TOO_MANY:
        losses.add(f"an object has more than {MOST_VALUES:,} values", _quoted(held, start))
    else:
        losses.add("an object is damaged", _quoted(held, start))


def _quoted(held: bytearray, start: int) -> str:
    return held[start : start + _LONGEST_QUOTE].decode("utf-8", "replace")


def _value(held: bytearray, start: int, end: int) -> Any:
    """The value of a JSON text; `_TOO_MANY` where it is too large, None where it is no JSON."""
    if sum(held.count(each, start, end) for each in b",[{") > MOST_VALUES:
        return _TOO_MANY
    try:
        with memoryview(held) as whole, whole[start:end] as text:
            return msgspec.json.decode(text)
    except (ValueError, RecursionError):
        pass
    try:
        # Some write NaN, and bytes that are no UTF-8 need not cost the object that they stand in.
        return json.loads(held[start:end].decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
