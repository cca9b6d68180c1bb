"""Class histograms between two heap dumps: a holder's size there, or nothing where that is open.

In each test the true sizes are chosen first; the histogram is their sum by class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from mprof.evidence import DeathPosition, RecordGrowth, Unknown
from mprof.evidence.assemble.between_dumps import BetweenDumps, between_dumps
from mprof.evidence.assemble.curves import curves_of
from mprof.evidence.assemble.moments import Moment
from mprof.objects import ClassBytes, HeapObjects, Holder
from mprof.trace import read_trace
from tests.builders.attempts import EventWriter
from tests.builders.keys import field_key
from tests.builders.snapshots import MIB, holding, snapshot

COUNTS = field_key("com.example.Job", "counts")
CACHE = field_key("com.example.Job", "cache")

BUFFER = {"byte[]": 100 * MIB}  # the sort buffer, as large at every point
Sizes = Mapping[str, int]


def counts_of(megabytes: float) -> dict[str, int]:
    """A map of strings of so many MB: two fifths nodes, one strings, two their bytes."""
    parts = {"java.util.HashMap$Node": 0.4, "java.lang.String": 0.2, "byte[]": 0.4}
    return {name: round(share * megabytes * MIB) for name, share in parts.items()}


def total(*parts: Sizes) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in parts:
        for name, size in part.items():
            found[name] = found.get(name, 0) + size
    return found


def classes(sizes: Sizes) -> tuple[ClassBytes, ...]:
    return tuple(ClassBytes(name, size) for name, size in sizes.items())


def dump(
    name: str, own: Sizes, beside: Sizes, more: tuple[Holder, ...] = (), *, at_death: bool = False
) -> HeapObjects:
    """A heap with one map of the user's, and what is beside it."""
    size = sum(own.values())
    held = (holding(COUNTS, size, classes=classes(own)),) if size else ()
    framework = sum(beside.values()) - sum(each.bytes for each in more)
    heap = snapshot(name, (*held, *more), framework=framework, other=0, at_death=at_death)
    return replace(heap, classes=classes(total(own, beside)))


def between(
    folder: Path, histogram: Sizes, first: HeapObjects | None, death: HeapObjects | None
) -> tuple[BetweenDumps, ...]:
    """What is read of one histogram before record 500, after a dump before the first record."""
    writer = EventWriter("attempt_1_0001_m_000000_0", mode="profile")
    writer.add("dump", file="first.hprof", reason="probe", point="before_record", ordinal=1)
    writer.add(
        "histogram",
        reason="probe",
        point="before_record",
        ordinal=500,
        at={"phase": "map", "records_in": 500},
        seconds=0.5,
        total_bytes=sum(histogram.values()),
        classes=[[name, 1, size] for name, size in histogram.items()],
    )
    trace = read_trace(writer.write(folder))
    moments = () if first is None else (Moment("before_record", 1, None, first, 1, n=2),)
    return between_dumps(trace, moments, death)


def test_a_map_beside_a_sort_buffer_of_the_same_classes_has_its_own_size(tmp_path: Path) -> None:
    first = dump("first", {}, BUFFER)
    death = dump("oom", counts_of(80), BUFFER, at_death=True)

    (found,) = between(tmp_path, total(counts_of(37), BUFFER), first, death)

    assert found.bytes_at(COUNTS) == pytest.approx(37 * MIB, rel=1e-6)
    assert found.user_bytes == pytest.approx(37 * MIB, rel=1e-6)
    assert (found.point, found.ordinal, found.records) == ("before_record", 500, 500)


def test_nothing_is_said_where_another_holder_of_the_same_classes_grows_too(tmp_path: Path) -> None:
    other = holding(CACHE, 40 * MIB, classes=classes(counts_of(40)))
    first = dump("first", {}, BUFFER)
    death = dump("oom", counts_of(80), total(BUFFER, counts_of(40)), (other,), at_death=True)

    (found,) = between(tmp_path, total(counts_of(50), BUFFER), first, death)

    assert found.bytes_at(COUNTS) is None
    # Both are the user's: their sum is known
    assert found.user_bytes == pytest.approx(50 * MIB, rel=1e-6)


