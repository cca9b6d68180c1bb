"""An exit code by which a program says that it failed: 1, 3, 255, and their like.

What it means
    The process ended by itself. 255 is what Hadoop's own handler leaves where a thread dies of an
    Error, an OutOfMemoryError too (`YarnUncaughtExceptionHandler`: `ExitUtil.halt(-1)`), and what
    `System.exit(-1)` of the job's code leaves; 3 is what `-XX:+ExitOnOutOfMemoryError` leaves; 1
    is what `java` leaves where it could not start (a wrong option, a heap larger than the machine)
    or its main method threw. `Exception from container-launch` beside it is only where the
    NodeManager noticed.

What it does not prove
    Anything about memory: the reason is in the container's own logs.

What to change
    Nothing, before those are read.

What would tell more
    `yarn logs -applicationId APPLICATION`: the end of stderr and of syslog of the container.
"""

from __future__ import annotations

from typing import Final

from mprof.evidence import Evidence
from mprof.messages.examples import ended
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import exit_code, logs_command

__all__ = ["MESSAGE"]

_SAYS: Final = {
    1: "1 is what java leaves where it could not start, or its main method threw",
    3: "3 is what -XX:+ExitOnOutOfMemoryError leaves where the heap is full, and so may other code",
    255: "255 is what Hadoop leaves where a thread dies of an Error, an OutOfMemoryError or any "
    "other",
}


def _reads(evidence: Evidence) -> Reading | None:
    code = exit_code(evidence)
    if code is None or not 0 < code < 256 or code in (134, 137, 143):
        return None
    says = _SAYS.get(code, f"{code} is the program's own, or that of a signal")
    return Reading(
        f"The exit code alone says no more than that the process failed: {says}. The reason is in "
        "the container's own logs.",
        "suggests",
        f"read the end of the container's stderr and syslog: {logs_command(evidence)}",
    )


MESSAGE = Message(
    id="exit_failure",
    title="An exit code and no reason",
    reads=_reads,
    sources=(
        Source("1.2", "org.apache.hadoop.mapred.TaskRunner.run",
               "Task process exit with nonzero status of N."),
        Source("2.2 to 3.5", "org.apache.hadoop.yarn.server.nodemanager."
               "DefaultContainerExecutor.launchContainer", "Exception from container-launch"),
        Source("2.2 to 3.5", "org.apache.hadoop.yarn.YarnUncaughtExceptionHandler",
               "Halting due to Out Of Memory Error..."),
        Source("JDK 8u92 and later", "HotSpot debug.cpp",
               "Terminating due to java.lang.OutOfMemoryError: "),
    ),
    examples=(
        Example("255", lambda: ended("Container exited with a non-zero exit code 255",
                                     exit_code=255)),
        Example("1", lambda: ended("Exit code: 1", exit_code=1)),
        Example("a code of YARN's own", lambda: ended("Exit code is -105", exit_code=-105),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
