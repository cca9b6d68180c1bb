"""Nodes against a random draw from their peers, on simulated clusters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from builders.metric_nodes import START_S, Cluster, Fault, cpu_hog, disk_hog

from mprof.errors import EvidenceError
from mprof.metrics import METRIC_NAMES
from mprof.peers.detectors import bb_window
from mprof.peers.detectors.bb_window import compare
from mprof.threshold import thresholds_moved


@pytest.mark.parametrize("nodes", [3, 6, 10, 50])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_of_healthy_nodes_none_is_indicted(nodes: int, seed: int) -> None:
    result = compare(Cluster(nodes=nodes, seed=seed, seconds=600).table())

    assert (None, ()) == (result.withheld, result.indicted)
    assert nodes == len(result.nodes)
    assert all(node.indicted is False for node in result.nodes)


@pytest.mark.parametrize("nodes", [6, 10, 50])
@pytest.mark.parametrize(
    ("fault", "metrics"),
    [(cpu_hog, {"user", "ldavg_1", "runq_sz"}), (disk_hog, {"iowait", "pgpgout", "bwrtn"})],
)
def test_the_node_with_a_hog_is_indicted_by_the_metrics_of_the_hog(
    nodes: int, fault: Fault, metrics: set[str]
) -> None:
    result = compare(Cluster(nodes=nodes, seed=7, seconds=600, faults={3: fault}).table())

    assert ("node003",) == result.indicted
    worst = result.nodes[0]
    assert worst.score > 1
    assert metrics == {each.what for each in worst.observations}
    assert all(each.own > each.peers for each in worst.observations)
    # the fault begins at 120 s: a window that is half full of it, but none before
    assert worst.since_s is not None
    assert START_S + 30 <= worst.since_s <= START_S + 120


def test_two_sick_nodes_of_ten_are_both_indicted() -> None:
    result = compare(Cluster(nodes=10, faults={2: cpu_hog, 8: disk_hog}, seconds=600).table())

    assert {"node002", "node008"} == set(result.indicted)


@pytest.mark.parametrize(("nodes", "sick"), [(6, 4), (10, 5), (10, 6), (10, 7), (50, 20), (50, 30)])
def test_where_no_healthy_majority_stands_out_the_verdict_is_withheld(
    nodes: int, sick: int
) -> None:
    faults = dict.fromkeys(range(sick), cpu_hog)
    result = compare(Cluster(nodes=nodes, faults=faults, seconds=600, fault_from_s=0).table())

    assert () == result.nodes
    assert result.withheld is not None


def test_where_all_nodes_are_sick_nobody_is_indicted() -> None:
    faults = dict.fromkeys(range(6), cpu_hog)
    result = compare(Cluster(nodes=6, faults=faults, seconds=600, fault_from_s=0).table())

    assert () == result.indicted


def test_nodes_that_do_different_work_are_not_comparable() -> None:
    tables = [Cluster(nodes=1, seed=seed, seconds=600).table() for seed in range(6)]
    for number, table in enumerate(tables):
        table["host"] = f"own-work-{number}"
        table[list(METRIC_NAMES)] *= 2.0**number

    result = compare(pd.concat(tables))

    assert () == result.nodes
    assert "do not do the same work" in str(result.withheld)


@pytest.mark.parametrize("nodes", [0, 1, 2])
def test_fewer_than_three_nodes_are_not_compared(nodes: int) -> None:
    table = Cluster(nodes=3, seconds=300).table()
    result = compare(table[table["host"] < f"node{nodes:03d}"])

    assert () == result.nodes
    assert f"{nodes} of the 3 nodes" in str(result.withheld)


def test_identical_constant_metrics_indict_nobody() -> None:
    table = Cluster(nodes=6, seconds=600).table()
    table[list(METRIC_NAMES)] = np.float32(7)
    result = compare(table)

    assert [0.0] * 6 == [node.score for node in result.nodes]
    assert [False] * 6 == [node.indicted for node in result.nodes]


def test_a_metric_that_nobody_collected_is_left_out_and_named() -> None:
    table = Cluster(nodes=6, seconds=600, faults={1: disk_hog}).table()
    table["iowait"] = np.nan
    result = compare(table.drop(columns=["rto_max"]))

    assert ("iowait", "rto_max") == result.left_out
    assert ("node001",) == result.indicted
    assert "iowait" not in {each.what for each in result.nodes[0].observations}


def test_gaps_do_not_change_the_verdict() -> None:
    table = Cluster(nodes=8, seconds=600, faults={5: cpu_hog}).table()
    generator = np.random.default_rng(4)
    gaps = generator.random((len(table), len(METRIC_NAMES))) < 0.3
    table[list(METRIC_NAMES)] = table[list(METRIC_NAMES)].mask(gaps)
    table.loc[generator.random(len(table)) < 0.1, "at_s"] = np.nan

    assert ("node005",) == compare(table).indicted


def _jump_forward(table: pd.DataFrame) -> None:
    late = (table["host"] == "node002") & (table["at_s"] > START_S + 300)
    table.loc[late, "at_s"] += 60


def _jump_back(table: pd.DataFrame) -> None:
    late = (table["host"] == "node002") & (table["at_s"] > START_S + 300)
    table.loc[late, "at_s"] -= 60


def _jump_to_1970(table: pd.DataFrame) -> None:
    row = table.index[table["host"] == "node002"][200]
    table.loc[row, "at_s"] = 3.0


@pytest.mark.parametrize("jump", [_jump_forward, _jump_back, _jump_to_1970])
def test_a_clock_that_jumps_indicts_nobody_else(jump: Callable[[pd.DataFrame], None]) -> None:
    table = Cluster(nodes=8, seconds=900, faults={5: cpu_hog}).table()
    jump(table)
    result = compare(table)

    assert "node005" in result.indicted
    assert set(result.indicted) <= {"node002", "node005"}
    assert result.windows < 60


def test_a_node_with_the_clock_of_another_year_is_not_judged() -> None:
    table = Cluster(nodes=8, seconds=600).table()
    table.loc[table["host"] == "node002", "at_s"] += 3e7
    result = compare(table)

    assert () == result.indicted
    assert "node002" in {node.host for node in result.nodes if node.why_not}


@pytest.mark.parametrize(("back_s", "lasts"), [(900, True), (750, False)])
def test_a_node_that_vanishes_is_named_with_the_time(back_s: int, lasts: bool) -> None:
    table = Cluster(nodes=6, seconds=900).table()
    gone = table["at_s"].between(START_S + 300, START_S + back_s) & (table["host"] == "node004")
    result = {node.host: node for node in compare(table[~gone]).nodes}
    (spell,) = result["node004"].spells

    assert result["node004"].indicted
    assert ("silent", lasts) == (spell.what, spell.lasts)
    assert spell.begin_s == pytest.approx(START_S + 300, abs=60)
    assert spell.end_s == pytest.approx(START_S + back_s, abs=120)
    assert [False] * 5 == [node.indicted for host, node in result.items() if host != "node004"]


def test_a_node_that_is_away_for_two_minutes_or_of_which_all_are_away_is_not_named() -> None:
    table = Cluster(nodes=6, seconds=900).table()
    short = (table["host"] == "node004") & table["at_s"].between(START_S + 300, START_S + 420)
    everybody = table["at_s"].between(START_S + 300, START_S + 600)

    assert () == compare(table[~short]).indicted
    assert () == compare(table[~everybody]).indicted


def test_a_node_that_was_indicted_before_it_vanished_stays_so() -> None:
    table = Cluster(nodes=6, seconds=900, faults={4: cpu_hog}).table()
    gone = (table["host"] == "node004") & (table["at_s"] > START_S + 450)

    assert ("node004",) == compare(table[~gone]).indicted


def test_windows_are_long_enough_for_one_sample_in_fifteen_seconds() -> None:
    healthy = Cluster(nodes=10, seconds=3600, interval_s=15)
    sick = Cluster(nodes=10, seconds=3600, interval_s=15, faults={1: disk_hog})

    assert (None, ()) == (compare(healthy.table()).withheld, compare(healthy.table()).indicted)
    assert ("node001",) == compare(sick.table()).indicted


def test_a_scrape_that_fails_now_and_then_is_no_silence() -> None:
    table = Cluster(nodes=10, seconds=3600, interval_s=15).table()
    kept = table[np.random.default_rng(2).random(len(table)) > 0.03]
    gone = kept["at_s"].between(START_S + 1500, START_S + 2100) & (kept["host"] == "node004")

    found = {node.host: node for node in compare(kept[~gone]).nodes}

    assert [host for host, node in found.items() if node.indicted] == ["node004"]
    assert [node.why_not for host, node in found.items() if host != "node004"] == [None] * 9
    (spell,) = found["node004"].spells
    assert (spell.what, spell.lasts) == ("silent", False)
    assert spell.begin_s == pytest.approx(START_S + 1500, abs=115)  # within a step of 112.5 s
    assert spell.end_s == pytest.approx(START_S + 2100, abs=115)


def test_the_seed_decides_the_draws_and_the_order_of_rows_does_not_matter() -> None:
    table = Cluster(nodes=8, seconds=400, faults={5: cpu_hog}).table()
    shuffled = table.sample(frac=1, random_state=1)

    assert compare(table, seed=5) == compare(shuffled, seed=5)
    assert compare(table, seed=5).indicted == compare(table, seed=6).indicted


def test_every_threshold_is_in_force() -> None:
    table = Cluster(nodes=6, seconds=600, faults={3: cpu_hog}).table()

    with thresholds_moved({bb_window.ALARM_ABOVE.name: 1.0}):
        assert () == compare(table).indicted
    with thresholds_moved({bb_window.INDICTED_ABOVE.name: 20}):
        assert () == compare(table).indicted


def test_a_table_without_times_is_an_error_in_words() -> None:
    with pytest.raises(EvidenceError, match="no column at_s"):
        compare(pd.DataFrame({"host": ["a"]}))
