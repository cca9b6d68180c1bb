"""The object that could not be allocated: it is in no dump, and the stack says who asked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.evidence import CAPACITY, holder, map_attempt
from builders.verdicts import allocation_of, verdicts_of

from mprof.advice import advise
from mprof.diagnosis import diagnose
from mprof.evidence import (
    Distribution,
    Evidence,
    RecordGrowth,
    RecordSizes,
    StackFrame,
    Unknown,
    Verification,
)
from mprof.rules import Fires, Silent
from mprof.units import MIB

MAP = StackFrame("com.x.Words", "map", "Words.java", 18, user=True)
READ = StackFrame("com.x.Vector", "readFields", "Vector.java", 33, user=True)
JDK = StackFrame("java.util.Arrays", "copyOf", "Arrays.java", 1)
FLAT = RecordGrowth(tuple((10, 2000) for _ in range(7)), 1, 0, "dump")
SIZES = Distribution.of([900, 1000, 1100, 900, 1000, 1100])


def dead(live_mib: int, *stack: StackFrame, **changes: object) -> Evidence:
    evidence = map_attempt(stack=stack or (MAP,), record_growth=FLAT, **changes)
    return replace(evidence, memory=replace(evidence.memory, live_bytes_at_death=live_mib * MIB))


def being_read(size: int | Unknown) -> Evidence:
    records = RecordSizes(4001, size, SIZES, being_read=True)
    return dead(70, READ, records=records)


@pytest.mark.parametrize(
    ("collector", "expected"),
    [("Serial", CAPACITY - 70 * MIB), ("G1", (CAPACITY - 70 * MIB) / 2), (None, 85 * MIB)],
)
def test_it_was_larger_than_what_was_free_in_one_piece(collector: str, expected: float) -> None:
    evidence = dead(70)
    attempt = replace(evidence.attempt, collector=collector)
    assert allocation_of(replace(evidence, attempt=attempt)).record_bytes == expected


def test_what_lies_at_the_ends_of_regions_was_free_for_no_object() -> None:
    # 240 MB, of which 122 are live and 116 lost: a small object may have been the last straw
    evidence = dead(122)
    memory = replace(evidence.memory, lost_bytes=116 * MIB)
    found = allocation_of(replace(evidence, memory=memory))
    wasted = verdicts_of(replace(evidence, memory=memory))["large_intermediate_results"]

    assert isinstance(verdicts_of(evidence)["large_intermediate_results"], Fires)
    assert (found.free_bytes, found.record_bytes) == (2 * MIB, MIB)
    assert not isinstance(wasted, Fires)


def test_the_sentence_says_what_is_empty_and_cannot_be_had() -> None:
    evidence = dead(70)
    memory = replace(evidence.memory, lost_bytes=40 * MIB)
    verdict = verdicts_of(replace(evidence, memory=memory))["large_intermediate_results"]

    assert isinstance(verdict, Fires)
    assert "did not fit into the 130 MB free (40 MB more are empty at the ends" in (
        verdict.sentence
    )


@pytest.mark.parametrize(
    ("live", "expected"),
    [
        (70, 90),  # the rest of an old generation of 160 MB
        (130, 36),  # of it 30 MB are left, and 110 MB lie in three spaces
        (180, 20),  # it is full, and 60 MB are free in the young generation
    ],
)
def test_serial_and_parallel_have_the_room_of_one_of_three_spaces(live: int, expected: int) -> None:
    evidence = dead(live)
    memory = replace(evidence.memory, largest_block_bytes=160 * MIB)
    attempt = replace(evidence.attempt, collector="Serial")
    found = allocation_of(replace(evidence, memory=memory, attempt=attempt))
    assert found.record_bytes // MIB == expected


@pytest.mark.parametrize("place", ["init", "setup", "shuffle", "sort", "cleanup"])
def test_where_no_record_is_worked_on_none_asked(place: str) -> None:
    assert allocation_of(replace(dead(70), place=place)).record_bytes == 0  # type: ignore[arg-type]


def test_a_thread_without_user_code_asked_for_itself() -> None:
    assert allocation_of(dead(70, JDK)).record_bytes == 0


def test_the_next_array_of_what_accumulates_is_not_the_records() -> None:
    builder = replace(holder("this.document", 45 * MIB), doubling=True)
    assert allocation_of(dead(70, JDK, MAP, holders=(builder,))).record_bytes == 0
    # one of 3 MB asks for 6 MB, not for 170: a record was appended whole
    small = replace(holder("this.document", 3 * MIB), doubling=True)
    assert allocation_of(dead(70, JDK, MAP, holders=(small,))).record_bytes == 85 * MIB


def test_in_map_it_is_the_work_on_the_record_and_the_line_that_asks() -> None:
    verdict = verdicts_of(dead(70, JDK, MAP))["large_intermediate_results"]
    assert isinstance(verdict, Fires)
    assert verdict.confidence == "likely"
    assert verdict.where is not None
    assert (verdict.where.class_name, verdict.where.line) == ("com.x.Words", 18)
    assert "into the 170 MB free" in verdict.sentence


@pytest.mark.parametrize(
    ("died", "same_room", "expected"),
    [(True, False, "sure"), (False, True, None), (False, False, "likely")],
)
def test_the_record_alone_dies_again_or_passes_in_its_room_or_nothing_is_proven(
    died: bool, same_room: bool, expected: str | None
) -> None:
    alone = Verification(met=True, growth_bytes=0, died=died, same_room=same_room)
    evidence = dead(70, verification=alone)
    verdict = verdicts_of(evidence)["large_intermediate_results"]
    assert (verdict.confidence if isinstance(verdict, Fires) else None) == expected


def test_a_record_of_unknown_size_that_is_read_into_it_is_the_large_one() -> None:
    verdicts = verdicts_of(being_read(Unknown("its size", "none")))
    large = verdicts["large_single_record"]
    assert isinstance(large, Fires)
    assert large.where is not None
    assert (large.where.method, large.where.line) == ("readFields", 33)
    assert isinstance(verdicts["large_intermediate_results"], Silent)


@pytest.mark.parametrize("size", [1000, 1100, 30_000])  # as others, the largest, and still small
def test_a_record_of_ordinary_size_that_is_read_into_it_was_made_large_by_its_reader(
    size: int,
) -> None:
    verdicts = verdicts_of(being_read(size))
    assert isinstance(verdicts["large_intermediate_results"], Fires)
    assert not isinstance(verdicts["large_single_record"], Fires)


def test_advice_names_no_size_that_nobody_measured() -> None:
    for evidence in (dead(70), being_read(Unknown("its size", "none"))):
        diagnosis = advise(diagnose(evidence)).diagnosis
        assert diagnosis.advice
        assert not any(" 0 B" in one.text for one in diagnosis.advice)
