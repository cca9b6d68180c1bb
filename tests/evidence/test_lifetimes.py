"""Locals that the JIT compiler took apart: the live heap says how long what they held has lived."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mprof.evidence import DeathPosition
from mprof.evidence.assemble.holders import holders_of
from mprof.evidence.assemble.lifetimes import with_lifetimes_of_probes, with_true_lifetimes
from mprof.evidence.assemble.live_heap import LiveBefore, live_before, live_heap_of
from mprof.evidence.assemble.moments import Moment
from mprof.evidence.facts import Holder
from mprof.objects import StackFrame
from mprof.trace import read_trace
from tests.builders.attempts import EventWriter
from tests.builders.keys import local_key, record_key
from tests.builders.snapshots import MIB, holding, snapshot

LIBRARY = ("com.example.Counts", "forEach", 43)
REDUCE = ("com.example.Stripes", "reduce", 15)
BRIDGE = ("com.example.Stripes", "reduce", 8)
RUN = ("org.apache.hadoop.mapreduce.Reducer", "run", 171)


def _frame(what: tuple[str, str, int]) -> StackFrame:
    name, method, line = what
    return StackFrame(name, method, None, line, name.startswith("com.example"), 74 * MIB, 1.0)


# 74 MB seen from a frame of the job's own library, 2 MB of another owner, 12 MB of the JVM
DEATH = replace(
    snapshot(
        "oom",
        [
            holding(local_key("com.example.Job", "map", "counts"), 74 * MIB, lifecycle="record"),
            holding(record_key("value"), 2 * MIB, lifecycle="record", owner="record_in_flight"),
        ],
        at_death=True,
        side="reduce",
        place="reduce",
        framework=0,
    ),
    frames=tuple(_frame(each) for each in (LIBRARY, REDUCE, BRIDGE, RUN)),
)
HOLDERS = holders_of(DEATH, (), in_setup=False)


def _first(before: LiveBefore) -> Holder:
    return with_true_lifetimes(HOLDERS, DEATH, before)[0]


def test_what_stood_before_the_record_and_not_before_its_group_is_of_the_group() -> None:
    found = _first(LiveBefore(record=86 * MIB, group=15 * MIB))

    assert found.lifecycle == "group"
    assert found.site is not None
    assert (found.site.class_name, found.site.method, found.site.line) == REDUCE


def test_without_a_bridge_the_lowest_frame_of_the_job_is_the_call() -> None:
    plain = replace(DEATH, frames=tuple(map(_frame, (LIBRARY, BRIDGE, RUN))))
    found = with_true_lifetimes(HOLDERS, plain, LiveBefore(86 * MIB, 15 * MIB))[0]

    assert found.site is not None
    assert found.site.line == BRIDGE[2]


@pytest.mark.parametrize("group", [None, 80 * MIB])
def test_what_stood_before_its_group_too_has_lived_nobody_knows_how_long(group: int | None) -> None:
    found = _first(LiveBefore(record=86 * MIB, group=group))

    assert found.lifecycle is None
    assert found.site == HOLDERS[0].site


def test_a_local_that_two_methods_may_have_held_lives_as_the_live_heap_says() -> None:
    in_doubt = (replace(HOLDERS[0], lifecycle=None), HOLDERS[1])

    of_group = with_true_lifetimes(in_doubt, DEATH, LiveBefore(86 * MIB, 15 * MIB))
    of_record = with_true_lifetimes(in_doubt, DEATH, LiveBefore(20 * MIB, 15 * MIB))
    not_known = with_true_lifetimes(in_doubt, DEATH, LiveBefore())

    assert [each[0].lifecycle for each in (of_group, of_record, not_known)] == ["group", None, None]


@pytest.mark.parametrize("group", [None, 80 * MIB])
@pytest.mark.parametrize(
    ("elements", "records", "lifecycle"),
    [(6950, 6951, "group"), (6951, 6951, "group"), (6949, 6951, None), (6952, 6951, None),
     (6950, None, None), (50, 51, None), (None, 6951, None)],
)  # fmt: skip
def test_what_compiled_code_held_with_one_element_a_record_is_of_the_group(
    elements: int | None, records: int | None, lifecycle: str | None, group: int | None
) -> None:
    # a minor collection before the group left garbage: what was live then is not known
    in_doubt = (replace(HOLDERS[0], lifecycle=None, length=elements), HOLDERS[1])

    found = with_true_lifetimes(in_doubt, DEATH, LiveBefore(86 * MIB, group), records)

    assert found[0].lifecycle == lifecycle


def test_what_a_dump_says_is_of_one_record_is_not_the_groups_for_its_number_of_elements() -> None:
    counted = (replace(HOLDERS[0], length=6950), HOLDERS[1])

    found = with_true_lifetimes(counted, DEATH, LiveBefore(86 * MIB, None), 6951)

    assert found[0].lifecycle is None


@pytest.mark.parametrize("record", [None, 20 * MIB, 50 * MIB])
def test_what_came_with_the_record_is_of_the_record(record: int | None) -> None:
    assert with_true_lifetimes(HOLDERS, DEATH, LiveBefore(record, 15 * MIB)) == HOLDERS


def test_half_of_it_decides() -> None:
    live = DEATH.live_bytes

    assert _first(LiveBefore(live - 36 * MIB, 15 * MIB)).lifecycle == "group"
    assert _first(LiveBefore(live - 38 * MIB, 15 * MIB)).lifecycle == "record"


def test_other_owners_keep_what_the_dump_says() -> None:
    found = with_true_lifetimes(HOLDERS, DEATH, LiveBefore(86 * MIB, 15 * MIB))

    assert found[1] == HOLDERS[1]


# (records in, group, bytes, major): what the collections of a reducer left behind
ROWS = [
    (0, 0, 11, False),
    (700, 400, 16, False),
    (810, 500, 24, False),
    (900, 500, 60, True),
    (950, 500, 70, False),
    (1000, 500, 80, True),
]


def test_only_a_major_collection_says_what_was_live_before_the_record(tmp_path: Path) -> None:
    writer = EventWriter("attempt_1700000000000_0042_r_000001_0")
    for records, group, size, major in ROWS:
        at = {"phase": "reduce", "records_in": records, "group": group}
        writer.add("memory", major=major, used_after=size, at=at)
    trace = read_trace(writer.write(tmp_path), diagnostics=None)

    def before(record: int, group: int) -> LiveBefore:
        return live_before(trace, DeathPosition("reduce", record=record, group=group))

    assert before(1000, 500) == LiveBefore(record=60, group=16, in_group=60)
    assert before(1001, 500) == LiveBefore(record=80, group=16, in_group=80)
    assert before(900, 500) == LiveBefore(record=None, group=16)
    assert before(900, 1) == LiveBefore(record=None, group=11)
    assert before(1050, 501) == LiveBefore(record=80, group=80)
    assert live_before(trace, None) == LiveBefore()
    assert live_before(trace, DeathPosition("combine", record=1001)) == LiveBefore()


@pytest.mark.parametrize("unread", [False, True])
@pytest.mark.parametrize(("record", "before"), [(100, None), (101, None), (102, 76), (103, 76)])
def test_what_stood_while_a_record_may_have_been_read_is_not_before_it(
    tmp_path: Path, record: int, before: int | None, unread: bool
) -> None:
    writer = EventWriter("attempt_1700000000000_0042_m_000001_0")
    writer.add("memory", major=True, used_after=76, at={"phase": "map", "records_in": 100})
    trace = read_trace(writer.write(tmp_path), diagnostics=None)
    position = DeathPosition("map", record=record, unread=unread)

    found = live_heap_of(trace, position, live=70)

    assert found.before.record == before
    points = {point.x for one in found.series for point in one.points}
    assert points == ({99.0} if record - unread > 100 else set())


def test_collections_after_an_error_that_the_job_lived_on_with_count(tmp_path: Path) -> None:
    writer = EventWriter("attempt_1700000000000_0042_m_000001_0")
    closed = {"class_": "java.io.IOException", "message": "Stream closed", "thread": "main"}
    writer.add("failure", **closed, place="map", record={"ordinal": 5})
    for records in (100, 500):
        at = {"phase": "map", "records_in": records}
        writer.add("memory", major=True, used_after=records, at=at)
    memory = {"class_": "java.lang.OutOfMemoryError", "message": "Java heap space"}
    writer.add("failure", **memory, thread="main", place="map", record={"ordinal": 1000})
    writer.add("memory", major=True, used_after=7, at={"phase": "map", "records_in": 600})
    trace = read_trace(writer.write(tmp_path), diagnostics=None)

    assert live_before(trace, DeathPosition("map", record=1000)).record == 500


def _probe(lifecycle: str, *, path: str = "counts", records: int = 900) -> Moment:
    """A probe within the group, at which the same local stood, or another."""
    key = local_key("com.example.Job", "map", path)
    held = snapshot(
        "probe", [holding(key, 60 * MIB, lifecycle=lifecycle)], side="reduce", place="reduce"
    )
    return Moment("in_group", records, 3, held, records=records)


def test_what_a_probe_within_the_group_met_is_not_of_the_last_record() -> None:
    found = with_lifetimes_of_probes(HOLDERS, [_probe("group")])

    assert [one.lifecycle for one in found] == ["group", HOLDERS[1].lifecycle]


@pytest.mark.parametrize(
    "moments",
    [[], [_probe("record")], [_probe("group", path="others")],
     [_probe("group", records=100), _probe("record", records=900)]],
)  # fmt: skip
def test_what_no_probe_met_or_the_last_one_no_more_stays_as_the_stack_tells(
    moments: list[Moment],
) -> None:
    assert with_lifetimes_of_probes(HOLDERS, moments) == HOLDERS


def _combine(call: int, record: int, group: int = 1) -> dict[str, object]:
    return {
        "phase": "merge", "records_in": 9, "combine_place": 2, "combine_call": call,
        "combine_partition": 0, "combine_group": group, "combine_record_in_group": record,
    }  # fmt: skip


def test_what_another_call_of_combine_left_is_no_point_of_this_one(tmp_path: Path) -> None:
    writer = EventWriter("attempt_1700000000000_0042_m_000001_0")
    for call, record, group, size in [
        (1, 400, 1, 70), (1, 900, 1, 75), (1, 5, 2, 20), (2, 100, 1, 30), (2, 500, 1, 50),
    ]:  # fmt: skip
        at = _combine(call, record, group)
        writer.add("memory", major=True, used_after=size, at=at)
        writer.add("histogram", classes=[["x.Y", 1, size * MIB]], at=at)
    writer.add("end", outcome="failed", at=_combine(2, 600))
    trace = read_trace(writer.write(tmp_path), diagnostics=None)
    position = DeathPosition("combine", record=9, group=1, record_in_group=600, partition=0)

    found = live_heap_of(trace, position, live=60)

    points = [[(point.x, point.size_bytes) for point in one.points] for one in found.series]
    assert points == [[(99, 30), (499, 50)], [(99, 30 * MIB), (499, 50 * MIB)]]
    start = found.series[0].at_start
    assert start is not None
    assert (start.x, start.size_bytes) == (0, 20)


@pytest.mark.parametrize(("before", "start"), [(16, 16), (180, 60)])
def test_what_was_live_before_a_group_is_where_its_curve_starts_at_most(
    tmp_path: Path, before: int, start: int
) -> None:
    writer = EventWriter("attempt_1700000000000_0042_r_000001_0")
    for group, record, size in [(1, 1, 15), (3, 1, before), (4, 50, 60), (4, 90, 80)]:
        at = {"phase": "reduce", "records_in": 100, "group": group, "record_in_group": record}
        writer.add("memory", major=True, used_after=size, at=at)
    trace = read_trace(writer.write(tmp_path), diagnostics=None)
    position = DeathPosition("reduce", record=200, group=4, record_in_group=100)

    over_groups, inside = live_heap_of(trace, position, live=90).series

    assert over_groups.at_start is None
    assert inside.at_start is not None
    assert (inside.at_start.x, inside.at_start.size_bytes) == (0, start)


def test_what_stood_before_the_record_may_be_of_the_others_that_are_worked_on_at_once() -> None:
    at_once = replace(DEATH, records_at_once=11)

    found = with_true_lifetimes(HOLDERS, at_once, LiveBefore(record=86 * MIB, group=None))

    assert found == HOLDERS
