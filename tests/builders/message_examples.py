"""Evidence on which each message must, or must not, speak: its tests, by its id."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from builders.logged_deaths import attempt, ended, failed, holding, limits, out_of_memory

from mprof.code_site import CodeSite, KeptInCode
from mprof.engines import program_in, server_in
from mprof.evidence import Attempt, ContainerFacts, Death, Evidence, Job, MapBuffer, known
from mprof.stated_settings import StatedSettings
from mprof.trace import (
    ContainerEnd,
    ContainerProcess,
    Crawl,
    Needs,
    SparkTold,
    parse_container_end,
)
from mprof.units import GIB, MIB


@dataclass(frozen=True, slots=True)
class Example:
    """Evidence, and whether the message says something of it."""

    title: str
    evidence: Callable[[], Evidence]
    speaks: bool = True


_SORT_BUFFER = "org.apache.hadoop.mapred.MapTask$MapOutputBuffer"
_MAP_TASK: Final = "org.apache.hadoop.mapred.MapTask"
_INVALID_SIZE = 'java.io.IOException: Invalid "mapreduce.task.io.sort.mb": 4096'
_SHUFFLE_SHARE: Final = "mapreduce.reduce.shuffle.input.buffer.percent"
_MAP_OUTPUT = "org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>"
_FETCHER = "org.apache.hadoop.mapreduce.task.reduce.Fetcher.run"
_FETCHED_BYTES = "org.apache.hadoop.io.BoundedByteArrayOutputStream.<init>"
_SINGLE_SHARE: Final = "mapreduce.reduce.shuffle.memory.limit.percent"
_MERGE_MANAGER: Final = "org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl"
_OLD_MERGE_MANAGER: Final = "org.apache.hadoop.mapred.ReduceTask$ReduceCopier$ShuffleRamManager"
_OWN_MAP: Final = "com.example.Job.map"
_REPLICATED: Final = (
    "org.apache.pig.backend.hadoop.executionengine.physicalLayer.relationalOperators.POFRJoin"
)
_OF_JOINS: Final = "org.apache.spark.sql.execution.joins"
_TEXT: Final = "org.apache.hadoop.io.Text"
_LINE_READER: Final = "org.apache.hadoop.util.LineReader"
_ARRAY_LIMIT = "Requested array size exceeds VM limit"
_GC_OVERHEAD = "GC overhead limit exceeded"
_DIRECT_LIMIT = (
    "Cannot reserve 65536 bytes of direct buffer memory (allocated: 268400000, limit: 268435456)"
)
_NO_THREAD = "unable to create new native thread"
_REFUSED = "There is insufficient memory for the Java Runtime Environment to continue."
_KILLED = (
    "Container [pid=1,containerID=container_1700000000000_0001_01_000002] is running beyond "
    "physical memory limits. Current usage: 1.0 GB of 1 GB physical memory used"
)
_KILLED_FOR_ALL = (
    "container container_1700000000000_0001_01_000002 killed by elastic cgroups OOM handler."
)
_KILLED_FOR_VIRTUAL = (
    "Container [pid=1,containerID=container_1700000000000_0001_01_000002] is running beyond "
    "virtual memory limits. Current usage: 300 MB of 1 GB physical memory used; 2.5 GB of 2.1 GB "
    "virtual memory used. Killing container."
)
_VIRTUAL_MEMORY = ContainerFacts(
    limit_bytes=GIB, virtual_limit_bytes=2150 * MIB, virtual_used_bytes=2560 * MIB
)

_GC_LOG: Final = "garbage collection log"


_KEPT: Final = KeptInCode(
    "rows", "ArrayList<Text>", "rows.add(new Text(v))", "values", None, "call", 9,
    is_of_values=True,
)  # fmt: skip
_CACHE: Final = KeptInCode(
    "made", "HashMap<String, Script>", "made.put(id, s)", "", "map", "outside", 9, marked=(1,)
)
_DICT: Final = KeptInCode(
    "seen", "dict", "seen[k] = 1", "sys.stdin", None, "task", 9, language="python"
)


_UDAF: Final = "org.apache.hadoop.hive.ql.udf.generic.GenericUDAF"
_COLLECTS: Final = f"{_UDAF}MkCollectionEvaluator.putIntoCollection"
_SUMS: Final = f"{_UDAF}Sum$GenericUDAFSumLong.iterate"
_IN_SETUP: Final = (
    "java.lang.String.substring", "com.example.Geo.load", "com.example.Job.setup",
    "org.apache.hadoop.mapreduce.Mapper.run",
)  # fmt: skip
_OF_A_FILE: Final = (
    "java.util.Arrays.copyOf", "java.io.ByteArrayOutputStream.grow",
    "com.example.WholeFileReader.nextKeyValue",
    "org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader.nextKeyValue",
)  # fmt: skip
_PIG: Final = "org.apache.pig.backend.hadoop.executionengine.mapReduceLayer"
_OF_A_BAG: Final = (
    "java.io.DataInputStream.readUTF", "org.apache.pig.data.BinSedesTuple.readFields",
    "org.apache.hadoop.mapreduce.task.ReduceContextImpl$ValueIterator.next",
    f"{_PIG}.PigGenericMapReduce$Reduce.reduce",
)  # fmt: skip
_ROWS: Final = KeptInCode(
    "rows", "list", "rows = list(it)", "it", "score", "call", 9, language="python",
    is_of_partition=True,
)  # fmt: skip


def _of_spark(*kept: KeptInCode, told: SparkTold | None = None) -> Evidence:
    evidence = ended(_KILLED, kind="container-physical", kept_in_code=kept)
    if told is not None:
        evidence = _with_needs(evidence, Needs(spark=told))
    program = program_in("org.apache.spark.executor.CoarseGrainedExecutorBackend")
    return replace(evidence, death=replace(evidence.death, program=program))


def _by_spark(evidence: Evidence) -> Evidence:
    """The same of some process of Spark."""
    program = program_in("org.apache.spark.rdd.RDD")
    return replace(evidence, death=replace(evidence.death, program=program))


_NOT_STORED: Final = Needs(broadcast=("broadcast_7", 6 * GIB, 4 * GIB))


_DRIVER: Final = "org.apache.spark.deploy.SparkSubmit"


def _driver_of_spark() -> Evidence:
    return _of_program(_DRIVER, out_of_memory())


def _with_needs(evidence: Evidence, needs: Needs) -> Evidence:
    return replace(evidence, death=replace(evidence.death, needs=needs))


def _left_of(done: int, *clauses: str) -> Evidence:
    return _with_needs(out_of_memory(side="reduce"), Needs(reducers=(40, done), clauses=clauses))


def _of_python(script_mb: int) -> Evidence:
    tree = (
        ContainerProcess(10, "java", 100 * MIB, is_task=True),
        ContainerProcess(20, "python3 agg.py", script_mb * MIB),
    )
    end = ContainerEnd("physical", _KILLED, processes=tree)
    return ended(_KILLED, kind="container-physical", end=end, kept_in_code=(_DICT,))


def _beside_a_helper(helper_mb: int) -> Evidence:
    tree = (
        ContainerProcess(10, "java", 3456 * MIB, is_task=True),
        ContainerProcess(20, "python3 helper.py", helper_mb * MIB),
    )
    return ended(
        _KILLED,
        kind="container-physical",
        container=ContainerFacts(processes=tree),
        memory=limits(heap_mb=3500, container_mb=4096),
    )


def _at_a_cache_of_scripts() -> Evidence:
    evidence = out_of_memory(words="Metaspace", kind="metaspace", kept_in_code=(_CACHE,))
    stood = CodeSite("com.example.Job", "map", "Job.java", 1)
    return replace(evidence, death=replace(evidence.death, stack=(stood,)))


def _timed_out(crawl: Crawl | None) -> Evidence:
    line = "AttemptID:attempt_1_0001_m_000000_0 Timed out after 600 secs"
    kind: Final = "gc-overhead" if crawl is not None else "not-memory"
    return attempt(Death(kind, line, message=line, crawl=crawl))


def _gathering(method: str) -> Evidence:
    """An executor of Spark that enlarges the buffer of a key's values."""
    return out_of_memory(
        "org.apache.spark.util.collection.CompactBuffer.growToSize",
        "org.apache.spark.util.collection.CompactBuffer.$plus$eq",
        f"org.apache.spark.rdd.PairRDDFunctions.$anonfun${method}",
        "org.apache.spark.executor.Executor$TaskRunner.run",
    )


_SCHEDULER: Final = "org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException: "
_REFUSED_SIZE = (
    f"{_SCHEDULER}Invalid resource request, requested memory < 0, or requested memory > max "
    "configured, requestedMemory=1536, maxMemory=1024"
)
_REFUSED_SIZE_NEW = (
    f"{_SCHEDULER}Invalid resource request! Cannot allocate containers as requested resource is "
    "greater than maximum allowed allocation. Requested resource type=[memory-mb], Requested "
    "resource=<memory:1536, vCores:1>, maximum allowed allocation=<memory:1285, vCores:4>"
)
_SPARK_REFUSED: Final = (
    "java.lang.IllegalArgumentException: Required executor memory {} is above the max threshold "
    "(1024 MB) of this cluster!"
)
_LOCAL_TASK: Final = "org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask"
_MASTER_CLASS: Final = "org.apache.hadoop.mapreduce.v2.app.MRAppMaster"
_ACCESS: Final = "org.apache.hadoop.security.AccessControlException"
_SAFE_MODE: Final = "org.apache.hadoop.hdfs.server.namenode.SafeModeException"
_NO_ATTEMPT: Final = Attempt(None, None, None)
_SPLIT_READER = "org.apache.hadoop.mapreduce.split.SplitMetaInfoReader.readSplitMetaInfo"
_TOO_MANY_SPLITS = "Split metadata size exceeded 10000000. Aborting job job_1700000000000_0001"
_STREAMING = "org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads"
_PROGRAM_FAILED = (
    "java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed with code "
)
_PIPES_FAILED = "java.io.IOException: pipe child exception"
_CODECS = "org.apache.hadoop.io.compress"
_CONF = "org.apache.hadoop.conf.Configuration"
_JOB_CONF = "org.apache.hadoop.mapred.JobConf"
_COUNTERS = "org.apache.hadoop.mapreduce.counters"
_FILE_SYSTEM = "org.apache.hadoop.fs.FileSystem"
_HDFS_FILE_SYSTEM = "org.apache.hadoop.hdfs.DistributedFileSystem"
_HDFS_CLIENT = "org.apache.hadoop.hdfs.DFSClient"
_INTERNERS = "com.google.common.collect.Interners"
_POSTGRESQL = "org.postgresql.core.v3.QueryExecutorImpl"
_THREADED = "org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper"
_THREADS = "mapreduce.mapper.multithreadedmapper.threads"
_OBJECT_STREAM = "java.io.ObjectOutputStream"
_THREAD_LOCALS = "java.lang.ThreadLocal$ThreadLocalMap"
_OUTPUTS = "org.apache.hadoop.mapreduce.lib.output.MultipleOutputs"
_HDFS_STREAM = "org.apache.hadoop.hdfs.DFSOutputStream"
_INPUT_FORMAT: Final = "org.apache.hadoop.mapreduce.lib.input.FileInputFormat"
_SUBMITTER: Final = "org.apache.hadoop.mapreduce.JobSubmitter"


