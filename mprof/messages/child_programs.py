"""Programs beside the task's JVM: those of Streaming and Pipes, and what the task started."""

from __future__ import annotations

from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.message import Reading, Source, message
from mprof.messages.said import (
    container_bytes,
    error_like,
    heap_bytes,
    heap_is_unseen,
    is_of_a_pod,
    is_of_hadoop_1,
    logs_command,
    name_of,
    other_processes,
    side_is_known,
    side_of,
    top_frame,
)
from mprof.messages.thresholds import HEAP_OF_CONTAINER
from mprof.units import MIB, format_bytes

__all__ = ["MESSAGES"]

_SAYS: Final = {
    1: "by which most languages say that an exception ended it",
    2: "by which most programs say that they were called wrongly or found no file",
    126: "by which a shell says that the program cannot be executed",
    127: "by which a shell says that the program, or that of its first line, was not found",
    134: "which is SIGABRT: it ended itself, as C++ does at an exception that nothing catches",
    137: "which is SIGKILL: the kernel sends it when memory is short, and so can anybody else",
    139: "which is SIGSEGV, a fault in its own memory",
    141: "which is SIGPIPE: the task's JVM had stopped reading",
    143: "which is SIGTERM: somebody outside of it asked it to end",
}
_WORDS: Final = (
    r"PipeMapRed\.waitOutputThreads\(\): subprocess (?:failed with|exited with error) code "
    r"(-?\d{1,4})"
)
_PIPE = "org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads"


_GROUP: Final = "control group"
_ON_A_NODE: Final = "; run fewer of them at once on a node."


@message(
    "The program of a Streaming job failed",
    Source("1.2 to 3.5", _PIPE, "PipeMapRed.waitOutputThreads(): subprocess failed with code "),
)
def streaming_program_failed(evidence: Evidence) -> Reading | None:
    """The program of a Streaming job ended with an exit code.

    What it means
        Hadoop Streaming ran the mapper or reducer as a program of its own, and that program ended
        with another exit code than 0. It is a process beside the task's JVM: no heap of Java ran
        out, and `-Xmx` has no part in it. 126 and 127 are of the shell (not executable, not found),
        137 is SIGKILL, 139 a fault in its memory. 143 is SIGTERM, which comes from outside: as a
        rule from the NodeManager, which ends the whole container with it.

    What it does not prove
        That it lacked memory: only its own standard error says that (`MemoryError`,
        `std::bad_alloc`).

    What to change
        The program, or how it is shipped (`-files`, its first line, its line ends).

    What would tell more
        The program's standard error is the container's stderr; with the same input on the command
        line, `cat PART | PROGRAM; echo $?`.
    """
    found = error_like(evidence, r"java\.lang\.RuntimeException", _WORDS)
    if found is None or evidence.death.kind != "not-memory":
        return None
    code = int(found[1])
    says = f", {_SAYS[code]}" if code in _SAYS else ""
    lacked = evidence.child.out_of_memory_words if evidence.child is not None else ()
    memory = (
        f"Its standard error says {', '.join(map(repr, lacked))}."
        if lacked
        else "That is no sign of a lack of memory by itself."
    )
    child = evidence.child
    if child is not None and child.killed_by_kernel:
        sides = (side_of(evidence),) if side_is_known(evidence) else ("map", "reduce")
        name = " or ".join(name_of(evidence, f"mapreduce.{one}.memory.mb") for one in sides)
        return Reading(
            f"The program that Streaming ran was killed (exit code {code}, SIGKILL). "
            f"{child.killed_by_kernel} It is a process of its own, which -Xmx does "
            "not limit; it counts to the task's container.",
            "suggests",
            f"let the program take less, or give the container ({name}) room for -Xmx and for "
            f"the program together{'.' if _GROUP in child.killed_by_kernel else _ON_A_NODE}",
        )
    step = (
        "dmesg -T on the node that ran it names the processes that the kernel has killed; a "
        "process that is killed so leaves no last words."
        if code == _KILLED
        else _of_its_sender(evidence)
        if code == _ASKED_TO_END
        else f"read the program's standard error, the task's stderr: {logs_command(evidence)}"
    )
    if child is not None and child.last_words:
        lack = " They say that it got no memory." if lacked else ""
        memory = f"The text shows its last words: {child.last_words}.{lack}"
        step = ""
    holds = (
        "the node has to hold it beside the task's JVM"
        if is_of_hadoop_1(evidence)
        else "its container has to hold it beside the task's JVM"
    )
    return Reading(
        f"The program that Streaming ran ended with exit code {code}{says}. {memory} It is a "
        f"process of its own, which -Xmx does not limit: {holds}.",
        "suggests",
        step,
    )


