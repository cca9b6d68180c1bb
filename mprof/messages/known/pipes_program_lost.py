"""The program of a Pipes job was gone.

What it means
    Hadoop Pipes runs C++ code as a process of its own and talks to it through a socket. The task's
    JVM met the end of the socket, or could not write to it: the program had ended. No heap of Java
    ran out.

What it does not prove
    That it lacked memory; its exit code is not in this message.

What to change
    The program: the container's stderr has its last words (`std::bad_alloc` where it got no
    memory).

What would tell more
    A core file of the program, and `dmesg -T` on the node.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import failed
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import error_like, logs_command

__all__ = ["MESSAGE"]

_LOST = r"java\.io\.EOFException|java\.net\.SocketException|java\.io\.IOException"


def _reads(evidence: Evidence) -> Reading | None:
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
        f"read the program's standard error, the container's stderr: {logs_command(evidence)}",
    )


_WRAPPED = "java.io.IOException: pipe child exception"

MESSAGE = Message(
    id="pipes_program_lost",
    title="The program of a Pipes job was gone",
    reads=_reads,
    sources=(
        Source("1.2 to 3.5", "org.apache.hadoop.mapred.pipes.Application.abort",
               "pipe child exception"),
    ),
    examples=(
        Example("the end of the socket", lambda: failed(_WRAPPED, "java.io.EOFException")),
        Example("an exception of the job's code in the same place",
                lambda: failed(_WRAPPED, "java.lang.IllegalStateException: no such key"),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
