"""Logs and diagnostics as each line of Hadoop writes them, read from the files to the report.

The words and frames are those of the sources of Hadoop 1.2.1, 2.2.0, 2.4.1, 2.7.7, 2.10.2, 3.0.3,
3.2.4, 3.4.1 and 3.5.0.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mprof.advice import advise
from mprof.diagnosis import Diagnosed, diagnose_runs
from mprof.history import JobConf
from mprof.job_run import JobRun
from mprof.report import render_html, render_text, to_json
from mprof.trace import read_trace

_AT = "2024-03-01 10:00:01,424"
_HEAP = "java.lang.OutOfMemoryError: Java heap space"
_MASTER = "org.apache.hadoop.mapreduce.v2.app"
_USAGE = (
    "Current usage: 1.0 GB of 1 GB physical memory used; 2.7 GB of 2.1 GB virtual memory used."
    " Killing container.\nDump of the process-tree for container_1_0001_01_000002 :\n"
    "\t|- 4711 4710 4711 4711 (java) 910 80 2899102924 262100 /usr/bin/java -Xmx1024m"
    " org.apache.hadoop.mapred.YarnChild\n"
)


def uncaught(error: str, *frames: str, hadoop: str = "3") -> str:
    """What the child's main method logs (Child in Hadoop 1, YarnChild since)."""
    stack = "".join(f"\tat {one}\n" for one in frames)
    is_error = "OutOfMemoryError" in error or "ShuffleError" in error
    if hadoop == "1":
        how = "FATAL org.apache.hadoop.mapred.Child: Error running child : "
        how = how if is_error else "WARN org.apache.hadoop.mapred.Child: Error running child\n"
        return f"{_AT} {how}{error}\n{stack}\n"
    level, word = ("ERROR", "Error") if is_error else ("WARN", "Exception")
    where = f"{level} [main] org.apache.hadoop.mapred.YarnChild: {word} running child : "
    return f"{_AT} {where}{error}\n{stack}\n"


def diagnosed(
    folder: Path,
    *,
    syslog: str = "",
    diagnostics: str | None = None,
    side: str = "m",
    conf: dict[str, str] | None = None,
) -> Diagnosed:
    """A diagnosis of one attempt from these words alone."""
    attempt = folder / f"attempt_1700000000000_0001_{side}_000003_0"
    attempt.mkdir()
    (attempt / "syslog").write_text(syslog)
    trace = read_trace(attempt, diagnostics=diagnostics)
    job = JobRun("job_1700000000000_0001", "none", traces=(trace,),
                 conf=JobConf(conf) if conf is not None else None)  # fmt: skip
    return advise(diagnose_runs([job]))


def said(found: Diagnosed) -> list[str]:
    return [one.message.id for one in found.diagnosis.said]


_COLLECTOR = "org.apache.hadoop.mapred.MapTask.createSortingCollector(MapTask.java:411)"
_TASK = "org.apache.hadoop.mapred.MapTask.run(MapTask.java:348)"
_FETCH = "org.apache.hadoop.mapreduce.task.reduce"
_IN_MEMORY = (
    "org.apache.hadoop.io.BoundedByteArrayOutputStream.<init>(BoundedByteArrayOutputStream.java:56)",
    f"{_FETCH}.InMemoryMapOutput.<init>(InMemoryMapOutput.java:63)",
    f"{_FETCH}.MergeManagerImpl.unconditionalReserve(MergeManagerImpl.java:309)",
    f"{_FETCH}.Fetcher.run(Fetcher.java:193)",
)

