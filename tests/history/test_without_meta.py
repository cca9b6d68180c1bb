"""Histories of MapReduce 1 whose first line is missing, and those that never had one."""

from __future__ import annotations

from pathlib import Path

import pytest

from mprof.history import read_history

LINES = (
    'Job JOBID="job_201301010000_0001" JOBNAME="nightly" USER="ops" SUBMIT_TIME="1356998400000"',
    'Task TASKID="task_201301010000_0001_m_000000" TASK_TYPE="MAP" START_TIME="1356998405000"',
    (
        'MapAttempt TASK_TYPE="MAP" TASKID="task_201301010000_0001_m_000000" '
        'TASK_ATTEMPT_ID="attempt_201301010000_0001_m_000000_0" TASK_STATUS="FAILED" '
        'FINISH_TIME="1356998410000" '
        'HOSTNAME="/rack/n1" ERROR="java.lang.OutOfMemoryError: Java heap '
        'space\n\tat com.example.M.map(M.java:3)\n"'
    ),
    'Job JOBID="job_201301010000_0001" FINISH_TIME="1356998420000" JOB_STATUS="FAILED"',
)


@pytest.mark.parametrize("end", [" .\n", " \n", " .\r\n"], ids=["1.x", "0.18", "of Windows"])
@pytest.mark.parametrize("first", ["", 'TATUS="x"{}', 'Meta VERSION="1"{}'])
def test_a_history_is_known_by_any_of_its_lines(tmp_path: Path, end: str, first: str) -> None:
    path = tmp_path / "renamed"
    path.write_text(first.format(end) + "".join(line + end for line in LINES), newline="")

    history = read_history(path)

    assert ("nightly", "FAILED") == (history.name, history.state)
    (failed,) = history.failed_attempts()
    assert failed.error.startswith("java.lang.OutOfMemoryError: Java heap space\n\tat com.example")
