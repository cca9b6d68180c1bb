"""What the client of Hadoop 1 prints: the output of a failed attempt, and how the job ended.

The words are those of ``JobClient.monitorAndPrintJob`` and ``displayTaskLogs``, ``Counters.log``,
``TaskTracker.markUnresponsiveTasks`` and ``JobInProgress`` of 1.2.1; ids and classes are made up.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import found, told_of

_JOB = "job_201305060708_0042"
_ATTEMPT = "attempt_201305060708_0042_m_000003_0"
_CLIENT = "13/05/06 07:30:00 INFO mapred.JobClient:"
_FAILED = f"{_CLIENT} Task Id : {_ATTEMPT}, Status : FAILED\n"
_TIMED_OUT = f"{_FAILED}Task {_ATTEMPT} failed to report status for 900 seconds. Killing!\n"
_BEGUN = f"{_CLIENT} Running job: {_JOB}\n{_CLIENT}  map 40% reduce 0%\n"
_ENDED = f"{_CLIENT}  map 100% reduce 100%\n{_CLIENT} Job complete: {_JOB}\n"


def _counters(*counters: str) -> str:
    filled = ["SLOTS_MILLIS_MAPS=9021", "Total time spent by all maps waiting (ms)=0"]
    lines = [f"{_CLIENT}     {one}\n" for one in (*filled, *counters, *filled)]
    return f"{_CLIENT} Counters: {len(lines)}\n{_CLIENT}   Job Counters \n{''.join(lines)}"


def _printed(*lines: str) -> str:
    return "".join(f"{_ATTEMPT}: {one}\n" for one in lines)


def test_what_an_attempt_printed_is_told_with_its_timeout(tmp_path: Path) -> None:
    printed = _printed("log4j:WARN Please initialize", "scanner: lease 77 is gone", "retrying")

    kinds, report = told_of(
        tmp_path, f"{_BEGUN}{_TIMED_OUT}{printed}{_CLIENT}  map 41% reduce 0%\n"
    )

    assert kinds == ["not-memory"]
    assert 'it had printed "scanner: lease 77 is gone / retrying"' in report
    assert "log4j" not in report


def test_a_thread_that_had_ended_is_named_and_no_heap_dump_is_asked_for(tmp_path: Path) -> None:
    printed = _printed(
        'Exception in thread "feeder-2" java.lang.IllegalStateException: device 3 is lost',
        "\tat com.example.Feeder.run(Feeder.java:61)",
        "\tat java.lang.Thread.run(Thread.java:722)",
    )

    _, report = told_of(tmp_path, f"{_BEGUN}{_TIMED_OUT}{printed}{_CLIENT}  map 41% reduce 0%\n")

    assert "Its thread feeder-2 had ended by an error that nothing caught" in report
    assert "(java.lang.IllegalStateException: device 3 is lost)" in report
    assert "jstack PID" in report
    assert "HeapDumpOnOutOfMemoryError" not in report


def test_a_timeout_without_output_asks_for_jstack_and_a_log_of_the_collector(
    tmp_path: Path,
) -> None:
    _, report = told_of(tmp_path, f"{_BEGUN}{_TIMED_OUT}{_CLIENT}  map 41% reduce 0%\n")

    assert "jstack PID of the task" in report
    assert "-verbose:gc -XX:+PrintGCDetails in mapred.child.java.opts" in report
    assert "HeapDumpOnOutOfMemoryError" not in report
    assert "mprof run" not in report


def test_lines_of_an_attempt_as_wide_as_a_terminal_are_lines_of_their_own(tmp_path: Path) -> None:
    wide = [f"step {number} {'x' * 40}"[:30] for number in range(100, 105)]

    _, report = told_of(tmp_path, f"{_FAILED}Task {_ATTEMPT} failed to report status for 900 "
                        f"seconds. Killing!\n{_printed(*wide)}")  # fmt: skip

    assert f'"{wide[-2]} / {wide[-1]}"' in report


@pytest.mark.parametrize(
    ("end", "lives"),
    [
        (_ENDED + _counters("Launched reduce tasks=2", "Launched map tasks=9"), True),
        # JobInProgress.failedTask: a task that failed for good
        (_ENDED + _counters("Launched map tasks=9", "Failed map tasks=1"), False),
        # JobClient.runJob
        (_ENDED + _counters("Launched map tasks=9") + f"{_CLIENT} Job Failed: NA\n", False),
        # its setup failed: no task was launched
        (_ENDED + _counters(), False),
        (_ENDED, False),
        (f"{_CLIENT}  map 60% reduce 0%\n", False),
        # the counters are of the next job
        (
            _ENDED
            + f"{_CLIENT} Running job: job_201305060708_0043\n"
            + f"{_CLIENT} Job complete: job_201305060708_0043\n"
            + _counters("Launched map tasks=4"),
            False,
        ),
    ],
)
def test_that_a_job_went_on_is_told_by_its_counters(end: str, lives: bool, tmp_path: Path) -> None:
    path = tmp_path / "console.txt"
    path.write_text(f"{_BEGUN}{_TIMED_OUT}{end}")

    told = found(path).told[0].diagnosed.evidence

    assert told.attempt.attempt_id == _ATTEMPT
    assert told.job.state in {None, "FAILED"}
    assert told.job.no_task_failed is lives


def test_a_job_that_went_on_is_not_said_to_have_succeeded_for_sure(tmp_path: Path) -> None:
    # JobInProgress.terminateJob: one that is killed has the same progress and counters
    end = _ENDED + _counters("Launched map tasks=9")

    _, report = told_of(tmp_path, f"{_BEGUN}{_TIMED_OUT}{end}")

    assert "by its counters no task failed for good: it succeeded, unless it was killed" in report


def test_each_row_of_a_page_of_failures_is_an_attempt(tmp_path: Path) -> None:
    # jobfailures.jsp: a row is an attempt, its task, its node, its state and its error
    def row(number: int, error: str) -> str:
        attempt = f"attempt_201305060708_0042_m_{number:06}_0"
        task = f"task_201305060708_0042_m_{number:06}"
        return (
            f"<tr><td>{attempt}</td><td><a href='http://jt:50030/t.jsp?tipid={task}'>{task}</a>"
            f"</td><td><a href='http://w{number}:50060/'>w{number}</a></td><td>FAILED</td>"
            f"<td><pre>{error}</pre></td><td><a href='http://w{number}/l'>Last 4KB</a><br>"
            "<a href='http://w/l'>Last 8KB</a><br><a href='http://w/l'>All</a></td></tr>\n"
        )

    errors = ["Error: Java heap space", "Error: Java heap space", "", (
        "java.lang.Throwable: Child Error\n"
        "\tat org.apache.hadoop.mapred.TaskRunner.run(TaskRunner.java:271)\n"
        "Caused by: java.io.IOException: Task process exit with nonzero status of 71.\n"
    )]  # fmt: skip
    page = (
        f"<html><body><h1>Hadoop <a href='x'>{_JOB}</a> failures on <a href='y'>jt</a></h1>"
        "<table><tr><th>Attempt</th><th>Task</th><th>Machine</th><th>State</th><th>Error</th>"
        f"<th>Logs</th></tr>\n{''.join(row(n, error) for n, error in enumerate(errors))}"
        "</table></body></html>\n"
    )

    kinds, said = told_of(tmp_path, page)

    assert sorted(kinds) == ["heap", "not-memory", "not-memory"]
    assert "4 FAILURES 1. Attempt attempt_201305060708_0042_m_000000_0" in said
    assert (
        "2 alike: attempt_201305060708_0042_m_000000_0 attempt_201305060708_0042_m_000001_0" in said
    )
    assert "71 is the program's own. The reason" in said
    assert "Last 4KB" not in said


_CUT_STACK = (
    "2013-07-08 15:30:46,114 FATAL org.apache.hadoop.mapred.{main}: Error running child : "
    "java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
    "\tat com.example.Top.exec(Top.java:27)\n"
    "\tat org.apache.pig.backend.hadoop.executionengine.physicalLayer.expressionOperators."
    "POUserFunc.getNext(POUserFunc.java:330)\n\t[...]\n\nmapred.child.java.opts is -Xmx1024m.\n"
)


def test_the_main_class_that_logs_is_of_hadoop_1_whatever_is_cut_off(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"Reducer log:\n\n{_CUT_STACK.format(main='Child')}")

    assert "-D mapred.child.java.opts=-Xmx2048m" in report
    assert "mapreduce." not in report.partition("STACK OF")[0]
    assert "container" not in report.partition("STACK OF")[0].replace("logs of containers", "")
    assert "large_framework_buffer.map" not in report


def test_the_main_class_of_yarn_is_not(tmp_path: Path) -> None:
    text = f"One of the logs:\n\n{_CUT_STACK.format(main='YarnChild')}"
    _, report = told_of(tmp_path, text)

    assert "mapreduce.map.memory.mb or mapreduce.reduce.memory.mb" in report
