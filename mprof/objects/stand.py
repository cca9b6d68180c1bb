"""Where a holder begins, where its memory really stands, and whose line it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mprof.objects.at_work import not_who_made_it
from mprof.objects.blame import blame
from mprof.objects.detours import elsewhere
from mprof.objects.field_of_many import in_each
from mprof.objects.owned_heap import OwnedHeap
from mprof.objects.ownership import Label
from mprof.objects.point import Point, at_operator, descend, within_few
from mprof.objects.roots import Root
from mprof.objects.shared_fields import shared_field
from mprof.objects.stacks import Blamed, Stacks
from mprof.objects.turns import adds_rather

__all__ = ["Stand", "stand_of"]


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a holder stands.

    Attributes:
        root: where its largest part begins.
        point: where its memory stands.
        blamed: the frame, and its thread.
        shared: the library's field that holds the container, where a local is but a way there.
    """

    root: Root
    point: Point
    blamed: Blamed | None
    shared: str | None


def stand_of(owned: OwnedHeap, stacks: Stacks, label: Label, roots: Sequence[Root]) -> Stand:
    """Where a holder stands.

    Args:
        owned: the heap.
        stacks: all of it.
        label: of the holder.
        roots: those of the label that it owns; all of them, if it owns none.
    """
    root = _largest(owned, label, roots or label.roots)
    point = at_operator(owned, label) or descend(owned, root.chain, label)
    if owned.through_few:
        point = within_few(owned, point, label)
        point = elsewhere(owned, root, point, label) or point
        point = (in_each(owned, root, label) if len(roots) == 1 else None) or point
    blamed = blame(owned, stacks, root, point)
    filler = blamed and adds_rather(owned.heap, stacks.threads, point.node, blamed)
    if filler is not None:
        if root.key.kind in ("field", "local") and len(filler.way) > 1:
            point = Point(filler.way)
        return Stand(root, point, (filler.frame, filler.thread), None)
    shared = shared_field(owned, root, point, label)
    blamed = not_who_made_it(owned, stacks, root, blamed, label, is_shared=shared is not None)
    for each in roots:  # of many frames that hold such a local, the one that met the error
        if each.frame is not None and each.thread is stacks.threads[0] and root is not each:
            blamed = blamed if root.thread is each.thread else (each.frame, each.thread)
            break
    return Stand(root, point, blamed, shared)


def _largest(owned: OwnedHeap, label: Label, roots: Sequence[Root]) -> Root:
    if len(roots) == 1:
        return roots[0]
    sizes = owned.reached([root.node for root in roots], label)
    return roots[int(np.argmax(sizes))]
