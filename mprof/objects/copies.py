"""Several objects that are one holder, and who keeps them: classes of one name, open writers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mprof.heap import Heap
from mprof.objects.owned_heap import MOST_LEVELS, OwnedHeap
from mprof.objects.ownership import Label
from mprof.objects.roots import Root
from mprof.objects.stack import TaskThread
from mprof.objects.thresholds import LEADS_ON
from mprof.units import format_count

__all__ = ["classes_of_that_name", "keeping", "keeping_threads", "several_writers"]


def classes_of_that_name(heap: Heap, root: Root) -> NDArray[np.int64]:
    """The classes that have the name of a static's, ascending."""
    found = heap.class_objects(root.declared_in or root.key.class_name)
    return np.sort(np.array([node for node, _ in found], np.int64))


def several_writers(roots: Sequence[Root]) -> NDArray[np.int64]:
    """The record writers that hold it together, as those of MultipleOutputs do; none of one."""
    found = {root.chain[0][1] for root in roots if root.owner == "writer"}
    return np.array(sorted(found) if len(found) > 1 else (), np.int64)


def keeping(owned: OwnedHeap, label: Label, nodes: NDArray[np.int64]) -> Label | None:
    """Whose container keeps most of some nodes, which are in order, and is not itself theirs.

    Classes of one name, each with a loader of its own, or open record writers.
    """
    heap = owned.heap
    at, found = 0, None
    for _ in range(MOST_LEVELS):
        below = heap.dominated_in_order(at)
        first = np.searchsorted(nodes, below)
        behind = np.searchsorted(nodes, [each + heap.subtree(each) for each in below])
        most = int(np.argmax(behind - first)) if below.size else 0
        if not below.size or behind[most] - first[most] < LEADS_ON.value * nodes.size:
            break
        at = int(below[most])
        number = int(owned.ownership.owners[at])
        if number > 0 and number != label.number and owned.ownership.labels[number].roots:
            found = owned.ownership.labels[number]
            if heap.container(at) is not None and not owned.few_in(at):
                break
    return found


def keeping_threads(
    heap: Heap, threads: Sequence[TaskThread], classes: NDArray[np.int64]
) -> str | None:
    """The threads that keep most classes of one name alive, each some of them."""
    nodes = np.array([each.thread.node for each in threads], np.int64)
    ends = nodes + [heap.subtree(int(node)) for node in nodes]
    kept = np.searchsorted(classes, ends) - np.searchsorted(classes, nodes)
    found = np.flatnonzero(kept)
    if kept.sum() < LEADS_ON.value * classes.size or not found.size:
        return None
    name = threads[int(found[-1])].thread.name
    if found.size == 1:
        return f'thread "{name}"'
    return f'{format_count(found.size)} threads, such as "{name}"'
