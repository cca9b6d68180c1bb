"""The container was killed, and -Xmx alone is nearly all of it.

What it means
    The NodeManager killed the container for physical memory. A JVM needs memory beside its heap:
    classes, compiled code, threads, buffers, the collector's own. Where `-Xmx` is nine tenths of
    `mapreduce.{map,reduce}.memory.mb` or more, a heap that is only used as far as it may be used
    exceeds the container.

What it does not prove
    That the heap was full of live objects: a JVM keeps garbage as long as it has room.

What to change
    `mapreduce.{map,reduce}.memory.mb` to `-Xmx` and a quarter, or `-Xmx` to 0.8 of the container,
    as Hadoop does by itself where it is not set (`mapreduce.job.heap.memory-mb.ratio`).

What would tell more
    `mprof rerun` gives the container room and leaves the heap: the task then finishes, or dies of
    its heap, with a cause.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import ended, limits
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import container_bytes, heap_bytes, side_of
from mprof.threshold import Threshold
from mprof.units import MIB, format_bytes, format_ratio

__all__ = ["KILLED", "MESSAGE", "TOO_NEAR", "WHO_KILLS"]

TOO_NEAR = Threshold(
    "heap too near its container",
    0.9,
    "share of the container",
    "a JVM of a task takes 60 to 150 MB beside its heap; Hadoop itself leaves 0.2 of the container",
)


def _reads(evidence: Evidence) -> Reading | None:
    heap, container = heap_bytes(evidence), container_bytes(evidence)
    if evidence.death.kind != "container-physical" or heap is None or container is None:
        return None
    if heap < TOO_NEAR.value * container:
        return None
    used = evidence.death.container_used_bytes
    at = f" at {format_bytes(used)}" if used else ""
    whole = heap >= container
    left = "nothing is" if whole else f"only {format_bytes(container - heap)} are"
    return Reading(
        f"The container of {format_bytes(container)} was killed{at}, and -Xmx{heap // MIB}m alone "
        f"is {format_ratio(heap / container)} of it: {left} left for the JVM's classes, code, "
        f"threads and buffers (mapreduce.{side_of(evidence)}.memory.mb). Whether the heap was full "
        "is not known.",
        "proves" if whole else "suggests",
        "mprof run, then mprof rerun, which gives the container room: the task then finishes, or "
        "dies of its heap.",
    )


KILLED = (
    "Container [pid=1,containerID=container_1700000000000_0001_01_000002] is running beyond "
    "physical memory limits. Current usage: 1.0 GB of 1 GB physical memory used"
)

WHO_KILLS = (
    Source("2.2 to 3.0", "org.apache.hadoop.yarn.server.nodemanager.containermanager.monitor."
           "ContainersMonitorImpl.formatErrorMessage",
           "is running beyond physical memory limits. "),
    Source("3.2 to 3.5", "org.apache.hadoop.yarn.server.nodemanager.containermanager.monitor."
           "ContainersMonitorImpl.formatErrorMessage",
           "is running NB beyond the 'PHYSICAL' memory limit. "),
)  # fmt: skip

MESSAGE = Message(
    id="heap_leaves_no_room",
    title="The heap leaves its container no room",
    reads=_reads,
    sources=WHO_KILLS,
    examples=(
        Example("-Xmx1024m in a container of 1 GB",
                lambda: ended(KILLED, kind="container-physical",
                              memory=limits(heap_mb=1024, container_mb=1024))),
        Example("-Xmx960m in a container of 1 GB: suggested",
                lambda: ended(KILLED, kind="container-physical",
                              memory=limits(heap_mb=960, container_mb=1024))),
        Example("-Xmx512m in a container of 1 GB",
                lambda: ended(KILLED, kind="container-physical",
                              memory=limits(heap_mb=512, container_mb=1024)), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
