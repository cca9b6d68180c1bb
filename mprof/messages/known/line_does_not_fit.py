"""A line of the input did not fit into the heap.

What it means
    The heap ran out while the text of one line was made longer. A line is read whole; a file
    without line ends, or with others than the job expects (`textinputformat.record.delimiter`), is
    one line.

What it does not prove
    How long the line is: in a heap that is full already a line of a few kilobytes is the last
    straw.

What to change
    The delimiter, or the file. `mapreduce.input.linerecordreader.line.maxlength` drops longer
    lines without a word in the output, so it is for those who can do without them.

What would tell more
    Look at the longest line of the split that the log names (`Processing split: ...`):
    `hdfs dfs -cat FILE | awk '{ if (length > m) m = length } END { print m }'`.
"""

from __future__ import annotations

from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.examples import out_of_memory
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import heap_is_unseen, stands_on_stack, top_frame

__all__ = ["MESSAGE"]

_TEXT: Final = "org.apache.hadoop.io.Text"
_GROWS: Final = frozenset({"setCapacity", "ensureCapacity", "append"})
_READER: Final = "org.apache.hadoop.util.LineReader"


def _reads(evidence: Evidence) -> Reading | None:
    top = top_frame(evidence)
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence) or top is None:
        return None
    if (
        top.class_name != _TEXT
        or top.method not in _GROWS
        or not stands_on_stack(evidence, _READER)
    ):
        return None
    too_long = evidence.death.kind == "array-limit"
    what = (
        "A line of the input is longer than an array can be"
        if too_long
        else "The heap ran out while more room was made for a line of the input"
    )
    return Reading(
        f"{what}: a file without the line ends that the job expects is one line, however long.",
        "suggests",
        "look at the longest line of the split that the log names (Processing split: ...).",
    )


MESSAGE = Message(
    id="line_does_not_fit",
    title="A line of the input does not fit into the heap",
    reads=_reads,
    sources=(
        Source("1.2", "org.apache.hadoop.io.Text.setCapacity", "byte[] newBytes = new byte[len]"),
        Source("2.2 to 3.5", "org.apache.hadoop.io.Text.append"),
        Source("1.2 to 3.5", "org.apache.hadoop.util.LineReader.readLine",
               "Too many bytes before newline: "),
    ),
    examples=(
        Example("a text that grows under the line reader",
                lambda: out_of_memory("java.util.Arrays.copyOf", f"{_TEXT}.setCapacity",
                                      f"{_TEXT}.append", f"{_READER}.readDefaultLine")),
        Example("a line longer than an array",
                lambda: out_of_memory(f"{_TEXT}.ensureCapacity", f"{_READER}.readLine",
                                      words="Requested array size exceeds VM limit",
                                      kind="array-limit")),
        Example("a text that the job's own code makes longer",
                lambda: out_of_memory(f"{_TEXT}.append", "com.example.Job.map"), speaks=False),
        Example("another object, while a line is read",
                lambda: out_of_memory("java.nio.HeapByteBuffer.<init>", f"{_READER}.readLine"),
                speaks=False),
    ),
    module=__name__,
    causes=("large_single_record",),
)  # fmt: skip
