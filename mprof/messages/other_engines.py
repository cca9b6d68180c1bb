"""What Hive, Tez, Spark and Flink say on the same cluster, of processes and limits of their own."""

from __future__ import annotations

import re
from typing import Final

from mprof.engines import Program
from mprof.evidence import HEAP_KINDS, Evidence, Kind
from mprof.messages.message import Reading, SaidSetting, Source, message
from mprof.messages.said import (
    code_that_asked,
    heap_is_unseen,
    heap_setting_of_program,
    is_of_a_pod,
    setting_of,
    stands_on_stack,
)
from mprof.messages.thresholds import (
    HALF_OF_A_SHARE,
    HEAP_OF_CONTAINER,
    HEAP_TOO_LARGE,
    TIMES_A_LIMIT,
)
from mprof.trace import MEMORY_KINDS, Death
from mprof.units import MIB, format_bytes, format_ratio, parse_jvm_size

__all__ = ["MESSAGES"]

_USED: Final = re.compile(r"Memory usage:\s*(\d{1,15})\s+percentage:\s*(\d(?:\.\d{1,6})?)")
_OTHER_CODE: Final = re.compile(r"return code ([1245-9]) from \S*MapredLocalTask")
_LOCAL: Final = "hive-local-task"
_UBER: Final = "mapreduce-uber"
_RUNNER: Final = "local-runner"
_BESIDE_THE_HEAP: Final[dict[Kind, str]] = {
    "direct": "Its direct buffers, which lie outside the heap, reached their limit: "
    "-XX:MaxDirectMemorySize in {options}, or as much as its -Xmx where that is not set.",
    "metaspace": "The space for its classes was full: -XX:MaxMetaspaceSize (up to JDK 7 "
    "-XX:MaxPermSize) in {options} sets it. The heap was not short.",
    "threads": "The operating system refused it another thread: a limit of processes and threads "
    "was met, or it had no memory for the thread's stack. A larger -Xmx does not help.",
    "native": "The operating system gave it no more memory, whatever stood in its heap: the "
    "machine or the container has no more. Fewer or smaller containers on that machine are what "
    "helps; a larger -Xmx leaves less.",
    "array-limit": "It asked for a longer array than a JVM can make: no heap is large enough for "
    "that.",
}
"""What is short where it is not the heap."""
_LOOK_BESIDE: Final[dict[Kind, str]] = {
    "direct": "the frames name the library that asks for them; jconsole (java.nio, BufferPool, "
    "direct) shows how many there are.",
    "metaspace": "jcmd PID VM.classloader_stats shows which loaders have how many classes.",
    "threads": "on its machine, ulimit -u of its user (of a service of systemd also systemctl show "
    "-p TasksMax UNIT), and jstack PID | grep -c '^\"' of it.",
    "native": "free -m and dmesg -T on its machine say who has the memory.",
    "array-limit": "the frames say which text or buffer grew, and of what.",
}


