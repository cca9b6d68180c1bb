"""What Hadoop's own processes say of a death: in logs, on a terminal, copied from a page."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import attempt, container, dead, found, told_of

from mprof.evidence import known
from mprof.messages import read_messages
from mprof.report import render_findings

LIMITS = (
    "is running beyond physical memory limits. Current usage: 1.1 GB of 1 GB physical memory used",
    (
        "is running 53747712B beyond the 'PHYSICAL' memory limit. Current usage: 1.1 GB of 1 GB "
        "physical memory used"
    ),
)
"""ContainersMonitorImpl up to 2.8, and since."""


def killed(name: str, words: str = LIMITS[0], task: str = attempt("r", 2, 1)) -> str:
    return (
        f"Container [pid=2477,containerID={name}] {words}; 2.0 GB of 2.1 GB virtual memory used. "
        f"Killing container.\nDump of the process-tree for {name} :\n"
        "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
        "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
        "\t|- 2490 2477 2477 2477 (java) 5123 321 2147483648 280000 /usr/bin/java -Xmx1024m "
        f"org.apache.hadoop.mapred.YarnChild 10.0.0.7 41414 {task} 11 \n\n"
        "Container killed on request. Exit code is 143\n"
        "Container exited with a non-zero exit code 143\n"
    )


def _told(tmp_path: Path, text: str) -> dict[str | None, str]:
    file = tmp_path / "pasted"
    file.write_text(text)
    return dead(found(file))


@pytest.mark.parametrize("words", LIMITS)
@pytest.mark.parametrize(
    "before",
    [
        "",
        (
            "24/03/01 10:11:16 INFO mapreduce.Job: Task Id : "
            "attempt_1700000000000_0005_r_000002_1, "
            "Status : FAILED\n"
        ),
        (
            "2024-03-01 10:03:53,776 WARN "
            "org.apache.hadoop.yarn.server.nodemanager.containermanager."
            "monitor.ContainersMonitorImpl: "
        ),
        (
            "2024-03-01 10:03:53,776 INFO [AsyncDispatcher event handler] "
            "org.apache.hadoop.mapreduce."
            "v2.app.job.impl.TaskAttemptImpl: Diagnostics report from "
            "attempt_1700000000000_0005_r_000002_1: "
        ),
    ],
    ids=["a page", "the console", "the NodeManager", "the application master"],
)
def test_a_kill_for_memory_is_told_by_whoever_tells_it(
    tmp_path: Path, words: str, before: str
) -> None:
    name = container(11)
    (tmp_path / "x").write_text(before + killed(name, words))

    findings = found(tmp_path / "x")

    assert {name: "container-physical"} == dead(findings)
    one = findings.told[0].dead[0]
    assert attempt("r", 2, 1) == one.attempt_id
    assert 1 << 30 == findings.told[0].diagnosed.evidence.memory.heap_max_bytes


def test_each_failed_task_on_a_console_is_told(tmp_path: Path) -> None:
    text = (
        "13/01/01 10:00:00 INFO mapred.JobClient: Running job: job_201301010000_0001\n"
        "13/01/01 10:00:01 INFO mapred.JobClient:  map 0% reduce 0%\n"
        "13/01/01 10:01:01 INFO mapred.JobClient: Task Id : attempt_201301010000_0001_m_000002_0, "
        "Status : FAILED\n"
        "Error: Java heap space\n"
        "13/01/01 10:02:01 INFO mapred.JobClient: Task Id : attempt_201301010000_0001_m_000003_0, "
        "Status : FAILED\n"
        "java.io.IOException: disk is full\n\tat com.example.M.map(M.java:3)\n\n"
        "13/01/01 10:03:01 INFO mapred.JobClient: Job complete: job_201301010000_0001\n"
    )

    assert {
        "attempt_201301010000_0001_m_000002_0": "heap",
        "attempt_201301010000_0001_m_000003_0": "not-memory",
    } == _told(tmp_path, text)


def test_the_colours_of_a_terminal_make_no_difference(tmp_path: Path) -> None:
    lines = (
        f"24/03/01 10:12:46 INFO mapreduce.Job: Task Id : {attempt('r', 0)}, Status : FAILED",
        "Error: java.lang.OutOfMemoryError: Java heap space",
        "\tat com.example.R.reduce(R.java:133)",
    )
    text = "".join(f"\x1b[31;1m{line}\x1b[0m\n" for line in lines)
    (tmp_path / "typescript").write_text(text)

    (told,) = found(tmp_path).told

    death = told.diagnosed.runs[0].traces[0].death
    assert ("heap", "reduce") == (death.kind, death.stack[0].method)


def test_an_attempt_that_its_master_stopped_when_it_was_done_is_no_death(tmp_path: Path) -> None:
    said = (
        "2024-03-01 10:00:0{} INFO [main] org.apache.hadoop.mapreduce.v2.app.job.impl."
        "TaskAttemptImpl: "
    )
    done, died = attempt("m", 4), attempt("m", 3)
    text = (
        said.format("0,000")
        + f"{died} TaskAttempt Transitioned from RUNNING to FAILED\n"
        + said.format("1,000")
        + f"Diagnostics report from {died}: Error: GC overhead limit exceeded\n"
        + said.format("2,000")
        + f"{done} TaskAttempt Transitioned from SUCCESS_CONTAINER_CLEANUP to SUCCEEDED\n"
        + said.format("3,000")
        + f"Diagnostics report from {done}: Container killed by the ApplicationMaster.\n"
        "Container killed on request. Exit code is 143\n"
        "Container exited with a non-zero exit code 143\n"
    )

    assert {died: "gc-overhead"} == _told(tmp_path, text)


def test_a_container_that_left_by_itself_died_and_one_that_was_asked_to_did_not(
    tmp_path: Path,
) -> None:
    manager = (
        "2024-03-01 10:04:54,700 INFO org.apache.hadoop.yarn.server.nodemanager.containermanager."
        "container.ContainerImpl: "
    )
    executor = (
        "2024-03-01 10:04:54,600 WARN org.apache.hadoop.yarn.server.nodemanager."
        "DefaultContainerExecutor: "
    )
    text = (
        f"{executor}Exit code from container {container(12)} is : 1\n"
        f"{manager}Container {container(12)} transitioned from RUNNING to EXITED_WITH_FAILURE\n"
        f"{executor}Exit code from container {container(13)} is : 143\n"
        f"{manager}Container {container(13)} transitioned from RUNNING to KILLING\n"
        f"{manager}Container {container(14)} transitioned from RUNNING to EXITED_WITH_SUCCESS\n"
    )

    assert {container(12): "not-memory"} == _told(tmp_path, text)


def test_an_application_master_that_died_is_told_as_one(tmp_path: Path) -> None:
    name = "container_1700000000000_0007_02_000001"
    text = (
        "Application application_1700000000000_0007 failed 2 times due to AM Container for "
        "appattempt_1700000000000_0007_000002 exited with exitCode: -104\n"
        "Failing this attempt.Diagnostics: "
        + killed(name, LIMITS[1])
        + "Failing the application.\n"
    )

    assert {name: "application-master"} == _told(tmp_path, text)


def test_what_a_master_logs_of_its_memory_says_more_than_the_code_it_ended_with(
    tmp_path: Path,
) -> None:
    name = "container_1700000000000_0007_02_000001"
    logs = tmp_path / name
    logs.mkdir()
    (logs / "stderr").write_text("log4j:WARN No appenders could be found for logger (x.Server).\n")
    (logs / "syslog").write_text(
        "2024-03-01 10:00:00,000 INFO [main] org.apache.hadoop.mapreduce.v2.app.MRAppMaster: "
        "Created MRAppMaster for application appattempt_1700000000000_0007_000002\n"
        "2024-03-01 10:20:00,000 FATAL [AsyncDispatcher event handler] org.apache.hadoop.yarn."
        "event.AsyncDispatcher: Error in dispatcher thread\n"
        "java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
        "\tat java.util.Arrays.copyOf(Arrays.java:3332)\n"
        "\tat org.apache.hadoop.yarn.event.AsyncDispatcher.dispatch(AsyncDispatcher.java:184)\n"
    )
    (tmp_path / "console").write_text(
        "24/03/01 09:00:00 INFO mapreduce.JobSubmitter: number of splits:212480\n"
        "24/03/01 09:00:01 INFO mapreduce.Job: Running job: job_1700000000000_0007\n"
        "24/03/01 10:20:01 INFO mapreduce.Job: Job job_1700000000000_0007 failed with state FAILED "
        "due to: Application application_1700000000000_0007 failed 2 times due to AM Container for "
        "appattempt_1700000000000_0007_000002 exited with  exitCode: 255\n"
        f"Container id: {name}\nExit code: 255\nFailing the application.\n"
    )

    (told,) = found(tmp_path).told

    assert told.diagnosed.evidence.death.kind == "application-master"
    assert told.diagnosed.evidence.job.maps == 212_480
    report = " ".join(render_findings(found(tmp_path)).split())
    assert "ran out of memory itself" in report
    assert "(212,480 map tasks)" in report


def _timed_out(*attempts: str) -> str:
    return "".join(
        f"24/03/01 10:22:00 INFO mapreduce.Job: Task Id : {one}, Status : FAILED\n"
        f"AttemptID:{one} Timed out after 600 secs\n\n"
        for one in attempts
    )


_COLLECTIONS = "".join(
    f"{at}.118: [Full GC (Ergonomics) [PSYoungGen: 524800K->524712K(611840K)] [ParOldGen: "
    f"1398101K->1398099K(1398272K)] 1922901K->1922811K(2010112K), [Metaspace: "
    f"41544K->41544K(1087488K)], 4.9652337 secs]\n"
    for at in range(1402, 1452, 5)
)


def test_collections_that_are_pasted_below_are_of_the_attempt_that_is_named_above_them(
    tmp_path: Path,
) -> None:
    first, second = attempt("r", 13, 0), attempt("r", 13, 1)
    text = f"{_timed_out(first, second)}stdout of r_000013_0 (-Xmx2048m):\n{_COLLECTIONS}"

    assert {first: "gc-overhead", second: "not-memory"} == _told(tmp_path, text)


def test_collections_of_one_of_several_attempts_are_of_none(tmp_path: Path) -> None:
    first, second = attempt("r", 13, 0), attempt("r", 13, 1)
    of_server = f"{_timed_out(first)}of our HiveServer2 at that time:\n{_COLLECTIONS}"
    of_two = f"{_timed_out(first, second)}one of them:\n{_COLLECTIONS}"

    assert {first: "not-memory"} == _told(tmp_path, of_server)
    assert {first: "not-memory", second: "not-memory"} == _told(tmp_path, of_two)


_FULL = (
    "598.1: [Full GC (Ergonomics) [PSYoungGen: 9K->9K(9K)] [ParOldGen: 9K->9K(9K)] "
    "199168K->199167K(200000K), [Metaspace: 9K->9K(9K)], 5.9 secs]\n"
    "604.1: [Full GC (Ergonomics) [PSYoungGen: 9K->9K(9K)] [ParOldGen: 9K->9K(9K)] "
    "199168K->199167K(200000K), [Metaspace: 9K->9K(9K)], 5.9 secs]\n"
    "610.1: [Full GC (Ergonomics) [PSYoungGen: 9K->9K(9K)] [ParOldGen: 9K->9K(9K)] "
    "199168K->199167K(200000K), [Metaspace: 9K->9K(9K)], 5.9 secs]\n"
)
_EMPTY = _FULL.replace("199167K", "10240K")
_NOT_SAID = "the text has collections, and mprof cannot tell whether they are of this process"


@pytest.mark.parametrize(
    ("heading", "log", "words"),
    [
        ("", _FULL, "The heap was full"),
        ("what its stdout shows:\n", _FULL, "The heap was full"),
        ("", _EMPTY, "Its heap was not full"),
        ("a collector's log of m_000003_0, which went well:\n", _EMPTY, _NOT_SAID),
        ("the log of another task:\n", _FULL, _NOT_SAID),
        ("from an executor:\n", _FULL, _NOT_SAID),
    ],
)
def test_collections_beside_the_only_attempt_that_failed_are_its_own_unless_another_is_named(
    heading: str, log: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "post.txt"
    path.write_text(f"{_timed_out(attempt('m', 14, 0))}\n{heading}{log}")

    report = " ".join(render_findings(found(path)).split())

    assert words in report
    assert "nothing tells of a collection" not in report
    assert (_NOT_SAID in report) == (words == _NOT_SAID)


def test_errors_without_a_message_are_alike_by_their_frames_alone(tmp_path: Path) -> None:
    head = "24/03/01 10:00:00 INFO mapreduce.Job: Task Id : {}, Status : FAILED\n"
    said = head + "Error: {}\n\tat {}\n\n"
    where = ("a.Parse.map(Parse.java:41)", "a.Lookup.setup(Lookup.java:7)")
    (tmp_path / "x").write_text(
        "".join(
            said.format(attempt("m", at), "java.lang.NullPointerException", frame)
            for at, frame in enumerate((*where, where[0]))
        )
    )

    assert sorted(len(one.dead) for one in found(tmp_path / "x").told) == [1, 2]


def test_the_processes_of_another_container_in_the_same_words_are_not_its_own(
    tmp_path: Path,
) -> None:
    first, second = container(52), container(148)
    of_tez = "org.apache.tez.runtime.task.TezChild"
    kills = [
        killed(name).replace("org.apache.hadoop.mapred.YarnChild", of_tez)
        for name in (first, second)
    ]
    text = (
        "ERROR : Vertex failed, vertexName=Reducer 3, vertexId=vertex_1700000000000_0005_1_02, "
        "diagnostics=[Task failed, taskId=task_1700000000000_0005_1_02_000017, diagnostics=["
        f"TaskAttempt 0 failed, info=[Container {first} finished with diagnostics set to "
        f"[Container failed, exitCode=-104. {kills[0]}\n]], TaskAttempt 1 failed, info=[Container "
        f"{second} finished with diagnostics set to [Container failed, exitCode=-104. {kills[1]}]]"
    )
    (tmp_path / "beeline").write_text(text)

    report = " ".join(render_findings(found(tmp_path)).split())

    assert "-Xmx1024m is 100 % of its 1.0 GB" in report
    assert report.count(" java ") == 1


def test_attempts_of_one_side_have_the_heap_that_the_list_of_another_shows(tmp_path: Path) -> None:
    first, second, of_map = attempt("r", 2, 1), attempt("r", 3), attempt("m", 4)
    said = "24/03/01 10:00:00 INFO mapreduce.Job: Task Id : {}, Status : FAILED\n{}\n\n"
    (tmp_path / "console").write_text(
        said.format(first, killed(container(11)))
        + said.format(second, "Error: Java heap space")
        + said.format(of_map, "Error: Java heap space")
    )

    told = found(tmp_path).told

    heaps = {
        one.dead[0].attempt_id: known(one.diagnosed.evidence.memory.heap_max_bytes) for one in told
    }
    assert heaps == {first: 1 << 30, second: 1 << 30, of_map: None}


def test_a_death_that_is_quoted_by_hive_and_stands_in_a_log_is_one(tmp_path: Path) -> None:
    stack = (
        "Error: org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle in "
        "fetcher#7\n\tat org.apache.hadoop.mapred.YarnChild.main(YarnChild.java:158)\n"
        "Caused by: java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.mapreduce.task.reduce.Fetcher.run(Fetcher.java:193)\n"
    )
    (tmp_path / "hive").write_text(
        "Starting Job = job_1700000000000_0005, Tracking URL = x\n"
        "Ended Job = job_1700000000000_0005 with errors\nTask with the most failures(4):\n-----\n"
        "Task ID:\n  task_1700000000000_0005_r_000044\n-----\n"
        f"Diagnostic Messages for this Task:\n{stack}\n\n"
        "FAILED: Execution Error, return code 2 from org.apache.hadoop.hive.ql.exec.mr.MapRedTask\n"
        "\n---- from the reducer's syslog (attempt_1700000000000_0005_r_000044_3) ----\n"
        "2016-07-27 02:08:27,309 INFO [fetcher#7] org.apache.hadoop.mapreduce.task.reduce.Fetcher: "
        "fetcher#7 about to shuffle output of map attempt_1700000000000_0005_m_000402_0\n"
    )

    report = " ".join(render_findings(found(tmp_path)).split())

    assert "FAILURES" not in report
    assert (
        "Task task_1700000000000_0005_r_000044 of job job_1700000000000_0005 ran out of heap "
        "space in the shuffle"
    ) in report


def test_an_error_that_an_application_master_quotes_is_not_its_own(tmp_path: Path) -> None:
    text = (
        "2024-03-01 10:00:00,000 INFO [main] org.apache.hadoop.mapreduce.v2.app.MRAppMaster: "
        "Created MRAppMaster for application appattempt_1700000000000_0005_000001\n"
        "2024-03-01 10:01:00,100 FATAL [IPC Server handler 3] org.apache.hadoop.mapred."
        f"TaskAttemptListenerImpl: Task: {attempt('m', 3)} - exited : java.lang.OutOfMemoryError: "
        "Java heap space\n\tat com.example.Count.map(Count.java:33)\n"
        "2024-03-01 10:03:01,140 INFO [main] org.apache.hadoop.mapreduce.v2.app.job.impl.JobImpl: "
        "job_1700000000000_0005Job Transitioned from COMMITTING to SUCCEEDED\n"
    )

    assert {attempt("m", 3): "heap"} == _told(tmp_path, text)


def test_a_job_that_succeeded_is_said_to_have(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(
        "2024-03-01 10:00:00,123 INFO mapreduce.Job: Running job: job_1700000000000_0011\n"
        "2024-03-01 10:05:00,223 INFO mapreduce.Job: Job job_1700000000000_0011 completed "
        "successfully\n"
    )

    text = render_findings(found(tmp_path / "x"))

    assert "Job job_1700000000000_0011 did not fail" in text


def test_the_error_that_a_task_reported_to_its_master_ended_it(tmp_path: Path) -> None:
    # an IPC server at DEBUG, whose line a terminal has broken
    last, first = attempt("r", 3, 3), attempt("r", 3, 2)
    text = (
        f"25/03/19 14:44:35 INFO mapreduce.Job: Task Id : {first}, Status : FAILED\n"
        "[2025-03-19 14:44:32.093]Container killed on request. Exit code is 137\n\n"
        "2025-03-19 14:45:10,145 DEBUG [IPC Server handler 4 on 29795] org.apache.hadoop.ipc."
        "Server: IPC Server handler 4 on 29795: responding to Call#5 \n"
        f"Retry#1 fatalError({last}, org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: "
        "Error while doing final merge \n"
        "    at org.apache.hadoop.mapred.ReduceTask.run(ReduceTask.java:377)\n"
        "Caused by: org.apache.hadoop.fs.FSError: java.io.IOException: Cannot allocate memory\n"
        "    at org.apache.hadoop.mapred.IFile$Writer.close(IFile.java:158)\n"
    )

    assert _told(tmp_path, text) == {first: "not-memory", last: "native"}


def test_the_task_that_ended_the_job_comes_first_by_its_last_attempt(tmp_path: Path) -> None:
    def oom(one: str, words: str) -> str:
        return (
            f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : {one}, Status : FAILED\n"
            f"Error: java.lang.OutOfMemoryError: {words}\n"
            f"\tat com.example.{words.split()[0]}.map(A.java:7)\n"
        )

    job = attempt("m", 0)[len("attempt_") : -len("_m_000000_0")]
    file = tmp_path / "console"
    file.write_text(
        oom(attempt("m", 1), "Java heap space")
        + oom(attempt("m", 4, 0), "Java heap space")
        + oom(attempt("m", 4, 3), "GC overhead limit exceeded")
        + f"24/03/01 10:09:01 INFO mapreduce.Job: Job job_{job} failed with state FAILED due to: "
        f"Task failed task_{job}_m_000004\nJob failed as tasks failed. failedMaps:1\n"
    )

    first = found(file).told[0].diagnosed.evidence.attempt.attempt_id

    assert first == attempt("m", 4, 3)


_OF_MASTER = (
    "Application application_1700000000000_0042 failed 2 times due to AM Container for "
    "appattempt_1700000000000_0042_000002 exited with exitCode: 255\n"
)
_UNCAUGHT = (
    "2024-03-01 10:10:10,500 FATAL [IPC Server handler 12 on 44021] "
    "org.apache.hadoop.yarn.YarnUncaughtExceptionHandler: Thread Thread[IPC Server handler 12 on "
    "44021,5,main] threw an Error.  Shutting down now...\n"
    "{error}\n\tat org.apache.hadoop.mapred.TaskAttemptListenerImpl.statusUpdate"
    "(TaskAttemptListenerImpl.java:350)\n"
)


@pytest.mark.parametrize(
    ("error", "of_memory"),
    [
        ("java.lang.OutOfMemoryError: Java heap space", True),
        ("java.lang.NoSuchMethodError: com.example.A.b()V", False),
    ],
)
def test_an_error_that_nothing_caught_is_of_the_only_master_that_ended(
    error: str, of_memory: bool, tmp_path: Path
) -> None:
    path = tmp_path / "post.txt"
    path.write_text(f"{_OF_MASTER}its syslog:\n{_UNCAUGHT.format(error=error)}")

    report = " ".join(render_findings(found(path)).split())

    assert "The application master of" in report
    assert ("It ran out of memory" in report) == of_memory


def test_an_error_that_a_master_caught_is_not_why_it_ended(tmp_path: Path) -> None:
    caught = _UNCAUGHT.replace("FATAL", "WARN").replace("threw an Error.  Shutting down now...", "")
    path = tmp_path / "post.txt"
    path.write_text(
        f"{_OF_MASTER}its syslog:\n{caught.format(error='java.lang.OutOfMemoryError: Java heap')}"
    )

    assert "It ran out of memory" not in " ".join(render_findings(found(path)).split())


@pytest.mark.parametrize("of_same", [True, False])
def test_first_aid_for_a_container_holds_for_the_other_attempts_of_its_task(
    of_same: bool, tmp_path: Path
) -> None:
    other = attempt("r", 2 if of_same else 3, 0)
    path = tmp_path / "console.txt"
    path.write_text(
        f"24/03/01 10:01:00 INFO mapreduce.Job: Task Id : {other}, Status : FAILED\n"
        "Error: java.lang.OutOfMemoryError: Java heap space\n"
        f"24/03/01 10:02:00 INFO mapreduce.Job: Task Id : {attempt('r', 2, 1)}, Status : FAILED\n"
        f"Container [pid=9,containerID={container(9)}] is running beyond physical memory limits. "
        "Current usage: 1.5 GB of 1.5 GB physical memory used; 2.9 GB of 3.1 GB virtual memory "
        "used. Killing container.\n"
    )

    killed_one = next(
        one.diagnosed
        for one in found(path).told
        if one.diagnosed.evidence.death.kind == "container-physical"
    )

    (said,) = (one for _, one in read_messages(killed_one.evidence) if one.settings)
    advised = {one.property: one.new for one in said.settings}
    heap = {"mapreduce.reduce.java.opts": "-Xmx2457m"} if of_same else {}
    assert advised == {"mapreduce.reduce.memory.mb": "3072", **heap}
    assert ("with -Xmx as it is" in said.settings[0].text) == (not of_same)


@pytest.mark.parametrize(
    ("failed", "says"), [(0, "The DAG of the query was killed"), (1, "the DAG of the query failed")]
)
def test_a_query_that_somebody_stopped_did_not_fail(failed: int, says: str, tmp_path: Path) -> None:
    path = tmp_path / "session.txt"
    path.write_text(
        f"DAG killed due to user-initiated kill. failedVertices:{failed} killedVertices:4\n"
        "FAILED: Execution Error, return code 2 from org.apache.hadoop.hive.ql.exec.tez.TezTask\n"
    )

    findings = found(path)

    assert findings.told == ()
    answer = " ".join(findings.answers)
    assert says in answer
    assert ("Vertex failed" in answer) == bool(failed)


def test_an_application_that_a_user_killed_was_killed_and_is_said_to_be(tmp_path: Path) -> None:
    text = (
        "INFO mapreduce.Job: Job job_1750000000000_0006 failed with state KILLED due to: "
        "Application application_1750000000000_0006 was killed by user eva at 10.2.0.4\n"
    )

    _, report = told_of(tmp_path, text)

    assert "Job job_1750000000000_0006 was killed; nothing points to memory" in report
    assert "The user eva killed the application" in report


_ASKED = (
    "2024-06-01 10:00:00,500 INFO [AsyncDispatcher event handler] "
    "org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl: {0} TaskAttempt Transitioned "
    "from SUCCESS_CONTAINER_CLEANUP to {1}\n"
    "2024-06-01 10:00:00,900 INFO [AsyncDispatcher event handler] "
    "org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl: Diagnostics report from {0}: "
    "Container killed by the ApplicationMaster.\n"
    "Container killed on request. Exit code is 143\n"
    "2024-06-01 10:09:00 INFO mapreduce.Job: Job job_1750000000000_0006 completed successfully\n"
)


@pytest.mark.parametrize(("state", "said"), [("SUCCEEDED", True), ("FAILED", False)])
def test_a_container_that_is_asked_to_end_after_its_success_is_explained(
    state: str, *, said: bool, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, _ASKED.format("attempt_1750000000000_0006_m_000001_0", state))

    assert ("m_000001_0 had succeeded when its container ended" in report) == said
    assert "because its application master asked" not in report


@pytest.mark.parametrize(
    ("by", "said"),
    [("Container killed by the ApplicationMaster.", True), ("Killed by external signal", False)],
)
def test_an_attempt_whose_master_asked_it_to_end_is_said_to_have_been_asked(
    by: str, *, said: bool, tmp_path: Path
) -> None:
    text = _ASKED.format("attempt_1750000000000_0006_m_000001_0", "")
    line = text[text.index("2024-06-01 10:00:00,900") :].partition("2024-06-01 10:09")[0]

    _, report = told_of(tmp_path, line.replace("Container killed by the ApplicationMaster.", by))

    assert ("143 because its application master asked for it (SIGTERM)" in report) == said


def test_an_application_of_spark_that_succeeded_has_not_failed(tmp_path: Path) -> None:
    log = (
        "24/03/01 10:00:01 INFO Client: Submitted application application_1700000000000_0042\n"
        "24/03/01 10:09:01 INFO SparkContext: SparkContext is stopping with exitCode 0.\n"
        "24/03/01 10:09:02 INFO ApplicationMaster: Final app status: {}\n"
    )

    _, well = told_of(tmp_path, log.format("SUCCEEDED, exitCode: 0"))
    kinds, failed = told_of(tmp_path, log.format("FAILED, exitCode: 13"))

    assert "did not fail, so there is no cause to name" in well
    assert kinds
    assert "did not fail" not in failed
