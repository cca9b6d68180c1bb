"""R_n of a class whose bytes nothing counts: what it takes of the heap, beside others before it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders.attempts import EventWriter
from builders.keys import field_key, record_key
from builders.snapshots import MIB, holding, snapshot
from builders.verdicts import verdicts_of

from mprof.dataflow import LastRecord, last_record
from mprof.evidence import Evidence, RecordSizes, Unknown
from mprof.evidence.assemble import assemble
from mprof.evidence.assemble.position import position_of
from mprof.evidence.assemble.records import record_sizes_of
from mprof.job_run import JobRun
from mprof.objects import Holder
from mprof.rules import CannotTell, Fires, Silent, Verdict
from mprof.trace import read_trace

JOB = "1700000000000_0001"
MAP = f"attempt_{JOB}_m_000000_0"
OOM = {
    "class_": "java.lang.OutOfMemoryError",
    "message": "Java heap space",
    "thread": "main",
}
STACK = ["com.example.Job.map(Job.java:18)"]
KEPT = field_key("com.example.Job", "columns")
POINTS = (1, 100, 200, 300, 400, 500)
LAST = 501
SMALL = 4000


def _died(
    folder: Path, in_flight: dict[int, int], at_death: int, **failure: Any
) -> tuple[Evidence, dict[str, Verdict]]:
    """A mapper that died at record 501: what was in flight at each probe, and at its death."""
    writer = EventWriter(MAP, mode="profile", heap_max=256 * MIB, collectors=["Copy"])
    snapshots = []
    for ordinal, size in in_flight.items():
        name = f"probe-before_record-{ordinal}"
        writer.add(
            "dump", file=f"{name}.hprof", reason="probe", point="before_record", ordinal=ordinal
        )
        holders = [holding(KEPT, MIB), _record(size)]
        snapshots.append(snapshot(name, holders))
    writer.add("dump", file="oom.hprof", reason="oom")
    writer.add("failure", place="map", **{"stack": STACK, **OOM, **failure})
    snapshots.append(snapshot("oom", [holding(KEPT, 120 * MIB), _record(at_death)], at_death=True))
    trace = read_trace(writer.write(folder, position={"phase": 3, "records_in": LAST}))
    run = JobRun(f"job_{JOB}", "profile", traces=(trace,), snapshots={MAP: tuple(snapshots)})
    evidence = assemble([run])
    return evidence, verdicts_of(evidence)


def _record(size: int) -> Holder:
    return holding(record_key("value"), size, owner="record_in_flight", lifecycle="record")


def _sizes(evidence: Evidence) -> RecordSizes:
    assert isinstance(evidence.records, RecordSizes)
    return evidence.records


def test_it_is_compared_with_those_that_probes_met_before_it(tmp_path: Path) -> None:
    sizes = dict.fromkeys(POINTS, SMALL) | {LAST: 8 * MIB}
    evidence, verdicts = _died(tmp_path, sizes, 9 * MIB)

    records = _sizes(evidence)
    assert (records.bytes, records.in_heap) == (9 * MIB, True)
    assert not isinstance(records.before, Unknown)
    assert (records.before.count, records.before.largest) == (len(POINTS), SMALL)
    verdict = verdicts["large_single_record"]
    assert isinstance(verdict, Fires)
    assert "9.0 MB of heap" in verdict.sentence


def test_one_that_takes_no_more_than_another_before_it_is_ordinary(tmp_path: Path) -> None:
    sizes = dict(zip(POINTS, (SMALL, 9 * MIB, SMALL, 9 * MIB, SMALL, SMALL), strict=True))
    sizes[LAST] = 9 * MIB
    _, verdicts = _died(tmp_path, sizes, 9 * MIB)

    assert isinstance(verdicts["large_single_record"], Silent)


def test_without_a_dump_before_it_a_rerun_would_tell(tmp_path: Path) -> None:
    evidence, verdicts = _died(tmp_path, {}, 9 * MIB)

    records = _sizes(evidence)
    assert isinstance(records.bytes, Unknown)
    assert records.bytes.run_that_would_tell == "rerun"
    assert isinstance(verdicts["large_single_record"], CannotTell)


def test_bytes_that_were_counted_are_kept(tmp_path: Path) -> None:
    sizes = dict.fromkeys(POINTS, SMALL)
    evidence, _ = _died(tmp_path, sizes, 9 * MIB, record={"ordinal": LAST, "bytes": 77})

    records = _sizes(evidence)
    assert (records.bytes, records.in_heap) == (77, False)


def test_where_another_thread_reads_the_record_in_flight_is_not_measured(tmp_path: Path) -> None:
    # what its reader handed out last need not be the record whose work ran out of memory
    stack = [*STACK, "org.apache.hadoop.mapreduce.lib.chain.Chain$MapRunner.run(Chain.java:321)"]
    sizes = dict.fromkeys(POINTS, SMALL)
    evidence, _ = _died(tmp_path, sizes, 9 * MIB, stack=stack)

    records = _sizes(evidence)
    assert isinstance(records.bytes, Unknown)
    assert records.bytes.run_that_would_tell == "none"


def test_in_combine_it_is_not_an_earlier_record_of_the_last_event(tmp_path: Path) -> None:
    writer = EventWriter(MAP, heap_max=256 * MIB)
    current = {"record": 900, "bytes": 3 * MIB}
    writer.add("records", scope="combine", count=899, current=current, whole=False)
    slots = {"phase": 3, "records_in": 90, "combine_place": 1, "combine_call": 1,
             "combine_records_in": 5000, "combine_group": 7,
             "combine_record_in_group": 2}  # fmt: skip
    trace = read_trace(writer.write(tmp_path, position=slots))

    records = record_sizes_of(trace, position_of(trace, "combine"), "combine")

    assert isinstance(records, RecordSizes)
    assert isinstance(records.bytes, Unknown)


def test_the_size_of_the_last_record_is_of_the_tasks_own_failure(tmp_path: Path) -> None:
    """Another thread that dies after the task's knows no record; the position is of no size."""
    writer = EventWriter(MAP)
    record = {"ordinal": LAST, "bytes": 8 * MIB}
    writer.add("failure", place="map", **{"stack": STACK, **OOM, "record": record})
    writer.add("failure", place="other", **{**OOM, "thread": "Thread for syncLogs"})
    trace = read_trace(writer.write(tmp_path, position={"phase": 3, "records_in": LAST - 1}))

    records = record_sizes_of(trace, position_of(trace, "map"), "map")

    assert isinstance(records, RecordSizes)
    assert (records.ordinal, records.bytes) == (LAST, 8 * MIB)
    assert last_record(trace) == LastRecord("map", ordinal=LAST)


@pytest.mark.parametrize(("told", "expected"), [(LAST, 8 * MIB), (LAST - 200, None)])
def test_the_size_that_statistics_tell_is_of_the_record_that_they_name(
    told: int, expected: int | None, tmp_path: Path
) -> None:
    writer = EventWriter(MAP)
    writer.add("records", scope="map", count=told - 1, current={"record": told, "bytes": 8 * MIB})
    writer.add("failure", place="map", **{"stack": STACK, **OOM})
    trace = read_trace(writer.write(tmp_path, position={"phase": 3, "records_in": LAST}))

    records = record_sizes_of(trace, position_of(trace, "map"), "map")

    assert isinstance(records, RecordSizes)
    assert (None if isinstance(records.bytes, Unknown) else records.bytes) == expected