@message(
    "The hash table of Hive's map join did not fit",
    Source(
        "Hive 0.9 to 3.1",
        "org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask.executeInProcess",
        "return code 3 from org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask",
    ),
    Source(
        "Hive 0.9 to 3.1",
        "org.apache.hadoop.hive.ql.exec.mapjoin.MapJoinMemoryExhaustionHandler.checkMemoryStatus",
        "Processing rows: N Hashtable size: N Memory usage: N percentage: N",
    ),
)
def hive_local_task(evidence: Evidence) -> Reading | None:
    """The hash table of Hive's map join did not fit into the heap of its local task.

    What it means
        For a map join Hive reads the small table in a JVM beside the client, before any task, and
        stops it where the hash table takes more than `hive.mapjoin.localtask.max.memory.usage`
        (0.9) of the heap, 0.55 with a GROUP BY behind it
        (`hive.mapjoin.followby.gby.localtask.max.memory.usage`). The exit code 3 is for that, or
        for an OutOfMemoryError there, and for nothing else. A table takes ten times and more of
        what it takes in a compressed file.

    What it does not prove
        That any task lacked memory: none had started.

    What to change
        `hive.auto.convert.join=false` for this query: the tables are joined in reducers. Or a
        smaller `hive.mapjoin.smalltable.filesize`, so that this table counts as large. Or a larger
        heap of the local task, which is that of the client: `HADOOP_HEAPSIZE`
        (`hive.mapred.local.mem`).

    What would tell more
        The log that Hive names (`Execution log at:`).
    """
    program = evidence.death.program
    if program is None or program.id != _LOCAL or evidence.death.kind not in HEAP_KINDS:
        return None
    used = _USED.search(evidence.death.evidence)
    much = ""
    if used is not None and float(used[2]) > 0:
        heap = int(used[1]) / float(used[2])
        much = (
            f" It held {format_bytes(int(used[1]))}, {format_ratio(float(used[2]))} of a heap of "
            f"about {format_bytes(round(heap))}."
        )
    name = "hive.auto.convert.join"
    text = "The tables are joined in reducers, without a hash table in the heap of the local task."
    return Reading(
        "The small table of a map join did not fit as a hash table into the heap of Hive's local "
        f"task, a JVM beside the client; no map or reduce task had started.{much} "
        "HADOOP_HEAPSIZE sets that heap, hive.mapjoin.localtask.max.memory.usage the share at "
        "which it stops.",
        "proves",
        "",
        (SaidSetting(name, setting_of(evidence, name), "false", text),),
    )


@message(
    "Hive's local task failed, and not of memory",
    Source(
        "Hive 0.9 to 3.1",
        "org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask.executeInChildVM",
        "return code 1 from org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask",
    ),
)
def hive_local_task_failed(evidence: Evidence) -> Reading | None:
    """Hive's local task ended with a code that is not the one for memory.

    What it means
        For a map join Hive reads the small table in a JVM beside the client, before any task. The
        code 3 says that its hash table or its heap was full; any other says that something else
        went wrong there: a class that is missing, a file that cannot be read, a JVM that did not
        start.

    What it does not prove
        What went wrong.

    What to change
        Nothing, before its log is read. With `hive.auto.convert.join=false` the query has no local
        task.

    What would tell more
        The log that Hive names (`Execution log at:`), on the machine of the client or of
        HiveServer2.
    """
    program = evidence.death.program
    code = _OTHER_CODE.search(evidence.death.evidence)
    if program is None or program.id != _LOCAL or code is None:
        return None
    return Reading(
        "Hive's local task, a JVM beside the client that reads the small table of a map join, "
        f"failed with code {code[1]}, which is not the one for memory (3); no map or reduce task "
        "had started. With hive.auto.convert.join=false the query has no such task.",
        "suggests",
        "read the log that Hive names (Execution log at:), on the machine of the client or of "
        "HiveServer2.",
    )


_MAP_JOIN: Final = "org.apache.hadoop.hive.ql.exec.MapJoinOperator"
_JOINS: Final = "hive.auto.convert.join"


@message(
    "The hash table of a map join did not fit into a map task",
    Source("Hive 0.7 to 3.1", f"{_MAP_JOIN}.loadHashTable"),
    Source("Hive 0.13 to 3.1", "org.apache.hadoop.hive.ql.exec.mr.HashTableLoader.load"),
)
def hive_map_join_does_not_fit(evidence: Evidence) -> Reading | None:
    """The heap of a map task ran out while it loaded the hash table of a map join.

    What it means
        Hive on MapReduce builds the hash table of the small tables in a local task, and every map
        task loads it before it joins a row. It was small enough for the local task, whose heap
        is that of the client, and is too large for the heap of a map task.

    What it does not prove
        That the table is too large by itself: the sort buffer and other operators share the heap.

    What to change
        `hive.auto.convert.join=false` for this query, which joins in reducers;
        `hive.mapjoin.smalltable.filesize` or `hive.auto.convert.join.noconditionaltask.size`
        smaller. A larger `-Xmx` in `mapreduce.map.java.opts` where the table does not grow.

    What would tell more
        The local task's output: its last `Processing rows` line says how much the table took.
    """
    loads = stands_on_stack(evidence, _MAP_JOIN, "loadHashTable", "generateMapMetaData")
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence) or not loads:
        return None
    if evidence.death.program is not None:
        return None  # a task of Tez gets its table otherwise
    text = "The tables are joined in reducers, without a hash table in the heap of a map task."
    return Reading(
        "The heap ran out while the map task loaded the hash table of a map join, which Hive had "
        "built in a local task: each map task loads it before it joins a row. With "
        f"{_JOINS}=false the tables are joined in reducers.",
        "suggests",
        "the local task's output says by its last Processing rows line how much the table took.",
        (SaidSetting(_JOINS, setting_of(evidence, _JOINS), "false", text),),
    )


