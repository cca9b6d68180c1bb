"""Two data sets, 20 % either side of each threshold, give opposite verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from builders.verdicts import verdicts_of

from mprof.evidence import (
    Composition,
    Distribution,
    Evidence,
    ExternalLoad,
    Group,
    GroupSizes,
    MapBuffer,
    Partitions,
    Progress,
    RecordGrowth,
    RecordSizes,
    Shuffle,
    Verification,
)
from mprof.rules import Fires, Silent
from mprof.rules.examples import CAPACITY, holder, key_of, map_attempt, reduce_attempt, with_growth
from mprof.units import MIB


def accumulating_map(factor: float) -> Evidence:
    # huge: 30 % of the heap at the end of the split, here dead at its very end
    evidence = map_attempt(progress=Progress(1.0, "bytes"))
    return with_growth(evidence, "this.counts", round(0.30 * CAPACITY * factor))


def split(factor: float) -> Evidence:
    # an eighth of the split needs as much as the heap when 170 MB were kept at an eighth
    return with_growth(
        map_attempt(progress=Progress(0.125 * factor, "bytes")), "this.counts", 170 * MIB
    )


def accumulating_reduce(factor: float) -> Evidence:
    evidence = reduce_attempt(progress=Progress(1.0, "records"))
    size = round(0.30 * CAPACITY * factor)
    return with_growth(evidence, "this.index", size, lifecycle="reduce", unit="group", last_x=30)


def accumulating_group(factor: float) -> Evidence:
    counted = GroupSizes(Group(31, 50_000, whole=True))
    return with_growth(
        reduce_attempt(composition=Composition(user_bytes=CAPACITY), groups=counted), "local list",
        round(0.30 * CAPACITY * factor), lifecycle="group",
        unit="record_in_group", last_x=50000,
    )  # fmt: skip


def _jump(size: int) -> RecordGrowth:
    return RecordGrowth(tuple((10, 2000) for _ in range(7)), 1, size, "dump")


def exploding(factor: float) -> Evidence:
    size = round(0.20 * CAPACITY * factor)
    return map_attempt(
        record_growth=_jump(size), holders=(holder("local x", size, lifecycle="record"),)
    )


def verified(factor: float) -> Evidence:
    alone = Verification(met=True, growth_bytes=round(0.5 * 150 * MIB * factor))
    return replace(exploding(3), record_growth=_jump(150 * MIB), verification=alone)


def external(factor: float) -> Evidence:
    size = round(0.30 * CAPACITY * factor)
    one = replace(holder("this.model", size), loaded_before_first_record=True)
    return map_attempt(
        holders=(one,), external=ExternalLoad(size, (key_of("this.model"),), "setup")
    )


def few_reducers(factor: float) -> Evidence:
    mean = round(256 * MIB * factor)
    return reduce_attempt(
        place="shuffle",
        shuffle=Shuffle(170 * MIB, 170 * MIB, held_bytes=200 * MIB),
        partitions=Partitions(0, bytes=(mean,) * 4, records=(mean // 100,) * 4),
    )


def unbalanced(factor: float) -> Evidence:
    # Gini of (a, 1, 1, 1, 1) is 0.4 at a = 4 (trapezoid): 0.48 and 0.32 are 20 % either side
    wanted = 0.4 * factor
    own = (4 * wanted + 0.8) / (0.8 - wanted) / 1.0
    sizes = tuple(round(size * 50 * MIB) for size in (own, 1, 1, 1, 1))
    return reduce_attempt(
        place="shuffle",
        shuffle=Shuffle(170 * MIB, 170 * MIB, held_bytes=200 * MIB),
        partitions=Partitions(
            0,
            bytes=sizes,
            records=tuple(s // 100 for s in sizes),
            keys=(900, 90, 90, 90, 90),
            keys_in_one_map=(900, 90, 90, 90, 90),
        ),
    )


def hot_key(factor: float) -> Evidence:
    # values 10..70 thousand: fence 120 thousand
    others = Distribution.of([n * 10_000 for n in range(1, 8)])
    current = Group(31, round(120_000 * factor), round(120_000 * factor), whole=True)
    groups = GroupSizes(current, others, others, all_reducers=True)
    evidence = replace(reduce_attempt(), groups=groups)
    return with_growth(
        evidence, "local list", 200 * MIB, lifecycle="group", unit="record_in_group",
        last_x=current.records,
    )  # fmt: skip


def too_coarse(factor: float) -> Evidence:
    # 50,000 records took all that was free: a median of 60,000 does not fit, one of 40,000 does
    median = round(50_000 * factor)
    others = Distribution.of([median] * 7)
    groups = GroupSizes(Group(1, 30_000, 30_000, whole=True), others, others, all_reducers=True)
    return replace(accumulating_group(2.8), groups=groups)


def large_record(factor: float) -> Evidence:
    # sizes 1..7 MB: fence 12 MB
    before = Distribution.of([n * MIB for n in range(1, 8)])
    size = round(12 * MIB * factor)
    return replace(exploding(3), records=RecordSizes(4001, size, before))


def record_by_itself(factor: float) -> Evidence:
    size = round(0.30 * CAPACITY * factor)
    before = Distribution.of([size] * 3)
    return map_attempt(
        composition=Composition(record_bytes=size), records=RecordSizes(5, size, before)
    )


def map_buffer_size(factor: float) -> Evidence:
    buffer = MapBuffer(round(0.30 * CAPACITY * factor), allocated=True)
    return map_attempt(map_buffer=buffer, progress=Progress(0.9, "bytes"))


def map_done(factor: float) -> Evidence:
    return replace(map_buffer_size(1.5), progress=Progress(min(1.0, 0.8 * factor), "bytes"))


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
    ("large_accumulated_results.map", accumulating_map, True),
    ("large_input_split", split, True),
    ("large_accumulated_results.reduce", accumulating_reduce, True),
    ("large_accumulated_results.group", accumulating_group, True),
    ("large_intermediate_results", exploding, True),
    ("large_intermediate_results", verified, True),
    ("large_external_data", external, True),
    ("improper_partition.few_reducers", few_reducers, True),
    ("improper_partition.unbalanced", unbalanced, True),
    ("hotspot_key", hot_key, True),
    ("hotspot_key", too_coarse, True),
    ("large_single_record", large_record, True),
    ("large_single_record", record_by_itself, True),
    ("large_framework_buffer.map", map_buffer_size, True),
    ("large_framework_buffer.map", map_done, True),
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
