"""The authors' published runs come out with the authors' verdicts."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from builders.evidence import holder, key_of, map_attempt, reduce_attempt
from builders.verdicts import verdicts_of

from mprof.evidence import (
    Composition,
    DeathPosition,
    Evidence,
    ExternalLoad,
    Group,
    GroupSizes,
    MapBuffer,
    Memory,
    OpenedFile,
    Point,
    Progress,
    RecordGrowth,
    RecordSizes,
    Series,
    Verification,
)
from mprof.evidence.distribution import Distribution
from mprof.rules import Fires

MB = 10**6
KB = 1024

# (points before R_n, value at OOM); x in records, y in bytes
CURVES = {
    "words": ([(1, 0), (1885, 92036792), (3769, 174789544), (5653, 259954488), (7537, 345406000),
               (9425, 420835528)], 423091448),
    "lemmas": ([(1, 13464), (3, 14720), (5, 14720), (7, 14720), (9, 14720)], 402918776),
    "distinct, map side": ([(1, 0), (149587, 62506440), (299173, 114967480), (448759, 140306040),
                            (598345, 162076232), (747932, 186186928)], 388068360),
    "distinct, reduce side": ([(1, 0), (5, 101259576), (9, 246406095), (13, 298697037),
                               (17, 408942349), (21, 503025192)], 1050166065),
    "freebase": ([(1, 0), (1068023, 184549440), (2136045, 366073088), (3204067, 549082552),
                  (4272089, 734379208), (5340116, 922989280), (6364863, 1094168776)], 1094241536),
    "stripes": ([(1, 0), (4, 89160424), (7, 146957744), (10, 184394120), (13, 219994928),
                 (17, 300900952)], 422184304),
}  # fmt: skip


def evidence_of(name: str, base: Evidence, heap: int, *, alone: int | None) -> Evidence:
    """The curve as a probe run would have brought it, R_n alone as measured by the authors."""
    points, at_oom = CURVES[name]
    in_group = base.is_reduce or base.place == "combine"
    lifecycle, unit = ("group", "record_in_group") if in_group else ("map", "record")
    series = Series(
        key_of("held"), lifecycle, unit, tuple(Point(x - 1, y) for x, y in points), "dump",
        at_death=Point(points[-1][0], at_oom),
    )  # fmt: skip
    steps = list(pairwise(points))
    growth = RecordGrowth(
        before=tuple((b[0] - a[0], b[1] - a[1]) for a, b in steps),
        last_records=1,
        last_bytes=at_oom - points[-1][1],
        source="dump",
        unit=unit,
    )
    evidence = replace(
        base,
        memory=Memory(heap, heap, heap, heap, 2 * heap),
        composition=Composition(user_bytes=at_oom, framework_bytes=heap - at_oom),
        holders=(holder("held", at_oom, lifecycle="record" if name == "lemmas" else lifecycle),),
        series=(series,),
        record_growth=growth,
        map_buffer=MapBuffer(10 * MB, allocated=True),
        progress=Progress(0.4, "bytes read"),
        position=DeathPosition(
            "map", record=points[-1][0], group=263, record_in_group=points[-1][0]
        ),
    )
    if alone is not None:
        # in the room that it had it dies again where it alone takes most of what was held
        dies = alone > at_oom / 2
        verified = Verification(True, alone, dies, same_room=True)
        evidence = replace(evidence, verification=verified)
    return evidence


def fired(evidence: Evidence) -> set[str]:
    return {cause for cause, v in verdicts_of(evidence).items() if isinstance(v, Fires)}


def test_in_mapper_word_count_accumulates_and_its_split_is_too_large() -> None:
    evidence = evidence_of("words", map_attempt(), 1000 * MB, alone=128 * KB)
    assert fired(evidence) == {"large_accumulated_results.map", "large_input_split"}


def test_the_lemmatizer_makes_large_intermediate_results() -> None:
    evidence = evidence_of("lemmas", map_attempt(), 1000 * MB, alone=385 * 2**20)
    assert fired(evidence) == {"large_intermediate_results"}


def test_the_lemmatizer_of_the_paper_has_a_large_single_record_too() -> None:
    evidence = evidence_of("lemmas", map_attempt(), 1000 * MB, alone=385 * 2**20)
    sizes = Distribution.of([12 * MB, *range(10_000, 80_000, 1_000)])
    evidence = replace(evidence, records=RecordSizes(76, 50 * MB, sizes))
    assert fired(evidence) == {"large_intermediate_results", "large_single_record"}


@pytest.mark.parametrize(
    ("name", "heap", "alone"),
    [
        ("distinct, reduce side", 1500 * MB, 74 * MB),  # record 21 has 37 MB
        ("freebase", 1500 * MB, 10 * KB),
        ("stripes", 1000 * MB, 30 * MB),
    ],
)
def test_a_reducer_accumulates_in_its_group_and_the_jump_is_its_container(
    name: str, heap: int, alone: int
) -> None:
    evidence = evidence_of(name, reduce_attempt(), heap, alone=alone)
    assert fired(evidence) == {"large_accumulated_results.group"}


def test_a_combiner_in_the_map_task_accumulates_in_its_group() -> None:
    base = map_attempt(place="combine")
    evidence = evidence_of("distinct, map side", base, 1000 * MB, alone=92 * KB)
    assert fired(evidence) == {"large_accumulated_results.group"}


def test_the_word_of_is_a_hot_key() -> None:
    base = reduce_attempt(
        groups=GroupSizes(
            Group(16, 779_551, 400 * MB),
            other_records=Distribution.of([130_000, 90_000, 60_000, 30_000, 20_000, *[500] * 10]),
            all_reducers=True,
        )
    )
    evidence = evidence_of("stripes", base, 1000 * MB, alone=30 * MB)
    assert fired(evidence) == {"large_accumulated_results.group", "hotspot_key"}


@pytest.mark.parametrize("loaded", [426_268_640, 1_221_481_328])
def test_what_setup_loads_is_external_data(loaded: int) -> None:
    heap = max(1000 * MB, loaded + 200 * MB)
    evidence = map_attempt(
        place="setup",
        position=DeathPosition("setup", record=0),
        memory=Memory(heap, heap, heap, heap, 2 * heap),
        external=ExternalLoad(loaded, (key_of("held"),), "loading", (OpenedFile("hdfs:/in"),)),
        holders=(holder("held", loaded),),
    )
    assert fired(evidence) == {"large_external_data"}
