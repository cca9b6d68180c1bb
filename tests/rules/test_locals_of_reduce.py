"""A local of reduce() lives for the group, or is made anew for each value: what tells it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.evidence import holder, reduce_attempt
from builders.verdicts import verdicts_of

from mprof.evidence import (
    DeathPosition,
    Evidence,
    HolderKey,
    Point,
    RecordGrowth,
    Series,
    Unknown,
    Verification,
)
from mprof.evidence.assemble.lifetimes import with_lifetimes_of_curves
from mprof.rules import CannotTell, Fires
from mprof.units import MIB

KEY = HolderKey("local", "com.example.Join", "reduce", "java.util.ArrayList")
DEATH = DeathPosition("reduce", record=620, group=10, record_in_group=33, partition=0)
LEFT_BEHIND = Unknown("heap sizes at earlier records", "rerun")


def cells(size_mib: int) -> Evidence:
    """A local list of reduce() at the death, in a first run: no earlier sizes of its own."""
    one = replace(
        holder("local cells", size_mib * MIB, lifecycle="group", method="reduce"), key=KEY
    )
    return reduce_attempt(holders=(one,), position=DEATH, record_growth=LEFT_BEHIND)


def seen(evidence: Evidence, sizes_mib: list[float]) -> Evidence:
    """The same after a rerun, with its sizes before some of the records of the group."""
    at = [0, 10, 20, 26, 30, 32][-len(sizes_mib) :]
    points = tuple(Point(x, size * MIB) for x, size in zip(at, sizes_mib, strict=True))
    death = evidence.holder(KEY)
    assert death is not None
    one = Series(KEY, "group", "record_in_group", points, "dump", at_death=Point(33, death.bytes))
    rise = death.bytes - round(points[-1].size_bytes)
    growth = RecordGrowth(
        before=((10, 0),) * (len(points) - 1), last_records=1, last_bytes=rise, source="dump"
    )
    alone = Verification(met=True, growth_bytes=0, died=True, same_room=True, control="lived")
    holders, series = with_lifetimes_of_curves(evidence.held, (one,), DEATH, growth)
    return replace(
        evidence, holders=holders, series=series, record_growth=growth, verification=alone
    )


def test_what_minor_collections_left_does_not_say_which_it_was() -> None:
    # garbage of the records before, 91 MB by the eleventh and no more until the nineteenth, and
    # then what the last ones made: a line fits it badly, and nothing fits it well
    sizes = {1: 74, 2: 74, 8: 124, 9: 157, 11: 164, 15: 165, 18: 165, 19: 165, 30: 215}
    points = tuple(Point(at, size * MIB) for at, size in sizes.items())
    live = Series(
        None, "group", "record_in_group", points, "passive",
        at_death=Point(33, 240 * MIB), upper_bounds=True, group=10,
    )  # fmt: skip
    verdicts = verdicts_of(replace(cells(170), series=(live,)))

    found = verdicts["large_accumulated_results.group"]
    assert isinstance(found, Fires)
    assert found.confidence == "possible"
    assert isinstance(verdicts["large_intermediate_results"], CannotTell)


def test_what_they_left_on_a_line_is_of_the_group() -> None:
    points = tuple(Point(at, (74 + 5 * at) * MIB) for at in (1, 4, 9, 12, 15, 19, 25, 30))
    live = Series(
        None, "group", "record_in_group", points, "passive",
        at_death=Point(33, 240 * MIB), upper_bounds=True, group=10,
    )  # fmt: skip
    verdicts = verdicts_of(replace(cells(165), series=(live,)))

    found = verdicts["large_accumulated_results.group"]
    assert isinstance(found, Fires)
    assert found.confidence == "likely"


def test_a_small_field_beside_it_does_not_make_it_of_the_group() -> None:
    sizes = {1: 74, 2: 74, 8: 124, 9: 157, 11: 164, 15: 165, 18: 165, 19: 165, 30: 215}
    points = tuple(Point(at, size * MIB) for at, size in sizes.items())
    live = Series(
        None, "group", "record_in_group", points, "passive",
        at_death=Point(33, 240 * MIB), upper_bounds=True, group=10,
    )  # fmt: skip
    beside = holder("this.glossary", 12 * MIB, lifecycle="reduce", method="reduce")
    held = cells(170)
    verdicts = verdicts_of(replace(held, holders=(*held.held, beside), series=(live,)))

    found = verdicts["large_accumulated_results.group"]
    assert isinstance(found, Fires)
    assert found.confidence == "possible"
    assert isinstance(verdicts["large_intermediate_results"], CannotTell)


@pytest.mark.parametrize(("is_exact", "word"), [(False, "possible"), (True, "likely")])
def test_three_bounds_are_no_law_of_a_local(*, is_exact: bool, word: str) -> None:
    # each bound is lowered to those after it, so that they rise whatever was live
    points = tuple(Point(at, (74 + 5 * at) * MIB) for at in (1, 15, 30))
    live = Series(
        None, "group", "record_in_group", points, "passive",
        at_death=Point(33, 240 * MIB), upper_bounds=not is_exact, group=10,
    )  # fmt: skip
    found = verdicts_of(replace(cells(165), series=(live,)))["large_accumulated_results.group"]

    assert isinstance(found, Fires)
    assert found.confidence == word


def test_what_was_empty_after_each_record_came_with_the_last_one() -> None:
    verdicts = verdicts_of(seen(cells(150), [0, 0, 0.2, 0.2, 0.2]))

    found = verdicts["large_intermediate_results"]
    assert isinstance(found, Fires)
    assert found.confidence == "sure"
    assert not isinstance(verdicts["large_accumulated_results.group"], Fires)


@pytest.mark.parametrize(
    "sizes",
    [
        [20, 50, 90, 110, 130],  # it grew with the group
        [0, 0, 0, 0, 100],  # most was there before the last one
    ],
)
def test_what_was_not_seen_empty_is_not_said_to_be_of_one_record(sizes: list[float]) -> None:
    found = verdicts_of(seen(cells(150), sizes))["large_intermediate_results"]

    assert not (isinstance(found, Fires) and found.confidence == "sure")
