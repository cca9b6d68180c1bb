"""The map task's sort buffer does not fit into its heap.

What it means
    The map task asks for its whole sort buffer, `mapreduce.task.io.sort.mb`, in one array before
    the first record is read. The heap, `-Xmx`, had no room for an array of that size: no record
    and no user code had a part in it, and the task dies in the same way on every node.

What it does not prove
    How much the mapper itself will need once the buffer fits.

What to change
    Set `mapreduce.task.io.sort.mb` to half of `-Xmx` or less, or `-Xmx` to twice the buffer or
    more and `mapreduce.map.memory.mb` to a quarter above `-Xmx`. One array has to stand in the old
    generation of Serial and Parallel, which is two thirds of the heap by default (`NewRatio=2`).

What would tell more
    Nothing more is wanted. With the job's configuration (`job_..._conf.xml`) at hand both values
    are in the report.
"""

from __future__ import annotations

from dataclasses import replace

from mprof.evidence import HEAP_KINDS, Evidence, MapBuffer, known
from mprof.messages.examples import limits, out_of_memory
from mprof.messages.message import Example, Message, Reading, SaidSetting, Source
from mprof.messages.said import heap_bytes, heap_in_words, setting_of, top_frame
from mprof.threshold import Threshold
from mprof.units import MIB

__all__ = ["BUFFER_OF_HEAP", "MESSAGE"]

BUFFER_OF_HEAP = Threshold(
    "buffer of the heap",
    0.5,
    "share of -Xmx",
    "one array has to stand in the old generation, two thirds of the heap with Serial and "
    "Parallel; Hadoop's own defaults are 100 MB in 200 MB",
)

_SORT_MB = "mapreduce.task.io.sort.mb"
_BUFFER = "org.apache.hadoop.mapred.MapTask$MapOutputBuffer"
_LEAST_MB = 8


def _reads(evidence: Evidence) -> Reading | None:
    top = top_frame(evidence)
    at_buffer = top is not None and top.class_name == _BUFFER and top.method in {"init", "<init>"}
    if evidence.death.kind not in HEAP_KINDS or not at_buffer:
        return None
    size_mb, heap = _size_mb(evidence), heap_bytes(evidence)
    buffer = f"{_SORT_MB}={size_mb}" if size_mb is not None else _SORT_MB
    sentence = (
        f"The sort buffer ({buffer}) does not fit into the heap ({heap_in_words(evidence)}): it is "
        "allocated whole before the first record, so neither the data nor user code is to blame."
    )
    if heap is None:
        least = f"{_at_least_mb(size_mb)} MB" if size_mb is not None else "twice the buffer"
        return Reading(
            f"{sentence} It fits where it is at most half of -Xmx, or -Xmx is {least} or more.",
            "proves",
            "read both values in the job's configuration: job_..._conf.xml beside its history.",
        )
    fits_mb = int(BUFFER_OF_HEAP.value * heap // MIB)
    if size_mb is not None and size_mb <= fits_mb:
        # by these settings it would have fitted: something else had filled the heap before
        return replace(Reading(sentence, "suggests"), sentence=_although(size_mb, heap))
    or_heap = ""
    if size_mb is not None:
        or_heap = (
            f" Or keep the buffer, with -Xmx{_at_least_mb(size_mb)}m in mapreduce.map.java.opts "
            "and a quarter more than that in mapreduce.map.memory.mb."
        )
    old = setting_of(evidence, _SORT_MB) or (str(size_mb) if size_mb is not None else None)
    new = str(max(_LEAST_MB, fits_mb))
    text = f"A sort buffer of {new} MB fits into this heap, and spills more often.{or_heap}"
    return Reading(sentence, "proves", settings=(SaidSetting(_SORT_MB, old, new, text),))


def _size_mb(evidence: Evidence) -> int | None:
    buffer = known(evidence.map_buffer)
    if buffer is not None:
        return buffer.requested_bytes // MIB
    said = setting_of(evidence, _SORT_MB) or ""
    return int(said) if said.isdecimal() and len(said) < 5 else None


def _at_least_mb(size_mb: int) -> int:
    return int(size_mb / BUFFER_OF_HEAP.value)


def _although(size_mb: int, heap: int) -> str:
    return (
        f"The heap ran out while the sort buffer of {size_mb} MB was allocated, which a heap of "
        f"-Xmx{heap // MIB}m usually has room for: something had filled it before, such as the "
        "input format or another task in the same JVM."
    )


def _died(size_mb: int, heap_mb: int | None, frame: str) -> Evidence:
    return out_of_memory(
        f"{_BUFFER}.{frame}",
        "org.apache.hadoop.mapred.MapTask.run",
        memory=limits(heap_mb=heap_mb),
        map_buffer=MapBuffer(size_mb * MIB, allocated=False),
        place="init",
    )


MESSAGE = Message(
    id="sort_buffer_does_not_fit",
    title="The sort buffer does not fit into the heap",
    reads=_reads,
    sources=(
        Source("1.2", "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.<init>",
               "kvbuffer = new byte[maxMemUsage - recordCapacity]"),
        Source("2.2 to 3.5", "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init",
               "kvbuffer = new byte[maxMemUsage]"),
    ),
    examples=(
        Example("400 MB in -Xmx256m, Hadoop 3", lambda: _died(400, 256, "init")),
        Example("100 MB in a heap that nothing tells, Hadoop 1",
                lambda: _died(100, None, "<init>")),
        Example("100 MB in -Xmx1024m: something else had filled it",
                lambda: _died(100, 1024, "init")),
        Example("a class of the job's that is called the same",
                lambda: out_of_memory("com.example.MapOutputBuffer.init", "com.example.Job.setup"),
                speaks=False),
        Example("a class of the job's that the buffer makes",
                lambda: out_of_memory("com.example.Partitioner.<init>", f"{_BUFFER}.init"),
                speaks=False),
    ),
    module=__name__,
    causes=("large_framework_buffer.map",),
)  # fmt: skip