def _no_room_for_the_buffer(size_mb: int, heap_mb: int | None, frame: str) -> Evidence:
    return out_of_memory(
        f"{_SORT_BUFFER}.{frame}",
        "org.apache.hadoop.mapred.MapTask.run",
        memory=limits(heap_mb=heap_mb),
        map_buffer=MapBuffer(size_mb * MIB, allocated=False),
        place="init",
    )


def _beside_a_buffer(size_mb: int, *, side: str = "map", **conf: str) -> Evidence:
    return out_of_memory(
        "com.example.Words.count",
        f"org.apache.hadoop.mapred.{side.title()}Task.run",
        side=side,
        memory=limits(heap_mb=1000),
        conf={"mapreduce.task.io.sort.mb": str(size_mb), **conf},
    )


def _in_reduce(share: str) -> Evidence:
    evidence = out_of_memory(
        "com.example.Job.reduce",
        side="reduce",
        conf={"mapreduce.reduce.input.buffer.percent": share},
    )
    return replace(evidence, death=replace(evidence.death, place="reduce"))


def _driver() -> Evidence:
    evidence = out_of_memory("com.example.Job.map")
    return replace(evidence, job=replace(evidence.job, driver_error="Java heap space"))


def _of_thread_local() -> Evidence:
    evidence = holding("byte[]")
    holders = tuple(
        replace(one, key=replace(one.key, thread_local=True))
        for one in known(evidence.holders) or ()
    )
    return replace(evidence, holders=holders)


def _of_program(log: str, evidence: Evidence) -> Evidence:
    program = program_in(log)
    assert program is not None
    return replace(evidence, death=replace(evidence.death, program=program))


def _aggregates(line: str) -> Evidence:
    return ended(line, kind="heap")


_TEZ_SORTERS: Final = "org.apache.tez.runtime.library.common.sort.impl."
_HEAP_WORDS: Final = "java.lang.OutOfMemoryError: Java heap space"


def of_any_process(evidence: Evidence) -> Evidence:
    """The same, where nothing says whose it is."""
    return replace(evidence, attempt=_NO_ATTEMPT, job=Job(None))


def of_server(class_name: str) -> Evidence:
    """A heap that ran out in a server."""
    evidence = of_any_process(out_of_memory(f"{class_name}.run"))
    return replace(evidence, death=replace(evidence.death, program=server_in(class_name)))


def _of_tez(*stack: str) -> Evidence:
    evidence = of_any_process(out_of_memory(*stack))
    program = program_in("org.apache.tez.runtime.task.TezChild")
    return replace(evidence, death=replace(evidence.death, program=program))


def _configuring(*chain: str) -> Evidence:
    evidence = out_of_memory("com.example.Job.configure")
    outer = "java.lang.RuntimeException: Error in configuring object"
    return replace(evidence, death=replace(evidence.death, chain=(outer, *chain)))


