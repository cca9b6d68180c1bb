"""The simulated runs: the same seed the same run, and faults that spread as real ones do."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mprof.store import Store
from simulation.faults import FAULTS
from simulation.run import BEGIN_S, Run


def tables(folder: Path, run: Run) -> dict[str, pd.DataFrame]:
    store = Store.at(run.record(folder) / "store")
    return {name: store.read(name) for name in ("attempts", "transfers", "heartbeats", "metrics")}


def test_the_same_seed_gives_the_same_run(tmp_path: Path) -> None:
    run = Run(seed=5, jobs=1, fault="disk-hog")
    one, other = tables(tmp_path / "a", run), tables(tmp_path / "b", run)

    for name in one:
        pd.testing.assert_frame_equal(one[name], other[name])


def test_every_task_of_a_job_ends_once(tmp_path: Path) -> None:
    for fault in (None, "map-stop", "node-down"):
        run = Run(seed=3, jobs=2, fault=fault, maps_a_node=6, reduces_a_node=2)
        attempts = tables(tmp_path / str(fault), run)["attempts"]
        ended = attempts[attempts["state"] == "succeeded"]

        by_kind = ended.groupby(["job", "kind"]).size().to_dict()
        assert {("job_1", "map"): 36, ("job_1", "reduce"): 12,
                ("job_2", "map"): 36, ("job_2", "reduce"): 12} == by_kind  # fmt: skip


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_the_label_is_as_the_testbed_writes_it(tmp_path: Path, fault: str) -> None:
    run = Run(seed=3, jobs=1, fault=fault, maps_a_node=4, reduces_a_node=1)
    run.record(tmp_path / "run")
    label = json.loads((tmp_path / "run" / "label.json").read_text())

    assert fault == label["fault"]
    expected = "master" if FAULTS[fault].master else run.node
    assert expected == label["node"]


def _seconds(attempts: pd.DataFrame, kind: str, begin: str, end: str, sick: str) -> pd.Series:
    rows = attempts[(attempts["kind"] == kind) & (attempts["host"] != sick)]
    rows = rows[rows["started_s"] > BEGIN_S + 120]
    return rows[end] - rows[begin]


def test_a_slow_network_holds_up_what_reducers_of_other_nodes_copy(tmp_path: Path) -> None:
    healthy = tables(tmp_path / "a", Run(seed=4))["attempts"]
    run = Run(seed=4, fault="packet-loss-50")
    sick = tables(tmp_path / "b", run)["attempts"]
    assert run.node is not None

    usual, late = (
        _seconds(each, "map", "started_s", "finished_s", run.node).median()
        for each in (healthy, sick)
    )
    assert late == pytest.approx(usual, rel=0.15)
    assert _waited(sick, run.node).median() > 5 * _waited(healthy, run.node).median()


def _waited(attempts: pd.DataFrame, sick: str) -> pd.Series:
    """From the end of the last mapper until a reducer of another node had its copies."""
    ends = attempts[attempts["kind"] == "map"].groupby("job")["finished_s"].max()
    rows = attempts[(attempts["kind"] == "reduce") & (attempts["host"] != sick)]
    return rows["shuffled_s"] - rows["job"].map(ends)


def test_a_slow_disk_holds_up_the_writes_whose_pipeline_it_is_in(tmp_path: Path) -> None:
    run = Run(seed=4, fault="disk-hog")
    writes = tables(tmp_path / "a", run)["transfers"]
    writes = writes[writes["started_s"] > BEGIN_S + 120]
    of_sick = set(writes.loc[writes["host"] == run.node, "started_s"])
    others = writes[writes["host"] != run.node]
    shared = others["started_s"].isin(of_sick)

    assert others[shared]["seconds"].median() > 2 * others[~shared]["seconds"].median()


def test_counters_show_what_attempts_do(tmp_path: Path) -> None:
    found = tables(tmp_path / "a", Run(seed=6, jobs=1))
    maps = found["attempts"][found["attempts"]["kind"] == "map"]
    at = found["metrics"]["at_s"]
    busy = found["metrics"][(at > maps["started_s"].min() + 5) & (at < maps["started_s"].max())]
    idle = found["metrics"][at > found["attempts"]["finished_s"].max() + 2]

    assert busy["user"].median() > 10 * idle["user"].median()


def test_a_thousand_nodes_are_simulated(tmp_path: Path) -> None:
    run = Run(nodes=1000, seed=2, jobs=1, maps_a_node=2, reduces_a_node=1, fault="cpu-hog")
    found = tables(tmp_path / "a", run)

    assert 1000 == found["metrics"]["host"].nunique() == found["heartbeats"]["host"].nunique()
    assert 2000 == (found["attempts"]["kind"] == "map").sum()
    assert np.isfinite(found["metrics"]["user"]).all()
