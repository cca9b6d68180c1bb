"""What people paste of jobs that are no plain MapReduce, in the shapes in which pages give it.

Hosts, ids, classes and numbers are made up; the words are those of the sources that are named.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import dead, found

from mprof.report import render_findings

_APPLICATION = "1700000000000_0042"
_FIRST = f"container_{_APPLICATION}_01_000001"
_THIRD = f"container_{_APPLICATION}_01_000003"
_ATTEMPT = f"attempt_{_APPLICATION}_m_000004_1"
_HEAP = "java.lang.OutOfMemoryError: Java heap space"


def _told(tmp_path: Path, text: str) -> tuple[list[str], str]:
    """The kinds of death, and the report in one line."""
    path = tmp_path / "pasted.txt"
    path.write_text(text)
    findings = found(path)
    kinds = [one.diagnosed.evidence.death.kind for one in findings.told]
    return kinds, " ".join(render_findings(findings).split())


CASES = {
    # org.apache.spark.deploy.yarn.YarnAllocator of 1.x and 2.x, and of 3.x
    "an executor of Spark, killed for physical memory": (
        (
            "24/03/01 10:00:01 ERROR YarnScheduler: Lost executor 7 on w3: Container killed by "
            "YARN "
            "for exceeding memory limits. 5.5 GB of 5.5 GB physical memory used. Consider boosting "
            "spark.yarn.executor.memoryOverhead."
        ),
        "container-physical",
        ("executor of Spark", "spark.executor.memoryOverhead"),
        ("mapreduce.map", "mprof run"),
    ),
    "the same for virtual memory": (
        (
            "24/03/01 10:00:01 WARN TaskSetManager: Lost task 3.0 in stage 1.0 (TID 10, w3): "
            "ExecutorLostFailure (executor 7 exited) Reason: Container killed by YARN for "
            "exceeding "
            "memory limits. 9.1 GB of 8.4 GB virtual memory used."
        ),
        "container-virtual",
        ("executor of Spark", "yarn.nodemanager.vmem-check-enabled=false", "9.1 GB of 8.4 GB"),
        ("boost", "mapreduce.map"),
    ),
    "the same in the words of Spark 3": (
        (
            "ExecutorLostFailure (executor 7 exited caused by one of the running tasks) Reason: "
            "Container killed by YARN for exceeding physical memory limits. 5.5 GB of 5.5 GB "
            "physical "
            "memory used. Consider boosting spark.executor.memoryOverhead."
        ),
        "container-physical",
        ("executor of Spark",),
        ("mapreduce.map",),
    ),
    "an executor of Spark that is lost, and nothing says why": (
        (
            "24/03/01 10:00:01 ERROR cluster.YarnClusterScheduler: Lost executor 4 on w3: "
            "remote Rpc "
            "client disassociated"
        ),
        "not-memory",
        ("executor of Spark failed", "Lost executor 4"),
        ("ran out",),
    ),
    # org.apache.spark.util.SparkExitCode.OOM
    "an executor of Spark with its exit code for an OutOfMemoryError": (
        (
            f"WARN YarnAllocator: Container marked as failed: {_THIRD} on host: w3. Exit "
            "status: 52. "
            "Diagnostics: Exception from container-launch."
        ),
        "heap",
        ("executor of Spark", _THIRD, "spark.executor.memory"),
        ("nothing points to memory",),
    ),
    # org.apache.tez.dag.app.dag.impl.VertexImpl
    "a task of Tez": (
        (
            "Vertex failed, vertexName=Map 5, vertexId=vertex_1700000000000_0042_1_05, "
            "diagnostics=[Task failed, diagnostics=[TaskAttempt 0 failed, info=[Error: Failure "
            "while "
            f"running task:java.lang.RuntimeException: {_HEAP}\n"
            f"    at com.example.Udf.evaluate(Udf.java:12)\nCaused by: {_HEAP}\n"
        ),
        "heap",
        ("task of Tez", "hive.tez.container.size"),
        ("mapreduce.map", "mprof run."),
    ),
    # org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask
    "the local task of a map join": (
        (
            "2024-03-01 10:00:01 Starting to launch local task to process map join; maximum "
            "memory = "
            "500000000\n"
            "2024-03-01 10:00:05 Processing rows:\t200000\tHashtable size:\t199999\tMemory usage:\t"
            "100000000\tpercentage:\t0.2\n"
            "2024-03-01 10:00:09 Processing rows:\t900000\tHashtable size:\t899999\tMemory usage:\t"
            "460000000\tpercentage:\t0.92\n"
            "Execution failed with exit status: 3\nObtaining error information\n"
            "FAILED: Execution Error, return code 3 from org.apache.hadoop.hive.ql.exec.mr."
            "MapredLocalTask\n"
        ),
        "heap",
        ("local task of Hive", "439 MB, 92 %", "hive.auto.convert.join=false"),
        ("The task ran", "mprof run"),
    ),
    # org.apache.hadoop.hive.ql.exec.errors.MapAggrMemErrorHeuristic
    "what Hive guesses of an aggregation": (
        (
            "Task with the most failures(4):\n-----\nTask ID:\n  "
            "task_1700000000000_0042_m_000004\n\n"
            "URL:\n  http://rm:8088/taskdetails.jsp\n\nPossible error:\n  Out of memory due to "
            "hash "
            "maps used in map-side aggregation.\n\nSolution:\n  Currently "
            "hive.map.aggr.hash.percentmemory is set to 0.3. Try setting it to a lower "
            "value.\n-----\n"
            "Diagnostic Messages for this Task:\n\n\nFAILED: Execution Error, return code 2 from "
            "org.apache.hadoop.hive.ql.exec.mr.MapRedTask\n"
        ),
        "heap",
        ("hive.map.aggr.hash.percentmemory=0.15", "a guess"),
        ("nothing points to memory",),
    ),
    # the first container of an application attempt is its master's
    "the kill of a first container": (
        (
            f"Container [pid=1675,containerID={_FIRST}] is running beyond physical memory limits. "
            "Current usage: 1.0 GB of 1 GB physical memory used; 2.9 GB of 2.1 GB virtual "
            "memory used. "
            "Killing container."
        ),
        "application-master",
        ("application master", "yarn.app.mapreduce.am.resource.mb=2048", "1024 MB"),
        ("mapreduce.map",),
    ),
    "the kill of a master of another engine": (
        (
            f"Container [pid=1675,containerID={_FIRST}] is running beyond physical memory limits. "
            "Current usage: 1.0 GB of 1 GB physical memory used. Killing container.\n"
            f"Dump of the process-tree for {_FIRST} :\n"
            "\t|- 1680 1675 1675 1675 (java) 5021 548 1711837184 262144 /usr/bin/java -Xmx1000M "
            "org.example.yarn.ApplicationMaster\n"
        ),
        "application-master",
        ("another engine than MapReduce",),
        ("yarn.app.mapreduce.am.resource.mb",),
    ),
    "a master that was killed for virtual memory": (
        (
            f"Application application_{_APPLICATION} failed 1 times due to AM Container for "
            f"appattempt_{_APPLICATION}_000001 exited with exitCode: -103\n"
            f"Diagnostics: Container [pid=41,containerID={_FIRST}] is running beyond virtual "
            "memory "
            "limits. Current usage: 88.1 MB of 256 MB physical memory used; 1.1 GB of 537.6 MB "
            "virtual "
            "memory used. Killing container."
        ),
        "application-master",
        ("address space", "yarn.nodemanager.vmem-check-enabled=false"),
        ("do not say that it was for memory",),
    ),
    # RMAppImpl of YARN 3; ContainerExitStatus.INVALID
    "a master that never ran": (
        (
            f"Application application_{_APPLICATION} failed 2 times in previous 10000 milliseconds "
            f"due to AM Container for appattempt_{_APPLICATION}_000002 exited with exitCode: "
            "-1000\n"
            "Failing this attempt.Diagnostics: [2024-03-01 10:00:01.121]No space available in "
            "any of "
            "the local directories."
        ),
        "application-master",
        ("never ran", "No space available in any of the local directories"),
        ("read its own log",),
    ),
    # org.apache.hadoop.yarn.YarnUncaughtExceptionHandler in a thread of MRAppMaster's
    "a committer of an application master": (
        (
            "2024-03-01 10:00:01,158 FATAL [CommitterEvent Processor #4] org.apache.hadoop.yarn."
            "YarnUncaughtExceptionHandler: Thread Thread[CommitterEvent Processor #4,5,main] "
            "threw an "
            "Error.  Shutting down now...\njava.lang.OutOfMemoryError: GC overhead limit exceeded\n"
            "\tat java.nio.ByteBuffer.wrap(ByteBuffer.java:373)\n"
            "\tat com.example.Committer.commitJob(Committer.java:58)\n"
        ),
        "application-master",
        ("application master", "yarn.app.mapreduce.am.command-opts"),
        ("The task",),
    ),
    # org.apache.hadoop.mapreduce.counters.Limits, as Hive quotes it
    "too many counters below a line of Hive": (
        (
            f"Ended Job = job_{_APPLICATION} with exception\n'org.apache.hadoop.mapreduce.counters."
            "LimitExceededException\n(Too many counters: 201 max=200)'\n"
        ),
        "not-memory",
        ("200 counters", "mapreduce.job.counters.max"),
        (),
    ),
    "fetches that failed": (
        "The reducer gave this:\nShuffle Error: Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out\n",
        "not-memory",
        ("could not fetch", "no memory had run out"),
        ("The reducer gave this",),
    ),
    # one text that says of a container's end twice
    "a launch that failed is one death": (
        (
            f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : {_ATTEMPT}, Status : FAILED\n"
            f"Exception from container-launch.\nContainer id: {_THIRD}\nExit code: 1\n"
            "Stack trace: ExitCodeException exitCode=1: \n"
            "\tat org.apache.hadoop.util.Shell.runCommand(Shell.java:545)\n"
        ),
        "not-memory",
        (_ATTEMPT, _THIRD, "1 is what java leaves"),
        ("2 DEATHS",),
    ),
    "an exit code in a NodeManager's log": (
        (
            "2024-03-01 10:00:01,539 WARN org.apache.hadoop.yarn.server.nodemanager."
            f"DefaultContainerExecutor: Exit code from container {_THIRD} is : 127\n"
        ),
        "not-memory",
        (_THIRD, "127"),
        (),
    ),
    "sizes without the words before them": (
        (
            "Current usage: 2.1gb of 2.0gb physical memory used; 1.6gb of 3.15gb virtual "
            "memory used. "
            "Killing container."
        ),
        "container-physical",
        ("2.0 GB",),
        (),
    ),
    # what java itself reports of a main thread: YarnChild and MRAppMaster catch every error there
    "a command of Hadoop that lists files": (
        (
            f'Exception in thread "main" {_HEAP}\n'
            "\tat org.apache.hadoop.hdfs.DistributedFileSystem.listStatusInternal(D.java:732)\n"
        ),
        "heap",
        ("client's command", "HADOOP_CLIENT_OPTS"),
        ("The task", "mprof run"),
    ),
    # HotSpot universe.cpp, before any class is loaded
    "a JVM that did not start": (
        (
            f"# cat /var/log/userlogs/{_ATTEMPT}/stderr\n"
            "Error occurred during initialization of VM\n"
            "Could not reserve enough space for object heap\n"
        ),
        "native",
        (_ATTEMPT,),
        (),
    ),
    "a writer of Parquet": (
        (
            "2024-03-01 10:00:01,626 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error "
            "running "
            f"child : {_HEAP}\n"
            "\tat org.apache.parquet.column.values.dictionary.IntList.initSlab(IntList.java:90)\n"
            "\tat org.apache.parquet.column.impl.ColumnWriteStoreV1.newMemColumn("
            "ColumnWriteStoreV1.java:68)\n"
        ),
        "heap",
        ("parquet.block.size=67108864", "First aid"),
        (),
    ),
}


@pytest.mark.parametrize("title", CASES)
def test_it_is_read_and_nothing_false_is_said(title: str, tmp_path: Path) -> None:
    text, kind, said, unsaid = CASES[title]

    kinds, report = _told(tmp_path, text)

    assert kinds == [kind]
    assert [one for one in said if one not in report] == []
    assert [one for one in unsaid if one in report] == []


_STACK = (
    (
        "Error: org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle in "
        "fetcher#8"
    ),
    "\tat org.apache.hadoop.mapreduce.task.reduce.Shuffle.run(Shuffle.java:134)",
    "\tat org.apache.hadoop.mapred.ReduceTask.run(ReduceTask.java:376)",
    "\tat org.apache.hadoop.mapred.YarnChild.main(YarnChild.java:163)",
    f"Caused by: {_HEAP}",
    (
        "\tat "
        "org.apache.hadoop.io.BoundedByteArrayOutputStream.<init>(BoundedByteArrayOutputStream."
        "java:56)"
    ),
    "\tat org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>(InMemoryMapOutput.java)",
)
SHAPES = {
    "a frame a line": "\n".join(_STACK),
    "all in one line": " ".join(line.strip() for line in _STACK),
    "with a blank line behind each": "\n\n".join(_STACK),
    "cut off behind the error": "\n".join(_STACK[:5]),
    "in one line, and cut off": " ".join(line.strip() for line in _STACK[:5]) + " at org.apache.ha",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_stack_is_read_however_a_page_gives_it(shape: str, tmp_path: Path) -> None:
    kinds, report = _told(tmp_path, SHAPES[shape] + "\n")

    assert kinds == ["heap"]
    assert "mapreduce.reduce.shuffle.input.buffer.percent=0.20" in report


def test_a_message_on_the_line_below_its_error_is_its_message(tmp_path: Path) -> None:
    kinds, _ = _told(
        tmp_path,
        "java.lang.OutOfMemoryError: \n          unable to create new native thread\n"
        "    at java.lang.Thread.start0(Native Method)\n    at java.lang.Thread.start(T.java:5)\n",
    )

    assert kinds == ["threads"]


def test_an_attempt_is_told_where_its_line_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "console.txt"
    path.write_text(
        f"24/03/01 10:00:01 INFO mapred.JobClient: Task Id : {_ATTEMPT}, \n"
        "Status : FAILED on node node1\nError: Java heap space\n"
    )

    assert dead(found(path)) == {_ATTEMPT: "heap"}


def test_a_container_that_runs_has_not_died(tmp_path: Path) -> None:
    kinds, report = _told(
        tmp_path,
        "2024-03-01 10:00:01,237 INFO org.apache.hadoop.yarn.server.nodemanager."
        "NodeStatusUpdaterImpl: Sending out status for container: container_id { id: 101 } state: "
        'C_RUNNING diagnostics: "" exit_status: -1000\n',
    )

    assert kinds == []
    assert "died" not in report
