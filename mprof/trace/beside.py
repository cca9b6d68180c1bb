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
from dataclasses import dataclass, replace
from typing import Final

from mprof.trace.death import Death, is_of_a_start, refusal
from mprof.trace.kernel import KernelKill, NodeMemory
from mprof.trace.logs import no_memory_in, refused_in
from mprof.trace.model import Trace
from mprof.units import GIB, KIB

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
    """

    kills: tuple[KernelKill, ...] = ()
    last_words: str = ""
    no_memory: tuple[str, ...] = ()
    refused: str = ""
    narrow: str = ""
    node: NodeMemory | None = None
    pids: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.kills or self.last_words or self.no_memory or self.refused)


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
    return BesideEnd(
        tuple(dict.fromkeys(kills)),
        traceback[1].strip() if traceback is not None else "",
        tuple(no_memory_in(lines)),
        refused_in(lines),
        node=_node_of(text),
        pids=frozenset(map(int, _OF_A_CONTAINER.findall(text))),
        narrow=narrow[0] if (narrow := _NARROW.search(text)) is not None else "",
    )


def _is_of_a_group(text: str, kill: re.Match[str]) -> bool:
    """Whether the line of a kill, or the one above it, says that it was for a control group."""
    begin = text.rfind("\n", 0, max(text.rfind("\n", 0, kill.start()), 0)) + 1
    return "Memory cgroup out of memory" in text[begin : kill.start()]


def with_beside(trace: Trace, beside: BesideEnd) -> Trace:
    """The trace with what a text shows of such an end as it had; the same where it shows none.

    A program that the task's JVM ran is no Java; a container that was killed ran one.
    """
    death = trace.death
    if beside.narrow and "reserve enough space" in death.evidence:
        return replace(trace, death=replace(death, last_words=beside.narrow))
    if not beside or not trace.failed or death.kind != "not-memory":
        return trace
    if beside.refused and _says_no_more_than_1(death, beside.refused):
        told = refusal(beside.refused, "diagnostics")
        return replace(
            trace,
            death=replace(
                death, kind=told.kind, evidence=told.evidence, message=told.message,
                last_words=beside.narrow,
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
        evidence=f"{death.evidence}; {KILLED_A_JVM} ({named}), and the text does not say that it "
        "was this one",
    )


def _shown(trace: Trace, death: Death, no_memory: tuple[str, ...]) -> Trace:
    words = tuple(dict.fromkeys((*trace.logs.no_memory, *no_memory)))
    return replace(trace, death=death, logs=replace(trace.logs, no_memory=words))
