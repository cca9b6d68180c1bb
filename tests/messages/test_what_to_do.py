"""What is known of an end says which way to go, and asks nothing that the text answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_ID = "1700000000000_0061"
_ATTEMPT = f"attempt_{_ID}_m_000002_0"
_KILLED = (
    f"Container [pid=7,containerID=container_{_ID}_01_000004] is running beyond physical memory "
    "limits. Current usage: 2.0 GB of 2 GB physical memory used; 2.7 GB of 4.2 GB virtual memory "
    f"used. Killing container. Dump of the process-tree for container_{_ID}_01_000004 :\n"
)
_TREE = "\t|- 7 6 7 7 (java) 910 80 2899102924 523100 /usr/bin/java {}-Dx=y com.example.Main\n"
_VERTEX = (
    f"Vertex failed, vertexName=Map 4, vertexId=vertex_{_ID}_1_03, diagnostics=[Task failed, "
    f"taskId=task_{_ID}_1_03_000001, info=[Error: java.lang.OutOfMemoryError: Java heap space\n"
)
_DENIED = (
    "org.apache.hadoop.security.AccessControlException: Permission denied: user=ann, access={}, "
    'inode="/warehouse/raw":bob:staff:drwx------'
)


def test_a_kill_that_names_its_killer_and_its_reason_is_not_asked_about(tmp_path: Path) -> None:
    killed = "Container killed by the ApplicationMaster. Container killed on request. Exit code is"

    _, told = told_of(tmp_path, f"AttemptID:{_ATTEMPT} Timed out after 900 secs{killed} 143\n")
    _, untold = told_of(
        tmp_path, f"Task Id : {_ATTEMPT}, Status : FAILED\nsome words. {killed} 143\n"
    )

    assert "no progress for 900 s" in told
    for asked in ("Exit code 143 (SIGTERM)", "somebody asked the process to end", "search the"):
        assert asked not in told
    assert "Exit code 143 says that somebody asked" in untold


_TIMED_OUT = f"AttemptID:{_ATTEMPT} Timed out after 300 secs\n"
_REPORTER = "2014-05-13 10:10:10,100 INFO [{}] org.apache.hadoop.mapred.Task: "


@pytest.mark.parametrize(
    ("met", "is_full"),
    [
        ("java.lang.OutOfMemoryError: GC overhead limit exceeded", True),
        ("java.lang.OutOfMemoryError: Java heap space", True),
        ("java.lang.OutOfMemoryError: unable to create new native thread", False),
        ("java.io.IOException: Call to 10.0.0.1:4001 failed", False),
    ],
)
def test_what_the_reporter_of_a_task_met_before_its_timeout_says_that_its_heap_was_full(
    tmp_path: Path, met: str, *, is_full: bool
) -> None:
    line = _REPORTER.format("communication thread") + f"Communication exception: {met}\n"

    kinds, report = told_of(tmp_path, _TIMED_OUT + line)

    assert (kinds[0] in ("heap", "gc-overhead")) is is_full
    assert ("The heap was full, as an error that the task had caught says" in report) is is_full
    assert ("whether its heap was full is not known" in report) is not is_full
    assert ("-D mapreduce.task.timeout=" in report) is not is_full


@pytest.mark.parametrize(
    ("code", "says", "look"),
    [
        (65, "failed three times in a row", "Communication exception:"),
        (66, "did not know it any more", "Parent died."),
        (69, "exceeded a limit which it watches itself", "Task exceeded the limits:"),
        (64, "64 is the program's own", None),
    ],
)
def test_exit_codes_that_the_reporter_of_a_task_leaves_are_hadoops(
    tmp_path: Path, code: int, says: str, look: str | None
) -> None:
    failed = f"INFO mapred.JobClient: Task Id : {_ATTEMPT}, Status : FAILED\n"
    child = f"java.io.IOException: Task process exit with nonzero status of {code}.\n"

    _, of_task = told_of(tmp_path, f"12/05/02 10:11:14 {failed}{child}\tat a.B.run(B.java:271)\n")
    _, of_other = told_of(
        tmp_path,
        "ERROR YarnScheduler: Lost executor 4 on w1: Container from a bad node: container_"
        f"{_ID}_01_000004 on host: w1. Exit status: {code}. Diagnostics: Exception from "
        "container-launch.\n",
    )

    assert says in of_task
    assert look is None or look in of_task
    assert "task of MapReduce" not in of_other


def test_an_executor_on_yarn_that_was_asked_to_end_may_have_asked_itself(tmp_path: Path) -> None:
    on = f"Container from a bad node: container_{_ID}_01_000009 on host: w9."
    why = "Diagnostics: Container killed on request. Exit code is 143"
    lost = f"23/01/05 03:11:20 ERROR YarnScheduler: Lost executor 8 on w9: {on} Exit status: 143. "
    task = f"23/01/05 03:11:20 INFO mapreduce.Job: Task Id : {_ATTEMPT}, Status : FAILED\n"
    beyond = f"{lost}Container killed by YARN for exceeding memory limits. 5.5 GB of 5.5 GB used.\n"

    _, executor = told_of(tmp_path, f"{lost}{why}\n")
    _, of_mapreduce = told_of(tmp_path, f"{task}Container killed on request. Exit code is 143\n")
    _, over_limit = told_of(tmp_path, beyond)

    assert "sends itself that signal where its heap is full" in executor
    assert "-log_files stderr,stdout" in executor
    for other in (of_mapreduce, over_limit):
        assert "sends itself" not in other


def test_a_kill_whose_list_has_no_heap_has_two_ways_out(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, _KILLED + _TREE.format(""))

    assert "-Xmx1638m, 80 % of this container, leaves the usual room" in report
    assert "where it is not, the container has to be larger" in report
    assert "in full, has its -Xmx" in report


def test_a_kill_whose_list_has_the_heap_is_told_by_that(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, _KILLED + _TREE.format("-Xmx1024m "))

    assert "cannot be said without its -Xmx" not in report


def test_a_task_of_tez_without_a_stack_is_told_which_way_to_go(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, _VERTEX)

    assert "A larger hive.tez.container.size, with -Xmx at 80 % of it, is first aid" in report
    assert "hive.auto.convert.join.noconditionaltask.size" in report


def test_another_process_of_an_engine_is_told_nothing_of_tez(tmp_path: Path) -> None:
    text = "Lost task 1.0 in stage 2.0 (TID 9): java.lang.OutOfMemoryError: Java heap space\n"

    _, report = told_of(tmp_path, text)

    assert "hive." not in report


@pytest.mark.parametrize(
    ("access", "said"),
    [
        ("EXECUTE", "pass through the folder /warehouse/raw"),
        ("WRITE", "write, make or remove anything in /wareh"),
    ],
)
def test_a_permission_that_is_missing_is_told_by_its_message(
    tmp_path: Path, access: str, said: str
) -> None:
    title = "My notes on AccessControlException: Permission denied\n\n"
    frame = "\tat org.apache.hadoop.hdfs.server.namenode.FSPermissionChecker.check(F.java:1)\n"

    _, report = told_of(tmp_path, f"{title}{_DENIED.format(access)}\n{frame}")

    assert f"did not let the user ann {said}" in report
    assert "belongs to bob:staff, with drwx------" in report
    assert "hdfs dfs -ls PATH" not in report


_STAGING = "yarn.app.mapreduce.am.staging-dir"
_AS_OTHERS = ("hive.server2.enable.doAs", "livy.impersonation.enabled")


@pytest.mark.parametrize(
    ("user", "folder", "said"),
    [
        ("ann", "/warehouse/raw", ()),
        ("ann", "/user/bob/notstaged", ()),
        ("ann", "/tmp/hadoop-yarn/staging/bob", (_STAGING,)),
        ("ann", "/tmp", (_STAGING,)),
        ("ann", "/user/bob/.sparkStaging", ("spark.yarn.stagingDir",)),
        ("ann", "/user", ("hdfs dfs -mkdir -p /user/ann", "hdfs dfs -chown ann /user/ann")),
        ("hive", "/warehouse/raw", ("hive.server2.enable.doAs=true",)),
        ("livy", "/user/bob/.sparkStaging", ("spark.yarn.stagingDir", "livy.impersonation")),
        ("hiver", "/warehouse/raw", ()),
    ],
)
def test_a_setting_is_named_where_the_folder_or_the_user_is_its_own(
    tmp_path: Path, user: str, folder: str, said: tuple[str, ...]
) -> None:
    denied = _DENIED.format("WRITE").replace("user=ann", f"user={user}")
    frame = "\tat org.apache.hadoop.hdfs.server.namenode.FSPermissionChecker.check(F.java:1)\n"

    _, report = told_of(tmp_path, f"{denied.replace('/warehouse/raw', folder)}\n{frame}")

    every = (_STAGING, "spark.yarn.stagingDir", "hdfs dfs -mkdir", "hdfs dfs -chown ann /user",
             *_AS_OTHERS)  # fmt: skip
    for one in every:
        assert (one in report) is any(one in each or each in one for each in said), one


_NO_DIRECTORY = (
    "java.lang.Exception: org.apache.hadoop.util.DiskChecker$DiskErrorException: Could not find "
    "any valid local directory for output/{}/file.out\n"
    "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.mergeParts(MapTask.java:1850)\n"
)


@pytest.mark.parametrize("with_runner", [True, False])
def test_a_disk_is_that_of_the_machine_where_the_job_runs_in_one_jvm(
    tmp_path: Path, *, with_runner: bool
) -> None:
    lead = "24/03/02 11:12:40 WARN mapred.LocalJobRunner: job_local4_0001\n" if with_runner else ""
    attempt = "attempt_local4_0001_m_000000_0" if with_runner else _ATTEMPT

    _, report = told_of(tmp_path, lead + _NO_DIRECTORY.format(attempt))

    assert ("mapreduce.cluster.local.dir" in report) is with_runner
    assert ("hadoop.tmp.dir" in report) is with_runner
    assert ("yarn.nodemanager.local-dirs" in report) is not with_runner


@pytest.mark.parametrize(
    ("error", "of_tasks", "of_spark"),
    [
        ("java.lang.ClassNotFoundException: org.acme.Row", "-libjars", "--jars, --packages"),
        (
            "java.io.EOFException: Unexpected end of input stream",
            "Processing split:",
            "Reading File path:",
        ),
    ],
)
def test_what_a_message_means_is_said_in_the_words_of_its_engine(
    tmp_path: Path, error: str, of_tasks: str, of_spark: str
) -> None:
    frame = "\tat org.acme.Load.next(Load.java:12)\n"
    lost = "Lost task 0.3 in stage 1.0 (TID 7, w2, executor 3): "
    task = f"12/05/02 10:11:14 INFO mapred.JobClient: Task Id : {_ATTEMPT}, Status : FAILED\n"

    _, spark = told_of(
        tmp_path,
        "org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 "
        f"failed 4 times, most recent failure: {lost}{error}\n{frame}",
    )
    _, mapreduce = told_of(tmp_path, f"{task}Error: {error}\n{frame}")

    assert of_spark in spark
    assert of_tasks not in spark
    assert of_tasks in mapreduce
    assert of_spark not in mapreduce


def test_a_class_of_a_later_java_may_be_met_while_a_task_runs(tmp_path: Path) -> None:
    task = f"12/05/02 10:11:14 INFO mapred.JobClient: Task Id : {_ATTEMPT}, Status : FAILED\n"
    error = (
        "Error: java.lang.UnsupportedClassVersionError: org/acme/Row has been compiled by a more "
        "recent version of the Java Runtime (class file version 61.0), this version of the Java "
        "Runtime only recognizes class file versions up to 55.0\n"
        "\tat org.acme.Load.map(Load.java:12)\n"
    )

    _, report = told_of(tmp_path, task + error)

    assert "compiled for Java 17, and the JVM that was to run it is of Java 11" in report
    assert "javac --release 11" in report
    assert "JAVA_HOME in mapreduce.map.env" in report
    assert "before any code of the job ran" not in report


@pytest.mark.parametrize("who", ["localhost, executor driver", "worker3, executor 7", None])
def test_a_full_disk_is_that_of_the_engine_which_wrote_to_it(
    tmp_path: Path, who: str | None
) -> None:
    full = "java.io.IOException: No space left on device\n"
    frame = "\tat java.io.FileOutputStream.writeBytes(Native Method)\n"
    of_spark = (
        "org.apache.spark.SparkException: Job aborted due to stage failure: Task 2 in stage 0.0 "
        f"failed 1 times, most recent failure: Lost task 2.0 in stage 0.0 (TID 2, {who}): "
    )
    of_task = f"12/05/02 10:11:14 INFO mapred.JobClient: Task Id : {_ATTEMPT}, Status : FAILED\n"

    _, report = told_of(tmp_path, f"{of_task if who is None else of_spark}{full}{frame}")

    assert ("spark.local.dir" in report) is (who is not None)
    assert ("mapreduce.map.output.compress" in report) is (who is None)


def test_a_permission_whose_message_is_cut_is_said_without_a_user(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path, "org.apache.hadoop.security.AccessControlException: Permission denied\n"
    )

    assert "A file or folder may not be read or written" in report
    assert "did not let the user" not in report


def test_the_name_that_the_message_has_for_the_overhead_goes_first(tmp_path: Path) -> None:
    lost = (
        "24/03/01 10:12:46 ERROR YarnScheduler: Lost executor 4 on w1: Container killed by YARN "
        "for exceeding memory limits. 3.0 GB of 3 GB physical memory used. Consider boosting {}.\n"
    )

    _, old = told_of(tmp_path, lost.format("spark.yarn.executor.memoryOverhead"))
    _, new = told_of(tmp_path, lost.format("spark.executor.memoryOverhead"))

    assert "spark.yarn.executor.memoryOverhead (from 2.3 on: spark.executor.memoryOverhead)" in old
    # what names the new one is 2.3 or later
    assert "spark.executor.memory and spark.executor.memoryOverhead together" in new
    assert "spark.yarn.executor" not in new
