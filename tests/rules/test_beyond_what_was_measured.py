"""What is denied by a curve: only what lies within its interval, and near what was measured."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.evidence import growing_series, holder, map_attempt, reduce_attempt, with_growth
from builders.verdicts import verdicts_of

from mprof.evidence import (
    Distribution,
    Evidence,
    Group,
    GroupSizes,
    MapBuffer,
    Partitions,
    Progress,
    RecordGrowth,
    RecordSizes,
    Split,
    Unit,
    Unknown,
    Verification,
)
from mprof.rules import CannotTell, Fires, Silent, Verdict
from mprof.units import MIB

NOTHING_AT_R_N = RecordGrowth(before=(), last_records=1, last_bytes=0, source="dump")


def verdict(evidence: Evidence, cause: str) -> Verdict:
    return verdicts_of(evidence)[cause]


def keeping(done: float, points: int, kept_mb: int = 100) -> Evidence:
    """A mapper that kept so many MB at that share of its split, evenly, seen at so many points.

    With fewer than five nothing chooses a law: it may be the square.
    """
    evidence = map_attempt(progress=Progress(done, "bytes read of the split"))
    sizes = [kept_mb * MIB * i / (points - 1) for i in range(points)]
    series = growing_series("this.pairs", sizes)
    return replace(evidence, holders=(holder("this.pairs", kept_mb * MIB),), series=(series,))


# A split is advised that leaves a tenth of the heap free, 216 MB; beside the mapper 140 MB stay.
# At 14.5 % of the split an eighth of it is 0.86 of what was read: by a line 86 MB, by a square 74.
@pytest.mark.parametrize(
    ("done", "points", "says"),
    [(0.145, 8, Silent), (0.145, 3, CannotTell), (0.05, 3, Silent), (0.6, 8, Fires)],
)
def test_a_split_is_denied_by_all_laws_that_have_support(
    done: float, points: int, says: type
) -> None:
    assert isinstance(verdict(keeping(done, points), "large_input_split"), says)


# No setting divides a record. At 60 % of the split half of it would need 223 MB, a third 196; what
# a record of so many bytes brought is as much as so many records brought, or as one: beside 140 MB
# that fits, beside 221 it does not.
@pytest.mark.parametrize(
    ("kept_mb", "share", "in_heap", "says"),
    [
        (100, 0.5, False, CannotTell),
        (100, 0.33, False, Fires),
        (100, 0.5, True, Fires),
        (19, 0.5, False, Silent),
    ],
)
def test_a_split_is_no_smaller_than_its_largest_record(
    kept_mb: int, share: float, in_heap: bool, says: type
) -> None:
    evidence = keeping(0.6, 8, kept_mb)
    assert isinstance(evidence.split, Split)
    size = round(share * evidence.split.length_bytes)
    others = Distribution.of([size, *range(1000, 1100)])
    evidence = replace(evidence, records=RecordSizes(900, 1000, others, in_heap=in_heap))
    assert isinstance(verdict(evidence, "large_input_split"), says)


# Collections show the whole heap: what stands beside the list may have come after an eighth.
@pytest.mark.parametrize(("source", "says"), [("dump", Silent), ("passive", CannotTell)])
def test_an_eighth_that_was_read_is_not_denied_by_collections(source: str, says: type) -> None:
    evidence = keeping(0.145, 8)
    sizes = [100 * MIB * i / 7 for i in range(8)]
    series = growing_series("this.pairs" if source == "dump" else None, sizes, source=source)
    evidence = replace(evidence, series=(series,))
    assert isinstance(verdict(evidence, "large_input_split"), says)


# A list of 100 MB of 240 of which collections have seen 30, or 90: what came since may be of R_n.
@pytest.mark.parametrize(("seen_mib", "says"), [(30, CannotTell), (90, Silent)])
def test_what_came_after_the_last_collection_is_not_denied_to_the_last_record(
    seen_mib: int, says: type
) -> None:
    sizes = [seen_mib * MIB * i / 7 for i in range(8)]
    evidence = replace(
        map_attempt(progress=Progress(0.5, "bytes read of the split")),
        holders=(holder("this.pairs", 100 * MIB),),
        series=(growing_series(None, sizes, source="passive"),),
        record_growth=Unknown("heap sizes at earlier records", "rerun"),
    )
    assert isinstance(verdict(evidence, "large_intermediate_results"), says)


def buffered(done: float, kept_mib: int, *, measured: bool) -> Evidence:
    evidence = map_attempt(
        progress=Progress(done, "bytes read of the split"),
        map_buffer=MapBuffer(120 * MIB, allocated=True),
        record_growth=NOTHING_AT_R_N,
    )
    if measured:
        return with_growth(evidence, "this.pairs", kept_mib * MIB)
    return replace(evidence, holders=(holder("this.pairs", kept_mib * MIB),))


@pytest.mark.parametrize(
    ("done", "kept_mib", "measured", "says"),
    [
        (0.8, 50, True, Fires),
        (0.1, 90, False, CannotTell),  # nothing was measured of it
        (0.1, 40, True, CannotTell),  # by its line it needs 400 MB, but twice of it would fit
        (0.3, 110, True, Silent),
    ],
)
def test_a_buffer_is_denied_by_what_was_measured_alone(
    done: float, kept_mib: int, measured: bool, says: type
) -> None:
    evidence = buffered(done, kept_mib, measured=measured)
    assert isinstance(verdict(evidence, "large_framework_buffer.map"), says)


def reducing(records: tuple[int, ...], done: float, kept_mib: int = 150) -> Evidence:
    evidence = reduce_attempt(
        progress=Progress(done, "records of the merged input"),
        partitions=Partitions(0, records=records, bytes=tuple(100 * one for one in records)),
        reducers=len(records),
    )
    return with_growth(
        evidence, "this.index", kept_mib * MIB, lifecycle="reduce", unit="group", last_x=30
    )


# The mean partition has 31.2 groups, and 40, where 31 filled the heap: a percent more is within the
# noise of sizes.
@pytest.mark.parametrize(("done", "says"), [(0.497, CannotTell), (0.3875, Silent)])
def test_the_mean_partition_is_denied_by_the_smaller_end_of_the_interval(
    done: float, says: type
) -> None:
    evidence = reducing((2000, 700, 650, 650), done)
    points = [6 * MIB * x for x in (0, 5, 10, 15, 20, 25, 30)]
    series = growing_series("this.index", points, lifecycle="reduce", unit="group", last_x=30)
    assert series.at_death is not None
    series = replace(series, at_death=replace(series.at_death, size_bytes=186 * MIB))
    kept = holder("this.index", 186 * MIB, lifecycle="reduce", method="reduce")
    evidence = replace(evidence, holders=(kept,), series=(series,))
    assert isinstance(verdict(evidence, "improper_partition.unbalanced"), says)


# More reducers leave the largest group whole, and give it a tenth of the others: together 0.97 and
# 1.3 of what was read when the heap was full. With 450 records it would be 1.01 of it.
# What grew in proportion to the groups may keep as much of each, whatever its size.
@pytest.mark.parametrize(
    ("records", "unit", "says"),
    [
        (430, "record", Fires),
        (450, "record", CannotTell),
        (600, "record", Silent),
        (600, "group", CannotTell),
    ],
)
@pytest.mark.parametrize("is_of_the_death", [False, True])
def test_reducers_are_denied_by_the_largest_group(
    records: int, unit: Unit, says: type, is_of_the_death: bool
) -> None:
    largest = Group(7, records=records, whole=True)
    groups = GroupSizes(Group(30, records=1), largest=largest)
    if is_of_the_death:
        groups = GroupSizes(Group(30, records=1), largest=Group(7, 20), counted=largest)
    evidence = replace(reducing((1000, 1010, 990), 0.5, 190), groups=groups)
    last = 500 if unit == "record" else 30
    series = growing_series(
        "this.index", [190 * MIB * i / 7 for i in range(8)], lifecycle="reduce", unit=unit,
        last_x=last,
    )  # fmt: skip
    evidence = replace(evidence, series=(series,))
    assert isinstance(verdict(evidence, "improper_partition.few_reducers"), says)


# 80 MB are kept of all groups and 110 MB of this one, dead at 50,000 of its records: by itself it
# would fit with 60,000 of them, and not with 150,000.
@pytest.mark.parametrize(
    ("source", "whole", "says"),
    [("passive", 60_000, CannotTell), ("dump", 150_000, Silent), ("dump", 60_000, Fires)],
)
def test_what_one_group_holds_is_told_by_dumps_from_what_is_kept_of_all(
    source: str, whole: int, says: type
) -> None:
    evidence = reducing((1_000_000, 1_010_000, 990_000), 0.5, 80)
    grown = growing_series(
        None if source == "passive" else "values",
        [110 * MIB * i / 7 for i in range(8)],
        lifecycle="group", unit="record_in_group", last_x=50_000, source=source,
    )  # fmt: skip
    values = holder("values", 110 * MIB, lifecycle="group", method="reduce")
    evidence = replace(
        evidence,
        holders=(*evidence.holders, values),
        series=(*evidence.series, grown),
        groups=GroupSizes(Group(30, whole, whole, whole=True)),
    )
    found = verdict(evidence, "improper_partition.few_reducers")
    assert isinstance(found, says), found
    assert not isinstance(found, Fires) or found.confidence == "likely"


@pytest.mark.parametrize(("records", "says"), [(400, CannotTell), (240, Fires)])
def test_a_group_whose_end_nobody_met_is_not_divided(records: int, says: type) -> None:
    groups = GroupSizes(Group(30, records=records, bytes=100 * records))
    evidence = replace(reducing((1000, 1010, 990), 0.5, 190), groups=groups)
    assert isinstance(verdict(evidence, "improper_partition.few_reducers"), says)
    # counted to its end, it is known to leave room
    whole = replace(groups, counted=Group(None, records=records, bytes=100 * records, whole=True))
    counted = replace(evidence, groups=whole)
    assert isinstance(verdict(counted, "improper_partition.few_reducers"), Fires)


@pytest.mark.parametrize(("died", "says"), [(None, CannotTell), (True, Silent)])
def test_a_buffer_waits_for_the_record_that_holds_more_than_it(
    died: bool | None, says: type
) -> None:
    evidence = replace(
        buffered(0.9, 10, measured=True),
        holders=(holder("grams", 125 * MIB, lifecycle="record"),),
        map_buffer=MapBuffer(80 * MIB, allocated=True),
        series=(),
        record_growth=RecordGrowth(tuple((10, 800) for _ in range(7)), 1, 125 * MIB, "dump"),
    )
    if died is not None:
        evidence = replace(
            evidence, verification=Verification(met=True, growth_bytes=125 * MIB, died=died)
        )
    assert isinstance(verdict(evidence, "large_framework_buffer.map"), says)
