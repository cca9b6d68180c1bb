"""Stacks joined with what their frames hold; written as text, top first."""

from __future__ import annotations

from typing import cast

import pytest

from mprof.engines import MAPREDUCE, UserClasses, read_stack
from mprof.heap import Frame, Heap, Thread
from mprof.objects.stack import TaskThread, read_thread

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
VALUES = "org.apache.hadoop.mapreduce.task.ReduceContextImpl$ValueIterator"


class _Classes:
    """A heap of which only classes and fields are asked.

    Node 7 is a values iterator, 8 an x.Y, 9 a bag that wraps node 7, 10 an iterator that is an
    inner class of the bag, 11 Hadoop's context, 12 an object that holds the bag.
    """

    def class_name(self, node: int) -> str:
        context = "org.apache.hadoop.mapreduce.task.ReduceContextImpl"
        return {7: VALUES, 9: "x.Bag", 10: "x.Bag$1", 11: context, 12: "x.Pack"}.get(node, "x.Y")

    def reference_fields(self, node: int) -> dict[str, int]:
        return {9: {"values": 7}, 10: {"this$0": 9}, 11: {"iterable": 7}, 12: {"bag": 9}}.get(
            node, {}
        )

    def super_classes(self, name: str) -> tuple[str, ...]:
        return ("x.Above", "java.lang.Object") if name == "x.Y" else ("java.lang.Object",)


def stack(text: str, *, locals_: dict[str, tuple[int, ...]] | None = None) -> TaskThread:
    """Reads a stack; ``locals_`` gives nodes by ``Class.method``."""
    frames = []
    for line in text.split():
        class_name, method = line.rsplit(".", 1)
        nodes = (locals_ or {}).get(line, ())
        frames.append(Frame(class_name, method, "()V", "A.java", 1, 0, 0, 0, nodes))
    thread = Thread("main", 1, 0, tuple(frames), False, 1)
    classes = UserClasses(MAPREDUCE)
    reading = read_stack(thread.frames, classes)
    return read_thread(cast("Heap", _Classes()), thread, classes, reading)


def test_the_object_whose_method_runs_is_the_first_local_that_can_be():
    read = stack(
        "x.Y.size x.Above.add com.acme.M.map",
        locals_={"x.Y.size": (7, 8), "x.Above.add": (8,), "com.acme.M.map": (7, 8)},
    )
    assert [frame.this for frame in read.frames] == [8, 8, None]


def test_a_task_that_has_begun_nothing_yet_is_at_its_start():
    begun = "org.apache.hadoop.mapred.MapTask.run org.apache.hadoop.mapred.YarnChild.main"
    assert stack("java.lang.Object.wait " + begun).place == "init"
    assert stack("java.lang.Object.wait java.lang.Thread.run").place == "other"


def test_whoever_called_the_one_that_walks_the_values_walks_too():
    role = stack(
        "com.acme.R.score com.acme.R.readAll com.acme.R.reduce" + REDUCE_TASK,
        locals_={"com.acme.R.readAll": (7,)},
    )
    assert [frame.walks_values for frame in role.frames[:3]] == [False, True, True]


@pytest.mark.parametrize(
    ("local", "walks"), [(9, True), (10, True), (8, False), (11, False), (12, False)]
)
def test_who_walks_an_iterator_that_wraps_that_of_the_values_walks_them(
    local: int, walks: bool
) -> None:
    role = stack(
        "com.acme.Bag$1.next com.acme.R.readAll com.acme.R.reduce" + REDUCE_TASK,
        locals_={"com.acme.R.readAll": (local,)},
    )

    assert [frame.walks_values for frame in role.frames[:3]] == [False, walks, walks]


def test_while_the_next_value_is_fetched_every_user_frame_below_walks():
    role = stack(
        "org.mprof.agent.Probes.record"
        " org.apache.hadoop.mapreduce.task.ReduceContextImpl.nextKeyValue"
        " org.apache.hadoop.mapreduce.task.ReduceContextImpl$ValueIterator.next"
        " com.acme.R.readAll com.acme.R.reduce" + REDUCE_TASK
    )
    assert [frame.walks_values for frame in role.frames[3:5]] == [True, True]
    assert role.is_probe


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
