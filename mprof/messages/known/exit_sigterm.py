"""Exit code 143, and nothing else.

What it means
    143 is 128 and 15: somebody asked the process to end (SIGTERM). The NodeManager does so to
    every container that it stops: at the end of the job, for preemption, because the application
    master no longer wants the attempt or has waited too long for it, and for memory.

What it does not prove
    That it was for memory: a kill for memory says so in the same diagnostics (`running beyond
    physical memory limits`).

What to change
    Nothing, before it is known who asked.

What would tell more
    The NodeManager's log and the application master's syslog name the container and the reason.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import ended, failed
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import exit_code, logs_command

__all__ = ["MESSAGE"]


def _reads(evidence: Evidence) -> Reading | None:
    if exit_code(evidence) != 143:
        return None
    return Reading(
        "Exit code 143 says that somebody asked the process to end (SIGTERM), not why. A kill for "
        "memory is named as such, here or in the NodeManager's log; this alone is no sign of one.",
        "suggests",
        "search the NodeManager's log for the container's id, and the application master's syslog "
        f"for the attempt's: {logs_command(evidence)} -am ALL",
    )


MESSAGE = Message(
    id="exit_sigterm",
    title="Exit code 143 (SIGTERM)",
    reads=_reads,
    sources=(
        Source("1.2", "org.apache.hadoop.mapred.TaskRunner.run",
               "Task process exit with nonzero status of 143."),
        Source("2.2 to 3.5", "org.apache.hadoop.yarn.server.nodemanager.ContainerExecutor"
               ".ExitCode.TERMINATED", "Container killed on request. Exit code is 143"),
        Source("2.2 to 3.5", "org.apache.hadoop.yarn.server.nodemanager.containermanager.launcher."
               "ContainerLaunch", "Container exited with a non-zero exit code 143"),
    ),
    examples=(
        Example("of YARN", lambda: ended("Container exited with a non-zero exit code 143",
                                         exit_code=143)),
        Example("of Hadoop 1",
                lambda: failed("java.lang.Throwable: Child Error",
                               "java.io.IOException: Task process exit with nonzero status of "
                               "143.")),
        Example("beside a kill for memory",
                lambda: ended("running beyond physical memory limits", kind="container-physical",
                              exit_code=143), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
