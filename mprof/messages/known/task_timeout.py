"""The task made no progress for too long.

What it means
    The task neither read nor wrote a record, nor reported by itself, for `mapreduce.task.timeout`
    (600 s), and was ended for that.

What it does not prove
    That memory was short: a call that does not return, a slow service or a loop do the same. A full
    heap does it too, where the collector runs all the time.

What to change
    Where work on one record is long, `context.progress()` in it; `mapreduce.task.timeout` only
    where it is known to be so.

What would tell more
    A log of the collector (`-Xlog:gc*`, up to JDK 8 `-verbose:gc`) and `jstack PID` of the task
    while it stands still. `mprof run` sees a heap that is full and names what fills it.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import ended, failed
from mprof.messages.message import Example, Message, Reading, Source
from mprof.trace.timeout import parse_timeout

__all__ = ["MESSAGE"]

_NOT_FULL = "its heap was not full"
"""What the classification of the death says where it knows (`mprof.trace.death`)."""


def _reads(evidence: Evidence) -> Reading | None:
    death = evidence.death
    timeout = parse_timeout(death.message)
    if death.kind != "not-memory" or death.chain or death.stack or timeout is None:
        return None
    sentence = (
        f"The task reported no progress for {timeout.seconds} s (mapreduce.task.timeout) and was "
        "ended for that."
    )
    if _NOT_FULL in death.evidence:
        return Reading(
            f"{sentence} Its heap was not full: a call that does not return, or a loop, does this.",
            "suggests",
            "jstack PID of the task, while it stands still, shows the call.",
        )
    watched = evidence.attempt.mode != "none"
    return Reading(
        f"{sentence} A call that does not return does this, and so does a full heap.",
        "suggests",
        ""
        if watched
        else "mprof run tells which: it sees a heap that is full; jstack PID shows a call that "
        "does not return.",
    )


MESSAGE = Message(
    id="task_timeout",
    title="No progress for too long",
    reads=_reads,
    sources=(
        Source("1.2", "org.apache.hadoop.mapred.TaskTracker.markUnresponsiveTasks",
               "Task ATTEMPT failed to report status for N seconds. Killing!"),
        Source("2.2 to 3.0", "org.apache.hadoop.mapreduce.v2.app.TaskHeartbeatHandler",
               "AttemptID:ATTEMPT Timed out after N secs"),
        Source("3.4, 3.5", "org.apache.hadoop.mapreduce.v2.app.TaskHeartbeatHandler",
               "AttemptID:ATTEMPT task timeout set: Ns, taskTimedOut: true; task stuck timeout "
               "set: Ns, taskStuck: false"),
    ),
    examples=(
        Example("Hadoop 2",
                lambda: ended("AttemptID:attempt_1_0001_m_000000_0 Timed out after 600 secs "
                              "(diagnostics); whether its heap was full is not known")),
        Example("Hadoop 3.4",
                lambda: ended("AttemptID:attempt_1_0001_m_000000_0 task timeout set: 600s, "
                              "taskTimedOut: true; task stuck timeout set: 0s, taskStuck: false")),
        Example("Hadoop 1",
                lambda: ended("Task attempt_1_0001_m_000000_0 failed to report status for 601 "
                              "seconds. Killing!")),
        Example("a timeout of the job's own",
                lambda: failed("java.io.IOException: Timed out after 600 secs"), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