EXAMPLES: Final[dict[str, tuple[Example, ...]]] = {
    "sort_buffer_does_not_fit": (
        Example("400 MB in -Xmx256m, Hadoop 3", lambda: _no_room_for_the_buffer(400, 256, "init")),
        Example(
            "100 MB in a heap that nothing tells, Hadoop 1",
            lambda: _no_room_for_the_buffer(100, None, "<init>"),
        ),
        Example(
            "100 MB in -Xmx1024m: something else had filled it",
            lambda: _no_room_for_the_buffer(100, 1024, "init"),
        ),
        Example(
            "a class of the job's that is called the same",
            lambda: out_of_memory("com.example.MapOutputBuffer.init", "com.example.Job.setup"),
            speaks=False,
        ),
        Example(
            "a class of the job's that the buffer makes",
            lambda: out_of_memory("com.example.Partitioner.<init>", f"{_SORT_BUFFER}.init"),
            speaks=False,
        ),
    ),
    "sort_buffer_takes_half": (
        Example("600 MB in -Xmx1000m", lambda: _beside_a_buffer(600)),
        Example("a tenth of the heap", lambda: _beside_a_buffer(100), speaks=False),
        Example("a reducer has none", lambda: _beside_a_buffer(600, side="reduce"), speaks=False),
        Example(
            "nor has a job without reducers",
            lambda: _beside_a_buffer(600, **{"mapreduce.job.reduces": "0"}),
            speaks=False,
        ),
    ),
    "sort_buffer_invalid": (
        Example(
            "4096 MB, Hadoop 3, in -Xmx2048m",
            lambda: failed(
                "java.io.IOException: Initialization of all the collectors failed. "
                f"Error in last collector was:{_INVALID_SIZE}",
                _INVALID_SIZE,
                stack=(f"{_MAP_TASK}.createSortingCollector",),
                memory=limits(heap_mb=2048),
            ),
        ),
        Example(
            "4096 MB, Hadoop 1",
            lambda: failed(
                'java.io.IOException: Invalid "io.sort.mb": 4096',
                stack=(f"{_MAP_TASK}$MapOutputBuffer.<init>",),
            ),
        ),
        Example(
            "the same words in an error of the job's own",
            lambda: failed(_INVALID_SIZE, stack=("com.example.Job.map", f"{_MAP_TASK}.run")),
            speaks=False,
        ),
    ),
    "map_output_does_not_fit": (
        Example(
            "a fetcher of Hadoop 3, in -Xmx1024m",
            lambda: out_of_memory(
                _FETCHED_BYTES, _MAP_OUTPUT, _FETCHER, side="reduce", memory=limits(heap_mb=1024)
            ),
        ),
        Example(
            "a copier of Hadoop 1",
            lambda: out_of_memory(
                "org.apache.hadoop.mapred.ReduceTask$ReduceCopier$MapOutputCopier.shuffleInMemory",
                side="reduce",
            ),
        ),
        Example(
            "the setting is small already: no other value is named",
            lambda: out_of_memory(
                _FETCHED_BYTES, _MAP_OUTPUT, side="reduce", conf={_SHUFFLE_SHARE: "0.1"}
            ),
        ),
        Example(
            "a combiner that runs in the shuffle's merge",
            lambda: out_of_memory(
                "com.example.Combiner.reduce",
                "org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl$InMemoryMerger.merge",
                side="reduce",
            ),
            speaks=False,
        ),
    ),
    "shuffle_settings_invalid": (
        Example(
            "the order of two shares, as Hadoop 2.2 spells it",
            lambda: failed(
                "java.lang.RuntimeException: Invlaid configuration: "
                "maxSingleShuffleLimit should be less than mergeThreshold"
                "maxSingleShuffleLimit: 700mergeThreshold: 660",
                stack=(f"{_MERGE_MANAGER}.<init>",),
                side="reduce",
                conf={_SINGLE_SHARE: "0.7"},
            ),
        ),
        Example(
            "a percentage, Hadoop 3",
            lambda: failed(
                f"java.lang.IllegalArgumentException: Invalid value for {_SHUFFLE_SHARE}: 70.0",
                stack=(f"{_MERGE_MANAGER}.<init>",),
                side="reduce",
            ),
        ),
        Example(
            "a percentage, Hadoop 1",
            lambda: failed(
                "java.io.IOException: mapred.job.shuffle.input.buffer.percent70.0",
                stack=(f"{_OLD_MERGE_MANAGER}.<init>",),
                side="reduce",
            ),
        ),
        Example(
            "the same words in an error of the job's own",
            lambda: failed(
                f"java.lang.IllegalArgumentException: Invalid value for {_SHUFFLE_SHARE}: 70.0",
                stack=("com.example.Job.setup",),
                side="reduce",
            ),
            speaks=False,
        ),
    ),
    "collection_was_enlarged": (
        Example(
            "a list that a mapper fills",
            lambda: out_of_memory("java.util.Arrays.copyOf", "java.util.ArrayList.grow", _OWN_MAP),
        ),
        Example(
            "a set, which is made of a table",
            lambda: out_of_memory(
                "java.util.HashMap.resize",
                "java.util.HashMap.putVal",
                "java.util.HashMap.put",
                "java.util.HashSet.add",
                "com.example.Job$Seen.reduce",
            ),
        ),
        Example(
            "a table of an operator of Hive, which no code of the job fills",
            lambda: out_of_memory(
                "java.util.HashMap.resize", "org.apache.hadoop.hive.ql.exec.JoinOperator.process"
            ),
            speaks=False,
        ),
        Example(
            "a collection of a library",
            lambda: out_of_memory(
                "gnu.trove.impl.hash.TPrimitiveHash.rehash",
                "gnu.trove.impl.hash.THash.postInsertHook",
                _OWN_MAP,
            ),
        ),
        Example(
            "a stream's",
            lambda: out_of_memory(
                "java.util.Arrays.copyOf",
                "java.util.ArrayList.grow",
                "java.util.ArrayList.add",
                "java.util.Iterator.forEachRemaining",
                "java.util.stream.ReferencePipeline.collect",
                _OWN_MAP,
            ),
        ),
        Example(
            "helpers for arrays",
            lambda: out_of_memory("org.apache.lucene.util.ArrayUtil.grow", _OWN_MAP),
            speaks=False,
        ),
        Example(
            "a text that is made longer is of one record as often as not",
            lambda: out_of_memory(
                "java.util.Arrays.copyOf",
                "java.lang.AbstractStringBuilder.ensureCapacityInternal",
                "java.lang.StringBuilder.append",
                _OWN_MAP,
            ),
            speaks=False,
        ),
        Example(
            "an element that needs no larger array",
            lambda: out_of_memory("java.util.HashMap.newNode", "java.util.HashMap.put", _OWN_MAP),
            speaks=False,
        ),
        Example(
            "a collection of Hadoop's own",
            lambda: out_of_memory(
                "java.util.ArrayList.grow",
                "java.util.ArrayList.add",
                "org.apache.hadoop.mapred.MapTask.run",
            ),
            speaks=False,
        ),
        Example(
            "further out, while an object is made",
            lambda: out_of_memory("com.example.Row.<init>", "java.util.ArrayList.grow", _OWN_MAP),
            speaks=False,
        ),
    ),
    "spark_values_of_one_key": (
        Example("groupByKey of Spark 2", lambda: _gathering("groupByKey$1$$anonfun$13.apply")),
        Example("the same of Spark 3", lambda: _gathering("groupByKey$2")),
        Example(
            "an iteration over what was gathered",
            lambda: out_of_memory(
                "java.util.Arrays.copyOf",
                "org.apache.spark.util.collection.CompactBuffer$$anon$1.foreach",
                "com.example.Main.groupByKeyAndWrite",
                "org.apache.spark.executor.Executor$TaskRunner.run",
            ),
            speaks=False,
        ),
        Example("a sum by key", lambda: _gathering("reduceByKey$1.apply"), speaks=False),
    ),
    "line_does_not_fit": (
        Example(
            "a text that grows under the line reader",
            lambda: out_of_memory(
                "java.util.Arrays.copyOf",
                f"{_TEXT}.setCapacity",
                f"{_TEXT}.append",
                f"{_LINE_READER}.readDefaultLine",
            ),
        ),
        Example(
            "a line longer than an array",
            lambda: out_of_memory(
                f"{_TEXT}.ensureCapacity",
                f"{_LINE_READER}.readLine",
                words="Requested array size exceeds VM limit",
                kind="array-limit",
            ),
        ),
        Example(
            "a text that the job's own code makes longer",
            lambda: out_of_memory(f"{_TEXT}.append", "com.example.Job.map"),
            speaks=False,
        ),
        Example(
            "another object, while a line is read",
            lambda: out_of_memory("java.nio.HeapByteBuffer.<init>", f"{_LINE_READER}.readLine"),
            speaks=False,
        ),
    ),
    "array_limit": (
        Example(
            "a buffer that is written to",
            lambda: out_of_memory(
                "java.util.Arrays.copyOf",
                "org.apache.hadoop.io.DataOutputBuffer$Buffer.write",
                "com.example.Job.map",
                words=_ARRAY_LIMIT,
                kind="array-limit",
            ),
        ),
        Example(
            "a heap that is full",
            lambda: out_of_memory("java.util.Arrays.copyOf", "com.example.Job.map"),
            speaks=False,
        ),
    ),
    "crawled_to_its_timeout": (
        Example("a full heap", lambda: _timed_out(crawl=Crawl(47, 0.97, 9, 190, 200, _GC_LOG))),
        Example("nothing tells of a collection", lambda: _timed_out(crawl=None), speaks=False),
    ),
    "gc_overhead": (
        Example(
            "in user code",
            lambda: out_of_memory("com.example.Job.map", words=_GC_OVERHEAD, kind="gc-overhead"),
        ),
        Example(
            "a dump shows what filled the heap", lambda: holding("java.util.HashMap"), speaks=False
        ),
    ),
    "heap_larger_than_its_container": (
        Example(
            "a task, by its configuration",
            lambda: out_of_memory(
                "com.example.Job.map", memory=limits(heap_mb=3072, container_mb=1024)
            ),
        ),
        Example(
            "a heap that fits",
            lambda: out_of_memory(
                "com.example.Job.map", memory=limits(heap_mb=800, container_mb=1024)
            ),
            speaks=False,
        ),
        Example(
            "a container that was killed",
            lambda: ended(
                "", kind="container-physical", memory=limits(heap_mb=3072, container_mb=1024)
            ),
            speaks=False,
        ),
    ),
    "heap_of_a_task": (
        Example(
            "with a stack",
            lambda: out_of_memory("com.example.Job.map", "org.apache.hadoop.mapred.MapTask.run"),
        ),
        Example(
            "where more is known",
            lambda: out_of_memory(f"{_TEXT}.append", f"{_LINE_READER}.readDefaultLine"),
            speaks=False,
        ),
        Example("of another engine", lambda: _of_tez("com.example.Udf.evaluate"), speaks=False),
    ),
    "heap_words_only": (
        Example("of a history", out_of_memory),
        Example("a stack is there", lambda: out_of_memory("com.example.Job.map"), speaks=False),
    ),
    "error_without_its_message": (
        Example("its class alone", lambda: out_of_memory(words=None, kind="application-made")),
        Example(
            "of a process of Spark",
            lambda: _by_spark(out_of_memory(words=None, kind="application-made")),
        ),
        Example("with its message", out_of_memory, speaks=False),
    ),
    "direct_memory": (
        Example(
            "a decompressor, in a task whose options are at hand",
            lambda: out_of_memory(
                "java.nio.Bits.reserveMemory",
                "java.nio.ByteBuffer.allocateDirect",
                "org.apache.hadoop.io.compress.zlib.ZlibDecompressor.<init>",
                words=_DIRECT_LIMIT,
                kind="direct",
                conf={"mapreduce.map.java.opts": "-Xmx256m -XX:MaxDirectMemorySize=256m"},
            ),
        ),
        Example(
            "JDK 8, with -Xmx512m",
            lambda: out_of_memory(
                "java.nio.Bits.reserveMemory",
                words="Direct buffer memory",
                kind="direct",
                memory=limits(heap_mb=512),
            ),
        ),
        Example(
            "an error of the job's own with the same words",
            lambda: out_of_memory(
                "com.example.Job.map", words="Direct buffer memory", kind="application-made"
            ),
            speaks=False,
        ),
    ),
    "mapping_refused": (
        Example(
            "a file that cannot be mapped",
            lambda: out_of_memory(
                "sun.nio.ch.FileChannelImpl.map", words="Map failed", kind="native"
            ),
        ),
        Example(
            "memory that the system refused",
            lambda: out_of_memory(
                "jdk.internal.misc.Unsafe.allocateMemory",
                words="Unable to allocate 4096 bytes",
                kind="native",
            ),
            speaks=False,
        ),
    ),
    "class_memory": (
        Example(
            "metaspace with a limit of 64 MB",
            lambda: out_of_memory(
                "java.lang.ClassLoader.defineClass1",
                words="Metaspace",
                kind="metaspace",
                conf={"mapreduce.map.java.opts": "-Xmx512m -XX:MaxMetaspaceSize=64m"},
            ),
        ),
        Example(
            "PermGen, whose limit is not at hand",
            lambda: out_of_memory(
                "java.lang.ClassLoader.defineClass1", words="PermGen space", kind="metaspace"
            ),
        ),
        Example(
            "a full heap", lambda: out_of_memory("java.lang.ClassLoader.defineClass1"), speaks=False
        ),
    ),
    "no_more_threads": (
        Example(
            "a writer of HDFS",
            lambda: out_of_memory(
                "java.lang.Thread.start0",
                "java.lang.Thread.start",
                "org.apache.hadoop.hdfs.DFSOutputStream.start",
                "com.example.Job.reduce",
                words=_NO_THREAD,
                kind="threads",
                side="reduce",
            ),
        ),
        Example("a full heap", lambda: out_of_memory("java.lang.Thread.start0"), speaks=False),
    ),
    "native_memory_refused": (
        Example("the JVM's last words", lambda: ended(f"# {_REFUSED}", kind="native")),
        Example(
            "a write that the kernel had no memory for",
            lambda: failed(
                "org.apache.hadoop.fs.FSError: java.io.IOException: Cannot allocate memory",
                "java.io.IOException: Cannot allocate memory",
                stack=("java.io.FileOutputStream.writeBytes",),
                kind="native",
            ),
        ),
        Example("a full heap", out_of_memory, speaks=False),
    ),
    "heap_and_child_do_not_fit": (
        Example(
            "a helper of 700 MB beside -Xmx3500m in a container of 4 GB",
            lambda: _beside_a_helper(700),
        ),
        Example(
            "one of 300 MB",
            lambda: _beside_a_helper(300),
            speaks=False,
        ),
        Example(
            "one that took more than the JVM",
            lambda: _beside_a_helper(3600),
            speaks=False,
        ),
        Example(
            "no other process",
            lambda: ended(
                _KILLED, kind="container-physical", memory=limits(heap_mb=3500, container_mb=4096)
            ),
            speaks=False,
        ),
    ),
    "heap_leaves_no_room": (
        Example(
            "-Xmx1024m in a container of 1 GB",
            lambda: ended(
                _KILLED, kind="container-physical", memory=limits(heap_mb=1024, container_mb=1024)
            ),
        ),
        Example(
            "-Xmx960m in a container of 1 GB: suggested",
            lambda: ended(
                _KILLED, kind="container-physical", memory=limits(heap_mb=960, container_mb=1024)
            ),
        ),
        Example(
            "-Xmx512m in a container of 1 GB",
            lambda: ended(
                _KILLED, kind="container-physical", memory=limits(heap_mb=512, container_mb=1024)
            ),
            speaks=False,
        ),
    ),
    "code_keeps": (
        Example(
            "a list of the values of a key, beside a death in reduce()",
            lambda: out_of_memory("com.example.Job.reduce", kept_in_code=(_KEPT,)),
        ),
        Example(
            "the same beside a death in the shuffle",
            lambda: out_of_memory(_FETCHER, kept_in_code=(_KEPT,)),
            speaks=False,
        ),
        Example(
            "a cache of scripts, at the line that makes a class",
            _at_a_cache_of_scripts,
        ),
    ),
    "loaded_at_the_start": (
        Example("in setup()", lambda: out_of_memory(*_IN_SETUP)),
        Example("in map()", lambda: out_of_memory(_OWN_MAP, *_IN_SETUP[-1:]), speaks=False),
        Example(
            "an open() of a record",
            lambda: out_of_memory("com.example.Zip.open", _OWN_MAP, *_IN_SETUP[-1:]),
            speaks=False,
        ),
    ),
    "whole_file_in_an_array": (
        Example("an array that doubles", lambda: out_of_memory(*_OF_A_FILE)),
        Example("one array", lambda: out_of_memory(*_OF_A_FILE[2:])),
        Example(
            "a reader of records",
            lambda: out_of_memory(
                *_OF_A_FILE[:2], "com.example.RowReader.nextKeyValue", _OF_A_FILE[3]
            ),
            speaks=False,
        ),
    ),
    "bag_of_a_key": (
        Example("a value that is read", lambda: out_of_memory(*_OF_A_BAG)),
        Example(
            "what Pig does in a map",
            lambda: out_of_memory("org.apache.pig.data.BinInterSedes.readTuple", _IN_SETUP[-1]),
            speaks=False,
        ),
    ),
    "rows_held_by_a_worker": (
        Example("a list of all rows", lambda: _of_spark(_ROWS)),
        Example("a dict of Streaming", lambda: _of_spark(_DICT), speaks=False),
    ),
    "python_workers_beside_the_heap": (
        Example("a program of PySpark", lambda: _of_spark(told=SparkTold(is_python=True))),
        Example("nothing says its language", lambda: _of_spark(told=SparkTold()), speaks=False),
        Example(
            "a list of all rows, of which more is known",
            lambda: _of_spark(_ROWS, told=SparkTold(is_python=True)),
            speaks=False,
        ),
    ),
    "script_keeps": (
        Example("a dict beside a container that Python filled", lambda: _of_python(400)),
        Example("one that Java filled", lambda: _of_python(10), speaks=False),
    ),
    "container_over_its_limit": (
        Example(
            "-Xmx512m in a container of 1 GB",
            lambda: ended(
                _KILLED, kind="container-physical", memory=limits(heap_mb=512, container_mb=1024)
            ),
        ),
        Example("nothing is known of the heap", lambda: ended(_KILLED, kind="container-physical")),
        Example(
            "-Xmx1024m in a container of 1 GB",
            lambda: ended(
                _KILLED, kind="container-physical", memory=limits(heap_mb=1024, container_mb=1024)
            ),
            speaks=False,
        ),
    ),
    "node_over_its_limit": (
        Example("the kill alone", lambda: ended(_KILLED_FOR_ALL)),
        Example(
            "the line of what it had taken, too",
            lambda: ended(
                f"{_KILLED_FOR_ALL} is out of its limits, using 3221225472 when requested only "
                "2147483648"
            ),
        ),
        Example(
            "an exit code alone",
            lambda: ended("Container killed on request. Exit code is 137", exit_code=137),
            speaks=False,
        ),
    ),
    "container_over_virtual_memory": (
        Example(
            "2.5 GB of 2.1 GB in a container of 1 GB",
            lambda: ended(_KILLED_FOR_VIRTUAL, kind="container-virtual", container=_VIRTUAL_MEMORY),
        ),
        Example(
            "an application master",
            lambda: ended(
                _KILLED_FOR_VIRTUAL,
                kind="application-master",
                end=parse_container_end(_KILLED_FOR_VIRTUAL),
            ),
        ),
        Example(
            "the limit of a node of Hadoop 1",
            lambda: ended(
                "Killing one of the least progress tasks - attempt, as the "
                "cumulative memory usage of all the tasks on the TaskTracker w1 "
                "exceeds virtual memory limit 4294967296.",
                kind="container-virtual",
            ),
        ),
        Example(
            "a kill for physical memory", lambda: ended("", kind="container-physical"), speaks=False
        ),
    ),
    "container_larger_than_the_cluster_allows": (
        Example(
            "16 GB where 8 GB are given, Hadoop 3",
            lambda: ended(
                "The required MAP capability is more than the supported max "
                "container capability in the cluster. Killing the Job. "
                "mapResourceRequest: <memory:16384, vCores:1> "
                "maxContainerCapability:<memory:8192, vCores:32>"
            ),
        ),
        Example(
            "reduce tasks, Hadoop 2.2",
            lambda: ended(
                "REDUCE capability required is more than the supported max "
                "container capability in the cluster. Killing the Job. "
                "reduceResourceReqt: 16384 maxContainerCapability:8192"
            ),
        ),
        Example(
            "the same words of the job's own",
            lambda: failed(
                "com.example.Refused: MAP capability is more than the supported "
                "max container capability in the cluster."
            ),
            speaks=False,
        ),
    ),
    "container_size_refused": (
        Example("a request above the maximum", lambda: failed(_REFUSED_SIZE)),
        Example("words of Hadoop 3.4", lambda: failed(_REFUSED_SIZE_NEW)),
        Example("a size that is not set", lambda: failed(_REFUSED_SIZE.replace("1536", "-1"))),
        Example(
            "the job's own code says so",
            lambda: failed("com.example.Invalid: Invalid resource request, requested memory < 0"),
            speaks=False,
        ),
    ),
    "spark_container_refused": (
        Example("words up to Spark 2.3", lambda: failed(_SPARK_REFUSED.format("(1024+384 MB)"))),
        Example(
            "words of Spark 2.4",
            lambda: failed(
                _SPARK_REFUSED.format("(1024), overhead (384 MB), and PySpark memory (0 MB)")
            ),
        ),
        Example(
            "words of Spark 3",
            lambda: failed(
                _SPARK_REFUSED.format(
                    "(1024 MB), offHeap memory (0) MB, overhead (384 MB), and PySpark memory (0 MB)"
                )
            ),
        ),
        Example(
            "of another limit",
            lambda: failed("java.lang.IllegalArgumentException: rate is above the max threshold"),
            speaks=False,
        ),
    ),
    "local_disks_full": (
        Example(
            "no local folder takes a spill",
            lambda: failed(
                "org.apache.hadoop.util.DiskChecker$DiskErrorException: Could not find any valid "
                "local directory for output/spill0.out"
            ),
        ),
        Example(
            "the kernel says so", lambda: failed("java.io.IOException: No space left on device")
        ),
        Example(
            "the heap was full",
            lambda: out_of_memory("com.example.No space left on device.map"),
            speaks=False,
        ),
    ),
    "token_refused": (
        Example(
            "a token that has expired",
            lambda: failed(
                "org.apache.hadoop.ipc.RemoteException(org.apache.hadoop.security.token."
                "SecretManager$InvalidToken): token (HDFS_DELEGATION_TOKEN token 7 for me) is "
                "expired"
            ),
        ),
        Example(
            "another exception of the same service",
            lambda: failed("org.apache.hadoop.ipc.RemoteException(java.io.IOException): no"),
            speaks=False,
        ),
    ),
    "class_not_found": (
        Example(
            "a class of a library", lambda: failed("java.lang.NoClassDefFoundError: com/example/L")
        ),
        Example(
            "the class of the application master",
            lambda: ended(f"Error: Could not find or load main class {_MASTER_CLASS}"),
        ),
        Example(
            "a class that is there, and whose static code failed before",
            lambda: failed("java.lang.NoClassDefFoundError: Could not initialize class a.B"),
            speaks=False,
        ),
        Example(
            "the heap was full while a class was loaded",
            lambda: out_of_memory("java.lang.ClassLoader.defineClass"),
            speaks=False,
        ),
    ),
    "user_code_threw": (
        Example(
            "a line with fewer fields",
            lambda: failed(
                "java.lang.ArrayIndexOutOfBoundsException: 1",
                stack=("com.example.Trees.map", "org.apache.hadoop.mapreduce.Mapper.run"),
                place="map",
            ),
        ),
        Example(
            "the same in a class of Hadoop's alone",
            lambda: failed(
                "java.lang.ArrayIndexOutOfBoundsException: 1",
                stack=(
                    "org.apache.hadoop.io.Text.decode",
                    "org.apache.hadoop.mapreduce.Mapper.run",
                ),
                place="map",
            ),
            speaks=False,
        ),
        Example(
            "before the first record",
            lambda: failed(
                "java.lang.NullPointerException", stack=("com.example.Trees.setup",), place="setup"
            ),
            speaks=False,
        ),
    ),
    "another_version_of_a_library": (
        Example(
            "a method that an older jar lacks",
            lambda: failed(
                "java.lang.NoSuchMethodError: com.google.common.base.Stopwatch.elapsed()J"
            ),
        ),
        Example(
            "as later versions of Java write it",
            lambda: failed(
                "java.lang.NoSuchMethodError: 'long com.google.common.base.Stopwatch.elapsed()'"
            ),
        ),
        Example(
            "a method that is looked up by its name",
            lambda: failed("java.lang.NoSuchMethodException: com.example.Job.<init>()"),
            speaks=False,
        ),
    ),
    "type_of_map_output": (
        Example(
            "a key",
            lambda: failed(
                "java.io.IOException: Type mismatch in key from map: expected "
                "org.apache.hadoop.io.Text, received org.apache.hadoop.io.LongWritable"
            ),
        ),
        Example(
            "as Hadoop 1 spells it",
            lambda: failed(
                "java.io.IOException: Type mismatch in value from map: expected "
                "org.apache.hadoop.io.Text, recieved org.apache.hadoop.io.IntWritable"
            ),
        ),
        Example(
            "a cast in the job's own code",
            lambda: failed("java.lang.ClassCastException: A cannot be cast to B"),
            speaks=False,
        ),
    ),
    "refused_by_its_queue": (
        Example(
            "as CapacityScheduler says it",
            lambda: failed(
                "java.io.IOException: Failed to submit application_1700000000000_0001 to YARN : "
                "org.apache.hadoop.security.AccessControlException: User ida cannot submit "
                "applications to queue root.night"
            ),
        ),
        Example(
            "a queue that is not there",
            lambda: failed(
                "java.io.IOException: Failed to submit application_1700000000000_0001 to YARN : "
                "Application application_1700000000000_0001 submitted by user ida to unknown "
                "queue: nigth"
            ),
        ),
        Example(
            "a file that the user may not read",
            lambda: failed(
                "org.apache.hadoop.security.AccessControlException: Permission denied: user=ida, "
                'access=READ, inode="/data":hdfs:hdfs:drwx------'
            ),
            speaks=False,
        ),
    ),
    "jdbc_driver_not_found": (
        Example(
            "Sqoop's words",
            lambda: failed(
                "java.lang.RuntimeException: Could not load db driver class: com.mysql.jdbc.Driver"
            ),
        ),
        Example(
            "those of Java",
            lambda: failed("java.sql.SQLException: No suitable driver found for jdbc:oracle:thin"),
        ),
        Example(
            "a database that refuses the user",
            lambda: failed("java.sql.SQLException: Access denied for user 'ro'@'w1'"),
            speaks=False,
        ),
    ),
    "native_library_not_found": (
        Example(
            "a library that is in no folder of the path",
            lambda: failed("java.lang.UnsatisfiedLinkError: no fastalign in java.library.path"),
        ),
        Example(
            "the same since JDK 11, with the path",
            lambda: failed(
                "java.lang.UnsatisfiedLinkError: no fastalign in java.library.path: ./natives.zip"
            ),
        ),
        Example(
            "a library that needs another one",
            lambda: failed(
                "java.lang.UnsatisfiedLinkError: /data/tmp/libfastalign.so: libgomp.so.1: cannot "
                "open shared object file: No such file or directory"
            ),
        ),
        Example(
            "a method of a library that is not loaded",
            lambda: failed("java.lang.UnsatisfiedLinkError: com.example.Align.score([BI)I"),
        ),
        Example(
            "a class that is missing",
            lambda: failed("java.lang.NoClassDefFoundError: com/example/Align"),
            speaks=False,
        ),
    ),
    "service_missing": (
        Example(
            "no shuffle service",
            lambda: failed(
                "org.apache.hadoop.yarn.exceptions.InvalidAuxServiceException: The "
                "auxService:mapreduce_shuffle does not exist"
            ),
        ),
        Example("another failure", lambda: failed("java.io.IOException: closed"), speaks=False),
    ),
    "server_out_of_memory": (
        Example(
            "as RPC says",
            lambda: failed(
                "org.apache.hadoop.ipc.RemoteException(java.lang.OutOfMemoryError): Java heap space"
            ),
        ),
        Example(
            "another error of a server",
            lambda: failed(
                "org.apache.hadoop.ipc.RemoteException(java.io.IOException): OutOfMemoryError"
            ),
            speaks=False,
        ),
    ),
    "failed_its_liveness_probe": (
        Example(
            "a container that the kubelet killed",
            lambda: ended("Container app failed liveness probe, will be restarted"),
        ),
        Example("a container over its limit", lambda: ended("Reason: OOMKilled"), speaks=False),
    ),
    "fork_refused": (
        Example(
            "a container that could not be started",
            lambda: ended(
                "ExitCodeException exitCode=1: /bin/bash: fork: retry: Resource "
                "temporarily unavailable"
            ),
        ),
        Example(
            "a program that failed", lambda: ended("ExitCodeException exitCode=1:"), speaks=False
        ),
    ),
    "server_asked_to_end": (
        Example(
            "a DataNode",
            lambda: ended(
                "ERROR org.apache.hadoop.hdfs.server.datanode.DataNode: RECEIVED SIGNAL 15: SIGTERM"
            ),
        ),
        Example(
            "an executor",
            lambda: ended("ERROR CoarseGrainedExecutorBackend: RECEIVED SIGNAL 15: SIGTERM"),
            speaks=False,
        ),
    ),
    "preempted": (
        Example("an attempt", lambda: ended("Container preempted by scheduler")),
        Example(
            "a reducer, by its own master",
            lambda: ended("Reducer preempted to make room for pending map attempts"),
        ),
        Example("another reason", lambda: ended("Container released by application"), speaks=False),
    ),
    "task_asked_to_end": (
        Example("of a job", lambda: ended("Task KILL is received. Killing attempt!")),
        Example(
            "the slower of two attempts",
            lambda: ended("Speculation: attempt_1_0001_m_000001_1 succeeded first!"),
            speaks=False,
        ),
    ),
    "speculation_lost": (
        Example(
            "the slower of two attempts",
            lambda: ended("Speculation: attempt_1_0001_m_000001_1 succeeded first!"),
        ),
        Example("asked to end", lambda: ended("Task KILL is received."), speaks=False),
    ),
    "node_lost": (
        Example("a lost node", lambda: ended("Container released on a *lost* node")),
        Example(
            "by its application",
            lambda: ended("Container released by application"),
            speaks=False,
        ),
    ),
    "killed_by_a_user": (
        Example(
            "an application",
            lambda: ended("Application application_1700000000000_0001 was killed by user eva"),
        ),
        Example(
            "a job of MapReduce",
            lambda: ended("Kill job job_1700000000000_0001 received from eva (auth:SIMPLE)"),
        ),
        Example("asked to end", lambda: ended("Task KILL is received."), speaks=False),
    ),
    "size_with_a_unit": (
        Example(
            "a container in GB",
            lambda: failed(
                'java.lang.NumberFormatException: For input string: "6g"',
                stack=("org.apache.hadoop.conf.Configuration.getInt",),
            ),
        ),
        Example(
            "a field of the data",
            lambda: failed(
                'java.lang.NumberFormatException: For input string: "6g"', stack=(_OWN_MAP,)
            ),
            speaks=False,
        ),
    ),
    "one_reducer_gets_most": (
        Example(
            "hundreds of times as much",
            lambda: out_of_memory(
                "com.example.Job.reduce",
                side="reduce",
                stated=StatedSettings({"Reduce shuffle bytes of two tasks": "90000 and 300"}),
            ),
        ),
        Example(
            "half as much again",
            lambda: out_of_memory(
                "com.example.Job.reduce",
                side="reduce",
                stated=StatedSettings({"Reduce shuffle bytes of two tasks": "450 and 300"}),
            ),
            speaks=False,
        ),
    ),
    "one_reducer_is_left": (
        Example(
            "the other 39 are fine",
            lambda: _with_needs(
                out_of_memory(side="reduce"), Needs(one_left="the other 39 are fine")
            ),
        ),
        Example(
            "of a map task",
            lambda: _with_needs(out_of_memory(side="map"), Needs(one_left="the other 39 are fine")),
            speaks=False,
        ),
    ),
    "map_output_is_kept": (
        Example("most of the heap", lambda: _in_reduce("0.8")),
        Example("none of it", lambda: _in_reduce("0.0"), speaks=False),
    ),
    "stack_overflow": (
        Example("in a mapper", lambda: failed("java.lang.StackOverflowError", stack=(_OWN_MAP,))),
        Example("in other words", lambda: failed("java.lang.Error: overflow"), speaks=False),
    ),
    "streaming_pipe_closed": (
        Example(
            "while a record is written",
            lambda: failed(
                "java.io.IOException: Broken pipe",
                stack=("org.apache.hadoop.streaming.PipeMapper.map",),
            ),
        ),
        Example(
            "a pipe of the job's own",
            lambda: failed("java.io.IOException: Broken pipe", stack=(_OWN_MAP,)),
            speaks=False,
        ),
    ),
    "heap_option_without_unit": (
        Example("512 bytes", lambda: ended("java -Xmx512 org.example.Main: exit code 1")),
        Example("with a unit", lambda: ended("java -Xmx512m x: exit code 1"), speaks=False),
        Example("many bytes", lambda: ended("java -Xmx536870912 x: exit code 1"), speaks=False),
    ),
    "jvm_options_refused": (
        Example("a unit", lambda: ended("Invalid maximum heap size: -Xmx3gb")),
        Example("an option", lambda: ended("Unrecognized VM option 'UseFastGC'")),
        Example("of the launcher", lambda: ended("Unrecognized option: -Xfast")),
        Example("collectors", lambda: ended("Multiple garbage collectors selected")),
        Example("sizes", lambda: ended("Incompatible initial and maximum heap sizes specified")),
        Example(
            "another Java",
            lambda: ended(
                "java.lang.UnsupportedClassVersionError: a/B : class file version 55.0, up to 52.0"
            ),
        ),
        Example("too small", lambda: ended("Too small maximum heap")),
        Example("of another program", lambda: ended("Unrecognized option: --fast"), speaks=False),
    ),
    "tez_too_many_counters": (
        Example(
            "of a client",
            lambda: failed(
                "org.apache.tez.common.counters.LimitExceededException: Too many counters: 1201 "
                "max=1200"
            ),
        ),
        Example(
            "of groups",
            lambda: failed(
                "org.apache.tez.common.counters.LimitExceededException: Too many counter groups: "
                "501 max=500"
            ),
        ),
        Example(
            "of MapReduce",
            lambda: failed(
                "org.apache.hadoop.mapreduce.counters.LimitExceededException: Too many counters: "
                "121 max=120"
            ),
            speaks=False,
        ),
    ),
    "hdfs_quota": (
        Example(
            "of space",
            lambda: failed(
                "org.apache.hadoop.hdfs.protocol.DSQuotaExceededException: The DiskSpace quota of "
                "/user/ann is exceeded: quota = 1024 B = 1 KB but diskspace consumed = 2048 B"
            ),
        ),
        Example(
            "of a disk",
            lambda: failed("java.io.IOException: No space left on device"),
            speaks=False,
        ),
    ),
    "path_refused": (
        Example(
            "the output is there already",
            lambda: failed(
                "org.apache.hadoop.mapred.FileAlreadyExistsException: Output directory "
                "hdfs://n/out already exists"
            ),
        ),
        Example(
            "no input",
            lambda: failed(
                "org.apache.hadoop.mapreduce.lib.input.InvalidInputException: Input path does not "
                "exist: hdfs://n/in"
            ),
        ),
        Example("no permission", lambda: failed(f"{_ACCESS}: Permission denied: user=me")),
        Example(
            "safe mode",
            lambda: failed(f"{_SAFE_MODE}: Cannot create file /out. Name node is in safe mode."),
        ),
        Example("another failure", lambda: failed("java.io.IOException: closed"), speaks=False),
    ),
    "blocks_not_fetched": (
        Example(
            "Spark",
            lambda: failed("org.apache.spark.shuffle.FetchFailedException: Failed to connect to w"),
        ),
        Example(
            "Tez",
            lambda: failed(
                "java.io.IOException: Map_2: Shuffle failed with too many fetch failures and "
                "insufficient progress!failureCounts=45"
            ),
        ),
        Example(
            "a reducer of MapReduce",
            lambda: failed("java.io.IOException: Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out."),
            speaks=False,
        ),
    ),
    "too_many_hfiles": (
        Example(
            "of a family",
            lambda: failed(
                "java.io.IOException: Trying to load more than 32 hfiles to one family of one "
                "region"
            ),
        ),
        Example(
            "another error of the load",
            lambda: failed("java.io.IOException: BulkLoad encountered an unrecoverable problem"),
            speaks=False,
        ),
    ),
    "port_in_use": (
        Example(
            "of a driver of Spark",
            lambda: failed(
                "java.net.BindException: Address already in use: Service 'SparkUI' failed after 16 "
                "retries (starting from 4040)!"
            ),
        ),
        Example(
            "of a server",
            lambda: failed(
                "java.net.BindException: Problem binding to [w1:8042] java.net.BindException: "
                "Address already in use"
            ),
        ),
        Example(
            "a file that is open",
            lambda: failed("java.io.IOException: Text file busy"),
            speaks=False,
        ),
    ),
    "address_not_of_the_machine": (
        Example(
            "of a driver of Spark",
            lambda: failed(
                "java.net.BindException: Cannot assign requested address: Service 'sparkDriver' "
                "failed after 16 retries (on a random free port)!"
            ),
        ),
        Example(
            "a port in use",
            lambda: failed("java.net.BindException: Address already in use"),
            speaks=False,
        ),
    ),
    "driver_not_reached": (
        Example(
            "uncaught",
            lambda: failed("org.apache.spark.SparkException: Failed to connect to driver!"),
        ),
        Example(
            "another process",
            lambda: failed("java.io.IOException: Failed to connect to w1:7337"),
            speaks=False,
        ),
    ),
    "no_kerberos_realm": (
        Example(
            "of Hadoop",
            lambda: failed("java.lang.IllegalArgumentException: Can't get Kerberos realm"),
        ),
        Example(
            "no credentials",
            lambda: failed("java.io.IOException: GSS initiate failed"),
            speaks=False,
        ),
    ),
    "host_not_reached": (
        Example("refused", lambda: failed("java.net.ConnectException: Connection refused")),
        Example(
            "the ResourceManager's address is not set",
            lambda: ended("Retrying connect to server: 0.0.0.0/0.0.0.0:8030. Already tried 3"),
        ),
        Example("a timeout of the task", lambda: ended("Timed out after 600 secs"), speaks=False),
    ),
    "reason_is_elsewhere": (
        Example(
            "a job of which a task failed",
            lambda: replace(
                ended("Task failed task_1700000000000_0001_m_000003 (diagnostics)"),
                attempt=_NO_ATTEMPT,
            ),
        ),
        Example(
            "a job that ran in one JVM",
            lambda: replace(
                ended("NA (diagnostics)"), attempt=_NO_ATTEMPT, job=Job("job_local123_0001")
            ),
        ),
        Example(
            "a stack that is cut off",
            lambda: failed(
                "java.lang.RuntimeException: Error in configuring object",
                "java.lang.reflect.InvocationTargetException",
            ),
        ),
        Example(
            "an attempt that said why", lambda: failed("java.io.IOException: closed"), speaks=False
        ),
    ),
    "split_list_too_large": (
        Example(
            "in the job's diagnostics",
            lambda: ended(f"Job initialization failed: java.io.IOException: {_TOO_MANY_SPLITS}"),
        ),
        Example(
            "in the application master's log",
            lambda: failed(f"java.io.IOException: {_TOO_MANY_SPLITS}", stack=(_SPLIT_READER,)),
        ),
        Example(
            "another error of the same class",
            lambda: failed("java.io.IOException: Split metadata is gone"),
            speaks=False,
        ),
    ),
    "shuffle_fetch_failures": (
        Example(
            "Hadoop 1",
            lambda: ended("Shuffle Error: Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out."),
        ),
        Example(
            "Hadoop 3",
            lambda: failed(
                "org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle in "
                "fetcher#1",
                "java.io.IOException: Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out.",
            ),
        ),
        Example(
            "the fetcher's heap was full",
            lambda: out_of_memory(_MAP_OUTPUT, _FETCHER, side="reduce"),
            speaks=False,
        ),
    ),
    "columnar_writer": (
        Example(
            "a writer of Parquet makes a column's buffers",
            lambda: out_of_memory(
                "org.apache.parquet.column.values.dictionary.IntList.initSlab",
                "org.apache.parquet.column.impl.ColumnWriteStoreV1.getColumnWriter",
                "org.apache.parquet.hadoop.InternalParquetRecordWriter.write",
            ),
        ),
        Example(
            "a writer of ORC adds a row",
            lambda: out_of_memory(
                "org.apache.orc.impl.OutStream.getNewInputBuffer",
                "org.apache.orc.impl.WriterImpl.addRowBatch",
                side="reduce",
            ),
        ),
        Example(
            "a reader of Parquet",
            lambda: out_of_memory(
                "java.util.Arrays.copyOf",
                "org.apache.parquet.hadoop.ParquetFileReader.readNextRowGroup",
                "com.example.Job.map",
            ),
            speaks=False,
        ),
        Example(
            "a heap of which a dump is at hand",
            lambda: replace(
                holding("byte[]"),
                death=out_of_memory("org.apache.parquet.column.impl.ColumnWriterV1.write").death,
            ),
            speaks=False,
        ),
    ),
    "hive_last_reducer": (
        Example("of 40 reducers, of a join", lambda: _left_of(97, "JOIN")),
        Example("when half of it was done", lambda: _left_of(50, "JOIN"), speaks=False),
        Example("of a query without either", lambda: _left_of(97), speaks=False),
    ),
    "hive_collects_a_group": (
        Example("a list of a group", lambda: out_of_memory("java.util.ArrayList.grow", _COLLECTS)),
        Example("a sum of a group", lambda: out_of_memory(_SUMS), speaks=False),
    ),
    "hive_local_task": (
        Example(
            "the share of the heap is known",
            lambda: _of_program(
                "MapredLocalTask",
                ended(
                    "return code 3 from org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask; "
                    "Processing rows:\t900000\tHashtable size:\t899999\tMemory usage:\t"
                    "460000000\tpercentage:\t0.92",
                    kind="heap",
                ),
            ),
        ),
        Example(
            "nothing but the exit code",
            lambda: _of_program(
                "MapredLocalTask",
                ended("Execution failed with exit status: 3", kind="heap"),
            ),
        ),
        Example(
            "another exit code, which is for any other fault",
            lambda: _of_program("MapredLocalTask", ended("Execution failed with exit status: 2")),
            speaks=False,
        ),
    ),
    "hive_local_task_failed": (
        Example(
            "the code of any other fault",
            lambda: _of_program("MapredLocalTask", ended(f"return code 1 from {_LOCAL_TASK}")),
        ),
        Example(
            "the code for memory",
            lambda: _of_program(
                "MapredLocalTask", ended(f"return code 3 from {_LOCAL_TASK}", kind="heap")
            ),
            speaks=False,
        ),
    ),
    "hive_map_aggregation": (
        Example(
            "with the share that is set",
            lambda: _aggregates(
                "Out of memory due to hash maps used in map-side aggregation.; Currently "
                "hive.map.aggr.hash.percentmemory is set to 0.25."
            ),
        ),
        Example(
            "without",
            lambda: _aggregates("Out of memory due to hash maps used in map-side aggregation."),
        ),
        Example(
            "by the frames of the table",
            lambda: out_of_memory(
                "java.util.HashMap.resize",
                "org.apache.hadoop.hive.ql.exec.GroupByOperator.processHashAggr",
            ),
        ),
        Example(
            "groups of sorted rows, without a table",
            lambda: out_of_memory("org.apache.hadoop.hive.ql.exec.GroupByOperator.processAggr"),
            speaks=False,
        ),
        Example("any other heap", lambda: out_of_memory("com.example.Job.map"), speaks=False),
    ),
    "local_job_runner": (
        Example(
            "a reducer in the JVM of the command",
            lambda: _of_program(
                "org.apache.hadoop.mapred.LocalJobRunner$Job",
                out_of_memory("com.example.Job.reduce", "org.apache.hadoop.mapred.ReduceTask.run"),
            ),
        ),
        Example("a map task", lambda: out_of_memory("com.example.Job.map"), speaks=False),
    ),
    "of_other_program": (
        Example(
            "an executor of Spark was killed",
            lambda: _of_program(
                "Lost executor 9",
                ended(
                    "Container killed by YARN for exceeding memory limits. 5.5 GB of 5.5 GB "
                    "physical memory used.",
                    kind="container-physical",
                ),
            ),
        ),
        Example(
            "a task of Tez ran out of heap",
            lambda: _of_program("TezChild", out_of_memory("com.example.Udf.evaluate")),
        ),
        Example(
            "direct buffers of Spark",
            lambda: _of_program(
                "org.apache.spark.network.Server",
                out_of_memory("java.nio.Bits.reserveMemory", words=_DIRECT_LIMIT, kind="direct"),
            ),
        ),
        Example("a map task", lambda: out_of_memory("com.example.Job.map"), speaks=False),
        Example(
            "an executor that failed for no memory",
            lambda: _of_program("Lost executor 9", failed("java.io.IOException: No space left")),
            speaks=False,
        ),
    ),
    "too_many_counters": (
        Example(
            "Hadoop 3",
            lambda: failed(
                "org.apache.hadoop.mapreduce.counters.LimitExceededException: "
                "Too many counters: 121 max=120"
            ),
        ),
        Example(
            "Hadoop 1",
            lambda: failed(
                "org.apache.hadoop.mapred.Counters$CountersExceededException: "
                "Error: Exceeded limits on number of counters - Counters=120 "
                "Limit=120"
            ),
        ),
        Example(
            "a TaskTracker that ends the task",
            lambda: ended(
                "Error: Exceeded counter limits - Counters=121 Limit=120. Groups=3 Limit=50"
            ),
        ),
        Example(
            "a JobTracker that is asked for them",
            lambda: failed(
                "org.apache.hadoop.ipc.RemoteException: java.io.IOException: Counters Exceeded "
                "limit: 120"
            ),
        ),
        Example(
            "the same words in an error of the job's own",
            lambda: failed("java.lang.IllegalStateException: Too many counters: 121 max=120"),
            speaks=False,
        ),
    ),
    "task_timeout": (
        Example(
            "Hadoop 2",
            lambda: ended(
                "AttemptID:attempt_1_0001_m_000000_0 Timed out after 600 secs "
                "(diagnostics); whether its heap was full is not known"
            ),
        ),
        Example(
            "Hadoop 3.4",
            lambda: ended(
                "AttemptID:attempt_1_0001_m_000000_0 task timeout set: 600s, "
                "taskTimedOut: true; task stuck timeout set: 0s, taskStuck: false"
            ),
        ),
        Example(
            "Hadoop 1",
            lambda: ended(
                "Task attempt_1_0001_m_000000_0 failed to report status for 601 seconds. Killing!"
            ),
        ),
        Example(
            "a timeout of the job's own",
            lambda: failed("java.io.IOException: Timed out after 600 secs"),
            speaks=False,
        ),
    ),
    "streaming_program_failed": (
        Example("1", lambda: failed(f"{_PROGRAM_FAILED}1", stack=(_STREAMING,))),
        Example("137", lambda: failed(f"{_PROGRAM_FAILED}137", stack=(_STREAMING,))),
        Example(
            "an exception in the thread that reads its output",
            lambda: failed(
                "java.io.IOException: Type mismatch in value from map",
                stack=("org.apache.hadoop.streaming.PipeMapRed$MROutputThread.run",),
            ),
            speaks=False,
        ),
    ),
    "pipes_program_lost": (
        Example("the end of the socket", lambda: failed(_PIPES_FAILED, "java.io.EOFException")),
        Example(
            "an exception of the job's code in the same place",
            lambda: failed(_PIPES_FAILED, "java.lang.IllegalStateException: no such key"),
            speaks=False,
        ),
    ),
    "exit_sigterm": (
        Example(
            "of YARN",
            lambda: ended("Container exited with a non-zero exit code 143", exit_code=143),
        ),
        Example(
            "of Hadoop 1",
            lambda: failed(
                "java.lang.Throwable: Child Error",
                "java.io.IOException: Task process exit with nonzero status of 143.",
            ),
        ),
        Example(
            "beside a kill for memory",
            lambda: ended(
                "running beyond physical memory limits", kind="container-physical", exit_code=143
            ),
            speaks=False,
        ),
    ),
    "exit_sigkill": (
        Example(
            "of YARN",
            lambda: ended("Container exited with a non-zero exit code 137", exit_code=137),
        ),
        Example(
            "of Hadoop 1",
            lambda: failed(
                "java.lang.Throwable: Child Error",
                "java.io.IOException: Task process exit with nonzero status of 137.",
            ),
        ),
        Example(
            "a task whose options kill it when its heap is full",
            lambda: ended(
                "Container exited with a non-zero exit code 137",
                exit_code=137,
                conf={"mapreduce.map.java.opts": '-Xmx512m -XX:OnOutOfMemoryError="kill -9 %p"'},
            ),
        ),
        Example(
            "the same number of a program that Streaming ran",
            lambda: failed(
                "java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): "
                "subprocess failed with code 137"
            ),
            speaks=False,
        ),
    ),
    "exit_abort": (
        Example(
            "of YARN",
            lambda: ended("Container exited with a non-zero exit code 134", exit_code=134),
        ),
        Example(
            "another code",
            lambda: ended("Container exited with a non-zero exit code 1", exit_code=1),
            speaks=False,
        ),
    ),
    "exit_failure": (
        Example(
            "255", lambda: ended("Container exited with a non-zero exit code 255", exit_code=255)
        ),
        Example("1", lambda: ended("Exit code: 1", exit_code=1)),
        Example(
            "a code of YARN's own", lambda: ended("Exit code is -105", exit_code=-105), speaks=False
        ),
    ),
    "exit_of_yarn": (
        Example("preempted", lambda: ended("Exit status: -102", exit_code=-102)),
        Example(
            "killed for memory",
            lambda: ended("Exit status: -104", kind="container-physical", exit_code=-104),
            speaks=False,
        ),
    ),
    "application_master_not_started": (
        Example(
            "its node could not prepare it",
            lambda: ended(
                "AM Container for appattempt_1_0001_000002 exited with  exitCode: -1000",
                kind="application-master",
                exit_code=-1000,
            ),
        ),
        Example(
            "a process that ended",
            lambda: ended(
                "AM Container for appattempt_1_0001_000002 exited with  exitCode: 1",
                kind="application-master",
                exit_code=1,
            ),
            speaks=False,
        ),
    ),
    "file_of_container_refused": (
        Example(
            "written again",
            lambda: ended(
                "AM Container for appattempt_1_0001_000002 exited with  exitCode: -1000 "
                "(diagnostics); Diagnostics: Resource hdfs://nn/lib/a.jar changed on src "
                "filesystem (expected 1700000000000, was 1700000099000",
                kind="application-master",
                exit_code=-1000,
            ),
        ),
        Example(
            "gone",
            lambda: failed(
                "java.io.FileNotFoundException: File does not exist: hdfs://nn/lib/a.jar",
                stack=("org.apache.hadoop.yarn.util.FSDownload.copy",),
            ),
        ),
        Example(
            "an input file that is gone",
            lambda: failed(
                "java.io.FileNotFoundException: File does not exist: hdfs://nn/in/part-0",
                stack=("org.apache.hadoop.mapred.MapTask.run",),
            ),
            speaks=False,
        ),
    ),
    "copy_differs": (
        Example(
            "in its length",
            lambda: failed(
                "java.io.IOException: Mismatch in length of source:hdfs://a/x and target:hdfs://b/x"
            ),
        ),
        Example(
            "in its checksum",
            lambda: failed(
                "java.io.IOException: Check-sum mismatch between hdfs://a/x and hdfs://b/x."
            ),
        ),
        Example(
            "another failure of a copy",
            lambda: failed("java.io.IOException: File copy failed: hdfs://a/x --> hdfs://b/x"),
            speaks=False,
        ),
    ),
    "scanner_timed_out": (
        Example(
            "with both times",
            lambda: failed(
                "org.apache.hadoop.hbase.client.ScannerTimeoutException: 88966ms passed since the "
                "last invocation, timeout is currently set to 60000"
            ),
        ),
        Example(
            "of the server",
            lambda: failed("org.apache.hadoop.hbase.UnknownScannerException: Name: 7"),
        ),
        Example(
            "another time that was too long",
            lambda: failed("java.net.SocketTimeoutException: 60000 millis timeout"),
            speaks=False,
        ),
    ),
    "compressed_input_is_cut": (
        Example(
            "a file that ends too early",
            lambda: failed("java.io.EOFException: Unexpected end of input stream"),
        ),
        Example("a damaged one", lambda: failed("java.io.IOException: incorrect data check")),
        Example(
            "of the JDK",
            lambda: failed("java.io.EOFException: Unexpected end of ZLIB input stream"),
        ),
        Example(
            "a connection that ended", lambda: failed("java.io.EOFException: null"), speaks=False
        ),
    ),
    "no_datanode_for_a_block": (
        Example(
            "no room on any",
            lambda: failed(
                "org.apache.hadoop.ipc.RemoteException(java.io.IOException): File /out/part-0 "
                "could only be replicated to 0 nodes instead of minReplication (=1).  There are 5 "
                "datanode(s) running and no node(s) are excluded in this operation."
            ),
        ),
        Example(
            "of Hadoop 3",
            lambda: failed(
                "org.apache.hadoop.ipc.RemoteException(java.io.IOException): File /out/part-0 "
                "could only be written to 0 of the 1 minReplication nodes. There are 0 datanode(s) "
                "running and 0 node(s) are excluded in this operation."
            ),
        ),
        Example(
            "a quota",
            lambda: failed(
                "org.apache.hadoop.hdfs.protocol.DSQuotaExceededException: The DiskSpace quota of "
                "/user/a is exceeded: quota = 10 B = 10 B but diskspace consumed = 12 B = 12 B"
            ),
            speaks=False,
        ),
    ),
    "map_output_lost": (
        Example(
            "with the host that reported it",
            lambda: failed(
                "Too many fetch failures. Failing the attempt. Last failure reported by "
                "attempt_1_0001_r_000003_0 from host w7.example"
            ),
        ),
        Example("of Hadoop 1", lambda: failed("Too many fetch-failures")),
        Example(
            "of the reducer that gave up",
            lambda: failed("java.io.IOException: Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out."),
            speaks=False,
        ),
    ),
    "application_master_died": (
        Example(
            "killed for physical memory",
            lambda: ended(
                "Container [pid=1,containerID=container_1_0001_01_000001] is running "
                "beyond physical memory limits.",
                kind="application-master",
            ),
        ),
        Example(
            "killed for virtual memory",
            lambda: ended(
                _KILLED_FOR_VIRTUAL,
                kind="application-master",
                end=parse_container_end(_KILLED_FOR_VIRTUAL),
            ),
            speaks=False,
        ),
        Example(
            "an exit code alone",
            lambda: ended(
                "AM Container for appattempt_1_0001_000002 exited with  exitCode: 1",
                kind="application-master",
            ),
        ),
        Example(
            "a task that was killed",
            lambda: ended("is running beyond physical memory limits", kind="container-physical"),
            speaks=False,
        ),
    ),
    "client_heap": (
        Example(
            "while it makes the splits",
            lambda: out_of_memory(f"{_INPUT_FORMAT}.getSplits", f"{_SUBMITTER}.writeNewSplits"),
        ),
        Example("the driver that mprof ran", _driver),
        Example(
            "a task that lists files by itself",
            lambda: out_of_memory(f"{_INPUT_FORMAT}.listStatus", "com.example.Job.setup"),
            speaks=False,
        ),
    ),
    "codec_never_returned": (
        Example(
            "another is made, and direct memory is out",
            lambda: out_of_memory(
                "java.nio.Bits.reserveMemory",
                f"{_CODECS}.zlib.ZlibDecompressor.<init>",
                "com.example.Job.map",
                words="Direct buffer memory",
                kind="direct",
            ),
        ),
        Example("they fill the heap", lambda: holding("java.util.zip.Deflater")),
        Example(
            "one is at work",
            lambda: out_of_memory("java.util.zip.Inflater.inflate", "com.example.Job.map"),
            speaks=False,
        ),
    ),
    "configuration_copies": (
        Example(
            "one more is made in map()",
            lambda: out_of_memory(f"{_CONF}.<init>", f"{_JOB_CONF}.<init>", "com.example.Job.map"),
        ),
        Example("they fill the heap", lambda: holding(_JOB_CONF)),
        Example(
            "Hadoop makes that of the task",
            lambda: out_of_memory(
                f"{_CONF}.loadResources",
                f"{_JOB_CONF}.<init>",
                "org.apache.hadoop.mapred.YarnChild.main",
            ),
            speaks=False,
        ),
        Example(
            "a property is read",
            lambda: out_of_memory(f"{_CONF}.get", "com.example.Job.map"),
            speaks=False,
        ),
    ),
    "counters_of_the_data": (
        Example(
            "another is made",
            lambda: out_of_memory(
                f"{_COUNTERS}.AbstractCounterGroup.addCounterImpl", "com.example.Job.map"
            ),
        ),
        Example("they fill the heap", lambda: holding(f"{_COUNTERS}.GenericCounter")),
        Example(
            "one is counted up",
            lambda: out_of_memory(f"{_COUNTERS}.GenericCounter.increment", "com.example.Job.map"),
            speaks=False,
        ),
    ),
    "file_system_never_closed": (
        Example(
            "one is made while the heap is full",
            lambda: out_of_memory(
                f"{_HDFS_CLIENT}.<init>",
                f"{_HDFS_FILE_SYSTEM}.initialize",
                f"{_FILE_SYSTEM}.createFileSystem",
                "com.example.Job.map",
            ),
        ),
        Example("clients fill the heap", lambda: holding(_HDFS_CLIENT)),
        Example(
            "the cache holds most of the heap",
            lambda: holding("java.util.HashMap", held_by=_FILE_SYSTEM),
        ),
        Example(
            "an open file system is used",
            lambda: out_of_memory(f"{_HDFS_FILE_SYSTEM}.open", "com.example.Job.map"),
            speaks=False,
        ),
    ),
    "hbase_scanner_caching": (
        Example(
            "a fetch is read",
            lambda: out_of_memory(
                "org.apache.hadoop.hbase.CellUtil.cloneValue",
                "org.apache.hadoop.hbase.client.ScannerCallable.call",
            ),
        ),
        Example(
            "a text that sets many rows",
            lambda: _with_needs(out_of_memory(side="map"), Needs(rows_at_once=2000)),
        ),
        Example(
            "a text that sets few",
            lambda: _with_needs(out_of_memory(side="map"), Needs(rows_at_once=50)),
            speaks=False,
        ),
        Example(
            "a row is written",
            lambda: out_of_memory("org.apache.hadoop.hbase.client.HTable.put"),
            speaks=False,
        ),
    ),
    "hive_query_of_a_whole_table": (
        Example(
            "partitions are fetched",
            lambda: out_of_memory(
                "org.apache.hadoop.hive.metastore.HiveMetaStoreClient.getPartitionsByNames",
                "org.apache.hadoop.hive.ql.optimizer.ppr.PartitionPruner.getPartitionsFromServer",
            ),
        ),
        Example(
            "a table is fetched",
            lambda: out_of_memory("org.apache.hadoop.hive.metastore.HiveMetaStoreClient.getTable"),
            speaks=False,
        ),
    ),
    "hive_rows_of_a_fetch": (
        Example(
            "rows are put together",
            lambda: out_of_memory(
                "org.apache.hive.service.cli.ColumnBasedSet.addRow",
                "org.apache.hive.service.cli.operation.SQLOperation.getNextRowSet",
            ),
        ),
        Example(
            "a query is compiled",
            lambda: out_of_memory("org.apache.hive.service.cli.operation.SQLOperation.prepare"),
            speaks=False,
        ),
    ),
    "hive_map_join_does_not_fit": (
        Example(
            "a table is loaded",
            lambda: out_of_memory(
                "org.apache.hadoop.hive.ql.exec.persistence.HashMapWrapper.put",
                "org.apache.hadoop.hive.ql.exec.MapJoinOperator.loadHashTable",
                "org.apache.hadoop.hive.ql.exec.mr.ExecMapper.map",
            ),
        ),
        Example(
            "rows are joined",
            lambda: out_of_memory(
                "org.apache.hadoop.hive.ql.exec.MapJoinOperator.process",
                "org.apache.hadoop.hive.ql.exec.mr.ExecMapper.map",
            ),
            speaks=False,
        ),
    ),
    "hbase_row_of_a_bulk_load": (
        Example(
            "a row is collected",
            lambda: out_of_memory(
                "java.util.TreeMap.put",
                "org.apache.hadoop.hbase.mapreduce.PutSortReducer.reduce",
            ),
        ),
        Example(
            "a file is written",
            lambda: out_of_memory("org.apache.hadoop.hbase.mapreduce.HFileOutputFormat2$1.write"),
            speaks=False,
        ),
    ),
    "pig_nested_distinct": (
        Example(
            "a group is read",
            lambda: out_of_memory(
                "org.apache.pig.data.DistinctDataBag.add",
                "org.apache.pig.backend.hadoop.executionengine.physicalLayer.relationalOperators."
                "PODistinct.getNextTuple",
            ),
        ),
        Example(
            "another operator",
            lambda: out_of_memory(
                "org.apache.pig.backend.hadoop.executionengine.physicalLayer.relationalOperators."
                "POForEach.getNextTuple"
            ),
            speaks=False,
        ),
    ),
    "interned_strings": (
        Example(
            "in the permanent generation",
            lambda: out_of_memory(
                "java.lang.String.intern",
                "com.example.Job.map",
                words="PermGen space",
                kind="metaspace",
            ),
        ),
        Example("a strong interner fills the heap", lambda: holding(f"{_INTERNERS}$InternerImpl")),
        Example(
            "a string is made",
            lambda: out_of_memory("java.lang.String.<init>", "com.example.Job.map"),
            speaks=False,
        ),
    ),
    "beeline_buffers_the_result": (
        Example(
            "rows of a result",
            lambda: out_of_memory(
                "org.apache.hive.jdbc.HiveQueryResultSet.next",
                "org.apache.hive.beeline.BufferedRows.<init>",
            ),
        ),
        Example(
            "rows as they come",
            lambda: out_of_memory(
                "org.apache.hive.jdbc.HiveQueryResultSet.next",
                "org.apache.hive.beeline.IncrementalRows.next",
            ),
            speaks=False,
        ),
    ),
    "jdbc_result_without_fetch_size": (
        Example(
            "MySQL reads all rows",
            lambda: out_of_memory(
                "com.mysql.jdbc.MysqlIO.nextRowFast",
                "com.mysql.jdbc.MysqlIO.readSingleRowSet",
                "com.example.Job.setup",
            ),
        ),
        Example("rows of PostgreSQL fill the heap", lambda: holding("org.postgresql.core.Tuple")),
        Example(
            "a query is sent",
            lambda: out_of_memory(f"{_POSTGRESQL}.sendQuery", "com.example.Job.setup"),
            speaks=False,
        ),
    ),
    "multithreaded_mapper": (
        Example(
            "one of its threads died",
            lambda: out_of_memory("com.example.Job.map", f"{_THREADED}$MapRunner.run"),
        ),
        Example(
            "the job sets it",
            lambda: out_of_memory(conf={"mapreduce.job.map.class": _THREADED, _THREADS: "32"}),
        ),
        Example(
            "an ordinary mapper",
            lambda: out_of_memory("com.example.Job.map", "org.apache.hadoop.mapreduce.Mapper.run"),
            speaks=False,
        ),
    ),
    "object_output_stream_without_reset": (
        Example(
            "its table grows",
            lambda: out_of_memory(
                "java.util.Arrays.copyOf",
                f"{_OBJECT_STREAM}$HandleTable.growEntries",
                f"{_OBJECT_STREAM}.writeObject",
                "com.example.Job.map",
            ),
        ),
        Example(
            "its table holds most of the heap", lambda: holding(f"{_OBJECT_STREAM}$HandleTable")
        ),
        Example(
            "it only writes when the heap is full",
            lambda: out_of_memory(f"{_OBJECT_STREAM}.writeObject", "com.example.Job.map"),
            speaks=False,
        ),
    ),
    "thread_local_values": (
        Example("a value holds most of the heap", _of_thread_local),
        Example(
            "the table of a thread grows",
            lambda: out_of_memory(f"{_THREAD_LOCALS}.resize", "com.example.Job.map"),
        ),
        Example(
            "a value is read",
            lambda: out_of_memory("java.lang.ThreadLocal.get", "com.example.Job.map"),
            speaks=False,
        ),
    ),
    "writer_per_key": (
        Example(
            "another writer is opened, and no thread is left",
            lambda: out_of_memory(
                "java.lang.Thread.start0",
                f"{_HDFS_STREAM}.start",
                f"{_OUTPUTS}.getRecordWriter",
                "com.example.Job.reduce",
                words="unable to create new native thread",
                kind="threads",
                side="reduce",
            ),
        ),
        Example("writers fill the heap", lambda: holding("java.util.HashMap", held_by=_OUTPUTS)),
        Example(
            "an open writer is written to",
            lambda: out_of_memory(f"{_OUTPUTS}.write", "com.example.Job.reduce", side="reduce"),
            speaks=False,
        ),
    ),
    "record_of_program_too_large": (
        Example(
            "typed bytes",
            lambda: out_of_memory(
                "org.apache.hadoop.typedbytes.TypedBytesInput.readRawBytes",
                "org.apache.hadoop.streaming.io.TypedBytesOutputReader.readKeyValue",
            ),
        ),
        Example(
            "Pipes",
            lambda: out_of_memory(
                "org.apache.hadoop.mapred.pipes.BinaryProtocol$UplinkReaderThread.readObject"
            ),
        ),
        Example(
            "lines of text",
            lambda: out_of_memory("org.apache.hadoop.streaming.io.TextOutputReader.readKeyValue"),
            speaks=False,
        ),
    ),
    "died_in_configure": (
        Example("of the old API", lambda: _configuring(_HEAP_WORDS)),
        Example(
            "an error of the job's own there",
            lambda: failed(
                "java.lang.RuntimeException: Error in configuring object",
                "java.io.FileNotFoundException: model.bin",
            ),
            speaks=False,
        ),
        Example(
            "in map()",
            lambda: out_of_memory("com.example.Job.map", "org.apache.hadoop.mapred.MapTask.run"),
            speaks=False,
        ),
    ),
    "thrift_length": (
        Example(
            "a string that is read",
            lambda: of_any_process(
                out_of_memory("org.apache.thrift.protocol.TBinaryProtocol.readStringBody")
            ),
        ),
        Example(
            "a list that is written",
            lambda: of_any_process(
                out_of_memory("org.apache.thrift.protocol.TBinaryProtocol.writeString")
            ),
            speaks=False,
        ),
    ),
    "process_not_named": (
        Example("frames of no task", lambda: of_any_process(out_of_memory("com.acme.Web.serve"))),
        Example("no frame", lambda: of_any_process(out_of_memory())),
        Example(
            "a frame of a task",
            lambda: of_any_process(out_of_memory("org.apache.hadoop.mapred.MapTask.run")),
            speaks=False,
        ),
        Example("an attempt", lambda: out_of_memory("com.acme.Web.serve"), speaks=False),
    ),
    "server_heap": (
        Example("a NameNode", lambda: of_server("org.apache.hadoop.hdfs.server.namenode.FSImage")),
        Example(
            "one of which nothing is known",
            lambda: of_server("org.apache.zookeeper.server.DataTree"),
            speaks=False,
        ),
    ),
    "tez_sort_buffer_does_not_fit": (
        Example("as it is made", lambda: _of_tez(f"{_TEZ_SORTERS}PipelinedSorter.<init>")),
        Example(
            "while it sorts", lambda: _of_tez(f"{_TEZ_SORTERS}PipelinedSorter.sort"), speaks=False
        ),
    ),
    "tez_sort_buffer_refused": (
        Example(
            "540 MB in 178 MB",
            lambda: failed(
                "java.lang.IllegalArgumentException: tez.runtime.io.sort.mb 540 should be larger "
                "than 0 and should be less than the available task memory (MB):178"
            ),
        ),
        Example(
            "another argument",
            lambda: failed("java.lang.IllegalArgumentException: tez.runtime.io.sort.factor 0"),
            speaks=False,
        ),
    ),
    "tez_map_join_does_not_fit": (
        Example(
            "while it is loaded",
            lambda: _of_tez(
                "org.apache.hadoop.hive.ql.exec.persistence.BytesBytesMultiHashMap.expandAndRehash",
                "org.apache.hadoop.hive.ql.exec.tez.HashTableLoader.load",
            ),
        ),
        Example(
            "another operator",
            lambda: _of_tez("org.apache.hadoop.hive.ql.exec.GroupByOperator.process"),
            speaks=False,
        ),
    ),
    "tez_splits": (
        Example(
            "of ORC",
            lambda: _of_tez("org.apache.hadoop.hive.ql.io.orc.OrcInputFormat.generateSplitsInfo"),
        ),
        Example(
            "of a reader of ORC in a task",
            lambda: _of_tez("org.apache.orc.impl.RecordReaderImpl.readStripe"),
            speaks=False,
        ),
    ),
    "spark_execution_memory": (
        Example(
            "of a sort",
            lambda: failed(
                "org.apache.spark.memory.SparkOutOfMemoryError: Unable to acquire 65536 bytes of "
                "memory, got 0"
            ),
        ),
        Example(
            "of the heap itself",
            lambda: out_of_memory("org.apache.spark.memory.MemoryConsumer.allocateArray"),
            speaks=False,
        ),
    ),
    "pig_replicated_join": (
        Example("a relation is loaded", lambda: out_of_memory(f"{_REPLICATED}.setUpHashMap")),
        Example(
            "its script alone",
            lambda: _with_needs(out_of_memory(side="map"), Needs(replicated=("small", "large"))),
        ),
        Example(
            "a reduce task of that script",
            lambda: _with_needs(out_of_memory(side="reduce"), Needs(replicated=("small", "large"))),
            speaks=False,
        ),
        Example(
            "rows are joined", lambda: out_of_memory(f"{_REPLICATED}.getNextTuple"), speaks=False
        ),
    ),
    "spark_hash_table_of_a_join": (
        Example(
            "of a shuffled hash join",
            lambda: out_of_memory(f"{_OF_JOINS}.ShuffledHashJoinExec.buildHashedRelation"),
        ),
        Example(
            "of a broadcast join",
            lambda: out_of_memory(
                f"{_OF_JOINS}.LongToUnsafeRowMap.read",
                "org.apache.spark.broadcast.TorrentBroadcast.readBroadcastBlock",
            ),
        ),
        Example(
            "another value that is broadcast",
            lambda: out_of_memory("org.apache.spark.broadcast.TorrentBroadcast.readBroadcastBlock"),
            speaks=False,
        ),
    ),
    "spark_broadcast_does_not_fit": (
        Example(
            "in Spark's words",
            lambda: out_of_memory(
                words="Not enough memory to build and broadcast the table to all worker nodes."
            ),
        ),
        Example(
            "another part of the driver",
            lambda: out_of_memory("org.apache.spark.sql.execution.SparkPlan.executeCollect"),
            speaks=False,
        ),
    ),
    "spark_results_fill_the_driver": (
        Example(
            "while a result is taken in",
            lambda: _of_program(
                _DRIVER, out_of_memory("org.apache.spark.scheduler.TaskResultGetter$$anon$3.run")
            ),
        ),
        Example(
            "in the action that asked",
            lambda: _of_program(_DRIVER, out_of_memory("org.apache.spark.rdd.RDD.collect")),
        ),
        Example(
            "a table that is broadcast",
            lambda: _of_program(
                _DRIVER,
                out_of_memory(
                    "org.apache.spark.sql.execution.exchange.BroadcastExchangeExec.call",
                    "org.apache.spark.sql.execution.SparkPlan.executeCollectIterator",
                ),
            ),
            speaks=False,
        ),
        Example(
            "an executor",
            lambda: _of_program("ExecutorLostFailure", out_of_memory("com.example.Udf.call")),
            speaks=False,
        ),
        Example(
            "a map task",
            lambda: out_of_memory("org.apache.spark.rdd.RDD.collect"),
            speaks=False,
        ),
    ),
    "spark_broadcast_is_not_stored": (
        Example("in the driver", lambda: _with_needs(_driver_of_spark(), _NOT_STORED)),
        Example(
            "nothing of a broadcast", lambda: _with_needs(_driver_of_spark(), Needs()), speaks=False
        ),
        Example("a reducer", lambda: _with_needs(out_of_memory(), _NOT_STORED), speaks=False),
    ),
    "pod_over_its_limit": (
        Example(
            "as the API says",
            lambda: ended("exitCode=137, reason=OOMKilled", kind="container-physical"),
        ),
        Example("killed by YARN", lambda: ended(_KILLED, kind="container-physical"), speaks=False),
    ),
    "spark_results_too_large": (
        Example(
            "1 GB",
            lambda: ended(
                "Total size of serialized results of 18 tasks (1024.3 MiB) is bigger than "
                "spark.driver.maxResultSize (1024.0 MiB)"
            ),
        ),
        Example("a heap", lambda: out_of_memory("com.example.Job.map"), speaks=False),
    ),
    "spark_kryo_buffer": (
        Example(
            "overflow",
            lambda: failed(
                "org.apache.spark.SparkException: Kryo serialization failed: Buffer overflow. "
                "Available: 0, required: 7"
            ),
        ),
        Example(
            "another fault of Kryo",
            lambda: failed("com.esotericsoftware.kryo.KryoException: Unable to find class: A"),
            speaks=False,
        ),
    ),
    "spark_block_too_large": (
        Example(
            "in a task of Spark",
            lambda: failed(
                "java.lang.IllegalArgumentException: Size exceeds Integer.MAX_VALUE",
                stack=("org.apache.spark.storage.DiskStore.getBytes",),
            ),
        ),
        Example(
            "a block that is fetched",
            lambda: failed(
                "java.lang.IllegalArgumentException: Too large frame: 2991947178",
                stack=("org.apache.spark.network.util.TransportFrameDecoder.decodeNext",),
            ),
        ),
        Example(
            "the answer of a web server",
            lambda: failed(
                "java.lang.IllegalArgumentException: Too large frame: 5211883372140375593",
                stack=("org.apache.spark.network.util.TransportFrameDecoder.decodeNext",),
            ),
        ),
        Example(
            "of the JDK's words in a map task",
            lambda: failed(
                "java.lang.IllegalArgumentException: Size exceeds Integer.MAX_VALUE",
                stack=("sun.nio.ch.FileChannelImpl.map", "com.example.Job.setup"),
            ),
            speaks=False,
        ),
        Example(
            "another argument",
            lambda: failed("java.lang.IllegalArgumentException: Size"),
            speaks=False,
        ),
    ),
    "pod_evicted": (
        Example(
            "as the kubelet says",
            lambda: ended("The node was low on resource: memory. Container a was using 5Gi."),
        ),
        Example(
            "of another resource",
            lambda: ended("The node was low on resource: ephemeral-storage."),
        ),
        Example(
            "of what no node is said to lack",
            lambda: ended("The node was cordoned: a resource was low."),
            speaks=False,
        ),
    ),
    "spark_no_executors": (
        Example(
            "as the scheduler warns",
            lambda: ended(
                "Initial job has not accepted any resources; check your cluster UI to ensure that "
                "workers are registered and have sufficient memory"
            ),
        ),
        Example(
            "resources that were accepted",
            lambda: ended("The first job has accepted its resources."),
            speaks=False,
        ),
    ),
    "spark_broadcast_timeout": (
        Example(
            "300 s",
            lambda: failed(
                "org.apache.spark.SparkException: Could not execute broadcast in 300 secs."
            ),
        ),
        Example(
            "another timeout",
            lambda: failed("java.util.concurrent.TimeoutException: Futures timed out"),
            speaks=False,
        ),
    ),
    "spark_executor_lost": (
        Example(
            "by its connection",
            lambda: ended("Lost executor 1 on w1: Remote RPC client disassociated. Likely due to"),
        ),
        Example(
            "with a reason", lambda: ended("Lost executor 1 on w1: Container killed"), speaks=False
        ),
    ),
}
