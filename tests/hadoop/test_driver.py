"""The user's command is redirected to the overlay, run, listened to and, if asked, interrupted."""

from __future__ import annotations

import errno
import os
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from mprof.errors import ClusterError, UsageError
from mprof.hadoop.driver import (
    DriverRun,
    announced_jobs,
    configured_folder,
    own_memory_error,
    redirected,
    run_driver,
)

OVERLAY = Path("/overlay")


def python(script: str) -> list[str]:
    return [sys.executable, "-u", "-c", script]


def run(script: str, lines: list[str] | None = None) -> object:
    return run_driver(
        python(script),
        environment=os.environ,
        on_line=(lines if lines is not None else []).append,
    )


@pytest.mark.parametrize("program", ["hadoop", "yarn", "/opt/hadoop/bin/hadoop"])
def test_a_hadoop_command_gets_the_overlay_as_its_configuration(program: str) -> None:
    command = redirected([program, "jar", "a.jar", "Main", "-Dx=y"], OVERLAY, bin_dir=None)

    assert command == [program, "--config", "/overlay", "jar", "a.jar", "Main", "-Dx=y"]


def test_a_configuration_that_the_command_names_is_replaced() -> None:
    command = redirected(
        ["hadoop", "--loglevel", "WARN", "--config", "/etc/x", "jar", "a.jar"],
        OVERLAY,
        bin_dir=None,
    )

    assert command == ["hadoop", "--config", "/overlay", "--loglevel", "WARN", "jar", "a.jar"]


def test_an_argument_of_the_job_that_looks_the_same_is_left_alone() -> None:
    argv = ["hadoop", "jar", "a.jar", "Main", "--config", "/job"]

    assert configured_folder(argv) is None
    assert redirected(argv, OVERLAY, bin_dir=None)[-2:] == ["--config", "/job"]


def test_the_embedded_cluster_answers_to_the_name_of_any_hadoop() -> None:
    command = redirected(["/opt/hadoop/bin/hadoop", "jar", "a"], OVERLAY, bin_dir=Path("/bin-dir"))

    assert command[0] == "/bin-dir/hadoop"


def test_a_script_is_run_as_it_is() -> None:
    assert redirected(["./run.sh", "x"], OVERLAY, bin_dir=Path("/b")) == ["./run.sh", "x"]


def test_no_command_is_a_usage_error() -> None:
    with pytest.raises(UsageError):
        redirected([], OVERLAY, bin_dir=None)


@pytest.mark.parametrize(
    ("line", "job"),
    [
        ("INFO impl.YarnClientImpl: Submitted application application_17_0003", "job_17_0003"),
        ("24/01/01 INFO mapreduce.Job: Running job: job_17_0004", "job_17_0004"),
        ("mapreduce.JobSubmitter: Submitting tokens for job: job_17_0005", "job_17_0005"),
        ("mapreduce.Job: Running job: job_local12_0001", "job_local12_0001"),
        ("comparing with job_17_0001 of yesterday", None),
    ],
)
def test_a_job_is_heard_of_in_the_lines_that_start_one(line: str, job: str | None) -> None:
    assert announced_jobs(line) == job


def test_both_streams_arrive_in_order_and_the_exit_code_is_kept() -> None:
    lines: list[str] = []

    done = run(
        "import sys\nprint('out 1')\nprint('err 2', file=sys.stderr)\nprint('out 3')\nsys.exit(7)",
        lines,
    )

    assert lines == ["out 1", "err 2", "out 3"]
    assert (done.exit_code, done.tail) == (7, ("out 1", "err 2", "out 3"))


def test_jobs_on_the_cluster_and_inside_the_driver_are_distinguished() -> None:
    done = run(
        "for j in ('17_0002', '17_0001', '17_0002', 'local9_0001'):\n"
        " print('INFO mapreduce.Job: Running job: job_' + j)"
    )

    assert done.jobs == ("job_17_0002", "job_17_0001")
    assert done.local_jobs == ("job_local9_0001",)


def test_a_job_that_runs_inside_its_application_master_is_reported_by_the_client() -> None:
    done = run(
        "for j, u in (('17_0001', 'false'), ('17_0002', 'true')):\n"
        " print(f'INFO mapreduce.Job: Job job_{j} running in uber mode : {u}')"
    )

    assert done.uber_jobs == ("job_17_0002",)


def test_bytes_that_are_no_text_do_not_stop_the_command() -> None:
    done = run("import sys; sys.stdout.buffer.write(b'a\\xff\\n')")

    assert (done.exit_code, done.tail) == (0, ("a\N{REPLACEMENT CHARACTER}",))


