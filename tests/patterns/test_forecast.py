"""At how much input an attempt that finished would have died."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from builders.evidence import map_attempt, reduce_attempt

from mprof.evidence import (
    Death,
    Evidence,
    Group,
    GroupSizes,
    Partitions,
    Peak,
    Point,
    Series,
    Unknown,
)
from mprof.evidence.distribution import Distribution
from mprof.patterns import Absent, Forecast, find_patterns
from mprof.units import MIB

CAPACITY = 240


def alive(evidence: Evidence, sizes: Sequence[tuple[float, float]], **of: Any) -> Evidence:
    """It finished; its live heap had so many MB when x were taken in."""
    unit = "group" if evidence.is_reduce else "record"
    series = Series(
        None,
        "reduce" if evidence.is_reduce else "map",
        unit,
        tuple(Point(x, size * MIB) for x, size in sizes),
        "passive",
        upper_bounds=of.pop("upper_bounds", False),
    )
    live = round(max((size for _, size in sizes), default=0) * MIB)
    peak = Peak(live, False, records_in_all=1000, groups_in_all=1000)
    memory = replace(evidence.memory, usable_bytes=CAPACITY * MIB)
    changes = {"peak": peak, "series": (series,), "memory": memory, "holders": Unknown("a dump")}
    return replace(evidence, death=Death("none", "done"), **{**changes, **of})


def forecast(evidence: Evidence) -> Forecast | Absent | Unknown:
    return find_patterns(evidence).forecast


EVEN = [(x, 40 + x / 10) for x in (0, 200, 400, 600, 800, 1000)]
"""40 MB at first and 100 KB a record: 140 MB in the end, and 240 MB at record 2,000."""


def test_what_grows_evenly_fills_the_heap_where_the_line_does() -> None:
    found = forecast(alive(map_attempt(), EVEN))

    assert isinstance(found, Forecast)
    assert found.at == pytest.approx(2000, rel=1e-6)
    assert found.times == pytest.approx(2.0, rel=1e-6)
    assert found.input_bytes == pytest.approx(128 * MIB, rel=1e-6)  # a split of 64 MB
    assert not found.at_the_earliest


def test_a_reducer_is_told_by_its_groups_and_its_partition() -> None:
    partitions = Partitions(1, bytes=(7, 3 * MIB))

    found = forecast(alive(reduce_attempt(), EVEN, partitions=partitions))

    assert isinstance(found, Forecast)
    assert found.unit == "group"
    assert found.input_bytes == pytest.approx(6 * MIB, rel=1e-6)


def test_upper_bounds_give_the_earliest_moment() -> None:
    found = forecast(alive(map_attempt(), EVEN, upper_bounds=True))

    assert isinstance(found, Forecast)
    assert found.at_the_earliest


@pytest.mark.parametrize(
    ("sizes", "why"),
    [
        ([(x, 40.0) for x in (0, 300, 600, 900)], "did not grow"),
        ([(x, 40 + x / 1000 * 6) for x in (0, 250, 500, 750, 1000)], None),
        ([(0, 40.0), (10, 90.0), (20, 140.0)], "did not keep growing"),
    ],
)
def test_what_is_flat_or_slow_or_stopped_is_given_no_end(
    sizes: Sequence[tuple[float, float]], why: str | None
) -> None:
    found = forecast(alive(map_attempt(), sizes))

    if why is None:  # 200 MB of room at 6 KB a record
        assert isinstance(found, Forecast)
        assert found.times == pytest.approx(200 / 6 + 0.0, rel=0.05)
    else:
        assert isinstance(found, Absent)
        assert why in found.why


def test_a_hundred_times_the_input_is_the_furthest_that_is_said() -> None:
    evidence = alive(map_attempt(), [(x, 40 + x / 1000 * 1.5) for x in (0, 300, 600, 1000)])
    memory = replace(evidence.memory, usable_bytes=60 * MIB)
    slow = alive(map_attempt(), [(x, 1 + x / 1000 * 3.2) for x in (0, 300, 600, 1000)])
    large = replace(slow, memory=replace(slow.memory, usable_bytes=600 * MIB))

    assert isinstance(forecast(replace(evidence, memory=memory)), Absent)  # below the noise
    found = forecast(large)
    assert isinstance(found, Absent)
    assert "100 times" in found.why


def test_nothing_is_predicted_of_an_attempt_that_died_or_of_two_collections() -> None:
    died = replace(alive(map_attempt(), EVEN), death=Death("heap", "x"))

    assert isinstance(forecast(died), Absent)
    assert isinstance(forecast(alive(map_attempt(), EVEN[:2])), Unknown)
    assert isinstance(forecast(alive(map_attempt(), [], peak=Unknown("a collection"))), Unknown)


def test_one_hot_group_is_followed_over_its_records() -> None:
    #  groups: 40 MB, then 41; within group 7: 40 to 140 MB over 1,000 records, so 240 at 2,000
    reducer = alive(reduce_attempt(), [(0, 40.0), (300, 40.5), (600, 41.0), (900, 41.0)])
    inside = Series(
        None, "group", "record_in_group", tuple(Point(x, mb * MIB) for x, mb in EVEN), "passive",
        group=7,
    )  # fmt: skip

    alone, found = forecast(reducer), forecast(replace(reducer, series=(*reducer.series, inside)))

    assert isinstance(alone, Absent)
    assert "from group to group" in alone.why
    assert isinstance(found, Forecast)
    assert ("record_in_group", 7, None) == (found.unit, found.group, found.input_bytes)
    assert found.at == pytest.approx(2000, rel=1e-6)
    assert found.times == pytest.approx(2.0, rel=1e-6)


def test_a_group_that_went_on_after_the_last_collection_counts_whole() -> None:
    # as above, but the group has 1,600 records: 2,000 are 1.25 times that, not twice
    reducer = alive(reduce_attempt(), [(0, 40.0), (300, 40.5), (600, 41.0), (900, 41.0)])
    inside = Series(
        None, "group", "record_in_group", tuple(Point(x, mb * MIB) for x, mb in EVEN), "passive",
        group=7,
    )  # fmt: skip
    others = Distribution.of([10] * 30)
    groups = GroupSizes(None, others, all_reducers=True, largest=Group(7, 1600, whole=True))

    found = forecast(replace(reducer, series=(*reducer.series, inside), groups=groups))

    assert isinstance(found, Forecast)
    assert found.times == pytest.approx(1.25, rel=1e-6)


def test_a_rise_in_one_step_is_called_that() -> None:
    said = forecast(alive(map_attempt(), [(x, 40 if x < 900 else 90) for x, _ in EVEN]))

    assert isinstance(said, Absent)
    assert "did not grow with its input: it rose in one step only" in said.why
