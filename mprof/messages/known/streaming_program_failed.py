"""The program of a Streaming job ended with an exit code.

What it means
    Hadoop Streaming ran the mapper or reducer as a program of its own, and that program ended with
    another exit code than 0. It is a process beside the task's JVM: no heap of Java ran out, and
    `-Xmx` has no part in it. 126 and 127 are of the shell (not executable, not found), 137 is
    SIGKILL, 139 a fault in its memory.

What it does not prove
    That it lacked memory: only its own standard error says that (`MemoryError`,
    `std::bad_alloc`).

What to change
    The program, or how it is shipped (`-files`, its first line, its line ends).

What would tell more
    The program's standard error is the container's stderr; with the same input on the command
    line, `cat PART | PROGRAM; echo $?`.
"""

from __future__ import annotations

from typing import Final

from mprof.evidence import Evidence
from mprof.messages.examples import failed
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import error_like, logs_command

__all__ = ["MESSAGE"]

_SAYS: Final = {
    1: "by which most languages say that an exception ended it",
    2: "by which most programs say that they were called wrongly or found no file",
    126: "by which a shell says that the program cannot be executed",
    127: "by which a shell says that the program, or that of its first line, was not found",
    134: "which is SIGABRT: it ended itself, as C++ does at an exception that nothing catches",
    137: "which is SIGKILL: the kernel sends it when memory is short, and so can anybody else",
    139: "which is SIGSEGV, a fault in its own memory",
    141: "which is SIGPIPE: the task's JVM had stopped reading",
    143: "which is SIGTERM: it was asked to end",
}
_WORDS: Final = (
    r"PipeMapRed\.waitOutputThreads\(\): subprocess (?:failed with|exited with error) code "
    r"(-?\d{1,4})"
)


def _reads(evidence: Evidence) -> Reading | None:
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
    return Reading(
        f"The program that Streaming ran ended with exit code {code}{says}. {memory} It is a "
        "process of its own, which -Xmx does not limit.",
        "suggests",
        f"read the program's standard error, the container's stderr: {logs_command(evidence)}",
    )


_PIPE = "org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads"
_ERROR = "java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed with code "

MESSAGE = Message(
    id="streaming_program_failed",
    title="The program of a Streaming job failed",
    reads=_reads,
    sources=(
        Source("1.2 to 3.5", _PIPE, "PipeMapRed.waitOutputThreads(): subprocess failed with code "),
    ),
    examples=(
        Example("1", lambda: failed(f"{_ERROR}1", stack=(_PIPE,))),
        Example("137", lambda: failed(f"{_ERROR}137", stack=(_PIPE,))),
        Example("an exception in the thread that reads its output",
                lambda: failed("java.io.IOException: Type mismatch in value from map",
                               stack=("org.apache.hadoop.streaming.PipeMapRed$MROutputThread.run",
                                      )), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
