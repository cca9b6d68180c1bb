"""The kinds of death: what each says, what told it apart, and what to do where no rule applies."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence.facts import Kind

__all__ = ["DEATHS", "DeathPage"]


@dataclass(frozen=True, slots=True)
class DeathPage:
    """One kind of death.

    Attributes:
        kind: as in the diagnosis.
        title: in a few words.
        means: what happened.
        told_by: what mprof tells it by.
        change: what to change.
        source: where that is written.
    """

    kind: Kind
    title: str
    means: str
    told_by: str
    change: str
    source: str


DEATHS: dict[str, DeathPage] = {
    page.kind: page
    for page in (
        DeathPage(
            "heap",
            "Java heap space",
            "An object could not be allocated, even after full collections: live objects and the "
            "new one exceed what -Xmx and the collector leave.",
            "OutOfMemoryError with the message `Java heap space` in the task's log or the event "
            "log; the JVM dumped the heap.",
            "The rules say what filled it. More heap helps where the need is bounded.",
            "HotSpot `memAllocator.cpp`, `MemAllocator::Allocation::check_out_of_memory`",
        ),
        DeathPage(
            "gc-overhead",
            "GC overhead limit exceeded",
            "The Parallel collector spent more than 98 % of the time and freed less than 2 % of "
            "the heap, several times in a row: the heap is full, only not to the last byte.",
            "OutOfMemoryError with the message `GC overhead limit exceeded`.",
            "The same as for Java heap space: the rules say what filled it. Switching the limit "
            "off only makes the task slower before it dies.",
            "HotSpot `gcOverheadChecker.cpp`; Parallel collector only",
        ),
        DeathPage(
            "array-limit",
            "Requested array size exceeds VM limit",
            "An array of more elements than the JVM allows (HotSpot: about 2^31 - 3) was "
            "requested, whatever the heap: a record, a buffer or a string grew beyond what an "
            "array can hold.",
            "OutOfMemoryError with the message `Requested array size exceeds VM limit`, or one "
            "thrown by the JDK's own array growth (`Required length exceeds implementation "
            "limit`).",
            "Split the record or the output; no heap size helps.",
            "HotSpot `collectedHeap`/`objArrayKlass.cpp`; `jdk.internal.util.ArraysSupport`",
        ),
        DeathPage(
            "direct",
            "Direct buffer memory",
            "Buffers outside the heap reached -XX:MaxDirectMemorySize (by default as large as "
            "-Xmx): compression codecs, network and file channels, memory-mapped libraries.",
            "OutOfMemoryError with `Direct buffer memory` or `Cannot reserve ... bytes of direct "
            "buffer memory`; the JVM makes no heap dump of it.",
            "Release or reuse the buffers, or raise -XX:MaxDirectMemorySize together with "
            "`mapreduce.{map,reduce}.memory.mb`.",
            "`java.nio.Bits.reserveMemory`",
        ),
        DeathPage(
            "native",
            "Native memory refused",
            "The operating system granted the process no more memory: for the heap's own pages, "
            "for a thread, for malloc() in a library. The machine or its limit (a control group, "
            "ulimit -v) is full, whatever the heap.",
            "The JVM's fatal error message (`There is insufficient memory for the Java Runtime "
            "Environment to continue`, `Native memory allocation ... failed`), or OutOfMemoryError "
            "with `Unable to allocate ... bytes` or `Out of swap space`; there is no heap dump.",
            "Find what allocates natively (unclosed Deflaters, JNI libraries, thread stacks) or "
            "shares the machine; a smaller -Xmx leaves more to the rest of the process.",
            "HotSpot `debug.cpp`, `report_vm_out_of_memory`; `Unsafe.allocateMemory`",
        ),
        DeathPage(
            "metaspace",
            "Metaspace",
            "Loaded classes reached -XX:MaxMetaspaceSize or -XX:CompressedClassSpaceSize: code "
            "that generates classes, scripts compiled for each record, class loaders that leak.",
            "OutOfMemoryError with `Metaspace` or `Compressed class space`.",
            "Generate the class once and keep it; else raise the limit.",
            "HotSpot `metaspace.cpp`, `report_metadata_oome`",
        ),
        DeathPage(
            "threads",
            "Unable to create native thread",
            "The operating system refused another thread: a limit of processes for the user, or "
            "of the container, not of the heap.",
            "OutOfMemoryError with `unable to create native thread`.",
            "Use a bounded pool, and close it in cleanup(); a smaller heap may even help.",
            "HotSpot `os_linux.cpp`, `jvm.cpp` (`JVM_StartThread`)",
        ),
        DeathPage(
            "application-made",
            "An OutOfMemoryError made by the application",
            "Code of the job or of a library threw OutOfMemoryError itself; the JVM had memory.",
            "The message is none of the JVM's, and the topmost frame is the constructor called "
            "from code outside the JDK's allocation paths.",
            "Read the message: a limit inside that library was reached.",
            "`java.lang.OutOfMemoryError` is a class like others",
        ),
        DeathPage(
            "container-physical",
            "Container killed, running beyond physical memory limits",
            "The process used more memory than its container was granted, heap or not: the heap "
            "itself if -Xmx is near `mapreduce.{map,reduce}.memory.mb`, else native memory, "
            "threads, buffers, child processes.",
            "The node manager's diagnostics (`running beyond the ... PHYSICAL memory limit`), or "
            "exit code 143 or 137 with them; the position file says where the task stood. Which "
            "part took the memory is read from the node manager's list of processes and the "
            "agent's looks at the process (`process` events): heap, direct buffers, other native "
            "memory, child processes, each between two bounds.",
            "Raise `mapreduce.{map,reduce}.memory.mb`, or lower -Xmx to about 80 % of it; find "
            "what allocates natively. `mprof rerun` gives the container room and leaves the heap "
            "as it is: the task then dies of its heap, with a cause, or finishes, and the report "
            "says which container would have done.",
            "YARN `ContainersMonitorImpl`",
        ),
        DeathPage(
            "container-virtual",
            "Container killed, running beyond virtual memory limits",
            "The address space exceeded `mapreduce.{map,reduce}.memory.mb` times "
            "`yarn.nodemanager.vmem-pmem-ratio` (2.1): address space costs nothing, the limit is "
            "known to misfire.",
            "The node manager's diagnostics (`VIRTUAL memory limit`).",
            "Switch `yarn.nodemanager.vmem-check-enabled` off, raise the ratio, or raise "
            "`mapreduce.{map,reduce}.memory.mb`.",
            "YARN `ContainersMonitorImpl`",
        ),
        DeathPage(
            "application-master",
            "The application master died",
            "The process that runs the job ended before the job did: it ran out of heap, its "
            "container was killed or its node was lost. It keeps state for every task and "
            "attempt, so jobs with many thousands of tasks fill it first. mprof watches tasks, not "
            "this process, and names no cause.",
            "The ResourceManager's diagnostics of the application (`AM Container for "
            "appattempt_... exited`, `ApplicationMaster for attempt ... timed out`), where no task "
            "is known to have failed.",
            "Where the diagnostics tell of memory: raise `yarn.app.mapreduce.am.resource.mb`, and "
            "-Xmx in `yarn.app.mapreduce.am.command-opts` to about 80 % of it; or let the job have "
            "fewer tasks (larger splits, `mapreduce.input.fileinputformat.split.minsize`). Else "
            "read its log: `yarn logs -applicationId ID`.",
            "YARN `RMAppAttemptImpl`",
        ),
        DeathPage(
            "not-memory",
            "Not a memory death",
            "The attempt failed for another reason: an exception of the job, a kill, a timeout, a "
            "lost node. No cause is named.",
            "No OutOfMemoryError and no memory kill in its log or its diagnostics.",
            "Read the quoted line.",
            "",
        ),
        DeathPage(
            "none",
            "No death",
            "The job succeeded. No cause is named, whatever the rules would say.",
            "The job's state.",
            "Nothing.",
            "",
        ),
    )
}
