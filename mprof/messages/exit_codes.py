"""An exit code is all that a task left."""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import Evidence
from mprof.exit_code import signal_of
from mprof.messages.message import Reading, Source, message
from mprof.messages.said import (
    exit_code,
    is_of_a_task,
    logs_command,
    options_name,
    options_of,
    setting_of,
)
from mprof.messages.spark_exit_codes import code_of_spark
from mprof.trace import killed_in_words
from mprof.units import MIB, format_bytes

__all__ = ["EXIT_SAYS", "MESSAGES", "YARN_SAYS"]


@message(
    "Exit code 143 (SIGTERM)",
    Source(
        "1.2",
        "org.apache.hadoop.mapred.TaskRunner.run",
        "Task process exit with nonzero status of 143.",
    ),
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.yarn.server.nodemanager.ContainerExecutor.ExitCode.TERMINATED",
        "Container killed on request. Exit code is 143",
    ),
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.yarn.server.nodemanager.containermanager.launcher.ContainerLaunch",
        "Container exited with a non-zero exit code 143",
    ),
    Source(
        "Spark 1.6 to 4.3",
        "org.apache.spark.deploy.yarn.YarnSparkHadoopUtil.addOutOfMemoryErrorArgument",
        "-XX:OnOutOfMemoryError='kill %p'",
    ),
)
def exit_sigterm(evidence: Evidence) -> Reading | None:
    """Exit code 143, and nothing else.

    What it means
        143 is 128 and 15: somebody asked the process to end (SIGTERM). The NodeManager does so to
        every container that it stops: at the end of the job, for preemption, because the
        application master no longer wants the attempt or has waited too long for it, and for
        memory. Spark starts executors on YARN with `-XX:OnOutOfMemoryError='kill %p'`: one whose
        heap is full sends itself the same signal.

    What it does not prove
        That it was for memory: a kill for memory says so in the same diagnostics (`running beyond
        physical memory limits`).

    What to change
        Nothing, before it is known who asked.

    What would tell more
        The NodeManager's log and the application master's syslog name the container and the reason.
    """
    if exit_code(evidence) != 143:
        return None
    program = evidence.death.program
    if program is not None and program.id == "spark-executor" and not evidence.death.in_pod:
        return Reading(
            "Exit code 143 says that the process was asked to end (SIGTERM), not why. An executor "
            "of Spark on YARN sends itself that signal where its heap is full "
            "(-XX:OnOutOfMemoryError='kill %p', which Spark sets), and then has an "
            "OutOfMemoryError in its stderr or stdout; else the NodeManager asked: for "
            "preemption, or because the application no longer wanted it. A kill for memory beyond "
            "the heap is named as such.",
            "suggests",
            f"{logs_command(evidence)} -log_files stderr,stdout: the end of what this container "
            "wrote says which (OutOfMemoryError, or RECEIVED SIGNAL TERM alone); then the "
            "NodeManager's log, for the container's id.",
        )
    return Reading(
        "Exit code 143 says that somebody asked the process to end (SIGTERM), not why. A kill for "
        "memory is named as such, here or in the NodeManager's log; this alone is no sign of one.",
        "suggests",
        "search the NodeManager's log for the container's id, and the application master's syslog "
        f"for the attempt's: {logs_command(evidence)}",
    )


