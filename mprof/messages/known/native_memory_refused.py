"""The operating system gave the JVM no further memory.

What it means
    The process asked the system for memory, for pages of the heap or for native code, and was
    refused. The machine, its swap, a control group or `ulimit -v` is full, whatever stands in the
    heap.

What it does not prove
    That this task took it: everything else on the node counts too.

What to change
    Fewer or smaller containers on the node (`yarn.nodemanager.resource.memory-mb` below what the
    machine has), or a smaller `-Xmx` where it is far above what the job needs.

What would tell more
    `hs_err_pid*.log` in the task's folder lists the memory of the machine; `free -m` and
    `dmesg -T` on the node say who else took it.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import ended, out_of_memory
from mprof.messages.message import Example, Message, Reading, Source

__all__ = ["MESSAGE"]


def _reads(evidence: Evidence) -> Reading | None:
    if evidence.death.kind != "native":
        return None
    return Reading(
        "The operating system refused the JVM more memory: the machine, a control group or "
        "ulimit -v was at its limit, whatever stood in the heap.",
        "proves",
        "read hs_err_pid*.log of the task, and free -m and dmesg -T on the node.",
    )


_WORDS = "There is insufficient memory for the Java Runtime Environment to continue."

MESSAGE = Message(
    id="native_memory_refused",
    title="The operating system gave no further memory",
    reads=_reads,
    sources=(
        Source("HotSpot", "debug.cpp, report_vm_out_of_memory", _WORDS),
        Source("HotSpot", "debug.cpp, report_vm_out_of_memory",
               "Native memory allocation (mmap) failed to map N bytes for committing reserved "
               "memory."),
        Source("JDK 9 and later", "jdk.internal.misc.Unsafe.allocateMemory",
               "Unable to allocate N bytes"),
    ),
    examples=(
        Example("the JVM's last words", lambda: ended(f"# {_WORDS}", kind="native")),
        Example("a full heap", out_of_memory, speaks=False),
    ),
    module=__name__,
)  # fmt: skip
