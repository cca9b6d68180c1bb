"""Tables of runs, whose head names properties or times, and whose rows have their values.

``| run | map.memory.mb | map.java.opts | result |``: a row says what its run had and how it ended.
``| property | before | after |``: a row says what a property was changed from and to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mprof.intake.sentences import Lines

__all__ = ["changes_in_tables", "overrides_in_tables", "rows_of_tables"]


_NAME: Final = re.compile(
    r"\W{0,3}(?:-D)?(?P<name>(?:mapreduce|mapred|yarn|hive|tez|spark|io\.sort)\.[\w.-]{2,80})\W{0,3}"
)
_BARS: Final = re.compile(r"\s*\|\s*")
_GAPS: Final = re.compile(r"\s{2,}|\t")
_VALUE: Final = re.compile(r"\d|^-X|^(?:true|false)$")
_RULE: Final = re.compile(r"[\s|:+=-]*")


def rows_of_tables(lines: Lines) -> Iterator[tuple[int, str]]:
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


_BEFORE: Final = re.compile(r"(?i)\W*(?:before|old|previous(?:ly)?|was|until then)\b[^|]{0,30}")
_AFTER: Final = re.compile(r"(?i)\W*(?:after|new|now|current(?:ly)?|since then)\b[^|]{0,30}")
_IN_BRACKETS: Final = re.compile(r"\s*\([^()]*\)\s*")
_ENDED_WELL: Final = re.compile(
    r"(?i)(?<!not )\b(?:solved|fixed|works|worked|solution|passe[sd]|went through|succeed\w*|"
    r"success\w*|no (?:more )?(?:failures|errors)|ok)\b"
)
_HEADED: Final = "It is set now:"
"""What stands in place of the head: the values below it are those of the last column."""


def changes_in_tables(lines: Lines) -> list[tuple[int, str]]:
    """The lines; each row of a table of before and after as a value that was another one.

    Where the table or what introduces it says that what came after went well, the death is not of
    that: such a table is left as it is.

    >>> text = ["||name||before||after||", "|mapreduce.task.io.sort.factor|10 (default)|64|"]
    >>> [line for _, line in changes_in_tables([*enumerate(text)])]
    ['It is set now:', '|mapreduce.task.io.sort.factor|64 (was 10)|']
    """
    changed = [*lines]
    for at, (number, line) in enumerate(lines):
        columns = _of_a_change(line)
        if columns is None:
            continue
        end = at + 1
        while end < len(lines) and lines[end][1].strip().startswith("|"):
            end += 1
        above = next((one for _, one in reversed(lines[:at]) if one.strip()), "")
        if any(map(_ENDED_WELL.search, (above, *(one for _, one in lines[at:end])))):
            continue
        changed[at] = number, _HEADED
        for row in range(at + 1, end):
            changed[row] = lines[row][0], _as_changed(lines[row][1], *columns)
    return changed


def _of_a_change(line: str) -> tuple[int, int] | None:
    """Which columns of a table have the values before a change and after it; None of no head."""
    if not line.strip().startswith("|"):
        return None
    cells = _cells(line.replace("||", "|"))
    before = [at for at, cell in enumerate(cells) if _BEFORE.fullmatch(cell)]
    after = [at for at, cell in enumerate(cells) if _AFTER.fullmatch(cell)]
    return (before[0], after[0]) if len(before) == len(after) == 1 else None


def _as_changed(row: str, before: int, after: int) -> str:
    cells = _cells(row)
    name = next((one["name"] for cell in cells if (one := _NAME.fullmatch(cell))), None)
    if name is None or len(cells) <= max(before, after):
        return "" if _RULE.fullmatch(row) else row
    was, now = (_IN_BRACKETS.sub("", cells[at]).strip("`* ") for at in (before, after))
    if not _VALUE.search(now):
        return ""
    return f"|{name}|{now} (was {was})|" if was and was != now else f"|{name}|{now}|"


_OF_FILES: Final = re.compile(
    r"(?i)[^|]{0,20}\b(?:\w+-site|site|cluster|defaults?|files?)\b[^|]{0,30}"
)
_OF_A_RUN: Final = re.compile(
    r"(?i)(?![^|]*\b(?:recommend\w*|suggest\w*|propos\w*|planned|should|better)\b)"
    r"[^|]{0,20}\b(?:session|override[sn]?|job|query|set)\b[^|]{0,30}"
)
_NO_VALUE: Final = re.compile(r"(?i)[\W_]*(?:(?:not |un)set|none|default|n/?a)?[\W_]*")


def overrides_in_tables(lines: Lines) -> Iterator[tuple[int, str]]:
    """The lines; each row of a table of files and of a session with the value that was in force.

    What a session, a job or a query sets goes before what the files of the cluster have.

    >>> text = ["| property | hive-site | my session |", "| hive.tez.container.size | 1 | **2** |"]
    >>> [line for _, line in overrides_in_tables([*enumerate(text)])][1]
    '|hive.tez.container.size|2|'
    """
    columns: tuple[int, int] | None = None
    for number, line in lines:
        cells = _cells(line) if line.strip().startswith("|") else []
        if not cells:
            columns = None
        elif columns is None:
            files = [at for at, cell in enumerate(cells) if _OF_FILES.fullmatch(cell)]
            runs = [at for at, cell in enumerate(cells) if _OF_A_RUN.fullmatch(cell)]
            named = any(map(_NAME.fullmatch, cells))
            is_head = len(files) == len(runs) == 1 and files != runs and not named
            columns = (files[0], runs[0]) if is_head else None
        elif len(cells) > max(columns) and _NAME.fullmatch(cells[0]) is not None:
            of_files, of_run = (_IN_BRACKETS.sub("", cells[at]).strip("`* ") for at in columns)
            value = of_files if _NO_VALUE.fullmatch(of_run) else of_run
            line = f"|{cells[0].strip('`* ')}|{value}|"
        yield number, line
