"""Of what may be new at death no more is loaded than the live heap leaves room for."""

from __future__ import annotations

import pytest
from builders.keys import field_key

from mprof.evidence import ExternalLoad, Holder, OpenedFile, Point, Series, Unknown
from mprof.evidence.assemble.external import external_of
from mprof.units import MIB

FILE = OpenedFile("hdfs://h/table.bin", 12 * MIB, seen=True)


def _holder(name: str, megabytes: int) -> Holder:
    return Holder(
        field_key("com.example.Job", name), "user", "task", "java.util.HashMap", name,
        megabytes * MIB, element_class="byte[]",
    )  # fmt: skip


def _live_heap(last: int, at_death: int, *, upper_bounds: bool = False) -> Series:
    points = tuple(Point(x, size * MIB) for x, size in ((50, last - 10), (140, last)))
    return Series(
        None, "task", "record", points, "passive",
        at_death=Point(170, at_death * MIB), upper_bounds=upper_bounds,
    )  # fmt: skip


def _loaded(holders: list[Holder], series: Series) -> ExternalLoad | Unknown | None:
    return external_of(holders, [series], (), (FILE,), place="map", loading=(FILE,), bound=None)


def test_one_that_came_since_the_last_collection_was_being_loaded() -> None:
    table = _holder("table", 44)

    found = _loaded([table], _live_heap(60, 105))

    assert isinstance(found, ExternalLoad)
    assert (found.when, found.holders) == ("loading", (table.key,))


def test_of_two_that_cannot_both_be_new_it_is_not_known_which() -> None:
    found = _loaded([_holder("rows", 47), _holder("table", 44)], _live_heap(60, 105))

    assert found == Unknown("what of the objects at death was being loaded", "none")


def test_of_two_the_only_one_that_fits_was_being_loaded() -> None:
    rows, table = _holder("rows", 90), _holder("table", 44)

    found = _loaded([rows, table], _live_heap(105, 150))

    assert isinstance(found, ExternalLoad)
    assert found.holders == (table.key,)


@pytest.mark.parametrize("upper_bounds", [True, False])
def test_what_garbage_may_have_filled_says_nothing(*, upper_bounds: bool) -> None:
    series = _live_heap(60, 105, upper_bounds=upper_bounds)

    found = _loaded([_holder("rows", 47), _holder("table", 44)], series)

    assert isinstance(found, ExternalLoad) is upper_bounds


def test_one_that_is_larger_than_the_rise_was_there_before() -> None:
    found = _loaded([_holder("rows", 90)], _live_heap(95, 110))

    assert found == Unknown("what of the objects at death was being loaded", "none")


def test_where_nothing_is_new_a_heap_that_fell_says_nothing() -> None:
    assert _loaded([], _live_heap(95, 80)) is None
