"""An array longer than the JVM can make.

What it means
    Something asked for an array of more than about 2^31 elements: a text, a buffer or a collection
    that grew by doubling. The heap need not be full, and no -Xmx helps.

What it does not prove
    Which record it was, unless the log names the split and the position.

What to change
    Split the record or the output; let a writer flush before its buffer is 1 GB long.

What would tell more
    The frames say who asked: the first that is no class of the JDK's. `mprof run` tells the record.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import out_of_memory
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import heap_is_unseen, top_frame

__all__ = ["MESSAGE"]


def _reads(evidence: Evidence) -> Reading | None:
    if evidence.death.kind != "array-limit" or not heap_is_unseen(evidence):
        return None
    top = top_frame(evidence)
    line = f":{top.line}" if top is not None and top.line else ""
    who = f" in {top.class_name}.{top.method}{line}" if top is not None else ""
    return Reading(
        f"An array of more than about 2^31 elements was asked for{who}: a larger -Xmx does not "
        "help, one record, text or buffer is too large.",
        "proves",
        "mprof run tells at which record.",
    )


_WORDS = "Requested array size exceeds VM limit"

MESSAGE = Message(
    id="array_limit",
    title="An array longer than the JVM can make",
    reads=_reads,
    sources=(
        Source("HotSpot", "objArrayKlass.cpp, typeArrayKlass.cpp", _WORDS),
        Source("JDK 17 and later", "jdk.internal.util.ArraysSupport.hugeLength",
               "Required length exceeds implementation limit"),
        Source("2.2 to 3.5", "org.apache.hadoop.io.DataOutputBuffer$Buffer.write"),
    ),
    examples=(
        Example("a buffer that is written to",
                lambda: out_of_memory("java.util.Arrays.copyOf",
                                      "org.apache.hadoop.io.DataOutputBuffer$Buffer.write",
                                      "com.example.Job.map", words=_WORDS, kind="array-limit")),
        Example("a heap that is full",
                lambda: out_of_memory("java.util.Arrays.copyOf", "com.example.Job.map"),
                speaks=False),
    ),
    module=__name__,
    causes=("large_single_record", "large_intermediate_results"),
)  # fmt: skip
