"""The paragraph people paste into a ticket: which task, what filled it, who holds it, what to do.

Every number and name comes from the report; where it is silent, so is the paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from textwrap import shorten
from typing import Final

from mprof.exit_code import end_in_words
from mprof.report.account import account_rows
from mprof.report.names import (
    DEATH_PHRASES,
    ENDING_PHRASES,
    PLACE_NAMES,
    PLACE_NAMES_OF_MAP,
    PLACE_NAMES_WITH_CHILD,
    RUN_NAMES,
    filled_text,
    short_class,
    size_text,
)
from mprof.report.published.cause import Where
from mprof.report.published.report import Message, Report
from mprof.report.sentences import undecided
from mprof.units import format_bytes, format_count, list_in_words

__all__ = [
    "called_text",
    "changes_title",
    "code_lines",
    "code_text",
    "headline",
    "message_in_summary",
    "place_text",
    "setting_words",
    "summary",
]

_IS_OVER: Final = re.compile(r"[.!?:][\"')]*$")
_NOT_ITS_SIZE: Final = frozenset({"large_input_split"})
"""Causes whose bytes are not the size of what they name: a split is not the heap that it fills."""


def summary(report: Report) -> str:
    """The diagnosis in one paragraph."""
    child = report.child.sentence if report.child is not None else ""
    said = message_in_summary(report)
    container = _container_in_words(report, is_said=said is not None)
    proven = said is not None and said.proof == "proves"
    sentences = [_what_happened(report), *_command(report), container, child]
    sentences += [said.sentence if said is not None else "", *_causes(report)]
    sentences += _beside(report)
    if not proven:
        sentences.append(_no_cause(report))
        if report.conclusion in ("undecided", "no rule fires", "no task"):
            sentences += [_filled(report), _before_the_data(report)]
    sentences.append(_change(report))
    *first, last = [sentence for sentence in sentences if sentence]
    if not first and report.death.said:
        last += " mprof cannot tell more from these words"
    return " ".join([*(one if _IS_OVER.search(one) else f"{one}." for one in first), last])


def headline(report: Report) -> str:
    """Its first sentence: who died, how and where."""
    return _what_happened(report)


def _container_in_words(report: Report, *, is_said: bool) -> str | None:
    """What took a killed container; that it is not known only where nothing else is said of it."""
    container = report.container
    if container is None or (is_said and container.place is None):
        return None
    return container.sentence


def message_in_summary(report: Report) -> Message | None:
    """What the message says of the death, where nothing was measured that names a cause."""
    child_ended = report.child is not None and report.child.ended is not None
    if report.conclusion == "causes":
        return None
    said = (one for one in report.messages if one.proof != "known to")
    return next((one for one in said if not child_ended or one.id == _OF_A_CHILD), None)


_OF_A_CHILD: Final = "script_keeps"
"""The message of what a program keeps that the task runs, whose end is told by itself."""


def place_text(where: Where | None) -> str:
    """``WordMapper.map (WordMapper.java:49), held by this.counts``; empty where it is not known.

    Of a script's job: ``alias grouped (report.pig:4), by POPackage.getNextTuple (...), held by``.
    """
    if where is None or not where.class_name:
        return ""
    held = f", held by {list_in_words((where.path, *where.beside))}" if where.path else ""
    words = where.statement.words if where.statement is not None else ""
    statement = f"{words}, by " if words else ""
    called = f", called by {called_text(where)}" if where.called_by and not statement else ""
    return f"{statement}{code_text(where)}{called}{held}"


def code_text(where: Where) -> str:
    """``WordMapper.map (WordMapper.java:49)``, as far as it is known."""
    method = f".{where.method}" if where.method else ""
    line = f":{where.line}" if where.line else ""
    file = f" ({where.file}{line})" if where.file else ""
    return f"{short_class(where.class_name)}{method}{file}"


def code_lines(where: Where | None) -> Iterator[str]:
    """What the job's code says of a place: the line itself, and those that filled what it holds."""
    if where is None:
        return
    if where.source is not None:
        yield f"line {where.line}: {where.source}"
    others = [one for one in where.filled_by if (one.file, one.line) != (where.file, where.line)]
    if others:
        yield filled_text(where.filled_by)


