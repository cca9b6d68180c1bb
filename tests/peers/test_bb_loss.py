"""Nodes that lose packets, on networks made by a seed."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders.comparisons import assert_same
from builders.metric_stores import store_of
from builders.networks import COLUMNS, PAYLOAD, START_S, network
from builders.rows_in_memory import RowsInMemory

from mprof.peers.comparison import Comparison
from mprof.peers.detectors import bb_loss
from mprof.peers.detectors.bb_loss import compare_rows
from mprof.peers.detectors.request import Asked
from mprof.pieces import LocalEngine
from mprof.store import SourceNote, Store, frame_of
from mprof.threshold import thresholds_moved


def compare(table: pd.DataFrame) -> Comparison:
    return compare_rows(RowsInMemory(table), LocalEngine(1))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("nodes", [3, 6, 20])
def test_of_healthy_nodes_none_is_indicted(nodes: int, seed: int) -> None:
    found = compare(network(nodes, seed=seed))

    assert (None, ()) == (found.withheld, found.indicted)
    assert [False] * nodes == [node.indicted for node in found.nodes]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("nodes", [4, 6, 20])
def test_the_node_that_loses_packets_is_indicted(nodes: int, share: float, seed: int) -> None:
    found = compare(network(nodes, loss={2: share}, seed=seed))

    assert ("n2",) == found.indicted
    (seen,) = found.nodes[0].observations
    # per MB there are some 690 full segments
    assert seen.own == pytest.approx(1e6 / PAYLOAD * share, rel=0.6)
    assert seen.own > 2 * seen.peers


def test_a_loss_that_every_path_has_is_no_nodes() -> None:
    found = compare(network(8, loss=dict.fromkeys(range(8), 0.02)))

    assert () == found.indicted


@pytest.mark.parametrize("sick", [3, 4, 5])
def test_of_many_that_lose_packets_none_is_named_as_the_exception(sick: int) -> None:
    found = compare(network(6, loss=dict.fromkeys(range(sick), 0.3)))

    assert () == found.indicted


def test_it_says_since_when() -> None:
    found = compare(network(6, loss={1: 0.02}, seconds=900, from_s=400))

    assert ("n1",) == found.indicted
    assert found.nodes[0].since_s is not None
    assert START_S + 280 <= found.nodes[0].since_s <= START_S + 430


def test_a_single_burst_indicts_nobody() -> None:
    table = network(6, seconds=1200)
    burst = (table["host"] == "n4") & table["at_s"].between(START_S + 600, START_S + 603)
    table.loc[burst, "retrans"] += 80

    assert () == compare(table).indicted


def test_a_node_that_sends_little_is_not_held_against_itself() -> None:
    table = network(6, loss={3: 0.05}, bytes_per_s=2e4, busy=0.02)

    found = compare(table)

    assert "a loss of 1% would show" in (found.withheld or "")


@pytest.mark.parametrize("interval_s", [1.0, 5.0, 15.0, 60.0])
def test_slower_samples_take_longer_and_say_the_same(interval_s: float) -> None:
    seconds = int(900 * max(1, interval_s / 15))
    table = network(6, loss={2: 0.03}, seconds=seconds, interval_s=interval_s)

    assert ("n2",) == compare(table).indicted


def test_sums_of_windows_are_those_of_a_loop() -> None:
    table = network(5, loss={2: 0.05}, seconds=400, seed=9)
    table = table[~((table["host"] == "n1") & (table["at_s"] > START_S + 200))]
    found = compare(table)

    starts = np.unique(np.floor(table["at_s"] / 30)) * 30
    alarms: dict[str, list[float]] = {}
    for start in starts:
        part = table[(table["at_s"] >= start) & (table["at_s"] < start + 120)]
        by_host = part.groupby("host")[["eth_txbyt", "retrans"]].sum()
        by_host = by_host[part.groupby("host").size() >= 60]
        for host, (sent, resent) in by_host.iterrows():
            others = by_host.drop(index=host)
            expected = sent * others["retrans"].sum() / others["eth_txbyt"].sum()
            if (
                resent >= 10
                and resent >= 0.002 * sent / PAYLOAD
                and resent >= 2 * expected
                and resent - expected > 4 * math.sqrt(expected + 1)
            ):
                alarms.setdefault(str(host), []).append(float(start))

    assert {node.host: list(node.alarms_s) for node in found.nodes if node.alarms_s} == alarms
    assert list(alarms) == ["n2"]


def test_parts_of_a_store_say_what_the_whole_table_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = network(6, loss={2: 0.05}, seconds=600)
    store = store_of(tmp_path / "s", table)
    rows = store.rows("metrics", columns=COLUMNS, by="at_s", categories=["host"])
    whole = compare(store.read("metrics", columns=COLUMNS))
    monkeypatch.setattr(bb_loss, "_ROWS_AT_ONCE", 1)

    for threads in (1, 3):
        assert_same(whole, compare_rows(rows, LocalEngine(threads)))


def test_without_the_count_it_was_not_asked(tmp_path: Path) -> None:
    table = network(6).drop(columns="retrans")
    store = store_of(tmp_path / "s", table)
    (look,) = bb_loss.looks(Asked(store, None, frozenset(), None, LocalEngine()))

    assert not look.comparison.asked
    assert "retrans" in (look.comparison.withheld or "")
    assert () == tuple(
        bb_loss.looks(Asked(Store(tmp_path / "no"), None, frozenset(), None, LocalEngine()))
    )


def test_a_node_that_is_sampled_more_often_than_the_others_is_not_held_for_more() -> None:
    rows = [
        (f"n{node}", START_S + second, 1e6, float(second % 120 == 0) / (1 if node == 3 else 15))
        for node in range(8)
        for second in range(0, 6000, 1 if node == 3 else 15)
    ]
    found = compare(pd.DataFrame(rows, columns=list(COLUMNS)))

    assert (None, ()) == (found.withheld, found.indicted)


def test_what_two_files_tell_counts_once(tmp_path: Path) -> None:
    table = network(6, loss={2: 0.02})
    twice = pd.concat([table, table[table["host"] == "n2"].sample(frac=1, random_state=3)])
    store = store_of(tmp_path / "s", table)
    with store.writing("again") as writer:
        again = twice[len(table) :]
        writer.write("metrics", frame_of("metrics", {name: again[name].tolist() for name in again}))
        writer.finish(SourceNote("again", "a file", "test", 1, writer.rows, 0, None))
    rows = store.rows("metrics", columns=COLUMNS, by="at_s", categories=["host"])

    assert_same(compare(store.read("metrics", columns=COLUMNS)), compare_rows(rows, LocalEngine()))
    assert_same(
        compare(store_of(tmp_path / "t", table).read("metrics", columns=COLUMNS)),
        compare_rows(rows, LocalEngine()),
    )


def test_nodes_that_do_not_count_are_not_compared() -> None:
    table = network(6, loss={2: 0.05})
    table.loc[table["host"] == "n4", "retrans"] = np.nan
    found = compare(table)
    few = table.assign(retrans=table["retrans"].where(table["host"].isin(["n0", "n1"])))

    assert ("n2",) == found.indicted
    (other,) = (node for node in found.nodes if node.host == "n4")
    assert (None, "it does not say what TCP sent again") == (other.indicted, other.why_not)
    assert "2 of the 3 nodes" in (compare(few).withheld or "")
    assert not compare(table.drop(columns="eth_txbyt")).asked


@pytest.mark.parametrize("absurd", [np.inf, 1.8e19, -5.0])
@pytest.mark.parametrize("column", ["retrans", "eth_txbyt"])
def test_a_counter_that_went_over_its_end_blinds_nobody(column: str, absurd: float) -> None:
    table = network(6, loss={2: 0.05})
    table.loc[table.index[200], column] = absurd

    assert ("n2",) == compare(table).indicted


@pytest.mark.parametrize("nodes", [1, 2])
def test_of_fewer_than_three_nodes_nothing_is_said(nodes: int) -> None:
    table = network(3, loss={0: 0.1})
    found = compare(table[table["host"] < f"n{nodes}"])

    assert f"{nodes} of the 3 nodes" in (found.withheld or "")


def test_a_clock_that_was_years_off_and_counters_without_sense_do_no_harm() -> None:
    table = network(6, loss={2: 0.05})
    table.loc[5, "at_s"] = 3.0
    table.loc[6, "at_s"] = np.inf
    table.loc[7, "retrans"] = np.nan
    table.loc[8, "host"] = None

    assert ("n2",) == compare(table).indicted


def test_every_threshold_of_the_alarm_decides() -> None:
    table = network(6, loss={2: 0.05})
    for one, value in (
        (bb_loss.LEAST_RESENT, 1e6), (bb_loss.LEAST_SHARE, 0.9), (bb_loss.LEAST_RATIO, 1e3),
        (bb_loss.LEAST_DEVIATIONS, 1e4), (bb_loss.INDICTED_ABOVE, 100),
    ):  # fmt: skip
        with thresholds_moved({one.name: value}):
            assert () == compare(table).indicted, one.name
