"""An open writer for each key.

What it means
    `MultipleOutputs` and `MultipleOutputFormat` keep a writer open for each name until the task
    ends. Each writer of HDFS has a thread and buffers of its own, each of Parquet or ORC a whole
    row group: a name for each key is a file for each key, all open at once.

What it does not prove
    That it filled this heap: see what was measured.

What to change
    Fewer names; or keys in order, and the writer before closed where the key changes (a
    `RecordWriter` of one's own, in a reducer).

What would tell more
    The rows under `recordWriters` in the report of a run with a heap dump (`mprof run`).
"""

from __future__ import annotations

from mprof.evidence import HEAP_KINDS
from mprof.messages.examples import holding, out_of_memory
from mprof.messages.leak import known_leak
from mprof.messages.message import Example, Source

__all__ = ["MESSAGE"]

_NEW = "org.apache.hadoop.mapreduce.lib.output.MultipleOutputs"
_OLD = "org.apache.hadoop.mapred.lib.MultipleOutputs"
_FORMAT = "org.apache.hadoop.mapred.lib.MultipleOutputFormat"
_STREAM = "org.apache.hadoop.hdfs.DFSOutputStream"

MESSAGE = known_leak(
    id="writer_per_key",
    title="An open writer for each key",
    known=(
        "MultipleOutputs and MultipleOutputFormat are known to keep a writer open for each name "
        "until the task ends, with a thread and buffers of its own."
    ),
    cure="Write to fewer names, or close each writer when its key has passed.",
    on_stack=((_NEW, "getRecordWriter"), (_OLD, "getRecordWriter"), (_FORMAT,)),
    holding=(_NEW, _OLD, _FORMAT, _STREAM, f"{_STREAM}$Packet",
             "org.apache.hadoop.hdfs.DFSPacket"),
    kinds=HEAP_KINDS | {"threads", "direct"},
    sources=(
        Source("1.2 to 3.5", f"{_NEW}.getRecordWriter"),
        Source("1.2 to 3.5", f"{_FORMAT}.getRecordWriter"),
    ),
    examples=(
        Example("another writer is opened, and no thread is left",
                lambda: out_of_memory("java.lang.Thread.start0", f"{_STREAM}.start",
                                      f"{_NEW}.getRecordWriter", "com.example.Job.reduce",
                                      words="unable to create new native thread", kind="threads",
                                      side="reduce")),
        Example("writers fill the heap", lambda: holding("java.util.HashMap", held_by=_NEW)),
        Example("an open writer is written to",
                lambda: out_of_memory(f"{_NEW}.write", "com.example.Job.reduce", side="reduce"),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
