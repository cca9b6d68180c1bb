"""Exit codes that processes of Spark leave, against the constants of their sources."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_APPLICATION = "1700000000000_0078"
_EXECUTOR = (
    "ERROR YarnScheduler: Lost executor 4 on w1: Container marked as failed: container_"
    f"{_APPLICATION}_01_000006 on host: w1. Exit status: {{0}}. Diagnostics: Container exited with "
    "a non-zero exit code {0}\n"
)
_MASTER = (
    f"Application application_{_APPLICATION} failed 2 times due to AM Container for appattempt_"
    f"{_APPLICATION}_000002 exited with  exitCode: {{0}}\nFailing this attempt.\n"
    "org.apache.spark.deploy.yarn.ApplicationMaster --class a.B\n"
)


# (code, what an executor leaves it for, what an application master leaves it for)
@pytest.mark.parametrize(
    ("code", "executor", "master"),
    [
        (10, "10 is the program's own", "exception that nothing caught"),
        (11, "11 is the program's own", "spark.yarn.max.executor.failures"),
        (13, "13 is the program's own", "no SparkContext"),
        (15, "15 is the program's own", "the program itself threw"),
        (16, "16 is the program's own", "before the program was"),
        (50, "exception that nothing caught", None),
        (52, "ran out of heap space", None),
        (53, "no folder on any local disk", None),
        (56, "could not send its driver a heartbeat", None),
        (-100, "its node was lost", "its node was lost"),
        (-101, "the disks of the node failed", "the disks of the node failed"),
        (-102, "preemption", "preemption"),
        (-103, "limit that was met is one of address space", "killed for address space"),
        (-104, "exceeded its limit of physical memory", "exceeded its limit of physical memory"),
        (137, "SIGKILL", "SIGKILL"),
        (143, "SIGTERM", "SIGTERM"),
    ],
)
def test_a_code_is_read_as_its_process_leaves_it(
    tmp_path: Path, code: int, executor: str, master: str | None
) -> None:
    _, of_executor = told_of(tmp_path, _EXECUTOR.format(code))
    _, of_master = told_of(tmp_path, _MASTER.format(code))

    assert executor in of_executor
    if master is None:
        assert f"{code} is" not in of_master
    else:
        assert master in of_master


def test_codes_of_spark_are_said_of_no_task_of_mapreduce(tmp_path: Path) -> None:
    attempt = f"attempt_{_APPLICATION}_m_000002_0"
    failed = f"INFO mapreduce.Job: Task Id : {attempt}, Status : FAILED\nContainer exited with a "

    _, report = told_of(tmp_path, f"{failed}non-zero exit code 53\n")

    assert "Spark" not in report
    assert "53 is the program's own" in report
