"""Quartiles and their fence, which the triage of a job uses, against numpy's Weibull method."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mprof.evidence.distribution import Distribution
from mprof.patterns.fences import compare_with_fence, upper_fence

SIZES = st.lists(st.integers(0, 10**9), min_size=1, max_size=40)


@given(SIZES, st.sampled_from([0.25, 0.5, 0.75, 0.9]))
def test_a_quantile_is_the_one_numpy_calls_weibull(sizes: list[int], p: float) -> None:
    # numpy's "weibull" is position p * (n + 1), method 6 of Hyndman and Fan: the handbook's
    expected = float(np.quantile(np.array(sizes, dtype=float), p, method="weibull"))
    assert Distribution.of(sizes).quantile(p) == pytest.approx(expected)


@given(SIZES, st.randoms())
def test_the_order_of_the_sizes_does_not_matter(sizes, random) -> None:  # type: ignore[no-untyped-def]
    mixed = list(sizes)
    random.shuffle(mixed)
    assert upper_fence(Distribution.of(sizes)) == upper_fence(Distribution.of(mixed))


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=5))
def test_of_five_values_or_fewer_none_stands_above_their_own_fence(sizes: list[int]) -> None:
    assert max(sizes) <= upper_fence(Distribution.of(sizes))


def test_of_six_values_one_can_stand_above_their_own_fence() -> None:
    assert upper_fence(Distribution.of([1, 1, 1, 1, 1, 100])) < 100


@given(
    st.lists(st.integers(1, 10**6), min_size=6, max_size=60),
    st.integers(1, 3 * 10**6),
    st.randoms(),
)
def test_a_sketch_never_says_the_opposite_of_its_values(sizes, value, random) -> None:  # type: ignore[no-untyped-def]
    # Every value as far off as the event log's sketches may be, one way or the other
    error = 0.01
    seen = [one * (1 + random.choice((-error, error))) for one in sizes]
    exact = sorted(sizes)
    q1, q3 = np.quantile(np.array(exact, dtype=float), [0.25, 0.75], method="weibull")
    stands = compare_with_fence(value, Distribution.of(seen, relative_error=error)).stands
    fence = q3 + 1.5 * (q3 - q1)
    assert stands != ("below" if value > fence else "above"), (value, fence)


def test_the_error_band_holds_where_every_value_was_read_too_low() -> None:
    # Q1 0, Q3 10,000: a fence of 25,000, and 24,750 from a sketch that is 1 % too low; 24,999
    # is not above the fence, and must not be said to be
    others = Distribution.of([0, 0, 0, 9900, 9900, 9900, 9900], relative_error=0.01)
    assert upper_fence(others) == 24_750
    assert compare_with_fence(24_999, others).stands == "cannot tell"


def test_equal_groups_are_never_outliers() -> None:
    # The paper's ">=" with x_n included makes them so.
    assert compare_with_fence(7, Distribution.of([7] * 9)).stands == "below"


def test_the_papers_figure_6_finds_its_two_outliers() -> None:
    # Sixteen values, two of them (140, 150) outside a fence of 135 (values made to give 135).
    others = Distribution.of([40, 45, 50, 55, 60, 60, 65, 70, 75, 75, 80, 85, 90, 95])
    fence = upper_fence(others)
    assert fence < 140
    assert compare_with_fence(140, others).stands == "above"
    assert compare_with_fence(fence, others).stands == "below"


@pytest.mark.parametrize(("count", "stands"), [(5, "cannot tell"), (6, "above")])
def test_six_values_are_needed(count: int, stands: str) -> None:
    assert compare_with_fence(1000, Distribution.of(range(count))).stands == stands


def test_nothing_at_or_below_the_noise_floor_is_an_outlier() -> None:
    flat = Distribution.of([0] * 7)
    assert compare_with_fence(628, flat, noise_floor=3 * 2**20).stands == "below"
    assert compare_with_fence(400 * 2**20, flat, noise_floor=3 * 2**20).stands == "above"


def test_inside_the_error_band_of_a_sketch_it_cannot_tell() -> None:
    others = Distribution.of([100] * 9, relative_error=0.01)
    assert compare_with_fence(101, others).stands == "cannot tell"
    assert compare_with_fence(106, others).stands == "above"
    assert compare_with_fence(95, others).stands == "below"


def test_a_group_not_counted_to_its_end_is_never_said_to_be_small() -> None:
    others = Distribution.of([100] * 9)
    assert compare_with_fence(40, others, lower_bound=True).stands == "cannot tell"
    assert compare_with_fence(140, others, lower_bound=True).stands == "above"
