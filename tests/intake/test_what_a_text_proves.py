"""What the words of a text prove: who was at fault, what was only proposed, what helped."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_ARRAY = "java.lang.OutOfMemoryError: Requested array size exceeds VM limit"
_LATER = "22/08/16 03:24:19 INFO Executor: Finished task 58.0 in stage 4.0 (TID 858)\n"


@pytest.mark.parametrize(
    ("logger", "later", "is_caught"),
    [
        ("GeoParser", _LATER, True),
        ("GeoParser", "", False),
        ("Executor", _LATER, False),  # which logs what no code of the task has caught
        ("SparkUncaughtExceptionHandler", _LATER, False),
        ("executor.Executor", _LATER, False),
        ("org.apache.spark.executor.Executor", _LATER, False),
        ("TransportRequestHandler", _LATER, False),
    ],
)
def test_what_a_task_of_spark_logs_itself_its_executor_may_outlive(
    logger: str, later: str, tmp_path: Path, *, is_caught: bool
) -> None:
    text = (
        "22/08/16 03:20:58 WARN BlockManager: Persisting block rdd_14_203 to disk instead.\n"
        f"22/08/16 03:24:06 ERROR {logger}: dropped doc 7741902\n{_ARRAY}\n"
        f"\tat com.example.geo.GeoParser.parse(GeoParser.java:118)\n{later}"
    )

    kinds, report = told_of(tmp_path, text)

    assert (kinds == ["none"]) is is_caught
    assert ("met an OutOfMemoryError that was caught, and went on" in report) is is_caught
    assert "little memory was left" not in report


@pytest.mark.parametrize("frames", [1, 0])
def test_a_table_that_is_broadcast_is_the_driver_s(frames: int, tmp_path: Path) -> None:
    text = (
        "21/10/06 08:01:19 INFO TaskSetManager: Finished task 37.0 in stage 1.0 (TID 77)\n"
        'Exception in thread "broadcast-exchange-0" java.lang.OutOfMemoryError: Not enough memory '
        "to build and broadcast the table to all worker nodes.\n"
    )
    built_in = "org.apache.spark.sql.execution.exchange.BroadcastExchangeExec"
    frame = f"\tat {built_in}$$anon$1.apply(BroadcastExchangeExec.scala:166)\n"
    text += frames * frame

    _, report = told_of(tmp_path, text)

    assert "A driver or application master of Spark" in report
    assert "executor of Spark" not in report


def test_a_task_that_spark_refused_memory_did_not_end_its_executor(tmp_path: Path) -> None:
    text = (
        "16/05/12 04:51:20 WARN TaskSetManager: Lost task 61.0 in stage 8.0 (TID 3319, w14): "
        "java.lang.OutOfMemoryError: Unable to acquire 262144 bytes of memory, got 226143\n"
        "\tat org.apache.spark.memory.MemoryConsumer.allocateArray(MemoryConsumer.java:91)\n"
    )

    _, report = told_of(tmp_path, text)

    assert "A task in an executor of Spark failed" in report


@pytest.mark.parametrize("said", ["or {} then", "[10:03] piotr: or {}", "Or {}, who knows?"])
def test_what_somebody_proposes_with_or_was_not_in_force(said: str, tmp_path: Path) -> None:
    value = "spark.memory.fraction=0.9"
    text = (
        f"{said.format(value)}\n\n16/05/12 04:51:20 WARN TaskSetManager: Lost task 61.0 in stage "
        "8.0 (TID 3319, w14): java.lang.OutOfMemoryError: Unable to acquire 262144 bytes of "
        "memory, got 226143\n"
    )

    _, report = told_of(tmp_path, text)

    assert f"not used, and the words or the reason beside each: {value}" in report


_KILLED = (
    "Jens  14:03  run 13:00:\n  15/10/22 13:01:17 INFO mapreduce.Job: Task Id : "
    "attempt_1445463321764_0106_m_000000_0, Status : FAILED\n  Container [pid=9811,containerID="
    "container_1445463321764_0106_01_000002] is running beyond virtual memory limits. Current "
    "usage: 411.3 MB of 1 GB physical memory used; 2.2 GB of 2.1 GB virtual memory used. Killing "
    "container.\nMarit  14:20  then put Xmx back to 800\n"
    "Jens  14:48  yarn.nodemanager.vmem-check-enabled=false on r2, 15:00 run will tell\n"
)
_DONE = "15/10/22 15:05:02 INFO mapreduce.Job: Job job_1445463321764_0109 completed successfully"


@pytest.mark.parametrize(
    ("after", "has_helped"),
    [
        (f"Jens  15:06  `{_DONE}`\n", True),
        ("Jens  15:06  still running\n", False),
        (f"Ayo  15:06  `{_DONE}`, that is mine\n", False),
        (f"Jens  15:06  `{_DONE.replace('_0109', '_0105')}`\n", False),
    ],
)
def test_what_a_message_sets_before_the_job_that_went_through_has_helped(
    after: str, tmp_path: Path, *, has_helped: bool
) -> None:
    _, report = told_of(tmp_path, f"{_KILLED}{after}")

    helped = "With yarn.nodemanager.vmem-check-enabled=false it went through, as the text says"
    assert (helped in report) is has_helped
    assert '"put ..."' not in report


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("22/08/16 03:20:50 INFO Executor: Running task 57.0 in stage 4.0 (TID 857)\n", _LATER),
        (
            "",
            f"{_LATER}22/08/16 03:24:30 ERROR Executor: Exception in task 5.0 in stage 4 (TID 7)\n",
        ),
    ],
)
def test_an_executor_in_which_a_task_never_ended_has_outlived_nothing(
    before: str, after: str, tmp_path: Path
) -> None:
    text = (
        f"{before}22/08/16 03:24:06 ERROR GeoJoin: cannot build index\n"
        "java.lang.OutOfMemoryError: Java heap space\n"
        f"\tat com.example.geo.GeoJoin.build(GeoJoin.java:118)\n{after}"
    )

    _, report = told_of(tmp_path, text)

    assert "that was caught, and went on" not in report


def test_or_before_a_sentence_of_its_own_proposes_nothing(tmp_path: Path) -> None:
    text = (
        "Or to put it with numbers: mapreduce.map.java.opts is -Xmx1638m here.\n\n"
        "17/03/02 02:41:52 INFO mapreduce.Job: Task Id : attempt_1488211843120_0417_m_000009_0, "
        "Status : FAILED\nError: Java heap space\n"
    )

    _, report = told_of(tmp_path, text)

    assert "-Xmx1638m; mapreduce.map.java.opts sets it" in report


def test_a_message_that_tells_of_the_end_has_not_helped(tmp_path: Path) -> None:
    text = (
        f"{_KILLED.partition('Marit')[0]}  -Dmapreduce.map.memory.mb=1024 that was\n"
        f"Jens  15:06  `{_DONE}`\n"
    )

    _, report = told_of(tmp_path, text)

    assert "it went through" not in report


@pytest.mark.parametrize(
    "said", ["Unable to fetch table sales. GC overhead limit exceeded", "Unable to instantiate a.B"]
)
def test_what_is_wrong_beside_the_query_is_not_told_as_of_it(said: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_KILLED}FAILED: SemanticException {said}\n")

    assert "Hive rejected the query" not in report


def test_a_query_that_hive_refused_has_no_logs(tmp_path: Path) -> None:
    text = (
        "$ hive --hiveconf mapreduce.map.java.opts=-Xmx3276m -f usage.hql\n"
        "FAILED: SemanticException [Error 10004]: Line 6:9 Invalid table alias 'max_heap_mb'\n"
    )

    _, report = told_of(tmp_path, text)

    assert "Hive rejected the query when it compiled it" in report
    assert "there are no logs of containers" in report
    assert "Invalid table alias 'max_heap_mb'" in report


def test_a_driver_that_reads_no_options_is_given_none_without_a_word(tmp_path: Path) -> None:
    text = (
        "$ hadoop jar a.jar Sessionize /in /out -D mapred.child.java.opts=-Xmx2048m\n"
        "14/06/03 19:20:44 WARN mapred.JobClient: Use GenericOptionsParser for parsing the "
        "arguments. Applications should implement Tool for the same.\n"
        "14/06/03 19:44:58 INFO mapred.JobClient: Task Id : attempt_201405281102_0266_r_000005_0, "
        "Status : FAILED\nError: java.lang.OutOfMemoryError: Java heap space\n\tat "
        "org.apache.hadoop."
        "mapred.ReduceTask$ReduceCopier$MapOutputCopier.shuffleInMemory(ReduceTask.java:1703)\n"
    )

    _, report = told_of(tmp_path, text)

    assert "The driver ignores -D. Set it in the client's mapred-site.xml" in report
    assert "Try: mapred.job.shuffle.input.buffer.percent=" in report


def test_of_counted_folders_the_one_without_others_in_it_counts(tmp_path: Path) -> None:
    text = (
        "$ hadoop jar a.jar Main /archive /out\n"
        'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n'
        "\tat org.apache.hadoop.mapreduce.lib.input.FileInputFormat.getSplits(A.java:1)\n"
        "\tat org.apache.hadoop.mapreduce.JobSubmitter.submitJobInternal(JobSubmitter.java:1)\n\n"
        "$ hdfs dfs -count /archive\n  41237  6104881  88210447120394 /archive\n\n"
        "$ hdfs dfs -count /archive/raw\n  1  5218873  2210447120118 /archive/raw\n"
    )

    _, report = told_of(tmp_path, text)

    assert "files of a folder=5218873" in report
    assert "6104881" not in report


def test_the_master_s_own_heap_is_held_against_its_container(tmp_path: Path) -> None:
    job = "1524120900871_3306"
    text = (
        f"18/04/25 08:09:26 INFO mapreduce.Job: Job job_{job} failed with state FAILED due to: "
        f"Application application_{job} failed 2 times due to AM Container for appattempt_{job}_"
        "000002 exited with  exitCode: -104\nFailing this attempt.Diagnostics: Container "
        "[pid=40113,"
        f"containerID=container_{job}_02_000001] is running beyond physical memory limits. Current "
        "usage: 1.5 GB of 1.5 GB physical memory used; 3.1 GB of 3.2 GB virtual memory used. "
        f"Killing container.\nDump of the process-tree for container_{job}_02_000001 :\n"
        "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
        "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
        "\t|- 40129 40113 40113 40113 (java) 441902 20117 3187523584 394921 /usr/bin/java "
        "-Xmx1536m org.apache.hadoop.mapreduce.v2.app.MRAppMaster\n"
    )

    _, report = told_of(tmp_path, text)

    assert "-Xmx1536m alone is 100 % of its container of 1536 MB" in report


@pytest.mark.parametrize(
    ("system", "process"), [("Driver", "driver or application master"), ("Executor", "executor")]
)
def test_an_actor_system_is_named_by_its_process(system: str, process: str, tmp_path: Path) -> None:
    text = (
        "Lost executor 3 on w1, and spark.driver.memory is 4g.\n\n"
        f"16/03/01 10:00:00 ERROR ActorSystemImpl: Uncaught fatal error from thread [spark{system}-"
        f"akka.actor.default-dispatcher-5] shutting down ActorSystem [spark{system}]\n"
        "java.lang.OutOfMemoryError: Java heap space\n"
    )

    _, report = told_of(tmp_path, text)

    assert f"{process} of Spark ran out of heap space" in report


@pytest.mark.parametrize(
    ("line", "server"),
    [
        (
            " ERROR thrift.ProcessFunction (a.java) - Internal error processing OpenSession",
            "HiveServer2",
        ),
        ("ERROR hdfs.HDFSEventSink: process failed", "agent of Flume"),
        ("ERROR my.Own: Internal error processing Input", None),
    ],
)
def test_a_line_of_a_server_without_its_time_names_it(
    line: str, server: str | None, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, f"{line}\n\njava.lang.OutOfMemoryError: Java heap space\n")

    named = f"{server} ran out of heap space" in report
    assert named is (server is not None)


def test_what_waits_for_executors_has_run_out_of_no_memory(tmp_path: Path) -> None:
    text = (
        "14/06/13 22:09:58 WARN TaskSchedulerImpl: Initial job has not accepted any resources; "
        "check your cluster UI to ensure that workers are registered and have sufficient memory\n"
    )

    _, report = told_of(tmp_path, text)

    assert "no executor has taken a task yet" in report
    assert "do not show that memory ran out" in report


def test_who_listened_in_vain_is_told_so(tmp_path: Path) -> None:
    text = (
        "16/09/03 15:59:41 ERROR PythonRDD: Error while sending iterator\n"
        "java.net.SocketTimeoutException: Accept timed out\n"
        "\tat java.net.PlainSocketImpl.socketAccept(Native Method)\n"
        "\tat org.apache.spark.api.python.PythonRDD$$anon$2.run(PythonRDD.scala:645)\n"
    )

    _, report = told_of(tmp_path, text)

    assert "nobody connected in time" in report
    assert "the address is wrong" not in report
