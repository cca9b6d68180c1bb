"""Every live byte gets one owner and, where it is the user's, one holder.

Claims spread in this order, and what is claimed stays so (:mod:`mprof.kernels.claim`):

0. what only soft references keep is nobody's: the virtual machine takes it back first;
1. the framework's arrays, told by shape: sort buffer, shuffled segments;
2. the record in flight, and buffers that records are serialised into;
3. what the user holds, longest life first: fields of task objects and statics, locals of an
   overridden run() and of foreign threads, of setup(), of reduce() and combine(), of the rest;
4. what only a library's frame holds: it belongs to the container that the frame works on, else to
   the user frame that called it;
5. the record being written: what only the frames of an emit hold;
6. user objects that only the framework or the JDK holds, such as a record writer; large statics
   of libraries; large objects of which nothing tells the holder;
7. the framework's own objects and all they reach; the rest is the virtual machine's.

No claim but the last passes through objects of the framework, classes, class loaders or threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mprof.heap import Heap
from mprof.kernels.claim import BLOCKED, FREE, reached_sizes, sum_by_owner
from mprof.objects.claims import Claims, Label
from mprof.objects.columns import Columns, static_references
from mprof.objects.model import LARGE_OBJECT_BYTES, Lifecycle, Place, Side
from mprof.objects.names import UserClasses
from mprof.objects.roots import (
    Root,
    RootFinder,
    local_lifecycle,
    stable_name,
)
from mprof.objects.shapes import Part, encoding_buffers, framework_parts, records_in_flight
from mprof.objects.stack import FrameRole, ThreadRole, is_growth
from mprof.objects.tasks import task_objects, this_of

__all__ = ["Ownership", "assign_owners"]

_MOST_STRAYS = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Ownership:
    """Who owns each node.

    Attributes:
        labels: by number; number 0, nobody's, stands for the virtual machine's own memory.
        owners: int32, label of each node, negative where a node is no object.
        bytes: int64, by label.
        objects: int64, by label.
    """

    labels: tuple[Label, ...]
    owners: NDArray[np.int32]
    bytes: NDArray[np.int64]
    objects: NDArray[np.int64]


def assign_owners(
    heap: Heap,
    columns: Columns,
    users: UserClasses,
    threads: tuple[ThreadRole, ...],
    *,
    side: Side,
    place: Place,
) -> Ownership:
    """Assigns every node.

    Args:
        heap: the heap.
        columns: all of its nodes.
        users: tells user classes.
        threads: its threads, read.
        side: of the task.
        place: where the thread of interest stands.
    """
    claims = Claims(columns)
    _claim_softly_held(claims, heap)
    finder = RootFinder(heap, users, threads, side=side, place=place, is_blocked=claims.is_blocked)
    _claim_parts(claims, framework_parts(heap, _fetched(threads)))
    _claim_records(claims, heap, threads)
    tasks = task_objects(heap, threads, users)
    user_classes = [name for name in dict.fromkeys(heap.class_names()) if users.is_user(name)]
    claims.claim_roots(finder.lasting(tasks, user_classes))
    for group in _LOCAL_ORDER:
        claims.claim_roots(finder.locals(group))
    for thread in threads:
        _claim_library_locals(claims, finder, heap, thread, side)
        _claim_written(claims, finder, thread, side)
    _note_growth(claims, heap, threads)
    _claim_strays(claims, finder)
    _claim_library_statics(claims, finder, heap, users)
    _claim_unheld(claims, heap)
    _claim_framework(claims, heap, users, threads)
    sums = sum_by_owner(claims.owners, columns.sizes, len(claims.labels))
    return Ownership(tuple(claims.labels), claims.owners, sums[0], sums[1])


_LOCAL_ORDER: tuple[Callable[[FrameRole], bool], ...] = (
    lambda role: role.level in ("task", "foreign"),
    lambda role: role.level == "setup",
    lambda role: role.level == "reduce" or (role.level == "callee" and role.walks_values),
    lambda role: role.level in ("map", "cleanup", "callee"),
)


def _fetched(threads: tuple[ThreadRole, ...]) -> frozenset[int]:
    """Nodes among the locals of threads that fetch."""
    return frozenset(
        node
        for thread in threads
        for role in thread.frames
        if role.frame.class_name.startswith("org.apache.hadoop.mapreduce.task.reduce.")
        and "Merge" not in role.frame.class_name
        for node in role.frame.locals
    )


def _claim_softly_held(claims: Claims, heap: Heap) -> None:
    """What is alive through a soft reference alone: no OutOfMemoryError comes before it is freed.

    "All soft references to softly-reachable objects are guaranteed to have been cleared before the
    virtual machine throws an OutOfMemoryError" (java.lang.ref.SoftReference). Before that it stands
    in a probe's dump and in no dump of a death, as if the record between had made room. What two
    soft references share is not seen.
    """
    soft = np.sort(heap.instances("java.lang.ref.SoftReference", subclasses=True))
    free = np.flatnonzero(claims.owners == FREE)
    label = claims.label("softly held", "other")
    claims.owners[free[heap.dominated_by_any(free, soft)]] = label.number


def _claim_parts(claims: Claims, parts: list[Part]) -> None:
    for number, part in enumerate(parts):
        label = claims.label(f"framework {part.part} {number}", "framework")
        label.part = part.part
        label.map_attempt = part.map_attempt
        claims.claim([(part.node, label)])


def _claim_records(claims: Claims, heap: Heap, threads: tuple[ThreadRole, ...]) -> None:
    for piece in (*records_in_flight(heap), *encoding_buffers(heap)):
        word = "record" if piece.owner == "record_in_flight" else "buffer"
        lifecycle: Lifecycle = "record" if piece.owner == "record_in_flight" else "none"
        root = Root(
            piece.node, f"{word} {piece.name}", piece.owner, lifecycle, ((piece.name, piece.node),)
        )
        claims.claim_roots([root])
    for thread in threads:
        for role in thread.frames if thread.has_template else ():
            if role.via == "read" and role.level in ("decoder", "framework"):
                claims.claim_roots(_decoded(claims, role, thread))


def _decoded(claims: Claims, role: FrameRole, thread: ThreadRole) -> Iterable[Root]:
    """What a frame that reads a record holds and nothing else has claimed."""
    for node in role.frame.locals:
        if not claims.is_taken(node):
            yield Root(
                node, "record being read", "record_in_flight", "record",
                (("local", node),), role, thread,
            )  # fmt: skip


def _claim_library_locals(
    claims: Claims, finder: RootFinder, heap: Heap, thread: ThreadRole, side: Side
) -> None:
    """Locals of the JDK's and libraries' frames above a user frame, nearest frame first."""
    own_side = thread.side if thread.side != "unknown" else side
    first_own = len(claims.labels)
    caller: FrameRole | None = None
    container: Label | None = None
    for role in reversed(thread.frames):
        if role.is_user:
            caller, container = role, None
        elif role.level != "library" or caller is None:
            caller = None
        else:
            container = _worked_on(claims, finder, heap, role, first_own) or container
            if container is not None:
                container.doubling |= is_growth(role.frame.method)
                claims.claim([(node, container) for node in role.frame.locals])
            else:
                lifecycle = local_lifecycle(caller, own_side)
                claims.claim_roots(finder.locals_of(role, thread, lifecycle, at=caller))


def _worked_on(
    claims: Claims, finder: RootFinder, heap: Heap, role: FrameRole, first_own: int
) -> Label | None:
    """The user's container that a library's method belongs to, or that it is enlarging.

    An object that only frames of the library hold is one if it is a container. A stage of a stream
    is none: what the frames above it hold is not in it, and may or may not be among its locals.

    Args:
        claims: so far.
        finder: of roots.
        heap: the heap.
        role: the frame.
        first_own: the first label made for what only frames of libraries hold.
    """
    this = finder.changeable_this(role)
    grows = is_growth(role.frame.method)
    nodes = role.frame.locals if grows else ()
    for node in (*(() if this is None else (this,)), *nodes):
        number = int(claims.owners[node])
        if number <= 0 or claims.labels[number].owner != "user":
            continue
        if grows or number < first_own or heap.container(node) is not None:
            return claims.labels[number]
    return None


def _note_growth(claims: Claims, heap: Heap, threads: tuple[ThreadRole, ...]) -> None:
    """Marks the holders whose container, one that users wrote, is being enlarged."""
    for thread in threads:
        for role in thread.frames:
            if role.is_user and is_growth(role.frame.method):
                this = this_of(heap, role)
                number = int(claims.owners[this]) if this is not None else 0
                if number > 0 and claims.labels[number].owner == "user":
                    claims.labels[number].doubling = True


def _claim_written(claims: Claims, finder: RootFinder, thread: ThreadRole, side: Side) -> None:
    """Locals of the frames through which a user frame emits."""
    own_side = thread.side if thread.side != "unknown" else side
    caller: FrameRole | None = None
    for role in reversed(thread.frames):
        if role.is_user and role.level != "encoder":
            caller = role
        elif role.via == "write" and caller is not None:
            lifecycle = local_lifecycle(caller, own_side)
            claims.claim_roots(
                finder.locals_of(
                    role, thread, lifecycle, at=caller, word="written", owner="record_being_written"
                )
            )


def _claim_strays(claims: Claims, finder: RootFinder) -> None:
    """User objects that nothing of the user's holds; nodes come in preorder, holders first."""
    free = np.flatnonzero(claims.columns.is_user & (claims.owners == FREE)).tolist()
    for node in free[:_MOST_STRAYS]:
        if not claims.is_taken(node):
            claims.claim_roots(finder.stray(node))
    if len(free) > _MOST_STRAYS:  # so many are no holders but data; one label for all
        label = claims.label("held by nothing of the user's", "user")
        claims.claim([(node, label) for node in free[_MOST_STRAYS:]])


