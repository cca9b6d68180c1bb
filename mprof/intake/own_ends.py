"""What clients and servers print of errors that they met themselves, beside what they tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from mprof.engines import client_in, names_a_task
from mprof.intake.containers import Container, ended_by, logged_as_an_end
from mprof.intake.owners import LOGGED, LOOKED_AT, label, names_a_container, only_job
from mprof.intake.reported import Reports
from mprof.intake.sections import Section
from mprof.intake.told_ends import MOST_SAID
from mprof.trace import LoggedError, out_of_memory_in, read_log

__all__ = ["add_of_client", "add_of_server"]

_NOT_INITIALISED: Final = re.compile(
    r"java\.lang\.NoClassDefFoundError: Could not initialize class "
)
# ContainerLaunch of a NodeManager, above the end of a log of the process that ended
_END_OF_LOG: Final = re.compile(
    r"(?:\[[^\]]*\] ?)?(?:Last \d{1,9} bytes of \S{1,40}|std(?:err|out)) ?:\s*$"
)


def add_of_client(
    section: Section, reports: Reports, *, containers: dict[str, Container], notes: list[str]
) -> bool:
    """The error that the JVM of the client met itself, in what it printed; whether it met one.

    Whatever reaches the main thread of a task is caught (``YarnChild.main``). What was printed
    of another thread is taken for the client's own where no attempt is told to have failed; of
    a stack that no thread is named for, only its frames say whose it is.
    """
    text = "\n".join(section.excerpt.all_lines())
    client = client_in(text)
    if client is None or names_a_container(section):
        return False  # a launcher, such as Oozie's, submits jobs from a task
    log = read_log(label(section), section.excerpt)
    lines = dict(section.excerpt.numbered())
    own = [each for each in log.errors if _is_of_its_jvm(each, lines.get(each.line, ""))]
    if reports.texts or reports.job_texts:
        own = [
            each
            for each in own
            if each.thread == "main" and not _is_of_a_container(lines, each.line)
        ]
    if not own:
        return False
    # the JVM makes its dump at the first; what other threads meet then follows from it
    told = [each for each in own if each.dump or each.thread]
    first = tuple([each for each in told if each.dump] or told or own)
    one = containers.setdefault(f"{section.name}/client", Container(section.place))
    one.wrote = client if told else None
    one.job = only_job(text) if client.id == "local-runner" else None
    one.add(ended_by(log, first))
    for each in log.errors:
        if each.line > first[0].line and _NOT_INITIALISED.match(each.error.first_line):
            said, line = each.error.first_line, first[0].line
            notes.append(
                f"{section.name}, line {each.line_of_file}: the class was found, but its "
                "initialisation had failed before, as it does after the error in line "
                f"{line}: no jar is missing ({said})"
            )
    return True


def _is_of_its_jvm(one: LoggedError, line: str) -> bool:
    """Whether a JVM that runs no task printed an OutOfMemoryError by itself, with no logger."""
    frames = "\n".join(frame.class_name for frame in one.error.stack)
    by_jvm = line.lstrip().startswith("Exception in thread")
    begins = by_jvm or (one.level != "WARN" and line.lstrip().startswith(one.error.class_name))
    return begins and out_of_memory_in(one.error) is not None and not names_a_task(frames)


def _is_of_a_container(lines: Mapping[int, str], at: int) -> bool:
    """Whether a line stands in the end of a container's log that its NodeManager quotes."""
    above = (lines.get(number, "") for number in range(at - 1, max(at - LOOKED_AT, 0), -1))
    heading = next((one for one in above if _END_OF_LOG.match(one) or LOGGED.match(one)), "")
    return _END_OF_LOG.match(heading) is not None


def add_of_server(section: Section, containers: dict[str, Container]) -> bool:
    """What the log of a server says of its own memory, beside what it tells of containers.

    Returns:
        Whether it says anything.
    """
    log = read_log(label(section), section.excerpt)
    own = tuple(
        each for each in log.errors if logged_as_an_end(each) and "Last 4096 bytes" not in each.how
    )
    if own:
        one = containers.setdefault(f"{section.name}/", Container(section.place))
        one.around = one.around or "\n".join(section.excerpt.all_lines())[:MOST_SAID]
        one.add(ended_by(log, own))
    return bool(own)
