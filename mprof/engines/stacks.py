"""What a thread of a task was doing, told by the shape of its stack.

A stack is read from its bottom upwards: the last frame that calls user code says which template the
user's frames above it follow, and the first user frame above it which method of the template runs.
What that method calls keeps its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from mprof.engines.classes import UserClasses
from mprof.engines.engine import Method, Template, TemplateCall
from mprof.engines.libraries import AGENT
from mprof.engines.vocabulary import Level, Place, Side, Via

__all__ = ["CodeFrame", "FrameRole", "StackReading", "read_stack"]

# Methods that the agent adds to the classes it patches (HookWrapper): mprof$hook$1 and so on.
_HOOK = "mprof$hook$"
_CONSTRUCTORS = ("<init>", "<clinit>")
_CODES: Final[Mapping[Via, Level]] = {"read": "decoder", "write": "encoder"}


class CodeFrame(Protocol):
    """A frame of a stack, from a dump or a log."""

    @property
    def class_name(self) -> str:
        """Of the class that declares the method."""

    @property
    def method(self) -> str:
        """Its name."""


@dataclass(frozen=True, slots=True)
class FrameRole:
    """What one frame does.

    Attributes:
        via: who called it; of a framework frame: what it was called for.
        place: where the thread would stand if this were its top.
    """

    class_name: str
    method: str
    level: Level
    via: Via
    place: Place

    @property
    def is_user(self) -> bool:
        """Whether the user wrote it."""
        return self.level not in ("framework", "library")


@dataclass(frozen=True, slots=True)
class StackReading:
    """A stack, top first, and where it stood.

    Attributes:
        frames: one role for each frame.
        place: where its top stood; ``other`` where nothing on the stack says.
        side: of the task, where the stack shows it.
        is_task: it is that of the thread that runs the task itself.
        has_template: it runs map(), reduce() or combine() code of the task.
        is_probe: it stands in a probe of the agent that user code or the framework led to.
        probe_frames: frames on top that are the probe's and not the job's, 0 where there is none.
        at_work: classes of the engine's own libraries that a template calls: a mapper or reducer
            that comes with the engine.
    """

    frames: tuple[FrameRole, ...]
    place: Place
    side: Side
    is_task: bool
    has_template: bool
    is_probe: bool
    probe_frames: int
    at_work: frozenset[str]


def read_stack(frames: Sequence[CodeFrame], classes: UserClasses) -> StackReading:
    """Reads one thread's stack.

    Args:
        frames: top first, class names in Java source form.
        classes: tells user classes, and which engine runs the task.
    """
    reader = _Reader(classes)
    roles = tuple(reader.role(frame) for frame in reversed(frames))[::-1]
    package = classes.engine.package
    own = next((at for at, role in enumerate(roles) if not _is_agents(role, package)), None)
    return StackReading(
        frames=roles,
        place=reader.place,
        side=reader.side,
        is_task=reader.is_task,
        has_template=reader.template is not None,
        is_probe=reader.met_agent and own is not None,
        probe_frames=own if reader.met_agent and own is not None else 0,
        at_work=frozenset(reader.at_work),
    )


def _is_agents(role: FrameRole, package: str) -> bool:
    """Whether a frame says nothing of what led to a probe: the agent's own, or the JDK's.

    The method through which a patched class of the engine calls its hook is the agent's too.
    """
    if role.method.startswith(_HOOK):
        return True
    return role.level == "framework" and not role.class_name.startswith(package)


class _Reader:
    """Reads one stack from its bottom upwards."""

    def __init__(self, classes: UserClasses) -> None:
        self._classes = classes
        self._engine = classes.engine
        self.template: Template | None = None
        self.place: Place = "other"
        self.side: Side = "unknown"
        self.is_task = False
        self.met_agent = False
        self.at_work: set[str] = set()
        self._via: Via = "framework"
        self._level: Level | None = None  # of the last frame that the template called
        self._is_called = False  # the frame below calls user code
        self._codes: Level | None = None  # decoder or encoder, where the user's frame below is one

    def role(self, frame: CodeFrame) -> FrameRole:
        """The role of the next frame upwards."""
        called, self._is_called = self._is_called, False
        call = self._engine.calls.get(Method(frame.class_name, frame.method))
        kind = self._classes.kind(frame.class_name)
        via = self._via
        if call is not None:
            self._enter(call)
        elif kind == "user":
            level = self._user(frame.method)
            self._via = "user"
            return self._as(frame, level, via)
        elif kind == "neutral" and via == "user":
            return self._as(frame, "library", via)
        elif kind != "neutral":
            if called:
                self._note_class_at_work(frame)
            self._framework(frame)
        return self._as(frame, "framework", self._via)

    def _as(self, frame: CodeFrame, level: Level, via: Via) -> FrameRole:
        return FrameRole(frame.class_name, frame.method, level, via, self.place)

    def _enter(self, call: TemplateCall) -> None:
        template, self._codes = call.template, None
        if template.side != "unknown":
            self.side = template.side
        self._via, self._is_called = "framework", not template.is_task
        if self.template is not None and template in self.template.parts:
            return  # the combiner's own Reducer.run
        self.template, self.place, self._level = template, call.place, None

    def _note_class_at_work(self, frame: CodeFrame) -> None:
        """Notes a class of the engine that a template calls by one of the template's methods."""
        named = self.template is not None and frame.method in self.template.methods
        if named and frame.method not in self._engine.reads | {*_CONSTRUCTORS}:
            self.at_work.add(frame.class_name)
        # one that carries user code is never read as that: Streaming's PipeMapper.close
        carries = named and frame.class_name.startswith(self._engine.carriers)
        if carries and self.template is not None and not self.template.is_one_place:
            self.place = self._place_of(self.template.methods[frame.method], self.template)

    def _framework(self, frame: CodeFrame) -> None:
        name, method = frame.class_name, frame.method
        self._codes = None
        if name.startswith(AGENT):
            self.met_agent, self._via = True, "framework"
            return
        side = self._engine.task_frames.get(Method(name, method))
        if side is not None:
            self.side, self.is_task = side, True
        if self._level is None and (self.template is None or self.template.is_task):
            self._stand(name, method)
        if method in self._engine.reads:
            self._via = "read"
        elif method in self._engine.writes:
            self._via = "write"
        elif self._via == "user":
            self._via = "framework"

    def _stand(self, name: str, method: str) -> None:
        """Moves the place on, where the framework's step may follow on the one before."""
        for step in self._engine.steps:
            if name.startswith(step.prefix) and (not step.methods or method in step.methods):
                if self.place in step.after:
                    self.place = step.place
                return

    def _user(self, method: str) -> Level:
        if self._via != "user":
            self._codes = _CODES.get(self._via)
        if self._codes is not None:  # and whatever the user's decoder or encoder calls
            return self._codes
        if self.template is None:
            return "foreign"
        calls = self.template.methods
        if self._level not in (None, "task"):
            # a bridge method and the method it leads to are one call of the template
            return self._level if calls.get(method) == self._level else "callee"
        level = calls.get(method, "callee")
        if self._level == "task" and (level == "task" or method in _CONSTRUCTORS):
            level = "callee"  # what a run() of the job's own calls it may call between records
        if not self.template.is_one_place:
            self.place = self._place_of(level, self.template)
        self._level = level
        return level

    def _place_of(self, level: Level, template: Template) -> Place:
        """Where a method of the template stands; what else it calls keeps the place."""
        if level == "setup" or level == "map" or level == "reduce" or level == "cleanup":
            return level
        return template.place if level == "task" else self.place
