"""One attempt's folder to one ``Trace``: whatever is there is read, whatever is not is stated."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from mprof.engines import (
    Program,
    is_of_kubernetes,
    page_in,
    program_around,
    program_by_actors,
    program_in,
    program_on_stack,
    server_in,
    which_of,
)
from mprof.errors import EvidenceError
from mprof.io.files import UnreadableError, is_there, open_file, read_ends
from mprof.trace.attempt_id import find_attempt_id, parse_attempt_id
from mprof.trace.crawl import crawl_of, fill_of
from mprof.trace.death import Death, classify_death
from mprof.trace.event_log import EventLog, parse_events
from mprof.trace.events import (
    Attach,
    DumpEvent,
    End,
    Event,
    Failure,
    Fault,
    Histogram,
    Loss,
    MemoryEvent,
    PatchMissed,
    ProbeSkipped,
)
from mprof.trace.excerpt import excerpt_of
from mprof.trace.gc_log import Collection, parse_gc_log
from mprof.trace.kinds import MEMORY_KINDS
from mprof.trace.logs import END_OF_STDERR, LOG_NAMES, Log, Logs, joined_logs, log_order, read_log
from mprof.trace.position import Position, read_position
from mprof.trace.reasons import reason_in_words
from mprof.trace.throwable import out_of_memory_in
from mprof.trace.timeout import parse_timeout
from mprof.trace.trace import Trace

__all__ = [
    "EVENTS_FILE",
    "POSITION_FILE",
    "left_out_of",
    "read_trace",
    "reclassified",
    "trace_of_diagnostics",
    "trace_of_logs",
]

EVENTS_FILE: Final = "events.jsonl"
POSITION_FILE: Final = "position.bin"

_MOST_FAULTS: Final = 8  # that the agent tells by events, whatever they are
_NO_HEAP: Final = "java.lang.OutOfMemoryError"
_PIECE_BYTES: Final = 1 << 20
_MAX_LOG_BYTES: Final = 64 * 1024 * 1024  # of a longer log of collections, its ends
_MAX_EVENT_BYTES: Final = 256 * 1024 * 1024  # eight times the agent's own bound


def read_trace(
    folder: Path,
    *,
    diagnostics: str | None = None,
    state: str | None = None,
) -> Trace:
    """Read what an attempt left in its folder.

    Args:
        folder: with any of ``events.jsonl``, ``position.bin``, ``syslog``, ``stderr``, ``stdout``,
            a garbage collection log, dumps and their snapshots.
        diagnostics: what the cluster says about the attempt, None where it was not asked.
        state: ``SUCCEEDED``, ``FAILED`` or ``KILLED`` as the cluster says, None where not asked.

    Raises:
        EvidenceError: if there is no such folder, or its event log is of another format.
    """
    if not folder.is_dir():
        raise EvidenceError(
            f"{folder} is not a folder of an attempt",
            next_step="give a capture, or a folder with the attempt's syslog, stderr and stdout",
        )
    losses: list[str] = []
    state = state or _state_in(diagnostics)
    log = _event_log(folder, losses)
    position = _position_file(folder, losses)
    logs, collections = _logs(folder, losses)
    attach = next((each for each in log.events if isinstance(each, Attach)), None)
    if attach is None:
        losses.append(
            "the agent did not attach to this attempt"
            if not log.events
            else "events: the agent's first event is missing"
        )
    losses += dict.fromkeys(text for each in log.events if (text := _loss(each)))
    losses += _counted_faults(position, log.events)
    name = _name(attach, position, folder)
    state = state or ("SUCCEEDED" if _says_done(logs, name) else None)
    told = parse_attempt_id(name)
    trace = Trace(
        folder=folder,
        attempt_id=name,
        task_type=told.task_type if told else (attach.task_type if attach else None),
        index=told.index if told else (attach.index if attach else None),
        number=told.number if told else (attach.attempt_number if attach else None),
        attach=attach,
        position=position or _newest_position(log.events),
        position_is_last=position is not None,
        events=log.events,
        logs=logs,
        collections=collections,
        death=_death(log.events, logs, collections, diagnostics, state),
        state=state,
        dump_files=tuple(sorted(p for p in folder.iterdir() if _is_dump(p))),
        losses=tuple(losses),
    )
    return _as_it_failed(trace)


def _as_it_failed(trace: Trace) -> Trace:
    """The trace of an attempt that read on after its failure, as it stood at the failure.

    A multithreaded mapper fails when its other threads have read the split to its end: where the
    attempt stood then, and what was measured on the way, says nothing of the failure.
    """
    failure, last = trace.failure, trace.position
    at = failure.at if failure is not None and failure.place == "map" else None
    if at is None or at.records_in is None or last is None or not last.records_in:
        return trace
    if last.phase == "map" or last.records_in <= at.records_in:
        return trace
    events = tuple(
        each
        for each in trace.events
        if not (
            isinstance(each, MemoryEvent | Histogram)
            and each.at is not None
            and (each.at.records_in or 0) > at.records_in
        )
    )
    return replace(trace, position=at, events=events)


def trace_of_logs(
    folder: Path,
    texts: Sequence[Log],
    *,
    attempt_id: str | None,
    container_id: str | None,
    host: str | None,
    diagnostics: str | None,
    state: str | None,
    dump_files: Sequence[Path] = (),
    around: str = "",
    in_task: bool = False,
    wrote: Program | None = None,
) -> Trace:
    """The trace of an attempt of which logs are at hand, wherever they were kept.

    Args:
        folder: for messages; where the logs are.
        texts: the logs (``syslog``, ``stderr``, ``stdout``), that of the framework first.
        attempt_id: its id, None where nothing names it.
        container_id: the same of its container.
        host: that it ran on, None where nothing says.
        diagnostics: what Hadoop's own processes say about it, None where they say nothing.
        state: ``SUCCEEDED``, ``FAILED`` or ``KILLED`` where one of them says so.
        dump_files: heap dumps that were found beside the logs.
        around: the text that it stands in, where no process is known to have written that.
        in_task: whether loggers of a map or reduce task wrote the logs.
        wrote: the program whose output it is, where its frames and words say no other.
    """
    told = parse_attempt_id(attempt_id)
    logs = joined_logs(texts)
    collections = tuple(each for one in texts for each in one.collections)
    done = "SUCCEEDED" if _says_done(logs, attempt_id) else None
    state = state or _state_in(diagnostics) or done
    losses = [line for one in texts for line in left_out_of(one)]
    if texts and not any(one.of_hadoop or one.errors for one in texts):
        losses.append("no syslog of this attempt: errors of the framework are unknown")
    elif not texts:
        losses.append("there are no files of this attempt")
    death = _death((), logs, collections, diagnostics, state)
    if told is None:
        program = _program_of(death, logs, diagnostics, around) or wrote
        if program is not None and program.id == "command" and END_OF_STDERR in death.evidence:
            program = None  # its main method died in a container
        if program is not None:
            own = "\n".join((diagnostics or "", death.evidence, *(one.how for one in logs.errors)))
            program = which_of(program, own, around, container=container_id)
        death = _of_program(death, program)
    in_pod = is_of_kubernetes(f"{diagnostics or ''}\n{around}")
    death = replace(death, in_task=in_task, in_pod=in_pod)
    return Trace(
        folder=folder,
        attempt_id=attempt_id,
        task_type=told.task_type if told else _side_of(death, logs),
        index=told.index if told else None,
        number=told.number if told else None,
        attach=None,
        position=None,
        position_is_last=False,
        events=(),
        logs=logs,
        collections=collections,
        death=death,
        state=state,
        dump_files=tuple(dump_files),
        losses=tuple(losses),
        container_id=container_id,
        host=host,
    )


def trace_of_diagnostics(attempt_id: str, *, diagnostics: str, state: str | None) -> Trace:
    """The trace of an attempt that left nothing but the cluster's own words."""
    return trace_of_logs(
        Path(),
        (),
        attempt_id=attempt_id,
        container_id=None,
        host=None,
        diagnostics=diagnostics,
        state=state,
    )


