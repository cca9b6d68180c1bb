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