_SHARE: Final = "hive.map.aggr.hash.percentmemory"
_SHARE_DEFAULT: Final = 0.5  # HiveConf.HIVEMAPAGGRHASHMEMORY
_SET_TO: Final = re.compile(r"percentmemory is set to (0?\.\d{1,9})")
_DECIMAL: Final = re.compile(r"[01]?\.?\d{1,9}")


@message(
    "Hive's aggregation in the mappers ran out of heap",
    Source(
        "Hive 0.7 to 3.1",
        "org.apache.hadoop.hive.ql.exec.errors.MapAggrMemErrorHeuristic",
        "Out of memory due to hash maps used in map-side aggregation.",
    ),
)
def hive_map_aggregation(evidence: Evidence) -> Reading | None:
    """Hive found an OutOfMemoryError in the log of a task whose query has a GROUP BY.

    What it means
        Hive read the failed task's log and found an OutOfMemoryError, and the query aggregates in
        its mappers (`hive.map.aggr`): it keeps a hash table of the groups, which is flushed at
        `hive.map.aggr.hash.percentmemory` (0.5) of the heap.

    What it does not prove
        That the hash table filled the heap: Hive guesses it from the GROUP BY alone.

    What to change
        `hive.map.aggr.hash.percentmemory` to half of its value, or `hive.map.aggr=false`, which
        costs time in the shuffle and takes no such memory.

    What would tell more
        The stack in the task's syslog: `GroupByOperator.processHashAggr` is of that table.
    """
    if "hash maps used in map-side aggregation" not in evidence.death.evidence:
        return None
    told = _SET_TO.search(evidence.death.evidence)
    old = told[1] if told is not None else setting_of(evidence, _SHARE)
    share = float(old) if old is not None and _DECIMAL.fullmatch(old) else _SHARE_DEFAULT
    text = (
        f"First aid: half of {share:g}, at which the table of groups is flushed. "
        "hive.map.aggr=false takes it away."
    )
    return Reading(
        "Hive found an OutOfMemoryError in the log of the task, and takes the hash table by which "
        f"its mappers aggregate ({_SHARE}) for the reason: that is a guess from the query, which "
        "has a GROUP BY.",
        "suggests",
        "the stack is in the task's syslog: GroupByOperator.processHashAggr in it is of that "
        "table.",
        (SaidSetting(_SHARE, old, f"{HALF_OF_A_SHARE * share:g}", text, first_aid=True),),
    )