def _of_program(death: Death, program: Program | None) -> Death:
    """The death of a program, whose exit code may say more than that of a task would."""
    code = death.container.exit_code if death.container is not None else None
    of_memory = program is not None and code in program.memory_codes
    kind = "heap" if of_memory and death.kind == "not-memory" else death.kind
    return replace(death, kind=kind, program=program)


_LOCAL: Final = frozenset({"spark-local", "spark-ide"})
_MAY_BE_LOCAL: Final = frozenset({"spark", "spark-executor", "spark-master", "spark-local"})


def _program_of(death: Death, logs: Logs, diagnostics: str | None, around: str) -> Program | None:
    """What a process was that has no id of a map or reduce attempt, by its words and frames."""
    page = page_in("\n".join(one.class_name for one in (*death.stack, *death.callers)))
    if page is not None:
        return page
    server = server_in(_words_of(death, logs)) if death.kind in _BY_THE_JVM else None
    if server is not None:
        return server
    by_actors = program_by_actors(f"{_words_of(death, logs)}\n{death.evidence}")
    if by_actors is not None:
        return by_actors
    own = program_on_stack("\n".join(f"{one.class_name}.{one.method}" for one in death.stack))
    if own is not None and (own.id not in _MAY_BE_LOCAL or not around):
        return own
    errors = (
        f"{each.logger or ''} {each.thread or ''} {each.how}\n"
        + "\n".join(frame.class_name for frame in each.error.stack)
        for each in logs.errors
    )
    of_end = (diagnostics or "").partition("\n")[0]  # the line of the end itself, before others
    told = own or program_in(of_end)
    told = told or program_in("\n".join((diagnostics or "", death.evidence, *errors)))
    is_known = told is not None and told.id not in _MAY_BE_LOCAL
    if is_known or not around:
        return told
    quotes = _QUOTES.search(f"{diagnostics or ''}\n{death.evidence}") is not None
    by_jvm = death.kind in _BY_THE_JVM and not quotes
    logged = "\n".join(_LOGGED.findall(around)) if by_jvm else ""
    near = program_around(around)
    if told is not None:
        # in local mode the driver calls itself an executor; of frames alone any line tells more
        is_told = near is not None and (
            near.id in _LOCAL or (told.id == "spark" and near.id.startswith("spark"))
        )
        return near if is_told else told
    return near or server_in(logged)


