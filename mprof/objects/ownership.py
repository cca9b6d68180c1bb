"""Every live byte gets one owner and, where it is the user's, one holder.

Claims spread in this order, and what is claimed stays so (:mod:`mprof.kernels.claim`):

0. what only soft references keep is nobody's: the virtual machine takes it back first;
1. the framework's arrays, told by shape: sort buffer, shuffled segments, buffers of readers;
2. what a record reader has read ahead, the record in flight, and buffers that records are
   serialised into;
3. what the user holds, longest life first: fields of task objects and statics; then what record
   writers keep, which no claim of the user's passes through; locals of an overridden run() and of
   foreign threads, of setup(), of reduce() and combine(), of the rest;
4. what only a library's frame holds: it belongs to the container that the frame works on, else to
   the user frame that called it;
5. the record being written: what only the frames of an emit hold, and what a thread holds that
   reads the output of a child process;
6. user objects that wait for their finalizers; what large statics of the framework alone keep
   alive; values of thread-locals; user objects that only the framework or the JDK holds; large
   statics of libraries and of the JDK; large objects of which nothing tells the holder;
7. the framework's own objects and all they reach; the rest is the virtual machine's.

No claim but the last passes through objects of the framework, classes, class loaders or threads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mprof.engines import Lifetime, enlarges_container, is_enlarging_name, stable_name
from mprof.heap import Heap
from mprof.kernels.claim import (
    BLOCKED,
    FREE,
    Tree,
    block,
    claim,
    claim_ranges,
    reached_sizes,
    sum_by_owner,
    unblock,
)
from mprof.kernels.select import where_both
from mprof.kernels.spare import Spare
from mprof.objects.columns import FIRST_BLOCKED, Columns, NodeKind
from mprof.objects.heap_objects import HolderKey, Owner, PartName
from mprof.objects.roots import Root, RootFinder
from mprof.objects.scalar_replaced import class_scalar_replaced
from mprof.objects.shapes import Part, Shapes
from mprof.objects.stack import TaskFrame, TaskThread
from mprof.objects.threads import Threads
from mprof.objects.thresholds import LARGE_OBJECT, SIDE_BY_SIDE
from mprof.objects.words import is_lambda

__all__ = ["KEEPERS", "Label", "Ownership", "assign_owners"]

_MOST_UNATTRIBUTED = 2000
_AT_ONCE = 1 << 20  # nodes
KEEPERS: Final[tuple[Owner, ...]] = ("user", "writer", "reader", "library")
"""Owners whose containers grow: user code, and what it fills or plugs in."""


@dataclass(slots=True)
class Label:
    """One owner in the array of owners; changes only while claims are made.

    Attributes:
        number: its number; 0 is nobody's and stands for the virtual machine's own memory.
        key: of the holder.
        owner: whose.
        lifecycle: how long it can live.
        roots: where its claims began.
        part: of the framework's memory.
        doubling: one of its containers was being enlarged.
    """

    number: int
    key: HolderKey
    owner: Owner
    lifecycle: Lifetime
    roots: list[Root]
    part: PartName | None = None
    doubling: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Ownership:
    """Who owns each node.

    Attributes:
        labels: by number.
        owners: int32, label of each node, negative where a node is no object.
        bytes: int64, by label.
        objects: int64, by label.
    """

    labels: tuple[Label, ...]
    owners: NDArray[np.int32]
    bytes: NDArray[np.int64]
    objects: NDArray[np.int64]


def assign_owners(
    heap: Heap, columns: Columns, threads: Threads, shapes: Shapes, *, in_setup: bool
) -> Ownership:
    """Assigns every node.

    Args:
        heap: the heap.
        columns: all of its nodes and statics.
        threads: its threads, read.
        shapes: what the framework holds.
        in_setup: no record has been handed to user code yet.
    """
    claims = _Claims(heap, columns, heap.spare)
    finder = RootFinder(heap, columns, threads, in_setup=in_setup)
    _claim_softly_held(claims, heap)
    claims.claim_parts(shapes.parts)
    _claim_reader_buffers(claims, shapes.reader_buffers)
    for writer in shapes.writers:
        claims.take(finder.writer(writer))
    claims.claim_roots(finder.in_order(shapes))
    for thread in threads.ordered:
        _claim_library_locals(claims, finder, heap, thread, threads)
        _claim_written(claims, finder, thread)
        claims.claim_roots(finder.piped(thread))
    for thread in threads.ordered:
        _claim_tasks_locals(claims, finder, thread)
    for thread in threads.ordered:
        _claim_below_callbacks(claims, finder, heap, thread)
    _join_dropped_locals(claims)
    _mark_enlarged_tables(claims, heap, threads)
    _mark_enlarged_buffers(claims, threads)
    _claim_finalizable(claims, finder, heap)
    _claim_unheld(claims, heap, threads.lost)
    _leave_out(claims, heap.unreachable_nodes)
    _claim_framework_statics(claims, heap, finder)
    _claim_kept_by_library_statics(claims, heap, finder)
    if not any(thread.works for thread in threads.ordered):
        claims.claim_roots(finder.thread_locals())
    _claim_unattributed(claims, finder)
    _claim_library_statics(claims, finder)
    tops = heap.dominator_roots()
    _claim_unheld(claims, heap, tops[heap.retained_all(tops) >= LARGE_OBJECT.value].tolist())
    _claim_framework(claims, threads)
    claims.end()
    sums = sum_by_owner(claims.owners, columns.prefix, len(claims.labels))
    return Ownership(tuple(claims.labels), claims.owners, sums[0], sums[1])


class _Claims:
    """Collects labels and lets them claim."""

    def __init__(self, heap: Heap, columns: Columns, spare: Spare) -> None:
        self._heap = heap
        self.columns = columns
        self._spare = spare
        self.owners: NDArray[np.int32] = spare.scattered(columns.kinds.size, np.int32)
        self._pending: NDArray[np.int32] = spare.take(columns.kinds.size, np.int32)
        self._tree = Tree(
            heap.storage.read_anywhere(heap.subtrees),
            heap.nodes_with_further_references,
            *heap.outgoing,
        )
        block(columns.kinds, FIRST_BLOCKED, self.owners)
        nobody = HolderKey("nobody")
        self.labels = [Label(0, nobody, "other", "none", [])]
        self._by_key: dict[HolderKey, Label] = {nobody: self.labels[0]}

    def end(self) -> None:
        """Gives back what only claiming takes."""
        self._spare.give(self._pending)

    def label(self, key: HolderKey, owner: Owner, lifecycle: Lifetime = "none") -> Label:
        """The label of a holder, made if it is new."""
        found = self._by_key.get(key)
        if found is None:
            found = Label(len(self.labels), key, owner, lifecycle, [])
            self.labels.append(found)
            self._by_key[key] = found
        return found

    def claim(self, sources: list[tuple[int, Label]]) -> None:
        """Lets nodes claim in order; what is not free claims nothing."""
        sources = [each for each in sources if self.owners[each[0]] == FREE]
        if not sources:
            return
        claim(
            *self.columns.outgoing,
            sources=np.array([node for node, _ in sources], np.int64),
            labels=np.array([label.number for _, label in sources], np.int32),
            owners=self.owners,
            tree=self._tree,
            pending=self._pending,
        )

    def take(self, root: Root) -> None:
        """Gives a root its node alone, if that is nobody's: no later claim passes through it."""
        if self.owners[root.node] == FREE:
            label = self.label(root.key, root.owner, root.lifecycle)
            if not root.alone:
                label.roots.append(root)
            self.owners[root.node] = label.number

    def class_of(self, root: Root) -> str:
        """The class of the object where a root's memory begins."""
        return self._heap.class_name(root.node)

    def join(self, joined: Mapping[int, int]) -> None:
        """Gives what some labels have claimed to others, by their numbers."""
        if not joined:
            return
        numbers = np.arange(len(self.labels), dtype=np.int32)
        numbers[list(joined)] = list(joined.values())
        for start in range(0, self.owners.size, _AT_ONCE):
            part = self.owners[start : start + _AT_ONCE]
            part[part > FREE] = numbers[part[part > FREE]]

    def claim_parts(self, parts: Iterable[Part]) -> None:
        """Lets arrays of the framework claim in order, each for a label of its own."""
        sources = []
        for number, part in enumerate(parts, start=1):
            key = HolderKey("framework", fields=(part.part,), number=number)
            label = self.label(key, "framework")
            label.part = part.part
            sources.append((part.node, label))
        self.claim(sources)

    def claim_roots(self, roots: Iterable[Root]) -> None:
        """Lets roots claim in order."""
        sources: list[tuple[int, Label]] = []
        for root in roots:
            if root.alone:
                if sources and not self.is_taken(root.node):
                    self.claim(sources)
                    sources = []
                self.take(root)
                continue
            label = self.label(root.key, root.owner, root.lifecycle)
            label.roots.append(root)
            if root.kept:
                start = np.array([root.node], np.int64)
                end = start + self._heap.subtree(root.node)
                claim_ranges(start, end, label=label.number, owners=self.owners)
                continue
            if root.opened and self.owners[root.node] == label.number:  # its other fields
                fields = self._heap.reference_fields(root.node).values()
                sources += [(node, label) for node in fields]
            else:
                sources.append((root.node, label))
        self.claim(sources)

    def those(self, kind: NodeKind, owner: int) -> NDArray[np.int64]:
        """The nodes of a kind that are ``FREE``, or ``BLOCKED``, or have that label; ascending."""
        return where_both(self.columns.kinds, kind, self.owners, owner)

    def label_of(self, node: int | None) -> Label | None:
        """The label that has claimed a node."""
        number = int(self.owners[node]) if node is not None else FREE
        return self.labels[number] if number > FREE else None

    def user_label(self, node: int | None) -> Label | None:
        """The label that has claimed a node, where it is the user's."""
        found = self.label_of(node)
        return found if found is not None and found.owner == "user" else None

    def keeper(self, node: int | None) -> Label | None:
        """The label that has claimed a node, where it is one whose containers grow."""
        found = self.label_of(node)
        return found if found is not None and found.owner in KEEPERS else None

    def is_taken(self, node: int) -> bool:
        """Whether a node is claimed, or cannot be."""
        return bool(self.owners[node] != FREE)


