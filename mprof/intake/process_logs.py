"""The log of a container, or a text that may be of any process -> what it tells of that one."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from mprof.engines import Program, is_jdk_class, names_a_task, signs_of_local_mode
from mprof.intake.containers import Container
from mprof.intake.gathered import Gathered
from mprof.intake.headings import side_above
from mprof.intake.in_prose import told_end
from mprof.intake.owners import (
    beside,
    executor_of,
    label,
    last_job_above,
    may_be_a_post,
    only_job,
    own_attempt,
    titled,
    told_by,
)
from mprof.intake.reported import is_executor
from mprof.intake.roles import TASK, role_by_words, side_by_loggers
from mprof.intake.sections import Section
from mprof.intake.sentences import of_logs, said_in
from mprof.intake.told_ends import MOST_SAID, of_end
from mprof.trace import Excerpt, Log, LoggedError, find_attempt_id, out_of_memory_in, read_log

__all__ = ["add_process_log", "add_said"]

_END_OF_ID: Final = re.compile(r"(?:^|[/_.-])([mr]_\d{6}_\d{1,4})(?=[/._-]|$)")
_DAY: Final = re.compile(r"[\s>|]*(?:20)?(\d\d[-/]\d\d[-/]\d\d) \d\d:\d\d:\d\d")
_OF_ANY_PROCESS: Final = ("io.netty.", "org.jboss.netty.")  # the servers of all engines have it
_MONTHS: Final = timedelta(days=60)


def add_process_log(
    section: Section,
    container: str | None,
    to: Gathered,
    *,
    is_known: bool,
    wrote: Program | None = None,
) -> None:
    """What a log says of its process.

    Args:
        section: the log.
        container: its id, where its heading or its path has one.
        to: to which it is added.
        is_known: whether a process is known to have written it, and not somebody.
        wrote: the program that a sentence names, where the log says no other.
    """
    # of the folder, where nothing else names it: launch_container.sh, a log or another file
    attempt = find_attempt_id(section.hint) if section.container_id is None else None
    own = attempt.text if attempt is not None else own_attempt(section.excerpt)
    named = label(section)
    log = read_log(named, section.excerpt)
    is_other = False
    if not is_known or may_be_a_post(section):
        recent = _of_its_last_months(log, section.excerpt)
        to.notes += (
            f"{section.name}, line {one.line_of_file}: an error of months before the last end is "
            "left out"
            for one in log.errors
            if one not in recent.errors
        )
        log = recent
    if not is_known:
        is_other = _is_of_another_process(log)
        own = None if is_other else own
    near = beside(section, named)
    container = container or titled(section.excerpt) or executor_of(section)
    key = container or (attempt.text if attempt is not None else None) or own or near
    one = to.containers.setdefault(key, Container(section.place, container))
    one.attempt_id = one.attempt_id or own
    if not any(map(_tells_of_a_process, log.errors)):
        one.wrote = one.wrote or wrote
    ended = _END_OF_ID.search(section.hint)
    one.end_of_id = ended[1] if ended is not None else one.end_of_id
    one.host = one.host or section.host
    one.add(log)
    if is_known and not (one.attempt_id or one.in_task) and (log.errors or log.words):
        # the logs of a container have the same names whatever it runs
        one.in_task = is_known = role_by_words(told_by(section)) == TASK
    if not is_known and len(one.around) < MOST_SAID:  # its words may say whose process it was
        own_lines = [*section.excerpt.all_lines()]
        one.around += f"{of_logs(own_lines)[:MOST_SAID]}\n{signs_of_local_mode(own_lines)}"
        one.job = None if is_other else only_job(one.around)
    if log.errors and may_be_a_post(section):
        lines = dict(section.excerpt.numbered())
        one.side = side_above(lines, log.errors[0].line) or side_by_loggers(lines.values())
    if not is_known:
        one.said |= said_in(section.excerpt.numbered())
    if one.job is None and not is_other and not (container or own) and log.errors:
        is_post = may_be_a_post(section)  # the log of a launcher names the jobs that it started
        only = only_job("\n".join(section.excerpt.all_lines())) if is_post else None
        one.job = only or last_job_above(section.excerpt, log.errors[0].line)
    if container is not None and is_executor(container) and not is_known:
        to.reports.say(container, of_end(section.excerpt))
    elif not (is_known and one.is_named):
        end = of_end(section.excerpt)
        one.ends += [end] if end else []


def add_said(section: Section, to: Gathered, wrote: Program | None = None) -> bool:
    """An end of which a text tells in the words of the JVM, and in a sentence alone.

    Args:
        section: the text.
        to: to which it is added.
        wrote: the program that a sentence names.

    Returns:
        Whether it tells of one so.
    """
    if not may_be_a_post(section):
        return False
    lines = [line for _, line in section.excerpt.numbered()]
    told = told_end(lines)
    if told is not None:
        new = Container(section.place, only_said=told.line)
        one = to.containers.setdefault(f"{section.name}/", new)
        one.ends = one.ends or [told.as_logged]
        one.side = one.side or told.side
        one.wrote = one.wrote or wrote
        one.around = one.around or of_logs(lines)[:MOST_SAID]
        one.job = one.job or only_job(one.around)
    return told is not None


def _tells_of_a_process(one: LoggedError) -> bool:
    """Whether the frames of an error say more of whose it is than a sentence does."""
    classes = [frame.class_name for frame in one.error.stack]
    return not all(is_jdk_class(each) or each.startswith(_OF_ANY_PROCESS) for each in classes)


def _is_of_another_process(log: Log) -> bool:
    """Whether all errors are of threads of a pool, with stacks down to their start and no task.

    Or of servers, by what logged them.
    """
    if log.errors and all(one.is_of_a_server for one in log.errors):
        return True
    return bool(log.errors) and all(
        out_of_memory_in(one.error) is None
        and one.error.stack[-1:] != ()
        and one.error.stack[-1].class_name == "java.lang.Thread"
        and not names_a_task("\n".join(frame.class_name for frame in one.error.stack))
        for one in log.errors
    )


def _of_its_last_months(log: Log, excerpt: Excerpt) -> Log:
    """Of a text that somebody wrote, whose author may quote an error of months before.

    An error of memory is left out for another one of memory, or for one that ended its process.
    """
    lines = dict(excerpt.numbered())
    dated: list[tuple[LoggedError, date | None]] = []
    for error in log.errors:
        above, own = (lines.get(at, "") for at in (error.line - 1, error.line))
        dated.append((error, _day_of(own) or _day_of(above)))
    ends = [
        day
        for error, day in dated
        if day and (error.is_uncaught or out_of_memory_in(error.error) is not None)
    ]
    last = max(ends, default=None)
    recent = (error for error, day in dated if day is None or last is None or last - day < _MONTHS)
    return replace(log, errors=tuple(recent))


def _day_of(line: str) -> date | None:
    found = _DAY.match(line)
    try:
        return date.fromisoformat(f"20{found[1].replace('/', '-')}") if found is not None else None
    except ValueError:
        return None  # 10/31/16: a month comes first