OF_LOGS = [
    (
        "1.2", "m", "sort_buffer_does_not_fit",
        f"{_AT} INFO org.apache.hadoop.mapred.MapTask: io.sort.mb = 400\n"
        + uncaught(
            _HEAP,
            "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.<init>(MapTask.java:967)",
            "org.apache.hadoop.mapred.MapTask$NewOutputCollector.<init>(MapTask.java:674)",
            hadoop="1",
        ),
    ),
    (
        "2.2", "m", "sort_buffer_does_not_fit",
        uncaught(
            _HEAP, "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(MapTask.java:962)",
            _COLLECTOR,
        ),
    ),
    (
        "3.5", "m", "sort_buffer_does_not_fit",
        uncaught(
            _HEAP, "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(MapTask.java:1011)",
            _COLLECTOR,
        ),
    ),
    (
        "1.2", "m", "sort_buffer_invalid",
        uncaught(
            'java.io.IOException: Invalid "io.sort.mb": 4096',
            "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.<init>(MapTask.java:958)",
            hadoop="1",
        ),
    ),
    (
        "2.2", "m", "sort_buffer_invalid",
        uncaught(
            'java.io.IOException: Invalid "mapreduce.task.io.sort.mb": 4096',
            "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(MapTask.java:954)",
        ),
    ),
    (
        "2.10", "m", "sort_buffer_invalid",
        uncaught(
            "java.io.IOException: Initialization of all the collectors failed. Error in last"
            ' collector was:java.io.IOException: Invalid "mapreduce.task.io.sort.mb": 4096',
            _COLLECTOR, _TASK,
        ).rstrip("\n")
        + '\nCaused by: java.io.IOException: Invalid "mapreduce.task.io.sort.mb": 4096\n'
        "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(MapTask.java:978)\n"
        "\t... 8 more\n\n",
    ),
    (
        "1.2", "r", "map_output_does_not_fit",
        (f"{_AT} FATAL org.apache.hadoop.mapred.Task: attempt_1700000000000_0001_r_000003_0 : Map"
        f" output copy failure : {_HEAP}\n"
        "\tat org.apache.hadoop.mapred.ReduceTask$ReduceCopier$MapOutputCopier.shuffleInMemory"
        "(ReduceTask.java:1715)\n"
        "\tat org.apache.hadoop.mapred.ReduceTask$ReduceCopier$MapOutputCopier.run"
        "(ReduceTask.java:1342)\n\n"),
    ),
    (
        "3.4", "r", "map_output_does_not_fit",
        uncaught(
            "org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle in"
            " fetcher#5",
            f"{_FETCH}.Shuffle.run(Shuffle.java:136)",
            "org.apache.hadoop.mapred.ReduceTask.run(ReduceTask.java:377)",
        ).rstrip("\n")
        + f"\nCaused by: {_HEAP}\n"
        + "".join(f"\tat {one}\n" for one in _IN_MEMORY)
        + "\n",
    ),
    (
        "2.2", "r", "shuffle_settings_invalid",
        uncaught(
            "java.lang.RuntimeException: Invlaid configuration: maxSingleShuffleLimit should be"
            " less than mergeThresholdmaxSingleShuffleLimit: 700mergeThreshold: 660",
            f"{_FETCH}.MergeManagerImpl.<init>(MergeManagerImpl.java:200)",
        ),
    ),
    (
        "3.4", "m", "too_many_counters",
        uncaught(
            "org.apache.hadoop.mapreduce.counters.LimitExceededException: Too many counters: 121"
            " max=120",
            "org.apache.hadoop.mapreduce.counters.Limits.checkCounters(Limits.java:101)",
            "com.example.Job.map(Job.java:9)",
        ),
    ),
    (
        "1.2", "m", "too_many_counters",
        uncaught(
            "org.apache.hadoop.mapred.Counters$CountersExceededException: Error: Exceeded limits"
            " on number of counters - Counters=120 Limit=120",
            "org.apache.hadoop.mapred.Counters$Group.getCounterForName(Counters.java:319)",
            hadoop="1",
        ),
    ),
    (
        "2.7", "m", "streaming_program_failed",
        uncaught(
            "java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed with"
            " code 127",
            "org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads(PipeMapRed.java:322)",
            "org.apache.hadoop.streaming.PipeMapper.map(PipeMapper.java:106)",
        ),
    ),
]  # fmt: skip

