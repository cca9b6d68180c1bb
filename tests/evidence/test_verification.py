"""A verification counts for the record that it was of, and for no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.attempts import EventWriter, sketch
from builders.keys import local_key
from builders.snapshots import MIB, holding, snapshot

from mprof.evidence import Evidence, GroupSizes, Unknown
from mprof.evidence.assemble import assemble
from mprof.job_run import JobRun
from mprof.plan import plan_verify
from mprof.trace import read_trace

JOB = "1700000000000_0001"
MAP, REDUCE = f"attempt_{JOB}_m_000003_0", f"attempt_{JOB}_r_000001_0"
OOM = {"class_": "java.lang.OutOfMemoryError", "message": "Java heap space", "thread": "main"}


def profiled(folder: Path, name: str, **record: object) -> JobRun:
    place = "map" if name == MAP else "reduce"
    writer = EventWriter(name, heap_max=1 << 28, mode="profile")
    writer.add("failure", place=place, record=record, **OOM)
    slots = {"phase": 3, "records_in": 900} if name == MAP else {
        "phase": 9, "group": 7, "group_digest": 0xABBA, "record_in_group": 20,
        "records_in": 900}  # fmt: skip
    trace = read_trace(writer.write(folder, position=slots))
    return JobRun(f"job_{JOB}", "profile", traces=(trace,))


def verified(
    folder: Path,
    name: str,
    *,
    grown: int = 1,
    group: str | None = None,
    records: int = 1,
    **step: object,
) -> JobRun:
    """R_n alone left so many MiB behind, or its group has so many records."""
    writer = EventWriter(name, heap_max=1 << 28, mode="verify")
    writer.add("verify", **{"step": "met", **step})
    for point in ("before", "after"):
        writer.add("dump", file=f"{point}.hprof", reason="probe", point=f"verify_{point}")
    writer.add("verify", step="survived")
    counted = {} if group is None else {"digest": group, "others": {"records": sketch([5] * 9)}}
    writer.add("verify", step="group_total", records=records, whole=True, **counted)
    key = local_key("com.example.R", "reduce", "x")
    held = {"before": MIB, "after": MIB + grown * MIB}
    snapshots = tuple(snapshot(at, [holding(key, size)]) for at, size in held.items())
    trace = read_trace(writer.write(folder))
    return JobRun(f"job_{JOB}", "verify", traces=(trace,), snapshots={name: snapshots})


def known_of(evidence: Evidence) -> tuple[bool, int | None] | None:
    """Whether R_n was met, and the MiB it left behind."""
    found = evidence.verification
    if isinstance(found, Unknown):
        assert found.run_that_would_tell == "verify"
        return None
    grown = found.growth_bytes
    return found.met, None if isinstance(grown, Unknown) else grown // MIB


@pytest.mark.parametrize(
    ("name", "record", "step", "counts"),
    [
        (MAP, {"ordinal": 900}, {"ordinal": 900}, True),
        (MAP, {"ordinal": 901}, {"ordinal": 900}, False),  # the record that was being read
        (MAP, {}, {"ordinal": 900}, True),  # no failure names it: the position does
        (MAP, {"ordinal": 901}, {}, True),  # an agent that did not say which
        # in reduce() the ordinals are those of what was handed over, the digest tells
        (REDUCE, {"ordinal": 900, "digest": "00ab"}, {"ordinal": 1, "digest": "00ab"}, True),
        (REDUCE, {"ordinal": 900, "digest": "00ab"}, {"ordinal": 1, "digest": "00cd"}, False),
        (REDUCE, {"ordinal": 900, "digest": "00ab"}, {"ordinal": 1}, True),
    ],
)
def test_a_verification_of_another_record_tells_nothing_of_this_one(
    name: str, record: dict[str, object], step: dict[str, object], counts: bool, tmp_path: Path
) -> None:
    runs = [
        profiled(tmp_path / "1", name, **{**record, **step}),
        verified(tmp_path / "2", name, **step),
        profiled(tmp_path / "3", name, **record),
    ]

    assert known_of(assemble(runs)) == ((True, 1) if counts else None)


def test_one_that_did_not_meet_its_record_is_of_a_record_all_the_same(tmp_path: Path) -> None:
    same, other = "00000000000000ab", "00000000000000cd"
    runs = [
        profiled(tmp_path / "1", REDUCE, ordinal=900, digest=same),
        verified(tmp_path / "2", REDUCE, step="not_met", digest=same),
    ]
    newer = profiled(tmp_path / "3", REDUCE, ordinal=900, digest=other)

    assert known_of(assemble(runs)) == (False, None)
    assert known_of(assemble([*runs, newer])) is None


def test_of_several_verifications_the_newest_of_this_record_counts(tmp_path: Path) -> None:
    runs = [
        verified(tmp_path / "1", MAP, ordinal=900, grown=1),
        verified(tmp_path / "2", MAP, ordinal=900, grown=2),
        verified(tmp_path / "3", MAP, ordinal=77, grown=3),
        profiled(tmp_path / "4", MAP, ordinal=900),
    ]

    assert known_of(assemble(runs)) == (True, 2)


@pytest.mark.parametrize(
    ("name", "record"), [(MAP, {"ordinal": 901}), (REDUCE, {"ordinal": 900, "digest": "00ab"})]
)
def test_what_the_plan_has_verified_is_the_record_that_the_evidence_is_of(
    name: str, record: dict[str, object], tmp_path: Path
) -> None:
    run = profiled(tmp_path / "1", name, **record)
    plan = plan_verify([run])
    assert plan is not None
    (task,) = plan.tasks

    step = {"ordinal": task.verify_record or 1, "digest": task.verify_digest}
    told = {key: value for key, value in step.items() if value is not None}
    done = verified(tmp_path / "2", name, **told)

    assert known_of(assemble([run, done])) == (True, 1)


@pytest.mark.parametrize(("group", "same"), [("abba", True), ("cafe", False)])
def test_of_a_verification_of_another_record_the_size_of_the_group_still_holds(
    group: str, same: bool, tmp_path: Path
) -> None:
    runs = [
        verified(tmp_path / "1", REDUCE, records=77, group=group, ordinal=1, digest="00cd"),
        profiled(tmp_path / "2", REDUCE, ordinal=900, digest="00ab"),
    ]

    evidence = assemble(runs)

    assert known_of(evidence) is None
    groups = evidence.groups
    if not same:
        assert isinstance(groups, Unknown)
        return
    assert isinstance(groups, GroupSizes)
    assert groups.whole is not None
    assert groups.whole.records == 77


@pytest.mark.parametrize("late", [False, True])
def test_a_dump_that_came_when_r_n_had_given_its_memory_up_is_not_of_its_growth(
    late: bool, tmp_path: Path
) -> None:
    # R_n alone fills 90 MB and dies; another thread's error is the first that the JVM dumps
    writer = EventWriter(MAP, heap_max=100 * MIB, mode="verify")
    writer.add("verify", step="met", ordinal=900)
    writer.add("dump", file="probe-verify_before-900.hprof", point="verify_before", ordinal=900)
    writer.add("memory", major=True, used_after=95 * MIB, at={"phase": "map", "records_in": 900})
    writer.add("failure", place="map", record={"ordinal": 900}, **OOM)
    writer.add("dump", file="oom.hprof", reason="oom").add("verify", step="failed")
    grams = holding(local_key("com.example.Job", "map", "grams"), 62 * MIB, lifecycle="record")
    heaps = (
        snapshot("probe-verify_before-900", [], framework=20 * MIB),
        snapshot("oom", [] if late else [grams], at_death=True, framework=20 * MIB),
    )
    alone = JobRun(f"job_{JOB}", "verify", traces=(read_trace(writer.write(tmp_path / "2")),),
                        snapshots={MAP: heaps})  # fmt: skip

    found = assemble([profiled(tmp_path / "1", MAP, ordinal=900), alone]).verification

    assert not isinstance(found, Unknown)
    assert (found.met, found.died) == (True, True)
    assert isinstance(found.growth_bytes, Unknown) if late else found.growth_bytes == 62 * MIB


def test_a_cache_that_r_n_was_the_first_to_fill_is_part_of_what_grew(
    tmp_path: Path,
) -> None:
    writer = EventWriter(MAP, heap_max=100 * MIB, mode="verify")
    writer.add("verify", step="met", ordinal=900)
    writer.add("dump", file="probe-verify_before-900.hprof", point="verify_before", ordinal=900)
    writer.add("failure", place="map", record={"ordinal": 900}, **OOM)
    writer.add("dump", file="oom.hprof", reason="oom").add("verify", step="failed")
    models, words = local_key("com.example.Models", "load", "all"), local_key(
        "com.example.Job", "map", "words")  # fmt: skip
    heaps = (
        snapshot("probe-verify_before-900", [holding(models, 3 * MIB)], framework=20 * MIB),
        snapshot("oom", [holding(models, 53 * MIB), holding(words, 9 * MIB, lifecycle="record")],
                 at_death=True, framework=20 * MIB),
    )  # fmt: skip
    alone = JobRun(f"job_{JOB}", "verify", traces=(read_trace(writer.write(tmp_path / "2")),),
                        snapshots={MAP: heaps})  # fmt: skip

    found = assemble([profiled(tmp_path / "1", MAP, ordinal=900), alone]).verification

    assert not isinstance(found, Unknown)
    assert found.died
    assert found.growth_bytes == 59 * MIB


def tried(folder: Path, *steps: dict[str, object], dies: bool = False) -> JobRun:
    """A verification of record 900 of map() with these steps; it may die of it."""
    writer = EventWriter(MAP, heap_max=1 << 28, mode="verify")
    for step in steps:
        writer.add("verify", **step)
    if dies:
        writer.add("failure", place="map", record={"ordinal": 900}, **OOM)
        writer.add("verify", step="failed")
    return JobRun(f"job_{JOB}", "verify", traces=(read_trace(writer.write(folder)),))


MET: dict[str, object] = {"step": "met", "ordinal": 900, "warm_up": 16}
SAME: dict[str, object] = {"step": "room", "same_room": True, "target": 60 * MIB,
                           "live": 18 * MIB, "ballast": 42 * MIB}  # fmt: skip
OTHER: dict[str, object] = {"step": "room", "same_room": False, "ballast": 0,
                            "why": {"code": "live_not_known"}}  # fmt: skip
SURVIVED: dict[str, object] = {"step": "survived"}


@pytest.mark.parametrize(
    ("steps", "dies", "same_room", "warm_up"),
    [
        ((MET, SAME), True, True, 16),
        ((MET, SAME, SURVIVED), False, True, 16),
        ((MET, OTHER), True, False, 16),
        ((MET, OTHER, SURVIVED), False, False, 16),
        # it was killed as it worked on R_n, of a time-out perhaps: it neither died nor lived
        ((MET, SAME), False, False, 16),
        ((MET, SAME, {"step": "failed", "class": "com.example.Bad"}), False, False, 16),
        # an error on R_n that user code has lived with: what came after it had more room
        ((MET, SAME, {**SURVIVED, "room_lost": True}), False, False, 16),
        # no more was live in the job than the heap was filled to, so R_n had no more room
        ((MET, {**SAME, "target_is": "most"}, SURVIVED), False, True, 16),
        ((MET, {**SAME, "target_is": "least"}, SURVIVED), False, False, 16),
        ((MET, {**SAME, "target_is": "least"}), True, True, 16),
        # as an agent that filled nothing in wrote it
        (({"step": "met", "ordinal": 900}, SURVIVED), False, False, 0),
    ],
)
def test_whether_r_n_had_the_room_of_the_job_and_what_came_before_it(
    steps: tuple[dict[str, object], ...],
    dies: bool,
    same_room: bool,
    warm_up: int,
    tmp_path: Path,
) -> None:
    runs = [profiled(tmp_path / "1", MAP, ordinal=900), tried(tmp_path / "2", *steps, dies=dies)]

    found = assemble(runs).verification

    assert not isinstance(found, Unknown)
    assert (found.met, found.died, found.same_room) == (True, dies, same_room)
    assert found.warm_up_records == warm_up


def test_a_death_in_what_may_be_less_room_than_it_had_is_none_of_r_n_alone(tmp_path: Path) -> None:
    def found(room: dict[str, object], folder: Path) -> tuple[bool, bool]:
        alone = tried(folder, MET, {**room, "target_is": "most"}, dies=True)
        told = assemble([profiled(tmp_path / "1", MAP, ordinal=900), alone]).verification
        assert not isinstance(told, Unknown)
        return told.died, told.same_room

    assert found(SAME, tmp_path / "2") == (False, False)
    # nothing was filled in: it had a whole heap
    assert found(OTHER, tmp_path / "3") == (True, False)
    fuller = {**OTHER, "why": {"code": "more_is_live"}}
    assert found(fuller, tmp_path / "4") == (False, False)


@pytest.mark.parametrize(("bound", "same"), [(None, True), ("most", True), ("least", False)])
def test_what_lives_where_more_is_live_than_in_the_job_had_no_more_room(
    bound: str | None, same: bool, tmp_path: Path
) -> None:
    told = {} if bound is None else {"target_is": bound}
    fuller = {**OTHER, "why": {"code": "more_is_live"}, **told}
    runs = [
        profiled(tmp_path / "1", MAP, ordinal=900),
        tried(tmp_path / "2", MET, fuller, SURVIVED),
    ]

    found = assemble(runs).verification

    assert not isinstance(found, Unknown)
    assert (found.died, found.same_room) == (False, same)


def test_user_code_that_fails_before_it_is_given_r_n_says_nothing_of_r_n(tmp_path: Path) -> None:
    failed = {"step": "warm_up_failed", "warm_up": 3, "class": "com.example.NoHeader"}
    early = tried(tmp_path / "2", failed)
    runs = [profiled(tmp_path / "1", MAP, ordinal=900), early]

    found = assemble(runs).verification
    cold = tried(tmp_path / "3", {**MET, "warm_up": 0}, SAME, SURVIVED)
    again = assemble([*runs, cold]).verification

    assert not isinstance(found, Unknown)
    assert (found.met, found.died, found.same_room) == (False, False, False)
    assert isinstance(found.growth_bytes, Unknown)
    assert "com.example.NoHeader" in found.growth_bytes.missing
    assert not isinstance(again, Unknown)
    assert (again.met, again.same_room, again.warm_up_records) == (True, True, 0)


ROOM_OF_CONTROL: dict[str, object] = {**SAME, "step": "control"}
CONTROL_LIVED: dict[str, object] = {"step": "control_survived"}


@pytest.mark.parametrize(
    ("steps", "control"),
    [
        ((ROOM_OF_CONTROL, CONTROL_LIVED, MET, SAME), "lived"),
        # an error that user code has lived with gave the room up
        ((ROOM_OF_CONTROL, {**CONTROL_LIVED, "room_lost": True}, MET, SAME), None),
        # it had no such room, or R_n had none
        (({**OTHER, "step": "control"}, MET, SAME), None),
        ((ROOM_OF_CONTROL, CONTROL_LIVED, MET, OTHER), None),
        # another thread asked for R_n while one was at work on the control
        ((ROOM_OF_CONTROL, MET, SAME), None),
        ((MET, SAME), None),
    ],
)
def test_the_control_lived_where_it_had_the_room_of_r_n_to_its_end(
    steps: tuple[dict[str, object], ...], control: str | None, tmp_path: Path
) -> None:
    runs = [profiled(tmp_path / "1", MAP, ordinal=900), tried(tmp_path / "2", *steps, dies=True)]

    found = assemble(runs).verification

    assert not isinstance(found, Unknown)
    assert found.control == control


@pytest.mark.parametrize("came_back", [True, False])
def test_where_another_lives_in_less_room_the_death_of_r_n_alone_is_its_own(
    tmp_path: Path, *, came_back: bool
) -> None:
    # the heap was never empty enough: nothing had to be filled in, for either of the two
    fuller = {**OTHER, "why": {"code": "more_is_live"}}
    steps = ({**fuller, "step": "control"}, *((MET, fuller) if came_back else ()))
    alone = tried(tmp_path / "2", *steps, dies=True)

    found = assemble([profiled(tmp_path / "1", MAP, ordinal=900), alone]).verification

    assert not isinstance(found, Unknown)
    assert (found.died, found.same_room) == (came_back, came_back)
    assert found.control == ("lived" if came_back else None)


@pytest.mark.parametrize(("of_memory", "control"), [(True, "died"), (False, None)])
def test_a_control_that_dies_is_told_beside_the_run_without_any(
    of_memory: bool, control: str | None, tmp_path: Path
) -> None:
    failed = {"step": "warm_up_failed", "warm_up": 16, "control": True}
    early = tried(tmp_path / "2", ROOM_OF_CONTROL, failed, dies=of_memory)
    cold = tried(tmp_path / "3", {**MET, "warm_up": 0}, SAME, dies=True)

    found = assemble([profiled(tmp_path / "1", MAP, ordinal=900), early, cold]).verification

    assert not isinstance(found, Unknown)
    assert (found.died, found.same_room, found.control) == (True, True, control)
