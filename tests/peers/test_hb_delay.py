"""Round trips of heartbeats compared, on simulated clusters."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from builders.heartbeats import BEGIN_S, HeartbeatCluster
from jsonschema import validate
from typer.testing import CliRunner

from mprof.cli.nodes import nodes
from mprof.peers.comparison import Comparison, MasterStanding, NodeStanding
from mprof.peers.detectors import hb_delay
from mprof.peers.detectors.hb_delay import compare_delays, compare_master, looks
from mprof.peers.detectors.request import Asked
from mprof.store import SourceNote, Store, frame_of
from mprof.threshold import thresholds_moved

ROOT = Path(__file__).parents[2]
HALF_HOUR = 1800.0


def _node(found: Comparison, host: str) -> NodeStanding:
    return next(node for node in found.nodes if node.host == host)


def _master(found: Comparison) -> MasterStanding:
    assert found.master is not None
    return found.master


@pytest.mark.parametrize(
    "healthy",
    [
        HeartbeatCluster(),
        HeartbeatCluster(interval_s=1.0, seconds=900),
        HeartbeatCluster(nodes=5, usual_s=0.03),
        HeartbeatCluster(nodes=20, pauses=0.01),
    ],
)
def test_of_the_nodes_of_fifty_healthy_clusters_hardly_any_is_indicted_and_no_master(
    healthy: HeartbeatCluster,
) -> None:
    indicted = judged = 0
    for seed in range(50):  # 200 with the four kinds of clusters
        found = compare_delays(replace(healthy, seed=seed).table())
        assert found.withheld is None
        assert (_master(found).alarm, _master(found).rate) == (False, 0.0)
        indicted += len(found.indicted)
        judged += sum(node.indicted is not None for node in found.nodes)

    assert judged == 50 * healthy.nodes
    assert indicted <= 0.03 * judged


@pytest.mark.parametrize("seed", range(10))
def test_the_node_whose_heartbeats_take_ten_times_as_long_is_indicted_and_no_master(
    seed: int,
) -> None:
    found = compare_delays(HeartbeatCluster(seed=seed, delayed={3: 10.0}).table())

    assert (found.indicted, _master(found).alarm) == (("node003",), False)
    worst = found.nodes[0]
    (seen,) = worst.observations
    assert seen.own > 4 * seen.peers
    assert worst.since_s is not None
    assert worst.since_s == pytest.approx(BEGIN_S + HALF_HOUR / 3, abs=180)


def _standing_still(table: pd.DataFrame, host: str, *, of_s: float, every_s: float) -> pd.DataFrame:
    """The heartbeats without those of a node that stands still again and again, in their middle."""
    still = (table["host"] == host) & (table["at_s"] % every_s < of_s)
    return table[~still | (table["at_s"] < BEGIN_S + HALF_HOUR / 3)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("interval_s", [1.0, 3.0])
def test_a_node_whose_daemon_stands_still_between_calls_is_indicted(
    interval_s: float, seed: int
) -> None:
    healthy = HeartbeatCluster(seed=seed, interval_s=interval_s).table()

    found = compare_delays(_standing_still(healthy, "node002", of_s=20.0, every_s=40.0))

    assert (found.indicted, _master(found).alarm) == (("node002",), False)
    (seen,) = found.nodes[0].observations
    assert seen.own > 20 * seen.peers


def test_a_log_of_which_hours_are_missing_is_no_daemon_that_stands_still() -> None:
    healthy = HeartbeatCluster(interval_s=1.0).table()

    found = compare_delays(_standing_still(healthy, "node002", of_s=90.0, every_s=150.0))

    assert found.indicted == ()


def test_what_is_read_now_and_then_and_missing_now_and_then_is_no_delay() -> None:
    healthy = HeartbeatCluster(interval_s=15.0, seconds=3 * HALF_HOUR).table()

    found = compare_delays(_standing_still(healthy, "node002", of_s=50.0, every_s=110.0))

    assert found.indicted == ()


@pytest.mark.parametrize("nodes", [10, 50])
@pytest.mark.parametrize("every_s", [60.0, 90.0, 200.0])
def test_a_master_that_stops_for_twenty_seconds_again_and_again_is_the_one_that_is_named(
    nodes: int, every_s: float
) -> None:
    """Blimey's HANG-2051: an alarm rate of 1.0 on 10 nodes and of 0.73 on 50."""
    found = compare_delays(HeartbeatCluster(nodes=nodes, stops_s=20, every_s=every_s).table())

    assert found.indicted == ()
    assert _master(found).alarm is True
    assert _master(found).rate >= 0.73
    assert _master(found).since_s == pytest.approx(BEGIN_S + HALF_HOUR / 3, abs=60)
    (seen,) = _master(found).observations
    assert seen.own > 0.1 > 0.02 > seen.peers


