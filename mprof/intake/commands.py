"""The commands in a text that start a job, and which jobs each of them has started.

Somebody who writes about a death often shows several commands: that which made the input, another
experiment, the one that failed. What the options of one of them set was in force in its own job
alone. Which that is, the ids say that stand between it and the next command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal

from mprof.intake.sentences import Lines, is_of_a_log, tells_of_an_end

__all__ = ["by_job", "by_paragraph", "jobs_in", "typed_again"]

_ANY_ID: Final = re.compile(
    r"\b(?:job|application|dag|vertex|task|attempt|container(?:_e\d{1,10})?)_(\d{12,13}_\d{3,9})(?=\D|$)"
)
_STARTS_A_JOB: Final = re.compile(
    r"\s*(?:\[?[\w.-]{1,64}@[\w.-]{1,64}[^\]$#]{0,80}\]?[$#] ?|[$>] )?(?:(?:time|nohup|exec) ){0,3}"
    r"(?:[\w./${}~-]{0,200}/)?"
    r"(?:hadoop-streaming|(?:hadoop|yarn|mapred)\s+(?:jar|distcp|pipes|streaming)|spark-submit|spark-shell|pyspark|"
    r"hive\s+-[ef]|pig\s+\S|sqoop\s+(?:import|export)|mahout\s+\w)\s?"
)
# "so I set -D mapreduce.map.memory.mb=2048:", above the log of that run
_INTRODUCES: Final = re.compile(r"[^|<>]*\s-D\s?[\w.]+=\S+.*:\s*$")
_GOES_ON: Final = re.compile(r"\\\s*$")

_MOST: Final = 20  # jobs, for each of which the text is read once


def by_job(lines: Lines) -> Iterator[tuple[frozenset[str], Lines]]:
    """Jobs, each with the lines of a text that may tell of them: blank in place of other commands.

    Args:
        lines: each with its number, in order.

    >>> text = ["hadoop jar a.jar", "hadoop jar b.jar", "Running job: job_1700000000000_0001"]
    >>> [[line for _, line in told] for _, told in by_job([*enumerate(text)])]
    [['', 'hadoop jar b.jar', 'Running job: job_1700000000000_0001']]
    """
    commands = [*_commands(lines)]
    named = frozenset(jobs_in(lines))
    started = [frozenset(jobs_in(lines[end:until])) for _, end, until in commands]
    groups = {*started} - {frozenset()}
    if not groups or len(groups) > _MOST:
        # of a command whose output is not shown nothing says that it was another one
        yield named, lines
        return
    for jobs in (*sorted(groups, key=sorted), named.difference(*groups)):
        others = [one for one, of in zip(commands, started, strict=True) if of != jobs]
        if jobs:
            yield jobs, _without(lines, others)


def by_paragraph(lines: Lines) -> Iterator[tuple[str, Lines]]:
    """Each of several jobs with the paragraphs of a text that tell of it; nothing of a single one.

    A paragraph is of the job that it names first, or else of the one that was named last above it.

    >>> text = ["job_1700000000000_0001", "", "died", "", "job_1700000000000_0002 died"]
    >>> [(job[-1], [line for _, line in told]) for job, told in by_paragraph([*enumerate(text)])]
    [('1', ['job_1700000000000_0001', '', 'died', '']), ('2', ['job_1700000000000_0002 died'])]
    """
    if not 1 < len(jobs_in(lines)) <= _MOST:
        return
    told: dict[str, list[tuple[int, str]]] = {}
    last, paragraph = "", list[tuple[int, str]]()
    for number, line in (*lines, (0, "")):
        paragraph.append((number, line))
        if line.strip():
            continue
        named = (one for _, each in paragraph for one in _ANY_ID.findall(each))
        last = next((f"job_{one}" for one in named), last)
        told.setdefault(last, []).extend(one for one in paragraph if one[0] or one[1])
        paragraph = []
    above = told.pop("", [])
    for at, (job, of_it) in enumerate(told.items()):
        yield job, [*(above if at == 0 else ()), *of_it]


def _commands(lines: Lines) -> Iterator[tuple[int, int, int]]:
    """Of each command the index of its first line, one after its last, and that of the next one."""
    begins = [
        at
        for at, (_, line) in enumerate(lines)
        if _STARTS_A_JOB.match(line) or (_INTRODUCES.match(line) and _is_of_a_job(lines[at + 1 :]))
    ]
    for at, until in pairwise([*begins, len(lines)]):
        end = at + 1
        while end < until and _GOES_ON.search(lines[end - 1][1]):
            end += 1
        yield at, end, until


def _is_of_a_job(below: Lines) -> bool:
    """Whether the first line that is not blank is of a log and names a job."""
    first = next((line for _, line in below if line.strip()), "")
    return is_of_a_log(first) and _ANY_ID.search(first) is not None


def jobs_in(lines: Lines) -> set[str]:
    """The jobs that ids in a text name, of jobs, tasks, containers and the like."""
    return {f"job_{one}" for _, line in lines for one in _ANY_ID.findall(line)}


def _without(lines: Lines, commands: Sequence[tuple[int, int, int]]) -> Lines:
    dropped = {at for begin, end, _ in commands for at in range(begin, end)}
    return [(number, "" if at in dropped else line) for at, (number, line) in enumerate(lines)]


_TYPED: Final = re.compile(
    r"\s*(?:\[?[\w.-]{1,64}@[\w.-]{1,64}[^\]$#]{0,80}\]?)?[$#] (?:time )?"
    r"(?P<environment>(?:[A-Z_]+=(?:\"[^\"]*\"|'[^']*'|\S+) )*)(?P<command>\S.*?)\s*$"
)


def typed_again(lines: Sequence[str]) -> dict[int, Literal["died", "passed"]]:
    """How a command ended that somebody typed again with another environment, by its line.

    What it printed the first time is the death that a text tells of; of the others each is by what
    stands below it, where that is anything.

    >>> text = ["$ hadoop fs -ls /", "OutOfMemoryError", "$ A=1 hadoop fs -ls /", "/a", "/b"]
    >>> typed_again(text)
    {2: 'passed'}
    """
    typed = [(at, one) for at, line in enumerate(lines) if (one := _TYPED.match(line)) is not None]
    ends = [*[at for at, _ in typed], len(lines)][1:]
    died: set[str] = set()
    found: dict[int, Literal["died", "passed"]] = {}
    for (at, one), end in zip(typed, ends, strict=True):
        printed = lines[at + 1 : end]
        has_died = any(map(tells_of_an_end, printed))
        is_shown = bool(printed and printed[0].strip())
        if one["command"] in died and one["environment"] and is_shown:
            found[at] = "died" if has_died else "passed"
        if has_died:
            died.add(one["command"])
    return found
