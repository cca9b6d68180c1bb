"""Whose memory it is, on heaps built by hand: one rule of ownership each, without any JVM."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.holders import large_holders
from builders.hprof_builder import Builder, FrameSpec

from mprof.engines import MAPREDUCE, UserClasses
from mprof.objects import HeapObjects, SnapshotPoint, read_objects

MIB = 1024 * 1024
TASK = """
org.apache.hadoop.mapreduce.Mapper.run
org.apache.hadoop.mapred.MapTask.runNewMapper
org.apache.hadoop.mapred.MapTask.run
"""


def heap() -> Builder:
    builder = Builder()
    builder.class_("java.util.AbstractList", fields={"modCount": "int"})
    builder.class_(
        "java.util.ArrayList", above="java.util.AbstractList",
        fields={"elementData": "object", "size": "int"},
    )  # fmt: skip
    builder.class_("com.acme.Holder", fields={"kept": "object"})
    return builder


def large(builder: Builder, mebibytes: float = 4) -> int:
    return builder.primitives("byte", bytes(round(mebibytes * MIB)))


def list_of(builder: Builder, *elements: int) -> int:
    return builder.instance(
        "java.util.ArrayList", elementData=builder.array("java.lang.Object", elements),
        size=len(elements),
    )  # fmt: skip


def task(builder: Builder, *frames: tuple[str, list[int]]) -> None:
    """The task's thread: methods from the top with their locals, above Mapper.run()."""
    specs = []
    for text, nodes in (*frames, *((line, []) for line in TASK.split())):
        class_name, method = text.rsplit(".", 1)
        builder.class_(class_name)
        specs.append(FrameSpec(class_name, method, "A.java", 1, nodes))
    builder.thread("main", specs)


def objects_of(builder: Builder, folder: Path) -> HeapObjects:
    path = folder / "oom.hprof"
    path.write_bytes(builder.build())
    point = SnapshotPoint(name="oom", at_death=True)
    return read_objects(path, user_classes=UserClasses(MAPREDUCE), point=point)


def mebibytes(objects: HeapObjects, owner: str) -> int:
    return objects.bytes_of(owner) // MIB  # type: ignore[arg-type]


def test_a_local_of_map_lives_for_one_record(tmp_path: Path) -> None:
    builder = heap()
    task(builder, ("com.acme.M.map", [list_of(builder, large(builder))]))

    objects = objects_of(builder, tmp_path)

    assert mebibytes(objects, "user") == 4
    (holder,) = large_holders(objects)
    assert (holder.class_name, holder.lifecycle) == ("java.util.ArrayList", "record")
    assert holder.doubling is False


@pytest.mark.parametrize(("used", "is_spare"), [(1, True), (150, True), (250, False), (999, False)])
def test_an_array_that_larger_contents_left_is_spare(
    used: int, is_spare: bool, tmp_path: Path
) -> None:
    builder = heap()
    rows = [builder.primitives("byte", bytes(8 * 1024)) for _ in range(used)]
    slots = 1_000_000
    kept = builder.instance(
        "java.util.ArrayList", size=used * 1000,
        elementData=builder.array("java.lang.Object", [*rows, *([0] * (slots - used))]),
    )  # fmt: skip
    task(builder, ("com.acme.M.map", [kept]))

    (holder,) = large_holders(objects_of(builder, tmp_path))

    array = holder.bytes - used * (8 * 1024 + 16)
    assert holder.spare_bytes == pytest.approx(
        array * (1 - used * 1000 / slots) if is_spare else 0, rel=0.001
    )


def test_a_container_that_the_jdk_is_enlarging_is_doubling(tmp_path: Path) -> None:
    builder = heap()
    old, new = large(builder), large(builder, 6)
    kept = list_of(builder, old)
    task(
        builder,
        ("java.util.Arrays.copyOf", [new]),
        ("java.util.ArrayList.grow", [kept]),
        ("com.acme.M.map", [kept]),
    )

    objects = objects_of(builder, tmp_path)

    (holder,) = large_holders(objects)
    assert holder.doubling is True
    assert holder.bytes // MIB == 10  # the new array too, which only the JDK's frame holds


