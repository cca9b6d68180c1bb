"""Alarms in clumps: chances against drawn ones, and what is made of them."""

from __future__ import annotations

import numpy as np
import pytest

from mprof.peers.detectors.repeated_alarms import Rounds, alarm_counts, comparison_of
from mprof.peers.statistics.clumps import chance_of_clumps, clump_lengths

NODES, ROUNDS = 20, 60


@pytest.mark.parametrize(("rate", "mean", "own"), [(0.3, 4.0, (9,)), (1.0, 2.0, (3, 3)),
                                                   (0.5, 3.0, (2, 1, 1, 1))])  # fmt: skip
def test_the_chance_is_that_of_drawn_nodes(rate: float, mean: float, own: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    clumps = rng.poisson(rate, 400_000)
    alarms = np.array([rng.geometric(1 / mean, count).sum() if count else 0 for count in clumps])
    drawn = min((alarms >= sum(own)).mean(), (clumps >= len(own)).mean())
    # Others with just this rate and this mean.
    many = round(1000 * rate)
    lengths = [int(mean)] * many
    others = [lengths[at::1000] for at in range(1000)]

    found = chance_of_clumps(own, others, usual_length=mean, quiet_nodes=1e9, quiet_length=1)

    assert found == pytest.approx(2 * drawn, rel=0.1)


def test_where_no_other_node_was_in_alarm_healthy_runs_say_how_often_chance_makes_one() -> None:
    rng = np.random.default_rng(1)
    clumps = rng.poisson(1 / 20, 400_000)
    alarms = np.array([rng.geometric(1 / 2, count).sum() if count else 0 for count in clumps])
    quiet = {"usual_length": 4.0, "quiet_nodes": 10.0, "quiet_length": 2.0}

    found = chance_of_clumps([4], [()] * 10, **quiet)

    assert found == pytest.approx(2 * (alarms >= 4).mean(), rel=0.1)
    assert chance_of_clumps([], [(3,)], **quiet) == 1
    assert chance_of_clumps([4], [], **quiet) == 1


def test_clumps_end_where_no_sample_is_shared() -> None:
    alarms = np.zeros(20, dtype=np.bool_)
    alarms[[1, 2, 6, 11, 19]] = True

    assert clump_lengths(alarms, 4) == (3, 1, 1)
    assert clump_lengths(alarms, 5) == (4, 1)


def named(alarms: np.ndarray) -> tuple[str, ...]:
    seen = np.ones(alarms.shape, dtype=np.bool_)
    rounds = Rounds(
        np.arange(len(alarms), dtype=np.float64) * 30, seen, alarms, np.ones(len(alarms), np.bool_)
    )
    found = comparison_of(
        rounds, detector="any", hosts=tuple(f"n{at:02d}" for at in range(alarms.shape[1])),
        half_life=8, indicted_above=3, observe=lambda _node, _when: (), alarms_of_others=True,
    )  # fmt: skip
    return found.indicted


def test_a_short_time_of_alarm_indicts_only_where_others_have_none() -> None:
    alarms = np.zeros((ROUNDS, NODES), dtype=np.bool_)
    alarms[10:14, 0] = True
    assert named(alarms) == ()
    alarms[10:17, 0] = True
    assert named(alarms) == ("n00",)

    for node, begin in ((5, 3), (9, 20), (14, 40), (17, 50)):
        alarms[begin : begin + 3, node] = True
    assert named(alarms) == ()

    alarms[:, 0] = True  # all the time is no chance, whatever the others do
    assert named(alarms) == ("n00",)


@pytest.mark.parametrize("rate", [0.15, 0.25])
def test_healthy_nodes_that_are_in_alarm_at_times_are_named_far_less_often(rate: float) -> None:
    rng = np.random.default_rng(2)
    wrong, by_number_alone = 0, 0
    for _ in range(400):
        alarms = np.zeros((ROUNDS, NODES), dtype=np.bool_)
        for node in range(NODES):
            for begin in rng.integers(0, ROUNDS, rng.poisson(rate)):
                alarms[begin : begin + rng.geometric(0.3), node] = True
        reached = alarm_counts(alarms, np.ones(alarms.shape, np.bool_), 8).max(axis=0) > 3
        by_number_alone += int(reached.sum()) if reached.sum() <= NODES / 4 else 0
        wrong += len(named(alarms))

    assert by_number_alone > 300
    assert wrong < by_number_alone / 5
