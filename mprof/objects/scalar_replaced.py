"""What compiled code held in objects that the JIT compiler had scalar-replaced.

HotSpot's C2 keeps the fields of an object that does not escape in registers and on the stack, and
never makes the object itself (``escape.cpp``, ``macro.cpp``). What such a collection holds is
alive, but the dump lists no root for it: its array, or its first node, is an object that nothing
refers to.

It is told from garbage by what it is like. The virtual machine throws an OutOfMemoryError for want
of heap only after full collections, so little garbage is left: nearly all that is unreachable then
hangs on a few objects. Where much of it is spread over many, it is garbage.

Whose it was is told by the stack, and often what it was by what it left: the values of a set's map
are one and the same object, and an ArrayList grows by half. An object of a class whose other
objects are all in one field of the user's was in that field.

So it may be of an object that is reachable, because a method of its own is at work: the frame of
the object that had it is there as well, and its ``this`` is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from mprof.heap import Heap
from mprof.objects.model import LARGE_OBJECT_BYTES, LISTED_BYTES
from mprof.objects.stack import FieldOf, TaskFrame, TaskThread
from mprof.objects.threads import Threads
from mprof.units import format_bytes

__all__ = [
    "class_scalar_replaced",
    "may_hide_holders",
    "with_fields_at_work",
    "with_scalar_replaced",
]

_MOST_TOPS: Final = 8
"""Collections that one stack had scalar-replaced, at most; more large objects are garbage."""

_LEAST_SHARE: Final = 0.9
"""Of what is unreachable, what these must hold: the rest is what died since the collection."""

_SETS: Final = {
    "java.util.HashMap": "java.util.HashSet",
    "java.util.LinkedHashMap": "java.util.LinkedHashSet",
    "java.util.TreeMap": "java.util.TreeSet",
}
"""Maps that stand in a set of the JDK, and the set."""

_PRESENT: Final = ("java.util.HashSet", "java.util.TreeSet")
"""Their static ``PRESENT`` is the value of each element."""

_MOST_ALIKE: Final = 10_000  # objects of a class that are asked which field they are in
_LAMBDA: Final = "$$Lambda"
_FIRST_CAPACITY: Final = 10  # ArrayList.DEFAULT_CAPACITY
_LEAST_SLOTS: Final = 1000  # a shorter array may have one of the lengths by chance
_CALLED_FOR_IO: Final = ("encoder", "decoder")

_UNREACHABLE: Final = (
    "no root of the dump reaches {}, as where the JIT compiler has scalar-replaced the object that "
    "holds them; they are attributed to {}.{}()"
)
_AT_WORK: Final = (
    "only methods that are at work on them refer to {}, as where the JIT compiler has "
    "scalar-replaced the object that holds them; they are attributed to {}.{}()"
)


def may_hide_holders(heap: Heap, threads: Threads) -> bool:
    """Whether what is unreachable is large, and user code was at work that may have held it.

    Only in a dump of an OutOfMemoryError, which full collections precede. In a damaged dump objects
    are unreachable because references to them are lost.
    """
    if threads.oom_thread is None or heap.losses:
        return False
    thread = threads.of_interest
    large = heap.unreachable.shallow_bytes >= LARGE_OBJECT_BYTES
    return large and thread is not None and _lowest(thread) is not None


def with_scalar_replaced(heap: Heap, threads: Threads) -> Threads:
    """The threads, the lowest frame of the user's with what is unreachable among its locals.

    Where other methods of the user's are at work, they may have held it as well.

    Args:
        heap: with nodes for what is unreachable.
        threads: of it.
    """
    thread, tops = threads.of_interest, heap.unreachable_tops
    lowest = _lowest(thread) if thread is not None else None
    sizes = heap.retained_all(tops)
    large = np.flatnonzero(sizes >= LISTED_BYTES)
    held = int(sizes[large].sum())
    few = 0 < large.size <= _MOST_TOPS and held >= LARGE_OBJECT_BYTES
    if thread is None or lowest is None or not few:
        return threads
    if held < _LEAST_SHARE * heap.unreachable.shallow_bytes:
        return threads
    nodes = tops[large[np.argsort(-sizes[large], kind="stable")]].tolist()
    fields = {node: _field_of_those_alike(heap, threads, node) for node in nodes}
    in_doubt = not _is_alone(threads, lowest)
    loss = _UNREACHABLE.format(format_bytes(held), lowest.frame.class_name, lowest.frame.method)
    return _held_by(threads, thread, lowest, fields, loss, in_doubt=in_doubt)


def with_fields_at_work(heap: Heap, threads: Threads) -> Threads:
    """The threads, the lowest frame of the user's with what other frames are at work on.

    That is, objects with a method on the stack that a frame below, of the object which had them in
    a field, must have called. Of other frames between that one and the lowest each may have had it.

    Args:
        heap: with its references.
        threads: of it.
    """
    thread = threads.of_interest
    lowest = _lowest(thread) if thread is not None else None
    if thread is None or lowest is None:
        return threads
    at_work: dict[int, FieldOf | None] = {}
    in_doubt = False
    end = next(at for at, each in enumerate(thread.frames) if each is lowest)
    for at, frame in enumerate(thread.frames[:end]):
        node = frame.this
        if node is None or not frame.is_user or node in at_work:
            continue
        if any(node in below.frame.locals for below in thread.frames[end:]):
            continue
        if heap.retained(node) < LARGE_OBJECT_BYTES or _holders(heap, node):
            continue
        of = _field_of_those_alike(heap, threads, node)
        calls = [
            below
            for below in range(at + 1, end)
            if of is not None and thread.frames[below].frame.class_name == of.class_name
        ]
        if calls and thread.frames[calls[-1]].this is None:
            at_work[node] = of
            between = thread.frames[calls[-1] + 1 : end]
            in_doubt |= any(each.is_user for each in between)
    if not at_work:
        return threads
    held = format_bytes(sum(heap.retained(node) for node in at_work))
    loss = _AT_WORK.format(held, lowest.frame.class_name, lowest.frame.method)
    return _held_by(threads, thread, lowest, at_work, loss, in_doubt=in_doubt)


def _held_by(
    threads: Threads,
    thread: TaskThread,
    frame: TaskFrame,
    fields: Mapping[int, FieldOf | None],
    loss: str,
    *,
    in_doubt: bool,
) -> Threads:
    """The threads, these nodes among the locals of the frame."""
    holding = replace(
        frame,
        frame=replace(frame.frame, locals=(*frame.frame.locals, *fields)),
        scalar_replaced={**frame.scalar_replaced, **fields},
        in_doubt=frame.in_doubt or in_doubt,
    )
    frames = tuple(holding if each is frame else each for each in thread.frames)
    below = tuple(holding if each is frame else each for each in thread.frames_below_probe)
    found = replace(thread, frames=frames, frames_below_probe=below)
    return replace(
        threads,
        ordered=tuple(found if each is thread else each for each in threads.ordered),
        attributed=(*threads.attributed, loss),
    )


def _holders(heap: Heap, node: int) -> list[int]:
    """The objects that refer to it, but for lambdas that are made for a call."""
    return [
        each
        for each in heap.referrers(node).tolist()
        if heap.is_object(each) and _LAMBDA not in heap.class_name(each)
    ]


def _field_of_those_alike(heap: Heap, threads: Threads, node: int) -> FieldOf | None:
    """The one field of the user's that all other objects of the user's class of a node are in."""
    name, is_user = heap.class_name(node), threads.classes.is_user
    alike = set(heap.instances(name).tolist()) - {node} if is_user(name) else set()
    holders = _holders(heap, min(alike)) if 0 < len(alike) <= _MOST_ALIKE else []
    if len(holders) != 1 or not is_user(of := heap.class_name(holders[0])):
        return None
    fields = [each for each, value in heap.reference_fields(holders[0]).items() if value in alike]
    owners = heap.instances(of).tolist()
    if len(fields) != 1 or len(owners) > _MOST_ALIKE:
        return None
    held = {heap.reference(each, fields[0]) for each in owners}
    return FieldOf(of, fields[0]) if alike <= held else None


def _lowest(thread: TaskThread) -> TaskFrame | None:
    """The lowest frame of the user's; of a bridge and the method it calls, the method."""
    from_below = [
        each
        for each in reversed(thread.frames)
        if each.is_user and each.level not in _CALLED_FOR_IO
    ]
    if not from_below:
        return None
    lowest, *above = from_below
    return above[0] if above and _same_method(above[0], lowest) else lowest


def _is_alone(threads: Threads, lowest: TaskFrame) -> bool:
    """Whether every frame of the user's, in all threads, is of that method."""
    every = (frame for thread in threads.ordered for frame in thread.frames if frame.is_user)
    return all(_same_method(frame, lowest) for frame in every)


def _same_method(one: TaskFrame, other: TaskFrame) -> bool:
    return (one.frame.class_name, one.frame.method) == (other.frame.class_name, other.frame.method)


def class_scalar_replaced(heap: Heap, node: int, *, alone: bool) -> str | None:
    """The class of the JDK's collection that a node must have been in; None where nothing tells.

    Args:
        heap: that it is in.
        node: what it left.
        alone: whether nothing but the collection's own code can have held it: any code may hold an
            array as long as a list's.
    """
    if alone and heap.class_name(node) == "java.lang.Object[]":
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
