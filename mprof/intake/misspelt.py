"""Sizes that are set under a name which is that of no property, but near to one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mprof.history.deprecated import NEW_NAMES
from mprof.intake.forms import MAY_STATE
from mprof.intake.rows import LOGGED
from mprof.intake.stated import Row, Stated
from mprof.intake.values import ENGINES, VALUE

__all__ = ["meant_by", "misspelt"]

_SIZES: Final = (
    "mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb", "mapreduce.map.java.opts",
    "mapreduce.reduce.java.opts", "mapred.child.java.opts", "mapreduce.task.io.sort.mb",
    "yarn.app.mapreduce.am.resource.mb", "yarn.app.mapreduce.am.command-opts",
    "hive.tez.container.size", "hive.tez.java.opts", "tez.am.resource.memory.mb",
    "mapred.map.child.java.opts", "mapred.reduce.child.java.opts", "spark.executor.memory",
    "spark.driver.memory", "spark.executor.memoryOverhead", "spark.driver.memoryOverhead",
    "spark.yarn.executor.memoryOverhead", "spark.yarn.driver.memoryOverhead",
)  # fmt: skip
"""What people set a size by, and may misspell."""

_LIKE_THEM: Final = frozenset({
    *_SIZES, *NEW_NAMES, *NEW_NAMES.values(), "tez.task.resource.memory.mb",
})  # fmt: skip
"""Names near those that are properties as well."""

_A_PAIR: Final = re.compile(
    rf"(?:(?<=-D)|(?<![\w.\-/]))(?P<name>{ENGINES}\.[\w-]{{1,30}}(?:\.[\w-]{{1,30}}){{1,6}})"
    rf"[\"'`]?\s?(?:=|,|</name>\s*<value>)\s?[\"']?{VALUE}"
)


def misspelt(rows: Sequence[Row]) -> Iterator[Stated]:
    """Sizes that are set under a name which differs from that of a property by a letter or two."""
    for row in rows:
        if MAY_STATE.search(row.line) is None or LOGGED.match(row.line):
            continue
        for found in _A_PAIR.finditer(row.line):
            if meant_by(found["name"]) is not None:
                yield Stated(found["name"], found["value"], row.number)


def meant_by(name: str) -> str | None:
    """The property that was meant by a name which is none; None of one that may be one."""
    if name in _LIKE_THEM:
        return None
    return next((one for one in _SIZES if _differs_little(name, one)), None)


_FEW: Final = 2


def _differs_little(name: str, other: str) -> bool:
    """Whether one becomes the other by few letters that are left out, added or changed.

    By difflib's ratio `mapreduce.map.memory` would be nearer to a name than two wrong letters are.
    """
    if abs(len(name) - len(other)) > _FEW or name[0] != other[0]:
        return False
    row: list[int] = [*range(len(other) + 1)]
    for at, letter in enumerate(name, 1):
        last = row
        row = [at]
        for to, wanted in enumerate(other, 1):
            row.append(min(last[to] + 1, row[-1] + 1, last[to - 1] + (letter != wanted)))
        if min(row) > _FEW:
            return False
    return row[-1] <= _FEW
