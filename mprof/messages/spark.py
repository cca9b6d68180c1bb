"""What Spark says where it refuses to go on before memory runs out, or where it had run out."""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.ends import KnownEnd, SaidOfEnd, message_of
from mprof.messages.message import Reading, SaidSetting, Source, message
from mprof.messages.said import (
    heap_is_unseen,
    is_of_a_pod,
    other_processes,
    setting_of,
    stands_on_stack,
)
from mprof.messages.spark_memory import more_overhead_in_a_pod
from mprof.messages.thresholds import TIMES_A_LIMIT, UNEVEN
from mprof.units import GIB, KIB, MIB, format_bytes

__all__ = ["LIMITS", "LOST", "MESSAGES"]


_UNITS: Final = {"K": KIB, "M": MIB, "G": GIB}


def _results(found: re.Match[str], _text: str) -> SaidOfEnd:
    tasks = int(found[1])
    number, unit = found[2].split()
    size = float(number) * _UNITS.get(unit[0], 1)  # 1025.4 MB, 2.0 GiB
    each = f", {format_bytes(size / tasks)} of each" if tasks else ""
    return SaidOfEnd(
        f"The results that {tasks} tasks sent to the driver came to {found[2]}{each}, and Spark "
        f"takes {found[3]} at most (spark.driver.maxResultSize), so it ended the job: no memory "
        "had run out. Every task of an action sends one: the rows that collect, toPandas or a "
        "broadcast asks for, or what a task that writes reports of its files. Fewer rows "
        "collected, or fewer tasks where each sends little, make the sum smaller. A higher limit "
        "needs as much more spark.driver.memory."
    )


def _kryo(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "One object did not fit into the buffer in which Kryo serialises "
        "(spark.kryoserializer.buffer.max, 64m by default, 2047m at most): no memory had run out."
    )


_LARGEST_FRAME: Final = 1 << 40


def _block(found: re.Match[str], _text: str) -> SaidOfEnd:
    size = int(found["frame"] or 0)
    if size >= _LARGEST_FRAME:
        of_http = " (this number is what HTTP/1.1 gives)" if size == _OF_HTTP else ""
        return SaidOfEnd(
            "What was read as the length of a frame of Spark's is none"
            f"{of_http}: the two sides do not speak the same protocol. The port that was called is "
            "of another service, or one side alone has encryption or authentication switched on. "
            "No memory had run out.",
            "compare the host and port in the message with what listens there, and "
            "spark.authenticate, spark.network.crypto.enabled and spark.ssl.enabled on both sides.",
        )
    if size:
        return SaidOfEnd(
            f"A block of {format_bytes(size)} was fetched as one frame, and Spark reads 2 GB at "
            "most so: no memory had run out. More partitions (repartition, "
            "spark.sql.shuffle.partitions) make each block smaller; a single key that has most of "
            "the rows stays in one. From 2.3 on spark.maxRemoteBlockSizeFetchToMem=200m fetches "
            "larger blocks to disk.",
        )
    return SaidOfEnd(
        "A block of more than 2 GB was read, and Spark keeps a block in one array: no memory had "
        "run out. More partitions (repartition, spark.sql.shuffle.partitions) make each smaller."
    )


_OF_HTTP: Final = int.from_bytes(b"HTTP/1.1") - 8  # a frame has its length in its first 8 bytes


def _broadcast_time(found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        f"A table that is broadcast was not ready after {found[1]} s (spark.sql.broadcastTimeout): "
        "no memory had run out. spark.sql.autoBroadcastJoinThreshold=-1 joins it in the shuffle."
    )


def _no_executors(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "Spark's driver is waiting: no executor has taken a task yet. Either no worker has the "
        "memory and cores free that one executor asks for (spark.executor.memory, "
        "spark.executor.cores), or executors cannot reach the driver, or they end as they start. "
        "The words about sufficient memory are fixed text and do not show that memory ran out."
    )


def _evicted(found: re.Match[str], _text: str) -> SaidOfEnd:
    if found[1] != "memory":
        return SaidOfEnd(
            f"Kubernetes took the pod away because its node was short of {found[1]}, not of "
            "memory: a larger heap or memory limit does not help.",
            f"kubectl describe node NODE shows its conditions and what uses its {found[1]}; a "
            "request of the pod for it reserves some.",
        )
    return SaidOfEnd(
        "Kubernetes took the pod away because its node was short of memory: no limit of the pod "
        "was met, and pods go first that take more than they asked for "
        "(resources.requests.memory)."
    )


