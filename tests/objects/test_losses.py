"""What a dump at death cannot show, in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.hprof_builder import Builder, FrameSpec

from mprof.engines import MAPREDUCE, UserClasses
from mprof.objects import SnapshotPoint, read_objects

TASK = """
org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader.nextKeyValue
org.apache.hadoop.mapreduce.Mapper.run
org.apache.hadoop.mapred.MapTask.runNewMapper
org.apache.hadoop.mapred.MapTask.run
"""
PROBE = "org.mprof.agent.Probes.record org.mprof.hadoop.MapInput.read"
OOM = "java.lang.OutOfMemoryError.<init>"


def losses(folder: Path, *stacks: tuple[str, str]) -> tuple[str, ...]:
    """Of a dump with these threads: name, and methods from the top."""
    builder = Builder()
    for name, text in stacks:
        frames = []
        for line in text.split():
            class_name, method = line.rsplit(".", 1)
            builder.class_(class_name)
            frames.append(FrameSpec(class_name, method, "A.java", 1, []))
        builder.thread(name, frames)
    path = folder / "oom.hprof"
    path.write_bytes(builder.build())
    point = SnapshotPoint(name="oom", at_death=True)
    return read_objects(path, user_classes=UserClasses(MAPREDUCE), point=point).losses


def test_a_heap_that_ran_full_in_a_probe_is_said(tmp_path: Path) -> None:
    (told,) = losses(tmp_path, ("main", f"{OOM} {PROBE} {TASK}"))

    assert told == (
        "the heap ran full in a probe of mprof: the dump at death shows the job as it stood when "
        "that probe began"
    )


@pytest.mark.parametrize(
    "stacks",
    [
        [("main", f"{OOM} com.acme.M.map {TASK}")],
        [("reader", f"{OOM} com.acme.Reader.run"), ("main", f"{PROBE} {TASK}")],
    ],
    ids=["in user code", "in another thread, while a probe was made"],
)
def test_a_probe_that_was_not_the_one_to_fail_is_no_loss(
    tmp_path: Path, stacks: list[tuple[str, str]]
) -> None:
    assert not any("in a probe" in line for line in losses(tmp_path, *stacks))
