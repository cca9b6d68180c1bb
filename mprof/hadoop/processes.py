"""Which processes run, told by their command lines, on Linux and where there is only ``ps``."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["end", "mentioning", "runs", "wait_until"]

_PROC = Path("/proc")


def runs(pid: int, *, mentioning: str) -> bool:
    """Whether that process lives and its command line mentions the text (a pid may be reused)."""
    line = _command_lines().get(pid)
    return line is not None and mentioning in line


def mentioning(text: str) -> tuple[int, ...]:
    """The processes, this one excepted, whose command line mentions the text."""
    own = os.getpid()
    return tuple(pid for pid, line in _command_lines().items() if text in line and pid != own)


def end(pids: tuple[int, ...], *, grace_seconds: float) -> None:
    """Ask the processes to end, then kill those that are left."""
    for number, seconds in ((signal.SIGTERM, grace_seconds), (signal.SIGKILL, 2.0)):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        if wait_until(lambda: not _any_alive(pids), seconds=seconds):
            return


def wait_until(condition: Callable[[], bool], *, seconds: float, every: float = 0.05) -> bool:
    """Whether the condition came true in that time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True


def _any_alive(pids: tuple[int, ...]) -> bool:
    lines = _command_lines()
    return any(lines.get(pid) for pid in pids)


def _command_lines() -> dict[int, str]:
    """Command line of each living process; a zombie has an empty one and does not count."""
    if not (_PROC / "self" / "cmdline").exists():
        return _command_lines_of_ps()
    lines = {}
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            # A process may end between the listing and the reading.
            with contextlib.suppress(OSError):
                raw = (folder / "cmdline").read_bytes()
                if raw:
                    lines[int(folder.name)] = raw.replace(b"\0", b" ").decode(errors="replace")
    return lines


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
