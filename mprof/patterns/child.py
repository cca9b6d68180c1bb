"""A task with a child program: whether the child, a pipe thread or the JVM ran out of memory.

Hadoop Streaming and Hadoop Pipes run the job's code in a process beside the task's JVM. Which of
them a death is of decides which setting helps: -Xmx is of the JVM alone, and what is left of the
container is the child's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from mprof.evidence import ChildPipe, ChildProgram, Evidence, Holder, Unknown, known
from mprof.evidence.heap_death import is_heap_death
from mprof.exit_code import end_in_words
from mprof.patterns.container import ContainerUse
from mprof.threshold import Threshold
from mprof.units import format_bytes, format_count

__all__ = ["MOST_OF_THE_HEAP", "ChildPlace", "ChildUse", "child_use_of", "program_text"]

ChildPlace = Literal["child_process", "pipe_thread", "jvm_heap"]

MOST_OF_THE_HEAP: Final = Threshold(
    "most of the heap",
    0.50,
    "share of what was live at death",
    "where a pipe thread holds more than all else together, it filled the heap, whichever thread "
    "asked for the last byte",
)


@dataclass(frozen=True, slots=True)
class ChildUse:
    """Which process of a task with a child program ran out of memory.

    Attributes:
        place: where the memory was; None where that is not known, or memory is not the reason.
        pipe: the thread that read from the child, where that is the place.
        held_bytes: what it held; None where no heap dump at death tells.
        sentence: what is known of the place, for the headline.
        details: whose memory it is, and what had gone through the pipe, one sentence each.
        ended: how the child ended, where that ended the task: "ended with exit code 1".
    """

    place: ChildPlace | None
    sentence: str
    details: tuple[str, ...]
    pipe: ChildPipe | None = None
    held_bytes: int | None = None
    ended: str | None = None


def child_use_of(evidence: Evidence, container: ContainerUse | None) -> ChildUse | None:
    """Where the memory was; None for a task without a child program, or that did not fail.

    Args:
        evidence: of the attempt.
        container: what took the memory of its container, where it was killed for that.
    """
    child = evidence.child
    if child is None or evidence.death.kind == "none":
        return None
    passed = _passed(child)
    if container is not None:
        return _of_container(child, container, evidence, passed)
    pipe = child.died_in or _pipe_that_fills(evidence, child)
    if pipe is not None:
        return _of_pipe(evidence, child, pipe, passed)
    if is_heap_death(evidence):
        sentence = (
            f"The heap is that of the task's JVM: {program_text(child)} is a process of its own, "
            "and its memory is not in it."
        )
        return ChildUse("jvm_heap", sentence, passed)
    if child.ended_early:
        return _of_early_end(evidence, child, passed)
    return ChildUse(None, "", passed)


def program_text(child: ChildProgram) -> str:
    """The program in a sentence: ``python3 map.py (-mapper)``."""
    named = [f"{one.name} ({one.option})" for one in child.programs]
    return " or ".join(named) if named else "the child program"


def _passed(child: ChildProgram) -> tuple[str, ...]:
    """What had gone through the pipe."""
    handed, taken = child.records_handed, child.records_taken
    if handed is None:
        return ("How many records the JVM had handed to the child is not known.",)
    if child.is_last_count:
        read = f", and had read {format_count(taken)} of its output" if taken is not None else ""
        count = format_count(handed)
        return (f"By the last count in its log, the JVM had handed over {count} records{read}.",)
    if not handed:
        return ("The JVM had handed no record to the child yet.",)
    back = "; how many it had read back is not known"
    if taken is not None:
        back = f", and had read {format_count(taken)} complete records of its output"
    text = (
        f"The JVM had handed over record {format_count(handed)} last{back}. The child may be "
        "behind by what waits in buffers and in the pipe."
    )
    return (text,)


def _of_container(
    child: ChildProgram, container: ContainerUse, evidence: Evidence, passed: tuple[str, ...]
) -> ChildUse:
    if container.place != "child_processes":
        return ChildUse(None, "", passed)
    running = evidence.container.processes if evidence.container is not None else ()
    largest = max(
        (one for one in running if not one.is_task and not one.is_shell),
        key=lambda one: one.resident_bytes,
        default=None,
    )
    options = _options_of(largest.program, child) if largest is not None else []
    if options:
        given = " or as ".join(options)
        sentence = f"It is the program that {child.framework} was given as {given}."
    else:
        sentence = (
            f"{child.framework} started {program_text(child)}; whether the largest process is "
            "that, or one that it started, is not known."
        )
    whose = (
        "The memory is the child's own: -Xmx does not limit it, and a larger -Xmx would leave it "
        "less of the container."
    )
    return ChildUse("child_process", sentence, (whose, *passed))


def _options_of(program: str, child: ChildProgram) -> list[str]:
    """The options that name this program; none of a bare interpreter, which may run any script.

    A script that the shell starts by its first line runs as its interpreter and its name.
    """
    return [
        one.option
        for one in child.programs
        if not one.is_interpreter and one.name.split()[-1] in program.split()
    ]


def _held(evidence: Evidence, pipe: ChildPipe) -> tuple[Holder, ...] | Unknown:
    if isinstance(evidence.holders, Unknown):
        return evidence.holders
    return tuple(
        one for one in evidence.holders if one.is_piped and one.key.class_name == pipe.thread_class
    )


def _pipe_that_fills(evidence: Evidence, child: ChildProgram) -> ChildPipe | None:
    """The pipe thread that holds most of the heap, where another asked for the last byte."""
    live = known(evidence.memory.live_bytes_at_death)
    if live is None or not is_heap_death(evidence):
        return None
    for pipe in child.pipes:
        held = _held(evidence, pipe)
        size = 0 if isinstance(held, Unknown) else sum(one.bytes for one in held)
        if size >= MOST_OF_THE_HEAP.value * live:
            return pipe
    return None


def _of_pipe(
    evidence: Evidence, child: ChildProgram, pipe: ChildPipe, passed: tuple[str, ...]
) -> ChildUse:
    held, size = _held(evidence, pipe), None
    named = f" ({child.thread})" if child.thread else ""
    thread = f"the thread of the task's JVM that reads the {pipe.reads} of {program_text(child)}"
    if child.died_in is not None:
        sentence = f"Memory ran out in {thread}{named}"
    else:
        sentence = f"The heap was filled by {thread}"
    if isinstance(held, Unknown):
        sentence += f"; how much it held is not known without {held.missing}."
    else:
        size = sum(one.bytes for one in held)
        what = (
            f"held {format_bytes(size)} for what the child had written"
            if size
            else "held little: one piece that it asked for did not fit"
        )
        sentence += f", which {what}."
    doing = "and was handing a record on to Hadoop" if child.handing_on else "until it is complete"
    whose = (
        f"The memory is of the JVM's heap, and its content the child's: {child.framework} keeps a "
        f"{pipe.unit} whole in the heap, {doing}."
    )
    return ChildUse("pipe_thread", sentence, (whose, *passed), pipe, size)


def _of_early_end(evidence: Evidence, child: ChildProgram, passed: tuple[str, ...]) -> ChildUse:
    """The child ended by itself: no OutOfMemoryError of the JVM, whatever the child lacked."""
    ended = _ended(child)
    said = child.out_of_memory_words
    place: ChildPlace | None = None
    message = evidence.death.evidence.strip()
    details = [f"No OutOfMemoryError of the JVM was found; the task's error was: {message}"]
    if said:
        place = "child_process"
        sentence = (
            f"Its standard error says {', '.join(repr(word) for word in said)}: the memory was the "
            "child's own, not that of the JVM's heap."
        )
        details.append(
            f"The text has mapred.child.ulimit, {format_bytes(child.ulimit_bytes)} of address "
            "space for a process: that may be the limit which refused it, or one of the machine "
            "or of a control group."
            if child.ulimit_bytes is not None
            else "Which limit refused it is not known: one of the process (ulimit), of the "
            "machine, or of a control group."
        )
    elif child.killed_by_kernel:
        place = "child_process"
        sentence = (
            f"{child.killed_by_kernel} The memory was the child's own, not that of the JVM's heap."
        )
    elif child.last_words:
        sentence = f"The text shows how the program ended: {child.last_words}"
    elif child.signal == "SIGKILL":
        sentence = (
            "Whether for its memory is not known: the kernel ends processes so when memory is "
            "short, but so can anybody else."
        )
    else:
        sentence = "Nothing says that it lacked memory."
    return ChildUse(place, sentence, (*details, *passed), ended=ended)


def _ended(child: ChildProgram) -> str:
    if child.exit_code is None:
        return "ended early, with an exit code that is not known"
    return end_in_words(child.exit_code)
