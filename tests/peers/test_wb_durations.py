"""Nodes on which the same work takes longer, on clusters made by a seed."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders.shared_data import SHARED_DATA, needs_shared_data
from builders.troubled_jobs import TroubledJob

from mprof.peers.detectors.wb_durations import compare_durations
from mprof.peers.tables.durations import LEAST_INTERVALS
from mprof.peers.tables.intervals import INTERVAL_COLUMNS, intervals_of_attempts
from mprof.sources.imports import import_files
from mprof.store import Store

RUN_S = 1500.0


def name(number: int) -> str:
    # Names say nothing of who is sick: neither their order nor what they begin with.
    return f"n{(number * 7919) % 1009:04d}"


def cluster(
    nodes: int,
    sick: int = 0,
    *,
    seed: int = 1,
    times: float = 4.0,
    each: int = 40,
    replicas: int = 1,
    from_s: float = 0.0,
) -> pd.DataFrame:
    """Durations of one operation; the first nodes are sick.

    Args:
        nodes: of the cluster.
        sick: of these.
        seed: of the generator.
        times: as long as a healthy node a sick one takes.
        each: operations that each node begins.
        replicas: nodes that take part; an operation is as slow as the slowest of them.
        from_s: time from which the sick ones are sick.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for first in range(nodes):
        for started in np.sort(rng.uniform(0, RUN_S, each)):
            others = rng.choice(nodes - 1, replicas - 1, replace=False) if replicas > 1 else []
            members = [first, *(int(one) + (one >= first) for one in others)]
            slow = started >= from_s and any(one < sick for one in members)
            seconds = rng.lognormal(math.log(3), 0.5) * (times if slow else 1.0)
            rows += [
                dict(zip(INTERVAL_COLUMNS, (name(one), "write", "run", started, seconds, True),
                         strict=True))
                for one in members
            ]  # fmt: skip
    return pd.DataFrame(rows)


def names(count: int) -> set[str]:
    return {name(number) for number in range(count)}


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("nodes", [6, 10, 50, 100])
def test_where_all_are_well_nobody_is_indicted(nodes: int, seed: int) -> None:
    found = compare_durations(cluster(nodes, seed=seed))

    assert found.withheld is None
    assert found.indicted == ()
    assert len(found.nodes) == nodes


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("nodes", "sick"), [(6, 1), (6, 2), (10, 4), (50, 1), (50, 20), (100, 40)])
def test_a_minority_of_slow_nodes_is_found_and_nobody_else(
    nodes: int, sick: int, seed: int
) -> None:
    found = compare_durations(cluster(nodes, sick, seed=seed))

    assert set(found.indicted) == names(sick)
    worst = found.nodes[0]
    (seen,) = worst.observations
    assert (seen.what, seen.unit) == ("write", "s")
    assert seen.own / seen.peers == pytest.approx(4, rel=0.5)


def test_of_two_states_the_one_of_many_intervals_tells_since_when() -> None:
    """A node is slow from 750 s on; a few of another state happen to have been long before.

    many:  ............||||||||||||
    few:       |    |   |    |    |
    """
    many = cluster(20, 1, each=60, from_s=750.0)
    few = cluster(20, 1, each=12, from_s=200.0, seed=2).assign(state="other")

    (worst, *_) = compare_durations(pd.concat([many, few], ignore_index=True)).nodes

    (spell,) = worst.spells
    assert {each.what for each in worst.observations} == {"write", "other"}
    assert spell.begin_s == worst.since_s == pytest.approx(750, abs=60)


@pytest.mark.parametrize("each", [12, 40, 160])
def test_a_node_that_is_as_slow_as_is_said_to_be_visible_is_named(each: int) -> None:
    healthy = compare_durations(cluster(20, each=each)).nodes[0]
    ((state, times),) = healthy.visible_in

    named = [
        name(0) in compare_durations(cluster(20, 1, times=times, each=each, seed=seed)).indicted
        for seed in range(40)
    ]

    assert (state, healthy.visible) == ("write", times)
    assert np.mean(named) >= 0.85  # 0.95 is said, of 40


@pytest.mark.parametrize("sick", [1, 5, 10, 20])
def test_who_waits_for_a_sick_node_is_not_indicted(sick: int) -> None:
    # three replicas: with 20 of 50 sick, three quarters of a healthy node's writes are slow
    found = compare_durations(cluster(50, sick, replicas=3, times=6))

    assert set(found.indicted) == names(sick)


@pytest.mark.parametrize("sick", [25, 30, 40])
def test_without_a_healthy_majority_nothing_is_said(sick: int) -> None:
    found = compare_durations(cluster(50, sick, times=6))

    assert found.indicted == ()
    assert found.withheld is not None
    assert found.withheld.startswith("no healthy majority: write takes")


@pytest.mark.parametrize("times", [2.0, 10.0, 1000.0])
def test_a_cluster_that_is_slow_throughout_has_no_sick_node(times: float) -> None:
    found = compare_durations(cluster(50, 50, times=times))

    assert found.indicted == ()


