"""What the name of a holder in words is made of: its path, and the fields and methods on it."""

from __future__ import annotations

from mprof.objects.contents import steps_in
from mprof.objects.heap_objects import Holder, PathStep
from mprof.objects.library_calls import method_within
from mprof.objects.owned_heap import OwnedHeap
from mprof.objects.ownership import Label
from mprof.objects.point import Chain, Point
from mprof.objects.roots import Root
from mprof.objects.stack import TaskFrame, site_of
from mprof.objects.stacks import Blamed
from mprof.objects.stand import Stand
from mprof.objects.words import is_lambda, is_proxy

__all__ = ["named"]


def named(owned: OwnedHeap, label: Label, stand: Stand, blamed: Blamed | None) -> Holder:
    """What its name in words is made of; the rest as if it held nothing.

    Args:
        owned: the heap.
        label: of the holder.
        stand: where it stands.
        blamed: the frame, and its thread.
    """
    root, point = stand.root, stand.point
    start, first = _start(owned, root, point, blamed)
    chain = point.chain[start:]
    names = (first, *(step for step, _ in chain[1:]))
    steps = [
        PathStep(step, owned.class_of(node)) for step, (_, node) in zip(names, chain, strict=True)
    ]
    return Holder(
        key=label.key,
        owner=label.owner,
        lifecycle=label.lifecycle,
        class_name=owned.class_of(point.node),
        bytes=0,
        site=site_of(blamed[0].frame) if blamed else None,
        path=(*steps, *steps_in(owned.heap, point.node)),
        field_path=".".join(names),
        declared_path=_declared(owned, names, chain),
        inner_field=_inner_field(owned, chain) or stand.shared,
        objects=len(point.each) or 1,
        within=None if " " in (stand.shared or "") else method_within(owned, root, point),
        calls=root.below is not None,
    )


def _start(owned: OwnedHeap, root: Root, point: Point, blamed: Blamed | None) -> tuple[int, str]:
    """Where the path begins in the chain, and the word for that.

    ``this`` where the blamed frame's own object is on the chain; for a local its word and
    class; else the whole chain, from the static or the class of the task's object.
    """
    outermost, node = point.chain[0]
    if point.called is not None:
        return 0, f"local {owned.class_of(node)}"
    if blamed is not None:
        this = blamed[0].this
        at = next((i for i, (_, each) in enumerate(point.chain) if each == this), None)
        if at is not None:
            return at, "this"
        captured = _captured(owned, blamed[0], root, point)
        if captured is not None:
            return captured
        own = owned.heap.class_name(node)
        if outermost == "this" and blamed[0].frame.class_name in (
            own, *owned.heap.super_classes(own),
        ):  # fmt: skip
            return 0, "this"
    if outermost in ("local", "unheld", "written", "finalizers", "thread_locals"):
        return 0, f"{outermost} {root.key.value_class or owned.class_of(node)}"
    if node in owned.operators.at_work:
        return 0, outermost  # the code that is blamed is its own
    if root.frame is None and outermost == "this":
        return 0, owned.class_of(node)
    return 0, outermost


def _captured(
    owned: OwnedHeap, frame: TaskFrame, root: Root, point: Point
) -> tuple[int, str] | None:
    """Where a local of the blamed frame is on the chain, and what a lambda has captured."""
    if not is_lambda(root.key.value_class):
        return None
    for at, (_, node) in enumerate(point.chain[1:], start=1):
        if not is_lambda(owned.class_of(point.chain[at - 1][1])):
            return None  # from there on it is a field of an object that was captured
        if node in frame.frame.locals:
            return at, f"local {owned.class_of(node)}"
    return None


def _declared(owned: OwnedHeap, names: tuple[str, ...], chain: Chain) -> str:
    """The path up to the first object that is not the user's; its fields are not named."""
    found = [names[0]]
    for name, (_, above) in zip(names[1:], chain, strict=False):
        of = owned.heap.class_name(above)
        captured = is_lambda(of) and "." in names[0]  # by a lambda in a static
        if name == "[i]" or is_proxy(of) or captured or owned.kind(of) != "user":
            break
        found.append(name)
    return ".".join(found)


def _inner_field(owned: OwnedHeap, chain: Chain) -> str | None:
    """The last field of the path that the user's classes declare, where others lie before it.

    As where a logger leads, through the library's configuration, to an appender of the user's.
    """
    names = [owned.heap.class_name(node) for _, node in chain]
    kinds = ["neutral" if is_proxy(name) else owned.kind(name) for name in names]
    users = [at for at, kind in enumerate(kinds[:-1]) if kind == "user"]
    if not users:
        return None
    in_static = is_lambda(names[0]) and "." in chain[0][0]
    if kinds[0] == "user" and "neutral" not in kinds[: users[-1]] and not in_static:
        return None
    name, node = chain[users[-1] + 1][0], chain[users[-1]][1]
    return f"{owned.class_of(node)}.{name}"
