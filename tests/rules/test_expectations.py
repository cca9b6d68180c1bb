"""What is expected of whole kinds of jobs: every cause, and no other.

The evidence is what a watch and a profile run of such a job would bring, with the numbers of a
256 MB heap. Real captures are replayed elsewhere; here the interplay of the rules is under test.
"""

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
    Death,
    DeathPosition,
    Distribution,
    Evidence,
    ExternalLoad,
    Group,
    GroupSizes,
    Holder,
    HolderKey,
    MapBuffer,
    OpenedFile,
    Partitions,
    Point,
    Progress,
    RecordGrowth,
    RecordSizes,
    Series,
    Shuffle,
    Split,
    Unknown,
    Verification,
)
from mprof.rules import Fires, Silent
from mprof.units import MIB

LINES = Distribution.of(range(10_000, 200_000, 5_000))
NOTHING_AT_R_N = RecordGrowth(tuple((500, 3 * MIB) for _ in range(7)), 1, 2 * MIB, "dump")


def fired(evidence: Evidence) -> set[str]:
    return {cause for cause, v in verdicts_of(evidence).items() if isinstance(v, Fires)}


def in_group(evidence: Evidence, size: int = 190 * MIB, records: int = 50_000) -> Evidence:
    return with_growth(
        evidence, "local list", size, lifecycle="group", unit="record_in_group", last_x=records
    )


def word_count(done: float = 0.4) -> Evidence:
    evidence = map_attempt(progress=Progress(done, "bytes"), record_growth=NOTHING_AT_R_N)
    return with_growth(evidence, "this.counts", 160 * MIB)


def watched_word_count() -> Evidence:
    # no probe: the live heap after collections, and one dump
    live = growing_series(
        None, [(70 + 160 * i / 9) * MIB for i in range(10)], source="passive", last_x=3990
    )
    return replace(
        map_attempt(record_growth=Unknown("heap sizes at earlier records", "rerun")),
        holders=(holder("this.counts", 165 * MIB, length=1_017_646),),
        series=(live,),
    )


def lemmatizer(done: float) -> Evidence:
    model = replace(holder("this.tagger", 25 * MIB), loaded_before_first_record=True)
    lemmas = holder("local lemmas", 110 * MIB, lifecycle="record")
    return map_attempt(
        progress=Progress(done, "bytes"),
        map_buffer=MapBuffer(80 * MIB, allocated=True),
        holders=(lemmas, model),
        external=ExternalLoad(25 * MIB, ("this.tagger",), "setup"),
        series=(growing_series("this.tagger", [25 * MIB] * 8),),
        record_growth=RecordGrowth(tuple((10, 800) for _ in range(7)), 1, 110 * MIB, "dump"),
        records=RecordSizes(76, 13 * MIB, LINES),
        composition=Composition(framework_bytes=90 * MIB,
                                record_bytes=13 * MIB, user_bytes=135 * MIB),
    )  # fmt: skip


def small_record_explodes() -> Evidence:
    return replace(lemmatizer(0.4), records=RecordSizes(76, 90_000, LINES))


def columns_of_one_record() -> Evidence:
    # a field of the mapper that one dense row fills: only R_n alone proves it
    return replace(
        lemmatizer(0.4),
        holders=(holder("this.columns", 150 * MIB),),
        series=(growing_series("this.columns", [1000] * 8),),
        external=None,
        record_growth=RecordGrowth(tuple((10, 800) for _ in range(7)), 1, 150 * MIB, "dump"),
        verification=Verification(met=True, growth_bytes=149 * MIB),
    )


def buffer_too_large() -> Evidence:
    evidence = map_attempt(
        progress=Progress(0.92, "bytes"),
        map_buffer=MapBuffer(128 * MIB, allocated=True),
        composition=Composition(framework_bytes=150 * MIB, user_bytes=80 * MIB),
        record_growth=NOTHING_AT_R_N,
    )
    return with_growth(evidence, "this.recent", 55 * MIB)


