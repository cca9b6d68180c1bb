"""What lies far beyond what passed: against the exact law of spacings, and by simulation."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mprof.evidence import Distribution
from mprof.patterns.passed import LARGER, ORDINARY, beyond_what_passed, chance_of_ratio

# 200 values from 1 to 1.995: the tail is thin, so that the ratio alone decides
MANY = Distribution.of([1000 + 5 * n for n in range(200)])
LARGEST = 1995.0

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]

LAWS: dict[str, Draw] = {
    "log-normal, sigma 0.5": lambda rng, shape: rng.lognormal(10, 0.5, shape),
    "log-normal, sigma 1": lambda rng, shape: rng.lognormal(10, 1, shape),
    "log-normal, sigma 3": lambda rng, shape: rng.lognormal(10, 3, shape),
    "Pareto, a = 1": lambda rng, shape: 1000 * (1 + rng.pareto(1, shape)),
    "Pareto, a = 2": lambda rng, shape: 1000 * (1 + rng.pareto(2, shape)),
    "Pareto, a = 3": lambda rng, shape: 1000 * (1 + rng.pareto(3, shape)),
    "uniform": lambda rng, shape: rng.uniform(1, 100_000, shape),
}
DRAWS = {3: 2000, 10: 2000, 30: 2000, 100: 1000, 1000: 150, 3000: 60}


def _most(draws: int) -> float:
    """Three standard deviations above one in a hundred, by the binomial law."""
    return 0.01 * draws + 3 * math.sqrt(0.01 * 0.99 * draws)


@pytest.mark.parametrize("law", LAWS)
def test_an_ordinary_value_is_called_beyond_in_one_draw_of_a_hundred_at_most(law: str) -> None:
    rng = np.random.default_rng(20260)
    beyond, gaps = {}, {}
    for count, draws in DRAWS.items():
        rows = LAWS[law](rng, (draws, count + 1))
        # the first is as likely to be the largest as any other is; and the largest of all
        beyond[count] = sum(_is_above(row[0], row[1:]) for row in rows)
        gaps[count] = sum(_is_gap(row[-1], row[:-1]) for row in np.sort(rows, axis=1))

    every = sum(DRAWS.values())
    assert all(beyond[count] <= _most(draws) for count, draws in DRAWS.items()), beyond
    assert all(gaps[count] <= _most(draws) for count, draws in DRAWS.items()), gaps
    assert sum(beyond.values()) <= _most(every)
    assert sum(gaps.values()) <= _most(every)


def _is_above(value: float, others: np.ndarray) -> bool:
    if value < LARGER.value * others.max():
        return False  # spares the slow path; that it is none is tested below
    return beyond_what_passed(value, Distribution.of(others.tolist())).stands == "above"


def _is_gap(value: float, others: np.ndarray) -> bool:
    if value < LARGER.value * others.max():
        return False
    return beyond_what_passed(value, Distribution.of(others.tolist())).is_gap


def test_what_is_far_beyond_is_found_in_every_ordinary_draw() -> None:
    # a hundred times the largest of 30 log-normal values with sigma 1
    rng = np.random.default_rng(4)
    for _ in range(200):
        others = rng.lognormal(10, 1, 30)
        assert _is_above(100 * others.max(), others)
        assert _is_gap(10**7 * others.max(), others)


@given(
    st.lists(st.floats(1.0, 1e9), min_size=2, max_size=60, unique=True),
    st.floats(1.01, 1e6),
)
def test_the_chance_of_a_ratio_is_that_of_an_f_law(sizes: list[float], ratio: float) -> None:
    # Rényi: of all in falling order, x first, i ln(X_i / X_i+1) are exponentials of one mean, so
    # ln(x / X_2) over the mean of the next k is F with 2 and 2 k degrees of freedom
    ordered = np.sort(sizes)[::-1]
    count = min(len(sizes) - 1, max(5, math.isqrt(len(sizes))))
    spacings = [(n + 2) * math.log(ordered[n] / ordered[n + 1]) for n in range(count)]
    mean = max(float(np.mean(spacings)), 0.1)

    found = chance_of_ratio(ratio, Distribution.of(sizes))

    assert found == pytest.approx(stats.f.sf(math.log(ratio) / mean, 2, 2 * count), rel=1e-6)


def test_beside_a_single_value_the_tail_is_taken_for_wider_than_zipfs() -> None:
    assert chance_of_ratio(100, Distribution.of([7])) == pytest.approx(0.1)
    assert beyond_what_passed(2400 * 7, Distribution.of([7])).stands == "cannot tell"
    assert beyond_what_passed(2600 * 7, Distribution.of([7])).stands == "above"


@pytest.mark.parametrize(("ratio", "stands"), [(1.59, "below"), (1.6, "above"), (1.92, "above")])
def test_of_many_the_ratio_to_the_largest_decides(ratio: float, stands: str) -> None:
    assert beyond_what_passed(ratio * LARGEST, MANY).stands == stands


def test_what_is_as_large_as_the_largest_is_not_beyond() -> None:
    assert beyond_what_passed(7, Distribution.of([7] * 9)).stands == "below"
    assert beyond_what_passed(LARGEST, MANY).stands == "below"


def test_where_few_passed_the_chance_decides() -> None:
    # three alike: H is at its least, 0.1 with two spacings, so that (1 + ln r / 0.2)^-2 / 4 is
    # 1 % at ln r = 0.8
    few = Distribution.of([1000, 1000, 1000])
    at = math.exp(0.8)
    assert beyond_what_passed(0.99 * at * 1000, few).stands == "cannot tell"
    assert beyond_what_passed(1.01 * at * 1000, few).stands == "above"


def test_a_gap_is_what_even_the_largest_would_show_in_one_case_of_a_hundred() -> None:
    few = Distribution.of([1000, 1000, 1000])
    at = math.exp(1.8)  # (1 + 1.8 / 0.2)^-2 is 1 %
    assert ORDINARY.value == 0.01
    assert not beyond_what_passed(0.99 * at * 1000, few).is_gap
    assert beyond_what_passed(1.01 * at * 1000, few).is_gap


@pytest.mark.parametrize("sizes", [[10, 20, 40, 80, 160, 320], [3, 5, 1000]])
def test_the_unit_of_the_values_does_not_matter(sizes: list[int]) -> None:
    for value in (700, 3000, 10**6):
        plain = beyond_what_passed(value, Distribution.of(sizes))
        scaled = beyond_what_passed(value * 1024, Distribution.of([n * 1024 for n in sizes]))
        assert (plain.stands, plain.is_gap, plain.count) == (
            scaled.stands, scaled.is_gap, scaled.count,
        )  # fmt: skip


def test_without_any_to_compare_with_it_cannot_tell() -> None:
    found = beyond_what_passed(10**9, Distribution.of([]))
    assert (found.stands, found.largest, found.count) == ("cannot tell", 0, 0)


def test_nothing_at_or_below_the_noise_floor_is_large() -> None:
    flat = Distribution.of([0] * 200)
    floor = 3 * 2**20
    assert beyond_what_passed(floor, flat, noise_floor=floor).stands == "below"
    # what passed counts as at least the floor: 1.6 times it is the least that stands out
    assert beyond_what_passed(1.59 * floor, flat, noise_floor=floor).stands == "below"
    assert beyond_what_passed(1.61 * floor, flat, noise_floor=floor).stands == "above"


def test_what_was_not_counted_to_its_end_is_never_said_to_be_small() -> None:
    for value in (1, LARGEST, 1.59 * LARGEST):
        assert beyond_what_passed(value, MANY, lower_bound=True).stands == "cannot tell"
    assert beyond_what_passed(1.61 * LARGEST, MANY, lower_bound=True).stands == "above"
    assert beyond_what_passed(1, MANY, noise_floor=9, lower_bound=True).stands == "cannot tell"


@given(
    st.lists(st.integers(1, 10**6), min_size=40, max_size=90),
    st.floats(1.0, 3.0),
    st.randoms(),
)
def test_a_sketch_never_says_the_opposite_of_its_values(sizes, times, random) -> None:  # type: ignore[no-untyped-def]
    # every value as far off as the event log's sketches may be, one way or the other
    error = 0.01
    value = times * max(sizes)
    seen = [one * (1 + random.choice((-error, error))) for one in sizes]

    stands = beyond_what_passed(value, Distribution.of(seen, relative_error=error)).stands

    assert stands != ("below" if times >= LARGER.value else "above"), times


def test_inside_the_error_band_of_a_sketch_it_cannot_tell() -> None:
    error = 0.01
    sketch = Distribution.of([1000 + 5 * n for n in range(200)], relative_error=error)
    band = 1 + error / (1 - error)
    for times, stands in [
        (LARGER.value / band * 0.999, "below"),
        (LARGER.value / band * 1.001, "cannot tell"),
        (LARGER.value * band * 0.999, "cannot tell"),
        (LARGER.value * band * 1.001, "above"),
    ]:
        assert beyond_what_passed(times * LARGEST, sketch).stands == stands
