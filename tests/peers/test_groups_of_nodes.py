"""Two groups of nodes, against every other way to cut them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mprof.peers.statistics.groups_of_nodes import differ, split

FIGURES = st.lists(st.floats(1e-3, 1e6), min_size=2, max_size=9)


def spread(logs: np.ndarray) -> float:
    return float(((logs - logs.mean()) ** 2).sum())


@given(FIGURES)
def test_no_other_two_groups_are_more_alike_in_themselves(figures: list[float]) -> None:
    values = np.array(figures)
    logs = np.log(values)

    found = split(values)

    best = min(
        spread(logs[chosen]) + spread(logs[~chosen])
        for number in range(1, 2 ** len(values) - 1)
        for chosen in [np.array([bool(number >> bit & 1) for bit in range(len(values))])]
    )
    made = spread(logs[found.slow]) + spread(logs[~found.slow])
    assert made <= best + 1e-6 * max(1.0, best)
    assert values[found.slow].min() >= values[~found.slow].max()
    assert found.ratio >= 1


def test_the_ratio_is_that_of_the_geometric_means() -> None:
    found = split(np.array([1.0, 40.0, 2.0, 10.0]))

    assert found.slow.tolist() == [False, True, False, True]
    assert np.isclose(found.ratio, 20.0 / 2.0**0.5)
    assert found.share == 0.5


def test_samples_of_one_distribution_seldom_differ() -> None:
    rng = np.random.default_rng(4)
    wrong = sum(
        differ([rng.lognormal(size=30) for _ in range(20)], significance=0.05) for _ in range(200)
    )

    assert wrong <= 20  # 10 are expected; more than 20 come once in a thousand tries


def test_one_sample_from_elsewhere_is_noticed() -> None:
    rng = np.random.default_rng(4)
    alike = [rng.lognormal(size=30) for _ in range(20)]

    assert differ([*alike, rng.lognormal(2.0, size=30)], significance=0.001)
    assert all(
        differ([one, other], significance=0.001) == differ([other, one], significance=0.001)
        for one, other in pairwise(alike)
    )
