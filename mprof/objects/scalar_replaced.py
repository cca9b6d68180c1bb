"""What compiled code held in objects that the JIT compiler had scalar-replaced.

HotSpot's C2 keeps the fields of an object that does not escape in registers and on the stack, and
never makes the object itself (``escape.cpp``, ``macro.cpp``). What such a collection holds is
alive, but the dump lists no root for it: its array, or its first node, is an object that nothing
refers to.

It is told from garbage by what it is like. The virtual machine throws an OutOfMemoryError for want
of heap only after full collections, so little garbage is left: nearly all that is unreachable then
hangs on a few objects. Where much of it is spread over many, it is garbage.

Whose it was is told by the stack, and often what it was by what it left: the values of a set's map
are one and the same object, and an ArrayList grows by half. An object of the user's whose class has
other objects, all in one field of another class of the user's, was in that field too, if a method
of that other class is on the stack without its ``this``.

The same is done for an object that is reachable only because one of its own methods is on the
stack: the frame below it, of the object that held it, has no ``this``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

import numpy as np

from mprof.heap import Heap
from mprof.objects.stack import FieldOf, ScalarReplaced, TaskFrame, TaskThread
from mprof.objects.threads import Threads
from mprof.objects.thresholds import GARBAGE, LARGE_OBJECT, LEAST_SLOTS, LISTED
from mprof.units import format_bytes, format_count

__all__ = [
    "class_scalar_replaced",
    "may_hide_holders",
    "with_fields_at_work",
    "with_scalar_replaced",
]

_MOST_TOPS: Final = 8
"""Collections that one stack had scalar-replaced, at most; more large objects are garbage."""

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
_CALLED_FOR_IO: Final = ("encoder", "decoder")

_UNREACHABLE: Final = (
    "no root of the dump reaches {}, as where the JIT compiler has scalar-replaced the object that "
    "holds them; they are attributed to {}.{}()"
)
_LOST: Final = (
    "no root of the dump reaches {}, as where the JIT compiler has scalar-replaced the object that "
    "holds them; which method held it is not known"
)
_ERROR: Final = "java.lang.OutOfMemoryError"
_MADE: Final = (
    "{}.{}() was making an array of arrays: no root of the dump reaches its {}, {} of {} rows"
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
    large = heap.unreachable.shallow_bytes >= LARGE_OBJECT.value
    return large and thread is not None and _lowest(thread) is not None


def with_scalar_replaced(heap: Heap, threads: Threads) -> Threads:
    """The threads, the lowest frame of the user's with what is unreachable among its locals.

    Where other methods of the user's are at work, they may have held it as well: of a program that
    runs no task it is no frame's then, unless a field tells. A task's lowest frame calls all others
    once a record.

    Args:
        heap: with nodes for what is unreachable.
        threads: of it.
    """
    thread, tops = threads.of_interest, heap.unreachable_tops
    lowest = _lowest(thread) if thread is not None else None
    sizes = heap.retained_all(tops)
    large = np.flatnonzero(sizes >= LISTED.value)
    held = int(sizes[large].sum())
    few = 0 < large.size <= _MOST_TOPS and held >= LARGE_OBJECT.value
    if thread is None or lowest is None or not few:
        return threads
    if held < (1 - GARBAGE.value) * heap.unreachable.shallow_bytes:
        return threads
    nodes = tops[large[np.argsort(-sizes[large], kind="stable")]].tolist()
    threads, made = _with_unfinished(heap, threads, thread, nodes)
    nodes = [each for each in nodes if each not in made]
    thread = threads.of_interest
    lowest = _lowest(thread) if thread is not None else None
    if thread is None or lowest is None or not nodes:
        return threads
    in_doubt = not _is_alone(threads, lowest)
    between = thread.frames[: _index(thread, lowest)]
    replaced = {
        node: ScalarReplaced(_field_of_those_alike(heap, threads, node, between), in_doubt)
        for node in nodes
    }
    if in_doubt and not any(each.works for each in threads.ordered):
        lost = tuple(node for node, each in replaced.items() if each.field is None)
        if lost:
            loss = _LOST.format(format_bytes(sum(map(heap.retained, lost))))
            threads = replace(threads, lost=lost, attributed=(*threads.attributed, loss))
        replaced = {node: each for node, each in replaced.items() if each.field is not None}
    if not replaced:
        return threads
    held = sum(map(heap.retained, replaced))
    loss = _UNREACHABLE.format(format_bytes(held), lowest.frame.class_name, lowest.frame.method)
    return _held_by(threads, thread, lowest, replaced, loss)


def with_fields_at_work(heap: Heap, threads: Threads) -> Threads:
    """The threads, the lowest frame of the user's with what other frames are at work on.

    That is, objects that nothing holds but their own methods on the stack, where a frame below is
    of the object that had them in a field. Of the user's frames between that one and the lowest
    each may have had that object.

    Args:
        heap: with its references. Where such frames are on the stack all of them are inverted,
            which takes 4 bytes a reference and 8 a node.
        threads: of it.
    """
    thread = threads.of_interest
    lowest = _lowest(thread) if thread is not None else None
    if thread is None or lowest is None or threads.oom_thread is None or heap.losses:
        return threads
    end = _index(thread, lowest)
    replaced: dict[int, ScalarReplaced] = {}
    for at, frame in enumerate(thread.frames[:end]):
        node, below = frame.this, thread.frames[at + 1 : end]
        if node is None or not frame.is_user or node in replaced:
            continue
        if heap.retained(node) < LARGE_OBJECT.value or not _without_this(below):
            continue
        if any(node in each.frame.locals for each in thread.frames if each.this != node):
            continue
        field = _field_of_those_alike(heap, threads, node, below)
        if field is not None and not _holders(heap, node):
            in_doubt = _has_user_frames_below(below, field.class_name)
            replaced[node] = ScalarReplaced(field, in_doubt)
    if not replaced:
        return threads
    held = format_bytes(sum(heap.retained(node) for node in replaced))
    loss = _AT_WORK.format(held, lowest.frame.class_name, lowest.frame.method)
    return _held_by(threads, thread, lowest, replaced, loss)


def _with_unfinished(
    heap: Heap, threads: Threads, thread: TaskThread, nodes: Sequence[int]
) -> tuple[Threads, Sequence[int]]:
    """The threads, with arrays of arrays among the locals of the frame that was making them.

    Returns:
        The threads, and which of the nodes these arrays are.
    """
    frame = _making(thread)
    made = [each for each in nodes if _is_unfinished(heap, each)]
    if frame is None or not made:
        return threads, ()
    loss = _MADE.format(
        frame.frame.class_name,
        frame.frame.method,
        format_bytes(sum(map(heap.retained, made))),
        format_count(heap.filled(made[0])),
        format_count(heap.array_length(made[0])),
    )
    theirs = dict.fromkeys(made, ScalarReplaced(None, in_doubt=False))
    return _held_by(threads, thread, frame, theirs, loss), made


def _making(thread: TaskThread) -> TaskFrame | None:
    """The frame of the user's whose own allocation failed: no library's is above it."""
    frames = (each for each in thread.frames if each.frame.class_name != _ERROR)
    top = next(frames, None)
    return top if top is not None and top.is_user else None


def _is_unfinished(heap: Heap, node: int) -> bool:
    """Whether it is an array of arrays whose last rows have not been made.

    ``multianewarray`` makes row after row, and hands the array over when it has all.
    """
    is_of_arrays = heap.class_name(node).endswith("[][]")
    return is_of_arrays and 0 < heap.filled(node) < heap.array_length(node)


def _has_user_frames_below(frames: Sequence[TaskFrame], class_name: str) -> bool:
    """Whether frames of the user's lie below the lowest one of a class."""
    below = takewhile(lambda each: each.frame.class_name != class_name, reversed(frames))
    return any(each.is_user for each in below)


