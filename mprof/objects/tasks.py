"""The mappers, reducers and combiners at work in a heap."""

from __future__ import annotations

from collections.abc import Iterable

from mprof.heap import Heap
from mprof.objects.members import field
from mprof.objects.model import Side
from mprof.objects.names import UserClasses
from mprof.objects.stack import FrameRole, ThreadRole

__all__ = ["task_objects", "this_of"]

_MAPPER = "org.apache.hadoop.mapreduce.Mapper"
_REDUCER = "org.apache.hadoop.mapreduce.Reducer"
_CARRYING_FIELDS = (
    ("org.apache.hadoop.mapred.MapRunner", "mapper"),
    ("org.apache.hadoop.mapred.lib.MultithreadedMapRunner", "mapper"),
    ("org.apache.hadoop.mapreduce.lib.input.DelegatingMapper", "mapper"),
    ("org.apache.hadoop.mapred.lib.DelegatingMapper", "mapper"),
)
_TEMPLATE_LEVELS = ("task", "setup", "map", "reduce", "cleanup")


def task_objects(heap: Heap, threads: Iterable[ThreadRole], users: UserClasses) -> dict[int, Side]:
    """Mappers, reducers and combiners at work, by node; a combiner counts as reduce side."""
    found: dict[int, Side] = {}
    found.update(dict.fromkeys(heap.instances(_MAPPER, subclasses=True).tolist(), "map"))
    found.update(dict.fromkeys(heap.instances(_REDUCER, subclasses=True).tolist(), "reduce"))
    for carrier, name in _CARRYING_FIELDS:
        for node in heap.instances(carrier, subclasses=True).tolist():
            carried = field(heap, node, name)
            if carried is not None:
                found.setdefault(carried, "map")
    for thread in threads:
        for role in thread.frames:
            if role.level in _TEMPLATE_LEVELS and role.via == "framework":
                this = this_of(heap, role)
                side: Side = "reduce" if role.place in ("reduce", "combine") else thread.side
                if this is not None:
                    found.setdefault(this, side)
    for name in sorted(users.task_classes):
        for node in heap.instances(name).tolist():
            found.setdefault(node, "unknown")
    return found


def this_of(heap: Heap, role: FrameRole) -> int | None:
    """The object whose method a frame runs, if it is among its locals: the first that can be."""
    wanted = role.frame.class_name
    for node in role.frame.locals:
        name = heap.class_name(node)
        if name == wanted or wanted in heap.super_classes(name):
            return node
    return None
