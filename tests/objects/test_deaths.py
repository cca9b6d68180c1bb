"""Real deaths: jobs on stock Hadoop classes that run out of memory, and the dump the JVM made."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from objects.tasks import die_of_memory, forget

from mprof.engines import MAPREDUCE, UserClasses
from mprof.objects import HeapObjects, read_objects

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

JOBS = "com.acme.jobs"
WIDE = "org.apache.hadoop.io.BytesWritable"

_MOST_DEATHS = 4
_TASKS_THREADS = re.compile(
    r"LocalJobRunner Map Task|pool-\d+-thread|SpillThread|(local)?fetcher#|(InMemory|OnDisk)Merger"
)


@pytest.fixture(scope="module")
def death(job_classes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    dumps: dict[tuple[tuple[str, ...], str, str], tuple[Path, HeapObjects]] = {}

    def in_the_task(*arguments: str, heap: str, job: str) -> tuple[Path, HeapObjects]:
        """A thread beside the task's may be the first one to find no memory."""
        others = []
        for _ in range(_MOST_DEATHS):
            folder = tmp_path_factory.mktemp("death")
            dump = die_of_memory(job_classes, folder, *arguments, heap=heap, job=job)
            objects = read_objects(dump, user_classes=UserClasses(MAPREDUCE))
            if objects.oom_thread and _TASKS_THREADS.match(objects.oom_thread):
                return dump, objects
            others.append(objects.oom_thread)
            forget(folder)
        raise AssertionError(f"threads beside the task's died first: {others}")

    def die(*arguments: str, heap: str = "64m", job: str = "", cut_bytes: int = 0) -> HeapObjects:
        if (arguments, heap, job) not in dumps:
            dumps[arguments, heap, job] = in_the_task(*arguments, heap=heap, job=job)
        dump, objects = dumps[arguments, heap, job]
        if cut_bytes:
            dump = Path(shutil.copy(dump, dump.with_name("cut.hprof")))
            os.truncate(dump, dump.stat().st_size - cut_bytes)
            return read_objects(dump, user_classes=UserClasses(MAPREDUCE))
        return objects

    yield die
    for dump, _ in dumps.values():
        forget(dump.parent)


def test_a_map_in_a_mappers_field(death):
    # The table of 393,216 entries no longer doubles in 49.4 to 53.5 MB: it always dies in map().
    objects = death("FieldMapper", "-", "-", heap="51m")
    largest = objects.holders[0]
    assert str(largest.key) == f"field {JOBS}.FieldMapper.counts"
    assert (largest.lifecycle, largest.class_name) == ("map", "java.util.HashMap")
    assert (largest.key_class, largest.element_class) == ("java.lang.String", "java.lang.Integer")
    assert largest.field_path == "this.counts"
    assert largest.site is not None
    assert (largest.site.class_name, largest.site.method) == (f"{JOBS}.FieldMapper", "map")
    assert largest.bytes > 0.95 * objects.bytes_of("user")
    assert objects.point.at_death
    assert objects.oom_thread == objects.thread
    assert objects.place == "map"


def test_an_array_list_that_dies_while_it_grows(death):
    objects = death("OneKeyMapper", "ListReducer", "-")
    largest = objects.holders[0]
    assert str(largest.key) == f"local {JOBS}.ListReducer.reduce java.util.ArrayList"
    assert largest.lifecycle == "group"
    assert largest.element_class == "org.apache.hadoop.io.IntWritable"
    assert objects.place == "reduce"


def test_a_dump_that_was_cut_before_its_roots_still_says_what_filled_the_heap(death):
    objects = death("OneKeyMapper", "ListReducer", "-", cut_bytes=200_000)
    largest = objects.holders[0]
    assert (str(largest.key), largest.owner) == ("unheld java.util.ArrayList", "other")
    assert largest.bytes > 0.5 * objects.live_bytes
    assert objects.thread is None
    assert any("is cut" in loss for loss in objects.losses)
    assert any("lifecycles are not known" in loss for loss in objects.losses)


def test_a_string_builder_of_the_old_api(death):
    objects = death("OldOneKeyMapper", "OldBuilderReducer", "-")
    largest = objects.holders[0]
    assert str(largest.key) == f"local {JOBS}.OldBuilderReducer.reduce java.lang.StringBuilder"
    assert largest.doubling
    assert largest.lifecycle == "group"


def test_a_set_of_a_combiner_in_the_spill_thread(death):
    objects = death("OneKeyMapper", "ListReducer", "SetCombiner")
    largest = objects.holders[0]
    assert str(largest.key) == f"local {JOBS}.SetCombiner.reduce java.util.HashSet"
    assert largest.thread in (objects.thread, "SpillThread")
    assert (objects.side, largest.lifecycle) == ("map", "group")


def test_what_a_giant_record_turns_into_is_record_level_beside_a_constant_model(death):
    objects = death("RecordMapper", "-", "-", "giant")
    model = next(each for each in objects.holders if str(each.key).endswith("RecordMapper.model"))
    assert (model.lifecycle, model.bytes) == ("map", 48 + 8 * (16 + 512 * 1024))
    value = next(each for each in objects.holders if str(each.key) == "record value")
    assert value.bytes > 4_000_000
    assert objects.held_by("record") > 0.8 * objects.bytes_of("user")
    assert objects.held_by("map") < model.bytes + 64 * 1024


def test_segments_that_wait_in_the_reducers_memory_are_counted(death):
    objects = death(
        "WideMapper", "WideReducer", "-", "words", WIDE,
        job="wide.values=16,mapreduce.input.fileinputformat.split.maxsize=500000,"
        "mapreduce.reduce.memory.totalbytes=800000000,"
        "mapreduce.reduce.shuffle.memory.limit.percent=0.1",
    )  # fmt: skip
    part = objects.part("shuffle_in_memory")
    assert (objects.place, objects.side) == ("shuffle", "reduce")
    assert part.count >= 3
    assert part.bytes == part.count * (16 + 8_000_216)
    assert objects.bytes_of("user") < 64 * 1024


def test_segments_that_reduce_reads_from_memory_count_as_merging(death):
    objects = death(
        "WideMapper", "WideReducer", "-", "words", WIDE, heap="48m",
        job="wide.values=14,mapreduce.reduce.input.buffer.percent=0.9,"
        "mapreduce.input.fileinputformat.split.maxsize=2000000,"
        "mapreduce.reduce.memory.totalbytes=80000000",
    )  # fmt: skip
    part = objects.part("shuffle_merging")
    assert part.bytes >= 3 * 7_000_184
    assert str(objects.holders[0].key) == f"field {JOBS}.WideReducer.joined"
    assert objects.holders[0].lifecycle == "reduce"
