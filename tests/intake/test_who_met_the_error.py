"""Whose an error is that stands beside the ids or the lines of other processes.

Hosts, ids and numbers are made up; loggers, frames and words are those of Hadoop and of Spark.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

from mprof.engines import is_of_hadoop_1, page_in, program_around

_HEAP = "java.lang.OutOfMemoryError: Java heap space"
_NO_THREAD = "java.lang.OutOfMemoryError: unable to create new native thread"
_OLD = "attempt_201402030405_0031_m_000007_0"
_DATANODE = (
    "2014-02-03 04:05:06,789 ERROR org.apache.hadoop.hdfs.server.datanode.DataNode: "
    f"DatanodeRegistration(10.1.1.7:50010, storageID=DS-1):DataXceiveServer: {{}}{_NO_THREAD}\n"
)
_GONE = (
    "24/03/01 10:12:46 ERROR YarnCoarseGrainedExecutorBackend: Executor self-exiting due to : "
    "Driver w1.example.com:7078 disassociated! Shutting down.\n"
    "24/03/01 10:12:46 ERROR CoarseGrainedExecutorBackend: RECEIVED SIGNAL TERM\n"
)
_STORE = (
    "24/03/01 10:12:40 INFO UnifiedMemoryManager: Will not store broadcast_17 as the required "
    "space (4294967296 bytes) exceeds our memory limit (2147483648 bytes)\n"
)
_COUNTERS = "org.apache.hadoop.mapreduce.counters.LimitExceededException: Too many counters"


def _stack(error: str, *frames: str) -> str:
    return f"{error}\n" + "".join(f"\tat {one}(A.java:1)\n" for one in frames)


def test_an_error_that_a_datanode_logs_is_of_no_attempt_in_another_line(tmp_path: Path) -> None:
    other = (
        "2014-02-03 04:07:06,789 ERROR org.apache.hadoop.security.UserGroupInformation: "
        f"PriviledgedActionException cause:java.io.IOException: Unknown task; {_OLD}. Ignoring\n"
    )

    kinds, report = told_of(tmp_path, f"{_DATANODE.format('Exiting due to:')}{other}")

    assert kinds == ["threads"]
    assert "A DataNode could not start another thread" in report
    for false in ("Attempt ", _OLD, "NodeManager", "containers"):
        assert false not in report


def test_an_error_in_the_log_of_an_attempt_stays_its_own(tmp_path: Path) -> None:
    frame = "org.apache.hadoop.hdfs.DFSOutputStream.start"
    log = (
        f"2014-02-03 04:05:06,789 FATAL org.apache.hadoop.mapred.Child: Error running child : "
        f"{_stack(_NO_THREAD, frame, 'org.apache.hadoop.mapred.Child.main')}"
        f"2014-02-03 04:05:07,000 INFO org.apache.hadoop.mapred.Task: Task {_OLD} ends\n"
    )

    _, report = told_of(tmp_path, log)

    assert f"Attempt {_OLD}" in report
    assert "the user that runs the tasks" in report
    assert "TaskTrackers started again" in report
    for newer in ("NodeManager", "runs the containers"):
        assert newer not in report


def test_a_yarn_task_without_a_thread_is_told_of_its_nodemanager(tmp_path: Path) -> None:
    frames = ("com.example.M.map", "org.apache.hadoop.mapred.YarnChild.main")

    _, report = told_of(tmp_path, _stack(f"Error: {_NO_THREAD}", *frames))

    assert "NodeManagers started again" in report
    assert "TaskTracker" not in report


@pytest.mark.parametrize(
    "frame", ["org.apache.hadoop.mapred.jobdetails_jsp._jspService", "com.example.M.map"]
)
def test_a_page_that_reads_too_many_counters_ended_no_task(tmp_path: Path, frame: str) -> None:
    limits = "org.apache.hadoop.mapreduce.counters.Limits.checkCounters"
    text = _stack(f"Caused by:\n{_COUNTERS}: 61 max=60", limits, frame)
    of_page = "_jsp" in frame
    if not of_page:
        text = f"Task Id : attempt_1700000000000_0005_m_000003_0, Status : FAILED\nError: {text}"

    _, report = told_of(tmp_path, text)

    assert ("web page of the JobTracker failed" in report) is of_page
    assert ("neither a task nor the job has ended by that" in report) is of_page
    assert ("so the task was ended" in report) is not of_page
    assert ("mapreduce.job.counters.limit" in report) is of_page


def test_the_history_server_that_reads_too_many_counters_ended_no_task(tmp_path: Path) -> None:
    frames = (
        "org.apache.hadoop.mapreduce.counters.Limits.checkCounters",
        "org.apache.hadoop.mapreduce.v2.hs.CompletedJob.loadFullHistoryData",
    )
    log = "2024-03-01 10:00:01,000 ERROR [main] x.Y: Error running child : "

    _, report = told_of(tmp_path, log + _stack(f"{_COUNTERS}: 121 max=120", *frames))

    assert "so the task was ended" not in report


def test_an_error_beside_executors_that_lost_their_driver_is_the_drivers(tmp_path: Path) -> None:
    text = f"The Spark driver OOM of last night\n\n# {_HEAP}\n# -XX:OnOutOfMemoryError=\n{_GONE}"

    kinds, report = told_of(tmp_path, f"{text}{_STORE}")

    assert kinds == ["heap"]
    assert "A driver or application master of Spark ran out of heap" in report
    assert "broadcast_17" in report
    assert "it takes 4.0 GB, where 2.0 GB are the most" in report
    for false in ("An executor of Spark", "spark.executor.memory", "What filled it is not said"):
        assert false not in report


def test_nobody_says_whose_error_it_is_beside_such_executors() -> None:
    said = f"# {_HEAP}\n{_GONE}"

    program = program_around(said)
    assert program is not None
    assert program.title == "process of Spark"


def test_an_executor_that_met_it_keeps_it(tmp_path: Path) -> None:
    thread = "24/03/01 10:12:40 ERROR Executor: Exception in task 3.0 in stage 4.0 (TID 9)\n"

    _, report = told_of(tmp_path, f"Our driver OOM story\n{thread}{_stack(_HEAP, 'a.B.c')}{_GONE}")

    assert "An executor of Spark ran out of heap" in report


def test_a_block_that_is_no_broadcast_says_nothing(tmp_path: Path) -> None:
    text = f"Spark driver OOM\n# {_HEAP}\n{_GONE}{_STORE.replace('broadcast_17', 'rdd_17_2')}"

    _, report = told_of(tmp_path, text)

    assert "is a broadcast" not in report
    assert "hint" not in report
    assert "mprof cannot tell what filled it" in report


def test_the_server_that_was_called_is_the_one_without_a_thread(tmp_path: Path) -> None:
    # copied from a page: a rest of a tag, and blanks that its encoding did not know
    frames = (
        "java.lang.Thread.start",
        "org.apache.hadoop.mapred.JvmManager.taskKilled",
        "org.apache.hadoop.mapred.TaskTracker.fatalError",
        "org.apache.hadoop.ipc.RPC$Server.call",
        "org.apache.hadoop.ipc.Server$Handler.run",
    )
    head = (
        'class="Normal">Exception in thread "main" org.apache.hadoop.ipc.RemoteException: '
        f"java.io.IOException: {_NO_THREAD}"
    )

    kinds, report = told_of(tmp_path, _stack(head, *frames).replace("\t", "???? "))

    assert kinds == ["threads"]
    assert "A TaskTracker could not start another thread" in report
    assert "what the task had met stands in its own log, below logs/userlogs" in report
    for false in ("client's command", "NodeManager", "No line of a log"):
        assert false not in report


def test_an_io_error_that_only_quotes_the_words_is_none_of_memory(tmp_path: Path) -> None:
    frames = ("com.example.M.map", "org.apache.hadoop.mapred.YarnChild.main")

    kinds, _ = told_of(tmp_path, _stack(f"Error: java.io.IOException: no {_HEAP} here", *frames))

    assert kinds != ["heap"]


def test_the_shuffle_of_hadoop_1_has_its_own_properties(tmp_path: Path) -> None:
    copier = "org.apache.hadoop.mapred.ReduceTask$ReduceCopier$MapOutputCopier.shuffleInMemory"
    new = "org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>"
    heap = "The reducers run with -Xmx900m.\n\n"

    _, old_report = told_of(tmp_path, f"{heap}{_stack(f'Error: {_HEAP}', copier)}")
    _, new_report = told_of(tmp_path, f"{heap}{_stack(f'Error: {_HEAP}', new)}")

    old_name, name = "mapred.job.shuffle.input.buffer", "mapreduce.reduce.shuffle.input.buffer"
    assert f"-D {old_name}.percent=0.20" in old_report
    assert name not in old_report
    assert "mapreduce.reduce.java.opts" not in old_report
    assert "180 MB" in old_report
    assert f"-D {name}.percent=0.20" in new_report
    assert old_name not in new_report


def test_which_classes_hadoop_1_has_alone() -> None:
    mapred = "org.apache.hadoop.mapred."

    assert is_of_hadoop_1(f"{mapred}JobInProgress$KillInterruptedException")
    assert not is_of_hadoop_1(f"{mapred}TaskTrackerStatus")  # which Hadoop 2 has as well
    assert not is_of_hadoop_1(f"{mapred}YarnChild")
    assert page_in("com.example.orders_jsp._jspService") is None
