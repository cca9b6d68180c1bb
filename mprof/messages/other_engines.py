"""Processes of Tez, Spark, Flink and a local runner, which the properties of tasks do not reach."""

from __future__ import annotations

from typing import Final

from mprof.engines import Program
from mprof.evidence import HEAP_KINDS, Evidence, Kind
from mprof.messages.client_sizes import larger_heap_of_a_client
from mprof.messages.message import Proof, Reading, Source, message
from mprof.messages.native_memory import of_a_limit
from mprof.messages.said import (
    code_that_asked,
    heap_is_unseen,
    heap_setting_of_program,
    is_in_local_job,
    is_of_a_pod,
    other_processes,
    site_in_words,
    stands_on_stack,
    top_frame,
)
from mprof.messages.spark_direct import direct_buffers_of_spark
from mprof.messages.spark_heap import heap_of_spark_in_words, larger_heap_of_spark
from mprof.messages.spark_memory import (
    container_in_words,
    heap_by_default,
    is_of_another_run,
    more_overhead,
)
from mprof.messages.tez_heap import larger_heap_of_tez, smaller_heap, twice_the_container
from mprof.messages.thresholds import (
    HEAP_OF_CONTAINER,
    HEAP_TOO_LARGE,
)
from mprof.trace import MEMORY_KINDS, Death
from mprof.units import GIB, MIB, format_bytes, format_ratio

__all__ = ["MESSAGES"]

