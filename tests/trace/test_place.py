"""The step of the task that a stack in a log shows."""

from __future__ import annotations

import pytest

from mprof.code_site import CodeSite
from mprof.engines import MAPREDUCE
from mprof.trace.place import place_on_stack

MAPPER = """
org.apache.hadoop.mapreduce.Mapper.run
org.apache.hadoop.mapred.MapTask.runNewMapper
org.apache.hadoop.mapred.MapTask.run
"""
RUNNER = """
org.apache.hadoop.mapred.MapRunner.run
org.apache.hadoop.streaming.PipeMapRunner.run
org.apache.hadoop.mapred.MapTask.runOldMapper
"""
SPILL = """
org.apache.hadoop.mapred.MapTask$MapOutputBuffer.sortAndSpill
org.apache.hadoop.mapred.MapTask$MapOutputBuffer$SpillThread.run
"""


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("java.util.HashMap.resize com.x.M.map" + MAPPER, "map"),
        ("com.x.M.setup" + MAPPER, "setup"),
        ("com.x.Parser.setup com.x.M.map" + MAPPER, "map"),
        ("org.apache.hadoop.tools.mapred.CopyMapper.setup" + MAPPER, "setup"),
        ("com.x.M.cleanup" + MAPPER, "cleanup"),
        # org.apache.hadoop.mapred.MapRunner.run closes the mapper in its finally
        ("org.apache.hadoop.streaming.PipeMapRed.mapRedFinished"
         " org.apache.hadoop.streaming.PipeMapper.close" + RUNNER, "cleanup"),
        ("org.apache.hadoop.streaming.PipeMapper.map" + RUNNER, "map"),
        ("org.apache.hadoop.streaming.PipeMapper.configure" + RUNNER, "setup"),
        ("com.x.M.map com.x.M.run org.apache.hadoop.mapred.MapTask.runNewMapper", "map"),
        ("com.x.R.reduce org.apache.hadoop.mapred.ReduceTask.runOldReducer", "reduce"),
        ("com.x.C.reduce org.apache.hadoop.mapreduce.Reducer.run"
         " org.apache.hadoop.mapred.Task$NewCombinerRunner.combine" + SPILL, "combine"),
        (("org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>"
         " org.apache.hadoop.mapreduce.task.reduce.Fetcher.run"), "shuffle"),
        ("org.apache.hadoop.mapred.ReduceTask$ReduceCopier$MapOutputCopier.run", "shuffle"),
        (("org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl.close"
         " org.apache.hadoop.mapreduce.task.reduce.Shuffle.run"), "sort"),
        (("org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init"
         " org.apache.hadoop.mapred.MapTask.createSortingCollector"
         " org.apache.hadoop.mapred.MapTask.runNewMapper"), "init"),
        # what the spill thread sorts is not where the task stands: map() goes on meanwhile
        ("org.apache.hadoop.util.QuickSort.sort" + SPILL, None),
        # the task's own reader, and the end of a task: no frame says more than that it runs
        (("com.x.Reader.initialize"
         " org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader.initialize"
         " org.apache.hadoop.mapred.MapTask.runNewMapper"), None),
        ("java.lang.Thread.run", None),
        ("", None),
    ],
)  # fmt: skip
def test_the_place_is_told_by_what_the_template_called(text: str, place: str | None) -> None:
    stack = [CodeSite(*line.rsplit(".", 1)) for line in text.split()]
    assert place_on_stack(stack, MAPREDUCE) == place
