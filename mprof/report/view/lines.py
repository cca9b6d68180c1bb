"""Every text of a view is one harmless line, whatever names and messages it quotes.

Names of classes, jobs, files and hosts and messages of errors come from the job: a page or a
terminal shows them as they are, but obeys nothing in them.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from mprof.printable import one_line

__all__ = ["in_lines"]

T = TypeVar("T")


def in_lines(view: T) -> T:
    """The view, with each of its texts in one line and without control characters."""
    cleaned: Any = _cleaned(view)
    return cleaned  # type: ignore[no-any-return]


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, tuple):
        return tuple(_cleaned(each) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        return replace(value, **{name: _cleaned(part) for name, part in parts.items()})
    return value
