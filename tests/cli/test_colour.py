"""Colour stands where a terminal is, and nowhere else; none with NO_COLOR."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COLOUR = re.compile(rb"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;\d+)*m")
VERBS = (("--help",), ("explain", "hotspot_key"), ("report", "cases/in-mem-word-count/evidence"))

PLAIN = (
    *VERBS, ("doctor",), ("cases", "list"), ("diagnose", "docs/samples/logs.txt"),
    ("heap", "--help"), ("completion", "bash"),
)  # fmt: skip
"""Verbs that must have none where it is not wanted; some of them have none anywhere."""


def printed(words: tuple[str, ...], *, on_terminal: bool, **variables: str) -> bytes:
    """All that a verb prints, on both of its streams."""
    plain = {name: value for name, value in os.environ.items() if name not in _OF_COLOUR}
    ours, theirs = pty.openpty() if on_terminal else os.pipe()
    with subprocess.Popen(
        [sys.executable, "-m", "mprof", *words], cwd=ROOT, stdout=theirs, stderr=theirs,
        env={**plain, "TERM": "xterm-256color", **variables},
    ):  # fmt: skip
        os.close(theirs)
        told = b""
        try:
            while piece := os.read(ours, 65_536):
                told += piece
        except OSError:  # the terminal has no other side any more
            pass
    os.close(ours)
    return told


_OF_COLOUR = ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "GITHUB_ACTIONS")


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_terminal_is_coloured(words: tuple[str, ...]) -> None:
    assert COLOUR.search(printed(words, on_terminal=True))


@pytest.mark.parametrize("words", PLAIN, ids=" ".join)
def test_no_color_is_heeded(words: tuple[str, ...]) -> None:
    told = printed(words, on_terminal=True, NO_COLOR="1")
    assert len(told) > 200
    assert not COLOUR.search(told)


@pytest.mark.parametrize("words", PLAIN, ids=" ".join)
def test_a_pipe_gets_text_alone(words: tuple[str, ...]) -> None:
    told = printed(words, on_terminal=False)
    assert len(told) > 200
    assert b"\x1b" not in told
