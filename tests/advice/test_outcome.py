"""What a run with the advised settings says of the causes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from builders.attempts import EventWriter
from builders.evidence import map_attempt, reduce_attempt, with_growth
from builders.examples import examples_of

from mprof.advice import advise, causes_of_a_part, what_came_of_it, with_outcome
from mprof.advised import Advised, AdvisedSetting, Intervention
from mprof.diagnosis import Diagnosed, diagnose
from mprof.evidence import Death, Evidence, Progress
from mprof.history import JobConf
from mprof.job_run import JobRun
from mprof.rules import RULES
from mprof.trace import Trace, read_trace
from mprof.units import MIB

SPLIT = "mapreduce.input.fileinputformat.split.maxsize"
SETTING = AdvisedSetting("large_input_split", SPLIT, "16777216", 100 * MIB)
TRIED = Intervention("settings", (SETTING,))


def words(path: str = "this.counts", **changes: Any) -> Evidence:
    evidence = map_attempt(progress=Progress(0.4, "bytes"), **changes)
    return with_growth(evidence, path, 170 * MIB)


PLAIN = advise(diagnose(words()))
FINISHED = map_attempt(death=Death("none", "succeeded"))


def again(
    evidence: Evidence,
    state: str,
    *,
    conf: Mapping[str, str] | None = None,
    traces: tuple[Trace, ...] = (),
) -> Diagnosed:
    used = {SPLIT: "16777216"} if conf is None else dict(conf)
    run = JobRun("job_1_0002", "watch", conf=JobConf(used), traces=traces, state=state)
    return replace(diagnose(evidence), runs=(run,))


def came(run: Diagnosed | None, tried: Intervention = TRIED) -> Advised:
    return what_came_of_it(PLAIN, run, tried, run=3)


def verdicts(found: Advised) -> dict[str, str]:
    return {one.cause: one.verdict for one in found.causes}


def test_a_job_that_finishes_proves_the_cause() -> None:
    found = came(again(FINISHED, "SUCCEEDED"))
    assert (found.outcome, found.run) == ("finished", 3)
    assert verdicts(found) == {"large_input_split": "proven"}
    assert with_outcome(PLAIN, found).diagnosis.causes == PLAIN.diagnosis.causes


def test_the_same_death_withdraws_it_and_it_is_possible_at_most() -> None:
    found = came(again(words(), "FAILED"))
    assert (found.outcome, found.same_death) == ("died", True)
    assert verdicts(found) == {"large_input_split": "withdrawn"}
    named = with_outcome(PLAIN, found).diagnosis.causes
    assert [one.cause for one in named] == [one.cause for one in PLAIN.diagnosis.causes]
    for before, after in zip(PLAIN.diagnosis.causes, named, strict=True):
        expected = "possible" if before.cause == "large_input_split" else before.confidence
        assert after.confidence == expected


@pytest.mark.parametrize(
    "other",
    [
        map_attempt(place="cleanup"),
        map_attempt(death=Death("metaspace", "Metaspace")),
    ],
)
def test_another_death_decides_nothing(other: Evidence) -> None:
    found = came(again(other, "FAILED"))
    assert (found.outcome, found.same_death) == ("died", False)
    assert verdicts(found) == {"large_input_split": "not decided"}


def test_a_job_that_did_not_have_the_setting_decides_nothing() -> None:
    died = came(again(words(), "FAILED", conf={SPLIT: "67108864"}))
    finished = came(again(FINISHED, "SUCCEEDED", conf={SPLIT: "67108864"}))
    for found in (died, finished):
        assert verdicts(found) == {"large_input_split": "not decided"}
        assert found.settings[0].in_effect is False
        assert "67108864" in found.causes[0].sentence


def test_a_setting_that_could_not_be_given_says_why() -> None:
    barred = Intervention("settings", (replace(SETTING, why_not="the driver sets it"),))
    found = came(again(words(), "FAILED"), barred)
    assert verdicts(found) == {"large_input_split": "not decided"}
    assert "the driver sets it" in found.causes[0].sentence
    assert barred.given == {}


def test_a_job_whose_first_attempt_died_all_the_same_proves_nothing() -> None:
    found = came(again(words(), "SUCCEEDED"))
    assert found.outcome == "finished late"
    assert verdicts(found) == {"large_input_split": "not decided"}


@pytest.mark.parametrize(
    ("run", "outcome"),
    [
        (None, "not reached"),
        (again(map_attempt(death=Death("not-memory", "x")), "FAILED"), "failed"),
    ],
)
def test_what_is_no_death_of_memory_decides_nothing(run: Diagnosed | None, outcome: str) -> None:
    found = came(run)
    assert found.outcome == outcome
    assert verdicts(found) == {"large_input_split": "not decided"}


def test_room_shows_a_peak_and_proves_no_cause() -> None:
    room = AdvisedSetting("large_accumulated_results.map", "mapreduce.map.java.opts", "-Xmx512m")
    conf = {"mapreduce.map.java.opts": "-Xmx512m"}
    found = came(again(FINISHED, "SUCCEEDED", conf=conf), Intervention("room", (room,)))
    assert (found.kind, found.outcome) == ("room", "finished")
    assert verdicts(found) == {"large_accumulated_results.map": "not decided"}


def test_the_peak_stands_beside_the_predicted_one(tmp_path: Any) -> None:
    traces = []
    for name, sizes in (("m_000000_0", (90, 80)), ("m_000001_0", (60,)), ("r_000000_0", (400,))):
        writer = EventWriter(f"attempt_1_0002_{name}")
        writer.add("attach")
        for size in sizes:
            writer.add("memory", major=True, used_after=size * MIB)
        traces.append(read_trace(writer.write(tmp_path)))
    found = came(again(FINISHED, "SUCCEEDED", traces=tuple(traces)))
    # of the reduce attempt nothing was predicted: a map attempt had died
    assert found.measured_peak_bytes == 90 * MIB
    assert found.peak_ratio == pytest.approx(0.9)
    assert "90 % of the predicted 100 MB" in found.sentence


@pytest.mark.parametrize(
    ("full", "minor", "expected", "at_most"),
    # a full collection at the start alone; one near the peak; none
    [((12,), (20, 70, 30), 70, True), ((12, 60), (20, 70), 60, False), ((), (20, 70), 70, True)],
)
def test_a_full_collection_of_the_start_is_no_peak(
    tmp_path: Any, full: tuple[int, ...], minor: tuple[int, ...], expected: int, *, at_most: bool
) -> None:
    writer = EventWriter("attempt_1_0002_m_000000_0")
    writer.add("attach")
    for size in full:
        writer.add("memory", major=True, used_after=size * MIB)
    for size in minor:
        writer.add("memory", major=False, used_after=size * MIB)
    trace = read_trace(writer.write(tmp_path))
    found = came(again(FINISHED, "SUCCEEDED", traces=(trace,)))
    assert (found.measured_peak_bytes, found.at_most) == (expected * MIB, at_most)


RECORD = "large_single_record"
LEFT_OUT = Intervention("left out", (), record=4001, causes=(RECORD,))


def left_out(tmp_path: Any, evidence: Evidence, *, met: bool = True) -> Advised:
    writer = EventWriter("attempt_1_0002_m_000000_0")
    writer.add("attach")
    if met:
        writer.add("verify", step="left_out", ordinal=4001)
    trace = read_trace(writer.write(tmp_path))
    # its attempt never commits: the job fails in any case
    return came(again(evidence, "FAILED", traces=(trace,)), LEFT_OUT)


def test_a_task_that_comes_to_its_end_without_the_record_proves_it(tmp_path: Any) -> None:
    found = left_out(tmp_path, FINISHED)
    assert found.outcome == "finished"
    assert verdicts(found) == {RECORD: "proven"}


def test_what_becomes_of_the_other_attempts_of_that_job_says_nothing(tmp_path: Any) -> None:
    writer = EventWriter("attempt_1_0002_m_000000_0")
    writer.add("attach")
    writer.add("verify", step="left_out", ordinal=4001)
    trace = read_trace(writer.write(tmp_path))
    # the job has failed, so that another attempt was killed, and it is that one which is diagnosed
    killed = map_attempt(death=Death("not-memory", "killed, because the job had failed"))
    found = came(again(killed, "FAILED", traces=(trace,)), LEFT_OUT)
    assert found.outcome == "finished"
    assert verdicts(found) == {RECORD: "proven"}


def test_a_record_that_was_not_met_proves_nothing(tmp_path: Any) -> None:
    found = left_out(tmp_path, FINISHED, met=False)
    assert found.outcome == "failed"
    assert verdicts(found) == {RECORD: "not decided"}


def test_a_death_before_the_record_decides_nothing(tmp_path: Any) -> None:
    found = left_out(tmp_path, words(), met=False)
    assert found.outcome == "died"
    assert verdicts(found) == {RECORD: "not decided"}
    assert "before it came to that record" in found.causes[0].sentence


@pytest.mark.parametrize("unread", [True, False])
def test_a_record_that_its_reader_cannot_read_cannot_be_passed_over(*, unread: bool) -> None:
    rule = next(one for one in RULES if one.cause == "large_single_record")
    example = next(one for one in examples_of(rule) if one.says == "FIRES")
    evidence = example.evidence()
    position = replace(evidence.position, unread=unread)  # type: ignore[type-var]
    evidence = replace(evidence, position=position)
    assert bool(causes_of_a_part(advise(diagnose(evidence)), "record")) == (not unread)


@pytest.mark.parametrize(
    ("record", "verdict"), [(4001, "withdrawn"), (4030, "withdrawn"), (9000, "not decided")]
)
def test_a_death_all_the_same_withdraws_it_and_a_later_one_does_not(
    tmp_path: Any, record: int, verdict: str
) -> None:
    position = replace(words().position, record=record)  # type: ignore[type-var,arg-type]
    found = left_out(tmp_path, words(position=position))
    assert found.outcome == "died"
    assert verdicts(found) == {RECORD: verdict}


@pytest.mark.parametrize(
    ("group", "record_in_group", "verdict"),
    # full already at the next group; a group as large as the first; a group far behind
    [(31, 40, "withdrawn"), (31, 49_000, "not decided"), (300, 40, "not decided")],
)
def test_a_group_left_out_is_withdrawn_where_the_next_one_dies_at_once(
    tmp_path: Any, group: int, record_in_group: int, verdict: str
) -> None:
    def hot(**changes: Any) -> Evidence:
        position = replace(reduce_attempt().position, **changes)  # type: ignore[type-var]
        return with_growth(
            reduce_attempt(position=position), "local kept", 200 * MIB, lifecycle="group",
            unit="record_in_group", last_x=50_000,
        )  # fmt: skip

    writer = EventWriter("attempt_1_0002_r_000000_0")
    writer.add("attach")
    writer.add("verify", step="left_out", digest="000000000000000a")
    trace = read_trace(writer.write(tmp_path))
    plain = advise(diagnose(hot()))
    died = again(hot(group=group, record_in_group=record_in_group), "FAILED", traces=(trace,))
    tried = Intervention("left out", (), group="000000000000000a", causes=("hotspot_key",))
    found = what_came_of_it(plain, died, tried, run=2)
    assert verdicts(found) == {"hotspot_key": verdict}
    assert "that group" in found.causes[0].sentence