def _lost(found: re.Match[str], _text: str) -> SaidOfEnd:
    if "heartbeat" in found[0]:
        return SaidOfEnd(
            "The driver had not heard of an executor for too long (spark.network.timeout). That "
            "is what the driver saw, not why: long collections in a full heap do this, and so do "
            "a lost node and a killed container."
        )
    if found[0] == "worker lost":
        return SaidOfEnd(
            "The Master of a standalone cluster had lost a worker, and its executors with it: for "
            "spark.worker.timeout (60 s) it had heard nothing of it, or the connection had ended. "
            "That is what the Master saw, not why: a machine that is short of memory does this, "
            "and so do a worker that ended, one that could not be reached, and a Master or a "
            "network that stood still, above all where several are lost in the same moment.",
            "the logs of the Worker on that machine and of the Master (logs/ of Spark's folder), "
            "the executor's stderr (work/APPLICATION/N/stderr there), and dmesg -T of the machine.",
        )
    return SaidOfEnd(
        "The driver lost its connection to an executor. That is what the driver saw, not why: an "
        "executor that YARN or the kernel killed for its memory looks like this, and so do one "
        "whose process crashed in native code, one that was taken away and a network that failed."
    )


LOST: Final = re.compile(
    r"(?i:remote (?:rpc|akka) client disassociated)|Executor heartbeat timed out after|"
    r"(?:[Ww]orker|[Ss]lave) lost\b|Executor lost for unknown reasons"
)
"""What the driver says of an executor that it does not reach any more."""
_CONTEXT: Final = "org.apache.spark.scheduler.TaskSetManager"
LIMITS: Final = (
    KnownEnd(
        id="spark_results_too_large",
        title="The results for Spark's driver are larger than its limit",
        words=(
            r"Total size of serialized results of (\d+) tasks \((\d+(?:\.\d+)? \w+)\) is bigger "
            r"than "
            r"(?:local result size limit )?spark\.driver\.maxResultSize:? \(?([\d.]+ \w+)"
        ),
        says=_results,
        first="The results that tasks sent to the driver are larger than Spark allows.",
        means=(
            "The driver keeps the result of every task of an action in its heap. Spark adds up "
            "their sizes and ends the job above `spark.driver.maxResultSize` (1g), so that the "
            "driver does not run out of memory."
        ),
        not_proven="That the driver would have run out: the limit is a guess made before.",
        change=(
            "What collects: `collect`, `toPandas`, `take` of many rows, or a broadcast of a large "
            "table. Write the rows out. Where they are wanted, `spark.driver.maxResultSize` and "
            "`spark.driver.memory` together."
        ),
        more="The action stands in the stack, behind `at ...`, or on the page of the stages.",
        next_step="the page of the job (Spark UI) names its action (collect at FILE:LINE) and the "
        "number of its tasks.",
        sources=(
            Source("Spark 1.2 to 3.5", f"{_CONTEXT}.canFetchMoreResults",
                   "Total size of serialized results of N tasks (N) is bigger than "
                   "spark.driver.maxResultSize (N)"),
        ),
    ),
    KnownEnd(
        id="spark_kryo_buffer",
        title="An object does not fit into Kryo's buffer",
        words=r"Kryo serialization failed: Buffer overflow",
        says=_kryo,
        first="One object is larger than the buffer in which Kryo serialises.",
        means=(
            "Kryo writes an object into a buffer of at most `spark.kryoserializer.buffer.max` "
            "(64m). A larger one ends the task, whatever the heap holds."
        ),
        not_proven="Anything about the heap.",
        change="`spark.kryoserializer.buffer.max`, up to 2047m; or smaller objects.",
        more="The class stands in the stack below `KryoSerializerInstance.serialize`.",
        next_step="find the class in the stack below KryoSerializerInstance.serialize.",
        sources=(
            Source("Spark 1.4 to 3.5", "org.apache.spark.serializer.KryoSerializerInstance",
                   "Kryo serialization failed: Buffer overflow"),
        ),
    ),
    KnownEnd(
        id="spark_block_too_large",
        title="A block of Spark's is larger than 2 GB",
        words=(
            r"IllegalArgumentException: (?:Size exceeds Integer\.MAX_VALUE|"
            r"Too large frame: (?P<frame>\d{1,19}))"
        ),
        engine=r"\borg\.apache\.spark\.|\b(?:executor|driver|process) of Spark|\bin stage \d",
        says=_block,
        first="A block of more than 2 GB, which no array of the JVM holds.",
        means=(
            "A cached partition, or what a map task wrote for one reducer, is a block, and before "
            "Spark 2.4 a block was read as one array. A block that is fetched from another "
            "executor comes as one frame of at most as much. A length beyond all sizes (`Too "
            "large frame: 5211883372140375593` is `HTTP/1.1`) is none: another service answered."
        ),
        not_proven="That memory was short.",
        change="More partitions, so that each is smaller; or a newer Spark.",
        more="The page of the stages shows the sizes of its partitions.",
        next_step="the page of the stage shows how large its partitions are.",
        sources=(
            Source("JDK", "sun.nio.ch.FileChannelImpl.map", "Size exceeds Integer.MAX_VALUE"),
            Source("Spark 1.6 to 3.5", "org.apache.spark.network.util.TransportFrameDecoder",
                   "Too large frame: N"),
        ),
    ),
    KnownEnd(
        id="spark_no_executors",
        title="No executor takes the tasks of a job",
        words=r"Initial job has not accepted any resources",
        says=_no_executors,
        first="The driver of Spark waits: no executor has registered that takes a task.",
        means=(
            "The words about sufficient memory are always the same. A standalone Master gives no "
            "executor where no worker has the memory and cores free that one asks for, and none "
            "registers where executors cannot reach the driver, or end as they start; YARN has no "
            "room, or the queue has not."
        ),
        not_proven="That memory is short: nothing has run yet.",
        change=(
            "`spark.executor.memory` and `spark.executor.cores` that a worker has free; else the "
            "network between driver and workers, and the same version of Spark on both."
        ),
        more="The page of the Master (port 8080), or of the ResourceManager, lists what is free.",
        next_step="the page of the Master or the ResourceManager: are workers registered, and what "
        "have they free; then the log of an executor, where one was started.",
        sources=(
            Source("Spark 1.0 to 3.5", "org.apache.spark.scheduler.TaskSchedulerImpl",
                   "Initial job has not accepted any resources"),
        ),
    ),
    KnownEnd(
        id="spark_broadcast_timeout",
        title="A table to broadcast was not ready in time",
        words=r"Could not execute broadcast in (\d+) secs",
        says=_broadcast_time,
        first="A table that is broadcast was not ready in time.",
        means=(
            "The driver collects the table of a broadcast join, and gives up after "
            "`spark.sql.broadcastTimeout` (300 s)."
        ),
        not_proven="That memory was short; a driver whose heap is full is slow, too.",
        change=(
            "`spark.sql.autoBroadcastJoinThreshold=-1` or a smaller one; fresh statistics of the "
            "table; else a longer time."
        ),
        more="The query's plan (`EXPLAIN`) shows which table is broadcast.",
        next_step="EXPLAIN shows which table is broadcast.",
        sources=(
            Source("Spark 2.0 to 3.5",
                   "org.apache.spark.sql.execution.exchange.BroadcastExchangeExec",
                   "Could not execute broadcast in N secs."),
        ),
    ),
    KnownEnd(
        id="pod_evicted",
        title="A node of Kubernetes was short of a resource",
        words=r"The node was low on resource: ([\w-]+)",
        says=_evicted,
        first="Kubernetes took a pod away because its node was short of memory or local storage.",
        means=(
            "The kubelet evicts pods of a node whose free memory or local storage is below a "
            "threshold, those first that take more than they asked for (`resources.requests`). No "
            "limit of the pod was met. The words name the resource."
        ),
        not_proven="That this pod took it: every process on the node counts.",
        change=(
            "Requests as large as the limits, so that the node is not promised twice; fewer pods "
            "on it; less memory or scratch space in the pod where it takes more than it asked for."
        ),
        more="`kubectl describe node NODE` shows what its pods asked for, and its conditions.",
        next_step="kubectl describe node NODE shows what its pods asked for, and what it has.",
        sources=(
            Source("Kubernetes", "kubelet, eviction manager", "The node was low on resource: "),
        ),
    ),
    KnownEnd(
        id="spark_executor_lost",
        title="The driver of Spark lost an executor",
        words=LOST.pattern,
        says=_lost,
        first="The driver lost an executor, and its words do not say why.",
        means=(
            "The driver sees that a connection ended or that no heartbeat came: its executor was "
            "killed, crashed in native code, was taken away, stands still, or cannot be reached. "
            "Why stands where the executor ran: in its own log, in the log of the NodeManager, or "
            "in what Kubernetes tells of the pod."
        ),
        not_proven="Anything about memory, in either direction.",
        change="Nothing, before the end of the executor is read.",
        more=(
            "`yarn logs -applicationId APPLICATION > logs.txt`, then `mprof diagnose logs.txt`; "
            "the NodeManager's log for `running beyond physical memory limits`; "
            "`hs_err_pid*.log` of a process that crashed; `kubectl describe pod POD`."
        ),
        next_step=(
            "read the executor's own end: yarn logs -applicationId APPLICATION > logs.txt, and "
            "mprof diagnose logs.txt."
        ),
        next_step_of_a_pod="read the executor's own end: kubectl describe pod POD (Last State).",
        next_step_of_one_jvm=(
            "the executor is a thread of the driver here: read the driver's log above this, and "
            "its collections (jstat -gcutil PID 1s)."
        ),
        sources=(
            Source("Spark 1.2 to 3.5", "org.apache.spark.scheduler.TaskSchedulerImpl",
                   "Remote RPC client disassociated. Likely due to containers exceeding "
                   "thresholds, or network issues."),
            Source("Spark 1.2 to 3.5", "org.apache.spark.HeartbeatReceiver",
                   "Executor heartbeat timed out after N ms"),
        ),
    ),
)  # fmt: skip
"""Of its driver and tasks; none of them says that memory had run out."""

