"""The page of a heap: one file with what it shows as data, and a script that unfolds it."""

from __future__ import annotations

from typing import Any

from mprof.heap.browse import HeapPicture
from mprof.io.printable import clipped, one_line
from mprof.report.markup import script_data
from mprof.report.page import page
from mprof.units import format_bytes, format_count

__all__ = ["harmless", "page_of"]

_IN_THE_TEMPLATE = ("headline", "losses", "layout", "unreachable")
_MOST_CHARACTERS = 1000  # of a name: a class of a damaged dump may have one of 64 KB


def page_of(picture: HeapPicture, *, live: bool = False) -> str:
    """The page as text.

    Args:
        picture: what it shows.
        live: whether it can ask a server for the rest of the heap.
    """
    data = picture.to_json()
    for name in _IN_THE_TEMPLATE:
        del data[name]
    unreachable = picture.unreachable
    return page(
        "heap",
        title=f"mprof: {picture.name}",
        heading=picture.name,
        headline=picture.headline,
        losses=picture.losses,
        facts=(
            ("objects", format_count(picture.object_count)),
            ("reachable", format_bytes(picture.shallow_bytes)),
            ("unreachable", format_bytes(unreachable.shallow_bytes)),
            ("classes", format_count(len(picture.classes) + picture.other_classes)),
            ("threads", format_count(picture.thread_count)),
        ),
        picture=script_data(harmless({**data, "live": live}, most=_MOST_CHARACTERS)),
        live=live,
    )


def harmless(value: Any, *, most: int | None = None) -> Any:
    """A value of JSON whose texts are each one line that means nothing to whoever shows it.

    Args:
        value: to be shown.
        most: characters of a text; the middle of a longer one is left out.
    """
    if isinstance(value, str):
        return one_line(value if most is None else clipped(value, most))
    if isinstance(value, dict):
        return {key: harmless(each, most=most) for key, each in value.items()}
    return [harmless(each, most=most) for each in value] if isinstance(value, list) else value
