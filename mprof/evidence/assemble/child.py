"""The child program of an attempt: from the job's configuration, its stack and its error."""

from __future__ import annotations

from urllib.parse import unquote_plus

from mprof.engines import (
    CHILD_FRAMEWORKS,
    LINE_READER,
    ChildFramework,
    Command,
    Pipe,
    Side,
    pipe_on_stack,
)
from mprof.evidence.child import ChildPipe, ChildProgram, NamedProgram
from mprof.exit_code import signal_of
from mprof.history import JobConf
from mprof.trace import MEMORY_KINDS, Death, Trace, is_interpreter, killed_in_words, program_of

__all__ = ["child_of"]


def child_of(trace: Trace, conf: JobConf | None) -> ChildProgram | None:
    """What is known about it; None where nothing says that the task ran one.

    Args:
        trace: of the attempt.
        conf: of the job.
    """
    death = trace.death
    side: Side = "reduce" if trace.task_type == "reduce" else "map"
    framework = _framework(death, conf, side)
    if framework is None:
        return None
    # Those threads fail of many things: of memory is what an OutOfMemoryError says.
    of_memory = death.kind in MEMORY_KINDS
    pipe = pipe_on_stack(each.class_name for each in death.stack) if of_memory else None
    code = _exit_code(death, framework) if pipe is None else None
    ended = code is not None or _is_lost(death, framework)
    at, counted = trace.position, death.piped or (None, None)
    return ChildProgram(
        framework=framework.name,
        programs=_programs(framework, conf, side),
        pipes=tuple(_pipe(each) for each in framework.pipes),
        died_in=_pipe_at_death(pipe, death) if pipe is not None else None,
        thread=_thread(trace, pipe) if pipe is not None else None,
        handing_on=pipe is not None and any(f.method == "collect" for f in death.stack),
        ended_early=ended or None,
        exit_code=code,
        signal=signal_of(code) if code is not None else None,
        out_of_memory_words=trace.logs.no_memory,
        killed_by_kernel=killed_in_words(death.kernel_kills),
        last_words=death.last_words,
        records_handed=at.records_in if at is not None else counted[0],
        records_taken=at.records_out if at is not None else counted[1],
        is_last_count=at is None and death.piped is not None,
        ulimit_bytes=death.ulimit_bytes,
    )


def _framework(death: Death, conf: JobConf | None, side: Side) -> ChildFramework | None:
    """By what the job says that it runs; without that by the stack it died on, or its words."""
    for each in CHILD_FRAMEWORKS:
        name, runner = each.runs[side]
        if conf is not None and conf.get(name) == runner:
            return each
    if conf is not None:
        return None
    if not death.stack:
        return next((each for each in CHILD_FRAMEWORKS if _exit_code(death, each)), None)
    on_stack = (f.class_name for f in death.stack)
    prefixes = tuple(prefix for each in CHILD_FRAMEWORKS for prefix in each.packages)
    first = next((name for name in on_stack if name.startswith(prefixes)), "")
    return next((each for each in CHILD_FRAMEWORKS if first.startswith(each.packages)), None)


def _programs(
    framework: ChildFramework, conf: JobConf | None, side: Side
) -> tuple[NamedProgram, ...]:
    named = []
    for command in framework.commands[side]:
        text = conf.get(command.property) if conf is not None else None
        name = _name(text, command) if text else ""
        if name:
            named.append(NamedProgram(name, command.option, is_interpreter(name)))
    return tuple(named)


def _name(text: str, command: Command) -> str:
    """The program of a command: a file name, of an interpreter with its script."""
    if command.encoded:
        text = unquote_plus(text)
    if command.is_uri:
        return text.partition("#")[0].rsplit("/", 1)[-1]
    return program_of(text)


def _thread(trace: Trace, pipe: Pipe) -> str | None:
    """Its name, from the log that it wrote itself: another thread may throw its error again."""
    for logged in trace.logs.errors:
        if any(frame.class_name == pipe.thread for frame in logged.error.stack):
            return logged.thread
    return None


def _pipe(pipe: Pipe) -> ChildPipe:
    return ChildPipe(pipe.thread, pipe.reads, pipe.unit)


def _pipe_at_death(pipe: Pipe, death: Death) -> ChildPipe:
    reads_line = any(frame.class_name == LINE_READER for frame in death.stack)
    return ChildPipe(pipe.thread, pipe.reads, "line" if reads_line else pipe.unit)


def _exit_code(death: Death, framework: ChildFramework) -> int | None:
    """The exit code that the task's error quotes; None where it died of something else."""
    if framework.exit_code is None or death.kind != "not-memory":
        return None
    found = framework.exit_code.search(f"{death.message or ''} {death.evidence}")
    return int(found[1]) if found is not None else None


def _is_lost(death: Death, framework: ChildFramework) -> bool:
    if framework.lost is None or death.kind != "not-memory":
        return False
    return framework.lost.search(death.evidence) is not None