_UNABLE: Final = re.compile(r"Unable to acquire (\d{1,15}) bytes of memory, got (\d{1,15})")


@message(
    "Spark's own account of memory refused a task more",
    Source(
        "Spark 1.6 to 3.5",
        "org.apache.spark.memory.MemoryConsumer.throwOom",
        "Unable to acquire N bytes of memory, got N",
    ),
)
def spark_execution_memory(evidence: Evidence) -> Reading | None:
    """Spark's own account of memory had no more for a sort, join or aggregation.

    What it means
        The tasks of an executor share what Spark sets aside for execution
        (`spark.memory.fraction`, 0.6 of the heap), each of them at most its part by the number of
        tasks that run at the same time (`spark.executor.cores`). An operator that could not spill
        what it held got no more. It is Spark's own `SparkOutOfMemoryError`, and the JVM's heap
        need not be full.

    What it does not prove
        That the executor is too small: one partition that is far larger than the others does the
        same.

    What to change
        More and smaller partitions (`spark.sql.shuffle.partitions`), fewer tasks at the same time
        (`spark.executor.cores`), a skewed key split; `spark.executor.memory` as first aid.

    What would tell more
        The page of the stage: the largest partition beside the median.
    """
    text = "\n".join((evidence.death.evidence, *evidence.death.chain))
    found = _UNABLE.search(text)
    if found is None:
        return None
    share = setting_of(evidence, _FRACTION) or ""
    is_small = _A_SHARE.fullmatch(share) is not None and float(share) < _USUAL_FRACTION
    less = (
        f" {_FRACTION}={share} gives them less than the usual {_USUAL_FRACTION}."
        if is_small
        else ""
    )
    text = "Spark's default since 2.0."
    settings: tuple[SaidSetting, ...] = ()
    if is_small:
        settings = (SaidSetting(_FRACTION, share, str(_USUAL_FRACTION), text),)
    elif any(one.class_name.startswith("org.apache.spark.sql.") for one in evidence.death.stack):
        settings = _more_partitions(evidence)
    program = evidence.death.program
    is_local = program is not None and program.id == "spark-local"
    at_once = "a smaller N in --master local[N]" if is_local else "spark.executor.cores"
    return Reading(
        f"Spark's own account of memory had no more for an operator of the task (asked for "
        f"{int(found[1]):,} bytes, got {int(found[2]):,}): the tasks of "
        f"{'the one JVM' if is_local else 'an executor'} share "
        "spark.memory.fraction of its heap. Smaller partitions (spark.sql.shuffle.partitions; for "
        f"RDDs, repartition()) or fewer tasks at once ({at_once}) leave each more.{less}",
        "proves",
        "the page of the stage shows whether one partition is far larger than the median.",
        settings,
    )


