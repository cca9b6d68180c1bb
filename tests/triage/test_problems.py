"""What is told of all jobs of simulated clusters, one problem at a time."""

from __future__ import annotations

from pathlib import Path

from builders.job_histories import Job, Machine, SimulatedCluster, store_of

from mprof.peers.findings import find_sick_nodes
from mprof.peers.tables.job_scores import score_nodes
from mprof.triage import Finding, problems_of


def jobs(number: int, *, users: int = 3, **what: object) -> list[Job]:
    return [
        Job(f"user{i % users}", 600.0 * i, **what)  # type: ignore[arg-type]
        for i in range(number)
    ]


def found(cluster: SimulatedCluster, of: list[Job], folder: Path | None = None) -> list[Finding]:
    ran = cluster.run(of)
    nodes = None if folder is None else find_sick_nodes(store_of(ran, folder))
    return [*problems_of(ran, score_nodes(ran.attempts), nodes)]


def test_a_healthy_cluster_has_none(tmp_path: Path) -> None:
    assert [] == found(SimulatedCluster(seed=1), jobs(12), tmp_path)


def test_a_sick_node_is_told_as_the_comparison_of_nodes_does(tmp_path: Path) -> None:
    cluster = SimulatedCluster(seed=7, machines={13: Machine(fails=0.7)})
    (one,) = found(cluster, jobs(10), tmp_path)

    assert ("sick_node", ("node013",)) == (one.id, one.hosts)
    assert one.confidence in {"likely", "sure"}
    assert f"node013 differs from its peers ({one.confidence})" in one.sentence


def test_a_rack_whose_nodes_may_be_sick_is_one_finding(tmp_path: Path) -> None:
    sick = {node: Machine(slower=4.0) for node in range(20, 30)}
    cluster = SimulatedCluster(nodes=60, seed=11, machines=sick)
    told = found(cluster, jobs(12, maps=240, reduces=60), tmp_path)
    rack = [one for one in told if one.id == "nodes_that_may_be_sick"]

    assert {cluster.host(node) for node in sick} == {host for one in rack for host in one.hosts}
    assert {None} == {one.confidence for one in rack}


def test_a_job_that_fails_on_most_nodes_fails_wherever_it_runs() -> None:
    work = jobs(8)
    work[5] = Job("user9", 3000.0, maps=200, fails={"map": 0.9})
    (one,) = found(SimulatedCluster(seed=2), work)

    assert ("failures.spread", "likely", "map") == (one.id, one.confidence, one.kind)
    assert str(one.job).endswith("_0006")
    figures = {each.name: each.value for each in one.figures}
    assert figures["failing nodes"] >= 0.5 * figures["nodes"]


def test_reduces_that_fail_are_told_from_maps_that_do_not() -> None:
    work = [*jobs(4), Job("user9", 3000.0, reduces=60, fails={"reduce": 0.9})]
    (one,) = found(SimulatedCluster(seed=3), work)

    assert ("failures.spread", "reduce") == (one.id, one.kind)


def test_one_task_that_fails_wherever_it_runs_is_told() -> None:
    work = [*jobs(4), Job("user9", 3000.0, reduces=60, failing_task={"reduce": 7})]
    (one,) = found(SimulatedCluster(seed=4), work)

    assert ("failures.one_task", "likely") == (one.id, one.confidence)
    assert "_r_000007 failed" in one.sentence
    assert one.sentence.startswith("task_")
    assert {each.name: each.value for each in one.figures}["failing nodes"] >= 3


def test_a_task_with_much_more_data_that_takes_longer_is_skew() -> None:
    work = [*jobs(4), Job("user9", 3000.0, reduces=20, skewed={"reduce": (0, 12.0)})]
    (one,) = found(SimulatedCluster(seed=5), work)

    assert ("large_reduce_tasks", "sure") == (one.id, one.confidence)
    assert len(one.attempts) == 1
    assert str(one.job).endswith("_0005")


def test_of_four_tasks_only_what_is_stark_is_skew_and_likely_at_most() -> None:
    def of(times: float) -> list[Finding]:
        work = [Job("user9", 0.0, maps=4, reduces=4, skewed={"reduce": (0, times)})]
        return found(SimulatedCluster(nodes=4, slots=1, seed=6), work)

    (one,) = of(20.0)

    assert ("large_reduce_tasks", "likely") == (one.id, one.confidence)
    assert [] == of(2.5)


def test_failures_on_a_sick_node_are_not_held_against_a_job(tmp_path: Path) -> None:
    cluster = SimulatedCluster(nodes=6, seed=12, machines={2: Machine(fails=0.95)})

    assert {"sick_node"} == {one.id for one in found(cluster, jobs(12), tmp_path)}


def test_a_job_that_fails_everywhere_is_not_held_against_nodes(tmp_path: Path) -> None:
    work = [Job(f"user{i}", 600.0 * i, fails={"map": 0.6}) for i in range(6)]
    told = found(SimulatedCluster(seed=13), work, tmp_path)

    assert {"failures.spread"} == {one.id for one in told}
