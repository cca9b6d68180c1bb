"""The dominator tree in rows that a page can hold, with what leads to each and what it says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from mprof.heap.browse.describe import frame_name, frame_place, object_row
from mprof.heap.heap import Heap
from mprof.heap.names import hex_id
from mprof.io.printable import one_line

__all__ = ["Tree", "tree_of"]

_PARTS: Final = 20_000  # of the heap: an object that retains one has a row alone
_MOST_ROWS: Final = 25_000
_MOST_DESCRIBED: Final = 1500
_MOST_NAMED: Final = 15_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The rows, parents first; row 0 is the heap. Column by column: a page has many of them.

    A row is an object, a frame or a thread alone, or all small objects of a class below the row
    above it. Rows that are smaller than all that are listed are left out, so that the rows below
    one may come to less than it holds.

    Attributes:
        names: of classes, and of the methods of frames.
        ids: address of the object, "" where a row is of several objects or of none.
        alone: whether a row is one object, frame or thread.
        parents: number of the row above, that of the first is 0.
        classes: number of the name.
        by: how the row above refers to it: a field, ``[3]``; under the heap the kind of root; ""
            where it does not refer to it itself.
        says: what the object is or holds, in a few words.
        objects: how many it is.
        below: objects of this row and of all that it keeps alive.
        shallow: bytes of its own.
        totals: bytes of this row and of all that it keeps alive.
    """

    names: tuple[str, ...]
    ids: tuple[str, ...]
    alone: tuple[bool, ...]
    parents: tuple[int, ...]
    classes: tuple[int, ...]
    by: tuple[str, ...]
    says: tuple[str, ...]
    objects: tuple[int, ...]
    below: tuple[int, ...]
    shallow: tuple[int, ...]
    totals: tuple[int, ...]


def tree_of(heap: Heap, *, most_rows: int = _MOST_ROWS) -> Tree:
    """The rows of a heap.

    Args:
        heap: the heap, opened with paths.
        most_rows: how many rows at most, those that hold least left out.
    """
    rows = heap.outline(least=max(1, heap.shallow_bytes // _PARTS))
    order = np.arange(rows.totals.size)
    if order.size > most_rows:
        # Of equal ones the first: a row is never smaller than one below it, nor behind it.
        order = np.sort(np.argsort(-rows.totals, kind="stable")[:most_rows])
    number = np.zeros(rows.totals.size, np.int64)
    number[order] = np.arange(order.size)
    nodes = rows.vertices[order].tolist()
    parents = number[rows.parents[order]].tolist()
    totals = rows.totals[order].tolist()
    names: dict[str, int] = {}
    classes, shown = [], []
    described = set(np.argsort(-rows.totals[order], kind="stable")[:_MOST_DESCRIBED].tolist())
    for at, (node, kind) in enumerate(zip(nodes, rows.classes[order].tolist(), strict=True)):
        name, words = _name(heap, node, kind), ""
        frame = heap.frames_by_node.get(node)
        if frame is not None:
            name, words = frame_name(frame), frame_place(frame)
        elif node > 0 and at in described:
            words = object_row(heap, node).says
        classes.append(names.setdefault(one_line(name), len(names)))
        shown.append(one_line(words))
    return Tree(
        names=tuple(names),
        ids=tuple(
            hex_id(heap.address(node)) if node > 0 and heap.is_object(node) else ""
            for node in nodes
        ),
        alone=tuple(node >= 0 for node in nodes),
        parents=tuple(parents),
        classes=tuple(classes),
        by=_referred(heap, nodes, parents),
        says=tuple(shown),
        objects=tuple(rows.members[order].tolist()),
        below=tuple(rows.below[order].tolist()),
        shallow=tuple(rows.shallow[order].tolist()),
        totals=tuple(totals),
    )


def _name(heap: Heap, node: int, kind: int) -> str:
    if kind >= 0:
        return heap.class_names()[kind]
    return heap.class_name(node) if node >= 0 else "<frame>"


def _referred(heap: Heap, nodes: Sequence[int], parents: Sequence[int]) -> tuple[str, ...]:
    """How the row above refers to each; asked once of each row above, however many are below."""
    below: dict[int, list[int]] = defaultdict(list)
    for at, (node, parent) in enumerate(zip(nodes, parents, strict=True)):
        if node > 0:
            below[parent].append(at)
    found = [""] * len(nodes)
    asked = 0
    for parent, rows in below.items():
        above = nodes[parent]
        asked += len(rows)
        if above == 0:
            for at in rows:
                found[at] = heap.root_kind(nodes[at])
        elif asked <= _MOST_NAMED:
            names = heap.reference_names(above, [nodes[at] for at in rows])
            for at in rows:
                found[at] = one_line(names.get(nodes[at], ""))
    return tuple(found)
