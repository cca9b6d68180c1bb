"""The field of a library that holds what is reached from a local, which is but a way there."""

from __future__ import annotations

from itertools import pairwise

from mprof.engines.libraries import JDK
from mprof.objects.contents import MOST_FEW
from mprof.objects.owned_heap import OwnedHeap
from mprof.objects.ownership import Label
from mprof.objects.point import Point
from mprof.objects.roots import Root
from mprof.objects.words import is_lambda

__all__ = ["shared_field"]


def shared_field(owned: OwnedHeap, root: Root, point: Point, label: Label) -> str | None:
    """The library's field that holds the container, static or not; None where the root does."""
    if not owned.through_few:
        return None
    return _of_an_object(owned, root, point) or _static(owned, root, point, label)


def _of_an_object(owned: OwnedHeap, root: Root, point: Point) -> str | None:
    """The library's field that holds the container, where a local is but a way there.

    What the thread of the local does not keep alive, others use as well: it is a part of the
    server or the database that the local belongs to.
    """
    if point.called is not None or len(point.chain) < 2:
        return None
    heap = owned.heap
    outermost, thread = root.chain[-1][1], root.thread
    passed = point.chain[len(root.chain) :]
    by_thread = thread is not None and heap.keeps(thread.thread.node, point.node)
    if not passed or by_thread or not owned.is_plain_library_object(outermost):
        return None
    if root.chain[0][0] != "local" and not _leads_around(owned, root, point):
        captured = len(root.chain) > 1 and is_lambda(owned.class_of(root.chain[-2][1]))
        if not captured or heap.keeps(outermost, point.node):
            return None
    named = [
        (above, name)
        for (_, above), (name, _) in pairwise(point.chain[len(root.chain) - 1 :])
        if name[0] != "[" and not heap.class_name(above).startswith("java.util.")
    ]
    if not named:
        return None
    keeps = (pair for pair in named if heap.keeps(pair[0], point.node))
    above, name = next(keeps, named[-1])
    return f"{owned.class_of(above)}.{name}"


def _static(owned: OwnedHeap, root: Root, point: Point, label: Label) -> str | None:
    """The static field of a library that most of a local of its own methods is reached from.

    Where others keep it as well as the thread: as of a pool of buffers, of which a method has
    a part as its local.
    """
    if root.chain[0][0] != "local" or root.thread is None:
        return None
    name = owned.heap.class_name(root.node)
    if owned.kind(name) != "neutral" or name.startswith(JDK) or "[" in name:
        return None
    if owned.heap.keeps(root.thread.thread.node, point.node):
        return None
    found = [
        each
        for each in owned.columns.statics["neutral"]
        if owned.is_of(each.node, label) and not each.class_name.startswith(JDK)
    ]
    for each in found[:MOST_FEW]:
        if owned.reached([each.node], label)[0] >= owned.most_of(label):
            return f"static {each.class_name}.{each.field}"
    return None


def _leads_around(owned: OwnedHeap, root: Root, point: Point) -> bool:
    """Whether the way from an object's field leads through what has called its method.

    As from a servlet, through its configuration, into the server: that is around the object,
    and no part of it.
    """
    if root.chain[0][0] != "this" or root.frame is None or root.thread is None:
        return False
    below = root.thread.frames[root.thread.frames.index(root.frame) + 1 :]
    callers = {each.frame.class_name for each in below if not each.is_user}
    names = {owned.heap.class_name(node) for _, node in point.chain[1:]}
    return any(
        not callers.isdisjoint((name, *owned.heap.super_classes(name)))
        for name in names
        if owned.kind(name) == "neutral" and not name.startswith(JDK)
    )
