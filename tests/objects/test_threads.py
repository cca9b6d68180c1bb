"""Whose stack is shown where a bystander ran out of memory first; how many mappers are at work."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.hprof_builder import Builder, FrameSpec

from mprof.engines import MAPREDUCE, UserClasses
from mprof.objects import SnapshotPoint, read_objects

MAP_TASK = """
org.apache.hadoop.mapred.MapTask$MapOutputBuffer$Buffer.write
x.Words.map
org.apache.hadoop.mapreduce.Mapper.run
org.apache.hadoop.mapred.MapTask.runNewMapper
org.apache.hadoop.mapred.MapTask.run
"""
SPILL = """
x.Sums.reduce
org.apache.hadoop.mapreduce.Reducer.run
org.apache.hadoop.mapred.Task$NewCombinerRunner.combine
org.apache.hadoop.mapred.MapTask$MapOutputBuffer$SpillThread.run
"""
MAPPER_THREAD = """
org.apache.hadoop.mapreduce.Mapper.run
org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper$MapRunner.run
"""
BYSTANDER = "java.lang.OutOfMemoryError.<init> java.util.concurrent.SynchronousQueue.take"


@pytest.mark.parametrize("wait", ["jdk.internal.misc.Unsafe.park", "java.lang.Object.wait0"])
@pytest.mark.parametrize(
    ("waits", "works", "place"),
    [("main", "SpillThread", "combine"), ("SpillThread", "main", "map")],
)
def test_of_two_threads_at_work_the_one_that_does_not_wait_is_shown(
    tmp_path: Path, wait: str, waits: str, works: str, place: str
) -> None:
    builder = Builder()
    builder.class_("org.apache.hadoop.mapreduce.Reducer")
    builder.class_("org.apache.hadoop.mapreduce.Mapper")
    stacks = {"IPC": BYSTANDER, "main": MAP_TASK, "SpillThread": SPILL}
    stacks[waits] = f"{wait} {stacks[waits]}"
    for name, text in stacks.items():
        frames = []
        for line in text.split():
            class_name, method = line.rsplit(".", 1)
            builder.class_(class_name)
            frames.append(FrameSpec(class_name, method, "A.java", 1))
        builder.thread(name, frames)
    path = tmp_path / "oom.hprof"
    path.write_bytes(builder.build())
    point = SnapshotPoint(name="oom", at_death=True)

    objects = read_objects(path, user_classes=UserClasses(MAPREDUCE), point=point)

    assert (objects.oom_thread, objects.thread, objects.place) == ("IPC", works, place)


@pytest.mark.parametrize(
    ("in_map", "waiting", "expected"),
    [(3, 2, 3), (1, 4, 1), (0, 5, 1)],
)
def test_as_many_records_are_worked_on_at_once_as_mappers_threads_are_in_map(
    tmp_path: Path, in_map: int, waiting: int, expected: int
) -> None:
    # the task's own thread waits for them; one that emits is in map(), one that reads is not
    emits = "org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper$SubMapRecordWriter.write"
    reads = (
        "org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper$SubMapRecordReader.nextKeyValue"
    )
    stacks = [f"{emits} x.Words.count x.Words.map {MAPPER_THREAD}"] * in_map
    stacks += [f"{reads} {MAPPER_THREAD}"] * waiting
    stacks.append(f"java.lang.Object.wait0 {MAP_TASK}".replace("x.Words.map", ""))
    builder = Builder()
    builder.class_("org.apache.hadoop.mapreduce.Mapper")
    for number, text in enumerate(stacks):
        frames = []
        for line in text.split():
            class_name, method = line.rsplit(".", 1)
            builder.class_(class_name)
            frames.append(FrameSpec(class_name, method, "A.java", 1))
        builder.thread(f"Thread-{number}", frames)
    path = tmp_path / "oom.hprof"
    path.write_bytes(builder.build())
    point = SnapshotPoint(name="oom", at_death=True)

    objects = read_objects(path, user_classes=UserClasses(MAPREDUCE), point=point)

    assert objects.records_at_once == expected
