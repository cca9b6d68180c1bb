"""Readers, writers, statics and threads on stock Hadoop classes, content known to the byte.

Sizes are written out as in ``test_known_content``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mprof.engines import MAPREDUCE, UserClasses
from mprof.objects import HeapObjects, Holder, read_objects

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

EDGES = "com.acme.jobs.Edges"
BLOCK = 16 + 50_000
DOUBLE = 16 + 100_000
FILE_SYSTEMS = 40


def array_list(*, capacity: int, elements: int) -> int:
    return 24 + 16 + (4 * capacity + 7) // 8 * 8 + elements


def read(dumps: Path, name: str) -> HeapObjects:
    objects = read_objects(dumps / f"{name}.hprof", user_classes=UserClasses(MAPREDUCE))
    assert sum(each.bytes for each in objects.owners) == objects.live_bytes
    return objects


def holder(objects: HeapObjects, key: str) -> Holder:
    found = {str(each.key): each for each in objects.holders}
    assert key in found
    return found[key]


def users(objects: HeapObjects) -> list[str]:
    """What code of these jobs holds; an older job of the same JVM left a static field."""
    return [
        str(each.key)
        for each in objects.holders
        if each.owner == "user" and each.key.class_name.startswith(EDGES)
    ]


def test_a_block_that_is_being_decoded_is_a_local_of_the_readers(known_dumps: Path) -> None:
    objects = read(known_dumps, "decoding")

    block = holder(objects, f"reader {EDGES}$AheadReader.decode java.util.ArrayList")
    assert block.bytes == array_list(capacity=163, elements=120 * BLOCK)
    assert (block.owner, block.lifecycle, block.length) == ("reader", "map", 120)
    assert block.site is not None
    assert (block.site.class_name, block.site.method) == (f"{EDGES}$AheadReader", "decode")
    assert users(objects) == []


@pytest.mark.parametrize("name", ["batched", "file-systems"])
def test_a_block_of_which_map_has_one_record_is_a_field_of_the_readers(
    known_dumps: Path, name: str
) -> None:
    objects = read(known_dumps, name)

    block = holder(objects, f"reader {EDGES}$AheadReader.block")
    assert block.bytes == array_list(capacity=163, elements=150 * BLOCK)
    assert (block.owner, block.lifecycle, block.length) == ("reader", "map", 150)
    assert objects.bytes_of("record_in_flight") < 2 * BLOCK


def test_the_batch_of_a_writer_is_the_writers_and_named_by_its_line(known_dumps: Path) -> None:
    objects = read(known_dumps, "batched")

    batch = holder(objects, f"writer {EDGES}$BatchWriter.batch")
    assert batch.bytes == array_list(capacity=33, elements=30 * DOUBLE)
    assert (batch.owner, batch.lifecycle, batch.length) == ("writer", "map", 30)
    assert batch.site is not None
    assert (batch.site.class_name, batch.site.method) == (f"{EDGES}$BatchWriter", "write")
    assert (batch.site.line or 0) > 0
    assert users(objects) == []


def test_file_systems_that_user_code_leaves_in_hadoops_cache_are_counted(known_dumps: Path) -> None:
    objects = read(known_dumps, "file-systems")

    cache = holder(objects, "static org.apache.hadoop.fs.FileSystem.CACHE")
    assert (cache.owner, cache.class_name) == ("library", "java.util.HashMap")
    # and the one that each task has of its own
    assert FILE_SYSTEMS <= (cache.length or 0) <= FILE_SYSTEMS + 2
    assert cache.site is not None
    assert (cache.site.class_name, cache.site.method) == (f"{EDGES}$PassMapper", "map")


def test_three_threads_in_map_are_three_records_at_once_and_one_holder(known_dumps: Path) -> None:
    objects = read(known_dumps, "at-once")

    assert objects.records_at_once == 3
    rows = holder(objects, f"local {EDGES}$AtOnceMapper.map byte[][]")
    assert rows.bytes == 3 * (16 + 4 * 10 + 10 * BLOCK)
    assert rows.lifecycle == "record"
    assert read(known_dumps, "threaded").records_at_once == 1
