"""What record writers keep, on heaps built by hand: a batch of rows, whoever wrote the writer."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.death_dumps import largest_holder, objects_at_death
from builders.hprof_builder import Builder, FrameSpec

from mprof.code_site import CodeSite
from mprof.objects import path_in_words

ROWS, ROW_BYTES = 300, 4096
BYTES = ROWS * ROW_BYTES
HADOOP = "org.apache.hadoop."
REDUCER, MAPPER = f"{HADOOP}mapreduce.Reducer", f"{HADOOP}mapreduce.Mapper"
WRITER = f"{HADOOP}mapreduce.RecordWriter"
TRACKING = f"{HADOOP}mapred.ReduceTask$NewTrackingRecordWriter"
DATABASE = f"{HADOOP}mapreduce.lib.db.DBOutputFormat$DBRecordWriter"


@pytest.fixture
def builder() -> Builder:
    made = Builder()
    for name in (REDUCER, MAPPER, WRITER, "java.io.OutputStream"):
        made.class_(name)
    made.class_("java.util.ArrayList", fields={"elementData": "object", "size": "int"})
    made.class_(TRACKING, above=WRITER, fields={"real": "object"})
    made.class_("x.Fan", above=REDUCER, fields={"kept": "object"})
    return made


def rows(builder: Builder) -> int:
    """An ArrayList of ROWS arrays of ROW_BYTES each."""
    made = [builder.primitives("byte", bytes(ROW_BYTES)) for _ in range(ROWS)]
    elements = builder.array("java.lang.Object", made)
    return builder.instance("java.util.ArrayList", elementData=elements, size=ROWS)


def frame(place: str, *held: int, line: int = 7) -> FrameSpec:
    class_name, _, method = place.rpartition(".")
    return FrameSpec(class_name, method, "A.java", line, held)


def reduce_task(builder: Builder, *above: FrameSpec, fan: int) -> None:
    """The stack of a reduce task; the frames given stand above Fan.reduce()."""
    below = [
        frame("x.Fan.reduce", fan, line=11),
        frame(f"{REDUCER}.run", fan),
        frame(f"{HADOOP}mapred.ReduceTask.runNewReducer"),
        frame(f"{HADOOP}mapred.ReduceTask.run"),
    ]
    builder.thread("main", [*above, *below])


@pytest.mark.parametrize("died", ["main", "communication thread"])
def test_the_batch_of_a_database_writer_of_hadoops_is_the_writers_and_the_reducer_emits_it(
    builder: Builder, tmp_path: Path, died: str
) -> None:
    # NewTrackingRecordWriter.real -> DBRecordWriter.statement -> driver's Batch.rows -> 300 rows
    builder.class_(DATABASE, above=WRITER, fields={"statement": "object"})
    builder.class_("com.driver.Batch", fields={"rows": "object"})
    batch = builder.instance("com.driver.Batch", rows=rows(builder))
    tracking = builder.instance(TRACKING, real=builder.instance(DATABASE, statement=batch))
    builder.class_("java.lang.OutOfMemoryError")
    oom = frame("java.lang.OutOfMemoryError.<init>")
    builder.thread("communication thread", [oom] if died != "main" else [])
    reduce_task(
        builder,
        *((oom,) if died == "main" else ()),
        frame("com.driver.Batch.set", batch),
        frame("x.Row.write", batch),
        frame(f"{DATABASE}.write"),
        frame(f"{TRACKING}.write", tracking),
        fan=builder.instance("x.Fan"),
    )

    objects = objects_at_death(builder, tmp_path)

    found = largest_holder(objects, BYTES)
    assert (found.owner, found.lifecycle) == ("writer", "reduce")
    assert str(found.key) == f"writer {DATABASE}.statement.rows"
    assert found.site == CodeSite("x.Fan", "reduce", "A.java", 11)
    assert (found.class_name, found.length, found.element_class) == (
        "java.util.ArrayList",
        ROWS,
        "byte[]",
    )
    assert objects.bytes_of("user") + objects.bytes_of("serialization") < ROW_BYTES


def test_a_writer_of_a_library_is_blamed_on_the_frame_that_emits(
    builder: Builder, tmp_path: Path
) -> None:
    # ParquetRecordWriter -> InternalParquetRecordWriter -> ColumnWriteStore -> long[][]
    parquet = "org.apache.parquet.hadoop.ParquetRecordWriter"
    internal = "org.apache.parquet.hadoop.InternalParquetRecordWriter"
    store = "org.apache.parquet.column.impl.ColumnWriteStoreV1"
    builder.class_(parquet, above=WRITER, fields={"internalWriter": "object"})
    builder.class_(internal, fields={"columnStore": "object"})
    builder.class_(store, fields={"columns": "object"})
    columns = [builder.primitives("long", [0] * (BYTES // 8)) for _ in range(3)]
    kept = builder.instance(store, columns=builder.array("long[]", columns))
    writer = builder.instance(parquet, internalWriter=builder.instance(internal, columnStore=kept))
    reduce_task(
        builder,
        frame(f"{store}.write", kept),
        frame(f"{parquet}.write", writer),
        frame(f"{TRACKING}.write", builder.instance(TRACKING, real=writer)),
        fan=builder.instance("x.Fan"),
    )

    found = largest_holder(objects_at_death(builder, tmp_path), BYTES)

    assert (found.owner, str(found.key)) == ("writer", f"writer {parquet}.internalWriter")
    assert found.field_path == f"{parquet}.internalWriter.columnStore.columns"
    assert found.bytes // BYTES == 3
    assert found.site == CodeSite("x.Fan", "reduce", "A.java", 11)


@pytest.mark.parametrize("at_work", [True, False])
def test_a_writer_of_the_users_names_its_own_line_where_it_is_at_work_else_its_method(
    builder: Builder, tmp_path: Path, at_work: bool
) -> None:
    builder.class_("x.Batching", above=WRITER, fields={"batch": "object"})
    writer = builder.instance("x.Batching", batch=rows(builder))
    tracking = builder.instance(TRACKING, real=writer)
    writing = (frame("x.Batching.write", writer, line=28), frame(f"{TRACKING}.write", tracking))
    fan = builder.instance("x.Fan")
    builder.root(0x01, tracking)  # the reducer's context has it
    reduce_task(builder, *(writing if at_work else ()), fan=fan)

    found = largest_holder(objects_at_death(builder, tmp_path), BYTES)

    assert (str(found.key), found.owner) == ("writer x.Batching.batch", "writer")
    assert path_in_words(found) == "this.batch (Batching.batch)"
    line = ("A.java", 28) if at_work else (None, None)
    assert found.site == CodeSite("x.Batching", "write", *line)


def test_what_only_a_writer_keeps_is_its_own_though_a_field_of_the_reducer_leads_to_it(
    builder: Builder, tmp_path: Path
) -> None:
    # Fan.kept -> MultipleOutputs -> array of writers, one of the user's and one that wraps another
    outputs = f"{HADOOP}mapreduce.lib.output.MultipleOutputs"
    counting = f"{outputs}$RecordWriterWithCounter"
    builder.class_(outputs, fields={"recordWriters": "object"})
    builder.class_(counting, above=WRITER, fields={"writer": "object"})
    builder.class_("x.Batching", above=WRITER, fields={"batch": "object"})
    inner = builder.instance("x.Batching", batch=rows(builder))
    one = builder.instance("x.Batching", batch=rows(builder))
    writers = builder.array(WRITER, [builder.instance(counting, writer=inner), one])
    fan = builder.instance("x.Fan", kept=builder.instance(outputs, recordWriters=writers))
    reduce_task(builder, fan=fan)

    objects = objects_at_death(builder, tmp_path)

    found = largest_holder(objects, BYTES)
    assert (str(found.key), found.lifecycle) == ("writer x.Batching.batch", "reduce")
    assert found.bytes // BYTES == 2
    assert objects.bytes_of("user") < ROW_BYTES


def test_many_writers_of_one_class_are_one_holder_that_counts_them(
    builder: Builder, tmp_path: Path
) -> None:
    # MultipleOutputs with a file for each key: what a stream of each buffers adds up
    lines = f"{HADOOP}mapreduce.lib.output.TextOutputFormat$LineRecordWriter"
    stream = f"{HADOOP}fs.FSDataOutputStream"
    builder.class_(lines, above=WRITER, fields={"out": "object"})
    builder.class_(stream, above="java.io.OutputStream", fields={"buf": "object"})
    writers = []
    for _ in range(ROWS):
        out = builder.instance(stream, buf=builder.primitives("byte", bytes(ROW_BYTES)))
        writers.append(builder.instance(lines, out=out))
    fan = builder.instance("x.Fan", kept=builder.array(WRITER, writers))
    reduce_task(builder, fan=fan)

    found = largest_holder(objects_at_death(builder, tmp_path), BYTES)

    assert (str(found.key), found.owner) == (f"writer {lines}.out", "writer")
    assert (found.length, found.element_class) == (ROWS, lines)
    kept_by = "the set of open TextOutputFormat.LineRecordWriter objects kept by field Fan.kept"
    assert path_in_words(found) == kept_by


def test_what_the_output_format_around_a_writer_keeps_is_the_writers(
    builder: Builder, tmp_path: Path
) -> None:
    # an inner class of the output format, whose field has the rows
    builder.class_("x.Format", fields={"batch": "object"})
    builder.class_("x.Format$1", above=WRITER, fields={"this$0": "object"})
    around = builder.instance("x.Format", batch=rows(builder))
    writer = builder.instance("x.Format$1", **{"this$0": around})
    builder.root(0x01, builder.instance(TRACKING, real=writer))
    reduce_task(builder, fan=builder.instance("x.Fan"))

    found = largest_holder(objects_at_death(builder, tmp_path), BYTES)

    assert (str(found.key), found.owner) == ("writer x.Format$1.this$0.batch", "writer")


def test_what_a_field_of_the_reducer_keeps_too_is_the_reducers(
    builder: Builder, tmp_path: Path
) -> None:
    builder.class_("x.Batching", above=WRITER, fields={"batch": "object"})
    shared = rows(builder)
    builder.root(0x01, builder.instance("x.Batching", batch=shared))
    reduce_task(builder, fan=builder.instance("x.Fan", kept=shared))

    found = largest_holder(objects_at_death(builder, tmp_path), BYTES)

    assert (str(found.key), found.owner) == ("field x.Fan.kept", "user")


def test_a_writer_of_the_old_api_is_told_by_the_field_that_holds_it(
    builder: Builder, tmp_path: Path
) -> None:
    # RecordWriter is an interface there: nothing of it is in a dump
    tracking = f"{HADOOP}mapred.ReduceTask$OldTrackingRecordWriter"
    builder.class_(tracking, fields={"real": "object"})
    builder.class_("x.Rows", fields={"batch": "object"})
    writer = builder.instance("x.Rows", batch=rows(builder))
    builder.root(0x01, builder.instance(tracking, real=writer))
    reduce_task(builder, fan=builder.instance("x.Fan"))

    found = largest_holder(objects_at_death(builder, tmp_path), BYTES)

    assert (str(found.key), found.owner) == ("writer x.Rows.batch", "writer")


def test_the_writers_that_hive_keeps_for_the_partitions_of_a_table_are_told_by_their_field(
    builder: Builder, tmp_path: Path
) -> None:
    # Fan.kept -> FSPaths.outWriters -> array -> two writers of an interface, and room for more
    paths = f"{HADOOP}hive.ql.exec.FileSinkOperator$FSPaths"
    columns = f"{HADOOP}hive.ql.io.orc.OrcOutputFormat$OrcRecordWriter"
    builder.class_(paths, fields={"outWriters": "object"})
    builder.class_(columns, fields={"writer": "object"})
    writers = [builder.instance(columns, writer=rows(builder)) for _ in range(2)]
    kept = builder.array("x.Writer", [*writers, 0])
    reduce_task(
        builder, fan=builder.instance("x.Fan", kept=builder.instance(paths, outWriters=kept))
    )

    found = largest_holder(objects_at_death(builder, tmp_path), BYTES)

    assert (str(found.key), found.owner) == (f"writer {columns}.writer", "writer")
    assert (found.length, found.bytes // BYTES) == (2, 2)


def test_a_container_of_a_writer_that_is_being_enlarged_is_doubling(
    builder: Builder, tmp_path: Path
) -> None:
    builder.class_("x.Batching", above=WRITER, fields={"batch": "object"})
    batch = rows(builder)
    writer = builder.instance("x.Batching", batch=batch)
    enlarged = builder.array("java.lang.Object", [0] * BYTES)
    reduce_task(
        builder,
        frame("java.util.Arrays.copyOf", enlarged),
        frame("java.util.ArrayList.grow", batch),
        frame("x.Batching.write", writer),
        frame(f"{TRACKING}.write", builder.instance(TRACKING, real=writer)),
        fan=builder.instance("x.Fan"),
    )

    objects = objects_at_death(builder, tmp_path)

    found = largest_holder(objects, BYTES)
    assert (str(found.key), found.doubling) == ("writer x.Batching.batch", True)
    assert found.bytes >= builder.sizes[enlarged] + BYTES
    assert objects.bytes_of("user") < ROW_BYTES


def test_what_goes_to_the_sort_is_no_writers(builder: Builder, tmp_path: Path) -> None:
    # NewOutputCollector is a RecordWriter, too; its collector has the sort buffer
    collector = f"{HADOOP}mapred.MapTask$NewOutputCollector"
    buffer = f"{HADOOP}mapred.MapTask$MapOutputBuffer"
    builder.class_(collector, above=WRITER, fields={"collector": "object"})
    builder.class_(buffer, fields={"kvbuffer": "object"})
    builder.class_("x.Words", above=MAPPER)
    words = builder.instance("x.Words")
    kept = builder.instance(buffer, kvbuffer=builder.primitives("byte", bytes(BYTES)))
    made = builder.instance(collector, collector=kept)
    emitted = builder.primitives("byte", bytes(2 * BYTES))
    places = [
        frame(f"{buffer}.collect", kept, emitted),
        frame(f"{collector}.write", made),
        frame("x.Words.map", words),
        frame(f"{MAPPER}.run", words),
        frame(f"{HADOOP}mapred.MapTask.runNewMapper"),
        frame(f"{HADOOP}mapred.MapTask.run"),
    ]
    builder.thread("main", places)

    objects = objects_at_death(builder, tmp_path)

    assert objects.bytes_of("writer") == 0
    assert objects.part("sort_buffer").bytes >= BYTES
    assert objects.bytes_of("record_being_written") >= 2 * BYTES


def test_the_stream_of_the_tasks_line_writer_is_a_buffer(builder: Builder, tmp_path: Path) -> None:
    lines = f"{HADOOP}mapreduce.lib.output.TextOutputFormat$LineRecordWriter"
    stream = f"{HADOOP}fs.FSDataOutputStream"
    builder.class_(lines, above=WRITER, fields={"out": "object"})
    builder.class_(stream, above="java.io.OutputStream", fields={"buf": "object"})
    out = builder.instance(stream, buf=builder.primitives("byte", bytes(BYTES)))
    builder.root(0x01, builder.instance(TRACKING, real=builder.instance(lines, out=out)))
    reduce_task(builder, fan=builder.instance("x.Fan"))

    objects = objects_at_death(builder, tmp_path)

    assert objects.bytes_of("serialization") >= BYTES
    assert objects.bytes_of("writer") < ROW_BYTES
