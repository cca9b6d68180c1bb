"""Stacks written as text, top first, as they stand in dumps and logs of Hadoop 3.4.3 tasks."""

from __future__ import annotations

import pytest

from mprof.code_site import CodeSite
from mprof.engines import MAPREDUCE, Method, StackReading, UserClasses, read_stack

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


def stack(text: str, *task_classes: str) -> StackReading:
    frames = []
    for line in text.split():
        class_name, method = line.rsplit(".", 1)
        frames.append(CodeSite(class_name.removesuffix("."), method))
    return read_stack(frames, UserClasses(MAPREDUCE, frozenset(task_classes)))


def levels(role: StackReading) -> list[str]:
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


@pytest.mark.parametrize("method", ["<init>", "<clinit>"])
def test_what_the_jobs_own_run_makes_is_made_at_any_record(method: str) -> None:
    whole = (
        f"com.acme.Store.{method} com.acme.Own.run org.apache.hadoop.mapred.MapTask.runNewMapper "
        "org.apache.hadoop.mapred.MapTask.run"
    )
    under_the_mapper = f"com.acme.M.{method} {MAP_TASK}"

    assert stack(whole).place == "map"
    assert stack(under_the_mapper).place == "setup"


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


def test_threads_of_the_agent_itself_are_no_probes():
    assert not stack("java.lang.Thread.sleep org.mprof.agent.Copier.run").is_probe


def test_a_probe_on_top_is_none_of_the_jobs_frames():
    read = stack(
        "java.lang.String.concat org.mprof.agent.Dumps.written org.mprof.agent.Probes.record"
        " org.mprof.hadoop.MapInput.read"
        " org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader.nextKeyValue" + MAP_TASK
    )
    assert (read.is_probe, read.probe_frames) == (True, 4)
    read = stack(
        "org.mprof.agent.Probes.record org.mprof.hadoop.ReduceInput.read"
        " org.apache.hadoop.mapreduce.task.ReduceContextImpl.mprof$hook$5"
        " org.apache.hadoop.mapreduce.task.ReduceContextImpl.nextKeyValue"
        " com.acme.R.reduce" + REDUCE_TASK
    )
    assert (read.is_probe, read.probe_frames) == (True, 3)
    assert stack("java.lang.String.concat com.acme.M.map" + MAP_TASK).probe_frames == 0


def test_a_run_that_the_jobs_own_run_calls_is_no_second_task():
    # both are called run(): the mapper's, which the framework calls, and that of a helper of it
    role = stack(
        "com.acme.Worker.run com.acme.M.run"
        " org.apache.hadoop.mapred.MapTask.runNewMapper org.apache.hadoop.mapred.MapTask.run"
    )
    assert levels(role)[:2] == ["callee", "task"]


def test_a_task_that_has_begun_nothing_yet_stands_nowhere_that_its_stack_says():
    begun = "org.apache.hadoop.mapred.MapTask.run org.apache.hadoop.mapred.YarnChild.main"
    read = stack("java.lang.Object.wait " + begun)
    assert (read.place, read.is_task, read.side) == ("other", True, "map")
    assert not stack("java.lang.Object.wait java.lang.Thread.run").is_task


@pytest.mark.parametrize("helper", ["close", "setup", "<init>", "cleanup"])
def test_what_map_calls_is_no_other_method_of_the_template_whatever_its_name(helper: str):
    read = stack(f"com.acme.Parser.{helper} com.acme.M.map" + MAP_TASK)
    assert levels(read)[:2] == ["callee", "map"]
    assert read.place == "map"


def test_a_mapper_that_comes_with_hadoop_is_noticed_where_a_template_calls_it():
    copies = "org.apache.hadoop.tools.mapred.CopyMapper"
    text = f"{copies}.setup" + MAP_TASK
    assert stack(text).at_work == {copies}
    assert levels(stack(text, copies))[0] == "setup"
    assert not stack("com.acme.M.setup" + MAP_TASK).at_work


def test_every_task_and_every_worker_of_the_profile_begins_in_a_method_called_run():
    assert {method.name for method in (*MAPREDUCE.task_frames, *MAPREDUCE.workers)} == {"run"}
    assert MAPREDUCE.beside_user_code <= MAPREDUCE.workers
    assert Method("org.apache.hadoop.mapred.MapTask", "run") in MAPREDUCE.task_frames


def test_what_a_decoder_or_an_encoder_of_the_users_calls_is_a_part_of_it():
    tracking = " org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader.nextKeyValue"
    reading = "com.acme.Block.decode java.util.ArrayList.forEach com.acme.Reader.nextKeyValue"
    assert levels(stack(reading + tracking + MAP_TASK))[:3] == ["decoder", "library", "decoder"]
    writing = "com.acme.Row.cells com.acme.Writer.write"
    direct = " org.apache.hadoop.mapred.MapTask$NewDirectOutputCollector.write"
    role = stack(writing + direct + " com.acme.M.emit com.acme.M.map" + MAP_TASK)
    assert [*levels(role)[:2], *levels(role)[3:5]] == ["encoder", "encoder", "callee", "map"]


def test_the_next_mapper_of_a_chain_is_no_encoder_of_the_one_before():
    role = stack(
        "com.acme.Next.keep com.acme.Next.map"
        " org.apache.hadoop.mapred.lib.Chain$ChainOutputCollector.collect com.acme.First.map"
        " org.apache.hadoop.mapred.lib.ChainMapper.map org.apache.hadoop.mapred.MapRunner.run"
        " org.apache.hadoop.mapred.MapTask.runOldMapper org.apache.hadoop.mapred.MapTask.run"
    )
    assert [*levels(role)[:2], levels(role)[3]] == ["callee", "map", "map"]
    assert role.place == "map"
