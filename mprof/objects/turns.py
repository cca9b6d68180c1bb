"""Of threads that share a container: who adds to it, and who takes from it, by their stacks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mprof.bytecode.adding import ADDS, TAKES
from mprof.heap import Heap
from mprof.objects.stack import TaskFrame, TaskThread

__all__ = ["Filler", "adds_rather"]

Way = tuple[tuple[str, int], ...]

_MOST_HOPS = 3  # from a local to the container: a worker, what it works for, the queue
_ADDS, _TAKES, _HAS_TAKEN, _NOT_TOLD = 1, -2, -1, 0


@dataclass(frozen=True, slots=True)
class Filler:
    """A frame that has a container, and the way to it.

    Attributes:
        frame: of the user's.
        thread: its thread.
        way: names and nodes from one of its locals to the container, as from its own object.
    """

    frame: TaskFrame
    thread: TaskThread
    way: Way


def adds_rather(
    heap: Heap,
    threads: Iterable[TaskThread],
    container: int,
    blamed: tuple[TaskFrame, TaskThread],
) -> Filler | None:
    """The frame that fills a container, where the one to blame only empties it; None where not.

    A container that is filled faster than it is emptied is held by both, and either may meet the
    error. The stack of a thread tells by the method of the container that it stands in; and a
    thread that has an element of it which the container keeps no more has taken it. Where no stack
    tells more than that of the blamed frame, it stays to blame. Whoever waits for others, as for
    the end of a thread, does neither; one that sleeps may fill it by turns.

    Args:
        heap: the heap.
        threads: those of interest first.
        container: what is filled.
        blamed: the frame that works on it, and its thread.
    """
    content = heap.container(container)
    if content is None or content.kind not in ("queue", "list"):
        return None
    if heap.keeps(blamed[1].thread.node, container):
        return None  # no other thread has it
    turns = _Turns(heap, container, content.element_class)
    best, most = None, turns.of(*blamed)
    for thread in threads:
        asked = thread is not blamed[1] and (not thread.waits or thread.sleeps)
        found = turns.filler(thread) if asked else None
        if found is not None and (turn := turns.of(found.frame, thread)) > most:
            best, most = found, turn
    return best


class _Turns:
    """What threads do with one container."""

    def __init__(self, heap: Heap, container: int, element_class: str) -> None:
        self._heap = heap
        self._container = container
        self._element_class = element_class
        name = heap.class_name(container)
        self._classes = (name, *heap.super_classes(name))

    def filler(self, thread: TaskThread) -> Filler | None:
        """The topmost frame of the user's with a local that leads to the container."""
        for frame in thread.frames:
            for node in frame.frame.locals if frame.is_user else ():
                way = self._way((("this", node),))
                if way is not None:
                    return Filler(frame, thread, way)
        return None

    def _way(self, start: Way) -> Way | None:
        """The few fields that lead from a local to the container."""
        met, front = {start[0][1]}, [start]
        for _ in range(_MOST_HOPS):
            further: list[Way] = []
            for way in front:
                if way[-1][1] == self._container:
                    return way
                if self._heap.array_length(way[-1][1]) < 0:
                    fields = self._heap.reference_fields(way[-1][1]).items()
                    further += [(*way, each) for each in fields if each[1] not in met]
                    met.update(target for _, target in fields)
            front = further
        return next((way for way in front if way[-1][1] == self._container), None)

    def of(self, frame: TaskFrame, thread: TaskThread) -> int:
        """What a thread does whose frame has the container: above 0 it adds, below it takes."""
        above = thread.frames[: thread.frames.index(frame)]
        for each in reversed(above):
            if each.is_user:
                continue
            if each.frame.method in ADDS and self._is_its(each):
                return _ADDS
            if each.frame.method in TAKES and self._is_its(each):
                return _TAKES
        held = (node for each in (*above, frame) if each.is_user for node in each.frame.locals)
        return _HAS_TAKEN if any(map(self._is_taken, held)) else _NOT_TOLD

    def _is_its(self, frame: TaskFrame) -> bool:
        """Whether a frame runs a method of the container; compiled code may have dropped it."""
        if frame.this is not None:
            return frame.this == self._container
        return frame.frame.class_name in self._classes

    def _is_taken(self, node: int) -> bool:
        """Whether it is an element that the container keeps no more; one in the making is none."""
        of = self._heap.class_name(node) == self._element_class
        if not of or self._heap.keeps(self._container, node):
            return False
        return any(self._heap.fields(node).values())