def called_text(where: Where) -> str:
    """The job's step that called the code of another class; empty where that is the code itself."""
    step = where.called_by
    return f"{short_class(step.class_name)}.{step.method}" if step is not None else ""


def setting_words(report: Report, *, name: str, value: str) -> str:
    """A setting as it is typed: ``-D name=value`` of Hadoop's own commands, ``SET`` in a script.

    Pig's takes a name and a value, Hive's an assignment.

    Oozie takes those of its launcher from the workflow alone, and daemons theirs from their file; a
    driver that does not parse options takes none by -D.
    """
    if name.startswith(_OF_DAEMONS):
        return f"{name}={value} in yarn-site.xml"
    if name.startswith(_OF_WORKFLOWS):
        return f"{name}={value}"
    if name.startswith(_OF_SHELLS):
        return f"export {name}={value if ' ' not in value else repr(value)}"
    of_hive = any(one.class_name.startswith(_OF_HIVE) for one in report.stack)
    of_commands = "SET" if of_hive or name.startswith(_OF_SESSIONS) else "-D"
    if name == "spark.driver.memory":
        return f"--driver-memory {value}"  # in client mode --conf comes too late for some programs
    of_commands = "--conf" if name.startswith("spark.") else of_commands
    if of_commands == "-D" and report.job is not None and report.job.driver_ignores_options:
        return f"{name}={value}"
    option = report.script.option if report.script is not None else of_commands
    if option == "SET" and report.script is not None and report.script.unit != "query":
        return f"SET {name} {value if _ONE_WORD.fullmatch(value) else repr(value)};"
    return f"{option} {name}={value}{';' if option == 'SET' else ''}"


_ONE_WORD: Final = re.compile(r"[\w.]+")
_OF_WORKFLOWS: Final = "oozie.launcher."
_OF_DAEMONS: Final = ("yarn.nodemanager.", "yarn.resourcemanager.", "yarn.scheduler.")
_OF_SHELLS: Final = (
    "HADOOP_", "HDFS_", "YARN_", "MAPRED_", "HBASE_", "HIVE_", "BEELINE_", "PIG_", "SQOOP_",
    "MAHOUT_", "NUTCH_", "SPARK_DAEMON_",
)  # fmt: skip
_OF_HIVE: Final = "org.apache.hadoop.hive.ql."
_OF_SESSIONS: Final = ("hive.", "tez.")
"""Settings that are given in a session of Hive, where ``-D`` is no option."""


def _command(report: Report) -> Iterator[str]:
    """What is to be said of the command that submitted the job, a sentence each."""
    job = report.job
    if job is None:
        return
    if job.local_jobs:
        jobs = ", ".join(job.local_jobs)
        yield f"{jobs} ran inside the command that submitted it, where mprof does not watch."
    if job.driver_error is not None:
        yield (
            f"The command that submitted it ran out of memory itself ({job.driver_error}): what "
            "it keeps is not in this report, and its heap is set by HADOOP_CLIENT_OPTS."
        )
    elif job.driver_exit_code and report.death.end == "finished":
        yield (
            f"The command that submitted it {end_in_words(job.driver_exit_code)} all the same: the "
            "reason is in its own output."
        )


