"""Where user memory hangs: statics, fields of task objects, thread-locals, locals of frames.

A root is one logical holder at one moment. Roots come in order of precedence: what lives longer
comes first, so an object that a field and a local share belongs to the field, and one that
reduce() and its helper share belongs to reduce().
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from typing import Final

from mprof.engines import ClassKind, Lifetime, Side, stable_name
from mprof.heap import Heap
from mprof.objects.columns import Columns
from mprof.objects.heap_objects import HolderKey, Owner
from mprof.objects.scalar_replaced import class_scalar_replaced
from mprof.objects.shapes import Shapes, steps_to_many
from mprof.objects.stack import TaskFrame, TaskThread
from mprof.objects.threads import Threads
from mprof.objects.thresholds import LARGE_OBJECT

__all__ = ["Root", "RootFinder"]

_MOST_FIELDS_DEEP = 6
_MOST_ROOTS = 5000
_SKIPPED_FIELDS = ("this$", "<", "$VALUES", "ENUM$VALUES", "$assertionsDisabled", "$jacoco")
_THREAD_LOCAL = "java.lang.ThreadLocal"

_EXCHANGES: Final = (
    "java.util.concurrent.Exchanger", "java.util.concurrent.LinkedTransferQueue",
    "java.util.concurrent.SynchronousQueue",
)  # fmt: skip
_EXCHANGE_NODES: Final[Mapping[str, str]] = {
    "java.util.concurrent.Exchanger$Node": "parked",
    "java.util.concurrent.LinkedTransferQueue$DualNode": "waiter",  # JDK 21 and later, of both
    "java.util.concurrent.LinkedTransferQueue$Node": "waiter",
    "java.util.concurrent.SynchronousQueue$TransferQueue$QNode": "waiter",
    "java.util.concurrent.SynchronousQueue$TransferStack$SNode": "waiter",
}
"""Nodes with an item, and the field that refers to the thread that waits with it."""

# Locals of user frames, the longest life first.
_LOCAL_ORDER: Final[tuple[Callable[[TaskFrame], bool], ...]] = (
    lambda frame: frame.level in ("task", "foreign"),
    lambda frame: frame.level == "setup",
    lambda frame: frame.level == "reduce" or (frame.level == "callee" and frame.walks_values),
    lambda frame: frame.level in ("map", "cleanup", "callee"),
)


@dataclass(frozen=True, slots=True)
class Root:
    """One holder at one moment.

    Attributes:
        node: where its memory begins.
        key: of the holder.
        owner: whose it is.
        lifecycle: how long it can live.
        chain: names and nodes from the outermost object to ``node``; the first name is
            ``this``, ``local`` or ``static`` with its class.
        frame: for a local: its frame.
        thread: for a local: its thread.
        declared_in: for a static: its class.
        opened: whether its fields are roots of their own.
        alone: it takes its own node and nothing beyond: no field's claim leads back through it.
        around: it stands in a library's object that leads around the one whose field it is.
        kept: it takes what its node alone keeps alive, and nothing that others refer to as well.
        worker: for a local of a frame's call whose work a pool does: the thread that has it.
        below: for what is held by a frame that calls the user's ``frame``: that frame.
    """

    node: int
    key: HolderKey
    owner: Owner
    lifecycle: Lifetime
    chain: tuple[tuple[str, int], ...]
    frame: TaskFrame | None = None
    thread: TaskThread | None = None
    declared_in: str | None = None
    opened: bool = False
    alone: bool = False
    around: bool = False
    worker: TaskThread | None = None
    kept: bool = False
    below: TaskFrame | None = None


def _in_order(
    roots: Iterable[Root], shares: Callable[[Root], bool] = lambda _: False
) -> list[Root]:
    """What is nearer to the outermost object comes first; an opened object after all its fields.

    What keeps something large alone comes before what shares all that it reaches: each logger
    refers to its parent, which has the handlers. Then by name, not by the order of fields, which
    differs between virtual machines. Opened objects take their own nodes before: a servlet's
    configuration leads, through the server, to the servlet and all of its other fields. So it comes
    after these, too.
    """
    found = list(roots)
    opened = [replace(root, alone=True) for root in found if root.opened]
    return opened + sorted(
        found,
        key=lambda root: (
            root.opened,
            root.around,
            -len(root.chain) if root.opened else len(root.chain),
            shares(root),
            str(root.key),
        ),
    )


def _lifetime_of_locals(frame: TaskFrame, side: Side) -> Lifetime:
    """How long a local of this frame can live."""
    whole: Lifetime = side if side != "unknown" else "none"
    if frame.level in ("task", "foreign"):
        return whole
    if frame.level == "setup":
        return "setup"
    if frame.level == "cleanup":
        return "none"
    if frame.level == "reduce" or (frame.walks_values and frame.place in ("reduce", "combine")):
        return "group"
    if frame.place == "setup":
        return "setup"
    if frame.place == "cleanup":
        return "none"
    return "record"


def _reads(frame: TaskFrame) -> bool:
    """Whether it is a part of reading a record: the user's code, the framework's or a library's."""
    return frame.level in ("decoder", "library") or frame.via == "read"


