"""Runs the user's command with an overlay configuration, and reads the job ids it prints."""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import select
import shutil
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mprof.errors import ClusterError, UsageError
from mprof.hadoop.interrupts import HeldInterrupts
from mprof.hadoop.processes import wait_until

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = [
    "DriverRun",
    "announced_jobs",
    "configured_folder",
    "own_memory_error",
    "redirected",
    "run_driver",
]

_TAIL_LINES = 400
_INTERRUPT_GRACE_SECONDS = 10.0
_BACKGROUND_SECONDS = 2.0  # a `tee` behind the command ends after it
_LOOK_SECONDS = 0.5  # between two looks whether the command has ended; its output mostly ends then
_PIPE_BYTES = 65_536  # what a pipe holds at most, pipe(7)
_NOT_READ = (
    "mprof: the command has ended, and the output of what it left running in a session of its own "
    "is no longer read"
)
_WAITS = (
    "mprof: the command has ended; waiting for what it left running in the background, which may "
    "submit a job"
)
_COMMANDS = frozenset({"hadoop", "yarn", "mapred"})

# org.apache.hadoop.yarn.client.api.impl.YarnClientImpl.submitApplication,
# org.apache.hadoop.mapreduce.Job.monitorAndPrintJob,
# org.apache.hadoop.mapreduce.JobSubmitter.printTokens (also without monitoring).
_ANNOUNCED = re.compile(
    r"(?:Submitted application application_|Running job: job_|Submitting tokens for job: job_)"
    r"(local)?(\d+_\d+)"
)
# What is printed where the command's own JVM runs out of memory: an uncaught error, the JVM's flag
# ExitOnOutOfMemoryError, org.apache.pig.tools.grunt.Grunt, Hive's MapredLocalTask. A task that
# failed is printed by Hadoop's client as "Error: Java heap space", which is none of these.
_OWN_FAILURE = re.compile(
    r"(?:^Exception in thread .*?java\.lang\.OutOfMemoryError"
    r"|Terminating due to java\.lang\.OutOfMemoryError"
    r"|ERROR 2998: Unhandled internal error\.(?= ?(?:Java heap space|GC overhead limit exceeded))"
    r"|(?P<local>Map local work exhausted memory))(?:: | )?(?P<says>.*)"
)
# A task of a local job shares the JVM of the command: org.apache.hadoop.mapred.LocalJobRunner logs
# the job's id with the error, wrapped by the thread pool of its tasks or as it is.
_LOCAL_RUNNER = re.compile(r"LocalJobRunner\b.*job_local\d+_\d+$")
_LOCAL_FAILURE = re.compile(
    r"^(?:java\.lang\.Exception: )?java\.lang\.OutOfMemoryError(?:: (?P<says>.*))?$"
)
_UBER = re.compile(r"Job (job_\d+_\d+) running in uber mode : true")  # Job.monitorAndPrintJob


@dataclass(frozen=True, slots=True)
class DriverRun:
    """The result of a command.

    Attributes:
        exit_code: the exit code; the negative signal number if a signal ended it.
        jobs: jobs on the cluster that its output names, in order.
        local_jobs: jobs that its output names and that ran inside the command.
        uber_jobs: those of ``jobs`` whose tasks ran inside the application master, as far as the
            command waited for them. If the application master dies, this is the only source.
        memory_error: message of the OutOfMemoryError that the command itself printed; None if it
            did not.
    """

    exit_code: int
    tail: tuple[str, ...]
    jobs: tuple[str, ...]
    local_jobs: tuple[str, ...]
    uber_jobs: tuple[str, ...]
    memory_error: str | None = None


def configured_folder(argv: Sequence[str]) -> Path | None:
    """The folder a ``hadoop --config DIR ...`` command names, or None.

    >>> configured_folder(["hadoop", "--config", "/etc/x", "jar", "a.jar"])
    PosixPath('/etc/x')
    """
    at = _config_option(argv)
    return Path(argv[at + 1]) if at is not None else None


