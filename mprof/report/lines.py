"""Every text of a value is one harmless line, whatever names and messages it quotes.

Names of classes, jobs, files and hosts and messages of errors come from the job: a page or a
terminal shows them as they are, but obeys nothing in them.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from msgspec import Struct, structs

from mprof.io.printable import one_line

__all__ = ["in_lines"]

T = TypeVar("T")


def in_lines(value: T) -> T:
    """The frozen value, with each of its texts in one line and without control characters."""
    cleaned: Any = _cleaned(value)
    return cleaned  # type: ignore[no-any-return]


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, tuple):
        return tuple(_cleaned(each) for each in value)
    if isinstance(value, Struct):
        parts = {name: getattr(value, name) for name in value.__struct_fields__}
        return structs.replace(value, **{name: _cleaned(part) for name, part in parts.items()})
    if is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        return replace(value, **{name: _cleaned(part) for name, part in parts.items()})
    return value
