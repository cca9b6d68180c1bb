"""Where the scripted user code keeps what a consumer of the model keeps: its fields and locals."""

from __future__ import annotations

from typing import Final

from reliability.model import Consumer, Task

__all__ = ["slots_of"]

_KEPT: Final = ("rows", "titles", "counts", "pages")
_DOUBLING: Final = ("table", "slots")
_LAZY: Final = ("cache", "synonyms", "stopWords")
_STATIC: Final = ("synonyms", "stopWords", "cache")
_LOADED: Final = ("model", "glossary")
_MATRICES: Final = ("matrix", "weights")


def slots_of(task: Task) -> tuple[str, ...] | None:
    """The slot of each consumer; None where the user code has too few of them."""
    taken: set[str] = set()
    found = []
    for number, one in enumerate(task.consumers):
        free = [each for each in _turned(_fitting(one), number) if each not in taken]
        if not free:
            return None
        found.append(free[0])
        if one.level != "record":
            taken.add(free[0])
    if "old" in {one.law.name for one in task.consumers} and "recent" not in found:
        return None
    return tuple(found)


def _turned(names: tuple[str, ...], by: int) -> tuple[str, ...]:
    turn = by % len(names)
    return names[turn:] + names[:turn]


def _fitting(one: Consumer) -> tuple[str, ...]:
    if one.owner == "writer":
        return ("batch",)
    if one.owner == "reader":
        return ("ahead",)
    if one.owner == "library":
        return ("pool",)
    if one.level == "record":
        return ("cells",) if one.spiky else ("tokens",)
    if one.law.name == "doubling":
        return ("buffer",) if one.level == "group" else _DOUBLING
    if one.level == "group":
        return ("pending",) if one.law.name in ("flushed", "young") else ("pending", "seen")
    if one.level == "setup":
        if one.static:
            return _STATIC
        return _LOADED if one.file is not None else _MATRICES
    if one.law.name == "lazy":
        return _LAZY
    return {"young": ("recent",), "old": ("archive",)}.get(one.law.name, _KEPT)
