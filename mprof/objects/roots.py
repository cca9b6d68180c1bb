"""Where user memory hangs: statics, fields of task objects, thread-locals, locals of frames.

A root is one logical holder at one moment. Roots come in order of precedence: what lives longer
comes first, so an object that a field and a local share belongs to the field, and one that
reduce() and its helper share belongs to reduce().
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from mprof.heap import Heap
from mprof.objects.columns import number_field, static_references
from mprof.objects.members import field
from mprof.objects.model import Lifecycle, Owner, Place, Side
from mprof.objects.names import UserClasses
from mprof.objects.stack import FrameRole, ThreadRole
from mprof.objects.tasks import this_of

__all__ = ["Root", "RootFinder", "local_lifecycle", "stable_name"]

_SIZE_FIELDS = frozenset({
    "_set", "_size", "assigned", "capacity", "count", "distinct", "elementCount", "elementsCount",
    "free", "freeEntries", "hashSize", "keyMixer", "len", "length", "limit", "mask", "maxFill",
    "maxSize", "modCount", "n", "num", "numElements", "numEntries", "resizeAt", "shift", "size",
    "threshold", "top", "used",
})  # fmt: skip
_DEEPEST = 6
_MOST_ROOTS = 5000
_SKIPPED_FIELDS = ("this$", "<", "$VALUES", "ENUM$VALUES", "$assertionsDisabled", "$jacoco")
_HIDDEN_CLASS = re.compile(
    r"(\$\$Lambda|\$\$FastClass|\$Proxy|\$\$EnhancerBy)[^.]*$|[/+]0x[0-9a-f]+$"
)


@dataclass(frozen=True, slots=True)
class Root:
    """One holder at one moment.

    Attributes:
        node: where its memory begins.
        key: see :class:`mprof.objects.model.Holder`.
        owner: whose it is.
        lifecycle: how long it can live.
        chain: names and nodes from the outermost object to ``node``; the first name is
            ``this``, ``local`` or ``static`` with its class.
        frame: for a local: its frame.
        thread: for a local: its thread.
        declared_in: for a static: its class.
        opened: whether its fields are roots of their own.
    """

    node: int
    key: str
    owner: Owner
    lifecycle: Lifecycle
    chain: tuple[tuple[str, int], ...]
    frame: FrameRole | None = None
    thread: ThreadRole | None = None
    declared_in: str | None = None
    opened: bool = False


def _in_order(roots: Iterable[Root]) -> list[Root]:
    """What is nearer to the outermost object comes first; an opened object after all its fields.

    By name, not by the order of fields, which differs between virtual machines.
    """
    return sorted(
        roots,
        key=lambda root: (
            root.opened,
            -len(root.chain) if root.opened else len(root.chain),
            root.key,
        ),
    )


def stable_name(class_name: str) -> str:
    """The class's name without what a virtual machine makes up afresh in every run."""
    return _HIDDEN_CLASS.sub(lambda found: found.group(1) or "", class_name)


def local_lifecycle(role: FrameRole, side: Side) -> Lifecycle:
    """How long a local of this frame can live."""
    whole: Lifecycle = side if side != "unknown" else "none"
    if role.level in ("task", "foreign"):
        return whole
    if role.level == "setup":
        return "setup"
    if role.level == "cleanup":
        return "none"
    if role.level == "reduce" or (role.walks_values and role.place in ("reduce", "combine")):
        return "group"
    if role.place == "setup":
        return "setup"
    if role.place == "cleanup":
        return "none"
    return "record"


