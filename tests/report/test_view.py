"""What a report shows of a diagnosis, as values."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.evidence import (
    CAPACITY,
    growing_series,
    holder,
    map_attempt,
    reduce_attempt,
    with_growth,
)

from mprof.diagnosis import Advice, diagnose
from mprof.evidence import (
    AttemptLine,
    Composition,
    Death,
    DeathPosition,
    Distribution,
    Evidence,
    Group,
    GroupSizes,
    Job,
    MapBuffer,
    Partitions,
    Point,
    Series,
    StackFrame,
    Unknown,
)
from mprof.evidence.facts import Attempt, Kind, Owner
from mprof.report.view import (
    Change,
    DiagnosisView,
    FailedAttempt,
    Partition,
    Place,
    Setting,
    Share,
    ViewPoint,
    view_of,
)
from mprof.units import MIB

MISSING = Unknown("something", "rerun")


def view(evidence: Evidence, *, advice: tuple[Advice, ...] = ()) -> DiagnosisView:
    found = diagnose(evidence)
    return view_of(replace(found, diagnosis=replace(found.diagnosis, advice=advice)))


def test_a_cause_comes_with_its_place_and_the_split_without_the_size_of_what_is_kept() -> None:
    seen = view(with_growth(map_attempt(), "this.counts", 170 * MIB))

    accumulated, split = seen.causes
    assert seen.conclusion == "causes"
    assert (accumulated.cause, accumulated.rule) == ("large_accumulated_results.map", "1")
    assert accumulated.where == Place("Job", "map", "Job.java", 42, "this.counts")
    assert (accumulated.bytes, accumulated.headline_bytes) == (170 * MIB, 170 * MIB)
    assert (split.cause, split.bytes) == ("large_input_split", 170 * MIB)
    assert split.headline_bytes is None


@pytest.mark.parametrize(
    ("position", "record", "group"),
    [
        (DeathPosition("reduce", record=60001, group=31, record_in_group=50001), 50001, 31),
        (DeathPosition("reduce", record=60001, group=31), 60001, None),
        (DeathPosition("map", record=4001), 4001, None),
        (DeathPosition("shuffle"), None, None),
        (MISSING, None, None),
    ],
)
def test_a_record_is_numbered_in_its_group_where_both_are_known(
    position: DeathPosition | Unknown, record: int | None, group: int | None
) -> None:
    death = view(reduce_attempt(position=position)).death

    assert (death.record, death.group) == (record, group)


@pytest.mark.parametrize(
    ("kind", "outcome", "conclusion"),
    [
        ("heap", "died", "no rule fires"),
        ("container-physical", "died", "not the heap"),
        ("metaspace", "died", "not the heap"),
        ("not-memory", "died", "not memory"),
        ("none", "end unknown", "no failure seen"),
    ],
)
def test_why_no_cause_is_named_is_told_by_the_death(
    kind: Kind, outcome: str, conclusion: str
) -> None:
    seen = view(map_attempt(death=Death(kind, "a line "), composition=Composition(other_bytes=9)))

    assert (seen.death.outcome, seen.conclusion) == (outcome, conclusion)
    assert seen.death.quoted == "a line"


@pytest.mark.parametrize(
    ("state", "finished", "outcome"),
    [
        ("SUCCEEDED", False, "finished"),
        (None, True, "finished"),
        ("FAILED", True, "end unknown"),
        (None, False, "end unknown"),
    ],
)
def test_a_job_did_not_fail_only_where_something_says_that_it_succeeded(
    state: str | None, finished: bool, outcome: str
) -> None:
    alive = map_attempt(death=Death("none", ""))
    job = replace(alive.job, state=state)
    attempt = replace(alive.attempt, finished=finished)

    assert view(replace(alive, job=job, attempt=attempt)).death.outcome == outcome


def test_a_lone_dump_does_not_say_how_its_task_ended() -> None:
    lone = Evidence(Job(None), Attempt(None, None, None), Death("none", "a dump alone"))

    assert view(lone).death.outcome == "end unknown"


def test_rules_that_lack_the_same_thing_stand_together() -> None:
    seen = view(map_attempt(holders=MISSING, composition=MISSING))

    assert seen.conclusion == "undecided"
    lacking = {(one.missing, one.run): one.causes for one in seen.undecided}
    assert len(lacking) == len(seen.undecided)
    assert len(lacking["something", "rerun"]) > 1


def test_a_frame_that_reaches_less_than_a_hundredth_is_shown_without_a_size() -> None:
    stack = (
        StackFrame("x.A", "map", "A.java", 7, user_bytes=10 * MIB, share=0.01),
        StackFrame("x.B", "map", user_bytes=10 * MIB, share=0.0099),
        StackFrame("x.C", "map"),
    )

    frames = view(map_attempt(stack=stack)).stack

    assert [one.class_name for one in frames] == ["x.A", "x.B", "x.C"]
    assert [one.held for one in frames] == [Share(10 * MIB, 0.01), None, None]


def test_the_account_adds_up_to_the_heap_and_small_rows_are_not_listed() -> None:
    live = Composition(user_bytes=60 * MIB, framework_bytes=39 * MIB, record_bytes=MIB // 2,
                       other_bytes=MIB // 2)  # fmt: skip
    text = replace(holder("this.text", 50 * MIB, class_name="java.lang.StringBuilder"), length=9)

    seen = view(
        map_attempt(composition=live, holders=(text,), map_buffer=MapBuffer(30 * MIB, True))
    )

    assert seen.live_bytes == 100 * MIB
    assert sum(one.share.bytes for one in seen.account) == CAPACITY
    assert [(one.name, one.share.bytes // MIB, one.listed, one.told) for one in seen.account] == [
        ("this.text", 50, True, True),
        ("the map-side sort buffer", 30, True, True),
        ("other objects of the job's code", 10, True, False),
        ("Hadoop's own objects outside its buffers", 9, True, False),
        ("the record at work", 0, False, False),
        ("the JVM and libraries", 0, False, False),
        ("free, in pieces or kept back by the collector", 140, True, False),
    ]
    assert seen.account[0].detail == ("StringBuilder, 9 characters, for the whole task, in Job.map")


@pytest.mark.parametrize(
    ("owner", "said"),
    [
        ("writer", "HashMap, 7 entries of Row, of the output's writer, for the whole task"),
        (
            "reader",
            "HashMap, 7 entries of Row, read ahead by the input's reader, for the whole task",
        ),
        ("library", "HashMap, 7 entries of Row, in a static field"),
        ("external", "HashMap, 7 entries of Row, loaded data"),
    ],
)
def test_a_row_says_whose_an_object_is(owner: Owner, said: str) -> None:
    one = replace(holder("x.batch", 50 * MIB, owner=owner, length=7), element_class="com.x.Row")

    row = view(map_attempt(holders=(replace(one, site=None),))).account

    assert [each.detail for each in row if each.name == "x.batch"] == [said]


@pytest.mark.parametrize(
    ("at_once", "said"),
    [
        (1, "HashMap, for one record, in Job.map"),
        (12, "HashMap, for the 12 records at work at once, in Job.map"),
    ],
)
def test_a_row_says_how_many_records_it_is_for(at_once: int, said: str) -> None:
    one = holder("local rows", 150 * MIB, lifecycle="record")

    row = view(map_attempt(holders=(one,), records_at_once=at_once)).account

    assert [each.detail for each in row if each.name == "local rows"] == [said]


def test_a_heap_without_a_cause_is_told_by_what_holds_a_tenth_of_it() -> None:
    # what one step made is no growth, and still it fills the heap
    jumped = growing_series("this.known", [0, 0, 0, 72 * MIB, 72 * MIB, 72 * MIB])
    held = (holder("this.known", 72 * MIB), holder("this.small", 20 * MIB))

    seen = view(map_attempt(holders=held, series=(jumped,)))

    assert seen.conclusion != "causes"
    assert [one.name for one in seen.account if one.told] == [
        "this.known", "the map-side sort buffer",
    ]  # fmt: skip


def test_curves_of_dumps_come_before_those_of_the_whole_heap_and_the_fourth_is_left_out() -> None:
    def curve(key: str | None, last: int, **changes: object) -> Series:
        return replace(growing_series(key, [0, last * MIB]), **changes)  # type: ignore[arg-type]

    series = (
        curve(None, 200, source="passive"),
        curve("this.small", 10),
        curve("this.large", 90),
        curve("this.smallest", 1),
        Series("this.empty", "map", "record", (), "dump"),
    )

    seen = view(map_attempt(holders=(holder("this.large", 90 * MIB),), series=series))

    assert [one.of for one in seen.curves] == [
        "this.large",
        "field com.example.Job.this.small",
        "field com.example.Job.this.smallest",
    ]
    assert seen.curves[0].points[-1] == ViewPoint(4000, 90 * MIB)
    assert seen.curves[0].death == ViewPoint(4001, 90 * MIB)


def test_points_stand_in_order_and_the_largest_curve_is_judged_by_its_end() -> None:
    mixed = Series("this.a", "map", "record", (Point(9, 5), Point(1, 70)), "dump")
    other = Series("this.b", "map", "group", (Point(9, 6), Point(1, 0)), "dump")

    seen = view(map_attempt(series=(mixed, other)))

    assert [one.of for one in seen.curves] == ["this.b", "this.a"]
    assert [point.x for point in seen.curves[1].points] == [1, 9]
    assert seen.on_one_axis == seen.curves[:1]


def test_the_partition_of_the_failed_reducer_comes_first_and_then_the_largest() -> None:
    sizes = (5, 9, 2, *range(100, 130))

    seen = view(reduce_attempt(partitions=Partitions(own=2, bytes=sizes))).partitions

    assert seen is not None
    assert (seen.measure, seen.count, len(seen.shown)) == ("bytes", 33, 24)
    assert seen.shown[:3] == (
        Partition(2, 2, own=True),
        Partition(32, 129, own=False),
        Partition(31, 128, own=False),
    )


@pytest.mark.parametrize(("records", "measure"), [((7, 8), "records"), ((7,), None)])
def test_partitions_are_told_in_records_where_bytes_are_not_known(
    records: tuple[int, ...], measure: str | None
) -> None:
    seen = view(reduce_attempt(partitions=Partitions(own=0, records=records))).partitions

    assert (seen.measure if seen is not None else None) == measure


def test_a_group_is_compared_in_bytes_where_both_sides_are_known() -> None:
    others = Distribution.of([1, 2, 3, 4, 5, 6, 7])
    current = Group(31, records=90, bytes=900)
    by_bytes = GroupSizes(current, other_records=others, other_bytes=others, all_reducers=True)

    seen = view(reduce_attempt(groups=by_bytes)).groups
    in_records = view(reduce_attempt(groups=replace(by_bytes, other_bytes=MISSING))).groups
    alone = view(reduce_attempt(groups=GroupSizes(current, Distribution.of([])))).groups

    assert seen is not None
    assert (seen.measure, seen.at_death, seen.others) == ("bytes", 900, 7)
    assert (seen.median, seen.upper_quartile, seen.largest_other) == (4, 6, 7)
    assert in_records is not None
    assert (in_records.measure, in_records.at_death) == ("records", 90)
    assert alone is None


def test_advice_is_a_setting_or_a_change_of_code() -> None:
    advice = (
        Advice("a", "setting", "Less.", "io.sort.mb", "100", "50", predicted_peak_bytes=7),
        Advice("b", "code", "Emit."),
    )

    assert view(map_attempt(), advice=advice).changes == (
        Change("Less.", Setting("io.sort.mb", new="50", old="100"), 7),
        Change("Emit."),
    )


def test_other_failed_attempts_are_taken_over() -> None:
    lines = (AttemptLine("attempt_1", "heap", "Java heap space"),)

    seen = view(map_attempt(attempts=lines))

    assert seen.attempts == (FailedAttempt("attempt_1", "Java heap space"),)
