"""Tables of runs, whose head names properties and whose rows have their values.

``| run | map.memory.mb | map.java.opts | result |``: a row says what its run had and how it ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

__all__ = ["rows_of_tables"]

_Lines = Sequence[tuple[int, str]]

_NAME: Final = re.compile(
    r"\W{0,3}(?:-D)?(?P<name>(?:mapreduce|mapred|yarn|hive|tez|spark|io\.sort)\.[\w.-]{2,80})\W{0,3}"
)
_BARS: Final = re.compile(r"\s*\|\s*")
_GAPS: Final = re.compile(r"\s{2,}|\t")
_VALUE: Final = re.compile(r"\d|^-X|^(?:true|false)$")
_RULE: Final = re.compile(r"[\s|:+=-]*")


def rows_of_tables(lines: _Lines) -> Iterator[tuple[int, str]]:
    """The lines; each row below a head with names of properties as a run with these settings.

    >>> text = ["| mapreduce.map.memory.mb | end |", "|---|---|", "| 1024 | killed |"]
    >>> [line for _, line in rows_of_tables([*enumerate(text)])][2]
    'run 1: mapreduce.map.memory.mb=1024 -> killed'
    """
    names: dict[int, str] = {}
    width = run = 0
    for number, line in lines:
        cells = _cells(line)
        if not names:
            head = {
                at: one["name"] for at, cell in enumerate(cells) if (one := _NAME.fullmatch(cell))
            }
            others = [cell for at, cell in enumerate(cells) if at not in head]
            if head and others and not any(map(_VALUE.search, others)):
                names, width, run = head, len(cells), 0
            yield number, line
        elif line.strip() and _RULE.fullmatch(line):
            yield number, line
        elif len(cells) != width or not any(_VALUE.search(cells[at]) for at in names):
            names = {}
            yield number, line
        else:
            run += 1
            values = " ".join(f"{name}={cells[at]}" for at, name in names.items() if cells[at])
            said = " ".join(cell for at, cell in enumerate(cells) if at > max(names))
            yield number, f"run {run}: {values} -> {said}"


def _cells(line: str) -> list[str]:
    line = line.strip()
    if line.startswith("|"):
        return _BARS.split(line.strip("| \t"))
    return _GAPS.split(line)
