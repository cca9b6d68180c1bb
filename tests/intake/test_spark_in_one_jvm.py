"""Spark in local mode: its driver calls itself an executor, and an IDE may have started it."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_DIED = (
    "24/03/01 10:00:01 ERROR TaskContextImpl: Error in TaskCompletionListener\n"
    "java.lang.OutOfMemoryError: Java heap space\n"
    "\tat com.example.Reader.close(Reader.java:146)\n"
    "\tat org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:338)\n"
)
_LOCAL = (
    "24/03/01 10:00:02 WARN TaskSetManager: Lost task 0.0 in stage 472.0 (TID 1, localhost, "
    "executor driver): java.lang.OutOfMemoryError: Java heap space\n"
)
_OF_A_CLUSTER = _LOCAL.replace("localhost, executor driver", "w1.example.com, executor 3")
_LONG = "24/03/01 09:00:00 INFO BlockManager: Removing RDD 7\n" * 900
_IDE = "/usr/bin/java -javaagent:/opt/idea/lib/idea_rt.jar=60339:/opt/idea/bin -cp a.jar Main\n"


@pytest.mark.parametrize("before", ["", _LONG])
def test_local_mode_is_told_by_any_line(before: str, tmp_path: Path) -> None:
    _, local = told_of(tmp_path, before + _DIED + _LOCAL)
    _, of_a_cluster = told_of(tmp_path, before + _DIED + _OF_A_CLUSTER)

    assert "A program of Spark in one JVM (local mode) ran out of heap space" in local
    assert "spark.executor.memory" not in local
    assert "Executor 3 of Spark ran out of heap space" in of_a_cluster


def test_what_an_ide_started_has_its_heap_from_there(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, _IDE + _DIED + _LOCAL)

    assert "A program of Spark that an IDE started" in report
    assert "-Xmx in the VM options of its run configuration" in report
    assert "--driver-memory" not in report


def test_what_sbt_started_has_the_heap_of_sbt(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"[error] (run-main-group-0) here:\n{_DIED}{_LOCAL}")

    assert "A program of Spark that sbt started" in report
    assert "SBT_OPTS" in report
    assert "--driver-memory" not in report


def test_the_logs_of_a_cluster_of_its_own_lie_on_the_worker(tmp_path: Path) -> None:
    ended = "Command exited with code 1"
    _, report = told_of(
        tmp_path,
        "16/08/15 10:21:21 INFO StandaloneAppClient$ClientEndpoint: Executor updated: "
        f"app-20160815102000-0003/5 is now EXITED ({ended})\n",
    )

    assert "work/app-20160815102000-0003" in report
    assert "yarn logs" not in report


def test_a_lost_task_of_spark_1_names_the_host_alone(tmp_path: Path) -> None:
    lost = (
        "15/04/18 02:59:20 ERROR Executor: Exception in task 6.0 in stage 33.0 (TID 1283)\n"
        "java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
        "\tat com.example.Row.grow(Row.java:45)\n"
        "15/04/18 02:59:20 WARN TaskSetManager: Lost task 6.0 in stage 33.0 (TID 1283, {}): "
        "java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
    )

    assert "(local mode)" in told_of(tmp_path, lost.format("localhost"))[1]
    assert "(local mode)" not in told_of(tmp_path, lost.format("w1.example.com"))[1]


def test_one_jvm_has_no_executors_to_set_and_no_logs_of_yarn(tmp_path: Path) -> None:
    ended = (
        "org.apache.spark.SparkException: Job aborted due to stage failure: Task 3 in stage 0.0 "
        "failed 1 times, most recent failure: Lost task 3.0 in stage 0.0 (TID 3, localhost, "
        "executor driver): {}\n"
    )
    refused = (
        "java.lang.OutOfMemoryError: Unable to acquire 138448274 bytes of memory, got 47927922"
    )
    silent = (
        "ExecutorLostFailure (executor driver exited caused by one of the running tasks) Reason: "
        "Executor heartbeat timed out after 190006 ms"
    )

    of_memory = told_of(tmp_path, ended.format(refused))[1]
    of_silence = told_of(tmp_path, ended.format(silent))[1]

    assert "local[N]" in of_memory
    assert "spark.executor.cores" not in of_memory
    assert "jstat -gcutil" in of_silence
    assert "yarn logs" not in of_silence


def test_spark_1_names_no_executor_in_one_jvm(tmp_path: Path) -> None:
    done = (
        "16/08/15 10:21:21 INFO TaskSetManager: Finished task 4.0 in stage 1.0 (TID 8) in 2674 ms "
        "on {} (2/5)\n"
        "16/08/15 10:21:34 ERROR Executor: Exception in task 3.0 in stage 1.0 (TID 7)\n"
        "java.lang.OutOfMemoryError: Java heap space\n\tat com.example.Row.grow(Row.java:45)\n"
    )

    assert "(local mode)" in told_of(tmp_path, done.format("localhost"))[1]
    assert "(local mode)" not in told_of(tmp_path, done.format("w1.example.com"))[1]
