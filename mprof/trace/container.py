"""YARN's diagnostics of the end of a container: kills for memory, exit codes, process trees.

Sources of the wording: 1.x, ``TaskMemoryManagerThread``; 2.x and 3.x, ``ContainersMonitorImpl``;
kills by the kernel, ``CGroupElasticMemoryController`` and ``CGroupsResourceCalculator``; exit
codes, ``org.apache.hadoop.yarn.api.records.ContainerExitStatus``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mprof.units import GIB, KIB, MIB, parse_jvm_size, parse_long

__all__ = [
    "HEAP_OF_CONTAINER",
    "ContainerEnd",
    "ContainerProcess",
    "is_interpreter",
    "parse_container_end",
    "processes_in",
    "program_of",
    "why_not_started",
]

_SIZE: Final = r"(-?\d{1,18}(?:\.\d{1,9})? ?[KMGTPkmgtp]?[Bb])"  # 0.23 writes gb
_NUMBER: Final = r"(-?\d{1,18})"
_EXIT_WORDS: Final = r"(?i:exit ?code|exit ?status)(?: is|:|=)?"
_PHYSICAL: Final = re.compile(rf"{_SIZE} of {_SIZE}\s+physical memory used")
_VIRTUAL: Final = re.compile(rf"{_SIZE} of {_SIZE}\s+virtual memory")
# (pattern, which limit); the first match wins
_KILLS: Final = (
    (re.compile(r"(?i)is running -?\d+B beyond the 'PHYSICAL' memory limit"), "physical"),
    (re.compile(r"(?i)is running -?\d+B beyond the 'VIRTUAL' memory limit"), "virtual"),
    # a terminal or a page may have broken the line anywhere behind these words
    (re.compile(r"(?i)running beyond physical\b"), "physical"),
    (re.compile(r"(?i)running beyond virtual\b"), "virtual"),
    (re.compile(r"(?i)is under oom because it exceeded its physical memory limit"), "physical"),
    (re.compile(r"(?i)is under oom because it exceeded its virtual memory limit"), "virtual"),
    (re.compile(r"(?i)is running beyond memory-limits"), "virtual"),  # 1.x limits virtual memory
    # 1.x, TaskMemoryManagerThread.killTasksWithLeastProgress: the limit of the whole node
    (re.compile(r"cumulative memory usage of all the tasks on .* exceeds virtual"), "virtual"),
    # org.apache.spark.deploy.yarn.YarnAllocator, in the words of each line of Spark
    (
        re.compile(rf"for exceeding (?:virtual )?memory limits\.\s+{_SIZE} of {_SIZE} virtual"),
        "virtual",
    ),
    (
        re.compile(rf"for exceeding (?:physical )?memory limits\.\s+{_SIZE} of {_SIZE} phys"),
        "physical",
    ),
    # without sizes, where its own words were cut: of the two limits, the one that it names
    (re.compile(r"for exceeding (?:physical )?memory limits"), "physical"),
    (re.compile(r"for exceeding virtual memory limits"), "virtual"),
    # Kubernetes, of a container whose control group reached its limit (kubectl, Spark, the kubelet)
    (re.compile(r"(?i)\breason\W{1,8}OOMKilled"), "physical"),
    (re.compile(rf"{_EXIT_WORDS} *-104\b"), "physical"),
    (re.compile(rf"{_EXIT_WORDS} *-103\b"), "virtual"),
)
_BEYOND: Final = re.compile(r"is running (\d{1,18})B beyond the 'PHYSICAL' memory limit")  # 3.x
_EXIT: Final = re.compile(rf"(?:{_EXIT_WORDS}|Command exited with code) *(-?\d+)")
_PROCESS: Final = re.compile(
    rf"^\s*\|- {_NUMBER} {_NUMBER} {_NUMBER} {_NUMBER} \(([^)]*)\) "
    rf"{_NUMBER} {_NUMBER} {_NUMBER} {_NUMBER} ?(.*)$",
    re.MULTILINE,
)
_LIST: Final = re.compile(r"Dump of the process-tree for (container_\w+)")
_TASK_CLASSES: Final = ("org.apache.hadoop.mapred.YarnChild", "org.apache.hadoop.mapred.Child")
_PAGE_SIZES: Final = (4 * KIB, 16 * KIB, 64 * KIB)  # of the kernels Hadoop runs on
_Sizes = tuple[int | None, int | None, int | None, int | None]
_LEAST_LISTED: Final = 0.5  # of what was used: a list of less has lost some of its lines
_NEAR: Final = 0.25  # pages that two processes share are counted twice
_XMX: Final = re.compile(r"(?:^|\s)-(?:Xmx|XX:MaxHeapSize=)([0-9]{1,15}[kKmMgGtT]?)(?=\s|$)")
_SCRIPT: Final = re.compile(r"[\w.+-]*\w\.\w{1,4}")
_INTERPRETER: Final = re.compile(
    r"(?:python|perl|ruby|Rscript|node|php|lua|bash|dash|ksh|zsh|sh)[\d.]*"
)
_SHELLS: Final = frozenset({"bash", "sh", "dash"})
_FACTORS: Final = {
    "B": 1,
    "KB": KIB,
    "MB": MIB,
    "GB": GIB,
    "TB": 1024 * GIB,
    "PB": 1024 * 1024 * GIB,
}


@dataclass(frozen=True, slots=True)
class ContainerProcess:
    """A process in the container.

    Attributes:
        program: the file name of its program, and of the script that it runs where the next word
            is one (``python3 mapper.py``). The rest of its command line is not kept, because it may
            hold secrets.
        is_task: it is the JVM of the task, or the only one in the container of another engine.
        is_shell: it is a shell around the task's JVM, with next to nothing of its own.
        resident_bytes: its pages; their size is that which makes the sum over all processes come
            nearest to the use as reported, 4 KB where that is not known.
        heap_max_bytes: the last ``-Xmx`` of its command, which the JVM obeys; None without one.
    """

    pid: int
    program: str
    resident_bytes: int
    is_task: bool = False
    is_shell: bool = False
    heap_max_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ContainerEnd:
    """How a container ended.

    Attributes:
        limit: ``physical`` or ``virtual`` if it was killed for memory, else None.
        line: the line of the diagnostics that says so.
        exit_code: 137 is ``SIGKILL``, 143 ``SIGTERM``; negative ones are YARN's own.
        physical_used_bytes: as the bytes beyond the limit or the pages of its processes give it,
            where they agree with what is reported; else that.
        rounding_bytes: by how much it may be more or less, as what is reported has one decimal.
        processes: the process tree, if the diagnostics hold most of it.
        unlisted_bytes: the most that processes took which are missing in that list: it has lost
            some where that of the container itself is not in it, or where its sum is too small.
        is_cut: whether a list of processes was begun, and most of what was used is not in it.
        task_heap_bytes: ``-Xmx`` of the task's JVM, as its command line in the process tree has it,
            or that of the shell that starts it.
    """

    limit: str | None
    line: str
    exit_code: int | None = None
    physical_used_bytes: int | None = None
    physical_limit_bytes: int | None = None
    virtual_used_bytes: int | None = None
    virtual_limit_bytes: int | None = None
    processes: tuple[ContainerProcess, ...] = ()
    task_heap_bytes: int | None = None
    rounding_bytes: int = 0
    unlisted_bytes: int = 0
    is_cut: bool = False


def parse_container_end(text: str) -> ContainerEnd | None:
    """The end of the container in the diagnostics of an attempt; None if they do not mention it."""
    text = _of_one_container(text)
    exit_code = _EXIT.search(text)
    code = parse_long(exit_code[1]) if exit_code else None
    physical = _PHYSICAL.search(text)
    reported, limit_bytes = _sizes(physical)
    processes, heap = _processes(text, used_bytes=reported)
    rounding = _rounding(physical[1]) if physical is not None else 0
    used = _exact(text, reported, limit_bytes, processes, rounding)
    rounding = 0 if used is not None else rounding
    sizes = (used or reported, limit_bytes, *_sizes(_VIRTUAL.search(text)))
    killed = _killed(text, (reported, *sizes[1:]))  # as rounded as its limit
    if killed is not None:
        limit, at = killed
        sizes = (sizes[0], _by_its_heap(limit_bytes, heap, physical), *sizes[2:])
        unlisted = _unlisted(text, reported, processes, physical)
        is_cut = not processes and _HEAD.search(text) is not None
        return ContainerEnd(
            limit, _line_at(text, at), code, *sizes, processes, heap, rounding, unlisted, is_cut
        )
    if exit_code is None:
        return None
    line = _line_at(text, exit_code.start())
    return ContainerEnd(None, line, code, processes=processes, task_heap_bytes=heap)


# YARN's own words before the reason: RMAppAttemptImpl, ContainerImpl
_BEFORE_A_REASON: Final = re.compile(r"(?:\bDiagnostics:|\bdue to:) ")
_TIME: Final = re.compile(r"\[\d[\d\-:., ]{15,30}\] ?")
_REASONS: Final = re.compile(
    r"\w(?:Exception|Error)\b\)?:|Permission denied|does not exist|changed on src filesystem|"
    r"No space |[Tt]oken\b|-dirs |\b[Uu]nable to |\b[Cc]ould not |\b[Ff]ailed to "
)
_NEVER_STARTED: Final = re.compile(rf"{_EXIT_WORDS} *-1000\b\.?")


def why_not_started(text: str) -> str:
    """The line that says why a node could not prepare a container; "" where none does.

    It stands behind exit status -1000 (``ContainerExitStatus.INVALID``): in its line up to Hadoop
    2.6, else in those below, where the ResourceManager writes more before it. No process has run
    that could have printed one of them.
    """
    code = _NEVER_STARTED.search(text)
    if code is None:
        return ""
    for line in text[code.end() :].split("\n"):
        said = _TIME.sub("", _BEFORE_A_REASON.split(line)[-1].strip(), count=1)
        if _REASONS.search(said) and not said.startswith("at "):
            return said.removesuffix("(diagnostics)").strip()
    return ""


HEAP_OF_CONTAINER: Final = 0.8
"""Hadoop's own `mapreduce.job.heap.memory-mb.ratio` (mapred-default.xml)."""