_LOCAL: Final = "hive-local-task"
_UBER: Final = "mapreduce-uber"
_COMMAND: Final = "command"
_SPARK: Final = "spark"
_BESIDE_THE_HEAP: Final[dict[Kind, str]] = {
    "direct": "Its direct buffers, which lie outside the heap, reached their limit: "
    "-XX:MaxDirectMemorySize in {options}, or as much as its -Xmx where that is not set.",
    "metaspace": "The space for its classes was full: -XX:MaxMetaspaceSize (up to JDK 7 "
    "-XX:MaxPermSize) in {options} sets it. The heap was not short.",
    "threads": "The operating system refused it another thread: a limit of processes and threads "
    "was met, or it had no memory for the thread's stack. The limit is that of the user that runs "
    "it (nproc in /etc/security/limits.d; of a service of systemd TasksMax), and a higher one "
    "counts when it is started again. A larger -Xmx does not help.",
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
    if program is None or program.id == _LOCAL or is_in_local_job(evidence):
        return None
    if death.kind not in MEMORY_KINDS:
        return None
    if death.kind == "container-virtual" or is_of_a_pod(evidence):
        return None  # which no property of a job sets, or which is said of the pod
    was = "It ran in" if program.id == _UBER else "It was no map or reduce task but"
    what = f"{was} {program.one}"
    proof = _proof_of(program, death)
    if death.kind == "container-physical" and program.container:
        return _of_container(evidence, program, what)
    if death.kind in _BESIDE_THE_HEAP:
        is_cache = death.kind == "direct" and any(
            one.class_name.startswith(_BUCKET_CACHE) for one in death.stack
        )
        of_direct, settings = direct_buffers_of_spark(evidence)
        return Reading(
            f"{what}. {_beside_the_heap(death, program)}{_thread_asked_for(evidence)}"
            f"{of_direct}{_OF_BUCKET_CACHE if is_cache else ''}{_of_a_task_before(evidence)}",
            proof,
            _SIZE_OF_BUCKET_CACHE if is_cache else _look_beside(death),
            settings,
        )
    sizes = program.container
    if program.id == "spark-executor":  # of a driver, what ran out need not be in a container
        sizes = container_in_words(evidence, program)
    container = f", its container by {sizes}" if sizes else ""
    own = code_that_asked(evidence)
    asked = (
        f" The code that asked for the last of it is {own}, which need not have filled it."
        if own
        else ""
    )
    unsaid = "" if death.stack or death.needs.broadcast else " mprof cannot tell what filled it."
    room = larger_heap_of_tez(evidence)
    larger = _larger_task_of_tez(evidence, program, has_values=bool(room))
    if not heap_is_unseen(evidence) or evidence.program is not None:
        return Reading(
            f"{what}: its heap is set by {program.heap}{container}.",
            "suggests",
            "mprof heap FILE names every holder in the dump, its thread and its frame.",
        )
    return Reading(
        f"{what}: its heap is set by {program.heap}{heap_of_spark_in_words(evidence)}{container}."
        f"{unsaid}{asked}{larger}",
        proof,
        f"-XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=DIR in {program.options} makes a heap "
        "dump, which mprof heap reads.",
        room or larger_heap_of_spark(evidence) or larger_heap_of_a_client(evidence),
    )


def _proof_of(program: Program, death: Death) -> Proof:
    """Whether more than a sentence, settings or a main thread says whose process it was."""
    by_settings = program.id == _SPARK and not death.stack
    is_said = program.is_said or bool(death.said)
    return "suggests" if is_said or by_settings or program.id == _COMMAND else "proves"


def _thread_asked_for(evidence: Evidence) -> str:
    """Which code started the thread that was refused, where frames tell."""
    top = top_frame(evidence) if evidence.death.kind == "threads" else None
    if top is None:
        return ""
    asked = f"{of_a_limit(evidence)} The one that was refused is started by {site_in_words(top)}"
    if top.class_name.startswith("org.apache.hadoop."):
        return f"{asked}."
    return (
        f"{asked}: threads that end only with a client or a pool that nobody closes add up until "
        "the limit is met, and a higher one only puts that off."
    )


def _larger_task_of_tez(evidence: Evidence, program: Program, *, has_values: bool) -> str:
    """Which way the sizes of a task of Tez go that ran out of heap, and what may fill it.

    ``org.apache.hadoop.hive.ql.exec.tez.DagUtils``: hive.tez.java.opts has to follow the size of
    the container. ``org.apache.hadoop.hive.ql.optimizer.ConvertJoinMapJoin`` chooses map joins.
    """
    if program.id != "tez-task" or evidence.death.kind not in HEAP_KINDS or evidence.death.stack:
        return ""  # of a stack, what is said of its frames goes first
    larger = (
        ""
        if has_values
        else " A larger hive.tez.container.size, with -Xmx at "
        f"{format_ratio(HEAP_OF_CONTAINER)} of it, is first aid."
    )
    return (
        f"{larger} Where EXPLAIN of the query has a Map Join Operator, a smaller "
        "hive.auto.convert.join.noconditionaltask.size leaves its tables out of the heap."
    )


_TASKTRACKER: Final = "org.apache.hadoop.mapred.TaskTracker"


def _of_a_task_before(evidence: Evidence) -> str:
    """That a task had reported an error of its own, where the TaskTracker failed as it took it in.

    ``TaskTracker.fatalError`` of Hadoop 1, which ``Child.main`` calls with what a task met.
    """
    if not stands_on_stack(evidence, _TASKTRACKER, "fatalError"):
        return ""
    return (
        " It failed as it took in the fatal error that a task had reported "
        "(TaskTracker.fatalError): what the task had met stands in its own log, below "
        "logs/userlogs on that node."
    )


def _beside_the_heap(death: Death, program: Program) -> str:
    """What was short, and what sets it; Flink makes the options of its JVMs itself."""
    if death.kind == "metaspace" and program.id == "flink":
        return (
            "The space for its classes was full: taskmanager.memory.jvm-metaspace.size "
            "(jobmanager.memory.jvm-metaspace.size) sets it, from which Flink makes "
            "-XX:MaxMetaspaceSize. The heap was not short. Where it comes after some submissions "
            "to the same cluster, the classes of earlier jobs are kept there, as by a thread or "
            "a JDBC driver that their jar brought: a larger size then only postpones it, and "
            "such a library belongs in lib/ of Flink instead of the jar."
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


def _of_limit(used: int, limit: int) -> str:
    """``14.9 GB of 14.5 GB``: with a decimal, as YARN prints them."""
    if limit < GIB:
        return f"{format_bytes(used)} of {format_bytes(limit)}"
    most = f"{limit / GIB:.1f}".removesuffix(".0")
    return f"{used / GIB:.1f} GB of {most} GB"


def _more_room(program: Program) -> str:
    """What gives the process more memory beside its heap."""
    of_spark = program.id.startswith("spark-")
    return "a larger memoryOverhead" if of_spark else "a larger container with the same heap"


def _of_container(evidence: Evidence, program: Program, what: str) -> Reading:
    """Of a container of another engine that was killed for physical memory."""
    facts = evidence.container
    end = evidence.death.container
    heap = end.task_heap_bytes if end is not None else None
    limit = facts.limit_bytes if facts is not None else None
    had = heap_setting_of_program(evidence)
    if heap is None and had is not None and limit is not None:
        heap = had[2]
    if heap is not None and limit is not None and is_of_another_run(evidence, heap, limit):
        heap = None
    container = container_in_words(evidence, program)
    sized = f"{what}: its container is set by {container}, its heap by {program.heap}."
    if heap is None or limit is None:
        used = evidence.death.container_used_bytes
        much = f" It took {_of_limit(used, limit)}." if used and limit else ""
        usual = heap_by_default(evidence, limit) if limit is not None else None
        if usual is not None and limit is not None:
            much += (
                f" That size is a heap of {format_bytes(usual)} and the tenth of it, "
                f"{format_bytes(limit - usual)}, that Spark asks for beside it where no overhead "
                "is set."
            )
        return Reading(
            f"{sized}{much} mprof cannot tell which of its memory was too much, the "
            f"heap or what is beside it; first aid is {_more_room(program)}.",
            "suggests",
            "the NodeManager's log lists the processes at the kill (Dump of the process-tree).",
            (more_overhead(evidence, usual, limit) if usual is not None and limit else ())
            or twice_the_container(evidence, limit),
        )
    share = f"-Xmx{heap // MIB}m is {format_ratio(heap / limit)} of its {format_bytes(limit)}"
    if heap < HEAP_TOO_LARGE.value * limit:
        return Reading(
            f"{sized} {share}: what is beside the heap, in the JVM or in child processes, took "
            f"more than that leaves. First aid is {_more_room(program)}.",
            "suggests",
            settings=more_overhead(evidence, heap, limit) or twice_the_container(evidence, limit),
        )
    left = f"only {format_bytes(limit - heap)} are left" if heap < limit else "nothing is left"
    if heap > limit and program.id.startswith("spark-"):  # which asks for both together
        return Reading(
            f"{sized} {had[0] if had else '-Xmx'}={had[1] if had else ''} is more than its "
            f"{format_bytes(limit)}: another value was in force, since Spark asks for a container "
            "that holds its heap.",
            "suggests",
            "the page of the environment (Spark UI) has what was in force.",
        )
    taken, which = other_processes(evidence)
    also = (
        f" and for its other processes, which took {format_bytes(taken)} ({which})" if taken else ""
    )
    ways = (
        " First aid is a larger memoryOverhead."  # Spark asks for heap and overhead together
        if program.id.startswith("spark-")
        else f" A heap of {format_ratio(HEAP_OF_CONTAINER)} of the container leaves room, or a "
        "larger container with the same heap."
    )
    return Reading(
        f"{sized} {share}: {left} for the JVM's classes, code, threads and buffers{also}, which is "
        f"too little.{ways} Whether the heap was full is not known.",
        "suggests",
        settings=more_overhead(evidence, heap, limit) or smaller_heap(evidence, limit),
    )


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
    if program is None or not is_in_local_job(evidence) or death.kind not in MEMORY_KINDS:
        return None
    own = code_that_asked(evidence)
    asked = (
        f" The code that asked for the last of it is {own}: look first at what is kept there for "
        "all values of a key, or for all records."
        if own
        else ""
    )
    return Reading(
        "The whole job ran in the JVM that submitted it (LocalJobRunner), its tasks as threads in "
        f"one heap, which is set by {program.heap}. mapreduce.map.java.opts, "
        "mapreduce.reduce.java.opts and memory.mb reach nothing here; with "
        f"mapreduce.framework.name=yarn each task has a heap of its own.{asked}",
        "proves",
        "-XX:+HeapDumpOnOutOfMemoryError in the same options makes a heap dump, which mprof heap "
        "reads.",
    )


MESSAGES = (
    local_job_runner,
    of_other_program,
)