def _what_happened(report: Report) -> str:
    kind, end, child = report.death.kind, report.death.end, report.child
    job, container = _job(report), _container(report)
    if end == "end unknown":
        known = report.job is not None and (report.job.id is not None or report.job.name)
        is_task = report.attempt is not None and report.attempt.task_type is not None
        one = "the task" if is_task else "the process"
        whose = f"container {container}" if container else job if known else one
        if report.death.from_dump:
            return f"How the process ended is not known: {report.death.evidence.strip()}."
        return f"How {whose} ended is not known."
    if end == "finished":
        # Only of the attempt is it known where nothing tells how the job ended.
        of_attempt = not (report.job and report.job.state) and not _was_run(report)
        subject = _subject(report) if of_attempt else f"{job[0].upper()}{job[1:]}"
        return f"{subject} did not fail, so there is no cause to name."
    if report.death.said:
        said = shorten(report.death.said.strip('"'), _LONGEST_QUOTE, placeholder=" ...")
        return f'The text says: "{said}" No line of a log in it says so. If a process ended so:'
    ending = report.death.ending
    verb, because = DEATH_PHRASES[kind] if ending is None else ENDING_PHRASES[ending]
    if kind == "application-master":
        return f"The application master of {job} {verb}{because}."
    if child is not None and child.ended is not None:
        because = f", because its child process {child.ended}"
    return f"{_subject(report)} {verb}{_where(report)}{because}.{_lived(report)}"


_LONGEST_QUOTE: Final = 200  # characters: enough to know the sentence again


def _job_went_on(report: Report) -> bool:
    """Whether what failed was done again, and the job came to its end: it needs no change."""
    job = report.job
    return (
        job is not None
        and not _was_run(report)
        and report.death.end == "died"
        and (job.state == "SUCCEEDED" or job.no_task_failed)
    )


def changes_title(report: Report) -> str:
    """What stands above the settings and repairs that are advised."""
    return f"What to change{' if it happens again' if _job_went_on(report) else ''}"


def _lived(report: Report) -> str:
    """That the job went on, where it did."""
    if report.job is None or not _job_went_on(report):
        return ""
    if report.job.state == "SUCCEEDED":
        return " The job succeeded all the same."
    return (
        " The job went on to its end, and by its counters no task failed for good: it succeeded, "
        "unless it was killed."
    )


def _was_run(report: Report) -> bool:
    """Whether mprof has run the job."""
    return report.attempt is not None and report.attempt.mode != "none"


def _container(report: Report) -> str | None:
    """For who has its logs; None where nothing names it, or mprof has run the job."""
    if report.attempt is None or _was_run(report):
        return None
    return report.attempt.container_id


def _subject(report: Report) -> str:
    job, container, program = _job(report), _container(report), report.death.program
    of_container = f"ontainer {container}" if container is not None else ""
    if container is not None and container.startswith(("executor ", "task ")):
        return f"{container[0].upper()}{container[1:]} of Spark"
    if report.attempt is not None and report.attempt.id is not None:
        aside = f"(c{of_container}) " if of_container else ""
        return f"Attempt {report.attempt.id} {aside}of {job}"
    if of_container:
        what = f", {program}," if program is not None else ""
        return f"C{of_container} of {job}{what}"
    if program is not None and _is_of_a_task_beside(report):
        return f"{job[0].upper()}{job[1:]}, in {program},"
    if program is not None:
        of_job = f" of {job}" if report.job and report.job.id is not None else ""
        # what its own code throws in a task of an executor does not end the executor
        if report.death.kind == "application-made" and program.endswith("executor of Spark"):
            return f"A task in {program}{of_job}"
        return f"{program[0].upper()}{program[1:]}{of_job}"
    if report.conclusion == "no task":
        return "The program"
    if report.job is None or report.job.id is None:
        is_kill = report.death.kind.startswith("container-") and (
            report.attempt is None or report.attempt.task_type is None
        )
        return "The process" if report.death.any_process or is_kill else "The task"
    # what is told of the job's end alone, where no task is known to have died
    is_all = report.death.kind == "not-memory" and report.conclusion == "not memory"
    if is_all:
        return f"{job[0].upper()}{job[1:]}"
    task = _task(report)
    return f"Task {task} of {job}" if task is not None else f"A task of {job}"


def _task(report: Report) -> str | None:
    """The id of the task, where no attempt of it is named."""
    attempt, id_ = report.attempt, report.job.id if report.job is not None else None
    if attempt is None or attempt.index is None or attempt.task_type is None or id_ is None:
        return None
    return f"{id_.replace('job_', 'task_')}_{attempt.task_type[0]}_{attempt.index:06d}"