def _by_its_heap(limit: int | None, heap: int | None, sizes: re.Match[str] | None) -> int | None:
    """The limit; where it is rounded, the one of which the heap is the usual share, if it fits."""
    if limit is None or heap is None or sizes is None or limit % MIB == 0:
        return limit
    usual = round(heap / MIB / HEAP_OF_CONTAINER) * MIB
    return usual if abs(usual - limit) <= _rounding(sizes[2]) else limit


def _rounding(size: str) -> int:
    """Half of the last digit of a size as Hadoop prints it: it gives one decimal, none of whole."""
    return math.ceil(_bytes(re.sub(r"-?[\d.]+", "1", size)) / 20)


def _exact(
    text: str,
    reported: int | None,
    limit: int | None,
    processes: Sequence[ContainerProcess],
    rounding: int,
) -> int | None:
    """What was used, to the byte; None where nothing says it that agrees with what is reported."""
    if reported is None:
        return None
    beyond = _BEYOND.search(text)
    told = [limit + int(beyond[1])] if limit and beyond is not None else []
    told += [sum(one.resident_bytes for one in processes)] if processes else []
    agree = (one for one in told if abs(one - reported) <= rounding)
    # of what is killed for more than its limit, less than that is not all
    return next((one for one in agree if reported < (limit or 0) or one >= (limit or 0)), None)


