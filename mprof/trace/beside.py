"""What a text shows beside the end of a process: the kernel's kills, and a program's last words.

`mm/oom_kill.c` of Linux writes into the kernel's log, in the words of each of its lines::

    Killed process 18342 (python2.7) total-vm:3914208kB, anon-rss:3695540kB, file-rss:1204kB
    Killed process 18342, UID 500, (python2.7) total-vm:...

A process that is killed so writes nothing itself, and its exit code is 137 whoever killed it: these
lines are what says that it was the kernel, and what the process had.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from mprof.trace.crawl import Crawl
from mprof.trace.death import (
    NO_COLLECTIONS,
    OF_OTHERS,
    OLD_FULL_PERCENT,
    Death,
    is_of_a_start,
    refusal,
    timed_out_after,
)
from mprof.trace.jstat import Jstat, jstat_in
from mprof.trace.kernel import KernelKill, NodeMemory
from mprof.trace.kinds import kind_of_message
from mprof.trace.logs import no_memory_in, refused_in
from mprof.trace.needs import Needs, needs_in
from mprof.trace.thresholds import COLLECTING
from mprof.trace.throwable import OUT_OF_MEMORY
from mprof.trace.timeout import parse_timeout
from mprof.trace.trace import Trace
from mprof.units import GIB, KIB, format_count, format_ratio

__all__ = ["BesideEnd", "beside_end", "with_beside"]

_KILLED: Final = re.compile(
    r"\bKilled process (\d{1,10})(?:, UID \d{1,10},)? \(([^()\n]{1,64})\),?[^\n]{0,200}?"
    r"\banon-rss: ?(\d{1,12})kB"
)
_TRACEBACK: Final = re.compile(
    r"^Traceback \(most recent call last\):\n(?:[ \t][^\n]*\n)+"
    r"([A-Za-z_][\w.]{0,100}(?:[:\s][^\n]{0,300})?)$",
    re.MULTILINE,
)
_OF_A_CHILD: Final = re.compile(
    r"subprocess (?:failed with|exited with error) code (-?\d{1,4})", re.IGNORECASE
)
_SIGKILL: Final = 137
KILLED_A_JVM: Final = "the kernel killed a java for lack of memory"
"""Of a process that is not known to be the one that ended."""
# `java -version` of HotSpot: that of 64 bits has "64-Bit" before Server or Client
_NARROW: Final = re.compile(
    r"\b(?:Java HotSpot\(TM\)|OpenJDK) (?:Server|Client) VM \(build [^)\n]*\)"
)


@dataclass(frozen=True, slots=True)
class BesideEnd:
    """What a text shows beside the ends that it tells of.

    Attributes:
        kills: by the kernel, for lack of memory.
        last_words: the error that ended a program in Python; "" without one.
        no_memory: words in the text by which programs say that they got no memory.
        refused: by what words a JVM did not start; "" without.
        node: what it says of the machine.
        pids: of processes that it says to be a container's.
        narrow: what `java -version` printed of a JVM that is no 64-bit one; "" without.
        jstat: looks at JVMs.
        dumped: processes whose threads were listed by jstack.
        piped: the last count of records in the only log of a task of Streaming.
        ulimit_bytes: the address space that a process of a task may take.
        threads: the most that one process had.
        of_one_key: the records of a reducer whose counters have one group.
        needs: what it says of sizes.
        reporter_met: the OutOfMemoryError that a task's thread which reports progress has caught.
    """

    kills: tuple[KernelKill, ...] = ()
    last_words: str = ""
    no_memory: tuple[str, ...] = ()
    refused: str = ""
    narrow: str = ""
    node: NodeMemory | None = None
    pids: frozenset[int] = frozenset()
    jstat: tuple[Jstat, ...] = ()
    dumped: frozenset[int] = frozenset()
    piped: tuple[int, int] | None = None
    ulimit_bytes: int | None = None
    threads: int | None = None
    of_one_key: int | None = None
    needs: Needs = field(default_factory=Needs)
    reporter_met: str = ""

    def __bool__(self) -> bool:
        words = self.last_words or self.no_memory or self.refused or self.of_one_key or self.needs
        numbers = self.piped or self.ulimit_bytes or self.threads
        return bool(words or self.kills or self.jstat or numbers or self.reporter_met)


def beside_end(lines: Sequence[str]) -> BesideEnd:
    """What some lines show.

    >>> shown = beside_end(["Killed process 7 (perl) total-vm:9kB, anon-rss:8kB, file-rss:0kB"])
    >>> (shown.kills[0].program, shown.kills[0].resident_bytes)
    ('perl', 8192)
    """
    text = "\n".join(lines)
    kills = (
        KernelKill(int(one[1]), one[2], int(one[3]) * KIB, _is_of_a_group(text, one))
        for one in _KILLED.finditer(text)
    )
    traceback = _TRACEBACK.search(f"{text}\n")
    limits = {*_ULIMIT.findall(text)}
    needs = needs_in(lines)
    return BesideEnd(
        tuple(dict.fromkeys(kills)),
        traceback[1].strip() if traceback is not None else "",
        tuple(no_memory_in(lines)),
        refused_in(lines),
        node=_node_of(text),
        pids=frozenset(map(int, _OF_A_CONTAINER.findall(text))),
        narrow=narrow[0] if (narrow := _NARROW.search(text)) is not None else "",
        jstat=tuple(jstat_in(lines)),
        dumped=frozenset(map(int, _JSTACK.findall(text))),
        piped=_piped_in(text),
        ulimit_bytes=int(limits.pop()) * KIB if len(limits) == 1 else None,
        threads=max(map(int, _OF_A_PROCESS.findall(text)), default=None),
        of_one_key=needs.groups[1] if needs.groups is not None and needs.groups[0] == 1 else None,
        needs=needs,
        reporter_met=met[1].strip() if (met := _MET.search(text)) is not None else "",
    )


# Task.TaskReporter.run: it catches what its thread meets, and tries again twice
_MET: Final = re.compile(
    rf"\bCommunication exception: ({re.escape(OUT_OF_MEMORY)}: [^\n]{{1,100}})"
)


def _is_of_a_group(text: str, kill: re.Match[str]) -> bool:
    """Whether the line of a kill, or the one above it, says that it was for a control group."""
    begin = text.rfind("\n", 0, max(text.rfind("\n", 0, kill.start()), 0)) + 1
    return "Memory cgroup out of memory" in text[begin : kill.start()]


def with_beside(trace: Trace, beside: BesideEnd) -> Trace:
    """The trace with what a text shows of such an end as it had; the same where it shows none.

    A program that the task's JVM ran is no Java; a container that was killed ran one.
    """
    if beside.needs and trace.failed:
        own = beside.needs
        if own.histogram_pid not in beside.dumped:
            own = replace(own, histogram=())  # of which process it is the text does not show
        trace = replace(trace, death=replace(trace.death, needs=own))
    death = trace.death
    if beside.ulimit_bytes and "reserve enough space" in death.evidence:
        death = replace(death, ulimit_bytes=beside.ulimit_bytes)
        trace = replace(trace, death=death)
    if beside.narrow and "reserve enough space" in death.evidence:
        return replace(trace, death=replace(death, last_words=beside.narrow))
    of_reduce = trace.task_type in {"reduce", None}
    if beside.of_one_key is not None and death.kind in _OF_A_HEAP_KIND and of_reduce:
        return replace(trace, death=replace(death, of_one_key=beside.of_one_key))
    if death.kind == "threads" and beside.threads is not None:
        return replace(trace, death=replace(death, threads=beside.threads))
    if not beside or not trace.failed or death.kind != "not-memory":
        return trace
    if beside.jstat and NO_COLLECTIONS in death.evidence:
        return replace(trace, death=_with_jstat(trace, beside))
    if beside.reporter_met and NO_COLLECTIONS in death.evidence:
        return replace(trace, death=_with_what_was_met(death, beside.reporter_met))
    if beside.refused and _says_no_more_than_1(death, beside.refused):
        told = refusal(beside.refused, "diagnostics")
        return replace(
            trace,
            death=replace(
                death, kind=told.kind, evidence=told.evidence, message=told.message,
                last_words=beside.narrow, ulimit_bytes=beside.ulimit_bytes,
            ),
        )  # fmt: skip
    child = _OF_A_CHILD.search(f"{death.message or ''} {death.evidence}")
    if child is not None:
        code = int(child[1])
        kills = tuple(one for one in beside.kills if one.program != "java")
        return _shown(
            trace,
            replace(
                death,
                kernel_kills=kills if code == _SIGKILL else (),
                last_words=beside.last_words if code != _SIGKILL else "",
                piped=beside.piped,
                ulimit_bytes=beside.ulimit_bytes if code != _SIGKILL else None,
            ),
            beside.no_memory if code != _SIGKILL else (),
        )
    # an executor of Spark runs the programs of PySpark in its container
    of_spark = death.program is not None and death.program.id.startswith("spark")
    kills = tuple(one for one in beside.kills if of_spark or one.program == "java")
    if death.container is None or death.container.exit_code != _SIGKILL:
        return replace(trace, death=_with_others(death, kills))
    kills = tuple(one for one in kills if one.pid in beside.pids) or kills
    return _shown(trace, replace(death, kernel_kills=kills, node=beside.node), ())


# ContainersMonitorImpl, ContainerLaunch; the process of its list that was started first
_OF_A_CONTAINER: Final = re.compile(
    r"(?:\[pid=|ProcessTree |container-pid file was |\|- )(\d{1,10})\b"
)
_OF_A_MACHINE: Final = re.compile(
    r"\b(\d{1,4}) ?GB (?:of )?(?:RAM|ram|memory|physical memory)\b(?! used)"
)
_OF_A_HEAP: Final = re.compile(r"\b(\d{1,4}) ?GB (?:of )?heap\b|\bheap (?:of |is )?(\d{1,4}) ?GB\b")


# PipeMapRed.logprintln: records that the JVM wrote to the program, and read of it
_PIPED: Final = re.compile(r"\bPipeMapRed: R/W/S=(\d{1,15})/(\d{1,15})/\d{1,15}\b")
# TaskRunner of Hadoop 1, in KB; as a file, a command or a sentence gives it
_ULIMIT: Final = re.compile(
    r"\bmapred\.(?:(?:map|reduce)\.)?child\.ulimit\b[^\w\n]{0,3}(?:</name>\s{0,9}<value>)?"
    r"[^\w\n]{0,3}(?:is |to )?(\d{1,12})\b"
)
# proc(5), /proc/PID/status
_OF_A_PROCESS: Final = re.compile(r"(?m)^Threads:[ \t]+(\d{1,7})[ \t]*$")


_OF_A_HEAP_KIND: Final = frozenset({"heap", "gc-overhead"})


def _piped_in(text: str) -> tuple[int, int] | None:
    """The last count; None where counts become smaller: they are of several tasks."""
    counts = [(int(one[1]), int(one[2])) for one in _PIPED.finditer(text)]
    return counts[-1] if counts and counts == sorted(counts) else None


_JSTACK: Final = re.compile(r"\bjstack(?: +-\w+)* +(\d{1,10})\b")
_FEWEST_S: Final = 10.0
"""Of a shorter time two collections may be most."""


def _with_jstat(trace: Trace, beside: BesideEnd) -> Death:
    """How a task timed out, with looks at the JVM whose threads were listed as those of the task.

    One that collects nearly all the time, and has its old generation full for all that, has a full
    heap. Of other looks nothing says whose they are.
    """
    death = replace(trace.death, old_percent=beside.jstat[-1].most_old)
    own = [one for one in beside.jstat if one.pid is not None and {one.pid} == beside.dumped]
    if not trace.logs.dumped or not own:
        return replace(death, evidence=death.evidence.replace(NO_COLLECTIONS, OF_OTHERS))
    seen = own[-1]
    timeout = parse_timeout(death.message)
    share = seen.collecting_s / seen.seconds if seen.seconds else 0.0
    is_full = seen.least_old >= OLD_FULL_PERCENT and share >= COLLECTING.value
    in_use = f"its old generation {seen.most_old:.2f} % full"
    if timeout is None or seen.seconds is None or seen.seconds < _FEWEST_S or not is_full:
        shown = f"jstat, of the process whose threads were listed, has {in_use}"
        return replace(death, evidence=death.evidence.replace(NO_COLLECTIONS, shown))
    share = min(share, 1.0)
    return replace(
        death,
        kind="gc-overhead",
        evidence=f"killed by mapreduce.task.timeout after {timeout.seconds} s without progress, "
        f"while {format_count(seen.collections)} full collections in {seen.seconds:.0f} s took "
        f"{format_ratio(share)} of the time and left {in_use} (jstat)",
        crawl=Crawl(seen.seconds, share, seen.collections, 0, 0, "jstat", is_all=True),
    )


def _with_what_was_met(death: Death, error: str) -> Death:
    """How a task timed out, one of whose threads has met an error of a full heap."""
    timeout = parse_timeout(death.message)
    kind = kind_of_message(error.partition(": ")[2])
    if timeout is None or kind not in _OF_A_HEAP_KIND:
        return death
    return replace(death, kind=kind, evidence=timed_out_after(timeout, error))


def _node_of(text: str) -> NodeMemory | None:
    """The memory of the only machine that somebody describes, and the heaps that they give it."""
    machines = {int(one) for one in _OF_A_MACHINE.findall(text)}
    heaps = tuple(int(one or other) * GIB for one, other in _OF_A_HEAP.findall(text))
    return NodeMemory(machines.pop() * GIB, heaps) if len(machines) == 1 else None


def _says_no_more_than_1(death: Death, refused: str) -> bool:
    """Whether an end is told by exit code 1 or by what stands around it, or by such words."""
    code = death.container.exit_code if death.container is not None else None
    words = death.chain or (death.message or death.evidence,)
    only_around = all(is_of_a_start(one) or one in refused for one in words)
    return (code == 1 and not death.chain) or (code in (None, 1) and only_around)


def _with_others(death: Death, kills: Sequence[KernelKill]) -> Death:
    """A death by whatever its own words say, beside which the kernel killed a JVM."""
    kills = [one for one in kills if one.program == "java"]
    if not kills:
        return death
    named = f"process {kills[0].pid}" if len(kills) == 1 else f"{len(kills)} of them"
    return replace(
        death,
        evidence=f"{death.evidence}; {KILLED_A_JVM} ({named}), and mprof cannot tell "
        "whether it was this one",
    )


def _shown(trace: Trace, death: Death, no_memory: tuple[str, ...]) -> Trace:
    words = tuple(dict.fromkeys((*trace.logs.no_memory, *no_memory)))
    return replace(trace, death=death, logs=replace(trace.logs, no_memory=words))
