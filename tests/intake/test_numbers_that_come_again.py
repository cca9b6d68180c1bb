"""Executors and tasks of Spark whose numbers come again: each application counts its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_LOST = "16/12/12 {time} ERROR TaskSchedulerImpl: Lost executor {number} on {host}: worker lost\n"
_FAILED = (
    'Exception in thread "main" org.apache.spark.SparkException: Job aborted due to stage failure: '
    "Task 0 in stage 0.0 failed 4 times, most recent failure: Lost task 0.3 in stage 0.0 "
    "(TID {tid}, {host}): java.lang.NumberFormatException: {word}\n"
)


def test_an_executor_is_on_one_machine_in_one_application(tmp_path: Path) -> None:
    hosts = ("n6", "n6.example.com", "10.2.0.6", "n7", "n7", "n8")
    lost = "".join(_LOST.format(time="14:35:46", number=1, host=one) for one in hosts)

    _, report = told_of(tmp_path, lost)

    assert "3 FAILURES" in report
    assert "executor 1 on n6 executor 1 of another run on n7" in report
    assert "executor 1 of another run (2) on n8" in report


@pytest.mark.parametrize(("tid", "is_another"), [(6, False), (5, True)])
def test_an_attempt_of_a_task_has_one_tid_in_one_application(
    tmp_path: Path, tid: int, is_another: bool
) -> None:
    first = _FAILED.format(tid=6, host="n4", word='For input string: "a"')
    second = _FAILED.format(tid=tid, host="n4", word='For input string: "b"')

    _, report = told_of(tmp_path, first + second)

    assert ("2 FAILURES" in report) == is_another


def test_what_the_master_of_a_standalone_cluster_says_is_not_sent_to_yarn(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, _LOST.format(time="14:35:46", number=5, host="n7"))

    assert "The Master of a standalone cluster had lost a worker" in report
    assert "yarn logs" not in report


def test_an_executor_that_yarn_lost_is_looked_for_there(tmp_path: Path) -> None:
    text = _LOST.format(time="14:35:46", number=5, host="n7").replace("worker lost", "Slave lost")

    _, report = told_of(tmp_path, text)

    assert "The driver lost its connection to an executor" in report
    assert "yarn logs" in report
