"""An error that was caught is no death, whatever it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from mprof.trace import read_trace
from mprof.trace.read import reclassified

ATTEMPT = "attempt_1700000000000_0001_m_000001_0"
# Task.TaskReporter logs what it caught at INFO, and tries again (Hadoop 1.2 to 3.5)
CAUGHT = (
    "2024-03-01 10:01:02,424 INFO [communication thread] org.apache.hadoop.mapred.Task:"
    " Communication exception: java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
    "\tat org.apache.hadoop.mapred.Task$TaskReporter.run(Task.java:727)\n"
    "\tat java.lang.Thread.run(Thread.java:745)\n\n"
)
UNCAUGHT = (
    "2024-03-01 10:02:02,424 ERROR [main] org.apache.hadoop.mapred.YarnChild: Error running child"
    " : java.lang.OutOfMemoryError: Java heap space\n"
    "\tat com.example.Job.map(Job.java:7)\n\n"
)
DONE = "2024-03-01 10:03:03,100 INFO [main] org.apache.hadoop.mapred.Task: Task '{attempt}' done.\n"


def _died(folder: Path, syslog: str, name: str = ATTEMPT) -> str:
    attempt = folder / name
    attempt.mkdir()
    (attempt / "syslog").write_text(syslog)
    return read_trace(attempt).death.kind


@pytest.mark.parametrize("name", [ATTEMPT, "container_1700000000000_0001_01_000002"])
def test_a_task_that_says_it_is_done_has_not_died_of_what_it_caught(
    name: str, tmp_path: Path
) -> None:
    assert _died(tmp_path, CAUGHT + DONE.format(attempt=ATTEMPT), name) == "none"


@pytest.mark.parametrize(("later", "kind"), [("10:01:12", "gc-overhead"), ("10:01:42", "none")])
def test_what_is_caught_is_no_death_where_the_task_went_on_for_half_a_minute(
    later: str, kind: str, tmp_path: Path
) -> None:
    went_on = f"2024-03-01 {later},424 INFO [main] org.apache.hadoop.mapred.Merger: Merging\n"
    assert _died(tmp_path, CAUGHT + went_on) == kind


@pytest.mark.parametrize(
    ("caught", "kind"),
    [
        (CAUGHT, "gc-overhead"),
        (CAUGHT.replace("GC overhead limit exceeded", "Direct buffer memory"), "not-memory"),
        ("", "not-memory"),
    ],
)
def test_a_task_that_went_on_in_a_full_heap_to_its_timeout_died_of_memory(
    caught: str, kind: str, tmp_path: Path
) -> None:
    attempt = tmp_path / ATTEMPT
    attempt.mkdir()
    went_on = "2024-03-01 10:01:42,424 INFO [main] org.apache.hadoop.mapred.Merger: Merging\n"
    (attempt / "syslog").write_text(caught + went_on)
    timeout = f"AttemptID:{ATTEMPT} Timed out after 600 secs"

    death = reclassified(read_trace(attempt), diagnostics=timeout, state="FAILED").death

    assert death.kind == kind
    assert ("after it had caught" in death.evidence) is (kind != "not-memory")


def test_the_end_of_another_attempt_in_the_same_file_hides_no_death(tmp_path: Path) -> None:
    other = DONE.format(attempt="attempt_1700000000000_0001_m_000009_0")

    assert _died(tmp_path, UNCAUGHT + other) == "heap"
    assert _died(tmp_path, UNCAUGHT + other, name="logs") == "heap"


def test_a_job_that_prints_the_same_words_is_not_done(tmp_path: Path) -> None:
    said = f"2024-03-01 10:03:03,100 INFO [main] com.example.Task: Task '{ATTEMPT}' done.\n"
    trace = tmp_path / ATTEMPT
    trace.mkdir()
    (trace / "syslog").write_text(said)

    assert read_trace(trace).state is None