def _claim_library_statics(
    claims: Claims, finder: RootFinder, heap: Heap, users: UserClasses
) -> None:
    """Large statics of libraries, which only user code fills, and of the JDK.

    Small ones are caches that Hadoop's own calls may have filled: they stay nobody's.
    """
    neutral = [name for name in dict.fromkeys(heap.class_names()) if users.kind(name) == "neutral"]
    roots = list(finder.library_statics(neutral))
    sizes = reached_sizes(
        claims.columns.starts,
        claims.columns.targets,
        weights=claims.columns.sizes,
        owners=claims.owners,
        wanted=np.arange(len(claims.labels)) == FREE,
        sources=np.array([root.node for root in roots], np.int64),
    )
    large = np.flatnonzero(sizes >= LARGE_OBJECT_BYTES).tolist()
    claims.claim_roots([roots[at] for at in large])


def _claim_unheld(claims: Claims, heap: Heap) -> None:
    """Large objects that hang under no holder, as most do in a dump cut before its roots."""
    tops = heap.dominator_roots()
    large = tops[heap.retained_all(tops) >= LARGE_OBJECT_BYTES].tolist()
    for node in large:
        if not claims.is_taken(node):
            key = f"unheld {stable_name(heap.class_name(node))}"
            claims.claim_roots([Root(node, key, "other", "none", (("unheld", node),))])


def _claim_framework(
    claims: Claims, heap: Heap, users: UserClasses, threads: tuple[ThreadRole, ...]
) -> None:
    """Objects of framework classes, what their statics and frames hold, and all these reach."""
    columns, owners = claims.columns, claims.owners
    label = claims.label("framework", "framework")
    label.part = "other"
    owners[columns.is_framework & (owners == BLOCKED)] = FREE
    sources = np.flatnonzero(columns.is_framework & (owners == FREE)).tolist()
    for name in dict.fromkeys(heap.class_names()):
        if users.kind(name) == "framework":
            sources += static_references(heap, name).values()
    for thread in threads:
        for role in thread.frames:
            if role.level == "framework" and users.kind(role.frame.class_name) == "framework":
                sources += role.frame.locals
    claims.claim([(node, label) for node in sources])
    owners[owners == BLOCKED] = FREE
    owners[~columns.is_object] = BLOCKED
