"""One death told by two, one kind of end of several attempts, and settings by themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders.attempts import EventWriter
from builders.container_logs import found, told_of

from mprof.messages import remarks_on_settings

_ID = "1730000000000_0061"
_ATTEMPT = f"attempt_{_ID}_r_000003_1"
_CONTAINER = f"container_{_ID}_01_000008"
_FAILED = (
    f"Task Id : {_ATTEMPT}, Status : FAILED\n"
    "[2021-02-02 10:00:02.000]Container exited with a non-zero exit code 137.\n"
)
_EXIT = (
    "2021-02-02 10:00:01,000 WARN org.apache.hadoop.yarn.server.nodemanager."
    "DefaultContainerExecutor: Exit code from container {0} is : {1}\n"
    "2021-02-02 10:00:01,002 INFO org.apache.hadoop.yarn.server.nodemanager.containermanager."
    "container.ContainerImpl: Container {0} transitioned from RUNNING to EXITED_WITH_FAILURE\n"
)
_KERNEL = (
    "Out of memory: Kill process 811 (java) score 77 or sacrifice child\n"
    "Killed process 811 (java) total-vm:4312004kB, anon-rss:2097152kB, file-rss:0kB\n"
)


def _dead(folder: Path, text: str) -> list[set[str | None]]:
    (folder / "pasted.txt").write_text(text)
    told = found(folder).told
    return [{each.attempt_id or each.container_id for each in one.dead} for one in told]


def test_an_attempt_and_its_container_are_one_death(tmp_path: Path) -> None:
    text = f"{_FAILED}\nOn its node:\n{_EXIT.format(_CONTAINER, 137)}\n{_KERNEL}"

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["not-memory"]
    assert f"Attempt {_ATTEMPT} (container {_CONTAINER})" in report
    assert "concluded" in report
    assert report.count("The kernel killed java, process 811") == 1


@pytest.mark.parametrize(
    "other",
    [
        _EXIT.format(_CONTAINER, 1),  # which ended in another way
        _EXIT.format(_CONTAINER, 137) + _EXIT.format(_CONTAINER.replace("08", "09"), 137),
    ],
)
def test_what_may_be_another_death_stays_one(other: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_FAILED}\n{other}")

    assert "concluded" not in report
    assert _CONTAINER in report


@pytest.mark.parametrize(
    ("machine", "is_too_much"), [("64 GB RAM", True), ("96 GB of RAM", False), ("a disk", False)]
)
def test_what_a_node_promises_is_added_up(
    machine: str, *, is_too_much: bool, tmp_path: Path
) -> None:
    text = (
        f"Each node has {machine} and runs a DataNode (2 GB heap) and Solr (heap 16 GB).\n"
        f"yarn.nodemanager.resource.memory-mb is 49152.\n{_FAILED}\n{_KERNEL}"
    )

    _, report = told_of(tmp_path, text)

    assert "All containers of the node may take 48 GB together" in report
    assert ("is 66 GB, more than the 64 GB" in report) == is_too_much
    assert ("have to be fewer" in report) == is_too_much


_TAKEN = (
    "2021-02-02 10:00:0{0},000 INFO [AsyncDispatcher event handler] org.apache.hadoop.mapreduce."
    "v2.app.job.impl.TaskAttemptImpl: Diagnostics report from attempt_{1}_r_00000{0}_0: "
    "Container preempted by scheduler\n"
)
_STATE = (
    "2021-02-02 10:00:05,000 INFO [AsyncDispatcher event handler] org.apache.hadoop.mapreduce."
    "v2.app.job.impl.TaskAttemptImpl: attempt_{0}_r_000001_0 TaskAttempt Transitioned from "
    "RUNNING to KILLED\n"
)


def test_of_containers_that_were_taken_back_each_is_told(tmp_path: Path) -> None:
    text = f"{_TAKEN.format(1, _ID)}{_STATE.format(_ID)}{_TAKEN.format(2, _ID)}"

    (dead,) = _dead(tmp_path, text)

    assert dead == {f"attempt_{_ID}_r_000001_0", f"attempt_{_ID}_r_000002_0"}


def test_what_was_taken_back_is_not_told_beside_what_failed(tmp_path: Path) -> None:
    full = f"Task Id : {_ATTEMPT}, Status : FAILED\nError: Java heap space\n"
    text = f"{_TAKEN.format(1, _ID)}{_STATE.format(_ID)}\n{full}"

    assert _dead(tmp_path, text) == [{_ATTEMPT}]


_RED, _ROOM = "mapreduce.reduce.java.opts", "mapreduce.reduce.memory.mb"
_SIZES = {
    "too large": ("-Xmx5g", "4096", "is larger than its container"),
    "no room": ("-Xmx3900m", "4096", "95 % of its container"),
    "idle": ("-Xmx1g", "4096", "no heap uses it"),
    "fits": ("-Xmx3276m", "4096", "fits into its container"),
}


@pytest.mark.parametrize("case", _SIZES)
def test_a_heap_is_compared_with_its_container_where_nothing_died(
    case: str, tmp_path: Path
) -> None:
    heap, size, said = _SIZES[case]

    kinds, report = told_of(tmp_path, f"New cluster, no job yet.\n{_RED} {heap}\n{_ROOM} {size}\n")

    assert kinds == []
    assert said in report
    assert sum(other in report for _, _, other in _SIZES.values()) == 1
    assert said not in " ".join(remarks_on_settings({_RED: heap}))  # without its container


def test_which_of_the_options_of_a_task_count_is_said() -> None:
    both = {"mapred.child.java.opts": "-Xmx1g", "mapreduce.map.java.opts": "-Xmx2g"}

    (said,) = remarks_on_settings(both)

    assert "Of map tasks mapreduce.map.java.opts counts" in said
    assert "that of the other tasks" in said
    assert [*remarks_on_settings({"mapred.child.java.opts": "-Xmx1g"})] == []


def test_a_buffer_and_a_container_are_compared_with_what_holds_them() -> None:
    settings = {
        "io.sort.mb": "700",
        "mapreduce.map.java.opts": "-Xmx1g",
        "mapreduce.map.memory.mb": "1280",
        "yarn.scheduler.maximum-allocation-mb": "1024",
    }

    said = " ".join(remarks_on_settings(settings))

    assert "mapreduce.task.io.sort.mb=700, is 68 % of the heap" in said
    assert "512 MB fit at most" in said
    assert "mapreduce.map.memory.mb=1280 is more than" in said


def test_settings_beside_a_death_are_told_by_its_messages_alone(tmp_path: Path) -> None:
    full = f"Task Id : {_ATTEMPT}, Status : FAILED\nError: Java heap space\n"

    _, report = told_of(tmp_path, f"{_RED} -Xmx5g\n{_ROOM} 4096\n{full}")

    assert "-Xmx5120m is larger than its container of 4.0 GB" in report
    assert f"{_ROOM}=4096 (4.0 GB)" not in report


def test_more_memory_for_the_sort_does_not_fill_a_disk_less(tmp_path: Path) -> None:
    error = (
        "Error: org.apache.hadoop.util.DiskChecker$DiskErrorException: Could not find any valid "
        "local directory for {}\n"
        "\tat org.apache.hadoop.fs.LocalDirAllocator.getLocalPath(LocalDirAllocator.java:9)\n"
    )
    spill = f"output/{_ATTEMPT}_spill_3.out"

    _, of_a_map = told_of(tmp_path, error.format(spill))
    _, of_a_jar = told_of(tmp_path, error.format("filecache/x.jar"))

    assert "a map task writes its whole output there, once at least" in of_a_map
    assert "whole output" not in of_a_jar


def test_an_attempt_with_events_is_one_death_whoever_else_tells_of_it(tmp_path: Path) -> None:
    writer = EventWriter(_ATTEMPT)
    writer.add(
        "failure", place="reduce", class_="java.lang.OutOfMemoryError", message="Java heap space",
        thread="main", stack=["com.x.R.reduce(R.java:3)"],
        at={"phase": "reduce", "records_in": 7, "group": 2},
    )  # fmt: skip
    writer.write(tmp_path, position={"phase": 9, "records_in": 7, "group": 2})
    told = {"attempt_id": _ATTEMPT, "state": "FAILED", "diagnostics": "Error: Java heap space"}
    (tmp_path / "job.json").write_text(json.dumps(told, indent=1))

    (one,) = found(tmp_path).told

    assert [each.attempt_id for each in one.dead] == [_ATTEMPT]


_JOB = "1730000000000_00{}"
_FULL = "24/10/27 10:0{}:00 INFO mapreduce.Job: Task Id : attempt_{}, Status : FAILED\nError: {}\n"
_STACK = (
    "2024-10-27 10:04:58,000 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child "
    ": java.lang.OutOfMemoryError: {}\n"
    "\tat com.example.Joins.reduce(Joins.java:41)\n"
    "\tat org.apache.hadoop.mapreduce.Reducer.run(Reducer.java:171)\n"
    "\tat org.apache.hadoop.mapred.ReduceTask.run(ReduceTask.java:389)\n"
)
_FIRST = f"{_JOB.format(70)}_r_000004_0"
_SECOND = f"{_JOB.format(70)}_r_000004_1"
_HEAP = "Java heap space"


def _stack_of(folder: Path, text: str) -> list[str | None]:
    """The attempts that are told with a stack."""
    (folder / "pasted.txt").write_text(text)
    return [
        one.diagnosed.evidence.attempt.attempt_id
        for one in found(folder).told
        if one.diagnosed.evidence.death.stack
    ]


@pytest.mark.parametrize(
    "between", ["\n", "\nsyslog of attempt _1:\n\n", "\nlog of r_000004_1\n", f"\n{_SECOND}:\n"]
)
def test_a_stack_is_of_the_attempt_that_the_line_above_names(between: str, tmp_path: Path) -> None:
    both = _FULL.format(1, _FIRST, _HEAP) + _FULL.format(4, _SECOND, _HEAP)

    told = _stack_of(tmp_path, f"{both}{between}{_STACK.format(_HEAP)}")

    assert told == [f"attempt_{_SECOND}"]


@pytest.mark.parametrize(
    ("between", "message"),
    [
        ("\nThis is in one of the logs:\n", _HEAP),  # of which, it does not say
        ("\n", "GC overhead limit exceeded"),  # with which that attempt did not end
        ("24/10/27 10:05:00 INFO mapreduce.Job:  map 100% reduce 31%\n", _HEAP),
    ],
)
def test_a_stack_that_nothing_names_stays_without_an_id(
    between: str, message: str, tmp_path: Path
) -> None:
    both = _FULL.format(1, _FIRST, _HEAP) + _FULL.format(4, _SECOND, _HEAP)

    told = _stack_of(tmp_path, f"{both}{between}{_STACK.format(message)}")

    assert told == [None]


_NO_COLLECTOR = (
    f"Task Id : attempt_{_JOB.format(71)}_m_000002_0, Status : FAILED\n"
    "Error: java.io.IOException: Unable to initialize any output collector\n"
    "\tat org.apache.hadoop.mapred.MapTask.createSortingCollector(MapTask.java:412)\n"
    "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:341)\n\nand in its log\n"
    "2024-10-27 10:00:08,530 WARN [main] org.apache.hadoop.mapred.MapTask: Unable to initialize "
    "MapOutputCollector org.apache.hadoop.mapred.MapTask$MapOutputBuffer\n"
)


def test_why_no_collector_could_be_made_is_what_the_task_logged(tmp_path: Path) -> None:
    refused = 'java.io.IOException: Invalid "mapreduce.task.io.sort.mb": 3000\n'

    _, report = told_of(tmp_path, _NO_COLLECTOR + refused)

    assert "mapreduce.task.io.sort.mb=3000 is no value that Hadoop takes" in report


def test_another_reason_for_no_collector_names_no_setting(tmp_path: Path) -> None:
    other = "java.lang.ClassCastException: class com.example.Key\n"

    _, report = told_of(tmp_path, _NO_COLLECTOR + other)

    assert "is no value that Hadoop takes" not in report


_WAITED = "Task Id : attempt_{0}, Status : FAILED\nAttemptID:attempt_{0} Timed out after 600 secs\n"
_DUMP = (
    '"main" #1 prio=5 os_prio=0 tid=0x00007f1c nid=0x2a15 runnable [0x00007f1c]\n'
    "   java.lang.Thread.State: RUNNABLE\n"
    "\tat com.example.Calls.map(Calls.java:70)\n"
    "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:146)\n"
    "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:341)\n"
)


def test_a_dump_is_of_the_attempt_that_the_end_of_an_id_names(tmp_path: Path) -> None:
    job = _JOB.format(72)
    ended = _WAITED.format(f"{job}_m_000003_0") + _WAITED.format(f"{job}_m_000005_0")

    _, report = told_of(tmp_path, f"{ended}\non the node of m_000005_1 now:\n{_DUMP}")

    assert f"the thread dump is of attempt_{job}_m_000005_1, a later attempt" in report
    assert "without the id" not in report
