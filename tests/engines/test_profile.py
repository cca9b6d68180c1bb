"""A further engine is a further value: stacks and heaps are read by what its profile says."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.hprof_builder import Builder, FrameSpec

from mprof.code_site import CodeSite
from mprof.engines import (
    MAPREDUCE,
    PLACES,
    Engine,
    Fields,
    HeapShapes,
    Method,
    UserClasses,
    read_stack,
)
from mprof.engines.engine import Template, TemplateCall
from mprof.objects import SnapshotPoint, read_objects
from mprof.report.names import DEATH_PHRASES, PLACE_NAMES
from mprof.trace.kinds import MEMORY_KINDS

TOY = Engine(
    name="Toy",
    package="org.toy.",
    framework=("org.toy.",),
    calls={
        Method("org.toy.Loop", "go"): TemplateCall(
            Template("loop", "map", {"each": "map", "open": "setup"}, side="map"), "map"
        )
    },
    reads=frozenset({"pull"}),
    task_frames={Method("org.toy.Worker", "main"): "map"},
    shapes=HeapShapes(
        sort_buffers=(Fields("org.toy.Buffer", ("bytes",)),),
        records=(Fields("org.toy.Loop", ("item",)),),
    ),
)
BYTES = 4_000_000


@pytest.mark.parametrize(
    ("text", "place", "level"),
    [
        ("com.x.Job.each org.toy.Loop.go org.toy.Worker.main", "map", "map"),
        ("com.x.Job.open org.toy.Loop.go org.toy.Worker.main", "setup", "setup"),
        ("com.x.Source.next org.toy.Loop.pull org.toy.Loop.go", "map", "decoder"),
        ("com.x.Job.each org.toy.Worker.main", "other", "foreign"),
    ],
)
def test_a_stack_is_read_by_the_templates_of_the_profile(text: str, place: str, level: str) -> None:
    stack = [CodeSite(*frame.rsplit(".", 1)) for frame in text.split()]

    read = read_stack(stack, UserClasses(TOY))

    assert (read.place, read.frames[0].level) == (place, level)
    assert read_stack(stack, UserClasses(MAPREDUCE)).place == "other"


def test_a_heap_is_read_by_the_shapes_of_the_profile(tmp_path: Path) -> None:
    # Worker -> Buffer.bytes; Loop.item; a local of Job.each()
    builder = Builder()
    builder.class_("org.toy.Buffer", fields={"bytes": "object"})
    builder.class_("org.toy.Loop", fields={"item": "object"})
    builder.class_("com.x.Job")
    job, made = builder.instance("com.x.Job"), builder.primitives("byte", [0] * BYTES)
    buffer = builder.instance("org.toy.Buffer", bytes=builder.primitives("byte", [0] * BYTES))
    loop = builder.instance("org.toy.Loop", item=builder.primitives("byte", [0] * BYTES))
    frames = [
        FrameSpec("com.x.Job", "each", "Job.java", 7, (job, made)),
        FrameSpec("org.toy.Loop", "go", "Loop.java", 8, (loop,)),
        FrameSpec("org.toy.Worker", "main", "Worker.java", 9, (buffer,)),
    ]
    builder.thread("main", frames)
    path = tmp_path / "oom.hprof"
    path.write_bytes(builder.build())

    objects = read_objects(path, user_classes=UserClasses(TOY), point=SnapshotPoint(name="oom"))

    assert objects.part("sort_buffer").bytes == 16 + BYTES
    assert {str(each.key): each.bytes for each in objects.holders} == {
        "local com.x.Job.each byte[]": 16 + BYTES,
        "record item": 16 + BYTES,
    }
    assert (objects.side, objects.place) == ("map", "map")


def test_every_place_and_every_kind_of_death_has_a_name_in_reports() -> None:
    assert PLACE_NAMES.keys() == {*PLACES} - {"other"}
    no_memory = {"application-made", "application-master", "not-memory", "none"}
    assert DEATH_PHRASES.keys() == MEMORY_KINDS | no_memory