def buffer_of_two_thirds() -> Evidence:
    # at 81 %: 26 % of the heap are kept, a third of it would be at the end
    evidence = map_attempt(
        progress=Progress(0.81, "bytes"),
        map_buffer=MapBuffer(160 * MIB, allocated=True),
        composition=Composition(framework_bytes=165 * MIB, user_bytes=75 * MIB),
        record_growth=NOTHING_AT_R_N,
    )
    return with_growth(evidence, "this.visitors", 64 * MIB)


def buffer_of_two_thirds_watched() -> Evidence:
    # no probe: what is kept is a quarter of the heap, and rose with the live heap
    live = growing_series(
        None, [(180 + 50 * i / 7) * MIB for i in range(8)], source="passive", last_x=3990
    )
    return replace(
        buffer_of_two_thirds(),
        record_growth=Unknown("heap sizes at earlier records", "rerun"),
        series=(live,),
    )


def word_count_at_the_end() -> Evidence:
    # what is kept is huge by itself, and so is the buffer
    return replace(word_count(0.9), map_buffer=MapBuffer(78 * MIB, allocated=True))


def buffer_too_large_with_constant_state() -> Evidence:
    state = replace(holder("this.state", 60 * MIB), loaded_before_first_record=True)
    return map_attempt(
        progress=Progress(0.92, "bytes"),
        map_buffer=MapBuffer(128 * MIB, allocated=True),
        record_growth=NOTHING_AT_R_N,
        holders=(state,),
        external=ExternalLoad(60 * MIB, ("this.state",), "setup"),
        series=(growing_series("this.state", [60 * MIB] * 8),),
    )


def hash_join() -> Evidence:
    table = holder("this.table", 150 * MIB, method="setup")
    files = (OpenedFile("hdfs:/small.csv", 60 * MIB),)
    return map_attempt(
        place="setup",
        position=DeathPosition("setup", record=0),
        holders=(table,),
        external=ExternalLoad(150 * MIB, ("this.table",), "loading", files),
        progress=Progress(0.0, "bytes"),
        record_growth=Unknown("no record was read", "none"),
    )


def whole_file_as_record() -> Evidence:
    return map_attempt(
        position=DeathPosition("map", record=3),
        records=RecordSizes(
            3, Unknown("its size", "none"), Distribution.of([9, 9]), being_read=True
        ),
        composition=Composition(framework_bytes=70 * MIB, record_bytes=160 * MIB),
        split=Split("hdfs:/in", 0, 300 * MIB, splittable=False),
        record_growth=Unknown("heap sizes at earlier records", "rerun"),
        progress=Progress(0.9, "bytes"),
        map_buffer=MapBuffer(60 * MIB, allocated=True),
    )