@message(
    "The process was no map or reduce task",
    Source(
        "Spark 1.2 to 3.5",
        "org.apache.spark.deploy.yarn.YarnAllocator",
        "Container killed by YARN for exceeding memory limits. ",
    ),
    Source(
        "Tez 0.5 to 0.10",
        "org.apache.tez.dag.app.dag.impl.VertexImpl",
        "Vertex failed, vertexName=",
    ),
    Source(
        "Flink 1.5 to 1.20",
        "org.apache.flink.yarn.YarnResourceManagerDriver",
        "org.apache.flink.",
    ),
)
def of_other_program(evidence: Evidence) -> Reading | None:
    """A process of another engine, or an application master, ran out of memory.

    What it means
        YARN and the JVM say the same of every process. The words around it are of an executor or
        the driver of Spark, a task or the master of Tez, a process of Flink, or the application
        master of MapReduce. The properties of map and reduce tasks (`mapreduce.map.memory.mb`,
        `mapreduce.map.java.opts`) do not reach it.

    What it does not prove
        What filled it: neither the message nor the stack says that.

    What to change
        The property that the sentence names, once it is known what fills it: the heap for an
        OutOfMemoryError; what the container has beside the heap where YARN killed it although the
        heap was not full.

    What would tell more
        A heap dump at the death: `-XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=DIR` in the
        options that the sentence names, then `mprof heap FILE`. `mprof run` runs jobs of MapReduce.
    """
    death = evidence.death
    program = death.program
    if program is None or program.id in (_LOCAL, _RUNNER) or death.kind not in MEMORY_KINDS:
        return None
    if death.kind == "container-virtual" or is_of_a_pod(evidence):
        return None  # which no property of a job sets, or which is said of the pod
    was = "It ran in" if program.id == _UBER else "It was no map or reduce task but"
    what = f"{was} {program.one}"
    if death.kind == "container-physical" and program.container:
        return _of_container(evidence, program, what)
    if death.kind in _BESIDE_THE_HEAP:
        is_cache = death.kind == "direct" and any(
            one.class_name.startswith(_BUCKET_CACHE) for one in death.stack
        )
        return Reading(
            f"{what}. {_beside_the_heap(death, program)}"
            f"{_of_direct(evidence)}{_OF_BUCKET_CACHE if is_cache else ''}",
            "proves",
            _SIZE_OF_BUCKET_CACHE if is_cache else _look_beside(death),
        )
    container = f", its container by {program.container}" if program.container else ""
    own = code_that_asked(evidence)
    asked = (
        f" The code that asked for the last of it is {own}, which need not have filled it."
        if own
        else ""
    )
    if not heap_is_unseen(evidence) or evidence.program is not None:
        return Reading(
            f"{what}: its heap is set by {program.heap}{container}.",
            "suggests",
            "mprof heap FILE names every holder in the dump, its thread and its frame.",
        )
    return Reading(
        f"{what}: its heap is set by {program.heap}{_had(evidence)}{container}. What filled it is "
        f"not said.{asked}",
        "proves",
        f"-XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=DIR in {program.options} makes a heap "
        "dump, which mprof heap reads.",
    )


def _had(evidence: Evidence) -> str:
    """What sets the heap, in brackets; empty where that is not at hand."""
    had = heap_setting_of_program(evidence)
    return f" ({had[0]}={had[1]})" if had is not None else ""


def _beside_the_heap(death: Death, program: Program) -> str:
    """What was short, and what sets it; Flink makes the options of its JVMs itself."""
    if death.kind == "metaspace" and program.id == "flink":
        return (
            "The space for its classes was full: taskmanager.memory.jvm-metaspace.size "
            "(jobmanager.memory.jvm-metaspace.size) sets it, from which Flink makes "
            "-XX:MaxMetaspaceSize. The heap was not short."
        )
    return _BESIDE_THE_HEAP[death.kind].format(options=program.options)


def _look_beside(death: Death) -> str:
    if death.kind == "metaspace" and "PermGen" in death.evidence:  # up to JDK 7
        return "jmap -permstat PID shows which loaders have how many classes."
    return _LOOK_BESIDE[death.kind]


_BUCKET_CACHE: Final = "org.apache.hadoop.hbase.io.hfile.bucket."
_OF_BUCKET_CACHE: Final = (
    " It was HBase's bucket cache that asked for them: one off the heap is allocated whole at the "
    "start."
)
_SIZE_OF_BUCKET_CACHE: Final = (
    "compare hbase.bucketcache.size of hbase-site.xml (in MB) with -XX:MaxDirectMemorySize: the "
    "limit has to be larger than the cache, since other buffers count as well. Raise the limit, or "
    "make the cache smaller."
)
_COUNTED: Final = re.compile(r"\(used: \d{1,18}, max: (\d{1,18})\)")


