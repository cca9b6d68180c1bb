"""Which objects grow: from dumps, from the live heap, from one dump; and what cannot be said."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.evidence import growing_series, holder, key_of, map_attempt, reduce_attempt
from builders.verdicts import growth_of

from mprof.evidence import (
    DeathPosition,
    Evidence,
    Group,
    GroupSizes,
    Point,
    Progress,
    Series,
    Unknown,
    Verification,
)
from mprof.evidence.distribution import Distribution
from mprof.patterns import Absent, Growing
from mprof.units import MIB

RISING = [20 * MIB * i for i in range(9)]


def live(xs: list[float], sizes_mib: list[float], death: float = 4001) -> Series:
    points = tuple(Point(x, size * MIB) for x, size in zip(xs, sizes_mib, strict=True))
    return Series(None, "map", "record", points, "passive", at_death=Point(death, 240 * MIB))


def a_map(size_mib: int = 160, **changes: object) -> Evidence:
    return replace(map_attempt(holders=(holder("this.counts", size_mib * MIB),)), **changes)  # type: ignore[arg-type]


def test_its_own_sizes_in_several_dumps_are_sure() -> None:
    found = growth_of(a_map(series=(growing_series("this.counts", RISING),)), "map")
    assert isinstance(found, Growing)
    assert (found.confidence, found.source) == ("sure", "dump")
    assert found.held_bytes == 160 * MIB


def test_the_live_heap_with_a_dump_that_says_whose_it_is_is_likely() -> None:
    series = live([100, 1000, 2000, 3000, 3900], [85, 120, 160, 195, 230])
    found = growth_of(a_map(series=(series,)), "map")
    assert isinstance(found, Growing)
    assert (found.confidence, found.source) == ("likely", "passive")


def test_the_live_heap_alone_is_possible() -> None:
    series = live([100, 1000, 2000, 3000, 3900], [85, 120, 160, 195, 230])
    missing = Unknown("a heap dump made at the death", "run")
    found = growth_of(map_attempt(holders=missing, series=(series,)), "map")
    assert isinstance(found, Growing)
    assert found.confidence == "possible"


@pytest.mark.parametrize(("bounds", "shape"), [(False, "concave"), (True, "linear")])
def test_what_major_collections_left_is_exact_and_may_be_bent(bounds: bool, shape: str) -> None:
    # a set of distinct values grows with the square root; minor collections bend any line like that
    x = [4.0, 100, 300, 1000, 1500, 2000, 2500, 3500]
    series = live(x, [70 + 160 * (one / 4000) ** 0.5 for one in x])
    found = growth_of(a_map(series=(replace(series, upper_bounds=bounds),)), "map")
    assert isinstance(found, Growing)
    assert found.laws[0].shape == shape


def test_what_rose_before_the_first_collection_is_read_off_the_curve() -> None:
    series = live([2000, 2500, 3000, 3500], [150, 170, 190, 210])
    found = growth_of(a_map(series=(series,)), "map")
    assert isinstance(found, Growing)
    assert round(found.measured_bytes / MIB) == 140  # 70 MB at the origin, 210 at the last


def test_collections_that_all_came_at_the_end_do_not_say_that_nothing_grew() -> None:
    series = live([3990, 3993, 3996, 3999], [236, 236, 236, 236])
    assert isinstance(growth_of(a_map(series=(series,)), "map"), Unknown)


def test_a_flat_live_heap_over_the_whole_way_says_that_nothing_grew() -> None:
    series = live([10, 1000, 2000, 3990], [236, 236, 236, 236])
    assert isinstance(growth_of(a_map(series=(series,)), "map"), Absent)


def below(series: Series) -> Evidence:
    """100 MB at death, an element a record; minor collections alone before."""
    one = holder("this.lines", 100 * MIB, length=4000)
    return map_attempt(holders=(one,), series=(replace(series, upper_bounds=True),))


def test_garbage_that_minor_collections_left_may_hide_what_grew_below_it() -> None:
    # live were 140 MB and 25 KB a record; at 1,000 records that is 165 MB of the 236 left behind
    found = growth_of(below(live([10, 1000, 2000, 3990], [236, 236, 236, 236])), "map")
    assert isinstance(found, Growing)
    assert (found.confidence, found.source) == ("likely", "dump")


def test_what_minor_collections_left_says_that_nothing_grew_where_it_was_too_little_for_that() -> (
    None
):
    # 30 MB at death, of 150: at an even pace 132 MB would have been live by record 1,600
    series = live([10, 1000, 1600, 3000], [128, 128, 128, 128])
    ended = replace(series, at_death=Point(4001, 150 * MIB), upper_bounds=True)
    few = map_attempt(holders=(holder("this.lines", 30 * MIB, length=777),), series=(ended,))
    assert isinstance(growth_of(few, "map"), Absent)
    # one step at the end is how an array that doubles shows, and what began to grow late
    stepped = growth_of(below(live([10, 1000, 2000, 3990], [139, 139, 139, 236])), "map")
    assert not isinstance(stepped, Absent)


def test_what_came_after_the_last_collection_is_not_denied_by_those_before_it() -> None:
    # 101 MB came after record 3,000, where 100 MB are held: what begins late looks so
    series = live([10, 1000, 2000, 3000], [139, 139, 139, 139])
    one = holder("this.lines", 100 * MIB, length=777)
    assert isinstance(growth_of(map_attempt(holders=(one,), series=(series,)), "map"), Unknown)
    ended = replace(series, at_death=Point(4001, 141 * MIB))
    assert isinstance(growth_of(map_attempt(holders=(one,), series=(ended,)), "map"), Absent)


def test_what_dumps_saw_flat_and_the_last_one_large_is_not_denied() -> None:
    # 500 MB heap: nothing of it up to record 3,500, and 100 MB at the death, at record 4,001
    series = growing_series("this.lines", [0] * 8)
    seen = tuple(point for point in series.points if point.x <= 3500)
    late = replace(series, points=seen, at_death=Point(4001.0, 100 * MIB))
    one = holder("this.lines", 100 * MIB, length=777)
    assert isinstance(growth_of(map_attempt(holders=(one,), series=(late,)), "map"), Unknown)


def test_that_a_small_object_grows_does_not_deny_that_a_large_one_does() -> None:
    # 500 MB heap: a counter of 12 MB grows evenly, and 100 MB came after the last dump
    series = growing_series("this.lines", [0] * 8)
    seen = tuple(point for point in series.points if point.x <= 3500)
    late = replace(series, points=seen, at_death=Point(4001.0, 100 * MIB))
    small = growing_series("this.counter", [12 * MIB * i / 7 for i in range(8)])
    counter, lines = holder("this.counter", 12 * MIB), holder("this.lines", 100 * MIB, length=777)
    both = map_attempt(holders=(lines, counter), series=(small, late))
    assert isinstance(growth_of(both, "map"), Unknown)
    alone = growth_of(map_attempt(holders=(counter,), series=(small,)), "map")
    assert isinstance(alone, Growing)
    # what is seen to be constant is denied, and what grows is small
    flat = growing_series("this.lines", [100 * MIB] * 8)
    constant = growth_of(map_attempt(holders=(lines, counter), series=(small, flat)), "map")
    assert isinstance(constant, Growing)
    assert [one.key for one in constant.holders] == [counter.key]


def test_a_container_that_was_being_enlarged_was_no_full_cache() -> None:
    # up to half of the way, and constant since
    sizes = [20 * MIB, 40 * MIB, 60 * MIB, 80 * MIB, 80 * MIB, 80 * MIB, 80 * MIB, 80 * MIB]
    one = holder("this.table", 80 * MIB, length=777)
    shapes = []
    for was_enlarged in (False, True):
        at_death = replace(one, doubling=was_enlarged)
        evidence = map_attempt(holders=(at_death,), series=(growing_series("this.table", sizes),))
        found = growth_of(evidence, "map")
        assert isinstance(found, Growing)
        shapes.append(found.laws[0].shape)
    assert shapes[0] == "bounded"
    assert shapes[1] != "bounded"


def test_without_a_dump_at_death_bounds_say_nothing_of_what_grew_below_them() -> None:
    flat = replace(live([10, 1000, 2000, 3990], [236, 236, 236, 236]), upper_bounds=True)
    missing = Unknown("a heap dump made at the death", "run")
    evidence = map_attempt(holders=missing, series=(replace(flat, at_death=None),))
    assert isinstance(growth_of(evidence, "map"), Unknown)
    finished = replace(evidence, death=replace(evidence.death, kind="none"))
    assert isinstance(growth_of(finished, "map"), Absent)


def test_a_rise_within_the_noise_does_not_say_that_a_small_holder_did_not_grow() -> None:
    # 4.5 MB at death, of which 2.8 MB came after the first collection: no more than the noise
    first_late = live([1500, 2200, 3000, 3990], [237.5, 238.3, 239, 240])
    evidence = map_attempt(holders=(holder("this.sums", 30 * MIB, length=777),))
    small = replace(evidence, holders=(holder("this.sums", 9 * MIB // 2, length=777),))
    memory = replace(small.memory, usable_bytes=40 * MIB)
    assert isinstance(
        growth_of(replace(small, memory=memory, series=(first_late,)), "map"), Unknown
    )
    # of 30 MB it would have been 15: there the collections do speak
    assert isinstance(growth_of(replace(evidence, series=(first_late,)), "map"), Absent)


def test_a_rise_that_the_large_objects_do_not_explain_is_nobodys() -> None:
    series = live([100, 1000, 2000, 3000, 3900], [20, 70, 120, 180, 230])
    assert isinstance(growth_of(a_map(30, series=(series,)), "map"), Unknown)


def test_one_dump_says_it_where_there_is_an_element_a_record() -> None:
    one = holder("this.lines", 160 * MIB, length=4000)
    found = growth_of(map_attempt(holders=(one,)), "map")
    assert isinstance(found, Growing)
    assert found.confidence == "likely"
    # 160 MB after 4,001 records: 40 KB each
    assert round(found.at(8002) / MIB) == 320


def test_one_dump_does_not_say_it_where_elements_and_records_are_unlike() -> None:
    one = holder("this.words", 160 * MIB, length=1_000_000)
    assert isinstance(growth_of(map_attempt(holders=(one,)), "map"), Unknown)


def test_few_elements_agree_by_chance() -> None:
    one = holder("this.model", 160 * MIB, length=7)
    evidence = map_attempt(holders=(one,), position=DeathPosition("map", record=7))
    assert isinstance(growth_of(evidence, "map"), Unknown)


def test_a_reducers_field_that_grows_within_one_group_only_is_group_level() -> None:
    flat = growing_series("this.seen", [0] * 8, lifecycle="reduce", unit="group", last_x=30)
    inside = growing_series(
        "this.seen", RISING, lifecycle="reduce", unit="record_in_group", last_x=50_000
    )
    one = holder("this.seen", 160 * MIB, lifecycle="reduce")
    evidence = reduce_attempt(holders=(one,), series=(flat, inside))
    assert isinstance(growth_of(evidence, "reduce"), Absent)
    assert isinstance(growth_of(evidence, "group"), Growing)


def test_a_reducers_field_that_grows_over_groups_is_not_group_level() -> None:
    over = growing_series("this.index", RISING, lifecycle="reduce", unit="group", last_x=30)
    inside = growing_series(
        "this.index", RISING, lifecycle="reduce", unit="record_in_group", last_x=50_000
    )
    one = holder("this.index", 160 * MIB, lifecycle="reduce")
    evidence = reduce_attempt(holders=(one,), series=(over, inside))
    assert isinstance(growth_of(evidence, "reduce"), Growing)
    assert not isinstance(growth_of(evidence, "group"), Growing)


def test_a_field_that_grows_over_groups_lends_its_bytes_to_no_group() -> None:
    # a hot key makes the live heap rise inside its group too, and the index is what holds it
    over = growing_series("this.index", RISING, lifecycle="reduce", unit="group", last_x=30)
    rises = [mib * MIB for mib in (90, 120, 150, 180, 210)]
    inside = growing_series(
        None, rises, lifecycle="group", unit="record_in_group", source="passive"
    )
    index = holder("this.index", 160 * MIB, lifecycle="reduce", method="reduce")

    evidence = reduce_attempt(holders=(index,), series=(over, inside))

    assert isinstance(growth_of(evidence, "reduce"), Growing)
    assert isinstance(growth_of(evidence, "group"), Absent)


def test_in_the_first_group_a_field_with_an_element_a_record_is_group_level() -> None:
    one = holder("this.all", 160 * MIB, lifecycle="reduce", length=50_000)
    evidence = reduce_attempt(
        holders=(one,),
        position=DeathPosition("reduce", record=50_001, group=1, record_in_group=50_001),
        groups=GroupSizes(Group(1, 50_001)),
    )
    assert isinstance(growth_of(evidence, "reduce"), Unknown)
    assert isinstance(growth_of(evidence, "group"), Growing)


@pytest.mark.parametrize(("largest", "grows"), [(49_999, Unknown), (20_000, Growing)])
def test_where_one_group_has_nearly_all_records_the_next_may_empty_the_field(
    largest: int, grows: type
) -> None:
    # an operator of a query writes a group once it meets the first record of the next
    one = holder("this.all", 160 * MIB, lifecycle="reduce", length=50_000)
    evidence = reduce_attempt(
        holders=(one,),
        position=DeathPosition("reduce", record=50_000, group=3, record_in_group=1),
        groups=GroupSizes(Group(3, 1), largest=Group(2, largest, whole=True)),
    )

    assert isinstance(growth_of(evidence, "reduce"), grows)


def test_a_large_object_of_unknown_lifecycle_is_not_said_to_be_harmless() -> None:
    evidence = map_attempt(holders=(holder("static X.CACHE", 160 * MIB, lifecycle=None),))
    assert isinstance(growth_of(evidence, "map"), Unknown)


def test_a_large_object_without_a_curve_keeps_the_flat_ones_from_deciding() -> None:
    flat = growing_series("this.model", [30 * MIB] * 8)
    holders = (holder("this.model", 30 * MIB), holder("this.other", 130 * MIB))
    assert isinstance(growth_of(map_attempt(holders=holders, series=(flat,)), "map"), Unknown)


def a_short_group(before_mib: list[int], death_mib: int) -> Evidence:
    """A dump before each record of a group, the last of them right before R_n."""
    points = tuple(Point(float(x), size * MIB) for x, size in enumerate(before_mib))
    end = Point(float(len(before_mib)), death_mib * MIB)
    series = Series(
        key_of("local parts"), "group", "record_in_group", points, "dump", end, group=31
    )
    return reduce_attempt(
        holders=(holder("local parts", death_mib * MIB, lifecycle="group", method="reduce"),),
        series=(series,),
        position=DeathPosition("reduce", record=60, group=31, record_in_group=len(before_mib)),
    )


def test_what_the_only_record_of_a_group_made_did_not_accumulate() -> None:
    assert isinstance(growth_of(a_short_group([0], 150), "group"), Absent)


def test_what_was_small_before_the_second_record_did_not_accumulate() -> None:
    assert isinstance(growth_of(a_short_group([0, 5], 150), "group"), Absent)


def test_what_was_large_before_the_second_record_may_have_accumulated() -> None:
    assert isinstance(growth_of(a_short_group([0, 90], 150), "group"), Unknown)


def test_a_dump_long_before_the_last_record_does_not_say_what_that_record_made() -> None:
    evidence = a_short_group([0], 150)
    far = replace(evidence.series[0], at_death=Point(500.0, 150 * MIB))
    assert isinstance(growth_of(replace(evidence, series=(far,)), "group"), Unknown)


# x and live MiB of collections; the holder has 160 MB at death, at x = 4001
@pytest.mark.parametrize(
    ("xs", "sizes"),
    [
        pytest.param([100, 1000, 2100, 3000, 3900], [85, 86, 86, 150, 230], id="flat first half"),
        pytest.param([3600, 3700, 3800, 3900], [170, 190, 210, 230], id="5 times the even pace"),
        pytest.param([100, 1500, 3300, 3700], [85, 86, 150, 215], id="flat longer than seen"),
    ],
)
def test_what_rose_near_the_end_alone_did_not_rise_with_the_data(
    xs: list[float], sizes: list[float]
) -> None:
    assert isinstance(growth_of(a_map(series=(live(xs, sizes),)), "map"), Unknown)


def test_an_even_rise_between_two_collections_did_not_begin_late() -> None:
    series = live([100, 1500, 3300, 3900], [85, 88, 190, 225])
    assert isinstance(growth_of(a_map(series=(series,)), "map"), Growing)


@pytest.mark.parametrize(("before", "grows"), [(None, False), (80, True), (164, False)])
def test_what_was_live_before_a_group_says_whether_it_grew_before_the_first_collection_in_it(
    before: int | None, grows: bool
) -> None:
    # flat for the first half of what was seen of the group, and its holder has 160 of 240 MB
    xs, sizes = [1500, 2500, 3000, 3900], [165, 166, 190, 230]
    series = replace(live(xs, sizes), lifecycle="group", unit="record_in_group")
    if before is not None:
        series = replace(series, at_start=Point(0.0, before * MIB))
    evidence = reduce_attempt(
        holders=(holder("local all", 160 * MIB, lifecycle="group"),),
        series=(series,),
        position=DeathPosition("reduce", record=9000, group=7, record_in_group=4001),
    )
    assert isinstance(growth_of(evidence, "group"), Growing if grows else Unknown)


def test_an_even_rise_is_known_by_its_last_tenth() -> None:
    series = live([3600, 3700, 3800, 3900], [214, 218, 222, 226])
    assert isinstance(growth_of(a_map(series=(series,)), "map"), Growing)


def a_field_in_a_hot_group(length: int) -> Evidence:
    rises = [20 * MIB * i for i in range(1, 9)]
    inside = growing_series(
        None, rises, lifecycle="group", unit="record_in_group", source="passive", last_x=50_000
    )
    return reduce_attempt(
        holders=(holder("this.index", 160 * MIB, lifecycle="reduce", length=length),),
        series=(inside,),
        position=DeathPosition("reduce", record=60_000, group=5000, record_in_group=50_000),
    )


def test_a_field_with_an_element_a_group_is_of_no_one_group() -> None:
    assert isinstance(growth_of(a_field_in_a_hot_group(4999), "reduce"), Growing)
    assert isinstance(growth_of(a_field_in_a_hot_group(4999), "group"), Absent)


def test_a_field_with_other_numbers_of_elements_may_be_of_the_group() -> None:
    assert isinstance(growth_of(a_field_in_a_hot_group(49_000), "group"), Growing)


def _one_dump(length: int, element_class: str) -> Evidence:
    # 64,000 records in 24 groups, 1,430 of them and 138,000 bytes in the last
    field = replace(
        holder("this.seen", 100 * MIB, lifecycle="reduce", class_name="x.Held", length=length),
        element_class=element_class,
    )
    position = DeathPosition("reduce", record=64_000, group=24, record_in_group=1_430)
    groups = GroupSizes(Group(24, 1_430, bytes=138_000))
    return reduce_attempt(holders=(field,), position=position, groups=groups)


def test_a_field_with_an_element_a_record_of_all_groups_is_of_no_one_group() -> None:
    evidence = _one_dump(64_000, "java.lang.String")

    assert isinstance(growth_of(evidence, "reduce"), Growing)
    assert growth_of(evidence, "group") == Absent("no group-level object was large at death")


@pytest.mark.parametrize(("element_class", "grows"), [("byte", True), ("java.lang.String", False)])
def test_only_characters_are_as_many_as_bytes_were_read(element_class: str, grows: bool) -> None:
    found = growth_of(_one_dump(100_000, element_class), "group")

    assert isinstance(found, Growing) == grows


def test_large_groups_that_came_first_do_not_bend_the_curve() -> None:
    # 100 B a record: 40 groups of 1,000 records, then 360 of 60
    groups = [0, 40, 100, 160, 220, 280, 340, 400]
    records = [1_000 * min(g, 40) + 60 * max(g - 40, 0) for g in groups]
    field = holder("this.counts", 100 * records[-1], lifecycle="reduce", method="reduce")
    curves = tuple(
        Series(
            key_of("this.counts"),
            "reduce",
            unit,
            tuple(Point(x, 100 * r) for x, r in zip(xs, records, strict=True)),
            "dump",
        )
        for unit, xs in (("group", groups), ("record", records))
    )

    found = growth_of(reduce_attempt(holders=(field,), series=curves), "reduce")

    assert isinstance(found, Growing)
    assert (found.unit, found.x_now) == ("record", records[-1])
    assert round(found.bytes_per_unit) == 100
    assert found.complexity == "grows linearly with the data, O(n)"


@pytest.mark.parametrize(("records_of_the_last", "shape"), [(1, "linear"), (100, "bounded")])
def test_a_group_that_had_only_begun_does_not_make_an_even_growth_look_full(
    records_of_the_last: int, shape: str
) -> None:
    # 100 records a group; histograms count a little more than dumps do
    sizes = [(0, 0), (2, 12), (3, 20), (4, 26), (6, 40), (8, 54), (9, 58)]
    points = tuple(Point(x, size * MIB) for x, size in sizes)
    curve = Series(
        key_of("this.rows"), "reduce", "group", points, "dump", at_death=Point(10, 60 * MIB)
    )
    field = holder("this.rows", 60 * MIB, lifecycle="reduce", method="reduce")
    position = DeathPosition(
        "reduce", record=900 + records_of_the_last, group=10, record_in_group=records_of_the_last
    )
    evidence = reduce_attempt(holders=(field,), series=(curve,), position=position)

    found = growth_of(evidence, "reduce")

    assert isinstance(found, Growing)
    assert found.laws[0].shape == shape


@pytest.mark.parametrize(
    ("died", "same_room", "grows"),
    [(False, True, True), (True, True, False), (False, False, False)],
)
def test_what_doubles_with_each_record_grows_where_the_last_alone_passes(
    *, died: bool, same_room: bool, grows: bool
) -> None:
    # 2^r: a late begin to each law, which in the live heap alone proves nothing
    xs = [float(x) for x in range(6, 19)]
    doubled = Series(
        None, "group", "record_in_group", tuple(Point(x, (16 + 2**x / 4000) * MIB) for x in xs),
        "passive", upper_bounds=True, at_death=Point(20.0, (16 + 2**20 / 4000) * MIB), group=9,
    )  # fmt: skip
    one = holder("local list", round(2**20 / 4000) * MIB, lifecycle="group", length=777)
    evidence = reduce_attempt(
        position=DeathPosition("reduce", record=800, group=9, record_in_group=20),
        holders=(one,),
        series=(doubled,),
        groups=GroupSizes(Group(9, 24, whole=True), Distribution.of([3] * 20), all_reducers=True),
        verification=Verification(True, 0, died=died, same_room=same_room),
    )

    found = growth_of(evidence, "group")

    assert isinstance(found, Growing) == grows
    if isinstance(found, Growing):
        # the group has 24 records; no law says what they would need
        assert (found.outgrew, found.end_x) == (True, None)
        assert found.complexity == "grows by more and more with the data"


@pytest.mark.parametrize(("spare_mib", "named"), [(0, 2), (60, 2), (130, 1)])
def test_room_that_larger_contents_left_does_not_grow_with_the_group(
    spare_mib: int, named: int
) -> None:
    kept = replace(
        holder("this.text", 150 * MIB, lifecycle="reduce", class_name="java.lang.StringBuilder"),
        spare_bytes=spare_mib * MIB,
    )
    rows = holder("local rows", 60 * MIB, lifecycle="group", class_name="java.util.ArrayList")
    points = tuple(Point(x, (80 + x / 40) * MIB) for x in (1000, 2000, 3000, 4000, 5000))
    over = Series(None, "group", "record_in_group", points, "passive", Point(6001, 230 * MIB))

    found = growth_of(reduce_attempt(holders=(kept, rows), series=(over,)), "group")

    assert isinstance(found, Growing)
    assert len(found.holders) == named
    assert found.held_bytes == (60 if named == 1 else 210) * MIB


@pytest.mark.parametrize(("rise_mib", "is_of_group"), [(24, False), (130, True)])
def test_a_field_that_was_full_when_the_group_began_is_not_of_the_group(
    rise_mib: int, is_of_group: bool
) -> None:
    # 158 MB in a field of the reducer; in the group at death the live heap rose by less, or by most
    kept = holder("this.rows", 158 * MIB, lifecycle="reduce")
    records = (50, 100, 150, 200, 250)
    points = tuple(Point(x, (230 - rise_mib * (1 - x / 266)) * MIB) for x in records)
    over = Series(None, "group", "record_in_group", points, "passive", Point(266, 230 * MIB))

    found = growth_of(reduce_attempt(holders=(kept,), series=(over,)), "group")

    assert isinstance(found, Growing) is is_of_group
    assert not isinstance(found, Absent)


@pytest.mark.parametrize(("done", "is_denied"), [(0.25, False), (0.9, True)])
def test_an_object_that_would_be_huge_at_the_end_is_not_small(done: float, is_denied: bool) -> None:
    # 8 % of the heap, at a quarter of the split or near its end
    few = holder("this.counts", 19 * MIB)
    progress = Progress(done, "bytes of the split")

    found = growth_of(map_attempt(holders=(few,), progress=progress), "map")

    assert isinstance(found, Absent) is is_denied
    assert isinstance(found, Unknown) is not is_denied


@pytest.mark.parametrize("beside", [False, True])
def test_a_map_of_one_entry_did_not_grow_with_the_records(beside: bool) -> None:
    # a model in a static map of one entry; the live heap rises evenly, as the list beside it would
    one = holder("static Models.CACHE", 100 * MIB, length=1, key=key_of("static Models.CACHE"))
    one = replace(one, element_class="double[]")
    kept = holder("this.rows", 60 * MIB, class_name="java.util.ArrayList", length=900)
    held = (one, kept) if beside else (one,)
    rises = live([500, 1000, 2000, 3000, 4000], [88, 95, 110, 125, 140])
    found = growth_of(map_attempt(holders=held, series=(rises,)), "map")
    if not beside:
        assert isinstance(found, Unknown)
        assert found.run_that_would_tell == "rerun"
        return
    assert isinstance(found, Growing)
    assert [each.path for each in found.holders] == ["this.rows"]
    assert found.held_bytes == 60 * MIB
    # with as many elements as it was given, or where its array was being enlarged, it may
    for other in (replace(one, length=40), replace(one, doubling=True)):
        again = growth_of(map_attempt(holders=(other,), series=(rises,)), "map")
        assert isinstance(again, Growing)


def test_an_array_that_was_allocated_once_grows_only_where_nothing_else_did() -> None:
    matrix = holder("this.matrix", 60 * MIB, class_name="double[][]", key=key_of("this.matrix"))
    kept = holder("this.rows", 60 * MIB, class_name="java.util.ArrayList", length=900)
    rises = live([500, 1000, 2000, 3000, 4000], [88, 95, 110, 125, 140])
    both = growth_of(map_attempt(holders=(matrix, kept), series=(rises,)), "map")
    alone = growth_of(map_attempt(holders=(matrix,), series=(rises,)), "map")
    assert isinstance(both, Growing)
    assert isinstance(alone, Growing)  # user code may copy it into ever larger ones
    assert [each.path for each in both.holders] == ["this.rows"]
    assert [each.path for each in alone.holders] == ["this.matrix"]


@pytest.mark.parametrize(
    ("at_once", "of_several", "thread_local"),
    [(12, True, True), (1, True, True), (12, False, True), (12, True, False)],
)
def test_what_each_thread_has_of_its_own_is_not_said_to_grow_with_the_records(
    at_once: int, *, of_several: bool, thread_local: bool
) -> None:
    # buffers of twelve threads, each as large as the largest page that its thread has met
    key = replace(key_of("static Pages.BUFFER"), thread_local=thread_local)
    one = replace(holder("static Pages.BUFFER", 160 * MIB, key=key), of_several=of_several)
    series = replace(growing_series("static Pages.BUFFER", RISING), holder=key)
    found = growth_of(
        replace(map_attempt(holders=(one,)), series=(series,), records_at_once=at_once), "map"
    )
    if at_once > 1 and of_several and thread_local:
        assert isinstance(found, Unknown)
        assert "12 threads" in found.missing
    else:
        assert isinstance(found, Growing)
