"""Servers and their clients beside the jobs, and texts that only say that something failed.

Hosts, ids and numbers are made up; frames, threads and words are those of the sources named.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_HEAP = "java.lang.OutOfMemoryError: Java heap space"
_NAMENODE = "org.apache.hadoop.hdfs.server.namenode"
_HIVE = "org.apache.hadoop.hive.ql.exec"


def _stack(*frames: str, before: str = "", error: str = _HEAP) -> str:
    return f"{before}{error}\n" + "".join(f"\tat {one}(A.java:1)\n" for one in frames)


SERVERS = {
    "History Server of Spark, which a heading names": (
        f"# Spark History server OutOfMemoryError\n\nThe page says:\n\n{_HEAP}\n",
        ("A History Server of Spark ran out of heap", "SPARK_DAEMON_MEMORY", "event logs"),
    ),
    "NameNode, which a sentence names": (
        f"Our name node went out of memory again.\n\nError: {_HEAP}\n",
        ("A NameNode ran out of heap", "HDFS_NAMENODE_OPTS"),
    ),
    "NameNode": (
        _stack(f"{_NAMENODE}.FSImageFormat$Loader.loadINode"),
        ("A NameNode ran out of heap", "HDFS_NAMENODE_OPTS", "hdfs dfs -count /"),
    ),
    "RegionServer": (
        _stack(
            "org.apache.hadoop.hbase.regionserver.StoreScanner.next",
            "org.apache.hadoop.hbase.regionserver.HRegionServer.scan",
        ),
        ("A RegionServer of HBase ran out of heap", "HBASE_REGIONSERVER_OPTS"),
    ),
    "HiveServer2": (
        _stack(
            "org.apache.hadoop.hive.ql.parse.SemanticAnalyzer.genPlan",
            "org.apache.hive.service.cli.operation.SQLOperation.prepare",
        ),
        ("A HiveServer2 ran out of heap", "HADOOP_HEAPSIZE in hive-env.sh"),
    ),
    "Livy server, without threads": (
        _stack(
            "java.lang.Thread.start0",
            "org.apache.livy.utils.SparkYarnApp.<init>",
            "org.apache.livy.server.batch.BatchSession.recover",
            error="java.lang.OutOfMemoryError: unable to create new native thread",
        ),
        ("A Livy server could not start another thread", "the user that runs it"),
    ),
    "metastore, by its start": (
        (
            'Starting Hive Metastore Server\nException in thread "pool-8-thread-2" '
            "java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
        ),
        ("A metastore of Hive was stopped", "HADOOP_HEAPSIZE in hive-env.sh"),
    ),
    "NodeManager, by its shuffle": (
        _stack(
            "java.nio.Bits.reserveMemory",
            "org.apache.hadoop.mapred.FadvisedFileRegion.customShuffleTransfer",
            error="java.lang.OutOfMemoryError: Direct buffer memory",
        ),
        ("A NodeManager ran out of direct buffer", "YARN_NODEMANAGER_OPTS", "BufferPool"),
    ),
    "NodeManager, by a thread": (
        _stack(
            "java.util.regex.Pattern.compile",
            "org.apache.hadoop.yarn.util.ProcfsBasedProcessTree.constructProcessInfo",
            before="YarnUncaughtExceptionHandler: Thread Thread[Container Monitor,5,main] threw\n",
        ),
        ("A NodeManager ran out of heap", "YARN_NODEMANAGER_HEAPSIZE"),
    ),
    "ResourceManager, by a thread": (
        _stack(
            "java.util.HashMap.resize",
            before='Exception in thread "ResourceManager Event Processor" ',
        ),
        ("A ResourceManager ran out of heap", "YARN_RESOURCEMANAGER_HEAPSIZE"),
    ),
    "DataNode, without threads": (
        _stack(
            "java.lang.Thread.start0",
            "org.apache.hadoop.hdfs.server.datanode.DataXceiverServer.run",
            before=(
                "2024-03-01 10:00:01,871 WARN org.apache.hadoop.hdfs.server.datanode.DataNode: "
                "DataNode is out of memory. Will retry in 30 seconds.\n"
            ),
            error="java.lang.OutOfMemoryError: unable to create new native thread",
        ),
        ("A DataNode could not start another thread", "ulimit -u"),
    ),
    "beeline": (
        _stack(
            "org.apache.thrift.transport.TSaslTransport.readFrame",
            "org.apache.hive.service.rpc.thrift.TCLIService$Client.recv_FetchResults",
        ),
        ("A client of HiveServer2 ran out of heap", "HADOOP_CLIENT_OPTS", "another protocol"),
    ),
    "application master of MapReduce, by its thread": (
        (
            "Exception: java.lang.OutOfMemoryError thrown from the UncaughtExceptionHandler in "
            'thread "RMCommunicator Allocator"\n'
        ),
        ("An application master ran out of heap", "yarn.app.mapreduce.am.resource.mb"),
    ),
}
_NEVER = ("UNDECIDED", "mprof run", "The task")


@pytest.mark.parametrize("server", SERVERS)
def test_a_server_is_told_as_what_it_is_with_its_own_setting(server: str, tmp_path: Path) -> None:
    text, said = SERVERS[server]

    kinds, report = told_of(tmp_path, text)

    assert len(kinds) == 1
    assert [one for one in said if one not in report] == []
    assert [one for one in _NEVER if one in report] == []


def test_the_class_of_a_servers_error_makes_no_server_of_what_it_reports(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        "org.apache.hive.service.cli.HiveSQLException: Error while processing statement: FAILED: "
        f"Execution Error, return code 2 from {_HIVE}.tez.TezTask. Vertex failed, vertexName=Map 1,"
        " vertexId=vertex_1700000000000_0042_1_00, diagnostics=[Task failed, info=[Error: Failure "
        f"while running task:{_HEAP}\n"
        "\tat org.apache.tez.runtime.library.common.sort.impl.PipelinedSorter.<init>(P.java:172)\n",
    )

    assert (
        "A task of Tez (vertex Map 1) of application_1700000000000_0042 ran out of heap" in report
    )
    assert "tez.runtime.io.sort.mb" in report
    assert "HiveServer2 ran out" not in report


def test_splits_on_tez_are_of_its_application_master(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        "Vertex failed, vertexName=Map 1, vertexId=vertex_1700000000000_0042_1_00, diagnostics=["
        "Vertex killed/failed due to:ROOT_INPUT_INIT_FAILURE, java.lang.RuntimeException: serious "
        "problem\n\tat org.apache.hadoop.hive.ql.io.orc.OrcInputFormat.generateSplitsInfo(O.java:1)"
        f"\nCaused by: {_HEAP}\n",
    )

    assert "An application master of Tez" in report
    assert "hive.exec.orc.split.strategy=BI" in report
    assert "a task of Tez" not in report


ELSEWHERE = {
    # ExecDriver.execute: 1 is an exception of its own, 2 a job that failed
    "Hive, code 1": (
        f"Execution Error, return code 1 from {_HIVE}.mr.MapRedTask\n",
        ("submitted or followed the job", "Job Submission failed with exception", "hive.log"),
    ),
    "Hive, code 2, with the job": (
        (
            "Ended Job = job_1700000000000_0042 with errors\n"
            f"FAILED: Execution Error, return code 2 from {_HIVE}.mr.MapRedTask\n"
        ),
        ("yarn logs -applicationId application_1700000000000_0042",),
    ),
    "Hive on Tez": (
        f"FAILED: Execution Error, return code 2 from {_HIVE}.tez.TezTask\n",
        ("the DAG of the query failed", "Vertex failed"),
    ),
    # JobClient.runJob
    "the old API": (
        "Exception: java.io.IOException: Job failed!\n",
        ("every job that did not succeed", "Task Id : attempt_..., Status : FAILED"),
    ),
    "Pig with a JobTracker": (
        (
            "Failed Jobs:\nJobId\tAlias\tFeature\tMessage\tOutputs\n"
            "job_201306120912_0034\tA,B\tJOIN\n"
            "ERROR 2244: Job failed, hadoop does not return any error message\n"
        ),
        ("pig_*.log", "logs/userlogs/job_201306120912_0034", "jobdetails.jsp"),
    ),
    "Sqoop": ("ERROR tool.ImportTool: Import failed: Import job failed!\n", ("map tasks",)),
    "EMR": ("WARN Step failed with exitCode 1 and took 9 seconds\n", ("containers/APPLICATION",)),
    "a server that starts": (
        "2024-03-01 18:56:27: Starting Hive Metastore Server\nSLF4J: Class path contains\n",
        ("lines of a metastore of Hive", "kubectl logs --previous POD"),
    ),
}


@pytest.mark.parametrize("engine", ELSEWHERE)
def test_where_the_error_itself_stands_is_said_first(engine: str, tmp_path: Path) -> None:
    text, said = ELSEWHERE[engine]

    kinds, report = told_of(tmp_path, text)

    assert [one for one in kinds if one != "none"] == [] or "failed" in report
    answer = report.split("FOUND")[0]
    assert [one for one in said if one not in answer and one not in report] == []
    assert "is not known" not in report


def test_a_job_of_a_jobtracker_gets_the_names_that_it_knows(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        "24/10/04 09:58:21 WARN mapred.ReduceTask: attempt_201210031512_0007_r_000000_0 : Map "
        f"output copy failure : {_HEAP}\n\tat org.apache.hadoop.mapred.ReduceTask$ReduceCopier"
        "$MapOutputCopier.shuffleInMemory(ReduceTask.java:1612)\n",
    )

    assert "-D mapred.job.shuffle.input.buffer.percent=0.20" in report
    assert "mapreduce.reduce.shuffle" not in report
    assert "mprof run" not in report  # it runs jobs from Hadoop 2.9 on


def test_the_error_of_a_local_job_is_read(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        "WARN [Thread-142] org.apache.hadoop.mapred.LocalJobRunner - job_local16511_0001\n"
        "java.lang.Exception: java.io.IOException: The stream is closed\n"
        "\tat org.apache.hadoop.mapred.LocalJobRunner$Job.runTasks(LocalJobRunner.java:489)\n"
        "INFO [task-0] org.apache.hadoop.mapreduce.Job - Job job_local16511_0001 failed with state "
        "FAILED due to: NA\n",
    )

    assert "The stream is closed" in report
    assert "nothing points to memory" in report


@pytest.mark.parametrize(
    "sentence",
    [
        "The NameNode and the ResourceManager are well; something had an OutOfMemoryError.",
        "The NameNode or HiveServer2 went out of memory, we do not know which.",
        "attempt_1_0001_m_000001_0 went out of memory beside the NameNode.",
        "The resource manager says that my application ran out of memory.",
        "The NodeManager log shows OutOfMemoryError for the container.",
        "The NameNode never ran out of memory before our upgrade.",
        "The region server is fine and the client went out of memory.",
        "The NodeManager killed it since it was out of memory.",
        "Our HiveServer2 didn't run into an OutOfMemoryError.",
        "Our NameNode has a heap space of 4 GB.",
    ],
)
def test_a_server_that_is_not_said_to_be_out_of_memory_is_not_taken_for_it(
    tmp_path: Path, sentence: str
) -> None:
    _, report = told_of(tmp_path, f"{sentence}\n\n{_HEAP}\n")

    assert "ran out of heap space. It was no map or reduce task" not in report


def test_a_server_beside_a_task_that_died_is_not_what_died(tmp_path: Path) -> None:
    text = (
        "Our map tasks fail with a heap space error, and the region servers look fine.\n"
        f"Is the region server out of memory?\n\n{_HEAP}\n"
    )

    _, report = told_of(tmp_path, text)

    assert "RegionServer" not in report


@pytest.mark.parametrize(
    "text",
    [
        "The NameNode ran out of heap space two months ago.\n\nERROR tools.DistCp: Exception\n",
        'Our HiveServer2 ran out of memory.\n\nException in thread "main" ',
        "HiveServer2 OutOfMemoryError\n\nFAILED: return code 3 from MapredLocalTask\n",
        'HiveServer2 is large and yet: java.lang.OutOfMemoryError\n\nException in thread "main" ',
    ],
)
def test_a_log_tells_more_of_a_process_than_a_title(text: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{text}{_HEAP}\n")

    assert "A NameNode" not in report
    assert "A HiveServer2" not in report


def test_what_lies_outside_the_heap_of_a_named_server_is_its_own(tmp_path: Path) -> None:
    text = (
        "# NodeManager: Direct buffer memory\n\njava.lang.OutOfMemoryError: Direct buffer memory\n"
        "\tat java.nio.Bits.reserveMemory(Bits.java:695)\n"
        "\tat io.netty.buffer.PoolArena$DirectArena.allocateDirect(PoolArena.java:755)\n"
        '\nFix: export YARN_NODEMANAGER_OPTS="-XX:MaxDirectMemorySize=512M"\n'
    )

    _, report = told_of(tmp_path, text)
    _, of_own_code = told_of(tmp_path, text.replace("io.netty.buffer", "com.example"))

    assert "A NodeManager ran out of direct buffer memory" in report
    assert "The text itself proposes YARN_NODEMANAGER_OPTS=-XX:MaxDirectMemorySize=512M" in report
    assert "suggested by the message, not proven" in report  # a title is all that says so
    assert "NodeManager ran out" not in of_own_code


@pytest.mark.parametrize("name", ["YARN_NODEMANAGER_HEAPSIZE", "YARN_NODEMANAGER_OPTS"])
def test_the_heap_of_a_server_is_read_and_set_where_it_is_started(
    name: str, tmp_path: Path
) -> None:
    had, new = ("-Xmx1024m", "-Xmx4g") if name.endswith("OPTS") else ("1024", "4096")
    text = (
        "2020-01-01 10:10:10,123 FATAL org.apache.hadoop.yarn.YarnUncaughtExceptionHandler: Thread "
        "Thread[Container Monitor,5,main] threw an Error.  Shutting down now...\n"
        "java.lang.OutOfMemoryError: GC overhead limit exceeded\n\n"
        f"yarn-env.sh has\n\nexport {name}={had}\n\nAfter {name}={new} it runs well.\n"
    )

    _, report = told_of(tmp_path, text)

    assert f"export {name}={new} (was {had})" in report
    assert f"With {name}={new} it went through" in report


def test_a_server_that_was_stopped_lacked_no_memory(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        "2019-05-02 03:11:10,001 ERROR org.apache.hadoop.hdfs.server.datanode.DataNode: RECEIVED "
        "SIGNAL 15: SIGTERM\n2019-05-02 03:11:10,003 INFO org.apache.hadoop.hdfs.server.datanode."
        "DataNode: SHUTDOWN_MSG:\n",
    )

    assert "The DataNode was asked to end (SIGTERM)" in report
    assert "journalctl" in report
