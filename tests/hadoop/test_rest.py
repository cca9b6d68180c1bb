"""Servers of Hadoop that run: what their REST interfaces tell is what their files tell."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from builders.hadoop_daemons import HadoopDaemons, answered, wait_until

from mprof.sources import import_files
from mprof.sources.history_server import HISTORY_SERVER, jobs_of_history_server
from mprof.sources.server import Server
from mprof.store import Store

pytestmark = [pytest.mark.hadoop, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "testbed/recordings/checksum-error-pig-1-speculation/histories"
BEGIN_S, END_S = 1_795_508_000.0, 1_795_508_600.0
JOBS = ["job_1795506508590_0013", "job_1795506508590_0014"]  # one succeeded, one was killed
NODES = "/ws/v1/cluster/nodes"


@pytest.fixture(scope="module")
def daemons(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HadoopDaemons]:
    made = HadoopDaemons(
        tmp_path_factory.mktemp("daemons") / "work", histories=sorted(RECORDED.glob("*.gz"))
    )
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def history(daemons: HadoopDaemons) -> str:
    """The address of a HistoryServer that has read the histories."""
    daemons.start("history")
    jobs = f"{daemons.history}/ws/v1/history/mapreduce/jobs"
    wait_until(lambda: (answered(jobs) or b"").count(b'"id"') == len(JOBS))
    return daemons.history


@pytest.fixture(scope="module")
def resources(daemons: HadoopDaemons) -> str:
    """The address of a ResourceManager with one node."""
    daemons.start("resources")
    daemons.start("node")
    wait_until(lambda: b'"RUNNING"' in (answered(daemons.resources + NODES) or b""))
    return daemons.resources


@pytest.fixture(scope="module")
def by_files(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The same histories, read by mprof's own reader of the files."""
    folder = tmp_path_factory.mktemp("files")
    for path in RECORDED.glob("*.gz"):
        with gzip.open(path) as packed:
            (folder / path.stem).write_bytes(packed.read())
    store = Store(folder / "store")
    assert all(one.outcome == "imported" for one in import_files([folder], store))
    return store


def ran(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mprof", *map(str, words)], capture_output=True, text=True,
        timeout=300, cwd=ROOT, env={**os.environ, **environment},
    )  # fmt: skip


def sorted_rows(store: Store, table: str) -> pd.DataFrame:
    key = "attempt" if table == "attempts" else "job"
    rows = store.read(table).drop(columns=["source"])
    return rows.sort_values(key, ignore_index=True)


def test_the_history_server_tells_of_jobs_what_their_history_files_tell(
    history: str, by_files: Store, tmp_path: Path
) -> None:
    ended = ran(
        "nodes", tmp_path / "store", "--history-server", history,
        "--since", BEGIN_S, "--until", END_S,
    )  # fmt: skip
    by_rest = Store.at(tmp_path / "store")

    assert 0 == ended.returncode, ended.stderr
    assert JOBS == sorted_rows(by_rest, "jobs")["job"].tolist()
    pd.testing.assert_frame_equal(sorted_rows(by_files, "jobs"), sorted_rows(by_rest, "jobs"))
    expected, actual = sorted_rows(by_files, "attempts"), sorted_rows(by_rest, "attempts")
    # JobHistoryParser knows no attempt that was killed before it had a container
    never_ran = expected["started_s"].isna()
    assert (3, {"killed"}) == (never_ran.sum(), set(expected.loc[never_ran, "state"]))
    assert expected.loc[never_ran, "host"].isna().all()
    expected = expected[~never_ran].reset_index(drop=True)
    assert {"succeeded", "failed", "killed"} == set(expected["state"])
    # what the REST interface does not have: the clock at each twelfth of an attempt's progress
    expected, actual = expected.drop(columns="slices_ms"), actual.drop(columns="slices_ms")
    for rows in (expected, actual):
        rows["counters"] = [
            json.loads(each) if isinstance(each, str) else None for each in rows["counters"]
        ]
    pd.testing.assert_frame_equal(expected, actual)


def test_jobs_are_asked_for_by_the_time_in_which_they_ended(history: str, tmp_path: Path) -> None:
    server = Server.at(HISTORY_SERVER, history, {})
    asked = [
        [path.name.partition(".")[0] for path in jobs_of_history_server(
            server, since_s=since_s, until_s=until_s, folder=tmp_path, known=known)]
        for since_s, until_s, known in (
            (BEGIN_S, END_S, ()), (BEGIN_S, END_S, JOBS[:1]),
            (BEGIN_S, 1_795_508_460.0, ()), (END_S, END_S + 1e6, ()),
        )
    ]  # fmt: skip

    assert [JOBS, JOBS[1:], JOBS[:1], []] == asked


def test_a_node_that_is_lost_is_said_to_be(
    daemons: HadoopDaemons, resources: str, by_files: Store, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    shutil.copytree(by_files.folder, store)
    words = ("nodes", store, "--resource-manager", resources, "--fail-on", "sure")
    well = ran(*words)
    began_s = time.time()
    daemons.end("node")
    wait_until(lambda: b'"LOST"' in (answered(resources + NODES) or b""))
    lost = ran(*words)
    shown = json.loads(ran("nodes", store, "--json").stdout)
    states = Store.at(store).read("node_states").sort_values("at_s")

    assert (0, 1) == (well.returncode, lost.returncode), well.stderr + lost.stderr
    assert "RESOURCEMANAGER" not in well.stdout
    assert "calls 1 node lost or unhealthy" in lost.stdout
    assert "localhost  LOST  since " in lost.stdout
    (one,) = shown["reported"]
    assert ("localhost", "LOST", False) == (one["host"], one["state"], one["is_taken_out"])
    # a node reports its health every ten minutes, and not with each heartbeat
    assert began_s - 600 < one["since_s"] <= began_s
    assert {one["since_s"]} == set(states["heard_s"])
    assert ["RUNNING", "LOST"] == states["state"].tolist()
    room = Store.at(store).read("hardware").query("host == 'localhost'")
    told = dict(zip(room["what"], room["amount"], strict=True))
    assert {"YARN memory": 8192 * 2.0**20, "YARN processors": 8.0} == told


def test_another_server_than_was_asked_for_is_said_to_be_none(
    resources: str, tmp_path: Path
) -> None:
    wrong = ran("nodes", tmp_path / "no", "--history-server", resources)

    assert (3, False) == (wrong.returncode, (tmp_path / "no").exists())
    assert "refuses (404)" in wrong.stderr
