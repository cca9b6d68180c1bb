"""A setting of the sort buffer that Hadoop refuses.

What it means
    The map task reads `mapreduce.task.io.sort.mb` as a whole number from 0 to 2047, because the
    buffer is one array; `mapreduce.map.sort.spill.percent` and, in Hadoop 1,
    `io.sort.record.percent` have to be shares. Any other value ends every map task before its
    first record. No memory had run out.

What it does not prove
    That the largest value that is allowed would fit into the heap.

What to change
    The value that the message names.

What would tell more
    Nothing more is wanted.
"""

from __future__ import annotations

from typing import Final

from mprof.evidence import Evidence
from mprof.messages.examples import failed, limits
from mprof.messages.message import Example, Message, Reading, SaidSetting, Source
from mprof.messages.said import error_like, heap_bytes, stands_on_stack
from mprof.units import MIB

__all__ = ["MESSAGE"]

_SORT_MB: Final = "mapreduce.task.io.sort.mb"
_NEW_NAMES: Final = {
    "io.sort.mb": _SORT_MB,
    "io.sort.spill.percent": "mapreduce.map.sort.spill.percent",
}
_DEFAULTS: Final = {
    _SORT_MB: "100",
    "mapreduce.map.sort.spill.percent": "0.8",
    "io.sort.record.percent": "0.05",
}
_MOST_MB: Final = 2047  # (sortmb & 0x7FF) != sortmb
_HALF: Final = 0.5  # of the heap, as for a buffer that does not fit
_TASK: Final = "org.apache.hadoop.mapred.MapTask"


def _reads(evidence: Evidence) -> Reading | None:
    words = r'Invalid "([\w.]+)": (\S{1,40})'
    found = error_like(evidence, r"java\.io\.IOException", words)
    in_buffer = stands_on_stack(evidence, f"{_TASK}$MapOutputBuffer", "init", "<init>")
    in_task = stands_on_stack(evidence, _TASK, "createSortingCollector")
    if found is None or not (in_buffer or in_task):
        return None
    name, value = _NEW_NAMES.get(found[1], found[1]), found[2]
    if name not in _DEFAULTS:
        return None
    allowed = f"a whole number from 0 to {_MOST_MB}" if name == _SORT_MB else "a share up to 1"
    sentence = (
        f"{name}={value} is no value that Hadoop takes ({allowed}), so every map task fails before "
        "its first record: no memory had run out."
    )
    heap, new = heap_bytes(evidence), _DEFAULTS[name]
    if name == _SORT_MB and heap is not None:
        new = str(max(1, min(_MOST_MB, int(_HALF * heap // MIB))))
    text = f"Hadoop's default is {_DEFAULTS[name]}."
    if name == _SORT_MB:
        text += " The buffer has to fit into the heap: half of -Xmx does."
    return Reading(sentence, "proves", settings=(SaidSetting(name, value, new, text),))


_INVALID = 'java.io.IOException: Invalid "mapreduce.task.io.sort.mb": 4096'

MESSAGE = Message(
    id="sort_buffer_invalid",
    title="A setting of the sort buffer is invalid",
    reads=_reads,
    sources=(
        Source("1.2", f"{_TASK}$MapOutputBuffer.<init>", 'Invalid "io.sort.mb": '),
        Source("1.2", f"{_TASK}$MapOutputBuffer.<init>", 'Invalid "io.sort.record.percent": '),
        Source("2.2 to 3.5", f"{_TASK}$MapOutputBuffer.init",
               'Invalid "mapreduce.task.io.sort.mb": '),
        Source("2.2 to 3.5", f"{_TASK}$MapOutputBuffer.init",
               'Invalid "mapreduce.map.sort.spill.percent": '),
        Source("2.7 to 3.5", f"{_TASK}.createSortingCollector",
               "Initialization of all the collectors failed. Error in last collector was:"),
    ),
    examples=(
        Example("4096 MB, Hadoop 3, in -Xmx2048m",
                lambda: failed("java.io.IOException: Initialization of all the collectors failed. "
                               f"Error in last collector was:{_INVALID}", _INVALID,
                               stack=(f"{_TASK}.createSortingCollector",),
                               memory=limits(heap_mb=2048))),
        Example("4096 MB, Hadoop 1",
                lambda: failed('java.io.IOException: Invalid "io.sort.mb": 4096',
                               stack=(f"{_TASK}$MapOutputBuffer.<init>",))),
        Example("the same words in an error of the job's own",
                lambda: failed(_INVALID, stack=("com.example.Job.map", f"{_TASK}.run")),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
