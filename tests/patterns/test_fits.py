"""How much more input would have fitted, of an attempt that finished."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.evidence import map_attempt, reduce_attempt

from mprof.evidence import Death, Evidence, Peak, Point, Series
from mprof.patterns import find_patterns
from mprof.patterns.finding import Absent
from mprof.patterns.fits import Fits
from mprof.units import MIB


def done(evidence: Evidence, left_mb: int, collections: int = 20) -> Evidence:
    """It finished; a collection left so much of 560 MB at most, each of them of the whole heap."""
    peak = Peak(
        left_mb * MIB, False, most_left_bytes=left_mb * MIB, collections=collections,
        records_in_all=1000, groups_in_all=100,
    )  # fmt: skip
    unit = "group" if evidence.is_reduce else "record"
    level = "reduce" if evidence.is_reduce else "map"
    points = tuple(Point(x, left_mb * MIB) for x in (0, 200, 400, 600, 800, 1000))
    series = (Series(None, level, unit, points, "passive"),)
    memory = replace(evidence.memory, usable_bytes=560 * MIB)
    return replace(
        evidence, death=Death("none", "done"), peak=peak, series=series, memory=memory
    )  # fmt: skip


def fits(evidence: Evidence) -> object:
    return find_patterns(evidence).fits


def test_all_that_was_live_is_taken_to_grow_with_the_input() -> None:
    found = fits(done(map_attempt(), 100))

    assert isinstance(found, Fits)
    assert found.times == pytest.approx(560 / 140)


def test_where_nothing_shows_how_steeply_it_grows_its_square_is_taken() -> None:
    found = fits(done(reduce_attempt(), 100))

    assert isinstance(found, Fits)
    assert found.times == pytest.approx(2.0)


def test_ten_times_the_input_is_the_most() -> None:
    found = fits(done(map_attempt(), 4))

    assert isinstance(found, Fits)
    assert found.times == 10


@pytest.mark.parametrize(("left", "collections"), [(100, 7), (400, 20)])
def test_few_collections_and_a_full_heap_promise_nothing(left: int, collections: int) -> None:
    assert not isinstance(fits(done(map_attempt(), left, collections)), Fits)


def test_of_a_death_nothing_is_said() -> None:
    died = replace(done(map_attempt(), 100), death=Death("heap", "x"))

    assert isinstance(fits(died), Absent)
