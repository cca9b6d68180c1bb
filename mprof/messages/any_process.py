"""Errors of a JVM of which nothing says what it ran, and what servers are known for."""

from __future__ import annotations

from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.message import Reading, Source, message
from mprof.messages.said import heap_is_unseen, may_be_any_process, top_frame

__all__ = ["MESSAGES"]

_WHERE: Final = (
    "-Xmx in its own command; of a map or reduce task mapreduce.map.java.opts or "
    "mapreduce.reduce.java.opts, of an executor of Spark spark.executor.memory, of a task of Tez "
    "hive.tez.java.opts"
)


@message(
    "A heap of a process that was not identified",
    Source("JDK", "java.lang.ThreadGroup.uncaughtException", 'Exception in thread "N" '),
    Source("HotSpot", "memory/universe.cpp", "java.lang.OutOfMemoryError"),
)
def process_not_named(evidence: Evidence) -> Reading | None:
    """A heap was full, and nothing says whose.

    What it means
        The error is one that every JVM throws, and neither a frame nor a line around it is of a map
        or reduce task, of another engine, or of a server that is known here.

    What it does not prove
        What filled the heap: the frame is of the code that asked last.

    What to change
        Nothing, before it is known what fills it. As first aid a larger `-Xmx` where that process
        is started.

    What would tell more
        A heap dump at the next death: `-XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=DIR` in the
        command of that process; `mprof heap FILE` then names every holder. The lines above the
        error in the same log say what the process is.
    """
    if evidence.death.kind not in HEAP_KINDS - {"array-limit"}:
        return None
    if not may_be_any_process(evidence) or thrift_length.reads(evidence) is not None:
        return None
    return Reading(
        "The heap of a JVM was full, and mprof cannot tell which process it was. Its "
        "heap is "
        f"{_WHERE}.{_what_filled_it(evidence)}",
        "suggests",
        "start it with -XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=DIR; mprof heap FILE then "
        "names what fills the heap. Of a map or reduce task, mprof run does it.",
    )


def _what_filled_it(evidence: Evidence) -> str:
    """That it is not said, where no frame may tell it."""
    return "" if evidence.death.stack else " mprof cannot tell what filled it."


_KEEPS: Final = {
    "namenode": (
        (
            "A NameNode keeps every file, folder and block of HDFS in its heap, about 1 GB for a "
            "million of them by the usual rule: a small file takes as much of it as a large one."
        ),
        "count them: hdfs dfs -count /, or Number of files in its log as it loads the image.",
    ),
    "spark-history": (
        (
            "The History Server of Spark replays the whole event log of an application to show its "
            "pages, and keeps the last ones (spark.history.retainedApplications, 50)."
        ),
        "hdfs dfs -du -h of spark.history.fs.logDirectory shows the largest event logs.",
    ),
    "historyserver": (
        (
            "A JobHistoryServer loads whole histories, with all tasks and counters of a job, and "
            "keeps the last ones (mapreduce.jobhistory.loadedjobs.cache.size, 5)."
        ),
        "look at the sizes of the .jhist files that were opened last.",
    ),
    "regionserver": (
        (
            "A RegionServer keeps block cache and memstores in its heap, by default 0.4 of it each "
            "(hfile.block.cache.size, hbase.regionserver.global.memstore.size, since 1.0); what "
            "scans and multi-gets read at once comes on top: a large row, or a scan without a "
            "batch or setMaxResultSize."
        ),
        "search its log for responseTooLarge and the scan that ran at that time.",
    ),
    "distcp": (
        (
            "DistCp lists every file that is to be copied before its job starts, in the heap of "
            "the command (SimpleCopyListing): all files of a folder at once, so the folder with "
            "the most files counts. No setting of map tasks reaches it."
        ),
        "hdfs dfs -count of the folders shows the largest; a larger -Xmx in HADOOP_CLIENT_OPTS.",
    ),
    "jobtracker": (
        (
            "A JobTracker keeps the tasks and counters of finished jobs, up to "
            "mapred.jobtracker.completeuserjobs.maximum (100) for each user."
        ),
        "look for jobs of very many tasks or counters on its page.",
    ),
    "hiveserver2": (
        (
            "HiveServer2 compiles queries, with the partitions of their tables, and fetches "
            "results for all sessions in one heap."
        ),
        "its log names the query that was compiled or fetched at that time.",
    ),
}
"""What the heap of a server is known to hold, and how to look; by id of the program."""


