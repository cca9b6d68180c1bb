"""Stacks written as text, top first, as they stand in dumps of Hadoop 3.4.3 tasks."""

from __future__ import annotations

import pytest

from mprof.heap import Frame, Thread
from mprof.objects.names import UserClasses
from mprof.objects.stack import ThreadRole, is_growth, read_stack

MAP_TASK = """
org.apache.hadoop.mapreduce.Mapper.run
org.apache.hadoop.mapred.MapTask.runNewMapper
org.apache.hadoop.mapred.MapTask.run
org.apache.hadoop.mapred.YarnChild$2.run
org.apache.hadoop.mapred.YarnChild.main
"""
REDUCE_TASK = """
org.apache.hadoop.mapreduce.Reducer.run
org.apache.hadoop.mapred.ReduceTask.runNewReducer
org.apache.hadoop.mapred.ReduceTask.run
org.apache.hadoop.mapred.YarnChild.main
"""
OLD_REDUCE_TASK = """
org.apache.hadoop.mapred.ReduceTask.runOldReducer
org.apache.hadoop.mapred.ReduceTask.run
org.apache.hadoop.mapred.YarnChild.main
"""
SPILL = """
org.apache.hadoop.mapred.MapTask$MapOutputBuffer.sortAndSpill
org.apache.hadoop.mapred.MapTask$MapOutputBuffer$SpillThread.run
"""
COMBINE = """
org.apache.hadoop.mapreduce.Reducer.run
org.apache.hadoop.mapred.Task$NewCombinerRunner.combine
"""
MERGER = """
org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl.combineAndSpill
org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl$InMemoryMerger.merge
org.apache.hadoop.mapreduce.task.reduce.MergeThread.run
"""
VALUES = "org.apache.hadoop.mapreduce.task.ReduceContextImpl$ValueIterator"


def stack(text: str, *, locals_: dict[str, tuple[int, ...]] | None = None) -> ThreadRole:
    """Reads a stack; ``locals_`` gives nodes by ``Class.method``, node 7 is a values iterator."""
    frames = []
    for line in text.split():
        class_name, method = line.rsplit(".", 1)
        class_name = class_name.removesuffix(".")
        nodes = (locals_ or {}).get(line, ())
        frames.append(Frame(class_name, method, "()V", "A.java", 1, 0, 0, 0, nodes))
    thread = Thread("main", 1, 0, tuple(frames), False, 1)
    return read_stack(thread, UserClasses(), lambda node: VALUES if node == 7 else "x.Y")


def levels(role: ThreadRole) -> list[str]:
    return [frame.level for frame in role.frames]


@pytest.mark.parametrize(
    ("text", "place", "side"),
    [
        ("com.acme.M.map com.acme.M.map" + MAP_TASK, "map", "map"),
        ("java.util.HashMap.put com.acme.M.map" + MAP_TASK, "map", "map"),
        ("com.acme.M.setup" + MAP_TASK, "setup", "map"),
        ("com.acme.M.load com.acme.M.setup" + MAP_TASK, "setup", "map"),
        ("com.acme.M.cleanup" + MAP_TASK, "cleanup", "map"),
        ("org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader.nextKeyValue" + MAP_TASK,
         "map", "map"),
        ("com.acme.R.reduce" + REDUCE_TASK, "reduce", "reduce"),
        ("com.acme.R.setup" + REDUCE_TASK, "setup", "reduce"),
        ("com.acme.R.reduce" + OLD_REDUCE_TASK, "reduce", "reduce"),
        ("com.acme.R.close" + OLD_REDUCE_TASK, "cleanup", "reduce"),
        ("com.acme.R.configure org.apache.hadoop.util.ReflectionUtils.setJobConf"
         " org.apache.hadoop.util.ReflectionUtils.newInstance" + OLD_REDUCE_TASK,
         "setup", "reduce"),
        ("com.acme.C.reduce" + COMBINE + SPILL, "combine", "unknown"),
        ("com.acme.C.setup" + COMBINE + SPILL, "combine", "unknown"),
        ("com.acme.C.reduce" + COMBINE + MERGER, "combine", "unknown"),
        ("com.acme.C.reduce org.apache.hadoop.mapred.Task$OldCombinerRunner.combine" + SPILL,
         "combine", "unknown"),
        ("org.apache.hadoop.util.QuickSort.sort" + SPILL, "sort", "unknown"),
        ("org.apache.hadoop.mapred.Merger.merge" + MERGER, "shuffle", "unknown"),
        (("org.apache.hadoop.io.BoundedByteArrayOutputStream..<init>"
         " org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput..<init>"
         " org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl.reserve"
         " org.apache.hadoop.mapreduce.task.reduce.Fetcher.copyMapOutput"
         " org.apache.hadoop.mapreduce.task.reduce.Fetcher.run"), "shuffle", "unknown"),
        (("org.apache.hadoop.mapreduce.task.reduce.InMemoryReader.nextRawKey"
         " org.apache.hadoop.mapred.Merger.merge"
         " org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl.finalMerge"
         " org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl.close"
         " org.apache.hadoop.mapreduce.task.reduce.Shuffle.run"
         " org.apache.hadoop.mapred.ReduceTask.run"), "sort", "reduce"),
        (("org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init"
         " org.apache.hadoop.mapred.MapTask.createSortingCollector"
         " org.apache.hadoop.mapred.MapTask$NewOutputCollector..<init>"
         " org.apache.hadoop.mapred.MapTask.runNewMapper org.apache.hadoop.mapred.MapTask.run"),
         "init", "map"),
        (("org.apache.hadoop.mapred.MapTask$MapOutputBuffer.mergeParts"
         " org.apache.hadoop.mapred.MapTask$MapOutputBuffer.flush"
         " org.apache.hadoop.mapred.MapTask.runNewMapper org.apache.hadoop.mapred.MapTask.run"),
         "sort", "map"),
        ("java.lang.Thread.sleep org.apache.hadoop.mapred.Task$TaskReporter.run", "other",
         "unknown"),
    ],
)  # fmt: skip
def test_place_and_side_follow_from_the_stack(text: str, place: str, side: str):
    role = stack(text)
    assert (role.place, role.side) == (place, side)


