"""What the threads of a task were doing, told by the shape of their stacks.

Hadoop calls user code from few places (3.4.3: ``mapreduce.Mapper.run``, ``mapred.MapRunner.run``,
``mapreduce.Reducer.run``, ``ReduceTask.runOldReducer``, ``Task$NewCombinerRunner.combine``,
``Task$OldCombinerRunner.combine``). A stack is read from its bottom upwards: the last of these
frames says which template the user's frames above it follow, and the first user frame above it
which method of the template runs. What that method calls keeps its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from mprof.heap import Frame, Thread
from mprof.objects.model import Place, Side
from mprof.objects.names import UserClasses

__all__ = ["FrameRole", "ThreadRole", "is_growth", "read_stack"]

Level = Literal[
    "framework", "library", "task", "setup", "map", "reduce", "cleanup", "callee", "decoder",
    "encoder", "foreign",
]  # fmt: skip
"""What a frame is, and so how long its locals live.

``framework``: Hadoop, the agent, or what they call. ``library``: the JDK or a library, called by
user code. ``task``: an overridden run(). ``setup``, ``map``, ``reduce``, ``cleanup``: that method
of the template. ``callee``: user code called by one of them. ``decoder``: a user's record reader
or Writable while a record is read. ``encoder``: a user's Writable or record writer while one is
written. ``foreign``: user code outside any template.
"""

Via = Literal["user", "read", "write", "framework"]
"""Who called: user code, or the framework while it reads, writes or does something else."""


Template = Literal["none", "map task", "reduce task", "mapper", "reducer", "combiner"]


@dataclass(frozen=True, slots=True)
class FrameRole:
    """One frame and what it does.

    Attributes:
        frame: the frame.
        level: what it is.
        via: who called it; of a framework frame: what it was called for.
        place: where the thread would stand if this were its top.
        walks_values: it, or what it calls, walks the values of a group.
    """

    frame: Frame
    level: Level
    via: Via
    place: Place
    walks_values: bool = False

    @property
    def is_user(self) -> bool:
        """Whether the user wrote it."""
        return self.level not in ("framework", "library")


@dataclass(frozen=True, slots=True)
class ThreadRole:
    """A thread, its frames top first, and where it stood.

    Attributes:
        thread: the thread.
        frames: one role for each of its frames.
        place: where its top stood, ``other`` outside a task's work.
        side: of the task, where the stack shows it.
        is_task: runs the task itself (``MapTask.run``, ``ReduceTask.run``).
        has_template: runs map(), reduce() or combine() code of the task.
        is_probe: stands in a probe of the agent that user code or the framework led to.
    """

    thread: Thread
    frames: tuple[FrameRole, ...]
    place: Place
    side: Side
    is_task: bool
    has_template: bool
    is_probe: bool

    @property
    def is_reduce_task(self) -> bool:
        """Whether it runs a reduce task: what other threads work at is then part of that."""
        return self.is_task and self.side == "reduce"

    @property
    def works(self) -> bool:
        """Whether it does a part of the task's work."""
        return self.is_task or self.has_template or self.place != "other"

    @property
    def tells(self) -> bool:
        """Whether its stack says anything of the job: work of the task, or code of the user."""
        return self.works or any(role.is_user for role in self.frames)

    @property
    def frames_below_probe(self) -> tuple[FrameRole, ...]:
        """The frames without a probe on top, which is the agent's and not the job's."""
        if not self.is_probe:
            return self.frames
        first = next(at for at, role in enumerate(self.frames) if not _is_agent(role))
        return self.frames[first:]


# Methods that the agent adds to the classes it patches (HookWrapper): mprof$hook$1 and so on.
_HOOK = "mprof$hook$"

_MAPRED = "org.apache.hadoop.mapred."
_NEW = "org.apache.hadoop.mapreduce."
_REDUCE = "org.apache.hadoop.mapreduce.task.reduce."

# (class, method) -> template that user frames above it follow, place until one of them is met.
_TEMPLATES: dict[tuple[str, str], tuple[Template, Place]] = {
    (_MAPRED + "MapTask", "runNewMapper"): ("map task", "init"),
    (_MAPRED + "MapTask", "runOldMapper"): ("map task", "init"),
    (_MAPRED + "ReduceTask", "runNewReducer"): ("reduce task", "reduce"),
    (_MAPRED + "ReduceTask", "runOldReducer"): ("reduce task", "reduce"),
    (_MAPRED + "MapRunner", "run"): ("mapper", "map"),
    (_MAPRED + "MapRunner", "configure"): ("mapper", "setup"),
    (_MAPRED + "lib.MultithreadedMapRunner", "run"): ("mapper", "map"),
    (_MAPRED + "lib.MultithreadedMapRunner$MapperInvokeRunable", "run"): ("mapper", "map"),
    (_NEW + "Mapper", "run"): ("mapper", "map"),
    (_NEW + "lib.map.MultithreadedMapper$MapRunner", "run"): ("mapper", "map"),
    (_NEW + "lib.chain.Chain$MapRunner", "run"): ("mapper", "map"),
    (_NEW + "Reducer", "run"): ("reducer", "reduce"),
    (_NEW + "lib.chain.Chain$ReduceRunner", "run"): ("reducer", "reduce"),
    (_MAPRED + "Task$NewCombinerRunner", "combine"): ("combiner", "combine"),
    (_MAPRED + "Task$OldCombinerRunner", "combine"): ("combiner", "combine"),
}

