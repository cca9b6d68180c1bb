"""The container was killed for physical memory, and the heap is not known to be too large for it.

What it means
    The processes of the container took more memory than it was granted: the task's JVM with all it
    has beside the heap, and every process that it started.

What it does not prove
    Which of them took it, unless the message lists the processes; nor that it was the heap.

What to change
    With the list of processes: what is large in it. Without: compare `-Xmx` with
    `mapreduce.{map,reduce}.memory.mb`; where a quarter of the container is left beside the heap,
    native memory or a child process filled it, and a larger heap makes it worse.

What would tell more
    The NodeManager's log has the list of processes (`Dump of the process-tree`); `mprof run` looks
    at the process while it runs.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import ended, limits
from mprof.messages.known.heap_leaves_no_room import KILLED, TOO_NEAR, WHO_KILLS
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import container_bytes, heap_bytes, side_of
from mprof.units import MIB, format_bytes

__all__ = ["MESSAGE"]


def _reads(evidence: Evidence) -> Reading | None:
    heap, container = heap_bytes(evidence), container_bytes(evidence)
    if evidence.death.kind != "container-physical":
        return None
    if heap is not None and container is not None and heap >= TOO_NEAR.value * container:
        return None
    facts = evidence.container
    listed = bool(facts.processes) if facts is not None else False
    watched = facts is not None and facts.jvm is not None
    if listed or watched:
        return None  # the report says which of them took it
    name = f"mapreduce.{side_of(evidence)}"
    of = f" of {format_bytes(container)}" if container is not None else ""
    if heap is not None and container is not None:
        beside = format_bytes(container - heap)
        sentence = (
            f"The container{of} was killed although -Xmx{heap // MIB}m leaves {beside} beside the "
            "heap: native memory or a child process took more than that, and a larger heap would "
            "leave them less."
        )
    else:
        sentence = (
            f"The container{of} was killed for what all of its processes took together; whether "
            f"the heap was most of it cannot be told without -Xmx ({name}.java.opts) beside "
            f"{name}.memory.mb."
        )
    return Reading(
        sentence,
        "suggests",
        "the NodeManager's log lists the processes at the kill (Dump of the process-tree); mprof "
        "run looks at the process while it runs.",
    )


MESSAGE = Message(
    id="container_over_its_limit",
    title="The container took more memory than it was granted",
    reads=_reads,
    sources=(
        *WHO_KILLS,
        Source("3.2", "org.apache.hadoop.yarn.server.nodemanager.containermanager.monitor."
               "ContainersMonitorImpl.checkLimit",
               "is under oom because it exceeded its physical memory limit"),
    ),
    examples=(
        Example("-Xmx512m in a container of 1 GB",
                lambda: ended(KILLED, kind="container-physical",
                              memory=limits(heap_mb=512, container_mb=1024))),
        Example("nothing is known of the heap",
                lambda: ended(KILLED, kind="container-physical")),
        Example("-Xmx1024m in a container of 1 GB",
                lambda: ended(KILLED, kind="container-physical",
                              memory=limits(heap_mb=1024, container_mb=1024)), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
