"""Whose a text is: its name, what wrote it, and the container, attempt, executor or job of it."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from mprof.intake.roles import TASK, TEXT, Role, role_by_words
from mprof.intake.sections import Section, container_in
from mprof.trace import LOG_NAMES, Excerpt, find_attempt_id

__all__ = [
    "ANY_ATTEMPT", "LOGGED", "LOOKED_AT", "application_in", "beside", "executor_of", "is_log_name",
    "is_of_a_process", "label", "last_job_above", "may_be_a_post", "names_a_container",
    "only_job", "own_attempt", "role_of", "titled", "told_by",
]  # fmt: skip

_LONGEST_POST: Final = 5_000  # lines of what somebody wrote about a death, with what they pasted
_LOG_NAME: Final = re.compile(
    r"(?:(?:syslog|stderr|stdout|prelaunch|launch_container|gc|directory)\b|hs_err_pid\d).*",
    re.IGNORECASE,
)
_PACKED: Final = re.compile(r"(?i)\.(?:gz|gzip|bz2|xz|zst|log|txt|out)$")
_OWN_ATTEMPT: Final = re.compile(
    r"Task '(attempt_\w+)' done|Task:(attempt_\w+) is done|Task (attempt_\w+) is allowed to commit|"
    r"YarnChild \S+ \d+ (attempt_\w+)|saved output of task '(attempt_\w+)'"
)
_DIED: Final = "Error running child"  # YarnChild; Child of Hadoop 1
ANY_ATTEMPT: Final = re.compile(r"attempt_\d+_\d+_[mr]_\d+_\d+")
# org.apache.hadoop.mapreduce.task.reduce.Fetcher, and ReduceTask of Hadoop 1: from whom it copies
_COPIED_FROM: Final = re.compile(
    r"\b[oO]utput (?:of|from|for)(?:[\s>|]+(?:map|task))?[\s>|]+(attempt_\d+_\d+_m_\d+_\d+)"
)
_ANY_JOB: Final = re.compile(
    r"\b(?:job|application|container(?:_e\d+)?|dag|vertex|task|attempt)_(\d{12,13}_\d{3,9})(?=\D|$)"
)
_APPLICATION: Final = re.compile(r"\b(?:app|application_)(?:attempt_)?\d+_\d+")
# MRAppMaster, JobImpl.makeUberDecision
_OF_THE_MASTER: Final = re.compile(
    r"(?:Created MRAppMaster for application appattempt_|[Uu]berizing job:? job_)(\d+_\d+)"
)
LOGGED: Final = re.compile(r"\[?\d{2,4}[-/]\d\d[-/]\d\d")
LOOKED_AT: Final = 400  # lines by which the writer of a text is told
# the folder of an executor below that of its worker; its label, and the end of its pod's name
_WORK: Final = re.compile(r"(?:^|/)app-\d{14}-\d{4,9}/(\d{1,9})(?:/|$)")
_POD: Final = re.compile(
    r"(?:^Name:\s+\S{1,300}-exec-|\bspark-exec-id=)(\d{1,9})\s*$", re.MULTILINE
)
_ENDED_POD: Final = re.compile(
    r"-exec-(\d{1,9})\b.{0,200}(?:Evicted|OOMKilled|low on resource)|"
    r"(?:Evicted|OOMKilled).{0,200}-exec-(\d{1,9})\b"
)
# the JVM names the file in what it prints of its end, too
_CRASHED: Final = re.compile(r"\bhs_err_pid\d{1,10}\.log\b")
_OUT: Final = re.compile(r"\.out(?:\.\d{1,3})?$")


def is_log_name(name: str) -> bool:
    """Whether a file is called as a log of a container is."""
    return _LOG_NAME.fullmatch(name.rsplit("/", 1)[-1]) is not None


def label(section: Section) -> str:
    """The name of a log as its writer called it."""
    if section.log_type is not None:
        return section.log_type
    base = section.name.rsplit("/", 1)[-1]
    plain = base
    while (shorter := _PACKED.sub("", plain)) != plain:
        plain = shorter
    return plain if plain in LOG_NAMES else base


def names_a_container(section: Section) -> bool:
    """Whether a text is of a container or an attempt, by its heading or its path."""
    named = section.container_id or container_in(section.hint) or find_attempt_id(section.hint)
    return bool(named)


def is_of_a_process(section: Section) -> bool:
    """Whether a process wrote a text, by where it stands or what it is called."""
    return section.log_type is not None or _is_of_a_container(section)


def _is_of_a_container(section: Section) -> bool:
    return names_a_container(section) or _LOG_NAME.fullmatch(label(section)) is not None


def role_of(section: Section) -> Role:
    """What wrote a text, by the classes that log in it."""
    of_container = _is_of_a_container(section)
    if of_container and section.is_plain:
        return TASK
    return role_by_words(told_by(section)) or (TASK if of_container else TEXT)


def told_by(section: Section) -> tuple[str, ...]:
    """The lines by which the writer of a text is told."""
    return (*islice(section.excerpt.all_lines(), LOOKED_AT), *section.excerpt.tail)


def own_attempt(excerpt: Excerpt) -> str | None:
    """The attempt whose log it is: as the log says, or the only one that it names.

    Of two logs in one text it is that of the task that died: nothing is logged by one that is done.
    """
    named: set[str] = set()
    copied: set[str] = set()
    done: set[str] = set()
    says: str | None = None
    has_died = False
    above = ""
    for line in excerpt.all_lines():
        last, above = above, line
        if _DIED in line:
            has_died = True
            says = None if says in done else says
        if "attempt_" not in line:
            continue
        own = _OWN_ATTEMPT.search(line)
        if own is not None:
            done.update(filter(None, own.groups()[:1]))
            if not has_died:
                says = says or next(group for group in own.groups() if group is not None)
        named.update(ANY_ATTEMPT.findall(line))
        if "utput" in last or "utput" in line:
            copied.update(_COPIED_FROM.findall(f"{last}\n{line}"))
    if says is not None:
        return says
    named -= copied | done if has_died else copied
    reduces = {name for name in named if "_r_" in name}
    if len(reduces) == 1:
        return reduces.pop()
    return named.pop() if len(named) == 1 else None


def titled(excerpt: Excerpt) -> str | None:
    """The container whose log a page is, by its title (``ContainerLogsPage``)."""
    for line in islice(excerpt.all_lines(), LOOKED_AT):
        if "Logs for container_" in line:
            return container_in(line)
    return None


def executor_of(section: Section) -> str | None:
    """The executor of Spark that a text without ids is of, where it names one: ``executor 3``."""
    folder = _WORK.search(section.hint)
    if folder is not None:
        return f"executor {folder[1]}"
    text = "\n".join(section.excerpt.all_lines())
    named = set(_POD.findall(text)) or {one or other for one, other in _ENDED_POD.findall(text)}
    return f"executor {named.pop()}" if len(named) == 1 else None


def beside(section: Section, label: str) -> str:
    """By what the logs of one process are known that names neither container nor attempt."""
    if _LOG_NAME.fullmatch(label) and not label.startswith("hs_err"):
        return f"{section.place}/"
    named = _CRASHED.search(label) or next(
        (found for line in section.excerpt.all_lines() if (found := _CRASHED.search(line))), None
    )
    if named is not None:
        return named[0]
    # a daemon's standard output beside its log
    return f"{_OUT.sub('.log', section.name)}/" if _OUT.search(section.name) else section.name


def only_job(text: str) -> str | None:
    """The job that a text names, where it is one; the application of a job counts as the job."""
    jobs = {f"job_{one}" for one in _ANY_JOB.findall(text)}
    return jobs.pop() if len(jobs) == 1 else None


def last_job_above(excerpt: Excerpt, line: int) -> str | None:
    """The job that a log names last before an error in it: what stands further up may be of others.

    Args:
        excerpt: of the log, or of a text in which it stands.
        line: of the error.
    """
    above = (
        text
        for number, text in excerpt.numbered()
        if number <= line and LOGGED.match(text.lstrip())
    )
    named = [f"job_{one}" for text in above for one in _ANY_JOB.findall(text)]
    return named[-1] if named else None


def application_in(excerpt: Excerpt) -> str | None:
    """The application that the log of a master is about: as it says, or the first that it names."""
    own = (_OF_THE_MASTER.search(line) for line in excerpt.all_lines())
    said = next((one for one in own if one is not None), None)
    if said is not None:
        return f"application_{said[1]}"
    found = (_APPLICATION.search(line) for line in excerpt.all_lines())
    return next((one[0] for one in found if one is not None), None)


def may_be_a_post(section: Section) -> bool:
    """Whether somebody may have written a text, with what they pasted into it."""
    return not is_of_a_process(section) and section.excerpt.lines <= _LONGEST_POST
