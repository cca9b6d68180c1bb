"""The threads of a dump, their frames, and what the locals of each frame keep alive."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mprof.heap.answers import Frame, Thread
from mprof.heap.classes import Classes
from mprof.heap.containers import Objects, utf16_text
from mprof.heap.graph import Graph
from mprof.heap.names import java_name
from mprof.heap.roots import FrameRoot
from mprof.hprof import Dump

__all__ = ["threads_of"]


class _Heap(Objects, Protocol):
    def retained(self, node: int) -> int:
        """Bytes that the node keeps alive."""

    def subtree(self, node: int) -> int:
        """Number of nodes that it keeps alive."""

    def reference(self, node: int, name: str) -> int | None:
        """The node that a reference field leads to."""

    def number(self, node: int, name: str) -> int | None:
        """An integral field."""

    def string(self, node: int) -> str | None:
        """The text of a String."""


def threads_of(heap: _Heap, dump: Dump, classes: Classes, graph: Graph) -> tuple[Thread, ...]:
    """All threads, in the order of the dump."""
    virtual = classes.subclasses("java.lang.BaseVirtualThread")
    virtual |= classes.subclasses("java.lang.VirtualThread")
    avoided = _left_out(classes)
    threads = []
    for root in graph.roots.threads:
        node = int(graph.nodes[root.vertex])
        number = int(graph.classes[node])
        is_virtual = bool(number >= 0 and virtual[number])
        threads.append(
            Thread(
                _name(heap, node)
                or dump.started_thread(root.serial)
                or _unnamed(heap, dump, node, root.serial, virtual=is_virtual),
                node,
                heap.retained(node),
                tuple(_frame(heap, graph, frame, avoided) for frame in root.frames),
                is_virtual,
                root.serial,
            )
        )
    return tuple(threads)


def _unnamed(heap: _Heap, dump: Dump, node: int, serial: int, *, virtual: bool) -> str:
    """What stands for the name of a thread: of a dump that was emptied, its number.

    Virtual threads rarely have one: these are told as ``Thread.toString`` tells them.
    """
    if dump.emptied is not None:
        return f"thread {serial}"
    number = heap.number(node, "tid") if virtual else None
    return "" if number is None else f"VirtualThread[#{number}]"


def _left_out(classes: Classes) -> NDArray[np.bool_]:
    """By class number: what a frame's reachable bytes leave out."""
    left_out = classes.subclasses("java.lang.ClassLoader")
    left_out |= classes.subclasses("java.lang.Thread")
    left_out |= classes.subclasses("java.lang.Class")
    return left_out


def _frame(heap: _Heap, graph: Graph, frame: FrameRoot, left_out: NDArray[np.bool_]) -> Frame:
    at = int(graph.nodes[frame.vertex])
    locals_ = tuple(int(graph.nodes[vertex]) for vertex in frame.locals)
    record = frame.frame
    return Frame(
        java_name(record.class_name),
        record.method,
        record.signature,
        record.file,
        record.line,
        at,
        heap.retained(at),
        _reachable_bytes(heap, graph, locals_, left_out),
        locals_,
    )


def _reachable_bytes(
    heap: _Heap, graph: Graph, nodes: tuple[int, ...], left_out: NDArray[np.bool_]
) -> int:
    total, covered = 0, 0
    for node in sorted(nodes):
        number = int(graph.classes[node])
        if node >= covered and not (number >= 0 and left_out[number]):
            total += heap.retained(node)
            covered = node + heap.subtree(node)
    return total


def _name(heap: _Heap, node: int) -> str | None:
    name = heap.reference(node, "java.lang.Thread.name")
    if name is None:
        name = heap.reference(node, "name")
    if name is None:
        return None
    if heap.class_name(name) == "char[]":  # JDK 8 and earlier
        return utf16_text(heap.primitive_array(name)).rstrip("\0")
    return heap.string(name)