_OF_CONTAINER: Final = re.compile(r"\[pid=(\d{1,9}),")
_HEAD: Final = re.compile(r"\|- PID PPID |Dump of the process-tree for container_")


def _unlisted(
    text: str,
    reported: int | None,
    processes: Sequence[ContainerProcess],
    sizes: re.Match[str] | None,
) -> int:
    """The most that processes took which a list has lost; 0 of one that is whole.

    ``ProcfsBasedProcessTree.getProcessTreeDump`` lists every process of the container, also the
    first one, whose id the message has.
    """
    if reported is None or sizes is None or not processes:
        return 0
    first, rounding = _OF_CONTAINER.search(text), _rounding(sizes[1])
    listed = sum(one.resident_bytes for one in processes)
    has_first = first is None or any(one.pid == int(first[1]) for one in processes)
    if has_first and listed >= reported - rounding:
        return 0
    return max(0, reported + rounding - listed)


def _killed(text: str, sizes: _Sizes) -> tuple[str, int] | None:
    """Which limit it was killed for, and where that is said; None where it was for none."""
    for pattern, limit in _KILLS:
        match = pattern.search(text)
        if match is not None:
            return limit, match.start()
    at, exceeded = text.find("Killing container"), _exceeded(sizes)
    if at >= 0 and exceeded is not None:  # the words before the sizes are cut off
        return exceeded, at
    return None


def _of_one_container(text: str) -> str:
    """Up to where the processes of another container are listed: Tez tells several attempts."""
    lists = [*_LIST.finditer(text)]
    other = next((one.start() for one in lists if one[1] != lists[0][1]), None)
    return text[:other]


def processes_in(text: str) -> tuple[ContainerProcess, ...]:
    """The processes of the first container whose list a text has, with pages of 4 KB."""
    return _processes(_of_one_container(text), used_bytes=None)[0]


