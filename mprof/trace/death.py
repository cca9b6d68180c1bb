"""How an attempt died: told from everything it left behind, the strongest evidence first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from mprof.code_site import CodeSite
from mprof.engines import MAPREDUCE, PLACES, Place, Program
from mprof.trace.container import ContainerEnd, parse_container_end, why_not_started
from mprof.trace.crash_report import CrashReport
from mprof.trace.crawl import Crawl, Fill
from mprof.trace.events import Failure
from mprof.trace.excerpt import Excerpt
from mprof.trace.failures import is_of_memory, last_like, of_task_first, throwable_of
from mprof.trace.kernel import KernelKill, NodeMemory
from mprof.trace.kinds import DeathKind, kind_of_error, kind_of_message
from mprof.trace.logs import END_OF_STDERR, LoggedError, Logs, joined_logs, read_log
from mprof.trace.needs import Needs
from mprof.trace.place import place_on_stack
from mprof.trace.thresholds import COLLECTING, MOST_OF_THE_TIME
from mprof.trace.throwable import (
    OUT_OF_MEMORY,
    Throwable,
    out_of_memory_in,
    parse_throwable,
)
from mprof.trace.timeout import Timeout, parse_timeout, printed_in
from mprof.units import format_bytes, format_count, format_ratio

__all__ = [
    "CAUGHT_BEFORE", "VERIFY_MARKER", "Death", "classify_death", "is_of_a_start", "refusal",
    "timed_out_after",
]  # fmt: skip

CAUGHT_BEFORE: Final = "an OutOfMemoryError had been caught before it"
"""What is said of a death of another kind after an error of memory that did not end the task."""

VERIFY_MARKER: Final = "mprof verify: "
"""What the message of the error begins with by which the agent ends a verify attempt.

