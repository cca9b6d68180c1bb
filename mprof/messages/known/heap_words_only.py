"""Java heap space, and no frame beside it.

What it means
    The history, the console and the cluster's diagnostics keep the message of an Error without its
    class and frames (`Error: Java heap space`). It says that the heap was full and no more.

What it does not prove
    Where: neither the step of the task nor the code.

What to change
    Nothing yet, where the container has no idle room: see the first aid of the report.

What would tell more
    The container's syslog has the stack: `yarn logs -applicationId APPLICATION`; in Hadoop 1 it
    lies in `userlogs/` on the node of the attempt.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import out_of_memory
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import heap_in_words, heap_is_unseen, logs_command

__all__ = ["MESSAGE"]


def _reads(evidence: Evidence) -> Reading | None:
    death = evidence.death
    watched = evidence.attempt.mode != "none"
    if death.kind != "heap" or death.stack or not heap_is_unseen(evidence) or watched:
        return None
    return Reading(
        f"The heap was full ({heap_in_words(evidence)}); these words do not say where in the task, "
        "nor of what.",
        "suggests",
        f"the stack is in the container's syslog: {logs_command(evidence)}",
    )


MESSAGE = Message(
    id="heap_words_only",
    title="Java heap space, and no frame beside it",
    reads=_reads,
    sources=(
        Source("1.2", "org.apache.hadoop.mapred.Child.main", "Error running child : "),
        Source("1.2", "org.apache.hadoop.mapred.TaskTracker.fatalError", "Error: "),
        Source("2.2 to 3.5", "org.apache.hadoop.mapred.YarnChild.main", "Error running child : "),
        Source("2.2 to 3.5", "org.apache.hadoop.mapred.TaskAttemptListenerImpl.fatalError",
               "Error: "),
    ),
    examples=(
        Example("of a history", out_of_memory),
        Example("a stack is there", lambda: out_of_memory("com.example.Job.map"), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