def _more_partitions(evidence: Evidence) -> tuple[SaidSetting, ...]:
    """First aid for a query: twice as many parts of a shuffle, each half as large."""
    had = setting_of(evidence, _PARTITIONS)
    count = int(had) if had is not None and had.isdecimal() else _USUAL_PARTITIONS
    if not 0 < count < _MOST_PARTITIONS:
        return ()
    by = f"{count} that are set" if had is not None else f"{count} that are the default"
    text = f"First aid: twice the {by}; a key with most of the rows stays in one part."
    new = str(int(TIMES_A_LIMIT.value * count))
    return (SaidSetting(_PARTITIONS, had, new, text, first_aid=True),)


_PARTITIONS: Final = "spark.sql.shuffle.partitions"
_USUAL_PARTITIONS: Final = 200  # org.apache.spark.sql.internal.SQLConf.SHUFFLE_PARTITIONS
_MOST_PARTITIONS: Final = 100_000


_FRACTION: Final = "spark.memory.fraction"
_USUAL_FRACTION: Final = 0.6  # org.apache.spark.internal.config.MEMORY_FRACTION, since 2.0
_A_SHARE: Final = re.compile(r"0?\.\d{1,9}")


_BROADCAST: Final = "org.apache.spark.sql.execution.exchange.BroadcastExchangeExec"