def _side_of(death: Death, logs: Logs) -> str | None:
    """The side of a task that no id names, by the frames that run it, or by its split.

    The outermost frame decides: a combiner is a reducer in a map task.
    """
    if death.program is not None:
        return None
    if logs.split_line is not None:  # MapTask logs it, and nothing else
        return "map"
    if death.place == "shuffle":
        return "reduce"
    frames = [one.class_name for one in reversed((*death.stack, *death.callers))]
    for class_name in frames:
        for side, of_task in _TASKS:
            if class_name == of_task or class_name.startswith((f"{of_task}$", f"{of_task}.")):
                return side
    combines = any("Combine" in one for one in frames)
    return "reduce" if "org.apache.hadoop.mapreduce.Reducer" in frames and not combines else None


_PIG: Final = "org.apache.pig.backend.hadoop.executionengine.mapReduceLayer."
_TASKS: Final = (
    ("map", "org.apache.hadoop.mapred.MapTask"),
    ("map", "org.apache.hadoop.mapred.MapRunner"),
    ("map", "org.apache.hadoop.mapreduce.Mapper"),
    ("reduce", "org.apache.hadoop.mapred.ReduceTask"),
    ("reduce", "org.apache.hadoop.mapreduce.task.reduce"),  # the package of the shuffle
    # what engines run in tasks of one side alone; a combiner is of another class
    ("map", "org.apache.sqoop.mapreduce"),  # whose jobs have map tasks alone
    ("map", "org.apache.hadoop.hive.ql.exec.mr.ExecMapper"),
    ("map", "org.apache.hadoop.hive.ql.exec.ExecMapper"),
    ("reduce", "org.apache.hadoop.hive.ql.exec.mr.ExecReducer"),
    ("reduce", "org.apache.hadoop.hive.ql.exec.ExecReducer"),
    ("map", f"{_PIG}PigGenericMapBase"),
    ("reduce", f"{_PIG}PigGenericMapReduce"),
    ("reduce", f"{_PIG}PigMapReduce"),
)


def _words_of(death: Death, logs: Logs) -> str:
    """The frames, thread and logger of the error that ended it, without those of other errors."""
    told = next(
        (
            each
            for each in logs.errors
            if out_of_memory_in(each.error) is not None and not each.survived
        ),
        None,
    )
    frames = tuple(f"{one.class_name}.{one.method}" for one in death.stack)
    if told is None:
        return "\n".join((death.thread or "", *frames))
    quote = _QUOTES.search(told.how)
    if quote is not None:  # what stands before it is of the process that quotes it
        return "\n".join((told.how[quote.start() :], *frames))
    how = told.how if _OF_A_LOG.search(told.how) else ""  # and no title of somebody
    return "\n".join((death.thread or "", told.logger or "", how, *frames))


_OF_A_LOG: Final = re.compile(
    r"\d\d:\d\d|\b(?:ERROR|WARN|INFO|FATAL|SEVERE)\b|Exception in thread|\[|\w\.\w+:"
)


_QUOTES: Final = re.compile(
    r"Vertex failed|TaskAttempt \d+ failed|Task failed|Lost task|stage failure|Task Id : attempt_|"
    r"Diagnostics report from attempt_|attempt_\w+ FAILED|from back(?:en|e)d error"
)
"""What a master, a client or a server writes of the end of a task."""


