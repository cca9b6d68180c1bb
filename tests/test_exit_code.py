"""What the exit code of a process says of its end."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mprof.exit_code import end_in_words, signal_of


@pytest.mark.parametrize(
    ("code", "signal"),
    [(137, "SIGKILL"), (143, "SIGTERM"), (134, "SIGABRT"), (1, None), (128, None), (255, None)],
)
def test_an_exit_code_above_128_stands_for_a_signal(code: int, signal: str | None) -> None:
    assert signal_of(code) == signal


def test_a_process_that_a_signal_ended_is_told_with_its_signal() -> None:
    script = "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"

    code = subprocess.run([sys.executable, "-c", script], check=False).returncode

    assert end_in_words(code) == "was ended by a signal (SIGTERM)"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (3, "ended with exit code 3"),
        (137, "ended with exit code 137 (SIGKILL)"),
        (-999, "was ended by a signal (999)"),
    ],
)
def test_an_end_in_words(code: int, words: str) -> None:
    assert end_in_words(code) == words
