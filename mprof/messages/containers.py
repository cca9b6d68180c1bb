"""The container was killed for its memory, or is larger than the cluster gives."""

from __future__ import annotations

import math
import re
from pathlib import PurePosixPath
from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence, known
from mprof.messages.address_space import reserved_heap
from mprof.messages.message import Reading, SaidSetting, Source, message
from mprof.messages.reckoned import beside_a_quiet_heap
from mprof.messages.said import (
    cap_in_words,
    container_bytes,
    container_mb_at_most,
    heap_bytes,
    heap_in_options,
    is_of_a_pod,
    megabytes_up,
    options_name,
    options_of,
    other_processes,
    side_is_known,
    side_of,
    with_heap,
    words_like,
)
from mprof.messages.thresholds import (
    HEAP_OF_CONTAINER,
    HEAP_TOO_LARGE,
    SPARE_OF_A_PEAK,
    TIMES_A_LIMIT,
)
from mprof.trace import ContainerEnd
from mprof.units import GIB, MIB, format_bytes, format_count, format_ratio

__all__ = ["BY_OOM_HANDLER", "MESSAGES"]

_WHO_KILLS = (
    Source("2.2 to 3.0", "org.apache.hadoop.yarn.server.nodemanager.containermanager.monitor."
           "ContainersMonitorImpl.formatErrorMessage",
           "is running beyond physical memory limits. "),
    Source("3.2 to 3.5", "org.apache.hadoop.yarn.server.nodemanager.containermanager.monitor."
           "ContainersMonitorImpl.formatErrorMessage",
           "is running NB beyond the 'PHYSICAL' memory limit. "),
)  # fmt: skip


def _size_of(evidence: Evidence) -> str:
    """The property that sets the container, in brackets; nothing where it may be no task."""
    return f" (mapreduce.{side_of(evidence)}.memory.mb)" if side_is_known(evidence) else ""


def _program_beside(evidence: Evidence) -> str:
    """What Streaming runs beside the JVM of a task of this side, as its command has it."""
    programs = dict(evidence.death.needs.streaming)
    name = programs.get(side_of(evidence)) if side_is_known(evidence) else None
    if name is None:
        return ""
    program = PurePosixPath(name).name
    return (
        f" Streaming runs {program} as a separate process in the same container: -Xmx does not "
        "limit it, and a larger -Xmx leaves it less room. Check its memory use first."
    )


def _both(evidence: Evidence) -> str:
    """What sets heap and container, in a sentence."""
    if side_is_known(evidence):
        name = f"mapreduce.{side_of(evidence)}"
        return f" {name}.java.opts sets that, {name}.memory.mb the container."
    return (
        " mprof cannot tell what ran in it: of a map or reduce task "
        "mapreduce.{map,reduce}.java.opts and mapreduce.{map,reduce}.memory.mb set the two, of a "
        "task of Tez hive.tez.java.opts and hive.tez.container.size, of an executor of Spark "
        "spark.executor.memory and spark.executor.memoryOverhead."
    )


