"""Known leaks: said where their classes stand on the stack, or hold a tenth of the heap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from mprof.engines import is_jdk_class
from mprof.evidence import HEAP_KINDS, Evidence, Kind, known
from mprof.messages.message import Message, Reading, Source
from mprof.messages.said import holder_of, setting_of, stands_on_stack
from mprof.messages.thresholds import MANY_ROWS, WORTH_TELLING
from mprof.units import format_bytes

__all__ = ["MESSAGES"]

_HADOOP: Final = "org.apache.hadoop."
_HIVE: Final = "org.apache.hadoop.hive"
_METASTORE_CLIENT: Final = f"{_HIVE}.metastore.HiveMetaStoreClient"
_HIVE_SERVICE: Final = "org.apache.hive.service.cli"

_Frame = tuple[str, ...]
"""A class, and the methods of it that count; any where there are none."""

_PAGE: Final = """\
{first}

What it means
    {means}

What it does not prove
    That it took the memory: see what was measured.

What to change
    {change}

What would tell more
    {more}"""


def _leak(
    *,
    id: str,  # noqa: A002 - the field of the message is called so
    title: str,
    first: str,
    means: str,
    change: str,
    more: str,
    known: str,
    cure: str,
    sources: tuple[Source, ...],
    on_stack: tuple[_Frame, ...] = (),
    holding: tuple[str, ...] = (),
    kinds: frozenset[Kind] = HEAP_KINDS,
    also: Callable[[Evidence], str | None] | None = None,
    hadoop_may_call: bool = False,
) -> Message:
    """An entry that tells what is known of such code, and where it was met.

    Args:
        id: of the page.
        title: in a few words.
        first: sentence of the page.
        means: how the memory comes to stay.
        change: what to change, in full; on the page.
        more: what would tell more.
        known: one sentence that says what such code is known to do.
        cure: what to do about it, an imperative sentence.
        sources: where that is written.
        on_stack: frames of the dying thread.
        holding: classes of which, or in which, a tenth of the heap or more stands.
        kinds: of death in which it can matter.
        also: what else shows it, as a phrase; None where it does not.
        hadoop_may_call: whether such a frame counts where no code of the job stands below it.
    """

    def reads(evidence: Evidence) -> Reading | None:
        if evidence.death.kind not in kinds:
            return None
        holder = holder_of(evidence, *holding) if holding else None
        met = also(evidence) if also is not None else None
        if holder is not None:
            met = f"{holder.path} holds {format_bytes(holder.bytes)}"
        elif met is None and _is_called(evidence, on_stack, by_hadoop=hadoop_may_call):
            met = "such a frame stood on the stack of the thread that died, which is no proof"
        if met is None:
            return None
        return Reading(f"{known} Here {met}.", "known to", cure=cure)

    page = _PAGE.format(first=first, means=means, change=change, more=more)
    return Message(id, title, reads, sources, page, is_leak=True)


def _is_called(evidence: Evidence, on_stack: tuple[_Frame, ...], *, by_hadoop: bool) -> bool:
    """Whether such a frame is on the stack, called by what is neither Hadoop's nor the JDK's.

    Hadoop itself makes a configuration, a file system and a decompressor for each task.
    """
    death = evidence.death
    whole = replace(evidence, death=replace(death, stack=(*death.stack, *death.callers)))
    own = by_hadoop or any(
        not is_jdk_class(one.class_name) and not one.class_name.startswith(_HADOOP)
        for one in whole.death.stack
    )
    return own and any(stands_on_stack(whole, *frame) for frame in on_stack)


def _threads_set(evidence: Evidence) -> str | None:
    if not evidence.is_map or setting_of(evidence, "mapreduce.job.map.class") != _THREADED:
        return None
    return f"{setting_of(evidence, _THREADS) or '10'} threads are set ({_THREADS})"


def _values_of_thread_locals(evidence: Evidence) -> str | None:
    capacity = known(evidence.memory.capacity_bytes)
    values = [one for one in known(evidence.holders) or () if one.key.thread_local]
    size = sum(one.bytes for one in values)
    if capacity is None or not values or size < WORTH_TELLING.value * capacity:
        return None
    return f"values of thread-locals hold {format_bytes(size)}"


def _rows_of_a_scan(evidence: Evidence) -> str | None:
    rows, death = evidence.death.needs.rows_at_once, evidence.death
    if rows is None or rows < MANY_ROWS.value or death.program is not None:
        return None
    return f"the text sets {rows:,} rows at once"


_CODECS: Final = "org.apache.hadoop.io.compress"
_CODEC_CLASSES: Final = (
    "java.util.zip.Deflater",
    "java.util.zip.Inflater",
    *(
        f"{_CODECS}.{name}{role}"
        for name in ("zlib.Zlib", "snappy.Snappy", "lz4.Lz4", "zstd.ZStandard", "bzip2.Bzip2")
        for role in ("Compressor", "Decompressor")
    ),
)
_CONF: Final = "org.apache.hadoop.conf.Configuration"
_JOB_CONF: Final = "org.apache.hadoop.mapred.JobConf"
_COUNTERS: Final = "org.apache.hadoop.mapreduce.counters"
_OLD_COUNTERS: Final = "org.apache.hadoop.mapred.Counters"
_FILE_SYSTEM: Final = "org.apache.hadoop.fs.FileSystem"
_HDFS: Final = "org.apache.hadoop.hdfs"
_INTERNERS: Final = "com.google.common.collect.Interners"
_MYSQL: Final = "com.mysql.cj.protocol.a"
_POSTGRESQL: Final = "org.postgresql.core.v3.QueryExecutorImpl"
_THREADED: Final = "org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper"
_OLD_THREADED: Final = "org.apache.hadoop.mapred.lib.MultithreadedMapRunner"
_THREADS: Final = "mapreduce.mapper.multithreadedmapper.threads"
_STREAM: Final = "java.io.ObjectOutputStream"
_STREAM_TABLES: Final = (f"{_STREAM}$HandleTable", f"{_STREAM}$ReplaceTable")
_PIG_OPERATORS: Final = (
    "org.apache.pig.backend.hadoop.executionengine.physicalLayer.relationalOperators"
)
_THREAD_LOCALS: Final = "java.lang.ThreadLocal$ThreadLocalMap"
_OUTPUTS: Final = "org.apache.hadoop.mapreduce.lib.output.MultipleOutputs"
_OLD_OUTPUTS: Final = "org.apache.hadoop.mapred.lib.MultipleOutputs"
_OUTPUT_FORMAT: Final = "org.apache.hadoop.mapred.lib.MultipleOutputFormat"
_HDFS_STREAM: Final = f"{_HDFS}.DFSOutputStream"

MESSAGES: Final = (
    _leak(
        id="codec_never_returned",
        title="Compressors that are never ended",
        first="Compressors and decompressors that are never ended.",
        means=(
            "A `Deflater`, an `Inflater` and the native codecs of Hadoop keep their memory outside "
            "the heap until `end()`, or until a collection finds their Java object, which a heap "
            "with much room puts off. A codec made for each record, or a stream that is not "
            "closed, adds up."
        ),
        change="Get them from `CodecPool` and return them; close every stream in a `finally`.",
        more="`mprof run` counts direct and other native memory at each look at the process.",
        known=(
            "A compressor or decompressor that is not returned to its pool or ended is known to "
            "keep its memory, most of it outside the heap."
        ),
        cure="Close every stream in a finally, and return what CodecPool gave.",
        on_stack=tuple((name, "<init>", "init") for name in _CODEC_CLASSES),
        holding=(*_CODEC_CLASSES, f"{_CODECS}.CodecPool"),
        kinds=HEAP_KINDS | {"direct", "native"},
        sources=(
            Source("JDK", "java.util.zip.Deflater.end"),
            Source("1.2 to 3.5", f"{_CODECS}.CodecPool.returnDecompressor"),
        ),
    ),
    _leak(
        id="configuration_copies",
        title="Copies of the configuration",
        first="Copies of the job's configuration.",
        means=(
            "A `Configuration` or `JobConf` holds every property of the site and the job, some of "
            "them as large as a serialised plan of Hive or Pig: hundreds of kilobytes to several "
            "megabytes each. `new Configuration(conf)` or `new JobConf(conf)` for each record, "
            "file or connection, and whatever keeps it, adds up."
        ),
        change=(
            "Make one in `setup()` and hand it on; keep the values that are needed, not the "
            "configuration."
        ),
        more=(
            "The rows that hold a `Configuration` in the report of a run with a heap dump "
            "(`mprof run`)."
        ),
        known=(
            "A copy of a job's Configuration is known to take up to several megabytes, since it "
            "has every property of the site and the job."
        ),
        cure="Create one Configuration in setup() and pass it on.",
        on_stack=((_CONF, "<init>", "loadResources", "loadResource"), (_JOB_CONF, "<init>")),
        holding=(_CONF, _JOB_CONF),
        sources=(
            Source("1.2 to 3.5", f"{_CONF}.<init>"),
            Source("1.2 to 3.5", f"{_JOB_CONF}.<init>"),
        ),
    ),
    _leak(
        id="counters_of_the_data",
        title="Counters named after the data",
        first="Counters that are named after the data.",
        means=(
            "Each counter is an object with two names, in the task, again in every report to the "
            "application master, and there for each task. A counter for each word, user or date "
            "grows with the data; the limit on counters (`mapreduce.job.counters.max`) is there "
            "for that, and may have been raised."
        ),
        change="Write such counts as output; count only what has a fixed set of names.",
        more="`mapred job -status JOB` lists the counters of a running job.",
        known=(
            "Counters that are named after data are known to grow with it, in the task and in the "
            "application master."
        ),
        cure="Write such counts as output.",
        on_stack=(
            (f"{_COUNTERS}.AbstractCounterGroup", "addCounter", "addCounterImpl"),
            (f"{_COUNTERS}.AbstractCounters", "addGroup"),
        ),
        holding=(
            "org.apache.hadoop.mapreduce.Counters",
            _OLD_COUNTERS,
            f"{_OLD_COUNTERS}$Group",
            f"{_OLD_COUNTERS}$Counter",
            f"{_COUNTERS}.AbstractCounters",
            f"{_COUNTERS}.AbstractCounterGroup",
            f"{_COUNTERS}.GenericCounter",
        ),
        sources=(
            Source("1.2", f"{_OLD_COUNTERS}$Group.getCounterForName"),
            Source("2.2 to 3.5", f"{_COUNTERS}.AbstractCounterGroup.addCounter"),
        ),
    ),
    _leak(
        id="file_system_never_closed",
        title="File systems that are never closed",
        first="File systems that are made again and again, and never closed.",
        means=(
            "`FileSystem.get` keeps each file system in a cache by its scheme, authority and user; "
            "every new `UserGroupInformation` is a new user. `FileSystem.newInstance`, and "
            "`fs.SCHEME.impl.disable.cache=true`, make a new one at each call. Each keeps its "
            "client, threads and configuration until `close()`."
        ),
        change=(
            "Get the file system once, in `setup()`, and keep it in a field; close what "
            "`newInstance` made; `FileSystem.closeAllForUGI` for users of one's own."
        ),
        more=(
            "The rows under `FileSystem$Cache` in the report of a run with a heap dump "
            "(`mprof run`)."
        ),
        known=(
            "A file system that is made for each record (FileSystem.newInstance, or FileSystem.get "
            "for a new user each time) is known to stay until close()."
        ),
        cure="Get the FileSystem once in setup() and keep it in a field.",
        on_stack=(
            (_FILE_SYSTEM, "createFileSystem", "newInstance"),
            (f"{_HDFS}.DFSClient", "<init>"),
        ),
        holding=(
            _FILE_SYSTEM,
            f"{_FILE_SYSTEM}$Cache",
            f"{_FILE_SYSTEM}$Cache$Key",
            f"{_HDFS}.DistributedFileSystem",
            f"{_HDFS}.DFSClient",
        ),
        kinds=HEAP_KINDS | {"threads"},
        sources=(
            Source("1.2 to 3.5", f"{_FILE_SYSTEM}$Cache.get"),
            Source("1.2 to 3.5", f"{_FILE_SYSTEM}.newInstance"),
        ),
    ),
    _leak(
        id="hbase_scanner_caching",
        title="Many rows of HBase in one fetch",
        first="A scan of HBase that fetches many rows, or wide ones, at once.",
        means=(
            "A scanner fetches as many rows in one call as `hbase.client.scanner.caching` or "
            "`Scan.setCaching` says, and keeps them all until they are read; a row has all of its "
            "columns and versions unless `Scan.setBatch` splits it."
        ),
        change=(
            "A smaller `hbase.client.scanner.caching` (10 to 100 where rows are large), "
            "`Scan.setBatch` for wide rows (of `Export` `hbase.export.scanner.batch`), and only "
            "the families and versions that are wanted."
        ),
        more="The rows under `ClientScanner` in the report of a run with a heap dump.",
        known=(
            "A scan of HBase is known to keep all rows of one fetch in the heap, as many as "
            "hbase.client.scanner.caching or Scan.setCaching says, each with all of its columns."
        ),
        cure="Fetch fewer rows at once where rows are large; Scan.setBatch splits wide ones.",
        on_stack=(
            ("org.apache.hadoop.hbase.client.ScannerCallable",),
            ("org.apache.hadoop.hbase.client.ClientScanner",),
            ("org.apache.hadoop.hbase.mapreduce.TableRecordReaderImpl",),
        ),
        also=_rows_of_a_scan,
        hadoop_may_call=True,
        holding=("org.apache.hadoop.hbase.client.ClientScanner",),
        sources=(Source("HBase 0.94 to 2.5", "org.apache.hadoop.hbase.client.ClientScanner.next"),),
    ),
    _leak(
        id="hbase_row_of_a_bulk_load",
        title="A row of HBase that is sorted in the heap",
        first="A bulk load of HBase that sorts the cells of a row in the heap.",
        means=(
            "The reducers of a bulk load (`HFileOutputFormat.configureIncrementalLoad`, "
            "`ImportTsv`) collect the cells of a row in a `TreeSet` and write them in order. "
            "`PutSortReducer` stops at `putsortreducer.row.threshold`, `TextSortReducer` at "
            "`reducer.row.threshold` bytes of cells, 1 or 2 GB by their version, and the objects "
            "around them come on top; `KeyValueSortReducer` and `CellSortReducer` keep a whole row."
        ),
        change=(
            "The threshold to a quarter of `-Xmx`, in bytes, or a row key that spreads the cells "
            "over more rows. `KeyValueSortReducer` and `CellSortReducer` have no threshold."
        ),
        more="The size of the group in the report of a run (`mprof run`).",
        known=(
            "A reducer of a bulk load of HBase is known to sort all cells of a row in the heap: "
            "PutSortReducer up to putsortreducer.row.threshold (1 or 2 GB by its version, far "
            "more than most reducers have), KeyValueSortReducer without a bound."
        ),
        cure=(
            "Set putsortreducer.row.threshold to a quarter of -Xmx, in bytes (TextSortReducer: "
            "reducer.row.threshold), or look for a row key with very many cells."
        ),
        on_stack=tuple(
            (f"org.apache.hadoop.hbase.mapreduce.{name}SortReducer",)
            for name in ("Put", "Text", "KeyValue", "Cell")
        ),
        hadoop_may_call=True,
        holding=(),
        sources=(
            Source("HBase 0.94 to 2.5", "org.apache.hadoop.hbase.mapreduce.PutSortReducer.reduce"),
        ),
    ),
    _leak(
        id="hive_query_of_a_whole_table",
        title="All partitions of a table for one query",
        first="A query of Hive whose partitions are all read while it is compiled.",
        means=(
            "Where no condition of a query is on a partition column as it stands, Hive gets every "
            "partition of the table from the metastore, each with its storage descriptor and its "
            "columns, some kilobytes to tens of them, in the heap of whoever compiles it: "
            "HiveServer2, or the command line."
        ),
        change=(
            "A condition on a partition column, without a function around it; "
            "`hive.metastore.limit.partition.request` (before 2.1 "
            "`hive.limit.query.max.table.partition`) refuses such queries; fewer partitions. Else "
            "a larger heap of the process that compiles."
        ),
        more="`SHOW PARTITIONS` counts them; the log names the query that was compiled.",
        known=(
            "Hive is known to keep the partitions that a query may need in the heap of the process "
            "that compiles it, all of the table where no condition is on a partition column."
        ),
        cure=(
            "Put a condition on a partition column as it stands, without a function around it; "
            "hive.metastore.limit.partition.request refuses queries that need too many. A larger "
            "heap of the process that compiles it is first aid."
        ),
        on_stack=(
            (f"{_HIVE}.ql.optimizer.ppr.PartitionPruner",),
            (_METASTORE_CLIENT, "getPartitionsByNames", "listPartitionsByExpr", "listPartitions"),
            (f"{_HIVE}.ql.metadata.Hive", "getPartitionsByNames", "getPartitionsByExpr"),
            (f"{_HIVE}.ql.metadata.Hive", "getAllPartitionsOf", "getPartitions"),
        ),
        hadoop_may_call=True,
        sources=(
            Source("Hive 0.11 to 3.1", f"{_HIVE}.ql.optimizer.ppr.PartitionPruner.prune"),
            Source("Hive 0.11 to 3.1", f"{_METASTORE_CLIENT}.getPartitionsByNames"),
        ),
    ),
    _leak(
        id="hive_rows_of_a_fetch",
        title="Many rows of HiveServer2 in one fetch",
        first="A HiveServer2 that puts many rows of a result together for a client.",
        means=(
            "A client fetches as many rows at once as its fetch size says "
            "(`Statement.setFetchSize`), and HiveServer2 keeps them all, a column an array, and "
            "then a serialised copy, until they are sent. All sessions do so in one heap."
        ),
        change=(
            "A smaller fetch size in the client that reads whole tables, or an export by a query "
            "(`INSERT OVERWRITE DIRECTORY`); `hive.server2.thrift.resultset.max.fetch.size` "
            "bounds it for all clients, where the version has it."
        ),
        more="The log of HiveServer2 names the session and query that fetched at that time.",
        known=(
            "HiveServer2 is known to keep all rows of one fetch in the heap, as many as the fetch "
            "size of the client says, and a copy of them."
        ),
        cure=(
            "Set a smaller fetch size in the client that reads most, or write such a result by "
            "INSERT OVERWRITE DIRECTORY; hive.server2.thrift.resultset.max.fetch.size bounds it "
            "for all clients, where the version has it."
        ),
        on_stack=(
            (f"{_HIVE_SERVICE}.ColumnBasedSet",),
            (f"{_HIVE_SERVICE}.RowBasedSet",),
            (f"{_HIVE_SERVICE}.operation.SQLOperation", "getNextRowSet", "decode"),
        ),
        hadoop_may_call=True,
        sources=(
            Source("Hive 1.1 to 3.1", f"{_HIVE_SERVICE}.operation.SQLOperation.getNextRowSet"),
            Source("Hive 1.1 to 3.1", f"{_HIVE_SERVICE}.ColumnBasedSet.addRow"),
        ),
    ),
    _leak(
        id="interned_strings",
        title="Interned strings",
        first="Strings of the data that are interned.",
        means=(
            "`String.intern()` puts a text into a table of the whole JVM. Up to JDK 6 it stood in "
            "the permanent generation, which is small; since then it is on the heap, where a text "
            "goes when nothing else refers to it, but the table slows down with millions of them. "
            "Guava's strong interners keep every text to the end."
        ),
        change="Intern only texts of a fixed set; else a map of one's own, with a bound.",
        more="`jcmd PID VM.stringtable` of a running task.",
        known=(
            "Interning texts of the data is known to fill the JVM's table: up to JDK 6 the "
            "permanent generation, and with a strong interner of Guava the heap."
        ),
        cure="Intern only texts of a fixed set.",
        on_stack=(("java.lang.String", "intern"), (_INTERNERS,)),
        holding=(_INTERNERS, f"{_INTERNERS}$InternerImpl"),
        kinds=HEAP_KINDS | {"metaspace"},
        sources=(
            Source("JDK 6 and earlier", "java.lang.String.intern", "PermGen space"),
            Source("Guava", f"{_INTERNERS}.newStrongInterner"),
        ),
    ),
    _leak(
        id="beeline_buffers_the_result",
        title="A result that Beeline holds whole",
        first="Beeline keeps every row of a result before it prints the first one.",
        means=(
            "For a table Beeline wants the width of each column, and without `--incremental=true` "
            "it reads the whole result into its heap for that (`BufferedRows`). From Hive 2.3 on "
            "`true` is the default, and it buffers a thousand rows at a time."
        ),
        change=(
            "`beeline --incremental=true`, or `--outputformat=tsv2` (or csv2, dsv), which prints "
            "each row as it comes; `LIMIT`, or `INSERT OVERWRITE DIRECTORY` in place of a result "
            "that nobody reads on a terminal. A larger heap: `-Xmx` in `HADOOP_CLIENT_OPTS`."
        ),
        more="How many rows the query returns: `SELECT count(*)` of it.",
        known=(
            "Beeline is known to keep every row of a result in its heap before it prints a table, "
            "where --incremental=true is not set (the default from Hive 2.3 on)."
        ),
        cure="Run beeline with --incremental=true or --outputformat=tsv2, or return fewer rows.",
        on_stack=(("org.apache.hive.beeline.BufferedRows",),),
        holding=("org.apache.hive.beeline.BufferedRows",),
        sources=(
            Source("Hive 1.0 to 3.1", "org.apache.hive.beeline.BufferedRows"),
            Source("Hive 2.3 to 3.1", "org.apache.hive.beeline.BeeLineOpts", "incremental"),
        ),
    ),
    _leak(
        id="jdbc_result_without_fetch_size",
        title="A database's result that is not streamed",
        first="A result of a database that comes whole, because it is not streamed.",
        means=(
            "The drivers of MySQL and of PostgreSQL read all rows of a result into memory unless "
            "they are told to stream, however few of them the program uses. A task that reads a "
            "table by JDBC (`DBInputFormat`, Sqoop, a lookup in `setup()`) has all of its rows in "
            "the heap at once."
        ),
        change=(
            "MySQL: `setFetchSize(Integer.MIN_VALUE)`, or `useCursorFetch=true` in the URL with a "
            "fetch size. PostgreSQL: `setAutoCommit(false)` and `setFetchSize(1000)`; without the "
            "first the second is ignored. Or smaller splits of the table."
        ),
        more=(
            "The rows under the driver's result in the report of a run with a heap dump "
            "(`mprof run`)."
        ),
        known=(
            "The JDBC drivers of MySQL and PostgreSQL are known to read all rows of a result into "
            "the heap unless they are told to stream them; MySQL's ignores an ordinary fetch size."
        ),
        cure=(
            "Let the driver stream: setFetchSize(Integer.MIN_VALUE) with MySQL, or "
            "useCursorFetch=true in the URL with a fetch size; setAutoCommit(false) and "
            "setFetchSize(1000) with PostgreSQL. Sqoop's own manager of MySQL streams where "
            "neither --driver nor --fetch-size is given; more mappers (--num-mappers, --split-by) "
            "read fewer rows each."
        ),
        on_stack=(
            ("com.mysql.jdbc.MysqlIO", "readSingleRowSet", "readResultsForQueryOrUpdate"),
            (f"{_MYSQL}.TextResultsetReader",),
            (f"{_MYSQL}.BinaryResultsetReader",),
            (_POSTGRESQL, "processResults"),
        ),
        holding=(
            "com.mysql.jdbc.RowDataStatic",
            "com.mysql.jdbc.ByteArrayRow",
            f"{_MYSQL}.result.ResultsetRowsStatic",
            f"{_MYSQL}.result.ByteArrayRow",
            "org.postgresql.jdbc.PgResultSet",
            "org.postgresql.core.Tuple",
        ),
        sources=(
            Source("MySQL Connector/J 5.1", "com.mysql.jdbc.MysqlIO.readSingleRowSet"),
            Source("MySQL Connector/J 8", f"{_MYSQL}.TextResultsetReader.read"),
            Source("PostgreSQL JDBC 42", f"{_POSTGRESQL}.processResults"),
        ),
    ),
    _leak(
        id="multithreaded_mapper",
        title="A mapper and a record for each thread",
        first="Several threads in one map task, each with a mapper and a record of its own.",
        means=(
            "`MultithreadedMapper` (and, of the old API, `MultithreadedMapRunner`) runs `map()` in "
            "10 threads by default. Each has a mapper of its own, with all of its fields, and a "
            "copy of the record that it is at work on."
        ),
        change=(
            "`mapreduce.mapper.multithreadedmapper.threads`; what is the same for all threads "
            "belongs in a static field that is filled once."
        ),
        more="The report of `mprof run` counts how many records were in `map()` at once.",
        known=(
            "MultithreadedMapper is known to multiply what a mapper needs: each of its threads has "
            "a mapper and a record of its own."
        ),
        cure="Set fewer threads, or keep what is the same for all of them once, in a static field.",
        on_stack=((f"{_THREADED}$MapRunner",), (f"{_OLD_THREADED}$MapperInvokeRunable",)),
        also=_threads_set,
        sources=(
            Source("1.2 to 3.5", f"{_THREADED}$MapRunner.run"),
            Source("1.2 to 3.5", f"{_OLD_THREADED}$MapperInvokeRunable.run"),
        ),
    ),
    _leak(
        id="object_output_stream_without_reset",
        title="An ObjectOutputStream without reset()",
        first="An ObjectOutputStream that is never reset keeps every object that went through it.",
        means=(
            "`java.io.ObjectOutputStream` remembers every object that was written, so that it can "
            "write the next reference to it as a number. Its tables grow with every record and "
            "keep all of them until `reset()` or the end of the stream."
        ),
        change=(
            "Call `reset()` every few hundred records; or use Writables, Avro or Kryo instead of "
            "Java's serialisation."
        ),
        more=("The rows under the stream in the report of a run with a heap dump (`mprof run`)."),
        known=(
            "A java.io.ObjectOutputStream is known to keep every object that was written to it "
            "until reset() is called."
        ),
        cure="Call reset() every few hundred records.",
        on_stack=tuple((table,) for table in _STREAM_TABLES),
        holding=(*_STREAM_TABLES, _STREAM),
        sources=(Source("JDK", f"{_STREAM}$HandleTable.assign"),),
    ),
    _leak(
        id="pig_nested_distinct",
        title="A bag of Pig in a nested operator",
        first="A nested DISTINCT or ORDER of Pig keeps the bag of a group.",
        means=(
            "A `DISTINCT` or `ORDER` inside a `FOREACH` puts the tuples of one group into "
            "a bag in the reducer. Bags spill to disk when the JVM tells that little memory is "
            "left, which may be too late; one large group is enough."
        ),
        change=(
            "Make the values distinct before the group (`DISTINCT` of the key and the value "
            "together, then `GROUP` and `COUNT`), which spreads them over the reducers. More "
            "reducers do not split one group. `pig.cachedbag.memusage` smaller spills earlier."
        ),
        more="The rows under the bag in the report of a run with a heap dump (`mprof run`).",
        known=(
            "A nested DISTINCT or ORDER of Pig is known to keep the tuples of a whole group in a "
            "bag of one reducer, which more reducers do not split."
        ),
        cure="Remove duplicates before the GROUP, by key and value together.",
        on_stack=(
            (f"{_PIG_OPERATORS}.PODistinct",),
            (f"{_PIG_OPERATORS}.POSort",),
        ),
        sources=(Source("Pig 0.10 to 0.17", f"{_PIG_OPERATORS}.PODistinct.getNextTuple"),),
    ),
    _leak(
        id="thread_local_values",
        title="Values of thread-locals",
        first="Values of thread-locals stay as long as their thread.",
        means=(
            "A `ThreadLocal` has a value for each thread that used it, and keeps it until "
            "`remove()` or the end of the thread. Threads of a pool, and the task's own, live as "
            "long as the task: a buffer or a cache that only grows stays in each of them."
        ),
        change="`remove()` in a `finally`, or a bound on what one value may grow to.",
        more=(
            "The rows under `ThreadLocalMap` in the report of a run with a heap dump (`mprof run`)."
        ),
        known="The value of a ThreadLocal is known to stay as long as its thread.",
        cure="Call remove() on the ThreadLocal when its value is done with, or bound its size.",
        on_stack=((_THREAD_LOCALS, "resize", "rehash"),),
        holding=(f"{_THREAD_LOCALS}$Entry", _THREAD_LOCALS),
        also=_values_of_thread_locals,
        sources=(Source("JDK", f"{_THREAD_LOCALS}.set"),),
    ),
    _leak(
        id="writer_per_key",
        title="An open writer for each key",
        first="An open writer for each key.",
        means=(
            "`MultipleOutputs` and `MultipleOutputFormat` keep a writer open for each name until "
            "the task ends. Each writer of HDFS has a thread and buffers of its own, each of "
            "Parquet or ORC a whole row group: a name for each key is a file for each key, all "
            "open at once."
        ),
        change=(
            "Fewer names; or keys in order, and the writer before closed where the key changes (a "
            "`RecordWriter` of one's own, in a reducer)."
        ),
        more=(
            "The rows under `recordWriters` in the report of a run with a heap dump (`mprof run`)."
        ),
        known=(
            "MultipleOutputs and MultipleOutputFormat are known to keep a writer open for each "
            "name until the task ends, with a thread and buffers of its own."
        ),
        cure="Write to fewer names, or close each writer when its key has passed.",
        on_stack=(
            (_OUTPUTS, "getRecordWriter"),
            (_OLD_OUTPUTS, "getRecordWriter"),
            (_OUTPUT_FORMAT,),
        ),
        holding=(
            _OUTPUTS,
            _OLD_OUTPUTS,
            _OUTPUT_FORMAT,
            _HDFS_STREAM,
            f"{_HDFS_STREAM}$Packet",
            f"{_HDFS}.DFSPacket",
        ),
        kinds=HEAP_KINDS | {"threads", "direct"},
        sources=(
            Source("1.2 to 3.5", f"{_OUTPUTS}.getRecordWriter"),
            Source("1.2 to 3.5", f"{_OUTPUT_FORMAT}.getRecordWriter"),
        ),
    ),
)
