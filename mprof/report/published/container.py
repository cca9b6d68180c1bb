"""The container of the attempt, and the program that the task ran beside its JVM."""

from __future__ import annotations

from typing import Literal

from mprof.diagnosis import Diagnosed
from mprof.evidence import InOtherRoom, RoomGiven
from mprof.patterns import MemoryPart, MemoryPlace
from mprof.patterns.child import ChildPlace
from mprof.report.published.base import Published

__all__ = ["Child", "Container", "Process", "Program"]


class Process(Published, frozen=True, kw_only=True):
    """A process in the container when it was killed.

    Attributes:
        program: its program and script, without the arguments.
        is_task: it is the JVM of the task.
        is_shell: it is a shell around that JVM, with next to nothing of its own.
    """

    pid: int
    program: str
    bytes: int
    is_task: bool
    is_shell: bool

    @property
    def name(self) -> str:
        """As a report calls it."""
        return f"{self.program} (the container's JVM)" if self.is_task else self.program


class Container(Published, frozen=True, kw_only=True):
    """What the container of the attempt was granted and took.

    Attributes:
        used_bytes: of all its processes when it was killed.
        peak_bytes: the most that its processes were seen to take.
        place: where the memory of a container was that was killed for it; null where that cannot be
            told, and where it was not.
        sentence: what took it, or why that cannot be told; null where it was not killed for it.
        parts: heap, direct buffers, other native memory, child processes.
        room: what mprof did to its size; null where the job ran without.
        elsewhere: the same task in the other runs that gave it a larger container.
        sentences: how it differs from the plain job's, one sentence each.
    """

    limit_bytes: int | None
    used_bytes: int | None
    peak_bytes: int | None
    place: MemoryPlace | None
    sentence: str | None
    run_that_would_tell: Literal["run", "rerun"] | None
    parts: tuple[MemoryPart, ...]
    processes: tuple[Process, ...]
    room: RoomGiven | None
    elsewhere: tuple[InOtherRoom, ...]
    sentences: tuple[str, ...]

    @property
    def listed(self) -> tuple[Process, ...]:
        """The processes of a killed container, the largest first, without shells around its JVM."""
        if self.sentence is None:
            return ()
        shown = (one for one in self.processes if not one.is_shell)
        return tuple(sorted(shown, key=lambda one: -one.bytes))

    @classmethod
    def of(cls, diagnosed: Diagnosed) -> Container | None:
        """None without an attempt."""
        facts, diagnosis = diagnosed.evidence.container, diagnosed.diagnosis
        if facts is None:
            return None
        use = diagnosis.container
        return cls.taken(
            facts,
            place=use.place if use is not None else None,
            sentence=use.sentence if use is not None else None,
            run_that_would_tell=use.run_that_would_tell if use is not None else None,
            parts=use.parts if use is not None else (),
            processes=tuple(
                Process.taken(one, bytes=one.resident_bytes) for one in facts.processes
            ),
            sentences=diagnosis.room,
        )


class Program(Published, frozen=True, kw_only=True):
    """A program that the job names.

    Attributes:
        name: its file name, and its script's; without arguments.
        option: by which the framework is told of it, such as ``-mapper``.
    """

    name: str
    option: str


class Child(Published, frozen=True, kw_only=True):
    """The program that the task ran beside its JVM (Hadoop Streaming, Hadoop Pipes).

    Attributes:
        framework: that started it.
        programs: those that the task may have started, without their arguments.
        place: what ran out of memory; null where that is not known, or memory is not the reason.
        reads: of a pipe thread: from what it read.
        thread: its name.
        held_bytes: what the pipe thread held; null where no heap dump at death tells.
        exit_code: of a child that ended early: 128 and the number of the signal that ended it.
        out_of_memory_words: words in its standard error that say that it got no memory.
        records_handed: that the JVM had handed over; the last may not have reached the child.
        records_taken: that the JVM had read of its output.
        sentence: what is known of the place; empty where there is nothing to say.
        details: whose memory it is, and what had gone through the pipe, one sentence each.
        ended: how the child ended, where that ended the task.
    """

    framework: str
    programs: tuple[Program, ...]
    place: ChildPlace | None
    reads: str | None
    thread: str | None
    held_bytes: int | None
    exit_code: int | None
    out_of_memory_words: tuple[str, ...]
    records_handed: int | None
    records_taken: int | None
    sentence: str
    details: tuple[str, ...]
    ended: str | None

    @classmethod
    def of(cls, diagnosed: Diagnosed) -> Child | None:
        """None where none is known, and where nothing failed."""
        child, use = diagnosed.evidence.child, diagnosed.diagnosis.child
        if child is None or use is None:
            return None
        return cls.taken(
            child,
            programs=tuple(Program.taken(one) for one in child.programs),
            place=use.place,
            reads=use.pipe.reads if use.pipe is not None else None,
            held_bytes=use.held_bytes,
            sentence=use.sentence,
            details=use.details,
            ended=use.ended,
        )