@message(
    "Exit code 137 (SIGKILL)",
    Source(
        "1.2",
        "org.apache.hadoop.mapred.TaskRunner.run",
        "Task process exit with nonzero status of 137.",
    ),
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.yarn.server.nodemanager.ContainerExecutor.ExitCode.FORCE_KILLED",
        "Container killed on request. Exit code is 137",
    ),
    Source("Linux", "mm/oom_kill.c", "Out of memory: Killed process N (java)"),
    Source("Linux", "mm/oom_kill.c", "Memory cgroup out of memory: Killed process N (java)"),
)
def exit_sigkill(evidence: Evidence) -> Reading | None:
    """Exit code 137, and nothing else.

    What it means
        137 is 128 and 9: the process was killed without a word (SIGKILL). The kernel does so where
        the machine or a control group has no memory left; the NodeManager does so 250 ms after a
        SIGTERM (`yarn.nodemanager.sleep-delay-before-sigkill.ms`), and at once where all containers
        of the node together have no memory left (`killed by elastic cgroups OOM handler` in its
        log); and so does the JVM option `-XX:OnOutOfMemoryError="kill -9 %p"`.

    What it does not prove
        Which of them it was.

    What to change
        Nothing, before it is known who killed it.

    What would tell more
        On the node: `dmesg -T | grep -iE 'killed process|out of memory|oom'` names the process by
        its id where it was the kernel. The NodeManager's log names its own kills.
    """
    if exit_code(evidence) != 137:
        return None
    kills = evidence.death.kernel_kills
    if kills and all(one.of_group for one in kills):
        return Reading(
            "Exit code 137 says that the process was killed (SIGKILL). "
            f"{killed_in_words(kills)} All processes of the group count together: the JVM, its "
            "heap and what is beside it, and every child.",
            "suggests",
            "the limit of its container is what was reached: compare it with -Xmx and with what "
            "child processes take. A larger heap in the same container leaves them less.",
        )
    if kills:
        which = (
            " Whether that was this process, or one that it had started, its id would say."
            if len(kills) == 1
            else ""
        )
        return Reading(
            "Exit code 137 says that the process was killed (SIGKILL). "
            f"{killed_in_words(kills)}{which}{_of_the_node(evidence)}",
            "suggests",
            "the containers of a node together, with what else runs there, need more than it has: "
            "a smaller yarn.nodemanager.resource.memory-mb on that node (then start its "
            "NodeManager again), or smaller heaps of what runs beside it.",
        )
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
        "SIGTERM, or at once where all containers of a node together have none left (its OOM "
        "handler).",
        "suggests",
        "on the node, dmesg -T | grep -iE 'killed process|out of memory' names what the kernel "
        "killed; the NodeManager's log names its own kills.",
    )


@message(
    "Exit code 134 (SIGABRT)",
    Source(
        "1.2",
        "org.apache.hadoop.mapred.TaskRunner.run",
        "Task process exit with nonzero status of 134.",
    ),
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.yarn.server.nodemanager.containermanager.launcher.ContainerLaunch",
        "Container exited with a non-zero exit code 134",
    ),
    Source(
        "HotSpot", "vmError.cpp", "A fatal error has been detected by the Java Runtime Environment"
    ),
)
def exit_abort(evidence: Evidence) -> Reading | None:
    """Exit code 134, or the head of the JVM's report on its crash.

    What it means
        134 is 128 and 6: the JVM ended itself (SIGABRT). It does so at a fault in native code, and
        with `-XX:+CrashOnOutOfMemoryError` where the heap is full. The head of its report names the
        signal (`SIGSEGV`, `SIGBUS`) and the problematic frame: `C` is a library of native code, `V`
        the JVM, `J` and `j` a method in Java.

    What it does not prove
        That memory was short.

    What to change
        Nothing, before the JVM's own report is read.

    What would tell more
        `hs_err_pid*.log` in the task's working folder, or the end of its stdout: the first lines
        name the fault and the library.
    """
    code, crash = exit_code(evidence), evidence.death.crash
    if crash is not None and crash.signal:
        signalled = f"Exit code {code} is that of a crash: the" if code is not None else "The"
        where = f", in {crash.frame}" if crash.frame else ""
        native = crash.frame.startswith("C ")
        library = " That is a library of native code." if native else ""
        return Reading(
            f"{signalled} JVM died of {crash.signal}{where}, as its own report says. That is a "
            f"fault in what ran there, and by itself no sign of a lack of memory.{library}",
            "proves",
            "another version of that library, or the job without it, shows whether it is the fault."
            if native
            else "hs_err_pid*.log, which the report names, has the stack of that thread.",
        )
    if code != 134:
        return None
    return Reading(
        "Exit code 134 says that the JVM aborted (SIGABRT): at a fault in native code, or by "
        "-XX:+CrashOnOutOfMemoryError. By itself it is no sign of a lack of memory.",
        "suggests",
        "read hs_err_pid*.log in the task's working folder, or the end of its stdout.",
    )


def _of_the_node(evidence: Evidence) -> str:
    """What all containers of a node may take, beside what a text says that it has and runs."""
    said = setting_of(evidence, _OF_CONTAINERS) or ""
    if not said.isdecimal() or len(said) > _DIGITS:
        return ""
    containers, node = int(said) * MIB, evidence.death.node
    together = (
        f" All containers of the node may take {format_bytes(containers)} together "
        f"({_OF_CONTAINERS}={said}), however large each is."
    )
    if node is None or node.machine_bytes is None:
        return together
    others = sum(node.heaps_bytes)
    if containers + others <= node.machine_bytes:
        return together
    heaps = f", with the heaps of {' and '.join(map(format_bytes, node.heaps_bytes))} beside them"
    return (
        f"{together} That{heaps if others else ''}, is {format_bytes(containers + others)}, more "
        f"than the {format_bytes(node.machine_bytes)} that the text gives the machine: its "
        "containers have to be fewer."
    )