def _processes(
    text: str, *, used_bytes: int | None
) -> tuple[tuple[ContainerProcess, ...], int | None]:
    """The processes, none where the list is cut off; and the heap of the task among them."""
    # of a list that is printed twice the first counts: a kill has one, and each process one row
    rows = [*{row[1]: row for row in reversed([*_PROCESS.finditer(text)])}.values()][::-1]
    # what has just been started is counted with no pages: -1
    pages = [max(int(row[9]), 0) for row in rows]
    page = _PAGE_SIZES[0]
    if used_bytes and sum(pages):
        likely = min(_PAGE_SIZES, key=lambda size: abs(sum(pages) * size - used_bytes))
        if abs(sum(pages) * likely - used_bytes) <= _NEAR * used_bytes:  # else the list is cut off
            page = likely
    of_tasks = {row[1] for row in rows if any(one in row[10] for one in _TASK_CLASSES)}
    of_class = {row[1] for row in rows if _is_task(row[5], row[10])}
    tasks = of_class or {
        row[1]
        for row in rows
        if row[5] == "java" and row[2] in of_tasks  # its line is cut off
    }
    jvms = [row[1] for row in rows if row[5] == "java"]
    if not tasks and len(jvms) == 1:
        tasks = {jvms[0]}  # of another engine: what the container was started for
    above_tasks = {row[2] for row in rows if row[1] in tasks}
    processes = tuple(
        ContainerProcess(
            pid=int(row[1]),
            program=program_of(row[10]) or row[5],
            resident_bytes=count * page,
            is_task=row[1] in tasks,
            is_shell=row[1] in above_tasks and row[5] in _SHELLS,
            heap_max_bytes=_heap_max(row[10]) if row[5] == "java" else None,
        )
        for row, count in zip(rows, pages, strict=True)
    )
    is_cut = bool(used_bytes) and sum(pages) * page < _LEAST_LISTED * (used_bytes or 0)
    told = (one for one in processes if one.is_task and (not is_cut or str(one.pid) in of_class))
    heap = next((one.heap_max_bytes for one in told), None)
    if heap is None and (is_cut or not tasks):
        heap = _heap_of_shell(rows, jvms)
    return () if is_cut else processes, heap


# of the options of a JVM the end: what its class path, MapReduceChildJVM's or Spark's
# ExecutorRunnable's own options and the main class stand behind
_OPTIONS_END: Final = re.compile(
    r"\s-(?:cp|classpath)\s|\s-Djava\.io\.tmpdir=|\s" + "|\\s".join(map(re.escape, _TASK_CLASSES))
)
_STARTS_JAVA: Final = re.compile(r"\S*/(?:ba|da)?sh -c (?:exec )?(?:\w+=\S* )*\S*/java\s")


def _heap_of_shell(rows: Sequence[re.Match[str]], jvms: Sequence[str]) -> int | None:
    """``-Xmx`` in the command of the container, where the row of the JVM itself is cut away.

    ``ContainerLaunch`` runs that command as ``bash -c``: it is the first process of the container,
    and starts one JVM. HotSpot takes the last ``-Xmx``, so the options have to be there whole.
    """
    parents = {row[1] for row in rows}
    for row in rows:
        starts = row[5] in _SHELLS and row[2] not in parents and _STARTS_JAVA.match(row[10])
        end = _OPTIONS_END.search(row[10]) if starts and not jvms else None
        if end is not None:
            return _heap_max(row[10][: end.start()])
    return None


def program_of(command: str) -> str:
    """The file name of a command's program, and of an interpreter's script, without arguments."""
    words = command.split()
    while words and "=" in words[0]:
        words = words[1:]  # an assignment for the shell, whose value may be a secret
    names = [word.rsplit("/", 1)[-1] for word in words[:2]]
    if len(names) > 1 and _INTERPRETER.fullmatch(names[0]) and _SCRIPT.fullmatch(names[1]):
        return " ".join(names)
    return names[0] if names else ""


def is_interpreter(program: str) -> bool:
    """Whether it is an interpreter alone, whose script is not known."""
    return _INTERPRETER.fullmatch(program) is not None


def _is_task(name: str, command: str) -> bool:
    """The JVM, not the shell that has started it: that has the same words in one argument."""
    return name == "java" and any(word in _TASK_CLASSES for word in command.split())


def _heap_max(command: str) -> int | None:
    sizes = _XMX.findall(command)
    return parse_jvm_size(sizes[-1]) if sizes else None


def _line_at(text: str, position: int) -> str:
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return text[start : len(text) if end < 0 else end].strip()


def _exceeded(sizes: _Sizes) -> str | None:
    """Which limit the sizes exceed; None where they do not say."""
    used, limit, virtual_used, virtual_limit = sizes
    if used is not None and limit and used >= limit:
        return "physical"
    return "virtual" if virtual_used and virtual_limit and virtual_used >= virtual_limit else None


def _sizes(found: re.Match[str] | None) -> tuple[int | None, int | None]:
    """What was used and what was allowed."""
    return (_bytes(found[1]), _bytes(found[2])) if found is not None else (None, None)


def _bytes(text: str) -> int:
    match = re.match(r"(-?[\d.]+) ?(\w+)", text)
    if match is None:
        return 0
    return round(float(match[1]) * _FACTORS.get(match[2].upper(), 1))
