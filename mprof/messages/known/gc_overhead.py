"""The collector gave up: nearly all time for nearly no memory.

What it means
    The Parallel collector took more than 98 % of the time and freed less than 2 % of the heap,
    several times in a row. The heap is full, only not to the last byte.

What it does not prove
    What filled it: the frame is of whoever ran when the collector gave up.

What to change
    The same as for `Java heap space`. `-XX:-UseGCOverheadLimit` only makes the task slower before
    it dies.

What would tell more
    A heap dump at the death names what filled it: `mprof run`, or
    `-XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=DIR` in the JVM options.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import holding, out_of_memory
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import heap_in_words, heap_is_unseen

__all__ = ["MESSAGE"]


def _reads(evidence: Evidence) -> Reading | None:
    message = evidence.death.message or ""
    if evidence.death.kind != "gc-overhead" or not heap_is_unseen(evidence):
        return None
    if not message.startswith("GC overhead limit exceeded"):
        return None  # a task that crawled to its timeout, which the report tells by itself
    return Reading(
        f"The collector gave up because the heap was full ({heap_in_words(evidence)}); whoever ran "
        "then need not be what filled it, and -XX:-UseGCOverheadLimit would only prolong it.",
        "suggests",
        "a heap dump at the death names what filled it: mprof run.",
    )


_WORDS = "GC overhead limit exceeded"

MESSAGE = Message(
    id="gc_overhead",
    title="The collector gave up",
    reads=_reads,
    sources=(Source("HotSpot", "gcOverheadChecker.cpp, psScavenge.cpp", _WORDS),),
    examples=(
        Example("in user code",
                lambda: out_of_memory("com.example.Job.map", words=_WORDS, kind="gc-overhead")),
        Example("a dump shows what filled the heap", lambda: holding("java.util.HashMap"),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
