"""Progress that cannot be shown costs neither the job that is watched nor the exit code."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mprof.cli.terminal import TerminalObserver

FULL = "/dev/full"
# Descriptor 2 breaks between "up" and the line on stdin.
WATCHES = """
import importlib, os, sys
from mprof.cli.terminal import TerminalObserver
from mprof.hadoop.driver import run_driver
main = importlib.import_module("mprof.cli.main")
DRIVER = "print(1); print(2); raise SystemExit(7)"
def watch():
    with TerminalObserver() as observer:
        os.write(1, b"up\\n")
        sys.stdin.readline()
        observer.stage("running the job")
        command = [sys.executable, "-c", DRIVER]
        done = run_driver(command, environment=os.environ, on_line=observer.output)
        observer.progress("reading", 0.5)
    print(done.exit_code, *done.tail)
    return 5
main._run = watch
main.main()
"""


def test_a_stage_is_shown_as_it_is_whatever_brackets_its_files_have() -> None:
    """Rich takes brackets for markup: an unknown one is an error, a link is one of the terminal."""
    script = (
        "from mprof.cli.terminal import TerminalObserver\n"
        "with TerminalObserver() as observer:\n"
        "    observer.stage('reading [/nothing][link=file:///x]y')\n"
        "    observer.progress('[/other]', 0.5)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60,
        env={**os.environ, "TERM": "xterm", "FORCE_COLOR": "1", "COLUMNS": "200"},
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (0, "")
    assert "[/nothing][link=file:///x]y" in done.stderr
    assert "\x1b]8;" not in done.stderr


def _full_disk() -> tuple[int, Callable[[], None]]:
    return os.open(FULL, os.O_WRONLY), lambda: None


def _terminal() -> tuple[int, Callable[[], None]]:
    ours, theirs = pty.openpty()
    return theirs, lambda: os.close(ours)


def _pipe() -> tuple[int, Callable[[], None]]:
    read, write = os.pipe()
    return write, lambda: os.close(read)


@pytest.mark.parametrize(
    ("stderr", "is_colored"),
    [
        pytest.param(
            _full_disk,
            False,
            marks=pytest.mark.skipif(not Path(FULL).exists(), reason="there is no /dev/full"),
        ),
        (_terminal, False),
        (_pipe, False),
        (_pipe, True),  # drawn as on a terminal; rich ends a program whose pipe is broken
    ],
)
def test_the_driver_runs_on_where_progress_cannot_be_shown(
    stderr: Callable[[], tuple[int, Callable[[], None]]], is_colored: bool
) -> None:
    descriptor, break_it = stderr()
    environment = {**os.environ, "TERM": "xterm", **({"FORCE_COLOR": "1"} if is_colored else {})}
    with subprocess.Popen(
        [sys.executable, "-c", WATCHES],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=descriptor, text=True,
        env=environment, cwd=Path(__file__).parents[2],
    ) as process:  # fmt: skip
        os.close(descriptor)
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "up\n"
            break_it()
            out, _ = process.communicate("\n", timeout=60)
        finally:
            process.kill()

    assert (process.returncode, out) == (5, "7 1 2\n")


def test_the_time_left_is_told_once_a_pace_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("mprof.cli.terminal.time.monotonic", lambda: now[0])
    observer = TerminalObserver()
    told = []
    for seconds, share in ((0, 0.1), (2, 0.12), (10, 0.2), (84, 0.9), (5, 0.01), (5, 1.0)):
        now[0] += seconds
        told.append(observer._left(share))
    # 0.1 in 12 s: 0.8 take 96 s; 0.8 in 96 s: 0.1 takes 12 s; then another file begins
    assert ["", "", ", about 1 min 36 s left", ", about 12 s left", "", ""] == told