def redirected(argv: Sequence[str], overlay: Path, *, bin_dir: Path | None) -> list[str]:
    """The command with the overlay as its configuration.

    Only ``hadoop``, ``yarn`` and ``mapred`` accept ``--config``; any other command, such as a
    script, is left unchanged and finds the overlay through its environment.

    Args:
        argv: the user's command.
        overlay: the overlay folder.
        bin_dir: folder of the embedded cluster's commands, which replace those of the same name.
    """
    if not argv:
        raise UsageError(
            "no command was given",
            next_step="put it after two dashes: -- hadoop jar JOB.jar MAIN ARGS",
        )
    name = Path(argv[0]).name
    if name not in _COMMANDS:
        return list(argv)
    at = _config_option(argv)
    rest = list(argv[1:]) if at is None else [*argv[1:at], *argv[at + 2 :]]
    program = str(bin_dir / name) if bin_dir is not None else argv[0]
    return [program, "--config", str(overlay), *rest]


def announced_jobs(line: str) -> str | None:
    """The job id in a line of a client's log, including ids of local jobs.

    >>> announced_jobs("INFO impl.YarnClientImpl: Submitted application application_17_0001")
    'job_17_0001'
    """
    found = _ANNOUNCED.search(line)
    return f"job_{found.group(1) or ''}{found.group(2)}" if found else None


def own_memory_error(line: str, *, after: str = "") -> str | None:
    """The message of an OutOfMemoryError of the command's own JVM in a line of its output.

    Args:
        line: the line.
        after: the line before it.

    >>> own_memory_error('Exception in thread "main" java.lang.OutOfMemoryError: Java heap space')
    'Java heap space'
    """
    found = _OWN_FAILURE.search(line)
    if found is None and _LOCAL_RUNNER.search(after):
        found = _LOCAL_FAILURE.search(line)
        return found and (found["says"] or "OutOfMemoryError")
    if found is None:
        return None
    says = "Java heap space" if found["local"] else found["says"].strip()
    return says or "OutOfMemoryError"


def run_driver(
    argv: Sequence[str],
    *,
    environment: Mapping[str, str],
    on_line: Callable[[str], None],
    entrance: Path | None = None,
) -> DriverRun:
    """Run the command to its end, with stderr merged into stdout.

    An interrupt (Ctrl-C) is passed on to the command and to all processes of its group, which get
    some seconds to end, and then raised again. What the command leaves running in the background
    is waited for, because it may submit jobs; in a session of its own (a daemon, which keeps the
    output open) it is read for some seconds more, and runs on.

    Args:
        argv: the command, already redirected.
        environment: its complete environment.
        on_line: called with each line it prints. Where that raises an OSError, as on a full disk,
            the line is not shown and the command runs on.
        entrance: a program that becomes the command, in the network of the embedded cluster.

    Raises:
        ClusterError: if the command does not exist.
    """
    program = shutil.which(argv[0], path=environment.get("PATH"))
    if program is None:
        raise ClusterError(
            f"the command {argv[0]} was not found",
            next_step="put it on the PATH, or add --embedded to use the embedded cluster"
            if argv[0] in _COMMANDS
            else "check its spelling, or put it on the PATH",
        )
    tail: deque[str] = deque(maxlen=_TAIL_LINES)
    seen: dict[str, None] = {}
    uber: dict[str, None] = {}
    memory_error: str | None = None
    before = ""
    with (
        HeldInterrupts() as interrupts,
        subprocess.Popen(
            [*([str(entrance)] if entrance is not None else []), program, *argv[1:]],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            # Its own process group: the terminal sends Ctrl-C to mprof only, which passes it on.
            start_new_session=True,
        ) as process,
    ):
        try:
            interrupts.release()
            output = _Output(process, lambda: _show(on_line, _WAITS))
            text = io.TextIOWrapper(io.BufferedReader(output), encoding="utf-8", errors="replace")
            for raw in text:
                line = raw.rstrip("\n")
                tail.append(line)
                job = announced_jobs(line)
                if job is not None:
                    seen[job] = None
                if (found := _UBER.search(line)) is not None:
                    uber[found[1]] = None
                memory_error = own_memory_error(line, after=before) or memory_error
                before = line
                _show(on_line, line)
            if output.is_cut:
                _drain(process)
                _show(on_line, _NOT_READ)
            exit_code = process.wait()
        except BaseException:
            _end_group(process)
            raise
    return DriverRun(
        exit_code=exit_code,
        tail=tuple(tail),
        jobs=tuple(job for job in seen if not job.startswith("job_local")),
        local_jobs=tuple(job for job in seen if job.startswith("job_local")),
        uber_jobs=tuple(uber),
        memory_error=memory_error,
    )


