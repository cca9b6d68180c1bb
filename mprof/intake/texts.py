"""One log or text -> what it tells, by who wrote it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from mprof.engines import Program, server_told_of
from mprof.intake.confirmed import confirmed
from mprof.intake.gathered import Gathered
from mprof.intake.own_ends import add_of_client, add_of_server
from mprof.intake.owners import is_of_a_process, label, may_be_a_post, role_of
from mprof.intake.process_logs import add_process_log, add_said
from mprof.intake.quoted_dumps import add_dumps
from mprof.intake.quoted_errors import add_quoted, ended_a_task
from mprof.intake.reported import Reports, is_executor
from mprof.intake.reports import read_reports
from mprof.intake.roles import CONSOLE, MASTER, NODE, RESOURCE, TASK, TEXT, Role
from mprof.intake.sections import Section, container_in
from mprof.intake.sentences import (
    is_of_somebody,
    of_logs,
    without_examples,
    without_links,
    without_sentences,
)
from mprof.intake.stated import Stated
from mprof.intake.states_of_jobs import killed_alone, spilled_again
from mprof.intake.told_ends import (
    MOST_SAID,
    of_end,
    speaks,
    tells,
    tells_of_memory,
    told_by_reports,
)
from mprof.intake.translated import in_english
from mprof.intake.voices import speak_several, voices_of, without_trials
from mprof.trace import read_log

__all__ = ["add_text"]

_OF_A_LAUNCH: Final = "launch_container"  # ContainerLaunch's script, as yarn logs has it
_OF_JVM: Final = re.compile(r"^(?:hs_err_pid|gc\b)")  # its reports on its end, its collections


def add_text(section: Section, to: Gathered) -> None:
    """Take in one log or text.

    Args:
        section: the text.
        to: to which it is added.
    """
    is_post = may_be_a_post(section)
    if label(section).startswith(_OF_A_LAUNCH):
        to.posts.add_launch(section)
    confirmations: tuple[Stated, ...] = ()
    of_several = False
    if is_post:
        section = replace(section, excerpt=without_examples(without_links(section.excerpt)))
        confirmations = confirmed([*in_english([*section.excerpt.numbered()])])
        of_several = speak_several([*section.excerpt.numbered()])
        section = _of_one_voice(section, to.notes)
    role = role_of(section)
    to.remarks.note_folders(section.excerpt)
    if is_post:
        to.posts.add_stated(section, role, confirmations, of_several=of_several)
        section = replace(section, excerpt=without_trials(section.excerpt, tells))
        to.posts.add_beside(section)
    server = None
    if role == TEXT:
        server = server_told_of("\n".join(section.excerpt.all_lines())) if is_post else None
        section = replace(section, excerpt=without_sentences(section.excerpt))
    role, reports = _reports_in(section, role)
    if role == TEXT and not reports and not speaks(section.excerpt):
        _add_silent(section, to, server)
        return
    of_jvm = _OF_JVM.search(section.name.rsplit("/", 1)[-1]) is not None
    to.account.count("logs of JVMs" if of_jvm else role, section.name)
    to.reports.add(reports)
    if reports and not told_by_reports(reports) and not speaks(section.excerpt):
        _remark_on_settings(section, to)  # of a job of which nothing tells an end
    if len(reports.jobs) == 1 and {*reports.jobs.values()} == {"SUCCEEDED"}:
        text = "\n".join(section.excerpt.all_lines())
        answers = filter(None, (killed_alone(text), spilled_again(text)))
        to.notes += [f"{next(iter(reports.jobs))}: {one}" for one in answers]
    if role in {CONSOLE, TEXT}:
        to.masters.add_words(section, reports)
    is_crash = label(section).startswith("hs_err_pid")
    if role != TASK or is_crash:
        to.remarks.on_words(section.excerpt)
    container = section.container_id or container_in(section.hint)
    if role == MASTER:
        to.masters.add_log(section, container)
    elif role == TASK:
        # a report of the JVM about its own end says what it ran
        add_process_log(section, container, to, is_known=not is_crash)
    elif role in {NODE, RESOURCE}:
        _add_of_server(section, reports, to)
    elif add_of_client(section, reports, containers=to.containers, notes=to.notes):
        add_quoted(section, reports, to)
    elif role == TEXT and not reports:
        add_process_log(section, container, to, is_known=False, wrote=server)
    else:
        quoted = add_quoted(section, reports, to)
        said = of_logs(section.excerpt.all_lines())[:MOST_SAID] if role == TEXT else ""
        to.around |= dict.fromkeys(reports.texts, said)
        if not (quoted or told_by_reports(reports)):
            if role == TEXT:
                add_process_log(section, container, to, is_known=False, wrote=server)
            else:
                add_said(section, to)


def _of_one_voice(section: Section, notes: list[str]) -> Section:
    """A text as the first wrote it who tells of an end, where several people speak in it."""
    excerpt, other = voices_of(section.excerpt, tells)
    if other is not None:
        notes.append(
            f"{section.name}: from line {other} on somebody else speaks, and what is said of an "
            "end there is not taken for the same one. Next step: if it is of another death, name "
            "that part as a file of its own"
        )
    return replace(section, excerpt=excerpt)


def _reports_in(section: Section, role: Role) -> tuple[Role, Reports]:
    """What a text tells of others, and who wrote it, which that may show."""
    is_log = role == TASK and is_of_a_process(section)
    reports = Reports() if is_log else read_reports(section.excerpt.parts)
    if reports.is_of_a_task_of_spark and tells_of_memory(section.excerpt):
        reports = Reports()  # of which the text tells more than what the task threw
    if role == TASK and reports.tasks:
        by_itself = any("running child" in line for line in section.excerpt.all_lines())
        role = role if by_itself else CONSOLE  # Hive quotes the task that failed most often
    if role == TASK and reports.texts:
        role = TEXT  # no task tells of containers: somebody has pasted it beside such words
    if len(reports.texts) == 1 and is_executor(lost := next(iter(reports.texts))):
        reports.say(lost, of_end(section.excerpt))  # the kubelet's words about its pod
    return role, reports


def _add_silent(section: Section, to: Gathered, server: Program | None) -> None:
    """A text that tells no end: what is known of its words, and the settings that it states."""
    of_words = to.remarks.on_words(section.excerpt)
    is_said = not of_words and add_said(section, to, server)
    if is_said or _remark_on_settings(section, to) or of_words:
        to.account.count(TEXT, section.name)
    elif section.name in to.posts.settings.texts:
        to.account.count("settings in texts", section.name)
    else:
        to.account.lose(section.name)


def _remark_on_settings(section: Section, to: Gathered) -> bool:
    return to.remarks.on_settings(to.posts.settings.of_text(section.name))


def _add_of_server(section: Section, reports: Reports, to: Gathered) -> None:
    """What the log of a server says of itself, and what somebody pasted beside that."""
    has_own = add_of_server(section, to.containers)
    if may_be_a_post(section) and is_of_somebody(section.excerpt.all_lines()):
        log = read_log(label(section), section.excerpt)
        if not has_own and any(map(ended_a_task, log.errors)):
            add_quoted(section, reports, to)  # of a task, whose log is pasted as well
        else:
            add_dumps(section, reports, log, to)
