"""The frame that is to blame for a holder: whose line it is."""

from __future__ import annotations

from collections.abc import Sequence

from mprof.engines import outer_class
from mprof.engines.libraries import JDK
from mprof.objects.at_work import at_work_on
from mprof.objects.owned_heap import OwnedHeap
from mprof.objects.point import Point
from mprof.objects.roots import Root
from mprof.objects.stack import TaskFrame, TaskThread
from mprof.objects.stacks import Blamed, Stacks, emitting, frames_above, topmost
from mprof.objects.words import is_lambda, is_proxy

__all__ = ["blame"]

_THREAD = "java.lang.Thread"


def blame(owned: OwnedHeap, stacks: Stacks, root: Root, point: Point) -> Blamed | None:
    """The topmost user frame that has an object of the path among its locals.

    Or that called a library's method which has: what a container's method calls back to makes
    one more element, and the line in question is the call of that method.
    Compiled code drops ``this`` once it needs it no more: where no frame has such a local, it
    is the topmost user frame of the outermost object's class, or of the class of the static.
    Where that class is on no stack, a library's static is blamed on the topmost user frame of
    all, since user code fills it; a user class's static on no frame, its class says enough.
    """
    threads = stacks.threads
    own_frame = None if root.frame is None or root.thread is None else (root.frame, root.thread)
    if root.owner in {"record_being_written", "reader"} and own_frame is not None:
        return own_frame  # whoever emits or reads it, whatever code of its class runs
    if root.owner == "serialization":
        return emitting(next(iter(threads), None))
    own = root.declared_in or owned.heap.class_name(root.chain[0][1])
    family = (own, *owned.heap.super_classes(own))

    def is_its(name: str) -> bool:
        return name in family or name.startswith(f"{own}$")

    if root.owner == "writer":
        # Its own code; else whoever emits, and not the code of the record that hands itself on.
        works = next((thread for thread in threads if thread.tells), None)
        writing = topmost(threads, is_its) or emitting(works)
        if writing is not None:
            return writing
    on_path = _who_has_it(owned, stacks, point)
    if on_path is not None:
        return on_path
    if point.chain[0][1] in owned.operators.at_work:
        work = owned.class_of(point.chain[0][1])
        return topmost(threads, lambda name: name == work)
    if own_frame is not None:
        return own_frame
    found = topmost(threads, is_its)
    if found is None and root.declared_in is not None:
        outer = outer_class(root.declared_in)
        found = topmost(threads, lambda name: outer_class(name) == outer)
        users = (each.class_name for each in owned.columns.statics["user"])
        if found is None and root.declared_in not in users:
            found = topmost(threads, lambda _: True)
    return found or at_work_on(owned, stacks, int(owned.ownership.owners[root.node]))


def _who_has_it(owned: OwnedHeap, stacks: Stacks, point: Point) -> Blamed | None:
    """The topmost user frame that has an object of the path, or one of those that are alike."""
    found = _on_the_path(owned, stacks.threads, point)
    if found is not None:
        started = [each for each in stacks.threads if _has_just_started(owned, *found, each)]
        found = _on_the_path(owned, started, point) or found
    asked = stacks.threads if found is None else (found[1],)
    alike = point.each | _alike(owned, stacks, point)
    return _on_the_path(owned, asked, point, alike) or found


def _on_the_path(
    owned: OwnedHeap,
    threads: Sequence[TaskThread],
    point: Point,
    alike: frozenset[int] = frozenset(),
) -> Blamed | None:
    """The topmost user frame of the first of some threads that has an object of the path.

    Or one of those that are ``alike``.
    """
    heap = owned.heap
    nodes = {node for _, node in point.chain} | alike
    inner = _inner_nodes(owned, point) | {
        node for node in alike if owned.kind(heap.class_name(node)) == "neutral"
    }
    # Of libraries, by which a frame that dropped `this` is known; another map of the JDK's would do
    names = {heap.class_name(node) for node in inner}
    inner_classes = {name for name in names if not name.startswith(JDK) and "[" not in name}
    for thread in threads:
        called = False  # by the frame: a method of a library's that works on the container
        for frame in thread.frames:
            if not frame.is_user:
                touches = not inner.isdisjoint(frame.frame.locals)
                touches = touches or frame.frame.class_name in inner_classes
                called = frame.level == "library" and (touches or called)
            elif is_lambda(frame.frame.class_name):
                continue  # it has no line
            elif called:
                return frame, thread
            elif _is_to_blame(frame, nodes, point):
                return _without_this(owned, frame, thread, nodes) or frame, thread
            else:
                called = False
    return None


def _inner_nodes(owned: OwnedHeap, point: Point) -> frozenset[int]:
    """The last nodes of the path, those of the JDK's and libraries' classes; of data none.

    So whoever writes to a stream is known by the innermost one, which it need not have.
    """
    path = [node for _, node in point.chain]
    names = [owned.heap.class_name(node) for node in path]
    users = [
        at for at, name in enumerate(names) if owned.kind(name) != "neutral" and not is_proxy(name)
    ]
    return frozenset(path[users[-1] + 1 :] if users else path)


def _alike(owned: OwnedHeap, stacks: Stacks, point: Point) -> frozenset[int]:
    """Locals that are a part of the holder, and of a class of which one is on the path.

    Each of many elements is on a path of its own, and any of them may be the one at work.
    """
    heap = owned.heap
    classes = {heap.class_name(node) for _, node in point.chain}
    number = int(owned.ownership.owners[point.node])
    return frozenset(
        node
        for node in stacks.locals_by_owner.get(number, ())
        if heap.array_length(node) < 0 and heap.class_name(node) in classes
    )


def _has_just_started(
    owned: OwnedHeap, frame: TaskFrame, thread: TaskThread, other: TaskThread
) -> bool:
    """Whether a frame has started another thread, and has called nothing else since then.

    Before it waits for that one, which works on what both of them have.
    """
    if not owned.through_few or other is thread or other.waits:
        return False
    idle = all(each.frame.class_name == _THREAD for each in frames_above(frame, thread))
    return idle and other.thread.node in frame.frame.locals


def _is_to_blame(frame: TaskFrame, nodes: set[int], point: Point) -> bool:
    """Whether a frame has an object of the path among its locals and holds it by that.

    A container's own methods do not hold it, whoever wrote them, and a constructor does not hold
    what it is handed.
    """
    held = nodes.intersection(frame.frame.locals)
    if not held:
        return False
    this = frame.this
    if this == point.node and (len(point.chain) > 1 or point.chain[0][0] != "this"):
        return False
    return frame.frame.method != "<init>" or this in held


def _without_this(
    owned: OwnedHeap, frame: TaskFrame, thread: TaskThread, nodes: set[int]
) -> TaskFrame | None:
    """The method of an object of the path that a frame has called, if it has no local left."""
    at = thread.frames.index(frame)
    above = thread.frames[at - 1] if at else None
    if above is None or not above.is_user or above.frame.locals:
        return None
    held = nodes.intersection(frame.frame.locals)
    of = {owned.heap.class_name(node) for node in held}
    return above if above.frame.class_name in of else None
