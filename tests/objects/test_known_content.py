"""Tasks on stock Hadoop classes whose content is known to the byte.

Sizes are written out for a 64-bit JVM with compressed references: an array takes 16 bytes and its
elements (4 a reference), an object 12 and its fields, all rounded up to 8.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mprof.engines import MAPREDUCE, UserClasses
from mprof.objects import HeapObjects, Holder, SnapshotPoint, read_objects

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

CLASSES = UserClasses(MAPREDUCE)
KNOWN = "com.acme.jobs.Known"
BLOCK = 16 + 50_000


def references(count: int) -> int:
    return 16 + (4 * count + 7) // 8 * 8


def array_list(*, capacity: int, elements: int) -> int:
    return 24 + references(capacity) + elements


@pytest.fixture(scope="module")
def read(known_dumps: Path):
    known: dict[str, HeapObjects] = {}

    def reader(name: str) -> HeapObjects:
        if name not in known:
            known[name] = read_objects(known_dumps / f"{name}.hprof", user_classes=CLASSES)
        return known[name]

    return reader


def holder(objects: HeapObjects, key: str) -> Holder:
    found = {str(each.key): each for each in objects.holders}
    assert key in found
    return found[key]


@pytest.mark.parametrize("name", ["fields-mapper", "lists-reducer", "old-combiner", "written"])
def test_every_live_byte_has_one_owner(read, name: str):
    objects = read(name)
    assert sum(entry.bytes for entry in objects.owners) == objects.live_bytes
    assert sum(part.bytes for part in objects.framework) == objects.bytes_of("framework")
    assert sum(entry.bytes for entry in objects.lifecycles) == objects.bytes_of("user")


def test_a_field_of_the_mapper_holds_exactly_its_content(read):
    blocks = holder(read("fields-mapper"), f"field {KNOWN}$FieldsMapper.blocks")
    assert blocks.bytes == array_list(capacity=22, elements=20 * BLOCK)
    assert (blocks.owner, blocks.lifecycle) == ("user", "map")
    assert (blocks.class_name, blocks.length, blocks.capacity) == ("java.util.ArrayList", 20, 22)
    assert blocks.element_class == "byte[]"


def test_what_two_holders_share_is_counted_for_one_of_them(read):
    kept = holder(read("fields-mapper"), f"field {KNOWN}$FieldsMapper.state.kept")
    assert kept.length == 40
    assert kept.bytes == 32 + 40 * 24 + 20 * BLOCK


def test_the_path_leads_over_a_helper_object_to_the_container(read):
    kept = holder(read("fields-mapper"), f"field {KNOWN}$FieldsMapper.state.kept")
    assert kept.field_path == "this.state.kept"
    assert [(step.name, step.class_name) for step in kept.path[:3]] == [
        ("this", f"{KNOWN}$FieldsMapper"),
        ("state", f"{KNOWN}$State"),
        ("kept", "java.util.LinkedList"),
    ]


def test_a_hash_table_that_users_wrote_is_one_holder(read):
    table = holder(read("fields-mapper"), f"field {KNOWN}$FieldsMapper.table")
    # the table, its two arrays, 20 values and 20 keys: a String and its 17 bytes
    assert table.bytes == 24 + 2 * references(64) + 20 * (16 + 25_000) + 20 * (24 + 16 + 24)
    assert table.length == 20


def test_a_containers_own_method_is_not_blamed_and_tells_that_it_grows(read):
    objects = read("growing")
    table = holder(objects, f"field {KNOWN}$FieldsMapper.table")
    assert table.site is not None
    assert (table.site.class_name, table.site.method) == (f"{KNOWN}$FieldsMapper", "map")
    assert (table.field_path, table.length, table.doubling) == ("this.table", 25, True)
    blocks = holder(objects, f"field {KNOWN}$FieldsMapper.blocks")
    assert not blocks.doubling


def test_a_static_is_map_level_and_named_after_its_class(read):
    blocks = holder(read("fields-mapper"), f"static {KNOWN}$Registry.BLOCKS")
    assert blocks.lifecycle == "map"
    assert blocks.field_path == f"{KNOWN}$Registry.BLOCKS"
    assert (blocks.length, blocks.key_class) == (20, "java.lang.String")


def test_blame_goes_to_the_topmost_user_frame_that_has_the_holder(read):
    objects = read("fields-mapper")
    site = holder(objects, f"field {KNOWN}$FieldsMapper.blocks").site
    assert site is not None
    assert (site.class_name, site.method, site.file) == (
        f"{KNOWN}$FieldsMapper",
        "work",
        "Known.java",
    )
    assert site.line is not None


def test_locals_of_map_and_of_what_it_calls_are_record_level(read):
    objects = read("fields-mapper")
    handed = holder(objects, f"local {KNOWN}$FieldsMapper.map java.util.ArrayList")
    own = holder(objects, f"local {KNOWN}$FieldsMapper.work byte[][]")
    assert (handed.lifecycle, own.lifecycle) == ("record", "record")
    assert handed.bytes == array_list(capacity=22, elements=20 * BLOCK)
    assert own.bytes == references(30) + 30 * BLOCK
    assert handed.site is not None
    assert handed.site.method == "work"


def test_an_iterator_stands_for_the_collection_it_walks(read):
    rest = holder(read("fields-mapper"), f"local {KNOWN}$FieldsMapper.work java.util.LinkedList")
    assert rest.bytes == 32 + 2 * 24 + 2 * BLOCK + 32  # and the iterator itself
    assert rest.field_path == "local java.util.LinkedList"


def test_the_sort_buffer_is_a_part_of_the_framework(read):
    part = read("fields-mapper").part("sort_buffer")
    assert (part.bytes, part.count) == (4 * 1024 * 1024 + 16, 1)


def test_frames_say_how_much_of_the_user_memory_they_reach(read):
    objects = read("fields-mapper")
    frames = {(frame.class_name, frame.method): frame for frame in objects.frames}
    work = frames[f"{KNOWN}$FieldsMapper", "work"]
    run = frames["org.apache.hadoop.mapreduce.Mapper", "run"]
    held = sum(entry.bytes for entry in objects.holders if not str(entry.key).startswith("static"))
    record = objects.bytes_of("record_in_flight")
    assert work.user
    assert not run.user
    assert abs(work.user_bytes - (held - record)) < 1024
    assert 0 < run.share < work.share < 1
    assert objects.thread is not None
    assert objects.oom_thread is None


def test_the_record_in_flight_is_nobodys_accumulation(read):
    value = holder(read("fields-mapper"), "record value")
    assert value.owner == "record_in_flight"
    assert value.class_name == "org.apache.hadoop.io.Text"
    assert value.bytes == 24 + 16 + 24  # 17 bytes of text


def test_two_lists_of_reduce_are_told_apart_and_share_nothing_twice(read):
    objects = read("lists-reducer")
    local = f"local {KNOWN}$ListsReducer.reduce java.util.ArrayList"
    first, second = holder(objects, local), holder(objects, f"{local} #2")
    lasting = holder(objects, f"field {KNOWN}$ListsReducer.lasting")
    assert first.bytes == array_list(capacity=10, elements=4 * BLOCK)
    assert second.bytes == array_list(capacity=10, elements=4 * (BLOCK + 50_000))
    assert lasting.bytes == array_list(capacity=10, elements=4 * BLOCK)
    assert (first.lifecycle, second.lifecycle, lasting.lifecycle) == ("group", "group", "reduce")
    assert (objects.side, objects.place) == ("reduce", "reduce")


@pytest.mark.parametrize(
    ("name", "reducer", "length"),
    [("combiner", "MapCombiner", 3), ("old-combiner", "OldReducer", 5)],
)
def test_a_local_of_combine_is_group_level(read, name: str, reducer: str, length: int):
    objects = read(name)
    seen = holder(objects, f"local {KNOWN}${reducer}.reduce java.util.HashMap")
    # the map, its table of 16, entries, keys and values
    assert seen.bytes == 48 + references(16) + length * (32 + 16 + BLOCK)
    assert (seen.lifecycle, objects.place, objects.side) == ("group", "combine", "map")


def test_a_mapper_is_not_blamed_on_the_combiner_beside_it_in_the_file(read):
    blocks = holder(read("old-combiner"), f"field {KNOWN}$OldMapper.blocks")
    assert blocks.site is None
    assert blocks.field_path == f"{KNOWN}$OldMapper.blocks"


@pytest.mark.parametrize(
    ("name", "key", "lifecycle", "place"),
    [
        ("setup", f"local {KNOWN}$PhasesMapper.load java.util.ArrayList", "setup", "setup"),
        ("after-load", f"field {KNOWN}$PhasesMapper.model", "setup", "setup"),
        ("run", f"field {KNOWN}$PhasesMapper.model", "map", "map"),
        ("run", f"local {KNOWN}$PhasesMapper.run java.util.ArrayList", "map", "map"),
        ("cleanup", f"field {KNOWN}$PhasesMapper.model", "map", "cleanup"),
        ("cleanup", f"local {KNOWN}$PhasesMapper.cleanup java.util.ArrayList", "none", "cleanup"),
        ("old-mapper", f"field {KNOWN}$OldMapper.blocks", "map", "map"),
        ("old-reducer", f"local {KNOWN}$OldReducer.reduce java.util.HashMap", "group", "reduce"),
        ("threaded", f"field {KNOWN}$ThreadedMapper.blocks", "map", "map"),
        ("pool", f"static {KNOWN}$PoolMapper.MINE (thread-local)", "map", "map"),
        ("pool", f"local {KNOWN}$PoolMapper.lambda$map$0 java.util.ArrayList", "map", "map"),
    ],
)
def test_lifecycle_and_place_follow_from_the_stack(read, name, key, lifecycle, place):
    objects = read(name)
    assert (holder(objects, key).lifecycle, objects.place) == (lifecycle, place)


def test_a_record_being_written_is_charged_to_the_frame_that_emits_it(read):
    objects = read("written")
    written = holder(objects, f"written {KNOWN}$WideMapper.map {KNOWN}$Wide.content")
    assert written.bytes == 16 + 3_000_000
    assert written.owner == "record_being_written"
    assert written.site is not None
    assert (written.site.class_name, written.site.method) == (f"{KNOWN}$WideMapper", "map")


def test_a_value_being_read_is_in_flight_although_a_user_class_reads_it(read):
    objects = read("read")
    assert holder(objects, "record being read").bytes >= 16 + 3_000_000
    assert not any("Wide" in str(each.key) for each in objects.holders)


def test_the_point_is_named_after_the_file_unless_it_is_given(read, known_dumps: Path):
    assert read("setup").point == SnapshotPoint(name="setup")
    given = SnapshotPoint(name="dump-3", record=20)
    assert read_objects(known_dumps / "run.hprof", user_classes=CLASSES, point=given).point == given