def _claim_softly_held(claims: _Claims, heap: Heap) -> None:
    """What is alive through a soft reference alone: no OutOfMemoryError comes before it is freed.

    "All soft references to softly-reachable objects are guaranteed to have been cleared before the
    virtual machine throws an OutOfMemoryError" (java.lang.ref.SoftReference). Before that it stands
    in a probe's dump and in no dump of a death, as if the record between had made room. What two
    soft references share is not seen.
    """
    soft = np.sort(heap.instances("java.lang.ref.SoftReference", subclasses=True))
    label = claims.label(HolderKey("softly_held"), "other")
    claim_ranges(*heap.dominated_ranges(soft), label=label.number, owners=claims.owners)


def _claim_library_locals(
    claims: _Claims, finder: RootFinder, heap: Heap, thread: TaskThread, threads: Threads
) -> None:
    """Locals of the JDK's and libraries' frames above a user frame, nearest frame first."""
    caller: TaskFrame | None = None
    container: Label | None = None
    for frame in reversed(thread.frames):
        if frame.is_user:
            caller, container = frame, None
        elif frame.level != "library" or caller is None:
            caller = None
        else:
            code = frame.frame
            enlarges = enlarges_container(code.class_name, code.method, threads.classes)
            found = _container_at_work(claims, heap, frame, enlarges=enlarges)
            container = found or container
            if container is not None:
                container.doubling |= enlarges
                claims.claim([(node, container) for node in code.locals])
            else:
                claims.claim_roots(finder.library_locals(frame, thread, caller))


