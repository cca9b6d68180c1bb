"""What compiled code held in objects that it had taken apart (scalar replacement).

HotSpot's C2 keeps the fields of an object that does not escape in registers and on the stack, and
never makes the object itself (``escape.cpp``, ``macro.cpp``). What such a collection holds is
alive, but the dump lists no root for it: its array, or its first node, is an object that nothing
refers to. A full collection precedes each OutOfMemoryError, so a large one is no garbage.

Whose it was is told by the stack, and often what it was by what it left: the values of a set's map
are one and the same object, and an ArrayList grows by half.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from mprof.heap import Heap
from mprof.objects.model import LARGE_OBJECT_BYTES, LISTED_BYTES
from mprof.objects.stack import TaskFrame, TaskThread
from mprof.objects.threads import Threads
from mprof.units import format_bytes

__all__ = ["class_taken_apart", "may_hide_holders", "with_what_was_taken_apart"]

_SETS: Final = {
    "java.util.HashMap": "java.util.HashSet",
    "java.util.LinkedHashMap": "java.util.LinkedHashSet",
    "java.util.TreeMap": "java.util.TreeSet",
}
"""Maps that stand in a set of the JDK, and the set."""

_PRESENT: Final = ("java.util.HashSet", "java.util.TreeSet")
"""Their static ``PRESENT`` is the value of each element."""

_FIRST_CAPACITY: Final = 10  # ArrayList.DEFAULT_CAPACITY
_LEAST_SLOTS: Final = 1000  # a shorter array may have one of the lengths by chance
_SERVES: Final = ("encoder", "decoder")

_LOSS: Final = (
    "{} hang on no root of the dump: the JIT compiler had taken apart (scalar-replaced) the object "
    "that held them, and they are taken for what {}.{}() held"
)


def may_hide_holders(heap: Heap, threads: Threads) -> bool:
    """Whether what no root reaches is large, and user code was at work that may have held it."""
    thread = threads.of_interest
    large = heap.unreachable.shallow_bytes >= LARGE_OBJECT_BYTES
    return large and thread is not None and _lowest(thread) is not None


def with_what_was_taken_apart(heap: Heap, threads: Threads) -> Threads:
    """The threads, the lowest frame of the user's with what no root reaches among its locals.

    Where methods of the user's are at work above it, they may have held it as well.

    Args:
        heap: with nodes for what no root reaches.
        threads: of it.
    """
    thread, tops = threads.of_interest, heap.unreachable_tops
    lowest = _lowest(thread) if thread is not None else None
    sizes = heap.retained_all(tops)
    large = tops[np.argsort(-sizes, kind="stable")][: int((sizes >= LISTED_BYTES).sum())].tolist()
    if thread is None or lowest is None or not large:
        return threads
    code = lowest.frame
    holding = replace(
        lowest,
        frame=replace(code, locals=(*code.locals, *large)),
        may_hold=frozenset() if _is_alone(thread, lowest) else frozenset(large),
    )
    frames = tuple(holding if each is lowest else each for each in thread.frames)
    below = tuple(holding if each is lowest else each for each in thread.frames_below_probe)
    found = replace(thread, frames=frames, frames_below_probe=below)
    loss = _LOSS.format(format_bytes(int(sizes.sum())), code.class_name, code.method)
    return replace(
        threads,
        ordered=tuple(found if each is thread else each for each in threads.ordered),
        taken_apart=(loss,),
    )


def _lowest(thread: TaskThread) -> TaskFrame | None:
    """The lowest frame of the user's; of a bridge and the method it calls, the method."""
    from_below = [each for each in reversed(thread.frames) if _holds(each)]
    if not from_below:
        return None
    lowest, *above = from_below
    return above[0] if above and _same_method(above[0], lowest) else lowest


def _is_alone(thread: TaskThread, lowest: TaskFrame) -> bool:
    return all(_same_method(each, lowest) for each in thread.frames if _holds(each))


def _holds(frame: TaskFrame) -> bool:
    return frame.is_user and frame.level not in _SERVES


def _same_method(one: TaskFrame, other: TaskFrame) -> bool:
    return (one.frame.class_name, one.frame.method) == (other.frame.class_name, other.frame.method)


def class_taken_apart(heap: Heap, node: int) -> str | None:
    """The class of the JDK's collection that a node must have been in; None where nothing tells."""
    if heap.class_name(node) == "java.lang.Object[]":
        return "java.util.ArrayList" if _grows_by_half(heap.array_length(node)) else None
    of_set = _SETS.get(heap.class_name(node))
    return of_set if of_set is not None and _has_present(heap, node) else None


def _grows_by_half(slots: int) -> bool:
    """Whether ``ArrayList.grow`` comes by this length: ``old + (old >> 1)`` from 10 on."""
    length = _FIRST_CAPACITY
    while length < slots:
        length += length >> 1
    return length == slots >= _LEAST_SLOTS


def _has_present(heap: Heap, map_node: int) -> bool:
    """Whether the first entry of a map has the value that a set of the JDK gives to each."""
    entry = heap.reference(map_node, "root")
    table = heap.reference(map_node, "table")
    if table is not None:
        entry = next(iter(heap.first_elements(table, 1)), None)
    value = heap.reference(entry, "value") if entry is not None else None
    return value is not None and value in [heap.statics(name).get("PRESENT") for name in _PRESENT]
