"""Objects of Hadoop's classes that user code keeps, user objects that Hadoop's keep, and streams.

Each dump holds one array of BYTES, in a task that stands in user code.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.hprof_builder import Builder, FrameSpec

from mprof.engines import MAPREDUCE, UserClasses
from mprof.objects import HeapObjects, Holder, SnapshotPoint, read_objects

BYTES = 2_000_000
REDUCER, MAPPER = "org.apache.hadoop.mapreduce.Reducer", "org.apache.hadoop.mapreduce.Mapper"
OUTPUTS = "org.apache.hadoop.mapreduce.lib.output.MultipleOutputs"
LINES = "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat$LineRecordWriter"
WRITER = "org.apache.hadoop.mapreduce.RecordWriter"
COLLECTOR = "org.apache.hadoop.mapred.MapTask$NewDirectOutputCollector"


def frame(place: str, *held: int, line: int = 7) -> FrameSpec:
    class_name, _, method = place.rpartition(".")
    return FrameSpec(class_name, method, "A.java", line, held)


def read(builder: Builder, folder: Path) -> HeapObjects:
    path = folder / "oom.hprof"
    path.write_bytes(builder.build())
    point = SnapshotPoint(name="oom", at_death=True)
    return read_objects(path, user_classes=UserClasses(MAPREDUCE), point=point)


def largest(objects: HeapObjects) -> Holder:
    found = max(objects.holders, key=lambda one: one.bytes)
    assert found.bytes >= BYTES
    return found


@pytest.fixture
def builder() -> Builder:
    made = Builder()
    for name in (
        REDUCER,
        MAPPER,
        WRITER,
        "org.apache.hadoop.mapred.ReduceTask",
        "java.util.ArrayList",
    ):
        made.class_(name)
    made.class_("org.apache.hadoop.mapred.MapTask")
    return made


def reduce_of(builder: Builder, writers: int, *elsewhere: int) -> None:
    """A reducer whose field holds MultipleOutputs, and frames that hold it and others."""
    builder.class_(OUTPUTS, fields={"recordWriters": "object"})
    builder.class_("x.Fan", above=REDUCER, fields={"outputs": "object"})
    builder.class_("x.Job")
    outputs = builder.instance(OUTPUTS, recordWriters=writers)
    fan = builder.instance("x.Fan", outputs=outputs)
    places = [
        frame("x.Fan.reduce", fan),
        frame(f"{REDUCER}.run", fan),
        frame("org.apache.hadoop.mapred.ReduceTask.runNewReducer", *elsewhere),
        frame("org.apache.hadoop.mapred.ReduceTask.run"),
    ]
    builder.thread("main", places)


def line_writer(builder: Builder) -> int:
    builder.class_(LINES, above=WRITER, fields={"buffer": "object"})
    buffer = builder.primitives("byte", [0] * BYTES)
    return builder.instance(LINES, buffer=buffer)


def test_what_writers_keep_is_theirs_though_only_a_field_of_the_reducer_holds_them(
    builder: Builder, tmp_path: Path
) -> None:
    # Fan.outputs -> MultipleOutputs -> LineRecordWriter[] -> LineRecordWriter -> 2 MB
    reduce_of(builder, builder.array(LINES, [line_writer(builder)]))

    found = largest(read(builder, tmp_path))

    assert (str(found.key), found.owner, found.lifecycle) == (
        f"writer {LINES}.buffer",
        "writer",
        "reduce",
    )
    assert found.field_path == f"{LINES}.buffer"


def test_what_a_writer_keeps_is_its_own_whoever_else_holds_the_writer(
    builder: Builder, tmp_path: Path
) -> None:
    # the task's own frame has the same writer
    writer = line_writer(builder)
    reduce_of(builder, builder.array(LINES, [writer]), writer)

    objects = read(builder, tmp_path)

    assert objects.bytes_of("writer") >= BYTES
    assert objects.bytes_of("user") + objects.bytes_of("framework") < BYTES


def test_what_the_jobs_record_writer_keeps_is_kept_for_the_whole_task(
    builder: Builder, tmp_path: Path
) -> None:
    # MapTask holds the collector and that the writer, which compiled code dropped from its frame
    builder.class_("java.util.TreeMap", fields={"root": "object"})
    builder.class_("x.Sorted", fields={"rows": "object"})
    builder.class_(COLLECTOR, fields={"out": "object"})
    rows = builder.instance("java.util.TreeMap", root=builder.primitives("byte", [0] * BYTES))
    out = builder.instance("x.Sorted", rows=rows)
    collector = builder.instance(COLLECTOR, out=out)
    builder.class_("x.Words", above=MAPPER)
    words = builder.instance("x.Words")
    places = [
        frame("java.util.TreeMap.put", rows),
        frame("x.Sorted.write", line=28),
        frame(f"{COLLECTOR}.write", collector),
        frame("x.Words.map", words),
        frame(f"{MAPPER}.run", words),
        frame("org.apache.hadoop.mapred.MapTask.runNewMapper"),
        frame("org.apache.hadoop.mapred.MapTask.run"),
    ]
    builder.thread("main", places)

    found = largest(read(builder, tmp_path))

    assert (str(found.key), found.owner) == ("writer x.Sorted.rows", "writer")
    assert found.lifecycle == "map"
    assert found.site is not None
    assert (found.site.class_name, found.site.method, found.site.line) == ("x.Sorted", "write", 28)


@pytest.mark.parametrize("compiled", [False, True])
def test_what_a_stream_collects_is_named_alike_whether_or_not_its_stages_are_locals(
    builder: Builder, tmp_path: Path, compiled: bool
) -> None:
    # interpreted frames hold the stage that they are methods of, compiled ones have dropped it
    stage, sink = "java.util.stream.ReferencePipeline$2", "java.util.stream.ReduceOps$3ReducingSink"
    builder.class_(stage)
    builder.class_(sink, fields={"state": "object"})
    state = builder.array("java.lang.Object", [builder.primitives("byte", [0] * BYTES)])
    collected = builder.instance(sink, state=state)
    stages = [] if compiled else [builder.instance(stage)]
    builder.class_("x.All", above=REDUCER)
    reducer = builder.instance("x.All")
    places = [
        frame(f"{stage}.copyInto", *stages, collected),
        frame(f"{stage}.collect", *stages),
        frame("x.All.reduce", reducer),
        frame(f"{REDUCER}.run", reducer),
        frame("org.apache.hadoop.mapred.ReduceTask.runNewReducer"),
        frame("org.apache.hadoop.mapred.ReduceTask.run"),
    ]
    builder.thread("main", places)

    found = largest(read(builder, tmp_path))

    assert str(found.key) == f"local x.All.reduce {sink}"
    assert found.field_path == f"local {sink}.state"


def test_the_queue_of_a_pool_is_not_mistaken_for_its_workers_which_know_the_pool(
    builder: Builder, tmp_path: Path
) -> None:
    # Words.pool -> workers -> Worker -> (this$0) the pool again -> workQueue -> 2 MB
    pool, queue = "java.util.concurrent.ThreadPoolExecutor", "java.util.concurrent.SynchronousQueue"
    worker = f"{pool}$Worker"
    builder.class_(pool, fields={"workers": "object", "workQueue": "object"})
    builder.class_(worker, fields={"this$0": "object"})
    builder.class_(queue, fields={"first": "object"})
    builder.class_("x.Words", above=MAPPER, fields={"pool": "object"})
    tasks = builder.instance(queue, first=builder.primitives("byte", [0] * BYTES))
    executor = builder.instance(pool, workQueue=tasks)
    builder.set(
        executor, workers=builder.array(worker, [builder.instance(worker, **{"this$0": executor})])
    )
    words = builder.instance("x.Words", pool=executor)
    places = [
        frame("x.Words.map", words),
        frame(f"{MAPPER}.run", words),
        frame("org.apache.hadoop.mapred.MapTask.runNewMapper"),
        frame("org.apache.hadoop.mapred.MapTask.run"),
    ]
    builder.thread("main", places)

    found = largest(read(builder, tmp_path))

    assert found.field_path is not None
    assert found.field_path.startswith("this.pool.workQueue")


def test_a_mapper_that_a_reduce_task_runs_in_a_chain_lives_as_long_as_that_task(
    builder: Builder, tmp_path: Path
) -> None:
    # ChainReducer: the reducer's output goes to a mapper that works in a thread of its own
    builder.class_("x.After", above=MAPPER, fields={"index": "object"})
    after = builder.instance("x.After", index=builder.primitives("byte", [0] * BYTES))
    builder.class_("x.Pass", above=REDUCER)
    builder.thread(
        "Thread-7",
        [
            frame("x.After.map", after),
            frame(f"{MAPPER}.run", after),
            frame("org.apache.hadoop.mapreduce.lib.chain.Chain$MapRunner.run"),
        ],
    )
    places = ["ReduceTask.runNewReducer", "ReduceTask.run"]
    builder.thread("main", [frame(f"org.apache.hadoop.mapred.{each}") for each in places])

    objects = read(builder, tmp_path)

    found = largest(objects)
    assert (str(found.key), found.lifecycle) == ("field x.After.index", "reduce")
    assert objects.side == "reduce"
