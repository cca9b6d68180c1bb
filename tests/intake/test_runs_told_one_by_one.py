"""A text that tells of one run after the other: each keeps its own end, values and cure."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_APPLICATION = "1480000000000"
_HEAP_OF_MAPS = "mapreduce.map.java.opts"
_KILLED = (
    f"Container [pid=77,containerID=container_{_APPLICATION}_0003_01_000051] is running beyond "
    "physical memory limits. Current usage: 3.0 GB of 3 GB physical memory used; 4.1 GB of 6.3 GB "
    "virtual memory used. Killing container."
)
_SHUFFLE = (
    "org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle in fetcher#2",
    "\tat org.apache.hadoop.mapreduce.task.reduce.Shuffle.run(Shuffle.java:134)",
    "Caused by: java.lang.OutOfMemoryError: Java heap space",
    (
        "\tat org.apache.hadoop.io.BoundedByteArrayOutputStream.<init>"
        "(BoundedByteArrayOutputStream.java:56)"
    ),
    (
        "\tat org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>"
        "(InMemoryMapOutput.java:63)"
    ),
)
_SHARE = "mapreduce.reduce.shuffle.input.buffer.percent"
_EDITED = "\n".join(
    (
        "The nightly join, first with nothing set:", "", "```",
        (f"16/11/24 10:00:01 INFO mapreduce.Job: Task Id : attempt_{_APPLICATION}_0001_m_000009_0, "
        "Status : FAILED"),
        "Error: Java heap space", "```", "",
        f"**Edit 1.** `-Dmapreduce.map.memory.mb=3072 -D{_HEAP_OF_MAPS}=-Xmx3072m`, now", "", "```",
        _KILLED, "```", "",
        (f"**Edit 2.** The same 3072 with `-D{_HEAP_OF_MAPS}=-Xmx2457m` and "
        "`-Dmapreduce.reduce.memory.mb=3072 -Dmapreduce.reduce.java.opts=-Xmx2457m`. The maps are "
        "done, and then"), "", "```",
        (f"16/11/24 12:00:01 INFO mapreduce.Job: Task Id : attempt_{_APPLICATION}_0004_r_000001_0, "
        "Status : FAILED"),
        f"Error: {_SHUFFLE[0]}", *_SHUFFLE[1:], "```", "",
        f"**Edit 3.** As before with `-D{_SHARE}=0.35` on top. It finished, SUCCEEDED.", "",
    )
)  # fmt: skip


def test_each_run_has_its_own_end_and_values(tmp_path: Path) -> None:
    kinds, report = told_of(tmp_path, _EDITED)
    of_kill = report[report.index("container_1480000000000_0003_01_000051") :]
    of_kill = of_kill[: of_kill.index("attempt_1480000000000_0004")]

    assert sorted(kinds) == ["container-physical", "heap", "heap"]
    assert "-Xmx3072m alone is 100 % of it" in of_kill
    assert "it went through" not in of_kill  # that was of the shuffle
    assert f"With {_SHARE}=0.35 it went through, as the text says: that is what to keep" in report


def test_a_report_ends_where_the_pasted_block_does(tmp_path: Path) -> None:
    kinds, _ = told_of(
        tmp_path,
        f"```\n16/11/24 10:00:01 INFO mapreduce.Job: Task Id : attempt_{_APPLICATION}_0001_m_000009"
        f"_0, Status : FAILED\nError: Java heap space\n```\n\nlater that day\n\n```\n{_KILLED}\n"
        "```\n",
    )

    assert sorted(kinds) == ["container-physical", "heap"]


_CHAT = "\n".join(
    (
        "[08:01] ida: our spark 2.1.0 job on yarn is down again, client mode",
        (
            "[08:02] ida: run 1 was at night, `--executor-memory 3g --executor-cores 3`, died "
            "in the groupByKey"
        ),
        (
            "17/03/02 01:51:08 WARN TaskSetManager: Lost task 6.0 in stage 3.0 (TID 412, w2, "
            "executor 4): java.lang.OutOfMemoryError: GC overhead limit exceeded"
        ),
        "\tat java.util.Arrays.copyOfRange(Arrays.java:3664)",
        "\tat com.esotericsoftware.kryo.io.Input.readString(Input.java:484)",
        "[08:04] ole: one gig a task, that is little",
        "[09:30] ida: run 2, 6g and 2 cores, went to the collect() and then",
        (
            "17/03/02 09:21:33 ERROR TaskSetManager: Total size of serialized results of 90 tasks "
            "(1030.0 MB) is bigger than spark.driver.maxResultSize (1024.0 MB)"
        ),
        "[10:40] ida: run 3, nope",
        "17/03/02 10:31:49 ERROR Utils: Uncaught exception in thread task-result-getter-1",
        "java.lang.OutOfMemoryError: Java heap space",
        "\tat org.apache.spark.scheduler.DirectTaskResult.readExternal(TaskResult.scala:63)",
        "[11:58] ida: run 4, `spark-submit --driver-memory 5g --executor-memory 6g`: green",
    )
)


def test_the_runs_of_a_chat_are_apart(tmp_path: Path) -> None:
    kinds, report = told_of(tmp_path, _CHAT)
    first = report[report.index("NUMBER 1 IN FULL") :]

    assert sorted(kinds) == ["gc-overhead", "heap", "not-memory"]
    assert "an executor of Spark: its heap is set by spark.executor.memory" in first
    assert "driver" not in first.partition("STACK")[0]
    assert "(spark.executor.memory=3g)" in first
    assert "1030.0 MB" in report


@pytest.mark.parametrize("between", ["\t", " "])
def test_a_stack_in_one_line_is_one(between: str, tmp_path: Path) -> None:
    line = between.join(one.strip() for one in _SHUFFLE).replace(f"){between}Caused", ")Caused")

    kinds, report = told_of(
        tmp_path,
        "2016-11-24 21:17:46,950 WARN [main] org.apache.hadoop.mapred.YarnChild: Exception running "
        f"child : {line}\n",
    )

    assert kinds == ["heap"]
    assert "A map output that the shuffle was fetching did not fit" in report


@pytest.mark.parametrize("words", ["from org.apache.hadoop.hive.ql.exec.mr.", "aus ", "von "])
def test_code_3_of_hives_local_task_is_memory(words: str, tmp_path: Path) -> None:
    kinds, _ = told_of(tmp_path, f"Nach einer Weile: return code 3 {words}MapredLocalTask\n")

    assert kinds == ["heap"]


def test_other_codes_of_it_are_not(tmp_path: Path) -> None:
    kinds, _ = told_of(tmp_path, "Nach einer Weile: return code 2 aus MapredLocalTask\n")

    assert kinds == ["not-memory"]
