"""From evidence to a diagnosis, and to the public JSON object."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from builders.attempts import EventWriter
from builders.evidence import map_attempt, reduce_attempt, with_growth
from builders.examples import examples_of
from builders.snapshots import snapshot

from mprof.advice import advise
from mprof.diagnosis import Diagnosed, diagnose, diagnose_runs
from mprof.evidence import (
    Attempt,
    AttemptLine,
    Death,
    DeathPosition,
    Evidence,
    Group,
    GroupSizes,
    Job,
    Memory,
    StackFrame,
    Unknown,
    Verification,
)
from mprof.evidence.facts import Kind
from mprof.job_run import JobRun
from mprof.report import to_json
from mprof.rules import RULES, Fires
from mprof.trace import read_trace, trace_of_diagnostics
from mprof.units import MIB

ROOT = Path(__file__).parents[1]
SCHEMA = json.loads((ROOT / "docs" / "reference" / "diagnosis.schema.json").read_text())
EVERY = [(rule, example) for rule in RULES for example in examples_of(rule)]


def diagnosed(evidence: Evidence) -> Diagnosed:
    return advise(diagnose(evidence))


def as_json(evidence: Evidence) -> dict[str, Any]:
    """Through the encoder that the command line uses."""
    encoded = msgspec.json.encode(to_json(diagnosed(evidence)))
    return json.loads(encoded)  # type: ignore[no-any-return]


def words() -> Evidence:
    return with_growth(map_attempt(), "this.counts", 170 * MIB)


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(("rule", "example"), EVERY)
def test_the_object_of_every_example_is_as_the_schema_says(rule: Any, example: Any) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(as_json(example.evidence()))


def test_every_member_stands_in_the_schema() -> None:
    evidence = replace(
        words(),
        stack=(StackFrame("com.example.Job", "map", "Job.java", 9, True, 100, 0.8),),
        attempts=(AttemptLine("attempt_1_0001_m_000001_0", "heap", "Java heap space"),),
    )
    assert_described(as_json(evidence), SCHEMA)


def assert_described(value: Any, schema: dict[str, Any]) -> None:
    """Every member of every object has a schema of its own."""
    for each in schema.get("anyOf", [schema]):
        if "$ref" in each:
            schema = SCHEMA["$defs"][each["$ref"].rpartition("/")[2]]
    if isinstance(value, dict):
        for name, member in value.items():
            assert name in schema.get("properties", {}), name
            assert_described(member, schema["properties"][name])
    if isinstance(value, list):
        for member in value:
            assert_described(member, schema["items"])


def test_a_cause_has_the_fixed_members() -> None:
    cause = as_json(words())["causes"][0]
    assert cause["cause"] == "large_accumulated_results.map"
    assert (cause["category"], cause["published_as"]) == ("code", "1")
    assert (cause["confidence"], cause["evidence"]) == ("sure", "dump")
    assert cause["bytes"] == 170 * MIB
    assert cause["where"] == {
        "class": "com.example.Job", "method": "map", "file": "Job.java", "line": 42,
        "path": "this.counts", "beside": [], "called_by": None, "statement": None,
        "source": None, "filled_by": [],
    }  # fmt: skip
    assert cause["data"] == {
        "kind": "records", "first": 1, "last": 4000, "group": None, "records": 4001, "bytes": None,
    }  # fmt: skip


def test_causes_stand_in_the_order_of_the_bytes_they_explain() -> None:
    causes = as_json(words())["causes"]
    assert [c["cause"] for c in causes] == ["large_accumulated_results.map", "large_input_split"]
    assert [c["bytes"] for c in causes] == sorted((c["bytes"] for c in causes), reverse=True)


@pytest.mark.parametrize("kind", ["heap", "gc-overhead", "array-limit"])
def test_a_death_of_the_heap_names_causes(kind: Kind) -> None:
    assert as_json(replace(words(), death=Death(kind, "x")))["causes"]


@pytest.mark.parametrize(
    "kind",
    ["direct", "native", "metaspace", "threads", "application-made", "container-virtual",
     "not-memory", "none"],
)  # fmt: skip
def test_no_other_death_names_a_cause_and_verdicts_are_computed_all_the_same(kind: Kind) -> None:
    found = as_json(replace(words(), death=Death(kind, "x")))
    assert (found["causes"], found["unknown"], found["error_related_data"]) == ([], [], None)
    assert found["verdicts"][0]["verdict"] == "fires"


@pytest.mark.parametrize(("live", "named"), [(600, True), (300, False)])
def test_a_container_kill_names_causes_if_the_heap_filled_it(live: int, named: bool) -> None:
    memory = Memory(900 * MIB, 850 * MIB, live * MIB, 850 * MIB, 1024 * MIB)
    evidence = with_growth(map_attempt(memory=memory), "this.counts", 270 * MIB)
    evidence = replace(evidence, death=Death("container-physical", "beyond physical memory"))
    assert bool(as_json(evidence)["causes"]) is named


def test_where_no_rule_fires_the_steepest_growth_is_reported_and_is_no_cause() -> None:
    small = with_growth(reduce_attempt(), "local list", 40 * MIB, lifecycle="group",
                        unit="record_in_group", last_x=50_000)  # fmt: skip
    found = as_json(small)
    assert found["causes"] == []
    assert found["error_related_data"]["kind"] == "records"
    assert found["error_related_data"]["bytes"] == pytest.approx(40 * MIB / 7, abs=2)


def test_a_lone_dump_has_no_job_and_no_attempt() -> None:
    evidence = Evidence(Job(None), Attempt(None, None, None), Death("heap", "a heap dump"))
    found = as_json(evidence)
    assert (found["job"], found["attempt"], found["position"]) == (None, None, None)
    assert found["causes"] == []
    assert found["unknown"]
    jsonschema.validate(found, SCHEMA)


def test_a_jump_that_is_not_verified_asks_for_the_verify_run() -> None:
    rule = next(r for r in RULES if r.cause == "large_intermediate_results")
    first, second = (e.evidence() for e in examples_of(rule)[:2])
    assert diagnosed(first).hangs_on_verification
    assert not diagnosed(second).hangs_on_verification
    assert not diagnosed(words()).hangs_on_verification


def test_that_its_group_was_counted_is_no_verification_of_a_record() -> None:
    rule = next(r for r in RULES if r.cause == "large_intermediate_results")
    jumped = examples_of(rule)[0].evidence()
    counted = replace(jumped, groups=GroupSizes(None, counted=Group(None, 9, whole=True)))
    assert diagnosed(counted).hangs_on_verification
    not_met = Verification(False, Unknown("the record: it was not met again", "none"))
    assert not diagnosed(replace(counted, verification=not_met)).hangs_on_verification


@pytest.mark.parametrize(("rule", "example"), EVERY)
def test_a_cause_is_named_exactly_where_its_rule_fires(rule: Any, example: Any) -> None:
    found = diagnosed(example.evidence()).diagnosis
    fires = {cause for cause, v in found.verdicts.items() if isinstance(v, Fires)}
    assert {c.cause for c in found.causes} == fires


BUILDERS: list[Callable[[], Evidence]] = [words, map_attempt, reduce_attempt]


@pytest.mark.parametrize("build", BUILDERS)
def test_the_same_evidence_gives_the_same_object(build: Callable[[], Evidence]) -> None:
    assert as_json(build()) == as_json(build())


@pytest.mark.parametrize(("older_has_a_dump", "expected"), [(True, 1), (False, 2)])
def test_an_older_run_is_the_better_witness_where_the_newest_left_no_heap(
    monkeypatch: pytest.MonkeyPatch, older_has_a_dump: bool, expected: int
) -> None:
    missing = Unknown("a heap dump made at the death", "run")
    runs = [
        JobRun("job_1", "watch", losses=("1",)),
        JobRun("job_1", "profile", losses=("2",)),
    ]

    def assembled(runs: list[JobRun]) -> Evidence:
        number = int(runs[-1].losses[0])
        evidence = replace(words(), job=Job(f"job_{number}"))
        if number == 2 or not older_has_a_dump:
            evidence = replace(evidence, holders=missing, series=())
        return evidence

    monkeypatch.setattr("mprof.evidence.assemble.best_witness.assemble", assembled)
    found = diagnose_runs(runs)
    assert found.evidence.job.job_id == f"job_{expected}"
    assert found.losses == ("1", "2")


@pytest.mark.parametrize(
    ("shown", "newest_state", "why"),
    [
        ("job_7_0002", "FAILED", None),
        ("job_7_0001", "FAILED", "says less about a memory failure"),
        ("job_7_0001", "SUCCEEDED", "succeeded"),
    ],
)
def test_that_an_older_run_is_shown_is_said(
    monkeypatch: pytest.MonkeyPatch, shown: str, newest_state: str, why: str | None
) -> None:
    attempt = Attempt(f"attempt_{shown.removeprefix('job_')}_m_000000_0", "map", 0)
    evidence = replace(words(), attempt=attempt)
    monkeypatch.setattr(
        "mprof.evidence.assemble.best_witness.assemble", lambda _recordings: evidence
    )
    runs = [
        JobRun("job_7_0001", "watch", state="FAILED"),
        JobRun("job_7_0002", "profile", state=newest_state),
        JobRun("job_7_0003", "verify", state="FAILED"),
    ]

    told = f"the newest run, job_7_0002, {why}: this report is on {shown}, recorded before it"
    assert diagnose_runs(runs).losses == (() if why is None else (told,))


@pytest.mark.parametrize(("record", "said"), [(400, False), (90, True), (5000, True)])
def test_that_another_run_died_far_from_here_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, record: int, said: bool
) -> None:
    attempt = "attempt_7_000{}_r_000000_0"
    evidence = replace(
        reduce_attempt(),
        attempt=Attempt(attempt.format(2), "reduce", 0),
        position=DeathPosition("reduce", record=500, group=3, record_in_group=9),
    )
    monkeypatch.setattr("mprof.evidence.assemble.best_witness.assemble", lambda _runs: evidence)
    at = {"phase": "reduce", "records_in": record, "group": 77}
    writer = EventWriter(attempt.format(1)).add(
        "failure", place="reduce", class_="java.lang.OutOfMemoryError", message="Java heap space",
        thread="main", stack=["com.x.R.reduce(R.java:3)"], at=at,
    )  # fmt: skip
    trace = read_trace(writer.write(tmp_path))
    runs = [
        JobRun("job_7_0001", "watch", state="FAILED", traces=(trace,), number=1),
        JobRun("job_7_0002", "profile", state="FAILED", number=2),
    ]

    told = [one for one in diagnose_runs(runs).losses if "died elsewhere" in one]

    assert len(told) == said
    assert all(f"at record {record:,} (group 77)" in one and "runs/001" in one for one in told)


def test_a_lone_dump_is_of_no_older_run() -> None:
    runs = [JobRun(None, "none"), JobRun(None, "none")]

    assert diagnose_runs(runs).losses == ()


@pytest.mark.parametrize(("kind", "said"), [("heap", True), ("none", False)])
def test_what_the_attempt_shown_lacks_is_said_where_it_died(
    monkeypatch: pytest.MonkeyPatch, kind: Kind, said: bool
) -> None:
    attempt = "attempt_7_0001_m_00000{}_0"
    evidence = replace(words(), attempt=Attempt(attempt.format(0), "map", 0), death=Death(kind, ""))
    monkeypatch.setattr(
        "mprof.evidence.assemble.best_witness.assemble", lambda _recordings: evidence
    )
    traces = [
        replace(trace_of_diagnostics(attempt.format(n), diagnostics="", state="FAILED"),
                losses=(f"trace {n}",))
        for n in (0, 1)
    ]  # fmt: skip
    dumps = [
        replace(snapshot("p", []), losses=("probe",)),
        replace(snapshot("oom", [], at_death=True), losses=("death",)),
    ]
    run = JobRun(
        "job_7_0001", "profile", traces=tuple(traces), snapshots={attempt.format(0): tuple(dumps)}
    )

    assert diagnose_runs([run]).losses == (("trace 0", "death") if said else ())
