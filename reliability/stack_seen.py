"""The stack of the thread that died."""

from __future__ import annotations

from mprof.evidence import StackFrame
from reliability.scene import JOB, Scene, whole

__all__ = ["stack_of"]


def stack_of(scene: Scene) -> tuple[StackFrame, ...]:
    """The dying thread, top first."""
    end, task = scene.end, scene.task
    side = "Mapper" if task.side == "map" else "Reducer"
    hadoop = "org.apache.hadoop."
    below = (
        StackFrame(f"{hadoop}mapreduce.{side}", "run", f"{side}.java", 146),
        StackFrame(f"{hadoop}mapred.{task.side.capitalize()}Task", f"runNew{side}", None, 800),
        StackFrame(f"{hadoop}mapred.YarnChild$2", "run", "YarnChild.java", 178),
    )
    if end.place == "init":
        init = StackFrame(f"{hadoop}mapred.MapTask$MapOutputBuffer", "init", "MapTask.java", 994)
        return (init, *below[1:])
    if end.place == "shuffle":
        names = (("BoundedByteArrayOutputStream", "<init>"), ("Fetcher", "copyMapOutput"))
        return tuple(StackFrame(f"{hadoop}mapreduce.task.reduce.{c}", m) for c, m in names)
    user_bytes = whole(sum(scene.held))
    call = "setup" if end.place == "setup" else task.side
    user = StackFrame(JOB, call, "Job.java", 42, user=True, user_bytes=user_bytes, share=1.0)
    if scene.is_reading:
        if scene.taker == "reader":
            reader = StackFrame("com.example.BlockReader", "nextKeyValue", None, 77, user=True)
        else:
            reader = StackFrame(f"{hadoop}util.LineReader", "readDefaultLine", None, 227)
        nexts = StackFrame(f"{hadoop}mapreduce.task.MapContextImpl", "nextKeyValue", None, 81)
        if task.side == "reduce":
            nexts = StackFrame(f"{hadoop}mapreduce.task.ReduceContextImpl", "nextKeyValue")
        return (reader, nexts, *below)
    top: tuple[StackFrame, ...] = ()
    if end.array:
        top = (
            StackFrame("java.util.Arrays", "copyOf", "Arrays.java", 3512),
            StackFrame("java.util.ArrayList", "grow", "ArrayList.java", 237),
        )
    if scene.taker == "writer":
        write = StackFrame("com.example.BatchWriter", "write", None, 77, user=True)
        return (*top, write, user, *below)
    return (*top, user, *below)