class RootFinder:
    """Finds the roots of user memory; each object is a root once.

    Args:
        heap: the heap.
        columns: all of its nodes and statics.
        threads: all threads, read.
        in_setup: no record has been handed to user code yet.
    """

    def __init__(self, heap: Heap, columns: Columns, threads: Threads, *, in_setup: bool) -> None:
        self._heap = heap
        self._columns = columns
        self._classes = threads.classes
        self._tasks = threads.tasks
        self._threads = threads.ordered
        self._side = threads.side
        self._in_setup = in_setup
        self._seen: set[int] = set()
        self._count = 0
        self._numbers: dict[tuple[int, int], Counter[str]] = {}

    def in_order(self, shapes: Shapes) -> Iterator[Root]:
        """All roots that frames of libraries have no part in, what claims first coming first.

        What readers have read ahead, the record in flight and buffers; what threads wait to hand
        over; fields of task objects; statics, thread-locals included; fields of record writers;
        locals of user frames, those of what decoders call last.
        """
        yield from self._in_flight(shapes)
        for thread in self._threads:
            items = _handed_over(self._heap, thread)
            for root in self._in_hand(thread, items) if items else ():
                if any(self._heap.keeps(item, root.node) for item in items):
                    yield replace(root, kept=True)
                else:  # as the exchange itself, or the server: around it, and no part of it
                    self._seen.discard(root.node)
        yield from _in_order(self._task_fields(frozenset(shapes.writers)))
        large = int(LARGE_OBJECT.value)
        yield from _in_order(self._statics(), lambda root: self._heap.retained(root.node) < large)
        yield from _in_order(self._writers(shapes))
        for passes in _LOCAL_ORDER:
            yield from self._locals(passes)
        yield from self._being_read(is_callee=True)

    def _in_flight(self, shapes: Shapes) -> Iterator[Root]:
        """Records as the framework holds them, buffers, and what frames hold that read a record."""
        for _, name, node, reader in shapes.read_ahead:
            if reader is not None:
                key = HolderKey("reader", self._class(reader), fields=(name,))
                chain = (("this", reader), (name, node))
                yield Root(node, key, "reader", self._task_long, chain)
        for kind, name, node, _ in shapes.in_flight:
            key = HolderKey(kind, fields=(name,))
            yield Root(node, key, "record_in_flight", "record", ((name, node),))
        for kind, name, node, _ in shapes.buffers:
            yield Root(node, HolderKey(kind, fields=(name,)), "serialization", "none",
                       ((name, node),))  # fmt: skip
        yield from self._being_read(is_callee=False)

    def _being_read(self, *, is_callee: bool) -> Iterator[Root]:
        """What frames hold that read, by themselves or called by such a frame of the user's."""
        for thread in self._threads:
            for frame in thread.frames if thread.has_template else ():
                of_user = frame.level == "decoder" and (frame.via == "user") == is_callee
                of_framework = not is_callee and frame.via == "read" and frame.level == "framework"
                if of_user or of_framework:
                    for node in frame.frame.locals:
                        if not self._columns.is_blocked(node):
                            yield self._read(node, frame, thread)

    def _read(self, node: int, frame: TaskFrame, thread: TaskThread) -> Root:
        """A local of a frame that reads: many records, or the one that is being read."""
        chain = (("local", node),)
        if self._reads_many(node, frame, thread):
            of = class_scalar_replaced(self._heap, node, alone=node in frame.scalar_replaced)
            code = frame.frame
            key = HolderKey(
                "reader", stable_name(code.class_name), code.method, of or self._class(node)
            )
            return Root(node, key, "reader", self._task_long, chain, frame, thread)
        key = HolderKey("record_being_read")
        return Root(node, key, "record_in_flight", "record", chain, frame, thread)

    def _reads_many(self, node: int, frame: TaskFrame, thread: TaskThread) -> bool:
        """Whether a local is of many records: a collection, and no code of a record filled it.

        Keys and values that a reduce task reads come one at a time.
        """
        at = next(at for at, each in enumerate(thread.frames) if each is frame)
        below = thread.frames[at:]
        methods = [each.frame.method for each in takewhile(_reads, below)]
        if not self._classes.engine.decodes.isdisjoint(methods) or thread.is_reduce_task:
            return False
        return steps_to_many(self._heap, node) is not None

    def _writers(self, shapes: Shapes) -> Iterator[Root]:
        """The fields of record writers, those that are nobody's yet."""
        writers = frozenset(shapes.writers)
        for writer in shapes.writers:
            name = self._class(writer)
            for field, node in self._heap.reference_fields(writer).items():
                if node in writers:
                    continue  # which has holders of its own
                key = HolderKey("writer", name, fields=(field,))
                chain = (("this", writer), (field, node))
                yield from self._grow(Root(node, key, "writer", self._task_long, chain))

    def writer(self, node: int) -> Root:
        """A record writer itself, without what it keeps."""
        key = HolderKey("writer", self._class(node))
        return Root(node, key, "writer", self._task_long, (("this", node),))

    def _class(self, node: int) -> str:
        return stable_name(self._heap.class_name(node))

    @property
    def _task_long(self) -> Lifetime:
        """The lifecycle of what lives as long as the task, whether or not a record was seen."""
        return self._side if self._side != "unknown" else "none"

    def _task_fields(self, writers: frozenset[int]) -> Iterator[Root]:
        for node, side in self._tasks.items():
            name = self._heap.class_name(node)
            if self._classes.is_user(name) and node not in writers:
                own = side if side != "unknown" else self._side
                key = HolderKey("field", stable_name(name))
                root = Root(node, key, "user", self._whole(own), (("this", node),))
                yield from self._grow(root, always=True)

    def _statics(self) -> Iterator[Root]:
        for class_name, name, node in self._columns.statics["user"]:
            if not name.startswith(_SKIPPED_FIELDS):
                stable = stable_name(class_name)
                key = HolderKey("static", stable, fields=(name,))
                chain = ((f"{stable}.{name}", node),)
                yield from self._grow(
                    Root(node, key, "user", self._whole(self._side), chain, declared_in=class_name)
                )

    def _whole(self, side: Side) -> Lifetime:
        if self._in_setup:
            return "setup"
        return side if side != "unknown" else "none"

    def _in_hand(self, thread: TaskThread, items: frozenset[int]) -> Iterator[Root]:
        """What a thread waits to hand over, in the frame of the user's that has it.

        It is a field of the object whose method one runs, or a local of the lowest such frame;
        where compiled code has dropped it, a local of the frame that has called the library's.
        """
        users = [each for each in reversed(thread.frames) if each.is_user]
        for frame in users:
            if frame.this is not None:
                for name, node in self._heap.reference_fields(frame.this).items():
                    if node in items:
                        yield from self._field_in_hand(frame, thread, frame.this, name, node)
        for frame in users:
            yield from self._locals_of(frame, thread, at=frame, only=items)
        for frame in takewhile(lambda each: not each.is_user, thread.frames) if users else ():
            yield from self._locals_of(frame, thread, at=users[-1], only=items)

    def _field_in_hand(
        self, frame: TaskFrame, thread: TaskThread, this: int, name: str, node: int
    ) -> Iterator[Root]:
        code = frame.frame
        key = HolderKey(
            "local", stable_name(code.class_name), code.method, self._class(this), (name,)
        )
        lives = _lifetime_of_locals(frame, thread.side)
        chain = (("this", this), (name, node))
        yield from _in_order(self._grow(Root(node, key, "user", lives, chain, frame, thread)))

    def _locals(self, passes: Callable[[TaskFrame], bool]) -> Iterator[Root]:
        """Locals of the user's frames that pass, each thread's lowest frame first."""
        for thread in self._threads:
            for frame in reversed(thread.frames):
                if frame.is_user and passes(frame):
                    yield from self._locals_of(frame, thread, at=frame)

    def library_locals(
        self, frame: TaskFrame, thread: TaskThread, caller: TaskFrame
    ) -> Iterator[Root]:
        """Locals of a library's frame, which belong to the user frame that called it."""
        if caller.level == "decoder" and thread.has_template:
            nodes = (node for node in frame.frame.locals if not self._columns.is_blocked(node))
            return (self._read(node, caller, thread) for node in nodes)
        return self._locals_of(frame, thread, at=caller)

    def written(self, frame: TaskFrame, thread: TaskThread, caller: TaskFrame) -> Iterator[Root]:
        """Locals of a frame through which a user frame emits."""
        return self._locals_of(frame, thread, at=caller, is_written=True)

    def piped(self, thread: TaskThread) -> Iterator[Root]:
        """What a thread that reads from a child process holds: locals of its frames, buffers."""
        pipe = thread.pipe
        if pipe is None:
            return
        entry = next(one for one in thread.frames if one.frame.class_name == pipe.thread)
        key = HolderKey("piped", pipe.thread)
        held = [("local", node) for frame in thread.frames for node in frame.frame.locals]
        for class_name, names in pipe.buffers:
            for owner in self._heap.instances(class_name, subclasses=True).tolist():
                fields = self._heap.reference_fields(owner)
                held += [(name, fields[name]) for name in names if name in fields]
        for name, node in held:
            if not self._columns.is_blocked(node):
                yield Root(
                    node, key, "record_being_written", "none", ((name, node),), entry, thread
                )

    def _locals_of(
        self,
        frame: TaskFrame,
        thread: TaskThread,
        *,
        at: TaskFrame,
        is_written: bool = False,
        only: frozenset[int] | None = None,
    ) -> Iterator[Root]:
        """Locals of one frame, named after the frame ``at``, whose they are, and as long-lived.

        Where ``only`` some are asked for, the others are numbered after them.
        """
        side = thread.side if thread.side != "unknown" else self._side
        owner: Owner = "record_being_written" if is_written else "user"
        in_frame = HolderKey(
            "written" if is_written else "local", stable_name(at.frame.class_name), at.frame.method
        )
        numbers = self._numbers.setdefault((id(frame), id(at)), Counter())
        for local in frame.frame.locals:
            node = self._viewed(local)
            if node in self._seen or self._columns.is_blocked(node):
                continue
            if only is not None and node not in only:
                continue
            alone = frame is not at or node in frame.scalar_replaced
            of = class_scalar_replaced(self._heap, node, alone=alone) if not is_written else None
            name = of or stable_name(self._heap.class_name(node))
            fields: tuple[str, ...] = ()
            replaced = frame.scalar_replaced.get(node)
            if not is_written and replaced is not None and (field := replaced.field) is not None:
                name, fields = stable_name(field.class_name), (field.name,)
            numbers[name] += 1
            key = replace(in_frame, value_class=name, fields=fields, number=numbers[name])
            is_own = frame is at and frame.this == node  # of a library's method it is a local
            word = "this" if not is_written and is_own else in_frame.kind
            in_doubt = replaced is not None and replaced.in_doubt
            lives = "none" if in_doubt else _lifetime_of_locals(at, side)
            root = Root(node, key, owner, lives, ((word, node),), at, thread)
            yield from _in_order(self._grow(root))
            if local != node and local not in self._seen:
                yield replace(root, node=local)  # the iterator itself, under the same key

    def _viewed(self, node: int) -> int:
        """The collection that an iterator or a view of the JDK belongs to, else the node itself.

        Compiled code may drop a collection once a loop over it has its iterator.
        """
        if self._classes.kind(self._heap.class_name(node)) != "neutral":
            return node
        outer = self._heap.reference(node, "this$0")
        return node if outer is None or self._heap.container(outer) is None else outer

    def unattributed(self, node: int) -> list[Root]:
        """A user object that only the framework or the JDK holds, such as a record writer."""
        key = HolderKey("field", stable_name(self._heap.class_name(node)))
        root = Root(node, key, "user", self._whole(self._side), (("this", node),))
        return _in_order(self._grow(root))

    def finalizable(self, node: int) -> Root:
        """A user object that nothing but the queue of finalizers holds."""
        name = stable_name(self._heap.class_name(node))
        key = HolderKey("finalizers", value_class=name)
        return Root(node, key, "user", "none", (("finalizers", node),))

    def thread_locals(self) -> Iterator[Root]:
        """The values that thread-locals have in one thread, of classes that make them large.

        As where each request makes a thread-local of its own, and removes it from no thread.
        """
        for thread in self._threads:
            by_class: defaultdict[str, list[int]] = defaultdict(list)
            for _, value in _thread_locals(self._heap, thread.thread.node):
                if not self._columns.is_blocked(value):
                    by_class[self._class(value)].append(value)
            for name, values in by_class.items():
                if sum(map(self._heap.retained, values)) >= LARGE_OBJECT.value:
                    key = HolderKey("thread_locals", value_class=name)
                    for node in values:
                        chain = (("thread_locals", node),)
                        yield Root(node, key, "user", "none", chain, None, thread)

    def library_statics(self, kind: ClassKind) -> Iterator[Root]:
        """Statics of libraries and the JDK (``neutral``), or of the framework."""
        for class_name, name, node in self._columns.statics[kind]:
            key = HolderKey("static", class_name, fields=(name,))
            chain = ((f"{class_name}.{name}", node),)
            yield Root(node, key, "library", self._whole(self._side), chain,
                       declared_in=class_name)  # fmt: skip

    def _grow(self, root: Root, *, always: bool = False) -> Iterator[Root]:
        """The root itself, after the fields of user objects that are no containers."""
        if root.node in self._seen or self._columns.is_blocked(root.node):
            return
        self._seen.add(root.node)
        self._count += 1
        yield from self._thread_local(root)
        opened = always or self._opens(root)
        if opened:
            for name, node in self._heap.reference_fields(root.node).items():
                if not name.startswith(_SKIPPED_FIELDS):
                    chain = (*root.chain, (name, node))
                    key = replace(root.key, fields=(*root.key.fields, name))
                    around = self._is_around(root, node)
                    field = replace(root, node=node, key=key, chain=chain, around=around)
                    yield from self._grow(field)
        yield replace(root, opened=opened)

    def _is_around(self, root: Root, node: int) -> bool:
        """Whether a field of an object refers to a library's object that others keep as well.

        As the server does that calls the object: the field is a way to what is around it, while
        what the object alone keeps alive is in it. A container may be shared by its users.
        """
        if self._classes.kind(self._heap.class_name(node)) != "neutral":
            return root.around
        if self._heap.array_length(node) >= 0 or self._heap.container(node) is not None:
            return root.around
        above = [root.chain[0][1]]
        above += [] if root.thread is None else [root.thread.thread.node]
        return root.around or not any(self._heap.keeps(each, node) for each in above)

    def _opens(self, root: Root) -> bool:
        """Whether the fields of a user object are holders of their own."""
        if len(root.chain) > _MOST_FIELDS_DEEP or self._count > _MOST_ROOTS:
            return False
        name = self._heap.class_name(root.node)
        if not self._classes.is_user(name):
            return False
        fields = self._heap.reference_fields(root.node).values()
        if any(self._heap.class_name(node) == name for node in fields):
            return False  # a chain or tree of its own
        return not self._heap.is_table(root.node)

    def _thread_local(self, root: Root) -> Iterator[Root]:
        name = self._heap.class_name(root.node)
        if name != _THREAD_LOCAL and _THREAD_LOCAL not in self._heap.super_classes(name):
            return
        for value in self._thread_local_values.get(root.node, ()):
            chain = (*root.chain, ("value", value))
            yield from self._grow(
                replace(root, node=value, key=replace(root.key, thread_local=True), chain=chain)
            )

    @cached_property
    def _thread_local_values(self) -> Mapping[int, Sequence[int]]:
        """The values of each thread-local, a thread after the other: all tables are read once."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for thread in self._threads:
            for key, value in _thread_locals(self._heap, thread.thread.node):
                found[key].append(value)
        return found


def _handed_over(heap: Heap, thread: TaskThread) -> frozenset[int]:
    """What a thread waits to hand over to another one, which has not come for it yet.

    A synchronous queue "does not have any internal capacity, not even a capacity of one"
    (java.util.concurrent.SynchronousQueue), nor has an exchanger: what stands there is its
    thread's, and so is an element that waits in a transfer queue for whoever takes it. A thread
    enters itself in its node only before it parks: until then the item is among its locals.
    """
    found: set[int] = set()
    for frame in takewhile(lambda each: not each.is_user, thread.frames):
        for node in frame.frame.locals if frame.frame.class_name.startswith(_EXCHANGES) else ():
            waiter = _EXCHANGE_NODES.get(heap.class_name(node))
            item = heap.reference(node, "item") if waiter is not None else None
            if waiter is None or item is None:
                continue
            waits = heap.reference(node, waiter)
            if waits == thread.thread.node or (
                waits is None and any(item in each.frame.locals for each in thread.frames)
            ):
                found.add(item)
    return frozenset(found)


def _thread_locals(heap: Heap, thread: int) -> Iterator[tuple[int, int]]:
    """Thread-locals of one thread and their values (``ThreadLocal.ThreadLocalMap``)."""
    fields = heap.reference_fields(thread)
    for name in ("threadLocals", "inheritableThreadLocals"):
        table_map = fields.get(name)
        table = None if table_map is None else heap.reference(table_map, "table")
        for entry in [] if table is None else heap.elements(table).tolist():
            if entry >= 0:
                inside = heap.reference_fields(entry)
                if "referent" in inside and "value" in inside:
                    yield inside["referent"], inside["value"]
