"""The mappers, reducers and combiners at work in a heap, and what else the job plugs in."""

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
# Where the framework keeps the job's own record writer, partitioner and comparator for as long as
# the task runs (Hadoop 3.4.3).
_PLUGGED_IN = (
    ("org.apache.hadoop.mapred.MapTask$NewDirectOutputCollector", "out"),
    ("org.apache.hadoop.mapred.MapTask$DirectMapOutputCollector", "out"),
    ("org.apache.hadoop.mapred.ReduceTask$NewTrackingRecordWriter", "real"),
    ("org.apache.hadoop.mapred.ReduceTask$OldTrackingRecordWriter", "real"),
    ("org.apache.hadoop.mapred.MapTask$NewOutputCollector", "partitioner"),
    ("org.apache.hadoop.mapred.MapTask$OldOutputCollector", "partitioner"),
    ("org.apache.hadoop.mapred.MapTask$MapOutputBuffer", "comparator"),
)
_TEMPLATE_LEVELS = ("task", "setup", "map", "reduce", "cleanup")


def task_objects(heap: Heap, threads: Iterable[ThreadRole], users: UserClasses) -> dict[int, Side]:
    """Mappers, reducers, combiners and their like at work, by node.

    A combiner counts as reduce side, and a mapper too where a reduce task runs it in a chain; what
    is plugged in is of whichever side the task is.
    """
    found: dict[int, Side] = {}
    threads = tuple(threads)
    mapper: Side = "reduce" if any(each.is_reduce_task for each in threads) else "map"
    found.update(dict.fromkeys(heap.instances(_MAPPER, subclasses=True).tolist(), mapper))
    found.update(dict.fromkeys(heap.instances(_REDUCER, subclasses=True).tolist(), "reduce"))
    for carrier, name in _CARRYING_FIELDS:
        for node in heap.instances(carrier, subclasses=True).tolist():
            carried = field(heap, node, name)
            if carried is not None:
                found.setdefault(carried, mapper)
    for thread in threads:
        for role in thread.frames:
            if role.level in _TEMPLATE_LEVELS and role.via == "framework":
                this = this_of(heap, role)
                side: Side = "reduce" if role.place in ("reduce", "combine") else thread.side
                if this is not None:
                    found.setdefault(this, side)
    for owner, name in _PLUGGED_IN:
        for node in heap.instances(owner, subclasses=True).tolist():
            plugged = field(heap, node, name)
            if plugged is not None and users.is_user(heap.class_name(plugged)):
                found.setdefault(plugged, "unknown")
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