def _is_of_a_task_beside(report: Report) -> bool:
    """Whether a task failed that was a thread of the JVM named, which went on and ended the job."""
    local = report.job is not None and (report.job.id or "").startswith("job_local")
    return local and report.death.kind == "not-memory"


def _job(report: Report) -> str:
    job = report.job
    if job is not None and job.application is not None:
        return job.application
    if job is not None and job.name:
        return f"job {job.name!r}"
    return f"job {job.id}" if job is not None and job.id is not None else "the job"


def _where(report: Report) -> str:
    """The record, numbered in its group where both are known, and the place in the task."""
    attempt, position = report.attempt, report.position
    names: dict[str, str] = dict(PLACE_NAMES)
    if attempt is not None and attempt.task_type == "map":
        names.update(PLACE_NAMES_OF_MAP)
    if report.child is not None:
        names.update(PLACE_NAMES_WITH_CHILD)
    place = f" {names[attempt.place]}" if attempt is not None and attempt.place in names else ""
    if place and attempt is not None and attempt.place == "map" and _reads_its_input(report):
        place = " while it read its input"
    elif place and attempt is not None and attempt.place == "map" and (own := _own_run(report)):
        place = f" in run() of {own}, outside of map()"
    record, group = (position.record, "") if position is not None else (None, "")
    if position is not None and position.group and position.record_in_group:
        record, group = position.record_in_group, f" of group {format_count(position.group)}"
    return f" at record {format_count(record)}{group}{place}" if record else place


_CALLS_RUN: Final = ("runNewMapper", "runOldMapper")
_OF_HADOOP: Final = "org.apache.hadoop."


def _own_run(report: Report) -> str:
    """The mapper whose own run() the task was in, with no map() above it; "" where it was not.

    `MapTask` calls run() of a mapper, or of a `MapRunnable`: Hadoop's own calls map() for each
    record, that of an engine may call anything.
    """
    own = ""
    for one, below in pairwise(report.stack):
        if one.method == "map":
            return ""
        is_called = short_class(below.class_name) == "MapTask" and below.method in _CALLS_RUN
        if is_called and one.method == "run" and not one.class_name.startswith(_OF_HADOOP):
            own = short_class(one.class_name)
    return own


def _reads_its_input(report: Report) -> bool:
    """Whether the framework's reader stands on the stack above any map()."""
    for one in report.stack:
        if one.method == "map":
            return False
        if one.class_name.startswith(_READERS):
            return True
    return False


_READERS: Final = (
    "org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader",
    "org.apache.hadoop.mapred.MapTask$TrackedRecordReader",
)


def _causes(report: Report) -> Iterator[str]:
    """One sentence a cause; the place in code is said once where they share it."""
    said = ""
    for cause in report.causes:
        sized = cause.bytes and cause.cause not in _NOT_ITS_SIZE
        size = f", {format_bytes(cause.bytes)}" if cause.bytes and sized else ""
        place = place_text(cause.where)
        where = f", in {place}" if place and place != said else ""
        said = place or said
        yield f"Cause ({cause.confidence}): {cause.name}{size}{where}."


def _beside(report: Report) -> Iterator[str]:
    """Large objects that no cause names, and without which the rest might have fitted."""
    places = [cause.where for cause in report.causes if cause.where is not None]
    named = {path for where in places for path in (where.path, *where.beside)}
    for row in account_rows(report.account, report.position) if report.causes else ():
        if row.is_large_object and row.name not in named:
            yield f"Also in the heap: {row.name} ({row.detail}), {size_text(row.bytes, row.share)}."


