"""The model of need that rules and advice share."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.evidence import CAPACITY, holder, map_attempt, reduce_attempt, with_growth
from builders.verdicts import allocation_of, growth_of, memory_of, need_of, verdicts_of

from mprof.evidence import (
    Composition,
    Evidence,
    Partitions,
    Point,
    Progress,
    RecordGrowth,
    Unknown,
)
from mprof.patterns import Growing, enlargement_phrase
from mprof.rules import Fires
from mprof.units import MIB


def grown(live: int) -> tuple[Evidence, Growing]:
    evidence = with_growth(map_attempt(), "this.counts", 120 * MIB)
    evidence = replace(evidence, memory=replace(evidence.memory, live_bytes_at_death=live))
    found = growth_of(evidence, "map")
    assert isinstance(found, Growing)
    return evidence, found


def phrase_of(evidence: Evidence, found: Growing) -> str:
    return enlargement_phrase(allocation_of(evidence), memory_of(evidence), found)


@pytest.mark.parametrize("live", [CAPACITY, 150 * MIB])
def test_at_its_death_a_task_needed_its_whole_heap(live: int) -> None:
    evidence, found = grown(live)
    assert memory_of(evidence).need_at(found, 4000) == pytest.approx(CAPACITY, rel=0.001)


def test_without_any_data_only_the_rest_is_needed() -> None:
    evidence, found = grown(150 * MIB)
    assert memory_of(evidence).need_at(found, 0) == pytest.approx(30 * MIB, rel=0.001)


def test_no_law_predicts_more_of_less_data_than_what_it_died_of() -> None:
    # collections saw 100 MB more by record 1,000 than there were at the death, at record 4,000
    evidence, found = grown(CAPACITY)
    steep = replace(found, held_bytes=round(found.at(3000)))
    memory = memory_of(evidence)
    assert steep.at(3900) > steep.held_bytes
    assert memory.need_at(steep, 3900) <= CAPACITY < memory.need_at(steep, 4400)


def test_a_container_being_enlarged_counts_in_proportion() -> None:
    # 30 MB do not grow; 120 MB and 90 MB asked for on top do
    evidence, found = grown(150 * MIB)
    assert memory_of(evidence).need_at(found, 2000) == pytest.approx(
        30 * MIB + 105 * MIB, rel=0.001
    )


def enlarging(live: int, *, block: int, doubling: bool = True) -> tuple[Evidence, Growing]:
    """A builder of 40 MB near the end of its split, and 70 MB of others."""
    progress = Progress(0.9, "bytes read of the split")
    evidence = with_growth(map_attempt(progress=progress), "this.document", 40 * MIB)
    (builder,) = evidence.holders  # type: ignore[misc]
    memory = replace(evidence.memory, live_bytes_at_death=live, largest_block_bytes=block)
    holders = (replace(builder, doubling=doubling),)
    evidence = replace(evidence, memory=memory, holders=holders)
    found = growth_of(evidence, "map")
    assert isinstance(found, Growing)
    return evidence, found


def test_the_array_that_a_container_was_refused_is_part_of_what_it_needed() -> None:
    # the old generation of 180 MB had no 80 MB in one piece
    evidence, found = enlarging(110 * MIB, block=180 * MIB)
    assert need_of(evidence, found).at_least == CAPACITY - 70 * MIB
    assert "the 130 MB that were free" in enlargement_phrase(
        allocation_of(evidence), memory_of(evidence), found
    )
    verdict = verdicts_of(evidence)["large_accumulated_results.map"]
    assert isinstance(verdict, Fires)
    assert "was being enlarged" in verdict.sentence


@pytest.mark.parametrize(
    ("live", "doubling"),
    [
        (110 * MIB, False),  # something else asked for the last array
        (70 * MIB, True),  # 170 MB were free: that was no next array, but what was appended
    ],
)
def test_what_no_next_array_explains_is_not_the_containers(live: int, doubling: bool) -> None:
    evidence, found = enlarging(live, block=CAPACITY, doubling=doubling)
    assert need_of(evidence, found).at_most == pytest.approx(40 * MIB, rel=0.001)
    assert phrase_of(evidence, found) == ""


def test_what_a_field_gained_within_the_last_group_is_accumulated_though_no_group_before_did() -> (
    None
):
    # 20 MB over 30 groups, then 140 MB in a hot one, of which the last record added nothing
    evidence = with_growth(
        reduce_attempt(), "this.index", 20 * MIB, lifecycle="reduce", unit="group", last_x=30
    )
    evidence = replace(evidence, holders=(holder("this.index", 160 * MIB, lifecycle="reduce"),))
    found = growth_of(evidence, "reduce")
    assert isinstance(found, Growing)

    def with_last(bytes_: int) -> Evidence:
        before = ((1000, 2 * MIB),) * 6
        growth = RecordGrowth(before, 1, bytes_, "dump", unit="record_in_group")
        return replace(evidence, record_growth=growth)

    of_the_group, of_the_record = (
        need_of(with_last(0), found),
        need_of(with_last(140 * MIB), found),
    )

    assert of_the_group.at_least == of_the_group.at_most == 160 * MIB
    assert of_the_record.at_least < 60 * MIB
    assert of_the_record.at_most == 160 * MIB


def test_what_a_collection_right_before_the_last_record_found_did_not_come_with_it() -> None:
    # 15 MB seen to grow, as the group began between two collections, and 34 MB held at the end
    evidence = with_growth(
        reduce_attempt(), "local parts", 15 * MIB, lifecycle="group", unit="record_in_group",
        last_x=16,
    )  # fmt: skip
    held = holder("local parts", 34 * MIB, lifecycle="group", method="reduce")
    no_probe = Unknown("heap sizes at earlier records", "rerun")
    evidence = replace(evidence, holders=(held,), record_growth=no_probe)
    found = growth_of(evidence, "group")
    assert isinstance(found, Growing)

    def need_after(before_mib: int | None) -> tuple[int, int]:
        live = replace(evidence.memory, live_bytes_at_death=50 * MIB)
        if before_mib is not None:
            live = replace(live, live_bytes_before_record=before_mib * MIB)
        need = need_of(replace(evidence, memory=live), found)
        return round(need.at_least / MIB), round(need.at_most / MIB)

    assert need_after(51) == need_after(50) == (34, 34)
    assert need_after(48) == (34, 34)  # 32 MB were there: the last step of a container
    assert need_after(36) == (20, 34)
    assert need_after(20) == need_after(None) == (16, 34)
    assert need_after(80) == (16, 34)  # 30 MB were freed, and as many may have come


@pytest.mark.parametrize(("place", "fires"), [("combine", True), ("reduce", False)])
def test_a_combiner_has_only_what_the_sort_buffer_leaves(place: str, fires: bool) -> None:
    # 60 MB of 240, of which the framework has 120: half of what it leaves, a quarter of the heap
    progress = Progress(0.9, "records of the merged input")
    evidence = reduce_attempt(
        place=place,
        progress=progress,
        composition=Composition(framework_bytes=120 * MIB, user_bytes=60 * MIB),
    )
    evidence = with_growth(
        evidence, "this.seen", 60 * MIB, lifecycle="reduce", unit="group", last_x=30
    )
    verdict = verdicts_of(evidence)["large_accumulated_results.reduce"]
    assert isinstance(verdict, Fires) is fires


def test_groups_still_to_come_are_counted_in_the_maps_output_not_by_the_records_that_are_done() -> (
    None
):
    # four fifths of the records in the first 30 groups; one map alone wrote 90 keys for it
    evidence = with_growth(
        reduce_attempt(progress=Progress(0.8, "records of the merged input")),
        "this.writers", 60 * MIB, lifecycle="reduce", unit="group", last_x=30,
    )  # fmt: skip
    found = growth_of(evidence, "reduce")
    assert isinstance(found, Growing)
    assert not found.by_group

    def end(partitions: Partitions | None) -> float | None:
        growing = growth_of(replace(evidence, partitions=partitions), "reduce")
        assert isinstance(growing, Growing)
        return growing.end_x

    by_records = end(partitions=None)
    keys = Partitions(0, records=(9000, 9000), bytes=(1, 1), keys_in_one_map=(90, 90))
    assert by_records is not None
    assert by_records < 45
    assert end(partitions=keys) == by_records
    (over_groups,) = evidence.series
    taken = [0, 4000, 6000, 6800, 7200, 7500, 7700, 7900][: len(over_groups.points)]
    points = tuple(
        Point(x, one.size_bytes) for x, one in zip(taken, over_groups.points, strict=True)
    )
    over_records = replace(over_groups, unit="record", points=points, at_death=None)
    evidence = replace(evidence, series=(over_groups, over_records))
    found = growth_of(evidence, "reduce")
    assert isinstance(found, Growing)
    assert found.by_group
    assert end(partitions=keys) == 90
    # keys of which a comparator makes one group tell nothing of how many groups there are
    assert end(partitions=replace(keys, are_merged=True)) == by_records
    few = replace(keys, keys_in_one_map=(20, 20))  # of several maps: at least so many
    assert end(partitions=few) == by_records
    # while a large group is being read, the share of the records predicts groups that are not
    assert end(partitions=replace(few, keys=(33, 33))) == 33
    assert end(partitions=replace(few, keys=(33, 33), complete=False)) == by_records
    assert end(partitions=replace(few, keys=(25, 25))) == found.x_now
