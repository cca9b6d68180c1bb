"""Completions of nodes compared, on simulated clusters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders.shared_data import SHARED_DATA, needs_shared_data
from builders.working_nodes import BEGIN_S, WorkingCluster

from mprof.peers.comparison import Comparison, NodeStanding
from mprof.peers.detectors import hb_rate
from mprof.peers.detectors.hb_rate import compare_rates, work_of
from mprof.sources import import_files
from mprof.store import Store
from mprof.threshold import thresholds_moved


def _compared(*clusters: WorkingCluster) -> Comparison:
    return compare_rates(work_of(pd.concat([each.attempts() for each in clusters])))


def _node(found: Comparison, host: str) -> NodeStanding:
    return next(node for node in found.nodes if node.host == host)


@pytest.mark.parametrize(
    "healthy",
    [
        WorkingCluster(),
        WorkingCluster(nodes=6, maps=120),
        WorkingCluster(reduces=10),
        WorkingCluster(slots_of={0: 8, 1: 1}),
    ],
)
def test_of_the_nodes_of_fifty_healthy_clusters_hardly_any_is_indicted(
    healthy: WorkingCluster,
) -> None:
    indicted = judged = 0
    for seed in range(50):  # 200 with the four kinds of clusters
        found = _compared(replace(healthy, seed=seed))
        assert found.withheld is None
        indicted += len(found.indicted)
        judged += sum(node.indicted is not None for node in found.nodes)

    assert judged > 250
    assert indicted <= 0.03 * judged


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("cluster", [WorkingCluster(), WorkingCluster(reduces=10)])
def test_a_node_at_half_the_speed_is_indicted_and_nobody_else(
    cluster: WorkingCluster, seed: int
) -> None:
    found = _compared(replace(cluster, seed=seed, slower={3: 2.0}))

    assert found.indicted == ("node003",)
    (seen,) = found.nodes[0].observations
    assert (seen.what, seen.unit) == ("completions", "a minute")
    assert BEGIN_S <= (found.nodes[0].since_s or 0) <= BEGIN_S + 700
    # with two slots and attempts of half a minute, peers complete four a minute; with a reducer
    # in one of the slots, two
    assert 2 * 0.65 <= seen.peers <= 4 * 1.35
    assert seen.own == pytest.approx(seen.peers / 2, rel=0.4)


@pytest.mark.parametrize("seed", range(10))
def test_a_node_that_hangs_while_others_complete_is_indicted_from_about_then(seed: int) -> None:
    found = _compared(WorkingCluster(seed=seed, hung_at_s={3: 400.0}))

    assert found.indicted == ("node003",)
    since_s = found.nodes[0].since_s
    assert since_s is not None
    assert BEGIN_S + 100 <= since_s <= BEGIN_S + 700


def test_a_node_that_was_given_a_quarter_of_the_work_is_not_blamed_for_it() -> None:
    found = _compared(WorkingCluster(slots=4, maps=1200, slots_of={3: 1}))

    assert found.indicted == ()
    assert _node(found, "node003").indicted is False


def test_a_node_with_long_work_is_not_blamed_for_few_completions() -> None:
    """Nodes 0 to 4 work for one job, nodes 5 to 9 for both: the second takes ten times as long."""
    long = WorkingCluster(maps=60, map_s=300.0, slots=1, job="job_1_0002", seed=5).attempts()
    long = long[long["host"] >= "node005"]
    short = WorkingCluster(slots=2, maps=600, slots_of=dict.fromkeys(range(5, 10), 1)).attempts()

    assert compare_rates(work_of(pd.concat([short, long]))).indicted == ()


def test_a_node_that_fails_everything_at_once_completes_nothing() -> None:
    rows = WorkingCluster().attempts()
    failing = rows["host"] == "node003"
    rows.loc[failing, "state"] = "failed"

    assert compare_rates(work_of(rows)).indicted == ("node003",)


def test_a_node_that_completes_more_is_not_blamed() -> None:
    assert _compared(WorkingCluster(slower={3: 0.4})).indicted == ()


def test_nothing_is_said_of_a_node_that_never_had_work() -> None:
    found = compare_rates(work_of(WorkingCluster().attempts()), ("namenode", "node001"))
    one = _node(found, "namenode")

    assert (one.indicted, one.why_not) == (None, "no work was seen on it")
    assert len(found.nodes) == 11


def test_a_node_that_gets_no_more_work_while_all_others_are_busy_is_indicted() -> None:
    rows = WorkingCluster(maps=900).attempts()
    gone = (rows["host"] == "node003") & (rows["finished_s"] > BEGIN_S + 400)

    assert compare_rates(work_of(rows[~gone])).indicted == ("node003",)


def test_a_node_that_is_added_is_not_blamed_for_the_time_before() -> None:
    rows = WorkingCluster().attempts()
    middle_s = float(rows["started_s"].median())
    before = (rows["host"] == "node003") & (rows["started_s"] < middle_s)

    assert compare_rates(work_of(rows[~before])).indicted == ()


def test_a_node_that_holds_a_few_large_tasks_is_not_blamed_for_few_completions() -> None:
    """Of its four slots three are taken by tasks that are as long as the job."""
    rows = WorkingCluster(slots=4, maps=1200, slots_of={3: 1}).attempts()
    begin_s, end_s = rows["started_s"].min(), rows["finished_s"].max()
    large = rows.iloc[:3].assign(
        attempt=["large-1", "large-2", "large-3"], host="node003", started_s=begin_s,
        finished_s=end_s,
    )  # fmt: skip

    assert compare_rates(work_of(pd.concat([rows, large]))).indicted == ()


def test_nothing_is_said_of_nodes_without_work_where_there_is_too_little_for_all() -> None:
    """A second job comes that fills four nodes only, as a scheduler does that packs."""
    first, second = WorkingCluster(maps=600), WorkingCluster(
        maps=400, job="job_1_0002", begin_s=BEGIN_S + 2000, seed=9, nodes=4
    )  # fmt: skip
    found = _compared(first, second)

    assert found.indicted == ()
    assert _node(found, "node009").indicted is None
    assert "enough of it was seen" in str(_node(found, "node009").why_not)


def test_the_night_between_two_jobs_is_not_compared() -> None:
    day = WorkingCluster(slower={3: 2.0})
    again = replace(day, job="job_1_0002", begin_s=BEGIN_S + 40_000, seed=1)
    alone, both = _compared(day), _compared(day, again)

    assert both.indicted == ("node003",)
    assert both.windows <= 2.5 * alone.windows


def test_with_few_completions_the_verdict_is_withheld() -> None:
    found = _compared(WorkingCluster(maps=60, slower={3: 5.0}))

    assert found.nodes == ()
    assert found.withheld == "the median node completed 7 attempts, and a comparison needs 10"


def test_two_nodes_are_not_compared() -> None:
    assert "2 of the 3 nodes" in str(_compared(WorkingCluster(nodes=2)).withheld)


@pytest.mark.parametrize("sick", [4, 5, 6])
def test_without_a_healthy_majority_the_verdict_is_withheld(sick: int) -> None:
    found = _compared(WorkingCluster(slower=dict.fromkeys(range(sick), 3.0), maps=900))

    assert found.indicted == ()
    assert found.withheld is not None or all(node.score <= 1 for node in found.nodes)


def test_two_sick_nodes_of_ten_are_both_indicted() -> None:
    assert set(_compared(WorkingCluster(slower={3: 2.0, 7: 2.5}, maps=900)).indicted) == {
        "node003", "node007",
    }  # fmt: skip


def test_with_equal_work_in_hand_it_is_the_difference_from_the_median_rate() -> None:
    """The definition of the paper: rate minus the median of the rates."""
    counts = {"a": 90, "b": 100, "c": 120, "d": 100, "e": 30}
    rows = []
    for host, count in counts.items():
        ends = np.arange(1, count + 1) * 1000 / count
        begins = ends - 1000 / count  # one slot that is never empty
        rows.append(pd.DataFrame({
            "host": host, "group": "x", "started_s": begins, "until_s": ends, "completed": True,
        }))  # fmt: skip
    found = compare_rates(pd.concat(rows))
    worst = found.nodes[0]

    assert found.indicted == ("e",)
    assert worst.observations[0].peers == pytest.approx(6, rel=0.15)  # 100 in 1,000 s
    assert worst.observations[0].own == pytest.approx(1.8, rel=0.25)


# Containers of a NodeManager's log, which has no kinds.


def _containers(cluster: WorkingCluster) -> pd.DataFrame:
    rows = cluster.attempts()
    rows["kind"] = None
    rows["attempt"] = [f"container_1_0001_01_{number + 2:06d}" for number in range(len(rows))]
    return rows


@pytest.mark.parametrize("seed", range(20))
def test_nodes_whose_containers_are_reducers_are_not_blamed(seed: int) -> None:
    cluster = WorkingCluster(reduces=12, seed=seed)

    assert compare_rates(work_of(_containers(cluster))).indicted == ()


def test_a_slow_node_is_indicted_by_its_containers() -> None:
    cluster = WorkingCluster(reduces=12, maps=900, slower={3: 2.0})

    found = [compare_rates(work_of(_containers(replace(cluster, seed=n)))) for n in range(20)]
    assert sum("node003" in each.indicted for each in found) >= 18
    assert all(set(each.indicted) <= {"node003"} for each in found)


def test_the_container_of_the_application_master_is_no_work() -> None:
    rows = _containers(WorkingCluster())
    master = rows.iloc[[0]].assign(
        attempt="container_e17_1_0001_01_000001", host="node003", started_s=BEGIN_S,
        finished_s=rows["finished_s"].max(),
    )  # fmt: skip

    assert len(work_of(pd.concat([rows, master]))) == len(rows)


def test_containers_that_were_killed_on_their_way_out_are_complete_and_attempts_are_not() -> None:
    containers, attempts = _containers(WorkingCluster()), WorkingCluster().attempts()
    for rows in (containers, attempts):
        rows["state"] = "killed"

    assert work_of(containers)["completed"].all()
    assert not work_of(attempts)["completed"].any()


def test_what_runs_still_is_in_hand_until_the_last_time_of_its_job() -> None:
    rows = WorkingCluster(hung_at_s={3: 400.0}).attempts()
    rows.loc[rows["host"] == "node003", "source"] = "its own log"
    other = WorkingCluster(job="job_1_0002", begin_s=BEGIN_S + 9e5).attempts()
    work = work_of(pd.concat([rows, other], ignore_index=True))
    hung = work[~work["completed"]]

    assert set(hung["host"]) == {"node003"}
    assert set(hung["until_s"]) == {rows["finished_s"].max()}


def test_rows_without_times_hosts_or_sense_are_left_out() -> None:
    rows = WorkingCluster().attempts()
    whole = len(work_of(rows))
    rows.loc[0, "host"] = None
    rows.loc[1, "started_s"] = np.nan
    rows.loc[2, "finished_s"] = rows.loc[2, "started_s"] - 500

    assert len(work_of(rows)) == whole - 3
    assert work_of(rows.iloc[:0]).empty


def test_a_clock_years_off_costs_no_years_and_blames_nobody_else() -> None:
    rows = WorkingCluster(slower={5: 2.5}).attempts()
    late = rows["host"] == "node002"
    rows.loc[late, ["started_s", "finished_s"]] += 1e8
    found = compare_rates(work_of(rows))

    assert set(found.indicted) <= {"node002", "node005"}
    assert found.windows < 200


def test_every_threshold_is_in_force() -> None:
    work = work_of(WorkingCluster(slower={3: 2.0}).attempts())
    for one, value in (
        (hb_rate.LEAST_RATIO, 0.2), (hb_rate.LEAST_DEVIATIONS, 50), (hb_rate.INDICTED_ABOVE, 30),
        (hb_rate.LEAST_EXPECTED, 1e4), (hb_rate.LEAST_COMPLETIONS, 1e4), (hb_rate.MOST_OWN, 0.01),
    ):  # fmt: skip
        with thresholds_moved({one.name: value}):
            assert compare_rates(work).indicted == (), one.name


@needs_shared_data
def test_of_the_nodes_of_the_gridmix_jobs_none_is_indicted(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    for _ in import_files([SHARED_DATA / "jobtraces" / "gridmix"], store):
        pass
    indicted = judged = 0
    for _, rows in store.read("attempts").groupby("source"):
        for job in rows["job"].unique():
            found = compare_rates(work_of(rows[rows["job"] == job]))
            indicted += len(found.indicted)
            judged += sum(node.indicted is not None for node in found.nodes)

    assert judged > 100
    assert indicted <= 0.03 * judged