def test_what_a_parser_works_on_is_the_callers_however_long_the_user_keeps_the_parser(
    tmp_path: Path,
) -> None:
    # static M.PARSER -> Tokenizer, whose tokenize() has tokens of one record in a local
    builder = heap()
    builder.class_("opennlp.Tokenizer", fields={"model": "object"})
    builder.class_("com.acme.M", statics={"PARSER": ("object", 0)})
    parser = builder.instance("opennlp.Tokenizer", model=large(builder, 3))
    builder.set_static("com.acme.M", "PARSER", "object", parser)
    tokens = list_of(builder, large(builder))
    task(builder, ("opennlp.Tokenizer.tokenize", [parser, tokens]), ("com.acme.M.map", []))

    objects = objects_of(builder, tmp_path)

    assert {(str(one.key), one.lifecycle, one.bytes // MIB) for one in objects.holders} == {
        ("local com.acme.M.map java.util.ArrayList", "record", 4),
        ("static com.acme.M.PARSER", "map", 3),
    }


def test_what_a_container_works_on_is_the_containers(tmp_path: Path) -> None:
    builder = heap()
    kept = list_of(builder, large(builder))
    task(
        builder,
        ("java.util.ArrayList.removeIf", [kept, large(builder, 6)]),
        ("com.acme.M.map", [kept]),
    )

    (holder,) = large_holders(objects_of(builder, tmp_path))

    assert (holder.doubling, holder.bytes // MIB) == (False, 10)


def test_what_is_being_emitted_is_the_record_being_written(tmp_path: Path) -> None:
    builder = heap()
    task(
        builder,
        ("org.apache.hadoop.mapred.MapTask$NewOutputCollector.write", [large(builder)]),
        ("com.acme.M.map", []),
    )

    objects = objects_of(builder, tmp_path)

    assert mebibytes(objects, "record_being_written") == 4
    assert mebibytes(objects, "user") == 0


def test_an_object_of_the_user_that_nothing_of_the_users_holds_is_the_users_all_the_same(
    tmp_path: Path,
) -> None:
    # a JNI global reference, as native code keeps one
    builder = heap()
    task(builder, ("com.acme.M.map", []))
    builder.root(0x01, builder.instance("com.acme.Holder", kept=large(builder)))

    assert mebibytes(objects_of(builder, tmp_path), "user") == 4


@pytest.mark.parametrize(
    ("class_name", "size", "owner", "listed"),
    [
        ("com.google.common.cache.Registry", 4, "library", True),
        ("com.google.common.cache.Registry", 2, "other", False),
        ("java.util.Registry", 4, "library", True),
    ],
)
def test_a_large_static_of_a_library_or_of_the_jdk_has_an_owner_and_a_small_one_is_nobodys(
    class_name: str, size: int, owner: str, listed: bool, tmp_path: Path
) -> None:
    builder = heap()
    builder.class_(class_name, statics={"ALL": ("object", 0)})
    builder.set_static(class_name, "ALL", "object", large(builder, size))
    task(builder, ("com.acme.M.map", []))

    objects = objects_of(builder, tmp_path)

    assert mebibytes(objects, owner) == size
    keys = [str(holder.key) for holder in objects.holders]
    assert keys == ([f"static {class_name}.ALL"] if listed else [])


@pytest.mark.parametrize(
    ("class_name", "at_work", "blamed"),
    [
        ("com.acme.Cache", ("com.acme.M.map",), None),  # what is at work may not know the cache
        ("com.acme.Cache", ("com.acme.Cache.get", "com.acme.M.map"), "com.acme.Cache.get"),
        ("com.google.common.cache.Registry", ("com.acme.M.map",), "com.acme.M.map"),
    ],
)
def test_a_static_is_blamed_on_its_class_and_on_other_code_only_where_that_must_fill_it(
    class_name: str, at_work: tuple[str, ...], blamed: str | None, tmp_path: Path
) -> None:
    builder = heap()
    task(builder, *((method, []) for method in at_work))
    builder.class_(class_name, statics={"ALL": ("object", 0)})
    builder.set_static(class_name, "ALL", "object", list_of(builder, large(builder)))

    (holder,) = objects_of(builder, tmp_path).holders

    site = holder.site
    assert (f"{site.class_name}.{site.method}" if site else None) == blamed
    assert holder.path[0].name == f"{class_name}.ALL"


def test_a_large_object_that_nobody_holds_is_named_and_is_nobodys(tmp_path: Path) -> None:
    builder = heap()
    task(builder, ("com.acme.M.map", []))
    builder.root(0x01, large(builder))

    objects = objects_of(builder, tmp_path)

    assert mebibytes(objects, "other") == 4
    assert [str(holder.key) for holder in objects.holders] == ["unheld byte[]"]


def test_owners_add_up_to_what_is_live(tmp_path: Path) -> None:
    builder = heap()
    shared = large(builder)
    task(
        builder,
        ("com.acme.Helper.help", [shared]),
        ("com.acme.M.map", [list_of(builder, shared, large(builder, 3))]),
    )

    objects = objects_of(builder, tmp_path)

    assert sum(one.bytes for one in objects.owners) == objects.live_bytes
    assert sum(one.bytes for one in objects.holders if one.owner == "user") // MIB == 7


def test_what_run_and_map_both_hold_lives_as_long_as_the_task(tmp_path: Path) -> None:
    # a mapper with a run() of its own, which hands its list to map()
    builder = heap()
    kept = list_of(builder, large(builder))
    frames = [("com.acme.M.map", [kept]), ("com.acme.M.run", [kept])]
    specs = []
    for text, nodes in (*frames, *((line, []) for line in TASK.split()[1:])):
        class_name, method = text.rsplit(".", 1)
        builder.class_(class_name)
        specs.append(FrameSpec(class_name, method, "A.java", 1, nodes))
    builder.thread("main", specs)

    (holder,) = large_holders(objects_of(builder, tmp_path))

    assert holder.lifecycle == "map"


def test_what_a_record_reader_has_read_so_far_is_the_record_in_flight(tmp_path: Path) -> None:
    builder = heap()
    task(
        builder,
        ("org.apache.hadoop.util.LineReader.readDefaultLine", [large(builder)]),
        ("org.apache.hadoop.mapreduce.lib.input.LineRecordReader.nextKeyValue", []),
        ("org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader.nextKeyValue", []),
    )

    objects = objects_of(builder, tmp_path)

    assert (mebibytes(objects, "record_in_flight"), mebibytes(objects, "user")) == (4, 0)


@pytest.mark.parametrize(
    ("method", "doubling"), [("resize", True), ("growForest", False), ("put", False)]
)
def test_a_container_of_the_users_own_is_doubling_in_a_method_of_exactly_such_a_name(
    tmp_path: Path, method: str, doubling: bool
) -> None:
    builder = heap()
    builder.class_("com.acme.Table", fields={"slots": "object", "size": "int"})
    table = builder.instance("com.acme.Table", slots=large(builder), size=9)
    task(builder, (f"com.acme.Table.{method}", [table]), ("com.acme.M.map", [table]))

    holders = large_holders(objects_of(builder, tmp_path))

    assert [holder.doubling for holder in holders] == [doubling]


def test_a_users_method_that_resizes_something_else_doubles_no_container(tmp_path: Path) -> None:
    # Picture -> thumbnail, a Picture too: one holder; it has pixels and no count of them
    builder = heap()
    builder.class_("com.acme.Picture", fields={"pixels": "object", "thumbnail": "object"})
    thumbnail = builder.instance("com.acme.Picture")
    picture = builder.instance("com.acme.Picture", pixels=large(builder), thumbnail=thumbnail)
    task(builder, ("com.acme.Picture.resize", [picture]), ("com.acme.M.map", [picture]))

    holders = large_holders(objects_of(builder, tmp_path))

    assert [holder.doubling for holder in holders] == [False]
