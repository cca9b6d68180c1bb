"""What ran out beside the heap: direct buffers, classes, threads, the memory of the machine."""

from __future__ import annotations

import re
from typing import Final

from mprof.code_site import KeptInCode
from mprof.evidence import Evidence
from mprof.messages.message import Reading, SaidSetting, Source, message
from mprof.messages.reckoned import own_frames
from mprof.messages.said import (
    code_that_asked,
    heap_bytes,
    heap_in_options,
    is_of_hadoop_1,
    may_be_any_process,
    options_name,
    options_of,
    setting_of,
    side_is_known,
    stands_on_stack,
    top_frame,
    with_option,
)
from mprof.messages.thresholds import AT_ONCE_FOR_A_HEAP, TIMES_A_LIMIT
from mprof.trace import CrashReport
from mprof.units import KIB, MIB, format_bytes, format_count, parse_jvm_size, parse_long

__all__ = ["MESSAGES", "of_a_limit"]

_LIMIT: Final = re.compile(r"\(allocated: \d{1,18}, limit: (\d{1,18})\)")
_OPTION: Final = re.compile(r"(?<!\S)-XX:MaxDirectMemorySize=([0-9]{1,15}[kKmMgGtT]?)(?!\S)")


def _limit_of_options(evidence: Evidence) -> int | None:
    """The limit by the task's options; None where they are not at hand."""
    options = options_of(evidence)
    if options is None:
        return None
    said = _OPTION.findall(options)
    return parse_jvm_size(said[-1]) if said else heap_bytes(evidence)