OF_DIAGNOSTICS = [
    ("1.2", "heap_words_only", "Error: Java heap space"),
    ("3.4", "heap_words_only", "Error: Java heap space\n"),
    (
        "2.2", "heap_leaves_no_room",
        ("Container [pid=4711,containerID=container_1_0001_01_000002] is running beyond physical"
        f" memory limits. {_USAGE}"),
    ),
    (
        "3.4", "heap_leaves_no_room",
        ("[2024-05-01 10:00:00.000]Container [pid=4711,containerID=container_e3_1_0001_01_000002]"
        f" is running 12345678B beyond the 'PHYSICAL' memory limit. {_USAGE}"),
    ),
    (
        "3.4", "container_over_virtual_memory",
        ("[2024-05-01 10:00:00.000]Container [pid=4711,containerID=container_e3_1_0001_01_000002]"
        f" is running 12345678B beyond the 'VIRTUAL' memory limit. {_USAGE}"),
    ),
    (
        "1.2", "container_over_virtual_memory",
        ("TaskTree [pid=4711,tipID=attempt_1_0001_m_000000_0] is running beyond memory-limits."
        " Current usage : 2147483648bytes. Limit : 1073741824bytes. Killing task."),
    ),
    ("2.7", "task_timeout", "AttemptID:attempt_1_0001_m_000000_0 Timed out after 600 secs"),
    (
        "3.4", "task_timeout",
        ("AttemptID:attempt_1_0001_m_000000_0 task timeout set: 600s, taskTimedOut: true; task"
        " stuck timeout set: 0s, taskStuck: false"),
    ),
    (
        "1.2", "task_timeout",
        "Task attempt_1_0001_m_000000_0 failed to report status for 601 seconds. Killing!",
    ),
    ("2.7", "exit_sigterm", "Container exited with a non-zero exit code 143"),
    (
        "3.4", "exit_sigkill",
        ("[2024-05-01 10:00:00.000]Container killed on request. Exit code is 137\n"
        "[2024-05-01 10:00:00.010]Container exited with a non-zero exit code 137."),
    ),
    (
        "1.2", "exit_sigkill",
        ("java.lang.Throwable: Child Error\n"
        "\tat org.apache.hadoop.mapred.TaskRunner.run(TaskRunner.java:271)\n"
        "Caused by: java.io.IOException: Task process exit with nonzero status of 137.\n"
        "\tat org.apache.hadoop.mapred.TaskRunner.run(TaskRunner.java:258)\n"),
    ),
    ("2.7", "exit_abort", "Container exited with a non-zero exit code 134"),
    ("3.4", "exit_failure", "Container exited with a non-zero exit code 255."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "side", "message", "syslog"), OF_LOGS, ids=[f"{r[0]} {r[2]}" for r in OF_LOGS]
)
def test_a_log_of_each_line_of_hadoop_is_read(
    line: str, side: str, message: str, syslog: str, tmp_path: Path
) -> None:
    found = diagnosed(tmp_path, syslog=syslog, side=side)

    assert message in (*said(found), *_measured_instead(found, message)), line
    page, text = render_html(found), render_text(found)
    for one in found.diagnosis.said:
        assert one.message.title.replace("'", "&#39;") in page
        assert f"mprof explain {one.message.id}" in text


def _measured_instead(found: Diagnosed, message: str) -> list[str]:
    """Where the log also tells the size of the buffer, the rule names the cause by itself."""
    causes = {one.cause for one in found.diagnosis.causes}
    is_named = message == "sort_buffer_does_not_fit" and "large_framework_buffer.map" in causes
    return [message] if is_named else []


@pytest.mark.parametrize(
    ("line", "message", "diagnostics"),
    OF_DIAGNOSTICS,
    ids=[f"{r[0]} {r[1]}" for r in OF_DIAGNOSTICS],
)
def test_the_diagnostics_of_each_line_of_hadoop_are_read(
    line: str, message: str, diagnostics: str, tmp_path: Path
) -> None:
    found = diagnosed(tmp_path, diagnostics=diagnostics)

    assert said(found)[:1] == [message], line
    assert found.diagnosis.said[0].reading.sentence in " ".join(render_text(found).split())


