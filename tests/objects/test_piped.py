"""What a thread holds that reads what a child process writes, on heaps built by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.hprof_builder import Builder, FrameSpec

from mprof.engines import MAPREDUCE, UserClasses
from mprof.objects import HeapObjects, HolderKey, SnapshotPoint, read_objects

MIB = 1 << 20
TEXT = "org.apache.hadoop.io.Text"
READER = "org.apache.hadoop.streaming.io.OutputReader"
OUTPUT = "org.apache.hadoop.streaming.PipeMapRed$MROutputThread"
ERRORS = "org.apache.hadoop.streaming.PipeMapRed$MRErrorThread"
MAP_TASK = """
java.io.FileOutputStream.write
org.apache.hadoop.streaming.PipeMapper.map
org.apache.hadoop.mapred.MapRunner.run
org.apache.hadoop.mapred.MapTask.runOldMapper
org.apache.hadoop.mapred.MapTask.run
"""


def heap() -> Builder:
    builder = Builder()
    builder.class_(TEXT, fields={"bytes": "object"})
    builder.class_(READER)
    builder.class_(f"{READER}Text", above=READER, fields={"line": "object"})
    return builder


def text(builder: Builder, mebibytes: int) -> int:
    return builder.instance(TEXT, bytes=builder.primitives("byte", bytes(mebibytes * MIB)))


def objects_of(
    builder: Builder, folder: Path, *pipe: tuple[str, list[int]], oom: str = "Thread-17"
) -> HeapObjects:
    """The heap of a map task whose thread ``oom`` ran out of memory.

    main: MapTask.run ... PipeMapper.map writes to the child; Thread-17: the frames given.
    """
    stacks = {"main": [(line, []) for line in MAP_TASK.split()], "Thread-17": list(pipe)}
    stacks[oom].insert(0, ("java.lang.OutOfMemoryError.<init>", []))
    for name, frames in stacks.items():
        specs = []
        for line, locals_ in frames:
            class_name, method = line.rsplit(".", 1)
            builder.class_(class_name)
            specs.append(FrameSpec(class_name, method, "A.java", 1, locals_))
        builder.thread(name, specs)
    path = folder / "oom.hprof"
    path.write_bytes(builder.build())
    point = SnapshotPoint(name="oom", at_death=True)
    return read_objects(path, user_classes=UserClasses(MAPREDUCE), point=point)


@pytest.mark.parametrize(("entry", "method"), [(OUTPUT, "run"), (OUTPUT, "work"), (ERRORS, "run")])
def test_a_line_without_an_end_is_being_written_and_no_users(
    tmp_path: Path, entry: str, method: str
) -> None:
    builder = heap()
    line = text(builder, 4)

    found = objects_of(
        builder, tmp_path,
        (f"{TEXT}.append", [line]), ("org.apache.hadoop.util.LineReader.readLine", [line]),
        (f"{entry}.{method}", []),
    )  # fmt: skip

    assert found.bytes_of("record_being_written") // MIB == 4
    (holder,) = [one for one in found.holders if one.bytes > MIB]
    assert holder.key == HolderKey("piped", entry)
    assert holder.lifecycle == "none"
    assert found.user_bytes == 0
    assert (found.thread, found.place, found.losses) == ("Thread-17", "map", ())
    assert found.frames[-1].class_name == entry


def test_what_its_reader_keeps_from_record_to_record_counts_too(tmp_path: Path) -> None:
    builder = heap()
    reader = builder.instance(f"{READER}Text", line=text(builder, 3))

    found = objects_of(
        builder, tmp_path, (f"{TEXT}.set", [text(builder, 4)]), (f"{OUTPUT}.run", [reader])
    )

    (holder,) = [one for one in found.holders if one.key.kind == "piped"]
    assert holder.bytes // MIB == 7


def test_it_is_told_whichever_thread_asked_for_the_last_byte(tmp_path: Path) -> None:
    builder = heap()

    found = objects_of(
        builder, tmp_path, (f"{TEXT}.append", [text(builder, 4)]), (f"{OUTPUT}.run", []),
        oom="main",
    )  # fmt: skip

    assert found.thread == "main"
    (holder,) = [one for one in found.holders if one.key.kind == "piped"]
    assert holder.bytes // MIB == 4