@message(
    "A table that Spark broadcasts did not fit",
    Source(
        "Spark 1.5 to 3.5",
        _BROADCAST,
        "Not enough memory to build and broadcast the table to all worker nodes.",
    ),
)
def spark_broadcast_does_not_fit(evidence: Evidence) -> Reading | None:
    """The table of a broadcast join did not fit into the driver's heap.

    What it means
        The driver collects the small table of a broadcast join and builds its hash table, before
        it sends it to the executors. The heap that ran out is the driver's. Spark chooses the table
        by its size on disk, which may be a tenth of what it takes in memory.

    What it does not prove
        That any executor lacked memory.

    What to change
        `spark.sql.autoBroadcastJoinThreshold=-1` (or no broadcast hint) for this query: it is then
        joined in the shuffle. Where the table is small, `spark.driver.memory`.

    What would tell more
        `EXPLAIN` of the query shows which table is broadcast.
    """
    said = "Not enough memory to build and broadcast the table" in evidence.death.evidence or any(
        "Not enough memory to build and broadcast" in one for one in evidence.death.chain
    )
    at = evidence.death.kind in HEAP_KINDS and stands_on_stack(evidence, _BROADCAST)
    if not (said or at) or not heap_is_unseen(evidence):
        return None
    return Reading(
        "A table to be broadcast did not fit into the heap of Spark's driver, which collects it "
        "and builds its hash table (spark.driver.memory). With "
        "spark.sql.autoBroadcastJoinThreshold=-1 it is joined in the shuffle instead, unless a "
        "broadcast hint asks for it: then the hint has to go.",
        "proves" if said else "suggests",
        "EXPLAIN shows which table is broadcast.",
        (SaidSetting(_THRESHOLD, setting_of(evidence, _THRESHOLD), "-1", _IN_THE_SHUFFLE),),
    )


_THRESHOLD: Final = "spark.sql.autoBroadcastJoinThreshold"
_IN_THE_SHUFFLE: Final = (
    "Tables are joined in the shuffle, and none goes through the driver, but for those that a hint "
    "asks for."
)