@pytest.mark.parametrize(
    "beside",
    [
        {"byte[]": 10 * MIB},  # the buffer was given up in between
        {"byte[]": 70 * MIB},
        {"byte[]": 130 * MIB},  # a record of 30 MB was in flight
        {"byte[]": 160 * MIB},
    ],
)
def test_nothing_is_said_where_something_came_and_went_in_between(
    tmp_path: Path, beside: Sizes
) -> None:
    first = dump("first", counts_of(10), BUFFER)
    death = dump("oom", counts_of(80), BUFFER, at_death=True)

    (found,) = between(tmp_path, total(counts_of(40), beside), first, death)

    assert found.bytes_at(COUNTS) is None


@pytest.mark.parametrize("in_flight", [-30, 20, 60])
def test_memory_of_other_classes_that_comes_and_goes_is_not_the_users(
    tmp_path: Path, in_flight: int
) -> None:
    beside = {"char[]": 50 * MIB}
    first = dump("first", counts_of(10), beside)
    death = dump("oom", counts_of(80), beside, at_death=True)
    there = {"char[]": (50 + in_flight) * MIB}

    (found,) = between(tmp_path, total(counts_of(40), there), first, death)

    assert found.bytes_at(COUNTS) == pytest.approx(40 * MIB, rel=1e-6)
    assert found.user_bytes is None


@pytest.mark.parametrize(("more", "is_known"), [(7, True), (9, False)])
def test_up_to_a_tenth_of_the_holder_may_be_open(tmp_path: Path, more: int, is_known: bool) -> None:
    # What others have of byte[] grows by so many MB while the map grows to 80 MB
    first = dump("first", {}, BUFFER)
    death = dump("oom", counts_of(80), total(BUFFER, {"byte[]": more * MIB}), at_death=True)

    (found,) = between(tmp_path, total(counts_of(40), BUFFER), first, death)

    size = found.bytes_at(COUNTS)
    assert (size is not None) is is_known
    # It is off by no more than half of what is open
    assert size is None or abs(size - 40 * MIB) <= more / 2 * MIB + 1


def test_without_an_earlier_dump_the_one_at_death_must_show_nearly_all_of_its_classes(
    tmp_path: Path,
) -> None:
    alone = dump("oom", counts_of(80), {"int[]": 30 * MIB}, at_death=True)
    shared = dump("oom", counts_of(80), {"byte[]": 30 * MIB}, at_death=True)
    histogram = total(counts_of(40), {"int[]": 30 * MIB})

    (of_alone,) = between(tmp_path / "a", histogram, None, alone)
    (of_shared,) = between(tmp_path / "b", histogram, None, shared)

    assert of_alone.bytes_at(COUNTS) == pytest.approx(40 * MIB, rel=1e-6)
    assert of_shared.bytes_at(COUNTS) is None
    assert of_alone.user_bytes is None  # what the framework had by then was not seen


def test_user_memory_is_not_known_where_the_framework_grew(tmp_path: Path) -> None:
    first = dump("first", {}, BUFFER)
    death = dump("oom", counts_of(80), total(BUFFER, {"long[]": 20 * MIB}), at_death=True)

    (found,) = between(tmp_path, total(counts_of(40), BUFFER), first, death)

    assert found.bytes_at(COUNTS) == pytest.approx(40 * MIB, rel=1e-6)
    assert found.user_bytes is None


def test_without_a_later_dump_or_in_an_older_snapshot_there_is_no_such_point(
    tmp_path: Path,
) -> None:
    first = dump("first", {}, BUFFER)
    old = replace(dump("oom", counts_of(80), BUFFER, at_death=True), classes=())

    assert between(tmp_path / "a", counts_of(40), first, None) == ()
    assert between(tmp_path / "b", counts_of(40), first, old) == ()


def test_the_curve_of_a_holder_has_both_kinds_of_points_and_says_how_many(tmp_path: Path) -> None:
    first = dump("first", {}, BUFFER)
    death = dump("oom", counts_of(80), BUFFER, at_death=True)
    moments = (Moment("before_record", 1, None, first, 1, n=2),)
    found = between(tmp_path, total(counts_of(40), BUFFER), first, death)
    position = DeathPosition("map", record=1000)

    series, growth = curves_of(moments, found, death, position, (), Unknown("no dump", "rerun"))

    (one,) = (each for each in series if each.unit == "record")
    sizes = [(each.x, round(each.size_bytes / MIB)) for each in one.points]
    assert sizes == [(0, 0), (499, 40)]
    assert (one.source, one.by_histogram) == ("dump", 1)
    assert isinstance(growth, RecordGrowth)
    assert (growth.last_records, round(growth.last_bytes / MIB)) == (501, 40)
