"""A map output that a reducer fetched did not fit into its heap.

What it means
    The heap ran out while the shuffle asked for room for one map output: no record had reached
    reduce() yet. The shuffle may fill `mapreduce.reduce.shuffle.input.buffer.percent` of the heap
    (0.70) with map output, and each output is one array, of up to a quarter of that.

What it does not prove
    That the setting alone is to blame: a combiner that runs in the shuffle's merges may keep
    memory too, and a partition that is far larger than the others meets the limit first.

What to change
    `mapreduce.reduce.shuffle.input.buffer.percent` to 0.20: what does not fit is merged on disk,
    which costs time and loses nothing. More reducers make each map output smaller.

What would tell more
    `mprof run` of the same job measures what the shuffle and user code held.
"""

from __future__ import annotations

from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.examples import limits, out_of_memory
from mprof.messages.message import Example, Message, Reading, SaidSetting, Source
from mprof.messages.said import heap_bytes, setting_of, top_frame
from mprof.units import format_bytes, format_ratio

__all__ = ["MESSAGE"]

_SHUFFLE: Final = "org.apache.hadoop.mapreduce.task.reduce."
_FETCHING: Final = frozenset(
    {
        (_SHUFFLE + "InMemoryMapOutput", "<init>"),
        (_SHUFFLE + "MapOutput", "<init>"),
        ("org.apache.hadoop.io.BoundedByteArrayOutputStream", "<init>"),
        ("org.apache.hadoop.mapred.ReduceTask$ReduceCopier$MapOutputCopier", "shuffleInMemory"),
    }
)
_PERCENT: Final = "mapreduce.reduce.shuffle.input.buffer.percent"
_DEFAULT: Final = "0.70"  # MRJobConfig.DEFAULT_SHUFFLE_INPUT_BUFFER_PERCENT, and in Hadoop 1
_SMALL: Final = "0.20"  # the ratio that a user of the study ended with (StackOverflow 19298357)


def _reads(evidence: Evidence) -> Reading | None:
    top = top_frame(evidence)
    if evidence.death.kind not in HEAP_KINDS or top is None:
        return None
    if (top.class_name, top.method) not in _FETCHING:
        return None
    old = setting_of(evidence, _PERCENT)
    heap = heap_bytes(evidence)
    of_heap = f" of a heap of {format_bytes(heap)}" if heap is not None else " of the heap"
    whose = _PERCENT if old is not None else f"Hadoop's default of {_PERCENT}"
    sentence = (
        "A map output that the shuffle was fetching did not fit into the heap, before reduce() had "
        f"a record: the shuffle may fill {old or _DEFAULT}{of_heap} ({whose})."
    )
    small = f", {format_bytes(float(_SMALL) * heap)}" if heap is not None else ""
    text = (
        f"At most {format_ratio(float(_SMALL))} of the heap{small}, for fetched map output: the "
        "rest of it goes to disk, which is slower and loses nothing."
    )
    try:
        is_small = old is not None and float(old) <= float(_SMALL)
    except ValueError:
        is_small = False
    settings = () if is_small else (SaidSetting(_PERCENT, old, _SMALL, text),)
    return Reading(
        sentence, "suggests", "mprof run measures what the shuffle and user code held.", settings
    )


_INPUT = "org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>"
_RUN = "org.apache.hadoop.mapreduce.task.reduce.Fetcher.run"
_ARRAY = "org.apache.hadoop.io.BoundedByteArrayOutputStream.<init>"

MESSAGE = Message(
    id="map_output_does_not_fit",
    title="A fetched map output does not fit into the reducer's heap",
    reads=_reads,
    sources=(
        Source("1.2", "org.apache.hadoop.mapred.ReduceTask$ReduceCopier$MapOutputCopier."
               "shuffleInMemory", "byte[] shuffleData = new byte[mapOutputLength]"),
        Source("2.2 to 3.5", "org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>",
               "byteStream = new BoundedByteArrayOutputStream(size)"),
        Source("2.2 to 3.5", "org.apache.hadoop.mapreduce.task.reduce.Shuffle.run",
               "error in shuffle in fetcher#N"),
    ),
    examples=(
        Example("a fetcher of Hadoop 3, in -Xmx1024m",
                lambda: out_of_memory(_ARRAY, _INPUT, _RUN, side="reduce",
                                      memory=limits(heap_mb=1024))),
        Example("a copier of Hadoop 1",
                lambda: out_of_memory("org.apache.hadoop.mapred.ReduceTask$ReduceCopier"
                                      "$MapOutputCopier.shuffleInMemory", side="reduce")),
        Example("the setting is small already: no other value is named",
                lambda: out_of_memory(_ARRAY, _INPUT, side="reduce", conf={_PERCENT: "0.1"})),
        Example("a combiner that runs in the shuffle's merge",
                lambda: out_of_memory("com.example.Combiner.reduce",
                                      "org.apache.hadoop.mapreduce.task.reduce."
                                      "MergeManagerImpl$InMemoryMerger.merge", side="reduce"),
                speaks=False),
    ),
    module=__name__,
    causes=("large_framework_buffer.shuffle", "improper_partition.few_reducers",
            "improper_partition.unbalanced", "hotspot_key"),
)  # fmt: skip
