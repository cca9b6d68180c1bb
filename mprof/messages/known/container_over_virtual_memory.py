"""The container was killed for virtual memory.

What it means
    The address space of the container's processes exceeded `memory.mb` times
    `yarn.nodemanager.vmem-pmem-ratio` (2.1). Address space costs nothing: glibc's arenas, the
    metaspace's reservation and mapped jars take gigabytes of it that are never touched. In
    Hadoop 1 it is `mapred.job.{map,reduce}.memory.mb` itself, or the limit of the whole node.

What it does not prove
    That memory was short.

What to change
    On the cluster, `yarn.nodemanager.vmem-check-enabled=false`, as most clusters have it. For one
    job alone, a container that is large enough for the address space.

What would tell more
    Nothing more is wanted.
"""

from __future__ import annotations

from mprof.evidence import ContainerFacts, Evidence
from mprof.messages.examples import ended
from mprof.messages.message import Example, Message, Reading, SaidSetting, Source
from mprof.messages.said import megabytes_up, side_of
from mprof.units import GIB, MIB, format_bytes

__all__ = ["MESSAGE"]

_STEP_MB = 128


def _reads(evidence: Evidence) -> Reading | None:
    if evidence.death.kind != "container-virtual":
        return None
    facts = evidence.container
    used = facts.virtual_used_bytes if facts is not None else None
    limit = facts.virtual_limit_bytes if facts is not None else None
    physical = facts.limit_bytes if facts is not None else None
    much = f" ({format_bytes(used)} of {format_bytes(limit)})" if used and limit else ""
    line = evidence.death.evidence
    if "memory-limits" in line or "TaskTracker" in line:
        cure = "In Hadoop 1 it is mapred.job.map.memory.mb and mapred.job.reduce.memory.mb"
    else:
        cure = (
            "It is the cluster's to lift: yarn.nodemanager.vmem-check-enabled=false in "
            "yarn-site.xml ends such kills"
        )
    sentence = (
        f"The limit that was met is one of address space{much}, and no sign of a lack of memory. "
        f"{cure}."
    )
    settings: tuple[SaidSetting, ...] = ()
    if used and limit and physical:
        wanted = megabytes_up(used * physical / limit * 1.1, _STEP_MB)
        text = (
            f"Without a change of the cluster: with the same ratio a container of {wanted} MB may "
            f"have the address space that was taken, and a tenth more."
        )
        name = f"mapreduce.{side_of(evidence)}.memory.mb"
        settings = (SaidSetting(name, str(physical // MIB), str(wanted), text),)
    return Reading(sentence, "proves", settings=settings)


_KILLED = (
    "Container [pid=1,containerID=container_1700000000000_0001_01_000002] is running beyond "
    "virtual memory limits. Current usage: 300 MB of 1 GB physical memory used; 2.5 GB of 2.1 GB "
    "virtual memory used. Killing container."
)
_FACTS = ContainerFacts(
    limit_bytes=GIB, virtual_limit_bytes=2150 * MIB, virtual_used_bytes=2560 * MIB
)

MESSAGE = Message(
    id="container_over_virtual_memory",
    title="The container was killed for virtual memory",
    reads=_reads,
    sources=(
        Source("1.2", "org.apache.hadoop.mapred.TaskMemoryManagerThread.run",
               "is running beyond memory-limits. Current usage : "),
        Source("1.2", "org.apache.hadoop.mapred.TaskMemoryManagerThread."
               "killTasksWithLeastProgress", " exceeds virtual memory limit "),
        Source("2.2 to 3.0", "org.apache.hadoop.yarn.server.nodemanager.containermanager.monitor."
               "ContainersMonitorImpl.formatErrorMessage",
               "is running beyond virtual memory limits. "),
        Source("3.2 to 3.5", "org.apache.hadoop.yarn.server.nodemanager.containermanager.monitor."
               "ContainersMonitorImpl.formatErrorMessage",
               "is running NB beyond the 'VIRTUAL' memory limit. "),
    ),
    examples=(
        Example("2.5 GB of 2.1 GB in a container of 1 GB",
                lambda: ended(_KILLED, kind="container-virtual", container=_FACTS)),
        Example("the limit of a node of Hadoop 1",
                lambda: ended("Killing one of the least progress tasks - attempt, as the "
                              "cumulative memory usage of all the tasks on the TaskTracker w1 "
                              "exceeds virtual memory limit 4294967296.",
                              kind="container-virtual")),
        Example("a kill for physical memory", lambda: ended("", kind="container-physical"),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
