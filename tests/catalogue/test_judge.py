"""A case comes out right only with its causes, its death in its place, and the code that holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from builders.evidence import holder, map_attempt

from mprof.catalogue import Case
from mprof.catalogue.case import Expected, ExpectedHolder, Input, JobSpec
from mprof.catalogue.judging import judge, judge_repair
from mprof.diagnosis import Cause, Diagnosed, Diagnosis
from mprof.evidence import (
    Attempt,
    CodeSite,
    Composition,
    Death,
    DeathPosition,
    Evidence,
    Job,
    StackFrame,
)
from mprof.patterns import Where, find_patterns
from mprof.rules import Fires, rule_of
from mprof.units import MIB

MAPPER = "org.example.Counter"
ACCUMULATED, SPLIT = "large_accumulated_results.map", "large_input_split"

CASE = Case(
    folder=Path("counter"),
    slug="counter",
    number=1,
    title="",
    symptom="",
    phase="map",
    library="none",
    variant="plain",
    job=JobSpec(main=MAPPER),
    input=Input(seed=1, bytes=1),
    expected=Expected(
        causes=(ACCUMULATED, SPLIT),
        kind="heap",
        phase="map",
        frames=("java.util.HashMap.resize", f"{MAPPER}.map"),
        holder=ExpectedHolder(class_name=MAPPER, method="map", path="counts"),
    ),
)
STACK = tuple(
    StackFrame(class_name, method)
    for class_name, method in (
        ("java.util.HashMap", "resize"),
        ("java.util.HashMap", "put"),
        (MAPPER, "map"),
        ("org.apache.hadoop.mapreduce.Mapper", "run"),
        ("org.apache.hadoop.mapred.MapTask", "run"),
    )
)


def fires(cause: str, where: Where | None = None) -> Cause:
    found = Fires(confidence="sure", evidence="dump", sentence="", where=where)
    return Cause(rule_of(cause), found)


def diagnosed(*causes: Cause, **evidence: Any) -> Diagnosed:
    facts = Evidence(
        job=Job(None),
        attempt=Attempt("attempt_1_1_m_000000_0", "map", 0),
        death=Death("heap", "java.lang.OutOfMemoryError", thread="main"),
        position=DeathPosition("map", record=9),
        stack=STACK,
    )
    changed = replace(facts, **evidence)
    return Diagnosed(Diagnosis({}, causes, (), None), changed, find_patterns(changed))


HELD = Where(MAPPER, "map", None, None, "this.counts")
RIGHT = (fires(ACCUMULATED, HELD), fires(SPLIT))


def test_all_causes_in_their_place_are_right() -> None:
    assert judge(CASE, diagnosed(*RIGHT)).problems == ()


def test_a_missed_cause_is_wrong() -> None:
    found = judge(CASE, diagnosed(RIGHT[0]))

    assert (found.missed, found.false, found.correct) == ((SPLIT,), (), False)


def test_a_false_cause_is_as_wrong_as_a_missed_one() -> None:
    found = judge(CASE, diagnosed(*RIGHT, fires("large_external_data")))

    assert (found.missed, found.false, found.correct) == ((), ("large_external_data",), False)


@pytest.mark.parametrize(
    ("evidence", "complaint"),
    [
        ({"death": Death("metaspace", "", thread="main")}, "the kind of death is metaspace"),
        ({"position": DeathPosition("setup")}, "the phase at death is setup"),
        ({"stack": STACK[1:]}, "HashMap.resize is not on the stack"),
        ({"stack": tuple(reversed(STACK))}, "Counter.map is not on the stack"),
    ],
)
def test_a_death_of_another_kind_or_place_is_wrong(
    evidence: dict[str, Any], complaint: str
) -> None:
    problems = judge(CASE, diagnosed(*RIGHT, **evidence)).problems

    assert len(problems) == 1
    assert complaint in problems[0]


def test_a_bystander_may_find_the_heap_full_first() -> None:
    stack = (StackFrame("org.apache.hadoop.mapred.Task$TaskReporter", "run"),)

    assert judge(CASE, diagnosed(*RIGHT, stack=stack)).correct


@pytest.mark.parametrize(
    "where",
    [
        None,
        Where(MAPPER, "setup", None, None, "this.counts"),
        Where("org.example.Other", "map", None, None, "this.counts"),
        Where(MAPPER, "map", None, None, "this.words"),
    ],
)
def test_blaming_other_code_is_wrong(where: Where | None) -> None:
    found = judge(CASE, diagnosed(fires(ACCUMULATED, where), fires(SPLIT)))

    assert (found.code_problem is None) != (found.path_problem is None)
    assert not found.correct


def test_a_case_without_user_code_blames_none() -> None:
    expected = msgspec.structs.replace(CASE.expected, holder=None)
    case = msgspec.structs.replace(CASE, expected=expected)

    assert judge(case, diagnosed(fires(ACCUMULATED), fires(SPLIT))).correct


def test_a_repaired_job_has_to_finish_without_a_cause() -> None:
    assert judge_repair(diagnosed(), job_failed=False).correct
    assert not judge_repair(diagnosed(), job_failed=True).correct
    assert judge_repair(diagnosed(RIGHT[0]), job_failed=False).false == (ACCUMULATED,)


def of_none(**held: int) -> Diagnosed:
    """A death of which no cause is named, with these objects of the mapper's in its heap."""
    large = tuple(
        replace(
            holder(f"this.{name}", size * MIB),
            site=CodeSite(MAPPER, "map", None, None),
            path=f"this.{name}",
        )
        for name, size in held.items()
    )
    facts = map_attempt(
        composition=Composition(
            user_bytes=sum(held.values()) * MIB, framework_bytes=60 * MIB, other_bytes=8 * MIB
        ),
        map_buffer=None,
        holders=large,
        position=DeathPosition("map", record=9),
        stack=STACK,
    )
    return Diagnosed(Diagnosis({}, (), (), None), facts, find_patterns(facts))


@pytest.mark.parametrize(
    ("held", "complaint"),
    [
        ({"counts": 100, "words": 40}, None),
        ({"counts": 40, "words": 100}, "the holder path is this.words, expected counts in it"),
        ({"counts": 50}, f"no code is blamed, expected {MAPPER}.map"),  # Hadoop's buffers hold more
    ],
)
def test_where_no_cause_is_true_the_heap_is_told_by_its_largest_holder(
    held: dict[str, int], complaint: str | None
) -> None:
    expected = msgspec.structs.replace(CASE.expected, causes=())
    case = msgspec.structs.replace(CASE, kind="coverage", expected=expected)

    assert judge(case, of_none(**held)).problems == ((complaint,) if complaint else ())


def test_a_cause_where_none_is_true_is_false() -> None:
    expected = msgspec.structs.replace(CASE.expected, causes=())
    case = msgspec.structs.replace(CASE, kind="coverage", expected=expected)

    assert judge(case, diagnosed(RIGHT[0])).false == (ACCUMULATED,)
