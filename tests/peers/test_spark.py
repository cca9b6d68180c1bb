"""The detectors on Spark's local cluster say what they say here, to the last bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders.metric_nodes import START_S, Cluster, cpu_hog
from builders.spark import MASTER, SMALL, local_cluster

from mprof.peers.detectors import bb_window, wb_durations
from mprof.peers.findings import look_at_nodes
from mprof.pieces import Engine, LocalEngine
from mprof.store import SourceNote, Store, frame_of
from mprof.threshold import thresholds_moved

ROOT = Path(__file__).parents[2]
NODES = [f"node{number:03d}" for number in range(6)]
SICK = "node003"


def _attempts(generator: np.random.Generator) -> list[dict[str, Any]]:
    rows = []
    for job in ("job_1_0001", "job_1_0002", "job_1_0003"):
        for host in NODES:
            for number in range(8):
                start_s = START_S + 60 * number
                seconds = generator.uniform(20, 40) * (5 if host == SICK else 1)
                rows.append(
                    {"job": job, "attempt": f"{job}_{host}_{number}", "kind": "map", "host": host,
                     "started_s": start_s, "finished_s": start_s + seconds, "state": "succeeded"}
                )  # fmt: skip
    return rows


def _transfers(generator: np.random.Generator) -> list[dict[str, Any]]:
    return [
        {"host": host, "operation": "HDFS_WRITE", "started_s": START_S, "status": "ok",
         "seconds": float(seconds)}
        for host in NODES
        for seconds in generator.lognormal(0, 0.3, 20) * (5 if host == SICK else 1)
    ]  # fmt: skip


def _heartbeats(generator: np.random.Generator) -> list[dict[str, Any]]:
    return [
        {"host": host, "at_s": START_S + 3 * beat, "kind": kind,
         "round_trip_s": float(generator.lognormal(-6, 0.3) * (50 if host == SICK else 1))}
        for kind in ("nodeHeartbeat", "sendHeartbeat")
        for host in NODES
        for beat in range(200)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """All kinds of evidence; the metrics of each node in a file of its own."""
    made = Store(tmp_path_factory.mktemp("spark") / "store")
    generator = np.random.default_rng(5)
    tables: dict[str, tuple[str, Any]] = {
        "history": ("attempts", _attempts(generator)),
        "datanodes": ("transfers", _transfers(generator)),
        "rpc": ("heartbeats", _heartbeats(generator)),
    }
    metrics = Cluster(nodes=6, seconds=900, faults={3: cpu_hog}).table()
    for host, rows in metrics.groupby("host"):
        tables[str(host)] = ("metrics", {name: rows[name].tolist() for name in rows})
    for source, (table, rows) in tables.items():
        with made.writing(source) as writer:
            writer.write(table, frame_of(table, rows))
            writer.finish(SourceNote(source, f"logs/{source}", "test", 1, writer.rows, 0, None))
    return made


@pytest.fixture(scope="module")
def spark() -> Iterator[Engine]:
    with local_cluster() as engine:
        yield engine


@pytest.fixture(autouse=True)
def several_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bb_window, "_FEWEST_ROWS", 1)
    monkeypatch.setattr(bb_window, "_MOST_ROWS", 1000)
    monkeypatch.setattr(wb_durations, "_ROWS_AT_ONCE", 50)


@pytest.mark.slow
@pytest.mark.jvm
def test_every_detector_says_the_same_on_spark(store: Store, spark: Engine) -> None:
    expected = look_at_nodes(store, engine=LocalEngine(1))
    found = look_at_nodes(store, engine=spark)

    assert expected == found
    by_detector = {look.comparison.detector: look.comparison.indicted for look in found}
    assert {"wb-ends", "hb-rate"} <= set(by_detector)
    for name in ("wb-durations", "bb-window", "hb-delay"):
        assert (SICK,) == by_detector[name]


@pytest.mark.slow
@pytest.mark.jvm
def test_thresholds_that_were_moved_are_in_force_on_spark(store: Store, spark: Engine) -> None:
    with thresholds_moved({"bb-window.alarm-above": 1.0, "wb-durations.least-ratio": 9.0}):
        expected = look_at_nodes(store, engine=LocalEngine(1))
        found = look_at_nodes(store, engine=spark)

    assert expected == found
    silent = {look.comparison.detector for look in found if not look.comparison.indicted}
    assert {"wb-durations", "bb-window"} <= silent


def _ran(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mprof", "nodes", *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, cwd=ROOT, env={**os.environ, **SMALL}
    )


@pytest.mark.slow
@pytest.mark.jvm
def test_the_command_says_the_same_with_both_engines(store: Store) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not there: pip install 'mprof-hadoop[spark]'")
    here = _ran(store.folder, "--json")
    there = _ran(store.folder, "--json", "--engine", "spark", "--master", MASTER)

    assert (0, 0) == (here.returncode, there.returncode), there.stderr
    assert json.loads(here.stdout) == json.loads(there.stdout)


def test_a_master_without_spark_is_one_line(store: Store) -> None:
    done = _ran(store.folder, "--master", "yarn")

    assert 2 == done.returncode
    assert "--master is of Spark" in done.stderr
    assert "add --engine spark" in done.stderr
