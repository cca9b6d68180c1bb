"""An object of strings, numbers, lists and None as the JSON text that a command prints."""

from __future__ import annotations

from typing import Any

import msgspec

from mprof.printable import encodable, in_json

__all__ = ["json_text"]


def json_text(value: Any) -> str:
    """The value as JSON, indented; a terminal that shows it obeys nothing in it."""
    try:
        text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except UnicodeEncodeError:  # the name of a file that is not UTF-8
        text = msgspec.json.format(msgspec.json.encode(_in_utf8(value)), indent=2).decode()
    return in_json(text)


def _in_utf8(value: Any) -> Any:
    """The value, with what no UTF-8 can hold in its texts written out: bytes of a file's name."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {key: _in_utf8(each) for key, each in value.items()}
    return [_in_utf8(each) for each in value] if isinstance(value, list) else value
