"""A node whose memory is at its end: kills by the NodeManager's OOM handler, refused calls."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import attempt, container, dead, found, told_of

from mprof.report import render_findings

_AT = "2024-03-01 10:00:0{},123 WARN  resources.DefaultOOMHandler (DefaultOOMHandler.java:{}) - "


def _out_of_limits(number: int) -> str:
    return (
        f"{_AT.format(number, 'isContainerOutOfLimit(98)')}Container {container(number)} is out of "
        "its limits, using 3221225472 when requested only 2147483648\n"
    )


def _killed(number: int) -> str:
    return (
        f"{_AT.format(number, 'killContainer(252)')}container {container(number)} killed by "
        "elastic cgroups OOM handler.\n"
    )


# org.apache.hadoop.yarn...linux.resources.DefaultOOMHandler of 3.2 and of 3.1
KILLS = {
    "a kill alone": _killed(4),
    "what its candidates had taken, above it": _out_of_limits(3) + _out_of_limits(4) + _killed(4),
    "both in one line": (
        f"{_AT.format(4, 'killContainerIfOOM(120)')}Container {container(4)} was killed by elastic "
        "cgroups OOM handler using 3221225472 when requested only 2147483648\n"
    ),
}


@pytest.mark.parametrize("title", KILLS)
def test_a_kill_by_the_oom_handler_is_the_end_of_its_container(title: str, tmp_path: Path) -> None:
    file = tmp_path / "nm.txt"
    file.write_text(KILLS[title])

    findings = found(file)
    text = " ".join(render_findings(findings).split())

    assert [*dead(findings)] == [container(4)]
    assert "SIGKILL at once" in text
    assert "all containers of its node together" in text
    assert "nothing points to memory" not in text
    assert ("had taken 3.0 GB where 2.0 GB" in text) == ("using" in KILLS[title])


def test_exit_code_137_of_a_container_that_the_handler_killed_is_that(tmp_path: Path) -> None:
    _, text = told_of(
        tmp_path,
        f"Container {container(4)} marked as failed. Exit status: 137. Diagnostics: "
        f"[2024-03-01 10:00:05.969]Container killed on request. Exit code is 137\n{_killed(4)}",
    )

    assert "SIGKILL at once" in text
    assert "not by whom" not in text


def test_exit_code_137_of_another_is_likely_the_same(tmp_path: Path) -> None:
    failed = (
        f"24/03/01 10:00:05 INFO mapreduce.Job: Task Id : {attempt('r', 3, 2)}, Status : FAILED\n"
        "[2024-03-01 10:00:04.093]Container killed on request. Exit code is 137\n\n"
    )
    likely = "Exit code 137 of others on that node is likely the same"

    assert likely in told_of(tmp_path, failed + _killed(4))[1]
    assert likely not in told_of(tmp_path, failed)[1]


def test_a_write_that_was_refused_memory_is_shown_by_its_own_frames(tmp_path: Path) -> None:
    kinds, text = told_of(
        tmp_path,
        "2024-03-01 10:00:00,000 WARN [main] org.apache.hadoop.mapred.YarnChild: Exception running "
        "child : org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: merge failed\n"
        "\tat org.apache.hadoop.mapreduce.task.reduce.Shuffle.run(Shuffle.java:134)\n"
        "\tat org.apache.hadoop.mapred.ReduceTask.run(ReduceTask.java:376)\n"
        "Caused by: org.apache.hadoop.fs.FSError: java.io.IOException: Cannot allocate memory\n"
        "\tat org.apache.hadoop.mapred.IFile$Writer.close(IFile.java:155)\n"
        "\t... 2 more\n"
        "Caused by: java.io.IOException: Cannot allocate memory\n"
        "\tat java.io.FileOutputStream.writeBytes(Native Method)\n"
        "\tat java.io.FileOutputStream.write(FileOutputStream.java:326)\n"
        "\t... 3 more\n",
    )

    assert kinds == ["native"]
    assert "had no memory for java.io.FileOutputStream.writeBytes (ENOMEM)" in text
    assert "FAILING THREAD at java.io.FileOutputStream.writeBytes" in text
    assert "in the shuffle" in text
    for wrong in ("hs_err", "ulimit", "Windows"):
        assert wrong not in text


@pytest.mark.parametrize(
    "words", ["error=12, Cannot allocate memory", "java.io.IOException: error=12, Not enough space"]
)
def test_a_program_that_could_not_be_started_is_no_crash_of_the_jvm(
    words: str, tmp_path: Path
) -> None:
    text = (
        "mapreduce.map.java.opts=-Xmx5g\n"
        "Task Id : attempt_1740000000000_0004_m_000001_0, Status : FAILED\n"
        f'Error: java.io.IOException: Cannot run program "perl": {words}\n'
        "\tat java.lang.ProcessBuilder.start(ProcessBuilder.java:1048)\n"
        "\tat org.apache.hadoop.streaming.PipeMapRed.configure(PipeMapRed.java:209)\n"
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["native"]
    assert "so perl never ran; it is no error of the heap" in report
    assert "Its -Xmx5120m counts into that" in report
    assert "vm.overcommit_memory" in report
    assert "hs_err_pid" not in report


_NO_THREAD = (
    "Error: java.lang.OutOfMemoryError: unable to create new native thread\n"
    "\tat java.lang.Thread.start0(Native Method)\n"
    "\tat org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper.run(MultithreadedMapper.java:1)\n"
    "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:341)\n"
)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("$ ulimit -u\n2048", "ulimit -u = 2048: the limit of the user that ran"),
        (
            (
                "n4$ sudo -u mapred bash -c 'ulimit -u; ulimit -n'\n2048\n9999\n"
                "n4$ ps -L -u mapred | wc -l\n2011"
            ),
            "ulimit -u = 2048 and 2011 threads of a user",
        ),
        ("$ ulimit -u\n2048\n$ ps -u mapred -L | wc -l\n300", "the limit of the user that ran"),
        (
            (
                "# ps -eLf | awk '$1==\"mapred\"' | wc -l\n1020\n# grep processes /proc/7/limits\n"
                "Max processes             1024                 90000                processes"
            ),
            "ulimit -u = 1024 and 1020 threads of a user",
        ),
        ("$ ps -u mapred | wc -l\n300", ""),
    ],
)
def test_what_a_command_counts_is_read_from_its_answer(
    typed: str, said: str, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, f"{_NO_THREAD}\n{typed}\n")

    assert said in report
    assert ("The text shows ulimit -u" in report) == bool(said)
    assert "mapreduce.mapper.multithreadedmapper.threads says" in report


@pytest.mark.parametrize(
    ("folder", "is_usual"),
    [
        ("/tmp/hadoop-yarn/nm-local-dir", True),
        ("/data1/yarn/nm-local-dir", False),
        ("/x/local", False),
    ],
)
def test_the_folder_that_is_the_default_is_told(
    folder: str, *, is_usual: bool, tmp_path: Path
) -> None:
    text = (
        "Task Id : attempt_1740000000000_0004_m_000001_0, Status : FAILED\n"
        "Error: java.io.IOException: No space left on device\n\n"
        "2024-03-01 10:00:01,123 WARN org.apache.hadoop.yarn.server.nodemanager."
        f"DirectoryCollection: Directory {folder} error, used space above threshold of 90.0%, "
        "removing from list of valid directories\n"
    )

    _, report = told_of(tmp_path, text)

    assert f"took out of use, as it says: {folder}" in report
    assert ("names folders on larger disks instead, where it has some" in report) == is_usual


def test_what_took_a_container_is_not_followed_by_its_denial(tmp_path: Path) -> None:
    text = (
        "Container [pid=10,containerID=container_1740000000000_0004_01_000003] is running beyond "
        "physical memory limits. Current usage: 1.1 GB of 1 GB physical memory used; 3.0 GB of "
        "2.1 GB virtual memory used. Killing container.\n"
        "Dump of the process-tree for container_1740000000000_0004_01_000003 :\n"
        "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
        "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
        "\t|- 11 10 10 10 (java) 9 9 900000000 40000 /opt/java -Xmx300m "
        "org.apache.hadoop.mapred.YarnChild 10.1.1.2 1 attempt_1740000000000_0004_m_000001_0 6\n"
        "\t|- 12 11 10 10 (perl) 9 9 900000000 250000 perl tag.pl\n"
    )

    _, report = told_of(tmp_path, text)

    assert "Child processes took the memory of the container" in report
    assert "No cause is named" not in report


@pytest.mark.parametrize(
    ("threads", "is_most"), [("Threads:\t1900", True), ("Threads: 90", False), ("", False)]
)
def test_one_process_with_most_of_the_threads_of_its_user_is_named(
    threads: str, *, is_most: bool, tmp_path: Path
) -> None:
    _, report = told_of(
        tmp_path, f"{_NO_THREAD}\n$ grep Thr /proc/7/status\n{threads}\n$ ulimit -u\n2048\n"
    )
    words = " ".join(report.split())

    assert ("ulimit -u = 2,048 and 1,900 threads of one process" in words) == is_most
    assert ("nproc in /etc/security/limits.d" in words) != is_most
