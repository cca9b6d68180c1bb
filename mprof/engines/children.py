"""Frameworks that run a job's code as a program of its own, beside the JVM of the task.

Hadoop Streaming and Hadoop Pipes start a child process for each task, hand it the records, and
read what it writes in threads of the task's JVM. Three places can run out of memory: the child, a
thread that reads from it, and the rest of the JVM's heap. What tells them apart is here: classes,
properties and messages, checked against the sources of hadoop-streaming 3.4.2 (``PipeMapRed``,
``PipeMapper``, ``PipeReducer``, ``PipeCombiner``) and of ``org.apache.hadoop.mapred.pipes`` 3.4.3
(``Application``, ``BinaryProtocol``, ``OutputHandler``, ``Submitter``).

The reading threads catch every Throwable, so that an OutOfMemoryError in them never reaches
``YarnUncaughtExceptionHandler``: the JVM lives on. ``PipeMapRed`` logs it, closes the child's
output and fails at a later record, mostly with what the broken pipe does to the child
(``subprocess failed with code 1``); ``BinaryProtocol`` logs it and hands it to the task's thread,
which looks at it when all input is handed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from mprof.engines.engine import Fields
from mprof.engines.vocabulary import Side

__all__ = [
    "CHILD_FRAMEWORKS",
    "LINE_READER",
    "OUT_OF_MEMORY_WORDS",
    "ChildFramework",
    "Command",
    "Pipe",
    "Stream",
    "pipe_on_stack",
]

Stream = Literal["standard output", "standard error", "socket"]
"""What a child process writes to and the task's JVM reads."""


@dataclass(frozen=True, slots=True)
class Pipe:
    """A thread of the task's JVM that reads what the child process writes.

    Attributes:
        thread: class of the thread; a frame of it stands on the thread's stack.
        reads: from what.
        unit: what it reads whole, however large, into the heap; a line where a frame of
            `LINE_READER` stands on its stack.
        buffers: fields in which it keeps what it has read.
    """

    thread: str
    reads: Stream
    unit: str
    buffers: tuple[Fields, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """A child program as the job's configuration names it.

    Attributes:
        property: that holds the command.
        option: of the framework's own command line that sets it.
        encoded: the value is URL-encoded (``URLDecoder``).
        is_uri: the value is the URI of the executable, perhaps with ``#`` and its link.
    """

    property: str
    option: str
    encoded: bool = False
    is_uri: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ChildFramework:
    """What there is to know of a framework that runs child programs.

    Attributes:
        name: for people.
        packages: prefixes of its classes.
        runs: property of the job and the class in it by which a side's tasks run a child program.
        commands: the programs that a task of that side may start.
        pipes: its reading threads.
        exit_code: finds the exit code of the child in the message of the task's error.
        lost: finds that the child ended early, where the message does not say how.
    """

    name: str
    packages: tuple[str, ...]
    runs: Mapping[Side, tuple[str, str]]
    commands: Mapping[Side, tuple[Command, ...]]
    pipes: tuple[Pipe, ...] = ()
    exit_code: re.Pattern[str] | None = None
    lost: re.Pattern[str] | None = None


_STREAMING: Final = "org.apache.hadoop.streaming."
_PIPES: Final = "org.apache.hadoop.mapred.pipes."
_COMBINER: Final = Command("stream.combine.streamprocessor", "-combiner", encoded=True)
_PROGRAM: Final = Command("mapreduce.pipes.executable", "-program", is_uri=True)

_HADOOP_STREAMING: Final = ChildFramework(
    name="Hadoop Streaming",
    packages=(_STREAMING,),
    runs={
        "map": ("mapred.mapper.class", _STREAMING + "PipeMapper"),
        "reduce": ("mapred.reducer.class", _STREAMING + "PipeReducer"),
    },
    commands={
        "map": (Command("stream.map.streamprocessor", "-mapper", encoded=True), _COMBINER),
        "reduce": (Command("stream.reduce.streamprocessor", "-reducer", encoded=True), _COMBINER),
    },
    pipes=(
        Pipe(
            _STREAMING + "PipeMapRed$MROutputThread",
            "standard output",
            "record",
            # of TextOutputReader and its like for raw and typed bytes
            (Fields(_STREAMING + "io.OutputReader", ("line", "key", "value", "bytes")),),
        ),
        Pipe(_STREAMING + "PipeMapRed$MRErrorThread", "standard error", "line"),
    ),
    exit_code=re.compile(r"subprocess (?:failed with code|exited with error code) (-?\d{1,9})\b"),
)

_HADOOP_PIPES: Final = ChildFramework(
    name="Hadoop Pipes",
    packages=(_PIPES,),
    runs={
        "map": ("mapred.map.runner.class", _PIPES + "PipesMapRunner"),
        "reduce": ("mapred.reducer.class", _PIPES + "PipesReducer"),
    },
    commands={"map": (_PROGRAM,), "reduce": (_PROGRAM,)},
    pipes=(
        Pipe(
            _PIPES + "BinaryProtocol$UplinkReaderThread",
            "socket",
            "key or value",
            (Fields(_PIPES + "BinaryProtocol$UplinkReaderThread", ("key", "value")),),
        ),
    ),
    # the reading thread met the end of the socket, or the task's thread could not write to it
    lost=re.compile(
        r"pipe child exception, caused by java\.(?:io\.EOFException"
        r"|(?:net\.SocketException|io\.IOException): (?:Connection reset|Broken pipe))"
    ),
)

LINE_READER: Final = "org.apache.hadoop.util.LineReader"
"""Reads a line, whole; of the readers of standard output those for text have one."""

CHILD_FRAMEWORKS: Final = (_HADOOP_STREAMING, _HADOOP_PIPES)

OUT_OF_MEMORY_WORDS: Final = (
    ("MemoryError", re.compile(r"^(?:[\w.]+\.)?_?(?:Array)?MemoryError\b")),  # CPython, NumPy
    ("std::bad_alloc", re.compile(r"\bstd::bad_alloc\b")),  # libstdc++, libc++
    ("Cannot allocate memory", re.compile(r"(?<!error=')\bCannot allocate memory\b")),  # ENOMEM
    ("JavaScript heap out of memory", re.compile(r"\bJavaScript heap out of memory\b")),  # V8
    ("Out of memory!", re.compile(r"^Out of memory!")),  # perl
    ("NoMemoryError", re.compile(r"\bNoMemoryError\b")),  # ruby
    ("cannot allocate vector of size", re.compile(r"\bcannot allocate vector of size\b")),  # R
    ("runtime: out of memory", re.compile(r"\bruntime: out of memory\b")),  # Go
    ("memory exhausted", re.compile(r"\bmemory exhausted\b")),  # GNU tools (xalloc_die)
)
"""What programs write to standard error when they get no memory: the words, and a pattern."""


def pipe_on_stack(class_names: Iterable[str]) -> Pipe | None:
    """The reading thread whose stack it is, by the classes of its frames; None of any other."""
    names = set(class_names)
    pipes = (pipe for each in CHILD_FRAMEWORKS for pipe in each.pipes)
    return next((pipe for pipe in pipes if pipe.thread in names), None)