def test_the_command_runs_on_where_its_output_cannot_be_shown(tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    script = f"print(1)\nprint(2)\nopen({str(ended)!r}, 'x')\nraise SystemExit(7)"

    def full_disk(_line: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    done = run_driver(python(script), environment=os.environ, on_line=full_disk)

    assert ended.exists()
    assert (done.exit_code, done.tail) == (7, ("1", "2"))


def test_a_command_that_is_not_there_is_one_line() -> None:
    with pytest.raises(ClusterError, match="no-such-hadoop was not found"):
        run_driver(["no-such-hadoop"], environment={"PATH": "/bin"}, on_line=print)


def test_an_interrupt_reaches_the_command_and_is_raised_here(tmp_path: Path) -> None:
    noticed = tmp_path / "noticed"
    script = (
        "import time, pathlib\n"
        "try:\n print('ready'); time.sleep(60)\n"
        f"except KeyboardInterrupt: pathlib.Path({str(noticed)!r}).touch(); raise SystemExit(130)"
    )

    def interrupt_when_ready(line: str) -> None:
        if line == "ready":
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()

    # A shell starts what runs in the background with this signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    started = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            run_driver(python(script), environment=os.environ, on_line=interrupt_when_ready)
    finally:
        signal.signal(signal.SIGINT, before)

    assert noticed.exists()
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_the_command_is_being_started_ends_it_too(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)
            signal.raise_signal(number)

    monkeypatch.setattr("mprof.hadoop.driver.subprocess.Popen", Interrupted)
    monkeypatch.setattr("mprof.hadoop.driver._INTERRUPT_GRACE_SECONDS", 0.2)
    before = signal.signal(number, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_driver(python("import time; time.sleep(60)"), environment=os.environ, on_line=print)
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)
        for process in started:
            ended = process.poll()
            process.kill()
            process.wait()

    assert ended is not None


def test_after_an_interrupt_no_process_of_the_command_s_group_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # command, which ends at SIGINT -> child, which neither SIGINT nor SIGTERM ends
    monkeypatch.setattr("mprof.hadoop.driver._INTERRUPT_GRACE_SECONDS", 0.2)
    alive = tmp_path / "alive"  # open for writing as long as the child lives
    os.mkfifo(alive)
    child = (
        "import signal, time\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"held = open({str(alive)!r}, 'w')\n"
        "print('ready')\n"
        "time.sleep(60)"
    )
    script = (
        "import subprocess, time\n"
        "try:\n"
        f" subprocess.Popen({python(child)!r}); time.sleep(60)\n"
        "except KeyboardInterrupt: pass"
    )

    def interrupt_when_ready(line: str) -> None:
        if line == "ready":
            raise KeyboardInterrupt

    reading = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_driver(python(script), environment=os.environ, on_line=interrupt_when_ready)

        assert select.select([reading], [], [], 30)[0], "the child lives on"
        assert os.read(reading, 1) == b""
    finally:
        os.close(reading)


def test_a_process_left_in_a_session_of_its_own_is_not_waited_for_and_not_hurt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # command, which ends -> child, which keeps stdout open and prints more than a pipe holds
    monkeypatch.setattr("mprof.hadoop.driver._BACKGROUND_SECONDS", 0.2)
    go_on, alive = tmp_path / "go-on", tmp_path / "alive"
    os.mkfifo(go_on)
    os.mkfifo(alive)
    child = (
        "import os, select\n"
        f"select.select([os.open({str(go_on)!r}, os.O_RDWR)], [], [], 30)\n"
        "print('more ' * 100_000)\n"
        f"open({str(alive)!r}, 'w').write('alive')"
    )
    script = (
        f"import subprocess\nsubprocess.Popen({python(child)!r}, start_new_session=True)\n"
        "print('the last')\nimport os; os._exit(7)"
    )
    lines: list[str] = []
    reading = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
    try:
        done = run(script, lines)
        assert isinstance(done, DriverRun)
        assert (done.exit_code, done.tail) == (7, ("the last",))
        assert lines[:-1] == ["the last"]
        assert lines[-1].startswith("mprof: the command has ended, ")

        go_on.write_text("go on")
        assert select.select([reading], [], [], 30)[0], "the child was ended by its output"
        assert os.read(reading, 9) == b"alive"
    finally:
        os.close(reading)


def test_a_process_in_a_session_of_its_own_that_never_stops_printing_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mprof.hadoop.driver._BACKGROUND_SECONDS", 0.2)
    pid = tmp_path / "pid"
    script = (
        "import os, pathlib, subprocess\n"
        "yes = subprocess.Popen(['yes'], start_new_session=True)\n"
        f"pathlib.Path({str(pid)!r}).write_text(str(yes.pid))\nos._exit(7)"
    )
    try:
        done = run(script)
        assert isinstance(done, DriverRun)
        assert done.exit_code == 7
    finally:
        os.kill(int(pid.read_text()), signal.SIGKILL)


def test_what_the_command_starts_in_the_background_is_waited_for_because_it_may_submit_a_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # as of a script with `hadoop jar x.jar &` and no wait
    monkeypatch.setattr("mprof.hadoop.driver._BACKGROUND_SECONDS", 0.0)
    go_on = tmp_path / "go-on"
    os.mkfifo(go_on)
    child = (
        "import os, select\n"
        f"select.select([os.open({str(go_on)!r}, os.O_RDWR)], [], [], 30)\n"
        "print('Running job: job_1700000000000_0001')"
    )
    script = f"import os, subprocess\nsubprocess.Popen({python(child)!r}); os._exit(0)"
    lines: list[str] = []

    def see(line: str) -> None:
        lines.append(line)
        if line.startswith("mprof: the command has ended; waiting"):
            go_on.write_text("go on")

    done = run_driver(["/bin/sh", "-c", shlex.join(python(script))], environment=os.environ,
                      on_line=see)  # fmt: skip

    assert done.jobs == ("job_1700000000000_0001",)
    assert len(lines) == 2


def test_what_comes_shortly_after_the_end_of_the_command_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # as of `exec > >(tee log)`: the child prints once the command has closed the pipe between them
    monkeypatch.setattr("mprof.hadoop.driver._BACKGROUND_SECONDS", 60.0)
    child = "import sys; print(sys.stdin.read())"
    script = (
        f"import os, subprocess\ntee = subprocess.Popen({python(child)!r}, stdin=subprocess.PIPE)\n"
        "tee.stdin.write(b'late'); tee.stdin.flush(); os._exit(0)"
    )
    lines: list[str] = []

    run(script, lines)

    assert lines == ["late"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('Exception in thread "main" java.lang.OutOfMemoryError: GC overhead limit exceeded',
         "GC overhead limit exceeded"),
        ('Exception in thread "Thread-7" java.lang.OutOfMemoryError', "OutOfMemoryError"),
        ("Terminating due to java.lang.OutOfMemoryError: Java heap space", "Java heap space"),
        ("[main] ERROR grunt.Grunt - ERROR 2998: Unhandled internal error. Java heap space",
         "Java heap space"),
        ("Execution failed with exit status: 3 (Map local work exhausted memory)",
         "Java heap space"),
        # a task's, as Hadoop's client prints it
        ("Error: Java heap space", None),
        ("Error: java.lang.OutOfMemoryError: Java heap space", None),
        ("ERROR 2998: Unhandled internal error. name resolution", None),
        ('Exception in thread "main" java.io.IOException: Job failed!', None),
    ],
)  # fmt: skip
def test_an_out_of_memory_error_of_the_command_itself_is_told_from_a_task_s(
    line: str, says: str | None
) -> None:
    assert own_memory_error(line) == says


def test_what_the_command_itself_died_of_is_kept_though_much_was_printed_after_it() -> None:
    error = "java.lang.OutOfMemoryError: Java heap space"
    done = run(f"print('Exception in thread \"main\" {error}')\nfor n in range(999): print(n)")

    assert isinstance(done, DriverRun)
    assert done.memory_error == "Java heap space"
    assert not any("OutOfMemoryError" in line for line in done.tail)


_RUNNER = "07:05:58,156 WARN mapred.LocalJobRunner: job_local12_0001"
_PIG_RUNNER = "[Thread-23] WARN  org.apache.hadoop.mapred.LocalJobRunner - job_local12_0001"


@pytest.mark.parametrize("before", [_RUNNER, _PIG_RUNNER])
@pytest.mark.parametrize("wrapped", ["java.lang.Exception: ", ""])
def test_a_task_of_a_local_job_runs_out_of_the_memory_of_the_command(
    before: str, wrapped: str
) -> None:
    line = f"{wrapped}java.lang.OutOfMemoryError: Java heap space"

    done = run(f"print({before!r}); print({line!r})")

    assert isinstance(done, DriverRun)
    assert done.memory_error == "Java heap space"


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("Task failed task_17_0001_m_000000", "java.lang.OutOfMemoryError: Java heap space"),
        (_RUNNER, "java.lang.Exception: java.io.IOException: no space"),
        ("07:05:58 INFO mapred.LocalJobRunner: reduce > reduce",
         "java.lang.OutOfMemoryError: Java heap space"),
    ],
)  # fmt: skip
def test_an_error_that_no_local_job_has_died_of_is_not_the_command_s(
    before: str, line: str
) -> None:
    done = run(f"print({before!r}); print({line!r})")

    assert isinstance(done, DriverRun)
    assert done.memory_error is None