``MarkedFailure.PREFIX`` of the agent. A message and no event, because the cluster's own words
are all that is left of an attempt whose event log is lost.
"""

# what a line of the JVM means where it does not quote the error's message; heap is the common one
_BY_WORD: Final[tuple[tuple[str, DeathKind], ...]] = (
    ("terminating", "heap"),
    ("halting", "heap"),
    ("in-handler", "heap"),
    ("threads", "threads"),
    ("native", "native"),
)
# what engines on top say of a full heap in their own words, and the line that tells most of it
_OF_ENGINES: Final = (
    # org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask.executeInProcess: 3 is for memory alone
    re.compile(r"^.*MapJoinMemoryExhaustion(?:Exception|Error)\b.*$", re.MULTILINE),
    re.compile(
        r"^.*(?:return code 3\b[^\n]{0,20}?\S*MapredLocalTask|"
        r"Execution failed with exit status: 3\b).*$",
        re.MULTILINE,
    ),
    # org.apache.hadoop.hive.ql.exec.errors.MapAggrMemErrorHeuristic: an OutOfMemoryError is in the
    # log of the task, and the query has a GROUP BY
    re.compile(r"^.*Out of memory due to hash maps used in map-side aggregation.*$", re.MULTILINE),
)
# the lines around an exit code, of ContainerLaunch and the executors
_OF_AN_EXIT: Final = re.compile(
    r"Container killed on request|Exit code is|Container exited|Killed by external signal|"
    r"^\s*(?:Exception from container-launch|Container [iI]d: |Exit code: |Stack trace: Exit|at |"
    r"Shell output: |main : (?:command|user|run as user|requested)|ExitCodeException|\.\.\. \d)"
)
# org.apache.hadoop.mapreduce.counters.Limits: what engines quote below a line of their own
_LIMIT_MET: Final = re.compile(
    r"Too many counter(?: group)?s: \d+ max=\d+|Exceeded MAX_FAILED_UNIQUE_FETCHES|"
    r"killed by elastic cgroups OOM handler|"  # of the NodeManager, beside the exit code
    r"The node was low on resource: "  # the kubelet, of a pod that it evicts
)
_TELLS_MORE: Final = re.compile(
    r"^.*(?:Processing rows:.*Memory usage:.*percentage:|\bpercentmemory is set to ).*$",
    re.MULTILINE,
)
# ENOMEM, as glibc and musl put it: the operating system had no more for a call of the JDK's
_NO_MEMORY: Final = re.compile(
    r"java\.io\.IOException: (?:.*: )?(?:error=12, [^:]*|Cannot allocate memory|Out of memory)$|"
    r": java\.io\.IOException: Out of memory$"
)
_LAST_PRINTED: Final = 2  # lines, of which an error is one
_KILL_CODES: Final = {137: "SIGKILL", 143: "SIGTERM"}
"""Levels at which is logged what was caught and tried again, as ``Task.TaskReporter`` does."""
_NO_LOGS: Final = Logs()


@dataclass(frozen=True, slots=True)
class Death:
    """How it ended.

    Attributes:
        kind: one of the kinds of the public contract.
        evidence: the line it was told from, and where that line stood.
        message: of the error, without its class.
        thread: that died; often not the user's (any thread may ask for the last byte).
        stack: its frames, top first; empty where no evidence holds them.
        place: the step of the task; None where nothing says, never ``other``.
        chain: the first lines of the error and of its causes, outermost first.
        container: what YARN said about the container.
        failure: the agent's event where it was told from one; of several that are alike, the newest
            (:func:`mprof.trace.failures.last_like`).
        crawl: how it crawled in a full heap, of one that was killed because it made no progress.
        program: what it was, where its words say that it was no map or reduce task.
        from_dump: whether nothing but a heap dump says so.
        callers: frames of the errors of the chain that were thrown for the one of `stack`: of the
            same thread, or of one that waited for it.
        in_task: whether loggers of a map or reduce task wrote the log that it stands in.
        in_pod: whether the text that it stands in is of Kubernetes.
        of_hadoop_1: whether what somebody wrote about it tells of Hadoop 1, and of nothing of YARN.
        of_mapreduce: whether that shows MapReduce by what no other engine has, as the ids of tasks.
        crash: what the JVM says of its own end, where it got no more native memory.
        dump: the heap dump that the JVM wrote on its machine, as it says; "" where it says nothing.
        kernel_kills: processes that the kernel killed for lack of memory, by its log in the text
            that tells of an end by exit code 137.
        last_words: the error that ended the program which the task ran, as such a text shows it; or
            of a heap that could not be reserved, the version of a 32-bit JVM in the text.
        node: what such a text says of the machine.
        said: the sentence that speaks of the end, where nothing else does: no line of a log.
        piped: records that the JVM had handed to the program of Streaming, and had read of its
            output, at the last count in the text; None where it has none.
        ulimit_bytes: the address space that a process of a task may take, by such a text.
        threads: of one process, by such a text, where no further thread could be started.
        of_one_key: how many values a reducer had read whose counters in such a text have one group.
        old_percent: of an old generation in use, by jstat in such a text, of whatever process.
        needs: what such a text says of sizes.
    """

    kind: DeathKind
    evidence: str
    message: str | None = None
    thread: str | None = None
    stack: tuple[CodeSite, ...] = ()
    place: Place | None = None
    error_class: str | None = None
    chain: tuple[str, ...] = ()
    container: ContainerEnd | None = None
    failure: Failure | None = None
    crawl: Crawl | None = None
    program: Program | None = None
    from_dump: bool = False
    callers: tuple[CodeSite, ...] = ()
    in_task: bool = False
    in_pod: bool = False
    of_hadoop_1: bool = False
    of_mapreduce: bool = False
    crash: CrashReport | None = None
    dump: str = ""
    kernel_kills: tuple[KernelKill, ...] = ()
    last_words: str = ""
    node: NodeMemory | None = None
    said: str = ""
    piped: tuple[int, int] | None = None
    ulimit_bytes: int | None = None
    threads: int | None = None
    of_one_key: int | None = None
    old_percent: float | None = None
    needs: Needs = field(default_factory=Needs)

    @property
    def container_used_bytes(self) -> int | None:
        """Physical memory at which YARN killed the container."""
        return self.container.physical_used_bytes if self.container is not None else None


def classify_death(
    *,
    failures: Sequence[Failure] = (),
    logs: Logs = _NO_LOGS,
    diagnostics: str | None = None,
    succeeded: bool | None = None,
    crawl: Crawl | None = None,
    fill: Fill | None = None,
) -> Death:
    """The kind of death, from the strongest evidence to the weakest.

    An OutOfMemoryError that the agent, the logs or the attempt's diagnostics name comes first,
    of the task's own threads before that of another which died in the same moment;
    then a container killed for memory; then a timeout in a full heap; then any other error.
    Failures that mprof itself provokes (a verify attempt never commits) are no failure of the job.

    Args:
        failures: the agent's failure events, in order.
        logs: the attempt's logs.
        diagnostics: what the cluster says about the attempt, or None.
        succeeded: whether the attempt is known to have succeeded; None where nothing says.
        crawl: how the task crawled in a full heap to its end; None where it did not, or where
            nothing says.
        fill: how full its heap was in the end; None where nothing says.
    """
    container = parse_container_end(diagnostics) if diagnostics else None
    diagnostics, quoted, tail = _parted(diagnostics)
    if succeeded:
        return Death("none", "the attempt succeeded", container=container)
    own = of_task_first([each for each in failures if not _is_ours(each.message)])
    timeout = parse_timeout(diagnostics)
    memory = (
        _from_events(own, memory_only=True)
        or _killed(container)
        or _from_logs(logs, memory_only=True)
        or _from_words(logs)
        or _from_diagnostics(diagnostics, memory_only=True)
        or _from_logs(quoted, memory_only=True)
        or _from_words(quoted)
        or _from_diagnostics(tail, memory_only=True)
        or _crawled(timeout, crawl)
        or _timed_out_after(timeout, logs)
    )
    other = (
        _ended_by_mprof(failures, diagnostics)
        or _from_events(own, memory_only=False)
        or _timed_out(
            timeout,
            crawl,
            fill,
            printed_in(diagnostics or ""),
            tells_of_others=logs.tells_of_others,
        )
        or _refused(logs, container)
        or _from_diagnostics(diagnostics, memory_only=False)
        or _from_logs(quoted, memory_only=False)
        or _not_started(quoted)
        or _from_diagnostics(tail, memory_only=False)
        or _said_in(diagnostics)
        or _from_logs(logs, memory_only=False)
        or _not_started(logs)
        or _crashed(container, logs, quoted)
        or _from_exit(container)
    )
    told = memory or other or Death("none", "nothing that was left behind speaks of a failure")
    if timeout is not None and told.message == timeout.line:
        told = replace(told, stack=logs.dumped)
    logs = logs if logs.crash is not None else replace(logs, crash=quoted.crash)
    return _completed(told, logs, container)


_TAIL: Final = re.compile(
    r"^(?:\[[^\]\n]*\] ?)?"
    r"(?:Last \d{1,9} bytes of \S{1,40}|std(?:err|out)|prelaunch\.err) ?:[ \t]*$",
    re.MULTILINE,
)


def _parted(diagnostics: str | None) -> tuple[str | None, Logs, str]:
    """The cluster's own words, and the end of standard error that a NodeManager quotes in them.

    ``ContainerLaunch``, 2.8 and later: "Last 4096 bytes of stderr :". That is a log of the process
    that ended.
    """
    tail = _TAIL.search(diagnostics or "")
    if diagnostics is None or tail is None:
        return diagnostics, _NO_LOGS, ""
    quoted = diagnostics[tail.end() :]
    lines = tuple(quoted.split("\n"))
    log = read_log(END_OF_STDERR, Excerpt(((1, lines),), lines, len(lines)))
    return diagnostics[: tail.start()], joined_logs([log]), quoted


def _not_started(logs: Logs) -> Death | None:
    """The words of ``java`` where it did not come to run a class."""
    word = logs.word("launcher")
    if word is None:
        return None
    return Death("not-memory", f"{word.text} ({word.file}, line {word.line})", message=word.text)


def _crashed(container: ContainerEnd | None, *all_logs: Logs) -> Death | None:
    """What the head of the JVM's report on its crash says, beside the exit code where there is one.

    The code of an abort says that there is such a report.
    """
    crash = next((one.crash for one in all_logs if one.crash and one.crash.signal), None)
    if crash is None:
        return None
    frame = f", problematic frame: {crash.frame}" if crash.frame else ""
    said = f"the JVM's report on its crash says {crash.signal}{frame}"
    line = container.line if container is not None and container.exit_code else ""
    return Death("not-memory", f"{line}; {said}" if line else said, message=line or said)


def _completed(death: Death, logs: Logs, container: ContainerEnd | None) -> Death:
    """With the container's end, and the stack from a log where the event could not hold it."""
    stack = death.stack
    if not stack and death.error_class is not None:
        stack = next(
            (
                memory.stack
                for logged in logs.errors
                if (memory := out_of_memory_in(logged.error)) is not None
                and memory.class_name == death.error_class
                and memory.stack
                and death.thread in (None, logged.thread)
            ),
            (),
        )
    place = death.place or place_on_stack(stack, MAPREDUCE)
    by_signal = logs.crash is not None and death.kind == "not-memory" and logs.crash.signal != ""
    crash = logs.crash if death.kind == "native" or by_signal else None
    by_jvm = death.error_class == OUT_OF_MEMORY
    dump = next((one.dump for one in logs.errors if one.dump), "") if by_jvm else ""
    return replace(death, stack=stack, place=place, container=container, crash=crash, dump=dump)


