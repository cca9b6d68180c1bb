"""A page on which several people speak: nobody's death gets the values or traces of another."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

from mprof.errors import EvidenceError

_JOB = "1700000000000_0042"
_ASKED = (
    "My job fails. mapreduce.reduce.memory.mb is 2048.\n\n"
    f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : attempt_{_JOB}_r_000003_0, Status : FAILED\n"
    f"Container [pid=9,containerID=container_{_JOB}_01_000045] is running beyond physical memory "
    "limits. Current usage: 2.1 GB of 2 GB physical memory used; 3.6 GB of 4.2 GB virtual memory "
    "used. Killing container.\n"
)
_OF_OTHERS = (
    "I had that, too, with mapreduce.reduce.java.opts=-Xmx3g:\n\n"
    "Error: java.lang.OutOfMemoryError: Java heap space\n"
    "\tat com.other.OtherMapper.map(OtherMapper.java:12)\n"
    "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:146)\n"
)
BETWEEN = {
    "StackExchange": "Improve this question\nasked Mar 2, 2016 at 12:00\nA\n\n2 Answers\n5\n",
    "StackExchange, older": "share|improve this question\nasked Mar 2 '16 at 12:00\nA\n",
    "a heading": "## Answer\n\n",
    "a heading with a name": "Reply from somebody:\n\n",
    "a thread of mails": "On Wed, Mar 2, 2016 at 12:00 PM, A Person <a@example.com> wrote:\n\n",
    "an issue of GitHub": "somebody commented on Mar 3, 2016\n\n",
    "an issue of JIRA": "A Person added a comment - 03/Mar/16 09:00\n\n",
    "a forwarded mail": "-----Original Message-----\nFrom: A Person <a@example.com>\n",
    "a thread in an archive": "------ 2/7 ------\nFrom: A Person        Date: Tue, 9 Oct 2018\n",
    "a forum": "All Replies\n\n",
    "a thread as a list": "somebody · comment · 2016-03-03\n",
}


@pytest.mark.parametrize("page", BETWEEN)
def test_the_death_of_an_answer_is_not_the_death_that_was_asked_about(
    page: str, tmp_path: Path
) -> None:
    kinds, report = told_of(tmp_path, f"{_ASKED}\n{BETWEEN[page]}{_OF_OTHERS}")

    assert kinds == ["container-physical"]
    assert "OtherMapper" not in report
    assert "-Xmx3" not in report
    assert "mapreduce.reduce.memory.mb=2048 (line 1)" in report
    assert (
        "somebody else speaks, and what is said of an end there is not taken for the same one"
        in report
    )


def test_an_answer_above_the_mail_that_it_quotes_states_nothing_of_the_death(
    tmp_path: Path,
) -> None:
    text = (
        "mapreduce.reduce.java.opts=-Xmx1900m is what we have.\n\n"
        f"On Wed, Mar 2, 2016 at 12:00 PM, A Person <a@example.com> wrote:\n\n{_ASKED}"
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["container-physical"]
    assert "-Xmx1900m" not in report


def test_words_that_hive_prints_itself_are_nobody_elses(tmp_path: Path) -> None:
    text = (
        f"Ended Job = job_{_JOB} with errors\nTask ID:\n  task_{_JOB}_m_000004\n\nPossible error:\n"
        "  Out of memory due to hash maps used in map-side aggregation.\n\nSolution:\n  Currently "
        "hive.map.aggr.hash.percentmemory is set to 0.3. Try setting it to a lower value.\n"
        "Diagnostic Messages for this Task:\n\n"
        "FAILED: Execution Error, return code 2 from org.apache.hadoop.hive.ql.exec.mr.MapRedTask\n"
    )

    _, report = told_of(tmp_path, text)

    assert "hive.map.aggr.hash.percentmemory=0.15" in report
    assert "somebody else" not in report


def test_a_process_tree_in_one_line_of_a_comment_is_read(tmp_path: Path) -> None:
    container = f"container_{_JOB}_01_000035"
    text = (
        "somebody · comment · 2016-12-20\nI tried `-D mapred.child.java.opts=-Xmx512m`, same.\n\n"
        "other · comment · 2016-12-20\ncan you please paste the full exception?\n\n"
        f"somebody · comment · 2016-12-20\nContainer [pid=19884,containerID={container}] "
        f"is running "
        "beyond physical memory limits. Current usage: 4.0 GB of 4 GB physical memory used; 6.4 GB "
        f"of 20 GB virtual memory used. Killing container. Dump of the process-tree for "
        f"{container} "
        ": |- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
        "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE |- 19892 19884 19884 19884 "
        "(java) 1551 "
        "216 6754443264 1048576 /usr/bin/java -Xmx3277m org.apache.hadoop.mapred.YarnChild "
        f"10.0.0.1 4 attempt_{_JOB}_m_000031_0 35\n"
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["container-physical"]
    assert f"Attempt attempt_{_JOB}_m_000031_0" in report
    assert "4.0 GB java (the container's JVM)" in report
    assert "-Xmx512m" not in report


def test_settings_in_an_object_of_json_are_read(tmp_path: Path) -> None:
    text = (
        '"jobProperties": {\n\t"mapreduce.reduce.memory.mb": "2048",\n'
        '\t"mapreduce.reduce.java.opts": "-server -Xmx2G"\n}\n\n' + _ASKED
    )

    _, report = told_of(tmp_path, text)

    assert "-Xmx2048m alone is 100 % of it" in report


@pytest.mark.parametrize("page", BETWEEN)
def test_an_end_that_is_none_of_memory_is_the_one_that_was_asked_about(
    page: str, tmp_path: Path
) -> None:
    asked = (
        "The maps end so:\n\nError: java.lang.IllegalStateException: no header\n"
        "\tat com.asker.First.map(First.java:7)\n"
        "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:145)\n"
    )

    kinds, report = told_of(tmp_path, f"{asked}\n{BETWEEN[page]}{_OF_OTHERS}")

    assert kinds == ["not-memory"]
    assert "OtherMapper" not in report
    assert "no header" in report


def test_whoever_answers_has_not_asked_even_where_the_question_tells_of_no_end(
    tmp_path: Path,
) -> None:
    asked = "My job is slow, and in the end it is gone. What can I do?\n"

    with pytest.raises(EvidenceError, match="no end of a task or a process was recognised"):
        told_of(tmp_path, f"{asked}\n2 Answers\n\n{_OF_OTHERS}")


def test_an_error_without_frames_of_a_task_is_the_end_of_none(tmp_path: Path) -> None:
    said = (
        "Error: java.lang.IllegalStateException: no header\n"
        "\tat com.asker.First.main(First.java:7)\n"
    )

    kinds, report = told_of(tmp_path, said)

    assert kinds == []
    assert "Whether anything ended because of it cannot be told" in report


def test_the_error_that_a_tracker_of_hadoop_1_makes_of_an_exit_is_an_end(tmp_path: Path) -> None:
    said = (
        "Every task fails:\n\njava.lang.Throwable: Child Error\n"
        "\tat org.apache.hadoop.mapred.TaskRunner.run(TaskRunner.java:271)\n"
        "Caused by: java.io.IOException: Task process exit with nonzero status of 65.\n"
        "\tat org.apache.hadoop.mapred.TaskRunner.run(TaskRunner.java:258)\n"
    )

    kinds, report = told_of(tmp_path, said)

    assert kinds == ["not-memory"]
    assert "65 is what a task of MapReduce leaves" in report


_FORUM = (
    "Forum > Hive > Thread 77: heap space in Map 1 (4 replies)\n\n"
    "#1 ida_l, 2 Aug 2016 13:05\nHive 1.2.1 on Tez.\n"
    "Vertex failed, vertexName=Map 1, vertexId=vertex_1469000000000_0311_1_02, diagnostics=[Task "
    "failed, taskId=task_1469000000000_0311_1_02_000038, diagnostics=[TaskAttempt 0 failed, "
    "info=[Error: Failure while running task:java.lang.OutOfMemoryError: Java heap space\n"
    "    at org.apache.hadoop.hive.ql.exec.MapJoinOperator.loadHashTable(MapJoinOperator.java:9)\n"
    "hive.tez.container.size=1024\nhive.tez.java.opts=-Xmx820m\n\n"
    "#2 ole, 2 Aug 2016 13:31\nhere it is hive.tez.java.opts=-Xmx9000m\n\n"
)


def test_posts_with_a_number_and_a_name_are_voices(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        f"{_FORUM}#3 ida_l, 3 Aug 2016 08:20\nThird try: hive.tez.container.size=4096 and "
        "hive.tez.java.opts=-Xmx3276m. Done in 7 min.\n",
    )

    assert "hive.tez.java.opts=-Xmx3276m" in report.partition("WHAT THE MESSAGE SAYS")[0]
    assert "it went through" in report
    assert "-Xmx9000m" not in report


def test_what_another_one_tells_of_a_try_helps_nobody_else(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        f"{_FORUM}#3 ole, 3 Aug 2016 08:20\nThird try: hive.tez.container.size=4096 and "
        "hive.tez.java.opts=-Xmx3276m. Done in 7 min.\n",
    )

    assert "(hive.tez.java.opts=-Xmx820m)" in report
    assert "it went through" not in report


@pytest.mark.parametrize(
    ("head", "is_heard"),
    [
        ("**Update:**", True),
        ("Update 2:", True),
        ("A colleague:", False),
        ("EDIT: mine has", False),
        ("Update: mine has", False),
        ("Update your submit to", False),
    ],
)
def test_who_asks_adds_to_the_question_below_the_comments(
    head: str, tmp_path: Path, *, is_heard: bool
) -> None:
    text = (
        "20/01/21 14:07:45 ERROR YarnClusterScheduler: Lost executor 7 on w1: Container killed by "
        "YARN for exceeding memory limits.  9.1 GB of 9 GB physical memory used.\n\n"
        "**Comments**\n\n*mk*: python is not in the heap.\n\n"
        f"{head} `--conf spark.executor.memoryOverhead=4g`, finished in 52 min, nothing lost.\n"
    )

    _, report = told_of(tmp_path, text)

    assert ("spark.executor.memoryOverhead=4g it went through" in report) is is_heard
