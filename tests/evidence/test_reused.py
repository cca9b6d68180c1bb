"""An object that Hadoop hands out again for each record, and that keeps what it read before."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.attempts import EventWriter, sketch
from builders.keys import record_key
from builders.snapshots import MIB, holding, snapshot

from mprof.advice import advise
from mprof.code_site import CodeSite
from mprof.diagnosis import Diagnosed, diagnose_runs
from mprof.job_run import JobRun
from mprof.objects import HeapObjects, PathStep
from mprof.trace import read_trace

REDUCE = "attempt_1700000000000_0001_r_000000_0"
BASKET = "com.example.Basket"
READ = CodeSite(BASKET, "readFields", "Basket.java", 19)
STACK = [
    "java.util.ArrayList.grow(ArrayList.java:237)",
    "com.example.Basket.readFields(Basket.java:19)",
    "org.apache.hadoop.mapreduce.task.ReduceContextImpl.nextKeyValue(ReduceContextImpl.java:146)",
    "com.example.Count.reduce(Count.java:33)",
]


def _heap(
    name: str, mib: float, class_name: str = BASKET, *, at_death: bool = False
) -> HeapObjects:
    value = holding(
        record_key("value"),
        round(mib * MIB),
        lifecycle="record",
        owner="record_in_flight",
        class_name="java.util.ArrayList",
        site=READ if at_death else None,
        path=(PathStep("value", class_name), PathStep("items", "java.util.ArrayList")),
        field_path="this.items" if at_death else "value.items",
    )
    return snapshot(name, [value], at_death=at_death, side="reduce", place="reduce", framework=MIB)


def _diagnosed(
    folder: Path,
    sizes: dict[int, float],
    *,
    record_bytes: int = 111,
    class_name: str = BASKET,
    collections: dict[int, int] | None = None,
) -> Diagnosed:
    """60 MB in a value of 111 bytes at record 9,000 of 30 groups; before them, so much by group."""
    writer = EventWriter(REDUCE, heap_max=80 * MIB, mode="profile")
    snapshots = []
    for group, mib in sizes.items():
        name = f"probe-before_group-{group}"
        at = {"phase": "reduce", "records_in": 300 * (group - 1), "group": group}
        writer.add("dump", file=f"{name}.hprof", point="before_group", ordinal=group, at=at)
        snapshots.append(_heap(name, mib, class_name))
    for group, mib in (collections or {}).items():
        at = {"phase": "reduce", "records_in": 300 * group, "group": group}
        writer.add("memory", major=True, used_after=mib * MIB, at=at)
    writer.add("records", scope="reduce", count=8999, bytes=sketch([record_bytes] * 8999))
    writer.add("failure", place="reduce", record={"ordinal": 9000, "bytes": record_bytes},
               class_="java.lang.OutOfMemoryError", message="Java heap space", thread="main",
               stack=STACK)  # fmt: skip
    snapshots.append(_heap("oom", 60, class_name, at_death=True))
    position = {"phase": 9, "records_in": 9000, "group": 30, "record_in_group": 300,
                "partition": 0}  # fmt: skip
    trace = read_trace(writer.write(folder, position=position))
    return diagnose_runs(
        [
            JobRun(
                job_id="job_1",
                mode="profile",
                traces=(trace,),
                snapshots={REDUCE: tuple(snapshots)},
            )
        ]
    )


def _causes(found: Diagnosed) -> dict[str, str]:
    return {one.cause: one.confidence for one in found.diagnosis.causes}


GROWING = {1: 0, 6: 10, 11: 20, 16: 30, 21: 40, 26: 50}


def test_a_value_that_grows_from_group_to_group_accumulates(tmp_path: Path) -> None:
    found = _diagnosed(tmp_path, GROWING)

    assert _causes(found) == {"large_accumulated_results.reduce": "sure"}
    (cause,) = found.diagnosis.causes
    assert cause.finding.bytes == 60 * MIB
    assert cause.finding.where is not None
    assert (cause.finding.where.method, cause.finding.where.path) == ("readFields", "this.items")
    (advice,) = advise(found).diagnosis.advice
    assert advice.text.startswith("Clear items at the start of readFields()")


def test_collections_say_so_where_there_is_one_dump(tmp_path: Path) -> None:
    live = {group: 13 + 2 * group for group in (2, 6, 10, 14, 18, 22, 26, 29)}

    found = _diagnosed(tmp_path, {}, collections=live)

    assert _causes(found) == {"large_accumulated_results.reduce": "likely"}


def test_a_value_that_one_record_filled_is_that_record(tmp_path: Path) -> None:
    found = _diagnosed(tmp_path, dict.fromkeys(GROWING, 0.1))

    assert list(_causes(found)) == ["large_single_record"]


@pytest.mark.parametrize(
    "change",
    [{"record_bytes": 6 * MIB}, {"class_name": "org.apache.hadoop.io.BytesWritable"}],
    ids=["records that large", "a buffer of Hadoop's"],
)
def test_a_value_that_one_record_may_have_filled_stays_the_record(
    change: dict[str, object], tmp_path: Path
) -> None:
    found = _diagnosed(tmp_path, GROWING, **change)  # type: ignore[arg-type]

    assert "large_accumulated_results.reduce" not in _causes(found)


MAP = "attempt_1700000000000_0001_m_000000_0"


@pytest.mark.parametrize(
    ("held", "cause"),
    [
        ({"class_name": "java.util.ArrayDeque", "length": 178_094, "element_class": "Text"},
         "large_external_data"),
        ({"class_name": "byte[]", "length": 40 * MIB}, "large_single_record"),
    ],
    ids=["a queue of lines", "one file"],
)  # fmt: skip
def test_what_a_reader_takes_in_before_the_first_record_is_a_record_only_where_it_is_one(
    held: dict[str, object], cause: str, tmp_path: Path
) -> None:
    # Reader.initialize() fills a field of its own: 40 MB of 60
    writer = EventWriter(MAP, heap_max=60 * MIB)
    stack = ["com.example.Reader.initialize(Reader.java:22)",
             "org.apache.hadoop.mapred.MapTask.runNewMapper(MapTask.java:800)"]  # fmt: skip
    writer.add("failure", place="setup", class_="java.lang.OutOfMemoryError",
               message="Java heap space", thread="main", stack=stack)  # fmt: skip
    site = CodeSite("com.example.Reader", "initialize", "Reader.java", 22)
    ahead = holding(record_key("ahead"), 40 * MIB, lifecycle="record", owner="record_in_flight",
                    site=site, field_path="ahead", **held)  # fmt: skip
    death = snapshot("oom", [ahead], at_death=True, place="setup", framework=8 * MIB)
    trace = read_trace(writer.write(tmp_path, position={"phase": 2, "records_in": 0}))
    recorded = JobRun(job_id="job_1", mode="watch", traces=(trace,), snapshots={MAP: (death,)})

    found = diagnose_runs([recorded])

    assert list(_causes(found)) == [cause]
    (advice,) = advise(found).diagnosis.advice[:1]
    assert advice.text.startswith("Do not read ahead") == (cause == "large_external_data")