def _is_ours(text: str | None) -> bool:
    return VERIFY_MARKER in (text or "")


def _ended_by_mprof(failures: Sequence[Failure], diagnostics: str | None) -> Death | None:
    """A verify attempt whose record did no harm: mprof failed it, so that it cannot commit."""
    if _is_ours(diagnostics) or any(_is_ours(each.message) for each in failures):
        return Death("none", "mprof ended this attempt before it could commit")
    return None


def _from_events(failures: Sequence[Failure], *, memory_only: bool) -> Death | None:
    told = next((each for each in failures if is_of_memory(each) or not memory_only), None)
    if told is None:
        return None
    found = _of_error(
        throwable_of(told), where="event log", thread=told.thread, place=_place_of(told)
    )
    return replace(found, failure=last_like(told, failures))


def _place_of(failure: Failure) -> Place | None:
    """The step that the agent tells; ``other`` is none of the task's."""
    return next((one for one in PLACES if one == failure.place and one != "other"), None)


def _from_logs(logs: Logs, *, memory_only: bool) -> Death | None:
    def weight(logged: LoggedError) -> int:
        return 0 if logged.is_uncaught else (1 if logged.level == "FATAL" else 2)

    def lacks(logged: LoggedError) -> tuple[bool, bool]:  # as a title or a sentence names it
        every = (logged.error, *logged.error.causes)
        return not any(each.stack for each in every), not any(each.message for each in every)

    survived = logs.survived
    for logged in sorted(logs.errors, key=lambda one: (weight(one), *lacks(one))):
        if memory_only and (out_of_memory_in(logged.error) is None or logged in survived):
            continue  # what was caught, and outlived, ended nothing
        if not memory_only and weight(logged) > 0:
            continue  # a warning with a stack is not what ended the task
        where = f"{logged.file}, line {logged.line_of_file}"
        place: Place | None = "shuffle" if _OF_COPYING.search(logged.how) else None
        found = _of_error(logged.error, where=where, thread=logged.thread, place=place)
        found = replace(found, callers=(*found.callers, *_logged_by(logged)))
        if memory_only or not survived:
            return found
        caught = f"{survived[-1].file}, line {survived[-1].line_of_file}"
        return replace(found, evidence=f"{found.evidence}; {CAUGHT_BEFORE} ({caught})")
    return None


