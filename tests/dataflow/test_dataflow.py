"""The model of a whole job, from traces built by hand; the numbers are the paper's Table 4."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders.attempts import EventWriter, sketch

from mprof.dataflow import (
    Dataflow,
    KeyCount,
    build_dataflow,
    failed_by_evidence,
    map_progress,
    merged_groups,
    one_per_task,
    task_progress,
    with_history,
)
from mprof.history import AttemptHistory, Counters, JobHistory, TaskHistory
from mprof.trace import Trace, read_trace

JOB = "1700000000000_0001"
# P_ij of the paper's Table 4: records and keys of partition 1 in three mappers; the paper gives
# partition 0 for the first only
RECORDS = ((8_559, 8_653), (8_000, 8_882), (8_000, 9_016))
KEYS = ((3_715, 3_943), (3_000, 4_036), (3_000, 4_087))


def _attempt(side: str, index: int, number: int = 0) -> str:
    return f"attempt_{JOB}_{side}_{index:06d}_{number}"


def _map(index: int, tmp_path: Path, *, done: bool = True) -> Trace:
    records, keys = RECORDS[index], KEYS[index]
    lists: dict[str, Any] = {
        "records": records,
        "keys": keys,
        "raw_bytes": [each * 10 for each in records],
    }
    writer = EventWriter(_attempt("m", index))
    writer.add("split", path=f"hdfs://h/in/{index}", start=0, length=1000, class_="FileSplit")
    writer.add("map_buffer", edge="request", bytes=104_857_600)
    writer.add("map_buffer", edge="ready", bytes=104_857_600)
    if done:
        writer.add("spill", spill=0, edge="begin")
        writer.add(
            "spill", spill=0, edge="end", records_in=sum(records), bytes_in=50, partitions=lists
        )
        writer.add("map_output", partitions=lists, spills=1, combined=False)
    writer.add("end", outcome="done" if done else "failed")
    position = {
        "phase": 12 if done else 3,
        "records_in": 17_535,
        "records_out": sum(records),
        "split_length": 1000,
        "bytes_out": 90,
        "progress_ppm": 400_000,
    }
    return read_trace(writer.write(tmp_path, position=position))


def _reduce(index: int, tmp_path: Path, *, groups: list[int], whole: bool) -> Trace:
    writer = EventWriter(_attempt("r", index))
    writer.add("shuffle_limits", memory_limit=700, merge_threshold=462, fetchers=5)
    for i, records in enumerate(RECORDS):
        writer.add(
            "fetch", edge="done", map=_attempt("m", i), raw_bytes=records[index] * 10, to="memory"
        )
    maps = [_attempt("m", 0), _attempt("m", 1)]
    writer.add("shuffle_merge", kind="memory", edge="begin", maps=maps, combined=True)
    writer.add(
        "shuffle_merge", kind="memory", edge="end", records_out=7_979, keys=7_979, combined=True
    )
    writer.add("reduce_input", records=16_995, memory_bytes=5)
    writer.add(
        "groups",
        scope="reduce",
        count=len(groups),
        records=sketch(groups),
        bytes=sketch([each * 8 for each in groups]),
        largest_by_records=[{"group": 3, "records": max(groups), "bytes": max(groups) * 8}],
        current={"group": len(groups) + 1, "records": 4},
        whole=whole,
    )
    if not whole:
        writer.add(
            "failure",
            class_="java.lang.OutOfMemoryError",
            message="Java heap space",
            stack=["com.example.R.reduce(R.java:9)"],
            place="reduce",
        )
    writer.add("end", outcome="done" if whole else "failed")
    position = {
        "phase": 9,
        "records_in": 8_497,
        "group": len(groups) + 1,
        "shuffle_limit": 700,
        "shuffle_used": 650,
        "shuffle_in_flight": 50,
        "shuffle_merging": 0,
        "fetched_segments": 3,
        "reduce_total": 16_995,
    }
    return read_trace(writer.write(tmp_path, position=position))


def _history(*, maps: int = 3, emitted: tuple[int, ...] = (17_212, 16_882, 17_016)) -> JobHistory:
    def task(index: int) -> TaskHistory:
        name = _attempt("m", index)
        counters = Counters.of(
            [("org.apache.hadoop.mapreduce.TaskCounter", [("MAP_OUTPUT_RECORDS", emitted[index])])]
        )
        attempt = AttemptHistory(name, "map", 0, "SUCCEEDED", counters=counters)
        return TaskHistory("t", "map", index, successful_attempt=name, attempts=(attempt,))

    return JobHistory(
        format="avro-json",
        job_id=f"job_{JOB}",
        total_maps=maps,
        total_reduces=2,
        tasks=tuple(task(index) for index in range(3)),
    )


@pytest.fixture
def flow(tmp_path: Path) -> Dataflow:
    traces = [_map(i, tmp_path) for i in range(3)]
    traces += [_reduce(1, tmp_path, groups=[1, 2, 900], whole=False)]
    return build_dataflow(traces, history=_history())


def test_an_aggregated_partition_adds_up_what_every_mapper_left_for_it(flow: Dataflow) -> None:
    first, second = flow.partitions

    assert second.records == 8_653 + 8_882 + 9_016 == 26_551
    assert second.keys == 3_943 + 4_036 + 4_087
    assert second.raw_bytes == 265_510
    assert first.records == 24_559  # of a reducer that never ran
    assert flow.partitions_complete


def _map_output(index: int, tmp_path: Path, **lists: list[Any]) -> Trace:
    writer = EventWriter(_attempt("m", index))
    writer.add("map_output", partitions=lists, spills=1, combined=False).add("end", outcome="done")
    return read_trace(writer.write(tmp_path))


# (digest, records, bytes) of the largest key of one partition in each of three mappers
@pytest.mark.parametrize(
    ("told", "largest"),
    [
        # the same key in two of them: 30 + 50 records; the other is the largest of the third only
        ([("a", 30, 300), ("b", 60, 600), ("a", 50, 500)], KeyCount("a", 80, 800)),
        # by bytes, not by records
        ([("a", 90, 300), ("b", 60, 600), ("c", 50, 500)], KeyCount("b", 60, 600)),
        # a mapper without records of this partition has no key, and says so
        ([("a", 30, 300), ("0", 0, 0), ("0", 0, 0)], KeyCount("a", 30, 300)),
        ([("0", 0, 0), ("0", 0, 0), ("0", 0, 0)], KeyCount("0", 0, 0)),
        # a mapper with an older agent does not say
        ([("a", 30, 300), None, ("a", 50, 500)], None),
    ],
)
def test_the_largest_key_of_a_partition_adds_up_what_mappers_tell_of_the_same_key(
    told: list[tuple[str, int, int] | None], largest: KeyCount | None, tmp_path: Path
) -> None:
    names = ("largest_key_digest", "largest_key_records", "largest_key_bytes")
    traces = []
    for index, key in enumerate(told):
        lists: dict[str, list[Any]] = {"records": [100], "keys": [9], "raw_bytes": [1000]}
        if key is not None:
            lists.update({name: [value] for name, value in zip(names, key, strict=True)})
        traces.append(_map_output(index, tmp_path, **lists))

    (partition,) = build_dataflow(traces).partitions

    assert (partition.records, partition.maps) == (300, 3)
    assert partition.largest_key == largest


def _every_key(*partitions: list[tuple[str, int, int]]) -> dict[str, list[Any]]:
    """The lists of an output with these keys: (digest, records, bytes) of each, by partition."""
    keys = [key for partition in partitions for key in partition]
    return {
        "records": [sum(key[1] for key in partition) for partition in partitions],
        "keys": [len(partition) for partition in partitions],
        "raw_bytes": [sum(key[2] for key in partition) for partition in partitions],
        "every_key_digest": [key[0] for key in keys],
        "every_key_records": [key[1] for key in keys],
        "every_key_bytes": [key[2] for key in keys],
    }


def test_keys_that_every_mapper_tells_are_added_up_over_the_mappers(tmp_path: Path) -> None:
    traces = [
        _map_output(0, tmp_path, **_every_key([("a", 30, 300), ("b", 9, 90)], [("c", 7, 70)])),
        _map_output(1, tmp_path, **_every_key([], [("d", 2, 20)])),
        _map_output(2, tmp_path, **_every_key([("b", 40, 400)], [])),
    ]

    first, second = build_dataflow(traces).partitions

    assert first.every_key == (KeyCount("a", 30, 300), KeyCount("b", 49, 490))
    assert second.every_key == (KeyCount("c", 7, 70), KeyCount("d", 2, 20))
    assert (first.keys, second.keys) == (2, 2)  # not three: the same in two mappers is one
    assert (first.keys_in_one_map, second.keys_in_one_map) == (2, 2)
    assert first.largest_key == KeyCount("b", 49, 490)  # of the first mapper it is not the largest


@pytest.mark.parametrize("cut", ["all", "one"])
def test_of_one_mapper_that_does_not_tell_its_keys_none_are_known(cut: str, tmp_path: Path) -> None:
    lists = _every_key([("a", 30, 300), ("b", 9, 90)])
    for name in ("every_key_digest", "every_key_records", "every_key_bytes"):
        lists[name] = [] if cut == "all" else lists[name][:1]
    other = _map_output(1, tmp_path, **_every_key([("a", 5, 50)]))

    (partition,) = build_dataflow([_map_output(0, tmp_path, **lists), other]).partitions

    assert partition.every_key is None
    assert partition.keys == 3


def test_a_segment_carries_records_and_keys_of_its_mapper(flow: Dataflow) -> None:
    (reducer,) = (one for one in flow.reduces if one.index == 1)

    assert [(each.map_index, each.records, each.keys) for each in reducer.segments] == [
        (0, 8_653, 3_943),
        (1, 8_882, 4_036),
        (2, 9_016, 4_087),
    ]


@pytest.mark.parametrize(
    ("spill", "reason", "known"),
    [(0, "flush", True), (0, "record", True), (0, "full", False), (1, "flush", False)],
)
def test_the_only_spill_is_the_output_unless_there_must_have_been_another(
    spill: int, reason: str, known: bool, tmp_path: Path
) -> None:
    writer = EventWriter(_attempt("m", 0))
    lists = {"records": [3], "raw_bytes": [30]}
    writer.add("spill", spill=spill, edge="end", reason=reason, records_in=3, partitions=lists)
    writer.add("end", outcome="done")

    flow = build_dataflow([read_trace(writer.write(tmp_path))])

    assert [each.records for each in flow.partitions] == ([3] if known else [])


def test_a_map_task_that_is_missing_makes_the_partitions_incomplete(tmp_path: Path) -> None:
    flow = build_dataflow([_map(0, tmp_path), _map(1, tmp_path, done=False)], history=_history())

    assert not flow.partitions_complete
    assert flow.partitions[1].maps == 1
    assert flow.partitions[1].records == 8_653


def test_groups_of_all_reducers_merge_into_one_distribution(tmp_path: Path) -> None:
    traces = [
        _reduce(0, tmp_path, groups=[1, 1, 5], whole=True),
        _reduce(1, tmp_path, groups=[2, 900], whole=False),
    ]
    groups = [each.groups for each in build_dataflow(traces).reduces if each.groups]

    records, sizes, largest = merged_groups(groups)

    assert records is not None
    assert sizes is not None
    assert (records.count, records.sum, records.max) == (5, 909, 900)
    assert sizes.max == 7200
    assert [each.records for each in largest] == [900, 5]


def test_the_attempt_that_succeeded_stands_for_its_task(tmp_path: Path) -> None:
    failed = (
        EventWriter(_attempt("m", 0))
        .add("end", outcome="failed")
        .write(tmp_path, position={"phase": 3, "records_in": 99_999})
    )
    second = (
        EventWriter(_attempt("m", 0, 1))
        .add("end", outcome="done")
        .write(tmp_path, position={"phase": 12, "records_in": 5})
    )

    flow = build_dataflow([read_trace(failed), read_trace(second)])

    assert [each.attempt_id for each in flow.maps] == [_attempt("m", 0, 1)]


@pytest.mark.parametrize(
    ("slots", "method", "done"),
    [
        ({"phase": 3, "progress_ppm": 400_000, "bytes_in": 1, "split_length": 100},
         "progress of the record reader", 0.4),
        ({"phase": 3, "bytes_in": 25, "split_length": 100}, "bytes of the records read", 0.25),
        ({"phase": 10, "records_in": 7, "progress_ppm": 999_000},
         "the last record had been read", 1.0),
        ({"phase": 3, "combine_place": 1, "combine_records_in": 3, "combine_total": 12},
         "records of the combine pass", 0.25),
    ],
)  # fmt: skip
def test_progress_of_a_map_attempt_is_that_of_the_code_that_ran(
    slots: dict[str, int], method: str, done: float, tmp_path: Path
) -> None:
    trace = read_trace(EventWriter(_attempt("m", 0)).write(tmp_path, position=slots))

    progress = task_progress(trace, build_dataflow([trace]))

    assert progress is not None
    assert (progress.method, progress.done) == (method, pytest.approx(done))


def test_progress_of_map_stays_known_while_a_spill_combines(tmp_path: Path) -> None:
    slots = {"phase": 3, "combine_place": 1, "combine_total": -1, "progress_ppm": 700_000}
    trace = read_trace(EventWriter(_attempt("m", 0)).write(tmp_path, position=slots))

    assert task_progress(trace, build_dataflow([trace])) is None
    progress = map_progress(trace)
    assert progress is not None
    assert progress.done == 0.7


def test_progress_of_a_reduce_attempt_is_the_share_of_records_or_of_segments(
    tmp_path: Path,
) -> None:
    trace = _reduce(1, tmp_path, groups=[1], whole=False)
    flow = build_dataflow([trace], history=_history())
    shuffling = replace(
        trace,
        position=read_trace(
            EventWriter(_attempt("r", 0)).write(
                tmp_path, position={"phase": 6, "fetched_segments": 1}
            )
        ).position,
    )

    in_reduce, in_shuffle = task_progress(trace, flow), task_progress(shuffling, flow)

    assert in_reduce is not None
    assert in_shuffle is not None
    assert in_reduce.done == pytest.approx(8_497 / 16_995)
    assert in_shuffle.done == pytest.approx(1 / 3)


def test_without_a_position_progress_is_not_known(tmp_path: Path) -> None:
    trace = read_trace(EventWriter(_attempt("m", 0)).write(tmp_path))

    assert task_progress(trace, build_dataflow([trace])) is None


def test_the_failed_attempt_with_most_evidence_comes_first(tmp_path: Path) -> None:
    def failed(index: int, *, position: bool, message: str = "Java heap space") -> Trace:
        writer = EventWriter(_attempt("m", index)).add(
            "failure",
            class_="java.lang.OutOfMemoryError" if message else "java.lang.RuntimeException",
            message=message,
            stack=["a.B.map(B.java:1)"],
        )
        return read_trace(writer.write(tmp_path, position={"phase": 3} if position else None))

    traces = [
        failed(0, position=True, message=""),
        failed(4, position=True),
        failed(3, position=True),
        failed(1, position=False),
        _map(2, tmp_path),
    ]

    assert [each.index for each in failed_by_evidence(traces)] == [3, 4, 1, 0]
    ranked = failed_by_evidence(traces, dumps={_attempt("m", 1): 1})
    assert [each.index for each in ranked] == [1, 3, 4, 0]
    assert [each.index for each in one_per_task(ranked)] == [1, 3, 4, 0]


def test_the_history_knows_better_how_an_attempt_without_a_word_ended(tmp_path: Path) -> None:
    trace = read_trace(EventWriter(_attempt("m", 0)).write(tmp_path, position={"phase": 3}))
    killed = AttemptHistory(
        _attempt("m", 0),
        "map",
        0,
        "FAILED",
        "Container is running beyond physical memory limits. Exit code is 143",
    )
    history = replace(_history(), tasks=(TaskHistory("t", "map", 0, attempts=(killed,)),))

    (traced,) = with_history([trace], history)

    assert trace.death.kind == "none"
    assert traced.death.kind == "container-physical"


def test_the_numbers_of_table_4_of_the_paper_are_in_the_model(flow: Dataflow) -> None:
    mapped, reduced = flow.maps[0], flow.reduces[-1]

    assert mapped.output is not None
    assert (mapped.output.records[1], mapped.output.keys[1]) == (8_653, 3_943)
    assert (1, 8_882, 4_036) in [(one.map_index, one.records, one.keys) for one in reduced.segments]
    assert reduced.index == 1
    assert reduced.groups is not None
    assert not reduced.groups.whole


def test_the_total_of_a_reducer_is_what_the_maps_left_unless_it_was_combined(
    tmp_path: Path,
) -> None:
    maps = [_map(i, tmp_path) for i in range(3)]

    def at(*, combined: bool) -> Trace:
        writer = EventWriter(_attempt("r", 1))
        writer.add("shuffle_merge", kind="memory", edge="end", combined=combined)
        folder = tmp_path / str(combined)
        return read_trace(writer.write(folder, position={"phase": 9, "records_in": 2_655}))

    plain = task_progress(at(combined=False), build_dataflow(maps, history=_history()))

    assert plain is not None
    assert plain.done == pytest.approx(0.1, abs=1e-4)
    assert task_progress(at(combined=True), build_dataflow(maps, history=_history())) is None


@pytest.mark.parametrize(
    ("slots", "place"),
    [
        ({"phase": 1}, "init"),
        ({"phase": 4}, "sort"),
        ({"phase": 8}, "setup"),
        ({"phase": 6, "combine_place": 3}, "combine"),
        ({"phase": 6, "combine_place": 0}, "shuffle"),
        ({"phase": 12}, None),
        (None, None),
    ],
)
def test_the_place_is_that_of_the_position_where_the_failure_names_none(
    slots: dict[str, int] | None, place: str | None, tmp_path: Path
) -> None:
    trace = read_trace(EventWriter(_attempt("r", 0)).write(tmp_path, position=slots))

    assert trace.place == place


def test_of_attempts_that_all_failed_the_one_that_came_furthest_stands_for_the_task(
    tmp_path: Path,
) -> None:
    traces = [
        read_trace(
            EventWriter(_attempt("m", 0, number)).write(tmp_path, position={"records_in": records})
        )
        for number, records in ((0, 50), (1, 70), (2, 60))
    ]

    (task,) = build_dataflow(traces).maps

    assert task.attempt_id == _attempt("m", 0, 1)


def test_among_equals_the_failed_attempt_with_a_stack_comes_first(tmp_path: Path) -> None:
    traces = []
    for index, stack in ((1, []), (5, ["a.B.map(B.java:1)"])):
        writer = EventWriter(_attempt("m", index)).add(
            "failure", class_="java.lang.OutOfMemoryError", message="Java heap space", stack=stack
        )
        traces.append(read_trace(writer.write(tmp_path)))

    assert [each.index for each in failed_by_evidence(traces)] == [5, 1]


def test_an_attempt_that_was_killed_because_another_had_succeeded_did_not_fail(
    tmp_path: Path,
) -> None:
    first, second, alone = _attempt("r", 1), _attempt("r", 1, 1), _attempt("r", 2)
    traces = [
        read_trace(EventWriter(name).write(tmp_path / name, position={"phase": 1}))
        for name in (first, second, alone)
    ]
    tasks = (
        TaskHistory(
            "r1",
            "reduce",
            1,
            attempts=(
                AttemptHistory(first, "reduce", 1, "SUCCEEDED", None),
                AttemptHistory(second, "reduce", 1, "KILLED", f"Speculation: {first} succeeded"),
            ),
        ),
        TaskHistory(
            "r2",
            "reduce",
            2,
            attempts=(AttemptHistory(alone, "reduce", 2, "KILLED", "killed by a user"),),
        ),
    )

    traced = with_history(traces, replace(_history(), tasks=tasks))

    assert [each.failed for each in traced] == [False, True, True]
    assert [each.attempt_id for each in failed_by_evidence(traced)] == [alone]
