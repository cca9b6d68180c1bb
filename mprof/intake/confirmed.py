"""What somebody advised and another then confirmed: "That solved it!", "Works now, thanks".

In a thread the one who asks gives the values that a task died with, others give theirs, and the
thread ends with what came of one of these. Of which, decides where the confirmation stands: it is
of the last advice above it that gives values, or of the number that it repeats itself. Whoever
confirms for a job of their own ("the same for me") says nothing of this one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from mprof.history.deprecated import NEW_NAMES
from mprof.intake.sentences import Lines, begins_a_message, is_of_a_log
from mprof.intake.settings import stated_in
from mprof.intake.stated import WENT_THROUGH, Stated
from mprof.intake.values import as_hadoop_reads
from mprof.intake.voices import begins_of_entries, begins_of_voices

__all__ = ["confirmed"]

_Bounds = Sequence[tuple[int, int]]

_THANKS: Final = re.compile(r"(?i)\b(?:thanks|thank you|thx|many thanks)\b(?! in advance)")
_IT: Final = (
    r"(?:(?:that|this|it|which|(?:your|the|this) (?:\w+ )?(?:answer|solution|suggestion|hint|tip|"
    r"advice|comment|change|setting|fix)|changing (?:it|this|that))"
    r"(?:['\u2019]s| has| did| really| finally| indeed| actually| definitely| just){0,2} )"
)
_CONFIRMS: Final = re.compile(
    rf"(?i)\b{_IT}(?:(?:re)?solved|fixed|cured|helped|worked|works|did (?:it|the (?:trick|job))|"
    r"made it (?:work|run|pass|go through))\b|"
    r"^\W*done\b[,.:!;][^?]{0,80}?\b(?:finished|succeeded|completed|passed|went through)\b|"
    r"^\W*(?:(?:re)?solved|fixed)\b(?= (?:it|my|the|by|with|now|!|\.|thanks)|[!.,]|\W*$)|"
    r"\b(?:problem|issue) (?:is |was |has been )?(?:now )?(?:re)?solved\b|"
    r"\b(?:(?:it|job|query|everything|all) )?(?:now works|works now|runs now|now runs|"
    r"(?:both|all|every run|everything)(?: runs)? (?:(?:is|are|was|were) )?green|"
    r"is working now|works (?:fine|great|perfectly|like a charm)(?: now)?)\b"
)
_NOT_SO: Final = re.compile(
    r"(?i)\b(?:not|never|n['\u2019]t|no longer|hardly|unless|until|if|hop(?:e|es|ing)|should|would|"
    r"could|might|may|maybe|whether|neither|nothing|partly|partially|only)\b|n['\u2019]t\b"
)
_OF_ANOTHER: Final = re.compile(
    r"(?i)\b(?:too|as well|also|same (?:problem|issue|error|here)|in my case|had (?:this|the|a)|"
    r"for (?:me|us)(?! (?:now|too)?[,.!]? ?(?:thanks|thank))|for (?:others|some|many|most))\b"
)
_IS_A_COMMENT: Final = re.compile(r"(?i)[*\s>]{0,4}comment|\S.{0,80} added a comment")
_SENTENCES: Final = re.compile(r"(?<=[.!?;])\s+")
_NUMBER: Final = re.compile(
    r"(?<![\w.,/:-])(\d{3,12}|0?\.\d{1,3}|\d{1,4}[gGmM][bB]?)(?![\w%/:-]|[.,]\d)"
    # how many there were, or how long it took
    r"(?! (?:maps?|reduce\w*|tasks?|attempts?|executors?|stages?|failed|min\w*|hours?|rows|"
    r"lines)\b)"
)


def confirmed(lines: Lines) -> tuple[Stated, ...]:
    """The values of advice that a later voice says to have helped.

    Args:
        lines: of the whole text, each with its number, in order.
    """
    # the first mail, and the first entry of a ticket, is of who asks
    first = next((number for number, line in lines if line.strip()), 0)
    begins = sorted({*begins_of_voices(lines), *begins_of_entries(lines)[1:]} - {first})
    if not begins or not any(_CONFIRMS.search(line) or _THANKS.search(line) for _, line in lines):
        return ()
    given = stated_in(lines)
    bounds = [*pairwise([lines[0][0], *begins, lines[-1][0] + 1])]
    found: dict[tuple[str, str], Stated] = {}
    for one in (*_of_who_thanks(lines, given, bounds), *_of_advice(lines, given, bounds[1:])):
        found.setdefault((one.name, one.value), one)
    return tuple(found.values())


def _of_who_thanks(lines: Lines, given: Sequence[Stated], bounds: _Bounds) -> Iterator[Stated]:
    """What it went through with, as says who thanks: nobody thanks for their own advice."""
    for low, high in bounds:
        voice = "\n".join(line for number, line in lines if low <= number < high)
        if _THANKS.search(voice) and not _OF_ANOTHER.search(voice):
            yield from (one for one in given if low <= one.line < high and one.outcome == "passed")


_MOST_MESSAGES: Final = 5
"""Of a chat, from an advice to what confirms it: where more lie between, others have advised."""
_OF_WHAT_ELSE: Final = re.compile(r"(?i)\b(?:after|by|once|since) (?:we |I )?\w+(?:ing|ed)\b")


def _of_advice(lines: Lines, given: Sequence[Stated], answers: _Bounds) -> Iterator[Stated]:
    first_of = dict(lines)
    for number, line in lines:
        sentence = _confirmation_in(line) if number >= answers[0][0] else None
        if sentence is None:
            continue
        numbers = {*_NUMBER.findall(sentence)}
        above = [bound for bound in answers if bound[0] <= number]
        if begins_a_message(first_of[above[-1][0]]):
            above = above[-_MOST_MESSAGES:]
        for low, high in reversed(above):
            end = min(high, number)
            advice = " ".join(line for at, line in lines if low <= at < end)
            named = [one for one in given if low <= one.line < end]
            found = [*_repeated(numbers, advice, named, given)] or [*_only_values(named, numbers)]
            for name, value in found:
                yield Stated(name, value, number, why_not=WENT_THROUGH, outcome="passed")
            is_own = low <= number < high  # of who confirms, which gives nothing as a rule
            by_the_way = _IS_A_COMMENT.match(first_of[low]) or begins_a_message(first_of[low])
            if found or not (is_own or by_the_way):
                break


def _confirmation_in(line: str) -> str | None:
    """The sentence of a line that says that what was advised has helped."""
    if is_of_a_log(line.lstrip("> ")):  # quoted or not
        return None
    for one in _SENTENCES.split(line):
        found = _CONFIRMS.search(one)
        if found is None or one.rstrip().endswith("?"):
            continue
        of_else = begins_a_message(line) and _OF_WHAT_ELSE.search(one)
        if not (of_else or _NOT_SO.search(one[: found.end()]) or _OF_ANOTHER.search(line)):
            return line[line.find(one) :]
    return None


def _only_values(named: Sequence[Stated], numbers: set[str]) -> Iterator[tuple[str, str]]:
    """What the advice gives one value for; of a confirmation that gives others, nothing."""
    if numbers:
        return
    by_name: dict[str, set[str]] = {}
    for one in named:
        if not one.outcome:
            by_name.setdefault(NEW_NAMES.get(one.name, one.name), set()).add(one.value)
    yield from ((name, next(iter(one))) for name, one in by_name.items() if len(one) == 1)


def _repeated(
    numbers: set[str], advice: str, named: Sequence[Stated], given: Sequence[Stated]
) -> Iterator[tuple[str, str]]:
    """The number that advice and confirmation both give, with the property that the advice names.

    It may name that by the end of its name alone (`noconditionaltask.size`).
    """
    for number in numbers & {*_NUMBER.findall(advice)}:
        same = {(one.name, one.value) for one in named if one.value.endswith(number)}
        if same:
            yield from same if len(same) == 1 else ()
            continue
        ends = {one.name for one in given if _is_named(one.name, advice)}
        if len(ends) == 1:
            (name,) = ends
            value = as_hadoop_reads(name, number)
            if value is not None:
                yield name, value


_LEAST_END: Final = 8
"""Characters of the end of a name by which advice may call it; `mb` and `size` are too common."""


def _is_named(name: str, words: str) -> bool:
    ends = (name[at + 1 :] for at, letter in enumerate(name) if letter == ".")
    return any(
        re.search(rf"(?<![\w-]){re.escape(end)}(?![\w-]|\.\w)", words)
        for end in (name, *ends)
        if len(end) >= _LEAST_END and ("." in end or end == name)
    )