def _claim_tasks_locals(claims: _Claims, finder: RootFinder, thread: TaskThread) -> None:
    """What the frames of a pool hold that run a part of somebody's call: it is a part of that.

    No user frame has called them in this thread, but the object whose method one of them runs is a
    local of a call in another thread, as the task of a parallel stream is of whoever waits for it.
    """
    called: Root | None = None
    for frame in () if thread.works else reversed(thread.frames):
        if frame.is_user:
            return
        task = claims.user_label(frame.this)
        for root in task.roots if task is not None else ():
            if root.frame is not None and root.thread is not thread:
                called = root
                break
        if called is not None and called.frame is not None and called.thread is not None:
            roots = finder.library_locals(frame, called.thread, called.frame)
            claims.claim_roots(replace(root, worker=thread) for root in roots)


def _claim_below_callbacks(
    claims: _Claims, finder: RootFinder, heap: Heap, thread: TaskThread
) -> None:
    """What only the frames of a pool hold that call the user's, for whom is not known.

    As where the thread that has begun a parallel stream died before.
    """
    users = [each for each in reversed(thread.frames) if each.is_user]
    called = next((each for each in users if not is_lambda(each.frame.class_name)), None)
    if thread.works or called is None:
        return
    for frame in thread.frames[thread.frames.index(users[0]) + 1 :]:
        for root in finder.library_locals(frame, thread, called):
            alone = heap.keeps(thread.thread.node, root.node) and root.node != thread.thread.node
            if alone and heap.retained(root.node) >= LARGE_OBJECT.value:
                claims.claim_roots([replace(root, below=frame)])