_BY_THE_JVM: Final = MEMORY_KINDS - {"container-physical", "container-virtual"}
_LOGGED: Final = re.compile(
    r"^(?:\S+ \| +)?(?:\[?\d{2,4}[-/]\d\d[-/]\d\d[^\n]*|(?:STARTUP_MSG: )?Starting [^\n]*|"
    r"[> \t]{0,4}(?:ERROR|FATAL|WARN) +[\w.$]+ ?[:(][^\n]*)$",
    re.MULTILINE,
)
"""Lines that a server logs, with a time before them, which a copy may lack, or as it starts."""


def _loss(event: Event) -> str | None:
    """What the agent itself says it could not tell."""
    match event:
        case Loss():
            return f"agent: {event.count} {event.what} did not fit in its event log"
        case ProbeSkipped():
            return _skipped(event)
        case PatchMissed():
            why = f" ({reason_in_words(event.why)})" if event.why else ""
            return f"agent: nothing is counted at {event.row}{why}"
        case Fault():
            return _fault(event)
        case _:
            return None


def _skipped(event: ProbeSkipped) -> str | None:
    if event.why is not None and event.why.code == "file_exists":
        return None  # a call that was met once more than planned: nothing is missing
    if event.why is not None and event.why.code == "out_of_memory":
        return _no_heap_for(event.point, event.ordinal)
    what = "the heap dump at the death" if event.point in {"oom", "crawl"} else "a probe"
    why = f": {reason_in_words(event.why)}" if event.why else ""
    return f"agent: {what} was not made{why}"


def _fault(event: Fault) -> str:
    if event.class_name == _NO_HEAP and event.where == "probe":
        return _no_heap_for(event.what, event.ordinal)
    if event.class_name == _NO_HEAP:
        place = event.where or "one place"
        if event.where == "hook" and event.what is not None:
            place = ".".join(event.what.split(".")[-2:])  # the class without its package
        return f"agent: not enough heap was left for its work at {place}"
    words = (event.where, event.what, str(event.ordinal) if event.ordinal is not None else None)
    where = event.row or " ".join(filter(None, words))
    return f"agent: a fault in {where}: {event.class_name} {event.message or ''}".strip()


def _counted_faults(position: Position | None, events: Sequence[Event]) -> Iterator[str]:
    """Faults of hooks in a full heap, which leave a count in the position file and no event."""
    told = sum(isinstance(each, Fault) for each in events)
    counted = position.errors if position is not None and position.errors else 0
    if counted > told and told < _MOST_FAULTS:
        faults = "1 fault" if counted == told + 1 else f"{counted - told} faults"
        yield f"agent: {faults} left no event, as is the case in a full heap"


def _no_heap_for(point: str | None, ordinal: int | None) -> str:
    place = f"{point} {ordinal or ''}".strip()
    return (
        f"agent: the heap filled up during mprof's own probe ({place}), which may have caused the "
        "death a little early; earlier measurements are valid"
    )


def reclassified(trace: Trace, *, diagnostics: str | None, state: str | None) -> Trace:
    """The trace with its death told again, now that the cluster's own words are at hand."""
    death = _death(trace.events, trace.logs, trace.collections, diagnostics, state)
    return replace(trace, death=death, state=state)


def _death(
    events: tuple[Event, ...],
    logs: Logs,
    collections: tuple[Collection, ...],
    diagnostics: str | None,
    state: str | None,
) -> Death:
    end = next((each for each in reversed(events) if isinstance(each, End)), None)
    if state is not None:
        succeeded: bool | None = state == "SUCCEEDED"
    else:
        succeeded = True if end is not None and end.outcome == "done" else None
    failures = [each for each in events if isinstance(each, Failure)]
    attach = next((each for each in events if isinstance(each, Attach)), None)
    heap_max = attach.heap_max if attach is not None else None
    timeout = parse_timeout(diagnostics)
    death = classify_death(
        failures=failures,
        logs=logs,
        diagnostics=diagnostics,
        succeeded=succeeded,
        crawl=crawl_of(
            events,
            collections,
            heap_max,
            most_seconds=timeout.seconds if timeout is not None else math.inf,
        ),
        fill=fill_of(events, collections, heap_max),
    )
    dump = _caught_error(death, events) if death.kind == "not-memory" else None
    if dump is not None:
        where = f"an OutOfMemoryError was caught at the same record ({dump.file})"
        return replace(death, kind="heap", evidence=f"{death.evidence}, after {where}")
    if (
        death.kind == "none"
        and state in {"FAILED", "KILLED"}
        and not death.evidence.startswith("mprof ended")
    ):
        return Death("not-memory", f"the attempt is {state}, and nothing that was read says why")
    return death