_KILLED: Final = 137  # SIGKILL
_ASKED_TO_END: Final = 143  # SIGTERM


def _of_its_sender(evidence: Evidence) -> str:
    """Where the sender of a SIGTERM says why: the program itself writes nothing of it.

    ``ContainerLaunch.cleanupContainer`` sends it to all processes of a container that is to end,
    in Hadoop 1 ``ProcessTree.terminateProcess``.
    """
    if is_of_hadoop_1(evidence):
        return (
            "the sender says why: read the TaskTracker's log of that node for the attempt (killed "
            "for its memory, for a timeout, or with its job)."
        )
    return (
        "the sender says why: read the NodeManager's log of that node for the container (over a "
        "limit of memory, preempted, node lost) and the application master's for the attempt "
        f"(timed out, killed with its job): {logs_command(evidence)}"
    )


_LOST = r"java\.io\.EOFException|java\.net\.SocketException|java\.io\.IOException"


@message(
    "The program of a Pipes job was gone",
    Source(
        "1.2 to 3.5", "org.apache.hadoop.mapred.pipes.Application.abort", "pipe child exception"
    ),
)
def pipes_program_lost(evidence: Evidence) -> Reading | None:
    """The program of a Pipes job was gone.

    What it means
        Hadoop Pipes runs C++ code as a process of its own and talks to it through a socket. The
        task's JVM met the end of the socket, or could not write to it: the program had ended. No
        heap of Java ran out.

    What it does not prove
        That it lacked memory; its exit code is not in this message.

    What to change
        The program: the container's stderr has its last words (`std::bad_alloc` where it got no
        memory).

    What would tell more
        A core file of the program, and `dmesg -T` on the node.
    """
    chain = evidence.death.chain
    if evidence.death.kind != "not-memory" or len(chain) < 2:
        return None
    wrapped = error_like(evidence, r"java\.io\.IOException", r"pipe child exception$")
    lost = chain[-1] == "java.io.EOFException" or error_like(
        evidence, _LOST, r"(?:Connection reset|Broken pipe)"
    )
    if wrapped is None or not lost:
        return None
    return Reading(
        "The program that Pipes ran was gone: its socket was closed. It is a process of its own, "
        "which -Xmx does not limit, and nothing here says that it lacked memory.",
        "suggests",
        f"read the program's standard error, the task's stderr: {logs_command(evidence)}",
    )


_TYPED_BYTES: Final = "org.apache.hadoop.typedbytes.TypedBytesInput"
_UPLINK: Final = "org.apache.hadoop.mapred.pipes.BinaryProtocol$UplinkReaderThread"
_MAKE_ARRAYS: Final = {
    (_TYPED_BYTES, "readBytes"), (_TYPED_BYTES, "readRawBytes"), (_TYPED_BYTES, "readRawString"),
    (_UPLINK, "readObject"),
}  # fmt: skip


