"""Direct buffers are next to nothing in the heap, and who holds their native memory is told."""

from __future__ import annotations

from pathlib import Path

from builders.hprof_builder import Builder, FrameSpec

from mprof.engines import MAPREDUCE, UserClasses
from mprof.objects import SnapshotPoint, read_objects

MIB = 1 << 20
MAPPER = "org.apache.hadoop.mapreduce.Mapper"
BUFFER = "java.nio.DirectByteBuffer"


def test_who_holds_direct_buffers_is_listed_however_little_of_the_heap_they_take(
    tmp_path: Path,
) -> None:
    # Encode.channels -> Object[] -> 3 buffers of 4 MB, a slice of the first of them, a mapped file
    # Encode.note -> String; a buffer of 1 MB that nothing of the user's holds
    builder = Builder()
    for name in (MAPPER, "org.apache.hadoop.mapred.MapTask"):
        builder.class_(name)
    builder.class_("java.nio.Buffer", fields={"capacity": "int"})
    builder.class_(BUFFER, above="java.nio.Buffer", fields={"att": "object", "fd": "object"})
    builder.class_("java.io.FileDescriptor")
    builder.class_("org.apache.hadoop.io.nativeio.Cache", statics={"kept": ("object", 0)})
    builder.class_("x.Encode", above=MAPPER, fields={"channels": "object", "note": "object"})
    whole = [builder.instance(BUFFER, capacity=4 * MIB, att=0) for _ in range(3)]
    slice_ = builder.instance(BUFFER, capacity=3 * MIB, att=whole[0])
    file = builder.instance("java.io.FileDescriptor")
    mapped = builder.instance(BUFFER, capacity=9 * MIB, fd=file)
    other = builder.instance(BUFFER, capacity=MIB, att=0)
    builder.set_static("org.apache.hadoop.io.nativeio.Cache", "kept", "object", other)
    channels = builder.array("java.lang.Object", [*whole, slice_, mapped])
    encode = builder.instance("x.Encode", channels=channels, note=builder.string("text"))
    places = ["x.Encode.map", f"{MAPPER}.run", "org.apache.hadoop.mapred.MapTask.runNewMapper"]
    builder.thread(
        "main",
        [
            FrameSpec(*place.rpartition(".")[::2], "A.java", 7, (encode,) if n == 0 else ())
            for n, place in enumerate(places)
        ],
    )
    path = tmp_path / "probe.hprof"
    path.write_bytes(builder.build())

    objects = read_objects(
        path, user_classes=UserClasses(MAPREDUCE), point=SnapshotPoint(name="probe")
    )

    held = [one for one in objects.holders if one.direct_bytes]
    assert [(one.key.fields, one.direct_buffers, one.direct_bytes) for one in held] == [
        (("channels",), 3, 12 * MIB)
    ]
    assert held[0].bytes < 1000
    assert sum(one.bytes for one in objects.owners) == objects.live_bytes
