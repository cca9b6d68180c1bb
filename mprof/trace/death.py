"""How an attempt died: the kind of memory death, told from everything it left behind.

The messages below are a closed list: HotSpot throws no OutOfMemoryError with another text
(``memory/universe.cpp``, ``memory/metaspace.cpp``, ``prims/jvm.cpp`` ``JVM_StartThread``), and the
JDK's own classes construct the rest (``java.nio.Bits``, ``sun.nio.ch.FileChannelImpl``,
``jdk.internal.util.ArraysSupport``, ``ArrayList.hugeCapacity``).
An OutOfMemoryError with another text whose topmost frame is no class of the JDK was made by the
application: the VM leaves the failing allocation on top, a constructor call leaves its caller.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from mprof.trace.container import ContainerEnd, parse_container_end
from mprof.trace.events import Failure
from mprof.trace.logs import Logs
from mprof.trace.throwable import (
    OUT_OF_MEMORY,
    StackFrame,
    Throwable,
    is_jdk_class,
    out_of_memory_in,
    parse_frame,
    parse_throwable,
)

__all__ = ["MEMORY_KINDS", "Death", "DeathKind", "tell_death"]

DeathKind = Literal[
    "heap",
    "gc-overhead",
    "array-limit",
    "direct",
    "metaspace",
    "threads",
    "application-made",
    "container-physical",
    "container-virtual",
    "not-memory",
    "none",
]

MEMORY_KINDS: Final[frozenset[DeathKind]] = frozenset(
    {
        "heap",
        "gc-overhead",
        "array-limit",
        "direct",
        "metaspace",
        "threads",
        "container-physical",
        "container-virtual",
    }
)
"""The kinds that are a death of memory."""

# messages thrown by the virtual machine itself: the text decides, whatever is on the stack
_BY_THE_VM: Final[tuple[tuple[str, DeathKind], ...]] = (
    ("Java heap space", "heap"),  # 11+ may add ": failed reallocation of scalar replaced objects"
    ("GC overhead limit exceeded", "gc-overhead"),
    ("Requested array size exceeds VM limit", "array-limit"),
    ("Metaspace", "metaspace"),
    ("Compressed class space", "metaspace"),
    ("PermGen space", "metaspace"),  # JDK 7
    ("unable to create native thread", "threads"),
    ("unable to create new native thread", "threads"),  # JDK 8
    ("Out of swap space", "direct"),
)
# messages of errors that classes of the JDK construct: an application could write them too
_BY_THE_JDK: Final[tuple[tuple[re.Pattern[str], DeathKind], ...]] = (
    (re.compile(r"^Cannot reserve \d+ bytes of direct buffer memory"), "direct"),
    (re.compile(r"^Direct buffer memory"), "direct"),
    (re.compile(r"^Unable to allocate \d+ bytes"), "direct"),
    (re.compile(r"^Map failed"), "direct"),
    (re.compile(r"^Required (?:array )?(?:length|size) (?:exceeds|too large)"), "array-limit"),
    (re.compile(r"^Overflow: String length out of range"), "array-limit"),
    (re.compile(r"^UTF\w+ String size is"), "array-limit"),
)
# where the attempt stood, by what is on the stack; the first that fits wins
_PLACES: Final = (
    ("combine", re.compile(r"\.Task\$(?:New|Old)CombinerRunner\.combine$")),
    ("init", re.compile(r"\.MapTask\$MapOutputBuffer\.init$|\.MapTask\.createSortingCollector$")),
    ("sort", re.compile(r"\.MapOutputBuffer\.(?:sortAndSpill|mergeParts|flush)$")),
    ("sort", re.compile(r"\.MergeManagerImpl\.(?:close|finalMerge)$")),
    ("shuffle", re.compile(r"^org\.apache\.hadoop\.mapreduce\.task\.reduce\.")),
    ("shuffle", re.compile(r"\.ReduceTask\$ReduceCopier")),
)
_TEMPLATES: Final = (
    (re.compile(r"\.mapreduce\.Mapper\.run$|\.mapred\.MapRunner\.run$"), "map"),
    (re.compile(r"\.mapreduce\.Reducer\.run$|\.ReduceTask\.runOldReducer$"), "reduce"),
)
_STEPS: Final = {
    "setup": "setup",
    "configure": "setup",
    "cleanup": "cleanup",
    "close": "cleanup",
    "map": "map",
    "reduce": "reduce",
}
# what a line of the JVM means where it does not quote the error's message; heap is the common one
_BY_WORD: Final[tuple[tuple[str, DeathKind], ...]] = (
    ("terminating", "heap"),
    ("halting", "heap"),
    ("in-handler", "heap"),
    ("threads", "threads"),
    ("native", "direct"),
)
_KILL_CODES: Final = {137: "SIGKILL", 143: "SIGTERM"}


@dataclass(frozen=True, slots=True)
class Death:
    """How it ended.

    Attributes:
        kind: one of the kinds of the public contract.
        evidence: the line it was told from, and where that line stood.
        message: of the error, without its class.
        thread: that died; often not the user's (any thread may ask for the last byte).
        stack: its frames, top first; empty where no evidence holds them.
        place: the step of the task: init, setup, map, combine, reduce, cleanup, shuffle, sort.
        error_class: class of the error.
        container: what YARN said about the container.
    """

    kind: DeathKind
    evidence: str
    message: str | None = None
    thread: str | None = None
    stack: tuple[StackFrame, ...] = ()
    place: str | None = None
    error_class: str | None = None
    container: ContainerEnd | None = None


def tell_death(
    *,
    failures: Sequence[Failure],
    logs: Logs,
    diagnostics: str | None,
    succeeded: bool | None,
) -> Death:
    """The kind of death, from the strongest evidence to the weakest.

    An OutOfMemoryError that the agent, the logs or the attempt's diagnostics name comes first;
    then a container killed for memory; then any other error.
    Failures that mprof itself provokes (a verify attempt never commits) are no failure of the job.

    Args:
        failures: the agent's failure events, in order.
        logs: the attempt's logs.
        diagnostics: what the cluster says about the attempt, or None.
        succeeded: whether the attempt is known to have succeeded; None where nothing says.
    """
    container = parse_container_end(diagnostics) if diagnostics else None
    if succeeded:
        return Death("none", "the attempt succeeded", container=container)
    own = [each for each in failures if not _is_ours(each.message)]
    memory = (
        _from_events(own, memory_only=True)
        or _killed(container)
        or _from_logs(logs, memory_only=True)
        or _from_words(logs)
        or _from_diagnostics(diagnostics, memory_only=True)
    )
    other = (
        _ended_by_mprof(failures, diagnostics)
        or _from_events(own, memory_only=False)
        or _from_diagnostics(diagnostics, memory_only=False)
        or _from_logs(logs, memory_only=False)
        or _from_exit(container)
    )
    told = memory or other or Death("none", "nothing that was left behind speaks of a failure")
    return _completed(told, logs, container)


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
    place = death.place or _place(stack)
    return replace(death, stack=stack, place=place, container=container)


def _is_ours(text: str | None) -> bool:
    return "mprof verify:" in (text or "")


def _ended_by_mprof(failures: Sequence[Failure], diagnostics: str | None) -> Death | None:
    """A verify attempt whose record did no harm: mprof failed it, so that it cannot commit."""
    if _is_ours(diagnostics) or any(_is_ours(each.message) for each in failures):
        return Death("none", "mprof ended this attempt before it could commit")
    return None


def _from_events(failures: Sequence[Failure], *, memory_only: bool) -> Death | None:
    for failure in failures:
        error = _throwable(failure)
        memory = out_of_memory_in(error)
        if memory is None and memory_only:
            continue
        return _of_error(
            error,
            where="event log",
            thread=failure.thread,
            place=failure.place if failure.place != "other" else None,
        )
    return None


def _from_logs(logs: Logs, *, memory_only: bool) -> Death | None:
    def weight(level: str | None, how: str) -> int:
        uncaught = "Error running child" in how or "Exception running child" in how
        return 0 if uncaught or "Exception in thread" in how else (1 if level == "FATAL" else 2)

    ordered = sorted(logs.errors, key=lambda e: weight(e.level, e.how))
    for logged in ordered:
        if memory_only and out_of_memory_in(logged.error) is None:
            continue
        if not memory_only and weight(logged.level, logged.how) > 0:
            continue  # a warning with a stack is not what ended the task
        where = f"{logged.file}, line {logged.line}"
        return _of_error(logged.error, where=where, thread=logged.thread, place=None)
    return None


def _from_words(logs: Logs) -> Death | None:
    for kind, death in _BY_WORD:
        word = logs.word(kind)
        if word is not None:
            message = _message_of(word.text)
            return Death(
                (_kind_of_message(message) if message is not None else None) or death,
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


def _from_diagnostics(diagnostics: str | None, *, memory_only: bool) -> Death | None:
    text = (diagnostics or "").strip()
    if not text:
        return None
    error = parse_throwable(text)
    if error is not None and (not memory_only or out_of_memory_in(error) is not None):
        return _of_error(error, where="diagnostics of the attempt", thread=None, place=None)
    # "Error: Java heap space": YarnChild reports the message of an Error without its class
    match = re.search(r"^(?:.*\b)?Error: (.+)$", text, re.MULTILINE)
    if match is not None:
        kind = _kind_of_message(match[1].strip())
        if kind is not None:
            return Death(
                kind,
                f"{match[0].strip()} (diagnostics of the attempt)",
                message=match[1].strip(),
                error_class=OUT_OF_MEMORY,
            )
    if memory_only or _only_exit(text):
        return None
    line = next(line for line in text.split("\n") if line.strip())
    return Death("not-memory", f"{line.strip()} (diagnostics of the attempt)", message=line.strip())


def _only_exit(text: str) -> bool:
    """Whether the diagnostics say no more than that the container was ended."""
    words = r"Container killed on request|Exit code is|Container exited|Killed by external signal"
    lines = [line for line in text.split("\n") if line.strip()]
    return all(re.search(words, line) for line in lines)


def _from_exit(container: ContainerEnd | None) -> Death | None:
    if container is None or container.exit_code in (None, 0):
        return None
    signal = _KILL_CODES.get(container.exit_code or 0)
    if signal is None:
        return Death("not-memory", container.line, message=container.line)
    return Death(
        "not-memory",
        f"{container.line}: ended from outside by {signal}, and nothing says why",
        message=container.line,
    )


def _of_error(error: Throwable, *, where: str, thread: str | None, place: str | None) -> Death:
    memory = out_of_memory_in(error)
    if memory is None:
        return Death(
            "not-memory",
            f"{error.first_line} ({where})",
            message=error.message,
            thread=thread,
            stack=error.stack,
            place=place,
            error_class=error.class_name,
        )
    # a thread that only waited for another is shown with the stack of the one that died
    return Death(
        _kind_of_error(memory),
        f"{memory.first_line} ({where})",
        message=memory.message,
        thread=thread,
        stack=memory.stack or error.stack,
        place=place,
        error_class=memory.class_name,
    )


def _kind_of_error(error: Throwable) -> DeathKind:
    if error.class_name != OUT_OF_MEMORY:
        # a library's own subclass; Netty's counts the direct memory that Netty took
        return "direct" if "Direct" in error.class_name else "application-made"
    message = (error.message or "").strip()
    by_vm = _vm_kind(message)
    if by_vm is not None:
        return by_vm
    top = next((f for f in error.stack if f.method != "<init>" or not _is_error(f)), None)
    if top is not None and not is_jdk_class(top.class_name):
        return "application-made"
    by_jdk = _jdk_kind(message)
    if by_jdk is not None:
        return by_jdk
    if top is None:
        return "application-made"
    if re.search(r"\.(?:Bits|FileChannelImpl|Unsafe)$", top.class_name):
        return "direct"
    # hugeCapacity() and its like construct the error without a text: the array would be too long
    return "threads" if top.class_name == "java.lang.Thread" else "array-limit"


def _is_error(frame: StackFrame) -> bool:
    return frame.class_name.startswith("java.lang.") and frame.class_name.endswith(
        ("Error", "Throwable")
    )


def _kind_of_message(message: str) -> DeathKind | None:
    return _vm_kind(message) or _jdk_kind(message)


def _vm_kind(message: str) -> DeathKind | None:
    return next((kind for text, kind in _BY_THE_VM if message.startswith(text)), None)


def _jdk_kind(message: str) -> DeathKind | None:
    return next((kind for pattern, kind in _BY_THE_JDK if pattern.search(message)), None)


def _throwable(failure: Failure) -> Throwable:
    return Throwable(
        class_name=failure.class_name,
        message=failure.message,
        stack=_frames(failure.stack),
        causes=tuple(
            Throwable(cause.class_name, cause.message, _frames(cause.stack))
            for cause in failure.causes
        ),
    )


def _frames(stack: Sequence[str]) -> tuple[StackFrame, ...]:
    return tuple(frame for text in stack if (frame := parse_frame(text)) is not None)


def _place(stack: Sequence[StackFrame]) -> str | None:
    names = [f"{frame.class_name}.{frame.method}" for frame in stack]
    for place, pattern in _PLACES:
        if any(pattern.search(name) for name in names):
            return place
    for index, name in enumerate(names):
        for pattern, template in _TEMPLATES:
            if pattern.search(name):
                return _step(stack[:index], template)
    return None


def _step(above: Sequence[StackFrame], template: str) -> str:
    """What the template had called: its lowest frame that is one of the template's methods."""
    for frame in reversed(above):
        if frame.method in _STEPS:
            return _STEPS[frame.method]
    return template
