"""What somebody set or tried that could not help: it is of another process, or not of the heap.

Each text is of its own making; ids and numbers are made up.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_ID = "1730000000000_0021"
_REDUCER = f"Task Id : attempt_{_ID}_r_000002_0, Status : FAILED\nError: Java heap space\n"
_TEZ = (
    f"Vertex failed, vertexName=Map 3, vertexId=vertex_{_ID}_1_02, diagnostics=[Task failed, "
    f"taskId=task_{_ID}_1_02_000001, diagnostics=[TaskAttempt 0 failed, info=[Error: Error while "
    "running task ( failure ) : java.lang.OutOfMemoryError: Java heap space\n"
    "\tat org.apache.hadoop.hive.ql.exec.tez.MapRecordProcessor.init(MapRecordProcessor.java:9)\n"
    "]]\n"
)
_CLIENT = (
    'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n'
    "\tat org.apache.hadoop.mapreduce.JobSubmitter.writeSplits(JobSubmitter.java:1)\n"
)
_DRIVER = (
    "ERROR Utils: uncaught error in thread task-result-getter-0, stopping SparkContext\n"
    "java.lang.OutOfMemoryError: Java heap space\n"
)


_OF_ADDRESSES = (
    f"Container [pid=7,containerID=container_{_ID}_01_000004] is running beyond virtual memory "
    "limits. Current usage: 0.3 GB of 1 GB physical memory used; 2.4 GB of 2.1 GB virtual memory "
    "used. Killing container."
)
_ON_1G = f"{_REDUCER}mapreduce.reduce.java.opts=-Xmx1g\n"
_OF_TASKS = ", which the text has, is of map and reduce tasks and does not reach it"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            f"{_ON_1G}I tried mapreduce.map.memory.mb=6144.",
            "mapreduce.map.memory.mb, which the text has, is of map tasks: a reduce task died",
        ),
        (
            f"{_ON_1G}mapreduce.map.memory.mb=6144",
            "mapreduce.map.memory.mb, which the text has, is of map tasks: a reduce task died",
        ),
        (
            f"{_ON_1G}I tried mapred.child.java.opts=-Xmx5g.",
            "has no effect on it: mapreduce.reduce.java.opts goes before it",
        ),
        (
            f"{_ON_1G}I tried mapreduce.reduce.memory.mb=6144.",
            "is the size of the container: the heap stays at -Xmx1024m",
        ),
        (
            f"{_ON_1G}I tried export HADOOP_HEAPSIZE=3000 too.",
            (
                "HADOOP_HEAPSIZE, which the text has, is of commands on the client and servers and "
                "does not reach a task"
            ),
        ),
        (
            (
                f"Task Id : attempt_{_ID}_m_000002_0, Status : FAILED\n{_OF_ADDRESSES}\n"
                "I tried mapreduce.reduce.memory.mb=6144."
            ),
            "mapreduce.reduce.memory.mb, which the text has, is of reduce tasks: a map task died",
        ),
        (
            f"{_CLIENT}I tried mapreduce.map.java.opts=-Xmx5g, no luck.",
            f"mapreduce.map.java.opts{_OF_TASKS}",
        ),
        (
            f"{_CLIENT}hadoop jar a.jar b.C -Dyarn.app.mapreduce.am.resource.mb=4096 /in /out",
            "is of the application master of MapReduce and does not reach it",
        ),
        (
            f"{_DRIVER}spark-submit --executor-memory 9g app.py",
            "spark.executor.memory, which the text has, is of executors of Spark and does not",
        ),
        (
            f"set hive.tez.java.opts=-Xmx1g;\n{_TEZ}I tried set hive.tez.container.size=6144;",
            (
                "hive.tez.container.size=6144, which the text has as well, is the size of the "
                "container: the heap stays at -Xmx1024m"
            ),
        ),
        (
            f"set hive.tez.container.size=2048;\n{_TEZ}I tried mapreduce.map.memory.mb=6144.",
            f"mapreduce.map.memory.mb{_OF_TASKS}",
        ),
    ],
)
def test_what_does_not_reach_it_is_named_with_the_reason(
    text: str, said: str, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, text)

    assert said in report


@pytest.mark.parametrize(
    "text",
    [
        # Hive takes these for its tasks of Tez where hive.tez.container.size is not set
        f"{_TEZ}set mapreduce.map.memory.mb=2048;",
        # a whole configuration: nobody tried anything
        (
            f"{_REDUCER}mapreduce.map.memory.mb=2048\nmapreduce.reduce.memory.mb=4096\n"
            "mapreduce.reduce.java.opts=-Xmx3g\nyarn.app.mapreduce.am.resource.mb=1536"
        ),
        # of both sides, and all of it in doubt
        (
            f"{_REDUCER}In the past we had:\nmapreduce.map.memory.mb=2048\n"
            "mapreduce.reduce.memory.mb=4096\n"
        ),
        # what led the application may be a driver
        (
            f"Application application_{_ID} failed 2 times due to AM Container for "
            f"appattempt_{_ID}_000002 exited with exitCode: 1\n"
            "I tried tez.am.resource.memory.mb=4096 and, with MapReduce, much else."
        ),
        # of the container that was killed its size is what counts
        f"{_REDUCER}I tried mapreduce.reduce.memory.mb=6144.",
    ],
)
def test_what_may_reach_it_is_not_denied(text: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, text)

    assert "which the text has" not in report


_LOCAL_TASK = (
    "2024-03-01 10:00:00 Starting to launch local task to process map join; maximum memory = "
    "1013645312\n"
    "2024-03-01 10:00:31 Processing rows: 3000000 Hashtable size: 2999999 Memory usage: 930000000 "
    "percentage: 0.918\n"
    "Execution failed with exit status: 3\n"
    "FAILED: Execution Error, return code 3 from "
    "org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask\n"
)


def test_the_heap_of_a_local_task_of_hive_is_not_that_of_its_client(tmp_path: Path) -> None:
    # MapredLocalTask.executeInChildVM: variables.remove(HADOOP_MEM_KEY)
    _, report = told_of(tmp_path, f"export HADOOP_HEAPSIZE=4096\n{_LOCAL_TASK}")

    assert "HADOOP_HEAPSIZE=4096, which the text has, does not reach that JVM" in report
    assert "or hive.mapred.local.mem (MB) where that has none" in report
    assert "Each map task of such a join loads the same table" in report


def test_the_heap_of_another_client_is(tmp_path: Path) -> None:
    client = (
        "HADOOP_HEAPSIZE=4096\n"
        'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n'
        "\tat org.apache.hadoop.fs.FsShell.run(FsShell.java:90)\n"
    )
    _, report = told_of(tmp_path, client)

    assert "does not reach that JVM" not in report
