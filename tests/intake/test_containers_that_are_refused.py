"""A container of a size that YARN does not give: whose it was, and what is refused next.

Each text is of its own making; numbers are made up.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_REFUSED = (
    "java.io.IOException: org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException: "
    "Invalid resource request, requested memory < 0, or requested memory > max configured, "
    "requestedMemory=9216, maxMemory=6144\n"
    "\tat org.apache.hadoop.yarn.server.resourcemanager.{}(S.java:1)\n"
)
_AT_SUBMISSION = _REFUSED.format("RMAppManager.submitApplication")
_OF_A_TASK = _REFUSED.format("ApplicationMasterService.allocate")
_AM, _REDUCE = "yarn.app.mapreduce.am.resource.mb", "mapreduce.reduce.memory.mb"


def test_what_is_refused_at_submission_is_the_masters_container(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_AT_SUBMISSION}{_AM}=9216\n{_REDUCE}=9216\n")

    assert f"{_AM}=9216 asks for it, for the application master" in report
    assert f"{_REDUCE}=9216 is above that as well, and would be refused next" in report
    assert f"-D {_AM}=1536 (was 9216)" in report
    assert f"-D {_REDUCE}=6144 (was 9216)" in report


def test_the_size_that_was_asked_for_tells_which_task_it_was(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path, f"{_OF_A_TASK}{_AM}=2048\n{_REDUCE}=9216\nmapreduce.reduce.java.opts=-Xmx8g\n"
    )

    assert f"{_REDUCE}=9216 asks for it, for a task" in report
    assert "refused next" not in report
    assert "-D mapreduce.reduce.java.opts=-Xmx4915m (was -Xmx8g)" in report


def test_without_a_setting_of_that_size_only_what_asks_for_such_is_named(tmp_path: Path) -> None:
    _, submitted = told_of(tmp_path, f"{_AT_SUBMISSION}{_REDUCE}=2048\n")
    _, other = told_of(tmp_path, _OF_A_TASK)

    assert "It was asked for the application master: of MapReduce" in submitted
    assert "WHAT TO CHANGE" not in submitted
    assert "a task for mapreduce.map.memory.mb" in other


def test_a_container_that_a_waiting_job_asks_for_is_compared_with_what_a_node_has(
    tmp_path: Path,
) -> None:
    waits = "INFO mapreduce.Job: Running job: job_1760000000000_0003\n"
    node = "yarn.nodemanager.resource.memory-mb=1024\n"

    _, report = told_of(tmp_path, f"{waits}{node}{_AM}=1536\n")
    _, fits = told_of(tmp_path, f"{waits}{node}{_AM}=1024\n")

    said = f"{_AM}=1536 is more than yarn.nodemanager.resource.memory-mb=1024"
    assert said in report
    assert "or the job waits for a node that has so much" in report
    assert "is more than" not in fits


_LARGEST = "yarn.scheduler.maximum-allocation-mb"
_BY_SCHEDULER = (
    "org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException: Invalid resource request! "
    "Cannot allocate containers as requested resource is greater than maximum allowed allocation. "
    "Requested resource type=[{type}], Requested resource=<memory:{asked}, vCores:{cores}>, "
    "maximum allowed allocation=<memory:1900, vCores:2>, please note that maximum allowed "
    "allocation is "
    "calculated by scheduler based on maximum resource of registered NodeManagers, which might be "
    "less than configured maximum allocation=<memory:{configured}, vCores:4>\n"
    "\tat org.apache.hadoop.yarn.server.resourcemanager.{by}(R.java:1)\n"
)


def _by_scheduler(asked: int, configured: int, by: str = "RMAppManager.submit") -> str:
    return _BY_SCHEDULER.format(
        type="memory-mb", asked=asked, cores=1, configured=configured, by=by
    )


def test_a_maximum_that_is_above_what_is_allowed_is_not_the_limit(tmp_path: Path) -> None:
    _, of_nodes = told_of(tmp_path, _by_scheduler(4096, 6144))
    _, of_setting = told_of(tmp_path, _by_scheduler(4096, 1900))

    assert (
        f"{_LARGEST} is 6144, so that raising it is of no use: a node has to have 4096" in of_nodes
    )
    assert "configured maximum allocation=<memory:6144, vCores:4>" in of_nodes  # quoted to its end
    assert f"({_LARGEST}; to get 4096 it has to be that or more" in of_setting
    assert "of no use" not in of_setting


def test_the_default_of_a_master_is_told_with_a_size_that_is_given(tmp_path: Path) -> None:
    _, by_default = told_of(
        tmp_path, _by_scheduler(1536, 6144).replace("memory:1900", "memory:900")
    )
    _, of_a_task = told_of(
        tmp_path, _by_scheduler(1536, 6144, by="ApplicationMasterService.allocate")
    )

    assert f"-D {_AM}=900 (was 1536)" in by_default
    assert "-D yarn.app.mapreduce.am.command-opts=-Xmx720m (was -Xmx1024m)" in by_default
    assert "WHAT TO CHANGE" not in of_a_task


def test_cores_that_are_refused_are_not_told_as_memory(tmp_path: Path) -> None:
    text = _BY_SCHEDULER.format(
        type="vcores", asked=1024, cores=3, configured=6144, by="RMAppManager.submit"
    )

    _, report = told_of(tmp_path, text)

    assert "a container of 3 cores and gives 2 at most" in report
    assert "1,024 MB" not in report


_SPARK = (
    'Exception in thread "main" java.lang.IllegalArgumentException: Required {} is above the max '
    "threshold ({} MB) of this cluster! Please check the values of "
    "'yarn.scheduler.maximum-allocation-mb' and/or 'yarn.nodemanager.resource.memory-mb'.\n"
    "\tat org.apache.spark.deploy.yarn.Client.verifyClusterResources(Client.scala:1)\n"
    "\tat org.apache.spark.deploy.yarn.Client.submitApplication(Client.scala:2)\n"
    "\tat {}(C.scala:3)\n"
)
_IN_CLUSTER = "org.apache.spark.deploy.yarn.Client.run"
_IN_CLIENT = "org.apache.spark.scheduler.cluster.YarnClientSchedulerBackend.start"


_OF_PYTHON = (
    "executor memory ({} MB), offHeap memory ({}) MB, overhead ({} MB), and PySpark memory ({} MB)"
)


@pytest.mark.parametrize(
    ("asked", "most", "by", "change"),
    [
        # an overhead that somebody has set, with room beside the heap
        ("executor memory (2000+5000 MB)", 4000, _IN_CLUSTER,
         "spark.yarn.executor.memoryOverhead=2000 (was 5000)"),
        # the largest heap that fits with the overhead of a heap below 3840 MB, and of one above
        ("executor memory (4096), overhead (409 MB), and PySpark memory (0 MB)", 3072, _IN_CLUSTER,
         "spark.executor.memory=2688m (was 4096m)"),
        (_OF_PYTHON.format(16384, 0, 1638, 0), 11000, _IN_CLUSTER,
         "spark.executor.memory=10000m (was 16384m)"),
        # what is beside the two is kept
        (_OF_PYTHON.format(4096, 1000, 409, 500), 4572, _IN_CLUSTER,
         "spark.executor.memory=2688m (was 4096m)"),
        ("AM memory (8192+819 MB)", 4224, _IN_CLUSTER, "spark.driver.memory=3840m (was 8192m)"),
        ("AM memory (2048+384 MB)", 1408, _IN_CLIENT, "spark.yarn.am.memory=1024m (was 2048m)"),
    ],
)  # fmt: skip
def test_of_what_spark_refuses_the_part_is_named_that_fits_when_smaller(
    asked: str, most: int, by: str, change: str, tmp_path: Path
) -> None:
    kinds, report = told_of(tmp_path, _SPARK.format(asked, most, by))

    assert kinds == ["not-memory"]
    assert "A client of Spark failed. Spark refused by itself" in report
    as_typed = f"--conf {change}".replace("--conf spark.driver.memory=", "--driver-memory ")
    assert as_typed in report


def test_of_a_master_of_spark_without_its_mode_both_properties_are_named(tmp_path: Path) -> None:
    text = _SPARK.format("AM memory (2048+384 MB)", 1408, _IN_CLIENT)

    _, report = told_of(tmp_path, text.splitlines()[0] + "\n")

    assert "in client mode spark.yarn.am.memory" in report
    assert "both 2432 or more" in report
    assert "WHAT TO CHANGE" not in report


def test_a_cluster_too_small_for_any_heap_of_spark_is_what_has_to_change(tmp_path: Path) -> None:
    text = _SPARK.format("executor memory (1024+384 MB)", 512, _IN_CLUSTER)

    _, report = told_of(tmp_path, text)

    assert "both 1408 or more" in report
    assert "WHAT TO CHANGE" not in report


def test_what_spark_refuses_is_told_of_a_console_with_the_levels_of_its_lines(
    tmp_path: Path,
) -> None:
    line = _SPARK.format("executor memory (1024+384 MB)", 1024, _IN_CLIENT)
    text = (
        "24/03/01 05:45:25 INFO spark.SparkContext: Submitted application: Report\n"
        "24/03/01 05:45:27 ERROR spark.SparkContext: Error initializing SparkContext.\n"
        + line.partition('"main" ')[2]
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["not-memory"]
    assert "--conf spark.executor.memory=640m (was 1024m)" in report
    assert "'yarn.nodemanager.resource.memory-mb'" in report  # quoted to its end
