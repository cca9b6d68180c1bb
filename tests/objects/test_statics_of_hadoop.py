"""What user code leaves in static fields of Hadoop, on heaps built by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.death_dumps import objects_at_death
from builders.hprof_builder import Builder, FrameSpec

from mprof.objects import HeapObjects

MIB = 1 << 20
HADOOP = "org.apache.hadoop."
FILES, CONF = f"{HADOOP}fs.FileSystem", f"{HADOOP}conf.Configuration"
MAPPER = f"{HADOOP}mapreduce.Mapper"


def objects_of(
    folder: Path, *, cached: int, shared: bool = False, mine: bool = False
) -> HeapObjects:
    """FileSystem.CACHE -> Cache.map, a list of file systems -> Configuration -> 1 MB each.

    Args:
        folder: for the dump.
        cached: file systems.
        shared: a frame of the framework's has all of their configurations, too.
        mine: a field of the mapper's has them.
    """
    builder = Builder()
    builder.class_(MAPPER)
    builder.class_("java.util.ArrayList", fields={"elementData": "object", "size": "int"})
    builder.class_(CONF, fields={"properties": "object"})
    builder.class_(FILES, fields={"conf": "object"}, statics={"CACHE": ("object", 0)})
    builder.class_(f"{FILES}$Cache", fields={"map": "object"})
    builder.class_("x.Words", above=MAPPER, fields={"confs": "object"})
    confs = [
        builder.instance(CONF, properties=builder.primitives("byte", bytes(MIB)))
        for _ in range(cached)
    ]
    systems = [builder.instance(FILES, conf=conf) for conf in confs]
    elements = builder.array("java.lang.Object", systems)
    kept = builder.instance("java.util.ArrayList", elementData=elements, size=cached)
    cache = builder.instance(f"{FILES}$Cache", map=kept)
    builder.set_static(FILES, "CACHE", "object", cache)
    words = builder.instance("x.Words", confs=builder.array(CONF, confs) if mine else 0)
    builder.thread(
        "main",
        [
            FrameSpec(f"{CONF}.<init>", "clone", "A.java", 1, ()),
            FrameSpec("x.Words", "map", "A.java", 21, (words,)),
            FrameSpec(MAPPER, "run", "A.java", 1, ()),
            FrameSpec(f"{HADOOP}mapred.MapTask", "runNewMapper", "A.java", 1,
                      tuple(confs) if shared else ()),
            FrameSpec(f"{HADOOP}mapred.MapTask", "run", "A.java", 1, ()),
        ],
    )  # fmt: skip
    return objects_at_death(builder, folder)


def test_file_systems_in_hadoops_cache_have_an_owner_a_count_and_the_line_that_makes_them(
    tmp_path: Path,
) -> None:
    objects = objects_of(tmp_path, cached=5)

    (found,) = [one for one in objects.holders if one.owner == "library"]
    assert (str(found.key), found.lifecycle) == (f"static {FILES}.CACHE", "map")
    assert found.bytes // MIB == 5
    assert (found.class_name, found.length, found.element_class) == (
        "java.util.ArrayList",
        5,
        FILES,
    )
    assert found.site is not None
    assert (found.site.class_name, found.site.method, found.site.line) == ("x.Words", "map", 21)


@pytest.mark.parametrize(
    ("cached", "shared", "mine", "library", "framework", "user"),
    [
        (2, False, False, 0, 2, 0),  # as many as the task itself may have made
        (5, True, False, 0, 5, 0),  # the cache is not all that keeps them alive
        (5, False, True, 0, 5, 0),  # and no user owns an object of Hadoop's that Hadoop has too
    ],
)
def test_what_a_static_field_does_not_keep_alone_or_is_little_stays_hadoops(
    tmp_path: Path, cached: int, shared: bool, mine: bool, library: int, framework: int, user: int
) -> None:
    objects = objects_of(tmp_path, cached=cached, shared=shared, mine=mine)

    sizes = [objects.bytes_of(owner) // MIB for owner in ("library", "framework", "user")]
    assert sizes == [library, framework, user]


POOL = f"{HADOOP}io.compress.CodecPool"


def pooled_objects(folder: Path, *, pooled: int, each: int) -> HeapObjects:
    """CodecPool.decompressorPool, a list of user objects with a field of so many bytes each."""
    builder = Builder()
    builder.class_(MAPPER)
    builder.class_("java.util.ArrayList", fields={"elementData": "object", "size": "int"})
    builder.class_(POOL, statics={"decompressorPool": ("object", 0)})
    builder.class_("x.Decoder", fields={"window": "object"})
    builder.class_("x.Words", above=MAPPER)
    decoders = [
        builder.instance("x.Decoder", window=builder.primitives("byte", bytes(each)))
        for _ in range(pooled)
    ]
    elements = builder.array("java.lang.Object", decoders)
    pool = builder.instance("java.util.ArrayList", elementData=elements, size=pooled)
    builder.set_static(POOL, "decompressorPool", "object", pool)
    words = builder.instance("x.Words")
    builder.thread(
        "main",
        [
            FrameSpec("x.Words", "map", "A.java", 21, (words,)),
            FrameSpec(MAPPER, "run", "A.java", 1, ()),
            FrameSpec(f"{HADOOP}mapred.MapTask", "runNewMapper", "A.java", 1, ()),
            FrameSpec(f"{HADOOP}mapred.MapTask", "run", "A.java", 1, ()),
        ],
    )
    return objects_at_death(builder, folder)


@pytest.mark.parametrize("pooled", [300, 2_500, 5_200])
def test_many_objects_of_the_users_in_a_static_of_a_library_are_one_holder_however_many(
    tmp_path: Path, pooled: int
) -> None:
    objects = pooled_objects(tmp_path, pooled=pooled, each=16_384)

    large = [one for one in objects.holders if one.bytes >= MIB]
    assert [str(one.key) for one in large] == [f"static {POOL}.decompressorPool"]
    assert (large[0].length, large[0].element_class) == (pooled, "x.Decoder")
    assert large[0].bytes > pooled * 16_384


def test_a_few_objects_of_the_users_in_a_static_of_a_library_are_holders_by_themselves(
    tmp_path: Path,
) -> None:
    objects = pooled_objects(tmp_path, pooled=3, each=4 * MIB)

    large = [one for one in objects.holders if one.bytes >= MIB]
    assert [(str(one.key), one.bytes // MIB) for one in large] == [("field x.Decoder.window", 12)]