def test_the_library_above_user_code_is_told_from_the_frameworks_own():
    role = stack("java.util.HashMap.put com.acme.M.map" + MAP_TASK)
    assert levels(role)[:3] == ["library", "map", "framework"]
    role = stack(
        "java.util.HashMap.put org.apache.hadoop.conf.Configuration.get com.acme.M.map" + MAP_TASK
    )
    assert levels(role)[:3] == ["framework", "framework", "map"]


def test_an_overridden_run_lives_as_long_as_the_task():
    role = stack(
        "com.acme.M.map com.acme.M.run"
        " org.apache.hadoop.mapred.MapTask.runNewMapper org.apache.hadoop.mapred.MapTask.run"
    )
    assert levels(role)[:2] == ["map", "task"]
    assert role.place == "map"


def test_a_users_record_reader_and_writable_read_and_write_records():
    reader = "com.acme.WholeFileReader.nextKeyValue"
    tracking = " org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader.nextKeyValue"
    assert levels(stack(reader + tracking + MAP_TASK))[0] == "decoder"
    serializer = (
        " org.apache.hadoop.io.serializer.WritableSerialization$WritableSerializer.serialize"
    )
    collect = " org.apache.hadoop.mapred.MapTask$MapOutputBuffer.collect"
    role = stack("com.acme.Fat.write" + serializer + collect + " com.acme.M.map" + MAP_TASK)
    assert levels(role)[0] == "encoder"
    assert role.place == "map"


def test_whoever_called_the_one_that_walks_the_values_walks_too():
    role = stack(
        "com.acme.R.score com.acme.R.readAll com.acme.R.reduce" + REDUCE_TASK,
        locals_={"com.acme.R.readAll": (7,)},
    )
    assert [frame.walks_values for frame in role.frames[:3]] == [False, True, True]


def test_while_the_next_value_is_fetched_every_user_frame_below_walks():
    role = stack(
        "org.mprof.agent.Probes.record"
        " org.apache.hadoop.mapreduce.task.ReduceContextImpl.nextKeyValue"
        " org.apache.hadoop.mapreduce.task.ReduceContextImpl$ValueIterator.next"
        " com.acme.R.readAll com.acme.R.reduce" + REDUCE_TASK
    )
    assert [frame.walks_values for frame in role.frames[3:5]] == [True, True]
    assert role.is_probe


def test_threads_of_the_agent_itself_are_no_probes():
    assert not stack("java.lang.Thread.sleep org.mprof.agent.Copier.run").is_probe


def test_a_probe_on_top_is_none_of_the_jobs_frames():
    role = stack(
        "java.lang.String.concat org.mprof.agent.Dumps.written org.mprof.agent.Probes.record"
        " org.mprof.hadoop.MapInput.read"
        " org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader.nextKeyValue" + MAP_TASK
    )
    below = [frame.frame.method for frame in role.frames_below_probe]
    assert below[:2] == ["nextKeyValue", "run"]
    role = stack(
        "org.mprof.agent.Probes.record org.mprof.hadoop.ReduceInput.read"
        " org.apache.hadoop.mapreduce.task.ReduceContextImpl.mprof$hook$5"
        " org.apache.hadoop.mapreduce.task.ReduceContextImpl.nextKeyValue"
        " com.acme.R.reduce" + REDUCE_TASK
    )
    below = [frame.frame.method for frame in role.frames_below_probe]
    assert below[:2] == ["nextKeyValue", "reduce"]
    without = stack("java.lang.String.concat com.acme.M.map" + MAP_TASK)
    assert without.frames_below_probe == without.frames


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("java.lang.Thread.sleep org.apache.hadoop.mapred.Task$TaskReporter.run", False),
        ("java.lang.Object.wait org.apache.hadoop.ipc.Client$Connection.run", False),
        ("org.mprof.agent.Copier.run", False),
        ("java.util.ArrayList.add com.acme.Loader.run java.lang.Thread.run", True),
        ("org.apache.hadoop.mapreduce.task.reduce.Fetcher.run", True),
        ("com.acme.M.map" + MAP_TASK, True),
    ],
)
def test_which_stacks_tell_of_the_job(text: str, tells: bool):
    assert stack(text).tells is tells


def test_a_run_that_the_jobs_own_run_calls_is_no_second_task():
    # both are called run(): the mapper's, which the framework calls, and that of a helper of it
    role = stack(
        "com.acme.Worker.run com.acme.M.run"
        " org.apache.hadoop.mapred.MapTask.runNewMapper org.apache.hadoop.mapred.MapTask.run"
    )
    assert levels(role)[:2] == ["callee", "task"]


def test_a_task_that_has_begun_nothing_yet_is_at_its_start():
    begun = "org.apache.hadoop.mapred.MapTask.run org.apache.hadoop.mapred.YarnChild.main"
    assert stack("java.lang.Object.wait " + begun).place == "init"
    assert stack("java.lang.Object.wait java.lang.Thread.run").place == "other"


@pytest.mark.parametrize(
    "method", ["resize", "grow", "ensureCapacityInternal", "copyOf", "expandCapacity", "rehash"]
)
def test_methods_that_enlarge_a_container_are_known_by_name(method: str):
    assert is_growth(method)
    assert not is_growth("put")