@message(
    "Direct buffers reached their limit",
    Source("JDK 8", "java.nio.Bits.reserveMemory", "Direct buffer memory"),
    Source(
        "JDK 11 and later",
        "java.nio.Bits.reserveMemory",
        "Cannot reserve N bytes of direct buffer memory (allocated: N, limit: N)",
    ),
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.io.compress.zlib.ZlibDecompressor.<init>, "
        "org.apache.hadoop.io.compress.snappy.SnappyDecompressor.<init>",
    ),
)
def direct_memory(evidence: Evidence) -> Reading | None:
    """Direct buffers reached their limit, which is not the heap.

    What it means
        Buffers outside the heap, of channels, compression codecs and libraries, reached
        `-XX:MaxDirectMemorySize`, which is as large as `-Xmx` where it is not set. The heap need
        not be full, and no dump is made.

    What it does not prove
        Who holds the buffers, without a heap dump: a direct buffer is freed only when its Java
        object is collected, which a heap with much room puts off.

    What to change
        Reuse or close what makes the buffers (codecs by `CodecPool`, streams by `close()`); else
        raise `-XX:MaxDirectMemorySize`, with `mapreduce.{map,reduce}.memory.mb` by as much.

    What would tell more
        The frames below `java.nio.ByteBuffer.allocateDirect` say who asked last. `mprof run` counts
        direct buffers at each look at the process; a heap dump of the task, as `mprof rerun` makes
        them on its way, says which field holds most of their memory.
    """
    message = evidence.death.message or ""
    if evidence.death.kind != "direct":
        return None
    top = top_frame(evidence)
    who = f", asked for last by {top.class_name}.{top.method}" if top is not None else ""
    said = _LIMIT.search(message)
    limit = parse_long(said[1]) if said is not None else _limit_of_options(evidence)
    size = f" of {format_bytes(limit)}" if limit is not None else ""
    sentence = (
        f"Direct buffers, which lie outside the heap, reached their limit{size}{who}. It is "
        "-XX:MaxDirectMemorySize, or as much as -Xmx where that is not set."
    )
    holder = evidence.container.direct if evidence.container is not None else None
    if holder is not None:
        sentence += f" {holder.in_words}"
    settings: tuple[SaidSetting, ...] = ()
    if limit is not None:
        new = max(1, int(TIMES_A_LIMIT.value * limit) // MIB)
        settings = with_option(
            evidence,
            f"-XX:MaxDirectMemorySize={new}m",
            f"First aid: twice the limit that was reached. The container has to hold {new} MB "
            "beside the heap; what makes the buffers and does not free them will reach it again.",
        )
    step = (
        "mprof run counts direct buffers at each look; a heap dump, as mprof rerun makes them, "
        "says which field holds them."
    )
    if holder is not None:
        step = f"reuse the buffers that {holder.path} holds, or let go of them."
    if may_be_any_process(evidence):
        frames = "the frames below name" if evidence.death.stack else "its stack, in its log, names"
        step = (
            f"{frames} the library that asks for them; jconsole (java.nio, BufferPool, direct) "
            "shows how many there are."
        )
    return Reading(sentence, "proves", step, settings)


_KINDS: Final = (
    ("Metaspace", "Metaspace", "-XX:MaxMetaspaceSize", None),
    ("Compressed class space", "Compressed class space", "-XX:CompressedClassSpaceSize", 1024),
    ("PermGen space", "The permanent generation", "-XX:MaxPermSize", 85),
)
"""Words, name, option, and its default in MB (globals.hpp); None for no limit."""


@message(
    "Loaded classes reached their limit",
    Source("JDK 8 and later", "HotSpot metaspace.cpp, report_metadata_oome", "Metaspace"),
    Source(
        "JDK 8 and later", "HotSpot metaspace.cpp, report_metadata_oome", "Compressed class space"
    ),
    Source("JDK 7 and earlier", "HotSpot collectorPolicy.cpp, permGen.cpp", "PermGen space"),
)
def class_memory(evidence: Evidence) -> Reading | None:
    """Loaded classes reached their limit: metaspace, compressed class space, or PermGen.

    What it means
        The memory of loaded classes ran out, not the heap: `-XX:MaxMetaspaceSize` (no limit by
        default), `-XX:CompressedClassSpaceSize` (1 GB) or, up to JDK 7, `-XX:MaxPermSize` (64 to 85
        MB, which also held interned strings up to JDK 6).

    What it does not prove
        That there are too many classes: a low limit in the cluster's options is met by a job with
        many libraries.

    What to change
        Make generated classes once and keep them: scripts (Groovy, Hive's and Pig's functions),
        serialisers, proxies, regular class loaders of `setup()`. Else raise the limit.

    What would tell more
        `jcmd PID VM.classloader_stats` of a running task (up to JDK 7 `jmap -permstat PID`), or
        `-verbose:class` in its options.
    """
    message = evidence.death.message or ""
    kind = next((one for one in _KINDS if message.startswith(one[0])), None)
    if evidence.death.kind != "metaspace" or kind is None:
        return None
    _, name, flag, default_mb = kind
    options = options_of(evidence) or ""
    said = re.search(rf"{flag}=([0-9]{{1,12}}[kKmMgG]?)(?=\s|$)", options)
    limit = parse_jvm_size(said[1]) if said is not None else None
    at_hand = f", {format_bytes(limit)} here" if limit is not None else ""
    sentence = (
        f"{name}, the memory of loaded classes, reached its limit ({flag}{at_hand}): the heap is "
        "not what ran out, and a larger -Xmx does not help."
    )
    if limit is None and default_mb is not None:
        limit = default_mb * MIB
    settings: tuple[SaidSetting, ...] = ()
    if limit is not None:
        new = max(1, int(TIMES_A_LIMIT.value * limit) // MIB)
        settings = with_option(
            evidence,
            f"{flag}={new}m",
            "First aid: twice the limit. Code that makes classes for each record will reach it "
            "again.",
        )
    # jcmd has it since JDK 8, which has no permanent generation
    tool = "jmap -permstat PID" if flag == "-XX:MaxPermSize" else "jcmd PID VM.classloader_stats"
    return Reading(sentence, "proves", f"{tool} of a running task.", settings)


_WORDS = "unable to create new native thread"


@message(
    "No further thread",
    Source("JDK 8 and earlier", "HotSpot jvm.cpp, JVM_StartThread", _WORDS),
    Source(
        "JDK 9 and later",
        "HotSpot jvm.cpp, JVM_StartThread",
        "unable to create native thread: possibly out of memory or process/resource limits reached",
    ),
    Source("2.2 to 3.5", "org.apache.hadoop.hdfs.DFSOutputStream.start, a thread a writer"),
)
def no_more_threads(evidence: Evidence) -> Reading | None:
    """The operating system gave no further thread.

    What it means
        Mostly, a limit of processes and threads was met: of the user on the node (`ulimit -u`, all
        tasks of the user together), of the container (`pids.max`), or of the machine. The other
        reason is that no memory or address space was left for the stack of the thread. The heap is
        not what ran out.

    What it does not prove
        That this task made the threads: another of the same user on the node may have.

    What to change
        Use a bounded pool and close it in `cleanup()`; close what starts threads of its own (HDFS
        writers, HTTP clients, JDBC pools). A smaller `-Xss` or heap helps only where memory is
        short.

    What would tell more
        `ps -L -u USER | wc -l` on the node, of all processes of the user together, `jstack PID |
        grep -c '^"'` of one task, and `cat /proc/PID/limits`;
        of a service of systemd `systemctl show -p TasksMax UNIT`.
    """
    if evidence.death.kind != "threads":
        return None
    top = top_frame(evidence)
    who = f" that {top.class_name}.{top.method} asked for" if top is not None else ""
    own = code_that_asked(evidence)
    who += f", called by {own}" if own and top is not None and top.class_name not in own else ""
    limit, threads = setting_of(evidence, _OF_USER), evidence.death.threads
    if (pool := _pool_of_each_call(evidence)) is not None:
        return _of_a_pool(who, pool, limit, threads)
    if limit is not None and threads is not None and threads >= _MOST * int(limit):
        return _of_one_process(who, own or "the task", int(limit), threads)
    had = of_a_limit(evidence)
    # DefaultTaskController and TaskTracker of Hadoop 1 start tasks, as a NodeManager containers
    run, service = ("tasks", "TaskTracker") if is_of_hadoop_1(evidence) else _BY_YARN
    raised = (
        f" A limit of the user that runs the {run} (nproc in /etc/security/limits.d, TasksMax of "
        f"the {service}'s service) is raised on the nodes, and the {service}s started again."
    )
    if evidence.stated.died_with.get(_OF_USER):
        raised = (
            " With a higher limit it died as well, as the text says: what starts threads and does "
            "not end them meets any limit, only later. Start one bounded pool, in setup() or so, "
            "and close it in cleanup()."
        )
    each = (
        f" Each map task starts as many as {_OF_A_MAPPER} says (10 where nothing is set): fewer of "
        "them, or fewer map tasks on a node, are the job's own remedy."
        if stands_on_stack(evidence, _MULTITHREADED)
        else ""
    )
    return Reading(
        f"The operating system refused another thread{who}: a limit of processes and threads was "
        f"met, or it had no memory for the thread's stack.{had}{raised}{each} A larger -Xmx does "
        "not help.",
        "proves",
        f"on the node, ps -L -u USER | wc -l counts the threads of the user that runs the {run}, "
        "of all its processes together; /proc/PID/limits of a task has its limit (of a service of "
        "systemd also systemctl show -p TasksMax UNIT; of a container pids.max of its control "
        "group).",
    )


_BY_YARN: Final = ("containers", "NodeManager")
_OF_USER: Final = "ulimit -u"
_THREADS: Final = "threads of the user"
_MULTITHREADED: Final = "org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper"
_OF_A_MAPPER: Final = "mapreduce.mapper.multithreadedmapper.threads"
_NEARLY: Final = 0.9
"""Share of a limit: a task of many threads asks for the rest at once."""


_MOST: Final = 0.5
"""Share of a user's limit that one process alone takes: others are not what met it."""


def _pool_of_each_call(evidence: Evidence) -> KeptInCode | None:
    """A pool of threads that each call of a method on the stack makes, by code in the text."""
    methods = {one.method for one in own_frames(evidence)}
    pools = (one for one in evidence.kept_in_code if one.is_pool)
    return next((one for one in pools if one.method in methods), None)


def _of_a_pool(who: str, pool: KeptInCode, limit: str | None, threads: int | None) -> Reading:
    """Where the code that was at work makes a pool at each call, and nothing shown ends it."""
    at = f"line {pool.own_line} of its file" if pool.own_line else f"line {pool.line} of the text"
    each = f" up to {pool.threads} threads" if pool.threads is not None else " its threads"
    met = ""
    if threads is not None and pool.threads:
        met = (
            f" The {format_count(threads)} threads that the text shows of one process are as many "
            f"as {format_count(threads // pool.threads)} calls or more leave."
        )
    shown = f" The text shows ulimit -u = {format_count(int(limit))}." if limit else ""
    return Reading(
        f"The operating system refused another thread{who}. The code in the text makes a pool of "
        f"threads at each call of {pool.method}() (`{pool.name}` by `{pool.adds}`, {at}), and "
        f"nothing that is shown shuts it down: a pool that is not shut down keeps{each} for as "
        f"long as the task lives.{met}{shown} Make one pool in setup(), for all records, and shut "
        "it down in cleanup(); or shut it down before the method returns. A higher limit lets such "
        "a task go on longer only, and neither -Xmx nor -Xss helps.",
        "suggests",
        "jstack PID of such a task names its threads: many pool-N-thread-M with ever higher N are "
        "of a pool made again and again.",
    )


def _of_one_process(who: str, own: str, limit: int, threads: int) -> Reading:
    """Where a text shows that one process has most of the threads that its user may have."""
    return Reading(
        f"The operating system refused another thread{who}. The text shows ulimit -u = "
        f"{format_count(limit)} and {format_count(threads)} threads of one process, which are "
        "most of what that limit allows. Where it is of this task, a thread that waits in a "
        f"pool does not end by itself: where {own} makes a pool or a client, make one of them in "
        "setup() for all records, of as many threads as are wanted, and shut it down in cleanup(). "
        "A higher limit lets such a task go on longer only, and neither -Xmx nor -Xss helps.",
        "proves",
        "jstack PID of such a task names its threads: many pool-N-thread-M with ever higher N are "
        "of a pool made again and again.",
    )


def of_a_limit(evidence: Evidence) -> str:
    """What a text shows of the limit of a user, and of the threads that it has."""
    limit, threads = setting_of(evidence, _OF_USER), setting_of(evidence, _THREADS)
    if limit is None:
        return ""
    shown = f" The text shows ulimit -u = {limit}"
    if threads is not None and int(threads) >= _NEARLY * int(limit):
        return (
            f"{shown} and {threads} threads of a user: where the containers run as that user, that "
            "limit is what was met, and no memory was short."
        )
    return f"{shown}: the limit of the user that ran the command."


@message(
    "A file could not be mapped into memory",
    Source("JDK 8 and later", "sun.nio.ch.FileChannelImpl.map", "Map failed"),
)
def mapping_refused(evidence: Evidence) -> Reading | None:
    """The operating system refused to map a file into memory.

    What it means
        A process may have so many areas of memory (`vm.max_map_count`, 65,530 by default), and so
        many addresses (`ulimit -v`). One of the two was used up. A mapped file takes neither heap
        nor direct buffers: `-Xmx` and `-XX:MaxDirectMemorySize` have no part in it.

    What it does not prove
        Which of the two limits it was.

    What to change
        `vm.max_map_count` of the machine (`sysctl -w vm.max_map_count=262144`), or fewer mapped
        files: they are freed only when their Java objects are collected.

    What would tell more
        The number of lines of `/proc/PID/maps` of the running process, beside `sysctl
        vm.max_map_count`; and `ulimit -v`.
    """
    message = evidence.death.message or ""
    if evidence.death.kind != "native" or not message.startswith("Map failed"):
        return None
    top = top_frame(evidence)
    who = f", asked for last by {top.class_name}.{top.method}" if top is not None else ""
    return Reading(
        f"A file could not be mapped into memory{who}: the number of mapped areas of the process "
        "(vm.max_map_count) or its address space (ulimit -v) was at its limit. Neither -Xmx nor "
        "-XX:MaxDirectMemorySize has a part in it.",
        "proves",
        "compare the number of lines of /proc/PID/maps of the running process with sysctl "
        "vm.max_map_count, which sysctl -w vm.max_map_count=262144 raises; and read ulimit -v.",
    )


_REFUSED = "There is insufficient memory for the Java Runtime Environment to continue."


@message(
    "The operating system gave no further memory",
    Source("HotSpot", "debug.cpp, report_vm_out_of_memory", _REFUSED),
    Source(
        "HotSpot",
        "debug.cpp, report_vm_out_of_memory",
        "Native memory allocation (mmap) failed to map N bytes for committing reserved memory.",
    ),
    Source(
        "JDK 9 and later", "jdk.internal.misc.Unsafe.allocateMemory", "Unable to allocate N bytes"
    ),
    Source("JDK", "io_util.c, writeBytes (errno 12)", "Cannot allocate memory"),
    Source(
        "JDK",
        "java.lang.ProcessBuilder.start",
        'Cannot run program "N": error=12, Cannot allocate memory',
    ),
)
def native_memory_refused(evidence: Evidence) -> Reading | None:
    """The operating system gave the JVM no further memory.

    What it means
        The process asked the system for memory, for pages of the heap or for native code, and was
        refused. The machine, its swap, a control group or `ulimit -v` is full, whatever stands in
        the heap. `java.io.IOException: Cannot allocate memory` says so of a call of the kernel's,
        such as a write: the machine or a control group is full, no disk, and no address space.
        `Cannot run program "N": error=12` says so of a process that was to be started: the
        kernel may count the whole JVM once more for it, however small the program is.

    What it does not prove
        That this task took it: everything else on the node counts too.

    What to change
        Fewer or smaller containers on the node (`yarn.nodemanager.resource.memory-mb` below what
        the machine has), or a smaller `-Xmx` where it is far above what the job needs.

    What would tell more
        `hs_err_pid*.log` in the task's folder lists the memory of the machine; `free -m` and `dmesg
        -T` on the node say who else took it.
    """
    if evidence.death.kind != "native" or (evidence.death.message or "").startswith("Map failed"):
        return None
    if "reserve enough space" in evidence.death.evidence:
        return _not_reserved(evidence)
    started = next(filter(None, map(_FORK.search, evidence.death.chain)), None)
    if started is not None:
        return _not_forked(evidence, started[1])
    call = _call_refused(evidence)
    if call is not None:
        return Reading(
            f"The kernel had no memory for {call} (ENOMEM): the machine, or the control group of "
            "its containers, was at its limit, whatever stood in the heap. It is no full disk and "
            "no fault of the network, and a larger -Xmx makes it worse.",
            "proves",
            "free -m and dmesg -T on its machine, and the NodeManager's log of that time, say who "
            "else took it.",
        )
    crash = evidence.death.crash
    if crash is not None and crash.machine_bytes is not None:
        return _of_a_crash(evidence, crash)
    size = crash.asked_bytes if crash is not None else None
    asked = f" when it asked for {format_bytes(size)}" if size is not None else ""
    return Reading(
        f"The operating system refused the JVM more memory{asked}: the machine, a control group or "
        f"ulimit -v was at its limit, whatever stood in the heap.{_of_its_heap(evidence)}",
        "proves",
        "read the memory of the machine in hs_err_pid*.log of the process, and free -m and dmesg "
        "-T on its machine (on Windows the size of the page file).",
    )


def _of_its_heap(evidence: Evidence) -> str:
    """What so large a piece was for, and what makes it smaller."""
    crash = evidence.death.crash
    size = crash.asked_bytes if crash is not None and crash.is_mapped else None
    if size is None or size < AT_ONCE_FOR_A_HEAP.value * MIB:
        return ""
    program = evidence.death.program
    of_hive = (
        " A local task has what HADOOP_CLIENT_OPTS and HADOOP_OPTS set for the process that "
        "started it, such as HiveServer2; hive.auto.convert.join=false needs no local task, and "
        "the join is done in the reducers."
        if program is not None and program.id == "hive-local-task"
        else ""
    )
    return (
        " The JVM normally requests this much at once only for its heap: -Xms at start, or when "
        f"the heap grows. A smaller -Xms or -Xmx reduces the request.{of_hive}"
    )


_RESERVED: Final = re.compile(r"enough space for (\d{1,15})KB ")


def _not_reserved(evidence: Evidence) -> Reading:
    """Of a heap for which a JVM that was started did not get the addresses."""
    name = f" ({options_name(evidence)})" if side_is_known(evidence) else ""
    size = _RESERVED.search(evidence.death.evidence)
    much = f", {format_bytes(int(size[1]) * KIB)}," if size is not None else ""
    narrow = evidence.death.last_words
    if narrow:
        return Reading(
            f"The JVM did not start: the heap that -Xmx asks for{name}{much} could not be "
            f"reserved, and no code of the task had run. The text shows a JVM that is no 64-bit "
            f"one ({narrow}): such a JVM has no addresses for a heap of more than 1.5 to 4 GB, "
            "however much memory its machine has. Where the NodeManager starts containers with "
            "it, a 64-bit JDK is what helps (JAVA_HOME of the NodeManager, then start it again), "
            "or a smaller -Xmx; a larger container changes nothing.",
            "suggests",
            "compare java -version of the NodeManager's JAVA_HOME on the nodes that fail and on "
            "those that do not; with a 64-bit JVM on both, free -m and ulimit -v.",
        )
    if (reading := _of_child_ulimit(evidence, name)) is not None:
        return reading
    return Reading(
        f"The JVM did not start: the heap that -Xmx asks for{name}{much} could not be reserved. It "
        "is larger than what the machine, a control group or ulimit -v allows, or than the "
        "addresses of a 32-bit JVM; no code of the task had run. A smaller -Xmx is what helps, "
        "not a larger one, and a larger container changes nothing.",
        "proves",
        "compare -Xmx with free -m and ulimit -v on its machine, and java -version says "
        "whether it is a 64-bit JVM.",
    )


_CHILD_ULIMIT: Final = "mapred.child.ulimit"


def _of_child_ulimit(evidence: Evidence, of_heap: str) -> Reading | None:
    """Of a heap that is no smaller than the address space which a TaskTracker gives a task."""
    limit, heap = evidence.death.ulimit_bytes, heap_bytes(evidence)
    if limit is None or heap is None or heap < limit:
        return None
    name = options_name(evidence)
    was = evidence.stated.was.get(name) or ""
    text = f"Back to {was}, which it had before it was changed."
    back = (SaidSetting(name, setting_of(evidence, name), was, text),)
    return Reading(
        f"The JVM did not start: the heap that -Xmx asks for{of_heap}, {format_bytes(heap)}, could "
        f"not be reserved. {_CHILD_ULIMIT} (in KB), which the text has, allows a process of a task "
        f"{format_bytes(limit)} of address space, whatever memory the machine has free; no code of "
        "the task had run. A smaller -Xmx is what helps, or a larger limit, which programs that "
        "the task runs have as well.",
        "proves",
        settings=back if (heap_in_options(was) or limit) < limit else (),
    )


_ENOMEM: Final = re.compile(r"java\.io\.IOException: (?:Cannot allocate|Out of) memory$")


# java.lang.ProcessBuilder.start; Hadoop's Shell and PipeMapRed start programs by it
_FORK: Final = re.compile(
    r"java\.io\.IOException: Cannot run program \"([^\"]{1,200})\".*error=12,"
)


def _not_forked(evidence: Evidence, program: str) -> Reading:
    """Of a program that the JVM could not start for lack of memory."""
    heap = heap_bytes(evidence)
    of_heap = f" Its -Xmx{heap // MIB}m counts into that." if heap is not None else ""
    return Reading(
        "The operating system had no memory to start another process (error=12, ENOMEM), so "
        f"{program} never ran; it is no error of the heap. For a process that is to start, the "
        "kernel may count the whole JVM once more, and refuses that where the machine is nearly "
        f"full or vm.overcommit_memory is 2.{of_heap}",
        "proves",
        "free -m and sysctl vm.overcommit_memory on its machine. A smaller -Xmx, swap, or fewer "
        "containers on the node (yarn.nodemanager.resource.memory-mb) leave room for it.",
    )


def _call_refused(evidence: Evidence) -> str | None:
    """The call of the kernel's that had no memory, by its frame; None where none failed so."""
    if not any(_ENOMEM.search(one) for one in evidence.death.chain):
        return None
    top = next(iter(evidence.death.stack), None)
    return f"{top.class_name}.{top.method}" if top is not None else "a call of the JVM"


def _of_a_crash(evidence: Evidence, crash: CrashReport) -> Reading:
    """With the memory of the machine beside what was asked for."""
    asked, left = crash.asked_bytes, crash.available_bytes
    more = f"{format_bytes(asked)} more" if asked is not None else "more memory"
    xmx = f" (-Xmx{crash.heap_max_bytes // MIB}m)" if crash.heap_max_bytes else ""
    free = format_bytes(crash.free_bytes or 0)
    cached = f", {format_bytes(left)} with what its page cache gives back" if left else ""
    swap = "no swap"
    if crash.swap_bytes:
        swap_left = format_bytes(crash.swap_free_bytes or 0)
        swap = f"{swap_left} of {format_bytes(crash.swap_bytes)} swap"
    machine = format_bytes(crash.machine_bytes or 0)
    sentences = [
        f"The JVM{xmx} asked the operating system for {more} and was refused.",
        f"The machine of {machine} had {free} free{cached}, and {swap}.",
    ]
    room = (left if left is not None else crash.free_bytes or 0) + (crash.swap_free_bytes or 0)
    if asked is not None and room < asked:
        sentences.append(
            "That is less than what was asked for."
            if left is not None
            else "That is less than what was asked for, if its page cache had nothing to give back."
        )
    elif asked is not None:
        sentences.append(
            "That is more than what was asked for, so another limit is likely: ulimit -v, "
            "vm.max_map_count, or vm.overcommit_memory=2."
        )
    if crash.group_bytes is not None and crash.group_bytes < (crash.machine_bytes or 0):
        sentences.append(f"Its control group allows {format_bytes(crash.group_bytes)}.")
    if crash.heap_bytes and crash.heap_used_bytes is not None:
        used, has = format_bytes(crash.heap_used_bytes), format_bytes(crash.heap_bytes)
        sentences.append(f"Its heap had {has} so far, and {used} of them were in use.")
    options = f" of {options_name(evidence)}" if side_is_known(evidence) else ""
    step = (
        f"fewer or smaller processes on that machine, or a smaller -Xmx{options}: the heaps of all "
        "its JVMs and what they have beside them have to fit into it. Of YARN's containers "
        "yarn.nodemanager.resource.memory-mb is the sum."
    )
    if asked is not None and room >= asked:
        step = (
            "on that machine, ulimit -v of its user, sysctl vm.overcommit_memory vm.max_map_count, "
            "and the number of lines of /proc/PID/maps of such a process."
        )
    return Reading(" ".join(sentences), "proves", step)


MESSAGES = (
    direct_memory,
    class_memory,
    no_more_threads,
    mapping_refused,
    native_memory_refused,
)
