"""Errors that ended tasks and stand in what a command printed, or are pasted behind that."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from mprof.intake.containers import Container, ended_by
from mprof.intake.gathered import Gathered
from mprof.intake.headings import attempt_above
from mprof.intake.owners import ANY_ATTEMPT, LOOKED_AT, label, only_job, own_attempt
from mprof.intake.quoted_dumps import add_dumps
from mprof.intake.reported import Reports, is_executor, job_of
from mprof.intake.sections import Section
from mprof.intake.told_ends import was_killed
from mprof.trace import (
    Excerpt,
    Log,
    LoggedError,
    find_attempt_id,
    out_of_memory_in,
    read_log,
)

__all__ = ["add_quoted", "ended_a_task"]

# JobClient.displayTaskLogs of Hadoop 1: what a task wrote, a line each
_PRINTED: Final = re.compile(r"(attempt_\d+_\d+_[mr]_\d+_\d+): (.*)")
# TaskUmbilicalProtocol.fatalError in a log of calls, TaskInProgress of Hadoop 1, TezTaskRunner
_ERROR_OF: Final = re.compile(r"\b(attempt_\d+_\d+_(?:[mr]|\d{1,5}_\d{2,4})_\d+_\d+)(?::|,) ?$")
# YarnChild and Child; ReduceTask.ReduceCopier of Hadoop 1, in its own log
_ENDED: Final = re.compile(r"running child|Map output copy failure")
_ENDED_A_TASK: Final = "Error running child : "
# PipeMapRed, of the program that a task runs
_OF_STREAMING: Final = re.compile(r"PipeMapRed\.waitOutputThreads\(\): subprocess ")
_LOOKED_BACK: Final = 30
"""Lines above an error in which the attempt stands that met it."""
_NO_COLLECTOR: Final = "Unable to initialize MapOutputCollector"
_NONE_AT_ALL: Final = "Unable to initialize any output collector"
_ERROR: Final = re.compile(r"\s*((?:[\w$]+\.)+\w*(?:Exception|Error): \S.{0,400}?)\s*$")
_REPORTED: Final = "Error: "
_FRAME: Final = re.compile(r"\s*at [\w.$]+[.(]")


def ended_a_task(one: LoggedError) -> bool:
    """Whether a task logged an error as what ended it."""
    return _ENDED.search(one.how) is not None


def add_quoted(section: Section, reports: Reports, to: Gathered) -> bool:
    """The logs of tasks that stand in what a command printed, or are pasted behind it.

    Args:
        section: the text.
        reports: in it.
        to: to which they are added.

    Returns:
        Whether an error in it ended a task.
    """
    _add_printed(section, to.containers)
    log = read_log(label(section), section.excerpt)
    _add_why_no_collector(section, to.reports)
    is_named = False
    for each in log.errors:
        named = _ERROR_OF.search(each.how)
        if named is not None and named[1] not in reports.texts:
            _add_error_of(named[1], section, ended_by(log, (each,)), to.containers)
            is_named = True
    for each, attempt in _of_a_program(section.excerpt, log):
        if attempt not in reports.texts and not is_named:
            _add_error_of(attempt, section, ended_by(log, (each,)), to.containers)
    errors = tuple(each for each in log.errors if ended_a_task(each))
    if not errors and any(map(is_executor, reports.texts)):
        errors = tuple(  # of the driver, that lost them
            each
            for each in log.errors
            if each.is_uncaught and out_of_memory_in(each.error) is not None
        )
    if not errors and reports.job_texts and not reports.texts:
        errors = tuple(_without_their_head(log.errors, section.excerpt))
    if not errors and _tells_of_kills(reports):
        errors = tuple(_beside_a_kill(log.errors, section.excerpt))
    if not errors and to.masters.add_quoted(reports, log):
        return True
    if not errors:
        add_dumps(section, reports, log, to)
        _add_caught(section, log, to.containers)
        return is_named
    failed = [id_ for id_, state in reports.states.items() if state == "FAILED"]
    if len(failed) > 1:
        errors = _without_named(section, reports, ended_by(log, errors), failed, to.containers)
        if not errors:
            return True
    own_id = failed[0] if len(failed) == 1 and failed[0].startswith("attempt") else None
    if own_id is not None and was_killed(reports.said_of(own_id)):
        own_id = None  # it did not end by an error of its own as well
    if not reports.texts and not reports.states:
        own_id = own_attempt(section.excerpt)
    key = own_id or f"{section.name}/"
    one = to.containers.setdefault(key, Container(section.place, attempt_id=own_id))
    one.job = only_job("\n".join(section.excerpt.all_lines()))
    one.add(ended_by(log, errors))
    return True


def _add_printed(section: Section, containers: dict[str, Container]) -> None:
    """What the command printed of the standard error of tasks."""
    printed: dict[str, list[str]] = {}
    for line in section.excerpt.all_lines():
        match = _PRINTED.match(line) if line.startswith("attempt_") else None
        if match is not None:
            printed.setdefault(match[1], []).append(match[2])
    for attempt, lines in printed.items():
        one = containers.setdefault(attempt, Container(section.place, attempt_id=attempt))
        own = Excerpt(((1, tuple(lines)),), tuple(lines[-LOOKED_AT:]), len(lines))
        one.add(read_log("stderr", own))


def _add_why_no_collector(section: Section, reports: Reports) -> None:
    """Why no collector could be made, which `MapTask` logs, and does not throw (up to 2.6)."""
    lines = [*section.excerpt.all_lines()]
    below = (two for one, two in pairwise(lines) if _NO_COLLECTOR in one)
    why = {one[1] for line in below if (one := _ERROR.match(line)) is not None}
    told = [id_ for id_ in reports.texts if _NONE_AT_ALL in reports.said_of(id_)]
    if len(why) != 1 or len({*map(job_of, told)}) != 1:
        return
    for id_ in told:
        said = reports.said_of(id_).split("\n")
        last = max(at for at, one in enumerate(said) if _NONE_AT_ALL in one or _FRAME.match(one))
        said.insert(last + 1, f"Caused by: {next(iter(why))}")
        reports.texts[id_] = ["\n".join(said)]


def _of_a_program(excerpt: Excerpt, log: Log) -> Iterator[tuple[LoggedError, str]]:
    """What ended tasks of Streaming by itself, each with the attempt that is named last above it.

    The program's own last words name it: the folder of an attempt stands in the paths of its files.
    """
    lines = [*excerpt.numbered()]
    for one in log.errors:
        if _OF_STREAMING.search(one.error.first_line) is None:
            continue
        above = (line for number, line in lines if one.line - _LOOKED_BACK <= number <= one.line)
        named = [each for line in above for each in ANY_ATTEMPT.findall(line)]
        if named:  # what closes the program throws it, and the task's main method reports it
            yield replace(one, how=_ENDED_A_TASK), named[-1]


def _without_their_head(errors: Sequence[LoggedError], excerpt: Excerpt) -> Iterator[LoggedError]:
    """Errors that ended a task of a job that failed, and whose first lines are cut off.

    The command prints the stack of an attempt that failed, and no other; a text that begins or goes
    on with the cause of one has it from there.
    """
    lines = dict(excerpt.numbered())
    for each in errors:
        above = lines.get(each.line - 1, "")
        if lines.get(each.line, "").startswith("Caused by: ") and not _FRAME.match(above):
            yield replace(each, how=_ENDED_A_TASK)


def _tells_of_kills(reports: Reports) -> bool:
    """Whether all that ended was killed over the limit of its container, with no error."""
    return bool(reports.texts) and all(was_killed(reports.said_of(id_)) for id_ in reports.texts)


def _beside_a_kill(errors: Sequence[LoggedError], excerpt: Excerpt) -> Iterator[LoggedError]:
    """Errors that somebody pasted beside the kill of a container: of another attempt.

    A container that was killed over its limit has no error to report, and what an attempt reports
    begins so (``YarnChild``); its id stands in the line above, which people leave out.
    """
    lines = dict(excerpt.numbered())
    for each in errors:
        is_reported = lines.get(each.line, "").lstrip().startswith(_REPORTED)
        if is_reported and out_of_memory_in(each.error) is not None:
            yield replace(each, how=_ENDED_A_TASK)


def _add_error_of(
    attempt: str, section: Section, log: Log, containers: dict[str, Container]
) -> None:
    """The error that a text says an attempt met, of MapReduce or of Tez."""
    error = log.errors[0]
    own = attempt if find_attempt_id(attempt) is not None else None
    around = f"{error.how}{error.error.first_line}"
    one = Container(section.place, attempt_id=own, around=around, job=job_of(attempt))
    containers.setdefault(own or f"{section.name}/{attempt}", one).add(log)


def _without_named(
    section: Section,
    reports: Reports,
    log: Log,
    failed: Sequence[str],
    containers: dict[str, Container],
) -> tuple[LoggedError, ...]:
    """The errors that are of no attempt which the line above names; the others are taken in.

    What the command printed of that attempt has the same message.
    """
    lines, left = dict(section.excerpt.numbered()), list[LoggedError]()
    for one in log.errors:
        own = attempt_above(lines, one.line, failed)
        said = [line.rstrip() for line in reports.said_of(own).split("\n")]
        words = one.error.message or one.error.class_name
        if own is None or not any(line.endswith(words) for line in said):
            left.append(one)
            continue
        container = containers.setdefault(own, Container(section.place, attempt_id=own))
        container.job = job_of(own)
        container.add(replace(log, errors=(one,)))
    return tuple(left)


def _add_caught(section: Section, log: Log, containers: dict[str, Container]) -> None:
    """An OutOfMemoryError that a task caught and outlived, in its log that somebody pasted."""
    caught = tuple(one for one in log.errors if out_of_memory_in(one.error) is not None)
    if log.done is not None and caught and own_attempt(section.excerpt) == log.done:
        one = containers.setdefault(log.done, Container(section.place, attempt_id=log.done))
        one.add(replace(log, errors=caught, words=(), no_memory=()))
