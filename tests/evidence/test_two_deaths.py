"""What two runs of a job say together, each of which lacks something of the same death."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders.attempts import EventWriter
from builders.keys import field_key
from builders.snapshots import MIB, holding, snapshot

from mprof.diagnosis import diagnose_runs
from mprof.evidence import DeathPosition, Unknown, known
from mprof.job_run import JobRun
from mprof.objects import ClassBytes, HeapObjects
from mprof.plan import plan_verify
from mprof.trace import read_trace

KEPT = field_key("com.x.Words", "seen")
WATCHED, PROFILED = "attempt_1_0001_m_000000_0", "attempt_1_0002_m_000000_0"


def heap_of(name: str, kept_mb: int) -> HeapObjects:
    """A heap with so many MB of words in the field, and 8 MB of Hadoop's."""
    words = (ClassBytes("com.x.Word", kept_mb * MIB),)
    kept = holding(KEPT, kept_mb * MIB, classes=words)
    heap = snapshot(name, [kept], at_death=name == "oom", other=0, framework=8 * MIB)
    return replace(heap, classes=(*words, ClassBytes("byte[]", 8 * MIB)))


def died(
    folder: Path,
    name: str,
    record: int,
    kept_mb: int,
    probes: tuple[int, ...] = (),
    *,
    counted: tuple[int, ...] = (),
    place: str = "map",
    slots: dict[str, int] | None = None,
) -> JobRun:
    """A mapper that keeps 2 MB a record and dies of it; its dump at death shows so much of it."""
    mode = "profile" if probes else "watch"
    writer = EventWriter(name, heap_max=256 * MIB, mode=mode)
    heaps = []
    for at in probes:
        file = f"probe-before_record-{at}"
        writer.add(
            "dump", file=f"{file}.hprof", reason="probe", point="before_record", ordinal=at,
            at={"phase": "map", "records_in": at - 1},
        )  # fmt: skip
        heaps.append(heap_of(file, max(1, 2 * (at - 1))))
    for at in counted:
        sizes = {"com.x.Word": 2 * (at - 1) * MIB, "byte[]": 8 * MIB}
        writer.add(
            "histogram", reason="probe", point="before_record", ordinal=at, seconds=0.1,
            at={"phase": "map", "records_in": at - 1}, total_bytes=sum(sizes.values()),
            classes=[[name, 1, size] for name, size in sizes.items()],
        )  # fmt: skip
    at_death = {"phase": "map", "records_in": record}
    writer.add("memory", major=True, used_after=2 * record * MIB, at=at_death)
    writer.add("dump", file="oom.hprof", reason="oom")
    heaps.append(heap_of("oom", kept_mb))
    writer.add(
        "failure", place=place, class_="java.lang.OutOfMemoryError", message="Java heap space",
        thread="main", stack=["com.x.Words.map(Words.java:3)"], at=at_death,
    )  # fmt: skip
    position = {"phase": 3, "records_in": record, **(slots or {})}
    trace = read_trace(writer.write(folder, position=position))
    job = "job_" + "_".join(name.split("_")[1:3])
    heap = {name: tuple(heaps)}
    return JobRun(job, mode, traces=(trace,), snapshots=heap, state="FAILED", number=int(job[-1]))


def test_a_dump_that_came_too_late_does_not_replace_one_that_did_not(tmp_path: Path) -> None:
    first = died(tmp_path / "1", WATCHED, 70, 140)
    late = died(tmp_path / "2", PROFILED, 104, 3, (1, 11, 21, 41, 72), counted=(61, 73))

    found = diagnose_runs([first, late])
    evidence = found.evidence

    assert evidence.attempt.attempt_id == WATCHED
    assert [(one.key, one.bytes) for one in evidence.held] == [(KEPT, 140 * MIB)]
    (curve,) = [one for one in evidence.series if one.holder == KEPT]
    # the last probes, a dump and a histogram, were at records that the first run never reached
    assert [one.x for one in curve.points] == [0, 10, 20, 40, 60]
    assert curve.at_death is not None
    assert curve.at_death.size_bytes == 140 * MIB
    assert evidence.probes is not None
    assert evidence.probes.attempt_id == PROFILED
    assert found.losses[-1] == (
        "the newest run, job_1_0002, left no heap dump of the death: this report is on job_1_0001, "
        "recorded before it, with what the probes of the newest showed"
    )
    (named, *_) = found.diagnosis.causes
    assert (named.rule.cause, named.finding.confidence) == ("large_accumulated_results.map", "sure")