# Work of the framework itself, where no template is running: (class prefix, methods) -> place.
_PLACES: tuple[tuple[str, frozenset[str], Place], ...] = (
    (_MAPRED + "MapTask$MapOutputBuffer", frozenset({"init"}), "init"),
    (_MAPRED + "MapTask", frozenset({"createSortingCollector"}), "init"),
    (_MAPRED + "MapTask$MapOutputBuffer",
     frozenset({"flush", "sortAndSpill", "mergeParts", "createSpillFile"}), "sort"),
    (_REDUCE + "MergeManagerImpl", frozenset({"close", "finalMerge"}), "sort"),
    (_REDUCE, frozenset(), "shuffle"),
    (_MAPRED + "Merger", frozenset(), "sort"),
    (_MAPRED + "ReduceTask", frozenset({"runReducePhase"}), "reduce"),
)  # fmt: skip

_MAP_TASK = (_MAPRED + "MapTask", _MAPRED + "LocalJobRunner$Job$MapTaskRunnable")
_REDUCE_TASK = (_MAPRED + "ReduceTask", _MAPRED + "LocalJobRunner$Job$ReduceTaskRunnable")

_SETUP = frozenset({"setup", "configure", "setConf", "initialize", "<init>", "<clinit>"})
_CLEANUP = frozenset({"cleanup", "close"})

# Methods of the framework that read or write a record, and so call a user's classes back.
_READS = frozenset({
    "deserialize", "getCurrentKey", "getCurrentValue", "getKey", "hasNext", "initialize",
    "moveToNext", "next", "nextKey", "nextKeyValue", "nextRawKey", "nextRawValue", "readNextKey",
    "readNextValue", "resetKeyValue",
})  # fmt: skip
_WRITES = frozenset({"append", "collect", "serialize", "write"})

_VALUE_ITERATORS = (
    "org.apache.hadoop.mapreduce.task.ReduceContextImpl$Value",
    "org.apache.hadoop.mapred.Task$ValuesIterator",
    "org.apache.hadoop.mapred.Task$CombineValuesIterator",
    "org.apache.hadoop.mapred.ReduceTask$ReduceValuesIterator",
    "org.apache.hadoop.mapred.ReduceTask$SkippingReduceValuesIterator",
)

_GROWS = frozenset({
    "addAll", "copyOf", "copyOfRange", "doubleCapacity", "enlarge", "ensureCapacity",
    "ensureCapacityInternal", "ensureExplicitCapacity", "ensureRoom", "expand", "expandCapacity",
    "expandTable", "grow", "growArray", "growCapacity", "growTable", "increaseCapacity",
    "newCapacity", "realloc", "reallocate", "rehash", "resize", "resizeStamp", "resizeTable",
    "setCapacity", "transfer", "tryPresize",
})  # fmt: skip


def is_growth(method: str) -> bool:
    """Whether a method of this name makes a container larger: two arrays are alive meanwhile."""
    return method in _GROWS or method.startswith(("grow", "resize", "rehash", "ensureCapacity"))


_METHODS: dict[str, Level] = {
    **dict.fromkeys(_SETUP, "setup"), **dict.fromkeys(_CLEANUP, "cleanup"), "run": "task",
}  # fmt: skip
_MAP_METHODS: dict[str, Level] = {**_METHODS, "map": "map"}
_REDUCE_METHODS: dict[str, Level] = {**_METHODS, "reduce": "reduce", "combine": "reduce"}

# By template: the methods it calls, and the place of each level (of a combiner it is always one).
_CALLS: dict[Template, dict[str, Level]] = {
    "map task": _MAP_METHODS, "mapper": _MAP_METHODS,
    "reduce task": _REDUCE_METHODS, "reducer": _REDUCE_METHODS, "combiner": _REDUCE_METHODS,
    "none": {},
}  # fmt: skip
_LEVEL_PLACES: dict[Level, Place] = {
    "setup": "setup", "map": "map", "reduce": "reduce", "cleanup": "cleanup",
}  # fmt: skip