def test_a_fault_that_came_late_is_told_with_its_time() -> None:
    found = compare_durations(cluster(20, 2, each=120, times=6, from_s=600.0))

    assert set(found.indicted) == names(2)
    assert all(node.since_s == pytest.approx(600, abs=300) for node in found.nodes[:2])


def test_a_node_that_is_silent_is_indicted_if_it_should_be_there() -> None:
    heard = cluster(20, each=30)
    rows = heard[heard["host"] != name(3)]

    assert compare_durations(rows).indicted == ()
    found = compare_durations(rows, names(20))
    assert found.indicted == (name(3),)
    assert found.nodes[0].observations[0].what == "intervals"


def test_silence_tells_nothing_where_others_have_little_to_say_too() -> None:
    rows = pd.concat([cluster(3, each=30), cluster(20, each=3).assign(state="read")])
    heard = rows[rows["host"] != name(5)]

    assert name(5) not in compare_durations(heard, names(20)).indicted


def test_a_node_with_few_intervals_is_neither_well_nor_sick() -> None:
    few = pd.concat([cluster(10, each=30), cluster(1, each=4).assign(host="new")])

    (node,) = (one for one in compare_durations(few).nodes if one.host == "new")

    assert node.indicted is None
    assert node.why_not == "fewer than 5 intervals of any state"


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (cluster(50).iloc[:0], "nothing to compare: no intervals of any node"),
        (cluster(1, each=30), "nothing to compare: intervals of 1 of 1 node"),
        (cluster(2, each=30), "nothing to compare: intervals of 2 of 2 nodes"),
        (cluster(9, each=4), "no state has 5 intervals on 3 nodes"),
    ],
)
def test_where_there_is_nothing_to_compare_that_is_said(rows: pd.DataFrame, why: str) -> None:
    found = compare_durations(rows)

    assert (found.nodes, found.withheld) == ((), why)


def test_durations_that_are_all_alike_differ_in_nothing() -> None:
    found = compare_durations(cluster(10).assign(seconds=2.0))

    assert (found.indicted, found.withheld) == ((), None)


def test_a_clock_that_stands_still_is_no_error() -> None:
    rows = cluster(10)
    rows.loc[rows["host"] == name(4), "seconds"] = 0.0

    assert compare_durations(rows).indicted == ()


def test_intervals_that_are_not_known_count_for_nothing() -> None:
    rows = cluster(10, 1)
    with_gaps = pd.concat([rows, rows.assign(seconds=math.nan, ended=False)])

    assert compare_durations(with_gaps).indicted == compare_durations(rows).indicted


def test_what_takes_little_of_the_time_is_not_compared() -> None:
    # connecting to the next node: a thousandth of the time, and three nodes are slow at it
    short = cluster(20, 3, times=50).assign(state="connect")
    short["seconds"] /= 20_000

    assert compare_durations(pd.concat([cluster(20), short])).indicted == ()


def test_attempts_that_hang_are_found_while_they_run() -> None:
    # on one node no map attempt ends; the others take 20 to 40 s
    rng = np.random.default_rng(5)
    rows = [
        {
            "job": "job_1", "attempt": f"a{host}-{number}", "kind": "map", "host": f"node-{host}",
            "started_s": start, "shuffled_s": math.nan, "sorted_s": math.nan,
            "finished_s": math.nan if host == 4 else start + rng.uniform(20, 40),
            "state": "running" if host == 4 else "succeeded",
        }
        for host in range(8)
        for number, start in enumerate(1000.0 + 30 * np.arange(10))
    ]  # fmt: skip

    intervals = intervals_of_attempts(pd.DataFrame(rows), seen_until_s=2000.0)

    assert compare_durations(intervals).indicted == ("node-4",)