@pytest.mark.parametrize("newest_is_shown", [False, True])
def test_a_probe_of_a_heap_as_good_as_full_stands_for_the_dump_of_its_own_run(
    tmp_path: Path, newest_is_shown: bool
) -> None:
    """Of 220 MB, 212 at record 107; the run without a dump is the newest, or is not."""
    probed = died(tmp_path / "1", PROFILED, 110, 3, (1, 41, 107))
    other = died(tmp_path / "2", WATCHED, 110, 220 if newest_is_shown else 3, (1, 11))

    runs = [other, probed] if newest_is_shown else [probed, other]
    evidence = diagnose_runs(runs).evidence

    assert evidence.attempt.attempt_id == PROFILED
    assert [one.bytes for one in evidence.held] == [212 * MIB]
    (curve,) = [one for one in evidence.series if one.holder == KEPT]
    assert [one.x for one in curve.points] == [0, 40]


def test_what_is_run_alone_is_the_record_of_the_death_that_is_shown(tmp_path: Path) -> None:
    runs = [died(tmp_path / "1", WATCHED, 100, 200), died(tmp_path / "2", PROFILED, 104, 3, (1,))]
    shown = diagnose_runs(runs).evidence.attempt.attempt_id

    newest, of_the_shown = plan_verify(runs), plan_verify(runs, shown)

    assert newest is not None
    assert of_the_shown is not None
    assert [one.verify_record for one in (*newest.tasks, *of_the_shown.tasks)] == [104, 100]


@pytest.mark.parametrize("record", [40, 210])
def test_a_death_far_from_there_is_another(tmp_path: Path, record: int) -> None:
    first = died(tmp_path / "1", WATCHED, record, 200)
    late = died(tmp_path / "2", PROFILED, 104, 3, (1, 21, 41, 61))

    evidence = diagnose_runs([first, late]).evidence

    assert evidence.attempt.attempt_id == PROFILED
    assert isinstance(evidence.holders, Unknown)


def test_the_probes_of_an_older_run_are_told_with_the_newer_death(tmp_path: Path) -> None:
    older = died(tmp_path / "1", WATCHED, 104, 3, (1, 21, 41, 61, 81))
    newest = died(tmp_path / "2", PROFILED, 100, 200)

    evidence = diagnose_runs([older, newest]).evidence

    assert evidence.attempt.attempt_id == PROFILED
    assert evidence.probes is not None
    assert (evidence.probes.attempt_id, evidence.probes.dumps) == (WATCHED, 5)
    assert [len(one.points) for one in evidence.series if one.holder == KEPT] == [5]


def test_the_counts_of_a_combiner_are_none_of_the_map(tmp_path: Path) -> None:
    in_combine = {"combine_place": 1, "combine_records_in": 9, "combine_group": 2}
    runs = [
        died(tmp_path / "1", WATCHED, 100, 200, place="combine", slots=in_combine),
        died(tmp_path / "2", PROFILED, 100, 200, (1, 21, 41), place="combine", slots=in_combine),
    ]

    found = diagnose_runs(runs)

    assert known(found.evidence.position) == DeathPosition("combine", 9, 2)
    (curve,) = [one for one in found.evidence.series if one.holder == KEPT]
    assert [one.x for one in curve.points] == [0, 20, 40]
    assert not any("died elsewhere" in one for one in found.losses)


def test_an_attempt_that_is_asked_for_is_the_one_shown(tmp_path: Path) -> None:
    runs = [died(tmp_path / "1", WATCHED, 100, 200), died(tmp_path / "2", PROFILED, 104, 3, (1,))]

    assert diagnose_runs(runs, PROFILED).evidence.attempt.attempt_id == PROFILED
