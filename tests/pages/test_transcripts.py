"""What a page says a command prints is what it prints, on the recordings of the checkout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from builders.commands import mprof
from pages.transcripts import Step, Transcript, lay_out, transcripts

RUN = tuple(
    each
    for each in transcripts()
    # It runs until it is ended; tests/cli/test_nodes.py follows files.
    if not any("--follow" in step.words for step in each.steps)
)


def test_there_are_transcripts() -> None:
    assert {"README.md", "docs/guides/triage.md"} <= {each.page for each in RUN}


@pytest.mark.slow
@pytest.mark.parametrize("transcript", RUN, ids=str)
def test_a_command_prints_what_its_page_says(transcript: Transcript, tmp_path: Path) -> None:
    lay_out(tmp_path)
    for step in transcript.steps:
        done = mprof(*step.words, cwd=tmp_path, env=os.environ | {"COLUMNS": "100"})
        assert done.returncode == 0, done.stderr
        assert step.is_printed_in(done.stdout), done.stdout


@pytest.mark.parametrize(
    ("printed", "output", "is_so"),
    [
        ("one\n  two", "one two three", True),
        ("one [...] three", "one two three four", True),
        ("one three", "one two three", False),
        ("two", "one two", False),
        ("one [...] five", "one two three", False),
        ("", "anything", True),
    ],
)
def test_what_is_printed_is_compared_word_by_word(printed: str, output: str, is_so: bool) -> None:
    assert is_so is Step(("report", "capture"), printed).is_printed_in(output)
