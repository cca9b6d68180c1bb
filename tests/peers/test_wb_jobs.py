"""`wb-jobs`: nodes that fare badly with the jobs of several users, on simulated clusters."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from builders.job_histories import Job, Machine, SimulatedCluster, store_of

from mprof.peers.comparison import Comparison, NodeStanding
from mprof.peers.detectors.wb_jobs import chances_of_so_many, compare_jobs
from mprof.peers.findings import find_sick_nodes
from mprof.peers.tables.job_scores import score_nodes


def jobs(number: int, *, users: int = 3, **what: object) -> list[Job]:
    return [
        Job(f"user{i % users}", 600.0 * i, **what)  # type: ignore[arg-type]
        for i in range(number)
    ]


def compared(cluster: SimulatedCluster, of: list[Job]) -> Comparison:
    ran = cluster.run(of)
    users = dict(zip(ran.jobs["job"], ran.jobs["user"], strict=True))
    return compare_jobs(score_nodes(ran.attempts), users)


def named(cluster: SimulatedCluster, of: list[Job]) -> set[str]:
    return set(compared(cluster, of).indicted)


def untold(found: Comparison) -> list[NodeStanding]:
    return [one for one in found.nodes if one.indicted is None and one.score > 1]


def test_a_healthy_cluster_has_no_such_node() -> None:
    assert set() == named(SimulatedCluster(seed=1), jobs(12))


def test_a_cluster_without_any_failure_has_none() -> None:
    assert set() == named(SimulatedCluster(seed=1, failure_rate=0.0), jobs(3))


def test_jobs_that_were_killed_whole_say_nothing_of_any_node() -> None:
    ran = SimulatedCluster(seed=1).run(jobs(3))
    users = dict(zip(ran.jobs["job"], ran.jobs["user"], strict=True))

    found = compare_jobs(score_nodes(ran.attempts.assign(state="killed")), users)

    assert {None} == {node.indicted for node in found.nodes}


@pytest.mark.parametrize("machine", [Machine(slower=4.0), Machine(fails=0.7)])
def test_a_node_that_fares_badly_with_several_users_is_named(machine: Machine) -> None:
    found = compared(SimulatedCluster(seed=7, machines={13: machine}), jobs(10))
    node = found.nodes[0]

    assert ("node013",) == found.indicted
    assert node.observations[0].own > 5 * node.observations[0].peers
    assert node.jobs >= 2


def test_it_dates_from_the_first_job_that_fared_badly() -> None:
    machine = Machine(slower=5.0, since_s=3000.0)
    found = compared(SimulatedCluster(seed=8, machines={13: machine}), jobs(12))

    assert found.nodes[0].since_s is not None
    assert 1.7e9 + 3000 <= found.nodes[0].since_s <= 1.7e9 + 4200


def test_jobs_of_one_user_alone_cannot_tell_a_machine() -> None:
    cluster = SimulatedCluster(seed=9, machines={13: Machine(slower=4.0)})
    found = compared(cluster, jobs(10, users=1))
    (one,) = untold(found)

    assert () == found.indicted
    assert one.host == "node013"
    assert one.why_not == "all jobs that ran here are user0's: the fault may be in them"


def test_many_bad_nodes_do_not_hide_each_other() -> None:
    sick = {node: Machine(fails=0.8) for node in (1, 12, 22, 33, 41, 52, 58)}
    cluster = SimulatedCluster(nodes=60, seed=10, machines=sick)

    assert {cluster.host(node) for node in sick} == named(cluster, jobs(12, maps=240, reduces=60))


def test_where_more_than_a_quarter_fares_badly_nobody_is_named() -> None:
    sick = {node: Machine(slower=6.0) for node in range(16)}
    cluster = SimulatedCluster(nodes=60, seed=10, machines=sick)
    found = compared(cluster, jobs(12, maps=240, reduces=60))

    assert found.disputed
    assert found.nodes == ()


def test_nodes_of_a_rack_of_which_most_are_bad_are_not_blamed(tmp_path: Path) -> None:
    """Another kind of machine, or what the rack shares: peers cannot tell."""
    sick = {node: Machine(slower=4.0) for node in range(20, 30)}
    cluster = SimulatedCluster(nodes=60, seed=11, machines=sick)
    store = store_of(cluster.run(jobs(12, maps=240, reduces=60)), tmp_path / "store")
    found = find_sick_nodes(store)
    look = next(one for one in found.looks if one.comparison.detector == "wb-jobs")

    assert {cluster.host(node) for node in sick} == {one.host for one in untold(look.comparison)}
    assert "nearly all nodes of rack rack02 differ" in str(untold(look.comparison)[0].why_not)


def test_a_job_that_fails_everywhere_is_not_held_against_nodes() -> None:
    work = [Job(f"user{i}", 600.0 * i, fails={"map": 0.6}) for i in range(6)]

    assert set() == named(SimulatedCluster(seed=13), work)


def test_the_chance_of_so_many_events_is_that_of_all_their_outcomes() -> None:
    rng = np.random.default_rng(14)
    sets = [rng.uniform(0, 1, events) for events in (9, 4, 1, 7)]
    numbers = [3, 4, 1, 7]
    expected = [
        sum(
            np.prod([p if happens else 1 - p for p, happens in zip(chances, each, strict=True)])
            for each in itertools.product((True, False), repeat=len(chances))
            if sum(each) >= number
        )
        for chances, number in zip(sets, numbers, strict=True)
    ]
    assert chances_of_so_many(sets, numbers) == pytest.approx(expected)
    assert len(chances_of_so_many([], [])) == 0


def test_small_chances_keep_their_digits() -> None:
    assert chances_of_so_many([np.full(13, 0.02)], [13])[0] == pytest.approx(0.02**13)