@message(
    "What is known of the heap of such a process",
    Source("1.2 to 3.5", "org.apache.hadoop.hdfs.server.namenode.FSDirectory"),
    Source("2.2 to 3.5", "org.apache.hadoop.mapreduce.v2.hs.CachedHistoryStorage"),
    Source("Spark 1.0 to 3.5", "org.apache.spark.deploy.history.FsHistoryProvider"),
    Source("HBase 0.94 to 2.5", "org.apache.hadoop.hbase.regionserver.HRegionServer"),
    Source("1.2", "org.apache.hadoop.mapred.JobTracker"),
)
def server_heap(evidence: Evidence) -> Reading | None:
    """What the heap of a server is known to hold.

    What it means
        A NameNode, a RegionServer, a JobHistoryServer or HiveServer2 ran out of heap. None of them
        runs tasks of a job, and no setting of a job reaches it. What such a server keeps in its
        heap is known from its design, and said beside the death.

    What it does not prove
        That it is what filled this heap.

    What to change
        What makes it hold so much; the heap of the server as first aid, in the file that the report
        names.

    What would tell more
        A heap dump: `-XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=DIR` in the options that the
        report names, or `jmap -dump:live,format=b,file=FILE PID`; then `mprof heap FILE`.
    """
    program = evidence.death.program
    if program is None or evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    known = _KEEPS.get(program.id)
    return Reading(known[0], "known to", known[1]) if known is not None else None


_LENGTHS: Final = {
    ("org.apache.thrift.protocol.TBinaryProtocol", "readStringBody"),
    ("org.apache.thrift.protocol.TBinaryProtocol", "readBinary"),
    ("org.apache.thrift.transport.TSaslTransport", "receiveSaslMessage"),
    ("org.apache.thrift.transport.TSaslTransport", "readFrame"),
    ("org.apache.thrift.transport.TFramedTransport", "readFrame"),
    ("org.apache.thrift.transport.layered.TFramedTransport", "readFrame"),
}


@message(
    "Thrift took other bytes for a length",
    Source("Thrift 0.5 to 0.16", "org.apache.thrift.protocol.TBinaryProtocol.readStringBody",
           "byte[] buf = new byte[size]"),
    Source("Thrift 0.5 to 0.16", "org.apache.thrift.transport.TSaslTransport.readFrame"),
)  # fmt: skip
def thrift_length(evidence: Evidence) -> Reading | None:
    """Thrift asked for an array as long as the first bytes of a message said.

    What it means
        HiveServer2, the metastore and their clients speak Thrift: four bytes say how long what
        follows is, and an array of that length is made. Where the other side speaks another
        protocol (HTTP, another authentication, TLS, a port of another service, a port scanner), its
        first bytes are taken for a length of hundreds of megabytes: the heap need not have been
        full.

    What it does not prove
        That it was so: a really large string or result does the same.

    What to change
        The port, `hive.server2.authentication` (`NOSASL` against `NONE`),
        `hive.server2.transport.mode`, TLS: both sides alike. A larger heap only makes the error
        rarer.

    What would tell more
        The other side of the connection: which client, which port, with which settings.
    """
    top = top_frame(evidence)
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence) or top is None:
        return None
    if (top.class_name, top.method) not in _LENGTHS:
        return None
    return Reading(
        "Thrift made an array as long as the first bytes of a message said. Where the other side "
        "speaks another protocol (a wrong port, HTTP, TLS, another hive.server2.authentication or "
        "transport mode), any bytes are taken for a length, and the heap need not have been full.",
        "suggests",
        "check which client connected to which port, and that both have the same authentication "
        "and transport.",
    )


MESSAGES = (thrift_length, process_not_named, server_heap)
