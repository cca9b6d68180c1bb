"""Of a thousand jobs some name a healthy node by chance: what that makes of the verdicts."""

from __future__ import annotations

import numpy as np

from mprof.peers.comparison import Comparison, Look, NodeStanding
from mprof.peers.findings import suspects
from mprof.peers.verdict.many_looks import by_number_of_looks

NODES = [f"n{number}" for number in range(20)]
BOUND = 0.01  # of wb-durations, for all nodes of a look


def looks_of(chances: np.ndarray) -> list[Look]:
    """A look a row, a node a column; a node is indicted where chance for all nodes is small."""
    found = []
    for job, row in enumerate(chances):
        nodes = tuple(
            NodeStanding(host, indicted=bool(chance < BOUND), score=1.2, chance=float(chance))
            for host, chance in zip(NODES, row, strict=True)
        )
        found.append(Look(f"attempts of job_{job}", Comparison("wb-durations", nodes), "attempts"))
    return found


def of_healthy(jobs: int, seed: int) -> np.ndarray:
    chances = np.random.default_rng(seed).uniform(size=(jobs, len(NODES)))
    return np.minimum(1.0, len(NODES) * chances)


def test_healthy_nodes_of_a_thousand_jobs_are_not_named() -> None:
    before = after = 0
    for seed in range(20):
        looks = looks_of(of_healthy(1000, seed))
        before += len(suspects(looks))
        after += len(suspects(by_number_of_looks(looks)))

    assert before > 5 * 20  # a quarter of the nodes of every run
    assert after <= 2  # one run in a hundred, by the bound


def test_a_node_that_many_jobs_show_stays_named() -> None:
    chances = of_healthy(1000, 1)
    chances[:40, 3] = 1e-4  # none of these alone would be beyond chance in a thousand

    assert "n3" in {one.host for one in suspects(by_number_of_looks(looks_of(chances)))}


def test_nodes_that_all_jobs_show_let_no_other_node_pass() -> None:
    chances = of_healthy(50, 1)
    chances[:, [3, 5, 8]] = 1e-9
    chances[7, 12] = 0.002  # in one of fifty jobs a node shows as much by chance

    named = {one.host for one in suspects(by_number_of_looks(looks_of(chances)))}

    assert named == {"n3", "n5", "n8"}


def test_one_look_is_left_as_it_is_and_what_has_no_chance_too() -> None:
    (look,) = looks_of(np.full((1, 20), 0.04))
    node = NodeStanding("n1", indicted=True, score=1.2)
    other = Look("metrics", Comparison("bb-window", (node,)), "metrics")

    assert (look, other) == by_number_of_looks((look, other))


def test_it_is_said_why_a_node_is_not_named() -> None:
    chances = np.ones((50, 20))
    chances[7, 2] = 0.005

    look = by_number_of_looks(looks_of(chances))[7]

    (node,) = (each for each in look.comparison.nodes if each.host == "n2")
    assert node.indicted is None
    assert node.why_not == "it differs, but by chance one of 50 comparisons differs as much"
