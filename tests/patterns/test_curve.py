"""The growth rules' statistics against the authors' published curves and against brute force."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import linregress

from mprof.patterns.growth import fit_curve
from mprof.units import MIB

FLOOR = 3 * MIB

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


@pytest.mark.parametrize("name", GROWING)
def test_a_published_accumulating_case_grows_continuously(name: str) -> None:
    points, shape = GROWING[name]
    growth = fit_curve(points, noise_floor_bytes=FLOOR)
    assert (growth.continuous, growth.shape) == (True, shape)


def test_the_published_lemmatizer_does_not_grow_before_its_last_record() -> None:
    points = [(1, 13464), (3, 14720), (5, 14720), (7, 14720), (9, 14720)]
    assert not fit_curve(points, noise_floor_bytes=FLOOR).continuous


def test_the_published_slopes_come_out() -> None:
    freebase = fit_curve(GROWING["ProcessFreebase"][0], noise_floor_bytes=FLOOR)
    bayes = fit_curve(GROWING["Bayes"][0], noise_floor_bytes=FLOOR)
    pig = fit_curve(GROWING["PigMapJoin"][0], noise_floor_bytes=FLOOR)
    assert round(freebase.slope) == 172  # bytes a record, as published
    assert round(bayes.slope, 1) == 3.7  # bytes a byte read
    assert 3.5 < pig.slope < 5.0  # published as 4.5


def test_an_array_that_doubles_still_grows() -> None:
    # capacity at x elements: the next power of two, 8 bytes each; linear probes
    sizes = [(x, 8 * 2 ** (max(x, 1) * 10**6 - 1).bit_length()) for x in range(8)]
    assert fit_curve(sizes, noise_floor_bytes=FLOOR).continuous


def test_something_loaded_once_does_not_grow() -> None:
    sizes = [(0, 0), *((x, 300 * MIB) for x in range(1, 8))]
    growth = fit_curve(sizes, noise_floor_bytes=FLOOR)
    assert (growth.continuous, growth.why) == (False, "a single step makes up most of it")


@pytest.mark.parametrize(("second", "grows"), [(755, True), (300, False)])
def test_a_long_step_is_no_jump(second: float, grows: bool) -> None:
    # 75.5 MB at the second point: over as large a part of x it is the pace of the rest
    rest = [(second + n * (1000 - second) / 4, (75.5 + n * 24.5 / 4) * MIB) for n in range(5)]
    growth = fit_curve([(0, 0), *rest], noise_floor_bytes=FLOOR)
    assert (growth.why != "a single step makes up most of it") is grows


def test_a_cache_that_filled_up_early_does_not_grow() -> None:
    sizes = [(0, 0), (1, 50 * MIB), (2, 100 * MIB), *((x, 100 * MIB) for x in range(3, 9))]
    growth = fit_curve(sizes, noise_floor_bytes=FLOOR)
    assert (growth.continuous, growth.why) == (False, "it stopped growing well before the end")


def test_a_heap_that_goes_up_and_down_does_not_grow() -> None:
    sizes = [(x, (40 + (30 if x % 2 else 0) + x) * MIB) for x in range(9)]
    assert not fit_curve(sizes, noise_floor_bytes=FLOOR).continuous


def test_two_points_are_too_few() -> None:
    assert not fit_curve([(0, 0), (9, 90 * MIB)], noise_floor_bytes=FLOOR).continuous


@pytest.mark.parametrize(("grown", "expected"), [(0.8, False), (1.2, True)])
def test_twenty_percent_either_side_of_the_noise_floor_decides(
    grown: float, expected: bool
) -> None:
    points = [(x, x / 6 * grown * FLOOR) for x in range(7)]
    assert fit_curve(points, noise_floor_bytes=FLOOR).continuous is expected


@pytest.mark.parametrize(("share", "expected"), [(0.6, True), (0.9, False)])
def test_twenty_percent_either_side_of_the_largest_step_decides(
    share: float, expected: bool
) -> None:
    whole = 100 * MIB
    rest = (1 - share) * whole / 6
    sizes = [0.0]
    for step in [rest, rest, rest, share * whole, rest, rest, rest]:
        sizes.append(sizes[-1] + step)
    growth = fit_curve(enumerate(sizes), noise_floor_bytes=FLOOR)
    assert (growth.why != "a single step makes up most of it") is expected


@pytest.mark.parametrize(("flat", "expected"), [(0.44, True), (0.66, False)])
def test_twenty_percent_either_side_of_the_flat_tail_decides(flat: float, expected: bool) -> None:
    turn = 100 * (1 - flat)
    sizes = [(x, min(x, turn) / turn * 100 * MIB) for x in range(0, 101, 2)]
    assert fit_curve(sizes, noise_floor_bytes=FLOOR).continuous is expected


@pytest.mark.parametrize(("power", "shape"), [(0.5, "concave"), (1, "linear"), (2, "convex")])
def test_the_shape_and_the_forecast_are_those_the_points_were_made_with(
    power: float, shape: str
) -> None:
    points = [
        (x, 10 * MIB + 1000.0 * x**power * 1e6 ** (1 - power)) for x in range(0, 700001, 10**5)
    ]
    growth = fit_curve(points, noise_floor_bytes=FLOOR)
    expected = 10 * MIB + 1000.0 * 1_400_000**power * 1e6 ** (1 - power)
    assert growth.shape == shape
    assert growth.at(1_400_000) == pytest.approx(expected, rel=1e-6)


CURVES = st.lists(
    st.tuples(st.integers(0, 10**6), st.integers(0, 4 * 10**8)), min_size=0, max_size=12
)


@given(CURVES, st.randoms())
@settings(max_examples=60, deadline=None)
def test_the_order_of_the_points_does_not_matter(points, random) -> None:  # type: ignore[no-untyped-def]
    mixed = list(points)
    random.shuffle(mixed)
    assert fit_curve(points, noise_floor_bytes=FLOOR) == fit_curve(mixed, noise_floor_bytes=FLOOR)


@given(CURVES, st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_the_unit_of_x_and_the_size_of_the_heap_do_not_matter(points, doublings) -> None:  # type: ignore[no-untyped-def]
    factor = 2.0**doublings  # a power of two, so that no rounding hides a fault
    plain = fit_curve(points, noise_floor_bytes=FLOOR)
    scaled = fit_curve(
        [(x * factor, y * factor) for x, y in points], noise_floor_bytes=FLOOR * factor
    )
    assert (plain.continuous, plain.shape, plain.why) == (
        scaled.continuous, scaled.shape, scaled.why,
    )  # fmt: skip
    assert scaled.slope == pytest.approx(plain.slope, rel=1e-6, abs=1e-6)


# hot-key index, watched only: what young collections left of a list that takes 72 bytes a record
# (two whole collections say so: 47.7 MB at 386,511 records, 55.4 at 560,906); MB, by record
YOUNG = [
    (27348, 23.5), (109746, 29.9), (145754, 35.9), (156744, 37.4), (233899, 41.6), (325881, 44.9),
    (330178, 47.7), (356703, 47.7), (386511, 47.7), (470186, 49.7), (481883, 55.4), (560906, 55.4),
]  # fmt: skip


def test_what_young_collections_leave_of_a_growing_list_is_a_line() -> None:
    points = [(x, size * MIB) for x, size in YOUNG]

    assert fit_curve(points, noise_floor_bytes=FLOOR).shape == "linear"
    assert fit_curve(points, noise_floor_bytes=FLOOR, upper_bounds=True).shape == "linear"


def test_a_line_of_upper_bounds_looks_bent_and_is_a_line_all_the_same() -> None:
    # a line from 0 to 200 MB, with the more garbage above it the emptier the heap still was
    points = [(500.0 * n, 200 * MIB * (n / 8) ** 0.5) for n in range(9)]

    as_measured = fit_curve(points, noise_floor_bytes=FLOOR)
    as_bounds = fit_curve(points, noise_floor_bytes=FLOOR, upper_bounds=True)

    assert as_measured.shape == "concave"
    assert (as_bounds.shape, as_bounds.continuous) == ("linear", True)


def test_what_no_line_explains_is_concave_for_upper_bounds_too() -> None:
    points = [(2**n, 10 * MIB * n) for n in range(10)]

    as_bounds = fit_curve(points, noise_floor_bytes=FLOOR, upper_bounds=True)

    assert as_bounds.shape == "concave"


def test_nearly_all_of_it_in_one_step_is_no_trend_however_long_that_step_is() -> None:
    # a record that explodes at the end, watched only: three collections, the last one in its work
    points = [(5077, 31.6 * MIB), (14_229, 31.9 * MIB), (128_704, 61.1 * MIB)]

    growth = fit_curve(points, noise_floor_bytes=FLOOR)

    assert (growth.continuous, growth.why) == (False, "a single step makes up most of it")


def test_a_rough_fit_says_how_rough_with_the_numbers_that_scipy_finds() -> None:
    points = [(0, 0), (1, 30 * MIB), (2, 25 * MIB), (3, 60 * MIB), (4, 55 * MIB)]

    growth = fit_curve(points, noise_floor_bytes=FLOOR)
    line = linregress([x for x, _ in points], [y for _, y in points])

    assert growth.shape == "linear"
    assert (growth.r_squared, growth.p_value) == pytest.approx((line.rvalue**2, line.pvalue))
    assert growth.fit == f" (a rough fit: R² = {line.rvalue**2:.2f}, p = {line.pvalue:.2g})"
    assert fit_curve(GROWING["MemWordCount"][0], noise_floor_bytes=FLOOR).fit == ""
