"""Calls ``mprof`` as a shell does, without the second that each process takes to import it.

A call is a process of its own, forked from one that has imported the program. What is tested of the
start itself, and of signals and terminals, calls the interpreter.
"""

from __future__ import annotations

import atexit
import os
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess

from builders.command_server import Job, Server

__all__ = ["mprof"]

ROOT = Path(__file__).parents[2]
LONGEST_S = 300.0


def mprof(
    *words: object, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> CompletedProcess[str]:
    """Run a command line to its end.

    Args:
        words: behind ``mprof``.
        cwd: where.
        env: its environment; by default that of the tests.
    """
    words = tuple(map(str, words))
    with tempfile.TemporaryDirectory() as scratch:
        job = Job(
            words, str(cwd), scratch, seconds=LONGEST_S,
            environment=os.environ.copy() if env is None else env,
        )  # fmt: skip
        ended = _server().run(job)
    assert not ended.hung, f"mprof {' '.join(words)} did not end in {LONGEST_S} s"
    return CompletedProcess(
        ["mprof", *words], ended.code, ended.stdout.decode(), ended.stderr.decode()
    )


@cache
def _server() -> Server:
    server = Server(())
    atexit.register(server.close)
    return server
