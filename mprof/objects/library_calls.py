"""The method of a library, called by a user's frame, in which a holder is a local."""

from __future__ import annotations

from mprof.code_site import CodeSite
from mprof.engines.libraries import JDK
from mprof.objects.owned_heap import OwnedHeap
from mprof.objects.point import Point
from mprof.objects.roots import Root
from mprof.objects.stack import TaskFrame, site_of

__all__ = ["called_with", "method_within"]

_STAGES = "java.util.stream."


def called_with(root: Root, node: int) -> TaskFrame | None:
    """The frame that a local's frame has called, if that or one above has a node as local."""
    if root.frame is None or root.thread is None:
        return None
    frames = root.thread.frames
    called = None
    for frame in reversed(frames[: frames.index(root.frame)]):
        if frame.level != "library":
            return None
        called = called or frame
        at_work = (frame,) if root.worker is None else root.worker.frames
        if any(node in each.frame.locals for each in at_work):
            return called
    return None


def method_within(owned: OwnedHeap, root: Root, point: Point) -> CodeSite | None:
    """The library's method, called by the frame, in which the holder is a local."""
    if point.called is not None:
        return site_of(point.called.frame)
    if root.below is not None:
        return site_of(root.below.frame)
    if not owned.through_few or root.chain[0][0] != "local":
        return None
    name = owned.class_of(root.node)
    is_nameless = name.rpartition("$")[2][:1].isdigit()
    is_named = name.startswith(JDK) and not name.startswith(_STAGES)  # by the user's code
    theirs = owned.kind(name) == "neutral" and not is_named
    if not (is_nameless or (theirs and _is_deep(root))):
        return None
    called = called_with(root, root.node)
    return None if called is None else site_of(called.frame)


def _is_deep(root: Root) -> bool:
    """Whether neither a local's frame nor the method that it has called has it as a local."""
    if root.frame is None or root.thread is None:
        return False
    frames = root.thread.frames
    at = frames.index(root.frame)
    near = frames[max(0, at - 1) : at + 1]
    return not any(root.node in each.frame.locals for each in near)