class RootFinder:
    """Finds the roots of user memory.

    Args:
        heap: the heap.
        users: tells user classes.
        threads: all threads, read.
        side: of the task.
        place: where the thread of interest stands.
        is_blocked: whether a node is nothing a user can own, such as a framework object.
    """

    def __init__(
        self,
        heap: Heap,
        users: UserClasses,
        threads: tuple[ThreadRole, ...],
        *,
        side: Side,
        place: Place,
        is_blocked: Callable[[int], bool],
    ) -> None:
        self._heap = heap
        self._users = users
        self._threads = threads
        self._side = side
        self._place = place
        self._is_blocked = is_blocked
        self._seen: set[int] = set()
        self._count = 0

    def lasting(self, tasks: dict[int, Side], user_classes: Iterable[str]) -> Iterator[Root]:
        """Fields of task objects, then statics of user classes, thread-locals included."""
        yield from _in_order(self._task_fields(tasks))
        yield from _in_order(self._statics(user_classes))

    def _statics(self, user_classes: Iterable[str]) -> Iterator[Root]:
        for name in user_classes:
            for static, node in static_references(self._heap, name).items():
                if not static.startswith(_SKIPPED_FIELDS):
                    key = f"static {stable_name(name)}.{static}"
                    chain = ((f"{stable_name(name)}.{static}", node),)
                    root = Root(node, key, "user", self._whole(self._side), chain, declared_in=name)
                    yield from self._grow(root)

    def _task_fields(self, tasks: dict[int, Side]) -> Iterator[Root]:
        for node, side in tasks.items():
            name = self._heap.class_name(node)
            if self._users.is_user(name):
                own = side if side != "unknown" else self._side
                key = f"field {stable_name(name)}"
                yield from self._grow(
                    Root(node, key, "user", self._whole(own), (("this", node),)), always=True
                )

    def _whole(self, side: Side) -> Lifecycle:
        if self._place == "setup":
            return "setup"
        return side if side != "unknown" else "none"

    def locals(self, levels: Callable[[FrameRole], bool]) -> Iterator[Root]:
        """Locals of the user's frames that pass, each thread's lowest frame first."""
        for thread in self._threads:
            side = thread.side if thread.side != "unknown" else self._side
            for role in reversed(thread.frames):
                if role.is_user and levels(role):
                    yield from self.locals_of(role, thread, local_lifecycle(role, side))

    def locals_of(
        self,
        role: FrameRole,
        thread: ThreadRole,
        lifecycle: Lifecycle,
        *,
        at: FrameRole | None = None,
        word: str = "local",
        owner: Owner = "user",
    ) -> Iterator[Root]:
        """Locals of one frame, named after the frame ``at`` that called it if that is given."""
        frame = (at or role).frame
        place = f"{word} {stable_name(frame.class_name)}.{frame.method}"
        numbers: Counter[str] = Counter()
        for local in role.frame.locals:
            node = self._viewed(local)
            if node in self._seen or self._is_blocked(node):
                continue
            name = stable_name(self._heap.class_name(node))
            numbers[name] += 1
            key = f"{place} {name}" + (f" #{numbers[name]}" if numbers[name] > 1 else "")
            this = word == "local" and this_of(self._heap, role) == node
            chain = (("this" if this else word, node),)
            root = Root(node, key, owner, lifecycle, chain, frame=at or role, thread=thread)
            yield from _in_order(self._grow(root))
            if local != node and local not in self._seen:
                yield replace(root, node=local)  # the iterator itself, under the same key

    def _viewed(self, node: int) -> int:
        """The collection that an iterator or a view of the JDK belongs to, else the node itself.

        Compiled code may drop a collection once a loop over it has its iterator.
        """
        if self._users.kind(self._heap.class_name(node)) != "neutral":
            return node
        outer = field(self._heap, node, "this$0")
        return node if outer is None or self._heap.container(outer) is None else outer

    def changeable_this(self, role: FrameRole) -> int | None:
        """The object whose method a library's frame runs, unless it is a String."""
        this = this_of(self._heap, role)
        if this is None or self._heap.class_name(this) == "java.lang.String":
            return None
        return this

    def stray(self, node: int) -> list[Root]:
        """A user object that only the framework or the JDK holds, such as a record writer."""
        key = f"field {stable_name(self._heap.class_name(node))}"
        root = Root(node, key, "user", self._whole(self._side), (("this", node),))
        return _in_order(self._grow(root))

    def library_statics(self, classes: Iterable[str]) -> Iterator[Root]:
        """Statics of libraries and of the JDK; their owner depends on what they hold."""
        for name in classes:
            owner: Owner = "user" if self._users.is_library(name) else "other"
            for static, node in static_references(self._heap, name).items():
                chain = ((f"{name}.{static}", node),)
                lifecycle = self._whole(self._side)
                key = f"static {name}.{static}"
                yield Root(node, key, owner, lifecycle, chain, declared_in=name)

    def _grow(self, root: Root, *, always: bool = False) -> Iterator[Root]:
        """The root itself, after the fields of user objects that are no containers."""
        if root.node in self._seen or self._is_blocked(root.node):
            return
        self._seen.add(root.node)
        self._count += 1
        yield from self._thread_local(root)
        opened = always or self._opens(root)
        if opened:
            for name, node in self._heap.reference_fields(root.node).items():
                if not name.startswith(_SKIPPED_FIELDS):
                    yield from self._grow(
                        Root(
                            node,
                            f"{root.key}.{name}",
                            root.owner,
                            root.lifecycle,
                            (*root.chain, (name, node)),
                            root.frame,
                            root.thread,
                            root.declared_in,
                        )
                    )
        yield replace(root, opened=opened)

    def _opens(self, root: Root) -> bool:
        """Whether the fields of a user object are holders of their own."""
        if len(root.chain) > _DEEPEST or self._count > _MOST_ROOTS:
            return False
        name = self._heap.class_name(root.node)
        if not self._users.is_user(name):
            return False
        fields = self._heap.reference_fields(root.node)
        classes = [self._heap.class_name(node) for node in fields.values()]
        if name in classes:
            return False  # a chain or tree of its own
        return not self._is_table(root.node, classes)

    def _is_table(self, node: int, classes: list[str]) -> bool:
        """Whether a user class is a container itself: arrays and a count, nothing else large."""
        arrays = sum(name.endswith("[]") for name in classes)
        if not arrays or any(self._is_collection(name) for name in classes):
            return False
        return any(number_field(self._heap, node, name) is not None for name in _SIZE_FIELDS)

    def _is_collection(self, class_name: str) -> bool:
        above = (class_name, *self._heap.super_classes(class_name))
        return any(
            name
            in ("java.util.AbstractCollection", "java.util.AbstractMap", "java.util.Dictionary")
            for name in above
        )

    def _thread_local(self, root: Root) -> Iterator[Root]:
        name = self._heap.class_name(root.node)
        if name != _THREAD_LOCAL and _THREAD_LOCAL not in self._heap.super_classes(name):
            return
        for thread in self._threads:
            for value in _thread_local_values(self._heap, thread.thread.node, root.node):
                chain = (*root.chain, ("value", value))
                yield from self._grow(
                    Root(
                        value,
                        f"{root.key} (thread-local)",
                        root.owner,
                        root.lifecycle,
                        chain,
                        root.frame,
                        root.thread,
                        root.declared_in,
                    )
                )


_THREAD_LOCAL = "java.lang.ThreadLocal"


def _thread_local_values(heap: Heap, thread: int, key: int) -> Iterator[int]:
    """Values of one thread-local in one thread (``Thread.threadLocals``, ``ThreadLocalMap``)."""
    for name in ("threadLocals", "inheritableThreadLocals"):
        table_map = field(heap, thread, name)
        table = None if table_map is None else field(heap, table_map, "table")
        for entry in [] if table is None else heap.elements(table).tolist():
            if entry >= 0 and field(heap, entry, "referent") == key:
                value = field(heap, entry, "value")
                if value is not None:
                    yield value
