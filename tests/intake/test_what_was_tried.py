"""What somebody tried in vain is neither the state, nor advised again; and what goes before what.

Each text is of its own making; ids and numbers are made up.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import found, told_of

from mprof.intake.settings import stated_in

_ID = "1720000000000_0009"
_MAP, _OPTS = "mapreduce.map.memory.mb", "mapreduce.map.java.opts"
_FULL = f"Task Id : attempt_{_ID}_m_000001_0, Status : FAILED\nError: Java heap space\n"
_KILLED = (
    f"Container [pid=7,containerID=container_{_ID}_01_000004] is running beyond {{limit}} memory "
    "limits. Current usage: 3.0 GB of 3 GB physical memory used; 6.4 GB of 6.3 GB virtual memory "
    "used. Killing container.\n"
)


def _read(text: str) -> dict[str, str]:
    stated = stated_in(enumerate(text.split("\n"), 1))
    return {one.name: one.value for one in stated if not one.why_not}


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        (f"We added this to the job, mostly from the vendor's guide:\nset {_MAP}=3072;", True),
        (f"The guide says:\nset {_MAP}=3072;", False),
        (f"I added this for another job:\nset {_MAP}=3072;", False),
        (f"Before you ask, my mapred-site has\n{_MAP}=3072", True),
        (f"Before the move our mapred-site had\n{_MAP}=3072", False),
        (f"The cluster default is {_MAP}=3072 here.", True),
        (f"The default of {_MAP} is 3072.", False),
        (f"The job fails ({_MAP} is set to 3072 by default in Cloudera Manager) since then.", True),
        (f"It fails ({_MAP} is 3072 by default in our platform).", True),
        (f"The job fails ({_MAP} is 3072 by default in mapred-default.xml).", False),
        (f"The job fails ({_MAP} is set to 3072 by default in Hadoop 3).", False),
        (f"Tried:\n* a restart: as ever\n* {_MAP}=3072: the same", False),
        (f"In use:\n* a combiner\n* {_MAP}=3072", True),
        (f"Initial heap size set to a larger value than the maximum heap size\n{_MAP}=3072", True),
        (f"yarn jar a.jar b.Main -D {_MAP}=3072 /in /out", True),
        (f"I lowered mapreduce.map.sort.spill.percent to 0.6. {_MAP}=3072", True),
        (f"You may change it, e.g. {_MAP}=3072", False),
        (f"yarn jar a.jar b.Main -files x.txt -D {_MAP}=3072 /in /out", True),
        (f"yarn jar a.jar b.Main /in /out -D {_MAP}=3072", False),
        (
            (
                "Vertex failed, Error: java.lang.IllegalArgumentException: tez.runtime.io.sort.mb "
                f"900 should be less\n{_MAP}=3072"
            ),
            True,
        ),
    ],
)
def test_a_word_nearby_decides_only_where_it_speaks_of_the_value(
    text: str, *, is_read: bool
) -> None:
    assert _read(text) == ({_MAP: "3072"} if is_read else {})


_FILE = f"<name>{_MAP}</name><value>1024</value>"
_COMMAND = f"hive --hiveconf {_MAP}=2048 -f q.sql"
_SESSION = f"SET {_MAP}=4096;"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"{_FILE}\nq.sql begins with\n{_SESSION}", "4096"),
        (f"{_SESSION}\nis in q.sql, which I start with\n{_COMMAND}", "4096"),
        (f"{_FILE}\nI start it with\n{_COMMAND}", "2048"),
        (f"{_SESSION}\nSET {_MAP}=5120;", "5120"),
        (f"One script has\n{_SESSION}\nand a second one\nSET {_MAP}=5120;", None),
        (f"{_MAP}=1024\nand further down\n{_MAP}=2048", None),
    ],
)
def test_a_session_goes_before_its_command_and_that_before_files(
    text: str, value: str | None
) -> None:
    assert _read(text).get(_MAP) == value


def test_the_size_of_a_killed_container_decides_between_values(tmp_path: Path) -> None:
    killed = _KILLED.format(limit="physical")
    text = (
        f"One page shows {_MAP}=2048, a second {_MAP}=3072.\n{_OPTS} is -Xmx2400m here.\n{killed}"
    )

    _, report = told_of(tmp_path, text)
    _, of_neither = told_of(tmp_path, text.replace("3072", "5120"))

    assert f"{_MAP}=3072 (line 1)" in report
    assert f"{_MAP}=2048 (line 1: the text gives several values)" not in of_neither
    assert "-Xmx2400m leaves" in report  # what stands elsewhere is of its own time
    assert "leaves 672 MB" in report
    assert f"{_MAP}=5120 (line" not in of_neither


def test_a_name_of_hadoop_2_says_nothing_of_a_job_of_hadoop_1(tmp_path: Path) -> None:
    of_1 = _FULL.replace(_ID, "202001011200_0009")

    _, report = told_of(tmp_path, f"{_OPTS}=-Xmx900m\n{of_1}")
    _, old = told_of(tmp_path, f"mapred.map.child.java.opts=-Xmx900m\n{of_1}")
    _, of_2 = told_of(tmp_path, f"{_OPTS}=-Xmx900m\n{_FULL}")

    assert "which a cluster of Hadoop 1 does not know" in report
    assert "(-Xmx900m" not in report
    assert "(-Xmx900m" in old
    assert "(-Xmx900m" in of_2


@pytest.mark.parametrize(
    ("tried", "is_advised"), [("-Xmx1600m", True), ("-Xmx2g", False), ("-Xmx3g", False)]
)
def test_what_was_tried_in_vain_is_not_advised(
    tried: str, *, is_advised: bool, tmp_path: Path
) -> None:
    text = f"{_OPTS}=-Xmx1g\n{_FULL}\nI tried mapred.map.child.java.opts={tried} as well.\n"

    _, report = told_of(tmp_path, text)

    assert (f"-D {_OPTS}=-Xmx2048m" in report) == is_advised
    assert ("a larger size alone is no remedy" in report) != is_advised


def test_a_size_that_was_meant_and_not_in_force_is_said(tmp_path: Path) -> None:
    killed = f"{_FULL.split('Error')[0]}{_KILLED.format(limit='physical')}"

    _, report = told_of(tmp_path, f"I doubled {_MAP} to 6144, and it is the same.\n{killed}")
    _, smaller = told_of(tmp_path, f"I doubled {_MAP} to 4096, and it is the same.\n{killed}")

    for one in (report, smaller):
        assert "but the container that was killed had 3.0 GB: it was not in force there" in one
    assert "WHAT TO CHANGE" not in report
    assert "what sets it last" in report
    assert f"-D {_MAP}=6144 (was 3072)" in smaller


@pytest.mark.parametrize("words", ["I tried {}, no change.", "{} is in yarn-site.xml."])
def test_a_check_that_is_off_elsewhere_is_said_to_be_on_where_it_killed(
    words: str, tmp_path: Path
) -> None:
    check = "yarn.nodemanager.vmem-check-enabled"
    killed = _KILLED.format(limit="virtual")

    _, off = told_of(tmp_path, f"{words.format(f'{check}=false')}\n{killed}")
    _, on = told_of(tmp_path, f"{words.format(f'{check}=true')}\n{killed}")

    assert "the NodeManager that killed it had not read that" in off
    assert "had not read that" not in on


@pytest.mark.parametrize("words", ["A colleague says you can set {}.", "Should I try {}?"])
def test_a_check_that_somebody_only_proposes_to_switch_off_is_not_said_to_be_set(
    words: str, tmp_path: Path
) -> None:
    said = words.format("yarn.nodemanager.vmem-check-enabled=false")

    _, report = told_of(tmp_path, f"{_KILLED.format(limit='virtual')}\n\n{said}\n")

    assert "yarn.nodemanager.vmem-check-enabled=false or a ratio above" in report
    assert "had not read that" not in report


def test_the_overhead_of_an_executor_has_the_name_that_its_spark_reads(tmp_path: Path) -> None:
    lost = (
        "18/02/03 10:00:01 ERROR YarnScheduler: Lost executor 4 on w1: Container killed by YARN "
        "for exceeding memory limits. 5.5 GB of 5.5 GB physical memory used. Consider boosting "
        "{}.\n"
    )
    old, new = "spark.yarn.executor.memoryOverhead", "spark.executor.memoryOverhead"
    text = f"spark-submit --executor-memory 5g a.py\n{lost}\nI tried --conf {new}=3000, the same."

    _, of_old = told_of(tmp_path, text.format(old))
    _, of_new = told_of(tmp_path, text.format(new))

    assert f"--conf {old}=3000" in of_old
    assert f"{new}, which the text has as well, is not read before Spark 2.3" in of_old
    assert "(was 3000)" not in of_old
    assert f"--conf {new}=6000" in of_new
    assert "twice the 3000 MB with which it died as well" in of_new


def test_a_fix_of_a_query_that_sets_it_itself_is_a_set(tmp_path: Path) -> None:
    ended = (
        f"Ended Job = job_{_ID} with errors\nTask with the most failures(4):\n-----\nTask ID:\n"
        f"  task_{_ID}_m_000000\n-----\nDiagnostic Messages for this Task:\n"
        "Error: Java heap space\n\nFAILED: Execution Error, return code 2 from "
        "org.apache.hadoop.hive.ql.exec.mr.MapRedTask\n"
    )

    _, report = told_of(tmp_path, f"set {_OPTS}=-Xmx700m;\n{ended}")

    assert f"SET {_OPTS}=-Xmx1400m" in report
    assert "--hiveconf" not in report
    assert "In the script, in place of its own" in report


def test_a_fix_of_a_pig_script_that_sets_it_itself_is_a_set(tmp_path: Path) -> None:
    ended = (
        "ERROR org.apache.pig.tools.grunt.Grunt - ERROR 2997: Unable to recreate exception from "
        f"backed error: AttemptID:attempt_{_ID}_m_000003_3 Info:Error: Java heap space\n"
    )

    _, report = told_of(tmp_path, f"SET {_OPTS} '-Xmx700m';\nSET {_MAP} 3072;\n{ended}")
    _, unset = told_of(tmp_path, f"I think that {_OPTS} was -Xmx700m.\n{ended}")

    assert f"SET {_OPTS} '-Xmx2457m'" in report
    assert f"-D {_OPTS}" not in report
    assert "In the script: SET" in report
    assert "Pig script" in unset


def test_a_heap_in_a_container_that_alone_was_enlarged_is_told_to_grow(tmp_path: Path) -> None:
    text = f"{_MAP}=5120\n{_OPTS}=-Xmx800m\nmapreduce.task.io.sort.mb={{}}\n{_FULL}"

    _, half = told_of(tmp_path, text.format(500))
    _, less = told_of(tmp_path, text.format(100))
    _, tight = told_of(tmp_path, text.format(500).replace("=5120", "=1024"))

    for one in (half, less):
        assert f"-D {_OPTS}=-Xmx4096m (was -Xmx800m)" in one
        assert "The size of the container alone gives the heap nothing more" in one
    assert "has room for a larger heap" in half
    assert "-D mapreduce.task.io.sort.mb=200" in half
    assert _OPTS + "=-Xmx4096m" not in tight
    assert "has room" not in tight


_LOCAL = (
    "2021-01-01 10:00:09\tProcessing rows:\t700000\tHashtable size:\t699999\tMemory usage:\t"
    "910000000\tpercentage:\t0.93\nExecution failed with exit status: 3\n"
    "FAILED: Execution Error, return code 3 from "
    "org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask\n"
)
_LATER = (
    "1) a higher share: hangs, then\n"
    'Exception in thread "main" java.lang.OutOfMemoryError: GC overhead limit exceeded\n'
)


def test_the_end_that_is_asked_about_is_told_and_not_that_of_a_trial(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_LOCAL}\nWhat I have tried so far:\n{_LATER}")
    _, alone = told_of(tmp_path, f"Tried:\n{_LATER}")

    assert "93 % of a heap of about 933 MB" in report
    assert "collecting garbage" not in report
    assert "collecting garbage" in alone


def test_what_a_file_has_as_final_no_command_overrides(tmp_path: Path) -> None:
    text = (
        f"<name>{_OPTS}</name><value>-Xmx600m</value><final>true</final>\n"
        f"yarn jar a.jar b.Main -D {_OPTS}=-Xmx3g /in\n{_FULL}"
    )
    warned = (
        f"WARN conf.Configuration: job.xml:an attempt to override final parameter: {_OPTS};  "
        "Ignoring.\n"
    )

    _, ignored = told_of(tmp_path, f"{text}{warned}")
    _, taken = told_of(tmp_path, text)

    assert "(-Xmx600m" in ignored
    assert f"{_OPTS}=-Xmx3g was not in force: Hadoop logs that a file" in ignored
    assert "was not in force" not in taken
    assert "(-Xmx3072m" in taken


def test_a_size_behind_a_space_is_no_value() -> None:
    assert _read(f"set {_OPTS}=-Xmx 900m;") == {}
    assert _read(f"set {_OPTS}=-Xmx900m;") == {_OPTS: "-Xmx900m"}


@pytest.mark.parametrize(
    ("states", "in_time"),
    [
        ('conf = SparkConf().set("spark.driver.memory", "6g")', False),
        ("spark-submit --conf spark.driver.memory=6g report.py", True),
        ("spark-defaults.conf:\nspark.driver.memory=6g", True),
    ],
)
def test_a_driver_that_runs_has_its_heap(states: str, tmp_path: Path, *, in_time: bool) -> None:
    end = (
        "java.lang.OutOfMemoryError: Java heap space\n"
        "\tat java.util.Arrays.copyOf(Arrays.java:3236)\n"
        "\tat org.apache.spark.sql.Dataset.collectToPython(Dataset.scala:3200)\n"
    )

    _, report = told_of(tmp_path, f"{states}\n\n{end}")

    assert ("(spark.driver.memory=6g)" in report) == in_time
    assert ("spark.driver.memory=6g was not in force: the program sets it" in report) != in_time


def test_a_driver_of_jdbc_is_no_code_of_the_job(tmp_path: Path) -> None:
    head = _FULL.replace("Error: ", "Error: java.lang.OutOfMemoryError: ")
    text = f"{head}\tat oracle.jdbc.driver.T4CMAREngine.read(T.java:5)\n"

    _, alone = told_of(tmp_path, text)
    _, called = told_of(tmp_path, f"{text}\tat com.example.Lookup.setup(Lookup.java:9)\n")

    assert "The code that asked for the last of it" not in alone
    assert "is com.example.Lookup.setup (Lookup.java:9)" in called


_OF_AM = "yarn.app.mapreduce.am.command-opts"


def test_what_is_written_below_the_log_of_a_master_is_its_setting(tmp_path: Path) -> None:
    logged = (
        "2024-06-01 10:00:00,500 FATAL [main] org.apache.hadoop.mapreduce.v2.app.MRAppMaster: "
        "Error starting MRAppMaster\njava.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.mapreduce.v2.app.job.impl.JobImpl.createSplits(JobImpl.java:1)\n"
    )

    _, report = told_of(tmp_path, f"{logged}{_OF_AM}=-Xmx640m\n")

    assert f"-D {_OF_AM}=-Xmx2457m (was -Xmx640m)" in report


def test_a_master_whose_heap_fills_its_container_is_told_so(tmp_path: Path) -> None:
    killed = _KILLED.format(limit="physical").replace("_01_000004", "_01_000001")

    _, report = told_of(tmp_path, f"{killed}{_OF_AM}=-Xmx3g\n")
    _, smaller = told_of(tmp_path, f"{killed}{_OF_AM}=-Xmx2g\n")

    assert "-Xmx3072m alone is 100 % of its container of 3072 MB" in report
    assert "alone is" not in smaller


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ('conf.set("mapreduce.map.memroy.mb", "3072");', _MAP),
        ("-D mapreduce.map.java.opt=-Xmx2g", _OPTS),
        ("spark.executor.memoryOverHead=2048", "spark.executor.memoryOverhead"),
        (f"-D {_MAP}=3072", None),
        ("-D mapreduce.job.maps=30", None),
        ("-D mapreduce.map.memory=3072", None),  # short for another, or of another version
    ],
)
def test_a_name_that_is_misspelt_is_told_to_have_no_effect(
    line: str, near: str | None, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, f"{line}\n{_FULL}")

    assert ("was not in force: no property has that name" in report) == (near is not None)
    assert near is None or f"the nearest is {near}." in report


@pytest.mark.parametrize(
    ("said", "heap"),
    [
        ("Our mappers have 700 MB of heap.", "-Xmx700m"),
        ("Each task runs with a 2g heap.", "-Xmx2048m"),
        ("We have a RegionServer with 20 GB heap on each node.", None),
        ("We tried it with 3 GB heap.", None),
        ("A good run has 300 MB of heap in use.", None),
    ],
)
def test_a_heap_is_read_in_words(said: str, heap: str | None, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{said}\n{_FULL}")

    summary = report.partition("WHAT THE MESSAGE SAYS")[0]
    assert ("The heap was full (-Xmx" in summary.replace("(-Xmx is not known", "(")) == bool(heap)
    assert heap is None or f"({heap}; mapreduce.map.java.opts sets it)" in summary


_PS = (
    "yarn 71 70 9 10:00 ? 00:01:12 /opt/jdk/bin/java -Dx=y {} -Djava.io.tmpdir=/t/tmp "
    f"org.apache.hadoop.mapred.YarnChild 10.1.1.2 40127 attempt_{_ID}_m_000001_0 6\n"
)


def test_the_command_line_of_a_task_shows_its_heap(tmp_path: Path) -> None:
    stated = f"{_OPTS}=-Xmx2g\nmapred.child.java.opts=-Xmx5g\n"

    _, report = told_of(tmp_path, f"{stated}{_FULL}{_PS.format('-Xmx3g -Xmx900m')}")

    assert "The heap was full (-Xmx900m; mapreduce.map.java.opts sets it)" in report
    assert "has no effect on it: mapreduce.map.java.opts goes before it" in report


def test_options_of_both_sides_are_not_sure_where_those_of_one_may_be_in_force(
    tmp_path: Path,
) -> None:
    both = "mapred.child.java.opts=-Xmx5g\n"

    _, report = told_of(tmp_path, f"{both}{_FULL}We may have {_OPTS}=-Xmx700m in some file.\n")
    _, alone = told_of(tmp_path, f"{both}{_FULL}")

    assert "which -Xmx it had is not read from the text" in report
    assert "-Xmx5120m" in alone


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (
            "-Xmx6000m -Dx=y -Xmx400m -Dz=1 org.apache.hadoop.util.RunJar a.jar",
            "RunJar has -Xmx400m",
        ),
        ("-Dx=y org.apache.hadoop.util.RunJar a.jar", "HADOOP_CLIENT_OPTS=-Xmx700m in the text"),
    ],
)
def test_the_command_line_of_a_client_shows_its_heap(shown: str, said: str, tmp_path: Path) -> None:
    died = (
        f"Cleaning up the staging area /user/me/.staging/job_{_ID}\n"
        'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n'
        "\tat org.apache.hadoop.mapreduce.lib.input.FileInputFormat.listStatus(F.java:9)\n"
        "\tat org.apache.hadoop.mapreduce.JobSubmitter.writeSplits(JobSubmitter.java:9)\n"
    )

    counted = "$ hdfs dfs -count /in\n  90 2700000 5811111 /in\n"
    _, report = told_of(
        tmp_path,
        "export HADOOP_CLIENT_OPTS=-Xmx700m\nexport HADOOP_HEAPSIZE=6000\n"
        f"{died}\n$ ps\nme 7 1 java {shown}\n{counted}",
    )

    assert said in report
    assert "HADOOP_HEAPSIZE=6000, which the text has as well" in report
    assert "export HADOOP_CLIENT_OPTS=-Xmx6g raises it" in report
    assert "It had 2,700,000 input files" in report


_FAILED_TODAY = """
Task Id : attempt_1429900000111_0688_m_000057_0, Status : FAILED
Error: java.lang.NumberFormatException: For input string: ""
	at com.acme.M.map(M.java:66)
	at org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:145)
