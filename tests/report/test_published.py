"""What is published of a diagnosis, as values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from builders.evidence import (
    CAPACITY,
    growing_series,
    holder,
    map_attempt,
    reduce_attempt,
    with_growth,
)

from development.json_schema import json_schema
from development.pages.reference import HEAP_ANSWERS
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
from mprof.heap import HeapSummary
from mprof.objects.comparison import HeapComparison
from mprof.report.account import account_rows
from mprof.report.names import held_text
from mprof.report.published import FindingsReport, Report
from mprof.report.published.data import Partition
from mprof.report.published.heap import CurvePoint
from mprof.report.published.report import FailedAttempt
from mprof.report.sentences import undecided
from mprof.report.summary import place_text, setting_words, summary
from mprof.units import MIB

ROOT = Path(__file__).parents[2]
MISSING = Unknown("something", "rerun")


def report(evidence: Evidence, *, advice: tuple[Advice, ...] = ()) -> Report:
    found = diagnose(evidence)
    return Report.of(replace(found, diagnosis=replace(found.diagnosis, advice=advice)))


def test_a_cause_comes_with_its_place_and_the_split_without_the_size_of_what_is_kept() -> None:
    seen = report(with_growth(map_attempt(), "this.counts", 170 * MIB))

    accumulated, split = seen.causes
    assert seen.conclusion == "causes"
    assert accumulated.cause == "large_accumulated_results.map"
    assert accumulated.published_as == "1"
    assert place_text(accumulated.where) == "Job.map (Job.java:42), held by this.counts"
    assert (accumulated.bytes, split.bytes) == (170 * MIB, 170 * MIB)
    assert f"{accumulated.name}, 170 MB, in Job.map" in summary(seen)
    assert f"{split.name}." in summary(seen)


@pytest.mark.parametrize(
    ("position", "said"),
    [
        (
            DeathPosition("reduce", record=60001, group=31, record_in_group=50001),
            " at record 50,001 of group 31",
        ),
        (DeathPosition("reduce", record=60001, group=31), " at record 60,001 in"),
        (DeathPosition("map", record=4001), " at record 4,001 in"),
        (DeathPosition("shuffle"), "heap space in reduce()"),
        (MISSING, "heap space in reduce()"),
    ],
)
def test_a_record_is_numbered_in_its_group_where_both_are_known(
    position: DeathPosition | Unknown, said: str
) -> None:
    assert said in summary(report(reduce_attempt(position=position, place="reduce")))


@pytest.mark.parametrize(
    ("kind", "end", "conclusion"),
    [
        ("heap", "died", "no rule fires"),
        ("container-physical", "died", "not the heap"),
        ("metaspace", "died", "not the heap"),
        ("not-memory", "died", "not memory"),
        ("none", "end unknown", "no failure seen"),
    ],
)
def test_why_no_cause_is_named_is_told_by_the_death(kind: Kind, end: str, conclusion: str) -> None:
    seen = report(map_attempt(death=Death(kind, "a line "), composition=Composition(other_bytes=9)))

    assert (seen.death.end, seen.conclusion) == (end, conclusion)


@pytest.mark.parametrize(
    ("state", "finished", "end"),
    [
        ("SUCCEEDED", False, "finished"),
        (None, True, "finished"),
        ("FAILED", True, "end unknown"),
        (None, False, "end unknown"),
    ],
)
def test_a_job_did_not_fail_only_where_something_says_that_it_succeeded(
    state: str | None, finished: bool, end: str
) -> None:
    alive = map_attempt(death=Death("none", ""))
    job = replace(alive.job, state=state)
    attempt = replace(alive.attempt, finished=finished)

    assert report(replace(alive, job=job, attempt=attempt)).death.end == end


def test_a_lone_dump_does_not_say_how_its_task_ended() -> None:
    lone = Evidence(Job(None), Attempt(None, None, None), Death("none", "a dump alone"))

    assert report(lone).death.end == "end unknown"


def test_rules_that_lack_the_same_thing_stand_together() -> None:
    seen = report(map_attempt(holders=MISSING, composition=MISSING))

    assert seen.conclusion == "undecided"
    lacking = undecided(seen)
    assert sum(map(len, lacking.values())) == len(seen.unknown)
    assert len(lacking["something", "rerun"]) > 1


def test_a_frame_that_reaches_less_than_a_hundredth_is_shown_without_a_size() -> None:
    stack = (
        StackFrame("x.A", "map", "A.java", 7, user_bytes=10 * MIB, share=0.01),
        StackFrame("x.B", "map", user_bytes=10 * MIB, share=0.0099),
        StackFrame("x.C", "map"),
    )

    frames = report(map_attempt(stack=stack)).stack

    assert [one.class_name for one in frames] == ["x.A", "x.B", "x.C"]
    assert [held_text(one) for one in frames] == ["=> 10 MB, 1 %", "", ""]


def test_the_account_adds_up_to_the_heap_and_small_rows_are_not_listed() -> None:
    live = Composition(user_bytes=60 * MIB, framework_bytes=39 * MIB, record_bytes=MIB // 2,
                       other_bytes=MIB // 2)  # fmt: skip
    text = replace(holder("this.text", 50 * MIB, class_name="java.lang.StringBuilder"), length=9)

    seen = report(
        map_attempt(composition=live, holders=(text,), map_buffer=MapBuffer(30 * MIB, True))
    )

    rows = account_rows(seen.account)
    assert seen.account is not None
    assert seen.account.live_bytes == 100 * MIB
    assert sum(one.bytes for one in rows) == CAPACITY
    assert [(one.name, one.bytes // MIB, one.listed, one.told) for one in rows] == [
        ("this.text", 50, True, True),
        ("the map-side sort buffer", 30, True, True),
        ("other objects of the job's code", 10, True, False),
        ("Hadoop's own objects outside its buffers", 9, True, False),
        ("the record at work", 0, False, False),
        ("the JVM and libraries", 0, False, False),
        ("free, in pieces or kept back by the collector", 140, True, False),
    ]
    assert rows[0].detail == ("StringBuilder, 9 characters, for the whole task, in Job.map")


@pytest.mark.parametrize(
    ("owner", "said"),
    [
        ("writer", "HashMap, 7 entries of Row, of the output's writer, for the whole task"),
        (
            "reader",
            "HashMap, 7 entries of Row, read ahead by the input's reader, for the whole task",
        ),
        ("library", "HashMap, 7 entries of Row, in a static field"),
        ("external", "HashMap, 7 entries of Row, since before the first record"),
    ],
)
def test_a_row_says_whose_an_object_is(owner: Owner, said: str) -> None:
    one = replace(holder("x.batch", 50 * MIB, owner=owner, length=7), element_class="com.x.Row")

    row = account_rows(report(map_attempt(holders=(replace(one, site=None),))).account)

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

    row = account_rows(report(map_attempt(holders=(one,), records_at_once=at_once)).account)

    assert [each.detail for each in row if each.name == "local rows"] == [said]


def test_a_heap_without_a_cause_is_told_by_what_holds_a_tenth_of_it() -> None:
    # what one step made is no growth, and still it fills the heap
    jumped = growing_series("this.known", [0, 0, 0, 72 * MIB, 72 * MIB, 72 * MIB])
    held = (holder("this.known", 72 * MIB), holder("this.small", 20 * MIB))

    seen = report(map_attempt(holders=held, series=(jumped,)))

    assert seen.conclusion != "causes"
    assert [one.name for one in account_rows(seen.account) if one.told] == [
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

    seen = report(map_attempt(holders=(holder("this.large", 90 * MIB),), series=series))

    assert [one.of for one in seen.curves] == [
        "this.large",
        "field com.example.Job.this.small",
        "field com.example.Job.this.smallest",
    ]
    assert seen.curves[0].points[-1] == CurvePoint(4000, 90 * MIB)
    assert seen.curves[0].death == CurvePoint(4001, 90 * MIB)


def test_points_stand_in_order_and_the_largest_curve_is_judged_by_its_end() -> None:
    mixed = Series("this.a", "map", "record", (Point(9, 5), Point(1, 70)), "dump")
    other = Series("this.b", "map", "group", (Point(9, 6), Point(1, 0)), "dump")

    seen = report(map_attempt(series=(mixed, other)))

    assert [one.of for one in seen.curves] == ["this.b", "this.a"]
    assert [point.x for point in seen.curves[1].points] == [1, 9]


def test_the_partition_of_the_failed_reducer_comes_first_and_then_the_largest() -> None:
    sizes = (5, 9, 2, *range(100, 130))

    seen = report(reduce_attempt(partitions=Partitions(own=2, bytes=sizes))).partitions

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
    seen = report(reduce_attempt(partitions=Partitions(own=0, records=records))).partitions

    assert (seen.measure if seen is not None else None) == measure


def test_a_group_is_compared_in_bytes_where_both_sides_are_known() -> None:
    others = Distribution.of([1, 2, 3, 4, 5, 6, 7])
    current = Group(31, records=90, bytes=900)
    by_bytes = GroupSizes(current, other_records=others, other_bytes=others, all_reducers=True)

    seen = report(reduce_attempt(groups=by_bytes)).groups
    in_records = report(reduce_attempt(groups=replace(by_bytes, other_bytes=MISSING))).groups
    alone = report(reduce_attempt(groups=GroupSizes(current, Distribution.of([])))).groups

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

    seen = report(map_attempt(), advice=advice)

    assert seen.advice == advice
    assert setting_words(seen, name="io.sort.mb", value="50") == "-D io.sort.mb=50"
    assert summary(seen).endswith("Try: -D io.sort.mb=50")


def test_other_failed_attempts_are_taken_over() -> None:
    lines = (AttemptLine("attempt_1", "heap", "Java heap space"),)

    seen = report(map_attempt(attempts=lines))

    assert seen.attempts == (FailedAttempt(id="attempt_1", death="heap", line="Java heap space"),)


@pytest.mark.parametrize(
    ("kind", "name", "title"),
    [
        (Report, "diagnosis", "What mprof diagnose --json prints of one death"),
        (FindingsReport, "findings", "What mprof diagnose --json prints of several deaths"),
        (HeapSummary, "heap", "What mprof heap --json prints"),
        (HeapComparison, "heap-comparison", "What mprof heap DUMP DUMP2 --json prints"),
        *((kind, name, title) for name, (kind, title) in HEAP_ANSWERS.items()),
    ],
)
def test_the_schema_is_made_from_the_types(kind: type, name: str, title: str) -> None:
    written = (ROOT / f"docs/reference/{name}.schema.json").read_text(encoding="utf-8")

    assert written == json_schema(kind, title), "run: make docs"


def test_what_is_published_is_read_back() -> None:
    seen = report(with_growth(map_attempt(), "this.counts", 170 * MIB))

    assert seen == msgspec.json.decode(msgspec.json.encode(seen), type=Report)