def _no_cause(report: Report) -> str:
    kind, quoted = report.death.kind, report.death.evidence.strip()
    if report.child is not None and report.child.ended is not None:
        return ""
    if report.conclusion == "not memory":
        return f"The message was: {quoted}" if quoted and not report.death.said else ""
    if report.conclusion == "application master":
        return (
            "No cause is named, because mprof watches only tasks, not the application master; "
            f"mprof explain {kind} says what to change. The message was: {quoted}"
        )
    if report.conclusion == "not the heap":
        is_placed = report.container is not None and report.container.place is not None
        if is_placed or message_in_summary(report) is not None:
            return ""  # which says what was short, or what took it
        return (
            "No cause is named, because the rules only explain a full Java heap; "
            f"mprof explain {kind} says what to look for."
        )
    if report.conclusion == "pipe thread":
        return "No cause is named, because the rules only explain what the task's own threads do."
    if report.conclusion == "no task":
        program = report.death.program
        what = f"this was {program}" if program else "no thread of this dump runs one"
        told = report.death.from_dump and kind != "none"  # else the first sentence quotes it
        if not told and message_in_summary(report) is not None:
            return ""  # which says what ended, and what its words tell
        seen = f" {quoted[0].upper()}{quoted[1:]}." if told else ""
        return f"No cause is named: the rules explain map and reduce tasks, and {what}.{seen}"
    if report.conclusion == "undecided":
        wanted = {run for _, run in undecided(report)}
        runs = [name for run, name in RUN_NAMES.items() if run in wanted]
        said = message_in_summary(report)
        if said is not None and (said.causes or said.next_step is None):
            return ""  # it names one itself, as far as words do, or nothing more is wanted
        if said is not None and any(one.proof == "known to" for one in report.messages):
            more = f", and {' or '.join(runs)} would measure it" if runs else ""
            where = "code on its stack" if report.stack else "such code"
            return f"What is known of {where} is said below{more}."
        if said is not None:
            more = f"; {' or '.join(runs)} would" if runs else ""
            return f"The words alone do not tell which cause it is{more}."
        more = f" More would come from {' or '.join(runs)}." if runs else ""
        return f"There is not enough evidence to name a cause.{more}"
    if report.conclusion == "no rule fires":
        return "No cause is named: no rule fires on what was measured."
    return ""


def _filled(report: Report) -> str:
    """What filled the heap, where no cause says it."""
    rows = [
        f"{row.name}{f' ({row.detail})' if row.detail else ''}, {size_text(row.bytes, row.share)}"
        for row in account_rows(report.account, report.position)
        if row.told
    ]
    return f"The heap held: {'; '.join(rows)}." if rows else ""


def _before_the_data(report: Report) -> str:
    """That no record had come, and what is left to change then."""
    attempt, account = report.attempt, report.account
    if attempt is None or attempt.place != "setup":
        return ""
    had = "handed to reduce()" if attempt.task_type == "reduce" else "read"
    if account is None or all(one.kind != "holder" for one in account.items):
        return f"No record had been {had}."
    return (
        f"No record had been {had}: hold less of it before the first one comes, or give the heap "
        "room for it."
    )


def _change(report: Report) -> str:
    """The cure: its settings, or its words; without a cure the first aid."""
    again = _job_went_on(report)
    cures = [one for one in report.advice if not one.first_aid]
    first_aid = [one for one in report.advice if one.first_aid]
    settings = [*_settings(report, first_aid=False)]
    if cures and not settings:
        is_known_of = any(
            one.id == cures[0].cause and one.proof == "known to" for one in report.messages
        )
        if not is_known_of:
            return f"{'If it happens again: ' if again else ''}Fix: {cures[0].text}"
        aid = " ".join(_settings(report, first_aid=True))  # the cure says itself on what it depends
        return f"{cures[0].text} First aid: {aid}" if aid else cures[0].text
    lead = "try" if settings else "first aid"
    settings = settings or [*_settings(report, first_aid=True)]
    if not settings:
        return first_aid[0].text if first_aid else ""
    # No full stop: it would be pasted into the last value.
    lead = f"If it happens again, {lead}" if again else lead.capitalize()
    return f"{lead}: {' '.join(settings)}"


def _settings(report: Report, *, first_aid: bool) -> Iterator[str]:
    for one in report.advice:
        if one.property is not None and one.new is not None and one.first_aid is first_aid:
            yield setting_words(report, name=one.property, value=one.new)