class _Reader:
    """Reads one stack from its bottom upwards."""

    def __init__(self, users: UserClasses) -> None:
        self._users = users
        self.template: Template = "none"
        self.place: Place = "other"
        self.side: Side = "unknown"
        self.is_task = False
        self.is_probe = False
        self._via: Via = "framework"
        self._level: Level | None = None  # of the last frame that the template called

    def role(self, frame: Frame) -> FrameRole:
        """The role of the next frame upwards."""
        template = _TEMPLATES.get((frame.class_name, frame.method))
        kind = self._users.kind(frame.class_name)
        via = self._via
        if template is not None:
            self._enter(*template)
        elif kind == "user":
            level = self._user(frame.method)
            self._via = "user"
            return FrameRole(frame, level, via, self.place)
        elif kind == "neutral" and via == "user":
            return FrameRole(frame, "library", via, self.place)
        elif kind != "neutral":
            self._framework(frame)
        return FrameRole(frame, "framework", self._via, self.place)

    def _enter(self, template: Template, place: Place) -> None:
        if template in ("mapper", "map task"):
            self.side = "map"
        elif template == "reduce task":
            self.side = "reduce"
        self._via = "framework"
        if self.template == "combiner" and template == "reducer":
            return  # the combiner's own Reducer.run
        self.template, self.place, self._level = template, place, None

    def _framework(self, frame: Frame) -> None:
        name, method = frame.class_name, frame.method
        if name.startswith("org.mprof."):
            self.is_probe, self._via = True, "framework"
            return
        if name in _MAP_TASK and method == "run":
            self.side, self.is_task = "map", True
        elif name in _REDUCE_TASK and method == "run":
            self.side, self.is_task = "reduce", True
        if self._level is None and self.template in ("none", "map task", "reduce task"):
            self._stand(name, method)
        if method in _READS:
            self._via = "read"
        elif method in _WRITES:
            self._via = "write"
        elif self._via == "user":
            self._via = "framework"

    def _stand(self, name: str, method: str) -> None:
        """Moves the place on; from the shuffle only its own end does, from the sort nothing."""
        for prefix, methods, place in _PLACES:
            if name.startswith(prefix) and (not methods or method in methods):
                starts = self.place in ("other", "init", "reduce")
                ends = self.place == "shuffle" and prefix.endswith("MergeManagerImpl")
                if starts or ends:
                    self.place = place
                return

    def _user(self, method: str) -> Level:
        if self._via == "read":
            return "decoder"
        if self._via == "write":
            return "encoder"
        if self.template == "none":
            return "foreign"
        if self._level not in (None, "task"):  # a bridge method is what it leads to
            again = method if self._level in ("map", "reduce") else ""
            return _CALLS[self.template].get(again, "callee") if again else "callee"
        level = _CALLS[self.template].get(method, "callee")
        if self._level == "task" and level == "task":
            level = "callee"
        if self.template != "combiner":
            running: Place = "map" if self.template in ("mapper", "map task") else "reduce"
            self.place = _LEVEL_PLACES.get(level, running if level == "task" else self.place)
        self._level = level
        return level


def _has_values(frame: Frame, class_of: Callable[[int], str]) -> bool:
    return any(class_of(node).startswith(_VALUE_ITERATORS) for node in frame.locals)


def _is_agent(role: FrameRole) -> bool:
    """Whether a frame says nothing of what led to a probe: the agent's own, or the JDK's.

    The method through which a patched class of Hadoop calls its hook is the agent's too.
    """
    if role.frame.method.startswith(_HOOK):
        return True
    return role.level == "framework" and not role.frame.class_name.startswith("org.apache.hadoop.")


def read_stack(thread: Thread, users: UserClasses, class_of: Callable[[int], str]) -> ThreadRole:
    """Reads one thread's stack.

    Args:
        thread: frames top first.
        users: tells user classes.
        class_of: class name of a local.
    """
    reader = _Reader(users)
    roles = [reader.role(frame) for frame in reversed(thread.frames)][::-1]
    walking = False
    for at, role in enumerate(roles):  # whoever called the one that walks the values walks too
        own = role.is_user and _has_values(role.frame, class_of)
        reads = role.via == "read" and role.level == "framework"
        walking = walking or own or reads
        if walking and role.is_user:
            roles[at] = replace(role, walks_values=True)
    return ThreadRole(
        thread=thread,
        frames=tuple(roles),
        place="init" if reader.is_task and reader.place == "other" else reader.place,
        side=reader.side,
        is_task=reader.is_task,
        has_template=reader.template != "none",
        is_probe=reader.is_probe and any(not _is_agent(role) for role in roles),
    )
