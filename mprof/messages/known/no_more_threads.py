"""The operating system gave no further thread.

What it means
    A limit of processes and threads was met: of the user on the node (`ulimit -u`, all tasks of
    the user together), of the container (`pids.max`), or of the machine. The heap is not what ran
    out.

What it does not prove
    That this task made the threads: another of the same user on the node may have.

What to change
    Use a bounded pool and close it in `cleanup()`; close what starts threads of its own (HDFS
    writers, HTTP clients, JDBC pools). A smaller `-Xss` or heap helps only where memory is short.

What would tell more
    `jstack PID | grep -c '^"'` of a running task, and `cat /proc/PID/limits` on the node.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import out_of_memory
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import top_frame

__all__ = ["MESSAGE"]


def _reads(evidence: Evidence) -> Reading | None:
    if evidence.death.kind != "threads":
        return None
    top = top_frame(evidence)
    who = f" that {top.class_name}.{top.method} asked for" if top is not None else ""
    return Reading(
        f"The operating system refused another thread{who}: a limit of processes was met, of the "
        "user or of the container, and a larger -Xmx does not help.",
        "proves",
        "count the threads of a running task (jstack PID | grep -c '^\"'), and read "
        "/proc/PID/limits on the node.",
    )


_WORDS = "unable to create new native thread"

MESSAGE = Message(
    id="no_more_threads",
    title="No further thread",
    reads=_reads,
    sources=(
        Source("JDK 8 and earlier", "HotSpot jvm.cpp, JVM_StartThread", _WORDS),
        Source("JDK 9 and later", "HotSpot jvm.cpp, JVM_StartThread",
               "unable to create native thread: possibly out of memory or process/resource limits "
               "reached"),
        Source("2.2 to 3.5", "org.apache.hadoop.hdfs.DFSOutputStream.start, a thread a writer"),
    ),
    examples=(
        Example("a writer of HDFS",
                lambda: out_of_memory("java.lang.Thread.start0", "java.lang.Thread.start",
                                      "org.apache.hadoop.hdfs.DFSOutputStream.start",
                                      "com.example.Job.reduce", words=_WORDS, kind="threads",
                                      side="reduce")),
        Example("a full heap", lambda: out_of_memory("java.lang.Thread.start0"), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