@message(
    "The heap leaves its container no room",
    *_WHO_KILLS,
)
def heap_leaves_no_room(evidence: Evidence) -> Reading | None:
    """The container was killed, and -Xmx alone is nearly all of it.

    What it means
        The NodeManager killed the container for physical memory. A JVM needs memory beside its
        heap: classes, compiled code, threads, buffers, the collector's own. Where `-Xmx` is nine
        tenths of `mapreduce.{map,reduce}.memory.mb` or more, a heap that is only used as far as it
        may be used exceeds the container.

    What it does not prove
        That the heap was full of live objects: a JVM keeps garbage as long as it has room.

    What to change
        `mapreduce.{map,reduce}.memory.mb` to `-Xmx` and a quarter, or `-Xmx` to 0.8 of the
        container, as Hadoop does by itself where it is not set
        (`mapreduce.job.heap.memory-mb.ratio`).

    What would tell more
        `mprof rerun` gives the container room and leaves the heap: the task then finishes, or dies
        of its heap, with a cause, or is killed again for what it has beside the heap.
    """
    heap, container = heap_bytes(evidence), container_bytes(evidence)
    if evidence.death.kind != "container-physical" or heap is None or container is None:
        return None
    if is_of_a_pod(evidence):
        return None  # of a pod, in which no NodeManager has a part
    if heap < HEAP_TOO_LARGE.value * container:
        return None
    used = evidence.death.container_used_bytes
    at = f" at {format_bytes(used)}" if used else ""
    whole = heap >= container
    settings: tuple[SaidSetting, ...] = ()
    if side_is_known(evidence) and known(evidence.memory.heap_max_bytes) is None:
        # measured, or read from a configuration, the same is advised by what is measured
        name, wanted = f"mapreduce.{side_of(evidence)}.memory.mb", heap / HEAP_OF_CONTAINER
        new_mb, old = megabytes_up(wanted), str(container // MIB)
        text = f"-Xmx{heap // MIB}m is then {format_ratio(HEAP_OF_CONTAINER)} of the container."
        settings = (SaidSetting(name, old, str(new_mb), text),)
        if cap := cap_in_words(evidence, new_mb):  # then the heap has to give way
            fits = f"-Xmx{int(HEAP_OF_CONTAINER * container / MIB)}m"
            text = f"{format_ratio(HEAP_OF_CONTAINER)} of the container.{cap}"
            settings = (SaidSetting(options_name(evidence), f"-Xmx{heap // MIB}m", fits, text),)
    left = "nothing is" if whole else f"only {format_bytes(container - heap)} are"
    # where its processes are known, the report says which of them took the memory
    seen = evidence.container is not None and bool(
        evidence.container.processes or evidence.container.jvm
    )
    beside_it, smaller = beside_a_quiet_heap(evidence)
    if evidence.death.needs.quiet_heap is None:
        beside_it = f" Whether the heap was full is not known.{beside_it}"
    settings = smaller or settings
    peak = evidence.death.needs.peak_bytes or 0
    if peak > container:  # which the heap's share of it does not know of
        beside_it += (
            f" A program took {format_bytes(peak)} by itself, as the text has it measured, and "
            "the container has to hold that beside the JVM."
        )
        settings = ()
    return Reading(
        f"The container of {format_bytes(container)} was killed{at}, and -Xmx{heap // MIB}m alone "
        f"is {format_ratio(heap / container)} of it: {left} left for the JVM's classes, code, "
        f"threads and buffers{_size_of(evidence)}.{beside_it}",
        "proves" if whole and not seen else "suggests",
        "mprof run, then mprof rerun, which gives the container room, shows whether the heap fills "
        "it or what is beside the heap.",
        settings,
    )


@message(
    "The container took more memory than it was granted",
    *_WHO_KILLS,
    Source(
        "3.2",
        "org.apache.hadoop.yarn.server.nodemanager.containermanager.monitor."
        "ContainersMonitorImpl.checkLimit",
        "is under oom because it exceeded its physical memory limit",
    ),
)
def container_over_its_limit(evidence: Evidence) -> Reading | None:
    """The container was killed for physical memory, and not for the size of its heap alone.

    What it means
        The processes of the container took more memory than it was granted: the task's JVM with all
        it has beside the heap, and every process that it started.

    What it does not prove
        Which of them took it, unless the message lists the processes; nor that it was the heap.

    What to change
        With the list of processes: what is large in it. Without: compare `-Xmx` with
        `mapreduce.{map,reduce}.memory.mb`; where a quarter of the container is left beside the
        heap, native memory or a child process filled it, and a larger heap makes it worse. Direct
        buffers may take as much as `-Xmx` where nothing bounds them:
        `-XX:MaxDirectMemorySize` does, in `mapreduce.{map,reduce}.java.opts`, which goes before
        `mapred.child.java.opts`.

    What would tell more
        The NodeManager's log has the list of processes (`Dump of the process-tree`); `mprof run`
        looks at the process while it runs.
    """
    heap, container = heap_bytes(evidence), container_bytes(evidence)
    if evidence.death.kind != "container-physical" or is_of_a_pod(evidence):
        return None
    if heap is not None and container is not None and heap >= HEAP_TOO_LARGE.value * container:
        return None
    facts = evidence.container
    listed = bool(facts.processes) if facts is not None else False
    watched = facts is not None and facts.jvm is not None
    if listed and not watched and evidence.death.needs.quiet_heap is not None:
        return _of_a_quiet_heap(evidence)
    if watched:
        return None  # the report says which of them took it
    if listed and (heap is not None or _took_most_beside(evidence)):
        return _beside_a_heap_that_fits(evidence)
    of = f" of {format_bytes(container)}" if container is not None else ""
    program = _program_beside(evidence)
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
            f"the heap was most of it is open, because mprof found no -Xmx of it.{_both(evidence)}"
        )
        is_alone = not program and evidence.death.needs.quiet_heap is None
        if container is not None and is_alone:
            fits = int(HEAP_OF_CONTAINER * container // MIB)
            sentence += (
                f" -Xmx{fits}m, {format_ratio(HEAP_OF_CONTAINER)} of this container, leaves the "
                "usual room; where -Xmx is larger, that is what to change first"
            )
            # of a side that is known a larger container is advised below
            sentence += (
                "."
                if side_is_known(evidence)
                else ", and where it is not, the container has to be larger."
            )
    beside_it, settings = beside_a_quiet_heap(evidence)
    sentence += f"{program}{beside_it}"
    is_measured = heap is not None and known(evidence.memory.heap_max_bytes) is not None
    if container is not None and side_is_known(evidence) and not (is_measured or settings):
        name, old = f"mapreduce.{side_of(evidence)}.memory.mb", container // MIB
        shown = str(old) if container % MIB == 0 else f"about {old}"  # read from a rounded size
        peak = evidence.death.needs.peak_bytes or 0
        with_peak = old + peak // MIB if peak > container else 0
        twice = max(int(TIMES_A_LIMIT.value * old), with_peak)
        cap, new = cap_in_words(evidence, twice), container_mb_at_most(evidence, twice)
        much = "twice the container" if not cap else "the largest container"
        if with_peak == twice and not cap:
            much = (
                f"the container and the {format_bytes(peak)} that a program took by itself, as the "
                "text has it measured"
            )
        full = _with_a_full_heap(evidence)
        with_xmx = (
            f"and -Xmx with it, because in {full}, of the same task, the heap was full"
            if full
            else "with -Xmx as it is"
        )
        unsaid = (
            ""
            if with_peak == twice
            else " mprof cannot tell how much more is wanted, and what takes it may "
            "grow with the input."
        )
        text = f"First aid: {name}={new}, {much}, {with_xmx}.{unsaid}"
        sentence += cap
        if new > old:
            settings = (SaidSetting(name, shown, str(new), text, first_aid=True),)
            had, heap_mb = options_of(evidence), int(HEAP_OF_CONTAINER * new)
            if full:
                of_heap = SaidSetting(
                    options_name(evidence), had, with_heap(had or "", heap_mb),
                    f"{format_ratio(HEAP_OF_CONTAINER)} of that container.", first_aid=True,
                )  # fmt: skip
                settings = (*settings, of_heap)
        elif heap is not None:
            sentence += f" A smaller -Xmx than {heap // MIB}m leaves more beside the heap."
    end = evidence.death.container
    lists = (
        "the list of processes in the text is cut off: the NodeManager's log has it whole (Dump of "
        "the process-tree)"
        if end is not None and end.is_cut
        else "the command line of java in the list of processes, in full, has its -Xmx"
        if listed
        else "the NodeManager's log lists the processes at the kill (Dump of the process-tree)"
    )
    step = f"{lists}; mprof run looks at the process while it runs."
    return Reading(sentence, "suggests", step, settings)


def _beside_a_heap_that_fits(evidence: Evidence) -> Reading | None:
    """Of a JVM that took more beside its heap than the container leaves there, even of a full one.

    Only where nothing says whether it was a map or a reduce task: for either, what is measured
    brings the advice. `MapReduceChildJVM.getChildJavaOpts` reads `mapred.child.java.opts` only
    where that of the side is not set, and HotSpot lets direct buffers take as much as `-Xmx` where
    nothing bounds them (`jdk.internal.misc.VM.saveProperties`).
    """
    facts, heap, container = evidence.container, heap_bytes(evidence), container_bytes(evidence)
    if facts is None or heap is None or container is None or side_is_known(evidence):
        return None
    jvm = sum(one.resident_bytes for one in facts.processes if one.is_task)
    left, outside = container - heap, jvm - heap
    if math.ceil(heap / MIB) > math.ceil(HEAP_OF_CONTAINER * container / MIB) or outside < left:
        return None
    twice = int(TIMES_A_LIMIT.value * container // MIB)
    cap, new = cap_in_words(evidence, twice), container_mb_at_most(evidence, twice)
    much = "the largest container" if cap else "twice the container"
    first = (
        f" First aid: mapreduce.map.memory.mb={new} of a map task, "
        f"mapreduce.reduce.memory.mb={new} of a reduce task, {much}, with -Xmx as it is."
        if new * MIB > container
        else ""
    )
    return Reading(
        f"The task's JVM took {format_bytes(jvm)} in a container of {format_bytes(container)}. "
        f"-Xmx{heap // MIB}m leaves it {format_bytes(left)} there, and it took "
        f"{format_bytes(outside)} or more outside of its heap, however full that was: direct "
        "buffers, a codec or another native library, threads. A larger heap leaves them less."
        f"{cap}{first} -XX:MaxDirectMemorySize bounds direct buffers, which without it may take as "
        "much as -Xmx; it has to stand in mapreduce.map.java.opts or mapreduce.reduce.java.opts, "
        "since mapred.child.java.opts is not read where that of the task is set.",
        "suggests",
        "mprof run looks at the process while it runs, and tells its heap and direct buffers from "
        "the rest.",
    )


def _took_most_beside(evidence: Evidence) -> bool:
    """Whether processes beside the JVM took as much as it did, or more."""
    facts = evidence.container
    processes = facts.processes if facts is not None else ()
    of_java = sum(one.resident_bytes for one in processes if one.is_task)
    return other_processes(evidence)[0] >= of_java


def _of_a_quiet_heap(evidence: Evidence) -> Reading | None:
    """Of a container whose JVM alone took most of it, with a heap that is told to be quiet."""
    facts = evidence.container
    processes = facts.processes if facts is not None else ()
    of_java = sum(one.resident_bytes for one in processes if one.is_task)
    said, settings = beside_a_quiet_heap(evidence)
    if _took_most_beside(evidence):
        return None
    return Reading(
        f"The task's JVM took {format_bytes(of_java)} of the container.{said}",
        "suggests",
        "mprof run looks at the process while it runs, and tells its heap from what is beside it.",
        settings,
    )


def _with_a_full_heap(evidence: Evidence) -> str:
    """Another attempt of the same task whose heap was full; "" without one."""
    task = (evidence.attempt.attempt_id or "").rpartition("_")[0]
    others = (one for one in evidence.attempts if one.kind in HEAP_KINDS)
    same = (one.attempt_id for one in others if one.attempt_id.rpartition("_")[0] == task)
    return next(same, "") if task else ""


@message(
    "The limit of virtual memory was exceeded",
    Source(
        "1.2",
        "org.apache.hadoop.mapred.TaskMemoryManagerThread.run",
        "is running beyond memory-limits. Current usage : ",
    ),
    Source(
        "1.2",
        "org.apache.hadoop.mapred.TaskMemoryManagerThread.killTasksWithLeastProgress",
        " exceeds virtual memory limit ",
    ),
    Source(
        "2.2 to 3.0",
        "org.apache.hadoop.yarn.server.nodemanager.containermanager.monitor."
        "ContainersMonitorImpl.formatErrorMessage",
        "is running beyond virtual memory limits. ",
    ),
    Source(
        "3.2 to 3.5",
        "org.apache.hadoop.yarn.server.nodemanager.containermanager.monitor."
        "ContainersMonitorImpl.formatErrorMessage",
        "is running NB beyond the 'VIRTUAL' memory limit. ",
    ),
)
def container_over_virtual_memory(evidence: Evidence) -> Reading | None:
    """The container was killed for virtual memory.

    What it means
        The address space of the container's processes exceeded `memory.mb` times
        `yarn.nodemanager.vmem-pmem-ratio` (2.1). Address space costs nothing: glibc's arenas, the
        metaspace's reservation and mapped jars take gigabytes of it that are never touched. A JVM
        reserves its whole heap at the start: `-Xmx`, or without one a quarter of the machine's
        memory. In Hadoop 1 the limit is `mapred.job.{map,reduce}.memory.mb` itself, or that of the
        whole node.

    What it does not prove
        That memory was short.

    What to change
        The limit is the container times the ratio: either of them lifts it. On the cluster,
        `yarn.nodemanager.vmem-check-enabled=false`, as most clusters have it, or a larger
        `yarn.nodemanager.vmem-pmem-ratio`, with the NodeManagers started again. For one job alone,
        a container that is large enough for the address space: `memory.mb`, of an application
        master `yarn.app.mapreduce.am.resource.mb`. A smaller `-Xmx` helps only where the address
        space without the difference is below the limit.

    What would tell more
        Nothing more is wanted.
    """
    death = evidence.death
    is_master = death.kind == "application-master" and _is_virtual(death.container)
    if death.kind != "container-virtual" and not is_master:
        return None
    used, limit, physical = _address_space(evidence)
    much = f" ({format_bytes(used)} of {format_bytes(limit)})" if used and limit else ""
    line = death.evidence
    if "memory-limits" in line or "TaskTracker" in line:
        return _over_the_limit_of_a_task(evidence, line)
    who = (
        f"What leads the application was killed for address space{much}, which is no sign of a "
        "lack of memory."
        if is_master
        else f"The limit that was met is one of address space{much}, and no sign of a lack of "
        "memory."
    )
    lifted = _lifts(used, limit, physical)
    lifted += _not_read_there(evidence) or _other_ratio(evidence, limit, physical)
    name, options = _properties(evidence, is_master=is_master)
    heap = reserved_heap(death.container)
    sentence = " ".join((who, lifted, *((heap.sentence,) if heap is not None else ())))
    sentence += _more_reserved(evidence)
    settings: tuple[SaidSetting, ...] = ()
    if heap is not None and heap.suffices and name:
        old, new = f"-Xmx{heap.old_mb}m", f"-Xmx{heap.new_mb}m"
        text = "A heap that suits the container reserves less address space."
        settings = (SaidSetting(options, old, new, text),)
    elif used and limit and physical and name and (heap is None or heap.suffices is False):
        wanted = _room_for(used, limit, physical)
        text = (
            f"Without a change of the cluster: with the same ratio a container of {wanted} MB may "
            "have the address space that was taken, and a tenth more. "
            "yarn.scheduler.maximum-allocation-mb has to allow it."
        )
        if evidence.death.program is None and side_is_known(evidence):
            other = "map" if evidence.is_reduce else "reduce"
            text += (
                f" {other.capitalize()} tasks in as small a container meet the same limit "
                f"(mapreduce.{other}.memory.mb)."
            )
        settings = (SaidSetting(name, str(round(physical / MIB)), str(wanted), text),)
    return Reading(sentence, "proves", settings=settings)


def _lifts(used: int | None, limit: int | None, physical: int | None) -> str:
    """What lifts the limit, on the cluster and for one job: each with its value where it is known.

    ``ContainersMonitorImpl``: the limit is the container times the ratio.
    """
    ratio, container = "a larger ratio", "a larger container"
    if used and limit:
        more = used / limit
        if _tenths_up(more) > 1:  # as told, what was used may be no more than what was allowed
            ratio = f"more than {_tenths_up(more)} times the ratio ({_USUAL_RATIO} by default)"
        container = f"a container {_tenths_up(SPARE_OF_A_PEAK.value * more)} times as large"
        if physical:
            ratio = f"a ratio above {_tenths_up(used / physical)}"
            container = f"a container of {_room_for(used, limit, physical)} MB"
    return (
        f"That limit is the container times {_RATIO}, so that either lifts it: on the cluster "
        f"{_CHECK}=false or {ratio}, in yarn-site.xml of the NodeManagers; for one job "
        f"{container}, with -Xmx as it is."
    )


def _tenths_up(share: float) -> float:
    """Rounded up to a tenth, as the sizes that it is of are told."""
    return math.ceil(round(10 * share, 2)) / 10


def _room_for(used: int, limit: int, physical: int) -> int:
    """The MB of a container that may have the address space that was taken, and a tenth more."""
    return megabytes_up(used * physical / limit * SPARE_OF_A_PEAK.value)


_USUAL_RATIO: Final = 2.1  # YarnConfiguration.DEFAULT_NM_VMEM_PMEM_RATIO


def _more_reserved(evidence: Evidence) -> str:
    """That a larger heap, with which it was killed as well, takes more of what is short."""
    end = evidence.death.container
    had = end.task_heap_bytes if end is not None else None
    names = (f"mapreduce.{side_of(evidence)}.java.opts", "mapred.child.java.opts")
    if had is None or evidence.death.program is not None:
        return ""
    worse = [
        f"{name}={value}"
        for name in names
        for value in evidence.stated.died_with.get(name, ())
        if (heap_in_options(value) or 0) > had
    ]
    if not worse:
        return ""
    return (
        f" {' and '.join(worse)}, with which it was killed as well, as the text says, makes it "
        "worse: a JVM reserves its whole heap as address space when it starts. Take it back to "
        f"-Xmx{had // MIB}m, which the killed JVM had."
    )


_CHECK: Final = "yarn.nodemanager.vmem-check-enabled"


def _not_read_there(evidence: Evidence) -> str:
    """That a text has the check switched off, and the NodeManager that killed had it on."""
    stated = evidence.stated
    if "false" not in (*stated.died_with.get(_CHECK, ()), stated.in_force.get(_CHECK)):
        return ""
    return (
        f" The text has {_CHECK}=false, and the NodeManager that killed it had not read that: it "
        "reads its own yarn-site.xml when it starts, so the file has to be changed on that node "
        "and the NodeManager started again; -D of a job and files of other machines do not reach "
        "it."
    )


_RATIO: Final = "yarn.nodemanager.vmem-pmem-ratio"


def _other_ratio(evidence: Evidence, limit: int | None, physical: int | None) -> str:
    """That a text sets a larger ratio than the NodeManager that killed had."""
    stated = evidence.stated
    said = stated.in_force.get(_RATIO) or next(iter(stated.died_with.get(_RATIO, ())), "")
    if not limit or not physical or not re.fullmatch(r"\d{1,3}(?:\.\d{1,3})?", said):
        return ""
    had = limit / physical
    rounded = GIB / 20 * (1 + float(said))  # both sizes, by half of their last digit
    if float(said) * physical <= limit + rounded:
        return ""
    return (
        f" The text has {_RATIO}={said}, and the NodeManager that killed it had {had:.1f}: it "
        "reads its own yarn-site.xml when it starts, so it has to be started again after the "
        "change."
    )


def _is_virtual(end: ContainerEnd | None) -> bool:
    return end is not None and end.limit == "virtual"


def _address_space(evidence: Evidence) -> tuple[int | None, int | None, int | None]:
    """What was used of it, what was allowed, and the container, as far as they are known."""
    facts, end = evidence.container, evidence.death.container
    if facts is not None:
        return facts.virtual_used_bytes, facts.virtual_limit_bytes, facts.limit_bytes
    if end is not None:
        return end.virtual_used_bytes, end.virtual_limit_bytes, end.physical_limit_bytes
    return None, None, None


def _properties(evidence: Evidence, *, is_master: bool) -> tuple[str, str]:
    """What sets the container and the JVM options; "" where nothing says what ran in it."""
    program = evidence.death.program
    if program is not None:
        is_one = " " not in program.container
        return (program.container, program.options) if is_one else ("", "")
    if side_is_known(evidence) and not is_master:
        return f"mapreduce.{side_of(evidence)}.memory.mb", options_name(evidence)
    return "", ""


# org.apache.hadoop.mapred.TaskMemoryManagerThread
_OF_A_TASK: Final = re.compile(r"Current usage : (\d{1,18})bytes\. Limit : (\d{1,18})bytes")


def _over_the_limit_of_a_task(evidence: Evidence, line: str) -> Reading:
    """In Hadoop 1, where a TaskTracker looks at the address space of a task's processes."""
    found = _OF_A_TASK.search(line)
    settings: tuple[SaidSetting, ...] = ()
    much = ""
    if found is not None:
        used, limit = int(found[1]), int(found[2])
        much = f" ({format_bytes(used)} of {format_bytes(limit)})"
        if side_is_known(evidence):
            name = f"mapred.job.{side_of(evidence)}.memory.mb"
            wanted = megabytes_up(used * SPARE_OF_A_PEAK.value)
            text = (
                "Room for the address space that was taken, and a tenth more; the cluster may "
                f"refuse more than mapred.cluster.max.{side_of(evidence)}.memory.mb."
            )
            settings = (SaidSetting(name, str(limit // MIB), str(wanted), text),)
    return Reading(
        f"The limit that was met is one of address space{much}, and no sign of a lack of memory. "
        "In Hadoop 1 it is mapred.job.map.memory.mb or mapred.job.reduce.memory.mb.",
        "proves",
        "raise the property of its side, up to what mapred.cluster.max.map.memory.mb and "
        "mapred.cluster.max.reduce.memory.mb allow.",
        settings,
    )


BY_OOM_HANDLER: Final = "killed by elastic cgroups OOM handler"
_TAKEN: Final = re.compile(r"using (\d{1,18}) when requested only (\d{1,18})")
_RESOURCES: Final = "org.apache.hadoop.yarn.server.nodemanager.containermanager.linux.resources"
_ASKS: Final = (
    "mapreduce.map.memory.mb or mapreduce.reduce.memory.mb, of Spark spark.executor.memory and "
    "spark.executor.memoryOverhead, of Tez hive.tez.container.size"
)


@message(
    "All containers of the node together reached its limit",
    Source(
        "3.1",
        f"{_RESOURCES}.DefaultOOMHandler.killContainerIfOOM",
        " was killed by elastic cgroups OOM handler using N when requested only N",
    ),
    Source(
        "3.2 to 3.5",
        f"{_RESOURCES}.DefaultOOMHandler.killContainer",
        " killed by elastic cgroups OOM handler.",
    ),
    Source(
        "3.2 to 3.5",
        f"{_RESOURCES}.DefaultOOMHandler.isContainerOutOfLimit",
        " is out of its limits, using N when requested only N",
    ),
)
def node_over_its_limit(evidence: Evidence) -> Reading | None:
    """The NodeManager killed the container because all containers together had no memory left.

    What it means
        With `yarn.nodemanager.elastic-memory-control.enabled` a container may take more than it
        asked for, as long as all of them together stay below the limit of their control group,
        `yarn.nodemanager.resource.memory-mb`. Where they reach it, the kernel stops them all, and
        the NodeManager kills one after another with SIGKILL at once (`DefaultOOMHandler`): those of
        opportunistic type first, then those above what they asked for, then the newest. The process
        ends with exit code 137, and the client reads no more than that.

    What it does not prove
        That this container took the memory: it need not have been above what it asked for. That
        its heap was full.

    What to change
        Let containers ask for what they use: `mapreduce.{map,reduce}.memory.mb`,
        `spark.executor.memory` and `spark.executor.memoryOverhead`, `hive.tez.container.size`. A
        larger `-Xmx`, or more attempts, take more of the same memory. For the cluster, fewer
        containers on the node.

    What would tell more
        In the NodeManager's log `is out of its limits, using N when requested only N` names the
        containers above what they asked for, with both sizes in bytes.
    """
    words = evidence.death.evidence
    if BY_OOM_HANDLER not in words:
        return None
    taken = _TAKEN.search(words)
    own = (
        f" It had taken {format_bytes(int(taken[1]))} where {format_bytes(int(taken[2]))} had been "
        "asked for."
        if taken is not None
        else " It need not be the one that took more than it had asked for."
    )
    return Reading(
        "The NodeManager killed it with SIGKILL at once (exit code 137), because all containers of "
        f"its node together had reached the limit of their control group.{own} Containers have to "
        f"ask for what they use ({_ASKS}); a larger -Xmx, or more attempts, make it worse.",
        "proves",
        "in the NodeManager's log, is out of its limits, using N when requested only N names the "
        "containers that took more than they had asked for.",
    )


_WORDS: Final = (
    r"(?:Job received Kill while in RUNNING state\. ?)?"
    r"(?:The required )?(MAP|REDUCE) capability (?:required )?is more than the supported max "
    r"container capability in the cluster\."
)
_ASKED: Final = re.compile(r"ResourceRe(?:qt|quest): ?(?:<memory:)?(\d{1,12})")
_MOST: Final = re.compile(r"maxContainerCapability: ?(?:<memory:)?(\d{1,12})")
_CLASS = "org.apache.hadoop.mapreduce.v2.app.rm.RMContainerAllocator"


@message(
    "The container is larger than the cluster allows",
    Source(
        "2.2 to 2.7",
        f"{_CLASS}.handleEvent",
        "MAP capability required is more than the supported max container capability in the "
        "cluster. Killing the Job.",
    ),
    Source(
        "2.10 to 3.5",
        f"{_CLASS}.handleMapContainerRequest",
        "The required MAP capability is more than the supported max container capability in "
        "the cluster. Killing the Job.",
    ),
    Source(
        "2.2 to 3.5",
        f"{_CLASS}.handleReduceContainerRequest",
        "REDUCE capability required is more than the supported max container capability in "
        "the cluster. Killing the Job.",
    ),
)
def container_larger_than_the_cluster_allows(evidence: Evidence) -> Reading | None:
    """The job asks for larger containers than the cluster gives.

    What it means
        `mapreduce.{map,reduce}.memory.mb` is above `yarn.scheduler.maximum-allocation-mb`, or the
        cores are above theirs, and the application master killed the job before any task ran. No
        memory had run out.

    What it does not prove
        That the tasks need so much.

    What to change
        `memory.mb` to the cluster's maximum or less, with `-Xmx` at 0.8 of it.

    What would tell more
        Nothing more is wanted.
    """
    found = words_like(evidence, _WORDS)
    if found is None:
        return None
    text = evidence.death.evidence
    asked, most = _ASKED.search(text), _MOST.search(text)
    name = f"mapreduce.{found[1].lower()}.memory.mb"
    values = (
        f" ({format_count(int(asked[1]))} MB, where the cluster gives {format_count(int(most[1]))})"
        if asked is not None and most is not None
        else ""
    )
    settings: tuple[SaidSetting, ...] = ()
    if asked is not None and most is not None and int(asked[1]) > int(most[1]):
        text = (
            "The most that the cluster gives a container; -Xmx has to be smaller, 0.8 of it as a "
            "rule."
        )
        settings = (SaidSetting(name, asked[1], most[1], text),)
    return Reading(
        f"The job asks for larger containers than the cluster gives{values}, so it was killed "
        f"before any {found[1].lower()} task ran: no memory had run out.",
        "proves",
        settings=settings,
    )


MESSAGES = (
    heap_leaves_no_room,
    container_over_its_limit,
    container_over_virtual_memory,
    node_over_its_limit,
    container_larger_than_the_cluster_allows,
)
