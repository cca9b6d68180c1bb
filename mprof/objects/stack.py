"""One thread of a dump: its stack as the engine's profile reads it, and what frames hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mprof.code_site import CodeSite
from mprof.engines import (
    FrameRole,
    Level,
    Pipe,
    Place,
    Side,
    StackReading,
    UserClasses,
    Via,
    pipe_on_stack,
    stable_name,
)
from mprof.heap import Frame, Heap, Thread
from mprof.heap.summary import FrameRow
from mprof.objects.words import is_lambda

__all__ = [
    "FieldOf", "ScalarReplaced", "TaskFrame", "TaskThread", "has_line", "read_thread", "site_of",
]  # fmt: skip

_SLEEPS = ("sleep", "sleep0", "sleepNanos0")
_HANDLES = "dispatchUncaughtException"  # of java.lang.Thread
_CONTINUATION = "jdk.internal.vm.Continuation"
_WAITS = ("park", *_SLEEPS, "wait", "wait0")


class FieldOf(NamedTuple):
    """A field of the objects of a class."""

    class_name: str
    name: str


class ScalarReplaced(NamedTuple):
    """What a frame must have held in a scalar-replaced object.

    Attributes:
        field: of that object, where it is known.
        in_doubt: another frame of the user's may have held it instead.
    """

    field: FieldOf | None
    in_doubt: bool


@dataclass(frozen=True, slots=True)
class TaskFrame:
    """A frame with its role and its locals.

    Attributes:
        frame: as the dump has it.
        role: what it does.
        this: node of the object whose method it runs, if that is among its locals.
        walks_values: it, or what it calls, walks the values of a group.
        scalar_replaced: of its locals those that it must have held in a scalar-replaced object.
    """

    frame: Frame
    role: FrameRole
    this: int | None
    walks_values: bool = False
    scalar_replaced: Mapping[int, ScalarReplaced] = field(default_factory=dict, compare=False)

    @property
    def level(self) -> Level:
        """What it is."""
        return self.role.level

    @property
    def via(self) -> Via:
        """Who called it; of a framework frame: what it was called for."""
        return self.role.via

    @property
    def place(self) -> Place:
        """Where the thread would stand if this were its top."""
        return self.role.place

    @property
    def is_user(self) -> bool:
        """Whether the user wrote it."""
        return self.role.is_user


def site_of(frame: Frame | FrameRow) -> CodeSite:
    """A frame as a place in the code."""
    return CodeSite(
        class_name=stable_name(frame.class_name),
        method=frame.method,
        file=frame.file or None,
        line=frame.line if frame.line > 0 else None,
    )


def has_line(frame: TaskFrame) -> bool:
    """Whether it is a user frame that is in the source; the class behind a lambda is not."""
    return frame.is_user and not is_lambda(frame.frame.class_name)


@dataclass(frozen=True, slots=True)
class TaskThread:
    """A thread, its frames top first, and where it stood.

    Attributes:
        thread: as the dump has it.
        frames: all frames.
        place: where its top stood, ``other`` outside a task's work.
        side: of the task, where the stack shows it.
        is_task: runs the task itself (``MapTask.run``, ``ReduceTask.run``).
        has_template: runs map(), reduce() or combine() code of the task.
        is_probe: stands in a probe of the agent that user code or the framework led to.
        frames_below_probe: the frames without the probe's, which is the agent's and not the job's.
        pipe: what it reads of a child process, where it is a thread that does.
    """

    thread: Thread
    frames: tuple[TaskFrame, ...]
    place: Place
    side: Side
    is_task: bool
    has_template: bool
    is_probe: bool
    frames_below_probe: tuple[TaskFrame, ...]
    pipe: Pipe | None = None

    @property
    def methods(self) -> frozenset[tuple[str, str]]:
        """Class and method of the user's frames."""
        users = (each.frame for each in self.frames if each.is_user)
        return frozenset((stable_name(each.class_name), each.method) for each in users)

    @property
    def is_reduce_task(self) -> bool:
        """Whether it runs a reduce task: what other threads work at is then part of that."""
        return self.is_task and self.side == "reduce"

    @property
    def works(self) -> bool:
        """Whether it does a part of the task's work."""
        at_work = self.is_task or self.has_template or self.pipe is not None
        return at_work or self.place != "other"

    @property
    def waits(self) -> bool:
        """Whether it stands in a wait of the JDK's (``Unsafe.park``, ``Object.wait0``, a sleep).

        A virtual thread that waits has left its carrier.
        """
        top = next(iter(self.frames), None)
        if top is None:
            return False
        return top.frame.method in _WAITS or top.frame.class_name == _CONTINUATION

    @property
    def has_died(self) -> bool:
        """Whether an error has left all its methods: the JDK passes it to its handler."""
        return any(frame.frame.method == _HANDLES for frame in self.frames)

    @property
    def sleeps(self) -> bool:
        """Whether it waits for nothing but a while."""
        top = next(iter(self.frames), None)
        return top is not None and top.frame.method in _SLEEPS

    @property
    def tells(self) -> bool:
        """Whether its stack says anything of the job: work of the task, or code of the user."""
        return self.works or any(frame.is_user for frame in self.frames)


def read_thread(
    heap: Heap,
    thread: Thread,
    classes: UserClasses,
    reading: StackReading,
    *,
    has_values: bool = True,
) -> TaskThread:
    """Reads one thread's stack.

    Args:
        heap: the heap that its locals are in.
        thread: frames top first.
        classes: tells user classes.
        reading: of its frames.
        has_values: the heap has iterators of the engine's at all; else no frame walks one.
    """
    frames = [
        TaskFrame(frame, role, _this_of(heap, frame))
        for frame, role in zip(thread.frames, reading.frames, strict=True)
    ]
    walking = False
    for at, frame in enumerate(frames):  # whoever called the one that walks the values walks too
        own = has_values and frame.is_user and _has_values(heap, frame.frame, classes)
        reads = frame.via == "read" and frame.level == "framework"
        walking = walking or own or reads
        if walking and frame.is_user:
            frames[at] = replace(frame, walks_values=True)
    return TaskThread(
        thread=thread,
        frames=tuple(frames),
        place="init" if reading.is_task and reading.place == "other" else reading.place,
        side=reading.side,
        is_task=reading.is_task,
        has_template=reading.has_template,
        is_probe=reading.is_probe,
        frames_below_probe=tuple(frames[reading.probe_frames :]),
        pipe=pipe_on_stack(frame.class_name for frame in thread.frames),
    )


def _this_of(heap: Heap, frame: Frame) -> int | None:
    """The first local that can be the object whose method the frame runs."""
    for node in frame.locals:
        name = heap.class_name(node)
        if name == frame.class_name or frame.class_name in heap.super_classes(name):
            return node
    return None


def _has_values(heap: Heap, frame: Frame, classes: UserClasses) -> bool:
    """Whether a local is the engine's iterator over the values, or an object that wraps it.

    An iterator that wraps it may be an inner class of what was made with it. The engine's own
    objects are not asked: through its context the iterator is reached from everywhere.
    """
    engine = classes.engine

    def are_values(node: int) -> bool:
        return heap.class_name(node).startswith(engine.value_iterators)

    def wraps(node: int) -> bool:
        if heap.class_name(node).startswith(engine.package):
            return False
        fields = heap.reference_fields(node)
        outer = fields.get("this$0")
        of_outer = () if outer is None else heap.reference_fields(outer).values()
        return any(map(are_values, (*fields.values(), *of_outer)))

    return any(are_values(node) or wraps(node) for node in frame.locals)
