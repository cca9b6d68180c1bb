"""Recordings to evidence: curves by holder, growth at R_n, external data, what is not known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders.attempts import EventWriter, sketch
from builders.keys import field_key, local_key, record_key, static_key
from builders.snapshots import MIB, holding, snapshot
from builders.verdicts import growth_of, verdicts_of

from mprof.evidence import (
    Evidence,
    ExternalLoad,
    GroupSizes,
    Partitions,
    RecordSizes,
    Unknown,
)
from mprof.evidence.assemble import assemble
from mprof.history import AttemptHistory, JobConf, JobHistory, TaskHistory
from mprof.job_run import JobRun
from mprof.objects import HeapObjects, StackFrame
from mprof.patterns import Absent, Growing
from mprof.patterns.records import record_in_flight_of, record_size_of
from mprof.rules import CannotTell, Fires, Silent
from mprof.trace import read_trace

JOB = "1700000000000_0001"
MAP = f"attempt_{JOB}_m_000003_0"
REDUCE = f"attempt_{JOB}_r_000001_0"
COUNTS = field_key("com.example.Job", "counts")
OOM = {
    "class_": "java.lang.OutOfMemoryError",
    "message": "Java heap space",
    "thread": "main",
    "stack": ["java.util.Arrays.copyOf(Arrays.java:1)", "com.example.Job.map(Job.java:18)"],
}
HEAP = 256 * MIB
# the published curve of the in-memory word count: records before the point, bytes (1.11)
WORD_COUNT = ((1, 0), (1885, 92036792), (3769, 174789544), (5653, 259954488), (7537, 345406000))


def _recorded(
    writer: EventWriter,
    folder: Path,
    snapshots: Sequence[HeapObjects] = (),
    position: dict[str, int] | None = None,
    **more: Any,
) -> JobRun:
    trace = read_trace(writer.write(folder, position=position))
    return JobRun(
        job_id=f"job_{JOB}",
        mode=more.pop("mode", "profile"),
        traces=(trace, *more.pop("traces", ())),
        snapshots={writer.attempt: tuple(snapshots)},
        **more,
    )


def _map_writer(**attach: Any) -> EventWriter:
    writer = EventWriter(
        MAP, heap_max=HEAP, **{"mode": "profile", "collectors": ["Copy"], **attach}
    )
    return writer.add("split", path="hdfs://h/in/words.txt", start=0, length=64 * MIB)


def _word_count(folder: Path) -> JobRun:
    writer = _map_writer()
    snapshots = []
    for record, size in WORD_COUNT:
        writer.add(
            "dump",
            file=f"probe-before_record-{record}.hprof",
            reason="probe",
            point="before_record",
            ordinal=record,
        )
        # another object, at another address and another rank, each time: only the key is the same
        holders = [holding(COUNTS, size)] if size else []
        holders.append(
            holding(local_key("com.example.Job", "map", f"x{record}"), 5 * MIB, lifecycle="record")
        )
        snapshots.append(snapshot(f"probe-before_record-{record}", holders))
    writer.add("dump", file="oom.hprof", reason="oom")
    writer.add("failure", place="map", record={"ordinal": 9425, "bytes": 151984}, **OOM)
    death = snapshot(
        "oom",
        [holding(COUNTS, 423091448, length=1000), holding(record_key("value"), 151984,
         owner="record_in_flight", lifecycle="record")],
        at_death=True,
        parts={"sort_buffer": 40 * MIB},
    )  # fmt: skip
    position = {"phase": 3, "records_in": 9425, "progress_ppm": 500_000, "record_bytes": 151984}
    return _recorded(writer, folder, [*snapshots, death], position)


def _series(evidence: Evidence, unit: str, source: str = "dump") -> dict[str | None, Any]:
    return {s.holder: s for s in evidence.series if s.unit == unit and s.source == source}


def test_the_curve_of_a_holder_is_followed_by_its_key_through_all_dumps(tmp_path: Path) -> None:
    evidence = assemble([_word_count(tmp_path)])

    curve = _series(evidence, "record")[COUNTS]
    assert [(p.x, p.size_bytes) for p in curve.points] == [(r - 1, size) for r, size in WORD_COUNT]
    assert (curve.at_death.x, curve.at_death.size_bytes) == (9425, 423091448)
    assert curve.lifecycle == "map"
    assert evidence.place == "map"
    assert evidence.attempt.collector == "Serial"


@pytest.mark.parametrize("version", ["3.4.3", "3.4.3 on demand", None])
def test_the_hadoop_version_is_what_the_agent_says_and_no_part_of_it(
    version: str | None, tmp_path: Path
) -> None:
    attach = {} if version is None else {"patches": "hadoop-2.9", "hadoop_version": version}
    writer = _map_writer(**attach).add("failure", place="map", **OOM)

    assert assemble([_recorded(writer, tmp_path)]).job.hadoop_version == version


def test_growth_at_the_last_record_is_from_the_last_point_to_the_death(tmp_path: Path) -> None:
    growth = assemble([_word_count(tmp_path)]).record_growth

    assert not isinstance(growth, Unknown)
    assert growth.before[1] == (1884, 174789544 - 92036792)
    assert growth.last_records == 9425 - 7536
    # the local of the last point counts as user memory there
    assert growth.last_bytes == 423091448 - 345406000 - 5 * MIB
    assert growth.doubling  # Arrays.copyOf on top of the stack


def test_the_composition_adds_up_to_the_live_heap_and_parts_stay_parts(tmp_path: Path) -> None:
    evidence = assemble([_word_count(tmp_path)])

    assert not isinstance(evidence.composition, Unknown)
    assert evidence.composition.total_bytes == evidence.memory.live_bytes_at_death
    assert evidence.composition.record_bytes == 151984


def test_a_holder_says_in_words_where_it_hangs_and_that_it_was_not_loaded_before(
    tmp_path: Path,
) -> None:
    holder = assemble([_word_count(tmp_path)]).holder(COUNTS)

    assert holder is not None
    assert holder.path == "counts (Job.counts)"
    assert holder.site is not None
    assert (holder.site.method, holder.site.line) == ("map", 18)
    assert holder.loaded_before_first_record is False
    assert (holder.owner, holder.length) == ("user", 1000)


@pytest.mark.parametrize(
    ("at_first", "at_end", "loaded"), [(100, 100, True), (90, 110, True), (10, 100, False)]
)
def test_external_data_stood_before_the_first_record_at_nearly_its_final_size(
    at_first: int, at_end: int, loaded: bool, tmp_path: Path
) -> None:
    writer = _map_writer()
    writer.add("open", path="hdfs://h/cache/model.bin", length=30 * MIB)
    writer.add("open", path="hdfs://h/in/words.txt", length=64 * MIB)
    writer.add("open", path=f"/local/usercache/{MAP}/{MAP}_spill_0.out", length=9)
    writer.add("dump", file="p.hprof", reason="probe", point="before_record", ordinal=1)
    writer.add("dump", file="oom.hprof", reason="oom")
    writer.add("failure", place="map", **OOM)
    model = field_key("com.example.Job", "model")
    recorded = _recorded(
        writer,
        tmp_path,
        [
            snapshot("p", [holding(model, at_first * MIB)]),
            snapshot("oom", [holding(model, at_end * MIB)], at_death=True),
        ],
        {"phase": 3, "records_in": 50},
        conf=JobConf({"mapreduce.job.cache.files": "hdfs://h/cache/model.bin#m"}),
    )

    evidence = assemble([recorded])

    external = evidence.external
    if not loaded:
        # a file was opened, and two points do not say whether it grew or was loaded later
        assert external == Unknown("whether it was loaded after the first record", "none")
        return
    assert external is not None
    assert not isinstance(external, Unknown)
    assert (external.bytes, external.when, external.holders) == (at_end * MIB, "setup", (model,))
    assert [(f.path, f.seen) for f in external.opened] == [("hdfs://h/cache/model.bin", True)]
    assert not isinstance(evidence.composition, Unknown)
    assert evidence.composition.external_bytes == at_end * MIB
    assert evidence.composition.user_bytes == 0


@pytest.mark.parametrize(
    ("sizes", "once"),
    [
        ((0, 99, 100, 100, 101), True),
        ((0, 0, 0, 100, 100), True),  # at its first use
        ((0, 0, 0, 0, 100), False),  # too late for three points
        ((0, 55, 100, 100, 100), False),  # in two steps
        ((0, 25, 50, 75, 99), False),
    ],
)
def test_what_is_loaded_once_and_never_grows_again_is_external_too(
    sizes: tuple[int, ...], once: bool, tmp_path: Path
) -> None:
    writer = _map_writer()
    snapshots = []
    for index, size in enumerate(sizes):
        ordinal = 1 + index * 100
        writer.add("dump", file=f"p{index}.hprof", point="before_record", ordinal=ordinal)
        snapshots.append(snapshot(f"p{index}", [holding(COUNTS, size * MIB)]))
    snapshots.append(snapshot("oom", [holding(COUNTS, 100 * MIB)], at_death=True))
    writer.add("failure", place="map", **OOM)

    external = assemble(
        [_recorded(writer, tmp_path, snapshots, {"phase": 3, "records_in": 500})]
    ).external

    assert (isinstance(external, ExternalLoad) and external.when == "once") is once


@pytest.mark.parametrize(
    ("sizes", "opened_at", "when"),
    [
        ((0, 0, 100, 100, 100), 120, "once"),
        # the file was read before the first record: what came later is none of it
        ((0, 0, 100, 100, 100), 0, "unread"),
        # three dumps and the death saw it at one size, and none saw when it came
        ((0, 0, 0, 0, 100), 420, None),
        ((0, 0, 0, 0, 100), 0, "nothing"),
        ((0, 25, 50, 75, 99), 120, "nothing"),
    ],
)
def test_what_came_after_the_first_record_is_of_a_file_that_was_opened_since(
    sizes: tuple[int, ...], opened_at: int, when: str | None, tmp_path: Path
) -> None:
    writer = _map_writer()
    writer.add("open", path="hdfs://h/m.bin", length=30 * MIB, at={"records_in": opened_at})
    snapshots = []
    for index, size in enumerate(sizes):
        ordinal = 1 + index * 100
        writer.add("dump", file=f"p{index}.hprof", point="before_record", ordinal=ordinal)
        snapshots.append(snapshot(f"p{index}", [holding(COUNTS, size * MIB)]))
    snapshots.append(snapshot("oom", [holding(COUNTS, 100 * MIB)], at_death=True))
    writer.add("failure", place="map", **OOM)
    evidence = assemble([_recorded(writer, tmp_path, snapshots, {"phase": 3, "records_in": 500})])
    external = evidence.external
    if when is None:
        assert external == Unknown("whether it was loaded after the first record", "none")
        assert isinstance(verdicts_of(evidence)["large_external_data"], CannotTell)
    elif when == "nothing":
        assert external is None
    else:
        assert isinstance(external, ExternalLoad)
        assert external.when == "once"
        found = verdicts_of(evidence)["large_external_data"]
        assert isinstance(found, Fires if when == "once" else CannotTell), found


@pytest.mark.parametrize(("length", "named"), [(40 * MIB, True), (10_000, False), (None, True)])
def test_a_file_far_too_small_for_what_is_held_is_not_what_was_loaded(
    length: int | None, named: bool, tmp_path: Path
) -> None:
    # the plan of a query was opened; the hash table came from a file that nobody saw
    writer = _map_writer().add("open", path="file:/plan/map.xml", length=length)
    writer.add("failure", place="setup", **OOM)
    key = field_key("com.example.Job", "model")
    held = [holding(key, 150 * MIB, lifecycle="setup")]
    death = snapshot("oom", held, at_death=True, place="setup")

    external = assemble(
        [_recorded(writer, tmp_path, [death], {"phase": 2, "records_in": 0})]
    ).external

    assert external is not None
    assert not isinstance(external, Unknown)
    assert bool(external.opened) is named


def test_a_death_in_set_up_is_of_what_was_loaded_so_far(tmp_path: Path) -> None:
    writer = _map_writer().add("failure", place="setup", **OOM)
    key = field_key("com.example.Job", "model")
    death = snapshot("oom", [holding(key, 150 * MIB, lifecycle="setup")], at_death=True,
                     place="setup")  # fmt: skip

    evidence = assemble([_recorded(writer, tmp_path, [death], {"phase": 2, "records_in": 0})])

    assert evidence.place == "setup"
    assert evidence.external is not None
    assert not isinstance(evidence.external, Unknown)
    assert (evidence.external.when, evidence.external.bytes) == ("loading", 150 * MIB)


@pytest.mark.parametrize(
    ("split", "says"),
    [
        ({"path": "hdfs://h/in/words.txt", "class_": "FileSplit"}, Fires),
        ({"class_": "org.apache.hadoop.mapreduce.lib.db.DBInputFormat$DBInputSplit"}, Silent),
        ({}, CannotTell),  # the event was lost: the position alone has its length
    ],
)
def test_only_what_is_part_of_a_file_is_split_further(
    split: dict[str, str], says: type, tmp_path: Path
) -> None:
    # a list with an element a record, dead at 40 % of the split
    writer = EventWriter(MAP, heap_max=HEAP, mode="watch", collectors=["Copy"])
    if split:
        writer.add("split", start=0, length=64 * MIB, **split)
    writer.add("failure", place="map", **OOM)
    death = snapshot("oom", [holding(COUNTS, 150 * MIB, length=4000)], at_death=True)
    position = {"phase": 3, "records_in": 4000, "progress_ppm": 400_000, "split_length": 64 * MIB}

    evidence = assemble([_recorded(writer, tmp_path, [death], position)])

    verdicts = verdicts_of(evidence)
    assert isinstance(verdicts["large_accumulated_results.map"], Fires)
    assert isinstance(verdicts["large_input_split"], says), verdicts["large_input_split"]


@pytest.mark.parametrize(
    ("key", "lifecycle", "open_question"),
    [(COUNTS, "map", True), (local_key("com.example.Job", "map", "x"), "record", False)],
)
def test_what_lives_for_one_record_was_not_loaded_before_the_first(
    key: str, lifecycle: str, open_question: bool, tmp_path: Path
) -> None:
    writer = _map_writer().add("failure", place="map", **OOM)
    death = snapshot("oom", [holding(key, 150 * MIB, lifecycle=lifecycle)], at_death=True)

    evidence = assemble([_recorded(writer, tmp_path, [death], {"phase": 3, "records_in": 50})])

    verdict = verdicts_of(evidence)["large_external_data"]
    assert isinstance(verdict, CannotTell if open_question else Silent)


def test_a_collection_after_the_first_record_bounds_what_can_have_been_loaded(
    tmp_path: Path,
) -> None:
    def recorded(folder: str, *, collected: bool) -> JobRun:
        writer = _map_writer()
        if collected:
            at = {"phase": "map", "records_in": 7}
            writer.add("memory", major=False, used_after=20 * MIB, at=at)
        writer.add("failure", place="map", **OOM)
        writer.add("memory", major=True, used_after=2 * MIB, at={"phase": "map", "records_in": 90})
        death = snapshot("oom", [holding(COUNTS, 170 * MIB)], at_death=True)
        return _recorded(
            writer, tmp_path / folder, [death], {"phase": 3, "records_in": 90}, mode="watch"
        )

    bounded = assemble([recorded("a", collected=True)]).external
    unknown = assemble([recorded("b", collected=False)]).external

    assert bounded is not None
    assert not isinstance(bounded, Unknown)
    assert (bounded.bytes, bounded.source) == (20 * MIB, "passive")
    assert isinstance(unknown, Unknown)
    assert unknown.run_that_would_tell == "rerun"


def test_without_a_dump_nothing_about_objects_is_zero(tmp_path: Path) -> None:
    writer = _map_writer().add("failure", place="map", **OOM)

    evidence = assemble([_recorded(writer, tmp_path, [], {"phase": 3, "records_in": 90})])

    for fact in (evidence.composition, evidence.holders, evidence.record_growth, evidence.external):
        assert isinstance(fact, Unknown)
        assert fact.run_that_would_tell == "rerun"
    assert evidence.series == ()
    assert not isinstance(evidence.stack, Unknown)
    assert [frame.method for frame in evidence.stack] == ["copyOf", "map"]


def test_a_dump_made_after_the_task_gave_its_memory_up_is_not_taken_for_the_death(
    tmp_path: Path,
) -> None:
    writer = _map_writer()
    writer.add("memory", major=True, used_after=240 * MIB, at={"phase": "map", "records_in": 80})
    writer.add("failure", place="other", **{**OOM, "thread": "communication thread"})
    late = snapshot("oom", [], at_death=True, framework=8 * MIB, other=4 * MIB)

    evidence = assemble([_recorded(writer, tmp_path, [late], {"phase": 3, "records_in": 90})])

    assert isinstance(evidence.holders, Unknown)
    assert "released its memory" in evidence.holders.missing
    assert evidence.holders.run_that_would_tell == "rerun"
    assert evidence.memory.live_bytes_at_death == 240 * MIB
    assert evidence.place == "map"


def test_a_dump_of_user_code_without_its_locals_says_that_they_were_taken_apart(
    tmp_path: Path,
) -> None:
    writer = _map_writer()
    writer.add("memory", major=True, used_after=240 * MIB, at={"phase": "map", "records_in": 80})
    writer.add("failure", place="map", **OOM)
    at_work = StackFrame("com.example.Job", "map", "Job.java", 18, True, 0, 0.0)
    bare = snapshot("oom", [], at_death=True, framework=8 * MIB, other=4 * MIB)

    evidence = assemble(
        [
            _recorded(
                writer,
                tmp_path,
                [replace(bare, frames=(at_work,))],
                {"phase": 3, "records_in": 90},
            )
        ]
    )

    assert isinstance(evidence.holders, Unknown)
    assert "scalar-replaced" in evidence.holders.missing
    assert evidence.holders.run_that_would_tell == "rerun"


def _given_up(folder: Path, last_mib: int) -> Evidence:
    """Probes before records 1, 40 and 80 of 90, and a dump that came too late."""
    writer = _map_writer()
    snapshots = []
    for record, size in ((1, 0), (40, 100), (80, last_mib)):
        writer.add("dump", file=f"p{record}.hprof", point="before_record", ordinal=record)
        snapshots.append(snapshot(f"p{record}", [holding(COUNTS, size * MIB)]))
    writer.add("memory", major=True, used_after=240 * MIB, at={"phase": "map", "records_in": 89})
    writer.add("failure", place="map", **OOM)
    late = snapshot("oom", [], at_death=True, framework=8 * MIB, other=4 * MIB)
    return assemble([_recorded(writer, folder, [*snapshots, late], {"phase": 3, "records_in": 90})])


def test_a_probe_of_the_full_heap_stands_for_a_dump_that_came_too_late(tmp_path: Path) -> None:
    evidence = _given_up(tmp_path, 160)

    assert not isinstance(evidence.holders, Unknown)
    assert [(each.key, each.bytes) for each in evidence.holders] == [(COUNTS, 160 * MIB)]
    # from the probe before it, not from itself: 39 records were taken in before record 40
    growth = evidence.record_growth
    assert not isinstance(growth, Unknown)
    assert (growth.last_records, growth.last_bytes) == (51, 60 * MIB)


def test_a_probe_that_leaves_room_for_a_large_record_does_not(tmp_path: Path) -> None:
    # 72 MiB of Hadoop's beside it: 188 of the 240 MiB that live objects could take, so up to 52 are
    # unseen, and a fifth, 48, counts as a jump
    assert isinstance(_given_up(tmp_path, 116).holders, Unknown)


def test_how_full_a_probe_was_is_measured_by_what_live_objects_could_take(tmp_path: Path) -> None:
    # 194 of 240 MiB: the 46 that are unseen are no jump, though -Xmx leaves 62 (256 - 194)
    assert not isinstance(_given_up(tmp_path, 122).holders, Unknown)


def _memory_curve(folder: Path, rows: Sequence[tuple[int, int, bool]]) -> Evidence:
    writer = _map_writer()
    for record, size, major in rows:
        at = {"phase": "map", "records_in": record + 1}
        writer.add("memory", major=major, used_after=size, at=at)
    writer.add("failure", place="map", **OOM)
    return assemble([_recorded(writer, folder, [], {"phase": 3, "records_in": 101}, mode="watch")])


def test_major_collections_alone_make_the_passive_curve_where_there_are_enough(
    tmp_path: Path,
) -> None:
    rows = [(10, 1, True), (15, 99, False), (20, 2, True), (30, 3, True), (40, 4, True)]

    curve = _series(_memory_curve(tmp_path, rows), "record", "passive")[None]

    assert [(p.x, p.size_bytes) for p in curve.points] == [(10, 1), (20, 2), (30, 3), (40, 4)]
    assert curve.lifecycle == "map"
    assert not curve.upper_bounds


def test_minor_collections_are_lowered_to_what_was_live_later(tmp_path: Path) -> None:
    rows = [(10, 50, False), (20, 90, False), (30, 60, True), (40, 80, False), (100, 99, True)]

    curve = _series(_memory_curve(tmp_path, rows), "record", "passive")[None]

    # the last collection was at R_n itself: it belongs to the death
    assert [(p.x, p.size_bytes) for p in curve.points] == [(10, 50), (20, 60), (30, 60), (40, 80)]
    assert curve.upper_bounds  # one major collection is too few for a curve of its own


def _reduce_writer(**attach: Any) -> EventWriter:
    return EventWriter(REDUCE, heap_max=HEAP, **{"mode": "profile", **attach})


def test_a_reducers_field_has_a_curve_over_groups_and_one_inside_the_last(tmp_path: Path) -> None:
    writer = _reduce_writer()
    snapshots = []
    index, rows = (
        field_key("com.example.R", "index"),
        local_key("com.example.R", "reduce", "java.util.ArrayList"),
    )
    for group in (1, 4, 8):
        name = f"probe-before_group-{group}"
        writer.add("dump", file=f"{name}.hprof", point="before_group", ordinal=group)
        snapshots.append(
            snapshot(name, [holding(index, group * MIB, lifecycle="reduce")], side="reduce")
        )
    for record in (1, 50, 100):
        name = f"probe-in_group-10-{record}"
        writer.add("dump", file=f"{name}.hprof", point="in_group", ordinal=record, group=10)
        holders = [
            holding(index, 10 * MIB, lifecycle="reduce"),
            holding(rows, record * MIB, lifecycle="group"),
        ]
        snapshots.append(snapshot(name, holders, side="reduce"))
    writer.add("failure", place="reduce", **OOM)
    holders = [
        holding(index, 10 * MIB, lifecycle="reduce"),
        holding(rows, 101 * MIB, lifecycle="group"),
    ]
    snapshots.append(snapshot("oom", holders, at_death=True, side="reduce", place="reduce"))
    position = {"phase": 9, "records_in": 900, "group": 10, "record_in_group": 100, "partition": 1}

    evidence = assemble([_recorded(writer, tmp_path, snapshots, position)])

    over_groups, inside = _series(evidence, "group"), _series(evidence, "record_in_group")
    assert [p.x for p in over_groups[index].points] == [0, 3, 7, 9]
    assert rows not in over_groups
    assert [p.size_bytes / MIB for p in inside[rows].points] == [1, 50, 100]
    assert [p.size_bytes / MIB for p in inside[index].points] == [10, 10, 10]
    assert inside[rows].group == 10
    assert inside[rows].at_death.x == 100
    growth = evidence.record_growth
    assert not isinstance(growth, Unknown)
    assert (growth.unit, growth.last_records, growth.last_bytes) == ("record_in_group", 1, MIB)


def test_where_groups_are_unlike_a_field_grows_over_their_records(tmp_path: Path) -> None:
    # 1 KB a record: the first 30 groups hold three quarters of all records
    writer = _reduce_writer()
    snapshots = []
    index = field_key("com.example.R", "index")
    before = {1: 0, 31: 75_000, 61: 79_000, 91: 84_000, 121: 88_000, 151: 92_000}
    for group, records in before.items():
        name = f"probe-before_group-{group}"
        at = {"phase": "reduce", "records_in": records, "group": group}
        writer.add("dump", file=f"{name}.hprof", point="before_group", ordinal=group, at=at)
        held = holding(index, records * 1024 + 1, lifecycle="reduce")
        snapshots.append(snapshot(name, [held], side="reduce"))
    writer.add("failure", place="reduce", **OOM)
    held = holding(index, 100_000 * 1024, lifecycle="reduce")
    snapshots.append(snapshot("oom", [held], at_death=True, side="reduce", place="reduce"))
    position = {"phase": 9, "records_in": 100_000, "group": 170, "record_in_group": 9}

    evidence = assemble([_recorded(writer, tmp_path, snapshots, position)])

    curve = _series(evidence, "record")[index]
    assert [p.x for p in curve.points] == list(before.values())
    assert (curve.lifecycle, curve.at_death.x) == ("reduce", 100_000)
    found = growth_of(evidence, "reduce")
    assert isinstance(found, Growing)
    assert (found.unit, found.confidence) == ("record", "sure")
    assert found.bytes_per_unit == pytest.approx(1024, rel=0.001)
    # the same field is of no one group
    assert isinstance(growth_of(evidence, "group"), Absent)


def test_groups_of_all_reducers_stand_beside_the_open_one(tmp_path: Path) -> None:
    def groups(
        writer: EventWriter, sizes: list[int], current: dict[str, Any] | None, *, whole: bool
    ) -> EventWriter:
        return writer.add(
            "groups",
            scope="reduce",
            count=len(sizes),
            records=sketch(sizes),
            bytes=sketch([10 * each for each in sizes]),
            largest_by_bytes=[{"group": 2, "records": max(sizes), "bytes": 10 * max(sizes)}],
            current=current,
            whole=whole,
        )

    open_group = {"group": 4, "records": 70, "bytes": 700, "digest": "00aa", "key": "of"}
    writer = groups(_reduce_writer(), [3, 5, 4], open_group, whole=False)
    writer.add("failure", place="reduce", **OOM)
    other = groups(EventWriter(f"attempt_{JOB}_r_000000_0"), [2, 9, 1], None, whole=True)
    position = {
        "phase": 9, "group": 4, "record_in_group": 75, "group_bytes": 750, "group_digest": 0xAA,
        "reduce_total": 1000, "records_in": 87,
    }  # fmt: skip
    history = JobHistory("avro-binary", f"job_{JOB}", total_maps=1, total_reduces=2)

    evidence = assemble(
        [
            _recorded(
                writer,
                tmp_path,
                [],
                position,
                traces=(read_trace(other.write(tmp_path)),),
                history=history,
            )
        ]
    )

    groups_fact = evidence.groups
    assert groups_fact is not None
    assert not isinstance(groups_fact, Unknown)
    assert not isinstance(groups_fact.other_records, Unknown)
    assert groups_fact.other_records.values == (1, 2, 3, 4, 5, 9)
    assert groups_fact.all_reducers
    assert groups_fact.current is not None
    # the position file is newer than the sketch
    assert (groups_fact.current.records, groups_fact.current.bytes) == (75, 750)
    assert (groups_fact.current.digest, groups_fact.current.key) == ("00000000000000aa", "of")
    assert groups_fact.largest is not None
    assert groups_fact.largest.ordinal == 4
    assert not isinstance(evidence.progress, Unknown)
    assert evidence.progress.done == pytest.approx(0.087)


def test_partitions_come_from_the_run_that_counted_most_maps(tmp_path: Path) -> None:
    def map_output(folder: Path, index: int) -> Any:
        writer = EventWriter(f"attempt_{JOB}_m_{index:06d}_0")
        lists = {"records": [10, 20], "keys": [1, 2 + index], "raw_bytes": [100, 200],
                 "largest_key_records": [10, 15 + index], "largest_key_bytes": [98, 150 + index],
                 "largest_key_digest": ["a1", "b2"]}  # fmt: skip
        writer.add("map_output", partitions=lists).add("end", outcome="done")
        return read_trace(writer.write(folder))

    writer = _reduce_writer().add("failure", place="shuffle", **OOM)
    writer.add("shuffle_limits", memory_limit=100 * MIB, max_single_segment=25 * MIB, fetchers=5)
    position = {"phase": 6, "shuffle_limit": 100 * MIB, "shuffle_used": 120 * MIB,
                "shuffle_in_flight": 30 * MIB, "shuffle_merging": 0}  # fmt: skip
    history = JobHistory("avro-binary", f"job_{JOB}", total_maps=2, total_reduces=2)
    whole = _recorded(
        writer, tmp_path / "1", [], position, history=history, mode="watch",
        traces=tuple(map_output(tmp_path / "1", index) for index in (0, 1)),
    )  # fmt: skip
    death = snapshot("oom", [], at_death=True, side="reduce", place="shuffle", framework=150 * MIB,
                     parts={"shuffle_in_memory": 90 * MIB, "shuffle_fetching": 30 * MIB,
                            "shuffle_leftover": 5 * MIB})  # fmt: skip
    partial = _recorded(
        writer, tmp_path / "2", [death], position, history=history,
        traces=(map_output(tmp_path / "2", 0),),
    )  # fmt: skip

    evidence = assemble([whole, partial])

    partitions = evidence.partitions
    assert partitions is not None
    assert not isinstance(partitions, Unknown)
    assert (partitions.own, partitions.records, partitions.bytes) == (1, (20, 40), (200, 400))
    assert (partitions.keys, partitions.keys_in_one_map) == ((2, 5), (1, 3))
    assert (partitions.largest_key_records, partitions.largest_key_bytes) == ((20, 31), (196, 301))
    assert (partitions.complete, partitions.share_of_maps) == (True, 1.0)
    alone = assemble([partial]).partitions
    assert isinstance(alone, Partitions)
    assert (alone.bytes, alone.complete, alone.share_of_maps) == ((100, 200), False, 0.5)
    # whether each key is a group of its own, the configuration tells
    assert partitions.are_merged
    conf = {"mapreduce.job.reduces": "2"}
    by_key = assemble([replace(whole, conf=JobConf(conf))]).partitions
    assert isinstance(by_key, Partitions)
    assert (by_key.are_merged, by_key.groups_at_least) == (False, 3.0)
    conf["mapred.output.value.groupfn.class"] = "com.example.FirstComparator"
    by_part = assemble([replace(whole, conf=JobConf(conf))]).partitions
    assert isinstance(by_part, Partitions)
    assert (by_part.are_merged, by_part.groups_at_least) == (True, 0.0)
    shuffle = evidence.shuffle
    assert shuffle is not None
    assert not isinstance(shuffle, Unknown)
    assert (shuffle.held_bytes, shuffle.leftover_bytes) == (125 * MIB, 5 * MIB)
    assert shuffle.used_bytes == 120 * MIB
    assert evidence.groups is None
    assert evidence.external is None


def test_inside_combine_position_groups_and_records_are_those_of_the_call(tmp_path: Path) -> None:
    writer = _map_writer()
    writer.add("map_buffer", edge="ready", bytes=40 * MIB)
    writer.add("groups", scope="combine", count=262, records=sketch([3] * 262),
               current={"group": 263, "records": 700})  # fmt: skip
    writer.add("records", scope="combine", count=900, bytes=sketch([100] * 900))
    name = "probe-in_combine-263-350"
    writer.add("dump", file=f"{name}.hprof", point="in_combine", ordinal=350, group=263)
    writer.add("failure", place="combine", **OOM)
    rows = local_key("com.example.C", "reduce", "java.util.HashSet")
    snapshots = [
        snapshot(name, [holding(rows, 60 * MIB, lifecycle="group")], place="combine"),
        snapshot("oom", [holding(rows, 120 * MIB, lifecycle="group")], at_death=True,
                 place="combine"),
    ]  # fmt: skip
    position = {
        "phase": 3, "records_in": 5000, "combine_place": 1, "spill": 2, "combine_partition": 4,
        "combine_records_in": 1500, "combine_total": 3000, "combine_group": 263,
        "combine_record_in_group": 747, "combine_group_bytes": 9999, "combine_record_bytes": 120,
    }  # fmt: skip

    evidence = assemble([_recorded(writer, tmp_path, snapshots, position)])

    assert not isinstance(evidence.position, Unknown)
    assert evidence.position.phase == "combine"
    assert (evidence.position.group, evidence.position.record_in_group) == (263, 747)
    assert (evidence.position.partition, evidence.position.spill) == (4, 2)
    assert evidence.groups is not None
    assert not isinstance(evidence.groups, Unknown)
    assert evidence.groups.current is not None
    assert (evidence.groups.current.records, evidence.groups.current.bytes) == (747, 9999)
    assert evidence.records is not None
    assert not isinstance(evidence.records, Unknown)
    assert evidence.records.bytes == 120
    assert not isinstance(evidence.progress, Unknown)
    assert evidence.progress.done == 0.5
    assert _series(evidence, "record_in_group")[rows].points[0].x == 349


def _verify(folder: Path, *, met: bool, survived: bool) -> JobRun:
    writer = _reduce_writer(mode="verify")
    if met:
        writer.add("verify", step="met", digest="00ab")
        writer.add("dump", file="before.hprof", reason="probe", point="verify_before")
    if survived:
        writer.add("verify", step="survived")
        writer.add("dump", file="after.hprof", reason="probe", point="verify_after")
    else:
        writer.add("failure", place="reduce", **OOM)
    writer.add("verify", step="group_total", records=779_600, bytes=44_064_521, digest="00aa",
               whole=True)  # fmt: skip
    snapshots = []
    if met:
        key = local_key("com.example.R", "reduce", "x")
        after = "after" if survived else "oom"
        snapshots = [
            snapshot("before", [holding(key, MIB, lifecycle="group")]),
            snapshot(after, [holding(key, 31 * MIB, lifecycle="group")], at_death=not survived),
        ]
    return _recorded(writer, folder, snapshots, {"phase": 9}, mode="verify")


@pytest.mark.parametrize(
    ("met", "survived", "growth", "died"),
    [(True, True, 30 * MIB, False), (True, False, 30 * MIB, True), (False, True, None, False)],
)
def test_the_run_of_the_last_record_alone_gives_its_growth_and_the_whole_group(
    met: bool, survived: bool, growth: int | None, died: bool, tmp_path: Path
) -> None:
    profiled = _recorded(
        _reduce_writer().add("failure", place="reduce", **OOM),
        tmp_path / "1",
        [],
        {"phase": 9, "group": 16, "record_in_group": 5},
    )

    evidence = assemble([profiled, _verify(tmp_path / "2", met=met, survived=survived)])

    assert evidence.attempt.mode == "profile"  # a verification is never what is diagnosed
    verification = evidence.verification
    assert not isinstance(verification, Unknown)
    assert (verification.met, verification.died) == (met, died)
    if growth is None:
        assert isinstance(verification.growth_bytes, Unknown)
    else:
        assert verification.growth_bytes == growth
    groups = evidence.groups
    assert isinstance(groups, GroupSizes)
    assert groups.whole is not None
    assert (groups.whole.records, groups.whole.ordinal) == (779_600, 16)


def test_the_newest_run_with_a_death_of_memory_is_diagnosed(tmp_path: Path) -> None:
    old = _recorded(_map_writer().add("failure", place="map", **OOM), tmp_path / "1", mode="watch")
    other = _map_writer().add(
        "failure", class_="java.lang.IllegalStateException", message="no", place="map"
    )
    new = _recorded(other, tmp_path / "2")

    assert assemble([old, new]).attempt.mode == "profile"
    assert assemble([old, new]).death.kind == "heap"
    assert assemble([new]).death.kind == "not-memory"


def test_of_a_job_that_succeeded_the_facts_are_there_and_the_death_is_none(tmp_path: Path) -> None:
    writer = _map_writer().add("end", outcome="done")

    evidence = assemble([_recorded(writer, tmp_path, [], {"phase": 12, "records_in": 90})])

    assert evidence.death.kind == "none"
    assert not isinstance(evidence.position, Unknown)
    assert evidence.position.record == 90
    assert evidence.memory.usable_bytes == HEAP


def test_a_job_known_by_its_history_alone_has_a_kind_of_death_and_says_what_is_missing() -> None:
    attempt = AttemptHistory(MAP, "map", 0, "FAILED", "Error: Java heap space\n")
    killed = AttemptHistory(
        MAP[:-1] + "1", "map", 1, "FAILED",
        "Container [pid=1,containerID=c] is running beyond physical memory limits. Killing.",
    )  # fmt: skip
    history = JobHistory(
        "avro-binary",
        f"job_{JOB}",
        name="wc",
        state="FAILED",
        total_maps=4,
        total_reduces=2,
        tasks=(TaskHistory("t", "map", 3, attempts=(attempt, killed)),),
    )
    conf = JobConf({"mapreduce.map.java.opts": "-Xmx256m", "mapreduce.task.io.sort.mb": "100"})

    evidence = assemble([JobRun(f"job_{JOB}", "none", history=history, conf=conf)])

    assert evidence.death.kind == "heap"
    assert evidence.attempt.attempt_id == MAP
    assert [each.kind for each in evidence.attempts] == ["container-physical"]
    assert evidence.memory.heap_max_bytes == 256 * MIB
    assert isinstance(evidence.position, Unknown)
    assert isinstance(evidence.records, Unknown)
    assert evidence.reducers == 2
    assert evidence.job.name == "wc"


def test_a_lone_dump_says_what_it_can() -> None:
    death = snapshot("oom", [holding(COUNTS, 170 * MIB)], at_death=True)

    evidence = assemble([JobRun(None, "none", snapshots={"": (death,)})])

    assert evidence.death.kind == "heap"
    assert evidence.attempt.attempt_id is None
    assert evidence.attempt.task_type == "map"
    assert evidence.holder(COUNTS) is not None
    assert evidence.memory.live_bytes_at_death == death.live_bytes
    assert isinstance(evidence.memory.live_bytes_before_record, Unknown)
    assert isinstance(evidence.external, Unknown)


def test_an_attempt_that_is_asked_for_by_id_is_the_one_diagnosed(tmp_path: Path) -> None:
    first = _map_writer().add("failure", place="map", **OOM)
    second = EventWriter(MAP[:-1] + "1").add("failure", place="map", **OOM)
    recorded = _recorded(first, tmp_path, traces=(read_trace(second.write(tmp_path)),))

    assert assemble([recorded]).attempt.number == 0
    chosen = assemble([recorded], MAP[:-1] + "1")
    assert chosen.attempt.number == 1
    assert [each.attempt_id for each in chosen.attempts] == [MAP]


MAPPER = (
    "org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:145)",
    "org.apache.hadoop.mapred.MapTask.runNewMapper(MapTask.java:800)",
    "org.apache.hadoop.mapred.MapTask.run(MapTask.java:348)",
)
NEXT_RECORD = (
    "org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader.nextKeyValue(MapTask.java:569)",
    "org.apache.hadoop.mapreduce.task.MapContextImpl.nextKeyValue(MapContextImpl.java:81)",
    *MAPPER,
)


@pytest.mark.parametrize(
    ("stack", "being_read"),
    [
        (["java.util.Arrays.copyOf(A:1)", "org.apache.hadoop.util.LineReader.readLine(L:2)",
          "org.apache.hadoop.mapreduce.lib.input.LineRecordReader.nextKeyValue(L.java:3)",
          *NEXT_RECORD], True),
        (["com.example.WholeFileRecordReader.nextKeyValue(W.java:3)", *NEXT_RECORD], True),
        # a method of the JDK called map() inside the reader is no map() of the job
        (["com.example.Line.parse(L.java:9)", "java.util.Optional.map(O.java:4)",
          "com.example.LineFileReader.nextKeyValue(W.java:3)", *NEXT_RECORD], True),
        (["com.example.Job.parse(J.java:2)", "com.example.Job.map(J.java:3)", *MAPPER], False),
        # a reader of its own that map() opens reads none of the task's records
        (["org.apache.hadoop.util.LineReader.readLine(L:2)",
          "org.apache.hadoop.mapreduce.lib.input.LineRecordReader.nextKeyValue(L.java:3)",
          "com.example.Job.map(J.java:3)", *MAPPER], False),
        (["org.apache.hadoop.mapreduce.task.ReduceContextImpl.nextKeyValue(R.java:3)",
          "org.apache.hadoop.mapreduce.task.ReduceContextImpl$ValueIterator.next(R.java:5)",
          "com.example.Job.reduce(J.java:3)",
          "org.apache.hadoop.mapreduce.Reducer.run(Reducer.java:171)"], True),
    ],
)  # fmt: skip
def test_a_record_that_the_user_code_had_not_seen_is_being_read(
    stack: list[str], being_read: bool, tmp_path: Path
) -> None:
    writer = _map_writer().add("failure", place="map", **{**OOM, "stack": stack})

    records = assemble(
        [_recorded(writer, tmp_path, [], {"phase": 3, "records_in": 5, "record_bytes": 9})]
    ).records

    assert records is not None
    assert not isinstance(records, Unknown)
    assert records.being_read is being_read
    assert records.bytes == 9


IN_REDUCE = (
    "org.apache.hadoop.mapreduce.task.ReduceContextImpl.nextKeyValue(R.java:155)",
    "org.apache.hadoop.mapreduce.task.ReduceContextImpl$ValueIterator.next(R.java:239)",
    "com.example.Job.reduce(J.java:3)",
    "org.apache.hadoop.mapreduce.Reducer.run(Reducer.java:171)",
)
IN_REDUCE_OLD = (
    "org.apache.hadoop.mapred.Task$ValuesIterator.readNextKey(Task.java:1557)",
    "org.apache.hadoop.mapred.Task$ValuesIterator.next(Task.java:1496)",
    "org.apache.hadoop.mapred.ReduceTask$ReduceValuesIterator.next(ReduceTask.java:245)",
    "com.example.Job.reduce(J.java:3)",
    "org.apache.hadoop.mapred.ReduceTask.runOldReducer(ReduceTask.java:445)",
)
FETCHED = (
    "org.apache.hadoop.mapred.IFile$Reader.nextRawValue(IFile.java:439)",
    "org.apache.hadoop.mapred.Merger$Segment.getValue(Merger.java:324)",
    "org.apache.hadoop.mapred.Merger$MergeQueue.next(Merger.java:568)",
)


@pytest.mark.parametrize(
    ("stack", "reads_next"),
    [
        ([*FETCHED, *IN_REDUCE], True),
        ([*FETCHED, *IN_REDUCE_OLD], True),
        (["org.apache.hadoop.io.Text.readFields(Text.java:3)", *IN_REDUCE], False),
        # a merge that user code runs for itself reads none of the task's records
        ([*FETCHED, "com.example.Job.reduce(J.java:3)", IN_REDUCE[-1]], False),
    ],
)
def test_what_was_counted_is_not_the_record_that_is_fetched_before_the_last_is_handed_over(
    stack: list[str], reads_next: bool, tmp_path: Path
) -> None:
    writer = EventWriter(REDUCE).add("failure", place="reduce", **{**OOM, "stack": stack})
    at = {"phase": 5, "records_in": 731, "record_bytes": 42, "group": 1, "record_in_group": 731}

    evidence = assemble([_recorded(writer, tmp_path, [], at)])

    records = evidence.records
    assert isinstance(records, RecordSizes)
    assert records.reads_next is reads_next
    assert isinstance(records.bytes, Unknown) is reads_next
    in_flight = record_in_flight_of(evidence, record_size_of(evidence, None))
    named = "the record after record 731" if reads_next else "record 731"
    assert in_flight.name == named
    assert not (reads_next and in_flight.is_ordinary)


def test_a_cached_file_that_user_code_read_behind_hadoops_back_is_told_as_not_seen(
    tmp_path: Path,
) -> None:
    at = {"phase": "setup", "records_in": 0}
    writer = _map_writer().add("phase", phase="setup", edge="begin", at=at)
    writer.add("open", path="hdfs://h/cache/model.bin", length=30 * MIB)
    writer.add("failure", place="setup", **OOM)
    conf = JobConf(
        {
            "mapreduce.job.cache.files": "hdfs://h/x/lib.jar,hdfs://h/x/t.csv#t,hdfs://h/x/model.bin",
            "mapreduce.job.cache.files.filesizes": "7,67500044,31457280",
        }
    )
    table = field_key("com.example.Job", "table")
    death = snapshot("oom", [holding(table, 170 * MIB, lifecycle="setup")], at_death=True)

    external = assemble(
        [_recorded(writer, tmp_path, [death], {"phase": 2, "records_in": 0}, conf=conf)]
    ).external

    assert external is not None
    assert not isinstance(external, Unknown)
    assert [(f.path, f.length_bytes, f.seen) for f in external.opened] == [
        ("hdfs://h/cache/model.bin", 30 * MIB, True),
        ("hdfs://h/x/t.csv", 67500044, False),
    ]


def test_a_record_whose_reading_failed_is_not_the_one_that_was_counted_last(
    tmp_path: Path,
) -> None:
    # the agent counts a record once it is read: position and log still tell of record 5
    stack = ["com.example.WholeFileReader.nextKeyValue(W.java:3)", *NEXT_RECORD]
    writer = _map_writer()
    writer.add("records", scope="map", count=4, current={"record": 5, "bytes": 9})
    writer.add("failure", place="map", record={"ordinal": 6}, **{**OOM, "stack": stack})

    evidence = assemble(
        [_recorded(writer, tmp_path, [], {"phase": 3, "records_in": 5, "record_bytes": 9})]
    )

    records = evidence.records
    assert records is not None
    assert not isinstance(records, Unknown)
    assert records.ordinal == 6
    assert isinstance(records.bytes, Unknown)
    assert not isinstance(evidence.position, Unknown)
    assert evidence.position is not None
    assert evidence.position.record == 6


@pytest.mark.parametrize(
    ("thread_of", "known"),
    [
        ("org.apache.hadoop.mapreduce.lib.chain.Chain$MapRunner.run(Chain.java:321)", False),
        ("org.apache.hadoop.mapred.MapTask.runNewMapper(MapTask.java:800)", True),
    ],
)
def test_the_size_of_the_record_in_flight_is_not_known_where_mappers_read_ahead(
    tmp_path: Path, thread_of: str, known: bool
) -> None:
    stack = ["com.example.Second.map(S.java:3)", thread_of]
    writer = _map_writer()
    writer.add("failure", place="map", record={"ordinal": 6, "bytes": 9}, **{**OOM, "stack": stack})

    records = assemble([_recorded(writer, tmp_path, [], {"phase": 3, "records_in": 6})]).records

    assert records is not None
    assert not isinstance(records, Unknown)
    assert (records.bytes == 9) is known


def test_secrets_of_the_configuration_never_reach_the_evidence(tmp_path: Path) -> None:
    recorded = replace(
        _recorded(_map_writer().add("failure", place="map", **OOM), tmp_path),
        conf=JobConf({"a.password": "hunter2", "io.sort.mb": "100"}),
    )

    evidence = assemble([recorded])

    assert "hunter2" not in repr(evidence)
    assert evidence.conf["io.sort.mb"] == "100"


def test_attempts_that_were_killed_because_the_job_had_failed_are_not_listed(
    tmp_path: Path,
) -> None:
    other = EventWriter(REDUCE)
    killed = AttemptHistory(
        REDUCE, "reduce", 0, "KILLED", "Task KILL is received. Killing attempt!"
    )
    failed = AttemptHistory(MAP, "map", 3, "FAILED", "Error: Java heap space")
    history = JobHistory(
        "avro-binary",
        f"job_{JOB}",
        tasks=(
            TaskHistory("m", "map", 3, attempts=(failed,)),
            TaskHistory("r", "reduce", 1, attempts=(killed,)),
        ),
    )
    traces = (read_trace(other.write(tmp_path)),)
    writer = _map_writer().add("failure", place="map", **OOM)

    evidence = assemble([_recorded(writer, tmp_path, traces=traces, history=history)])

    assert evidence.attempt.attempt_id == MAP
    assert evidence.attempts == ()


@pytest.mark.parametrize(
    ("model", "opened", "says"),
    [
        (0, False, Silent),
        (120, True, Fires),
        (0, True, CannotTell),  # it may have been loaded at its first use
        (120, False, CannotTell),  # it may be work space
    ],
)
def test_the_sort_buffer_is_no_external_data_and_is_taken_off_once(
    model: int, opened: bool, says: type, tmp_path: Path
) -> None:
    # the framework has 100 MB, 90 of them the sort buffer: what every collection left beyond that
    # was loaded before the first record
    writer = _map_writer().add("map_buffer", edge="request", bytes=90 * MIB)
    writer.add("map_buffer", edge="ready", bytes=90 * MIB)
    if opened:
        writer.add("open", path="hdfs://h/cache/model.bin", length=30 * MIB)
    for record in (5, 25, 45, 65, 85):
        at = {"phase": "map", "records_in": record}
        writer.add("memory", major=True, used_after=(112 + model) * MIB, at=at)
    writer.add("failure", place="map", **OOM)
    death = snapshot(
        "oom",
        [holding(field_key("com.example.Job", "model"), 120 * MIB)],
        at_death=True,
        framework=100 * MIB,
        parts={"sort_buffer": 90 * MIB},
    )

    evidence = assemble(
        [_recorded(writer, tmp_path, [death], {"phase": 3, "records_in": 90}, mode="watch")]
    )

    verdict = verdicts_of(evidence)["large_external_data"]
    assert isinstance(verdict, says), verdict


def test_a_probe_whose_event_was_lost_is_known_by_its_name_and_is_no_death(tmp_path: Path) -> None:
    writer = _reduce_writer().add("failure", place="reduce", **OOM)
    writer.add("dump", file="oom.hprof", reason="oom")
    rows = local_key("com.example.R", "reduce", "java.util.ArrayList")
    snapshots = [
        snapshot(name, [holding(rows, size * MIB, lifecycle="group")], at_death=True)
        for name, size in (("oom", 50), ("probe-in_group-1-9", 45), ("probe-before_group-1", 1))
    ]

    evidence = assemble(
        [_recorded(writer, tmp_path, snapshots, {"phase": 9, "group": 1, "record_in_group": 10})]
    )

    holder = evidence.holder(rows)
    assert holder is not None
    assert holder.bytes == 50 * MIB
    (curve,) = _series(evidence, "record_in_group").values()
    assert [(p.x, p.size_bytes) for p in curve.points] == [(8, 45 * MIB)]


def test_class_histograms_become_curves_of_the_classes_that_grew(tmp_path: Path) -> None:
    writer = _map_writer(mode="watch")
    for record, size in ((10, 4), (20, 9), (30, 15)):
        writer.add(
            "histogram",
            reason="filling",
            at={"phase": "map", "records_in": record + 1},
            classes=[["byte[]", 9, 90 * MIB], ["com.example.Cell", 5, size * MIB], ["tiny", 1, 8]],
        )
    writer.add("failure", place="map", **OOM)

    evidence = assemble([_recorded(writer, tmp_path, [], {"phase": 3, "records_in": 41})])

    curves = {s.class_name: s for s in evidence.series if s.source == "histogram"}
    assert set(curves) == {"byte[]", "com.example.Cell"}
    cell = curves["com.example.Cell"]
    assert [(p.x, p.size_bytes / MIB) for p in cell.points] == [(10, 4), (20, 9), (30, 15)]
    assert (cell.holder, cell.lifecycle, cell.unit) == (None, "map", "record")


def test_a_single_histogram_is_no_curve(tmp_path: Path) -> None:
    writer = _map_writer().add(
        "histogram", at={"phase": "map", "records_in": 9}, classes=[["a", 1, 90 * MIB]]
    )

    assert assemble([_recorded(writer, tmp_path, [], {"phase": 3, "records_in": 41})]).series == ()


def test_a_passive_curve_of_many_collections_is_thinned_to_the_lowest_of_each_stretch(
    tmp_path: Path,
) -> None:
    rows = [(record, record + (50 if record % 2 else 0), True) for record in range(1, 1000)]
    writer = _map_writer()
    for record, size, major in rows:
        at = {"phase": "map", "records_in": record + 1}
        writer.add("memory", major=major, used_after=size, at=at)
    writer.add("failure", place="map", **OOM)

    evidence = assemble([_recorded(writer, tmp_path, [], {"phase": 3, "records_in": 2000})])

    points = _series(evidence, "record", "passive")[None].points
    assert 30 <= len(points) <= 41
    assert all(point.size_bytes == point.x for point in points[:-1])
    assert points[-1].x >= 990


def test_collections_of_another_group_are_no_point_of_the_last_one(tmp_path: Path) -> None:
    writer = _reduce_writer(mode="watch")
    for group, record, size in ((1, 50, 10), (2, 5, 20), (2, 9, 30)):
        at = {"phase": "reduce", "group": group, "record_in_group": record, "records_in": 50}
        writer.add("memory", major=True, used_after=size, at=at)
    writer.add("failure", place="reduce", **OOM)
    position = {"phase": 9, "records_in": 99, "group": 2, "record_in_group": 40}

    evidence = assemble([_recorded(writer, tmp_path, [], position)])

    inside = _series(evidence, "record_in_group", "passive")[None]
    assert [(p.x, p.size_bytes) for p in inside.points] == [(4, 20), (8, 30)]
    over = _series(evidence, "group", "passive")[None]
    assert [p.x for p in over.points] == [0]
    assert evidence.memory.live_bytes_before_record == 30


def test_a_small_holder_leaves_no_room_for_external_data(tmp_path: Path) -> None:
    writer = _map_writer().add("failure", place="map", **OOM)
    death = snapshot("oom", [holding(COUNTS, 2 * MIB)], at_death=True)

    evidence = assemble([_recorded(writer, tmp_path, [death], {"phase": 3, "records_in": 9})])

    assert evidence.external is None


def test_a_probe_that_stood_after_the_place_of_death_is_no_growth_before_it(
    tmp_path: Path,
) -> None:
    # the rerun died two records earlier than the run its plan was made from
    writer = _map_writer()
    snapshots = []
    for record in (1, 40, 50):
        writer.add("dump", file=f"p{record}.hprof", point="before_record", ordinal=record)
        snapshots.append(snapshot(f"p{record}", [holding(COUNTS, record * MIB)]))
    writer.add("failure", place="map", **OOM)
    death = snapshot("oom", [holding(COUNTS, 60 * MIB)], at_death=True)

    growth = assemble(
        [_recorded(writer, tmp_path, [*snapshots, death], {"phase": 3, "records_in": 49})]
    ).record_growth

    assert not isinstance(growth, Unknown)
    assert (growth.last_records, growth.last_bytes) == (10, 20 * MIB)


@pytest.mark.parametrize(
    ("top", "doubling"),
    [
        ("java.util.HashMap.resize(HashMap.java:700)", True),
        ("com.carrotsearch.hppc.IntIntHashMap.rehash(IntIntHashMap.java:9)", True),
        ("com.example.Forest.growForest(Forest.java:7)", False),
        ("com.example.Picture.resize(Picture.java:7)", False),
        ("java.util.HashMap.put(HashMap.java:600)", False),
    ],
)
def test_a_logged_stack_shows_an_enlargement_by_the_class_that_does_it(
    top: str, doubling: bool, tmp_path: Path
) -> None:
    writer = _map_writer()
    writer.add("dump", file="p40.hprof", point="before_record", ordinal=40)
    stack = [top, "com.example.Job.map(Job.java:3)", *MAPPER]
    writer.add("failure", place="map", **{**OOM, "stack": stack})
    heaps = [snapshot("p40", [holding(COUNTS, 40 * MIB)]),
             snapshot("oom", [holding(COUNTS, 60 * MIB)], at_death=True)]  # fmt: skip

    growth = assemble(
        [_recorded(writer, tmp_path, heaps, {"phase": 3, "records_in": 49})]
    ).record_growth

    assert not isinstance(growth, Unknown)
    assert growth.doubling is doubling


@pytest.mark.parametrize(("requested", "says"), [(True, Fires), (False, CannotTell)])
def test_a_buffer_that_was_not_asked_for_yet_is_not_what_the_heap_had_no_place_for(
    requested: bool, says: type, tmp_path: Path
) -> None:
    writer = _map_writer()
    if requested:
        writer.add("map_buffer", edge="request", bytes=100 * MIB)
    writer.add("failure", place="init", **OOM)

    evidence = assemble(
        [_recorded(writer, tmp_path, conf=JobConf({"mapreduce.task.io.sort.mb": "100"}))]
    )

    assert evidence.place == "init"
    assert isinstance(verdicts_of(evidence)["large_framework_buffer.map"], says)


@pytest.mark.parametrize(
    ("reducers", "place", "conf", "expected"),
    [
        ("0", "map", {}, None),  # map-only
        ("2", "map", {"io.sort.mb": "100"}, (100 * MIB, True)),
        ("2", "init", {"io.sort.mb": "100"}, (100 * MIB, False)),
        ("2", "map", {}, "unknown"),
    ],
)
def test_without_an_agent_the_sort_buffer_is_that_of_the_configuration(
    reducers: str, place: str, conf: dict[str, str], expected: Any
) -> None:
    top = "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(M.java:1)"
    frame = top if place == "init" else "org.apache.hadoop.mapreduce.Mapper.run(M.java:1)"
    error = f"Error: java.lang.OutOfMemoryError: Java heap space\n\tat {frame}\n"
    history = JobHistory(
        "avro-binary",
        f"job_{JOB}",
        total_reduces=int(reducers),
        tasks=(
            TaskHistory("t", "map", 3, attempts=(AttemptHistory(MAP, "map", 0, "FAILED", error),)),
        ),
    )

    evidence = assemble([JobRun(None, "none", history=history, conf=JobConf(conf))])

    buffer = evidence.map_buffer
    assert evidence.place == place
    if expected == "unknown":
        assert isinstance(buffer, Unknown)
    elif expected is None:
        assert buffer is None
    else:
        assert buffer is not None
        assert not isinstance(buffer, Unknown)
        assert (buffer.requested_bytes, buffer.allocated) == expected


def test_a_collection_before_the_first_record_bounds_nothing(tmp_path: Path) -> None:
    writer = _map_writer()
    writer.add("memory", used_after=MIB, at={"phase": "map", "records_in": 0})
    writer.add("memory", used_after=2 * MIB, at={"phase": "setup"})
    writer.add("failure", place="map", **OOM)
    death = snapshot("oom", [holding(COUNTS, 170 * MIB)], at_death=True)

    evidence = assemble([_recorded(writer, tmp_path, [death], {"phase": 3, "records_in": 90})])

    assert isinstance(evidence.external, Unknown)


@pytest.mark.parametrize(("calls", "every"), [(3, True), (4, False)])
def test_groups_of_the_combine_passes_before_the_failing_one_count_too(
    calls: int, every: bool, tmp_path: Path
) -> None:
    writer = _map_writer()
    for sizes, whole in (([3, 4], True), ([3, 4], True), ([7], True), ([2, 9], False)):
        writer.add("groups", scope="combine", count=len(sizes), records=sketch(sizes), whole=whole)
    writer.add("failure", place="combine", **OOM)
    position = {"phase": 3, "combine_place": 1, "combine_call": calls, "combine_group": 3,
                "combine_record_in_group": 50}  # fmt: skip

    groups = assemble([_recorded(writer, tmp_path, [], position)]).groups

    assert groups is not None
    assert not isinstance(groups, Unknown)
    assert not isinstance(groups.other_records, Unknown)
    assert groups.other_records.values == (2, 3, 4, 7, 9)  # the same event twice counts once
    assert groups.other_records.counts == (1, 1, 1, 1, 1)
    assert groups.all_reducers is every


def test_a_hot_key_in_the_first_group_of_combine_is_compared_with_those_a_verify_run_read(
    tmp_path: Path,
) -> None:
    position = {"phase": 3, "combine_place": 1, "combine_call": 1, "combine_group": 1,
                "combine_record_in_group": 5000}  # fmt: skip
    writer = _map_writer().add(
        "groups", scope="combine", count=0, current={"group": 1, "records": 5000}
    )
    watched = _recorded(writer.add("failure", place="combine", **OOM), tmp_path / "1", [], position)
    writer = _map_writer(mode="verify").add(
        "verify", step="group_total", records=9000, whole=True,
        others={"records": sketch([2] * 8), "bytes": sketch([50] * 8)},
    )  # fmt: skip
    verified = _recorded(writer, tmp_path / "2", mode="verify")

    alone, both = assemble([watched]).groups, assemble([watched, verified]).groups

    assert isinstance(alone, GroupSizes)
    assert isinstance(alone.other_records, Unknown)
    assert isinstance(both, GroupSizes)
    assert not isinstance(both.other_records, Unknown)
    assert (both.other_records.count, both.other_records.largest) == (8, 2)


PRICES = field_key("com.example.R", "prices")


@pytest.mark.parametrize(
    ("opened_at", "length", "loading"),
    [
        ((1,), 9 * MIB, True),  # the first call of reduce() loads a table
        ((1,), MIB, False),  # 60 MB are not what became of 1 MB
        ((), 9 * MIB, False),  # nothing was opened
        ((0,), 9 * MIB, False),  # setup() opened it, and had returned
    ],
)
def test_a_table_that_is_being_loaded_in_reduce_is_external_data(
    opened_at: tuple[int, ...], length: int, loading: bool, tmp_path: Path
) -> None:
    writer = _reduce_writer()
    for record in opened_at:
        writer.add("open", path="file:/prices.csv", length=length, at={"records_in": record})
    writer.add("failure", place="reduce", **OOM)
    death = snapshot("oom", [holding(PRICES, 60 * MIB, lifecycle="reduce")], at_death=True)
    position = {"phase": 9, "records_in": 1, "group": 1, "record_in_group": 1}

    external = assemble([_recorded(writer, tmp_path, [death], position)]).external

    found = isinstance(external, ExternalLoad) and external.when == "loading"
    assert found is loading
    if found:
        assert isinstance(external, ExternalLoad)
        assert (external.bytes, external.holders) == (60 * MIB, (PRICES,))


def test_what_was_loaded_before_counts_with_what_is_being_loaded(tmp_path: Path) -> None:
    writer = _map_writer().add("open", path="hdfs:/model", length=50 * MIB)
    writer.add("dump", file="p.hprof", point="before_record", ordinal=1)
    at = {"phase": "map", "records_in": 1}
    writer.add("open", path="hdfs:/prices", length=30 * MIB, at=at)
    writer.add("failure", place="map", **OOM)
    before, both = (
        [holding(COUNTS, 90 * MIB)],
        [holding(COUNTS, 90 * MIB), holding(PRICES, 60 * MIB)],
    )
    heaps = [snapshot("p", before), snapshot("oom", both, at_death=True)]

    external = assemble(
        [_recorded(writer, tmp_path, heaps, {"phase": 3, "records_in": 1})]
    ).external

    assert isinstance(external, ExternalLoad)
    assert (external.when, external.bytes) == ("loading", 150 * MIB)
    assert {one.path for one in external.opened} == {"hdfs:/model", "hdfs:/prices"}


def test_a_file_that_is_opened_for_each_record_is_no_external_data(tmp_path: Path) -> None:
    writer = _map_writer()
    for record in (89, 90):
        path = f"file:/picture-{record}"
        writer.add("open", path=path, length=9 * MIB, at={"phase": "map", "records_in": record})
    writer.add("failure", place="map", **OOM)
    death = snapshot("oom", [holding(COUNTS, 60 * MIB)], at_death=True)

    external = assemble(
        [_recorded(writer, tmp_path, [death], {"phase": 3, "records_in": 90})]
    ).external

    assert not (isinstance(external, ExternalLoad) and external.when == "loading")


def test_what_a_combiner_holds_before_its_first_group_is_being_loaded(tmp_path: Path) -> None:
    writer = _map_writer().add("failure", place="combine", **OOM)
    death = snapshot("oom", [holding(PRICES, 60 * MIB)], place="combine", at_death=True)
    position = {"phase": 3, "records_in": 9000, "combine_place": 1, "combine_call": 1}

    external = assemble([_recorded(writer, tmp_path, [death], position)]).external

    assert isinstance(external, ExternalLoad)
    assert (external.when, external.bytes) == ("loading", 60 * MIB)


AM_KILLED = (
    "AM Container for appattempt_1_0001_000002 exited with exitCode: -104\n"
    "Container [pid=1,containerID=container_1_0001_02_000001] is running 9437184B beyond the "
    "'PHYSICAL' memory limit. Current usage: 521 MB of 512 MB physical memory used"
)


@pytest.mark.parametrize(
    ("diagnostics", "kind", "word"),
    [
        ("Application failed 2 times due to AM Container exited with exitCode: 1",
         "application-master", "AM Container"),
        (AM_KILLED, "application-master", "beyond the 'PHYSICAL' memory"),
        ("ApplicationMaster for attempt appattempt_1_0001_000002 timed out",
         "application-master", "timed out"),
        ("Application killed by user.", "not-memory", "killed by user"),
        ("", "not-memory", "nothing says why"),
    ],
)  # fmt: skip
def test_a_job_that_failed_before_any_task_did_is_no_job_that_did_not_fail(
    diagnostics: str, kind: str, word: str
) -> None:
    job = JobRun(job_id="job_1_0001", mode="watch", state="FAILED", diagnostics=diagnostics)

    death = assemble([job]).death

    assert death.kind == kind
    assert word in death.evidence
    assert assemble([JobRun(job_id="job_1_0001", mode="watch")]).death.kind == "none"


def test_what_ended_the_application_master_is_no_death_of_a_task_that_finished(
    tmp_path: Path,
) -> None:
    writer = _map_writer()
    writer.add("end", outcome="done")
    job = _recorded(writer, tmp_path, [], {"phase": 8, "records_in": 9})
    ended = replace(job, state="FAILED", diagnostics=AM_KILLED)

    evidence = assemble([ended])

    assert evidence.attempt.finished
    assert evidence.death.kind == "application-master"


def test_of_a_lone_dump_without_a_task_no_rule_says_that_it_found_nothing() -> None:
    dump = snapshot(
        "lone", [holding(static_key("com.example.Cache", "ALL"), 90 * MIB)], side="unknown"
    )
    evidence = assemble([JobRun(job_id=None, mode="none", snapshots={"": (dump,)})])

    assert isinstance(evidence.holders, Unknown)
    assert not isinstance(evidence.composition, Unknown)


def test_a_death_while_a_record_is_read_is_one_more_point(tmp_path: Path) -> None:
    # R_3 never came to map(): what it held by then is of two records, and two probes are too few
    writer = _map_writer()
    snapshots = []
    for record, size in ((1, 0), (2, 9)):
        name = f"probe-before_record-{record}"
        writer.add("dump", file=f"{name}.hprof", point="before_record", ordinal=record)
        snapshots.append(snapshot(name, [holding(COUNTS, size * MIB)] if size else []))
    writer.add("failure", place="map", record={"ordinal": 3}, **OOM)
    snapshots.append(snapshot("oom", [holding(COUNTS, 18 * MIB)], at_death=True))

    evidence = assemble([_recorded(writer, tmp_path, snapshots, {"phase": 3, "records_in": 2})])

    counts = _series(evidence, "record")[COUNTS]
    assert [(p.x, p.size_bytes / MIB) for p in counts.points] == [(0, 0), (1, 9), (2, 18)]
    found = growth_of(evidence, "map")
    assert isinstance(found, Growing)
    assert found.x_now == 2
    growth = evidence.record_growth
    assert not isinstance(growth, Unknown)
    assert (growth.last_records, growth.last_bytes) == (1, 0)
