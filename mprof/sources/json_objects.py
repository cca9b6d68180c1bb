"""Files of JSON objects that stand one after the other, as Rumen and exports write them."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mprof.sources.reading import Losses, pieces_of

__all__ = ["json_objects"]

_LONGEST_OBJECT: Final = 1 << 30
_MOST_SPACE: Final = 64
_BORDER: Final = re.compile(r"\}\s{0,62}\{")


def json_objects(path: Path, losses: Losses) -> Iterator[dict[str, Any]]:
    """JSON objects one after the other, with nothing but space between them.

    Two closed and opened braces with only space between them stand nowhere inside of an object but
    in a text: an object that is damaged costs no other.
    """
    held = ""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for piece in pieces_of(path, losses):
        # The search goes on where it ended: an object may be much longer than a piece.
        searched = max(0, len(held) - _MOST_SPACE)
        held += decoder.decode(piece)
        start = 0
        for border in _BORDER.finditer(held, searched):
            found = _object(held[start : border.start() + 1])
            if found is None and _in_text(held[start : border.start() + 1]):
                continue  # it may be within a text; if not, both are lost
            yield from _given(found, held[start : border.start() + 1], losses)
            start = border.end() - 1
        held = held[start:]
        if len(held) > _LONGEST_OBJECT:
            losses.add("an object is longer than 1 GiB, or no JSON", held[:80])
            return
    held = (held + decoder.decode(b"", final=True)).strip()
    if held:
        yield from _last(held, losses)


def _last(held: str, losses: Losses) -> Iterator[dict[str, Any]]:
    """What stands at the end; a text that was never closed does not cost the objects behind it."""
    start = 0
    while start < len(held):
        found = _object(held[start:])
        if found is not None:
            yield from _given(found, held[start:], losses)
            return
        border = _BORDER.search(held, start + 1)
        if border is None:
            losses.add("the last object is cut off, or no JSON", held[start : start + 80])
            return
        yield from _given(_object(held[start : border.start() + 1]), held[start:], losses)
        start = border.end() - 1


def _given(found: Any, text: str, losses: Losses) -> Iterator[dict[str, Any]]:
    if isinstance(found, dict):
        yield found
    else:
        losses.add("an object is damaged", text[:80])


def _object(text: str) -> Any:
    """The value of a JSON text; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _in_text(cut: str) -> bool:
    """Whether a JSON text breaks off within a string."""
    try:
        json.loads(cut)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        return False
    return False
