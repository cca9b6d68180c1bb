"""An id that a text names beside a death is not always that of what died."""

from __future__ import annotations

from pathlib import Path

from builders.container_logs import found, told_of

_FIRST = "1700000000000_0090"
_SECOND = "1700000000000_0093"
_FETCHED = f"attempt_{_FIRST}_m_001204_0"
_SHUFFLE = """\
2024-03-01 10:00:44,716 WARN [main] org.apache.hadoop.mapred.YarnChild: Exception running child : \
org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle in fetcher#7
\tat org.apache.hadoop.mapreduce.task.reduce.Shuffle.run(Shuffle.java:134)
\tat org.apache.hadoop.mapred.ReduceTask.run(ReduceTask.java:376)
Caused by: java.lang.OutOfMemoryError: Java heap space
\tat org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>(InMemoryMapOutput.java:63)
\tat org.apache.hadoop.mapreduce.task.reduce.Fetcher.copyMapOutput(Fetcher.java:514)
"""
_HEAP = (
    f"Vertex failed, vertexName=Reducer 3, vertexId=vertex_{_FIRST}_1_04, diagnostics=[Task "
    f"failed, taskId=task_{_FIRST}_1_04_000021, diagnostics=[TaskAttempt 0 failed, info=[Error: "
    f"Error while running task ( failure ) : attempt_{_FIRST}_1_04_000021_0:"
    "java.lang.OutOfMemoryError: Java heap space\n"
    "\tat com.example.Udf.evaluate(Udf.java:60)\n"
    "\tat org.apache.tez.runtime.task.TaskRunner2Callable$1.run(TaskRunner2Callable.java:73)\n]]\n"
)
_KILLED = (
    f"Vertex failed, vertexName=Map 1, vertexId=vertex_{_SECOND}_1_00, diagnostics=[Task failed, "
    f"taskId=task_{_SECOND}_1_00_000007, diagnostics=[TaskAttempt 0 failed, info=[Container "
    f"container_{_SECOND}_01_000012 finished with diagnostics set to [Container failed, "
    f"exitCode=-104. Container [pid=9,containerID=container_{_SECOND}_01_000012] is running beyond "
    "physical memory limits. Current usage: 4.1 GB of 4 GB physical memory used; 6.2 GB of 8.4 GB "
    "virtual memory used. Killing container.\n]]\n"
)


def test_the_map_whose_output_is_copied_did_not_die(tmp_path: Path) -> None:
    line = (
        "2024-03-01 10:00:43,000 INFO [fetcher#7] org.apache.hadoop.mapreduce.task.reduce.Fetcher: "
        f"fetcher#7 about to shuffle output of map {_FETCHED} decomp: 402 len: 98 to MEMORY\n"
    )
    for text in (line + _SHUFFLE, line.replace("map attempt", "map\nattempt") + _SHUFFLE):
        _, report = told_of(tmp_path, f"{text}\nOur reducers have -Xmx2458m.\n")

        assert f"Attempt {_FETCHED}" not in report
        assert "in the shuffle, before reduce()" in report
        assert "a map task died" not in report


def test_a_reducer_that_a_log_names_is_the_one_whose_log_it_is(tmp_path: Path) -> None:
    path = tmp_path / "pasted.txt"
    path.write_text(
        f"saving spill of attempt_{_FIRST}_r_000003_0\nabout to shuffle output of map {_FETCHED}\n"
        f"{_SHUFFLE}"
    )

    assert [one.attempt_id for told in found(path).told for one in told.dead] == [
        f"attempt_{_FIRST}_r_000003_0"
    ]


def test_a_container_ran_no_attempt_of_another_application(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"The first query:\n\n{_HEAP}\nThe second:\n\n{_KILLED}")

    assert f"A task of Tez (vertex Reducer 3, attempt_{_FIRST}_1_04_000021_0)" in report
    assert f"application_{_SECOND}, a task of Tez (vertex Map 1), was killed" in report


def test_one_of_the_same_application_it_did(tmp_path: Path) -> None:
    text = _KILLED.replace("TaskAttempt 0 failed", f"attempt_{_SECOND}_1_00_000007_0 failed")
    _, report = told_of(tmp_path, text)

    assert f"a task of Tez (vertex Map 1, attempt_{_SECOND}_1_00_000007_0), was killed" in report