@message(
    "A broadcast is larger than the memory store of Spark",
    Source(
        "Spark 1.6 to 3.5",
        "org.apache.spark.memory.UnifiedMemoryManager.acquireStorageMemory",
        "Will not store broadcast_N as the required space (N bytes) exceeds our memory limit (N "
        "bytes)",
    ),
)
def spark_broadcast_is_not_stored(evidence: Evidence) -> Reading | None:
    """The heap ran out in a job of Spark that broadcasts more than its memory store may hold.

    What it means
        What is broadcast is one value in the heap of the driver, and of every executor that uses
        it. Spark says where a block of it is larger than all of the memory store
        (`spark.memory.fraction` of the heap) and is put on disk instead; the value itself has to
        fit into the heap all the same.

    What it does not prove
        That nothing else filled the heap, and which code made the broadcast.

    What to change
        The broadcast: without a hint (`broadcast(df)`, `/*+ BROADCAST */`) the table is joined in
        the shuffle. A hint goes before `spark.sql.autoBroadcastJoinThreshold`, which does not stop
        it. Else a larger heap, of the driver `spark.driver.memory`.

    What would tell more
        `EXPLAIN` of the query shows which table is broadcast; of a variable the code does.
    """
    told, program = evidence.death.needs.broadcast, evidence.death.program
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence) or told is None:
        return None
    if program is None or not program.id.startswith("spark"):
        return None
    name, size, most = told
    whose = "spark.driver.memory" if program.id != "spark-executor" else "spark.executor.memory"
    return Reading(
        f"The text has {name}, which Spark did not store: it takes {format_bytes(size)}, where "
        f"{format_bytes(most)} are the most that the memory store of that process may hold. A "
        "broadcast hint in the code (broadcast(...)) asks for such a table whatever its size, and "
        "spark.sql.autoBroadcastJoinThreshold does not stop it: without the hint it is joined in "
        f"the shuffle. A larger heap ({whose}) is first aid, where the machine has it.",
        "suggests",
        "EXPLAIN of the query shows which table is broadcast; of a variable the code does.",
    )


_VALUES: Final = "org.apache.spark.util.collection.CompactBuffer"
_BY_KEY: Final = re.compile(r"org\.apache\.spark\.rdd\.\S*(?:groupByKey|CoGroupedRDD)")
_GATHERS: Final = re.compile(rf"{re.escape(_VALUES)}\.(?:growToSize|\$plus\$eq)")


@message(
    "The values of one key of a Spark job did not fit",
    Source("Spark 1.1 to 3.5", f"{_VALUES}.growToSize"),
)
def spark_values_of_one_key(evidence: Evidence) -> Reading | None:
    """An executor ran out of heap while it gathered the values of one key.

    What it means
        `groupByKey`, and `cogroup` with the joins that are made of it, gather all values of a key
        in one buffer before the job's code sees the first. Spark may spill other keys, but not a
        part of one.

    What it does not prove
        That the key at hand is the large one: the buffer that was enlarged last is of some key, and
        the heap may have been filled by others, or by what is cached.

    What to change
        `reduceByKey` or `aggregateByKey` where the values are summed up: they keep one value a key.
        Otherwise a key with more parts (salting). More partitions divide keys among tasks, and
        never the values of one.

    What would tell more
        The page of the stage: whether one task has read far more than the median. Or a count of
        the values of each key.
    """
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    frames = [f"{one.class_name}.{one.method}" for one in evidence.death.stack]
    by_key = any(_BY_KEY.match(one) for one in frames)
    if not by_key or not any(_GATHERS.match(one) for one in frames):
        return None
    return Reading(
        "The heap ran out while all values of one key were gathered in one buffer, as groupByKey, "
        "cogroup and the joins of RDDs do. reduceByKey or aggregateByKey keep one value a key; "
        "more partitions divide the keys, and never the values of one.",
        "suggests",
        "the page of the stage shows whether one task has read far more than the median.",
    )


