"""The heap seen whole: every node's references, size and kind of class, in arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.engines import ClassKind, UserClasses
from mprof.heap import Heap
from mprof.heap.outgoing import Outgoing
from mprof.kernels.claim import move_dominated, move_ranges
from mprof.kernels.translate import translated

__all__ = ["FIRST_BLOCKED", "Columns", "NodeKind", "Static", "read_columns"]

_THREAD = "java.lang.Thread"

# What the virtual machine and the class library keep for themselves. Many lists of theirs lead on
# to everybody's objects (cleaners, finalizers, thread groups), or to what all share (open jars).
_RUNTIME = (
    "java.lang.Module", "java.lang.ThreadGroup", "java.lang.invoke.", "java.lang.ref.Cleaner",
    "java.lang.ref.Finalizer", "java.lang.ref.ReferenceQueue", "java.lang.reflect.",
    "java.net.URLClassLoader", "java.security.", "java.util.jar.", "java.util.zip.ZipFile$Source",
    "jdk.internal.loader.", "jdk.internal.misc.", "jdk.internal.module.", "jdk.internal.ref.",
    "jdk.internal.reflect.", "jdk.internal.vm.", "sun.misc.Cleaner", "sun.misc.Launcher",
    "sun.misc.URLClassPath", "sun.reflect.",
)  # fmt: skip
_MACHINERY = frozenset(
    {"java.lang.Class", "java.lang.ClassLoader", "java.lang.ref.FinalReference",
     "java.lang.ref.PhantomReference"}
)  # fmt: skip


_CLEANER = "java.lang.ref.Cleaner"
_CLEANERS = "jdk.internal.ref."


class NodeKind(IntEnum):
    """What kind of class a node is of; what no user can own comes last."""

    NEUTRAL = 0
    """A library's, or the JDK's; and objects of the framework that user code alone keeps alive."""
    USER = 1
    FRAMEWORK = 2
    """The framework's: its class is, and more than objects of user classes keeps it alive."""
    INFRASTRUCTURE = 3
    """The virtual machine's (a class object, a class loader, a plain thread: nobody's references
    own those), or the agent's."""
    NO_OBJECT = 4


FIRST_BLOCKED: Final = NodeKind.FRAMEWORK
"""Nodes of this kind or a later one are never a user's."""


_BY_CLASS_KIND: Final[Mapping[ClassKind, NodeKind]] = {
    "user": NodeKind.USER, "framework": NodeKind.FRAMEWORK
}  # fmt: skip


class Static(NamedTuple):
    """A static field that refers to an object."""

    class_name: str
    field: str
    node: int


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """All nodes of a heap, and its static fields.

    Attributes:
        outgoing: the references of each node, to be read here and there.
        prefix: int64, one longer than the nodes: shallow bytes of all nodes before each one.
        kinds: uint8, the `NodeKind` of each node.
        statics: by the kind of the class that declares them.
    """

    outgoing: Outgoing
    prefix: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    statics: Mapping[ClassKind, tuple[Static, ...]]

    def is_blocked(self, node: int) -> bool:
        """Whether it is nothing that a user can own."""
        return bool(self.kinds[node] >= FIRST_BLOCKED)


def read_columns(heap: Heap, classes: UserClasses) -> Columns:
    """Sorts the nodes of a heap, which was opened with its references, by the kind of class."""
    numbers = heap.class_numbers()
    by_class = [NodeKind.NO_OBJECT, *(_kind(heap, name, classes) for name in heap.class_names())]
    kinds = translated(np.array(by_class, np.uint8), numbers, heap.spare)
    kinds[_idle_threads(heap, kinds)] = NodeKind.NEUTRAL
    _free_cleaners(heap, kinds)
    # What user code made of Hadoop's classes for itself (the writers of MultipleOutputs, streams,
    # copies of the configuration) is the user's like a map of the JDK: only that keeps it alive.
    move_dominated(heap.subtrees, kinds, NodeKind.USER, NodeKind.FRAMEWORK, NodeKind.NEUTRAL)
    return Columns(
        outgoing=heap.outgoing.anywhere(heap.storage),
        prefix=heap.prefix,
        kinds=kinds,
        statics=_statics(heap, classes),
    )


def _idle_threads(heap: Heap, kinds: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Threads that do not run: those not yet started are data, as the hooks of a shutdown are."""
    found = heap.instances(_THREAD, subclasses=True)
    plain = found[kinds[found] == NodeKind.INFRASTRUCTURE]
    return np.setdiff1d(plain, [thread.node for thread in heap.threads])


def _free_cleaners(heap: Heap, kinds: NDArray[np.uint8]) -> None:
    """Cleaners that a program has made, and their lists, are its data; not the JDK's common one."""
    common = {
        node
        for name, _, node in heap.static_references()
        if name.startswith(("java.", "jdk.", "sun."))
    }
    for cleaner in heap.instances(_CLEANER).tolist():
        own = heap.reference(cleaner, "impl")
        if cleaner in common or own is None:
            continue
        kinds[[cleaner, own]] = NodeKind.NEUTRAL
        lists = heap.reference_fields(own).values()
        nodes = np.sort([each for each in lists if heap.class_name(each).startswith(_CLEANERS)])
        kinds[nodes] = NodeKind.NEUTRAL
        ranges = heap.dominated_ranges(nodes.astype(np.int64))
        move_ranges(*ranges, kinds, NodeKind.INFRASTRUCTURE, NodeKind.NEUTRAL)


def _statics(heap: Heap, classes: UserClasses) -> Mapping[ClassKind, tuple[Static, ...]]:
    found: dict[ClassKind, list[Static]] = {"user": [], "framework": [], "neutral": [], "agent": []}
    for name, field, node in heap.static_references():
        found[classes.kind(name)].append(Static(name, field, node))
    return {kind: tuple(statics) for kind, statics in found.items()}


def _kind(heap: Heap, class_name: str, classes: UserClasses) -> NodeKind:
    kind = classes.kind(class_name)
    if kind == "agent" or _is_infrastructure(heap, class_name, classes):
        return NodeKind.INFRASTRUCTURE
    return _BY_CLASS_KIND.get(kind, NodeKind.NEUTRAL)


def _is_infrastructure(heap: Heap, class_name: str, classes: UserClasses) -> bool:
    above = {class_name, *heap.super_classes(class_name)}
    if _THREAD in above:  # a thread class of one's own holds data as any other class does
        return classes.kind(class_name) == "neutral"
    return class_name.startswith(_RUNTIME) or not _MACHINERY.isdisjoint(above)