# ReduceTask.ReduceCopier of Hadoop 0.x and 1: its threads log what they meet, and the task fails
_OF_COPYING: Final = re.compile(
    r"Merge of the inmemory files threw an exception|Map output copy failure"
)
_MAPRED: Final = "org.apache.hadoop.mapred."
# what runs a task, by the name that it logs with; TaskTracker$Child of 0.20 has that of its server
_CHILDREN: Final = {"Child": "Child", "TaskTracker": "Child", "YarnChild": "YarnChild"}


def _logged_by(logged: LoggedError) -> tuple[CodeSite, ...]:
    """The main method that caught it and logs so, which people cut off the end of a stack."""
    told = f"{logged.logger or ''}: {logged.how}"
    found = re.search(rf"(?<![\w.]){_MAPRED}(\w+): ", told)
    name = _CHILDREN.get(found[1]) if found is not None else None
    if "Error running child" not in told or name is None:
        return ()
    if name == "YarnChild" and logged.error.stack:
        return ()  # whose frames tell as much
    return (CodeSite(f"{_MAPRED}{name}", "main", f"{name}.java", None),)


def _from_words(logs: Logs) -> Death | None:
    for kind, death in _BY_WORD:
        word = logs.word(kind)
        if word is not None:
            message = _message_of(word.text)
            return Death(
                (kind_of_message(message) if message is not None else None) or death,
                f"{word.text} ({word.file}, line {word.line})",
                message=message,
                thread=word.thread,
                error_class=OUT_OF_MEMORY if kind not in {"threads", "native"} else None,
            )
    return None


