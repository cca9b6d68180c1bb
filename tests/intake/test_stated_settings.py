"""Values of settings that people write down beside a death, in the forms in which they do.

Each text is followed by a kill or an error; ids and numbers are made up.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from builders.container_logs import found, told_of

from mprof.intake.settings import stated_in
from mprof.report import render_findings

_JOB: str = "1700000000000_0042"
_KILL = (
    f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : attempt_{_JOB}_m_000004_0, Status : FAILED\n"
    f"Container [pid=9,containerID=container_{_JOB}_01_000006] is running beyond physical memory "
    "limits. Current usage: 1.0 GB of 1 GB physical memory used; 2.6 GB of 2.1 GB virtual memory "
    "used. Killing container.\n"
)
_BUFFER_OF_1 = (
    "2014-03-03 10:00:00,123 FATAL org.apache.hadoop.mapred.Child: Error running child : "
    "java.lang.OutOfMemoryError: Java heap space\n"
    "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.<init>(MapTask.java:949)\n"
    "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:372)\n"
    "\tat org.apache.hadoop.mapred.Child$4.run(Child.java:255)\n"
)


def _stated(text: str) -> dict[str, str]:
    found = stated_in(enumerate(text.split("\n"), 1))
    return {one.name: one.value for one in found if not one.why_not}


def _report_of(folder: Path) -> str:
    return " ".join(render_findings(found(folder)).split())


_MAP = "mapreduce.map.memory.mb"
_OPTS = "mapreduce.map.java.opts"
STATED = {
    "a sentence": (
        f"I set {_MAP} to 1024 and {_OPTS} to -Xmx1000m but it still fails",
        {_MAP: "1024", _OPTS: "-Xmx1000m"},
    ),
    "a sentence with units and quotes": (f"We have `{_MAP}` set to `2 GB`.", {_MAP: "2048"}),
    "a sentence that ends behind the value": (f"Here {_OPTS} is -Xmx512m.", {_OPTS: "-Xmx512m"}),
    "elements without their file": (
        "<property>\n  <name>io.sort.mb</name>\n  <value>400</value>\n</property>",
        {"io.sort.mb": "400"},
    ),
    "elements with a comment between": (
        f"<name>{_MAP}</name><!-- more\nthan one line -->\n<value>2048</value>",
        {_MAP: "2048"},
    ),
    "an element that is commented out": (
        f"<!-- <name>{_MAP}</name> <value>9</value> -->\n<name>{_OPTS}</name><value>-Xmx1g</value>",
        {_OPTS: "-Xmx1g"},
    ),
    "a session of Hive": (
        "hive> set hive.tez.container.size=4096;\nhive> set hive.tez.java.opts=-Xmx3276m;",
        {"hive.tez.container.size": "4096", "hive.tez.java.opts": "-Xmx3276m"},
    ),
    "a script of Pig": (f"SET {_OPTS} '-Xmx1g -XX:+UseG1GC';", {_OPTS: "-Xmx1g -XX:+UseG1GC"}),
    "a command": (
        f"$ hadoop jar a.jar -D {_MAP}=2048 -Dmapreduce.job.reduces=4 in out",
        {_MAP: "2048", "mapreduce.job.reduces": "4"},
    ),
    "code": (
        f'conf.set("{_OPTS}", "-Xmx1g");\nconf.setInt("{_MAP}", 2048);',
        {_OPTS: "-Xmx1g", _MAP: "2048"},
    ),
    "a table": (f"| {_MAP} | 2048 |\n| {_OPTS} | -Xmx1g |", {_MAP: "2048", _OPTS: "-Xmx1g"}),
    "a list": (f"- {_MAP}: 2048\n* {_OPTS} -Xmx1g", {_MAP: "2048", _OPTS: "-Xmx1g"}),
    "an environment": (
        'export HADOOP_CLIENT_OPTS="-Xmx4g $HADOOP_CLIENT_OPTS"\nHADOOP_HEAPSIZE=2000',
        {"HADOOP_CLIENT_OPTS": "-Xmx4g", "HADOOP_HEAPSIZE": "2000"},
    ),
    "spark-defaults.conf": (
        "spark.executor.memory 4g\nspark.yarn.executor.memoryOverhead   384",
        {"spark.executor.memory": "4g", "spark.yarn.executor.memoryOverhead": "384"},
    ),
    "spark-submit": (
        "spark-submit --executor-memory 4g --conf spark.executor.memoryOverhead=384 x.jar",
        {"spark.executor.memory": "4g", "spark.executor.memoryOverhead": "384"},
    ),
}


@pytest.mark.parametrize("form", STATED)
def test_a_value_is_read_in_every_form(form: str) -> None:
    text, values = STATED[form]

    assert _stated(text) == values


@pytest.mark.parametrize(
    "text",
    [
        f"I tried to increase {_MAP} to 8192.",
        f"Should I set {_MAP}=8192?",
        f"You should set these:\n\nset {_MAP}=8192;",
        f"I changed mapred-site.xml to:\n<name>{_MAP}</name><value>8192</value>",
        f"Setting {_MAP}=8192 solved it.",
        f"The default of {_MAP} is 1024.",
        f"It does not help that {_MAP} is 8192.",
        f"Even with {_MAP}=8192 it fails.",
        f"# {_MAP}=8192",
        f"\u53c2\u6570 | \u9ed8\u8ba4\u503c\n{_MAP} | 1024",  # a table of defaults, in Chinese
        f"name | default\n{_MAP} | 1024",
        f"{_MAP}=1024 on some nodes\n{_MAP}=2048 on others",
        f"Before, mapred.job.map.memory.mb was 1024.\n{_MAP}=<number>",
        f"2024-03-01 10:00:01,000 INFO Client: {_MAP}=8192",
        f"Give it more room: {_MAP}=8192.",
        f"{_MAP}=lots",
        f"{_OPTS}=1024",
    ],
)
def test_what_was_not_in_force_is_not_read(text: str) -> None:
    assert _stated(text) == {}


def test_a_limit_of_a_user_is_read() -> None:
    assert _stated("max user processes              (-u) 1024") == {"ulimit -u": "1024"}
    assert _stated("max user processes              (-u) unlimited") == {}


def test_what_a_command_says_goes_before_what_a_file_says() -> None:
    of_file = f"<name>{_MAP}</name> <value>1024</value>"
    of_command = f"hadoop jar x.jar Main -D {_MAP}=2048 in out"

    assert _stated(f"{of_file}\n{of_command}") == {_MAP: "2048"}
    assert _stated(f"{of_command}\n{of_command.replace('2048', '4096')}") == {}


@pytest.mark.parametrize("line", ["io.sort.mb = 600", "mapreduce.task.io.sort.mb: 600"])
@pytest.mark.parametrize("logger", ["mapred.MapTask", "org.apache.hadoop.mapred.MapTask"])
def test_a_task_logs_its_own_sort_buffer(line: str, logger: str) -> None:
    name = line.split()[0].strip(":")

    assert _stated(f"15/03/02 10:11:12 INFO {logger}: {line}") == {name: "600"}


@pytest.mark.parametrize(
    ("words", "is_read"),
    [
        (f"set {_OPTS}=-Xmx1000m;", True),
        (f"We decided for this:\n\n    SET {_OPTS}=-Xmx1000m", False),
        (f"Now {_OPTS} is -Xmx1000m", False),
        (f"{_OPTS} is -Xmx1000m", True),
        (f"hive> set {_OPTS};\n{_OPTS}=-Djava.net.preferIPv4Stack=true -Xmx1000m", True),
        (f"My settings:\n\n{_OPTS}=-Xmx1000m", True),
        (f"What I have in the file now:\n\n{_OPTS}=-Xmx1000m", True),
        (f"{_OPTS} is set to -Xmx1000m.", True),
        (f"{_MAP}=1024, {_OPTS}=-Xmx1000m. I went from 512 to 1024 already.", True),
        (f"I increased {_OPTS} from -Xmx200m to -Xmx1000m.", False),
        ("Container 1 GB, -Xmx1000m.", True),
        ("Somebody runs the same with -Xmx1000m.", False),
    ],
)
@pytest.mark.parametrize("is_below", [False, True])
def test_whether_a_value_was_in_force_depends_on_its_words_and_not_on_where_the_end_stands(
    words: str, *, is_read: bool, is_below: bool, tmp_path: Path
) -> None:
    parts = (_KILL, words) if is_below else (words, _KILL)

    _, report = told_of(tmp_path, "\n\n".join(parts))

    assert ("-Xmx1000m alone is" in report) == is_read
    assert ("that are not used, and" in report) != is_read
    assert "-Xmx1000m" in report  # whatever was read is told


_FULL = f"{_KILL.split('Container')[0]}Error: Java heap space\n"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (f"I tried {_OPTS}=-Xmx3g.", f'{_OPTS}=-Xmx3g (line 6: "tried")'),
        ("The mappers had -Xmx3g on one node.\nThe mappers had -Xmx4g on one.", "several values"),
    ],
)
def test_of_a_value_that_is_not_used_nobody_says_that_it_is_not_known(
    words: str, why: str, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, f"{_FULL}\n\n\n{words}\n")

    assert "-Xmx is not known" not in report
    assert "which -Xmx it had is not read from the text" in report
    assert why in report


def test_the_only_side_whose_sizes_are_given_is_that_of_the_task(tmp_path: Path) -> None:
    killed = "Container [" + _KILL.split("Container [")[1]

    _, of_one = told_of(tmp_path, f"{killed}\n{_OPTS}=-Xmx1000m")
    _, of_both = told_of(
        tmp_path, f"{killed}\n{_OPTS}=-Xmx1000m\nmapreduce.reduce.java.opts=-Xmx999m"
    )

    assert "-Xmx1000m alone is" in of_one
    assert "that it was a map task is taken from the text" in of_one
    assert "-Xmx1000m alone" not in of_both
    assert "mprof cannot tell whether a map or a reduce task died" in of_both


def test_the_end_of_a_log_is_of_the_job_that_the_log_names(tmp_path: Path) -> None:
    other = _JOB.replace("0042", "0055")
    console = (
        f"Starting Job = job_{_JOB}, Tracking URL = x\n"
        f"Ended Job = job_{_JOB} with errors\nTask with the most failures(4):\n-----\nTask ID:\n"
        f"  task_{_JOB}_m_000000\n-----\nDiagnostic Messages for this Task:\n"
        "Error: Java heap space\n\nFAILED: Execution Error, return code 2 from "
        "org.apache.hadoop.hive.ql.exec.mr.MapRedTask\n"
    )
    log = (
        "2016-04-22 17:19:22,376 INFO [main] org.apache.hadoop.mapred.YarnChild: Kind: "
        f"mapreduce.job, Service: job_{other}, Ident: x\n"
        "2016-04-22 17:19:24,534 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running "
        "child : java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(MapTask.java:983)\n"
    )
    (tmp_path / "post.txt").write_text("".join((console, "words\n" * 60, log)))

    assert {one.diagnosed.evidence.job.job_id for one in found(tmp_path).told} == {
        f"job_{_JOB}",
        f"job_{other}",
    }


def test_a_container_is_compared_with_the_heap_that_the_text_states(tmp_path: Path) -> None:
    kinds, report = told_of(tmp_path, f"I set {_OPTS} to -Xmx1000m.\n\n{_KILL}")

    assert kinds == ["container-physical"]
    assert "-Xmx1000m alone is 98 % of it" in report
    assert "These values are as the text has them." in report
    assert f"-D {_MAP}=1280" in report
    assert f"{_OPTS}=-Xmx1000m (line 1)" in report
    assert "proven" not in report.replace("not proven", "")


def test_what_would_be_proven_by_a_configuration_is_suggested_by_a_text(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_OPTS}=-Xmx1024m\n\n{_KILL}")

    assert "-Xmx1024m alone is 100 % of it" in report
    title = "The heap leaves its container no room"
    assert f"{title} (explanation suggested by the message, not proven)" in report


def test_first_aid_makes_no_container_smaller_than_it_was(tmp_path: Path) -> None:
    killed = f"{_KILL.split('Container')[0]}Error: Java heap space\n"

    _, report = told_of(tmp_path, f"{_MAP}=5120\n{_OPTS}=-Xmx1024m\n\n{killed}")

    assert f"-D {_OPTS}=-Xmx4096m (was -Xmx1024m)" in report
    assert "80 % of its container of 5.0 GB" in report
    assert f"-D {_MAP}" not in report


def test_first_aid_of_a_heap_that_fills_its_container_takes_both_along(tmp_path: Path) -> None:
    killed = f"{_KILL.split('Container')[0]}Error: Java heap space\n"

    _, report = told_of(tmp_path, f"{_MAP}=1280\n{_OPTS}=-Xmx1024m -Xss2m\n\n{killed}")

    assert f"-D {_OPTS}=-Xmx2048m -Xss2m (was -Xmx1024m -Xss2m)" in report
    assert f"-D {_MAP}=2560 (was 1280)" in report


def test_a_size_that_the_killed_container_did_not_have_was_not_in_force(tmp_path: Path) -> None:
    text = f"{_MAP}=8192\n{_OPTS}=-Xmx6553m\n\n{_KILL}"

    _, report = told_of(tmp_path, text)

    assert "the container that was killed had 1.0 GB: it was not in force there" in report
    assert "-Xmx6553m" not in report


def test_a_value_of_one_side_is_not_taken_for_a_death_of_the_other(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"mapreduce.reduce.java.opts=-Xmx1000m\n\n{_KILL}")

    assert "-Xmx1000m alone" not in report
    assert "mprof found no -Xmx of it" in report


def test_of_hadoop_1_the_old_names_are_advised_and_no_rule_is_sure(tmp_path: Path) -> None:
    text = (
        "<property>\n<name>mapred.child.java.opts</name>\n<value>-Xmx512m</value>\n</property>\n"
        f"<property>\n<name>io.sort.mb</name>\n<value>400</value>\n</property>\n\n{_BUFFER_OF_1}"
    )

    _, report = told_of(tmp_path, text)

    assert "The sort buffer (io.sort.mb=400) does not fit into the heap (-Xmx512m)" in report
    assert "-D io.sort.mb=256 (was 400)" in report
    assert "mapreduce.task.io.sort.mb" not in report
    assert "sure" not in report


def test_a_text_that_only_states_settings_is_of_the_job_beside_it(tmp_path: Path) -> None:
    (tmp_path / "settings.txt").write_text(f"{_MAP}=1024\n{_OPTS}=-Xmx1000m\n", encoding="utf-8")

    (tmp_path / "console.txt").write_text(_KILL, encoding="utf-8")

    report = _report_of(tmp_path)

    assert "-Xmx1000m alone is 98 % of it" in report


_LISTED = (
    "io.sort.mb\t400\n"
    "mapred.job.name\tcount -Xmx512m -XX:+HeapDumpOnOutOfMemoryError 9\n"
    "mapred.child.java.opts\t-Xmx512m -XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=/data/d\n"
    "mapred.reduce.tasks\t9\n"
)
_SYSLOG_OF_1 = _BUFFER_OF_1.replace(
    "2014-03-03 10:00:00,123 FATAL",
    "2014-03-03 10:00:00,001 INFO org.apache.hadoop.mapred.Task: "
    "Task:attempt_201403031000_0007_m_000001_0 is here\n2014-03-03 10:00:00,123 FATAL",
)


def test_an_option_that_names_the_error_ends_no_list_of_settings(tmp_path: Path) -> None:
    (tmp_path / "syslog").write_text(_SYSLOG_OF_1, encoding="utf-8")
    (tmp_path / "jobconf.txt").write_text(_LISTED, encoding="utf-8")

    report = _report_of(tmp_path)

    assert "The sort buffer (io.sort.mb=400) does not fit into the heap (-Xmx512m)" in report
    assert "NOT USED" not in report


def test_the_standard_output_beside_a_syslog_is_of_the_same_task(tmp_path: Path) -> None:
    (tmp_path / "syslog").write_text(_SYSLOG_OF_1, encoding="utf-8")
    (tmp_path / "jobconf.txt").write_text(_LISTED, encoding="utf-8")
    printed = (
        "java.lang.OutOfMemoryError: Java heap space\nDumping heap to /data/d/java_pid9.hprof ...\n"
    )
    (tmp_path / "stdout").write_text(printed, encoding="utf-8")

    told = found(tmp_path).told

    assert [one.diagnosed.evidence.attempt.attempt_id for one in told] == [
        "attempt_201403031000_0007_m_000001_0"
    ]
    assert told[0].diagnosed.evidence.stated.in_force["io.sort.mb"] == "400"


def test_the_standard_output_beside_the_syslogs_of_two_tasks_is_given_to_neither(
    tmp_path: Path,
) -> None:
    (tmp_path / "syslog").write_text(_SYSLOG_OF_1, encoding="utf-8")
    other = _SYSLOG_OF_1.replace("_m_000001_0", "_m_000002_0")
    (tmp_path / "syslog.1").write_text(other, encoding="utf-8")
    (tmp_path / "stdout").write_text(
        "java.lang.OutOfMemoryError: Java heap space\n", encoding="utf-8"
    )

    # the two are alike, and told once
    assert [one.diagnosed.evidence.attempt.attempt_id for one in found(tmp_path).told] == [
        "attempt_201403031000_0007_m_000001_0",
        None,
    ]


def test_settings_of_one_of_two_jobs_are_not_those_of_the_other(tmp_path: Path) -> None:
    other = _KILL.replace("_0042", "_0043")
    (tmp_path / "other.txt").write_text(other, encoding="utf-8")

    (tmp_path / "one.txt").write_text(f"{_OPTS}=-Xmx1000m\n\n{_KILL}", encoding="utf-8")

    told = found(tmp_path).told

    stated = {
        one.diagnosed.evidence.job.job_id: one.diagnosed.evidence.stated.in_force for one in told
    }
    assert stated == {f"job_{_JOB}": {_OPTS: "-Xmx1000m"}, "job_1700000000000_0043": {}}


def test_an_executor_is_advised_twice_what_it_had_beside_its_heap(tmp_path: Path) -> None:
    text = (
        "spark-submit --executor-memory 4g --conf spark.executor.memoryOverhead=384 x.jar\n\n"
        "24/03/01 10:00:01 ERROR YarnScheduler: Lost executor 7 on w3: Container killed by YARN "
        "for exceeding memory limits. 4.5 GB of 4.5 GB physical memory used."
    )

    _, report = told_of(tmp_path, text)

    assert "-Xmx4096m is 89 % of its 4.5 GB" in report
    assert "--conf spark.executor.memoryOverhead=1024 (was 384)" in report


def test_the_task_that_hive_names_has_a_side(tmp_path: Path) -> None:
    text = (
        "hive> set mapreduce.task.io.sort.mb=1500;\nhive> set mapreduce.map.java.opts=-Xmx1638m;\n"
        f"Ended Job = job_{_JOB} with errors\n"
        f"Task with the most failures(4): \n-----\nTask ID:\n  task_{_JOB}_m_000002\n-----\n"
        "Diagnostic Messages for this Task:\nError: java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(MapTask.java:986)\n"
        "\tat org.apache.hadoop.mapred.YarnChild$2.run(YarnChild.java:164)\n\n"
        "FAILED: Execution Error, return code 2 from org.apache.hadoop.hive.ql.exec.mr.MapRedTask\n"
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["heap"]
    assert "(mapreduce.task.io.sort.mb=1500) does not fit into the heap (-Xmx1638m)" in report
    assert f"Task task_{_JOB}_m_000002 of job job_{_JOB} ran out of heap space" in report
    assert "is named as one that failed" not in report
    assert "large_accumulated_results.reduce" not in report  # it was a map task


@pytest.mark.parametrize(
    "text",
    [
        "\n".join([f"{_MAP}=1024"] * 4000),
        "\n".join([f"<name>{_MAP}</name> <!-- -- "] * 4000),
        f"{_MAP} " + "is set " * 500,
        "mapred.child.java.opts=" + "-Xmx1m " * 500,
        "mapreduce." + "a." * 2000,
    ],
)
def test_the_work_grows_no_faster_than_the_text(text: str) -> None:
    def work(times: int) -> float:
        begin = time.process_time()
        stated_in(enumerate((text + "\n").split("\n") * times))
        return time.process_time() - begin

    assert work(4) < 12 * work(1) + 0.2


def test_what_a_collection_left_of_an_empty_heap_is_not_its_size(tmp_path: Path) -> None:
    collections = (
        "1.030: [Full GC [PSYoungGen: 1136K->0K(138944K)] [PSOldGen: 0K->1101K(68480K)] "
        "1136K->1101K(207424K) [PSPermGen: 12076K->12076K(24448K)], 0.0279540 secs]\n"
    )
    folder = tmp_path / "attempt_201404152256_0090_m_000000_0"
    folder.mkdir()
    (folder / "stdout").write_text(collections)
    asked = "2014-03-03 09:59:59,123 INFO org.apache.hadoop.mapred.MapTask: io.sort.mb = 600\n"
    (folder / "syslog").write_text(f"{asked}{_BUFFER_OF_1}")

    report = _report_of(tmp_path)

    assert "sort buffer" in report
    assert "1.1 MB" not in report
    assert "Cause (sure)" not in report


_CONSOLE = (
    "24/03/01 10:00:00 INFO mapreduce.Job: Running job: job_1700000000000_0042\n"
    "24/03/01 10:05:00 INFO mapreduce.Job: Task Id : attempt_1700000000000_0042_m_000001_0, "
    "Status : FAILED\nError: Java heap space\n"
)
_SUCCEEDED = (
    "24/03/01 09:00:00 INFO mapreduce.Job: Running job: job_1700000000000_0041\n"
    "24/03/01 09:05:00 INFO mapreduce.Job: Job job_1700000000000_0041 completed successfully\n"
)
_MAKES_INPUT = "$ time hadoop jar examples.jar teragen -D mapreduce.task.io.sort.mb=77 9 /in\n"
_FAILS = "[ann@edge2 ~]$ yarn jar app.jar Main -D mapreduce.task.io.sort.mb=201 /in /out\n"
_SUBMITS = "/opt/spark/bin/spark-submit --class a.B \\\n  --executor-memory 9G \\\n  app.jar\n"


@pytest.mark.parametrize(
    ("text", "told", "untold"),
    [
        (f"{_MAKES_INPUT}\nThen:\n{_FAILS}{_CONSOLE}", ("sort.mb=201",), ("sort.mb=77",)),
        (f"{_MAKES_INPUT}{_SUCCEEDED}{_FAILS}{_CONSOLE}", ("sort.mb=201",), ("sort.mb=77",)),
        # below the console of the job that failed
        (f"{_FAILS}{_CONSOLE}\n{_MAKES_INPUT}", ("sort.mb=201",), ("sort.mb=77",)),
        (f"{_SUBMITS}\n{_FAILS}{_CONSOLE}", ("sort.mb=201",), ("spark.executor.memory",)),
        # one command alone may be that of the job, wherever it stands
        (f"{_MAKES_INPUT}\nMy job failed:\n{_CONSOLE}", ("sort.mb=77",), ()),
        # a file is of every job
        (
            (
                "<name>mapreduce.map.memory.mb</name><value>1111</value>\n"
                f"{_MAKES_INPUT}{_SUCCEEDED}{_FAILS}{_CONSOLE}"
            ),
            ("sort.mb=201", "mapreduce.map.memory.mb=1111"),
            ("sort.mb=77",),
        ),
    ],
)
def test_what_a_command_sets_is_in_force_in_the_job_that_it_starts(
    text: str, told: tuple[str, ...], untold: tuple[str, ...], tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, text)

    assert "attempt_1700000000000_0042_m_000001_0" in report
    assert [one for one in told if one not in report] == []
    assert [one for one in untold if one in report] == []


def values(text: str) -> dict[str, list[tuple[str, bool]]]:
    """By name the values that a text states, each with whether it is used."""
    found: dict[str, list[tuple[str, bool]]] = {}
    for one in stated_in([*enumerate(text.splitlines(), start=1)]):
        found.setdefault(one.name, []).append((one.value, not one.why_not))
    return found


def test_of_a_table_the_column_of_defaults_is_nobodys_setting() -> None:
    text = (
        "| property | default | mine |\n|---|---|---|\n"
        "| mapreduce.reduce.memory.mb | 1024 | 2048 |\n"
        "| mapreduce.reduce.java.opts | | -Xmx1638m |\n"
        "| mapreduce.reduce.shuffle.input.buffer.percent | 0.70 | 0.90 |\n"
    )
    assert values(text) == {
        "mapreduce.reduce.memory.mb": [("2048", True)],
        "mapreduce.reduce.java.opts": [("-Xmx1638m", True)],
        "mapreduce.reduce.shuffle.input.buffer.percent": [("0.90", True)],
    }
    of_two = "| property | value |\n|---|---|\n| mapreduce.map.memory.mb | 3072 |\n"
    assert values(of_two) == {"mapreduce.map.memory.mb": [("3072", True)]}


@pytest.mark.parametrize("arrow", ["->", "=>", "\u2192"])
def test_of_a_value_that_was_changed_again_and_again_nobody_knows_which_it_was(arrow: str) -> None:
    text = f"  mapreduce.map.memory.mb   1024 {arrow} 2048 {arrow} 8192\n"
    assert values(text) == {
        "mapreduce.map.memory.mb": [("1024", False), ("2048", False), ("8192", False)]
    }


@pytest.mark.parametrize(
    "warning",
    [
        "WARN mapreduce.JobResourceUploader: Hadoop command-line option parsing not performed.",
        "WARN mapred.JobClient: Use GenericOptionsParser for parsing the arguments.",
    ],
)
def test_options_that_the_driver_did_not_read_are_not_in_force(warning: str) -> None:
    command = "hadoop jar a.jar com.acme.Main -D mapreduce.reduce.memory.mb=8192 in out\n"
    assert values(command) == {"mapreduce.reduce.memory.mb": [("8192", True)]}
    assert values(f"{command}17/05/09 08:12:41 {warning}\n") == {
        "mapreduce.reduce.memory.mb": [("8192", False)]
    }
    of_pig = "pig -Dmapreduce.reduce.memory.mb=8192 report.pig\n"
    assert values(f"{of_pig}17/05/09 08:12:41 {warning}\n") == {
        "mapreduce.reduce.memory.mb": [("8192", True)]
    }


def test_an_option_behind_the_arguments_is_not_in_force_for_a_tool_either() -> None:
    command = "hadoop jar a.jar com.acme.Main in out -Dmapreduce.reduce.memory.mb=8192\n"
    warning = "WARN mapred.JobClient: Use GenericOptionsParser for parsing the arguments.\n"
    in_front = command.replace("in out -D", "-D").replace("8192\n", "8192 in out\n")

    def why_not(text: str) -> str:
        return stated_in([*enumerate(text.splitlines(), 1)])[0].why_not

    assert "behind the program's own arguments" in why_not(command)
    assert "ToolRunner does, where they stand before" in why_not(f"{command}{warning}")
    assert why_not(f"{in_front}{warning}").endswith("ToolRunner does")
    assert why_not(in_front) == ""


def test_a_heap_in_bytes_is_one_of_its_process() -> None:
    text = "In job.xml: `-Djava.net.preferIPv4Stack=true -Xmx825955249`.\n"
    assert values(text) == {"-Xmx": [("-Xmx825955249", True)]}


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (
            "We gave each reducer 4 GB, heap -Xmx3g.",
            {"mapreduce.reduce.memory.mb": "4096", "-Xmx": "-Xmx3g"},
        ),
        (
            "Maps have -Xmx1g, reducers -Xmx3g.",
            {"mapreduce.map.java.opts": "-Xmx1g", "mapreduce.reduce.java.opts": "-Xmx3g"},
        ),
        ("-Xmx6144m for reduce, nothing else.", {"mapreduce.reduce.java.opts": "-Xmx6144m"}),
        ("-Xmx1638m for maps and reduces.", {"-Xmx": "-Xmx1638m"}),
        ("The reducer died with -Xmx3g.", {"-Xmx": "-Xmx3g"}),
        ("I gave each reducer 4 GB.", {}),  # of heap, or as a container
        ("I would give each reducer 8 GB, with -Xmx6g.", {}),
        (
            "mapreduce.reduce.java.opts=-Xmx3072m\nSo reducers have -Xmx3g.",
            {"mapreduce.reduce.java.opts": "-Xmx3072m"},
        ),
    ],
)
def test_a_size_in_a_sentence_is_of_the_kind_of_task_that_it_names(
    words: str, values: dict[str, str]
) -> None:
    stated = stated_in(enumerate(words.split("\n"), 1))

    assert {one.name: one.value for one in stated} == values
