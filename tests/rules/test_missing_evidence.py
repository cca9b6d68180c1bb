"""Whatever is missing, the rules answer: never a fault, never a cause out of nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from builders.evidence import (
    growing_series,
    holder,
    key_of,
    map_attempt,
    reduce_attempt,
    with_growth,
)
from builders.examples import examples_of
from builders.missing_facts import FACTS, MISSING, denied_causes, removals
from builders.verdicts import verdicts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from mprof.advice import advise
from mprof.diagnosis import diagnose
from mprof.evidence import (
    Attempt,
    Composition,
    Death,
    Distribution,
    Evidence,
    Group,
    GroupSizes,
    Job,
    Memory,
    Partitions,
    Point,
    Progress,
    RecordGrowth,
    RecordSizes,
    Series,
    Shuffle,
    StackFrame,
    Unknown,
)
from mprof.report import to_json
from mprof.rules import RULES, CannotTell, Fires, Silent
from mprof.units import MIB

MAY_BE_NONE = {"external", "split", "map_buffer", "shuffle", "partitions", "groups", "records"}
EXAMPLES: list[Callable[[], Evidence]] = [e.evidence for r in RULES for e in examples_of(r)]
SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/reference/diagnosis.schema.json").read_text()
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@given(
    st.sampled_from(EXAMPLES),
    st.sets(st.sampled_from([*FACTS, "memory", "series"]), max_size=8),
    st.sets(st.sampled_from(sorted(MAY_BE_NONE)), max_size=3),
)
@settings(max_examples=150, deadline=None)
def test_any_fact_may_be_missing(
    build: Callable[[], Evidence], unknown: set[str], none: set[str]
) -> None:
    changes: dict[str, Any] = dict.fromkeys(unknown & set(FACTS), MISSING)
    changes |= dict.fromkeys(none)
    if "memory" in unknown:
        changes["memory"] = Memory()
    if "series" in unknown:
        changes["series"] = ()
    evidence = replace(build(), **changes)
    diagnosed = advise(diagnose(evidence))
    VALIDATOR.validate(json.loads(json.dumps(to_json(diagnosed))))


@pytest.mark.parametrize("task_type", ["map", "reduce", None])
def test_where_nothing_is_known_nothing_fires(task_type: Any) -> None:
    evidence = Evidence(Job(None), Attempt(None, task_type, None), Death("heap", "a dump"))
    assert not [v for v in verdicts_of(evidence).values() if isinstance(v, Fires)]


@pytest.mark.parametrize(
    "build",
    [e.evidence for r in RULES for e in examples_of(r) if e.says == "FIRES"],
    ids=[f"{r.slug}: {e.title}" for r in RULES for e in examples_of(r) if e.says == "FIRES"],
)
def test_a_cause_is_not_denied_for_want_of_a_fact(build: Callable[[], Evidence]) -> None:
    evidence = build()
    whole = verdicts_of(evidence)
    denied = {
        name: found
        for name, remove in removals(evidence).items()
        if (found := denied_causes(whole, verdicts_of(remove(evidence))))
    }
    assert not denied


def _told_by_the_dump_alone() -> Evidence:
    # 40 MB by the last group, 140 MB at the death: only the holders say so
    evidence = reduce_attempt(progress=Progress(1.0, "records"))
    series = growing_series(
        "this.index", [40 * MIB * i / 7 for i in range(8)], lifecycle="reduce", unit="group",
        last_x=30,
    )  # fmt: skip
    one = holder("this.index", 140 * MIB, lifecycle="reduce", doubling=True)
    return replace(evidence, series=(replace(series, at_death=None),), holders=(one,))


def _array_of_a_record() -> Evidence:
    records = RecordSizes(3, Unknown("its size", "none"), Distribution.of([9]), being_read=True)
    return map_attempt(death=Death("array-limit", "a line"), records=records)


def _spilling(length: int = 4000) -> Evidence:
    # the thread that spills met the full heap; one element a record in a field of the mapper
    return map_attempt(place="sort", holders=(holder("this.lines", 170 * MIB, length=length),))


def _doubled_early() -> Evidence:
    # 36 MB of 240 are held; its next array found no piece of the 120 MB free
    live = Composition(framework_bytes=44 * MIB, user_bytes=36 * MIB)
    evidence = with_growth(
        map_attempt(progress=Progress(1.0, "bytes"), composition=live), "this.seen", 36 * MIB
    )
    held = replace(holder("this.seen", 36 * MIB), doubling=True)
    memory = replace(evidence.memory, live_bytes_at_death=80 * MIB, largest_block_bytes=200 * MIB)
    return replace(evidence, holders=(held,), memory=memory)


def _shuffled_in_cleanup() -> Evidence:
    return reduce_attempt(
        place="cleanup",
        progress=Progress(0.4, "records"),
        shuffle=Shuffle(175 * MIB, 120 * MIB, held_bytes=120 * MIB),
    )


def _uneven_in_bytes() -> Evidence:
    # as many records as the others, a hundred times the bytes, and frequent keys
    sizes = (600 * MIB, *[6 * MIB] * 5)
    partitions = Partitions(0, (1000,) * 6, sizes, (900,) * 6, (900,) * 6)
    shuffle = Shuffle(170 * MIB, 170 * MIB, held_bytes=200 * MIB)
    return reduce_attempt(place="shuffle", shuffle=shuffle, partitions=partitions)


@pytest.mark.parametrize(
    ("build", "cause", "fact"),
    [
        (_told_by_the_dump_alone, "large_accumulated_results.reduce", "holders"),
        (_array_of_a_record, "large_single_record", "records"),
        (_doubled_early, "large_accumulated_results.map", "memory.largest_block_bytes"),
        (_shuffled_in_cleanup, "large_framework_buffer.shuffle", "place"),
        (_uneven_in_bytes, "improper_partition.unbalanced", "partitions.bytes"),
        (_spilling, "large_accumulated_results.map", "holders.lifecycle"),
    ],
)
def test_what_only_one_fact_shows_cannot_be_told_without_it(
    build: Callable[[], Evidence], cause: str, fact: str
) -> None:
    evidence = build()
    assert isinstance(verdicts_of(evidence)[cause], Fires)
    less = removals(evidence)[fact](evidence)
    assert isinstance(verdicts_of(less)[cause], CannotTell)


def test_the_same_few_keys_in_many_maps_are_not_denied_by_their_sum() -> None:
    # two keys in each of 400 maps add up to 800; where only the sum is known they may be as few
    sizes = (600 * MIB, *[10 * MIB] * 4)
    partitions = Partitions(0, tuple(n // 100 for n in sizes), sizes, (800, 40, 40, 40, 40))
    evidence = reduce_attempt(
        place="shuffle", shuffle=Shuffle(170 * MIB, 170 * MIB, held_bytes=200 * MIB),
        partitions=partitions,
    )  # fmt: skip
    verdicts = verdicts_of(evidence)
    assert isinstance(verdicts["improper_partition.unbalanced"], CannotTell)
    assert isinstance(verdicts["hotspot_key"], CannotTell)


def test_of_two_holders_alike_the_same_is_named_in_any_order() -> None:
    growth = RecordGrowth(tuple((10, 2000) for _ in range(7)), 1, 150 * MIB, "dump")
    two = tuple(
        holder(key, 75 * MIB, lifecycle="record") for key in ("local columns", "local rows")
    )
    named = set()
    for holders in (two, two[::-1]):
        evidence = map_attempt(record_growth=growth, holders=holders)
        found = verdicts_of(evidence)["large_intermediate_results"]
        assert isinstance(found, Fires)
        named.add(found.where)
    assert len(named) == 1


def test_two_sizes_at_one_record_are_heard_in_any_order() -> None:
    # a dump before and one after the same record: 100 MB had been there before R_n
    points = (Point(4000, 0), Point(4000, 100 * MIB))
    death = Point(4001, 200 * MIB)
    before = Series(key_of("this.lines"), "map", "record", points, "dump", at_death=death)
    evidence = map_attempt(holders=(holder("this.lines", 200 * MIB),), series=(before,))
    turned = replace(before, points=before.points[::-1])
    for one in (evidence, replace(evidence, series=(turned,))):
        found = verdicts_of(one)["large_accumulated_results.map"]
        assert isinstance(found, CannotTell)


def test_a_collector_that_nobody_named_may_have_had_all_the_free_room_in_one_piece() -> None:
    # 60 MB free: all of them are a fourth of the heap, half of them an eighth
    stack = (StackFrame("com.x.Words", "map", "Words.java", 18, user=True),)
    live = Composition(framework_bytes=60 * MIB, other_bytes=120 * MIB)
    evidence = map_attempt(stack=stack, composition=live)
    evidence = replace(evidence, memory=replace(evidence.memory, live_bytes_at_death=180 * MIB))
    says = {}
    for collector in ("Parallel", None):
        attempt = replace(evidence.attempt, collector=collector)
        found = verdicts_of(replace(evidence, attempt=attempt))["large_intermediate_results"]
        says[collector] = type(found)
    assert says[None] is CannotTell
    assert says["Parallel"] is not Silent


def test_of_a_dump_without_a_task_nothing_is_said_to_be_a_map_attempts() -> None:
    # a lone dump in which no thread runs a task: rules 2, 3, 6 and 9-2 ask of reducers alone
    dump = Evidence(Job(None), Attempt(None, None, None), Death("heap", "a dump"), place="other")
    silent = {c: v.why for c, v in verdicts_of(dump).items() if isinstance(v, Silent)}
    assert silent == {}, "where attempt.task_type is None a rule cannot tell what task it is"


def test_growth_of_a_few_megabytes_denies_nothing_of_what_no_path_leads_to() -> None:
    # by its last two collections a group grows by 12 MB; 150 MB are held by nothing that is known
    rows = holder("rows", 150 * MIB, lifecycle=None, class_name="java.lang.Object[]")
    points = tuple(Point(x, (60 + x / 1000) * MIB) for x in (3000, 6000, 9000, 12000, 15000))
    over = Series(None, "group", "record_in_group", points, "passive", Point(15001, 230 * MIB))
    few = holder("local list", 40 * MIB, lifecycle="group")
    groups = GroupSizes(Group(31, 50_001, whole=True))

    found = verdicts_of(reduce_attempt(holders=(few, rows), series=(over,), groups=groups))

    verdict = found["large_accumulated_results.group"]
    assert isinstance(verdict, CannotTell), verdict