@message(
    "The pod took more memory than its limit",
    Source("Kubernetes", "kubelet, ContainerStateTerminated.reason", "OOMKilled"),
)
def pod_over_its_limit(evidence: Evidence) -> Reading | None:
    """A container of Kubernetes was killed because it reached its memory limit.

    What it means
        The kernel killed a process of the container because its control group had reached
        `resources.limits.memory` (`OOMKilled`, exit code 137). All of the container's memory
        counts: the heap of the JVM, what it has beside it, child processes such as Python, and
        files on a `tmpfs`. Spark asks for `spark.executor.memory` and its overhead
        (`spark.executor.memoryOverhead`, or `spark.kubernetes.memoryOverheadFactor`, 0.1, or
        0.4 for jobs in Python) together.

    What it does not prove
        That the heap was full: a heap that is only used as far as it may be does it as well.

    What to change
        The overhead where the heap is as it should be; the heap smaller within the same limit
        where it is nearly all of it.

    What would tell more
        `kubectl describe pod POD`, and the memory of the pod over time, heap and all.
    """
    program = evidence.death.program
    if evidence.death.kind != "container-physical" or not is_of_a_pod(evidence):
        return None
    sized = " That limit is resources.limits.memory of the container."
    if program is not None and program.id in {"spark-master", "spark-executor"}:
        one = "driver" if program.id == "spark-master" else "executor"
        sized = f" That limit is spark.{one}.memory and spark.{one}.memoryOverhead together."
    elif program is not None and program.id.startswith("spark"):
        sized = (
            " That limit is spark.executor.memory and spark.executor.memoryOverhead together (of "
            "the driver: those of spark.driver)."
        )
    return Reading(
        "Kubernetes killed the container because it reached its memory limit "
        f"(OOMKilled).{sized} Heap, memory beside it and child processes such as Python count "
        "together; the message does not say which of them it was.",
        "proves",
        "compare the limit (kubectl describe pod POD) with -Xmx: what is left has to hold all "
        "else, and a larger overhead is first aid.",
        more_overhead_in_a_pod(evidence),
    )


@message(
    "A Python worker takes all rows of a partition at once",
    Source("Spark 1.2 to 3.5", "org.apache.spark.api.python.PythonRunner"),
)
def rows_held_by_a_worker(evidence: Evidence) -> Reading | None:
    """An executor was killed, and the code makes a list of all rows of a partition in Python.

    What it means
        PySpark runs a Python process for each task that an executor is at work on at once. Code in
        `mapPartitions` that makes a list or a DataFrame of its iterator holds a whole partition
        there, as objects that as a rule take several times what was read. That memory is outside
        the JVM: `spark.executor.memory` gives it nothing, the overhead has to hold it.

    What it does not prove
        That the Python workers took most of the container: only a list of its processes says that.

    What to change
        Work through the iterator in parts (`itertools.islice`), and yield the results. More, or
        more even, partitions make each smaller. Fewer `spark.executor.cores` run fewer workers at
        once. `spark.python.worker.memory` limits what PySpark itself aggregates, and no code of the
        job.

    What would tell more
        The NodeManager's log lists the processes at the kill (`Dump of the process-tree`).
    """
    program = evidence.death.program
    if evidence.death.kind != "container-physical" or program is None:
        return None
    kept = next((one for one in evidence.kept_in_code if one.is_of_partition), None)
    if kept is None or program.id != "spark-executor":
        return None
    at = f"line {kept.own_line} of its file" if kept.own_line else f"line {kept.line} of the text"
    of = "group" if kept.over == "group" else "partition"
    where = f", in {kept.method}()" if kept.method else ""
    parts = (
        "Divide large groups by a further column"
        if of == "group"
        else "Work through the iterator in parts (itertools.islice)"
    )
    taken, which = other_processes(evidence)
    took = f" Its other processes took {format_bytes(taken)} ({which})." if taken else ""
    told = evidence.death.needs.largest_partition
    uneven = (
        f" By the page of the stage, the largest part was read as {format_bytes(told[0])}, half of "
        f"them as {format_bytes(told[1])} or less: repartition by something more even, too."
        if told is not None and told[0] >= UNEVEN.value * told[1]
        else ""
    )
    return Reading(
        f"The code in the text takes all rows of a {of} at once in a Python worker "
        f"(`{kept.adds}`, {at}{where}): a process beside the JVM for each task that runs at once, "
        "whose rows take several times what was read as a rule, and which "
        f"spark.executor.memory gives nothing.{took}{uneven} {parts}, or run fewer tasks "
        "at once (spark.executor.cores); the overhead has to hold what is left.",
        "suggests",
    )


MESSAGES = (
    rows_held_by_a_worker,
    spark_execution_memory,
    spark_broadcast_does_not_fit,
    spark_broadcast_is_not_stored,
    spark_values_of_one_key,
    pod_over_its_limit,
    *map(message_of, LIMITS),
)
