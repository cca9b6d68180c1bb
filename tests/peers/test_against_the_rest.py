"""Each node against the rest: compared with SciPy, with brute force, and with what is true."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mprof.peers.statistics.against_the_rest import (
    chance_of_larger,
    chances_of_larger,
    high_stretches,
    visible_factors,
)


@pytest.mark.parametrize("margin", [1.0, 1.1, 2.0])
@pytest.mark.parametrize("left_out", [(), (0,), (1, 3)])
def test_the_chance_is_that_of_mann_and_whitney(margin: float, left_out: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    values, node = rng.lognormal(size=200), rng.integers(0, 5, 200)
    among = np.array([one not in left_out for one in range(5)])

    found = chances_of_larger(values, node, among=among, margin=margin)

    for one in range(5):
        own = values[node == one] / margin
        others = values[(node != one) & among[node]]
        test = stats.mannwhitneyu(own, others, alternative="greater", method="asymptotic")
        assert found[one] == pytest.approx(test.pvalue, rel=1e-9)
        of_one = chance_of_larger(values[node == one], others, margin=margin)
        assert of_one == pytest.approx(test.pvalue, rel=1e-9)


def test_a_node_without_values_or_without_others_is_no_node_apart() -> None:
    alone = chances_of_larger(
        np.ones(3), np.zeros(3, dtype=np.intp), among=np.ones(2, dtype=bool), margin=1.0
    )

    assert [1.0, 1.0] == alone.tolist()
    assert 1.0 == chance_of_larger(np.ones(0), np.ones(3), margin=1.0)


@given(st.lists(st.integers(-9, 9), max_size=14))
def test_stretches_are_those_of_the_definition(scores: list[int]) -> None:
    """The best stretch first, then the best ones of what is left on both of its sides."""

    def best(begin: int, end: int) -> list[tuple[int, int]]:
        spans = [
            (sum(scores[a:b]), -(b - a), -a, (a, b))
            for a in range(begin, end)
            for b in range(a + 1, end + 1)
        ]
        most = max((each for each in spans if each[0] > 0), default=None)
        if most is None:
            return []
        first, last = most[3]
        return [*best(begin, first), (first, last), *best(last, end)]

    found = high_stretches(np.array(scores, dtype=np.float64))
    expected = best(0, len(scores))

    # where sums are equal there is more than one answer
    assert sum(map(sum, [scores[a:b] for a, b in found])) == sum(
        map(sum, [scores[a:b] for a, b in expected])
    )
    assert max((sum(scores[a:b]) for a, b in found), default=0) == max(
        (sum(scores[a:b]) for a, b in expected), default=0
    )
    assert all(one[1] <= other[0] for one, other in pairwise(found))


@pytest.mark.parametrize("count", [12, 40, 150])
@pytest.mark.parametrize("power", [0.5, 0.95])
def test_what_is_said_to_be_visible_is_seen_in_so_many_cases(count: int, power: float) -> None:
    rng = np.random.default_rng(2)
    usual = rng.lognormal(0, 0.5, 2000)
    (factor,) = visible_factors(
        usual, np.array([count]), others=len(usual), margin=1.1, chance=1e-4, power=power
    )
    seen = [
        chance_of_larger(factor * rng.lognormal(0, 0.5, count), usual, margin=1.1) < 1e-4
        for _ in range(400)
    ]

    assert power - 0.1 < np.mean(seen) < power + 0.3  # factors are rounded up


def test_with_too_few_values_no_factor_is_visible_and_with_more_smaller_ones_are() -> None:
    usual = np.random.default_rng(3).lognormal(0, 0.5, 500)
    factors = visible_factors(
        usual, np.array([0, 2, 6, 20, 100]), others=500, margin=1.1, chance=1e-4, power=0.5
    )

    assert [np.inf, np.inf] == factors[:2].tolist()
    assert factors.tolist() == sorted(factors.tolist(), reverse=True)
    assert factors[-1] < 1.5
