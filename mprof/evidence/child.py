"""The program that a task runs beside its JVM, as far as configuration, logs and stack name it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ChildPipe", "ChildProgram", "NamedProgram"]


@dataclass(frozen=True, slots=True)
class NamedProgram:
    """A program that the job names.

    Attributes:
        name: its file name, and its script's; without arguments, which may hold secrets.
        option: by which the framework is told of it, such as ``-mapper``.
        is_interpreter: it is an interpreter whose script is not known.
    """

    name: str
    option: str
    is_interpreter: bool = False


@dataclass(frozen=True, slots=True)
class ChildPipe:
    """A thread of the task's JVM that reads what the child process writes.

    Attributes:
        thread_class: that holders of its memory name.
        reads: from what: ``standard output``, ``standard error``, ``socket``.
        unit: what it reads whole into the heap, such as a line.
    """

    thread_class: str
    reads: str
    unit: str


@dataclass(frozen=True, slots=True)
class ChildProgram:
    """What is known about the child process of an attempt.

    Attributes:
        framework: that started it: Hadoop Streaming, Hadoop Pipes.
        programs: those that the task may have started; empty where no configuration names them.
        pipes: the threads that read from it.
        died_in: that of them which ran out of memory; None where another thread did, or none.
        thread: its name.
        handing_on: it had read a record and was handing it on to Hadoop.
        ended_early: it ended before the task was done with it; None where nothing says.
        exit_code: of its early end, as Java has it.
        signal: name of the signal that such a code stands for.
        out_of_memory_words: words in its standard error that say that it got no memory.
        killed_by_kernel: a sentence, where the kernel's log beside its end says that; else "".
        last_words: the error that ended it, as a text beside its end shows it.
        records_handed: that the JVM had handed over by then; the last may not have reached it.
        records_taken: records that the JVM had read of what it wrote.
        is_last_count: whether both are of the last count in its log, so that there may be more.
        ulimit_bytes: the address space that it may take, where a text beside its end says so.
    """

    framework: str
    programs: tuple[NamedProgram, ...] = ()
    pipes: tuple[ChildPipe, ...] = ()
    died_in: ChildPipe | None = None
    thread: str | None = None
    handing_on: bool = False
    ended_early: bool | None = None
    exit_code: int | None = None
    signal: str | None = None
    out_of_memory_words: tuple[str, ...] = ()
    killed_by_kernel: str = ""
    last_words: str = ""
    records_handed: int | None = None
    records_taken: int | None = None
    is_last_count: bool = False
    ulimit_bytes: int | None = None
