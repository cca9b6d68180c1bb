"""Job history files in the store: what `mprof.history` reads, in the units of the tables."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from builders.shared_data import SHARED_DATA, needs_shared_data

from mprof.sources import reader_of
from mprof.sources.reader import Losses, head_of

TEXT = """\
Meta VERSION="1" .
Job JOBID="job_201101010000_0001" JOBNAME="j" USER="u" SUBMIT_TIME="1293840000000" .
Job JOBID="job_201101010000_0001" LAUNCH_TIME="1293840001000" TOTAL_MAPS="2" TOTAL_REDUCES="0" .
Task TASKID="task_201101010000_0001_m_000000" TASK_TYPE="MAP" START_TIME="1293840002000" .
MapAttempt TASK_TYPE="MAP" TASKID="task_201101010000_0001_m_000000" \
TASK_ATTEMPT_ID="attempt_201101010000_0001_m_000000_0" START_TIME="1293840003500" \
TRACKER_NAME="tracker_a\\.example:localhost/127\\.0\\.0\\.1:45011" .
MapAttempt TASK_TYPE="MAP" TASKID="task_201101010000_0001_m_000000" \
TASK_ATTEMPT_ID="attempt_201101010000_0001_m_000000_0" TASK_STATUS="FAILED" \
FINISH_TIME="1293840009000" HOSTNAME="/rack7/a\\.example" ERROR="Java heap space" .
MapAttempt TASK_TYPE="MAP" TASKID="task_201101010000_0001_m_000000" \
TASK_ATTEMPT_ID="attempt_201101010000_0001_m_000000_1" START_TIME="1293840010000" \
TRACKER_NAME="tracker_b\\.example:localhost/127\\.0\\.0\\.1:45011" .
"""


def _read(path: Path) -> tuple[dict[str, pd.DataFrame], Losses]:
    reader = reader_of(path, head_of(path))
    assert reader is not None
    losses = Losses()
    return {table: part.to_pandas() for table, part in reader.read(path, losses)}, losses


def test_attempts_of_a_job_that_broke_off_have_their_hosts_and_racks(tmp_path: Path) -> None:
    path = tmp_path / "job_201101010000_0001_u_j"
    path.write_text(TEXT)

    tables, losses = _read(path)
    attempts = tables["attempts"]

    assert ["failed", "running"] == attempts["state"].tolist()
    assert ["a.example", "b.example"] == attempts["host"].tolist()
    assert ["rack7", None] == [None if pd.isna(one) else one for one in attempts["rack"]]
    assert ["Java heap space", None] == [None if pd.isna(x) else x for x in attempts["error"]]
    assert [1293840003.5, 1293840010.0] == attempts["started_s"].tolist()
    assert "running" == tables["jobs"]["state"][0]
    assert losses.first is not None
    assert "no end of the job" in losses.first


def test_an_attempt_that_was_killed_before_it_had_a_container_is_of_no_host(
    tmp_path: Path,
) -> None:
    path = tmp_path / "job_201101010000_0001_u_j"
    never = """\
MapAttempt TASK_TYPE="MAP" TASKID="task_201101010000_0001_m_000000" \
TASK_ATTEMPT_ID="attempt_201101010000_0001_m_000000_2" TASK_STATUS="KILLED" \
FINISH_TIME="1293840011000" HOSTNAME="UNKNOWN" ERROR="Task KILL is received." .
"""
    path.write_text(TEXT + never)

    tables, _ = _read(path)
    attempts = tables["attempts"]

    assert ["failed", "running", "killed"] == attempts["state"].tolist()
    assert ["a.example", "b.example", None] == [
        None if pd.isna(one) else one for one in attempts["host"]
    ]


@needs_shared_data
@pytest.mark.parametrize(
    "path", sorted(SHARED_DATA.glob("jhist/*/*.jhist")), ids=lambda path: path.name[:40]
)
def test_avro_json_gives_what_the_json_of_the_standard_library_says(path: Path) -> None:
    events = [
        json.loads(line)
        for line in path.read_text().split("\n")[2:]
        if line.strip()
    ]  # fmt: skip
    started = {
        next(iter(each["event"].values()))["attemptId"]: next(iter(each["event"].values()))
        for each in events
        if each["type"].endswith("_ATTEMPT_STARTED")
    }
    ended = {
        next(iter(each["event"].values()))["attemptId"]: next(iter(each["event"].values()))
        for each in events
        if "_ATTEMPT_" in each["type"] and not each["type"].endswith("_STARTED")
    }

    tables, _ = _read(path)
    attempts = tables["attempts"].set_index("attempt")

    assert set(started) == set(attempts.index)
    for attempt, row in attempts.iterrows():
        assert started[attempt]["startTime"] / 1000 == row["started_s"]
        if attempt in ended:
            assert ended[attempt]["finishTime"] / 1000 == row["finished_s"]
            rack = str(ended[attempt].get("rackname") or "").strip("/")
            assert rack == ("" if pd.isna(row["rack"]) else row["rack"])
