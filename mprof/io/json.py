"""JSON that others wrote, decoded into a type: any damage is heard of in one way."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from mprof.io.files import UnreadableError, read_file

__all__ = ["decode_json", "has_number_beyond_long", "read_json"]

T = TypeVar("T")

_LONGEST_DIGITS: Final = 20  # of a Java long, its sign included
# a whole number: the digits behind a point are as many as a double needs
_LONG_NUMBER: Final = re.compile(rb"(?<![0-9.])-?[0-9]{19,}(?![0-9.eE])")
_ESCAPE: Final = re.compile(rb"\\.", re.DOTALL)
# A text that is never closed ends the search, which else begins anew at each quote in it.
_TEXT: Final = re.compile(rb'"[^"]*"?')
_LIMIT_BYTES: Final = 256 * 1024 * 1024
"""A hundred times the largest such file that was seen: the status of a job with 10,000 attempts."""


def read_json(path: Path, type_: type[T], *, limit_bytes: int = _LIMIT_BYTES) -> T:
    """The value in a JSON file.

    Raises:
        UnreadableError: if it cannot be read, or is not JSON of that type.
    """
    return decode_json(read_file(path, limit_bytes=limit_bytes), type_, path)


def has_number_beyond_long(data: bytes) -> bool:
    """Whether JSON holds a whole number that is no Java long, and so counts nothing.

    >>> has_number_beyond_long(b'{"records": 9223372036854775808}')
    True
    >>> has_number_beyond_long(b'{"digits": "9223372036854775808", "share": 0.9223372036854775808}')
    False
    """
    if _LONG_NUMBER.search(data) is None:
        return False
    numbers = _LONG_NUMBER.findall(_TEXT.sub(b'""', _ESCAPE.sub(b"", data)))
    return any(len(each) > _LONGEST_DIGITS or not -(2**63) <= int(each) < 2**63 for each in numbers)


def decode_json(data: bytes, type_: type[T], path: Path | str) -> T:
    """The value in these bytes, which were read from ``path``.

    Raises:
        UnreadableError: if they are not JSON of that type.
    """
    if has_number_beyond_long(data):
        raise UnreadableError(path, "it holds a number that is too large to count anything")
    try:
        return msgspec.json.decode(data, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableError(path, str(error)) from error
    except RecursionError as error:
        raise UnreadableError(path, "it is nested too deeply") from error