@message(
    "The task's JVM had no room for what its program sent",
    Source("1.2 to 3.5", f"{_TYPED_BYTES}.readRawBytes", "byte[] bytes = new byte[length + 5]"),
    Source("1.2 to 3.5", f"{_UPLINK}.readObject", "new byte[numBytes]"),
)
def record_of_program_too_large(evidence: Evidence) -> Reading | None:
    """The task's JVM had no room for a record that its program sent as bytes with a length.

    What it means
        Streaming with typed bytes (`-io typedbytes`, as rmr2 and Dumbo use it) and Pipes read a
        length from the program, and then make an array of that length in the heap of the task's
        JVM. Either the program really sent so large a record, or it wrote something else to its
        standard output, such as a message, whose characters were taken for a length.

    What it does not prove
        Which of the two it was.

    What to change
        What the program writes: nothing but records on standard output, messages on standard error;
        smaller records. `-Xmx` of the task (`mapreduce.{map,reduce}.java.opts`) where a record is
        really that large.

    What would tell more
        The program's output, run by hand on a part of the input: its first bytes.
    """
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    top = top_frame(evidence)
    asked = (top.class_name, top.method) if top is not None else None
    if asked not in _MAKE_ARRAYS:
        return None
    typed = asked != (_UPLINK, "readObject")
    by = "Streaming's typed bytes say" if typed else "the program of Pipes said"
    other = (
        " A message that the program prints to its standard output is taken for such a length, too."
        if typed
        else ""
    )
    return Reading(
        f"The task's JVM made an array as long as {by}, and its heap had no room for it: a record "
        f"that the program sent is that large.{other} The heap is that of the JVM, not the "
        "program's memory.",
        "suggests",
        "run the program by hand on a part of the input, and look at what it writes to its "
        "standard output.",
    )


@message(
    "The heap and what the task started do not fit into the container together",
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.yarn.server.nodemanager.containermanager.monitor.ContainersMonitorImpl",
        "Dump of the process-tree for CONTAINER",
    ),
)
def heap_and_child_do_not_fit(evidence: Evidence) -> Reading | None:
    """What the task's own processes took, and its `-Xmx`, are more than the container.

    What it means
        YARN counts all processes of a container. The kill lists them: what those took that the
        task started, and `-Xmx`, are together more than the container. So a heap that is only
        used as far as it may be exceeds it, whatever the heap held at that moment.

    What it does not prove
        That the heap was full of live objects: a JVM keeps garbage as long as it has room. Nor that
        the other processes take no more at other times.

    What to change
        `mapreduce.{map,reduce}.memory.mb`, so that it holds both and a quarter of the heap beside
        it; or a smaller `-Xmx`, where the heap needs less; or what the task starts.

    What would tell more
        `mprof run` looks at the process while it runs, and tells its heap from what is beside it.
    """
    heap, container, facts = heap_bytes(evidence), container_bytes(evidence), evidence.container
    if evidence.death.kind != "container-physical" or is_of_a_pod(evidence) or facts is None:
        return None
    others, names = other_processes(evidence)
    which = names.partition(" of ")[2]
    jvm = sum(one.resident_bytes for one in facts.processes if one.is_task)
    if heap is None or container is None or heap >= container or heap + others <= container:
        return None
    if facts.jvm is not None or not jvm - heap < others < jvm:
        return None  # which of them took it is known
    less = int(HEAP_OF_CONTAINER * (container - others) / MIB)
    smaller = (
        f" Where the heap needs no more, -Xmx{less}m leaves room for both." if less > 0 else ""
    )
    return Reading(
        f"What the task itself started took {format_bytes(others)} ({which}), and "
        f"-Xmx{heap // MIB}m leaves {format_bytes(container - heap)} of the container of "
        f"{format_bytes(container)} for that and for all that the JVM has beside its heap: the two "
        f"do not fit together, whatever the heap held.{smaller}",
        "proves",
        "mprof run looks at the process while it runs, and tells its heap from what is beside it.",
    )


MESSAGES = (
    heap_and_child_do_not_fit,
    record_of_program_too_large,
    streaming_program_failed,
    pipes_program_lost,
)
