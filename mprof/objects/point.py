"""The accumulation point of a holder: down the fields to the container that has most of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mprof.heap import Container, Heap
from mprof.objects.contents import ENTRIES
from mprof.objects.owned_heap import OwnedHeap
from mprof.objects.ownership import Label
from mprof.objects.roots import Root
from mprof.objects.stack import TaskFrame
from mprof.objects.thresholds import LEADS_ON
from mprof.objects.words import is_lambda

__all__ = ["Chain", "Point", "along", "at_operator", "descend", "within_few"]

Chain = tuple[tuple[str, int], ...]

_MOST_STEPS = 8
_MOST_FIELDS = 64


@dataclass(frozen=True, slots=True)
class Point:
    """The accumulation point: names and nodes that lead to it, the container last.

    Attributes:
        chain: of these.
        called: the library's frame, called by the user's, in which it is a local.
        each: the containers in the same field of all objects of that class, of which it is one.
    """

    chain: Chain
    called: TaskFrame | None = None
    each: frozenset[int] = frozenset()

    @property
    def node(self) -> int:
        """The container."""
        return self.chain[-1][1]


def along(heap: Heap, root: Root, way: list[int]) -> Chain:
    """The chain of a root, and on along a way that begins at its node."""
    names = [heap.reference_name(*step) or "?" for step in pairwise(way)]
    return (*root.chain, *zip(names, way[1:], strict=True))


def descend(
    owned: OwnedHeap,
    chain: Chain,
    label: Label,
    *,
    through_few: bool = False,
    total: int | None = None,
) -> Point:
    """Down the fields to the first container, or to where no field holds most of it.

    What alone keeps most comes before what reaches most: each of a few connections reaches all
    others, through the selector that they are registered with.

    Args:
        owned: the heap.
        chain: where it begins.
        label: of the holder.
        through_few: also through lists and arrays of a few objects.
        total: bytes of which most is looked for; by default all of the holder.
    """
    heap = owned.heap
    least = owned.most_of(label) if total is None else LEADS_ON.value * total
    for _ in range(_MOST_STEPS):
        node = chain[-1][1]
        content = heap.container(node)
        few = owned.few_in(node) if through_few else []
        if content is not None and not few and not _is_beside(owned, content, label, least):
            break
        fields = [
            (name, target)
            for name, target in (few or heap.reference_fields(node).items())
            if owned.is_of(target, label) and not _recurs(heap, target, chain)
        ][:_MOST_FIELDS]
        keeping = [
            each
            for each in fields
            if heap.retained(each[1]) >= least and owned.kept(each[1], label) >= least
        ]
        innermost = min(keeping, key=lambda each: heap.retained(each[1]), default=None)
        further = innermost or _reaching(owned, fields, chain, label, least)
        if further is None:
            break
        chain = (*chain, further)
    return Point(chain)


def _reaching(
    owned: OwnedHeap, fields: list[tuple[str, int]], chain: Chain, label: Label, least: float
) -> tuple[str, int] | None:
    """The field that reaches most of a holder, if one does."""
    if not fields:
        return None
    # Not back: a worker of a pool is an inner object, and knows the pool and its queue.
    above = tuple(node for _, node in chain)
    sizes = owned.reached([target for _, target in fields], label, without=above)
    best = int(np.argmax(sizes))
    return None if sizes[best] < least else fields[best]


def _is_beside(owned: OwnedHeap, content: Container, label: Label, least: float) -> bool:
    """Whether most lies beside a container's array, as behind a buffer of another stream."""
    array = content.backing
    if array is None or owned.heap.array_length(array) < 0:
        return False
    elements = owned.heap.first_elements(array, 1)
    return not elements and owned.kept(array, label) < least


def _recurs(heap: Heap, node: int, chain: Chain) -> bool:
    """Whether a node is on the chain, or is one more link of a chain of its own kind."""
    name = heap.class_name(node)
    wraps = is_lambda(name)  # as a dynamic proxy does what it is handed
    alike = () if wraps else chain
    if name.startswith("java.util."):  # a map of maps is no chain, nor are the entries of both
        if heap.container(node) is not None:
            alike = ()
        elif name.endswith(ENTRIES):
            alike = chain[-1:]
    return any(node == above for _, above in chain) or any(
        name == heap.class_name(above) for _, above in alike
    )


def within_few(owned: OwnedHeap, point: Point, label: Label) -> Point:
    """The container inside one of a few objects, as long as one inside has most of it."""
    while True:
        further = descend(owned, point.chain, label, through_few=True)
        content = owned.heap.container(further.node)
        if content is None or further.node == point.node:
            return point
        point = further


def at_operator(owned: OwnedHeap, label: Label) -> Point | None:
    """The operator of a query that most of the holder hangs on, and the way into it.

    The plan that leads to it says nothing: it is the same for every query.
    """
    operators = owned.operators.at_work
    fields = [
        (operator, name, target)
        for operator in operators
        for name, target in owned.heap.reference_fields(operator).items()
        if owned.is_of(target, label) and target not in operators
    ]
    if not fields:
        return None
    sizes = owned.reached([target for *_, target in fields], label, without=tuple(operators))
    best = int(np.argmax(sizes))
    if sizes[best] < owned.most_of(label):
        return None
    operator, name, target = fields[best]
    # A function of the user's stands in an array of the operator's expressions.
    return descend(owned, (("this", operator), (name, target)), label, through_few=True)
