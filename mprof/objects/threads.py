"""What the threads of a dump were doing, the one of interest first, and on which objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mprof.engines import (
    Fields,
    Place,
    Side,
    StackReading,
    UserClasses,
    read_stack,
    stable_name,
)
from mprof.heap import Heap, Thread
from mprof.objects.stack import TaskThread, read_thread

__all__ = ["Threads", "read_threads"]

_TOO_LATE = (
    "the dump was made when thread {!r} ran out of memory; no user code was on a stack by "
    "then, so what only its locals held may be gone"
)
_IN_A_PROBE = (
    "the heap ran full in a probe of mprof: the dump at death shows the job as it stood when that "
    "probe began"
)
_NO_TASK = "no thread of the dump runs a map or reduce task: lifecycles are not known"
_TEMPLATE_LEVELS = ("task", "setup", "map", "reduce", "cleanup")


@dataclass(frozen=True, slots=True, eq=False)
class Threads:
    """All threads of a dump.

    Attributes:
        classes: tells user classes, those of the mappers and reducers at work among them.
        ordered: the thread that ran out of memory, that of a probe, those that work, all others.
        tasks: mappers, reducers, combiners and what else the job plugs in, by node.
        side: of the task.
        oom_thread: name of the thread that hit the OutOfMemoryError, None where none did.
        attributed: what is a frame's without a root of the dump that says so, one sentence each.
        lost: nodes that no root of the dump reaches, and that one of several frames had.
    """

    classes: UserClasses
    ordered: tuple[TaskThread, ...]
    tasks: Mapping[int, Side]
    side: Side
    oom_thread: str | None
    attributed: tuple[str, ...] = ()
    lost: tuple[int, ...] = ()

    @property
    def of_interest(self) -> TaskThread | None:
        """The first one, unless another tells of the job and it does not.

        The first OutOfMemoryError may hit any thread (a reporter, an IPC client): what the task was
        doing by then stands on the stacks of the others.
        """
        first = next(iter(self.ordered), None)
        return next((thread for thread in self.ordered if thread.tells), first)

    @property
    def place(self) -> Place:
        """Where the thread of interest stands, or the next where it does no work of the task."""
        return next((each.place for each in self.ordered if each.place != "other"), "other")

    @property
    def fetching(self) -> frozenset[int]:
        """Nodes among the locals of frames that fetch map output."""
        prefixes = self.classes.engine.fetching
        return frozenset(
            node
            for thread in self.ordered
            for frame in thread.frames
            if frame.frame.class_name.startswith(prefixes)
            for node in frame.frame.locals
        )

    @property
    def handed(self) -> frozenset[int]:
        """Nodes among the locals of frames of the user's map(), a record among them."""
        return frozenset(
            node
            for thread in self.ordered
            for frame in thread.frames
            if frame.level == "map"
            for node in frame.frame.locals
        )

    @property
    def records_at_once(self) -> int:
        """Records that user code is at work on: one, or one a mapper thread that is in map()."""
        classes = self.classes.engine.mapper_threads
        busy = sum(
            any(frame.level == "map" for frame in thread.frames)
            for thread in self.ordered
            if any(frame.frame.class_name in classes for frame in thread.frames)
        )
        return max(1, busy)

    @property
    def losses(self) -> tuple[str, ...]:
        """What the stacks cannot say, one sentence each."""
        return (*self._losses_of_stacks, *self.attributed)

    @property
    def _losses_of_stacks(self) -> tuple[str, ...]:
        if not any(thread.works for thread in self.ordered):
            return (_NO_TASK,)
        if self.oom_thread is None:
            return ()
        first = self.ordered[0]
        if first.is_probe and first.thread.name == self.oom_thread:
            return (_IN_A_PROBE,)
        user_code = any(f.is_user for thread in self.ordered for f in thread.frames)
        if not first.works and not user_code:
            return (_TOO_LATE.format(self.oom_thread),)
        return ()