def _message_of(text: str) -> str | None:
    match = re.search(re.escape(OUT_OF_MEMORY) + r": (.+)$", text)
    return match[1].strip() if match else None


def _killed(container: ContainerEnd | None) -> Death | None:
    if container is None or container.limit is None:
        return None
    kind: DeathKind = "container-physical" if container.limit == "physical" else "container-virtual"
    return Death(kind, container.line)


def _crawled(timeout: Timeout | None, crawl: Crawl | None) -> Death | None:
    """A timeout in a full heap, where collections took most of the time without progress."""
    if timeout is None or crawl is None:
        return None
    if crawl.seconds < MOST_OF_THE_TIME.value * timeout.seconds and not crawl.is_cut:
        return None
    full = f"{format_count(crawl.collections)} full "
    collections = "1 full collection" if crawl.collections == 1 else f"{full}collections"
    collections = collections if crawl.collections else "collections"
    shown = ", all that is shown of them," if crawl.is_cut else ""
    left = f"{format_bytes(crawl.live_bytes)} of {format_bytes(crawl.capacity_bytes)}"
    return Death(
        "gc-overhead",
        f"killed by mapreduce.task.timeout after {timeout.seconds} s without progress, while "
        f"{collections} in the last {crawl.seconds:.0f} s{shown} took "
        f"{format_ratio(crawl.share)} of the time and left {left} live ({crawl.source})",
        message=timeout.line,
        crawl=crawl,
    )


def _timed_out_after(timeout: Timeout | None, logs: Logs) -> Death | None:
    """A timeout of a task in which an error of a full heap was caught: it went on in a full heap.

    ``Task.TaskReporter`` catches what its own thread meets, and then reports no progress.
    """
    if timeout is None or logs.done is not None:
        return None
    for logged in logs.survived:
        memory = out_of_memory_in(logged.error)
        kind = kind_of_error(memory) if memory is not None else None
        if memory is not None and kind in ("heap", "gc-overhead"):
            where = f"{logged.file}, line {logged.line_of_file}"
            told = timed_out_after(timeout, f"{memory.first_line} ({where})")
            return Death(kind, told, message=timeout.line)
    return None


def timed_out_after(timeout: Timeout, error: str) -> str:
    """What is told of a timeout of a task that had caught an error of a full heap."""
    return (
        f"killed by mapreduce.task.timeout after {timeout.seconds} s without progress, after it "
        f"had caught {error}"
    )


