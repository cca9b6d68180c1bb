"""Bytes by class, of the heap and of each holder, against sizes added up by hand."""

from __future__ import annotations

from pathlib import Path

from builders.hprof_builder import Builder, FrameSpec

from mprof.engines import MAPREDUCE, UserClasses
from mprof.heap import open_heap
from mprof.objects import Holder, read_objects

TASK = ("org.apache.hadoop.mapreduce.Mapper.run", "org.apache.hadoop.mapred.MapTask.runNewMapper")
ELEMENTS = 3
BYTES = 2 << 20


def built(folder: Path) -> Path:
    """map() holds a list of three byte[] of 2 MB, and setup() a fourth one."""
    builder = Builder()
    builder.class_("java.util.ArrayList", fields={"elementData": "object", "size": "int"})
    arrays = [builder.primitives("byte", bytes(BYTES)) for _ in range(ELEMENTS + 1)]
    kept = builder.instance(
        "java.util.ArrayList",
        elementData=builder.array("java.lang.Object", arrays[:ELEMENTS]),
        size=ELEMENTS,
    )
    specs = [FrameSpec("com.acme.M", "map", "M.java", 1, [kept])]
    builder.class_("com.acme.M")
    for line in TASK:
        class_name, method = line.rsplit(".", 1)
        builder.class_(class_name)
        specs.append(FrameSpec(class_name, method, "A.java", 1, []))
    builder.thread("main", specs)
    own = [FrameSpec("com.acme.M", "work", "M.java", 1, [arrays[-1]])]
    builder.thread("worker", own)
    path = folder / "oom.hprof"
    path.write_bytes(builder.build())
    return path


def test_the_classes_of_a_holder_are_those_of_its_objects_and_no_others(tmp_path: Path) -> None:
    objects = read_objects(built(tmp_path), user_classes=UserClasses(MAPREDUCE))

    by_class: dict[str, Holder] = {each.class_name: each for each in objects.holders}
    of_list = {each.class_name: each.bytes for each in by_class["java.util.ArrayList"].classes}
    of_array = {each.class_name: each.bytes for each in by_class["byte[]"].classes}

    # The list and its slots are less than a hundredth of it
    assert list(of_list) == ["byte[]"]
    assert ELEMENTS * BYTES <= of_list["byte[]"] < ELEMENTS * (BYTES + 64)
    assert BYTES <= of_array["byte[]"] < BYTES + 64


def test_the_classes_of_the_heap_are_as_its_class_histogram_has_them(tmp_path: Path) -> None:
    path = built(tmp_path)
    objects = read_objects(path, user_classes=UserClasses(MAPREDUCE))

    rows = {row.name: row.shallow_bytes for row in open_heap(path).class_histogram}
    assert {each.class_name: each.bytes for each in objects.classes} == {
        name: size for name, size in rows.items() if size
    }
    assert [each.bytes for each in objects.classes] == sorted(rows.values(), reverse=True)[
        : len(objects.classes)
    ]
