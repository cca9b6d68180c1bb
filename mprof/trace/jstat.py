"""What ``jstat -gcutil`` printed of a JVM, as people paste it beside the end of a task, or say it.

A heading names the columns, and each row is one look: ``O`` is the share of the old generation in
use, ``FGC`` counts the full collections since the start of the JVM, ``FGCT`` their seconds. The
command names the process and the time between two looks.

https://docs.oracle.com/en/java/javase/17/docs/specs/man/jstat.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["Jstat", "jstat_in"]

_COMMAND: Final = re.compile(
    r"\bjstat(?: +-\w+)* +-gc\w*(?: +-\w+)* +(?P<pid>\d{1,10})"
    r"(?: +(?P<every>\d{1,9})(?P<unit>ms|s)?)?\b"
)
_HEADING: Final = re.compile(r"\s*(?:Timestamp\s+)?S0\s+S1\s+E\s+O\s.*\bFGC\s+FGCT\b")
# "jstat -gcutil shows E 61 %, O 9 %"
_IN_WORDS: Final = re.compile(r"\bjstat\b.{0,60}?\bO\s?[=:]?\s?(\d{1,3}(?:\.\d+)?)\s?%")
_NUMBER: Final = re.compile(r"\d{1,12}(?:\.\d{1,6})?")
_MILLIS: Final = 1000


@dataclass(frozen=True, slots=True)
class Jstat:
    """Some looks at one JVM, one after the other.

    Attributes:
        pid: of the process; None where no command above names it.
        least_old: share of the old generation in use, in percent.
        most_old: the same.
        collections: full ones between the first look and the last.
        collecting_s: which they took.
        seconds: from the first look to the last; None where nothing says.
    """

    pid: int | None
    least_old: float
    most_old: float
    collections: int
    collecting_s: float
    seconds: float | None


def jstat_in(lines: Sequence[str]) -> Iterator[Jstat]:
    """Every series of looks in a text.

    >>> [one] = jstat_in(["$ jstat -gcutil 77 5s", " S0 S1 E O P YGC YGCT FGC FGCT GCT",
    ...                   "0.0 0.0 9.0 98.5 60.0 3 0.1 7 20.5 20.6",
    ...                   "0.0 0.0 9.0 98.7 60.0 3 0.1 9 25.0 25.1"])
    >>> one.pid, one.most_old, one.collections, one.collecting_s, one.seconds
    (77, 98.7, 2, 4.5, 5.0)
    """
    command: re.Match[str] | None = None
    columns: list[str] = []
    rows: list[dict[str, float]] = []
    for line in (*lines, ""):
        values = line.split()
        is_row = bool(columns) and len(values) == len(columns) and any(map(_is_number, values))
        if is_row:
            read = zip(columns, values, strict=True)
            rows.append({name: float(one) for name, one in read if _is_number(one)})
            continue
        if rows:
            yield from _of_rows(rows, command)
            columns, rows, command = [], [], None
        if said := _IN_WORDS.search(line):
            old = float(said[1])
            yield Jstat(None, old, old, 0, 0.0, None)
        command = _COMMAND.search(line) or command
        columns = values if _HEADING.match(line) else columns


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def _of_rows(rows: Sequence[dict[str, float]], command: re.Match[str] | None) -> Iterator[Jstat]:
    if not all({"O", "FGC", "FGCT"} <= {*row} for row in rows):
        return
    first, last = rows[0], rows[-1]
    seconds = None
    if "Timestamp" in first and "Timestamp" in last:
        seconds = last["Timestamp"] - first["Timestamp"]
    elif command is not None and command["every"]:
        each = int(command["every"]) / (1 if command["unit"] == "s" else _MILLIS)
        seconds = each * (len(rows) - 1)
    yield Jstat(
        int(command["pid"]) if command is not None else None,
        min(row["O"] for row in rows),
        max(row["O"] for row in rows),
        int(last["FGC"] - first["FGC"]),
        round(last["FGCT"] - first["FGCT"], 3),
        seconds,
    )
