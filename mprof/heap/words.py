"""What an object holds, in a few words."""

from __future__ import annotations

from typing import Final

from mprof.units import format_count

__all__ = ["contents_in_words"]

_TEXTS: Final = ("java.lang.String", "java.lang.StringBuffer", "java.lang.StringBuilder")


def contents_in_words(class_name: str | None, length: int, element_class: str | None) -> str:
    """``574,180 entries of String``; of a text its characters, of a buffer its bytes."""
    if class_name in _TEXTS:
        return f"{format_count(length)} {'character' if length == 1 else 'characters'}"
    if element_class == "byte":
        return f"{format_count(length)} {'byte' if length == 1 else 'bytes'}"
    of = f" of {element_class.rsplit('.', 1)[-1]}" if element_class else ""
    return f"{format_count(length)} {'entry' if length == 1 else 'entries'}{of}"
