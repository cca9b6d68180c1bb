"""The code that holds the memory: class, method and line, and the holder path."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Holder, StackFrame
from mprof.evidence.keys import class_and_fields, local_key

__all__ = ["Where", "allocation_site", "where_of", "where_of_key"]


@dataclass(frozen=True, slots=True)
class Where:
    """The code that holds the memory: its topmost user frame and the holder path."""

    class_name: str
    method: str
    file: str | None
    line: int | None
    path: str


def allocation_site(stack: tuple[StackFrame, ...] | None) -> Where | None:
    """The topmost user frame of the dying thread: it asked for the object that did not fit.

    Nothing holds that object, so the path is empty.
    """
    frame = next((one for one in stack or () if one.user), None)
    if frame is None:
        return None
    return Where(frame.class_name, frame.method, frame.file, frame.line, "")


def where_of(holder: Holder) -> Where:
    """The place in code of a holder.

    Where no user frame has it among its locals (a static, or a death in a thread of the
    framework) class and path stand, taken from its key, and the method is empty.
    """
    if holder.site is not None:
        site = holder.site
        return Where(site.class_name, site.method, site.file, site.line, holder.path)
    return where_of_key(holder.key, holder.class_name, holder.path)


def where_of_key(key: str, class_name: str = "", path: str | None = None) -> Where:
    """The place in code that a logical key names, for want of a frame.

    Keys are those of `mprof.objects`: ``field C.f``, ``static C.f``, ``local C.m V``.
    """
    word, _, rest = key.partition(" ")
    if word in ("field", "static"):
        owner, fields = class_and_fields(rest.split(" ")[0])
        if owner:
            return Where(owner, "", None, None, path or fields)
    if word in ("local", "written"):
        found = local_key(rest)
        if found.class_name:
            local = f"local {rest.partition(' ')[2]}"
            return Where(found.class_name, found.method, None, None, path or local)
    return Where(class_name or key, "", None, None, path or key)