def _timed_out(
    timeout: Timeout | None,
    crawl: Crawl | None,
    fill: Fill | None,
    printed: Sequence[str],
    *,
    tells_of_others: bool,
) -> Death | None:
    """Any other timeout, with what is known of the heap: no word on it is no word against it."""
    if timeout is None:
        return None
    last = " / ".join(printed[-_LAST_PRINTED:])
    told = [f'it had printed "{last}"'] if last else []
    evidence = "; ".join(
        [
            f"{timeout.line} (diagnostics)",
            *told,
            _heap_in_words(timeout, crawl, fill, tells_of_others=tells_of_others),
        ]
    )
    return Death("not-memory", evidence, message=timeout.line)


OLD_FULL_PERCENT: Final = 95.0
"""Of an old generation: a heap that is short of memory has it full after each collection."""
NO_COLLECTIONS: Final = "whether its heap was full is not known: no collections of it were read"
OF_OTHERS: Final = (
    "whether its heap was full is not known: the text has collections, and mprof cannot tell "
    "whether they are of this process"
)


def _heap_in_words(
    timeout: Timeout, crawl: Crawl | None, fill: Fill | None, *, tells_of_others: bool
) -> str:
    if crawl is not None and crawl.is_all:
        return (
            f"its heap was full for the last {crawl.seconds:.0f} s, and nothing shows the time "
            f"before, of the {timeout.seconds} s"
        )
    if crawl is not None:
        return (
            f"its heap was full, but only for the last {crawl.seconds:.0f} of {timeout.seconds} s"
        )
    if fill is None:
        return OF_OTHERS if tells_of_others else NO_COLLECTIONS
    left = f"{format_bytes(fill.bytes)} of {format_bytes(fill.capacity_bytes)} ({fill.source})"
    if not fill.is_full:
        most = "at most " if fill.at_most else ""
        return f"its heap was not full: after the last collections {most}{left} were live"
    if fill.at_most:
        return f"whether its heap was full is not known: minor collections left {left}"
    return (
        f"its heap was nearly full: {left} were live, but nothing shows that collections took "
        f"{format_ratio(COLLECTING.value)} of the time or more"
    )


def _from_diagnostics(diagnostics: str | None, *, memory_only: bool) -> Death | None:
    text = (diagnostics or "").strip()
    if not text:
        return None
    error = parse_throwable(text)
    if error is not None and (not memory_only or out_of_memory_in(error) is not None):
        return _of_error(error, where="diagnostics", thread=None, place=None)
    # "Error: Java heap space": YarnChild reports the message of an Error without its class
    # or what a session of Hive met itself
    match = re.search(
        r"^(?:.*\b)?(?:Error: |return code -101 from \S+\. )(.+)$", text, re.MULTILINE
    )
    if match is not None:
        kind = kind_of_message(match[1].strip())
        if kind is not None:
            return Death(
                kind,
                f"{match[0].strip()} (diagnostics)",
                message=match[1].strip(),
                error_class=OUT_OF_MEMORY,
            )
    of_engine = next((found for one in _OF_ENGINES if (found := one.search(text))), None)
    if of_engine is not None:
        filled = _TELLS_MORE.findall(text)
        last = f"; {filled[-1].strip()}" if filled and filled[-1] != of_engine[0] else ""
        line = of_engine[0].strip()
        return Death("heap", f"{line}{last} (diagnostics)", message=line)
    return None


def _said_in(diagnostics: str | None) -> Death | None:
    """The line of the cluster's own words that says most, where no error stands in them."""
    text = (diagnostics or "").strip()
    if not text or _only_exit(text):
        return None
    lines = [line for line in text.split("\n") if line.strip()]
    said = [one for one in lines if not one.rstrip().endswith(":")] or lines
    said.sort(key=lambda one: _OF_A_LOST_NODE not in one)  # which says why, of the code above it
    why = why_not_started(text)
    line = next((one for one in lines if _LIMIT_MET.search(one)), why or said[0])
    return Death("not-memory", f"{line.strip()} (diagnostics)", message=line.strip())


_OF_A_LOST_NODE: Final = "Container released on a *lost* node"
"""SchedulerUtils.LOST_CONTAINER"""


def _only_exit(text: str) -> bool:
    """Whether the diagnostics say no more than that the container was ended."""
    lines = [line for line in text.split("\n") if line.strip()]
    return all(_OF_AN_EXIT.search(line) for line in lines)


