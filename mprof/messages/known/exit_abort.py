"""Exit code 134, and nothing else.

What it means
    134 is 128 and 6: the JVM ended itself (SIGABRT). It does so at a fault in native code, and with
    `-XX:+CrashOnOutOfMemoryError` where the heap is full.

What it does not prove
    That memory was short.

What to change
    Nothing, before the JVM's own report is read.

What would tell more
    `hs_err_pid*.log` in the task's working folder, or the end of its stdout: the first lines name
    the fault and the library.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import ended
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import exit_code

__all__ = ["MESSAGE"]


def _reads(evidence: Evidence) -> Reading | None:
    if exit_code(evidence) != 134:
        return None
    return Reading(
        "Exit code 134 says that the JVM aborted (SIGABRT): at a fault in native code, or by "
        "-XX:+CrashOnOutOfMemoryError. By itself it is no sign of a lack of memory.",
        "suggests",
        "read hs_err_pid*.log in the task's working folder, or the end of its stdout.",
    )


MESSAGE = Message(
    id="exit_abort",
    title="Exit code 134 (SIGABRT)",
    reads=_reads,
    sources=(
        Source("1.2", "org.apache.hadoop.mapred.TaskRunner.run",
               "Task process exit with nonzero status of 134."),
        Source("2.2 to 3.5", "org.apache.hadoop.yarn.server.nodemanager.containermanager.launcher."
               "ContainerLaunch", "Container exited with a non-zero exit code 134"),
        Source("HotSpot", "vmError.cpp",
               "A fatal error has been detected by the Java Runtime Environment"),
    ),
    examples=(
        Example("of YARN", lambda: ended("Container exited with a non-zero exit code 134",
                                         exit_code=134)),
        Example("another code", lambda: ended("Container exited with a non-zero exit code 1",
                                              exit_code=1), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