def _join_dropped_locals(claims: _Claims) -> None:
    """Makes one holder of a local that threads of one code hold in different frames.

    A method hands it to the next one, and compiled code drops what it needs no more: so of hundreds
    of threads some have it in the method that made it, the others in one that it has called. That
    is so where each thread has it in one of both, the others are all within the first method, and
    most of the first ones within the second.
    """
    alike: defaultdict[tuple[object, ...], list[Label]] = defaultdict(list)
    for label in claims.labels:
        if label.key.kind == "local" and _threads_of(label):
            of = claims.class_of(label.roots[0])
            alike[of, label.owner, label.lifecycle].append(label)
    joined: dict[int, int] = {}
    for labels in alike.values():
        kept: list[Label] = []
        for label in sorted(labels, key=lambda each: (not each.key.fields, _depth(each))):
            into = next((each for each in kept if _is_dropped(label, each)), None)
            if into is None:
                kept.append(label)
            else:
                into.roots += label.roots
                into.doubling |= label.doubling
                joined[label.number] = into.number
                label.roots = []
    claims.join(joined)


def _depth(label: Label) -> int:
    """How far above the bottom of the first stack a local's frame stands."""
    root = label.roots[0]
    if root.thread is None or root.frame is None:
        return 0
    return len(root.thread.frames) - root.thread.frames.index(root.frame)


def _is_dropped(label: Label, outer: Label) -> bool:
    """Whether a local is one that lies further out, as other threads have it.

    Or is the field of an object that was dropped.
    """
    key, of_outer = label.key, outer.key
    same = (key.value_class, key.fields) == (of_outer.value_class, of_outer.fields)
    if key.number != of_outer.number or not (same or (of_outer.fields and not key.fields)):
        return False
    own, others = _threads_of(label), _threads_of(outer)
    if own.keys() & others.keys():
        return False
    method, below = ((each.class_name, each.method) for each in (key, of_outer))
    within = sum(method in thread.methods for thread in others.values())
    return 2 * within > len(others) and all(below in each.methods for each in own.values())


def _threads_of(label: Label) -> dict[int, TaskThread]:
    return {id(root.thread): root.thread for root in label.roots if root.thread is not None}


