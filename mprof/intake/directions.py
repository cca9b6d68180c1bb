"""Remedies without a value: "increase mapreduce.map.memory.mb", "a larger spark.driver.memory".

The words are repeated as the text's own. A sentence counts that asks to change a property, or says
that the change has helped; one that tells of what was done says nothing of what came of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from mprof.history.deprecated import NEW_NAMES
from mprof.intake.rows import SENTENCES
from mprof.intake.sentences import is_of_a_log
from mprof.intake.values import NAME, QUOTE, WHOLE

__all__ = ["Direction", "directions_in"]


@dataclass(frozen=True, slots=True)
class Direction:
    """A property that a text asks to change, and which way.

    Attributes:
        name: the newest name of the property.
        is_up: whether it is to become larger.
        called: its name in the text.
    """

    name: str
    is_up: bool
    called: str


_UP: Final = (
    r"(?:increas(?:e|ing)|rais(?:e|ing)|enlarg(?:e|ing)|boost(?:ing)?|bump(?:ing)?(?: up)?|"
    r"turn(?:ing)? up|larger|higher|bigger|greater)"
)
_DOWN: Final = (
    r"(?:decreas(?:e|ing)|lower(?:ing)?|reduc(?:e|ing)|shrink(?:ing)?|turn(?:ing)? down|smaller)"
)
_WENT_UP: Final = r"(?:increased|raised|enlarged|boosted|bumped)"
_WENT_DOWN: Final = r"(?:decreased|lowered|reduced|shrunk)"
_ASKS: Final = re.compile(
    # Spark's own words in a log
    rf"(?i)(?<!Consider )\b(?:{_UP}|(?P<down>{_DOWN})|"
    rf"(?P<went_up>{_WENT_UP})|(?P<went_down>{_WENT_DOWN}))\s"
    rf"(?:[\w'()/,-]+:?\s){{0,9}}?\(?(?={QUOTE}{WHOLE})"
)
# the names, and behind them that the value is to be another
_ANOTHER_VALUE: Final = re.compile(
    r"(?i)^[^.!?;:=]{0,40}?\b(?:larger|higher|bigger|greater|(?P<down>smaller|lower)) values?\b"
)
_ONE: Final = re.compile(
    rf"{QUOTE}(?P<name>{WHOLE}){QUOTE}"
    rf"(?P<value>\s?(?:=|:=|:(?=\s?\d)|\s(?:to|from|as|of|is|was|at|by)\s)\s?\S)?"
)
_NAMED: Final = re.compile(rf"(?P<name>{WHOLE})")
_NEXT: Final = re.compile(
    rf"\s?(?:,|/|&|and|or|and/or|,\s?and|,\s?or)\s(?:the\s)?(?={QUOTE}{NAME})"
)
# what introduces a list of names, and one of these
_LISTS: Final = re.compile(rf"(?i)\b(?:{_UP}|(?P<down>{_DOWN}))\b[^.!?:]{{0,80}}:\s*$")
_ITEM: Final = re.compile(
    rf"\s*(?:[*+\u2022-]\s+|\d{{1,2}}[.)]\s+)?{QUOTE}(?P<name>{WHOLE}){QUOTE}\W{{0,3}}$"
)
_SOLVES: Final = re.compile(r"(?i)\b(?:solv|fix|resolv|help|did the (?:job|trick)|works? now)\w*")
# told of what was done, denied, asked or only compared
_NOT_SO: Final = re.compile(
    r"(?i)\?\s*$|\b(?:tried|already|not|never|without|instead of|rather than|avoid\w*|even|still|"
    r"although|whether|if (?:I|we)|no (?:use|help|difference|need)|in vain|useless|only (?:delay|"
    r"postpone)s?)\b|n['\u2019]t\b"
)


def directions_in(lines: Iterable[tuple[int, str]]) -> tuple[Direction, ...]:
    """What the lines of a text ask to change without a value, each property once.

    One that is to go up here and down there is left out.

    Args:
        lines: each with its number.

    >>> directions_in([(1, "Try to increase mapreduce.map.memory.mb.")])
    (Direction(name='mapreduce.map.memory.mb', is_up=True, called='mapreduce.map.memory.mb'),)
    >>> directions_in([(1, "We increased mapreduce.map.memory.mb, and it died again.")])
    ()
    """
    found: dict[str, set[Direction]] = {}
    listed: bool | None = None
    for _, line in lines:
        if not line.strip():
            continue
        if listed is not None and (item := _ITEM.match(line)) is not None:
            of_list = _direction(item["name"], is_up=listed)
            found.setdefault(of_list.name, set()).add(of_list)
            continue
        lists = _LISTS.search(line)
        listed = None if lists is None or _NOT_SO.search(line) else lists["down"] is None
        if is_of_a_log(line):
            continue
        for sentence in SENTENCES.split(line):
            for one in _in_sentence(sentence):
                found.setdefault(one.name, set()).add(one)
    one_way = (ones for ones in found.values() if len({one.is_up for one in ones}) == 1)
    return tuple(min(ones, key=lambda one: one.called) for ones in one_way)


def _direction(called: str, *, is_up: bool) -> Direction:
    return Direction(NEW_NAMES.get(called, called), is_up, called)


def _in_sentence(sentence: str) -> Iterator[Direction]:
    if _NOT_SO.search(sentence):
        return
    named = [*_NAMED.finditer(sentence)]
    behind = _ANOTHER_VALUE.match(sentence[named[-1].end() :]) if named else None
    if behind is not None:
        yield from (_direction(one["name"], is_up=behind["down"] is None) for one in named)
        return
    for asked in _ASKS.finditer(sentence):
        is_done = asked["went_up"] or asked["went_down"]
        if is_done and not _SOLVES.search(sentence):
            continue
        is_up = not (asked["down"] or asked["went_down"])
        at: int | None = asked.end()
        while at is not None:
            one = _ONE.match(sentence, at)
            if one is None:
                break
            if one["value"] is None:
                yield _direction(one["name"], is_up=is_up)
            further = _NEXT.match(sentence, one.end("name"))
            at = further.end() if further is not None else None
