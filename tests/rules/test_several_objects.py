"""What several objects do together is said of all of them, and each has a law of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.evidence import (
    CAPACITY,
    growing_series,
    holder,
    key_of,
    map_attempt,
    reduce_attempt,
)
from builders.verdicts import growth_of, memory_of, verdicts_of

from mprof.evidence import (
    Death,
    DeathPosition,
    Distribution,
    Evidence,
    ExternalLoad,
    Group,
    GroupSizes,
    Lifecycle,
    OpenedFile,
    Partitions,
    Point,
    Progress,
    RecordGrowth,
    RecordSizes,
    Series,
    Shuffle,
    Unknown,
)
from mprof.patterns import Growing
from mprof.rules import CannotTell, Fires, Silent
from mprof.units import MIB

MAP = "large_accumulated_results.map"


def window_and_set() -> Evidence:
    """A window that was full early has grown more by the last point than a set that goes on."""
    window = growing_series("this.window", [size * MIB for size in (0, 45, 60, 60, 60, 60, 60, 60)])
    seen = growing_series("this.seen", [8 * MIB * i for i in range(8)])
    return map_attempt(
        holders=(holder("this.window", 60 * MIB), holder("this.seen", 57 * MIB)),
        series=(window, seen),
    )


def test_what_goes_on_growing_is_named_before_what_is_full() -> None:
    found = growth_of(window_and_set(), "map")

    assert isinstance(found, Growing)
    assert ["this.seen", "this.window"] == [one.path for one in found.holders]
    assert "grows linearly" in (found.complexity_of(key_of("this.seen")) or "")
    assert "up to a bound" in (found.complexity_of(key_of("this.window")) or "")
    fires = verdicts_of(window_and_set())[MAP]
    assert isinstance(fires, Fires)
    assert fires.where is not None
    assert ("this.seen", ("this.window",)) == (fires.where.path, fires.where.beside)
    assert "this.seen and this.window accumulate" in fires.sentence
    assert "this.seen grows linearly" in fires.sentence


def live_heap(*sizes: float) -> Series:
    return growing_series(None, [size * MIB for size in sizes], source="passive")


def test_of_several_that_were_seen_together_none_is_said_to_grow() -> None:
    evidence = map_attempt(
        holders=tuple(holder(f"this.{name}", 60 * MIB) for name in ("model", "seen", "window")),
        series=(live_heap(*range(20, 220, 25)),),
    )
    found = growth_of(evidence, "map")
    fires = verdicts_of(evidence)[MAP]

    assert isinstance(found, Growing)
    assert isinstance(fires, Fires)
    assert found.complexity_of(key_of("this.model")) is None
    assert "this.model, this.seen and this.window hold 180 MB" in fires.sentence
    assert "some of it accumulates" in fires.sentence


def test_what_holds_little_at_the_death_has_not_held_the_whole_rise_of_the_heap() -> None:
    """The rest of the rise was garbage, or is gone; the record at work fills the heap."""
    evidence = map_attempt(
        holders=(
            holder("this.counts", 60 * MIB),
            holder("local list", 100 * MIB, lifecycle="record"),
        ),
        series=(live_heap(20, 50, 80, 110, 130),),
        progress=Progress(1.0, "bytes"),
        record_growth=Unknown("heap sizes at earlier records", "rerun"),
    )
    found = growth_of(evidence, "map")

    assert isinstance(found, Growing)
    assert found.measured_bytes == 60 * MIB
    assert isinstance(verdicts_of(evidence)[MAP], CannotTell)
    assert isinstance(verdicts_of(evidence)["large_intermediate_results"], Fires)


@pytest.mark.parametrize(
    ("share", "lifecycle", "says"),
    [(0.16, "map", CannotTell), (0.08, "map", Silent), (0.16, "record", Silent)],
)
def test_what_was_counted_to_grow_and_stays_small_says_nothing_of_the_others(
    share: float, lifecycle: Lifecycle, says: type
) -> None:
    evidence = map_attempt(
        holders=(
            holder("this.seen", round(0.2 * CAPACITY), length=1_000),
            holder("this.kept", round(share * CAPACITY), lifecycle=lifecycle),
            holder("local list", round(0.45 * CAPACITY), lifecycle="record"),
        ),
        series=(),
        position=DeathPosition("map", record=1_001),
        progress=Progress(0.95, "bytes"),
    )
    assert isinstance(growth_of(replace(evidence, holders=evidence.held[:1]), "map"), Growing)
    said = verdicts_of(evidence)[MAP]
    assert isinstance(said, says), said


def reduced(sizes: list[float], *, own: int, others: int) -> Evidence:
    """A field of the reducer over its groups, in a partition among nine others."""
    series = growing_series("this.rows", [size * MIB for size in sizes], lifecycle="reduce",
                            unit="group", last_x=70)  # fmt: skip
    records = (own, *[others] * 9)
    return reduce_attempt(
        holders=(holder("this.rows", round(sizes[-1] * MIB), lifecycle="reduce"),),
        series=(series,),
        progress=Progress(0.9, "records"),
        groups=GroupSizes(
            Group(70, 50_001, whole=True), Distribution.of([700] * 69), Distribution.of([700] * 69),
            all_reducers=True, largest=Group(70, 1_000, whole=True),
        ),
        partitions=Partitions(0, records=records, bytes=records, keys=(90,) * 10,
                              keys_in_one_map=(90,) * 10),
        reducers=10,
    )  # fmt: skip


EMPTIED = [10.0, 90.0, 20.0, 120.0, 15.0, 60.0, 190.0, 210.0]
LATE = [5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 60.0, 115.0, 170.0]


@pytest.mark.parametrize(("sizes", "shape"), [(EMPTIED, "flushed"), (LATE, "late")])
def test_of_less_data_nobody_knows_whether_what_filled_the_heap_is_in_it(
    sizes: list[float], shape: str
) -> None:
    evidence = reduced(sizes, own=2_000_000, others=1_000_000)
    found = growth_of(evidence, "reduce")

    assert isinstance(found, Growing)
    assert [shape] == [law.shape for law in found.laws]
    assert not memory_of(evidence).fits(memory_of(evidence).need_at_most(found, 35))
    said = verdicts_of(evidence)["improper_partition.unbalanced"]
    assert isinstance(said, CannotTell), said


def test_what_it_died_of_does_not_fit() -> None:
    memory = memory_of(map_attempt())
    assert not memory.fits(CAPACITY)
    assert memory.fits(CAPACITY - 1)


def shuffled(key_share: float) -> Evidence:
    """A death in the shuffle; the partition has 1.39 times the mean, one key this share of it."""
    sizes = tuple(size * MIB for size in (200, 120, 120, 120, 160))
    largest = (round(key_share * sizes[0]), 1000, 1000, 1000, 1000)
    return reduce_attempt(
        place="shuffle",
        shuffle=Shuffle(170 * MIB, 170 * MIB, held_bytes=200 * MIB),
        partitions=Partitions(
            0, bytes=sizes, records=tuple(one // 100 for one in sizes), keys=(900,) * 5,
            keys_in_one_map=(900,) * 5, largest_key_bytes=largest,
            largest_key_records=tuple(one // 100 for one in largest),
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("share", "is_hot"), [(0.08, False), (0.112, False), (0.168, True), (0.25, True)]
)
def test_a_key_is_to_blame_where_it_is_most_of_what_the_partition_has_more(
    share: float, *, is_hot: bool
) -> None:
    said = verdicts_of(shuffled(share))["hotspot_key"]
    assert isinstance(said, Fires) is is_hot, said


@pytest.mark.parametrize(("passed", "says"), [([60_000] * 9, CannotTell), ([900] * 9, Fires)])
def test_a_key_is_not_too_coarse_where_groups_as_large_went_well(
    passed: list[int], says: type
) -> None:
    others = Distribution.of([70_000] * 20)
    evidence = reduce_attempt(
        holders=(holder("local list", 190 * MIB, lifecycle="group", method="reduce"),),
        series=(
            growing_series("local list", [190 * MIB * i / 7 for i in range(8)], lifecycle="group",
                           unit="record_in_group", last_x=50_000),
        ),
        groups=GroupSizes(
            Group(31, 50_001), others, others, all_reducers=True,
            passed_records=Distribution.of(passed), passed_bytes=Distribution.of(passed),
        ),
    )  # fmt: skip
    said = verdicts_of(evidence)["hotspot_key"]
    assert isinstance(said, says), said


def loaded(share: float, **changes: object) -> Evidence:
    size = round(share * CAPACITY)
    one = replace(holder("this.model", size), loaded_before_first_record=True)
    files = (OpenedFile("hdfs:/model", 30 * MIB),)
    load = ExternalLoad(size, (key_of("this.model"),), "setup", files)
    return replace(map_attempt(holders=(one,), external=load), **changes)  # type: ignore[arg-type]


def test_a_constant_load_in_a_container_that_was_killed_is_likely_at_best() -> None:
    killed = Death("container-physical", "beyond the 'PHYSICAL' memory limit")
    sure = verdicts_of(loaded(0.7))["large_external_data"]
    doubted = verdicts_of(loaded(0.7, death=killed))["large_external_data"]

    assert isinstance(sure, Fires)
    assert isinstance(doubted, Fires)
    assert ("sure", "likely") == (sure.confidence, doubted.confidence)


def test_a_group_in_which_something_small_grows_is_said_to_be_that() -> None:
    series = growing_series("local list", [4 * MIB * i for i in range(8)], lifecycle="group",
                            unit="record_in_group", last_x=50_000)  # fmt: skip
    evidence = reduce_attempt(
        holders=(
            holder("local list", 28 * MIB, lifecycle="group", method="reduce"),
            holder("local pairs", 150 * MIB, lifecycle="record", method="reduce"),
        ),
        series=(series,),
        groups=GroupSizes(
            Group(31, 50_001, whole=True), Distribution.of([49_000] * 20),
            Distribution.of([49_000] * 20), all_reducers=True,
        ),
    )  # fmt: skip
    said = verdicts_of(evidence)["hotspot_key"]
    assert isinstance(said, Silent | CannotTell)
    assert not (isinstance(said, Silent) and "do not accumulate" in said.why), said


def test_two_of_six_that_were_measured_do_not_stand_for_the_others() -> None:
    """Histograms tell only whose the classes of two of them are: the rest is not constant."""
    names = [f"this.f{number}" for number in range(6)]
    measured = [growing_series(name, [5 * MIB * i for i in range(8)]) for name in names[:2]]
    late = [replace(growing_series(name, [35 * MIB] * 2), points=()) for name in names[2:]]
    evidence = map_attempt(
        holders=tuple(holder(name, 35 * MIB) for name in names),
        series=(*measured, *late, live_heap(*range(20, 240, 30))),
    )
    found = growth_of(evidence, "map")

    assert isinstance(found, Growing)
    assert ("passive", 210 * MIB) == (found.source, found.held_bytes)
    assert 6 == len(found.named)


@pytest.mark.parametrize(("at_death", "says"), [(100, Fires), (150, CannotTell)])
def test_what_one_record_added_it_adds_in_a_smaller_split_too(at_death: int, says: type) -> None:
    series = growing_series("this.edges", [13 * MIB * i for i in range(8)])
    evidence = map_attempt(
        holders=(holder("this.edges", at_death * MIB),),
        series=(replace(series, at_death=Point(4001, at_death * MIB)),),
        progress=Progress(0.8, "bytes"),
    )
    assert isinstance(verdicts_of(evidence)["large_input_split"], says)


def test_without_a_point_at_the_death_the_position_says_how_much_had_been_read() -> None:
    series = replace(growing_series("this.seen", [8 * MIB * i for i in range(8)]), at_death=None)
    evidence = map_attempt(holders=(holder("this.seen", 90 * MIB),), series=(series,))
    found = growth_of(evidence, "map")

    assert isinstance(found, Growing)
    assert 4001 == found.x_now  # the last point is at 4,000


def test_a_class_that_grew_by_little_does_not_explain_all_that_is_held() -> None:
    of_class = replace(
        growing_series(None, [6 * MIB * i for i in range(8)], source="histogram"),
        class_name="byte[]",
    )
    evidence = map_attempt(
        holders=tuple(holder(f"this.f{number}", 50 * MIB) for number in range(4)),
        series=(of_class,),
    )
    assert not isinstance(growth_of(evidence, "map"), Growing)
    one = replace(evidence, holders=(holder("this.f0", 50 * MIB),))
    assert isinstance(growth_of(one, "map"), Growing)


@pytest.mark.parametrize(("before", "is_far_more"), [(2000, True), (150 * MIB, False)])
def test_far_more_is_said_where_the_growth_before_shows_it(
    before: int, *, is_far_more: bool
) -> None:
    growth = RecordGrowth(tuple((10, before) for _ in range(7)), 1, 150 * MIB, "dump")
    evidence = map_attempt(
        record_growth=replace(growth, before=tuple((1, before) for _ in range(7))),
        holders=(holder("local x", 150 * MIB, lifecycle="record"),),
    )
    said = verdicts_of(evidence)["large_intermediate_results"]
    assert isinstance(said, Fires)
    assert ("far more than the records before it" in said.sentence) is is_far_more


def test_much_work_on_an_ordinary_record_of_a_large_group_leaves_its_key_open() -> None:
    others = Distribution.of([1000 + 5 * n for n in range(200)])

    def said(work: int) -> object:
        return verdicts_of(
            reduce_attempt(
                holders=(
                    holder("local list", 20 * MIB, lifecycle="group", method="reduce"),
                    holder("local pairs", work, lifecycle="record", method="reduce"),
                ),
                series=(
                    growing_series("local list", [20 * MIB * i / 7 for i in range(8)],
                                   lifecycle="group", unit="record_in_group", last_x=50_000),
                ),
                progress=Progress(1.0, "records"),
                groups=GroupSizes(Group(31, 50_001, 50_001, whole=True), others, others,
                                  all_reducers=True),
                records=RecordSizes(50_001, 300, Distribution.of([290, 300, 310] * 50)),
            )
        )["hotspot_key"]  # fmt: skip

    assert isinstance(said(150 * MIB), CannotTell), said(150 * MIB)
    assert isinstance(said(10 * MIB), Silent), said(10 * MIB)
