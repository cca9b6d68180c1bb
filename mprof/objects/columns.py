"""The heap seen whole: every node's references, size and kind of class, in arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.engines import ClassKind, UserClasses
from mprof.heap import Heap
from mprof.heap.outgoing import Outgoing
from mprof.kernels.translate import translated

__all__ = ["Columns", "Static", "read_columns"]

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


# kinds of nodes; what nobody owns comes last
_NEUTRAL, _USER, _FRAMEWORK, _INFRASTRUCTURE, _NO_OBJECT = range(5)


class Static(NamedTuple):
    """A static field that refers to an object."""

    class_name: str
    field: str
    node: int


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """All nodes of a heap, and its static fields.

    Attributes:
        outgoing: the references of each node.
        prefix: int64, one longer than the nodes: shallow bytes of all nodes before each one.
        is_object: bool, whether it is an object.
        is_user: bool, whether its class is the user's.
        is_framework: bool, whether it is the framework's: its class is, and objects of user classes
            are not all that keeps it alive.
        is_infrastructure: bool, whether it is the virtual machine's (a class object, a class
            loader, a plain thread: nobody's references own those), the agent's, or no object.
        statics: by the kind of the class that declares them.
    """

    outgoing: Outgoing
    prefix: NDArray[np.int64]
    is_object: NDArray[np.bool_]
    is_user: NDArray[np.bool_]
    is_framework: NDArray[np.bool_]
    is_infrastructure: NDArray[np.bool_]
    statics: Mapping[ClassKind, tuple[Static, ...]]

    def is_blocked(self, node: int) -> bool:
        """Whether it is nothing that a user can own."""
        return bool(self.is_framework[node] or self.is_infrastructure[node])


def read_columns(heap: Heap, classes: UserClasses) -> Columns:
    """Sorts the nodes of a heap, which was opened with its references, by the kind of class."""
    numbers = heap.class_numbers()
    kinds = [_NO_OBJECT, *(_kind(heap, name, classes) for name in heap.class_names())]
    kind = translated(np.array(kinds, np.uint8), numbers)
    is_user = kind == _USER
    is_framework = kind == _FRAMEWORK
    # What user code made of Hadoop's classes for itself (the writers of MultipleOutputs, streams,
    # copies of the configuration) is the user's like a map of the JDK: only that keeps it alive.
    is_framework &= ~heap.dominated_by_any(np.flatnonzero(is_user))
    return Columns(
        outgoing=heap.outgoing,
        prefix=heap.prefix,
        is_object=kind != _NO_OBJECT,
        is_user=is_user,
        is_framework=is_framework,
        is_infrastructure=kind >= _INFRASTRUCTURE,
        statics=_statics(heap, classes),
    )


def _statics(heap: Heap, classes: UserClasses) -> Mapping[ClassKind, tuple[Static, ...]]:
    found: dict[ClassKind, list[Static]] = {"user": [], "framework": [], "neutral": [], "agent": []}
    for name, field, node in heap.static_references():
        found[classes.kind(name)].append(Static(name, field, node))
    return {kind: tuple(statics) for kind, statics in found.items()}


def _kind(heap: Heap, class_name: str, classes: UserClasses) -> int:
    kind = classes.kind(class_name)
    if kind == "agent" or _is_infrastructure(heap, class_name, classes):
        return _INFRASTRUCTURE
    return {"user": _USER, "framework": _FRAMEWORK}.get(kind, _NEUTRAL)


def _is_infrastructure(heap: Heap, class_name: str, classes: UserClasses) -> bool:
    above = {class_name, *heap.super_classes(class_name)}
    if _THREAD in above:  # a thread class of one's own holds data as any other class does
        return classes.kind(class_name) == "neutral"
    return class_name.startswith(_RUNTIME) or not _MACHINERY.isdisjoint(above)