def _from_exit(container: ContainerEnd | None) -> Death | None:
    if container is None or container.exit_code in (None, 0):
        return None
    signal = _KILL_CODES.get(container.exit_code or 0)
    if signal is None:
        return Death("not-memory", container.line, message=container.line)
    return Death(
        "not-memory",
        f"{container.line} (ended from outside by {signal}; the code does not say why)",
        message=container.line,
    )


_NEVER_RAN: Final = 1  # exit code of java where it does not start
# what stands around an exit code, in the words of each line of Hadoop
_OF_A_START: Final = re.compile(
    r"Task process exit with nonzero status of 1\b|Child Error|ExitCodeException exitCode=1:|"
    r"Exception from container-launch|exit code:? 1\b|Exit code: 1\b|initialization of VM"
)


def _refused(logs: Logs, container: ContainerEnd | None) -> Death | None:
    """A JVM that did not start, of which nothing tells another end."""
    code = container.exit_code if container is not None else None
    others = (one for one in logs.errors if not is_of_a_start(one.error.first_line))
    if not logs.refused or code not in (None, _NEVER_RAN) or any(others):
        return None
    where = next((one for one in logs.files), "")
    return refusal(logs.refused, where)


def refusal(words: str, where: str) -> Death:
    """The end of a JVM that did not start, by its words."""
    kind: DeathKind = "native" if "reserve enough space" in words else "not-memory"
    return Death(kind, f"{words} ({where})", message=words)


def is_of_a_start(words: str) -> bool:
    """Whether some words of an end say no more than that a process ended with 1."""
    return _OF_A_START.search(words) is not None


def _of_error(error: Throwable, *, where: str, thread: str | None, place: Place | None) -> Death:
    memory = out_of_memory_in(error)
    chain = tuple(each.first_line for each in (error, *error.causes))
    if memory is None:
        refused = any(_NO_MEMORY.search(each.first_line) for each in (error, *error.causes))
        shown = _unwrapped(error)
        if refused:  # the call that was refused, not the step that waited for it
            shown = next((one for one in reversed(error.causes) if one.stack), error)
        if shown is not error:  # a cause leaves out the frames that it shares with what wraps it
            place = place or place_on_stack(error.stack, MAPREDUCE)
        return Death(
            "native" if refused else "not-memory",
            f"{error.first_line}{_root_of(error)} ({where})",
            message=error.message,
            thread=thread,
            stack=shown.stack,
            place=place,
            error_class=error.class_name,
            chain=chain,
            callers=tuple(
                frame
                for each in (error, *error.causes)
                if each is not shown
                for frame in each.stack
            ),
        )
    # a thread that only waited for another is shown with the stack of the one that died
    return Death(
        kind_of_error(memory),
        f"{memory.first_line} ({where})",
        message=memory.message,
        thread=thread,
        stack=memory.stack or error.stack,
        place=place,
        error_class=memory.class_name,
        chain=chain,
        callers=tuple(
            frame
            for each in (error, *error.causes)
            if each.stack is not memory.stack
            for frame in each.stack
        ),
    )


def _unwrapped(error: Throwable) -> Throwable:
    """The last that another thread met, or else the first that no other one was made of alone.

    What is made of another one alone (``Throwable(Throwable)``) says nothing more than that. A
    cause with all its frames, down to the start of a thread, shares none with what wraps it.
    """
    threads = (
        one
        for one in reversed(error.causes)
        if one.stack and not one.is_cut and one.stack[-1].method in {"run", "call"}
    )
    of_a_thread = next(threads, None)
    if of_a_thread is not None:
        return of_a_thread
    shown = error
    for cause in error.causes:
        if not cause.stack or (shown.message or "").split("\n")[0] != cause.first_line:
            break
        shown = cause
    return shown


def _root_of(error: Throwable) -> str:
    """The innermost cause, where the outermost line does not say it already."""
    if not error.causes:
        return ""
    root = error.causes[-1].first_line
    return "" if root in error.first_line else f", caused by {root}"
