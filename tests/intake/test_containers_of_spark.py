"""Containers of Spark that were killed: what they had beside the heap, and what to set for more."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_APPLICATION = "1700000000000_0077"
_LOST = (
    "ERROR YarnScheduler: Lost executor 4 on w1: Container killed by YARN for exceeding memory "
    "limits. 7.0 GB of 7 GB physical memory used. Consider boosting {}.\n"
)
_OLD, _NEW = "spark.yarn.executor.memoryOverhead", "spark.executor.memoryOverhead"
_LOST_TO_2_4 = _LOST.format(_OLD)
_SIX = "We submit it with --executor-memory 6g.\n"


@pytest.mark.parametrize(
    ("version", "named", "unnamed"),
    [
        ("We have Spark 2.1.0 on YARN.", f"--conf {_OLD}=2048", f" {_NEW}"),
        ("We have Spark 2.4.5 on YARN.", f"--conf {_NEW}=2048", _OLD),
        ("INFO SparkContext: Running Spark version 2.2.0", f"--conf {_OLD}=2048", f" {_NEW}"),
        ("It came up on a cluster of ours.", f"--conf {_OLD}=2048", "of nobody"),
        # which of the two failed is not told
        ("On Spark 3.1 it works, and fails on Spark 2.1.", f"(from 2.3 on: {_NEW})", "of nobody"),
    ],
)
def test_an_overhead_has_the_name_that_the_version_in_the_text_reads(
    tmp_path: Path, version: str, named: str, unnamed: str
) -> None:
    _, report = told_of(tmp_path, f"{version}\n{_SIX}{_LOST_TO_2_4}")

    # 7 GB are 6 GB of heap and 1024 MB beside it
    assert named in report
    assert unnamed not in report


def test_what_it_died_with_as_well_is_not_advised_again(tmp_path: Path) -> None:
    tried = f"I already tried {_NEW}=3g and it still dies.\n"

    _, once = told_of(tmp_path, f"{_SIX}{_LOST.format(_NEW)}")
    _, again = told_of(tmp_path, f"{_SIX}{_LOST.format(_NEW)}{tried}")

    assert f"--conf {_NEW}=2048" in once
    assert f"--conf {_NEW}=6144" in again
    assert "twice the 3072 MB with which it died as well" in again


def test_fewer_tasks_at_once_are_another_way_where_their_number_is_known(tmp_path: Path) -> None:
    cores = "spark.executor.cores=5\n"
    died = "With spark.executor.cores=2 it died too.\n"

    _, of_five = told_of(tmp_path, f"{_SIX}{cores}{_LOST_TO_2_4}")
    _, unknown = told_of(tmp_path, f"{_SIX}{_LOST_TO_2_4}")
    _, of_one = told_of(tmp_path, f"{_SIX}spark.executor.cores=1\n{_LOST_TO_2_4}")
    _, tried = told_of(tmp_path, f"{_SIX}{cores}{_LOST_TO_2_4}{died}")

    assert "Another way is spark.executor.cores=2 instead of 5" in of_five
    for other in (unknown, of_one, tried):
        assert "Another way is" not in other


def test_heap_and_overhead_have_to_fit_into_the_largest_container(tmp_path: Path) -> None:
    most = "yarn.scheduler.maximum-allocation-mb=7680\n"

    _, capped = told_of(tmp_path, f"{_SIX}{_LOST_TO_2_4}{most}")
    _, free = told_of(tmp_path, f"{_SIX}{_LOST_TO_2_4}")

    assert "--conf spark.executor.memory=5632m (was 6g)" in capped
    assert "--conf spark.executor.memory=" not in free


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("spark-submit --master yarn --executor-memory 6g job.py\n", True),
        ("Our applyInPandas function is called for some 900 groups.\n", True),
        ("spark-submit --master yarn --class a.B --executor-memory 6g job.jar\n", False),
        ("It is Scala, no Python code at all.\n", False),
    ],
)
def test_workers_of_python_are_told_where_the_program_has_some(
    tmp_path: Path, language: str, *, told: bool
) -> None:
    _, report = told_of(tmp_path, f"{language}{_SIX}{_LOST_TO_2_4}")

    assert ("The program is one of PySpark" in report) is told
    assert ("hands all rows of a group" in report) is ("applyInPandas" in language)


def test_a_limit_of_the_workers_alone_is_told_of_versions_that_have_it(tmp_path: Path) -> None:
    text = f"PySpark {{}} job.\n{_SIX}{_LOST_TO_2_4}"

    _, new = told_of(tmp_path, text.format("2.4"))
    _, old = told_of(tmp_path, text.format("2.3"))
    _, unknown = told_of(tmp_path, text.format(""))

    assert "spark.executor.pyspark.memory is asked for" in new
    for other in (old, unknown):
        assert "spark.executor.pyspark.memory" not in other


_FIRST = f"container_{_APPLICATION}_02_000001"
_OF_MASTER = (
    f"Application application_{_APPLICATION} failed 2 times due to AM Container for appattempt_"
    f"{_APPLICATION}_000002 exited with exitCode: -104\nDiagnostics: Container [pid=7,containerID="
    f"{_FIRST}] is running beyond physical memory limits. Current usage: {{0}} GB of {{0}} GB "
    "physical memory used; 5 GB of 9 GB virtual memory used. Killing container.\nDump of the "
    f"process-tree for {_FIRST} :\n\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) "
    "SYSTEM_TIME(MILLIS) VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
)
_TREE = "\t|- 7 6 7 7 (java) 910 80 2899102924 {} /usr/bin/java -server -Xmx{} {}\n"
_CLASSES = "org.apache.spark.deploy.yarn."


def test_the_driver_in_cluster_mode_and_the_master_in_client_mode_have_settings_of_their_own(
    tmp_path: Path,
) -> None:
    of_driver = _TREE.format(
        1179648, "4096m", f"{_CLASSES}ApplicationMaster --class a.B --jar a.jar"
    )
    of_master = _TREE.format(262144, "512m", f"{_CLASSES}ExecutorLauncher --arg w1:40404")
    submit = "spark-submit --driver-memory 6g --class a.B a.jar\n"

    _, driver = told_of(tmp_path, f"Spark 2.1\n{_OF_MASTER.format('4.5')}{of_driver}")
    _, newer = told_of(tmp_path, f"Spark 3.1\n{_OF_MASTER.format('4.5')}{of_driver}")
    _, master = told_of(tmp_path, f"{submit}{_OF_MASTER.format('1')}{of_master}")

    assert "--conf spark.yarn.driver.memoryOverhead=1024" in driver
    assert "--conf spark.driver.memoryOverhead=1024" in newer
    assert "spark.yarn.am" not in driver
    assert "--conf spark.yarn.am.memoryOverhead=1024" in master
    assert "spark.driver.memory, which the text has, is of the JVM of spark-submit" in master
    assert "--conf spark.driver" not in master


def test_of_a_master_whose_mode_is_not_known_no_value_is_told(tmp_path: Path) -> None:
    text = f"spark-submit --class a.B a.jar\n{_OF_MASTER.format('4.5')}"

    _, report = told_of(tmp_path, text)

    assert "WHAT TO CHANGE" not in report
    assert "of the application master in client mode" in report


def test_what_the_text_sets_and_the_container_had_not_is_what_to_set(tmp_path: Path) -> None:
    conf = f"--conf {_OLD}={{}}\n"

    _, unused = told_of(tmp_path, f"{_SIX}{conf.format(4096)}{_LOST_TO_2_4}")
    _, used = told_of(tmp_path, f"{_SIX}{conf.format(1024)}{_LOST_TO_2_4}")

    assert f"--conf {_OLD}=4096 (was 1024)" in unused
    assert f"{_OLD}=4096, which the text has, was not in force" in unused
    assert f"--conf {_OLD}=2048 (was 1024)" in used
    assert "was not in force" not in used


_OF_A_POD = (
    "21/05/05 10:00:00 ERROR TaskSchedulerImpl: Lost executor 1 on 10.1.1.1:\nThe executor with id "
    "1 exited with exit code 137.\n\t container name: spark-kubernetes-executor\n\t container "
    "state: terminated\n\t exit code: 137\n\t termination reason: OOMKilled\n"
    "spark.executor.memory=8g\n"
)


_SHARE = "spark.kubernetes.memoryOverheadFactor=0.3"


# KubernetesConf: a tenth of the heap, or 0.4 of it for jobs in Python
@pytest.mark.parametrize(
    ("more", "advised"),
    [
        ("", "1638 (MB), twice the 819 MB"),
        ("It is a job of PySpark.", "6552 (MB), twice the 3276 MB"),
        (f"{_NEW}=1g", "2048 (MB), twice the 1024 MB"),
        (_SHARE, "4914 (MB), twice the 2457 MB"),
        (f"{_SHARE}\n{_NEW}Factor=0.5", "8192 (MB), twice the 4096 MB"),
        (f"{_SHARE}\nIt is a job of PySpark.", "4914 (MB), twice the 2457 MB"),
    ],
)
def test_a_pod_gets_twice_of_what_it_had_beside_its_heap(
    tmp_path: Path, more: str, advised: str
) -> None:
    _, report = told_of(tmp_path, f"{_OF_A_POD}\n{more}\n")

    assert f"{_NEW}={advised}" in report
    assert ("NodeManager" in report) is False
    assert ("The program is one of PySpark" in report) is ("PySpark" in more)


def test_a_share_that_is_none_is_left_alone(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_OF_A_POD}spark.kubernetes.memoryOverheadFactor=-0.2\n")

    assert "killed the container because it reached its memory limit" in report
    assert "memoryOverhead=" not in report


@pytest.mark.parametrize("asked", ["-l ", "-l=", "--selector=", "--selector "])
def test_a_label_that_a_command_asks_for_is_of_no_pod_that_died(asked: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_OF_A_POD}\n$ kubectl get pods {asked}spark-role=driver\n")

    assert "driver or application master of Spark was killed" not in report


def test_a_pod_without_a_heap_gets_no_value(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, _OF_A_POD.replace("spark.executor.memory=8g\n", ""))

    assert f"--conf {_NEW}" not in report


def test_the_pod_of_a_driver_gets_the_settings_of_a_driver(tmp_path: Path) -> None:
    text = (
        "$ kubectl describe pod etl\nName:         etl\nLabels:       spark-role=driver\n"
        "    State:          Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n\n"
        "spark.driver.memory=1g, spark.executor.memory=4g\n"
    )

    _, report = told_of(tmp_path, text)

    assert "A driver or application master of Spark was killed" in report
    assert "spark.driver.memoryOverhead=768 (MB), twice the 384 MB" in report
    assert "executor.memoryOverhead" not in report
