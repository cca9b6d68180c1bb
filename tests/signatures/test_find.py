"""Signatures on simulated clusters, one problem at a time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from builders.job_histories import Job, Machine, SimulatedCluster

from mprof.signatures import Signature, find_signatures
from mprof.signatures.machines import chance_of_so_many


def jobs(number: int, *, users: int = 3, **what: object) -> list[Job]:
    return [
        Job(f"user{i % users}", 600.0 * i, **what)  # type: ignore[arg-type]
        for i in range(number)
    ]


def found(cluster: SimulatedCluster, of: list[Job]) -> tuple[Signature, ...]:
    return find_signatures(cluster.run(of))


def test_a_healthy_cluster_has_none() -> None:
    assert () == found(SimulatedCluster(seed=1), jobs(12))


def test_a_cluster_without_any_failure_has_none() -> None:
    assert () == found(SimulatedCluster(seed=1, failure_rate=0.0), jobs(3))


def test_a_bad_node_that_happens_to_have_more_data_is_no_skew() -> None:
    work = [*jobs(8), Job("user9", 5400.0, reduces=20, skewed={"reduce": (13, 9.0)})]
    cluster = SimulatedCluster(seed=16, slots=1, machines={13: Machine(slower=4.0)})
    signatures = found(cluster, work)

    assert "node013" in {one.hosts[0] for one in signatures if one.kind == "infrastructure"}
    assert not [one for one in signatures if one.kind == "skew" and "node013" in one.hosts]


def test_a_job_that_fails_on_most_nodes_is_an_application_problem() -> None:
    work = jobs(8)
    work[5] = Job("user9", 3000.0, maps=200, fails={"map": 0.9})
    (one,) = found(SimulatedCluster(seed=2), work)

    assert ("application", "spread", "fires") == (one.kind, one.pattern, one.verdict)
    assert ("user9",) == one.users
    assert one.jobs[0].endswith("_0006")
    assert one.task_kind == "map"
    assert one.figure("failing nodes") >= 0.5 * one.figure("nodes")


def test_reduces_that_fail_are_told_from_maps_that_do_not() -> None:
    work = [*jobs(4), Job("user9", 3000.0, reduces=60, fails={"reduce": 0.9})]
    (one,) = found(SimulatedCluster(seed=3), work)

    assert ("application", "reduce") == (one.kind, one.task_kind)


def test_one_task_that_fails_wherever_it_runs_is_an_application_problem() -> None:
    work = [*jobs(4), Job("user9", 3000.0, reduces=60, failing_task={"reduce": 7})]
    (one,) = found(SimulatedCluster(seed=4), work)

    assert ("application", "one task", "fires") == (one.kind, one.pattern, one.verdict)
    assert one.task is not None
    assert one.task.startswith("task_")
    assert one.task.endswith("_r_000007")
    assert one.figure("failing nodes") >= 3


def test_a_node_with_much_more_data_that_takes_longer_is_skew() -> None:
    work = [*jobs(4), Job("user9", 3000.0, reduces=20, skewed={"reduce": (0, 12.0)})]
    (one,) = found(SimulatedCluster(seed=5), work)

    assert ("skew", "large and slow", "fires") == (one.kind, one.pattern, one.verdict)
    assert ("user9",) == one.users
    assert one.figure("rank of the largest") == 1
    assert len(one.hosts) == 1


def test_skew_among_four_nodes_cannot_be_told() -> None:
    work = [Job("user9", 0.0, maps=4, reduces=4, skewed={"reduce": (0, 20.0)})]
    (one,) = found(SimulatedCluster(nodes=4, slots=1, seed=6), work)

    assert ("skew", "cannot tell") == (one.kind, one.verdict)
    assert one.why_not == "of 4 nodes it is not known what is usual"


@pytest.mark.parametrize("machine", [Machine(slower=4.0), Machine(fails=0.7)])
def test_a_node_that_fares_badly_with_several_users_is_an_infrastructure_problem(
    machine: Machine,
) -> None:
    (one,) = found(SimulatedCluster(seed=7, machines={13: machine}), jobs(10))

    assert ("infrastructure", "node", "fires") == (one.kind, one.pattern, one.verdict)
    assert ("node013",) == one.hosts
    assert len(one.users) >= 2
    assert one.figure("seen") > 5 * one.figure("expected by chance")


def test_it_dates_from_the_first_job_that_fared_badly() -> None:
    machine = Machine(slower=5.0, since_s=3000.0)
    (one,) = found(SimulatedCluster(seed=8, machines={13: machine}), jobs(12))

    assert one.since_s is not None
    assert 1.7e9 + 3000 <= one.since_s <= 1.7e9 + 4200


def test_jobs_of_one_user_alone_cannot_tell_a_machine() -> None:
    cluster = SimulatedCluster(seed=9, machines={13: Machine(slower=4.0)})
    (one,) = found(cluster, jobs(10, users=1))

    assert ("infrastructure", "cannot tell") == (one.kind, one.verdict)
    assert one.why_not == "all jobs that ran here are user0's: the fault may be in them"


def test_many_bad_nodes_do_not_hide_each_other() -> None:
    sick = {node: Machine(fails=0.8) for node in (1, 12, 22, 33, 41, 52, 58)}
    cluster = SimulatedCluster(nodes=60, seed=10, machines=sick)
    signatures = found(cluster, jobs(12, maps=240, reduces=60))

    assert {cluster.host(node) for node in sick} == {
        one.hosts[0] for one in signatures if one.kind == "infrastructure"
    }
    assert {"infrastructure"} == {one.kind for one in signatures}


def test_a_rack_of_which_most_nodes_are_bad_is_named_before_its_nodes() -> None:
    sick = {node: Machine(slower=4.0) for node in range(20, 30)}
    cluster = SimulatedCluster(nodes=60, seed=11, machines=sick)
    first, *others = found(cluster, jobs(12, maps=240, reduces=60))

    assert ("rack", "rack02") == (first.pattern, first.rack)
    assert {cluster.host(node) for node in sick} == set(first.hosts)
    assert all(one.pattern == "node" and one.hosts[0] in first.hosts for one in others)


def test_failures_on_a_bad_node_are_not_held_against_a_job() -> None:
    cluster = SimulatedCluster(nodes=6, seed=12, machines={2: Machine(fails=0.95)})

    assert {"infrastructure"} == {one.kind for one in found(cluster, jobs(12))}


def test_a_job_that_fails_everywhere_is_not_held_against_machines() -> None:
    work = [Job(f"user{i}", 600.0 * i, fails={"map": 0.6}) for i in range(6)]

    assert {"application"} == {one.kind for one in found(SimulatedCluster(seed=13), work)}


def test_the_chance_of_so_many_events_is_that_of_all_their_outcomes() -> None:
    chances = np.random.default_rng(14).uniform(0, 1, 9)
    for number in range(1, 10):
        expected = sum(
            np.prod([p if happens else 1 - p for p, happens in zip(chances, each, strict=True)])
            for each in itertools.product((True, False), repeat=9)
            if sum(each) >= number
        )
        assert chance_of_so_many(chances, number) == pytest.approx(expected)
