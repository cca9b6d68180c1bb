"""Starts small Java programs with the real agent jar."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).parents[1] / "agent/programs"
ATTEMPT = "attempt_1763712000000_0007_m_000003_0"


@dataclass(frozen=True, slots=True)
class Result:
    """What a program printed and how it ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Jvm:
    """Starts programs with the agent.

    Attributes:
        java: the JVM.
        jar: the agent.
        classes: the compiled programs.
        folder: where the agent writes, unless told otherwise.
        heap: ``-Xmx``.
        attempt: the attempt id on the command line, where tasks have theirs.
    """

    java: Path
    jar: Path
    classes: Path
    folder: Path
    heap: str = "64m"
    attempt: str = ATTEMPT

    def command(
        self,
        program: str,
        *arguments: str,
        settings: str | None = None,
        options: tuple[str, ...] = (),
    ) -> list[str]:
        told = f"dir={self.folder}" if settings is None else settings
        if "disk.percent" not in told:  # the disk of whoever runs the tests may be full
            told += ",disk.percent=100"
        agent = f"-javaagent:{self.jar}={told}"
        classpath = f"{self.classes}"
        return [
            *(str(self.java), f"-Xmx{self.heap}", "-XX:+UseSerialGC", *options, agent),
            *("-cp", classpath, program, *arguments, self.attempt),
        ]

    def run(
        self,
        program: str,
        *arguments: str,
        settings: str | None = None,
        options: tuple[str, ...] = (),
        cwd: Path | None = None,
        timeout: float = 60,
        **environment: str,
    ) -> Result:
        done = subprocess.run(
            self.command(program, *arguments, settings=settings, options=options),
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=cwd or self.folder.parent,
            env={**os.environ, **environment},
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def running(self, program: str, *, until: str) -> Iterator[subprocess.Popen[str]]:
        """A program that has printed ``until``; killed at the end if it still runs."""
        child = subprocess.Popen(
            self.command(program), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            assert child.stdout is not None
            assert child.stdout.readline().strip() == until
            yield child
        finally:
            if child.poll() is None:
                child.send_signal(signal.SIGKILL)
            child.wait()
            assert child.stdout is not None
            child.stdout.close()
