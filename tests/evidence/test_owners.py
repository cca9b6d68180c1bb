"""Writers, readers and libraries in the evidence: holders, curves, and bytes that add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from builders.attempts import EventWriter
from builders.keys import field_key, static_key
from builders.snapshots import MIB, holding, snapshot

from mprof.code_site import CodeSite
from mprof.evidence import Composition, DeathPosition, Evidence, Point, Unknown
from mprof.evidence.assemble import assemble
from mprof.evidence.assemble.curves import curves_of
from mprof.evidence.assemble.moments import BEFORE_RECORD, Moment
from mprof.job_run import JobRun
from mprof.objects import HeapObjects, Holder, HolderKey
from mprof.trace import read_trace

REDUCE = "attempt_1700000000000_0001_r_000001_0"
BATCH = HolderKey("writer", "com.example.Rows", fields=("batch",))
BLOCK = HolderKey("reader", "com.example.Blocks", fields=("block",))
CACHE = static_key("org.apache.hadoop.fs.FileSystem", "CACHE")
INDEX = field_key("com.example.R", "index")
WRITE = CodeSite("com.example.Rows", "write", "Rows.java", 36)


def _assembled(
    folder: Path, before: dict[int, Sequence[Holder]], death: Sequence[Holder], at_once: int = 1
) -> Evidence:
    """A reduce task that died in group 40, its 600th record; `before` by group."""
    writer = EventWriter(REDUCE, heap_max=256 * MIB, mode="profile")
    snapshots: list[HeapObjects] = []
    for group, holders in before.items():
        name = f"probe-before_group-{group}"
        at = {"records_in": 15 * group}
        writer.add("dump", file=f"{name}.hprof", point="before_group", ordinal=group, at=at)
        snapshots.append(snapshot(name, holders, side="reduce"))
    writer.add(
        "failure", place="reduce", class_="java.lang.OutOfMemoryError",
        message="Java heap space", thread="main", stack=["com.example.R.reduce(R.java:9)"],
    )  # fmt: skip
    full = snapshot("oom", death, at_death=True, side="reduce", place="reduce")
    snapshots.append(replace(full, records_at_once=at_once))
    position = {"phase": 9, "records_in": 600, "group": 40, "record_in_group": 3, "partition": 1}
    trace = read_trace(writer.write(folder, position=position))
    return assemble(
        [
            JobRun(
                "job_1700000000000_0001",
                "profile",
                traces=(trace,),
                snapshots={REDUCE: tuple(snapshots)},
            )
        ]
    )


def _batch(size: int) -> Holder:
    return holding(
        BATCH, size * MIB, owner="writer", lifecycle="reduce", site=WRITE, length=size * 1000,
        class_name="java.util.ArrayList", element_class="java.lang.Object[]",
    )  # fmt: skip


def test_the_batch_of_a_writer_is_a_holder_with_a_site_and_curves_over_groups_and_records(
    tmp_path: Path,
) -> None:
    sizes = {1: 0, 10: 36, 20: 72, 30: 116}
    before = {group: [_batch(size)] if size else [] for group, size in sizes.items()}

    evidence = _assembled(tmp_path, before, [_batch(156)])

    found = evidence.holder(BATCH)
    assert found is not None
    assert (found.owner, found.lifecycle, found.length) == ("writer", "reduce", 156_000)
    assert found.site == WRITE
    assert found.loaded_before_first_record is None
    assert found.is_of_user_code
    curves = {each.unit: each for each in evidence.series if each.holder == BATCH}
    assert {(p.x, p.size_bytes / MIB) for p in curves["group"].points} == {
        (group - 1, size) for group, size in sizes.items()
    }
    assert [p.x for p in curves["record"].points] == [15 * group for group in sizes]
    assert curves["group"].at_death is not None
    assert (curves["group"].at_death.x, curves["group"].at_death.size_bytes) == (40, 156 * MIB)


def test_every_owner_has_its_bytes_and_they_add_up(tmp_path: Path) -> None:
    block = holding(BLOCK, 30 * MIB, owner="reader", lifecycle="reduce", length=900_000)
    cache = holding(CACHE, 20 * MIB, owner="library", lifecycle="reduce", length=1036)
    index = holding(INDEX, 10 * MIB, lifecycle="reduce")

    evidence = _assembled(tmp_path, {1: []}, [_batch(40), block, cache, index])

    assert evidence.composition == Composition(
        framework_bytes=60 * MIB, user_bytes=10 * MIB, other_bytes=12 * MIB,
        writer_bytes=40 * MIB, reader_bytes=30 * MIB, library_bytes=20 * MIB,
    )  # fmt: skip
    assert isinstance(evidence.composition, Composition)
    assert evidence.composition.total_bytes == evidence.memory.live_bytes_at_death == 172 * MIB
    counted = {each.key: each.length for each in evidence.holders if each.key != INDEX}  # type: ignore[union-attr]
    assert counted == {BATCH: 40_000, BLOCK: 900_000, CACHE: 1036}


@pytest.mark.parametrize(
    ("key", "owner", "expected"),
    [(CACHE, "library", "external"), (INDEX, "user", "external"), (BATCH, "writer", "writer"),
     (BLOCK, "reader", "reader")],
)  # fmt: skip
def test_what_was_loaded_before_the_data_is_external_in_the_users_fields_and_in_libraries_statics(
    tmp_path: Path, key: HolderKey, owner: str, expected: str
) -> None:
    model = holding(key, 50 * MIB, owner=owner, lifecycle="reduce")
    cache = replace(model, key=HolderKey("static", "com.lib.L", fields=("LATER",)), owner="library")

    evidence = _assembled(tmp_path, {1: [model]}, [model, cache])

    found = evidence.holder(key)
    assert found is not None
    assert found.owner == expected
    parts = evidence.composition
    assert isinstance(parts, Composition)
    assert parts.external_bytes == (50 * MIB if expected == "external" else 0)
    assert parts.library_bytes == 50 * MIB  # of the one that was not there before
    assert parts.total_bytes == evidence.memory.live_bytes_at_death


def test_a_snapshot_that_was_saved_before_there_were_these_owners_had_none_of_them() -> None:
    new = snapshot("oom", [holding(INDEX, MIB)], at_death=True)
    saved = msgspec.json.decode(msgspec.json.encode(new))
    saved["owners"] = [
        each for each in saved["owners"] if each["owner"] not in ("writer", "reader", "library")
    ]
    del saved["records_at_once"]

    old = msgspec.convert(saved, HeapObjects)

    assert [old.bytes_of(owner) for owner in ("writer", "reader", "library")] == [0, 0, 0]
    assert old.records_at_once == 1
    assert sum(each.bytes for each in old.owners) == old.live_bytes


def test_how_many_records_were_worked_on_at_once_is_a_fact_of_the_dump_at_death(
    tmp_path: Path,
) -> None:
    index = holding(INDEX, 200 * MIB, lifecycle="record")

    found = [
        _assembled(tmp_path / str(count), {1: []}, [index], count).records_at_once
        for count in (1, 11)
    ]

    assert found == [1, 11]


@pytest.mark.parametrize(
    ("owner", "points"),
    [
        ("user", {0: 0, 100: 0, 200: 150}),  # user code did no work on the record being read
        ("reader", {0: 0, 100: 0}),  # the reader did
    ],
)
def test_what_a_reader_holds_while_it_reads_it_did_not_hold_before(
    owner: str, points: dict[int, int]
) -> None:
    moments = [
        Moment(BEFORE_RECORD, ordinal, None, snapshot(f"probe-before_record-{ordinal}", []))
        for ordinal in (1, 101)
    ]
    death = snapshot("oom", [holding(BLOCK, 150 * MIB, owner=owner)], at_death=True)
    position = DeathPosition("map", record=201, unread=True)

    ((series,), _) = curves_of(moments, (), death, position, (), Unknown("a dump", "run"))

    assert {int(p.x): int(p.size_bytes) // MIB for p in series.points} == points
    assert series.at_death == Point(200, 150 * MIB)