Job job_1429900000111_0688 failed with state FAILED due to: Task failed
"""
_LAST_WEEK = """
Task Id : attempt_1429900000111_0512_m_000020_0, Status : FAILED
Error: Java heap space
"""  # fmt: skip


def test_the_job_that_is_said_to_have_failed_comes_before_one_of_which_nothing_is_said(
    tmp_path: Path,
) -> None:
    (tmp_path / "post.txt").write_text(f"Last week:\n{_LAST_WEEK}\nToday:\n{_FAILED_TODAY}")

    first = found(tmp_path).told[0]

    assert first.diagnosed.evidence.job.job_id == "job_1429900000111_0688"


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("It used to work with these settings. mapreduce.map.memory.mb is 1024 here.", "1024"),
        ("Should I use fewer maps? mapreduce.map.memory.mb is 1024 here.", "1024"),
        ("I got the answer to raise it, which I did:\n\n  mapreduce.map.memory.mb=3072", "3072"),
        ("I got the answer to raise it:\n\n  mapreduce.map.memory.mb=3072", None),
        ("Should I use 1024, mapreduce.map.memory.mb=1024?", None),
    ],
)
def test_a_statement_stands_whatever_is_asked_beside_it(words: str, value: str | None) -> None:
    stated = stated_in(list(enumerate(words.splitlines(), start=1)))

    of_map = [one for one in stated if one.name == "mapreduce.map.memory.mb" and not one.why_not]
    assert [one.value for one in of_map] == ([] if value is None else [value])


def test_a_default_beside_an_arrow_is_no_value_of_its_own() -> None:
    stated = stated_in([(1, "mapreduce.map.java.opts  -Xmx200m (default) -> -Xmx2458m")])

    assert {one.value for one in stated} == {"-Xmx200m", "-Xmx2458m"}
    assert all(one.why_not for one in stated)


@pytest.mark.parametrize(
    ("said", "passed"),
    [
        ("Based on these settings, the query successfully ran in under ten minutes.", True),
        ("With these the query ran successfully.", True),
        ("With these the query ran in 10 minutes.", True),
        ("With these the query ran for hours.", False),
    ],
)
def test_what_ran_successfully_went_through(said: str, *, passed: bool, tmp_path: Path) -> None:
    killed = "Error: Java heap space\n\tat a.b.Mine.map(Mine.java:1)\n"
    text = f"{killed}\nWe did it using this setting:\n\nSET {_MAP}=10240\n\n{said}\n"

    _, report = told_of(tmp_path, text)

    assert ("the text says that it went through" in report) is passed
