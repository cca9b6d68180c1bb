"""Holders in full: what each has, where that stands, whose line it is, and who keeps it."""

from __future__ import annotations

from dataclasses import replace

from mprof.code_site import CodeSite
from mprof.heap import Container, Heap
from mprof.objects.class_bytes import HeapClasses
from mprof.objects.columns import Columns
from mprof.objects.contents import key_class, linked
from mprof.objects.copies import classes_of_that_name, keeping, keeping_threads, several_writers
from mprof.objects.direct_buffers import direct_memory
from mprof.objects.heap_objects import ClassBytes, Holder
from mprof.objects.holder_name import named
from mprof.objects.operators import Operators
from mprof.objects.owned_heap import OwnedHeap
from mprof.objects.ownership import Label, Ownership
from mprof.objects.roots import Root
from mprof.objects.script_sites import method_of_operator, statement_of
from mprof.objects.stack import site_of
from mprof.objects.stacks import Stacks, shared_site, stacks_of
from mprof.objects.stand import stand_of
from mprof.objects.threads import Threads
from mprof.objects.thresholds import GROWN_FULL, LISTED
from mprof.objects.words import holder_in_words

__all__ = ["describe_holders"]

_MOST_HOLDERS = 200  # that are listed, the largest; sums are complete whatever is listed
_WRITE = "write"  # of both APIs' RecordWriter


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
    kind, operators = threads.classes.kind, Operators(heap)
    owned = OwnedHeap(heap, columns, ownership, kind, operators, through_few=through_few)
    stacks = stacks_of(threads.ordered, ownership)
    holders = (
        replace(
            _holder(owned, stacks, label, classes),
            direct_bytes=int(direct.bytes[label.number]),
            direct_buffers=int(direct.buffers[label.number]),
        )
        for label in listed
    )
    return tuple(holders), classes.of_heap


def _least_bytes(label: Label) -> int:
    in_flight = label.key.is_reused_record or label.key.kind == "record_being_read"
    return 1 if in_flight else round(LISTED.value)


def _holder(owned: OwnedHeap, stacks: Stacks, label: Label, classes: HeapClasses) -> Holder:
    """One holder in full."""
    heap = owned.heap
    roots = [each for each in label.roots if owned.is_of(each.node, label)]
    stand = stand_of(owned, stacks, label, roots)
    root, point, blamed = stand.root, stand.point, stand.blamed
    locals_ = (each for each in roots if each.key.kind == "local")
    of_threads = {id(each.thread): each.thread for each in locals_ if each.thread is not None}
    statics = [each for each in roots if each.key.kind == "static"]
    loaded = len({each.chain[0][1] for each in statics}) or 1
    writers = several_writers(roots)
    kept = classes_of_that_name(heap, root) if loaded > 1 else writers
    keeper = keeping(owned, label, kept) if kept.size else None
    kept_at = None if keeper is None else stand_of(owned, stacks, keeper, keeper.roots)
    if kept_at is not None and kept_at.blamed is not None and loaded > 1:
        blamed = kept_at.blamed
    if keeper is None or kept_at is None:
        kept_by = keeping_threads(heap, stacks.threads, kept) if loaded > 1 else None
    elif keeper.key.kind == "unheld":
        kept_by = keeper.key.value_class
    else:
        kept_by = holder_in_words(named(owned, keeper, kept_at, kept_at.blamed))
    content = heap.container(point.node) or linked(heap, point.node)
    holder = replace(
        named(owned, label, stand, blamed),
        bytes=owned.bytes_of(label),
        length=content.length if content else None,
        element_class=(content.element_class or None) if content else None,
        key_class=key_class(heap, point.node),
        capacity=content.capacity if content and content.capacity >= 0 else None,
        site=site_of(blamed[0].frame)
        if blamed
        else method_of_operator(owned, point) or _method_of_writer(root),
        thread=blamed[1].thread.name if blamed else None,
        doubling=label.doubling,
        spare_bytes=_spare_bytes(owned, label, content),
        classes=classes.of(label),
        script=statement_of(owned, point, blamed),
        frames=max(1, len({id(each.frame) for each in roots if each.frame is not None})),
        threads=max(1, len(of_threads)),
        shared_site=shared_site(of_threads.values()) if len(of_threads) > 1 else None,
        address=heap.address(point.node) or None,
        copies=len({each.node for each in statics}) or 1,
        loaded=loaded,
        kept_by=kept_by,
    )
    if not writers.size:
        return holder
    return replace(
        holder,
        class_name=holder.class_name if kept_at is None else owned.class_of(kept_at.point.node),
        length=writers.size,
        element_class=label.key.class_name,
        copies=writers.size,
    )


def _method_of_writer(root: Root) -> CodeSite | None:
    """The method by which the framework hands a writer its records; None of what is no writer's."""
    if root.owner != "writer":
        return None
    return CodeSite(class_name=root.key.class_name, method=_WRITE)


def _spare_bytes(owned: OwnedHeap, label: Label, content: Container | None) -> int:
    """Bytes of a container's array that its contents do not use, and never made it grow to."""
    if content is None or content.backing is None or content.kind == "array":
        return 0
    if label.doubling or content.length >= GROWN_FULL.value * content.capacity:
        return 0
    if not owned.is_of(content.backing, label):
        return 0
    prefix = owned.columns.prefix
    array = int(prefix[content.backing + 1] - prefix[content.backing])
    return round(array * (1 - content.length / content.capacity))
