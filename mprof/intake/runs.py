"""Runs that a text tells of under a heading each, and which settings are of which of them.

``RUN A (memory 2048)``, ``2nd try: -Xmx3g``, ``Attempt #3 - with 4096``: what stands below such a
heading is of that run, up to the next one, with the jobs that it names. Of another run a value is
no more than what became of that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mprof.intake.commands import by_job, jobs_in
from mprof.intake.in_force import NOT_ENGLISH
from mprof.intake.outcomes import Outcome, outcome_of
from mprof.intake.sentences import Lines, is_of_a_log
from mprof.intake.settings import is_wished, stated_in
from mprof.intake.stated import DIED_TOO, OF_ANOTHER_RUN, Stated
from mprof.intake.unread_values import is_not_read

__all__ = ["HEADING", "stated_by_job", "which_run"]


_NUMBER: Final = r"(?:[A-H]|[1-9]|(?i:one|two|three|four|five))"
_ORDER: Final = (
    r"(?i:first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th|original|initial|baseline|last|final)"
)
_WHAT: Final = (
    r"(?i:run|try|attempt|test|experiment|trial|round|edit|update|"
    # in French, German, Spanish, Portuguese, Russian
    r"essai|versuch|intento|tentativa|\u043f\u043e\u043f\u044b\u0442\u043a\u0430)"
)
# what stands behind it: a colon, a bracket, a dash, a gap, a setting, or nothing
_GOES_ON: Final = r"(?=\s*[:(.\u2013]|\s+[-=]|\s{2,}|\s*\W{0,4}$)"
HEADING: Final = re.compile(
    rf"\W{{0,4}}(?P<which>{_WHAT}[ ]?(?:#|(?i:no)\.?[ ]?)?{_NUMBER}|"
    rf"(?:(?i:the)[ ])?{_ORDER} {_WHAT})"
    rf"\b{_GOES_ON}|"
    # with the first words of a message in a chat: [09:16] ann: run 2, at 8:20, went further
    rf"\[?\d\d?:\d\d(?::\d\d)?\]?\s<?[\w.-]{{1,40}}[>:]\s(?P<said>{_WHAT}[ ]?#?{_NUMBER})"
    r"(?=,| was | is | ?:| ?-)|"
    # a line drawn with the id of a job in it: --- today, job_1_2 ---
    r"[-=#*_~]{2,200}\s?\S?[^\n]{0,60}?\b(?P<job>job_\d{12,13}_\d{3,9})\b"
)
_LEAST: Final = 2
_PASTED: Final = re.compile(
    r"\s*(?:at [\w.$<>]+\(|\|- |\.{3} \d+ more|\]\])|[A-Z]\w+ failed, |DAG did"
)
_THAT_RUN: Final = re.compile(
    rf"(?i:\b(?:this|that|the {_ORDER}) (?:{_WHAT}|time|job)\b)|\b{_WHAT} ?#?{_NUMBER}\b"
)
_FAILED: Final = re.compile(
    r"Status : FAILED|^\s*Error: |OutOfMemoryError|is running beyond|\bjob (?:has )?failed\b|"
    r"^\s*attempt_\S+\s+FAILED",
    re.MULTILINE,
)
_PASSED: Final = re.compile(
    r"\bSUCCEEDED\b|\bcompleted successfully\b|"
    r"(?i:\b(?:it|job|run|all maps|everything)\b[^.\n]{0,20}\b(?:succeeded|passed|went through|"
    r"finished|completed|was fine|worked|works)\b)|"
    r"[.!:] (?:green|passed|success)\b(?! (?:if|when|only))|"
    r"^\W*(?:OK|passed|succeeded|success|went through|works?|fine)\b",
    re.MULTILINE | re.IGNORECASE,
)
_DENIED: Final = re.compile(r"(?i)\b(?:not|never|n['\u2019]t|no)\b[^.\n]{0,20}$")


@dataclass(frozen=True, slots=True)
class _Run:
    """One of the runs: its lines, the jobs that they name, and what became of it."""

    lines: Lines
    jobs: frozenset[str]
    outcome: Outcome


def stated_by_job(lines: Lines) -> Iterator[tuple[frozenset[str], tuple[Stated, ...]]]:
    """Jobs that a text names, each with the settings that it states for them.

    Args:
        lines: each with its number, in order.

    >>> text = [
    ...     "Run 1: mapreduce.map.memory.mb=1024", "job_1700000000000_0001 failed",
    ...     "Run 2: mapreduce.map.memory.mb=2048", "job_1700000000000_0002 failed",
    ... ]
    >>> for jobs, stated in stated_by_job([*enumerate(text)]):
    ...     [one.value for one in stated if not one.why_not]
    ['1024']
    ['2048']
    """
    outside, runs = _runs(lines)
    jobs_of_runs = [one.jobs for one in runs if one.jobs]
    died = [one for one in runs if one.outcome == "died"]
    if len(died) == 1 and not jobs_in(lines):
        yield frozenset(), (*_of_a_run(died[0], outside), *_of_others(died[0], runs))
        return
    is_one = len(runs) < _LEAST and jobs_in(outside)
    if is_one or not jobs_of_runs or len({*jobs_of_runs}) < len(jobs_of_runs):
        for jobs, told in by_job(lines):
            yield jobs, stated_in(told)
        return
    for run in runs:
        if run.jobs:
            yield run.jobs, (*_of_a_run(run, outside), *_of_others(run, runs))
    rest = frozenset(jobs_in(outside)).difference(*jobs_of_runs)
    if rest:
        yield rest, stated_in(outside)


def _of_a_run(run: _Run, outside: Lines) -> Iterator[Stated]:
    """What a run states; and of what it does not state, what the text says of all."""
    own = _own(run)
    yield from own
    names = {one.name for one in own if not one.why_not}
    yield from (one for one in stated_in(outside) if one.name not in names)


def _own(run: _Run) -> list[Stated]:
    """What stands in the heading of a run is of it, however it is told: "again with"."""
    stated = stated_in(run.lines)
    sure = {one.name for one in stated if not one.why_not}
    heading = run.lines[0][0]
    return [
        replace(one, why_not="", outcome="")
        if one.line == heading
        and one.name not in sure
        and (one.why_not.startswith('"') or one.why_not in {DIED_TOO, NOT_ENGLISH})
        and not is_wished(one.why_not)
        else one
        for one in stated
    ]


def _of_others(run: _Run, runs: Sequence[_Run]) -> Iterator[Stated]:
    """The values of the other runs, with what became of them; together they may have passed.

    What passed helped the last run above that had died. An earlier one it helped if it gives all
    that those between them give: "as before, with 0.4 as well" does not.
    """
    own = {(one.name, one.value) for one in _own(run)}
    helped = _helped(runs[[*map(id, runs)].index(id(run)) + 1 :])
    passed = {(each.name, each.value) for one in helped for each in _own(one)}
    for other in runs:
        if other is run:
            continue
        for one in _own(other):
            pair = one.name, one.value
            if pair in own or one.why_not:
                if pair not in own and is_not_read(one.why_not):
                    yield one
                elif pair not in own and one.outcome:  # of a trial after that run, of its end
                    is_own = not other.jobs and (one.outcome != "passed" or other in helped)
                    yield one if is_own else replace(one, why_not=OF_ANOTHER_RUN, outcome="")
                continue
            of_other: Outcome = "" if other.outcome == "passed" else other.outcome
            outcome: Outcome = "passed" if pair in passed else of_other
            yield replace(one, why_not=OF_ANOTHER_RUN, outcome=outcome)


def _helped(below: Sequence[_Run]) -> list[_Run]:
    """The runs that passed and tell what helped a run above them."""
    found: list[_Run] = []
    between: set[str] = set()
    for one in below:
        names = {each.name for each in _own(one)}
        if one.outcome == "passed" and between <= names:
            found.append(one)
        elif one.outcome == "died":
            between |= names
    return found


def which_run(heading: re.Match[str]) -> str:
    """What a heading calls its run, in lower case."""
    return (heading["which"] or heading["said"] or heading["job"]).lower()


def _runs(lines: Lines) -> tuple[Lines, list[_Run]]:
    """The lines before the first run, and the runs; none where two have the same heading."""
    headed = [(at, found) for at, (_, line) in enumerate(lines) if (found := HEADING.match(line))]
    named = {which_run(found) for _, found in headed}
    if not headed or len(named) < len(headed):
        return lines, []
    ends = [*(at for at, _ in headed[1:]), len(lines)]
    parts = [lines[at:end] for (at, _), end in zip(headed, ends, strict=True)]
    outcomes = [_outcome(part) for part in parts]
    last = len(parts[-1]) - _closing(parts[-1])
    outside = [*lines[: headed[0][0]], *parts[-1][last:]]
    parts[-1] = parts[-1][:last]
    jobs = [frozenset(jobs_in(part)) for part in parts]
    return outside, [*map(_Run, parts, jobs, outcomes)]


def _closing(lines: Lines) -> int:
    """How many of the last lines of the last run are paragraphs below what was pasted of it.

    What somebody says there by the way is of all runs.
    """
    pasted = [at for at, (_, line) in enumerate(lines) if _PASTED.match(line) or is_of_a_log(line)]
    if not pasted:
        return 0
    rest = lines[pasted[-1] :]
    blank = next((at for at, (_, line) in enumerate(rest) if not line.strip()), len(rest))
    return 0 if any(map(_THAT_RUN.search, (line for _, line in rest))) else len(rest) - blank


def _outcome(lines: Lines) -> Outcome:
    text = "\n".join(line for _, line in lines)
    heading = lines[0][1]
    said = HEADING.match(heading)
    of_heading = outcome_of("tried", heading[said.end() :] if said is not None else "")
    if of_heading == "died" or _FAILED.search(text):
        return "died"
    passed = _PASSED.search(text)
    if passed is None or _DENIED.search(text[: passed.end()].rpartition("\n")[2]):
        return ""
    return "passed"
