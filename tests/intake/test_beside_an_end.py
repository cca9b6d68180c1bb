"""What people paste beside the end of a process: the kernel's log, the last words of a program."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_JOB = "1700000000000_0042"
_TASK_ID = f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : attempt_{_JOB}_m_000004_0, Status : "
_PIPE = (
    _TASK_ID + "FAILED\nError: java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): "
    "subprocess failed with code {code}\n"
    "\tat org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads(PipeMapRed.java:322)\n"
    "\tat org.apache.hadoop.mapred.YarnChild.main(YarnChild.java:158)\n"
)
_KILLED = _TASK_ID + "FAILED\nContainer exited with a non-zero exit code 137\n"
_KERNELS = {
    "since 4": "[99.1] Killed process 811 ({program}) total-vm:99kB, anon-rss:2097152kB, "
    "file-rss:0kB, shmem-rss:0kB",
    "of CentOS 7": "Mar  1 10:00:00 n1 kernel: Killed process 811, UID 500, ({program}) "
    "total-vm:99kB, anon-rss:2097152kB, file-rss:1kB",
    "since 5": "Memory cgroup out of memory: Killed process 811 ({program}) total-vm:99kB, "
    "anon-rss:2097152kB, file-rss:0kB, UID:500 pgtables:1kB oom_score_adj:0",
}
_SAYS = "process 811, because memory was short, as its log in the text says: it had 2.0 GB"


@pytest.mark.parametrize("kernel", _KERNELS)
@pytest.mark.parametrize("is_above", [False, True])
def test_the_kernels_log_says_who_killed_a_program(
    kernel: str, *, is_above: bool, tmp_path: Path
) -> None:
    parts = [_PIPE.format(code=137), _KERNELS[kernel].format(program="perl")]

    _, report = told_of(tmp_path, "\n\n".join(parts[::-1] if is_above else parts) + "\n")

    says = _SAYS
    if kernel == "since 5":
        says = says.replace("memory was short", "its control group had reached its limit")
    assert f"The kernel killed perl, {says}" in report
    assert ("run fewer of them at once on a node" in report) == (kernel != "since 5")
    assert "is not known: the kernel" not in report
    assert "read the program's standard error" not in report


def test_the_kernels_log_says_who_killed_a_container(tmp_path: Path) -> None:
    line = _KERNELS["since 4"]

    _, of_java = told_of(tmp_path, f"{_KILLED}\n{line.format(program='java')}\n")
    _, of_other = told_of(tmp_path, f"{_KILLED}\n{line.format(program='mysqld')}\n")

    assert f"The kernel killed java, {_SAYS}" in of_java
    assert "not by whom" in of_other
    assert "mysqld" not in of_other


@pytest.mark.parametrize(
    ("code", "program"),
    [(1, "perl"), (137, "java")],  # it ended itself; the JVM lived to tell of its program
)
def test_a_kill_of_another_process_is_none_of_the_program(
    code: int, program: str, tmp_path: Path
) -> None:
    line = _KERNELS["since 4"].format(program=program)

    _, report = told_of(tmp_path, f"{_PIPE.format(code=code)}\n{line}\n")

    assert "The kernel killed" not in report


@pytest.mark.parametrize("is_above", [False, True])
@pytest.mark.parametrize(
    ("error", "lacked"), [("KeyError: 'city'", False), ("MemoryError", True), ("EOFError", False)]
)
def test_the_last_words_of_a_program_are_quoted_and_not_asked_for(
    error: str, *, lacked: bool, is_above: bool, tmp_path: Path
) -> None:
    words = f'Traceback (most recent call last):\n  File "m.py", line 3, in <module>\n{error}'
    parts = [_PIPE.format(code=1), words]

    kinds, report = told_of(tmp_path, "\n\n".join(parts[::-1] if is_above else parts) + "\n")

    assert kinds == ["not-memory"]
    assert f"The text shows its last words: {error}." in report
    assert "read the program's standard error" not in report
    assert ("They say that it got no memory." in report) == lacked
    assert ("the memory was the child's own" in report) == lacked


def test_the_folders_that_a_node_took_out_of_use_are_named(tmp_path: Path) -> None:
    failed = f"{_TASK_ID}FAILED\nFSError: java.io.IOException: No space left on device\n"
    log = (
        "2024-03-01 09:59:58,114 WARN org.apache.hadoop.yarn.server.nodemanager."
        "DirectoryCollection: Directory /data1/nm error, used space above threshold of 90.0%, "
        "removing from list of valid directories\n"
    )

    _, report = told_of(tmp_path, f"{failed}\n{log}")

    assert "took out of use, as it says: /data1/nm (used space above threshold of 90.0%)" in report
    assert "its containers are given up as on a lost node" in report
    assert "du -sh /data1/nm/usercache/*" in report


def test_a_folder_that_is_broken_is_not_told_to_be_full(tmp_path: Path) -> None:
    failed = f"{_TASK_ID}FAILED\nFSError: java.io.IOException: No space left on device\n"
    log = (
        "2024-03-01 09:59:58,114 WARN org.apache.hadoop.yarn.server.nodemanager."
        "DirectoryCollection: Directory /data1/nm error, Directory is not writable: /data1/nm, "
        "removing from list of valid directories\n"
    )

    _, report = told_of(tmp_path, f"{failed}\n{log}")

    assert "took out of use, as it says: /data1/nm (Directory is not writable" in report
    assert "max-disk-utilization" not in report


_CONTAINER = f"container_{_JOB}_01_000006"
_LAUNCH = (
    _TASK_ID + "FAILED\nException from container-launch.\n"
    f"Container id: {_CONTAINER}\nExit code: {{code}}\n"
    "Stack trace: ExitCodeException exitCode={code}:\n"
    "\tat org.apache.hadoop.util.Shell.runCommand(Shell.java:545)\n\n"
    "Container exited with a non-zero exit code {code}. Error file: prelaunch.err.\n"
)


@pytest.mark.parametrize("heading", ["Last 4096 bytes of stderr :", "stderr:"])
@pytest.mark.parametrize(
    ("tail", "kind", "words"),
    [
        (
            (
                "log4j:WARN No appenders could be found.\n"
                "Error: Could not find or load main class org.example.Launcher\n"
            ),
            "not-memory",
            "The class org.example.Launcher was not found",
        ),
        (
            (
                "Error: A JNI error has occurred, please check your installation and try again\n"
                'Exception in thread "main" java.lang.UnsupportedClassVersionError: org/exam/A has '
                "been compiled by a more recent Java Runtime (class file version 55.0)\n"
            ),
            "not-memory",
            "class file version 55.0",
        ),
        (
            (
                'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n'
                "\tat org.example.Load.all(Load.java:7)\n"
            ),
            "heap",
            "ran out of heap space",
        ),
    ],
)
def test_the_end_of_standard_error_speaks_before_the_exit_code(
    heading: str, tail: str, kind: str, words: str, tmp_path: Path
) -> None:
    kinds, report = told_of(tmp_path, f"{_LAUNCH.format(code=1)}{heading}\n{tail}")

    assert kinds == [kind]
    assert words in report
    assert "The exit code alone says" not in report
    assert "client" not in report


def test_an_end_of_standard_error_that_says_nothing_leaves_the_exit_code(tmp_path: Path) -> None:
    tail = "Last 4096 bytes of stderr :\nSLF4J: Class path contains multiple bindings.\n"

    kinds, report = told_of(tmp_path, _LAUNCH.format(code=1) + tail)

    assert kinds == ["not-memory"]
    assert "The exit code alone says" in report


def test_a_master_whose_class_is_missing_is_not_told_by_its_exit_code(tmp_path: Path) -> None:
    text = (
        f"Application application_{_JOB} failed 2 times due to AM Container for "
        f"appattempt_{_JOB}_000002 exited with  exitCode: 1\n"
        f"Diagnostics: Exception from container-launch.\nContainer id: container_{_JOB}_02_000001\n"
        "Exit code: 1\nContainer exited with a non-zero exit code 1. Error file: prelaunch.err.\n"
        "Last 4096 bytes of stderr :\nError: Could not find or load main class org.example.Master\n"
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["application-master"]
    assert "The class org.example.Master was not found" in report
    assert "exit code alone" not in report


@pytest.mark.parametrize(
    ("code", "signal"), [(139, "SIGSEGV"), (135, "SIGBUS"), (152, "SIGXCPU"), (64, None)]
)
def test_an_exit_code_above_128_is_a_signal(code: int, signal: str | None, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, _LAUNCH.format(code=code))

    if signal is None:
        assert f"{code} is the program's own" in report
    else:
        assert (
            f"Exit code {code} is 128 and {code - 128}, as a signal leaves it: {signal}" in report
        )


_HEAD = (
    "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n"
    "#  SIGBUS (0x7) at pc=0x00007f1c2c1f92f3, pid=20001, tid=139758\n#\n"
    "# Problematic frame:\n# C  [libexample.so.1+0x2f3]\n#\n"
)


@pytest.mark.parametrize("text", [_LAUNCH.format(code=134) + "Last 4096 bytes of stdout :\n", ""])
def test_the_head_of_a_crash_report_says_what_the_process_died_of(
    text: str, tmp_path: Path
) -> None:
    kinds, report = told_of(tmp_path, text + _HEAD)

    assert kinds == ["not-memory"]
    assert "JVM died of SIGBUS, in C [libexample.so.1+0x2f3], as its own report says" in report
    assert "CrashOnOutOfMemoryError" not in report


def test_the_kernels_log_is_no_part_of_what_is_said_of_a_container(tmp_path: Path) -> None:
    text = (
        f"Container exited with a non-zero exit code 137\nContainer id: {_CONTAINER}\ndmesg:\n"
        "[100.1] Out of memory: Kill process 811 (java) score 300 or sacrifice child\n"
        f"{_KERNELS['since 4'].format(program='java')}\n"
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["not-memory"]
    assert "The message was: Container exited with a non-zero exit code 137" in report
    assert f"The kernel killed java, {_SAYS}" in report
    assert "Whether that was this process, or one that it had started, its id would say" in report


def test_a_kill_by_the_kernel_beside_another_end_is_not_passed_over(tmp_path: Path) -> None:
    lost = _TASK_ID + "FAILED\nContainer released on a *lost* node\n"

    _, beside = told_of(tmp_path, f"{lost}\n{_KERNELS['since 4'].format(program='java')}\n")
    _, other = told_of(tmp_path, f"{lost}\n{_KERNELS['since 4'].format(program='mysqld')}\n")

    assert "nothing points to memory" not in beside
    assert "mprof cannot tell whether it was this one" in beside
    assert "nothing points to memory" in other


@pytest.mark.parametrize(
    ("attempts", "kinds"),
    [(["m_000002_0"], ["container-physical"]), (["m_000002_0", "m_000003_0"], None)],
)
def test_the_exit_status_below_the_only_container_is_of_the_only_attempt(
    attempts: list[str], kinds: list[str] | None, tmp_path: Path
) -> None:
    text = f"Container {_CONTAINER} exited with status\nExit status: -104\n" + "".join(
        f"attempt_{_JOB}_{one} FAILED\n" for one in attempts
    )

    told, report = told_of(tmp_path, text)

    if kinds is not None:
        assert told == kinds
        assert f"attempt_{_JOB}_m_000002_0 (container {_CONTAINER})" in report
    else:
        assert sorted(set(told)) == ["container-physical", "not-memory"]


def test_of_several_processes_that_the_kernel_killed_none_is_chosen_by_its_size(
    tmp_path: Path,
) -> None:
    large = _KERNELS["since 4"].format(program="java")
    small = large.replace("811", "902").replace("2097152", "1048576")

    _, report = told_of(tmp_path, f"{_KILLED}\n{large}\n{small}\n")

    assert "java, process 811" in report
    assert "java, process 902, with 1.0 GB of its own" in report
    assert "which of them this was, if any, it does not say" in report


@pytest.mark.parametrize("program", ["python3", "java"])
def test_whatever_the_kernel_killed_may_be_of_an_executor_of_spark(
    program: str, tmp_path: Path
) -> None:
    lost = (
        f"ERROR YarnScheduler: Lost executor 5 on n5: Container marked as failed: {_CONTAINER} on "
        "host: n5. Exit status: 137. Diagnostics: Container killed on request. Exit code is 137\n"
    )

    _, report = told_of(tmp_path, f"{lost}\n{_KERNELS['since 4'].format(program=program)}\n")

    assert f"The kernel killed {program}, {_SAYS}" in report


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Xmx1024m", "java took Xmx1024m for the name of the class"),
        ("1024m", "java took 1024m for the name of the class"),
        ("Demo.Main", "The class Demo.Main was not found"),
        ("org.example.Xms", "The class org.example.Xms was not found"),
    ],
)
def test_a_word_of_an_option_is_no_missing_class(name: str, says: str, tmp_path: Path) -> None:
    tail = f"Last 4096 bytes of stderr :\nError: Could not find or load main class {name}\n"

    _, report = told_of(tmp_path, _LAUNCH.format(code=1) + tail)

    assert says in report
    assert ("jar tf" in report) == says.startswith("The class")


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        ("Reducer preempted to make room for pending map attempts ", "to make room for map tasks"),
        ("", "nothing that was read says why"),
        ("[2024-03-01 10:00:00.123]", "nothing that was read says why"),
    ],
)
def test_a_reason_in_the_line_of_a_request_is_kept(reason: str, says: str, tmp_path: Path) -> None:
    text = (
        f"{_TASK_ID}KILLED\n{reason}Container killed by the ApplicationMaster.\n"
        "Container killed on request. Exit code is 143\n"
    )

    _, report = told_of(tmp_path, text)

    assert says in report


def test_what_a_master_runs_is_no_task_whatever_its_package(tmp_path: Path) -> None:
    listener = "org.apache.hadoop.mapred.TaskAttemptListenerImpl.statusUpdate(T.java:350)"
    text = f"java.lang.OutOfMemoryError: Java heap space\n\tat {listener}\n"

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["heap"]
    assert "yarn.app.mapreduce.am.command-opts" in report
    assert "mapreduce.map.java.opts" not in report


@pytest.mark.parametrize(
    ("error", "says"),
    [
        ("java.lang.IllegalArgumentException: no input", True),
        ("java.lang.OutOfMemoryError: Java heap space", False),
    ],
)
def test_what_an_application_of_spark_threw_is_quoted_with_whose_it_is(
    error: str, *, says: bool, tmp_path: Path
) -> None:
    text = (
        f"Application application_{_JOB} failed 2 times due to AM Container for "
        f"appattempt_{_JOB}_000002 exited with  exitCode: 13\n"
        f"Diagnostics: User class threw exception: {error}\n"
    )

    _, report = told_of(tmp_path, text)

    assert (f"threw what ended it: {error}" in report) == says
    assert ("yarn.app.mapreduce.am.resource.mb" in report) == (not says)


def test_why_a_master_was_never_started_is_quoted(tmp_path: Path) -> None:
    text = (
        f"Application application_{_JOB} failed 2 times due to AM Container for "
        f"appattempt_{_JOB}_000002 exited with  exitCode: -1000\n"
        "Diagnostics: Resource hdfs://nn/job.jar changed on src filesystem (expected 1, was 2)\n"
    )

    _, report = told_of(tmp_path, text)

    assert "behind the code: Resource hdfs://nn/job.jar changed on src filesystem" in report


@pytest.mark.parametrize(
    ("years", "kinds"), [(("2014", "2016"), ["not-memory"]), (("2016", "2016"), ["heap"])]
)
def test_of_two_ends_years_apart_the_last_is_told(
    years: tuple[str, str], kinds: list[str], tmp_path: Path
) -> None:
    yarn_child = "[main] org.apache.hadoop.mapred.YarnChild:"
    text = (
        f"{years[0]}-02-02 10:00:00,100 FATAL {yarn_child} Error running child : "
        "java.lang.OutOfMemoryError: Java heap space\n\tat com.example.M.map(M.java:40)\n"
        f"{years[1]}-02-02 10:00:00,100 WARN {yarn_child} Exception running child : "
        "java.io.FileNotFoundException: /user/x\n\tat com.example.M.setup(M.java:20)\n"
    )

    told, report = told_of(tmp_path, text)

    assert told == kinds
    assert ("an error of months before the last end is left out" in report) == (
        years[0] != years[1]
    )


@pytest.mark.parametrize("dots", ["...", "[...]", "\u2026", "[snip]"])
def test_dots_in_place_of_a_message_are_none(dots: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_TASK_ID}FAILED\n{dots}\n\nWhy is that?\n")

    assert "nothing that was read says why" in report
    assert "Why is that?" not in report.partition("GAPS")[0]


def test_of_a_program_of_either_side_both_containers_are_named(tmp_path: Path) -> None:
    text = (
        "Error: java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed with "
        "code 137\n\tat org.apache.hadoop.streaming.PipeMapRed.mapRedFinished(PipeMapRed.java:5)\n"
        "[9.1] Memory cgroup out of memory: Killed process 7 (ruby) total-vm:9kB, anon-rss:8kB\n"
    )

    _, report = told_of(tmp_path, text)

    assert "mapreduce.map.memory.mb or mapreduce.reduce.memory.mb" in report


_COUNT = "2024-03-01 09:59:5{0},000 INFO org.apache.hadoop.streaming.PipeMapRed: R/W/S={1}/{2}/0\n"
_LIMIT = {
    "of a file": "<property><name>mapred.child.ulimit</name><value>2097152</value></property>",
    "of a command": "-D mapred.child.ulimit=2097152",
    "of a sentence": "Our mapred.child.ulimit is 2097152, if that matters.",
    "of a side": "mapred.reduce.child.ulimit = 2097152",
}


@pytest.mark.parametrize("limit", _LIMIT)
def test_the_limit_of_a_program_and_what_went_through_its_pipe_are_said(
    limit: str, tmp_path: Path
) -> None:
    log = f"{_COUNT.format(1, 1000, 3)}{_COUNT.format(2, 250000, 7)}"
    text = f"{_PIPE.format(code=1)}\n{log}\nMemoryError\n\n{_LIMIT[limit]}\n"

    _, report = told_of(tmp_path, text)
    words = " ".join(report.split())

    assert "had handed over 250,000 records, and had read 7 of its output." in words
    assert "The text has mapred.child.ulimit, 2.0 GB of address space" in words
    assert "Which limit refused it is not known" not in words


def test_counts_of_several_tasks_and_two_limits_say_nothing(tmp_path: Path) -> None:
    log = f"{_COUNT.format(1, 250000, 7)}{_COUNT.format(2, 1000, 3)}"
    limits = f"{_LIMIT['of a file']}\nmapred.child.ulimit=4194304\n"

    _, report = told_of(tmp_path, f"{_PIPE.format(code=1)}\n{log}\nMemoryError\n\n{limits}")

    assert "had handed to the child is not known" in " ".join(report.split())
    assert "Which limit refused it is not known" in report


def test_a_program_of_hadoop_1_has_no_container(tmp_path: Path) -> None:
    old = _PIPE.format(code=1).replace(_JOB, "202403010900_0042")

    _, of_old = told_of(tmp_path, f"{old}\nMemoryError\n")
    _, of_new = told_of(tmp_path, f"{_PIPE.format(code=1)}\nMemoryError\n")

    assert "container has to hold it" not in " ".join(of_old.split())
    assert "container has to hold it" in " ".join(of_new.split())


@pytest.mark.parametrize(("code", "by_sender"), [(143, True), (1, False)])
def test_of_a_program_that_was_asked_to_end_the_sender_is_what_tells_why(
    code: int, *, by_sender: bool, tmp_path: Path
) -> None:
    frames = (
        "\tat org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads(PipeMapRed.java:325)\n"
        "\tat org.apache.hadoop.streaming.PipeMapRed.mapRedFinished(PipeMapRed.java:538)\n"
        "\tat org.apache.hadoop.streaming.PipeMapper.close(PipeMapper.java:130)\n"
        "\tat org.apache.hadoop.mapred.MapRunner.run(MapRunner.java:61)\n"
        "\tat org.apache.hadoop.streaming.PipeMapRunner.run(PipeMapRunner.java:34)\n"
        "\tat org.apache.hadoop.mapred.MapTask.runOldMapper(MapTask.java:455)\n"
    )

    error = f"PipeMapRed.waitOutputThreads(): subprocess failed with code {code}"
    _, report = told_of(tmp_path, f"java.lang.RuntimeException: {error}\n{frames}")

    assert ("the sender says why: read the NodeManager's log" in report) == by_sender
    assert ("read the program's standard error" in report) != by_sender
    assert "failed while it waited for the end of its child program" in report
    assert "in map()" not in report


_LOCAL = (
    "FAILED: Execution Error, return code {} from "
    "org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask\n"
)
_OPEN = "so this code leaves open whether memory was short"


@pytest.mark.parametrize(
    ("code", "is_open", "not_started"), [(1, True, True), (137, True, False), (2, False, False)]
)
def test_only_what_hive_caught_itself_tells_memory_from_other_errors_of_its_local_task(
    code: int, *, is_open: bool, not_started: bool, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, _LOCAL.format(code))

    assert (_OPEN in report) == is_open
    assert ("where it could not start it" in report) == not_started
    assert ("caught an error there that is none of memory" in report) != is_open
    assert "and not of memory" not in report


_WENT_WELL = (
    "{title}\n\n"
    "18/03/20 17:24:21 INFO mapreduce.Job:  map 100% reduce 0%\n"
    "18/03/20 17:24:22 INFO mapreduce.Job: Job job_1520000000000_0030 completed successfully\n"
    "18/03/20 17:24:22 INFO mapreduce.Job: Counters: 30\n"
    "\tShuffle Errors\n\t\tFailed Shuffles=0\n"
)
_BESIDE = "what failed is not that job, but a step after it"


def test_what_failed_beside_a_job_that_went_well_is_another_step(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, _WENT_WELL.format(title="# Our nightly copy to the mart failed."))
    _, of_sqoop = told_of(
        tmp_path, _WENT_WELL.format(title="sqoop import of the orders into hive fails every time")
    )

    assert f"job_1520000000000_0030 completed successfully: {_BESIDE}" in report
    assert '"Our nightly copy to the mart failed."' in report
    assert "Sqoop" not in report
    assert "Sqoop loads what it has imported into Hive after that job" in of_sqoop


@pytest.mark.parametrize(
    "title",
    [
        "hey, no failure here, just a sanity check of my memory",
        "Is it normal that three of my map attempts failed and ran again?",
        "Two nodes crashed while it ran, is the output whole?",
        "It failed before I raised the heap, now works",
        "How much smaller can these containers be?",
    ],
)
def test_a_job_that_went_well_is_left_at_that_where_nobody_says_that_it_failed(
    title: str, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, _WENT_WELL.format(title=title))

    assert _BESIDE not in report
    assert "did not fail" in report
