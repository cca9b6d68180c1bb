"""Processes are found by their command lines."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from types import SimpleNamespace

import psutil
import pytest

from mprof.hadoop import processes


def test_a_process_is_found_while_it_lives_and_not_after() -> None:
    text = uuid.uuid4().hex
    with subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)", text]) as one:
        assert processes.wait_until(
            lambda: processes.with_command_line(text) == (one.pid,), seconds=5
        )
        assert processes.is_running(one.pid, containing=text)
        assert not processes.is_running(one.pid, containing=text + "x")

        # Nobody has waited for it yet: it is a zombie, and that does not count as running.
        processes.terminate((one.pid,), grace_seconds=5)

        assert processes.with_command_line(text) == ()
        assert not processes.is_running(one.pid, containing="")


def test_a_process_that_does_not_listen_is_killed() -> None:
    text = uuid.uuid4().hex
    deaf = (
        "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-S", "-c", deaf, text], stdout=subprocess.PIPE) as one:
        assert one.stdout is not None
        one.stdout.readline()

        processes.terminate((one.pid,), grace_seconds=0.2)

        assert one.wait(timeout=5) == -9


def test_this_process_is_not_among_those_to_be_ended() -> None:
    own = processes._command_lines()[os.getpid()]

    assert os.getpid() not in processes.with_command_line(own)


def test_a_process_that_is_about_to_become_another_program_is_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the middle of exec() a process has no command line, as a zombie has none."""
    listed = [
        SimpleNamespace(pid=pid, cmdline=list, status=lambda state=state: state)
        for pid, state in ((17, psutil.STATUS_RUNNING), (18, psutil.STATUS_ZOMBIE))
    ]
    monkeypatch.setattr(psutil, "process_iter", lambda: listed)

    running = [pid for pid in (17, 18, 19) if processes.is_running(pid, containing="")]

    assert running == [17]
    assert processes.with_command_line("sh") == ()
