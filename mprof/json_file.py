"""JSON that others wrote, decoded into a type: any damage is heard of in one way."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeVar

import msgspec

from mprof.files import UnreadableError, read_file

__all__ = ["decode_json", "read_json"]

T = TypeVar("T")

_LIMIT_BYTES: Final = 256 * 1024 * 1024
"""A hundred times the largest such file that was seen: the status of a job with 10,000 attempts."""


def read_json(path: Path, type_: type[T], *, limit_bytes: int = _LIMIT_BYTES) -> T:
    """The value in a JSON file.

    Raises:
        UnreadableError: if it cannot be read, or is not JSON of that type.
    """
    return decode_json(read_file(path, limit_bytes=limit_bytes), type_, path)


def decode_json(data: bytes, type_: type[T], path: Path) -> T:
    """The value in these bytes, which were read from ``path``.

    Raises:
        UnreadableError: if they are not JSON of that type.
    """
    try:
        return msgspec.json.decode(data, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableError(path, str(error)) from error
    except (RecursionError, OverflowError) as error:
        raise UnreadableError(path, "it is nested too deeply, or holds too large a number") from error
