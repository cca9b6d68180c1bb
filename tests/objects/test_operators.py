"""Statements of a script, read from operators on heaps built by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.hprof_builder import Builder, FrameSpec

from mprof.code_site import ScriptSite
from mprof.engines import MAPREDUCE, UserClasses
from mprof.objects import HeapObjects, SnapshotPoint, read_objects

MIB = 1 << 20
BACKEND = "org.apache.pig.backend.hadoop.executionengine"
OPERATOR = f"{BACKEND}.physicalLayer.PhysicalOperator"
PLACE = f"{OPERATOR}$OriginalLocation"
FOREACH = f"{BACKEND}.physicalLayer.relationalOperators.POForEach"
PACKAGE = f"{BACKEND}.physicalLayer.relationalOperators.POPackage"
COMBINE = f"{BACKEND}.mapReduceLayer.PigCombiner$Combine"
LIST = "java.util.ArrayList"
BUFFER = "org.apache.hadoop.io.DataOutputBuffer$Buffer"
WRITER = "org.apache.hadoop.mapred.IFile$Writer"
CALLERS = """
org.apache.hadoop.mapreduce.Reducer.run
org.apache.hadoop.mapred.Task$NewCombinerRunner.combine
org.apache.hadoop.mapred.MapTask$MapOutputBuffer.sortAndSpill
org.apache.hadoop.mapred.MapTask.run
"""


def heap() -> Builder:
    builder = Builder()
    builder.class_(LIST, fields={"elementData": "object", "size": "int"})
    builder.class_(PLACE, fields={"alias": "object", "line": "int", "offset": "int"})
    builder.class_(OPERATOR, fields={"alias": "object", "originalLocations": "object"})
    builder.class_(FOREACH, above=OPERATOR, fields={"bag": "object"})
    builder.class_(PACKAGE, above=OPERATOR, fields={"bag": "object"})
    builder.class_("org.apache.hadoop.mapreduce.Reducer")
    builder.class_(COMBINE, above="org.apache.hadoop.mapreduce.Reducer", fields={"pack": "object"})
    return builder


def operator(
    builder: Builder, class_name: str, alias: str | None, *lines: int, bag: int = 0
) -> int:
    text = builder.string(alias) if alias is not None else 0
    places = [builder.instance(PLACE, alias=text, line=line, offset=3) for line in lines]
    held = builder.array("java.lang.Object", places)
    locations = builder.instance(LIST, elementData=held, size=len(places))
    return builder.instance(class_name, alias=text, originalLocations=locations, bag=bag)


def bag_of(builder: Builder, mebibytes: int) -> int:
    data = builder.primitives("byte", bytes(mebibytes * MIB))
    elements = builder.array("java.lang.Object", [data])
    return builder.instance(LIST, elementData=elements, size=1)


def objects_of(builder: Builder, folder: Path, *frames: tuple[str, list[int]]) -> HeapObjects:
    """The heap of a map task that ran out of memory in these frames of its combiner."""
    calls = [("java.lang.OutOfMemoryError.<init>", []), *frames]
    calls += [(line, []) for line in CALLERS.split()]
    specs = []
    for line, locals_ in calls:
        class_name, method = line.rsplit(".", 1)
        builder.class_(class_name)
        specs.append(FrameSpec(class_name, method, "A.java", 7, locals_))
    builder.thread("main", specs)
    path = folder / "oom.hprof"
    path.write_bytes(builder.build())
    point = SnapshotPoint(name="oom", at_death=True)
    return read_objects(path, user_classes=UserClasses(MAPREDUCE), point=point)


def largest_script(found: HeapObjects) -> ScriptSite | None:
    return found.holders[0].script


def test_a_holder_in_an_operators_field_is_of_its_statement(tmp_path: Path) -> None:
    builder = heap()
    each = operator(builder, FOREACH, "counts", 5, bag=bag_of(builder, 5))

    found = objects_of(builder, tmp_path, (f"{FOREACH}.getNextTuple", [each]))

    assert found.holders[0].bytes // MIB == 5
    assert largest_script(found) == ScriptSite("Pig", "counts", 5, "POForEach")
    assert found.frames[1].script == ScriptSite("Pig", "counts", 5, "POForEach")


def test_a_local_is_of_the_operator_that_called(tmp_path: Path) -> None:
    builder = heap()
    bag, each = bag_of(builder, 5), operator(builder, PACKAGE, "grouped", 4)

    found = objects_of(
        builder, tmp_path, ("com.acme.Count.exec", [bag]), (f"{PACKAGE}.getNextTuple", [each])
    )

    assert largest_script(found) == ScriptSite("Pig", "grouped", 4, "POPackage")
    assert [one.script is not None for one in found.frames[:3]] == [False, False, True]


def test_operators_without_an_alias_are_passed_over(tmp_path: Path) -> None:
    builder = heap()
    inner = operator(builder, FOREACH, None, bag=bag_of(builder, 5))
    outer = operator(builder, PACKAGE, "grouped", 4)

    found = objects_of(
        builder, tmp_path, (f"{FOREACH}.getNextTuple", [inner]), (f"{PACKAGE}.getNext", [outer])
    )

    assert largest_script(found) == ScriptSite("Pig", "grouped", 4, "POPackage")


@pytest.mark.parametrize("lines", [(), (-1,), (0,)])
def test_a_place_that_is_not_known_is_no_line(tmp_path: Path, lines: tuple[int, ...]) -> None:
    builder = heap()
    each = operator(builder, FOREACH, "rankings", *lines, bag=bag_of(builder, 5))

    found = objects_of(builder, tmp_path, (f"{FOREACH}.getNextTuple", [each]))

    assert largest_script(found) == ScriptSite("Pig", "rankings", None, "POForEach")


def test_the_combiners_own_local_is_of_the_statement_that_it_feeds(tmp_path: Path) -> None:
    builder = heap()
    package = operator(builder, PACKAGE, "grouped", 4)
    combine, bag = builder.instance(COMBINE, pack=package), bag_of(builder, 5)

    found = objects_of(builder, tmp_path, (f"{COMBINE}.reduce", [combine, bag]))

    assert largest_script(found) == ScriptSite("Pig", "grouped", 4, "POPackage")


def test_an_array_of_operators_is_of_the_one_in_it(tmp_path: Path) -> None:
    builder = heap()
    each = operator(builder, FOREACH, "counts", 5, bag=bag_of(builder, 5))
    roots = builder.array(OPERATOR, [each])
    builder.class_("com.acme.Combine", above=COMBINE, fields={"roots": "object"})
    package = operator(builder, PACKAGE, "grouped", 4)
    combine = builder.instance("com.acme.Combine", pack=package, roots=roots)

    found = objects_of(builder, tmp_path, ("com.acme.Combine.reduce", [combine]))

    assert found.holders[0].class_name == f"{OPERATOR}[]"
    assert largest_script(found) == ScriptSite("Pig", "counts", 5, "POForEach")


@pytest.mark.parametrize("at_work", [True, False])
def test_a_function_that_operators_lead_to_is_blamed_itself(
    tmp_path: Path, *, at_work: bool
) -> None:
    # roots -> FOREACH -> the user's function -> its table
    builder = heap()
    builder.class_("org.apache.pig.EvalFunc")
    builder.class_("com.acme.CityOf", above="org.apache.pig.EvalFunc", fields={"cities": "object"})
    function = builder.instance("com.acme.CityOf", cities=bag_of(builder, 5))
    each = operator(builder, FOREACH, "placed", 5, bag=function)
    builder.class_("com.acme.Combine", above=COMBINE, fields={"roots": "object"})
    combine = builder.instance("com.acme.Combine", roots=builder.array(OPERATOR, [each]))
    working = [("com.acme.CityOf.load", [function]), (f"{FOREACH}.getNextTuple", [each])]

    found = objects_of(
        builder, tmp_path, *(working if at_work else []), ("com.acme.Combine.reduce", [combine])
    )

    blamed = found.holders[0]
    assert blamed.site is not None
    method = "load" if at_work else "exec"
    assert (blamed.site.class_name, blamed.site.method) == ("com.acme.CityOf", method)
    assert "cities" in blamed.field_path
    if at_work:
        assert blamed.script == ScriptSite("Pig", "placed", 5, "POForEach")


def test_an_operator_at_work_goes_before_the_one_that_the_combiner_feeds(tmp_path: Path) -> None:
    builder = heap()
    bag, each = bag_of(builder, 5), operator(builder, FOREACH, "counts", 5)
    combine = builder.instance(COMBINE, pack=operator(builder, PACKAGE, "grouped", 4))

    found = objects_of(
        builder, tmp_path,
        ("com.acme.Count.exec", [bag]), (f"{FOREACH}.getNextTuple", [each]),
        (f"{COMBINE}.reduce", [combine]),
    )  # fmt: skip

    assert largest_script(found) == ScriptSite("Pig", "counts", 5, "POForEach")


def test_a_combiner_that_feeds_a_combiner_knows_no_statement(tmp_path: Path) -> None:
    builder = heap()
    one, other = builder.instance(COMBINE), builder.instance(COMBINE)
    builder.set(one, pack=other)
    builder.set(other, pack=one)
    operator(builder, PACKAGE, "grouped", 4)
    bag = bag_of(builder, 5)

    found = objects_of(builder, tmp_path, (f"{COMBINE}.reduce", [one, bag]))

    assert largest_script(found) is None


def test_the_record_in_writing_is_blamed_on_who_emits_it(tmp_path: Path) -> None:
    builder = heap()
    builder.class_("java.io.ByteArrayOutputStream", fields={"buf": "object", "count": "int"})
    builder.class_(BUFFER, above="java.io.ByteArrayOutputStream")
    builder.class_(WRITER, fields={"buffer": "object"})
    array = builder.primitives("byte", bytes(8 * MIB))
    stream = builder.instance(BUFFER, buf=array, count=8 * MIB)
    writer = builder.instance(WRITER, buffer=stream)
    combine = builder.instance(COMBINE, pack=operator(builder, PACKAGE, "grouped", 4))

    found = objects_of(
        builder, tmp_path,
        ("java.util.Arrays.copyOf", [array]),
        ("java.io.ByteArrayOutputStream.ensureCapacity", [stream]),
        ("org.apache.pig.data.BinInterSedes.writeBag", [stream]),
        (f"{WRITER}.append", [writer]),
        ("org.apache.hadoop.mapreduce.task.TaskInputOutputContextImpl.write", []),
        (f"{COMBINE}.processOnePackageOutput", [combine]),
        (f"{COMBINE}.reduce", [combine]),
    )  # fmt: skip

    (written,) = [one for one in found.holders if one.owner == "serialization"]
    assert written.bytes // MIB == 8
    assert written.doubling
    assert written.site is not None
    assert (written.site.class_name, written.site.method) == (COMBINE, "processOnePackageOutput")
    assert written.script == ScriptSite("Pig", "grouped", 4, "POPackage")


def test_a_job_without_a_script_has_no_statements(tmp_path: Path) -> None:
    builder = heap()
    bag = bag_of(builder, 5)

    found = objects_of(builder, tmp_path, ("com.acme.Sum.reduce", [bag]))

    assert largest_script(found) is None
    assert all(one.script is None for one in found.frames)
