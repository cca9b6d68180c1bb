"""What record readers have read ahead, on heaps built by hand, and what is one record."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.death_dumps import largest_holder, objects_at_death
from builders.hprof_builder import Builder, FrameSpec

from mprof.objects import path_in_words

RECORDS, RECORD_BYTES = 300, 4096
BYTES = RECORDS * RECORD_BYTES
HADOOP = "org.apache.hadoop."
MAPPER, READER = f"{HADOOP}mapreduce.Mapper", f"{HADOOP}mapreduce.RecordReader"
TRACKING = f"{HADOOP}mapred.MapTask$NewTrackingRecordReader"
DATABASE = f"{HADOOP}mapreduce.lib.db.DBRecordReader"
LIST = "java.util.ArrayList"


@pytest.fixture
def builder() -> Builder:
    made = Builder()
    for name in (MAPPER, READER):
        made.class_(name)
    made.class_(LIST, fields={"elementData": "object", "size": "int"})
    made.class_(TRACKING, above=READER, fields={"real": "object"})
    made.class_("x.Blocks", above=READER, fields={"block": "object", "value": "object"})
    made.class_("x.Words", above=MAPPER)
    return made


def list_of(builder: Builder, count: int, size: int = RECORD_BYTES) -> int:
    elements = [builder.primitives("byte", bytes(size)) for _ in range(count)]
    data = builder.array("java.lang.Object", elements)
    return builder.instance(LIST, elementData=data, size=count)


def frame(place: str, *held: int) -> FrameSpec:
    class_name, _, method = place.rpartition(".")
    return FrameSpec(class_name, method, "A.java", 7, held)


def map_task(builder: Builder, *above: FrameSpec) -> None:
    below = [
        frame(f"{MAPPER}.run"),
        frame(f"{HADOOP}mapred.MapTask.runNewMapper"),
        frame(f"{HADOOP}mapred.MapTask.run"),
    ]
    builder.thread("main", [*above, *below])


def reading(
    builder: Builder, reader: int, class_name: str, *above: FrameSpec, held: int = 0
) -> None:
    """A map task whose reader reads: the frames given stand above its nextKeyValue()."""
    locals_ = (reader, held) if held else (reader,)
    map_task(
        builder,
        *above,
        frame(f"{class_name}.nextKeyValue", *locals_),
        frame(f"{TRACKING}.nextKeyValue", builder.instance(TRACKING, real=reader)),
    )


def at_work(builder: Builder, reader: int, *handed: int) -> None:
    """A map task in map(), which has been handed what is given."""
    builder.root(0x01, builder.instance(TRACKING, real=reader))
    map_task(builder, frame("x.Words.map", builder.instance("x.Words"), *handed))


def test_a_block_of_records_is_the_readers_while_map_works_on_one_of_them(
    builder: Builder, tmp_path: Path
) -> None:
    value = builder.primitives("byte", bytes(2 * RECORD_BYTES))
    reader = builder.instance("x.Blocks", block=list_of(builder, RECORDS), value=value)
    at_work(builder, reader, value)

    objects = objects_at_death(builder, tmp_path)

    found = largest_holder(objects, BYTES)
    assert (str(found.key), found.owner, found.lifecycle) == (
        "reader x.Blocks.block",
        "reader",
        "map",
    )
    assert (found.class_name, found.length, found.element_class) == (LIST, RECORDS, "byte[]")
    assert builder.sizes[value] <= objects.bytes_of("record_in_flight") < 3 * RECORD_BYTES
    assert objects.bytes_of("user") < RECORD_BYTES


def test_a_collection_that_map_was_handed_is_one_record(builder: Builder, tmp_path: Path) -> None:
    whole = list_of(builder, RECORDS)
    at_work(builder, builder.instance("x.Blocks", block=whole), whole)

    objects = objects_at_death(builder, tmp_path)

    assert objects.bytes_of("reader") == 0
    assert objects.bytes_of("record_in_flight") >= BYTES


@pytest.mark.parametrize("name", ["values", "blocks"])
def test_an_iterator_over_a_block_leads_to_it_whatever_the_name_of_its_field(
    builder: Builder, tmp_path: Path, name: str
) -> None:
    builder.class_(f"{LIST}$Itr", fields={"this$0": "object"})
    builder.class_("x.Ahead", above=READER, fields={name: "object"})
    iterator = builder.instance(f"{LIST}$Itr", **{"this$0": list_of(builder, RECORDS)})
    at_work(builder, builder.instance("x.Ahead", **{name: iterator}))

    found = largest_holder(objects_at_death(builder, tmp_path), BYTES)

    assert (str(found.key), found.owner, found.length) == (
        f"reader x.Ahead.{name}",
        "reader",
        RECORDS,
    )


@pytest.mark.parametrize(("name", "count"), [("value", RECORDS), ("block", 50)])
def test_a_value_and_a_collection_of_some_dozens_are_one_record(
    builder: Builder, tmp_path: Path, name: str, count: int
) -> None:
    kept = list_of(builder, count, BYTES // count + 100)
    at_work(builder, builder.instance("x.Blocks", **{name: kept}))

    objects = objects_at_death(builder, tmp_path)

    assert objects.bytes_of("reader") == 0
    assert objects.bytes_of("record_in_flight") >= BYTES


@pytest.mark.parametrize("in_helper", [True, False])
def test_a_block_that_is_being_decoded_is_the_readers_and_blamed_on_what_decodes_it(
    builder: Builder, tmp_path: Path, in_helper: bool
) -> None:
    # the JDK is enlarging the list: two arrays, one of which only its own frame holds
    block, enlarged = list_of(builder, RECORDS), builder.array("java.lang.Object", [0] * BYTES)
    growing = [frame("java.util.Arrays.copyOf", enlarged), frame(f"{LIST}.grow", block)]
    reader = builder.instance("x.Blocks")
    if in_helper:
        reading(builder, reader, "x.Blocks", *growing, frame("x.Blocks.decode", reader, block))
    else:
        reading(builder, reader, "x.Blocks", *growing, held=block)

    objects = objects_at_death(builder, tmp_path)

    found = largest_holder(objects, BYTES)
    method = "decode" if in_helper else "nextKeyValue"
    assert (str(found.key), found.owner) == (f"reader x.Blocks.{method} {LIST}", "reader")
    assert path_in_words(found) == f"local ArrayList of Blocks.{method}()"
    assert found.site is not None
    assert (found.site.class_name, found.site.method) == ("x.Blocks", method)
    assert found.doubling is True
    decoding = next(each for each in objects.frames if each.method == method)
    assert decoding.user_bytes is not None
    assert decoding.user_bytes >= BYTES
    assert found.bytes >= builder.sizes[enlarged] + BYTES
    assert objects.bytes_of("user") < RECORD_BYTES


def test_a_block_in_a_list_that_compiled_code_took_apart_is_the_readers(
    builder: Builder, tmp_path: Path
) -> None:
    # no root leads to the array, as long as ArrayList makes them; nobody but the reader is at work
    records = [builder.primitives("byte", bytes(4 * RECORD_BYTES)) for _ in range(RECORDS)]
    builder.array("java.lang.Object", records + [0] * (1851 - RECORDS))
    builder.class_("java.lang.OutOfMemoryError")
    oom = frame("java.lang.OutOfMemoryError.<init>")
    reading(
        builder, builder.instance("x.Blocks"), "x.Blocks",
        oom, frame("java.lang.String.<init>"), frame("x.Blocks.decode"),
    )  # fmt: skip

    objects = objects_at_death(builder, tmp_path)

    found = largest_holder(objects, BYTES)
    assert (str(found.key), found.owner) == (f"reader x.Blocks.nextKeyValue {LIST}", "reader")
    assert (found.length, found.bytes // BYTES) == (RECORDS, 4)
    assert any("scalar-replaced" in loss for loss in objects.losses)


def test_what_the_readfields_of_one_record_fills_is_that_record(
    builder: Builder, tmp_path: Path
) -> None:
    # SequenceFile.Reader deserialises an x.Row, whose readFields() and its helper fill a list
    sequence = f"{HADOOP}mapreduce.lib.input.SequenceFileRecordReader"
    builder.class_(sequence, above=READER)
    kept = list_of(builder, RECORDS)
    reading(
        builder,
        builder.instance(sequence),
        sequence,
        frame(f"{LIST}.add", kept),
        frame("x.Row.cells", kept),
        frame("x.Row.readFields"),
        frame(f"{HADOOP}io.serializer.WritableSerialization$WritableDeserializer.deserialize"),
        frame(f"{HADOOP}io.SequenceFile$Reader.getCurrentValue"),
    )

    objects = objects_at_death(builder, tmp_path)

    assert objects.bytes_of("reader") == 0
    assert objects.bytes_of("record_in_flight") >= BYTES


@pytest.mark.parametrize("loading", [True, False])
def test_the_rows_of_a_result_set_are_the_readers_loaded_or_not(
    builder: Builder, tmp_path: Path, loading: bool
) -> None:
    # DBRecordReader.results and .statement -> driver's Results.data -> Rows.list -> 300 rows
    names = ("connection", "results", "statement")
    builder.class_(DATABASE, above=READER, fields=dict.fromkeys(names, "object"))
    builder.class_("com.driver.Rows", fields={"list": "object"})
    builder.class_("com.driver.Results", fields={"data": "object"})
    builder.class_("com.driver.Statement", fields={"open": "object"})
    rows = builder.instance("com.driver.Rows", list=list_of(builder, RECORDS))
    results = builder.instance("com.driver.Results", data=rows)
    statement = builder.instance("com.driver.Statement", open=0 if loading else results)
    reader = builder.instance(DATABASE, statement=statement, results=0 if loading else results)
    if loading:
        reading(
            builder, reader, DATABASE,
            frame("com.driver.Rows.read", rows),
            frame("com.driver.Statement.execute", statement),
            frame(f"{DATABASE}.executeQuery", reader),
        )  # fmt: skip
    else:
        at_work(builder, reader)

    objects = objects_at_death(builder, tmp_path)

    found = largest_holder(objects, BYTES)
    expected = "com.driver.Rows.read com.driver.Rows" if loading else f"{DATABASE}.results"
    assert (str(found.key), found.owner) == (f"reader {expected}", "reader")
    assert (found.class_name, found.length, found.lifecycle) == (LIST, RECORDS, "map")
    assert objects.bytes_of("user") < RECORD_BYTES


def test_the_buffer_of_a_line_reader_is_the_frameworks(builder: Builder, tmp_path: Path) -> None:
    lines, line = f"{HADOOP}mapreduce.lib.input.LineRecordReader", f"{HADOOP}util.LineReader"
    builder.class_(lines, above=READER, fields={"in": "object", "value": "object"})
    builder.class_(line, fields={"buffer": "object"})
    source = builder.instance(line, buffer=builder.primitives("byte", bytes(BYTES)))
    at_work(builder, builder.instance(lines, **{"in": source}))

    objects = objects_at_death(builder, tmp_path)

    assert objects.bytes_of("framework") >= BYTES
    assert objects.bytes_of("record_in_flight") < RECORD_BYTES
