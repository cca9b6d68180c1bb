"""Values that a text gives by their numbers alone: back to 0.70, 10g/4096 passed, 0.30 was enough.

Each is of a property that the text has elsewhere by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mprof.history.deprecated import NEW_NAMES
from mprof.intake.outcomes import outcome_of
from mprof.intake.sentences import is_of_a_log
from mprof.intake.sides import CONTAINER_SIZE, XMX
from mprof.intake.stated import DIED_TOO, WENT_THROUGH, Row, Stated
from mprof.intake.values import ENGINES, QUOTE, VALUE, as_hadoop_reads

__all__ = ["BACK", "of_fractions", "of_pairs", "raised", "taken_back"]

# a value that somebody went back to, where it is one that a property had before
BACK: Final = re.compile(rf"(?i:\bback (?:at|to|on|with)) {QUOTE}{VALUE}")


def taken_back(rows: Sequence[Row], given: Sequence[Stated]) -> Iterator[Stated]:
    """What became of a run with the value that a property had before, which is given alone."""
    went_back = [(row, found) for row in rows if (found := BACK.search(row.line)) is not None]
    if not went_back:
        return
    changed = [one for one in given if one.was]
    for row, found in went_back:
        outcome = outcome_of(row.line[: found.end()], f"{row.line[found.end() :]} {row.behind}")
        for one in changed:
            value = as_hadoop_reads(one.name, found["value"])
            if value is not None and value == one.was and outcome == "passed":
                yield Stated(one.name, value, row.number, why_not=WENT_THROUGH, outcome=outcome)


# two numbers that went through, by which somebody calls what the text has with its name
_A_PAIR_PASSED: Final = re.compile(
    r"(?<![\w/.-])(?P<one>\d{1,6}[mMgG]?)\s?/\s?(?P<other>\d{1,6}[mMgG]?)(?![\w/.])"
    r"(?:\s(?:and|with|\+)\s\d{1,6}[mMgG]?)?(?i:\s*(?:->|=>|:|,|-)?\s*"
    r"(?:\d{1,4} (?:maps?|mappers?|tasks?|reducers?|containers?)[^.!?;,]{0,20}, )?"
    r"(?:(?:it|the job|job|then|now) ){0,2}"
    r"(?:finished|ran through|works|worked|went through|goes through|passe[sd]|succeeded|is fine|"
    r"was fine|runs fine|ran fine)\b(?! (?:for|until|if|when|only|not)\b))"
)


def of_pairs(rows: Sequence[Row], given: Sequence[Stated]) -> Iterator[Stated]:
    """What the numbers of a pair are of that went through: "with the same 10g/4096: passed".

    Each is of the only property that the text gives it for; beside a heap it is a container.
    """
    for row in rows:
        found = None if is_of_a_log(row.line) else _A_PAIR_PASSED.search(row.line)
        if found is None or row.line.rstrip().endswith("?"):
            continue
        named = []
        for number in (found["one"], found["other"]):
            same = {(one.name, one.value) for one in given if _in_mb(one.value) == _in_mb(number)}
            named.append({pair for pair in same if pair[1] == number} or same)
        heaps = [{pair for pair in pairs if XMX in pair[1]} for pairs in named]
        if heaps[0] and not heaps[1]:
            sizes = {pair for pair in named[1] if pair[0].endswith("memory.mb")}
            named = [heaps[0], sizes or {(CONTAINER_SIZE, str(_in_mb(found["other"])))}]
        if all(len(pairs) == 1 for pairs in named):
            for name, value in (*named[0], *named[1]):
                yield Stated(name, value, row.number, why_not=WENT_THROUGH, outcome="passed")


# shares of a heap, of a buffer or of a container: what no other kind of property has
_A_SHARE: Final = re.compile(
    rf"(?<![\w.\-/])({ENGINES}\.[\w.-]{{1,80}}(?:\.percent|[fF]raction|OverheadFactor))"
    r"(?![\w-]|\.\w)"
)
_A_FRACTION: Final = re.compile(
    r"(?<![\w.,:/-])(0?\.\d{1,3})(?![\w%]|[.,:/-]\w)"
    r"(?! ?(?:progress|of\b|[kmgt]i?b\b|s\b|secs?\b|seconds?\b|min|h\b|hours?\b|ms\b|x\b))"
)


def of_fractions(rows: Sequence[Row]) -> Iterator[Stated]:
    """What became of runs with a fraction, where the text names one property that takes one."""
    shares = {NEW_NAMES.get(name, name) for row in rows for name in _A_SHARE.findall(row.line)}
    if len(shares) != 1:
        return
    (name,) = shares
    for row in rows:
        if is_of_a_log(row.line) or BACK.search(row.line):
            continue
        named = [one.end() for one in _A_SHARE.finditer(row.line)]
        fractions = [*_A_FRACTION.finditer(row.line, named[-1] if named else 0)]
        for found in fractions[1 if named else 0 :]:  # of the first the name says more
            behind = f"{row.line[found.end() :]} {row.behind}"
            outcome = outcome_of(f"{row.above} {row.line[: found.end()]}", behind)
            if outcome in {"died", "passed"}:
                why_not = WENT_THROUGH if outcome == "passed" else DIED_TOO
                value = f"0{found[1]}" if found[1].startswith(".") else found[1]
                yield Stated(name, value, row.number, why_not=why_not, outcome=outcome)


_SIZED: Final = re.compile(rf"(?:{XMX})?(\d{{1,9}})([mMgG]?)[bB]?")


def _in_mb(value: str) -> int | None:
    """A size, in options that of the heap, in MB; None of anything else."""
    size = _SIZED.fullmatch(value.split(" ")[0])
    return None if size is None else int(size[1]) * (1024 if size[2] in {"g", "G"} else 1)


_LIMIT: Final = r"\b(?:ulimit|nproc|TasksMax|pids\.max|max user processes)\b"
_HIGHER_LIMIT: Final = re.compile(
    r"(?i)\b(?:increas\w+|rais\w+|higher|bump\w*|larger|bigger|more|doubl\w+|unlimited)\b"
    rf"[^.!?;]{{0,25}}?{_LIMIT}|{_LIMIT}[^.!?;]{{0,30}}?"
    r"\b(?:increased|raised|bumped|doubled|higher|unlimited)\b"
)
_LIMIT_OF_USER: Final = "ulimit -u"
_A_HIGHER_ONE: Final = "a higher one"


def raised(rows: Sequence[Row]) -> Iterator[Stated]:
    """A limit of processes that somebody raised, and that was met again."""
    for row in rows:
        found = _HIGHER_LIMIT.search(row.line)
        if found is None or is_of_a_log(row.line):
            continue
        behind = f"{row.line[found.end() :]} {row.behind}"
        if outcome_of(row.line[: found.end()], behind) == "died":
            yield Stated(
                _LIMIT_OF_USER, _A_HIGHER_ONE, row.number, why_not=DIED_TOO, outcome="died"
            )
