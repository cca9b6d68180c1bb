"""A published value as JSON: the text that a command prints, and the object that it stands for."""

from __future__ import annotations

from typing import Any

import msgspec

from mprof.io.printable import encodable, in_json

__all__ = ["json_object", "json_text", "members"]


def members(value: object, *names: str) -> dict[str, Any]:
    """Those members of a value that are published under their own names."""
    return {name: getattr(value, name) for name in names}


def json_object(value: Any) -> Any:
    """The value as strings, numbers, lists, dicts and None."""
    return _in_lists(msgspec.to_builtins(value))


def json_text(value: Any) -> str:
    """The value as JSON, indented; a terminal that shows it obeys nothing in it."""
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:  # the name of a file that is not UTF-8
        encoded = msgspec.json.encode(_in_utf8(json_object(value)))
    return in_json(msgspec.json.format(encoded, indent=2).decode())


def _in_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _in_lists(each) for key, each in value.items()}
    return [_in_lists(each) for each in value] if isinstance(value, list | tuple) else value


def _in_utf8(value: Any) -> Any:
    """The value, with what no UTF-8 can hold in its texts written out: bytes of a file's name."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {key: _in_utf8(each) for key, each in value.items()}
    return [_in_utf8(each) for each in value] if isinstance(value, list) else value