def test_one_stop_of_the_master_is_no_alarm() -> None:
    found = compare_delays(HeartbeatCluster(stops_s=20, every_s=1e9).table())

    assert (_master(found).alarm, found.indicted) == (False, ())


def test_a_long_stop_counts_in_each_window_in_which_a_heartbeat_was_under_way() -> None:
    found = compare_delays(HeartbeatCluster(stops_s=300, every_s=1e9).table())

    assert _master(found).alarm is True
    assert found.indicted == ()


def test_a_sick_node_and_a_master_that_stops_are_both_named() -> None:
    found = compare_delays(HeartbeatCluster(stops_s=20, every_s=200, delayed={3: 30.0}).table())

    assert found.indicted == ("node003",)
    assert _master(found).alarm is True


def test_where_the_master_is_late_nearly_always_nodes_are_not_compared_and_it_is_said_why() -> None:
    table = HeartbeatCluster(seconds=1200).table()
    # slow in 17 of 20 windows, but for most of the single heartbeats as fast as before
    late = (table["at_s"] - BEGIN_S > 120) & (np.arange(len(table)) % 3 == 0)
    table.loc[late, "round_trip_s"] += 2.0
    found = compare_delays(table)

    assert _master(found).alarm is True
    assert found.nodes == ()
    assert "late answers at once" in str(found.withheld)


def test_five_of_ten_late_nodes_are_no_master_and_no_verdict() -> None:
    found = compare_delays(HeartbeatCluster(delayed=dict.fromkeys(range(5), 100.0)).table())

    assert found.indicted == ()
    assert found.withheld is not None
    assert _master(found).alarm is False


def test_a_heartbeat_that_never_came_back_in_time_is_seen() -> None:
    """A hang of one node's answers: one of 400 s among those of 3 s."""
    table = HeartbeatCluster().table()
    mine = table["host"] == "node003"
    hung = mine & table["at_s"].between(BEGIN_S + 600, BEGIN_S + 1000)
    one = pd.DataFrame({"host": ["node003"], "at_s": [BEGIN_S + 1000.0], "round_trip_s": [400.0]})

    found = compare_delays(pd.concat([table[~hung], one]))
    assert found.indicted == ("node003",)
    assert _master(found).alarm is False


def test_a_round_trip_longer_than_the_recording_costs_no_years() -> None:
    table = HeartbeatCluster(seconds=600).table()
    table.loc[5, "round_trip_s"] = 1e12
    table.loc[9, "at_s"] = 3.0

    assert compare_delays(table).windows < 80


def test_rows_that_measure_nothing_are_left_out() -> None:
    table = HeartbeatCluster(delayed={3: 10.0}).table()
    bad = table.iloc[:4].assign(
        round_trip_s=[-5.0, np.nan, np.inf, 1.0], host=["a", "a", "a", None]
    )

    assert compare_delays(pd.concat([table, bad])) == compare_delays(table)
    assert compare_delays(table.sample(frac=1, random_state=1)) == compare_delays(table)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_nodes_are_not_compared(count: int) -> None:
    table = HeartbeatCluster().table()
    found = compare_delays(table[table["host"] < f"node{count:03d}"])

    assert found.nodes == ()
    assert f"{count} of the 3 nodes" in str(found.withheld)


def test_of_a_node_without_heartbeats_nothing_is_said() -> None:
    found = compare_delays(HeartbeatCluster().table(), ("node-x", "node001"))

    assert _node(found, "node-x").indicted is None
    assert _node(found, "node-x").why_not == "no heartbeat of it was seen"


def test_a_node_that_falls_silent_is_not_called_healthy() -> None:
    table = HeartbeatCluster().table()
    gone = (table["host"] == "node004") & (table["at_s"] > BEGIN_S + 900)

    assert _node(compare_delays(table[~gone]), "node004").indicted is None


