"""A field of many objects of the program's, in which each of them holds its part of a holder."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.heap import Heap
from mprof.kernels.claim import retained_by_class
from mprof.kernels.select import where_both
from mprof.objects.owned_heap import OwnedHeap
from mprof.objects.ownership import Label
from mprof.objects.point import Point, along, descend
from mprof.objects.roots import Root
from mprof.objects.thresholds import CLASS_OF_A_HOLDER, LARGE_OBJECT, LEADS_ON

__all__ = ["in_each"]


def in_each(owned: OwnedHeap, root: Root, label: Label) -> Point | None:
    """A field of many objects of the program's, of which each holds more than they are many.

    As where a server has a list of connections, or a selector with their keys, and each has a
    queue of what it has not sent: the queues have grown and not the list. Which is so of the
    most objects, if of several classes. Of what holds most of the heap: it takes two passes.
    """
    heap, ownership = owned.heap, owned.ownership
    total, least = owned.bytes_of(label), owned.most_of(label)
    if least < LARGE_OBJECT.value or total < LEADS_ON.value * int(ownership.bytes.sum()):
        return None
    names, classes = heap.class_names(), heap.class_numbers()
    sums, counts = retained_by_class(
        ownership.owners,
        label.number,
        classes=classes,
        subtrees=heap.subtrees,
        prefix=owned.columns.prefix,
        count=len(names),
    )
    some = sums >= LEADS_ON.value * least  # the rest may be a local of a method at work on it
    large = np.flatnonzero(some & (counts > 1) & (counts**2 < total)).tolist()
    for number in sorted(large, key=lambda each: (-counts[each], -sums[each])):
        if owned.kind(names[number]) == "user":
            nodes = where_both(ownership.owners, label.number, classes, number)
            found = _field_of_each(owned, root, label, nodes)
            if found is not None:
                return found
    return None


def _field_of_each(
    owned: OwnedHeap, root: Root, label: Label, nodes: NDArray[np.int64]
) -> Point | None:
    """The field in which such objects hold most of a holder, if that is as `in_each` says.

    Args:
        owned: the heap.
        root: of the holder.
        label: of it.
        nodes: objects of one class, ascending.
    """
    heap = owned.heap
    retained = heap.retained_all(nodes)
    largest = int(nodes[np.argmax(retained)])
    nested = nodes[1:] < nodes[:-1] + [heap.subtree(int(each)) for each in nodes[:-1]]
    if nested.any() or largest == root.node:
        return None  # a list or tree of the program's own
    inner = descend(owned, (("", largest),), label, total=int(retained.max()))
    way = owned.shortest(root.chain[-1][1], largest, label)
    if heap.container(inner.node) is None or len(inner.chain) < 2 or len(way) < 2:
        return None
    ends = {end for node in nodes.tolist() if (end := _end(heap, node, inner)) is not None}
    contents = {end: heap.container(end) for end in ends}
    lengths = {end: content.length for end, content in contents.items() if content is not None}
    some = CLASS_OF_A_HOLDER.value * max(lengths.values(), default=0)
    lengths = {end: length for end, length in lengths.items() if length >= some}
    if sum(lengths.values()) <= len(lengths) ** 2:
        return None
    above = (*way, *nodes.tolist())
    if owned.reached(sorted(lengths), label, without=above).sum() < owned.most_of(label):
        return None
    chain = (*along(heap, root, way), *inner.chain[1:])
    return Point(chain, each=frozenset(lengths))


def _end(heap: Heap, node: int, of_another: Point) -> int | None:
    """Where the same fields lead from an object as from another one of its class."""
    at: int | None = node
    for name, _ in of_another.chain[1:]:
        at = None if at is None else heap.reference(at, name)
    return at
