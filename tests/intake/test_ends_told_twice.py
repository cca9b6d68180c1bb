"""One death that two texts tell of, and deaths of different containers that look alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_JOB = "1678700412287_0931"
_HEAP = "java.lang.OutOfMemoryError: Java heap space"
_MASTER = (
    "Container: container_{job}_01_000001 on n5_45454\n{line}\nLogType:syslog\nLogLength:618\n"
    "Log Contents:\n"
    "2023-03-14 02:10:41,007 INFO [main] org.apache.hadoop.mapreduce.v2.app.MRAppMaster: Created "
    "MRAppMaster for application appattempt_{job}_000001\n"
)
_TOLD = (
    "2023-03-14 02:11:2{n},540 INFO [AsyncDispatcher event handler] org.apache.hadoop.mapreduce.v2."
    "app.job.impl.TaskAttemptImpl: Diagnostics report from attempt_{job}_m_00000{n}_0: "
    "Error: {what}\n"
)
_TASK = (
    "\n\nContainer: container_{job}_01_00000{n} on n{n}_45454\n{line}\nLogType:syslog\n"
    "LogLength:4397\nLog Contents:\n"
    "2023-03-14 02:11:22,301 INFO [main] org.apache.hadoop.mapred.MapTask: Processing split: a:0\n"
    "2023-03-14 02:11:22,760 ERROR [main] org.apache.hadoop.mapred.YarnChild: Error running child "
    ": {error}\n\tat com.example.Job.map(Job.java:12)\n"
)
_LINE = "=" * 40


def _logs(attempts: int, tasks: int, what: str = "Java heap space", error: str = _HEAP) -> str:
    told = "".join(_TOLD.format(job=_JOB, n=n, what=what) for n in range(attempts))
    own = "".join(_TASK.format(job=_JOB, n=n + 2, line=_LINE, error=error) for n in range(tasks))
    return f"{_MASTER.format(job=_JOB, line=_LINE)}{told}{own}"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (_logs(1, 1), True),
        (_logs(2, 1), False),  # which of the two it was, nothing says
        (_logs(1, 1, what="GC overhead limit exceeded"), False),
        (_logs(1, 1).replace("Job.map(Job", "Job.reduce(Job"), False),
    ],
)
def test_an_attempt_of_the_master_and_the_only_container_with_its_error(
    text: str, tmp_path: Path, *, is_one: bool
) -> None:
    _, report = told_of(tmp_path, text)

    attempt = f"attempt_{_JOB}_m_000000_0 (container container_{_JOB}_01_000002)"
    assert (attempt in report.replace(" of job", "")) is is_one
    assert ("FAILURES" in report) is not is_one


def test_containers_of_another_size_are_told_apart(tmp_path: Path) -> None:
    lost = (
        "20/01/21 14:07:45 ERROR YarnClusterScheduler: Lost executor {n} on w{n}: Container killed "
        "by YARN for exceeding memory limits.  {size} GB of {size} GB physical memory used. "
        "Consider boosting spark.yarn.executor.memoryOverhead.\n"
    )
    submitted = "spark-submit --executor-memory 8g score.py\n"

    _, report = told_of(
        tmp_path, f"{submitted}{lost.format(n=7, size=9)}{lost.format(n=4, size=14)}"
    )

    assert "ALIKE" not in report
    assert "89 % of its 9.0 GB" in report
    assert "% of its 14 GB" not in report  # with 8 GB of heap Spark asks for 9 GB


def test_the_loss_of_a_node_is_the_reason_for_the_code_above_it(tmp_path: Path) -> None:
    text = (
        f"17/11/14 16:22:12 INFO mapreduce.Job: Task Id : attempt_{_JOB}_m_000377_1, Status : "
        "FAILED\n"
        "Container killed on request. Exit code is 143\n"
        "Container exited with a non-zero exit code 143\n"
        "Container released on a *lost* node\n"
    )

    _, report = told_of(tmp_path, text)

    assert "The ResourceManager took the node for lost" in report
    assert "somebody asked the process to end" not in report


@pytest.mark.parametrize(
    ("logger", "heap"), [("PigMapReduce$Reduce", 1638), ("PigMapOnly$Map", 819)]
)
def test_the_side_of_a_log_is_that_of_what_logs_in_it(
    logger: str, heap: int, tmp_path: Path
) -> None:
    pig = "org.apache.pig.backend.hadoop.executionengine.mapReduceLayer"
    text = (
        "SET mapred.child.java.opts '-Xmx4g';\n\n"
        f"2016-03-01 04:12:50,340 INFO [main] {pig}.{logger}: Aliases being processed\n"
        f"2016-03-01 05:02:44,015 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running "
        f"child : {_HEAP}\n\tat "
        "org.apache.pig.data.BinInterSedes.readDatum(BinInterSedes.java:343)\n"
        "\n    mapreduce.map.java.opts = -Xmx819m\n    mapreduce.reduce.java.opts = -Xmx1638m\n"
    )

    _, report = told_of(tmp_path, text)

    assert f"-Xmx{heap}m" in report
    assert "-Xmx4096m" not in report.partition("GAPS")[0]


def test_options_of_both_sides_are_doubted_beside_those_of_either(tmp_path: Path) -> None:
    text = (
        "mapred.child.java.opts=-Xmx4g\nmapreduce.map.java.opts=-Xmx819m\n"
        f"mapreduce.reduce.java.opts=-Xmx1638m\n\n2016-03-01 05:02:44,015 FATAL [main] "
        f"org.apache.hadoop.mapred.YarnChild: Error running child : {_HEAP}\n"
    )

    _, report = told_of(tmp_path, text)

    doubted = report.partition("not used, and the words or the reason beside each: ")[2]
    assert "mapred.child.java.opts=-Xmx4g (line 1: the options of one side" in doubted
    assert "(-Xmx4096m" not in report


@pytest.mark.parametrize(("size", "is_told"), [(10, True), (12, False)])
def test_a_container_that_spark_would_not_ask_for_is_of_another_run(
    size: int, tmp_path: Path, *, is_told: bool
) -> None:
    text = (
        "spark-submit --executor-memory 8g score.py\n"
        "20/01/21 14:07:45 ERROR YarnClusterScheduler: Lost executor 7 on w1: Container killed by "
        f"YARN for exceeding memory limits.  {size}.1 GB of {size} GB physical memory used.\n"
    )

    _, report = told_of(tmp_path, text)

    # 8 GB and the tenth of it are 8.8 GB, and YARN rounds that up by 2 GB at most
    assert (f"% of its {size} GB" in report) is is_told


_DONE = f"attempt_{_JOB}_m_000003_0"
_DONE_LOG = (
    f"2015-06-01 10:00:02,100 INFO [main] org.apache.hadoop.mapred.Task: Task:{_DONE} is done. And "
    "is in the process of committing\n"
    f"2015-06-01 10:00:02,300 INFO [main] org.apache.hadoop.mapred.Task: Task '{_DONE}' done.\n"
)
_DEAD_LOG = (
    "2015-06-01 10:05:01,100 INFO [main] org.apache.hadoop.mapred.MapTask: numReduceTasks: 4\n"
    "2015-06-01 10:09:01,100 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child "
    f": {_HEAP}\n\tat com.example.Job.map(Job.java:12)\n"
)


@pytest.mark.parametrize(
    "text",
    [
        f"{_DONE_LOG}\nand the one that fails:\n\n{_DEAD_LOG}",
        f"{_DEAD_LOG}\nand one that does not:\n\n{_DONE_LOG}",
    ],
)
def test_a_task_that_is_done_is_not_the_one_that_died_beside_it(text: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, text)

    assert "ran out of heap space" in report
    assert "_m_000003_0" not in report


def test_an_attempt_that_is_said_to_be_done_is_so(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, _DONE_LOG)

    assert "_m_000003_0 of job" in report
    assert "did not fail" in report