def _index(thread: TaskThread, frame: TaskFrame) -> int:
    return next(at for at, each in enumerate(thread.frames) if each is frame)


def _held_by(
    threads: Threads,
    thread: TaskThread,
    frame: TaskFrame,
    replaced: Mapping[int, ScalarReplaced],
    loss: str,
) -> Threads:
    """The threads, these nodes among the locals of the frame."""
    holding = replace(
        frame,
        frame=replace(frame.frame, locals=(*frame.frame.locals, *replaced)),
        scalar_replaced={**frame.scalar_replaced, **replaced},
    )
    frames = tuple(holding if each is frame else each for each in thread.frames)
    below = tuple(holding if each is frame else each for each in thread.frames_below_probe)
    found = replace(thread, frames=frames, frames_below_probe=below)
    return replace(
        threads,
        ordered=tuple(found if each is thread else each for each in threads.ordered),
        attributed=(*threads.attributed, loss),
    )


def _without_this(frames: Sequence[TaskFrame]) -> frozenset[str]:
    """Classes of the user's with methods among these frames, and no ``this`` in any."""
    user = [each for each in frames if each.is_user]
    with_this = {each.frame.class_name for each in user if each.this is not None}
    return frozenset(each.frame.class_name for each in user) - with_this


def _holders(heap: Heap, node: int) -> list[int]:
    """The objects that refer to it, but for lambdas that only frames refer to."""
    found = [each for each in heap.referrers(node).tolist() if heap.is_object(each)]
    return [
        each
        for each in found
        if _LAMBDA not in heap.class_name(each)
        or any(heap.is_object(above) for above in heap.referrers(each).tolist())
    ]


