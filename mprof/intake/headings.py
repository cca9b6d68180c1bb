"""The attempt of a log in somebody's text, by the line that stands above it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from mprof.intake.owners import LOGGED

__all__ = ["attempt_above", "named_by", "side_above"]

_LOOKED_BACK: Final = 60  # lines of a log above its error
_TASK_ID: Final = re.compile(r"Task Id : (attempt_\d+_\d+_[mr]_\d+_\d+), Status : FAILED\b")
# what a report and a log have below their heading
_OF_A_LOG: Final = re.compile(r"at [\w.$]+\(|\.\.\. |\.\.\.$|\[?\.\.\.\]?$|Error: |Caused by: ")
_END_OF_ID: Final = re.compile(r"(?<![a-z])([mr]_\d{3,9}_\d{1,4})(?!\w)")
_NUMBER: Final = re.compile(r"\b[Aa]ttempt (?:no\. |number |#)?_?(\d{1,3})\b")


def attempt_above(lines: Mapping[int, str], at: int, failed: Sequence[str]) -> str | None:
    """The failed attempt that the line above a log names; None where it is another line.

    It is what the command printed of the attempt, with no other line between, or a heading with its
    id, the end of its id (``m_000031_1``), or its number (``attempt _1``).

    Args:
        lines: of the text, by number.
        at: the number of a line of the log.
        failed: the attempts that failed.
    """
    for number in range(at - 1, max(at - _LOOKED_BACK, 0), -1):
        line = lines.get(number, "").strip(" \t>|")
        told = _TASK_ID.search(line)
        if told is not None:
            return told[1]
        if not line or _OF_A_LOG.match(line):
            continue
        if LOGGED.match(line):
            if " mapreduce.Job: " in line or " mapred.JobClient: " in line:
                return None  # of the command again
            continue
        return named_by(line, failed)
    return None


# "Reducer log:", "log of the reducers"
_SIDE: Final = re.compile(
    r"\W*(?:the |a |one )?(?:(?P<side>map|reduc)(?:per|er|e)?(?:'?s'?)?(?: task'?s?)? "
    r"(?:sys)?(?:log|stderr|stack|trace)s?|"
    r"(?:sys)?(?:log|stderr|stack|trace)s? of (?:the |a |one )?(?P<of>map|reduc)(?:per|er|e)?s?"
    r"(?: tasks?)?)\W*$",
    re.IGNORECASE,
)


def side_above(lines: Mapping[int, str], at: int) -> str | None:
    """The side whose log stands below a heading, ``Reducer log:``; None where it says none."""
    for number in range(at - 1, max(at - _LOOKED_BACK, 0), -1):
        line = lines.get(number, "").strip(" \t>|")
        if not line or _OF_A_LOG.match(line) or LOGGED.match(line):
            continue
        found = _SIDE.match(line)
        side = (found["side"] or found["of"]).lower() if found is not None else ""
        return {"map": "map", "reduc": "reduce"}.get(side)
    return None


def named_by(line: str, failed: Sequence[str]) -> str | None:
    """The one failed attempt that a line names, by its id or by what people leave of that."""
    by_id = [one for one in failed if one in line]
    by_end = [one for one in failed if one.split("_", 3)[3] in _END_OF_ID.findall(line)]
    by_number = [one for one in failed if one.rpartition("_")[2] in _NUMBER.findall(line)]
    named = by_id or by_end or by_number
    return named[0] if len(named) == 1 else None
