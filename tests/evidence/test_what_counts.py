"""Which of several observations counts: edges of the joins, each with a neighbour that differs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from builders.attempts import EventWriter, sketch
from builders.keys import field_key
from builders.snapshots import MIB, holding, snapshot

from mprof.evidence import Evidence, ExternalLoad, GroupSizes, Partitions, Unknown
from mprof.evidence.assemble import assemble
from mprof.history import JobHistory
from mprof.job_run import JobRun
from mprof.objects import HeapObjects
from mprof.trace import Trace, read_trace

JOB = "1700000000000_0001"
MAP, REDUCE = f"attempt_{JOB}_m_000003_0", f"attempt_{JOB}_r_000001_0"
HEAP = 256 * MIB
MODEL = field_key("com.example.Job", "model")
OOM = {"class_": "java.lang.OutOfMemoryError", "message": "Java heap space", "thread": "main"}


def written(name: str) -> EventWriter:
    return EventWriter(name, heap_max=HEAP, mode="profile", collectors=["Copy"])


def assembled(
    writer: EventWriter,
    folder: Path,
    slots: dict[str, int],
    snapshots: Sequence[HeapObjects] = (),
    beside: Sequence[Trace] = (),
    **more: Any,
) -> Evidence:
    trace = read_trace(writer.write(folder, position=slots))
    return assemble([
        JobRun(f"job_{JOB}", "profile", traces=(trace, *beside),
                    snapshots={writer.attempt: tuple(snapshots)}, **more)
    ])  # fmt: skip


@pytest.mark.parametrize(("ordinal", "stands_in"), [(89, True), (90, True), (91, False)])
def test_a_probe_right_before_the_last_record_stands_for_the_death_and_none_after_it(
    ordinal: int, stands_in: bool, tmp_path: Path
) -> None:
    writer = written(MAP)
    writer.add("dump", file="p.hprof", reason="probe", point="before_record", ordinal=ordinal)
    writer.add("failure", place="map", **OOM)

    evidence = assembled(
        writer, tmp_path, {"phase": 3, "records_in": 90},
        [snapshot("p", [holding(MODEL, 160 * MIB)])],
    )  # fmt: skip

    assert isinstance(evidence.holders, Unknown) is not stands_in


@pytest.mark.parametrize(("ordinal", "record"), [(91, 91), (90, 90), (40, 90)])
def test_the_record_of_a_failure_that_was_survived_is_not_where_it_stood(
    ordinal: int, record: int, tmp_path: Path
) -> None:
    # 91: its reader failed while it was read; 40: user code caught that error and went on
    writer = written(MAP).add("failure", place="map", record={"ordinal": ordinal}, **OOM)

    evidence = assembled(writer, tmp_path, {"phase": 3, "records_in": 90})

    assert not isinstance(evidence.position, Unknown)
    assert evidence.position.record == record


@pytest.mark.parametrize(("counted", "known"), [(2, False), (3, True)])
def test_partitions_of_half_the_map_tasks_are_enough_and_of_fewer_are_not(
    counted: int, known: bool, tmp_path: Path
) -> None:
    beside = [
        read_trace(
            EventWriter(f"attempt_{JOB}_m_{index:06d}_0")
            .add("map_output", partitions={"raw_bytes": [9, 9], "records": [1, 1]})
            .add("end", outcome="done")
            .write(tmp_path)
        )
        for index in range(counted)
    ]
    history = JobHistory("avro-binary", f"job_{JOB}", total_maps=5, total_reduces=2)
    writer = written(REDUCE).add("failure", place="shuffle", **OOM)

    evidence = assembled(writer, tmp_path, {"phase": 6}, beside=beside, history=history)

    assert isinstance(evidence.partitions, Partitions) is known


def test_a_pass_of_the_combiner_that_ended_is_counted_once(tmp_path: Path) -> None:
    whole: dict[str, Any] = {"scope": "combine", "count": 3, "records": sketch([1, 2, 3]),
                             "bytes": sketch([9, 9, 9])}  # fmt: skip
    writer = written(MAP).add("groups", **whole, whole=True)
    writer.add("failure", place="combine", **OOM)

    evidence = assembled(
        writer, tmp_path,
        {"phase": 3, "records_in": 90, "combine_place": 1, "combine_call": 2,
         "combine_group": 1, "combine_record_in_group": 7},
    )  # fmt: skip

    assert isinstance(evidence.groups, GroupSizes)
    assert not isinstance(evidence.groups.other_records, Unknown)
    assert evidence.groups.other_records.count == 3


@pytest.mark.parametrize(("before_mib", "loading"), [(40, True), (60, False)])
def test_what_stood_there_before_the_last_probe_is_not_being_loaded(
    before_mib: int, loading: bool, tmp_path: Path
) -> None:
    # opened for the record in flight, when half of what there is at death stood there before
    writer = written(MAP)
    at = {"phase": "map", "records_in": 90}
    writer.add("dump", file="p.hprof", reason="probe", point="before_record", ordinal=50)
    writer.add("open", path="hdfs:/tables/t", length=40 * MIB, at=at)
    writer.add("dump", file="oom.hprof", reason="oom").add("failure", place="map", **OOM)

    evidence = assembled(
        writer, tmp_path, {"phase": 3, "records_in": 90},
        [snapshot("p", [holding(MODEL, before_mib * MIB)]),
         snapshot("oom", [holding(MODEL, 100 * MIB)], at_death=True)],
    )  # fmt: skip

    found = evidence.external
    assert (isinstance(found, ExternalLoad) and found.when == "loading") is loading


@pytest.mark.parametrize(("live_mib", "usable_mib"), [(210, 210), (190, 256)])
def test_what_was_live_at_the_death_is_a_limit_only_where_the_heap_was_nearly_full(
    live_mib: int, usable_mib: int, tmp_path: Path
) -> None:
    # below 80 % one allocation was too large: what was live then is no limit
    writer = written(MAP).add("failure", place="map", **OOM)

    evidence = assembled(
        writer, tmp_path, {"phase": 3, "records_in": 90},
        [snapshot("oom", [holding(MODEL, (live_mib - 72) * MIB)], at_death=True)],
    )  # fmt: skip

    assert evidence.memory.live_bytes_at_death == live_mib * MIB
    assert evidence.memory.usable_bytes == usable_mib * MIB


def test_what_a_minor_collection_leaves_is_not_all_live(tmp_path: Path) -> None:
    writer = written(MAP)
    at = {"phase": "map", "records_in": 80}
    writer.add("memory", major=True, used_after=200 * MIB, at=at)
    writer.add("memory", major=False, used_after=250 * MIB, at=at)
    writer.add("failure", place="map", **OOM)

    evidence = assembled(writer, tmp_path, {"phase": 3, "records_in": 90})

    assert evidence.memory.live_bytes_at_death == 200 * MIB


@pytest.mark.parametrize(
    ("group", "ordinal", "first"), [(1, 1, True), (1, 2, False), (2, 1, False)]
)
def test_before_the_first_record_of_the_first_group_is_before_the_data(
    group: int, ordinal: int, first: bool, tmp_path: Path
) -> None:
    writer = written(REDUCE)
    writer.add("dump", file="p.hprof", reason="probe", point="in_group", group=group,
               ordinal=ordinal)  # fmt: skip
    writer.add("failure", place="reduce", **OOM)
    held = [holding(MODEL, 100 * MIB, lifecycle="reduce")]

    evidence = assembled(
        writer, tmp_path, {"phase": 9, "group": 2, "record_in_group": 9, "records_in": 60},
        [snapshot("p", held, side="reduce", place="reduce"),
         snapshot("oom", held, at_death=True, side="reduce", place="reduce")],
    )  # fmt: skip

    assert (isinstance(evidence.external, ExternalLoad)) is first


@pytest.mark.parametrize(
    ("message", "stands_in"),
    [("Java heap space", True), ("GC overhead limit exceeded", True),
     ("Direct buffer memory", False), ("Metaspace", False)],
)  # fmt: skip
def test_a_full_probe_stands_for_no_death_of_other_memory(
    message: str, stands_in: bool, tmp_path: Path
) -> None:
    writer = written(MAP)
    writer.add("dump", file="p.hprof", reason="probe", point="before_record", ordinal=89)
    writer.add("failure", place="map", **{**OOM, "message": message})

    evidence = assembled(
        writer, tmp_path, {"phase": 3, "records_in": 90},
        [snapshot("p", [holding(MODEL, 160 * MIB)])],
    )  # fmt: skip

    assert isinstance(evidence.holders, Unknown) is not stands_in


@pytest.mark.parametrize(("verified", "counted"), [([5] * 9, 9), ([5] * 2, 4)])
def test_groups_of_a_verification_count_where_it_read_more_of_them(
    verified: list[int], counted: int, tmp_path: Path
) -> None:
    writer = written(MAP)
    writer.add("groups", scope="combine", count=4, records=sketch([1] * 4), bytes=sketch([9] * 4))
    writer.add("failure", place="combine", **OOM)
    slots = {"phase": 3, "records_in": 90, "combine_place": 1, "combine_call": 1,
             "combine_group": 5, "combine_record_in_group": 7}  # fmt: skip
    others = {"records": sketch(verified), "bytes": sketch([9 * one for one in verified])}
    again = EventWriter(MAP, heap_max=HEAP, mode="verify")
    again.add("verify", step="met").add("verify", step="group_total", records=50, others=others)
    runs = [
        JobRun(f"job_{JOB}", "profile",
                    traces=(read_trace(writer.write(tmp_path / "1", position=slots)),)),
        JobRun(f"job_{JOB}", "verify", traces=(read_trace(again.write(tmp_path / "2")),)),
    ]  # fmt: skip

    groups = assemble(runs).groups

    assert isinstance(groups, GroupSizes)
    assert not isinstance(groups.other_records, Unknown)
    assert groups.other_records.count == counted