def _container_at_work(
    claims: _Claims, heap: Heap, frame: TaskFrame, *, enlarges: bool
) -> Label | None:
    """The container that a library's method belongs to, or that it is enlarging.

    A parser or a pipeline is none, even if the user keeps it: what its methods hold is work on this
    record, and lives no longer than the user's call. Nor is a stage of a stream: what the frames
    above it hold is not in it, and may or may not be among its locals.

    Args:
        claims: so far.
        heap: the heap.
        frame: the frame.
        enlarges: the method enlarges a container.
    """
    this = frame.this
    if this is not None and heap.class_name(this) == "java.lang.String":
        this = None  # nothing changes a String
    for node in (*(() if this is None else (this,)), *(frame.frame.locals if enlarges else ())):
        label = claims.keeper(node)
        if label is None:
            continue
        if enlarges or heap.container(node) is not None or heap.is_table(node):
            return label
    return None


def _claim_written(claims: _Claims, finder: RootFinder, thread: TaskThread) -> None:
    """Locals of the frames through which a user frame emits."""
    caller: TaskFrame | None = None
    for frame in reversed(thread.frames):
        if frame.is_user and frame.level != "encoder":
            caller = frame
        elif (frame.via == "write" or frame.level == "encoder") and caller is not None:
            claims.claim_roots(finder.written(frame, thread, caller))


def _claim_reader_buffers(claims: _Claims, nodes: Iterable[int]) -> None:
    """Arrays through which readers read: as large as a setting says, whatever the records."""
    label = claims.label(HolderKey("framework"), "framework")
    label.part = "other"
    claims.claim([(node, label) for node in nodes])


def _mark_enlarged_tables(claims: _Claims, heap: Heap, threads: Threads) -> None:
    """Marks the holders whose container, one that users wrote, is being enlarged."""
    for thread in threads.ordered:
        for frame in thread.frames:
            if frame.is_user and is_enlarging_name(frame.frame.method):
                label = claims.user_label(frame.this)
                if label is not None and frame.this is not None and heap.is_table(frame.this):
                    label.doubling = True


def _mark_enlarged_buffers(claims: _Claims, threads: Threads) -> None:
    """Marks the serialisation buffers that a method of the JDK is enlarging."""
    for thread in threads.ordered:
        for frame in thread.frames:
            code = frame.frame
            if not enlarges_container(code.class_name, code.method, threads.classes):
                continue
            for node in code.locals:
                label = claims.label_of(node)
                if label is not None and label.owner == "serialization":
                    label.doubling = True


def _leave_out(claims: _Claims, unreachable: NDArray[np.int64]) -> None:
    """What is unreachable and not attributed to a frame is garbage, and counts for nobody."""
    garbage = unreachable[claims.owners[unreachable] <= FREE]
    claims.columns.kinds[garbage] = NodeKind.NO_OBJECT
    claims.owners[garbage] = BLOCKED


def _claim_finalizable(claims: _Claims, finder: RootFinder, heap: Heap) -> None:
    """Objects of user classes that only wait for their finalizers: the program made them too fast.

    Each class is one holder, however many of its objects wait.
    """
    sources: list[tuple[int, Label]] = []
    for node in heap.waiting_for_finalizer().tolist():
        if claims.columns.kinds[node] == NodeKind.USER and not claims.is_taken(node):
            root = finder.finalizable(node)
            label = claims.label(root.key, root.owner, root.lifecycle)
            label.roots = label.roots or [root]
            sources.append((node, label))
    claims.claim(sources)


def _claim_unattributed(claims: _Claims, finder: RootFinder) -> None:
    """User objects that nothing of the user's holds; nodes come in preorder, holders first."""
    free = claims.those(NodeKind.USER, FREE).tolist()
    for node in free[:_MOST_UNATTRIBUTED]:
        if not claims.is_taken(node):
            claims.claim_roots(finder.unattributed(node))
    if len(free) > _MOST_UNATTRIBUTED:  # so many are no holders but data; one label for all
        label = claims.label(HolderKey("unattributed"), "user")
        claims.claim([(node, label) for node in free[_MOST_UNATTRIBUTED:]])


