"""From a holder to words: where its memory really stands, the path there, and whose line it is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mprof.code_site import CodeSite, ScriptSite
from mprof.engines import outer_class, stable_name
from mprof.engines.libraries import JDK
from mprof.heap import Container, Frame, Heap
from mprof.heap.containers import MANY_LINKS
from mprof.kernels.breadth_first import BreadthFirst, bits_of
from mprof.kernels.claim import BLOCKED, reached_sizes, retained_by_class
from mprof.kernels.select import where_both
from mprof.objects.class_bytes import HeapClasses
from mprof.objects.columns import Columns
from mprof.objects.direct_buffers import direct_memory
from mprof.objects.model import (
    ClassBytes,
    Holder,
    PathStep,
    StackFrame,
)
from mprof.objects.operators import Operators
from mprof.objects.ownership import KEEPERS, Label, Ownership
from mprof.objects.reach import reached_by_each
from mprof.objects.roots import Root
from mprof.objects.stack import TaskFrame, TaskThread
from mprof.objects.threads import Threads
from mprof.objects.thresholds import (
    CLASS_OF_A_HOLDER,
    GROWN_FULL,
    LARGE_OBJECT,
    LEADS_ON,
    LISTED,
)
from mprof.objects.turns import adds_rather
from mprof.objects.words import holder_in_words, is_lambda, is_proxy
from mprof.units import format_count

__all__ = ["describe_frames", "describe_holders"]

_MOST_HOLDERS = 200  # that are listed, the largest; sums are complete whatever is listed
_MOST_STEPS = 8
_MOST_FIELDS = 64
_MOST_WRAPPERS = 4
_MOST_SAMPLED = 64
_THREAD = "java.lang.Thread"
_STAGES = "java.util.stream."
_WRITE = "write"  # of both APIs' RecordWriter
_MOST_FEW = 16  # expressions of an operator; a list of more is what grew
_MOST_CALLERS = 200  # a plan nests a few operators, each with a few frames
_ENTRIES = ("$Entry", "$Node", "$TreeNode")
_AT_ONCE = 1 << 20  # nodes
_MOST_LEVELS = 32  # of the dominator tree, on the way to a container


def describe_holders(
    heap: Heap,
    columns: Columns,
    ownership: Ownership,
    threads: Threads,
    *,
    through_few: bool = False,
) -> tuple[tuple[Holder, ...], tuple[ClassBytes, ...]]:
    """The largest holders, and the record in flight whatever its size; and the largest classes.

    Args:
        heap: the heap.
        columns: all of its nodes.
        ownership: who owns them.
        threads: its threads, the one of interest first.
        through_few: a container of a few objects, of which one has most of it, is passed: the
            container is the one inside.

    Returns:
        The holders and the classes of the heap, both largest first.
    """
    direct = direct_memory(heap, ownership.owners, len(ownership.labels))
    listed = [
        label
        for label in ownership.labels[1:]
        if label.roots
        and (
            ownership.bytes[label.number] >= _least_bytes(label)
            or direct.bytes[label.number] >= LISTED.value
        )
    ]
    listed.sort(key=lambda label: (-int(ownership.bytes[label.number]), str(label.key)))
    del listed[_MOST_HOLDERS:]
    classes = HeapClasses(heap, columns, ownership, listed)
    describer = _Describer(heap, columns, ownership, threads, classes, through_few=through_few)
    holders = (
        replace(
            describer.holder(label),
            direct_bytes=int(direct.bytes[label.number]),
            direct_buffers=int(direct.buffers[label.number]),
        )
        for label in listed
    )
    return tuple(holders), classes.of_heap


def _least_bytes(label: Label) -> int:
    in_flight = label.key.is_reused_record or label.key.kind == "record_being_read"
    return 1 if in_flight else round(LISTED.value)


def describe_frames(
    heap: Heap, columns: Columns, ownership: Ownership, thread: TaskThread
) -> tuple[StackFrame, ...]:
    """The frames of a thread, a probe on top left out, with the user memory their locals reach.

    And that of record writers, record readers and static fields of libraries, which user code fills
    or plugs in.
    """
    wanted = np.array([label.owner in KEEPERS for label in ownership.labels])
    total = int(ownership.bytes[wanted].sum())
    frames = thread.frames_below_probe
    held = [_held_for_users(frame, ownership, wanted) for frame in frames]
    reached = reached_by_each(
        columns.outgoing, prefix=columns.prefix, owners=ownership.owners, wanted=wanted, sets=held
    )
    operators = Operators(heap)
    found = []
    for frame, nodes in zip(frames, held, strict=True):
        at, size = _site_of(frame.frame), reached[nodes]
        share = size / total if total else 0.0
        script = operators.site(frame.this)
        found.append(
            StackFrame(
                at.class_name, at.method, at.file, at.line, frame.is_user, size, share, script
            )
        )
    return tuple(found)


def _held_for_users(
    frame: TaskFrame, ownership: Ownership, wanted: NDArray[np.bool_]
) -> frozenset[int]:
    """The locals of a frame that wanted owners own."""
    owned = {node: int(ownership.owners[node]) for node in frame.frame.locals}
    return frozenset(node for node, owner in owned.items() if owner >= 0 and wanted[owner])


def _site_of(frame: Frame) -> CodeSite:
    """A frame as a place in the code."""
    return CodeSite(
        class_name=stable_name(frame.class_name),
        method=frame.method,
        file=frame.file or None,
        line=frame.line if frame.line > 0 else None,
    )


def _has_line(frame: TaskFrame) -> bool:
    """Whether it is a user frame that is in the source; the class behind a lambda is not."""
    return frame.is_user and not is_lambda(frame.frame.class_name)


@dataclass(frozen=True, slots=True)
class _Point:
    """The accumulation point: names and nodes that lead to it, the container last.

    Attributes:
        chain: of these.
        called: the library's frame, called by the user's, in which it is a local.
        each: the containers in the same field of all objects of that class, of which it is one.
    """

    chain: tuple[tuple[str, int], ...]
    called: TaskFrame | None = None
    each: frozenset[int] = frozenset()

    @property
    def node(self) -> int:
        return self.chain[-1][1]


@dataclass(frozen=True, slots=True)
class _Stand:
    """Where a holder stands.

    Attributes:
        root: where its largest part begins.
        point: where its memory stands.
        blamed: the frame, and its thread.
        shared: the library's field that holds the container, where a local is but a way there.
    """

    root: Root
    point: _Point
    blamed: tuple[TaskFrame, TaskThread] | None
    shared: str | None


def _method(root: Root) -> CodeSite | None:
    """The method by which the framework hands a writer its records; None of what is no writer's."""
    if root.owner != "writer":
        return None
    return CodeSite(class_name=root.key.class_name, method=_WRITE)


