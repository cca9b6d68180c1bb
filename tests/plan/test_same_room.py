"""What was live before R_n: known exactly, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders.attempts import EventWriter
from builders.keys import local_key
from builders.plan_files import parse_plan
from builders.snapshots import MIB, holding, snapshot

from mprof.job_run import JobRun
from mprof.objects import HeapObjects
from mprof.plan import failed_to_warm_up, plan_verify, render_plan
from mprof.trace import read_trace

JOB = "1700000000000_0001"
NAMES = {"map": f"attempt_{JOB}_m_000003_0", "reduce": f"attempt_{JOB}_r_000001_0"}
OOM = {"class_": "java.lang.OutOfMemoryError", "message": "Java heap space", "thread": "main"}
KEPT = local_key("com.example.Job", "map", "kept")
CELLS = local_key("com.example.Job", "map", "cells")
DEATH = {
    "map": {"phase": 3, "records_in": 900},
    "reduce": {"phase": 9, "group": 7, "record_in_group": 20, "records_in": 900,
               "group_digest": 0xABBA, "record_digest": 0xAB},
}  # fmt: skip
AT = {
    "map": {"phase": "map", "records_in": 900},
    "reduce": {"phase": "reduce", "group": 7, "record_in_group": 20, "records_in": 900},
}


def died(
    folder: Path,
    place: str,
    write: Callable[[EventWriter], Any],
    *heaps: HeapObjects,
    heap_max: int = 200 * MIB,
) -> JobRun:
    name = NAMES[place]
    writer = EventWriter(name, heap_max=heap_max, mode="profile")
    write(writer)
    record = {"ordinal": 900} if place == "map" else {"ordinal": 900, "digest": "00ab"}
    writer.add("failure", place=place, record=record, **OOM)
    trace = read_trace(writer.write(folder, position=DEATH[place]))
    return JobRun(f"job_{JOB}", "profile", traces=(trace,), snapshots={name: heaps})


def live(run: JobRun) -> tuple[float, str | None] | None:
    """MiB that the plan says, and which bound that is."""
    plan = plan_verify([run])
    assert plan is not None
    task = parse_plan(render_plan(plan)).tasks[0]
    return None if task.verify_live is None else (task.verify_live / MIB, task.verify_live_is)


def heap(name: str, kept: int, cells: int = 0, *, at_death: bool = False) -> HeapObjects:
    """18 MB of the framework and the JVM, what the mapper keeps, and what one record needs."""
    held = [holding(KEPT, kept * MIB), holding(CELLS, cells * MIB, lifecycle="record")]
    return snapshot(name, held, at_death=at_death, framework=12 * MIB, other=6 * MIB)


@pytest.mark.parametrize("place", ["map", "reduce"])
def test_a_dump_before_the_record_itself_says_it(place: str, tmp_path: Path) -> None:
    point = {"map": "before_record", "reduce": "in_group"}[place]
    earlier = {**AT[place], "records_in": 450}

    def write(writer: EventWriter) -> None:
        writer.add("dump", file="probe-early.hprof", reason="probe", point=point, at=earlier)
        writer.add("dump", file="probe-late.hprof", reason="probe", point=point, at=AT[place])
        writer.add("dump", file="oom.hprof", reason="oom", at=AT[place])

    run = died(tmp_path, place, write, heap("probe-early", 20), heap("probe-late", 42),
               heap("oom", 42, 130, at_death=True))  # fmt: skip

    assert live(run) == (60, None)


def test_what_the_collector_counts_as_used_at_the_probe_counts(tmp_path: Path) -> None:
    def write(writer: EventWriter) -> None:
        def collect(cause: str, used: int) -> None:
            writer.add("memory", major=True, cause=cause, used_after=used * MIB)

        collect("Heap Dump Initiated GC", 40)
        writer.add("dump", file="probe-early.hprof", reason="probe",
                   at={**AT["map"], "records_in": 450})  # fmt: skip
        for _ in range(5):
            collect("System.gc()", 61)
        writer.add("dump", file="probe-late.hprof", reason="probe", at=AT["map"])
        collect("Heap Dump Initiated GC", 65)  # its event may come after that of the dump
        collect("G1 Compaction Pause", 190)

    run = died(tmp_path, "map", write, heap("probe-early", 20), heap("probe-late", 42))

    assert live(run) == (65, None)


def test_a_class_histogram_before_the_record_says_it_too(tmp_path: Path) -> None:
    def write(writer: EventWriter) -> None:
        for reason, total in (("filling", 190), ("probe", 61)):
            writer.add(
                "histogram", reason=reason, total_bytes=total * MIB, classes=[],
                point="before_record", ordinal=900, at=AT["map"],
            )  # fmt: skip

    assert live(died(tmp_path, "map", write)) == (61, None)


@pytest.mark.parametrize(
    ("collected", "cells", "says"),
    [
        (58, 130, (58, None)),  # it and the dump at death, less what the record needs, agree
        # long before R_n, and R_n may be what the job died of: it must die with more room, too
        (30, 130, (30, "least")),
        # hardly anything lives for R_n: it must live with less room, too
        (30, 9, (60, "most")),
    ],
)
def test_without_a_probe_a_collection_before_it_and_the_dump_at_death_are_its_bounds(
    collected: int, cells: int, says: tuple[float, str | None], tmp_path: Path
) -> None:
    def write(writer: EventWriter) -> None:
        for records, used in ((500, 25), (890, collected), (899, 61 if cells < 10 else 150)):
            writer.add("memory", major=True, used_after=used * MIB,
                       at={"phase": "map", "records_in": records})  # fmt: skip
        writer.add("dump", file="oom.hprof", reason="oom", at=AT["map"])

    # the collection at 899 may have come with R_n, which is counted once it has been read
    run = died(tmp_path, "map", write, heap("oom", 42, cells, at_death=True))

    assert live(run) == says


def test_without_a_dump_of_the_death_a_collection_does_not_say_how_much_came_after_it(
    tmp_path: Path,
) -> None:
    def write(writer: EventWriter) -> None:
        for records, used in ((890, 60), (899, 190)):
            writer.add("memory", major=True, used_after=used * MIB,
                       at={"phase": "map", "records_in": records})  # fmt: skip
        writer.add("dump", file="oom.hprof", reason="oom", at=AT["map"])

    late = heap("oom", 42, at_death=True)  # the task had given 130 MB up when it was made

    assert live(died(tmp_path / "1", "map", write)) is None
    assert live(died(tmp_path / "2", "map", write, late)) is None


def test_a_probe_of_the_same_group_in_another_call_of_combine_does_not_count(
    tmp_path: Path,
) -> None:
    slots = {"phase": 3, "records_in": 9000, "combine_place": 1, "combine_call": 4, "spill": 3,
             "combine_partition": 0, "combine_group": 2, "combine_record_in_group": 8,
             "combine_records_in": 30, "combine_group_digest": 1,
             "combine_record_digest": 2}  # fmt: skip

    def plan_of(folder: Path, call: int) -> tuple[float, str | None] | None:
        writer = EventWriter(NAMES["map"], heap_max=200 * MIB, mode="profile")
        at = {"phase": "map", "records_in": 8000, "combine_place": 1, "combine_call": call,
              "combine_records_in": 30}  # fmt: skip
        writer.add("dump", file="probe-c.hprof", reason="probe", point="in_combine", at=at)
        writer.add("failure", place="combine", **OOM)
        trace = read_trace(writer.write(folder, position=slots))
        run = JobRun(f"job_{JOB}", "profile", traces=(trace,),
                     snapshots={NAMES["map"]: (heap("probe-c", 42),)})  # fmt: skip
        return live(run)

    assert plan_of(tmp_path / "same", 4) == (60, None)
    assert plan_of(tmp_path / "other", 3) is None


def test_others_come_first_unless_user_code_has_failed_at_one_of_them(tmp_path: Path) -> None:
    run = died(
        tmp_path, "map",
        lambda writer: writer.add("dump", file="p.hprof", reason="probe", at=AT["map"]),
        heap("p", 42),
    )  # fmt: skip
    writer = EventWriter(NAMES["map"], mode="verify")
    writer.add("verify", step="warm_up_failed", warm_up=3)
    writer.add("failure", place="map", class_="java.lang.IllegalStateException", message="")
    failed = JobRun(run.job_id, "verify", traces=(read_trace(writer.write(tmp_path / "2")),))

    warm, cold = plan_verify([run]), plan_verify([run, failed])

    assert failed_to_warm_up(failed)
    assert not failed_to_warm_up(run)

    assert warm is not None
    assert cold is not None
    assert "after a few others to warm up" in warm.summary
    assert "in a heap filled to 60 MB, as before it" in warm.summary
    assert warm.tasks[0].verify_warm_up is None
    assert "warm up" not in cold.summary
    assert cold.tasks[0].verify_warm_up == 0
    assert "m_000003.verify_warm_up=0\n" in render_plan(cold)