def _of_direct(evidence: Evidence) -> str:
    """What else is known of direct buffers: the limit as Netty says it, and who fetched."""
    death = evidence.death
    if death.kind != "direct":
        return ""
    found = _COUNTED.search(death.message or "")
    limit = f" The limit was {format_bytes(int(found[1]))}." if found is not None else ""
    fetches = any(
        one.class_name.startswith("org.apache.spark.") and "Fetch" in one.class_name
        for one in (*death.stack, *death.callers)
    )
    less = (
        " It fetched blocks of a shuffle: a smaller spark.reducer.maxSizeInFlight or "
        "spark.maxRemoteBlockSizeFetchToMem keeps less of them there at once."
        if fetches
        else ""
    )
    return f"{limit}{less}"


def _more_room(program: Program) -> str:
    """What gives the process more memory beside its heap."""
    of_spark = program.id.startswith("spark-")
    return "a larger memoryOverhead" if of_spark else "a larger container with the same heap"


_OVERHEAD: Final = "spark.executor.memoryOverhead"
_OVERHEAD_1: Final = "spark.yarn.executor.memoryOverhead"  # before 2.3
_OVERHEAD_LEAST_MB: Final = 384  # org.apache.spark.deploy.yarn.YarnSparkHadoopUtil
_OVERHEAD_SHARE: Final = 0.1


def _overhead(evidence: Evidence, heap: int) -> tuple[SaidSetting, ...]:
    """What an executor has beside its heap, twice; under the name that the text has."""
    program = evidence.death.program
    if program is None or program.id != "spark-executor":
        return ()
    name = next((one for one in (_OVERHEAD, _OVERHEAD_1) if setting_of(evidence, one)), None)
    old = setting_of(evidence, name) if name is not None else None
    size = re.fullmatch(r"(\d{1,9})([kKmMgGtT]?)[bB]?", old or "")
    least = max(_OVERHEAD_LEAST_MB, int(_OVERHEAD_SHARE * heap / MIB))
    has = parse_jvm_size(f"{size[1]}{size[2] or 'm'}") // MIB if size is not None else least
    whose = "" if size is not None else ", which is what Spark gives where nothing is set"
    is_old = name is None and _OVERHEAD_1 in evidence.death.evidence
    new = str(int(TIMES_A_LIMIT.value * has))
    called = name or (_OVERHEAD_1 if is_old else _OVERHEAD)
    text = f"First aid: {called}={new} (MB), twice {has} MB{whose}; the container grows with it."
    return (SaidSetting(called, old, new, text, first_aid=True),)


_TEZ_ROOM: Final = "hive.tez.container.size"
_TEZ_OPTIONS: Final = "hive.tez.java.opts"


def _twice_the_container(evidence: Evidence, limit: int | None) -> tuple[SaidSetting, ...]:
    """First aid for a task of Tez that Hive asked for, where nothing says what took the memory."""
    program = evidence.death.program
    if program is None or program.id != "tez-task" or limit is None:
        return ()
    old_mb = limit // MIB
    new = str(int(TIMES_A_LIMIT.value * old_mb))
    options = setting_of(evidence, _TEZ_OPTIONS)
    kept = "as it is" if options is not None else f"{int(HEAP_OF_CONTAINER * old_mb)} MB or less"
    text = f"First aid in Hive: {_TEZ_ROOM}={new}, with -Xmx in hive.tez.java.opts {kept}."
    return (SaidSetting(_TEZ_ROOM, str(old_mb), new, text, first_aid=True),)


