"""Containers of a size that is not given: YARN and Spark refuse them before anything starts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mprof.evidence import Evidence
from mprof.messages.ends import MEMORY_IS_NOT_IT, KnownEnd, SaidOfEnd
from mprof.messages.message import SaidSetting, Source
from mprof.messages.said import (
    heap_in_options,
    setting_of,
    size_in,
    stands_on_stack,
    with_heap,
)
from mprof.messages.thresholds import HEAP_OF_CONTAINER
from mprof.units import MIB, format_count

__all__ = ["ENDS"]

_LARGEST: Final = "yarn.scheduler.maximum-allocation-mb"
_OF_A_NODE: Final = "yarn.nodemanager.resource.memory-mb"
_ASKED: Final = re.compile(r"requestedMemory=(-?\d{1,12})|Requested resource=<memory:(-?\d{1,12})")
_MOST: Final = re.compile(r"maxMemory=(\d{1,12})|maximum allowed allocation=<memory:(\d{1,12})")
_CONFIGURED: Final = re.compile(r"configured maximum allocation=<memory:(\d{1,12})")
_CORES: Final = re.compile(
    r"requestedVirtualCores=(?P<asked_2>\d{1,9}), maxVirtualCores=(?P<most_2>\d{1,9})|"
    r"Requested resource=<[^>]{0,80}?vCores:(?P<asked>\d{1,9})[^\n]{0,40}?"
    r"maximum allowed allocation=<[^>]{0,80}?vCores:(?P<most>\d{1,9})"
)


def _megabytes(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    return None if found is None else int(next(one for one in found.groups() if one is not None))


def _request(_found: re.Match[str], text: str) -> SaidOfEnd:
    asked, most = _megabytes(_ASKED, text), _megabytes(_MOST, text)
    if asked is not None and asked < 0:
        return SaidOfEnd(
            f"YARN was asked for a container of {asked} MB: the property that sets its size is not "
            "set where the job was submitted. No memory had run out.",
        )
    if asked is None or most is None or asked <= most:
        return _cores(text)
    return SaidOfEnd(
        f"YARN was asked for a container of {format_count(asked)} MB and gives "
        f"{format_count(most)} MB at most ({_limit(text, asked, most)}), so it was not started: no "
        "memory had run out.",
    )


def _cores(text: str) -> SaidOfEnd:
    """Of a request that the memory of is not too large."""
    found = _CORES.search(text)
    asked, most = (
        (int(found["asked"] or found["asked_2"]), int(found["most"] or found["most_2"]))
        if found is not None
        else (0, 0)
    )
    if asked <= most:
        return SaidOfEnd(
            "YARN refused the size of a container that it was asked for (memory or cores), so it "
            "was not started: no memory had run out.",
        )
    return SaidOfEnd(
        f"YARN was asked for a container of {asked} cores and gives {most} at most "
        "(yarn.scheduler.maximum-allocation-vcores, or less where no node has so many: "
        "yarn.nodemanager.resource.cpu-vcores), so it was not started: no memory had run out.",
    )


def _limit(text: str, asked: int, most: int) -> str:
    """Which limit of the cluster it is, as far as the message says.

    ``ClusterNodeTracker.getMaxAllowedAllocation``: the configured maximum, or what the largest node
    that is registered has, where that is less. A queue may have a maximum of its own
    (``CapacityScheduler.getMaximumResourceCapability``). Since 3.1 the message has the configured
    one beside it.
    """
    configured = _megabytes(_CONFIGURED, text)
    if configured is None:
        return f"{_LARGEST}, or less where no node has so much: {_OF_A_NODE}"
    if configured > most:
        return (
            f"what the largest node that is registered has, {_OF_A_NODE}, or the maximum of the "
            f"queue; {_LARGEST} is {configured}, so that raising it is of no use: a node has to "
            f"have {asked} or more"
        )
    return f"{_LARGEST}; to get {asked} it has to be that or more, and {_OF_A_NODE} of a node too"


_OF_A_MASTER: Final = "yarn.app.mapreduce.am.resource.mb"
_SIZES: Final = {
    _OF_A_MASTER: "yarn.app.mapreduce.am.command-opts",
    "mapreduce.map.memory.mb": "mapreduce.map.java.opts",
    "mapreduce.reduce.memory.mb": "mapreduce.reduce.java.opts",
}
"""What sets the container of each process of a job, and what its JVM options."""
_MASTER_MB: Final = 1536  # MRJobConfig.DEFAULT_MR_AM_VMEM_MB
_MASTER_OPTIONS: Final = "-Xmx1024m"  # MRJobConfig.DEFAULT_MR_AM_COMMAND_OPTS
_SUBMITTED: Final = "org.apache.hadoop.yarn.server.resourcemanager.RMAppManager"
_BY_MAPREDUCE: Final = "org.apache.hadoop.mapred.YARNRunner"
_OF_CLIENTS: Final = frozenset({"command", "hive-session", "distcp"})
"""A client asks for the container of an application master alone; that asks for all others."""


def _asked_by(evidence: Evidence, text: str) -> tuple[str, tuple[SaidSetting, ...]]:
    """Whose size was refused, by its frames and by the settings that have that size.

    ``RMAppManager`` refuses what an application is submitted with, which is its master's container.
    """
    asked, most = _megabytes(_ASKED, text), _megabytes(_MOST, text)
    if asked is None or most is None or asked <= most:
        return "", ()
    sizes = {name: size_in(setting_of(evidence, name) or "") for name in _SIZES}
    above = {name: size // MIB for name, size in sizes.items() if size and size // MIB > most}
    program = evidence.death.program
    by_client = program is not None and program.id in _OF_CLIENTS
    of_master = (
        by_client
        or stands_on_stack(evidence, _SUBMITTED)
        or stands_on_stack(evidence, _BY_MAPREDUCE)
    )
    same = [name for name, size in above.items() if size == asked]
    same = [one for one in same if one == _OF_A_MASTER] if of_master else same
    by_default = of_master and asked == _MASTER_MB and setting_of(evidence, _OF_A_MASTER) is None
    if by_default and (program is None or by_client):
        said = (
            f"It was asked for the application master: of MapReduce {_OF_A_MASTER}, which is "
            f"{_MASTER_MB} where nothing is set."
        )
        return said, _smaller(evidence, _OF_A_MASTER, asked, most, _MASTER_OPTIONS)
    if len(same) != 1:
        whose = (
            f"It was asked for the application master: of MapReduce {_OF_A_MASTER} "
            f"({_MASTER_MB} where nothing is set)."
            if of_master
            else f"The application master asks for {_OF_A_MASTER} ({_MASTER_MB} where nothing is "
            "set), a task for mapreduce.map.memory.mb or mapreduce.reduce.memory.mb."
        )
        return whose, ()
    name = same[0]
    who = "the application master, before any task" if name == _OF_A_MASTER else "a task"
    told = [f"{name}={asked} asks for it, for {who}."]
    others = [f"{one}={size}" for one, size in above.items() if one != name]
    if others:
        is_one = len(others) == 1
        told.append(
            f"{' and '.join(others)} {'is' if is_one else 'are'} above that as well, and "
            "would be refused next."
        )
    smaller = (_smaller(evidence, one, size, most) for one, size in above.items())
    return " ".join(told), tuple(each for settings in smaller for each in settings)


def _smaller(
    evidence: Evidence, name: str, size: int, most: int, default_options: str = ""
) -> tuple[SaidSetting, ...]:
    """A size that the cluster gives, and a heap that fits into it."""
    new = min(_MASTER_MB, most) if name == _OF_A_MASTER else most
    text = "A size that the cluster gives; -Xmx has to fit into it, 0.8 of it as a rule."
    container = SaidSetting(name, str(size), str(new), text)
    set_to = setting_of(evidence, _SIZES[name])
    options = set_to or default_options
    heap = heap_in_options(options)
    if heap is None or heap <= HEAP_OF_CONTAINER * new * MIB:
        return (container,)
    fits = with_heap(options, int(HEAP_OF_CONTAINER * new))
    return container, SaidSetting(_SIZES[name], options, fits, "It fits into that container.")


_PARTS: Final = (
    r"Required (?P<who>executor|AM) memory \((?P<heap>\d{1,9})(?: MB)?"
    r"(?:\+(?P<beside>\d{1,9}) MB\)|\)(?:, offHeap memory \((?P<off_heap>\d{1,9})\) MB)?"
    r"(?:, overhead \((?P<overhead>\d{1,9}) MB\),? and PySpark memory \((?P<python>\d{1,9}) MB\))?)"
    r",? is above the max threshold \((?P<most>\d{1,9}) MB\) of this cluster"
    r"(?:![^\n]{0,130}memory-mb')?"
)
_LEAST_OVERHEAD: Final = 384
_OF_A_HEAP: Final = 10
"""ResourceProfile.MEMORY_OVERHEAD_MIN_MIB; spark.executor.memoryOverheadFactor is one in ten."""
_LEAST_HEAP: Final = 450
"""UnifiedMemoryManager: 1.5 times 300 MB that it keeps back; a smaller heap does not start."""


def _overhead_of(heap: int) -> int:
    return max(_LEAST_OVERHEAD, heap // _OF_A_HEAP)


def _largest_heap(room: int) -> int:
    """The largest heap in MB that fits into so much with the overhead that Spark gives it."""
    return min(room - _LEAST_OVERHEAD, room * _OF_A_HEAP // (_OF_A_HEAP + 1))


@dataclass(frozen=True, slots=True)
class _Refused:
    """What Spark asked for, in MB.

    Attributes:
        others: off-heap memory and that of Python together.
        is_old: in the words up to Spark 2.3, which the master has in every version.
        parts: each with what it is.
    """

    of_executor: bool
    heap: int
    overhead: int
    others: int
    total: int
    most: int
    is_old: bool
    parts: tuple[tuple[int, str], ...]


def _refused(found: re.Match[str]) -> _Refused:
    heap, off_heap, python = (int(found[one] or 0) for one in ("heap", "off_heap", "python"))
    overhead = int(found["beside"] or found["overhead"] or 0)
    return _Refused(
        of_executor=found["who"] == "executor",
        heap=heap,
        overhead=overhead,
        others=off_heap + python,
        total=heap + overhead + off_heap + python,
        most=int(found["most"]),
        is_old=found["overhead"] is None,
        parts=(
            (heap, "heap"),
            (off_heap, "off-heap memory"),
            (overhead, "overhead"),
            (python, "for Python"),
        ),
    )


def _spark(found: re.Match[str], _text: str) -> SaidOfEnd:
    asks = _refused(found)
    who = "an executor" if asks.of_executor else "the application master"
    parts = " + ".join(f"{format_count(size)} {what}" for size, what in asks.parts if size)
    return SaidOfEnd(
        f"Spark refused by itself, before it submitted the application: {who} would want a "
        f"container of {format_count(asks.total)} MB ({parts}), and the cluster gives "
        f"{format_count(asks.most)} MB at most. Nothing had started, and no memory had run out."
    )


_SCHEDULES: Final = "org.apache.spark.scheduler.cluster.YarnClientSchedulerBackend"


def _smaller_parts(evidence: Evidence, text: str) -> tuple[str, tuple[SaidSetting, ...]]:
    """Which part is to be smaller, with a value that fits; or what the cluster has to give."""
    found = re.search(_PARTS, text)
    if found is None:
        return "", ()
    asks = _refused(found)
    said, settings = _part_to_change(asks, _names(evidence, asks))
    cluster = (
        f"For so large a container the cluster has to give more: {_LARGEST} and {_OF_A_NODE} of a "
        f"node, both {asks.total} or more."
    )
    return f"{said}{cluster}", settings


def _part_to_change(
    asks: _Refused, names: tuple[str, str] | None
) -> tuple[str, tuple[SaidSetting, ...]]:
    """The part, and a value for it.

    An overhead above the one that Spark takes by itself was set by somebody, and goes down first,
    where the heap leaves as much as that; else the heap, whose overhead goes with it.
    """
    usual, room = _overhead_of(asks.heap), asks.most - asks.others
    others = f" and the {asks.others} MB of the other parts" if asks.others else ""
    is_more = asks.overhead > usual
    said = (
        f"The overhead is more than the {usual} MB that Spark adds to such a heap by itself (a "
        f"tenth of it, {_LEAST_OVERHEAD} MB at least). "
        if is_more
        else ""
    )
    largest = _largest_heap(room)
    if names is None:
        return (
            f"{said}In cluster mode spark.driver.memory and spark.driver.memoryOverhead set the "
            "two, in client mode spark.yarn.am.memory and spark.yarn.am.memoryOverhead. "
        ), ()
    heap_name, overhead_name = names
    if is_more and room - asks.heap >= usual:
        text = (
            f"No more than {asks.most} MB leave beside the heap{others}. Without a value Spark "
            f"takes {usual}."
        )
        left = SaidSetting(overhead_name, str(asks.overhead), str(room - asks.heap), text)
        return said, (left,)
    if not _LEAST_HEAP <= largest < asks.heap:
        return said, ()
    text = (
        f"With the {_overhead_of(largest)} MB of overhead that Spark adds by itself{others} it "
        f"fits into {asks.most} MB."
    )
    heap = SaidSetting(heap_name, f"{asks.heap}m", f"{largest}m", text)
    if not is_more:
        return said, (heap,)
    less = SaidSetting(
        overhead_name, str(asks.overhead), str(_overhead_of(largest)), "What Spark adds by itself."
    )
    return said, (heap, less)


_IN_A_CLUSTER: Final = ("org.apache.spark.deploy.yarn.Client", "run")


def _names(evidence: Evidence, asks: _Refused) -> tuple[str, str] | None:
    """What sets heap and overhead: of executors by the version, of the master by the mode.

    In client mode ``YarnClientSchedulerBackend`` submits, and the master is no driver; in cluster
    mode ``Client.run``. None where no frame tells.
    """
    if asks.of_executor:
        return "spark.executor.memory", _OLD_OVERHEAD if asks.is_old else _OVERHEAD
    if stands_on_stack(evidence, _SCHEDULES):
        return "spark.yarn.am.memory", "spark.yarn.am.memoryOverhead"
    if stands_on_stack(evidence, *_IN_A_CLUSTER):
        return "spark.driver.memory", "spark.driver.memoryOverhead"
    return None


_OLD_OVERHEAD: Final = "spark.yarn.executor.memoryOverhead"
_OVERHEAD: Final = "spark.executor.memoryOverhead"
_SCHEDULER: Final = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils"
_SPARK: Final = "org.apache.spark.deploy.yarn.Client.verifyClusterResources"
_ANY: Final = (
    r"InvalidResourceRequestException: Invalid resource request"
    r"(?:[^\n]{0,900}?configured maximum allocation=<[^>\n]{0,200}>|"
    r"[^\n]{0,900}?maximum allowed allocation=<[^>\n]{0,200}>|[^\n]{0,200}?max\w+=\d{1,12})?"
)
"""With the numbers, which stand at its end."""

ENDS: Final = (
    KnownEnd(
        id="container_size_refused",
        title="A container of that size is not given",
        words=_ANY,
        says=_request,
        first="YARN refused the size of a container.",
        means=(
            "The size that was asked for is larger than `yarn.scheduler.maximum-allocation-mb` or "
            "than any node has (`yarn.nodemanager.resource.memory-mb`), or is not set at all. YARN "
            "says so before anything is started. Since 3.1 the message has both the maximum that "
            "is allowed and the one that is configured: where the first is smaller, it is what the "
            "largest registered node has, or the maximum of the queue, and "
            "`yarn.scheduler.maximum-allocation-mb` is no limit."
        ),
        not_proven="That the process needs so much, or that it would do with less.",
        change=(
            "What is asked for: `yarn.app.mapreduce.am.resource.mb` of the application master, "
            "`mapreduce.{map,reduce}.memory.mb` of tasks, each with `-Xmx` at 0.8 of it. Or what "
            "the cluster gives."
        ),
        more="The page of the nodes of the ResourceManager shows how much each of them has.",
        next_step="yarn node -list -all, and yarn node -status NODE, show what each node has.",
        adds=_asked_by,
        sources=(
            Source(
                "2.2 to 3.0",
                f"{_SCHEDULER}.validateResourceRequest",
                "Invalid resource request, requested memory < 0, or requested memory > max "
                "configured, requestedMemory=N, maxMemory=N",
            ),
            Source(
                "3.1",
                f"{_SCHEDULER}.throwInvalidResourceException",
                "Invalid resource request, requested resource type=[memory-mb] < 0 or greater than "
                "maximum allowed allocation. Requested resource=<memory:N, vCores:N>",
            ),
            Source(
                "3.3 to 3.5",
                f"{_SCHEDULER}.throwInvalidResourceException",
                "Invalid resource request! Cannot allocate containers as requested resource is "
                "greater than maximum allowed allocation. Requested resource type=[memory-mb]",
            ),
            Source(
                "3.1 to 3.5",
                "org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException."
                "GREATER_THAN_MAX_RESOURCE_MESSAGE_TEMPLATE",
                "which might be less than configured maximum allocation=<memory:N, vCores:N>",
            ),
        ),
    ),
    KnownEnd(
        id="spark_container_refused",
        title="Spark asks for a larger container than the cluster gives",
        words=_PARTS,
        says=_spark,
        first="Spark refused to ask YARN for a container that the cluster does not give.",
        means=(
            "Before it submits an application, Spark's client adds up what a container of an "
            "executor and of the application master would take: the heap, the overhead (where it "
            "is not set the larger of 384 MB and a tenth of the heap), `spark.memory.offHeap.size` "
            "and `spark.executor.pyspark.memory`. It ends where that is above the largest "
            "container that the ResourceManager gives: `yarn.scheduler.maximum-allocation-mb`, or "
            "what the largest node has (`yarn.nodemanager.resource.memory-mb`) where that is less."
        ),
        not_proven=MEMORY_IS_NOT_IT,
        change=(
            "The overhead where it is set and far above the default, else the heap: "
            "`spark.executor.memory` and `spark.executor.memoryOverhead` (before 2.3 "
            "`spark.yarn.executor.memoryOverhead`); of the application master in cluster mode "
            "those of `spark.driver`, in client mode those of `spark.yarn.am`. Or both limits "
            "of YARN."
        ),
        more="`yarn node -list -all`, and `yarn node -status NODE`, show what each node has.",
        next_step="yarn node -list -all, and yarn node -status NODE, show what each node has.",
        adds=_smaller_parts,
        sources=(
            Source(
                "Spark 1.2 to 2.3",
                _SPARK,
                "Required executor memory (N+N MB) is above the max threshold (N MB) of this "
                "cluster!",
            ),
            Source(
                "Spark 2.4",
                _SPARK,
                "Required executor memory (N), overhead (N MB), and PySpark memory (N MB) is above "
                "the max threshold (N MB) of this cluster!",
            ),
            Source(
                "Spark 3.0 to 3.5",
                _SPARK,
                "Required executor memory (N MB), offHeap memory (N) MB, overhead (N MB), and "
                "PySpark memory (N MB) is above the max threshold (N MB) of this cluster!",
            ),
            Source(
                "Spark 1.2 to 3.5",
                _SPARK,
                "Required AM memory (N+N MB) is above the max threshold (N MB) of this cluster!",
            ),
        ),
    ),
)