def test_states_of_a_reduce_attempt_follow_each_other() -> None:
    row = {
        "job": "j", "attempt": "a", "kind": "reduce", "host": "h", "started_s": 10.0,
        "shuffled_s": 25.0, "sorted_s": 27.0, "finished_s": 50.0, "state": "succeeded",
    }  # fmt: skip
    dying = {**row, "state": "failed", "sorted_s": math.nan}

    ended = intervals_of_attempts(pd.DataFrame([row]))
    failed = intervals_of_attempts(pd.DataFrame([dying]))

    states = ["reduce copy", "reduce merge", "reduce"]
    assert list(zip(ended["state"], ended["seconds"], ended["ended"], strict=True)) == list(
        zip(states, [15.0, 2.0, 23.0], [True] * 3, strict=True)
    )
    assert list(zip(failed["state"], failed["seconds"], failed["ended"], strict=True)) == [
        ("reduce copy", 15.0, True), ("reduce merge", 25.0, False),
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_a_copy_counts_from_the_end_of_the_last_map_that_it_waited_for(seed: int) -> None:
    """Brute force: of each reducer the maps of its job that ended before its copy did.

    map     |------|        |-----| run again
    early    |..wait..===|             rest of the copy
    late             |=======|         the whole copy
    """
    rng = np.random.default_rng(seed)
    rows = [
        {
            "job": f"j{rng.integers(3)}", "attempt": f"a{number}", "host": f"h{number % 4}",
            "kind": "map" if rng.random() < 0.5 else "reduce", "started_s": float(begin),
            "shuffled_s": begin + 20.0, "sorted_s": begin + 21.0, "finished_s": begin + 30.0,
            "state": "succeeded" if rng.random() < 0.8 else "failed",
        }
        for number, begin in enumerate(rng.integers(0, 100, 40).tolist())
    ]  # fmt: skip
    expected = []
    for row in (one for one in rows if one["kind"] == "reduce"):
        ends = [
            one["finished_s"] for one in rows
            if one["kind"] == "map" and one["state"] == "succeeded" and one["job"] == row["job"]
            and one["finished_s"] <= row["shuffled_s"]
        ]  # fmt: skip
        last_s = max(ends, default=-math.inf)
        whole = last_s <= row["started_s"]
        begin_s = row["started_s"] if whole else last_s
        state = "reduce copy" if whole else "rest of the reduce copy"
        expected.append((row["host"], state, begin_s, row["shuffled_s"] - begin_s))

    found = intervals_of_attempts(pd.DataFrame(rows))

    copies = found[found["state"].str.contains("copy") & found["seconds"].notna()]
    told = zip(*(copies[name] for name in ("host", "state", "started_s", "seconds")), strict=True)
    assert sorted(told) == sorted(expected)
    waits = found[found["seconds"].isna()]
    early = [state for _, state, _, _ in expected].count("rest of the reduce copy")
    assert (len(waits), waits["ended"].any()) == (early, False)


def test_the_same_rows_in_another_order_say_the_same() -> None:
    rows = cluster(20, 3)

    assert compare_durations(rows.sample(frac=1, random_state=3)) == compare_durations(rows)


def of_job(folder: Path, maps: int, sick: int, seed: int, times: float = 4.0) -> pd.DataFrame:
    """The maps of a job on twelve nodes, of which a slow one runs fewer than the others."""
    store = Store(folder)
    slower = dict.fromkeys(range(sick), times)
    TroubledJob(maps=maps, reduces=0, slower=slower, seed=seed).into(store)
    return intervals_of_attempts(store.read("attempts"))


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("digits", [9, 3, 0])
@pytest.mark.parametrize(("maps", "sick"), [(90, 4), (90, 5), (120, 1), (120, 4), (120, 5)])
def test_nodes_that_are_so_slow_that_they_had_few_tasks_are_named(
    tmp_path: Path, maps: int, sick: int, digits: int, seed: int
) -> None:
    intervals = of_job(tmp_path, maps, sick, seed)
    # histories tell milliseconds, and some only seconds: many durations are the same
    intervals["seconds"] = intervals["seconds"].round(digits)
    fewest = intervals.groupby("host").size().min()

    found = compare_durations(intervals)

    assert fewest < LEAST_INTERVALS.value
    assert set(found.indicted) == {f"node-{number:02d}" for number in range(sick)}


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("times", [2.0, 4.0])
@pytest.mark.parametrize(("maps", "sick"), [(60, 6), (60, 7), (90, 6), (90, 7), (120, 6), (120, 7)])
def test_where_half_of_the_nodes_had_few_tasks_since_they_are_slow_none_is_named(
    tmp_path: Path, maps: int, sick: int, times: float, seed: int
) -> None:
    found = compare_durations(of_job(tmp_path, maps, sick, seed, times))

    slow = {f"node-{number:02d}" for number in range(sick)}
    assert found.indicted == ()
    assert not {node.host for node in found.nodes if node.indicted is False} & slow


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("others", [20, 40])
def test_nodes_that_had_a_task_or_two_do_not_hide_a_slow_one(others: int, seed: int) -> None:
    intervals = cluster(12 + others, sick=1, each=12, seed=seed)
    with_one = {name(number) for number in range(12, 12 + others)}
    later = intervals.groupby("host").cumcount() > 0
    intervals = intervals[~(intervals["host"].isin(with_one) & later)].reset_index(drop=True)

    found = compare_durations(intervals)

    assert found.withheld is None
    assert name(0) in found.indicted


@pytest.mark.parametrize("seed", range(20))
def test_a_healthy_node_with_few_tasks_is_not_named(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    intervals = cluster(12, each=12, seed=seed)
    few = {name(number): int(rng.integers(1, 5)) for number in range(6)}
    kept = intervals.groupby("host").cumcount() < intervals["host"].map(few).fillna(99)

    found = compare_durations(intervals[kept].reset_index(drop=True))

    assert (found.withheld, found.indicted) == (None, ())


@needs_shared_data
def test_of_the_nodes_of_the_gridmix_jobs_none_is_indicted(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    for _ in import_files([SHARED_DATA / "jobtraces" / "gridmix"], store):
        pass
    found = [
        compare_durations(intervals_of_attempts(rows))
        for _, rows in store.read("attempts").groupby(["source", "job"])
    ]
    judged = [node for each in found for node in each.nodes if node.indicted is not None]

    assert len(judged) > 100
    assert [node.host for node in judged if node.indicted] == []
