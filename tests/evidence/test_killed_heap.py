"""Deaths of a heap that met no error: a container that it filled, and a task that crawled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders.attempts import EventWriter
from builders.snapshots import MIB, holding, snapshot

from mprof.diagnosis import diagnose_runs
from mprof.evidence import Evidence, Unknown, is_heap_death, known
from mprof.evidence.assemble import assemble
from mprof.history import JobConf
from mprof.job_run import JobRun
from mprof.objects import HeapObjects, HolderKey
from mprof.trace import read_trace

JOBS = ("1700000000000_0001", "1700000000000_0002")
WORDS = (
    "Container [pid=1] is running 5B beyond the 'PHYSICAL' memory limit. Current usage: 1.0 GB of "
    "1 GB physical memory used; 3.9 GB of 2.1 GB virtual memory used. Killing container.\n"
)
KEPT = HolderKey("field", "com.example.Grow", "kept")
DIED_AT = 10_000


def attempt(job: str, *, heap: int, mode: str = "watch") -> EventWriter:
    return EventWriter(f"attempt_{job}_m_000000_0", heap_max=heap, mode=mode)


def conf(**more: str) -> JobConf:
    return JobConf({"mapreduce.map.memory.mb": "1024", **more})


def killed(folder: Path, held_mb: int, *, major: bool = False) -> JobRun:
    """A mapper of -Xmx1600m in a container of 1 GB, which the collections saw grow to so much."""
    writer = attempt(JOBS[0], heap=1600 * MIB)
    for i in range(1, 9):
        at = {"phase": "map", "records_in": DIED_AT * i // 8, "progress_ppm": 50_000 * i}
        writer.add("memory", major=major, used_after=held_mb * MIB * i // 8, at=at)
    writer.add("process", resident=1000 * MIB, heap_used=800 * MIB, heap_committed=900 * MIB)
    trace = read_trace(
        writer.write(folder, position={"phase": 3, "records_in": DIED_AT}),
        diagnostics=WORDS,
        state="FAILED",
    )
    return JobRun(f"job_{JOBS[0]}", "watch", traces=(trace,), conf=conf(), state="FAILED")


def probed(folder: Path, points: dict[int, int], *, mode: str = "profile") -> JobRun:
    """The same mapper in a container of 2 GB: at these records it kept so many MB, and finished."""
    writer = attempt(JOBS[1], heap=1600 * MIB, mode=mode)
    snapshots: list[HeapObjects] = []
    for record, kept in points.items():
        name = f"probe-before_record-{record:010d}"
        writer.add(
            "dump", file=f"{name}.hprof", reason="probe", point="before_record", ordinal=record,
            at={"phase": "map", "records_in": record - 1},
        )  # fmt: skip
        snapshots.append(snapshot(name, [holding(KEPT, kept * MIB)], framework=8 * MIB))
    writer.add("end", outcome="done")
    trace = read_trace(writer.write(folder), state="SUCCEEDED")
    return JobRun(
        f"job_{JOBS[1]}", mode, traces=(trace,), conf=conf(), state="SUCCEEDED",
        snapshots={trace.attempt_id or "": tuple(snapshots)},
    )  # fmt: skip


@pytest.mark.parametrize("major", [True, False])
@pytest.mark.parametrize(("held_mb", "of_heap"), [(700, True), (520, True), (500, False)])
def test_a_container_that_was_killed_died_of_its_heap_where_that_held_half_of_it(
    held_mb: int, of_heap: bool, major: bool, tmp_path: Path
) -> None:
    evidence = assemble([killed(tmp_path, held_mb, major=major)])

    assert evidence.memory.held_bytes_at_death == held_mb * MIB
    assert isinstance(evidence.memory.live_bytes_at_death, Unknown) is not major
    assert is_heap_death(evidence) is of_heap


def test_without_any_collection_nothing_says_that_the_heap_filled_it(tmp_path: Path) -> None:
    writer = attempt(JOBS[0], heap=1600 * MIB)
    trace = read_trace(writer.write(tmp_path), diagnostics=WORDS, state="FAILED")
    run = JobRun(f"job_{JOBS[0]}", "watch", traces=(trace,), conf=conf(), state="FAILED")

    evidence = assemble([run])

    assert isinstance(evidence.memory.held_bytes_at_death, Unknown)
    assert not is_heap_death(evidence)


def test_what_the_heap_held_under_a_virtual_limit_or_another_death_says_nothing(
    tmp_path: Path,
) -> None:
    evidence = assemble([killed(tmp_path, 700)])

    for kind in ("container-virtual", "not-memory", "native"):
        death = replace(evidence.death, kind=kind)
        assert not is_heap_death(replace(evidence, death=death))


def test_the_first_run_names_what_the_collections_saw_grow(tmp_path: Path) -> None:
    diagnosed = diagnose_runs([killed(tmp_path, 700)])

    assert [one.rule.cause for one in diagnosed.diagnosis.causes][:1] == [
        "large_accumulated_results.map"
    ]


POINTS = {1: 0, 2500: 170, 5000: 340, 7500: 510, 10_000: 680}


def of_both(tmp_path: Path, points: dict[int, int]) -> Evidence:
    return assemble([killed(tmp_path / "1", 700), probed(tmp_path / "2", points)])


def test_holders_are_those_of_the_task_in_the_larger_container_up_to_the_record_of_the_kill(
    tmp_path: Path,
) -> None:
    evidence = of_both(tmp_path, {**POINTS, 12_000: 820, 14_000: 950})

    assert evidence.attempt.attempt_id == f"attempt_{JOBS[0]}_m_000000_0"
    assert evidence.death.kind == "container-physical"
    assert evidence.death_snapshot == "probe-before_record-0000010000"
    holders = known(evidence.holders)
    assert holders is not None
    assert [(each.key, each.bytes) for each in holders] == [(KEPT, 680 * MIB)]
    (curve,) = [each for each in evidence.series if each.holder == KEPT]
    assert [(each.x, each.size_bytes / MIB) for each in curve.points] == [
        (0, 0), (2499, 170), (4999, 340), (7499, 510)
    ]  # fmt: skip
    assert curve.at_death is not None
    assert curve.at_death.size_bytes == 680 * MIB
    assert evidence.probes is not None
    assert evidence.probes.dumps == 7


def test_the_rerun_names_the_holder_surely(tmp_path: Path) -> None:
    runs = [killed(tmp_path / "1", 700), probed(tmp_path / "2", {**POINTS, 1250: 85})]

    (first, *_) = diagnose_runs(runs).diagnosis.causes

    assert first.rule.cause == "large_accumulated_results.map"
    assert first.finding.confidence == "sure"


@pytest.mark.parametrize(
    "points",
    [
        {1: 0, 5000: 340},  # the heap alone was not yet half of the container
        {12_000: 820, 14_000: 950},  # all of them later than the kill
        {},
    ],
)
def test_probes_that_do_not_show_a_heap_that_fills_the_container_stand_for_nothing(
    points: dict[int, int], tmp_path: Path
) -> None:
    assert isinstance(of_both(tmp_path, points).holders, Unknown)


def test_another_task_or_a_record_run_alone_is_not_the_same(tmp_path: Path) -> None:
    alone = probed(tmp_path / "2", POINTS, mode="verify")

    assert isinstance(assemble([killed(tmp_path / "1", 700), alone]).holders, Unknown)


def crawled(folder: Path, kept_mb: int | None) -> JobRun:
    """A mapper of -Xmx200m that was killed by its timeout while it crawled at record 10,000."""
    start = 1_700_000_000_000
    writer = EventWriter(f"attempt_{JOBS[0]}_m_000000_0", t=start, heap_max=200 * MIB)
    for i in range(1, 6):
        at = {"phase": "map", "records_in": 2000 * i - 1, "progress_ppm": 100_000 * i}
        writer.add("memory", t=start + i, major=True, used_after=36 * MIB * i, at=at)
    for i in range(12):
        writer.add(
            "crawl", t=start + 5000 * i + 20_000, ms=5000, collecting_ms=4500, collections=40,
            used=190 * MIB, at={"phase": "map", "records_in": DIED_AT},
        )  # fmt: skip
    snapshots = {}
    if kept_mb is not None:
        name = "oom-attempt"
        writer.add("dump", t=start + 36_000, file=f"{name}.hprof", reason="crawl")
        made = snapshot(name, [holding(KEPT, kept_mb * MIB)], framework=8 * MIB, at_death=True)
        snapshots = {writer.attempt: (made,)}
    trace = read_trace(
        writer.write(folder, position={"phase": 3, "records_in": DIED_AT}),
        diagnostics=f"AttemptID:{writer.attempt} task timeout set: 60s, taskTimedOut: true; task "
        "stuck timeout set: 600s, taskStuck: false",
        state="FAILED",
    )
    return JobRun(
        f"job_{JOBS[0]}", "watch", traces=(trace,), conf=conf(), state="FAILED",
        snapshots=snapshots,
    )  # fmt: skip


def test_a_task_that_crawled_has_a_position_a_live_heap_and_a_curve(tmp_path: Path) -> None:
    evidence = assemble([crawled(tmp_path, None)])

    assert evidence.death.kind == "gc-overhead"
    assert is_heap_death(evidence)
    position = known(evidence.position)
    assert position is not None
    assert (position.phase, position.record) == ("map", DIED_AT)
    assert evidence.memory.live_bytes_at_death == 190 * MIB
    assert evidence.memory.capacity_bytes == 190 * MIB
    (curve,) = evidence.series
    assert curve.at_death is not None
    assert (curve.at_death.x, curve.at_death.size_bytes) == (DIED_AT, 190 * MIB)


def test_the_dump_that_was_made_while_it_crawled_is_that_of_its_death(tmp_path: Path) -> None:
    evidence = assemble([crawled(tmp_path, 160)])

    assert evidence.death_snapshot == "oom-attempt"
    holders = known(evidence.holders)
    assert holders is not None
    assert [each.bytes for each in holders] == [160 * MIB]