_OF_CONTAINERS: Final = "yarn.nodemanager.resource.memory-mb"
_DIGITS: Final = 9  # of a number of MB


EXIT_SAYS: Final = {
    126: "126 is what a shell leaves where it may not execute the program",
    127: "127 is what a shell leaves where it did not find the program, java as a rule (JAVA_HOME)",
    1: "1 is what java leaves where it could not start, where its main method threw, or where code "
    "in it called System.exit(1)",
    3: "3 is what -XX:+ExitOnOutOfMemoryError leaves where the heap is full, and so may other code",
    255: "255 is what Hadoop leaves where a thread dies of an Error, an OutOfMemoryError or any "
    "other",
}


_OF_TASKS: Final = {
    65: "65 is what a task of MapReduce leaves whose thread that reports its progress failed three "
    "times in a row: its TaskTracker or application master was not reached, or the thread met an "
    "error of its own, an OutOfMemoryError too",
    66: "66 is what a task of MapReduce leaves whose TaskTracker or application master did not "
    "know it any more",
    69: "69 is what a task of MapReduce leaves that exceeded a limit which it watches itself",
}
"""``org.apache.hadoop.mapred.Task.TaskReporter.run``."""
_OF_REPORTER: Final = {
    65: "in its syslog the lines Communication exception: name what the thread met",
    66: "in its syslog stands Parent died.; the parent's own log says why it gave the task up",
    69: "in its syslog Task exceeded the limits: names the limit",
}


@message(
    "An exit code and no reason",
    Source(
        "1.2",
        "org.apache.hadoop.mapred.TaskRunner.run",
        "Task process exit with nonzero status of N.",
    ),
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.yarn.server.nodemanager.DefaultContainerExecutor.launchContainer",
        "Exception from container-launch",
    ),
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.yarn.YarnUncaughtExceptionHandler",
        "Halting due to Out Of Memory Error...",
    ),
    Source(
        "JDK 8u92 and later", "HotSpot debug.cpp", "Terminating due to java.lang.OutOfMemoryError: "
    ),
    Source("1.2 to 3.5", "org.apache.hadoop.mapred.Task$TaskReporter.run", "Last retry, killing "),
    Source("Spark 1.0 to 4.0", "org.apache.spark.executor.ExecutorExitCode", "50 to 56"),
)
def exit_failure(evidence: Evidence) -> Reading | None:
    """An exit code by which a program says that it failed: 1, 3, 255, and their like.

    What it means
        The process ended by itself. 255 is what Hadoop's own handler leaves where a thread dies of
        an Error, an OutOfMemoryError too (`YarnUncaughtExceptionHandler`: `ExitUtil.halt(-1)`), and
        what `System.exit(-1)` of the job's code leaves; 3 is what `-XX:+ExitOnOutOfMemoryError`
        leaves; 1 is what `java` leaves where it could not start (a wrong option, a heap larger than
        the machine), where its main method threw, or where code in it called `System.exit(1)`, as
        an executor of Spark does that has lost its driver. Of a task of MapReduce 65, 66 and 69 are
        left by the thread that reports its progress: it failed three times, the parent did not know
        the task any more, or the task exceeded a limit of its own. An executor of Spark leaves 50
        for an exception that nothing caught, 52 for an OutOfMemoryError, 53 where it could make no
        folder on a local disk, 56 where its driver did not take its heartbeats. `Exception from
        container-launch` beside it is only where the NodeManager noticed. 128 and the number of a
        signal is what a signal leaves: 139 is SIGSEGV, a fault in native code.

    What it does not prove
        Anything about memory: the reason is in the container's own logs.

    What to change
        Nothing, before those are read.

    What would tell more
        `yarn logs -applicationId APPLICATION`: the end of stderr and of syslog of the container.
    """
    code = exit_code(evidence)
    if code is None or not 0 < code < 256 or code in (134, 137, 143):
        return None
    signal = signal_of(code)
    if signal is not None:
        return Reading(
            f"Exit code {code} is 128 and {code - 128}, as a signal leaves it: "
            f"{signal}{_OF_SIGNALS.get(signal, '')}. By itself it is no sign of a lack of memory.",
            "suggests",
            f"read the end of its own logs (stderr and stdout): {logs_command(evidence)}",
        )
    of_tasks = _OF_TASKS if is_of_a_task(evidence) else {}
    of_spark = code_of_spark(evidence.death.program, code)
    says = of_tasks.get(code) or of_spark or EXIT_SAYS.get(code, f"{code} is the program's own")
    look = f"; {_OF_REPORTER[code]}" if code in of_tasks else ""
    return Reading(
        f"The exit code alone says no more than that the process failed: {says}. The reason is in "
        "the container's own logs.",
        "suggests",
        f"read the end of its own logs (stderr, and syslog of a task): {logs_command(evidence)}"
        f"{look}",
    )


