"""Nodes compared by the time that they spend in profiles of healthy nodes: simulated clusters."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest
from builders.metric_nodes import START_S, Cluster, Fault, cpu_hog, disk_hog
from builders.rows_in_memory import RowsInMemory

from mprof.errors import EvidenceError
from mprof.io.files import UnreadableError
from mprof.io.json import read_json
from mprof.metrics import METRIC_NAMES
from mprof.peers.comparison import Comparison
from mprof.peers.detectors import bb_profile
from mprof.peers.detectors.bb_profile import compare_rows
from mprof.peers.profiles.profile_model import ProfileModel, labels
from mprof.peers.profiles.training import train
from mprof.pieces import LocalEngine
from mprof.threshold import thresholds_moved


def compare(table: pd.DataFrame, model: ProfileModel) -> Comparison:
    return compare_rows(RowsInMemory(table), model, LocalEngine(1))


@pytest.fixture(scope="module")
def model() -> ProfileModel:
    return train([Cluster(nodes=6, seed=seed, seconds=900).table() for seed in (101, 102, 103)])


@pytest.mark.parametrize("nodes", [3, 6, 10, 50])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_of_healthy_nodes_none_is_indicted(model: ProfileModel, nodes: int, seed: int) -> None:
    result = compare(Cluster(nodes=nodes, seed=seed, seconds=600).table(), model)

    assert (None, ()) == (result.withheld, result.indicted)
    assert [False] * nodes == [node.indicted for node in result.nodes]


@pytest.mark.parametrize("nodes", [6, 10, 50])
@pytest.mark.parametrize(
    ("fault", "metrics"),
    [(cpu_hog, {"user", "ldavg_1", "runq_sz"}), (disk_hog, {"iowait", "pgpgout", "bwrtn"})],
)
def test_the_node_with_a_hog_is_indicted_by_the_metrics_of_the_hog(
    model: ProfileModel, nodes: int, fault: Fault, metrics: set[str]
) -> None:
    table = Cluster(nodes=nodes, seed=7, seconds=600, faults={3: fault}).table()
    result = compare(table, model)

    assert ("node003",) == result.indicted
    worst = result.nodes[0]
    assert metrics == {each.what for each in worst.observations}
    assert all(each.own > each.peers for each in worst.observations)
    # the fault begins at 120 s, and a histogram looks back for 120 s
    assert worst.since_s is not None
    assert START_S <= worst.since_s <= START_S + 120


@pytest.mark.parametrize(("nodes", "sick"), [(6, 4), (10, 5), (10, 6), (10, 7), (50, 20), (50, 30)])
def test_where_no_healthy_majority_stands_out_the_verdict_is_withheld(
    model: ProfileModel, nodes: int, sick: int
) -> None:
    faults = dict.fromkeys(range(sick), cpu_hog)
    table = Cluster(nodes=nodes, faults=faults, seconds=600, fault_from_s=0).table()
    result = compare(table, model)

    assert () == result.nodes
    assert result.withheld is not None


@pytest.mark.parametrize("nodes", [0, 1, 2])
def test_fewer_than_three_nodes_are_not_compared(model: ProfileModel, nodes: int) -> None:
    table = Cluster(nodes=3, seconds=300).table()
    result = compare(table[table["host"] < f"node{nodes:03d}"], model)

    assert f"{nodes} of the 3 nodes" in str(result.withheld)


def test_identical_constant_metrics_indict_nobody(model: ProfileModel) -> None:
    table = Cluster(nodes=6, seconds=300).table()
    table[list(METRIC_NAMES)] = np.float32(7)

    assert [0.0] * 6 == [node.score for node in compare(table, model).nodes]


def test_gaps_and_a_jumping_clock_do_not_change_the_verdict(model: ProfileModel) -> None:
    table = Cluster(nodes=8, seconds=900, faults={5: cpu_hog}).table()
    generator = np.random.default_rng(4)
    gaps = generator.random((len(table), len(METRIC_NAMES))) < 0.02
    table[list(METRIC_NAMES)] = table[list(METRIC_NAMES)].mask(gaps)
    late = (table["host"] == "node002") & (table["at_s"] > START_S + 300)
    table.loc[late, "at_s"] -= 20
    table.loc[table.index[3], "at_s"] = 3.0

    assert ("node005",) == compare(table, model).indicted


def test_a_node_that_vanishes_is_not_called_healthy(model: ProfileModel) -> None:
    table = Cluster(nodes=6, seconds=900).table()
    gone = (table["host"] == "node004") & (table["at_s"] > START_S + 450)
    result = {node.host: node for node in compare(table[~gone], model).nodes}

    assert result["node004"].indicted is None
    assert result["node004"].why_not is not None
    assert [False] * 5 == [node.indicted for host, node in result.items() if host != "node004"]


def test_one_sample_in_fifteen_seconds_is_enough(model: ProfileModel) -> None:
    healthy = Cluster(nodes=10, seconds=3600, interval_s=15).table()
    sick = Cluster(nodes=10, seconds=3600, interval_s=15, faults={1: disk_hog}).table()

    assert (None, ()) == (compare(healthy, model).withheld, compare(healthy, model).indicted)
    assert ("node001",) == compare(sick, model).indicted


def test_without_a_metric_of_the_profiles_the_verdict_is_withheld(model: ProfileModel) -> None:
    table = Cluster(nodes=6, seconds=300).table()
    result = compare(table.drop(columns=["fault"]), model)

    assert "learnt with fault" in str(result.withheld)


def test_a_metric_that_training_did_not_know_is_left_out_and_named() -> None:
    runs = [Cluster(nodes=6, seed=seed, seconds=300).table() for seed in (101, 102)]
    runs[0]["rto_max"] = np.nan
    without = train([run.drop(columns=["iowait"]) for run in runs])
    table = Cluster(nodes=6, seconds=600, faults={1: disk_hog}).table()
    result = compare(table, without)

    assert ("rto_max",) == without.left_out
    assert ("iowait", "rto_max") == result.left_out
    assert ("node001",) == result.indicted


def test_the_same_seed_learns_the_same_profiles() -> None:
    runs = [Cluster(nodes=4, seed=101, seconds=300).table()]

    assert train(runs, seed=3) == train(runs, seed=3)
    assert train(runs, seed=3) != train(runs, seed=4)


def test_a_vector_far_from_every_profile_is_unknown(model: ProfileModel) -> None:
    count = len(model.cuts)
    run = Cluster(nodes=4, seed=55, seconds=600).table()
    samples = run[list(model.metrics)].to_numpy(dtype=np.float32, copy=True)
    healthy = labels(model, samples)
    samples[:, model.metrics.index("user")] = 100
    samples[:, model.metrics.index("iowait")] = 100

    assert {count} == set(labels(model, samples))
    # one of a thousand of the training vectors, and some more of other nodes
    assert (healthy == count).mean() < 0.02
    assert 5 <= len(set(healthy)) <= count + 1


def test_a_model_is_saved_and_loaded(model: ProfileModel, tmp_path: Path) -> None:
    _write(model, tmp_path / "m.json")

    assert model == read_json(tmp_path / "m.json", ProfileModel)


def _write(model: ProfileModel, path: Path) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(model), indent=1))


def _cut(text: str) -> str:
    return text[: len(text) // 2]


def _of_another_format(text: str) -> str:
    return text.replace('"format": 1', '"format": 2')


def _one_scale_less(text: str) -> str:
    content = json.loads(text)
    del content["scales"][0]
    return json.dumps(content)


def _no_covariance(text: str) -> str:
    content = json.loads(text)
    content["covariances"][0][0][0] = -1.0
    return json.dumps(content)


@pytest.mark.parametrize("damage", [_cut, _of_another_format, _one_scale_less, _no_covariance])
def test_a_damaged_model_is_an_error_in_words(
    model: ProfileModel, tmp_path: Path, damage: object
) -> None:
    assert callable(damage)
    _write(model, tmp_path / "m.json")
    (tmp_path / "m.json").write_text(damage((tmp_path / "m.json").read_text()))

    with pytest.raises(UnreadableError):
        read_json(tmp_path / "m.json", ProfileModel)


@pytest.mark.parametrize("runs", [[], [pd.DataFrame({"host": [], "at_s": []})]])
def test_too_few_vectors_are_an_error_in_words(runs: list[pd.DataFrame]) -> None:
    with pytest.raises(EvidenceError, match="too few"):
        train(runs)


def test_runs_that_are_always_the_same_have_fewer_profiles() -> None:
    table = Cluster(nodes=4, seconds=300).table()
    table[list(METRIC_NAMES)] = np.float32(3)
    table.loc[table["at_s"] > START_S + 100, "user"] = 70.0
    model = train([table])

    assert 2 == len(model.means)
    assert {0, 1} == set(labels(model, table[list(METRIC_NAMES)].to_numpy(dtype=np.float32)))


def test_every_threshold_is_in_force(model: ProfileModel) -> None:
    table = Cluster(nodes=6, seconds=600, faults={3: cpu_hog}).table()

    with thresholds_moved({bb_profile.ALARM_ABOVE.name: 1.0}):
        assert () == compare(table, model).indicted
    with thresholds_moved({bb_profile.INDICTED_ABOVE.name: 50}):
        assert () == compare(table, model).indicted