def _claim_framework_statics(claims: _Claims, heap: Heap, finder: RootFinder) -> None:
    """What large statics of the framework alone keep alive, such as a cache of file systems.

    Not what they reach: through its own objects the framework's statics reach the whole task.
    Of two that keep the same alive it is the inner one's.
    """
    kinds, owners = claims.columns.kinds, claims.owners
    roots = list(finder.library_statics("framework"))
    sizes = heap.retained_all(np.array([root.node for root in roots], np.int64))
    for at in np.argsort(sizes, kind="stable").tolist():
        root = roots[at]
        if sizes[at] < LARGE_OBJECT.value or kinds[root.node] >= NodeKind.INFRASTRUCTURE:
            continue
        kept = slice(root.node, root.node + heap.subtree(root.node))
        blocked = (kinds[kept] == NodeKind.FRAMEWORK) & (owners[kept] == BLOCKED)
        free = blocked | (owners[kept] == FREE)
        size = int((np.diff(claims.columns.prefix[kept.start : kept.stop + 1]) * free).sum())
        if size >= LARGE_OBJECT.value:
            label = claims.label(root.key, root.owner, root.lifecycle)
            label.roots.append(root)
            owners[kept][free] = label.number


def _claim_kept_by_library_statics(claims: _Claims, heap: Heap, finder: RootFinder) -> None:
    """What large statics of libraries and of the JDK alone keep alive, where that is data.

    As the hooks of a shutdown, or a pool of Hadoop's that user code fills: of so many user objects
    side by side none is a holder of its own, while a few are, however much each of them holds.
    """
    free = claims.those(NodeKind.USER, FREE)
    for root in finder.library_statics("neutral") if free.size > SIDE_BY_SIDE.value else ():
        if heap.retained(root.node) < LARGE_OBJECT.value or claims.is_taken(root.node):
            continue
        first, end = np.searchsorted(free, (root.node, root.node + heap.subtree(root.node)))
        outermost = 0
        while first < end and outermost <= SIDE_BY_SIDE.value:
            node = int(free[first])
            outermost += 1
            first = np.searchsorted(free, node + heap.subtree(node))
        if outermost > SIDE_BY_SIDE.value:
            claims.claim_roots([root])


def _claim_library_statics(claims: _Claims, finder: RootFinder) -> None:
    """Large statics of libraries and of the JDK.

    Small ones are caches that the framework's own calls may have filled: they stay nobody's.
    """
    roots = list(finder.library_statics("neutral"))
    sizes = reached_sizes(
        *claims.columns.outgoing,
        prefix=claims.columns.prefix,
        owners=claims.owners,
        wanted=np.arange(len(claims.labels)) == FREE,
        sources=np.array([root.node for root in roots], np.int64),
    )
    large = np.flatnonzero(sizes >= LARGE_OBJECT.value).tolist()
    claims.claim_roots([roots[at] for at in large])


def _claim_unheld(claims: _Claims, heap: Heap, nodes: Iterable[int]) -> None:
    """Large objects that hang under no holder.

    As most do in a dump cut before its roots, and what compiled code had in registers.
    """
    free = [node for node in nodes if not claims.is_taken(node)]
    alone = frozenset(np.intersect1d(free, heap.unreachable_nodes).tolist())
    for node in free:
        if not claims.is_taken(node):  # by the one before it
            of = class_scalar_replaced(heap, node, alone=node in alone)
            key = HolderKey("unheld", value_class=of or stable_name(heap.class_name(node)))
            claims.claim_roots([Root(node, key, "other", "none", (("unheld", node),))])


def _claim_framework(claims: _Claims, threads: Threads) -> None:
    """Objects of framework classes, what their statics and frames hold, and all these reach."""
    columns, owners = claims.columns, claims.owners
    label = claims.label(HolderKey("framework"), "framework")
    label.part = "other"
    owners[claims.those(NodeKind.FRAMEWORK, BLOCKED)] = FREE
    sources = claims.those(NodeKind.FRAMEWORK, FREE).tolist()
    sources += [static.node for static in columns.statics["framework"]]
    for thread in threads.ordered:
        for frame in thread.frames:
            kind = threads.classes.kind(frame.frame.class_name)
            if frame.level == "framework" and kind == "framework":
                sources += frame.frame.locals
    claims.claim([(node, label) for node in sources])
    unblock(columns.kinds, NodeKind.NO_OBJECT, owners)