_OF_SIGNALS: Final = {
    "SIGSEGV": ", a fault in native code, of a library or of the JVM, which leaves hs_err_pid*.log",
    "SIGBUS": ", a mapped file that could not be read or extended, such as on a full disk",
    "SIGILL": ", native code that is not of this processor",
    "SIGXCPU": ", its limit of CPU time (ulimit -t)",
    "SIGXFSZ": ", its limit of the size of a file (ulimit -f)",
}
_MORE_IS_SAID: Final = re.compile(r"\bpreempted\b|on a \*lost\* node")
_ASKED_FOR: Final = frozenset({-105, -106, -107})
YARN_SAYS: Final = {
    -100: "it was released, or its node was lost",
    -101: "the disks of the node failed",
    -102: "the scheduler took it back (preemption)",
    -105: "the application master ended it",
    -106: "the ResourceManager ended it",
    -107: "the ResourceManager did so at the end of the application",
    -108: "the NodeManager ended it in favour of another container",
}
"""``org.apache.hadoop.yarn.api.records.ContainerExitStatus``."""
_LOOK: Final = {
    -100: "yarn node -list -all shows the state of the node; of a rented machine, whether it was "
    "taken back. The ResourceManager's log says when it was lost.",
    -101: "on that node, df -h and df -i of its local folders.",
    -102: "the ResourceManager's log of that time names what got the room.",
}

_CLASS = "org.apache.hadoop.yarn.api.records.ContainerExitStatus"


@message(
    "The container was ended from outside",
    Source("2.2 to 3.5", f"{_CLASS}.ABORTED", "-100"),
    Source("2.2 to 3.5", f"{_CLASS}.DISKS_FAILED", "-101"),
    Source("2.4 to 3.5", f"{_CLASS}.PREEMPTED", "-102"),
    Source("2.6 to 3.5", f"{_CLASS}.KILLED_BY_APPMASTER", "-105"),
)
def exit_of_yarn(evidence: Evidence) -> Reading | None:
    """An exit code of YARN's own: a negative one.

    What it means
        YARN ended the container, or could not run it, and the code says why: -100 released or lost
        with its node, -101 the node's disks failed, -102 preempted by the scheduler, -105 and -106
        killed by the application master or the ResourceManager, -107 at the end of the application,
        -108 for another container. Only -103 (virtual) and -104 (physical) are for memory.

    What it does not prove
        -105 to -107: the application master also ends the container of an attempt that has reported
        an error, so the reason is in the attempt's diagnostics. Nothing of the task's memory can be
        said from the other codes.

    What to change
        Nothing in the job; for -102 the queue's share, for -101 the node's disks.

    What would tell more
        The ResourceManager's and the NodeManager's logs name the container.
    """
    code = exit_code(evidence)
    says = YARN_SAYS.get(code) if code is not None else None
    if says is None or _MORE_IS_SAID.search(evidence.death.evidence):
        return None  # of which its own words say more
    if code in _ASKED_FOR:
        return Reading(
            f"The container was ended from outside (exit status {code}): {says}. Why, the "
            "attempt's diagnostics and the application master's log say.",
            "suggests",
            f"read the application master's log: {logs_command(evidence)}",
        )
    return Reading(
        f"The container was ended from outside (exit status {code}): {says}. That is not for the "
        "memory that the container took.",
        "proves",
        _LOOK.get(code, "") if code is not None else "",
    )


MESSAGES = (exit_sigterm, exit_sigkill, exit_abort, exit_failure, exit_of_yarn)