def read_threads(heap: Heap, classes: UserClasses) -> Threads:
    """Reads all stacks twice: what the first reading shows at work is the user's in the second.

    Args:
        heap: the heap.
        classes: with the classes that the job names as its own, where they are known.
    """
    first = _stacks(heap, classes)
    at_work = {heap.class_name(node) for node in _task_objects(heap, first, classes)}
    classes = classes.with_tasks(frozenset(map(stable_name, at_work)))
    threads = _stacks(heap, classes)
    oom = heap.oom_thread
    ordered = _by_interest(threads, oom.node if oom else None)
    return Threads(
        classes=classes,
        ordered=ordered,
        tasks=_task_objects(heap, ordered, classes),
        side=_side(heap, ordered, classes),
        oom_thread=oom.name if oom else None,
    )


def _stacks(heap: Heap, classes: UserClasses) -> tuple[TaskThread, ...]:
    """All stacks. A mapper that a reduce task runs in a chain lives as long as that task."""
    iterators = classes.engine.value_iterators
    has_values = any(name.startswith(iterators) for name in heap.class_names())
    readings: dict[tuple[tuple[str, str], ...], StackReading] = {}  # of thousands most are alike

    def read(thread: Thread) -> TaskThread:
        code = tuple((frame.class_name, frame.method) for frame in thread.frames)
        if code not in readings:
            readings[code] = read_stack(thread.frames, classes)
        return read_thread(heap, thread, classes, readings[code], has_values=has_values)

    threads = tuple(map(read, heap.threads))
    if not any(thread.is_reduce_task for thread in threads):
        return threads
    return tuple(replace(each, side="reduce") if each.side == "map" else each for each in threads)


def _task_objects(
    heap: Heap, threads: Sequence[TaskThread], classes: UserClasses
) -> dict[int, Side]:
    """Mappers, reducers, combiners and their like at work, by node.

    A combiner counts as reduce side, and a mapper too where a reduce task runs it in a chain; what
    is plugged in is of whichever side the task is.
    """
    shapes = classes.engine.shapes
    found: dict[int, Side] = {}
    mapper: Side = "reduce" if any(each.is_reduce_task for each in threads) else "map"
    for base, side in shapes.user_bases.items():
        own = mapper if side == "map" else side
        found.update(dict.fromkeys(heap.instances(base, subclasses=True).tolist(), own))
    for node in _in_fields(heap, shapes.user_code):
        found.setdefault(node, mapper)
    for thread in threads:
        for frame in thread.frames:
            if frame.level in _TEMPLATE_LEVELS and frame.via == "framework":
                side = "reduce" if frame.place in ("reduce", "combine") else thread.side
                if frame.this is not None:
                    found.setdefault(frame.this, side)
    for node in _in_fields(heap, shapes.plugged_in):
        if classes.is_user(heap.class_name(node)):
            found.setdefault(node, "unknown")
    for name in sorted(classes.task_classes):
        for node in heap.instances(name).tolist():
            found.setdefault(node, "unknown")
    return found


def _in_fields(heap: Heap, places: Iterable[Fields]) -> Iterator[int]:
    """What objects of these classes, subclasses included, keep in these fields."""
    for class_name, names in places:
        for node in heap.instances(class_name, subclasses=True).tolist():
            fields = heap.reference_fields(node)
            yield from (fields[name] for name in names if name in fields)


def _by_interest(threads: tuple[TaskThread, ...], oom: int | None) -> tuple[TaskThread, ...]:
    """Of two at work the one that only waits (map() for a spill that combines) comes after."""
    return tuple(
        sorted(
            threads,
            key=lambda thread: (
                thread.thread.node != oom if oom is not None else False,
                not thread.is_probe,
                not thread.has_template,
                thread.waits,
                not thread.is_task,
                not thread.works,
            ),
        )
    )


def _side(heap: Heap, threads: tuple[TaskThread, ...], classes: UserClasses) -> Side:
    """As the stacks say, else by the task object of the heap."""
    known: list[Side] = [thread.side for thread in threads if thread.side != "unknown"]
    known += [s for name, s in classes.engine.shapes.tasks.items() if heap.instances(name).size]
    return known[0] if known else "unknown"
