"""Two data sets, 20 % either side of each threshold, give opposite verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from builders.evidence import (
    CAPACITY,
    growing_series,
    holder,
    key_of,
    map_attempt,
    reduce_attempt,
    with_growth,
)
from builders.verdicts import verdicts_of

from mprof.evidence import (
    Composition,
    Distribution,
    Evidence,
    ExternalLoad,
    Group,
    GroupSizes,
    Holder,
    MapBuffer,
    OpenedFile,
    Partitions,
    Point,
    Progress,
    RecordGrowth,
    RecordSizes,
    Series,
    Shuffle,
)
from mprof.rules import CannotTell, Fires, Silent
from mprof.units import MIB

# Something else is huge: what grows has to be so by itself.
BESIDE = Composition(framework_bytes=80 * MIB, user_bytes=160 * MIB)
MANY = [1000 + 5 * n for n in range(200)]
LARGEST = 1995


def accumulating_map(factor: float) -> Evidence:
    # huge: 30 % of the heap at the end of the split, here dead at its very end
    evidence = map_attempt(
        progress=Progress(1.0, "bytes"),
        composition=BESIDE,
        map_buffer=MapBuffer(80 * MIB, allocated=True),
    )
    return with_growth(evidence, "this.counts", round(0.30 * CAPACITY * factor))


def one_of_several(factor: float) -> Evidence:
    # a fourth: nothing is huge, and it is what grows
    evidence = map_attempt(progress=Progress(1.0, "bytes"))
    return with_growth(evidence, "this.counts", round(0.22 * CAPACITY * factor))


def split(factor: float) -> Evidence:
    # an eighth of the split needs as much as the heap when 170 MB were kept at an eighth
    return with_growth(
        map_attempt(progress=Progress(0.125 * factor, "bytes")), "this.counts", 170 * MIB
    )


def room_to_spare(factor: float) -> Evidence:
    # 170 MB kept and 70 MB beside them: an eighth of the split would need nine tenths of the heap
    done = 170 / 8 / (0.90 * 240 * factor - 70)
    return with_growth(map_attempt(progress=Progress(done, "bytes")), "this.counts", 170 * MIB)


def accumulating_reduce(factor: float) -> Evidence:
    evidence = reduce_attempt(progress=Progress(1.0, "records"), composition=BESIDE)
    size = round(0.30 * CAPACITY * factor)
    return with_growth(evidence, "this.index", size, lifecycle="reduce", unit="group", last_x=30)


def accumulating_group(factor: float) -> Evidence:
    counted = GroupSizes(Group(31, 50_000, whole=True))
    return with_growth(
        reduce_attempt(composition=BESIDE, groups=counted), "local list",
        round(0.30 * (CAPACITY - 80 * MIB) * factor), lifecycle="group",
        unit="record_in_group", last_x=50000,
    )  # fmt: skip


def _jump(size: int) -> RecordGrowth:
    return RecordGrowth(tuple((10, 2000) for _ in range(7)), 1, size, "dump")


def exploding(factor: float) -> Evidence:
    size = round(0.20 * CAPACITY * factor)
    return map_attempt(
        record_growth=_jump(size), holders=(holder("local x", size, lifecycle="record"),)
    )


def external(factor: float) -> Evidence:
    # beside a record that holds more than it
    return _loaded(0.30 * factor, holder("local x", round(0.4 * CAPACITY), lifecycle="record"))


def external_of_several(factor: float) -> Evidence:
    # a fifth or a fourth: nothing in the heap is huge
    return _loaded(0.22 * factor)


def _loaded(share: float, *others: Holder) -> Evidence:
    size = round(share * CAPACITY)
    one = replace(holder("this.model", size), loaded_before_first_record=True)
    files = (OpenedFile("hdfs:/model", 30 * MIB),)
    return map_attempt(
        holders=(one, *others), external=ExternalLoad(size, (key_of("this.model"),), "setup", files)
    )


def numbers_of_a_file(factor: float) -> Evidence:
    # an array of 100 MB: a file of an eighth of that may have filled it
    one = holder("this.weights", 100 * MIB, class_name="double[]")
    files = (OpenedFile("hdfs:/model", round(100 * MIB / 8 * factor)),)
    load = ExternalLoad(100 * MIB, (key_of("this.weights"),), "setup", files)
    return map_attempt(holders=(replace(one, loaded_before_first_record=True),), external=load)


def carried_into_the_group(factor: float) -> Evidence:
    # a sixth of the records came before G_m: half of what they would have left of 180 MB
    begun = round(0.5 * 180 * MIB * 10_000 / 60_001 * factor)
    before = Series(
        key_of("this.seen"), "reduce", "group", tuple(Point(x, begun) for x in (0, 10, 20, 30)),
        "dump",
    )  # fmt: skip
    inside = growing_series(
        "this.seen", [begun + (180 * MIB - begun) * i / 7 for i in range(8)],
        lifecycle="reduce", unit="record_in_group", last_x=50_000,
    )  # fmt: skip
    over_records = replace(before, unit="record", points=(Point(0, 0), Point(10_000, begun)))
    return reduce_attempt(
        holders=(holder("this.seen", 180 * MIB, lifecycle="reduce", method="reduce"),),
        series=(before, inside, over_records),
        groups=GroupSizes(Group(31, 50_001, whole=True)),
    )


def few_reducers(factor: float) -> Evidence:
    mean = round(256 * MIB * factor)
    return reduce_attempt(
        place="shuffle",
        shuffle=Shuffle(170 * MIB, 170 * MIB, held_bytes=200 * MIB),
        partitions=Partitions(0, bytes=(mean,) * 4, records=(mean // 100,) * 4),
    )


def reducers_of_a_shuffle(factor: float) -> Evidence:
    # three times as many reducers keep the mean partition below the limit of 170 MB
    return few_reducers(3 * 170 / 256 * factor)


def _shuffling(sizes: list[float]) -> Evidence:
    whole = tuple(round(size * MIB) for size in sizes)
    keys = (900, *(90,) * (len(sizes) - 1))
    return reduce_attempt(
        place="shuffle",
        shuffle=Shuffle(170 * MIB, 170 * MIB, held_bytes=200 * MIB),
        partitions=Partitions(
            0,
            bytes=whole,
            records=tuple(s // 100 for s in whole),
            keys=keys,
            keys_in_one_map=keys,
        ),
    )


def unbalanced(factor: float) -> Evidence:
    # 1.6 times the median of the others
    return _shuffling([1.6 * factor * 130, 130, 130, 130, 130])


def above_the_mean(factor: float) -> Evidence:
    # one of the others is large too: 1.3 times the mean of all
    times = 1.3 * factor
    return _shuffling([times * 580 / (5 - times), 400, 60, 60, 60])


def _in_group(group: Group, others: Distribution, sizes: list[float]) -> Evidence:
    series = growing_series("local list", sizes, lifecycle="group", unit="record_in_group",
                            last_x=group.records)  # fmt: skip
    return reduce_attempt(
        holders=(holder("local list", 200 * MIB, lifecycle="group", method="reduce"),),
        series=(series,),
        groups=GroupSizes(group, others, others, all_reducers=True),
    )


def hot_key(factor: float) -> Evidence:
    # of many groups the largest that passed decides
    records = round(1.6 * 30 * LARGEST * factor)
    others = Distribution.of([30 * one for one in MANY])
    rising = [200 * MIB * i / 7 for i in range(8)]
    return _in_group(Group(31, records, records, whole=True), others, rising)


def as_much(factor: float) -> Evidence:
    # a group of half the size would have needed all but a tenth of what G_m held
    records, least = 60 * LARGEST, 200 * MIB * (1 - 2 * 0.1 * factor)
    others = Distribution.of([30 * one for one in MANY])
    sizes = [least + (200 * MIB - least) * i / 7 for i in range(8)]
    return _in_group(Group(31, records, records, whole=True), others, sizes)


def too_coarse(factor: float) -> Evidence:
    # 50,000 records took all that was free: a median of 60,000 does not fit, one of 40,000 does
    median = round(50_000 * factor)
    others = Distribution.of([median] * 7)
    groups = GroupSizes(Group(1, 30_000, 30_000, whole=True), others, others, all_reducers=True)
    return replace(accumulating_group(2.8), groups=groups)


def large_record(factor: float) -> Evidence:
    # lines of 1,000 to 1,995 KB
    before = Distribution.of([1024 * one for one in MANY])
    size = round(1.6 * 1024 * LARGEST * factor)
    return replace(exploding(3), records=RecordSizes(4001, size, before))


def map_buffer_size(factor: float) -> Evidence:
    buffer = MapBuffer(round(0.30 * CAPACITY * factor), allocated=True)
    return map_attempt(map_buffer=buffer, progress=Progress(0.9, "bytes"))


def shuffle_held(factor: float) -> Evidence:
    held = round(0.30 * CAPACITY * factor)
    return reduce_attempt(
        place="shuffle",
        shuffle=Shuffle(held, held, held_bytes=held),
        partitions=Partitions(0, bytes=(200 * MIB,) * 4, records=(2 * MIB,) * 4),
    )


def reduce_done(factor: float) -> Evidence:
    done = Progress(min(1.0, 0.8 * factor), "records")
    return replace(shuffle_held(2), place="reduce", progress=done)


CASES: list[tuple[str, Callable[[float], Evidence], bool]] = [
    ("large_input_split", split, True),
    ("large_input_split", room_to_spare, False),
    ("large_accumulated_results.group", accumulating_group, True),
    ("large_intermediate_results", exploding, True),
    ("large_accumulated_results.map", one_of_several, True),
    ("large_accumulated_results.group", carried_into_the_group, False),
    ("large_external_data", external, True),
    ("large_external_data", external_of_several, True),
    ("large_external_data", numbers_of_a_file, True),
    ("improper_partition.few_reducers", few_reducers, True),
    ("improper_partition.few_reducers", reducers_of_a_shuffle, False),
    ("improper_partition.unbalanced", unbalanced, True),
    ("improper_partition.unbalanced", above_the_mean, True),
    ("hotspot_key", hot_key, True),
    ("hotspot_key", too_coarse, True),
    ("large_single_record", large_record, True),
    ("large_framework_buffer.map", map_buffer_size, True),
    ("large_framework_buffer.shuffle", shuffle_held, True),
    ("large_framework_buffer.shuffle", reduce_done, True),
]


@pytest.mark.parametrize(("cause", "build", "above"), CASES, ids=[c[1].__name__ for c in CASES])
def test_twenty_percent_either_side_gives_opposite_verdicts(
    cause: str, build: Callable[[float], Evidence], above: bool
) -> None:
    higher, lower = verdicts_of(build(1.2))[cause], verdicts_of(build(0.8))[cause]
    fires, silent = (higher, lower) if above else (lower, higher)
    assert isinstance(fires, Fires), fires
    assert isinstance(silent, Silent), silent


@pytest.mark.parametrize("lifecycle", ["map", "reduce"])
@pytest.mark.parametrize(("share", "says"), [(0.36, Fires), (0.26, CannotTell), (0.18, Silent)])
def test_beside_something_huge_one_of_several_is_neither_named_nor_denied(
    lifecycle: str, share: float, says: type
) -> None:
    build = accumulating_map if lifecycle == "map" else accumulating_reduce
    found = verdicts_of(build(share / 0.30))[f"large_accumulated_results.{lifecycle}"]
    assert isinstance(found, says), found


@pytest.mark.parametrize(("factor", "says"), [(1.2, Fires), (0.8, CannotTell)])
def test_the_size_of_a_group_is_in_doubt_where_half_of_it_needs_as_much(
    factor: float, says: type
) -> None:
    assert isinstance(verdicts_of(as_much(factor))["hotspot_key"], says)


# The largest that passed has 59,850 records. Below the records at the death it says what it needs.
@pytest.mark.parametrize(("died_at", "says"), [(100_000, CannotTell), (50_000, Fires)])
def test_what_a_group_needs_is_asked_of_fewer_records_than_it_died_of(
    died_at: int, says: type
) -> None:
    evidence = as_much(0.5)
    series = tuple(
        replace(
            one,
            points=tuple(replace(each, x=each.x * died_at / (60 * LARGEST)) for each in one.points),
            at_death=replace(one.at_death, x=died_at) if one.at_death is not None else None,
        )
        for one in evidence.series
    )
    assert isinstance(verdicts_of(replace(evidence, series=series))["hotspot_key"], says)


@pytest.mark.parametrize(("done", "says"), [(0.64, CannotTell), (0.96, Fires)])
def test_where_nothing_was_measured_the_mapper_has_to_be_nearly_finished(
    done: float, says: type
) -> None:
    # 30 MB that may grow, in a single dump, beside a sort buffer of 108 MB
    evidence = replace(map_buffer_size(1.5), progress=Progress(done, "bytes"))
    found = verdicts_of(replace(evidence, holders=(holder("this.seen", 30 * MIB),)))
    assert isinstance(found["large_framework_buffer.map"], says)


@pytest.mark.parametrize(("points", "confidence"), [(4, "likely"), (5, "sure")])
def test_a_law_of_five_points_is_sure(points: int, confidence: str) -> None:
    sizes = [170 * MIB * i / (points - 1) for i in range(points)]
    evidence = map_attempt(
        progress=Progress(1.0, "bytes"),
        holders=(holder("this.counts", 170 * MIB),),
        series=(growing_series("this.counts", sizes),),
    )
    found = verdicts_of(evidence)["large_accumulated_results.map"]
    assert isinstance(found, Fires)
    assert found.confidence == confidence
