"""What only soft references keep: it is freed before any OutOfMemoryError, so it is nobody's."""

from __future__ import annotations

from pathlib import Path

from builders.hprof_builder import Builder, FrameSpec

from mprof.engines import MAPREDUCE, UserClasses
from mprof.objects import SnapshotPoint, read_objects

BYTES = 2_000_000
MAPPER = "org.apache.hadoop.mapreduce.Mapper"


def test_a_soft_cache_is_not_memory_of_the_user_and_what_it_shares_is(tmp_path: Path) -> None:
    # Words.cache -> Object[] -> SoftReference -> 2 MB; SoftReference -> 1 MB <- Words.kept
    builder = Builder()
    for name in (MAPPER, "org.apache.hadoop.mapred.MapTask"):
        builder.class_(name)
    builder.class_("java.lang.ref.Reference", fields={"referent": "object"})
    builder.class_("java.lang.ref.SoftReference", above="java.lang.ref.Reference")
    builder.class_("x.SoftValue", above="java.lang.ref.SoftReference")
    builder.class_("x.Words", above=MAPPER, fields={"cache": "object", "kept": "object"})
    kept = builder.primitives("byte", [0] * (BYTES // 2))
    softly = builder.array("java.lang.Object", [builder.primitives("byte", [0] * BYTES)])
    cache = builder.array(
        "java.lang.Object",
        [
            builder.instance("x.SoftValue", referent=softly),
            builder.instance("java.lang.ref.SoftReference", referent=kept),
        ],
    )
    words = builder.instance("x.Words", cache=cache, kept=kept)
    places = ["x.Words.map", f"{MAPPER}.run", "org.apache.hadoop.mapred.MapTask.runNewMapper"]
    builder.thread(
        "main",
        [
            FrameSpec(*place.rpartition(".")[::2], "A.java", 7, (words,) if n == 0 else ())
            for n, place in enumerate(places)
        ],
    )
    path = tmp_path / "probe.hprof"
    path.write_bytes(builder.build())

    objects = read_objects(
        path, user_classes=UserClasses(MAPREDUCE), point=SnapshotPoint(name="probe")
    )

    assert BYTES // 2 <= objects.bytes_of("user") < BYTES
    assert BYTES <= objects.bytes_of("other")
    assert sum(one.bytes for one in objects.owners) == objects.live_bytes
