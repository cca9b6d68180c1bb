"""The Gini index against its pairwise definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mprof.patterns.skew import gini

SIZES = st.lists(st.integers(0, 10**9), min_size=1, max_size=40)


@given(SIZES, st.randoms())
def test_the_order_of_the_sizes_does_not_matter(sizes, random) -> None:  # type: ignore[no-untyped-def]
    mixed = list(sizes)
    random.shuffle(mixed)
    assert gini(sizes) == gini(mixed)


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=20).filter(any))
def test_gini_is_half_the_mean_difference_over_the_mean(sizes: list[int]) -> None:
    # An independent definition: sum |x_i - x_j| / (2 n^2 mean), uncorrected.
    n = len(sizes)
    pairs = sum(abs(a - b) for a in sizes for b in sizes)
    assert gini(sizes) == pytest.approx(pairs / (2 * n * sum(sizes)), abs=1e-9)


@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=20), st.integers(2, 1000))
def test_gini_does_not_depend_on_the_unit(sizes: list[int], factor: int) -> None:
    assert gini([size * factor for size in sizes]) == pytest.approx(gini(sizes), abs=1e-12)


def test_gini_of_all_in_one_of_five_is_four_fifths() -> None:
    assert gini([0, 0, 7, 0, 0]) == pytest.approx(0.8)


def test_a_gini_index_of_exactly_the_threshold_is_not_above_it() -> None:
    # 16 of 40 by hand: the pairwise differences of these ten add up to 400 = 0.4 * 2 * 10 * 50
    assert gini([4, 9, 0, 10, 2, 10, 1, 4, 3, 7]) == 0.4
