"""An ObjectOutputStream that is never reset keeps every object that went through it.

What it means
    `java.io.ObjectOutputStream` remembers every object that was written, so that it can write the
    next reference to it as a number. Its tables grow with every record and keep all of them until
    `reset()` or the end of the stream.

What it does not prove
    That it filled this heap: see what was measured.

What to change
    Call `reset()` every few hundred records; or use Writables, Avro or Kryo instead of Java's
    serialisation.

What would tell more
    The rows under the stream in the report of a run with a heap dump (`mprof run`).
"""

from __future__ import annotations

from mprof.messages.examples import holding, out_of_memory
from mprof.messages.leak import known_leak
from mprof.messages.message import Example, Source

__all__ = ["MESSAGE"]

_STREAM = "java.io.ObjectOutputStream"
_TABLES = (f"{_STREAM}$HandleTable", f"{_STREAM}$ReplaceTable")

MESSAGE = known_leak(
    id="object_output_stream_without_reset",
    title="An ObjectOutputStream without reset()",
    known=(
        "A java.io.ObjectOutputStream is known to keep every object that was written to it until "
        "reset() is called."
    ),
    cure="Call reset() every few hundred records.",
    on_stack=tuple((table,) for table in _TABLES),
    holding=(*_TABLES, _STREAM),
    sources=(Source("JDK", f"{_STREAM}$HandleTable.assign"),),
    examples=(
        Example("its table grows",
                lambda: out_of_memory("java.util.Arrays.copyOf",
                                      f"{_STREAM}$HandleTable.growEntries",
                                      f"{_STREAM}.writeObject", "com.example.Job.map")),
        Example("its table holds most of the heap", lambda: holding(_TABLES[0])),
        Example("it only writes when the heap is full",
                lambda: out_of_memory(f"{_STREAM}.writeObject", "com.example.Job.map"),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
