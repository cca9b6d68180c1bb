"""Running the user's command: where its configuration comes from, and what it prints."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mprof.errors import ClusterError, UsageError

__all__ = ["DriverRun", "announced_jobs", "configured_folder", "redirected", "run_driver"]

_TAIL_LINES = 400
_INTERRUPT_GRACE_SECONDS = 10.0
_COMMANDS = frozenset({"hadoop", "yarn", "mapred"})

# org.apache.hadoop.yarn.client.api.impl.YarnClientImpl.submitApplication,
# org.apache.hadoop.mapreduce.Job.monitorAndPrintJob,
# org.apache.hadoop.mapreduce.JobSubmitter.printTokens (also without monitoring).
_ANNOUNCED = re.compile(
    r"(?:Submitted application application_|Running job: job_|Submitting tokens for job: job_)"
    r"(local)?(\d+_\d+)"
)
_UBER = re.compile(r"Job (job_\d+_\d+) running in uber mode : true")  # Job.monitorAndPrintJob


@dataclass(frozen=True, slots=True)
class DriverRun:
    """What came of a command.

    Attributes:
        exit_code: negative signal number if a signal ended it.
        seconds: how long it ran.
        tail: its last lines.
        jobs: the cluster's jobs its output speaks of, in order.
        local_jobs: those that ran inside it.
        uber_jobs: those of the cluster's that ran inside their application master, as far as the
            command waited for them. If the master dies, nothing else tells of it.
    """

    exit_code: int
    seconds: float
    tail: tuple[str, ...]
    jobs: tuple[str, ...]
    local_jobs: tuple[str, ...]
    uber_jobs: tuple[str, ...]


def configured_folder(argv: Sequence[str]) -> Path | None:
    """The folder a ``hadoop --config DIR ...`` command names, or None.

    >>> configured_folder(["hadoop", "--config", "/etc/x", "jar", "a.jar"])
    PosixPath('/etc/x')
    """
    at = _config_option(argv)
    return Path(argv[at + 1]) if at is not None else None


def redirected(argv: Sequence[str], overlay: Path, *, bin_dir: Path | None) -> list[str]:
    """The command with the overlay as its configuration.

    Only ``hadoop``, ``yarn`` and ``mapred`` know ``--config``; anything else, a script for one, is
    left as it is and finds the overlay in its environment.

    Args:
        argv: the user's command.
        overlay: the overlay folder.
        bin_dir: the embedded cluster's commands, which take the place of those of that name.
    """
    if not argv:
        raise UsageError("no command was given", next_step="end the line with -- hadoop jar ...")
    name = Path(argv[0]).name
    if name not in _COMMANDS:
        return list(argv)
    at = _config_option(argv)
    rest = list(argv[1:]) if at is None else [*argv[1:at], *argv[at + 2 :]]
    program = str(bin_dir / name) if bin_dir is not None else argv[0]
    return [program, "--config", str(overlay), *rest]


def announced_jobs(line: str) -> str | None:
    """The job a line of a client's log speaks of, local ones included.

    >>> announced_jobs("INFO impl.YarnClientImpl: Submitted application application_17_0001")
    'job_17_0001'
    """
    found = _ANNOUNCED.search(line)
    return f"job_{found.group(1) or ''}{found.group(2)}" if found else None


def run_driver(
    argv: Sequence[str], *, environment: Mapping[str, str], on_line: Callable[[str], None]
) -> DriverRun:
    """Run the command to its end, its two output streams in the order in which they come.

    An interrupt (Ctrl-C) is passed on to the command, which gets some seconds to end, and raised.

    Args:
        argv: the command, already redirected.
        environment: all of its environment.
        on_line: told each line.

    Raises:
        ClusterError: if there is no such command.
    """
    program = shutil.which(argv[0], path=environment.get("PATH"))
    if program is None:
        raise ClusterError(
            f"the command {argv[0]} was not found",
            next_step="put it on the PATH, or add --embedded to use the embedded cluster"
            if argv[0] in _COMMANDS
            else "check how it is spelled, or put it on the PATH",
        )
    started = time.monotonic()
    tail: deque[str] = deque(maxlen=_TAIL_LINES)
    seen: dict[str, None] = {}
    uber: dict[str, None] = {}
    with subprocess.Popen(
        [program, *argv[1:]],
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        # A group of its own: the terminal's Ctrl-C reaches us alone, and we pass it on once.
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None  # noqa: S101  asked for above
            for raw in process.stdout:
                line = raw.rstrip("\n")
                tail.append(line)
                job = announced_jobs(line)
                if job is not None:
                    seen[job] = None
                if (found := _UBER.search(line)) is not None:
                    uber[found[1]] = None
                on_line(line)
            exit_code = process.wait()
        except BaseException:
            _end_group(process)
            raise
    return DriverRun(
        exit_code=exit_code,
        seconds=time.monotonic() - started,
        tail=tuple(tail),
        jobs=tuple(job for job in seen if not job.startswith("job_local")),
        local_jobs=tuple(job for job in seen if job.startswith("job_local")),
        uber_jobs=tuple(uber),
    )


def _config_option(argv: Sequence[str]) -> int | None:
    """Where ``--config`` stands; it counts only before the sub-command."""
    if not argv or Path(argv[0]).name not in _COMMANDS:
        return None
    at = 1
    while at + 1 < len(argv) and argv[at].startswith("--"):
        if argv[at] == "--config":
            return at
        at += 2 if argv[at] in {"--loglevel", "--workers", "--hostnames", "--hosts"} else 1
    return None


def _end_group(process: subprocess.Popen[str]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_INTERRUPT_GRACE_SECONDS)
            return
