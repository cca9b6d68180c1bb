"""Which process of a task with a child program ran out of memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from builders.evidence import CAPACITY, map_attempt

from mprof.advice import advise
from mprof.diagnosis import diagnose
from mprof.evidence import (
    ChildPipe,
    ChildProgram,
    ContainerFacts,
    ContainerProcess,
    Death,
    Evidence,
    Holder,
    HolderKey,
    NamedProgram,
    RecordGrowth,
    Unknown,
)
from mprof.patterns import ChildUse, child_use_of, container_use_of
from mprof.rules import Fires, Silent
from mprof.units import GIB, MIB

OUTPUT = ChildPipe("x.Pipes$Output", "standard output", "record")
ERRORS = ChildPipe("x.Pipes$Errors", "standard error", "line")
CHILD = ChildProgram(
    "Hadoop Streaming",
    programs=(NamedProgram("python3 map.py", "-mapper"),),
    pipes=(OUTPUT, ERRORS),
    records_handed=900,
    records_taken=700,
)


def piped(pipe: ChildPipe, mebibytes: int) -> Holder:
    key = HolderKey("piped", pipe.thread_class)
    return Holder(key, "record_being_written", None, "byte[]", "local Text", mebibytes * MIB)


def use_of(evidence: Evidence) -> ChildUse:
    found = child_use_of(evidence, container_use_of(evidence))
    assert found is not None
    return found


def task(*holders: Holder, **changes: Any) -> Evidence:
    return map_attempt(**{"child": CHILD, "holders": holders, **changes})


def test_what_the_thread_that_died_held_is_the_sum_of_its_own() -> None:
    child = replace(CHILD, died_in=OUTPUT, thread="Thread-17")

    found = use_of(task(piped(OUTPUT, 60), piped(OUTPUT, 3), piped(ERRORS, 30), child=child))

    assert (found.place, found.pipe, found.held_bytes) == ("pipe_thread", OUTPUT, 63 * MIB)
    # how the heap grew before has nothing to do with it
    assert diagnose(task(child=child)).diagnosis.error_related_data is None
    assert "(Thread-17), which held 63 MB for what the child had written." in found.sentence


@pytest.mark.parametrize(("share", "place"), [(0.51, "pipe_thread"), (0.49, "jvm_heap")])
def test_a_pipe_that_holds_most_of_the_heap_filled_it_whoever_died(
    share: float, place: str
) -> None:
    found = use_of(task(piped(ERRORS, round(share * CAPACITY / MIB))))

    assert found.place == place
    assert (found.pipe == ERRORS) == (place == "pipe_thread")


def test_without_a_dump_nothing_is_said_of_a_pipe_but_that_the_heap_is_the_jvms() -> None:
    found = use_of(task(holders=Unknown("a heap dump made at death", "run")))

    assert found.place == "jvm_heap"
    assert "python3 map.py (-mapper) is a process of its own" in found.sentence


def killed(*programs: tuple[str, int], conf: dict[str, str] | None = None) -> Evidence:
    rows = [ContainerProcess(1, "java", 150 * MIB, is_task=True)]
    rows += [ContainerProcess(9, name, size * MIB) for name, size in programs]
    facts = ContainerFacts(1 * GIB, sum(row.resident_bytes for row in rows), processes=tuple(rows))
    death = Death("container-physical", "beyond the limit")
    return task(death=death, container=facts, conf=conf or {})


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("python3 map.py", "was given as -mapper"),
        ("map.py", "was given as -mapper"),  # through its first line
        ("sort", "whether the largest process is that, or one that it started, is not known"),
    ],
)
def test_the_largest_process_is_the_program_only_where_it_is_called_so(
    program: str, said: str
) -> None:
    found = use_of(killed((program, 900), ("cat", 2)))

    assert found.place == "child_process"
    assert said in found.sentence


@pytest.mark.parametrize(
    ("programs", "running", "said"),
    [
        (
            (NamedProgram("python3 wc.py", "-mapper"), NamedProgram("python3 wc.py", "-combiner")),
            "python3 wc.py",
            "was given as -mapper or as -combiner",
        ),
        ((NamedProgram("python3", "-mapper", True),), "python3 other.py", "is not known"),
        ((NamedProgram("python3", "-mapper", True),), "python3", "is not known"),
    ],
)
def test_a_program_of_two_options_and_one_without_its_script_are_not_guessed(
    programs: tuple[NamedProgram, ...], running: str, said: str
) -> None:
    evidence = killed((running, 900))
    assert evidence.child is not None
    child = replace(evidence.child, programs=programs)

    assert said in use_of(replace(evidence, child=child)).sentence


@pytest.mark.parametrize(
    ("conf", "heap"),
    [
        ({}, ["-Xmx256m"]),
        ({"mapreduce.map.java.opts": "-Dx=1"}, ["-Dx=1 -Xmx256m"]),
        ({"mapreduce.map.java.opts": "-Xmx256m"}, []),
        ({"mapred.child.java.opts": "-Xmx256m"}, []),
    ],
)
def test_a_larger_container_leaves_the_heap_as_it_was(
    conf: dict[str, str], heap: list[str]
) -> None:
    advice = advise(diagnose(killed(("map.py", 900), conf=conf))).diagnosis.advice

    assert advice[0].property == "mapreduce.map.memory.mb"
    assert [one.new for one in advice[1:]] == heap


def test_a_container_that_the_jvm_filled_says_nothing_of_the_child() -> None:
    found = use_of(killed(("map.py", 2)))

    assert (found.place, found.sentence) == (None, "")


@pytest.mark.parametrize("handed", [None, 0])
def test_what_was_not_handed_over_is_told_from_what_is_not_known(handed: int | None) -> None:
    found = use_of(task(child=replace(CHILD, records_handed=handed)))

    said = "is not known" if handed is None else "no record to the child yet"
    assert said in found.details[-1]


def test_a_task_that_finished_or_has_no_child_has_no_such_place() -> None:
    assert child_use_of(task(death=Death("none", "")), None) is None
    assert child_use_of(map_attempt(), None) is None


@pytest.mark.parametrize("source", ["passive", "dump"])
def test_what_a_child_wrote_is_no_growth_at_the_record_in_flight(source: Any) -> None:
    # the live heap rose by what the pipe thread took in: no record of the input explodes
    growth = RecordGrowth(((100, 0),) * 6, 1, (150 if source == "passive" else 0) * MIB, source)
    evidence = task(piped(OUTPUT, 150), record_growth=growth)

    own = Holder(
        HolderKey("local", "x.M", "map", "byte[]"), "record_being_written", "record", "byte[]",
        "local byte[]", 150 * MIB,
    )  # fmt: skip
    verdict = diagnose(evidence).diagnosis.verdicts["large_intermediate_results"]
    same_of_user_code = diagnose(
        map_attempt(
            holders=(own,), record_growth=replace(growth, last_bytes=150 * MIB, source="dump")
        )
    ).diagnosis.verdicts["large_intermediate_results"]

    assert not isinstance(verdict, Fires)
    assert isinstance(same_of_user_code, Fires)


def test_what_a_child_wrote_needs_no_rerun_to_be_told_from_the_record_in_flight() -> None:
    unknown = Unknown("heap sizes at earlier records", "rerun")
    evidence = task(piped(OUTPUT, 150), record_growth=unknown, stack=())

    verdict = diagnose(evidence).diagnosis.verdicts["large_intermediate_results"]

    assert isinstance(verdict, Silent), verdict