def _of_container(evidence: Evidence, program: Program, what: str) -> Reading:
    """Of a container of another engine that was killed for physical memory."""
    facts = evidence.container
    end = evidence.death.container
    heap = end.task_heap_bytes if end is not None else None
    limit = facts.limit_bytes if facts is not None else None
    had = heap_setting_of_program(evidence)
    if heap is None and had is not None and limit is not None and had[2] <= limit:
        heap = had[2]
    sized = f"{what}: its container is set by {program.container}, its heap by {program.heap}."
    if heap is None or limit is None:
        used = evidence.death.container_used_bytes
        much = f" It took {format_bytes(used)} of {format_bytes(limit)}." if used and limit else ""
        return Reading(
            f"{sized}{much} Which of its memory was too much, the heap or what is beside it, is "
            f"not said; first aid is {_more_room(program)}.",
            "suggests",
            "the NodeManager's log lists the processes at the kill (Dump of the process-tree).",
            _twice_the_container(evidence, limit),
        )
    share = f"-Xmx{heap // MIB}m is {format_ratio(heap / limit)} of its {format_bytes(limit)}"
    if heap < HEAP_TOO_LARGE.value * limit:
        return Reading(
            f"{sized} {share}: what is beside the heap, in the JVM or in child processes, took "
            f"more than that leaves. First aid is {_more_room(program)}.",
            "suggests",
            settings=_overhead(evidence, heap) or _twice_the_container(evidence, limit),
        )
    left = f"only {format_bytes(limit - heap)} are left" if heap < limit else "nothing is left"
    return Reading(
        f"{sized} {share}: {left} for the JVM's classes, code, threads and buffers, which is too "
        f"little. A heap of {format_ratio(HEAP_OF_CONTAINER)} of the container leaves room, or a "
        "larger container with the same heap. Whether the heap was full is not known.",
        "suggests",
        settings=_overhead(evidence, heap) or _smaller_heap(evidence, limit),
    )


def _smaller_heap(evidence: Evidence, limit: int) -> tuple[SaidSetting, ...]:
    """The heap of a task of Tez that Hive asked for, with room beside it in its container."""
    program = evidence.death.program
    if program is None or program.id != "tez-task":
        return ()
    xmx, old = f"-Xmx{int(HEAP_OF_CONTAINER * limit / MIB)}m", setting_of(evidence, _TEZ_OPTIONS)
    new = re.sub(r"-Xmx\w+", xmx, old) if old is not None and "-Xmx" in old else xmx
    text = f"{format_ratio(HEAP_OF_CONTAINER)} of the container; its other options stay."
    return (SaidSetting(_TEZ_OPTIONS, old, new, text),)


@message(
    "The whole job ran in one JVM",
    Source(
        "1.2 to 3.5",
        "org.apache.hadoop.mapred.LocalJobRunner$Job.run",
        "job_localN_N",
    ),
)
def local_job_runner(evidence: Evidence) -> Reading | None:
    """The whole job ran in the JVM that submitted it, and that ran out of memory.

    What it means
        Where `mapreduce.framework.name` is `local`, which is the default (Hadoop 1:
        `mapred.job.tracker=local`), or where the configuration of the cluster was not found,
        `LocalJobRunner` runs every map and reduce task as a thread of the submitting JVM. They
        share one heap, as many at once as `mapreduce.local.map.tasks.maximum` allows (1).

    What it does not prove
        That the job needs more memory: on a cluster each of its tasks has a heap of its own.

    What to change
        `mapreduce.framework.name=yarn`, or the folder of the cluster's configuration
        (`HADOOP_CONF_DIR`). Where it is meant to run locally: `export HADOOP_CLIENT_OPTS=-Xmx4g`
        before `hadoop jar`, or `-Xmx` of the program. `mapreduce.{map,reduce}.java.opts` and
        `memory.mb` reach nothing here.

    What would tell more
        A heap dump: `-XX:+HeapDumpOnOutOfMemoryError` in the same options, then `mprof heap FILE`.
    """
    program, death = evidence.death.program, evidence.death
    if program is None or program.id != _RUNNER or death.kind not in MEMORY_KINDS:
        return None
    return Reading(
        "The whole job ran in the JVM that submitted it (LocalJobRunner), its tasks as threads in "
        f"one heap, which is set by {program.heap}. mapreduce.map.java.opts, "
        "mapreduce.reduce.java.opts and memory.mb reach nothing here; with "
        "mapreduce.framework.name=yarn each task has a heap of its own.",
        "proves",
        "-XX:+HeapDumpOnOutOfMemoryError in the same options makes a heap dump, which mprof heap "
        "reads.",
    )


MESSAGES = (
    hive_local_task,
    hive_local_task_failed,
    hive_map_join_does_not_fit,
    hive_map_aggregation,
    local_job_runner,
    of_other_program,
)
