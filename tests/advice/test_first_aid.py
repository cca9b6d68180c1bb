"""First aid: the heap that the container holds already, apart from the cure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from builders.evidence import CAPACITY, map_attempt, with_growth
from builders.logged_deaths import limits, out_of_memory

from mprof.advice import advise, advised_settings
from mprof.diagnosis import Advice, diagnose
from mprof.evidence import Death, Evidence, MapBuffer, Memory, Progress
from mprof.units import GIB, MIB

OPTS = "mapreduce.map.java.opts"


def words(
    container_mib: int = 512, heap_mib: int = 256, done: float = 0.1, **changes: Any
) -> Evidence:
    """170 of 240 MB grew with 4,000 records, 70 do not grow."""
    memory = Memory(heap_mib * MIB, CAPACITY, CAPACITY, CAPACITY, container_mib * MIB)
    evidence = map_attempt(
        memory=memory, progress=Progress(done, "bytes"), conf={OPTS: f"-Xmx{heap_mib}m -Xss1m"}
    )
    return with_growth(replace(evidence, **changes), "this.counts", 170 * MIB)


def aid(evidence: Evidence) -> list[Advice]:
    return [one for one in advise(diagnose(evidence)).diagnosis.advice if one.first_aid]


def test_the_heap_becomes_what_hadoop_would_make_of_the_container() -> None:
    (one,) = aid(words())
    assert (one.kind, one.property) == ("setting", OPTS)
    assert (one.old, one.new) == ("-Xmx256m -Xss1m", "-Xmx384m -Xss1m")
    assert int(512 * 0.8) // 64 * 64 == 384
    assert one.cause == "large_accumulated_results.map"
    assert one.text.startswith("First aid: ")


def test_it_says_until_which_record_it_lets_the_task_go_on() -> None:
    (one,) = aid(words())
    # 42.5 KB a record beside 70 MB: 85 % of 360 MB are full after so many
    records = (0.85 * 240 * 1.5 - 70) / (170 / 4000)
    assert f"about record {records:,.0f} instead of 4,00" in one.text


def test_a_launcher_of_oozie_takes_it_from_the_action_of_its_workflow() -> None:
    evidence = words()
    launcher = replace(evidence.job, name="oozie:launcher:T=shell:W=daily:A=import:ID=1-oozie-W")

    (one,) = aid(replace(evidence, job=launcher))

    assert one.property == f"oozie.launcher.{OPTS}"
    assert (one.old, one.new) == ("-Xmx256m -Xss1m", "-Xmx384m -Xss1m")
    assert "<configuration> of the action" in one.text
    of_action = replace(evidence, job=replace(evidence.job, name="oozie:action:T=map-reduce"))
    assert aid(of_action)[0].property == OPTS


def test_or_that_it_comes_hardly_further() -> None:
    # 270 MB were live in a heap of 256: 85 % of one that is a quarter larger are no more
    memory = Memory(256 * MIB, CAPACITY, 270 * MIB, CAPACITY, 400 * MIB)
    (one,) = aid(words(memory=memory))
    assert one.new == "-Xmx320m -Xss1m"
    assert "the task then comes hardly further" in one.text


def test_or_that_it_comes_to_the_end() -> None:
    (one,) = aid(words(done=0.9))
    assert "to the end of its input" in one.text


@pytest.mark.parametrize(
    "evidence",
    [
        words(container_mib=320),  # 256 MB are 80 % of it
        words(death=Death("metaspace", "Metaspace")),
        words(death=Death("none", "succeeded")),
    ],
)
def test_there_is_none_where_a_larger_heap_has_no_room_or_would_not_help(
    evidence: Evidence,
) -> None:
    assert aid(evidence) == []


def test_there_is_none_for_a_cause_that_is_a_setting() -> None:
    evidence = map_attempt(
        place="init",
        map_buffer=MapBuffer(400 * MIB, allocated=False),
        memory=Memory(256 * MIB, CAPACITY, CAPACITY, CAPACITY, 1 * GIB),
    )
    named = [one.cause for one in diagnose(evidence).diagnosis.causes]
    assert named == ["large_framework_buffer.map"]
    assert aid(evidence) == []


def test_it_is_never_tried_as_a_cure() -> None:
    advice = advise(diagnose(words(done=0.4))).diagnosis.advice
    assert OPTS in [one.property for one in advice]
    assert OPTS not in [one.property for one in advised_settings(advice)]


def test_idle_room_is_told_where_no_cause_is_named_too() -> None:
    # a death that logs and the configuration alone tell: -Xmx100m in a container of 512 MB
    evidence = out_of_memory(
        "com.example.Job.map",
        memory=limits(heap_mb=100, container_mb=512),
        conf={OPTS: "-Xmx100m"},
    )
    (one,) = aid(evidence)

    assert (one.cause, one.property, one.new) == ("first_aid", OPTS, "-Xmx384m")
    assert "512 MB has room for a heap of 384 MB, where 100 MB are set" in one.text
    assert "It removes no cause" in one.text


def test_there_is_none_where_the_message_proves_that_a_larger_heap_is_not_the_point() -> None:
    at_limit = out_of_memory(
        "com.example.Job.map",
        words="Requested array size exceeds VM limit",
        kind="array-limit",
        memory=limits(heap_mb=100, container_mb=512),
    )
    buffer = out_of_memory(
        "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init",
        memory=limits(heap_mb=100, container_mb=512),
        conf={"mapreduce.task.io.sort.mb": "90"},
    )

    assert aid(at_limit) == []
    assert aid(buffer) == []
