"""Trials that a text tells of: a value belongs to its process, its run and what became of that.

Each text is of its own making; ids and numbers are made up.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

from mprof.intake.commands import typed_again
from mprof.intake.settings import stated_in

_FULL = (
    'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n'
    "\tat java.util.Arrays.copyOf(Arrays.java:3332)\n"
    "\tat org.apache.hadoop.fs.FsShell.main(FsShell.java:340)\n"
)
_TYPED = f"u@edge:~$ hadoop fs -du /in > sizes\n{_FULL}"
_PS = (
    "u 77 ... /usr/bin/java -Dproc_fs -Xmx3000m -Da=b -Xmx256m -Dc=d "
    "org.apache.hadoop.fs.FsShell -du /in\n"
)


def _in_force(text: str) -> dict[str, str]:
    stated = stated_in(enumerate(text.split("\n"), 1))
    return {one.name: one.value for one in stated if not one.why_not}


def test_what_a_command_went_through_with_is_the_answer(tmp_path: Path) -> None:
    again = f"u@edge:~$ HADOOP_CLIENT_OPTS=-Xmx700m hadoop fs -du /in > sizes\n{_FULL}"
    last = "u@edge:~$ time HADOOP_CLIENT_OPTS=-Xmx3g hadoop fs -du /in > sizes\nreal 1m3.2s\n"

    _, text = told_of(tmp_path, _TYPED + _PS + again + last)

    assert "With HADOOP_CLIENT_OPTS=-Xmx3g it went through" in text
    assert "export HADOOP_CLIENT_OPTS=-Xmx3g" in text
    assert "the command line of FsShell has -Xmx256m" in text
    assert "heap dump" not in text


def test_the_last_of_numbered_trials_is_what_it_went_through_with(tmp_path: Path) -> None:
    full = (
        "Task Id : attempt_1760000000000_0001_r_000001_0, Status : FAILED\nError: Java heap space\n"
    )
    opts = "mapreduce.reduce.java.opts"
    trials = f"1) {opts}=-Xmx1600m (where we came from): fails\n2) {opts}=-Xmx3200m: {{}}\n"
    _, passed = told_of(tmp_path, full + trials.format("runs through, three times out of three"))
    _, died = told_of(tmp_path, full + trials.format("fails with the same stack, only later"))

    assert f"With {opts}=-Xmx3200m it went through" in passed
    assert "it went through" not in died


def test_a_command_that_only_died_again_went_through_with_nothing(tmp_path: Path) -> None:
    again = f"u@edge:~$ HADOOP_CLIENT_OPTS=-Xmx700m hadoop fs -du /in > sizes\n{_FULL}"

    _, text = told_of(tmp_path, _TYPED + again)

    assert "went through" not in text


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        (["$ hadoop fs -ls /", "OutOfMemoryError", "$ A=1 hadoop fs -ls /", "/a"], {2: "passed"}),
        # another command, nothing shown, the same environment
        (["$ hadoop fs -ls /", "OutOfMemoryError", "$ A=1 hadoop fs -ls /b", "/a"], {}),
        (["$ hadoop fs -ls /", "OutOfMemoryError", "$ A=1 hadoop fs -ls /"], {}),
        (["$ hadoop fs -ls /", "OutOfMemoryError", "$ hadoop fs -ls /", "/a"], {}),
    ],
)
def test_a_command_typed_again_ended_as_it_printed(
    text: list[str], outcomes: dict[int, str]
) -> None:
    assert typed_again(text) == outcomes


@pytest.mark.parametrize(
    "text",
    [
        "Somebody said: give it -Xmx8g for the\nNN in HADOOP_NAMENODE_OPTS",
        "we have -Xmx8g in HADOOP_DATANODE_OPTS",
    ],
)
def test_a_heap_of_a_server_is_none_of_what_died(text: str) -> None:
    assert not [one for one in stated_in(enumerate(text.split("\n"), 1)) if one.name == "-Xmx"]


def test_a_heap_of_the_tasks_is_read_beside_the_name_of_a_server() -> None:
    assert _in_force("We have -Xmx800m for the maps. The NameNode is fine.") == {
        "mapreduce.map.java.opts": "-Xmx800m"
    }


def test_the_command_line_of_a_child_goes_before_its_settings() -> None:
    text = (
        "mapred.child.java.opts=-Xmx900m\n"
        "h 9 98.0 java -Da=b -Xmx200m -classpath x org.apache.hadoop.mapred.Child 127.0.0.1 4 "
        "attempt_201001010101_0001_m_000003_1 -12\n"
    )

    assert _in_force(text) == {"mapred.child.java.opts": "-Xmx200m"}


def test_files_that_a_command_counts_are_no_input_of_a_job() -> None:
    text = "$ hdfs dfs -count /data\n  1   91830  7342218 hdfs://n/data"

    assert [one.name for one in stated_in(enumerate(text.split("\n"), 1))] == ["files of a folder"]


_PERCENT = "mapreduce.reduce.shuffle.input.buffer.percent"
_CHANGED = f"||setting||old||new||\n|{_PERCENT}|0.60|0.85|\n|mapreduce.task.io.sort.factor|10|50|\n"


@pytest.mark.parametrize(
    "head", ["||setting||old||new||", "| setting | before (May) | since then |"]
)
def test_the_last_column_of_a_change_is_in_force(head: str) -> None:
    text = f"What we did on Monday:\n{head}\n|---|---|---|\n| {_PERCENT} | 0.60 (default) | 0.85 |"

    stated = stated_in(enumerate(text.split("\n"), 1))

    assert [(one.value, one.was, one.why_not) for one in stated] == [("0.85", "0.60", "")]


@pytest.mark.parametrize(
    "text",
    [
        f"Solved, we have now:\n{_CHANGED}",
        f"{_CHANGED}|result|heap space|works|\n",
        # of which column it is, the head does not say
        _CHANGED.replace("old||new", "Monday||Tuesday"),
    ],
)
def test_a_change_that_went_well_is_not_what_it_died_with(text: str) -> None:
    assert _in_force(text).get(_PERCENT) != "0.85"


def test_a_change_before_the_death_is_taken_back(tmp_path: Path) -> None:
    stack = (
        "Task Id : attempt_1750000000000_0004_r_000002_0, Status : FAILED\n"
        "Error: org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle in "
        "fetcher#1\nCaused by: java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.io.BoundedByteArrayOutputStream.<init>(B.java:56)\n"
        "\tat org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>(I.java:63)\n"
        "\tat org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl.reserve(M.java:295)\n"
        "\tat org.apache.hadoop.mapreduce.task.reduce.Fetcher.copyMapOutput(Fetcher.java:514)\n"
    )

    _, text = told_of(tmp_path, f"{stack}\nThe change of Monday:\n{_CHANGED}")

    assert f"-D {_PERCENT}=0.60 (was 0.85)" in text
    assert "not read from the text" not in text


_AM, _AM_OPTS = "yarn.app.mapreduce.am.resource.mb", "yarn.app.mapreduce.am.command-opts"


def test_what_went_through_together_is_set_together(tmp_path: Path) -> None:
    died = (
        "24/03/01 10:00:01 INFO mapreduce.Job: Job job_1750000000000_0005 failed with state FAILED "
        "due to: Application application_1750000000000_0005 failed 2 times due to AM Container for "
        "appattempt_1750000000000_0005_000002 exited with  exitCode: 255\n"
    )
    trials = (
        f"\nThen\n| 09:10 | {_AM}=3072 | AM dead, same |\n"
        f"| 11:45 | {_AM}=3072 + {_AM_OPTS}=-Xmx2400m | finished 12:01 |\n"
    )

    _, text = told_of(tmp_path, died + trials)

    assert f"With {_AM_OPTS}=-Xmx2400m and {_AM}=3072 it went through" in text
    assert "no remedy" not in text


def test_what_died_alone_and_never_went_through_is_not_advised(tmp_path: Path) -> None:
    died = (
        "24/03/01 10:00:01 INFO mapreduce.Job: Job job_1750000000000_0005 failed with state FAILED "
        "due to: Application application_1750000000000_0005 failed 2 times due to AM Container for "
        "appattempt_1750000000000_0005_000002 exited with  exitCode: 255\n"
    )
    trials = (
        f"\nThen\n| 09:10 | {_AM}=3072 | AM dead, same |\n"
        f"| 11:45 | {_AM_OPTS}=-Xmx2400m | AM dead, same |\n"
    )

    _, text = told_of(tmp_path, died + trials)

    assert "went through" not in text


_STREAMING = "1760000000000_{}"
_LISTED = (
    "Container [pid=11,containerID=container_{job}_01_000002] is running beyond physical memory "
    "limits. Current usage: {used} of {limit} physical memory used; 3.2 GB of 9 GB virtual memory "
    "used. Killing container.\n"
)
_TREE = (
    "Dump of the process-tree for container_{job}_01_000002 :\n"
    "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
    "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
    "\t|- 11 10 11 11 (java) 9 1 2052587520 80000 /usr/bin/java -Xmx920m "
    "org.apache.hadoop.mapred.YarnChild 10.0.0.1 4 attempt_{job}_m_000002_0 2\n"
    "\t|- 12 11 11 11 (python) 19 2 1243013120 215000 python ./map.py\n\n"
)


def _killed(job: str, *, listed: bool) -> str:
    whole = _STREAMING.format(job)
    head = f"Task Id : attempt_{whole}_m_000002_0, Status : FAILED\n"
    killed = _LISTED.format(job=whole, used="1.1 GB", limit="1.1 GB")
    return head + killed + (_TREE.format(job=whole) if listed else "")


def test_a_rounded_limit_is_what_its_heap_is_the_usual_share_of(tmp_path: Path) -> None:
    _, text = told_of(tmp_path, _killed("0001", listed=True))

    assert "(was 1150)" in text  # 920 / 0.8, which 1.1 GB are as well
    assert "1126" not in text


def test_a_rounded_limit_without_its_heap_is_said_as_rounded(tmp_path: Path) -> None:
    _, text = told_of(tmp_path, _killed("0001", listed=False))

    assert "(was about 1126)" in text


def test_what_a_program_was_measured_to_take_is_held_by_what_is_advised(tmp_path: Path) -> None:
    measured = "\nthe largest file by hand:\nmaxrss kb 2097152\n"

    _, text = told_of(tmp_path, _killed("0001", listed=True) + measured)

    advised = int(text.split("-D mapreduce.map.memory.mb=")[1].split()[0])
    assert advised >= 2048 + 80_000 * 4 // 1024
    assert "By itself the program took 2.0 GB" in text


def test_a_value_above_a_log_is_of_the_run_of_that_log(tmp_path: Path) -> None:
    text = (
        f"{_killed('0001', listed=True)}"
        "Somebody told me to raise it, so -D mapreduce.map.java.opts=-Xmx2000m:\n\n"
        f"{_killed('0002', listed=False)}"
    )

    _, told = told_of(tmp_path, text)

    assert "-Xmx2000m alone is" in told
    assert "was not in force there" not in told
    assert "cannot be said without its -Xmx" not in told


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("He told me to raise it, so -D mapreduce.map.memory.mb=3000:", True),
        ("He told me to raise it, so -D mapreduce.map.memory.mb=3000 would do:", False),
        ("He told me to set -D mapreduce.map.memory.mb=3000.", False),
    ],
)
def test_what_was_done_upon_advice_is_in_force_above_its_log(text: str, *, is_read: bool) -> None:
    assert bool(_in_force(text)) == is_read


def test_three_of_many_tasks_that_die_are_a_death() -> None:
    text = "now with mapreduce.map.memory.mb=3000: got farther, 3 of 200 tasks die, then it ends"

    assert [one.outcome for one in stated_in([(1, text)])] == ["died"]
    assert [one.outcome for one in stated_in([(1, text.replace("die", "run"))])] == [""]


@pytest.mark.parametrize(
    ("said", "passed"),
    [
        ("oh yes, 1843/2304 works", {"-Xmx": "-Xmx1843m", "container.mb": "2304"}),
        ("with the same 1843/2304 -> went through", {"-Xmx": "-Xmx1843m", "container.mb": "2304"}),
        ("would 1843/2304 works?", {}),
        ("1843/2304 works only for small files", {}),
        ("1843/2304 of the maps are done", {}),
        ("1500/2304 works", {}),  # which the text has for nothing
    ],
)
def test_a_pair_of_numbers_that_went_through_is_what_the_text_has(
    said: str, passed: dict[str, str]
) -> None:
    text = f"An answer: give the JVM -Xmx1843m and a larger room.\n{said}"

    stated = stated_in(enumerate(text.split("\n"), 1))

    assert {one.name: one.value for one in stated if one.outcome == "passed"} == passed


def test_what_executors_went_through_with_is_the_answer(tmp_path: Path) -> None:
    lost = (
        "19/07/16 07:41:55 ERROR YarnClusterScheduler: Lost executor {} on n1: Container killed by "
        "YARN for exceeding memory limits.  8.9 GB of 8.8 GB physical memory used. Consider "
        "boosting spark.yarn.executor.memoryOverhead.\n"
    )
    trials = (
        "\nnow with --executor-memory 8g --conf spark.executor.memoryOverhead=3000: "
        "2 of 90 tasks die\n\n"
        "and --executor-cores 1 with the same 8g/3000 -> went through\n"
    )
    command = "spark-submit --executor-cores 4 --executor-memory 8g job.py\n"

    _, text = told_of(tmp_path, command + lost.format(7) + lost.format(9) + trials)

    both = "spark.executor.cores=1 and spark.executor.memoryOverhead=3000"
    assert f"With {both} it went through" in text
    assert "It took 8.8 GB of 8.8 GB" not in text


_VIRTUAL = (
    "Application application_1770000000000_0004 failed 2 times due to AM Container for "
    "appattempt_1770000000000_0004_000002 exited with  exitCode: -103\nDiagnostics: Container "
    "[pid=14,containerID=container_1770000000000_0004_02_000001] is running beyond virtual memory "
    "limits. Current usage: 220 MB of 1 GB physical memory used; 2.4 GB of {} virtual memory "
    "used. Killing container.\n"
)
_RATIO = (
    "\nI found someone with the same and put this in yarn-site.xml\n\n<property>\n"
    "<name>yarn.nodemanager.vmem-pmem-ratio</name>\n<value>{}</value>\n</property>\n"
)


@pytest.mark.parametrize(
    ("limit", "ratio", "is_other"), [("2.1 GB", "3", True), ("2.2 GB", "2.2", False)]
)
def test_a_ratio_that_was_not_taken_wants_a_restart(
    limit: str, ratio: str, tmp_path: Path, *, is_other: bool
) -> None:
    _, text = told_of(tmp_path, _VIRTUAL.format(limit) + _RATIO.format(ratio))

    assert ("has to be started again after the change" in text) == is_other


@pytest.mark.parametrize(
    ("setting", "is_its"),
    [("export HADOOP_HEAPSIZE=3000", False), ("set hive.mapred.local.mem=3000;", True)],
)
def test_hive_takes_the_heap_of_commands_from_its_local_task(
    setting: str, tmp_path: Path, *, is_its: bool
) -> None:
    text = (
        f"{setting}\n2024-03-01 10:00:01\tStarting to launch local task to process map join;\t"
        "maximum memory = 900000000\nExecution failed with exit status: 3\nFAILED: Execution "
        "Error, return code 3 from org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask\n"
    )

    _, told = told_of(tmp_path, text)

    assert ("(hive.mapred.local.mem=3000 in the text)" in told) == is_its
    assert "HADOOP_HEAPSIZE=3000 in the text" not in told


@pytest.mark.parametrize(
    ("said", "passed"),
    [
        ("it worked with a smaller file", False),
        ("the job succeeds on a sample", False),
        ("it works when I take half of the input", False),
        ("it works on my laptop", False),
        ("it works for one day of data", False),
        ("it worked with all the files", True),
        ("the job succeeds", True),
    ],
)
def test_what_went_through_with_less_data_shows_nothing_of_the_value(
    said: str, *, passed: bool
) -> None:
    name = "mapreduce.map.memory.mb"
    stated = stated_in([(1, f"Then I ran it with {name}=4096, and {said}.")])

    assert [one.outcome == "passed" for one in stated] == [passed]


@pytest.mark.parametrize(
    ("said", "is_in_force"),
    [
        ("Afterwards I set:", False),
        ("After that I set:", False),
        ("Later on we set:", False),
        ("We already went through:", False),
        ("On the cluster of a customer:", False),
        ("I set:", True),
        ("After the upgrade I have set, and it is in force:", True),
    ],
)
def test_what_was_set_afterwards_or_elsewhere_was_not_in_force(
    said: str, *, is_in_force: bool
) -> None:
    name = "mapreduce.map.memory.mb"

    assert (name in _in_force(f"It died.\n\n{said}\n{name}=4096\n")) == is_in_force


def test_what_is_not_set_here_was_not_in_force() -> None:
    name = "mapreduce.map.memory.mb"

    assert not _in_force(f"In production {name} is 4096, here it is not set.")
    assert _in_force(f"In production {name} is 4096, here it died.") == {name: "4096"}


_SITE_AND_SESSION = (
    "| property | {} | {} |\n|---|---|---|\n"
    "| hive.tez.container.size | 4096 | **8192** |\n"
    "| hive.tez.java.opts | -Xmx3276m | *not set* |\n"
    "| tez.runtime.io.sort.mb | 1638 | **3200** (from a blog) |\n"
)


def test_what_a_session_sets_goes_before_what_files_have() -> None:
    told = _in_force(_SITE_AND_SESSION.format("hive-site / tez-site", "my session (`SET ...`)"))

    assert told == {
        "hive.tez.container.size": "8192",
        "hive.tez.java.opts": "-Xmx3276m",
        "tez.runtime.io.sort.mb": "3200",
    }


@pytest.mark.parametrize(
    ("first", "second"), [("cluster", "recommended for the job"), ("node 1", "node 2")]
)
def test_other_columns_are_no_session(first: str, second: str) -> None:
    told = _in_force(_SITE_AND_SESSION.format(first, second))

    assert told.get("hive.tez.container.size") != "8192"
