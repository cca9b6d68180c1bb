"""Which of several ends comes first: of a job that failed, of a task that did not pass."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import found, told_of

_STAMP, _OTHER = "1730000000000", "1740000000000"
_OVER = (
    "Container [pid=7,containerID=container_{0}_01_000004] is running beyond physical memory "
    "limits. Current usage: 1.0 GB of 1 GB physical memory used; 2.0 GB of 2.1 GB virtual memory "
    "used. Killing container.\n"
)
_HEAP = "Error: Java heap space\n"
_TASK_ID = "24/03/01 10:00:0{n} INFO mapreduce.Job: Task Id : {attempt}, Status : {state}\n"


def _first(folder: Path, text: str) -> str | None:
    (folder / "pasted.txt").write_text(text)
    return found(folder).told[0].dead[0].attempt_id


def _attempt(number: int, *, task: str = "m_000007", again: int = 0) -> str:
    return f"attempt_{_STAMP}_{number:04}_{task}_{again}"


# job 5 died over its container (and would lead), job 6 of its heap
_FAILED = (
    f"{_attempt(5)}  FAILED\n {_OVER.format(f'{_STAMP}_0005')}\n{_attempt(6)}  FAILED\n {_HEAP}"
)
_ROW = f"job_{_STAMP}_000{{0}}\t2\t0\t8\t4\n"
_STATS, _LOST = "Job Stats (time in seconds):\nJobId\tMaps\n", "Failed Jobs:\nJobId\tAlias\n"
_DAG = f"Job DAG:\njob_{_STAMP}_0005\t->\tjob_{_STAMP}_0006,\njob_{_STAMP}_0006\n"
_BAD = "Some jobs have failed! Stop running all dependent jobs\n\n"
_TOLD = {
    "tables of Pig": (f"{_BAD}{_STATS}{_ROW.format(5)}\n{_LOST}{_ROW.format(6)}\n", 6),
    "tables of Pig, the other way": (
        f"{_BAD}{_STATS}{_ROW.format(6)}\n{_LOST}{_ROW.format(5)}\n{_DAG}",
        5,
    ),
    "a plan of Pig alone": (f"Failed!\n\n{_DAG}", 5),
    "a heading with the whole id": (f"== job_{_STAMP}_0005: SUCCEEDED ==\n", 6),
    "a heading with its number": ("[job 0005, SUCCEEDED]\n", 6),
    "a heading of a job that is not told of": ("[job 0009, SUCCEEDED]\n", 5),
    "a sentence": ("I thought that job 0005 SUCCEEDED, but no.\n", 5),
    "nothing": ("", 5),
}


@pytest.mark.parametrize("case", _TOLD)
def test_a_job_that_succeeded_comes_behind_one_that_failed(case: str, tmp_path: Path) -> None:
    told, first = _TOLD[case]

    assert _first(tmp_path, f"{told}\n{_FAILED}") == _attempt(first)


def test_of_two_jobs_with_that_number_a_heading_names_neither(tmp_path: Path) -> None:
    other = _attempt(5).replace(_STAMP, _OTHER)
    text = f"[job 0005, SUCCEEDED]\n{_FAILED}\n{other}  FAILED\n {_HEAP}"

    assert _first(tmp_path, text) == _attempt(5)


@pytest.mark.parametrize(
    ("after", "first"),
    [
        ("{again}  SUCCEEDED\n", "m_000008"),
        ("Task succeeded with attempt {again}\n", "m_000008"),
        ("{again}  FAILED\n Error: Java heap space\n", "m_000007"),
        ("{other}  SUCCEEDED\n", "m_000007"),
    ],
)
def test_an_attempt_whose_task_passed_comes_behind_one_whose_did_not(
    after: str, first: str, tmp_path: Path
) -> None:
    over = f"{_attempt(5)}  FAILED\n {_OVER.format(f'{_STAMP}_0005')}"
    again = after.format(again=_attempt(5, again=1), other=_attempt(5, task="m_000009"))
    rest = f"{_attempt(5, task='m_000008')}  FAILED\n {_HEAP}"

    assert _first(tmp_path, f"{over}{again}{rest}") == _attempt(5, task=first)


_TAKEN = (
    "Container preempted by scheduler",
    "Reducer preempted to make room for pending map attempts",
)
_ENDED = f"24/03/01 10:00:09 INFO mapreduce.Job: Job job_{_STAMP}_0005 {{0}}\n"


def _taken(why: str, tasks: int) -> str:
    return "".join(
        _TASK_ID.format(n=n, attempt=_attempt(5, task=f"r_00000{n}"), state="KILLED") + f"{why}\n"
        for n in range(tasks)
    )


@pytest.mark.parametrize("why", _TAKEN)
def test_of_a_job_that_succeeded_what_was_taken_back_is_told(why: str, tmp_path: Path) -> None:
    lost = _attempt(5, task="r_000008")
    failed = f"{_TASK_ID.format(n=8, attempt=lost, state='FAILED')}Error: java.io.IOException: No\n"
    ended = _ENDED.format("completed successfully")

    _, report = told_of(tmp_path, f"{_taken(why, 3)}{failed}{ended}")

    assert "4 FAILED OR KILLED" in report
    assert f"1. Attempt {_attempt(5, task='r_000000')}" in report
    assert "does not count as a f" in report.replace("\n", " ")
    assert lost in report


def test_of_a_job_that_failed_what_was_taken_back_is_not_told(tmp_path: Path) -> None:
    lost = _attempt(5, task="r_000008")
    failed = f"{_TASK_ID.format(n=8, attempt=lost, state='FAILED')}Error: java.io.IOException: No\n"
    ended = _ENDED.format("failed with state FAILED due to: Task failed")

    _, report = told_of(tmp_path, f"{_taken(_TAKEN[0], 3)}{failed}{ended}")

    assert "preempted" not in report
    assert _first(tmp_path, f"{_taken(_TAKEN[0], 3)}{failed}{ended}") == lost


_LOST_EXECUTOR = (
    "24/03/01 10:00:01 ERROR YarnScheduler: Lost executor {0} on n1: Container killed by YARN for "
    "exceeding memory limits. 2.1 GB of 2 GB physical memory used.\n"
)
_OF_EXECUTOR = (
    "\nThe NodeManager:\n\n2024-03-01 10:00:00,000 WARN org.apache.hadoop.yarn.server.nodemanager."
    "containermanager.monitor.ContainersMonitorImpl: Container [pid=7,containerID=container_{0}_01_"
    "000004] is running beyond physical memory limits. Current usage: 2.1 GB of 2 GB physical "
    "memory used; 3.0 GB of 4.2 GB virtual memory used. Killing container.\n"
    "Dump of the process-tree for container_{0}_01_000004 :\n"
    "\t|- 7 1 7 7 (java) 9 9 2147483648 524288 java -Xmx1g org.apache.spark.executor."
    "CoarseGrainedExecutorBackend --driver-url spark://d:1 --executor-id {1} --cores 2\n"
)


@pytest.mark.parametrize(
    ("of_executor", "deaths"),
    [
        (_OF_EXECUTOR.format(f"{_STAMP}_0005", 3), 1),
        (_OF_EXECUTOR.format(f"{_STAMP}_0005", 4), 2),
        (
            _OF_EXECUTOR.format(f"{_STAMP}_0005", 3) + _OF_EXECUTOR.format(f"{_STAMP}_0006", 3),
            3,
        ),
    ],
)
def test_an_executor_and_its_container_are_one_death(
    of_executor: str, deaths: int, tmp_path: Path
) -> None:
    (tmp_path / "pasted.txt").write_text(_LOST_EXECUTOR.format(3) + of_executor)

    assert found(tmp_path).deaths == deaths


_OF_MASTER = (
    "LogType:stderr\nLog Contents:\nHalting due to Out Of Memory Error...\nException in thread "
    '"{thread}" java.lang.OutOfMemoryError: Java heap space\n{frame}End of LogType:stderr\n\n'
    "LogType:syslog\n2024-03-01 10:00:01,000 INFO [main] org.apache.hadoop.mapreduce.v2.app."
    "MRAppMaster: Created MRAppMaster for application appattempt_{stamp}_0005_000001\n"
    "2024-03-01 10:00:09,000 FATAL [RMCommunicator Allocator] org.apache.hadoop.yarn."
    "YarnUncaughtExceptionHandler: Thread Thread[RMCommunicator Allocator,5,main] threw an Error.  "
    "Shutting down now...\njava.lang.OutOfMemoryError: Java heap space\n"
    "\tat org.apache.hadoop.mapreduce.v2.app.rm.RMContainerAllocator$1.run(R.java:183)\n"
    "End of LogType:syslog\n"
)
_FRAME = "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:341)\n"


@pytest.mark.parametrize(
    ("thread", "frame", "kind"),
    [
        ("ContainerLauncher Event Handler", "", "application-master"),
        ("main", "", "heap"),
        ("pool-1", _FRAME, "heap"),
    ],
)
def test_the_standard_error_of_an_application_master_is_no_second_death(
    thread: str, frame: str, kind: str, tmp_path: Path
) -> None:
    text = _OF_MASTER.format(thread=thread, frame=frame, stamp=_STAMP)
    (tmp_path / "pasted.txt").write_text(f"This is its log:\n\n{text}")

    assert next(one.kind for told in found(tmp_path).told for one in told.dead) == kind


def test_a_master_of_which_memory_is_known_comes_before_one_of_which_it_is_not(
    tmp_path: Path,
) -> None:
    ended = (
        f"24/03/01 10:00:01 INFO mapreduce.Job: Job job_{_STAMP}_0004 failed with state FAILED due "
        f"to: Application application_{_STAMP}_0004 failed 2 times due to AM Container for "
        f"appattempt_{_STAMP}_0004_000002 exited with  exitCode: 255\n\n"
    )
    text = _OF_MASTER.format(thread="x", frame="", stamp=_STAMP)
    (tmp_path / "pasted.txt").write_text(f"{ended}And again:\n\n{text}")

    first = found(tmp_path).told[0]

    assert first.diagnosed.evidence.job.job_id == f"job_{_STAMP}_0005"


_SPILL = (
    "2024-03-01 10:00:01,000 WARN [main] org.apache.hadoop.mapred.YarnChild: Exception running "
    "child : java.io.IOException: Spill failed\n"
    "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:348)\n"
    "Caused by: org.apache.hadoop.util.DiskChecker$DiskErrorException: Could not find any valid "
    "local directory for {0}_spill_2.out\n"
    "\tat org.apache.hadoop.fs.LocalDirAllocator.getLocalPathForWrite(LocalDirAllocator.java:165)\n"
)
_NODE = (
    "2024-03-01 10:00:00,000 WARN org.apache.hadoop.yarn.server.nodemanager.DirectoryCollection: "
    "Directory /d/nm error, used space above threshold of 90.0%, removing from list of valid "
    "directories\n"
)


@pytest.mark.parametrize("is_first", [False, True])
def test_a_task_whose_log_stands_beside_that_of_a_node_ended(
    *, is_first: bool, tmp_path: Path
) -> None:
    parts = [_SPILL.format(_attempt(5)), f"I also have\n\n{_NODE}"]

    kinds, report = told_of(tmp_path, "\n".join(parts[::-1] if is_first else parts))

    assert kinds == ["not-memory"]
    assert f"Attempt {_attempt(5)} of job job_{_STAMP}_0005 failed" in report
    assert "A local disk cannot be used" in report


def test_a_node_that_tells_of_no_task_tells_of_no_end(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"Can I ignore this?\n\n{_NODE}")

    assert "failed" not in report.split("NOTES")[0]


_WORKER = "\t|- {0} 7 7 7 (python) 9 9 536870912 {1} python -m pyspark.daemon\n"


@pytest.mark.parametrize(
    ("pages", "said", "overhead"),
    [
        ((32768, 32768), "which took 256 MB (2 of python)", 400),
        ((8192,), "which took 32 MB (1 of python)", 288),
        ((), "", 288),
    ],
)
def test_what_runs_beside_an_executor_needs_its_room_as_well(
    pages: tuple[int, ...], said: str, overhead: int, tmp_path: Path
) -> None:
    workers = "".join(_WORKER.format(n, each) for n, each in enumerate(pages, 20))
    text = _OF_EXECUTOR.format(f"{_STAMP}_0005", 3).replace("-Xmx1g", "-Xmx1904m")

    _, report = told_of(tmp_path, f"It is our job.\n{text}{workers}")
    words = " ".join(report.split())

    assert said in words
    assert f"spark.executor.memoryOverhead={overhead}" in words
    assert ("for its other processes" in words) == bool(pages)
