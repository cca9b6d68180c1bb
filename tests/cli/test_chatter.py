"""On a terminal the routine lines of Hadoop's client become one; all else that is printed stays."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from mprof.cli.chatter import Chatter
from mprof.runs.kept_output import KeptOutput

AT = "2026-11-28 10:00:00,123"
# As Hadoop 3.4.3 and 2.10.2 print it with their own log4j.properties.
ROUTINE = (
    f"{AT} INFO client.DefaultNoHARMFailoverProxyProvider: Connecting to ResourceManager at h:1",
    f"{AT} INFO input.FileInputFormat: Total input files to process : 1",
    f"{AT} INFO mapreduce.JobSubmitter: number of splits:1",
    f"{AT} INFO mapreduce.JobSubmitter: Executing with tokens: []",
    f"{AT} INFO conf.Configuration: resource-types.xml not found",
    f"{AT} INFO impl.YarnClientImpl: Submitted application application_1_0001",
    f"{AT} INFO mapreduce.Job: Running job: job_1_0001",
    f"{AT} INFO mapreduce.Job:  map 67% reduce 20%",
    "26/11/28 10:00:00 INFO mapreduce.Job: Counters: 2",
    "\tFile System Counters",
    "\t\tFILE: Number of bytes read=0",
)
SHOWN = (
    "a line of the driver's own",
    "\ta line that begins with a tab",
    "",
    f"{AT} INFO example.MyDriver: 17 users were written",
    f"{AT} WARN mapreduce.JobResourceUploader: Hadoop command-line option parsing not performed.",
    f"{AT} ERROR mapreduce.Job: no",
    f"{AT} INFO mapreduce.Job: Task Id : attempt_1_0001_r_000000_0, Status : FAILED",
    "Error: Java heap space",
    f"{AT} INFO mapreduce.Job: Job job_1_0001 failed with state FAILED due to: Task failed",
    f"{AT} INFO mapreduce.JobX: of another class",
    f"prefix {AT} INFO mapreduce.Job: Running job: job_1_0002",
)


@pytest.mark.parametrize("line", SHOWN)
def test_what_is_no_routine_line_of_hadoops_client_is_shown(line: str) -> None:
    assert not Chatter().takes(line)


def test_routine_lines_are_taken_and_kept_and_tell_how_far_it_is() -> None:
    chatter = Chatter()

    assert all(chatter.takes(line) for line in ROUTINE)

    assert ROUTINE == chatter.kept()
    assert len(ROUTINE) == chatter.lines
    assert "map 67 %, reduce 20 %" == chatter.progress


def test_the_progress_of_one_command_is_none_of_the_next() -> None:
    chatter = Chatter()
    for line in ROUTINE:
        chatter.takes(line)

    chatter.begin()

    assert "" == chatter.progress
    assert len(ROUTINE) == chatter.lines


def test_the_counters_end_with_the_first_line_that_is_none() -> None:
    chatter = Chatter()
    seen = [chatter.takes(line) for line in (*ROUTINE[-3:], "own", "\tof the driver")]
    assert [True, True, True, False, False] == seen


OBSERVES = """
import sys
from mprof.cli import loudness
from mprof.cli.terminal import TerminalObserver
loudness._Chosen.loudness = loudness.Loudness[sys.argv[1]]
with TerminalObserver() as observer:
    observer.stage("running the job")
    for line in sys.stdin.read().splitlines():
        observer.output(line)
    if sys.argv[2] == "fails":
        raise ValueError
"""


def observed(loudness: str, end: str, *, on_terminal: bool) -> str:
    ours, theirs = pty.openpty() if on_terminal else os.pipe()
    environment = {**os.environ, "TERM": "dumb", "COLUMNS": "200"}
    with subprocess.Popen(
        [sys.executable, "-c", OBSERVES, loudness, end],
        stdin=subprocess.PIPE, stderr=theirs, text=True, env=environment,
    ) as process:  # fmt: skip
        os.close(theirs)
        process.communicate("\n".join((*ROUTINE, *SHOWN)), timeout=60)
    told = b""
    try:
        while piece := os.read(ours, 65_536):
            told += piece
    except OSError:  # the terminal has no other side any more
        pass
    os.close(ours)
    return told.decode()


@pytest.mark.parametrize(
    ("loudness", "on_terminal", "end", "are_shown"),
    [
        ("usual", True, "ends", False),
        ("quiet", True, "ends", False),
        ("all", True, "ends", True),
        ("usual", True, "fails", True),
        ("usual", False, "ends", True),
        ("quiet", False, "ends", True),
    ],
)
def test_routine_lines_are_left_out_on_a_terminal_where_all_went_well(
    loudness: str, on_terminal: bool, end: str, are_shown: bool
) -> None:
    told = observed(loudness, end, on_terminal=on_terminal)

    assert all(line in told for line in SHOWN if not line.startswith("\t"))
    assert all((line in told) is are_shown for line in ROUTINE if not line.startswith("\t"))
    said = f"{len(ROUTINE)} routine lines of Hadoop's client are not shown"
    assert (said in told) is (not are_shown and loudness == "usual")


def test_a_capture_keeps_all_that_was_printed(tmp_path: Path) -> None:
    kept = KeptOutput(tmp_path / "output.txt")
    for line in (*ROUTINE, *SHOWN):
        kept.add(line)
    kept.end(SHOWN)
    kept.close()
    assert [*ROUTINE, *SHOWN] == (tmp_path / "output.txt").read_text("utf-8").split("\n")[:-1]


def test_of_more_than_its_share_a_capture_keeps_the_first_and_the_last_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mprof.runs.kept_output._MOST_CHARACTERS", 20)
    kept = KeptOutput(tmp_path / "output.txt")
    lines = [f"line {number}" for number in range(10)]
    for line in lines:
        kept.add(line)
    kept.end(lines[-3:])
    kept.close()
    told = (tmp_path / "output.txt").read_text("utf-8").splitlines()
    assert [*lines[:2], "mprof: 5 lines were left out here", *lines[-3:]] == told


def test_a_full_disk_costs_the_copy_alone(tmp_path: Path) -> None:
    kept = KeptOutput(tmp_path / "no such folder" / "output.txt")
    kept.add("line")
    kept.end(["line"])
    kept.close()