def _caught_error(death: Death, events: tuple[Event, ...]) -> DumpEvent | None:
    """The JVM's dump at an OutOfMemoryError that user code caught and threw another error for.

    Where the task failed at a later record, it had lived on, and the error was not what ended it.
    """
    failure = death.failure
    if failure is None or failure.at is None:
        return None
    for each in events:
        if isinstance(each, DumpEvent) and each.reason == "oom" and each.at is not None:
            same = (each.at.phase, each.at.records_in) == (failure.at.phase, failure.at.records_in)
            return each if same else None
    return None


def _state_in(diagnostics: str | None) -> str | None:
    """KILLED where the application master says so itself; nothing else can be told from words."""
    killed = ("marked as KILLED", "Task KILL is received", "TA_KILL", "T_KILL")
    return "KILLED" if any(each in (diagnostics or "") for each in killed) else None


def _says_done(logs: Logs, name: str | None) -> bool:
    """Whether the task's last line says that it is done; what it had caught before was no death.

    A file may hold the logs of several attempts. Where it does not say whose it is, an error that
    nothing caught is believed more than the line of what may be another attempt.
    """
    if name is not None:
        return logs.done == name
    return logs.done is not None and not any(each.is_uncaught for each in logs.errors)


def _is_dump(path: Path) -> bool:
    return path.name.endswith((".hprof", ".hprof.gz"))


def _event_log(folder: Path, losses: list[str]) -> EventLog:
    path = folder / EVENTS_FILE
    if not is_there(path):
        return EventLog((), ())
    data = _bounded(path, _MAX_EVENT_BYTES, losses)
    log = parse_events(data)
    if not log.events:
        losses.append(f"events: {EVENTS_FILE} holds no event that can be read")
    losses.extend(log.losses)
    return log


def _position_file(folder: Path, losses: list[str]) -> Position | None:
    path = folder / POSITION_FILE
    if not is_there(path):
        return None
    try:
        return read_position(path)
    except EvidenceError as error:
        losses.append(f"position: {error.what}")
        return None


def _newest_position(events: tuple[Event, ...]) -> Position | None:
    for event in reversed(events):
        at: Position | None = getattr(event, "at", None)
        if at is not None:
            return at
    return None


def _logs(folder: Path, losses: list[str]) -> tuple[Logs, tuple[Collection, ...]]:
    texts: list[Log] = []
    collections: list[Collection] = []
    rolled = (path.name for path in folder.glob("syslog.[0-9]*"))
    for name in sorted({*rolled, *LOG_NAMES}, key=log_order):
        path = folder / name
        if is_there(path):
            texts.append(_log(path, losses))
    for path in sorted({*folder.glob("gc*.log*"), *folder.glob("*.gc")}):
        collections += parse_gc_log(_text(path, losses))
    if not collections:
        collections += next((each.collections for each in texts if each.file == "stdout"), ())
    if not any(each.file.startswith("syslog") for each in texts):
        losses.append("no syslog of this attempt: errors of the framework are unknown")
    return joined_logs(texts), tuple(collections)


def _log(path: Path, losses: list[str]) -> Log:
    try:
        with open_file(path) as file:
            excerpt = excerpt_of(iter(partial(file.read, _PIECE_BYTES), b""))
    except UnreadableError as error:
        losses.append(f"{path.name}: cannot be read ({error.reason})")
        return Log(path.name)
    except OSError as error:
        losses.append(f"{path.name}: cannot be read ({error.strerror or error})")
        return Log(path.name)
    log = read_log(path.name, excerpt)
    losses += left_out_of(log)
    return log


def left_out_of(log: Log) -> Iterator[str]:
    """What to say of a log of which not all lines with an error were read."""
    if log.left_out:
        yield f"{log.file}: {log.left_out:,} lines with warnings in the middle were left out"


def _text(path: Path, losses: list[str]) -> str:
    return _bounded(path, _MAX_LOG_BYTES, losses).decode("utf-8", "replace").replace("\0", "")


def _bounded(path: Path, limit: int, losses: list[str]) -> bytes:
    """The file, or its first and last halves of the limit: a log may be of any size."""
    try:
        data, left_out = read_ends(path, limit_bytes=limit)
    except UnreadableError as error:
        losses.append(f"{path.name}: cannot be read ({error.reason})")
        return b""
    if left_out:
        losses.append(f"{path.name}: {left_out:,} bytes in the middle were left out")
    return data


def _name(attach: Attach | None, position: Position | None, folder: Path) -> str | None:
    for text in (attach.attempt if attach else None, position.attempt if position else None):
        if text:
            return text
    found = find_attempt_id(folder.name)
    return found.text if found is not None else None
