"""Whose stack is shown where a bystander ran out of memory first."""

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
