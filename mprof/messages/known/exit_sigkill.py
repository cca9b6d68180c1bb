"""Exit code 137, and nothing else.

What it means
    137 is 128 and 9: the process was killed without a word (SIGKILL). The kernel does so where the
    machine or a control group has no memory left; the NodeManager does so 250 ms after a SIGTERM
    (`yarn.nodemanager.sleep-delay-before-sigkill.ms`); and so does the JVM option
    `-XX:OnOutOfMemoryError="kill -9 %p"`.

What it does not prove
    Which of them it was.

What to change
    Nothing, before it is known who killed it.

What would tell more
    On the node: `dmesg -T | grep -iE 'killed process|out of memory|oom'` names the process by its
    id where it was the kernel. The NodeManager's log names its own kills.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import ended, failed
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import exit_code, options_name, options_of

__all__ = ["MESSAGE"]


def _reads(evidence: Evidence) -> Reading | None:
    if exit_code(evidence) != 137:
        return None
    name = options_name(evidence)
    options = options_of(evidence) or ""
    if "-XX:OnOutOfMemoryError" in options and "kill" in options:
        return Reading(
            f"Exit code 137 says that the process was killed (SIGKILL); {name} has "
            "-XX:OnOutOfMemoryError with a kill, which does that where the heap is full.",
            "suggests",
            "leave that option out once: the log then has the error and its stack.",
        )
    return Reading(
        "Exit code 137 says that the process was killed (SIGKILL), not by whom: the kernel does so "
        "when the machine or a control group has no memory left, and the NodeManager after a "
        "SIGTERM.",
        "suggests",
        "on the node, dmesg -T | grep -iE 'killed process|out of memory' names what the kernel "
        "killed; the NodeManager's log names its own kills.",
    )


MESSAGE = Message(
    id="exit_sigkill",
    title="Exit code 137 (SIGKILL)",
    reads=_reads,
    sources=(
        Source("1.2", "org.apache.hadoop.mapred.TaskRunner.run",
               "Task process exit with nonzero status of 137."),
        Source("2.2 to 3.5", "org.apache.hadoop.yarn.server.nodemanager.ContainerExecutor"
               ".ExitCode.FORCE_KILLED", "Container killed on request. Exit code is 137"),
        Source("Linux", "mm/oom_kill.c", "Out of memory: Killed process N (java)"),
        Source("Linux", "mm/oom_kill.c", "Memory cgroup out of memory: Killed process N (java)"),
    ),
    examples=(
        Example("of YARN", lambda: ended("Container exited with a non-zero exit code 137",
                                         exit_code=137)),
        Example("of Hadoop 1",
                lambda: failed("java.lang.Throwable: Child Error",
                               "java.io.IOException: Task process exit with nonzero status of "
                               "137.")),
        Example("a task whose options kill it when its heap is full",
                lambda: ended("Container exited with a non-zero exit code 137", exit_code=137,
                              conf={"mapreduce.map.java.opts":
                                    '-Xmx512m -XX:OnOutOfMemoryError="kill -9 %p"'})),
        Example("the same number of a program that Streaming ran",
                lambda: failed("java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): "
                               "subprocess failed with code 137"), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
