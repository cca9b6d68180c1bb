"""A container of a size that YARN does not give: whose it was, and what is refused next.

Each text is of its own making; numbers are made up.
"""

from __future__ import annotations

from pathlib import Path

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
