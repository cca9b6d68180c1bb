"""A heap that follows its container, where a text sets the container's size and no -Xmx.

``mapred-default.xml`` of Hadoop 2 has -Xmx200m for tasks, whatever their container. Since 3.0 a
task without -Xmx gets ``mapreduce.job.heap.memory-mb.ratio`` (0.8) of it
(``JobConf.getTaskJavaOpts``, MAPREDUCE-5785); one that the cluster's ``mapred-site.xml`` has goes
before that.
"""

from __future__ import annotations

from mprof.evidence import Evidence, known
from mprof.messages.message import SaidSetting
from mprof.messages.said import (
    container_bytes,
    heap_bytes,
    is_of_hadoop_1,
    may_be_in_force,
    options_name,
    options_of,
    setting_of,
    side_is_known,
    side_of,
)
from mprof.messages.thresholds import HEAP_OF_CONTAINER
from mprof.units import MIB, format_bytes, format_ratio

__all__ = ["heap_of_its_container"]


def heap_of_its_container(evidence: Evidence) -> tuple[SaidSetting, ...]:
    """First aid: -Xmx at the usual share of a container whose size alone the text sets.

    Nothing where any -Xmx is known that may have been in force.
    """
    size = container_bytes(evidence)
    is_measured = known(evidence.memory.heap_max_bytes) is not None
    if size is None or is_measured or not side_is_known(evidence) or is_of_hadoop_1(evidence):
        return ()
    room = f"mapreduce.{side_of(evidence)}.memory.mb"
    if heap_bytes(evidence) is not None or options_of(evidence) or not setting_of(evidence, room):
        return ()
    name = options_name(evidence)
    names = (f"mapreduce.{side_of(evidence)}.java.opts", "mapred.child.java.opts", "-Xmx")
    if any(may_be_in_force(evidence, one) or evidence.stated.died_with.get(one) for one in names):
        return ()
    new = f"-Xmx{int(HEAP_OF_CONTAINER * size / MIB)}m"
    text = (
        f"First aid: {name}={new}, {format_ratio(HEAP_OF_CONTAINER)} of its container of "
        f"{format_bytes(size)}. The size of the container alone gives the heap nothing in Hadoop "
        "2, where it is 200 MB with nothing set, and since Hadoop 3 only where no -Xmx is set. "
        "Other options that the cluster has there have to stay."
    )
    return (SaidSetting(name, None, new, text, first_aid=True),)