def shuffling(
    sizes_mib: list[int], *, keys: list[int] | None = None, limit_mib: int = 170, own: int = 0
) -> Evidence:
    sizes = tuple(size * MIB for size in sizes_mib)
    counted = tuple(keys or [1000] * len(sizes))
    return reduce_attempt(
        place="shuffle",
        position=DeathPosition("shuffle", partition=own),
        groups=None,
        progress=Unknown("reduce() had not begun", "none"),
        shuffle=Shuffle(limit_mib * MIB, limit_mib * MIB, 20 * MIB, held_bytes=210 * MIB),
        composition=Composition(framework_bytes=225 * MIB, shuffle_bytes=210 * MIB),
        partitions=Partitions(own, tuple(s // 100 for s in sizes), sizes, counted, counted),
        record_growth=Unknown("no record was read", "none"),
        external=None,
        stack=(),
    )


def combine_in_shuffle(groups: GroupSizes) -> Evidence:
    # combine() in the in-memory merge thread, beside 110 MB of segments
    evidence = shuffling([900, 880, 910, 905, 890])
    assert not isinstance(evidence.shuffle, Unknown)
    assert evidence.shuffle is not None
    evidence = replace(
        evidence,
        place="combine",
        position=DeathPosition("shuffle", group=7, record_in_group=5001, partition=0),
        shuffle=replace(evidence.shuffle, held_bytes=110 * MIB),
        composition=Composition(framework_bytes=120 * MIB, shuffle_bytes=110 * MIB,
                                user_bytes=110 * MIB),
        groups=groups,
        progress=Progress(0.3, "records of the merge"),
        record_growth=NOTHING_AT_R_N,
    )  # fmt: skip
    return in_group(evidence, 110 * MIB, 5000)


SMALL_GROUPS = Distribution.of([100, 200, 300, 400, 500, 600, 700])


def nested_distinct() -> Evidence:
    # evenly spread, 5001 so far; all of it counted: 9,000
    others = Distribution.of([n * 1000 for n in (1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8)])
    spread = GroupSizes(Group(7, 9000, whole=True), others,
                        all_reducers=True)  # fmt: skip
    return combine_in_shuffle(spread)


def distinct_with_hot_key() -> Evidence:
    many = Distribution.of(range(100, 700, 3))
    return combine_in_shuffle(GroupSizes(Group(7, 5001), many, all_reducers=True))


def combine_in_spill() -> Evidence:
    evidence = map_attempt(
        place="combine",
        position=DeathPosition("map", record=9000, group=8, record_in_group=50001, spill=0),
        progress=Progress(0.95, "bytes"),
        map_buffer=MapBuffer(100 * MIB, allocated=True),
        groups=GroupSizes(Group(8, 50_001), SMALL_GROUPS, all_reducers=True),
        record_growth=NOTHING_AT_R_N,
    )
    return in_group(evidence, 120 * MIB)


def reduce_group(groups: GroupSizes) -> Evidence:
    return in_group(reduce_attempt(groups=groups, record_growth=NOTHING_AT_R_N))


def graph_partitioner() -> Evidence:
    others = Distribution.of([n * 5000 for n in range(1, 12)])
    return reduce_group(GroupSizes(Group(31, 58_000, whole=True), others, all_reducers=True))


def frequent_values() -> Evidence:
    return reduce_group(GroupSizes(Group(31, 50_001), SMALL_GROUPS, all_reducers=True))


def reduce_merge() -> Evidence:
    # as many records as others, and far more bytes
    groups = GroupSizes(
        Group(12, 50_001, 300 * MIB),
        other_records=Distribution.of([n * 10_000 for n in range(3, 12)]),
        other_bytes=Distribution.of([n * MIB for n in range(1, 9)]),
        all_reducers=True,
    )
    return reduce_group(groups)


def join_large_groups() -> Evidence:
    groups = GroupSizes(
        Group(1, 50_001, 50 * MIB),
        other_records=Distribution.of([200_000 + n for n in range(19)]),
        other_bytes=Distribution.of([(200 + n) * MIB for n in range(19)]),
        all_reducers=True,
    )
    return reduce_group(groups)


def stripes_with_doubling() -> Evidence:
    growth = RecordGrowth(
        tuple((7000, 13 * MIB) for _ in range(7)), 1, 95 * MIB, "dump", doubling=True
    )
    return replace(frequent_values(), record_growth=growth)


def died_before_the_last_probe() -> Evidence:
    # the rerun died 60,000 records after its last probe, as steeply as before
    growth = RecordGrowth(tuple((60_000, 55 * MIB) for _ in range(3)), 60_000, 55 * MIB, "dump")
    return replace(frequent_values(), record_growth=growth)


def one_builder_in_a_single_dump() -> Evidence:
    # watch run: a list as long as the group so far
    one = holder("local copies", 200 * MIB, lifecycle="group", class_name="java.util.ArrayList",
                 method="reduce", length=50_000)  # fmt: skip
    return reduce_attempt(
        holders=(one,),
        groups=GroupSizes(Group(31, 50_001), SMALL_GROUPS),
        record_growth=Unknown("heap sizes at earlier records", "rerun"),
    )


def reducer_field(records: list[int], keys: list[int], largest: int) -> Evidence:
    evidence = reduce_attempt(
        partitions=Partitions(0, tuple(records), tuple(100 * r for r in records), tuple(keys)),
        groups=GroupSizes(Group(31, 40, whole=True), SMALL_GROUPS, all_reducers=True,
                          largest=Group(20, largest, 100 * largest, whole=True)),
        record_growth=NOTHING_AT_R_N,
    )  # fmt: skip
    return with_growth(
        evidence, "this.index", 190 * MIB, lifecycle="reduce", unit="group", last_x=30
    )


def kept_in_reduce() -> Evidence:
    evidence = shuffling([180, 178, 182], limit_mib=185)
    assert evidence.shuffle is not None
    assert not isinstance(evidence.shuffle, Unknown)
    return replace(
        evidence,
        place="reduce",
        position=DeathPosition("reduce", record=900, group=90, record_in_group=1),
        shuffle=replace(evidence.shuffle, held_bytes=150 * MIB),
        progress=Progress(0.9, "records"),
        holders=(holder("local row", 20 * MIB, lifecycle="record"),),
        record_growth=RecordGrowth(tuple((9, 100) for _ in range(7)), 1, 20 * MIB, "dump"),
    )


def model_that_fits() -> Evidence:
    model = replace(holder("this.model", 80 * MIB), loaded_before_first_record=True)
    evidence = map_attempt(
        external=ExternalLoad(80 * MIB, (key_of("this.model"),), "setup"),
        record_growth=NOTHING_AT_R_N,
        series=(growing_series("this.model", [80 * MIB] * 8),),
        holders=(model,),
    )
    return with_growth(evidence, "this.counts", 100 * MIB)


R1 = {"large_accumulated_results.map", "large_input_split"}
R3 = {"large_accumulated_results.group"}
R3_7 = {"large_accumulated_results.group", "hotspot_key"}

EXPECTED: list[tuple[Callable[[], Evidence], set[str]]] = [
    (word_count, R1),
    (watched_word_count, R1),
    (lambda: lemmatizer(0.4), {"large_intermediate_results", "large_single_record"}),
    (lambda: lemmatizer(0.95), {"large_intermediate_results", "large_single_record"}),
    # what it needs would fit beside a small buffer, and so do records like it
    (small_record_explodes, {"large_intermediate_results"}),
    (columns_of_one_record, {"large_intermediate_results", "large_single_record"}),
    (buffer_too_large, {"large_framework_buffer.map"}),
    (buffer_of_two_thirds, {"large_framework_buffer.map"}),
    (buffer_of_two_thirds_watched, {"large_framework_buffer.map"}),
    (word_count_at_the_end, R1 | {"large_framework_buffer.map"}),
    (buffer_too_large_with_constant_state, {"large_framework_buffer.map"}),
    (hash_join, {"large_external_data"}),
    (whole_file_as_record, {"large_single_record"}),
    (lambda: shuffling([700, 15, 15, 15, 15], keys=[900, 20, 20, 20, 20]),
     {"improper_partition.unbalanced"}),
    (lambda: shuffling([700, 15, 15, 15, 15], keys=[400] * 5),
     {"improper_partition.unbalanced"}),
    (lambda: shuffling([700, 15, 15, 15, 15], keys=[1, 20, 20, 20, 20]), {"hotspot_key"}),
    (lambda: shuffling([400, 410, 405, 395, 400], limit_mib=180),
     {"large_framework_buffer.shuffle", "improper_partition.few_reducers"}),
    (lambda: shuffling([220] * 10), {"large_framework_buffer.shuffle"}),
    (nested_distinct, R3),
    (distinct_with_hot_key, R3_7),
    (combine_in_spill, R3_7),
    (graph_partitioner, R3),
    (frequent_values, R3_7),
    (reduce_merge, R3_7),
    (join_large_groups, R3_7),
    (stripes_with_doubling, R3_7),
    (died_before_the_last_probe, R3_7),
    (one_builder_in_a_single_dump, R3_7),
    (lambda: reducer_field([60_000, 61_000, 59_000], [600, 610, 590], 40),
     {"large_accumulated_results.reduce", "improper_partition.few_reducers"}),
    (lambda: reducer_field([60_000, 4000, 4000, 4000, 4000], [600, 40, 40, 40, 40], 40),
     {"large_accumulated_results.reduce", "improper_partition.unbalanced"}),
    (lambda: reducer_field([60_000, 4000, 4000, 4000, 4000], [40] * 5, 56_500),
     {"large_accumulated_results.reduce", "hotspot_key"}),
    (kept_in_reduce, {"large_framework_buffer.shuffle"}),
    (model_that_fits, R1),
    (map_attempt, set()),
    (reduce_attempt, set()),
]  # fmt: skip


@pytest.mark.parametrize(("build", "causes"), EXPECTED)
def test_every_cause_is_named_and_no_other(build: Callable[[], Evidence], causes: set[str]) -> None:
    evidence = build()
    assert fired(evidence) == causes, verdicts_of(evidence)


def test_growth_that_goes_on_as_it_was_needs_no_verification() -> None:
    verdict = verdicts_of(died_before_the_last_probe())["large_intermediate_results"]
    assert isinstance(verdict, Silent)


@pytest.mark.parametrize("factor", [2, 4])
@pytest.mark.parametrize("build", [word_count, frequent_values, lambda: lemmatizer(0.4)])
def test_the_size_of_everything_does_not_matter(build: Callable[[], Evidence], factor: int) -> None:
    evidence = build()
    assert fired(scaled(evidence, factor)) == fired(evidence)


def test_the_order_of_points_and_holders_does_not_matter() -> None:
    evidence = model_that_fits()
    assert isinstance(evidence.holders, tuple)
    mixed = replace(
        evidence,
        holders=evidence.holders[::-1],
        series=tuple(replace(s, points=s.points[::-1]) for s in evidence.series[::-1]),
    )
    assert verdicts_of(mixed) == verdicts_of(evidence)


def scaled(evidence: Evidence, factor: int) -> Evidence:
    """The same job with a heap and all its objects `factor` times as large."""
    assert isinstance(evidence.holders, tuple)
    assert isinstance(evidence.record_growth, RecordGrowth)
    assert isinstance(evidence.composition, Composition)
    buffer, records, external = evidence.map_buffer, evidence.records, evidence.external
    growth = evidence.record_growth
    if isinstance(buffer, MapBuffer):
        buffer = replace(buffer, requested_bytes=buffer.requested_bytes * factor)
    if isinstance(records, RecordSizes):
        assert isinstance(records.bytes, int)
        records = replace(records, bytes=records.bytes * factor)
    if isinstance(external, ExternalLoad):
        external = replace(external, bytes=external.bytes * factor)
    memory = evidence.memory
    sizes = {"heap_max_bytes": 256 * MIB, "usable_bytes": CAPACITY,
             "live_bytes_at_death": CAPACITY, "largest_block_bytes": CAPACITY}  # fmt: skip
    composition = evidence.composition
    return replace(
        evidence,
        memory=replace(memory, **{name: size * factor for name, size in sizes.items()}),
        composition=Composition(
            framework_bytes=composition.framework_bytes * factor,
            record_bytes=composition.record_bytes * factor,
            user_bytes=composition.user_bytes * factor,
        ),
        holders=tuple(_larger(h, factor) for h in evidence.holders),
        series=tuple(_longer(s, factor) for s in evidence.series),
        record_growth=replace(
            growth,
            before=tuple((n, size * factor) for n, size in growth.before),
            last_bytes=growth.last_bytes * factor,
        ),
        map_buffer=buffer,
        records=records,
        external=external,
    )


def _larger(one: Holder, factor: int) -> Holder:
    return replace(one, bytes=one.bytes * factor)


def _longer(series: Series, factor: int) -> Series:
    def larger(point: Point) -> Point:
        return Point(point.x, point.size_bytes * factor)

    death = larger(series.at_death) if series.at_death is not None else None
    return replace(series, points=tuple(map(larger, series.points)), at_death=death)


def test_the_kind_of_death_does_not_change_the_verdicts() -> None:
    evidence = word_count()
    finished = replace(evidence, death=Death("none", "the job succeeded"))
    assert verdicts_of(finished) == verdicts_of(evidence)


def test_without_a_dump_at_death_the_logical_key_says_whose_memory_it_is() -> None:
    key = HolderKey("field", "com.Acme.jobs.Words", fields=("counts",))
    curve = growing_series("this.counts", [170 * MIB * i / 7 for i in range(8)])
    series = replace(curve, holder=key)
    missing = Unknown("a heap dump made at the death", "run")
    verdict = verdicts_of(map_attempt(holders=missing, series=(series,)))[
        "large_accumulated_results.map"
    ]
    assert isinstance(verdict, Fires)
    assert verdict.where is not None
    assert (verdict.where.class_name, verdict.where.path) == ("com.Acme.jobs.Words", "counts")
    assert verdict.confidence == "sure"
