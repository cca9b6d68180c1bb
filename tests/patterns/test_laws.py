"""Laws of growth: the authors' published curves, laws with known truth, and error rates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import linregress, theilslopes

from mprof.patterns.growth import fit_law
from mprof.units import MIB
from reliability.growth_laws import CONSTANT, DRAWN, Drawn, draw, growth_laws_page, rates_of

FLOOR = 3 * MIB
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "growth-laws.md"

# Published by the authors (2014 runs): x = records or bytes read, y = user-object bytes before x.
GROWING = {
    "MemWordCount": (
        [(1, 0), (1885, 92036792), (3769, 174789544), (5653, 259954488), (7537, 345406000),
         (9425, 420835528)], "linear"),
    "Bayes": (
        [(0, 0), (30193493, 99259664), (32565153, 116554032), (61818883, 200828464),
         (71302477, 219277040), (104461660, 393230760), (116007939, 426268640)], "linear"),
    "PigMapJoin": (
        [(63746048, 521211128), (135704576, 693551104), (206819328, 1028338784),
         (244887552, 1186304896), (251080704, 1221481328)], "linear"),
    "CountDistinctMapSide": (
        [(1, 0), (149587, 62506440), (299173, 114967480), (448759, 140306040),
         (598345, 162076232), (747932, 186186928)], "concave"),
    "CountDistinctReduceSide": (
        [(1, 0), (5, 101259576), (9, 246406095), (13, 298697037), (17, 408942349),
         (21, 503025192)], "linear"),
    "ProcessFreebase": (
        [(1, 0), (1068023, 184549440), (2136045, 366073088), (3204067, 549082552),
         (4272089, 734379208), (5340116, 922989280), (6364863, 1094168776)], "linear"),
    "CooccurMatrix": (
        [(1, 0), (4, 89160424), (7, 146957744), (10, 184394120), (13, 219994928),
         (17, 300900952)], "linear"),
}  # fmt: skip


# what the points cannot tell from the published shape
LIKE = {"linear": {"linear", "n log n"}, "concave": {"concave", "saturating", "logarithmic"}}


@pytest.mark.parametrize("name", GROWING)
def test_a_published_accumulating_case_grows(name: str) -> None:
    points, shape = GROWING[name]
    law = fit_law(points, noise_floor_bytes=FLOOR)
    assert law.grows
    assert law.shape in LIKE[shape]


@pytest.mark.parametrize("name", [one for one in GROWING if GROWING[one][1] == "linear"])
def test_what_a_published_line_predicts_lies_in_the_interval(name: str) -> None:
    points, _ = GROWING[name]
    law = fit_law(points, noise_floor_bytes=FLOOR)
    line = linregress([x for x, _ in points], [y for _, y in points])
    for times in (1.5, 2.0):
        x = times * law.last_x
        assert law.at_least(x) <= line.intercept + line.slope * x <= law.at_most(x)


def test_the_published_lemmatizer_does_not_grow_before_its_last_record() -> None:
    points = [(1, 13464), (3, 14720), (5, 14720), (7, 14720), (9, 14720)]
    law = fit_law(points, noise_floor_bytes=FLOOR)
    assert (law.grows, law.shape) == (False, "flat")


def test_the_published_slopes_come_out() -> None:
    freebase = fit_law(GROWING["ProcessFreebase"][0], noise_floor_bytes=FLOOR)
    bayes = fit_law(GROWING["Bayes"][0], noise_floor_bytes=FLOOR)
    pig = fit_law(GROWING["PigMapJoin"][0], noise_floor_bytes=FLOOR)
    assert round(freebase.slope) == 172  # bytes a record, as published
    assert round(bayes.slope, 1) == 3.7  # bytes a byte read
    assert 3.5 < pig.slope < 5.0  # published as 4.5


# error rates


@pytest.mark.parametrize("count", [7, 8])
@pytest.mark.parametrize("law", DRAWN, ids=lambda law: law.name)
def test_the_interval_covers_the_truth_in_95_of_100_draws(law: Drawn, count: int) -> None:
    rates = rates_of(law, count, draws=100, seed=7)

    assert rates.grows == 1.0
    assert min(rates.covered) >= 0.95
    # another family may predict the same; what it predicts is what counts
    assert rates.near >= 0.95
    assert rates.chosen >= 0.95


@pytest.mark.parametrize("count", [3, 4, 5, 6, 7, 8, 12])
def test_a_constant_with_noise_is_never_called_growing(count: int) -> None:
    assert rates_of(CONSTANT, count, draws=400).grows == 0.0


def test_the_committed_page_is_the_one_that_the_simulation_makes() -> None:
    assert PAGE.read_text(encoding="utf-8") == growth_laws_page()


def test_the_least_that_is_predicted_grows_no_further_than_twice_the_range() -> None:
    law = fit_law([(x, 10_000.0 * x) for x in range(0, 8001, 1000)], noise_floor_bytes=FLOOR)
    assert law.at_least(16_000) == law.at_least(80_000) <= 160e6
    assert law.at_least(12_000) < law.at_least(16_000)
    assert law.at(80_000) == pytest.approx(800e6, rel=0.01)


def test_fewer_points_leave_more_open() -> None:
    rng = np.random.default_rng(1)
    eight = [draw(DRAWN[0], 8, rng) for _ in range(20)]
    wide = [_width(points) for points in eight]
    # three of them: the first, the middle and the last
    wider = [_width([points[0], points[4], points[7]]) for points in eight]
    assert all(few > many for few, many in zip(wider, wide, strict=True))


def _width(points: list[tuple[float, float]]) -> float:
    law = fit_law(points, noise_floor_bytes=FLOOR)
    return law.at_most(2 * law.last_x) - law.at_least(2 * law.last_x)


# what is no law of f


def test_an_array_that_doubles_still_grows() -> None:
    # capacity at x million elements: the next power of two, 8 bytes each; even probes
    sizes = [(x, 8 * 2 ** (max(x, 1) * 10**6 - 1).bit_length()) for x in range(8)]
    law = fit_law(sizes, noise_floor_bytes=FLOOR)
    assert law.grows
    # ceil(log2(14e6)): the truth at twice the range, 128 MiB, within the interval
    assert law.at_least(14) <= 8 * 2**24 <= law.at_most(14)


@pytest.mark.parametrize("at", range(1, 6))
def test_what_came_in_one_step_does_not_grow(at: int) -> None:
    sizes = [(x, 300 * MIB if x >= at else 0) for x in range(8)]
    law = fit_law(sizes, noise_floor_bytes=FLOOR)
    assert (law.grows, law.shape) == (False, "loaded")


def test_a_step_between_the_last_two_points_may_be_the_beginning_of_growth() -> None:
    sizes = [(x, 300 * MIB if x == 7 else 0) for x in range(8)]
    assert fit_law(sizes, noise_floor_bytes=FLOOR).shape != "loaded"


@pytest.mark.parametrize(("share", "shape"), [(0.88, "other"), (0.92, "loaded")])
def test_nine_tenths_in_one_step_are_loaded(share: float, shape: str) -> None:
    whole = 100 * MIB
    rest = (1 - share) * whole / 6
    sizes = [0.0]
    for step in [rest, rest, rest, share * whole, rest, rest, rest]:
        sizes.append(sizes[-1] + step)
    law = fit_law(enumerate(sizes), noise_floor_bytes=FLOOR)
    assert (law.shape == "loaded") is (shape == "loaded")
    assert law.grows is (shape != "loaded")


def test_a_cache_that_is_full_is_predicted_to_stay_so() -> None:
    sizes = [(0, 0), (1, 50 * MIB), (2, 100 * MIB), *((x, 100 * MIB) for x in range(3, 9))]
    law = fit_law(sizes, noise_floor_bytes=FLOOR)
    assert (law.grows, law.shape) == (True, "bounded")
    for x in (12, 16, 80):
        assert law.at(x) == pytest.approx(100 * MIB)
        assert law.at_most(x) <= 1.05 * 100 * MIB


def test_what_begins_late_goes_on_from_there() -> None:
    # 0 until half of the range, then 40 MB a unit
    sizes = [(x, max(0, x - 4) * 40 * MIB) for x in range(9)]
    law = fit_law(sizes, noise_floor_bytes=FLOOR)
    assert (law.grows, law.shape) == (True, "late")
    assert law.at(16) == pytest.approx(12 * 40 * MIB, rel=0.05)
    assert law.begins == pytest.approx(4, abs=8 / 40)
    assert law.slope == pytest.approx(40 * MIB, rel=0.05)  # since then, not over the whole range


def test_a_list_that_is_flushed_is_followed_at_its_crest() -> None:
    # emptied after every third point; at its fullest 60 MB
    sizes = [(x, (x % 3) * 30 * MIB) for x in range(9)]
    law = fit_law(sizes, noise_floor_bytes=FLOOR)
    assert (law.grows, law.shape, law.last_bytes) == (True, "flushed", 60 * MIB)
    assert law.at(18) == law.at_most(18) == 60 * MIB
    assert law.slope == 30 * MIB


def test_the_crest_of_a_flushed_list_is_the_death_where_that_is_higher() -> None:
    sizes = [(x, (x % 3) * 30 * MIB) for x in range(9)]
    law = fit_law(sizes, noise_floor_bytes=FLOOR, at_death=(9.5, 100 * MIB))
    assert (law.shape, law.last_bytes) == ("flushed", 100 * MIB)


@pytest.mark.parametrize(("back", "flushed"), [(0.20, False), (0.30, True)])
def test_a_quarter_of_what_it_rose_fell_back_or_it_was_not_flushed(
    back: float, flushed: bool
) -> None:
    # ten MB up, six times; so much of all that down at once, in the middle
    ups = [10.0] * 6
    sizes, now = [0.0], 0.0
    for n, step in enumerate(ups):
        now += step
        sizes.append(now)
        if n == 3:
            now -= back * sum(ups)
            sizes.append(now)
    law = fit_law(((n, size * MIB) for n, size in enumerate(sizes)), noise_floor_bytes=FLOOR)
    assert (law.shape == "flushed") is flushed


def test_a_fall_within_the_noise_of_a_large_object_is_no_flush() -> None:
    # 1,000 MB to which 4 % come and go: more than the noise floor, and not what fills a heap
    sizes = [(x, (1000 + 40 * (x % 2)) * MIB) for x in range(9)]
    law = fit_law(sizes, noise_floor_bytes=FLOOR)
    assert (law.grows, law.shape) == (False, "flat")
    larger = [(x, (1000 + 80 * (x % 2)) * MIB) for x in range(9)]
    assert fit_law(larger, noise_floor_bytes=FLOOR).shape == "flushed"


def test_an_even_rise_within_the_noise_of_a_large_object_is_seen() -> None:
    # 12 MB on top of 214: the last tenth of a rise to 160 MB
    even = [(x, (214 + 4 * x) * MIB) for x in range(4)]
    assert fit_law(even, noise_floor_bytes=FLOOR).grows
    uneven = [(x, (214 + size) * MIB) for x, size in enumerate([0, 9, 3, 12])]
    assert not fit_law(uneven, noise_floor_bytes=FLOOR).grows


def test_two_points_are_too_few() -> None:
    assert not fit_law([(0, 0), (9, 90 * MIB)], noise_floor_bytes=FLOOR).grows
    assert fit_law([(0, 0), (5, 50 * MIB), (9, 90 * MIB)], noise_floor_bytes=FLOOR).grows


@pytest.mark.parametrize(("grown", "expected"), [(0.8, False), (1.0, False), (1.2, True)])
def test_twenty_percent_either_side_of_the_noise_floor_decides(
    grown: float, expected: bool
) -> None:
    points = [(x, x / 6 * grown * FLOOR) for x in range(7)]
    assert fit_law(points, noise_floor_bytes=FLOOR).grows is expected


# the death is a point


def test_a_law_that_the_death_contradicts_is_not_chosen() -> None:
    # a line so far, at the death as large as at the last point: no line goes on like that
    points = [(x, x * 10 * MIB) for x in range(8)]
    law = fit_law(points, noise_floor_bytes=FLOOR, at_death=(14, 70 * MIB))
    assert law.shape == "bounded"
    assert law.at(28) == pytest.approx(70 * MIB, rel=0.02)


def test_a_jump_at_the_death_is_not_of_the_law() -> None:
    points = [(x, x * 10 * MIB) for x in range(8)]
    plain = fit_law(points, noise_floor_bytes=FLOOR)
    jumped = fit_law(points, noise_floor_bytes=FLOOR, at_death=(7.5, 170 * MIB))
    assert jumped == plain


# shapes and predictions


@pytest.mark.parametrize(("power", "shape"), [(0.5, "concave"), (1, "linear"), (2, "convex")])
def test_the_shape_and_the_forecast_are_those_the_points_were_made_with(
    power: float, shape: str
) -> None:
    points = [
        (x, 10 * MIB + 1000.0 * x**power * 1e6 ** (1 - power)) for x in range(0, 700001, 10**5)
    ]
    law = fit_law(points, noise_floor_bytes=FLOOR)
    expected = 10 * MIB + 1000.0 * 1_400_000**power * 1e6 ** (1 - power)
    assert (law.shape, law.power) == (shape, power)
    assert law.at(1_400_000) == pytest.approx(expected, rel=1e-6)
    assert law.coefficient == pytest.approx(1000.0 * 1e6 ** (1 - power))


def test_of_three_or_four_points_a_line_is_taken_and_root_and_square_are_its_interval() -> None:
    points = [(x, (x / 3) ** 2 * 90 * MIB) for x in range(4)]
    law = fit_law(points, noise_floor_bytes=FLOOR)
    assert law.shape == "linear"
    # through the last point, as the least squares of x^2 and of x^0.5 rise from it
    assert law.at_most(6) >= 4 * 90 * MIB
    assert law.at_least(6) <= 2**0.5 * 90 * MIB


POINTS = st.lists(
    st.tuples(st.integers(0, 10**6), st.integers(0, 4 * 10**8)), min_size=0, max_size=12
)


@given(POINTS, st.randoms())
@settings(max_examples=60, deadline=None)
def test_the_order_of_the_points_does_not_matter(points, random) -> None:  # type: ignore[no-untyped-def]
    mixed = list(points)
    random.shuffle(mixed)
    assert fit_law(points, noise_floor_bytes=FLOOR) == fit_law(mixed, noise_floor_bytes=FLOOR)


@given(POINTS, st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_the_unit_of_x_and_the_size_of_the_heap_do_not_matter(points, doublings) -> None:  # type: ignore[no-untyped-def]
    factor = 2.0**doublings  # a power of two, so that no rounding hides a fault
    plain = fit_law(points, noise_floor_bytes=FLOOR)
    scaled = fit_law(
        [(x * factor, y * factor) for x, y in points], noise_floor_bytes=FLOOR * factor
    )
    assert (plain.grows, plain.shape, plain.why) == (scaled.grows, scaled.shape, scaled.why)
    assert scaled.slope == pytest.approx(plain.slope, rel=1e-6, abs=1e-6)
    ahead = 2 * plain.last_x
    for end in ("at", "at_least", "at_most"):
        expected = factor * getattr(plain, end)(ahead)
        assert getattr(scaled, end)(factor * ahead) == pytest.approx(expected, rel=1e-6, abs=1.0)


@given(POINTS, st.floats(0, 4))
@settings(max_examples=60, deadline=None)
def test_what_is_predicted_lies_in_its_interval(points, times) -> None:  # type: ignore[no-untyped-def]
    law = fit_law(points, noise_floor_bytes=FLOOR)
    x = times * law.last_x
    assert law.at_least(x) <= max(0.0, law.at(x)) <= law.at_most(x)


# hot-key index, watched only: what young collections left of a list that takes 72 bytes a record
# (two whole collections say so: 47.7 MB at 386,511 records, 55.4 at 560,906); MB, by record
YOUNG = [
    (27348, 23.5), (109746, 29.9), (145754, 35.9), (156744, 37.4), (233899, 41.6), (325881, 44.9),
    (330178, 47.7), (356703, 47.7), (386511, 47.7), (470186, 49.7), (481883, 55.4), (560906, 55.4),
]  # fmt: skip


def test_what_young_collections_leave_of_a_growing_list_is_a_line_as_bounds() -> None:
    points = [(x, size * MIB) for x, size in YOUNG]

    law = fit_law(points, noise_floor_bytes=FLOOR, upper_bounds=True)

    assert (law.grows, law.shape) == (True, "linear")


def test_a_line_of_upper_bounds_looks_bent_and_is_a_line_all_the_same() -> None:
    # a line from 0 to 200 MB, with the more garbage above it the emptier the heap still was
    points = [(500.0 * n, 200 * MIB * (n / 8) ** 0.5) for n in range(9)]

    as_measured = fit_law(points, noise_floor_bytes=FLOOR)
    as_bounds = fit_law(points, noise_floor_bytes=FLOOR, upper_bounds=True)

    assert as_measured.shape == "concave"
    assert (as_bounds.shape, as_bounds.grows) == ("linear", True)


def test_nearly_all_of_it_in_the_last_step_is_growth_over_one_interval_only() -> None:
    # a record that explodes at the end, watched only: three collections, the last one in its work
    points = [(5077, 31.6 * MIB), (14_229, 31.9 * MIB), (128_704, 61.1 * MIB)]

    assert fit_law(points, noise_floor_bytes=FLOOR).rising_steps == 1


@pytest.mark.parametrize("seed", range(5))
def test_the_slope_of_a_line_is_the_median_of_slopes_that_scipy_finds(seed: int) -> None:
    chance = np.random.default_rng(seed)
    x = np.cumsum(chance.integers(1, 9, 12)).astype(float)
    sizes = 3 * MIB * x * chance.uniform(0.98, 1.02, 12) + 20 * MIB

    law = fit_law(list(zip(x, sizes, strict=True)), noise_floor_bytes=FLOOR)

    assert law.shape == "linear"
    assert law.slope == pytest.approx(theilslopes(sizes, x).slope, rel=1e-12)


def test_a_rough_fit_says_how_rough_with_the_number_that_scipy_finds() -> None:
    points = [(0, 0), (1, 30 * MIB), (2, 26 * MIB), (3, 60 * MIB), (4, 56 * MIB)]

    law = fit_law(points, noise_floor_bytes=FLOOR)
    line = linregress([x for x, _ in points], [y for _, y in points])

    assert law.shape == "linear"
    assert law.r_squared == pytest.approx(line.rvalue**2)
    assert law.fit == f" (a rough fit: R² = {line.rvalue**2:.2f})"
    assert fit_law(GROWING["MemWordCount"][0], noise_floor_bytes=FLOOR).fit == ""