def test_the_mean_of_a_window_is_that_of_its_heartbeats() -> None:
    """Against a plain loop, on a grid of whole windows."""
    table = HeartbeatCluster(nodes=3, seconds=600, delayed={1: 20.0}).table()
    found = compare_delays(table)
    (seen,) = _node(found, "node001").observations

    origin = table["at_s"].min()
    own, peers = [], []
    for number in range(10):
        means = []
        for host in ("node000", "node001", "node002"):
            within = [
                row.round_trip_s
                for row in table.itertuples()
                if row.host == host and (row.at_s - origin) // 60 == number
            ]
            means.append((sum(within) - max(within)) / (len(within) - 1))
        usual = sorted(means)[1]
        spread = sorted(abs(each - usual) for each in means)[1]
        if means[1] > max(3 * usual, usual + 0.01, usual + 3 * 1.4826 * spread):
            own.append(means[1])
            peers.append(usual)
    assert own
    assert seen.own == pytest.approx(sum(own) / len(own))
    assert seen.peers == pytest.approx(sum(peers) / len(peers))


def test_heartbeats_that_are_rare_make_the_window_longer() -> None:
    found = compare_delays(
        HeartbeatCluster(interval_s=30, seconds=4 * 3600, delayed={3: 20.0}).table()
    )

    assert found.indicted == ("node003",)
    assert found.windows == pytest.approx(4 * 3600 / (2 * 8 * 30), abs=2)


def test_what_a_call_costs_at_a_master_is_compared_with_what_is_usual_there() -> None:
    calm = HeartbeatCluster(nodes=1, interval_s=1.0)
    stopping = replace(calm, stops_s=20)

    assert _master(compare_master(calm.table())).alarm is False
    found = compare_master(stopping.table())
    assert (_master(found).alarm, _master(found).rate) == (True, 1.0)
    assert found.nodes == ()
    assert "no peers" in str(found.withheld)
    few = _master(compare_master(calm.table().iloc[:5]))
    assert few.alarm is None
    assert math.isnan(few.rate)
    assert few.why_not is not None


def test_every_threshold_is_in_force() -> None:
    table = HeartbeatCluster(delayed={3: 10.0}).table()
    for one, value in (
        (hb_delay.ALARM_RATIO, 1e3), (hb_delay.FLOOR, 10.0), (hb_delay.ALARM_DEVIATIONS, 1e4),
        (hb_delay.INDICTED_ABOVE, 40), (hb_delay.HALF_LIFE, 0.01),
    ):  # fmt: skip
        with thresholds_moved({one.name: value}):
            assert compare_delays(table).indicted == (), one.name
    late = HeartbeatCluster(stops_s=20).table()
    for one, value in (
        (hb_delay.RISE_RATIO, 1e9), (hb_delay.RISE_FLOOR, 1e3), (hb_delay.MOST, 1.0),
        (hb_delay.FEWEST_SAMPLES, 1e6),
    ):  # fmt: skip
        with thresholds_moved({one.name: value}):
            assert not _master(compare_delays(late)).alarm, one.name


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "store")
    tables = {
        "nodeHeartbeat": HeartbeatCluster(stops_s=20).table(),
        "sendHeartbeat": HeartbeatCluster(delayed={3: 10.0}).table(),
        "sendHeartbeat at the master": HeartbeatCluster(nodes=1).table().assign(host="nn"),
    }
    with made.writing("beats") as writer:
        for kind, table in tables.items():
            writer.write(
                "heartbeats", frame_of("heartbeats", table.assign(kind=kind).to_dict("list"))
            )
        writer.finish(SourceNote("beats", "/logs/beats.log", "test", 1, writer.rows, 0, None))
    return made


def test_each_kind_of_heartbeat_is_a_look_and_none_is_of_a_job(store: Store) -> None:
    assert [look.evidence for look in looks(Asked(store))] == [
        "round trips of nodeHeartbeat", "round trips of sendHeartbeat",
        "sendHeartbeat at the master nn",
    ]  # fmt: skip
    assert list(looks(Asked(store, job="job_1"))) == []


def test_the_command_names_the_node_and_the_master(store: Store) -> None:
    app = typer.Typer()
    app.command()(nodes)
    said = CliRunner().invoke(app, [str(store.folder)]).stdout

    assert said.startswith("1 of 10 nodes differs from the others. Their master is late.")
    assert "MASTER\n  late for 100% of the nodes  since 2020-09-13 12:" in said
    assert "hb-delay (round trips of sendHeartbeat, " in said

    value = json.loads(CliRunner().invoke(app, [str(store.folder), "--json"]).stdout)
    validate(value, json.loads((ROOT / "docs/reference/nodes.schema.json").read_text()))
    assert [True, False, False] == [one["master"]["alarm"] for one in value["comparisons"]]
