"""One condition of a rule at a time: evidence where only that condition decides the verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from builders.evidence import (
    growing_series,
    holder,
    key_of,
    map_attempt,
    reduce_attempt,
    with_growth,
)
from builders.verdicts import growth_of, memory_of, verdicts_of

from mprof.evidence import (
    Composition,
    Death,
    DeathPosition,
    Distribution,
    Evidence,
    ExternalLoad,
    Group,
    GroupSizes,
    MapBuffer,
    OpenedFile,
    Partitions,
    Place,
    Progress,
    RecordGrowth,
    RecordSizes,
    Shuffle,
    Split,
    Unknown,
    Verification,
    known,
)
from mprof.patterns import Growing
from mprof.rules import CannotTell, Fires, Silent, Verdict
from mprof.units import KIB, MIB


def shuffling(sizes_mib: tuple[int, ...], held_mib: int) -> Evidence:
    sizes = tuple(size * MIB for size in sizes_mib)
    return reduce_attempt(
        place="shuffle",
        shuffle=Shuffle(175 * MIB, 175 * MIB, held_bytes=held_mib * MIB),
        composition=Composition(framework_bytes=held_mib * MIB, shuffle_bytes=held_mib * MIB),
        partitions=Partitions(0, records=tuple(s // 100 for s in sizes), bytes=sizes,
                              keys=(900,) * len(sizes), keys_in_one_map=(900,) * len(sizes)),
        reducers=len(sizes),
    )  # fmt: skip


def verdict(evidence: Evidence, cause: str) -> Verdict:
    return verdicts_of(evidence)[cause]


@pytest.mark.parametrize(("own_mib", "fires"), [(120, False), (160, True)])
def test_uneven_partitions_are_no_cause_for_a_reducer_that_has_about_the_mean(
    own_mib: int, fires: bool
) -> None:
    # somebody else's partition is the large one; the mean is 110 and 118 MB
    evidence = shuffling((own_mib, 400, 10, 10, 10), held_mib=160)
    found = verdict(evidence, "improper_partition.unbalanced")
    assert isinstance(found, Fires) is fires, found


@pytest.mark.parametrize(("largest", "one_key"), [(43_000, True), (39_000, False)])
def test_a_partition_is_one_keys_if_it_is_near_the_mean_without_it(
    largest: int, one_key: bool
) -> None:
    # the mean is 15,200 records, 1.3 times that 19,760; 60,000 less the group: 17,000 and 21,000
    records = (60_000, 4000, 4000, 4000, 4000)
    evidence = reduce_attempt(
        partitions=Partitions(0, records=records, bytes=tuple(100 * r for r in records)),
        groups=GroupSizes(None, largest=Group(12, largest, bytes=100 * largest, whole=True)),
    )
    evidence = with_growth(
        evidence, "this.index", 190 * MIB, lifecycle="reduce", unit="group", last_x=30
    )
    found = verdict(evidence, "improper_partition.unbalanced")
    if one_key:
        assert isinstance(found, Silent)
        assert found.refers_to == ("hotspot_key",)
    else:
        assert isinstance(found, Fires)


@pytest.mark.parametrize(("of_group_mib", "says"), [(0, Silent), (120, CannotTell)])
def test_what_only_the_group_at_the_death_held_does_not_deny_that_the_mean_would_fit(
    of_group_mib: int, says: type
) -> None:
    # dead at group 30 of 80, of which the mean partition has 40: 160 MB would be kept of it
    records = (50_000, 10_000, 10_000, 30_000)
    evidence = reduce_attempt(
        partitions=Partitions(0, records=records, bytes=tuple(100 * r for r in records)),
        groups=GroupSizes(None, largest=Group(12, 500, bytes=50_000, whole=True)),
        progress=Progress(30 / 80, "records of the partition"),
    )
    evidence = with_growth(
        evidence, "this.index", 120 * MIB, lifecycle="reduce", unit="group", last_x=30
    )
    if of_group_mib:
        kept = [of_group_mib * MIB * i / 7 for i in range(8)]
        grown = growing_series("local list", kept, lifecycle="group", unit="record_in_group")
        one = holder("local list", of_group_mib * MIB, lifecycle="group")
        assert isinstance(evidence.holders, tuple)
        evidence = replace(
            evidence, holders=(*evidence.holders, one), series=(*evidence.series, grown)
        )
    found = verdict(evidence, "improper_partition.unbalanced")
    assert isinstance(found, says), found


@pytest.mark.parametrize(("record_mib", "says"), [(2, Silent), (20, CannotTell)])
def test_a_record_and_what_was_made_of_it_are_weighed_together(record_mib: int, says: type) -> None:
    # neither the record nor the 20 MB of work on it is a tenth of the 240 MB, both together are
    records = RecordSizes(101, 20 * MIB, Distribution.of([1000] * 100))
    composition = Composition(record_bytes=record_mib * MIB, user_bytes=20 * MIB)
    evidence = exploding(20, records=records, composition=composition)
    found = verdict(evidence, "large_single_record")
    assert isinstance(found, says), found


def keyed(largest_mib: int, keys: int = 900, others_mib: int = 1) -> Evidence:
    """Dead in the shuffle of 600 MB, of which one key has so many; the others have 10 MB each.

    The mean is 128 MB, 1.3 times that 166.
    """
    evidence = shuffling((600, 10, 10, 10, 10), held_mib=160)
    largest = tuple(size * MIB for size in (largest_mib, *(others_mib,) * 4))
    partitions = known(evidence.partitions)
    assert partitions is not None
    told = replace(
        partitions,
        keys=(keys,) * 5,
        keys_in_one_map=(keys,) * 5,
        largest_key_bytes=largest,
        largest_key_records=tuple(size // 100 for size in largest),
    )
    return replace(evidence, partitions=told)


@pytest.mark.parametrize(("largest_mib", "one_key"), [(440, True), (430, False)])
def test_before_reduce_begins_a_partition_is_one_keys_by_what_the_map_tasks_counted(
    largest_mib: int, one_key: bool
) -> None:
    evidence = keyed(largest_mib)
    unbalanced = verdict(evidence, "improper_partition.unbalanced")
    hot = verdict(evidence, "hotspot_key")
    if not one_key:
        assert isinstance(unbalanced, Fires)
        assert isinstance(hot, Silent)
        return
    assert isinstance(unbalanced, Silent)
    assert unbalanced.refers_to == ("hotspot_key",)
    assert isinstance(hot, Fires)
    assert hot.confidence == "sure"
    assert hot.data is not None
    assert (hot.data.kind, hot.data.bytes) == ("group", 440 * MIB)
    assert hot.data.records == 440 * MIB // 100
    assert unbalanced.why == (
        "one key has at least 4,613,734 of the 6,291,456 records of partition 0, and no "
        "partitioner can split them"
    )
    assert hot.sentence == (
        "one key has at least 4,613,734 of the 6,291,456 records of partition 0; the mean key has "
        "at most 1,491 records"
    )


def test_a_key_of_few_large_records_is_hot_by_its_bytes() -> None:
    evidence = keyed(440)
    partitions = known(evidence.partitions)
    assert partitions is not None
    even = replace(partitions, records=(1_000_000,) * 5, largest_key_records=(9000, *(1000,) * 4))
    hot = verdict(replace(evidence, partitions=even), "hotspot_key")
    assert isinstance(hot, Fires)
    assert hot.sentence == (
        "one key has at least 440 MB of the 600 MB of partition 0 (9,000 records); the mean key "
        "has at most 146 KB"
    )


def test_a_group_that_was_counted_says_more_of_a_hot_key_than_the_map_tasks_do() -> None:
    evidence = replace(
        keyed(440),
        groups=GroupSizes(None, largest=Group(12, 5_000_000, bytes=450 * MIB, whole=True)),
    )
    assert isinstance(verdict(evidence, "improper_partition.unbalanced"), Silent)
    # the fence of the other groups is asked, and they were not counted
    assert isinstance(verdict(evidence, "hotspot_key"), CannotTell)


def test_a_hot_key_is_not_the_group_that_reduce_accumulates_over() -> None:
    evidence = replace(keyed(440), place="reduce", shuffle=None, groups=Unknown("groups", "rerun"))
    evidence = with_growth(
        evidence, "local list", 200 * MIB, lifecycle="group", unit="record_in_group",
        last_x=50_000,
    )  # fmt: skip
    verdicts = verdicts_of(evidence)
    assert isinstance(verdicts["large_accumulated_results.group"], Fires)
    assert isinstance(verdicts["hotspot_key"], CannotTell)


def test_map_tasks_that_were_not_all_counted_make_a_hot_key_likely() -> None:
    evidence = keyed(440)
    partitions = known(evidence.partitions)
    assert partitions is not None
    hot = verdict(replace(evidence, partitions=replace(partitions, complete=False)), "hotspot_key")
    assert isinstance(hot, Fires)
    assert hot.confidence == "likely"


@pytest.mark.parametrize(("keys", "one_key"), [(2, True), (1, False)])
def test_a_key_as_frequent_as_the_others_is_not_hot_though_the_partition_is_near_the_mean_without(
    keys: int, one_key: bool
) -> None:
    # 200 MB, the others have 100 each: the mean is 110; of 10 or of 20 keys each has 110 or 55
    evidence = shuffling((200, *(100,) * 9), held_mib=160)
    largest = (100 * MIB,) * 10
    partitions = known(evidence.partitions)
    assert partitions is not None
    told = replace(
        partitions,
        keys=(2 * keys, *(keys,) * 9),
        keys_in_one_map=(keys,) * 10,
        largest_key_bytes=largest,
        largest_key_records=tuple(size // 100 for size in largest),
    )
    found = verdict(replace(evidence, partitions=told), "improper_partition.unbalanced")
    assert isinstance(found, Silent if one_key else Fires), found


@pytest.mark.parametrize("name", ["largest_key_records", "largest_key_bytes", "keys_in_one_map"])
def test_a_hot_key_is_not_denied_where_the_map_tasks_do_not_say(name: str) -> None:
    # by records: without the bytes all the same; without the others it stays open, or is 6-2
    evidence = keyed(440)
    partitions = known(evidence.partitions)
    assert partitions is not None
    less = replace(partitions, **{name: Unknown("it", "run")})  # type: ignore[arg-type]
    verdicts = verdicts_of(replace(evidence, partitions=less))
    hot, unbalanced = verdicts["hotspot_key"], verdicts["improper_partition.unbalanced"]
    assert isinstance(hot, Fires) or not isinstance(unbalanced, Silent), (hot, unbalanced)
    assert isinstance(hot, Fires) is (name == "largest_key_bytes")


def test_a_partition_of_mean_size_that_died_needs_no_model_to_say_that_the_mean_does() -> None:
    # below the bound, so by the model it would have fitted
    found = verdict(shuffling((150, 152, 148), held_mib=150), "large_framework_buffer.shuffle")
    assert isinstance(found, Fires)


MODEL_FILE = (OpenedFile("hdfs:/model", 20 * MIB),)


def with_a_model(evidence: Evidence) -> Evidence:
    model = replace(holder("this.model", 80 * MIB), loaded_before_first_record=True)
    held = evidence.holders if isinstance(evidence.holders, tuple) else ()
    return replace(
        evidence,
        holders=(*held, model),
        external=ExternalLoad(80 * MIB, (key_of("this.model"),), "setup", MODEL_FILE),
    )


def exploding(size_mib: int, **changes: object) -> Evidence:
    growth = RecordGrowth(tuple((10, 2000) for _ in range(7)), 1, size_mib * MIB, "dump")
    one = holder("local parts", size_mib * MIB, lifecycle="record")
    return replace(map_attempt(record_growth=growth, holders=(one,)), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(("size_mib", "fires"), [(100, False), (10, True)])
def test_a_model_is_no_cause_beside_a_record_that_takes_the_rest(
    size_mib: int, fires: bool
) -> None:
    found = verdict(with_a_model(exploding(size_mib)), "large_external_data")
    assert isinstance(found, Fires) is fires, found


@pytest.mark.parametrize(("place", "fires"), [("cleanup", True), ("map", False)])
def test_in_cleanup_the_split_is_done_whatever_was_sampled(place: str, fires: bool) -> None:
    # 130 MB at half of the split: all of it would need 370 MB; in cleanup() nothing is to come
    evidence = map_attempt(
        place=place,
        map_buffer=MapBuffer(75 * MIB, allocated=True),
        progress=Progress(0.5, "bytes read of the split"),
    )
    evidence = with_growth(evidence, "this.seen", 130 * MIB)
    found = verdict(evidence, "large_framework_buffer.map")
    assert isinstance(found, Fires) is fires, found


@pytest.mark.parametrize(("kept_mib", "fires"), [(85, True), (95, False)])
def test_the_split_has_to_fit_beside_a_working_buffer(kept_mib: int, fires: bool) -> None:
    # what is kept grows with the square: 85 and 95 MB at 0.8 of the split, 133 and 148 MB at its
    # end. All of it needs 288 and 293 MB: 213 and 218 MB without the buffer of 75 MB, 237 and
    # 242 MB with a working buffer of a tenth of the heap, which has 240 MB
    kept = growing_series("this.pairs", [kept_mib * MIB * (i / 7) ** 2 for i in range(8)])
    evidence = map_attempt(
        map_buffer=MapBuffer(75 * MIB, allocated=True),
        progress=Progress(0.8, "bytes read of the split"),
        holders=(holder("this.pairs", kept_mib * MIB),),
        series=(kept,),
    )
    found = verdict(evidence, "large_framework_buffer.map")
    assert isinstance(found, Fires) is fires, found


@pytest.mark.parametrize(("record", "fires"), [(1, False), (2, True)])
def test_what_a_field_holds_after_the_first_record_may_have_been_loaded_once(
    record: int, fires: bool
) -> None:
    # R_n alone dies again in both: of the first record that proves nothing
    evidence = exploding(
        150,
        holders=(holder("this.columns", 150 * MIB),),
        position=DeathPosition("map", record=record),
        records=RecordSizes(record, 12 * MIB, Distribution.of([1000] * (record - 1))),
        verification=Verification(met=True, growth_bytes=150 * MIB, died=True),
    )
    found = verdict(evidence, "large_intermediate_results")
    assert isinstance(found, Fires if fires else CannotTell), found


@pytest.mark.parametrize("total", [60_000, 100])
def test_a_count_of_fewer_records_than_were_met_is_of_another_group(total: int) -> None:
    small = Distribution.of(range(200, 1000, 100))
    groups = GroupSizes(Group(31, 50_001), small, all_reducers=True)
    evidence = with_growth(
        reduce_attempt(groups=groups), "local list", 200 * MIB, lifecycle="group",
        unit="record_in_group", last_x=50_000,
    )  # fmt: skip
    counted = replace(groups, counted=Group(None, total, whole=True))
    found = verdict(replace(evidence, groups=counted), "hotspot_key")
    assert isinstance(found, Fires), found
    assert found.data is not None
    assert found.data.records == max(total, 50_001)


@pytest.mark.parametrize(("before_mib", "fires"), [(80, False), (1, True)])
def test_a_record_like_those_that_went_well_is_no_cause_beside_what_accumulates(
    before_mib: int, fires: bool
) -> None:
    before = Distribution.of([before_mib * MIB] * 8)
    evidence = map_attempt(
        composition=Composition(record_bytes=80 * MIB, user_bytes=150 * MIB),
        records=RecordSizes(4001, 80 * MIB, before),
    )
    found = verdict(with_growth(evidence, "this.counts", 150 * MIB), "large_single_record")
    assert isinstance(found, Fires) is fires, found


@pytest.mark.parametrize(
    ("lifecycle", "unit", "cause"),
    [("map", "record", "map"), ("reduce", "group", "reduce"),
     ("group", "record_in_group", "group")],
)  # fmt: skip
@pytest.mark.parametrize(("died", "fires"), [(None, None), (False, True), (True, False)])
def test_where_it_jumped_at_the_last_record_that_record_alone_has_to_tell(
    lifecycle: Any, unit: Any, cause: str, died: bool | None, fires: bool | None
) -> None:
    # 21 MB over the data, 160 MB at the death: the container, or the record?
    last_x = 30 if unit == "group" else 4000
    evidence = map_attempt() if lifecycle == "map" else reduce_attempt()
    series = growing_series(
        "it", [3 * MIB * i for i in range(8)], lifecycle=lifecycle, unit=unit, last_x=last_x
    )
    growth = RecordGrowth(((500, 3 * MIB),) * 7, 1, 139 * MIB, "dump")
    evidence = replace(
        evidence,
        holders=(holder("it", 160 * MIB, lifecycle=lifecycle),),
        series=(series,),
        record_growth=growth,
        progress=Progress(1.0, "bytes"),
    )
    if died is not None:
        # it dies in a heap of its own, or passes in the room that was left to it
        alone = Verification(met=True, growth_bytes=0, died=died, same_room=not died)
        evidence = replace(evidence, verification=alone)
    found = verdict(evidence, f"large_accumulated_results.{cause}")
    expected = CannotTell if fires is None else Fires if fires else Silent
    assert isinstance(found, expected), found


def one_of_many(*, all_reducers: bool, records: int, whole: bool) -> Evidence:
    # 10,000 to 70,000 records, and the median of 40,000 would fit
    others = Distribution.of([n * 10_000 for n in range(1, 8)])
    group = Group(31, records, bytes=records, whole=whole)
    groups = GroupSizes(group, others, others, all_reducers=all_reducers)
    return with_growth(
        reduce_attempt(groups=groups), "local list", 200 * MIB, lifecycle="group",
        unit="record_in_group", last_x=records,
    )  # fmt: skip


@pytest.mark.parametrize(("all_reducers", "says"), [(True, Silent), (False, CannotTell)])
def test_a_group_like_those_before_it_may_be_out_of_line_with_other_reducers(
    all_reducers: bool, says: type
) -> None:
    evidence = one_of_many(all_reducers=all_reducers, records=50_000, whole=True)
    assert isinstance(verdict(evidence, "hotspot_key"), says)


@pytest.mark.parametrize(
    ("all_reducers", "records", "confidence"),
    # by chance 40 times the largest in one case of a hundred, and of the largest 4,700 times
    [(True, 350_000_000, "sure"), (True, 3_000_000, "likely"), (False, 350_000_000, "likely")],
)
def test_a_group_far_beyond_all_others_is_hot_and_surely_where_no_skew_explains_it(
    all_reducers: bool, records: int, confidence: str
) -> None:
    evidence = one_of_many(all_reducers=all_reducers, records=records, whole=False)
    found = verdict(evidence, "hotspot_key")
    assert isinstance(found, Fires)
    assert found.confidence == confidence


@pytest.mark.parametrize(
    ("size_kib", "in_heap", "fires"),
    # 1.6 times 64 KB, in the heap 1.6 times 3 MB: what passed counts as at least so much
    [(102, False, False), (103, False, True), (4910, True, False), (4920, True, True)],
)
def test_where_all_records_were_alike_a_larger_one_has_to_be_large_too(
    size_kib: int, in_heap: bool, fires: bool
) -> None:
    records = RecordSizes(4001, size_kib * KIB, Distribution.of([1000] * 8), in_heap=in_heap)
    found = verdict(exploding(150, records=records), "large_single_record")
    assert isinstance(found, Fires) is fires, found


@pytest.mark.parametrize(
    ("size_mib", "in_dump", "says"),
    # 30 % of 240 MB, by the dump or, without one, by the bytes that were read
    [(80, True, CannotTell), (60, True, Silent), (80, False, CannotTell), (60, False, Silent)],
)
def test_a_record_that_fills_the_heap_like_those_before_it_is_not_denied(
    size_mib: int, in_dump: bool, says: type
) -> None:
    records = RecordSizes(40, size_mib * MIB, Distribution.of([size_mib * MIB] * 8))
    held = Composition(record_bytes=size_mib * MIB) if in_dump else Unknown("a dump", "run")
    evidence = map_attempt(records=records, composition=held)
    found = verdict(with_growth(evidence, "this.counts", 100 * MIB), "large_single_record")
    assert isinstance(found, says), found


@pytest.mark.parametrize(("place", "fires"), [("map", True), ("cleanup", False)])
def test_in_cleanup_nothing_more_is_to_come(place: str, fires: bool) -> None:
    # 50 MB are a fifth of the heap; twice as much would be huge
    evidence = map_attempt(place=place, progress=Progress(0.5, "bytes read of the split"))
    found = verdict(with_growth(evidence, "this.seen", 50 * MIB), "large_accumulated_results.map")
    assert isinstance(found, Fires) is fires, found


def median_of(records: int, *, error: float) -> Evidence:
    # dead at 50,000 records of G_m
    others = Distribution.of([records] * 8, relative_error=error)
    groups = GroupSizes(Group(31, 50_000, 50_000, whole=True), others, others, all_reducers=True)
    evidence = reduce_attempt(groups=groups, composition=Composition(user_bytes=200 * MIB))
    memory = replace(evidence.memory, live_bytes_at_death=200 * MIB)
    return with_growth(
        replace(evidence, memory=memory), "local list", 200 * MIB, lifecycle="group",
        unit="record_in_group", last_x=50_000,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("records", "error", "says"),
    [(49_900, 0.0, Silent), (49_900, 0.01, CannotTell), (50_400, 0.01, CannotTell),
     (51_000, 0.01, Fires), (49_000, 0.01, Silent)],
)  # fmt: skip
def test_a_median_read_from_a_sketch_decides_outside_its_error_only(
    records: int, error: float, says: type
) -> None:
    assert isinstance(verdict(median_of(records, error=error), "hotspot_key"), says)


def test_a_group_that_is_no_outlier_in_records_may_be_one_in_bytes() -> None:
    evidence = one_of_many(all_reducers=True, records=50_000, whole=True)
    groups = known(evidence.groups)
    assert groups is not None
    uncounted = replace(groups, other_bytes=Unknown("bytes of the groups", "rerun"))
    assert isinstance(verdict(replace(evidence, groups=uncounted), "hotspot_key"), CannotTell)


def test_a_hot_key_is_not_denied_where_the_rule_that_asks_for_it_cannot_tell() -> None:
    # dead in the shuffle: whether one key makes the partition large, nobody counted
    evidence = replace(
        shuffling((600, 10, 10, 10, 10), 160), partitions=Unknown("the partitions", "run")
    )
    assert isinstance(verdict(evidence, "improper_partition.unbalanced"), CannotTell)
    assert isinstance(verdict(evidence, "hotspot_key"), CannotTell)


@pytest.mark.parametrize(("keys", "says"), [((900, 20, 20, 20, 20), Fires), (None, CannotTell)])
def test_whether_it_is_keys_or_one_key_takes_their_number(keys: Any, says: type) -> None:
    evidence = shuffling((600, 10, 10, 10, 10), 160)
    partitions = known(evidence.partitions)
    assert partitions is not None
    counted = replace(
        partitions,
        keys=keys or Unknown("keys", "run"),
        keys_in_one_map=keys or Unknown("keys", "run"),
    )
    found = verdict(replace(evidence, partitions=counted), "improper_partition.unbalanced")
    assert isinstance(found, says), found


@pytest.mark.parametrize(
    ("progress", "says"),
    [(Progress(0.5, "bytes"), Silent), (Unknown("how far", "run"), CannotTell)],
)
def test_whether_a_model_is_to_blame_takes_the_end_of_what_grows_beside_it(
    progress: Progress | Unknown, says: type
) -> None:
    # a model of 80 MB, and 160 MB that double by the end of the split
    evidence = with_growth(with_a_model(map_attempt()), "this.counts", 160 * MIB)
    found = verdict(replace(evidence, progress=progress), "large_external_data")
    assert isinstance(found, says), found


@pytest.mark.parametrize(
    ("progress", "says"),
    [(Progress(0.9, "bytes"), Silent), (Unknown("how far", "run"), CannotTell)],
)
def test_small_growth_may_become_huge_where_nobody_knows_how_much_is_to_come(
    progress: Progress | Unknown, says: type
) -> None:
    evidence = with_growth(map_attempt(progress=progress), "this.seen", 30 * MIB)
    assert isinstance(verdict(evidence, "large_accumulated_results.map"), says)
    evidence = with_growth(
        reduce_attempt(progress=progress), "this.seen", 30 * MIB, lifecycle="reduce", unit="group",
        last_x=30,
    )  # fmt: skip
    assert isinstance(verdict(evidence, "large_accumulated_results.reduce"), says)


@pytest.mark.parametrize("composition", [Composition(user_bytes=9), Unknown("a dump", "run")])
def test_a_record_beyond_what_an_array_can_hold_fills_nothing_and_asks_for_too_much(
    composition: Composition | Unknown,
) -> None:
    size = Unknown("its size: it was never read whole", "none")
    evidence = map_attempt(
        death=Death("array-limit", "Requested array size exceeds VM limit"),
        records=RecordSizes(3, size, size, being_read=True),
        composition=composition,
    )
    found = verdict(evidence, "large_single_record")
    assert isinstance(found, Fires)
    assert found.sentence == (
        "record 3 of hdfs:/in/part-0 (64 MB from byte 0) asks for one array of more elements than "
        "the JVM can make while it is being read"
    )
    assert (found.bytes, found.confidence) == (None, "sure")


@pytest.mark.parametrize(
    ("split", "place", "named"),
    [
        (Split("hdfs:/in/a.log", 128 * MIB, 36 * MIB), "map",
         "record 3 of hdfs:/in/a.log (36 MB from byte 134,217,728) takes"),
        (Split("hdfs:/in/a.log", None, 36 * MIB), "map", "record 3 takes"),  # of several files
        (Split(None, None, 36 * MIB), "map", "record 3 takes"),
        (Unknown("the event log", "run"), "map", "record 3 takes"),
        # the record of a combiner is none of the file
        (Split("hdfs:/in/a.log", 0, 36 * MIB), "combine", "record 3 takes"),
    ],
)  # fmt: skip
def test_a_record_that_is_too_large_is_named_with_the_file_that_it_is_in(
    split: Split | Unknown, place: Place, named: str
) -> None:
    size = Unknown("its size: it was never read whole", "none")
    evidence = map_attempt(
        split=split, place=place, records=RecordSizes(3, size, size, being_read=True),
        composition=Composition(framework_bytes=60 * MIB, record_bytes=150 * MIB),
    )  # fmt: skip
    found = verdict(evidence, "large_single_record")
    assert isinstance(found, Fires)
    assert found.sentence.startswith(named)


@pytest.mark.parametrize("before", [0, 2])
def test_no_run_brings_more_records_before_the_one_at_death_than_there_are(before: int) -> None:
    # of two others, 1.7 times the larger is no more than what chance brings
    records = RecordSizes(before + 1, 170 * KIB, Distribution.of([100 * KIB] * before))
    found = verdict(exploding(150, records=records), "large_single_record")
    assert isinstance(found, CannotTell)
    assert found.run_that_would_tell == "none"


def test_what_cleanup_made_is_needed_in_proportion_to_what_it_was_made_of() -> None:
    # 240 MB are usable: 100 MB kept, 60 MB of rows made of it in cleanup(), 80 MB of the rest
    rows = holder("local rows", 60 * MIB, lifecycle=None, method="cleanup")
    evidence = with_growth(
        reduce_attempt(holders=(rows,)), "this.index", 100 * MIB,
        lifecycle="reduce", unit="group", last_x=30,
    )  # fmt: skip
    evidence = replace(evidence, place="cleanup")
    found = growth_of(evidence, "reduce")
    assert isinstance(found, Growing)

    assert memory_of(evidence).need_at(found, found.x_now) == pytest.approx(240 * MIB, rel=0.05)
    assert memory_of(evidence).need_at(found, found.x_now / 2) == pytest.approx(160 * MIB, rel=0.05)


@pytest.mark.parametrize(("power", "fires"), [(1, True), (2, False)])
def test_what_the_reducer_keeps_has_to_fit_beside_a_small_bound_at_the_end_too(
    power: int, fires: bool
) -> None:
    # of 240 MB 80 are map output, 60 other, and 100 kept at 80 % of the partition: at its end 129
    # in proportion, 167 with the square; a small bound takes 48
    evidence = shuffling((180, 185, 175), held_mib=80)
    kept = growing_series(
        "this.rows", [100 * MIB * (i / 7) ** power for i in range(8)], lifecycle="reduce",
        unit="group", last_x=30,
    )  # fmt: skip
    evidence = replace(
        evidence,
        place="reduce",
        progress=Progress(0.8, "records of the merged input"),
        holders=(holder("this.rows", 100 * MIB, lifecycle="reduce"),),
        series=(kept,),
    )
    found = verdict(evidence, "large_framework_buffer.shuffle")
    assert isinstance(found, Fires) is fires, found


@pytest.mark.parametrize(
    ("record_mib", "before_mib", "says"),
    [(58, 3, None), (86, 3, "sure"), (90, 88, None), (119, 110, None), (121, 110, "likely")],
)
def test_a_record_like_those_that_passed_is_named_only_if_it_is_more_than_all_the_rest(
    record_mib: int, before_mib: int, says: str | None
) -> None:
    # 240 MB may be live
    evidence = map_attempt(
        records=RecordSizes(40, record_mib * MIB, Distribution.of([before_mib * MIB] * 39)),
        composition=Composition(framework_bytes=60 * MIB, record_bytes=record_mib * MIB),
    )
    found = verdict(evidence, "large_single_record")
    if says is None:
        assert isinstance(found, CannotTell)
    else:
        assert isinstance(found, Fires)
        assert found.confidence == says


@pytest.mark.parametrize(("kept_mib", "says"), [(0, "sure"), (100, "likely")])
def test_what_was_loaded_is_only_likely_beside_what_accumulates(kept_mib: int, says: str) -> None:
    # 140 of 240 MB were loaded; 100 MB beside them are kept at the end of the split
    model = replace(
        holder("this.model", 140 * MIB, method="setup"), loaded_before_first_record=True
    )
    opened = (OpenedFile("hdfs:/cache/model.txt", 40 * MIB),)
    load = ExternalLoad(140 * MIB, (key_of("this.model"),), "setup", opened)
    evidence = replace(map_attempt(progress=Progress(1.0, "bytes")), external=load)
    evidence = replace(evidence, holders=(model,))
    if kept_mib:
        evidence = with_growth(evidence, "this.counts", kept_mib * MIB)
        evidence = replace(evidence, holders=(model, *(known(evidence.holders) or ())))
    found = verdict(evidence, "large_external_data")
    assert isinstance(found, Fires)
    assert found.confidence == says


def test_a_shuffle_beside_a_table_that_is_still_being_filled_is_likely_to_blame() -> None:
    table = holder("static Ranked.RANKS", 20 * MIB, lifecycle="reduce", method="<clinit>")
    evidence = reduce_attempt(
        place="shuffle", shuffle=Shuffle(175 * MIB, 190 * MIB, held_bytes=190 * MIB)
    )
    degrees = [
        verdict(replace(evidence, holders=(one,)), "large_framework_buffer.shuffle")
        for one in (table, replace(table, in_initializer=True))
    ]
    assert [one.confidence for one in degrees if isinstance(one, Fires)] == ["sure", "likely"]


def test_the_mean_partition_is_that_of_all_maps_where_some_were_not_counted() -> None:
    sizes = (62 * MIB, 62 * MIB)
    evidence = reduce_attempt(
        place="shuffle",
        shuffle=Shuffle(175 * MIB, 190 * MIB, held_bytes=190 * MIB),
        partitions=Partitions(0, bytes=sizes, records=(620, 620), complete=False,
                              share_of_maps=5 / 6),
    )  # fmt: skip
    found = verdict(evidence, "large_framework_buffer.shuffle")
    assert isinstance(found, Fires)
    assert found.sentence.endswith("the mean partition is about 74 MB, by 83 % of the map tasks")