def _field_of_those_alike(
    heap: Heap, threads: Threads, node: int, frames: Sequence[TaskFrame]
) -> FieldOf | None:
    """The one field that all other objects of a node's class, one of the user's, are in.

    A field of a class that has a method among the frames, and no ``this`` there; not of a class
    whose objects the framework holds, for these are no locals.
    """
    name, candidates = heap.class_name(node), _without_this(frames)
    same = heap.instances(name)
    if not candidates or not threads.classes.is_user(name) or same.size > _MOST_ALIKE:
        return None
    alike = set(same.tolist()) - {node}
    holders = _holders(heap, min(alike)) if alike else []
    of = heap.class_name(holders[0]) if len(holders) == 1 else ""
    if of not in candidates or of in {heap.class_name(each) for each in threads.tasks}:
        return None
    fields = [each for each, value in heap.reference_fields(holders[0]).items() if value in alike]
    owners = heap.instances(of)
    if len(fields) != 1 or owners.size > _MOST_ALIKE:
        return None
    held = {heap.reference(each, fields[0]) for each in owners.tolist()}
    return FieldOf(of, fields[0]) if alike <= held else None


def _lowest(thread: TaskThread) -> TaskFrame | None:
    """The lowest frame of the user's; of a bridge and the method it calls, the method.

    Where none but a record reader's is at work, it is the lowest of those.
    """
    users = [each for each in reversed(thread.frames) if each.is_user]
    from_below = [each for each in users if each.level not in _CALLED_FOR_IO]
    from_below = from_below or [each for each in users if each.level == "decoder"]
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
    return length == slots >= LEAST_SLOTS.value


def _has_present(heap: Heap, map_node: int) -> bool:
    """Whether the first entry of a map has the value that a set of the JDK gives to each."""
    entry = heap.reference(map_node, "root")
    table = heap.reference(map_node, "table")
    if table is not None:
        entry = next(iter(heap.first_elements(table, 1)), None)
    value = heap.reference(entry, "value") if entry is not None else None
    return value is not None and value in [heap.statics(name).get("PRESENT") for name in _PRESENT]