def test_the_sort_buffer_is_told_with_both_values_and_one_that_fits(tmp_path: Path) -> None:
    found = diagnosed(
        tmp_path,
        syslog=uncaught(_HEAP, "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(M.java:1)"),
        conf={"mapreduce.task.io.sort.mb": "400", "mapreduce.map.java.opts": "-Xmx256m"},
    )

    text = " ".join(render_text(found).split())

    assert "400 MB" in text or "mapreduce.task.io.sort.mb=400" in text
    setting = next(
        one for one in found.diagnosis.advice if one.property == "mapreduce.task.io.sort.mb"
    )
    assert setting.old == "400"
    assert setting.new is not None
    assert 16 <= int(setting.new) < 2 / 3 * 256  # the old generation of Serial and Parallel


def test_a_kill_tells_the_heap_of_the_process_tree_and_a_container_that_holds_it(
    tmp_path: Path,
) -> None:
    found = diagnosed(
        tmp_path,
        diagnostics="Container [pid=4711,containerID=container_1_0001_01_000002] is running beyond"
        f" physical memory limits. {_USAGE}",
    )

    assert "-Xmx1024m alone is 100 % of it" in found.diagnosis.said[0].reading.sentence
    assert [(one.property, one.new) for one in found.diagnosis.advice] == [
        ("mapreduce.map.memory.mb", "1280")
    ]


NOT_READ = {
    "the words in an error of the job's own": uncaught(
        "java.lang.IllegalStateException: Too many counters: 121 max=120",
        "com.example.Job.map(Job.java:9)",
    ),
    "the words in a line of the job's own": (
        f"{_AT} INFO [main] com.example.Job: Container exited with a non-zero exit code 137\n"
        f"{_AT} INFO [main] com.example.Job: java.lang.RuntimeException: PipeMapRed."
        "waitOutputThreads(): subprocess failed with code 1\n"
    ),
    "a buffer of the job's own": uncaught(
        "java.io.IOException: Invalid \"mapreduce.task.io.sort.mb\": 4096",
        "com.example.Job.setup(Job.java:9)", _TASK,
    ),
    "a warning that was lived on with": (
        f"{_AT} WARN [main] com.example.Job: retrying\n"
        "org.apache.hadoop.mapreduce.counters.LimitExceededException: Too many counters: 121"
        " max=120\n\tat com.example.Job.map(Job.java:9)\n\n"
        f"{_AT} INFO [main] org.apache.hadoop.mapred.Task: Task"
        " 'attempt_1700000000000_0001_m_000003_0' done.\n"
    ),
    "an OutOfMemoryError of another size of the same frame, caught and outlived": (
        f"{_AT} INFO [communication thread] org.apache.hadoop.mapred.Task: Communication"
        f" exception: {_HEAP}\n"
        "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(MapTask.java:1011)\n\n"
        "2099-01-01 00:00:00,000 INFO [main] org.apache.hadoop.mapred.MapTask: Spilling\n"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_READ)
def test_the_same_words_elsewhere_say_nothing(case: str, tmp_path: Path) -> None:
    assert said(diagnosed(tmp_path, syslog=NOT_READ[case])) == []


def test_what_is_measured_comes_before_what_a_message_says_of_the_same(tmp_path: Path) -> None:
    found = diagnosed(
        tmp_path,
        syslog=uncaught(_HEAP, "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(M.java:1)"),
        conf={"mapreduce.task.io.sort.mb": "400", "mapreduce.map.java.opts": "-Xmx256m"},
    )

    assert [one.cause for one in found.diagnosis.causes] == ["large_framework_buffer.map"]
    assert said(found) == []


def test_the_json_object_has_what_the_report_says(tmp_path: Path) -> None:
    found = diagnosed(tmp_path, diagnostics="Container exited with a non-zero exit code 137")

    (message,) = to_json(found)["messages"]

    assert message["id"] == "exit_sigkill"
    assert message["proof"] == "suggests"
    assert "dmesg" in message["next_step"]