def _several_writers(roots: list[Root]) -> NDArray[np.int64]:
    """The record writers that hold it together, as those of MultipleOutputs do; none of one."""
    found = {root.chain[0][1] for root in roots if root.owner == "writer"}
    return np.array(sorted(found) if len(found) > 1 else (), np.int64)


class _Describer:
    """Describes holders.

    Args:
        heap: the heap.
        columns: all of its nodes.
        ownership: who owns them.
        threads: its threads, the one of interest first.
        classes: of the holders.
    """

    def __init__(
        self,
        heap: Heap,
        columns: Columns,
        ownership: Ownership,
        threads: Threads,
        classes: HeapClasses,
        *,
        through_few: bool = False,
    ) -> None:
        self._heap = heap
        self._classes = classes
        self._columns = columns
        self._ownership = ownership
        self._heap_bytes = int(ownership.bytes.sum())
        self._threads = threads.ordered
        self._kind = threads.classes.kind
        self._through_few = through_few
        self._operators = Operators(heap)
        self._users_with_statics = frozenset(each.class_name for each in columns.statics["user"])

    def holder(self, label: Label) -> Holder:
        """One holder in full."""
        owned = [r for r in label.roots if self._ownership.owners[r.node] == label.number]
        found = self._stands(label, owned)
        root, point, blamed = found.root, found.point, found.blamed
        locals_ = (each for each in owned if each.key.kind == "local")
        of_threads = {id(each.thread): each.thread for each in locals_ if each.thread is not None}
        statics = [each for each in owned if each.key.kind == "static"]
        copies = len({each.node for each in statics}) or 1
        of_classes = len({each.chain[0][1] for each in statics}) or 1
        writers = _several_writers(owned)
        kept = self._of_that_name(root) if of_classes > 1 else writers
        keeping = self._keeping(label, kept) if kept.size else None
        kept_by = None if keeping is None else self._stands(keeping, keeping.roots)
        if kept_by is not None and kept_by.blamed is not None and of_classes > 1:
            blamed = kept_by.blamed
        content = self._heap.container(point.node) or self._linked(point.node)
        described = replace(
            self._named(label, found, blamed),
            bytes=int(self._ownership.bytes[label.number]),
            length=content.length if content else None,
            element_class=(content.element_class or None) if content else None,
            key_class=self._key_class(point.node),
            capacity=content.capacity if content and content.capacity >= 0 else None,
            site=_site_of(blamed[0].frame) if blamed else self._working(point) or _method(root),
            thread=blamed[1].thread.name if blamed else None,
            doubling=label.doubling,
            spare_bytes=self._spare_bytes(label, content),
            classes=self._classes.of(label),
            script=self._script(point, blamed),
            frames=max(1, len({id(root.frame) for root in owned if root.frame is not None})),
            threads=max(1, len(of_threads)),
            shared_site=self._shared_site(of_threads) if len(of_threads) > 1 else None,
            address=self._heap.address(point.node) or None,
            copies=copies,
            loaded=of_classes,
            kept_by=self._keeping_threads(root)
            if of_classes > 1 and (keeping is None or kept_by is None)
            else None
            if keeping is None or kept_by is None
            else keeping.key.value_class
            if keeping.key.kind == "unheld"
            else holder_in_words(self._named(keeping, kept_by, kept_by.blamed)),
        )
        if not writers.size:
            return described
        keeper = described.class_name if kept_by is None else self._class(kept_by.point.node)
        return replace(
            described,
            class_name=keeper,
            length=writers.size,
            element_class=label.key.class_name,
            copies=writers.size,
        )

    def _spare_bytes(self, label: Label, content: Container | None) -> int:
        """Bytes of a container's array that its contents do not use, and never made it grow to."""
        if content is None or content.backing is None or content.kind == "array":
            return 0
        if label.doubling or content.length >= GROWN_FULL.value * content.capacity:
            return 0
        if self._ownership.owners[content.backing] != label.number:
            return 0
        prefix = self._columns.prefix
        array = int(prefix[content.backing + 1] - prefix[content.backing])
        return round(array * (1 - content.length / content.capacity))

    def _stands(self, label: Label, owned: list[Root]) -> _Stand:
        """Where a holder begins, where it really stands, and whose line it is."""
        root = self._largest(label, owned or label.roots)
        point = self._at_operator(label) or self._descend(root.chain, label)
        if self._through_few:
            point = self._within_few(point, label)
            point = self._elsewhere(root, point, label) or point
            point = (self._in_each(root, label) if len(owned) == 1 else None) or point
        blamed = self._blame(root, point)
        filler = blamed and adds_rather(self._heap, self._threads, point.node, blamed)
        if filler is not None:
            if root.key.kind in ("field", "local") and len(filler.way) > 1:
                point = _Point(filler.way)
            return _Stand(root, point, (filler.frame, filler.thread), None)
        shared = self._shared_field(root, point) or self._librarys_static(root, point, label)
        blamed = self._not_who_made_it(root, blamed, label, is_shared=shared is not None)
        for each in owned:  # of many frames that hold such a local, the one that met the error
            if each.frame is not None and each.thread is self._threads[0] and root is not each:
                blamed = blamed if root.thread is each.thread else (each.frame, each.thread)
                break
        return _Stand(root, point, blamed, shared)

    def _named(
        self, label: Label, found: _Stand, blamed: tuple[TaskFrame, TaskThread] | None
    ) -> Holder:
        """What its name in words is made of; the rest as if it held nothing."""
        root, point = found.root, found.point
        start, first = self._start(root, point, blamed)
        chain = point.chain[start:]
        names = (first, *(step for step, _ in chain[1:]))
        steps = [
            PathStep(step, self._class(node)) for step, (_, node) in zip(names, chain, strict=True)
        ]
        return Holder(
            key=label.key,
            owner=label.owner,
            lifecycle=label.lifecycle,
            class_name=self._class(point.node),
            bytes=0,
            site=_site_of(blamed[0].frame) if blamed else None,
            path=(*steps, *self._inside(point.node)),
            field_path=".".join(names),
            declared_path=self._declared(names, chain),
            inner_field=self._inner_field(chain) or found.shared,
            objects=len(point.each) or 1,
            within=None if " " in (found.shared or "") else self._within(root, point),
            calls=root.below is not None,
        )

    def _script(
        self, point: _Point, blamed: tuple[TaskFrame, TaskThread] | None
    ) -> ScriptSite | None:
        """The statement of the innermost operator on the path, else of the nearest at work there.

        Else of the one that feeds the path or the frames: a combiner's own field.
        """
        path = [node for _, node in reversed(point.chain)]
        found = self._operators.first((*self._members(point.node), *path))
        callers = self._callers(blamed)
        return found or self._operators.first(callers) or self._operators.first_fed(path + callers)

    def _at_operator(self, label: Label) -> _Point | None:
        """The operator of a query that most of the holder hangs on, and the way into it.

        The plan that leads to it says nothing: it is the same for every query.
        """
        operators = self._operators.at_work
        fields = [
            (operator, name, target)
            for operator in operators
            for name, target in self._heap.reference_fields(operator).items()
            if self._ownership.owners[target] == label.number and target not in operators
        ]
        if not fields:
            return None
        sizes = self._sizes([target for *_, target in fields], label, without=tuple(operators))
        best = int(np.argmax(sizes))
        if sizes[best] < LEADS_ON.value * int(self._ownership.bytes[label.number]):
            return None
        operator, name, target = fields[best]
        # A function of the user's stands in an array of the operator's expressions.
        return self._descend((("this", operator), (name, target)), label, through_few=True)

    def _working(self, point: _Point) -> CodeSite | None:
        """The method that the path's operator works in, where no frame tells."""
        method = self._operators.at_work.get(point.chain[0][1])
        if method is None:
            return None
        return CodeSite(class_name=self._class(point.chain[0][1]), method=method)

    def _members(self, node: int) -> list[int]:
        """What stands in an array, where that is little; an operator's fields hold no more."""
        few = 0 <= self._heap.array_length(node) <= _MOST_SAMPLED
        return [each for each in self._heap.elements(node).tolist() if each >= 0] if few else []

    def _callers(self, blamed: tuple[TaskFrame, TaskThread] | None) -> list[int]:
        """The objects whose methods a frame and those below it run, nearest first."""
        if blamed is None:
            return []
        frame, thread = blamed
        below = thread.frames[thread.frames.index(frame) :][:_MOST_CALLERS]
        return [each.this for each in below if each.this is not None]

    def _class(self, node: int) -> str:
        return stable_name(self._heap.class_name(node))

    # --- where it stands --------------------------------------------------------------------------

    def _sizes(
        self, nodes: list[int], label: Label, *, without: tuple[int, ...] = ()
    ) -> NDArray[np.int64]:
        """Bytes of the holder that each node reaches, no way leading through some others."""
        wanted = np.zeros(len(self._ownership.labels), np.bool_)
        wanted[label.number] = True
        owners, closed = self._ownership.owners, list(without)
        before = owners[closed].copy()
        owners[closed] = BLOCKED
        sizes = self._reached(nodes, wanted)
        least = LEADS_ON.value * int(self._ownership.bytes[label.number])
        if 2 < len(nodes) <= _MOST_FEW and sizes.max() < least <= sizes.sum():
            # No more than what those before left: one may reach what several others share.
            sizes = np.concatenate([self._reached([each], wanted) for each in nodes])
        owners[closed] = before
        return sizes

    def _reached(self, nodes: list[int], wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Bytes of wanted owners that each node reaches and none before it."""
        return reached_sizes(
            *self._columns.outgoing,
            prefix=self._columns.prefix,
            owners=self._ownership.owners,
            wanted=wanted,
            sources=np.array(nodes, np.int64),
        )

    def _largest(self, label: Label, roots: list[Root]) -> Root:
        if len(roots) == 1:
            return roots[0]
        sizes = self._sizes([root.node for root in roots], label)
        return roots[int(np.argmax(sizes))]

    def _descend(
        self,
        chain: tuple[tuple[str, int], ...],
        label: Label,
        *,
        through_few: bool = False,
        total: int | None = None,
    ) -> _Point:
        """Down the fields to the first container, or to where no field holds most of it.

        What alone keeps most comes before what reaches most: each of a few connections reaches all
        others, through the selector that they are registered with.

        Args:
            chain: where it begins.
            label: of the holder.
            through_few: also through lists and arrays of a few objects.
            total: bytes of which most is looked for; by default all of the holder.
        """
        total = int(self._ownership.bytes[label.number]) if total is None else total
        least = LEADS_ON.value * total
        for _ in range(_MOST_STEPS):
            node = chain[-1][1]
            content = self._heap.container(node)
            few = self._few(node) if through_few else []
            if content is not None and not few and not self._is_beside(content, label, least):
                break
            fields = [
                (name, target)
                for name, target in (few or self._heap.reference_fields(node).items())
                if self._ownership.owners[target] == label.number
                and not self._recurs(target, chain)
            ][:_MOST_FIELDS]
            keeping = [
                each
                for each in fields
                if self._heap.retained(each[1]) >= least and self._kept(each[1], label) >= least
            ]
            innermost = min(keeping, key=lambda each: self._heap.retained(each[1]), default=None)
            further = innermost or self._reaching(fields, chain, label, least)
            if further is None:
                break
            chain = (*chain, further)
        return _Point(chain)

    def _reaching(
        self,
        fields: list[tuple[str, int]],
        chain: tuple[tuple[str, int], ...],
        label: Label,
        least: float,
    ) -> tuple[str, int] | None:
        """The field that reaches most of a holder, if one does."""
        if not fields:
            return None
        # Not back: a worker of a pool is an inner object, and knows the pool and its queue.
        above = tuple(node for _, node in chain)
        sizes = self._sizes([target for _, target in fields], label, without=above)
        best = int(np.argmax(sizes))
        return None if sizes[best] < least else fields[best]

    def _is_beside(self, content: Container, label: Label, least: float) -> bool:
        """Whether most lies beside a container's array, as behind a buffer of another stream."""
        array = content.backing
        if array is None or self._heap.array_length(array) < 0:
            return False
        elements = self._heap.first_elements(array, 1)
        return not elements and self._kept(array, label) < least

    def _elsewhere(self, root: Root, point: _Point, label: Label) -> _Point | None:
        """Where most of a holder stands, if a way through objects of libraries has missed it.

        In a server, a driver or a database everything reaches everything, and the field that
        reaches most may be any. What alone keeps most of the holder alive is the same whichever
        way was gone; a local of a method that the frame has called, or the shortest way leads to
        it. None where the way is right, as far as this can say.
        """
        least = LEADS_ON.value * int(self._ownership.bytes[label.number])
        if least < LARGE_OBJECT.value or self._heap.retained(point.node) >= least:
            return None
        if not any(self._is_plain_library_object(node) for _, node in point.chain[:-1]):
            return None
        keeper = self._keeper(label, least)
        if keeper is None or any(self._is_or_has(node, keeper) for _, node in point.chain):
            return None
        above = self._called_with(root, keeper)
        if above is not None:
            return _Point((("local", self._enlarged(root, keeper)),), above)
        way = self._shortest(root.chain[-1][1], keeper, label)
        if len(way) < 2:
            return None
        content = self._heap.container(way[-2])
        if content is not None and content.backing == keeper:
            way = way[:-1]
        return _Point(self._along(root, way))

    def _along(self, root: Root, way: list[int]) -> tuple[tuple[str, int], ...]:
        """The chain of a root, and on along a way that begins at its node."""
        names = [self._heap.reference_name(*step) or "?" for step in pairwise(way)]
        return (*root.chain, *zip(names, way[1:], strict=True))

    def _in_each(self, root: Root, label: Label) -> _Point | None:
        """A field of many objects of the program's, of which each holds more than they are many.

        As where a server has a list of connections, or a selector with their keys, and each has a
        queue of what it has not sent: the queues have grown and not the list. Which is so of the
        most objects, if of several classes. Of what holds most of the heap: it takes two passes.
        """
        total = int(self._ownership.bytes[label.number])
        least = LEADS_ON.value * total
        if least < LARGE_OBJECT.value or total < LEADS_ON.value * self._heap_bytes:
            return None
        names = self._heap.class_names()
        owners, classes = self._ownership.owners, self._heap.class_numbers()
        sums, counts = retained_by_class(
            owners,
            label.number,
            classes=classes,
            subtrees=self._heap.subtrees,
            prefix=self._columns.prefix,
            count=len(names),
        )
        some = sums >= LEADS_ON.value * least  # the rest may be a local of a method at work on it
        large = np.flatnonzero(some & (counts > 1) & (counts**2 < total)).tolist()
        for number in sorted(large, key=lambda each: (-counts[each], -sums[each])):
            if self._kind(names[number]) == "user":
                nodes = where_both(owners, label.number, classes, number)
                found = self._field_of_each(root, label, nodes, least=least)
                if found is not None:
                    return found
        return None

    def _field_of_each(
        self, root: Root, label: Label, nodes: NDArray[np.int64], *, least: float
    ) -> _Point | None:
        """The field in which such objects hold most of a holder, if that is as `_in_each` says.

        Args:
            root: of the holder.
            label: of it.
            nodes: objects of one class, ascending.
            least: bytes that most of the holder is.
        """
        retained = self._heap.retained_all(nodes)
        largest = int(nodes[np.argmax(retained)])
        nested = nodes[1:] < nodes[:-1] + [self._heap.subtree(int(each)) for each in nodes[:-1]]
        if nested.any() or largest == root.node:
            return None  # a list or tree of the program's own
        inner = self._descend((("", largest),), label, total=int(retained.max()))
        way = self._shortest(root.chain[-1][1], largest, label)
        if self._heap.container(inner.node) is None or len(inner.chain) < 2 or len(way) < 2:
            return None
        ends = {end for node in nodes.tolist() if (end := self._end(node, inner)) is not None}
        contents = {end: self._heap.container(end) for end in ends}
        lengths = {end: content.length for end, content in contents.items() if content is not None}
        some = CLASS_OF_A_HOLDER.value * max(lengths.values(), default=0)
        lengths = {end: length for end, length in lengths.items() if length >= some}
        if sum(lengths.values()) <= len(lengths) ** 2:
            return None
        above = (*way, *nodes.tolist())
        if self._sizes(sorted(lengths), label, without=above).sum() < least:
            return None
        chain = (*self._along(root, way), *inner.chain[1:])
        return _Point(chain, each=frozenset(lengths))

    def _end(self, node: int, of_another: _Point) -> int | None:
        """Where the same fields lead from an object as from another one of its class."""
        at: int | None = node
        for name, _ in of_another.chain[1:]:
            at = None if at is None else self._heap.reference(at, name)
        return at

    def _is_or_has(self, node: int, keeper: int) -> bool:
        """Whether a node is what keeps most, or the container whose array that is."""
        content = None if node == keeper else self._heap.container(node)
        return node == keeper or (content is not None and content.backing == keeper)

    def _enlarged(self, root: Root, array: int) -> int:
        """The container whose array it is, where methods of its own have both: it is enlarged."""
        thread = root.worker or root.thread
        for frame in () if thread is None else thread.frames:
            for node in frame.frame.locals:
                content = self._heap.container(node)
                if node != array and content is not None and content.backing == array:
                    return node
        return array

    def _is_plain_library_object(self, node: int) -> bool:
        """Whether it is an object of the JDK or of a library, and no container."""
        name = self._heap.class_name(node)
        theirs = self._kind(name) == "neutral" or is_proxy(name)
        return theirs and self._heap.container(node) is None

    def _keeper(self, label: Label, least: float) -> int | None:
        """The container that alone keeps most of a holder alive; of more than a few objects."""
        at, found = 0, None
        for _ in range(_MOST_LEVELS):
            below = self._heap.dominated_in_order(at)
            large = below[self._heap.retained_all(below) >= least].tolist()
            at = next((node for node in large if self._kept(node, label) >= least), -1)
            if at < 0:
                break
            if self._ownership.owners[at] == label.number and self._heap.container(at) is not None:
                found = at
                if not self._few(at):
                    break
        return found

    def _kept(self, node: int, label: Label) -> int:
        """Bytes of a holder that a node keeps alive."""
        prefix, owners, total = self._columns.prefix, self._ownership.owners, 0
        end = node + self._heap.subtree(node)
        for start in range(node, end, _AT_ONCE):
            stop = min(start + _AT_ONCE, end)
            sizes = np.diff(prefix[start : stop + 1])
            total += int(sizes[owners[start:stop] == label.number].sum())
        return total

    def _called_with(self, root: Root, node: int) -> TaskFrame | None:
        """The frame that a local's frame has called, if that or one above has a node as local."""
        if root.frame is None or root.thread is None:
            return None
        frames = root.thread.frames
        called = None
        for frame in reversed(frames[: frames.index(root.frame)]):
            if frame.level != "library":
                return None
            called = called or frame
            at_work = (frame,) if root.worker is None else root.worker.frames
            if any(node in each.frame.locals for each in at_work):
                return called
        return None

    def _shortest(self, first: int, last: int, label: Label) -> list[int]:
        """The nodes of a shortest way through what a holder holds; empty where there is none."""
        closed = self._ownership.owners != label.number
        closed[first] = False
        storage = self._heap.storage
        search = BreadthFirst(*self._columns.outgoing, bits_of(closed), storage.scattered)
        search.begin([first], [-1])
        search.search([last])
        return search.lines([last])[0]

    def _within_few(self, point: _Point, label: Label) -> _Point:
        """The container inside one of a few objects, as long as one inside has most of it."""
        while True:
            further = self._descend(point.chain, label, through_few=True)
            content = self._heap.container(further.node)
            if content is None or further.node == point.node:
                return point
            point = further

    def _declared(self, names: tuple[str, ...], chain: tuple[tuple[str, int], ...]) -> str:
        """The path up to the first object that is not the user's; its fields are not named."""
        named = [names[0]]
        for name, (_, above) in zip(names[1:], chain, strict=False):
            of = self._heap.class_name(above)
            captured = is_lambda(of) and "." in names[0]  # by a lambda in a static
            if name == "[i]" or is_proxy(of) or captured or self._kind(of) != "user":
                break
            named.append(name)
        return ".".join(named)

    def _inner_field(self, chain: tuple[tuple[str, int], ...]) -> str | None:
        """The last field of the path that the user's classes declare, where others lie before it.

        As where a logger leads, through the library's configuration, to an appender of the user's.
        """
        names = [self._heap.class_name(node) for _, node in chain]
        kinds = ["neutral" if is_proxy(name) else self._kind(name) for name in names]
        users = [at for at, kind in enumerate(kinds[:-1]) if kind == "user"]
        if not users:
            return None
        in_static = is_lambda(names[0]) and "." in chain[0][0]
        if kinds[0] == "user" and "neutral" not in kinds[: users[-1]] and not in_static:
            return None
        name, node = chain[users[-1] + 1][0], chain[users[-1]][1]
        return f"{self._class(node)}.{name}"

    def _shared_field(self, root: Root, point: _Point) -> str | None:
        """The library's field that holds the container, where a local is but a way there.

        What the thread of the local does not keep alive, others use as well: it is a part of the
        server or the database that the local belongs to.
        """
        if not self._through_few or point.called is not None or len(point.chain) < 2:
            return None
        outermost, thread = root.chain[-1][1], root.thread
        passed = point.chain[len(root.chain) :]
        by_thread = thread is not None and self._heap.keeps(thread.thread.node, point.node)
        if not passed or by_thread or not self._is_plain_library_object(outermost):
            return None
        if root.chain[0][0] != "local" and not self._leads_around(root, point):
            captured = len(root.chain) > 1 and is_lambda(self._class(root.chain[-2][1]))
            if not captured or self._heap.keeps(outermost, point.node):
                return None
        named = [
            (above, name)
            for (_, above), (name, _) in pairwise(point.chain[len(root.chain) - 1 :])
            if name[0] != "[" and not self._heap.class_name(above).startswith("java.util.")
        ]
        if not named:
            return None
        keeps = (pair for pair in named if self._heap.keeps(pair[0], point.node))
        above, name = next(keeps, named[-1])
        return f"{self._class(above)}.{name}"

    def _librarys_static(self, root: Root, point: _Point, label: Label) -> str | None:
        """The static field of a library that most of a local of its own methods is reached from.

        Where others keep it as well as the thread: as of a pool of buffers, of which a method has
        a part as its local.
        """
        if not self._through_few or root.chain[0][0] != "local" or root.thread is None:
            return None
        name = self._heap.class_name(root.node)
        if self._kind(name) != "neutral" or name.startswith(JDK) or "[" in name:
            return None
        if self._heap.keeps(root.thread.thread.node, point.node):
            return None
        owners, number = self._ownership.owners, label.number
        found = [
            each
            for each in self._columns.statics["neutral"]
            if owners[each.node] == number and not each.class_name.startswith(JDK)
        ]
        for each in found[:_MOST_FEW]:
            reached = int(self._sizes([each.node], label)[0])
            if reached >= LEADS_ON.value * int(self._ownership.bytes[number]):
                return f"static {each.class_name}.{each.field}"
        return None

    def _leads_around(self, root: Root, point: _Point) -> bool:
        """Whether the way from an object's field leads through what has called its method.

        As from a servlet, through its configuration, into the server: that is around the object,
        and no part of it.
        """
        if root.chain[0][0] != "this" or root.frame is None or root.thread is None:
            return False
        below = root.thread.frames[root.thread.frames.index(root.frame) + 1 :]
        callers = {each.frame.class_name for each in below if not each.is_user}
        names = {self._heap.class_name(node) for _, node in point.chain[1:]}
        return any(
            not callers.isdisjoint((name, *self._heap.super_classes(name)))
            for name in names
            if self._kind(name) == "neutral" and not name.startswith(JDK)
        )

    def _of_that_name(self, root: Root) -> NDArray[np.int64]:
        """The classes that have the name of a static's, ascending."""
        found = self._heap.class_objects(root.declared_in or root.key.class_name)
        return np.sort(np.array([node for node, _ in found], np.int64))

    def _keeping(self, label: Label, nodes: NDArray[np.int64]) -> Label | None:
        """Whose container keeps most of some nodes, which are in order, and is not itself theirs.

        Classes of one name, each with a loader of its own, or open record writers.
        """
        at, keeping = 0, None
        for _ in range(_MOST_LEVELS):
            below = self._heap.dominated_in_order(at)
            first = np.searchsorted(nodes, below)
            behind = np.searchsorted(nodes, [each + self._heap.subtree(each) for each in below])
            most = int(np.argmax(behind - first)) if below.size else 0
            if not below.size or behind[most] - first[most] < LEADS_ON.value * nodes.size:
                break
            at = int(below[most])
            number = int(self._ownership.owners[at])
            if number > 0 and number != label.number and self._ownership.labels[number].roots:
                keeping = self._ownership.labels[number]
                if self._heap.container(at) is not None and not self._few(at):
                    break
        return keeping

    def _keeping_threads(self, root: Root) -> str | None:
        """The threads that keep most classes of one name alive, each some of them."""
        classes = self._of_that_name(root)
        nodes = np.array([each.thread.node for each in self._threads], np.int64)
        ends = nodes + [self._heap.subtree(int(node)) for node in nodes]
        kept = np.searchsorted(classes, ends) - np.searchsorted(classes, nodes)
        keeping = np.flatnonzero(kept)
        if kept.sum() < LEADS_ON.value * classes.size or not keeping.size:
            return None
        name = self._threads[int(keeping[-1])].thread.name
        if keeping.size == 1:
            return f'thread "{name}"'
        return f'{format_count(keeping.size)} threads, such as "{name}"'

    def _within(self, root: Root, point: _Point) -> CodeSite | None:
        """The library's method, called by the frame, in which the holder is a local."""
        if point.called is not None:
            return _site_of(point.called.frame)
        if root.below is not None:
            return _site_of(root.below.frame)
        name = self._class(root.node)
        is_nameless = name.rpartition("$")[2][:1].isdigit()
        is_named = name.startswith(JDK) and not name.startswith(_STAGES)  # by the user's code
        theirs = self._kind(name) == "neutral" and not is_named
        if not self._through_few or root.chain[0][0] != "local":
            return None
        if not (is_nameless or (theirs and self._is_deep(root))):
            return None
        called = self._called_with(root, root.node)
        return None if called is None else _site_of(called.frame)

    def _is_deep(self, root: Root) -> bool:
        """Whether neither a local's frame nor the method that it has called has it as a local."""
        if root.frame is None or root.thread is None:
            return False
        frames = root.thread.frames
        at = frames.index(root.frame)
        near = frames[max(0, at - 1) : at + 1]
        return not any(root.node in each.frame.locals for each in near)

    def _few(self, node: int) -> list[tuple[str, int]]:
        """What stands in a list or array of a few objects."""
        content = self._heap.container(node)
        passes = content is not None and (self._through_few or content.kind == "list")
        backing = content.backing if content is not None and passes else node
        if content is not None and passes and content.capacity < 0 and content.kind == "list":
            few = content.length <= _MOST_FEW
            return [("[i]", each) for each in self._heap.members(node)] if few else []
        if content is not None and content.kind == "map" and 0 < content.length <= _MOST_FEW:
            entries = self._entries(content.backing)
            if entries:
                return [("[i]", each) for each in entries]
        if backing is None or not 0 <= self._heap.array_length(backing) <= _MOST_FEW:
            return []
        found = [each for each in self._heap.elements(backing).tolist() if each >= 0]
        return [("[i]", each) for first in found for each in self._in_slot(first)]

    def _in_slot(self, first: int) -> list[int]:
        """What stands in a slot of a table: an entry, and those that share the slot with it."""
        name = self._heap.class_name(first)
        is_entry = name.startswith("java.util.") and name.endswith(_ENTRIES)
        return (self._entries(first) if is_entry else []) or [first]

    def _entries(self, first: int | None) -> list[int]:
        """The few entries of a tree or a skip list, which lead to each other."""
        if first is None or self._heap.array_length(first) >= 0:
            return []
        name, found = self._heap.class_name(first), [first]
        for entry in found:
            links = self._heap.reference_fields(entry).values()
            further = (each for each in links if self._heap.class_name(each) == name)
            found += [each for each in further if each not in found]
            if len(found) > 2 * _MOST_FEW:
                return []
        return found

    def _recurs(self, node: int, chain: tuple[tuple[str, int], ...]) -> bool:
        """Whether a node is on the chain, or is one more link of a chain of its own kind."""
        name = self._heap.class_name(node)
        wraps = is_lambda(name)  # as a dynamic proxy does what it is handed
        alike = () if wraps else chain
        if name.startswith("java.util."):  # a map of maps is no chain, nor are the entries of both
            if self._heap.container(node) is not None:
                alike = ()
            elif name.endswith(_ENTRIES):
                alike = chain[-1:]
        return any(node == above for _, above in chain) or any(
            name == self._heap.class_name(above) for _, above in alike
        )

    def _inside(self, node: int) -> tuple[PathStep, ...]:
        """One step into a container: its table, a slot, what stands there."""
        if self._heap.array_length(node) >= 0:
            element = self._element(node)
            return () if element is None else (PathStep("[i]", self._class(element)),)
        content = self._heap.container(node)
        if content is None or content.backing is None:
            return ()
        steps: list[PathStep] = []
        at = node
        for _ in range(_MOST_WRAPPERS):  # as: HashSet.map, Collections$SynchronizedMap.m
            fields = self._heap.reference_fields(at)
            direct = next((n for n, target in fields.items() if target == content.backing), None)
            if direct is not None:
                steps.append(PathStep(direct, self._class(content.backing)))
                break
            inner = next(
                ((n, fields[n]) for n in ("map", "m", "c", "list", "al") if n in fields), None
            )
            if inner is None:
                return ()
            steps.append(PathStep(inner[0], self._class(inner[1])))
            at = inner[1]
        element = self._element(content.backing)
        if element is not None:
            steps.append(PathStep("[i]", self._class(element)))
        return tuple(steps)

    def _element(self, array: int) -> int | None:
        return next(iter(self._heap.first_elements(array, 1)), None)

    def _linked(self, node: int) -> Container | None:
        """A list or tree of the program's own links, told by the first: what links lead to."""
        name, pending, seen = self._heap.class_name(node), [node], {node}
        others: list[str] = []
        while pending and len(seen) < _MOST_SAMPLED:
            for target in self._heap.reference_fields(pending.pop()).values():
                if self._heap.class_name(target) != name:
                    others.append(self._class(target))
                elif target not in seen:
                    seen.add(target)
                    pending.append(target)
        if len(seen) < MANY_LINKS:
            return None
        of = Counter(others).most_common(1)
        return Container("links", self._heap.alike(node), -1, of[0][0] if of else "", node)

    def _key_class(self, node: int) -> str | None:
        """Class of most keys of a map, from its first entries."""
        content = self._heap.container(node)
        if content is None or content.kind != "map" or content.backing is None:
            return None
        is_array = self._heap.array_length(content.backing) >= 0
        entries = (
            self._heap.first_elements(content.backing, _MOST_SAMPLED)
            if is_array
            else [content.backing]
        )
        keys = Counter(
            self._heap.class_name(key)
            for entry in entries
            if (key := self._heap.reference(entry, "key")) is not None
        )
        return keys.most_common(1)[0][0] if keys else None

    # --- whose line it is -------------------------------------------------------------------------

    def _blame(self, root: Root, point: _Point) -> tuple[TaskFrame, TaskThread] | None:
        """The topmost user frame that has an object of the path among its locals.

        Or that called a library's method which has: what a container's method calls back to makes
        one more element, and the line in question is the call of that method.
        Compiled code drops ``this`` once it needs it no more: where no frame has such a local, it
        is the topmost user frame of the outermost object's class, or of the class of the static.
        Where that class is on no stack, a library's static is blamed on the topmost user frame of
        all, since user code fills it; a user class's static on no frame, its class says enough.
        """
        if (
            root.owner == "record_being_written"
            and root.frame is not None
            and root.thread is not None
        ):
            return root.frame, root.thread  # whoever emits it, whatever code of its class runs
        if root.owner == "serialization":
            return self._emitting(next(iter(self._threads), None))
        if root.owner == "reader" and root.frame is not None and root.thread is not None:
            return root.frame, root.thread
        own = root.declared_in or self._heap.class_name(root.chain[0][1])
        family = (own, *self._heap.super_classes(own))
        if root.owner == "writer":
            # Its own code; else whoever emits, and not the code of the record that hands itself on.
            at_work = self._topmost(lambda name: name in family or name.startswith(f"{own}$"))
            works = next((thread for thread in self._threads if thread.tells), None)
            if (writing := at_work or self._emitting(works)) is not None:
                return writing
        alike = point.each | self._alike(point)
        found = self._on_the_path(self._threads, point)
        if found is not None:
            started = [each for each in self._threads if self._has_just_started(*found, each)]
            found = self._on_the_path(started, point) or found
        asked = self._threads if found is None else (found[1],)
        found = self._on_the_path(asked, point, alike) or found
        if found is not None:
            return found
        if point.chain[0][1] in self._operators.at_work:
            work = self._class(point.chain[0][1])
            return self._topmost(lambda name: name == work)
        if root.frame is not None and root.thread is not None:
            return root.frame, root.thread
        found = self._topmost(lambda name: name in family or name.startswith(f"{own}$"))
        if found is None and root.declared_in is not None:
            outer = outer_class(root.declared_in)
            found = self._topmost(lambda name: outer_class(name) == outer)
            if found is None and root.declared_in not in self._users_with_statics:
                found = self._topmost(lambda _: True)
        return found or self._at_work_on(root)

    def _on_the_path(
        self,
        threads: Sequence[TaskThread],
        point: _Point,
        alike: frozenset[int] = frozenset(),
    ) -> tuple[TaskFrame, TaskThread] | None:
        """The topmost user frame of the first of some threads that has an object of the path.

        Or one of those that are ``alike``.
        """
        nodes = {node for _, node in point.chain} | alike
        inner = self._inner_nodes(point) | {
            node for node in alike if self._kind(self._heap.class_name(node)) == "neutral"
        }
        inner_classes = self._inner_classes(inner)
        for thread in threads:
            called = False  # by the frame: a method of a library's that works on the container
            for frame in thread.frames:
                if not frame.is_user:
                    touches = not inner.isdisjoint(frame.frame.locals)
                    touches = touches or frame.frame.class_name in inner_classes
                    called = frame.level == "library" and (touches or called)
                elif called and not is_lambda(frame.frame.class_name):
                    return frame, thread
                elif self._is_to_blame(frame, nodes, point):
                    return self._without_this(frame, thread, nodes) or frame, thread
                elif not is_lambda(frame.frame.class_name):
                    called = False
        return None

    def _alike(self, point: _Point) -> frozenset[int]:
        """Locals that are a part of the holder, and of a class of which one is on the path.

        Each of many elements is on a path of its own, and any of them may be the one at work.
        """
        classes = {self._heap.class_name(node) for _, node in point.chain}
        number = int(self._ownership.owners[point.node])
        return frozenset(
            node
            for node in self._locals_by_owner.get(number, ())
            if self._heap.array_length(node) < 0 and self._heap.class_name(node) in classes
        )

    @cached_property
    def _locals_by_owner(self) -> Mapping[int, Sequence[int]]:
        """The locals of all frames, by the number of their label."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for node in {n for t in self._threads for f in t.frames for n in f.frame.locals}:
            found[int(self._ownership.owners[node])].append(node)
        return {number: nodes for number, nodes in found.items() if number > 0}

    def _has_just_started(self, frame: TaskFrame, thread: TaskThread, other: TaskThread) -> bool:
        """Whether a frame has started another thread, and has called nothing else since then.

        Before it waits for that one, which works on what both of them have.
        """
        if not self._through_few or other is thread or other.waits:
            return False
        above = thread.frames[: thread.frames.index(frame)]
        idle = all(each.frame.class_name == _THREAD for each in above)
        return idle and other.thread.node in frame.frame.locals

    def _at_work_on(
        self, root: Root, *, but: TaskFrame | None = None
    ) -> tuple[TaskFrame, TaskThread] | None:
        """The topmost user frame, of a thread that does not wait, that works on a part of it.

        Of a singleton's memory no frame need have the singleton: its methods have returned.

        Args:
            root: where it begins.
            but: the frame that is not asked for.
        """
        number = int(self._ownership.owners[root.node])
        for thread in self._threads if self._through_few else ():
            for frame in thread.frames if not thread.waits else ():
                if frame is not but and frame.is_user and self._works_on(frame, number):
                    return frame, thread
        return None

    def _not_who_made_it(
        self,
        root: Root,
        blamed: tuple[TaskFrame, TaskThread] | None,
        label: Label,
        *,
        is_shared: bool,
    ) -> tuple[TaskFrame, TaskThread] | None:
        """Who works on what a frame has made and others use, if that waits or works elsewhere.

        Of the thread itself it is the topmost such frame, as one that has a statement of its
        caller's connection. None where no stack has any, unless the frame alone has it.
        """
        if blamed is None or not self._through_few:
            return blamed
        frame, thread = blamed
        if thread.waits:
            unknown = is_shared or self._waits_for_a_dead_thread(frame, thread)
            return self._at_work_on(root, but=frame) or (None if unknown else blamed)
        if not is_shared:
            return blamed
        if self._is_elsewhere(*blamed, label):
            return self._at_work_on(root, but=frame)
        for above in thread.frames[: thread.frames.index(frame)]:
            works = above.is_user and self._works_on(above, label.number)
            if works and above.frame.method != "<init>" and not is_lambda(above.frame.class_name):
                return above, thread
        return blamed

    def _waits_for_a_dead_thread(self, frame: TaskFrame, thread: TaskThread) -> bool:
        """Whether what a frame waits for is a thread that an error has ended just now.

        That thread may have filled what both of them have, and its frames are gone.
        """
        above = thread.frames[: thread.frames.index(frame)]
        awaited = {node for each in above for node in each.frame.locals}
        return any(each.has_died and each.thread.node in awaited for each in self._threads)

    def _works_on(self, frame: TaskFrame, number: int) -> bool:
        """Whether a local of a frame is a holder's, or refers to one.

        As a statement of a database refers to its connection.
        """
        owners = self._ownership.owners
        for node in frame.frame.locals:
            if owners[node] == number:
                return True
            refers = self._heap.array_length(node) < 0 and self._kind(self._heap.class_name(node))
            if refers == "neutral" and any(
                owners[target] == number for target in self._heap.reference_fields(node).values()
            ):
                return True
        return False

    def _inner_nodes(self, point: _Point) -> frozenset[int]:
        """The last nodes of the path, those of the JDK's and libraries' classes; of data none.

        So whoever writes to a stream is known by the innermost one, which it need not have.
        """
        path = [node for _, node in point.chain]
        names = [self._heap.class_name(node) for node in path]
        users = [
            at
            for at, name in enumerate(names)
            if self._kind(name) != "neutral" and not is_proxy(name)
        ]
        return frozenset(path[users[-1] + 1 :] if users else path)

    def _inner_classes(self, nodes: frozenset[int]) -> frozenset[str]:
        """The classes of libraries among them, by which a frame that dropped ``this`` is known.

        Not the JDK's: another map of the program's would do.
        """
        names = {self._heap.class_name(node) for node in nodes}
        return frozenset(name for name in names if not name.startswith(JDK) and "[" not in name)

    def _emitting(self, thread: TaskThread | None) -> tuple[TaskFrame, TaskThread] | None:
        """The user frame that emits a record, not the code of the record that serialises it.

        In one thread: another one that stands in an emit waits for its turn.
        """
        is_written = False
        for frame in thread.frames if thread is not None else ():
            if thread is not None and is_written and frame.is_user and frame.level != "encoder":
                return frame, thread
            is_written = is_written or frame.via == "write"
        return None

    def _is_to_blame(self, frame: TaskFrame, nodes: set[int], point: _Point) -> bool:
        """Whether a frame has an object of the path among its locals and holds it by that.

        A container's own methods do not hold it, whoever wrote them, a constructor does not hold
        what it is handed, and the class behind a lambda has no line.
        """
        held = nodes.intersection(frame.frame.locals)
        if not held or is_lambda(frame.frame.class_name):
            return False
        this = frame.this
        if this == point.node and (len(point.chain) > 1 or point.chain[0][0] != "this"):
            return False
        return frame.frame.method != "<init>" or this in held

    def _is_elsewhere(self, frame: TaskFrame, thread: TaskThread, label: Label) -> bool:
        """Whether what a frame has called works on objects, and on none that a holder has.

        Nor has the frame been called by code that works on those, as by a server.
        """
        at = thread.frames.index(frame)
        above, below = thread.frames[:at], thread.frames[at + 1 :]
        works = any(self._works_on(each, label.number) for each in above)
        held = (node for each in below if not each.is_user for node in each.frame.locals)
        works = works or any(self._ownership.owners[node] == label.number for node in held)
        making = (each for each in above if each.frame.method != "<init>")  # what is to be put in
        return any(each.frame.locals for each in making) and not works

    def _without_this(
        self, frame: TaskFrame, thread: TaskThread, nodes: set[int]
    ) -> TaskFrame | None:
        """The method of an object of the path that a frame has called, if it has no local left."""
        at = thread.frames.index(frame)
        above = thread.frames[at - 1] if at else None
        if above is None or not above.is_user or above.frame.locals:
            return None
        held = nodes.intersection(frame.frame.locals)
        of = {self._heap.class_name(node) for node in held}
        return above if above.frame.class_name in of else None

    @staticmethod
    def _shared_site(threads: Mapping[int, TaskThread]) -> CodeSite | None:
        """The topmost user frame in which most of some threads stand."""
        tops = Counter(
            _site_of(top.frame)
            for thread in threads.values()
            if (top := next((f for f in thread.frames if _has_line(f)), None)) is not None
        )
        found = tops.most_common(1)
        return found[0][0] if found and 2 * found[0][1] > len(threads) else None

    def _topmost(self, fits: Callable[[str], bool]) -> tuple[TaskFrame, TaskThread] | None:
        """The topmost user frame whose class fits, of a thread that has one.

        A constructor made what is not in the container yet: its caller is who adds it, where that
        fits as well. The class behind a lambda has no line.
        """
        for thread in self._threads:
            found = [
                each
                for each in thread.frames
                if each.is_user
                and fits(each.frame.class_name)
                and not is_lambda(each.frame.class_name)
            ]
            if found:
                adding = (each for each in found if each.frame.method != "<init>")
                return next(adding, found[0]), thread
        return None

    def _captured(self, frame: TaskFrame, root: Root, point: _Point) -> tuple[int, str] | None:
        """Where a local of the blamed frame is on the chain, and what a lambda has captured."""
        if not is_lambda(root.key.value_class):
            return None
        for at, (_, node) in enumerate(point.chain[1:], start=1):
            if not is_lambda(self._class(point.chain[at - 1][1])):
                return None  # from there on it is a field of an object that was captured
            if node in frame.frame.locals:
                return at, f"local {self._class(node)}"
        return None

    def _start(
        self, root: Root, point: _Point, blamed: tuple[TaskFrame, TaskThread] | None
    ) -> tuple[int, str]:
        """Where the path begins in the chain, and the word for that.

        ``this`` where the blamed frame's own object is on the chain; for a local its word and
        class; else the whole chain, from the static or the class of the task's object.
        """
        outermost, node = point.chain[0]
        if point.called is not None:
            return 0, f"local {self._class(node)}"
        if blamed is not None:
            this = blamed[0].this
            at = next((i for i, (_, each) in enumerate(point.chain) if each == this), None)
            if at is not None:
                return at, "this"
            named = self._captured(blamed[0], root, point)
            if named is not None:
                return named
            own = self._heap.class_name(node)
            if outermost == "this" and blamed[0].frame.class_name in (
                own, *self._heap.super_classes(own),
            ):  # fmt: skip
                return 0, "this"
        if outermost in ("local", "unheld", "written", "finalizers", "thread_locals"):
            return 0, f"{outermost} {root.key.value_class or self._class(node)}"
        if node in self._operators.at_work:
            return 0, outermost  # the code that is blamed is its own
        if root.frame is None and outermost == "this":
            return 0, self._class(node)
        return 0, outermost
