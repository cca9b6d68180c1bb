"""Finds processes by their command lines, from ``/proc`` or else from ``ps``."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["is_running", "terminate", "wait_until", "with_command_line"]

_PROC = Path("/proc")


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


def wait_until(condition: Callable[[], bool], *, seconds: float, every: float = 0.05) -> bool:
    """Wait until the condition holds; False if it does not within ``seconds``."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True


def _any_alive(pids: tuple[int, ...]) -> bool:
    lines = _command_lines()
    return any(pid in lines for pid in pids)


def _command_lines() -> dict[int, str]:
    """Command line of each process but zombies; empty for a moment in one that calls exec()."""
    if not (_PROC / "self" / "cmdline").exists():
        return _command_lines_of_ps()
    lines = {}
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            # A process may exit between listing and reading.
            with contextlib.suppress(OSError):
                raw = (folder / "cmdline").read_bytes()
                if raw or not _is_zombie(folder):
                    lines[int(folder.name)] = raw.replace(b"\0", b" ").decode(errors="replace")
    return lines


def _is_zombie(folder: Path) -> bool:
    # The program's name, in brackets, may hold any character; the state follows it.
    return (folder / "stat").read_bytes().rpartition(b")")[2].split()[:1] == [b"Z"]


def _command_lines_of_ps() -> dict[int, str]:
    listing = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,stat=,args="], capture_output=True, text=True, check=False
    ).stdout
    lines = {}
    for row in listing.splitlines():
        pid, state, *rest = row.split(None, 2)
        if rest and not state.startswith("Z"):
            lines[int(pid)] = rest[0]
    return lines