def _show(on_line: Callable[[str], None], line: str) -> None:
    with contextlib.suppress(OSError):  # the job must not die of how it is shown
        on_line(line)


class _Output(io.RawIOBase):
    """What a command prints, to the end of its output, or to its group's end and a little longer.

    Args:
        process: the command, the leader of its group.
        on_wait: called once where the command has ended and its group goes on.
    """

    def __init__(self, process: subprocess.Popen[bytes], on_wait: Callable[[], None]) -> None:
        assert process.stdout is not None  # noqa: S101  a pipe was asked for
        self.is_cut = False  # another process may still print
        self._process = process
        self._on_wait: Callable[[], None] | None = on_wait
        self._descriptor = process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)
        self._ended_s = self._deadline_s = math.inf
        self._left_bytes = _PIPE_BYTES  # to be read after the deadline: it was there before

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        if not self._is_ready() or self._left_bytes <= 0:
            self.is_cut = True
            return 0
        count = os.readv(self._descriptor, [buffer])
        if time.monotonic() >= self._deadline_s:
            self._left_bytes -= count
        return count

    def _is_ready(self) -> bool:
        """Wait until there is something to read, or the end; False once the time is over."""
        while True:
            if self._deadline_s == math.inf and self._process.poll() is not None:
                self._look_at_group(time.monotonic())
            left_s = max(0.0, self._deadline_s - time.monotonic())
            if self._poll.poll(min(left_s, _LOOK_SECONDS) * 1000):
                return True
            if left_s == 0:
                return False

    def _look_at_group(self, now_s: float) -> None:
        self._ended_s = min(self._ended_s, now_s)
        if not _is_any_left(self._process):
            self._deadline_s = now_s + _BACKGROUND_SECONDS
        elif self._on_wait is not None and now_s - self._ended_s >= _BACKGROUND_SECONDS:
            self._on_wait()
            self._on_wait = None


def _drain(process: subprocess.Popen[bytes]) -> None:
    """Leave a reader behind, which ends with the last writer: a closed pipe would end those."""
    with contextlib.suppress(OSError):
        subprocess.run(
            # A shell gives what it starts in the background another stdin.
            ["/bin/sh", "-c", "{ cat <&3 & } 3<&0"],
            stdin=process.stdout,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            check=False,
        )


def _config_option(argv: Sequence[str]) -> int | None:
    """Index of ``--config`` in a Hadoop command; it is valid only before the subcommand."""
    if not argv or Path(argv[0]).name not in _COMMANDS:
        return None
    at = 1
    while at + 1 < len(argv) and argv[at].startswith("--"):
        if argv[at] == "--config":
            return at
        at += 2 if argv[at] in {"--loglevel", "--workers", "--hostnames", "--hosts"} else 1
    return None


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the command and the processes of its group, by SIGKILL after two grace periods."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        if wait_until(lambda: not _is_any_left(process), seconds=_INTERRUPT_GRACE_SECONDS):
            return


def _is_any_left(process: subprocess.Popen[bytes]) -> bool:
    """Whether there is a process of the command's group that this one may end."""
    process.poll()  # until it is waited for, the command itself is one of them
    try:
        os.killpg(process.pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
