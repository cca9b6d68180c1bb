"""Finds processes by their command lines."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable

__all__ = ["is_running", "terminate", "wait_until", "with_command_line"]


def is_running(pid: int, *, containing: str) -> bool:
    """Whether the process exists and its command line contains the text (pids are reused)."""
    line = _command_lines().get(pid)
    return line is not None and containing in line


def with_command_line(text: str) -> tuple[int, ...]:
    """The processes other than this one whose command line contains the text."""
    own = os.getpid()
    return tuple(pid for pid, line in _command_lines().items() if text in line and pid != own)


def terminate(pids: tuple[int, ...], *, grace_seconds: float) -> None:
    """Send SIGTERM to the processes, and SIGKILL to those that remain after the grace period."""
    for number, seconds in ((signal.SIGTERM, grace_seconds), (signal.SIGKILL, 2.0)):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        if wait_until(lambda: not _any_alive(pids), seconds=seconds):
            return


def wait_until(condition: Callable[[], bool], *, seconds: float) -> bool:
    """Wait until the condition holds; False if it does not within ``seconds``."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _any_alive(pids: tuple[int, ...]) -> bool:
    lines = _command_lines()
    return any(pid in lines for pid in pids)


def _command_lines() -> dict[int, str]:
    """Command line of each process but zombies; empty for a moment in one that calls exec()."""
    import psutil  # here: most verbs look at no process

    lines = {}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):  # it may exit between listing and reading
            words = process.cmdline()
            if words or process.status() != psutil.STATUS_ZOMBIE:
                lines[process.pid] = " ".join(words)
    return lines
