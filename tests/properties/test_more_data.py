"""More of the same data does not take a verdict back."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from builders.chance import Chance, chances
from builders.evidence import (
    CAPACITY,
    holder,
    key_of,
    map_attempt,
    reduce_attempt,
    with_growth,
)
from builders.property_settings import tried
from builders.verdicts import verdicts_of
from hypothesis import assume, given

from mprof.evidence import (
    Distribution,
    Evidence,
    Group,
    GroupSizes,
    Point,
    Progress,
    RecordGrowth,
    Series,
)
from mprof.patterns.fences import FENCE_SAMPLES
from mprof.rules import Fires
from mprof.units import MIB


def _line(chance: Chance, size: int, number: int) -> tuple[Point, ...]:
    """Points of one line from 0 to the size at record 4,000, at any distances."""
    inner = sorted({chance.number(1, 3999) for _ in range(number)})
    return tuple(Point(float(x), size * x / 4000) for x in (0, *inner, 4000))


@given(chances())
@tried(150)
def test_points_on_the_line_of_what_grows_keep_it_accumulating(chance: Chance) -> None:
    size = chance.number(5, 230) * MIB
    done = chance.one([0.05, 0.4, 0.79, 1.0])
    points = _line(chance, size, chance.number(3, 6))
    series = Series(key_of("this.counts"), "map", "record", points, "dump", Point(4001, size))
    evidence = map_attempt(
        holders=(holder("this.counts", size),), series=(series,), progress=Progress(done, "bytes")
    )
    # A step over nearly all of the split shows a jump as well as a line.
    assume(max(after.x - before.x for before, after in pairwise(points)) <= 3000)
    more = {*points, *_line(chance, size, chance.number(1, 8))}
    longer = replace(evidence, series=(replace(series, points=tuple(more)),))
    cause = "large_accumulated_results.map"
    few, many = verdicts_of(evidence)[cause], verdicts_of(longer)[cause]
    # Points too far apart show one step and no trend; more of them may show it.
    assert not isinstance(few, Fires) or isinstance(many, Fires), (few, many)


def _in_group(records: int, others: list[int]) -> Evidence:
    groups = GroupSizes(
        Group(31, records, 100 * records, whole=True),
        Distribution.of(others),
        Distribution.of(100 * one for one in others),
        all_reducers=True,
    )
    return with_growth(
        reduce_attempt(groups=groups), "local list", 200 * MIB, lifecycle="group",
        unit="record_in_group", last_x=records,
    )  # fmt: skip


@given(chances())
@tried(150)
def test_further_groups_like_the_others_keep_a_key_hot(chance: Chance) -> None:
    others = [chance.number(100, 60_000) for _ in range(chance.number(6, 12))]
    records = chance.number(100, 200_000)
    few = verdicts_of(_in_group(records, others))["hotspot_key"]
    many = verdicts_of(_in_group(records, others * chance.number(2, 5)))["hotspot_key"]
    assert not isinstance(few, Fires) or isinstance(many, Fires), (few, many)


@given(chances())
@tried(150)
def test_further_growths_like_those_before_keep_a_record_out_of_line(chance: Chance) -> None:
    number = chance.number(int(FENCE_SAMPLES.value), 9)
    before = tuple((10, chance.number(0, 20 * MIB)) for _ in range(number))
    jump = chance.number(50, 160) * MIB
    assert jump > 0.2 * CAPACITY
    said = []
    for times in (1, chance.number(2, 5)):
        growth = RecordGrowth(before * times, 1, jump, "dump")
        # a field of the mapper: only the fence says that it is the record's
        evidence = map_attempt(record_growth=growth, holders=(holder("this.columns", jump),))
        said.append(verdicts_of(evidence)["large_intermediate_results"])
    assert not isinstance(said[0], Fires) or isinstance(said[1], Fires), said
