"""Where most of a holder stands that a way through objects of libraries has missed."""

from __future__ import annotations

from mprof.heap import Heap
from mprof.objects.library_calls import called_with
from mprof.objects.owned_heap import MOST_LEVELS, OwnedHeap
from mprof.objects.ownership import Label
from mprof.objects.point import Point, along
from mprof.objects.roots import Root
from mprof.objects.thresholds import LARGE_OBJECT

__all__ = ["elsewhere"]


def elsewhere(owned: OwnedHeap, root: Root, point: Point, label: Label) -> Point | None:
    """Where most of a holder stands, if a way through objects of libraries has missed it.

    In a server, a driver or a database everything reaches everything, and the field that
    reaches most may be any. What alone keeps most of the holder alive is the same whichever
    way was gone; a local of a method that the frame has called, or the shortest way leads to
    it. None where the way is right, as far as this can say.
    """
    heap, least = owned.heap, owned.most_of(label)
    if least < LARGE_OBJECT.value or heap.retained(point.node) >= least:
        return None
    if not any(owned.is_plain_library_object(node) for _, node in point.chain[:-1]):
        return None
    keeper = _keeper(owned, label, least)
    if keeper is None or any(_is_or_has(heap, node, keeper) for _, node in point.chain):
        return None
    above = called_with(root, keeper)
    if above is not None:
        return Point((("local", _enlarged(heap, root, keeper)),), above)
    way = owned.shortest(root.chain[-1][1], keeper, label)
    if len(way) < 2:
        return None
    if _is_or_has(heap, way[-2], keeper):
        way = way[:-1]
    return Point(along(heap, root, way))


def _keeper(owned: OwnedHeap, label: Label, least: float) -> int | None:
    """The container that alone keeps most of a holder alive; of more than a few objects."""
    heap = owned.heap
    at, found = 0, None
    for _ in range(MOST_LEVELS):
        below = heap.dominated_in_order(at)
        large = below[heap.retained_all(below) >= least].tolist()
        at = next((node for node in large if owned.kept(node, label) >= least), -1)
        if at < 0:
            break
        if owned.is_of(at, label) and heap.container(at) is not None:
            found = at
            if not owned.few_in(at):
                break
    return found


def _is_or_has(heap: Heap, node: int, keeper: int) -> bool:
    """Whether a node is what keeps most, or the container whose array that is."""
    content = None if node == keeper else heap.container(node)
    return node == keeper or (content is not None and content.backing == keeper)


def _enlarged(heap: Heap, root: Root, array: int) -> int:
    """The container whose array it is, where methods of its own have both: it is enlarged."""
    thread = root.worker or root.thread
    for frame in () if thread is None else thread.frames:
        for node in frame.frame.locals:
            content = heap.container(node)
            if node != array and content is not None and content.backing == array:
                return node
    return array
