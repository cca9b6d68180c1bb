"""An end that somebody tells in sentences alone: in which words, and whose it was.

"My reducers always fail with java heap space", "the container got killed, 1.4 GB of 1 GB used": no
log is there. How a log would say the same is what is read then, and reported as what the text says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from mprof.intake.sentences import is_of_a_log

__all__ = ["ToldEnd", "told_end"]

Side = Literal["map", "reduce"]


@dataclass(frozen=True, slots=True)
class ToldEnd:
    """An end in somebody's words.

    Attributes:
        as_logged: how a log would say it.
        line: that says it.
        side: the kind of task that the sentences around it name; None where they name none or both.
    """

    as_logged: str
    line: str
    side: Side | None


# what HotSpot says of a lack of memory; of "heap space error" the first, and of the error's name
# alone no more than that
_WORDS_OF_HOTSPOT: Final = (
    (re.compile(r"(?i)\b(?:java )?heap space\b"), "Error: Java heap space"),
    (re.compile(r"(?i)\bgc overhead limit\b"), "Error: GC overhead limit exceeded"),
    (re.compile(r"(?i)\bpermgen space\b"), "Error: PermGen space"),
    (re.compile(r"(?i)\bdirect buffer memory\b"), "Error: Direct buffer memory"),
    (
        re.compile(r"(?i)\bunable to create (?:new )?native thread"),
        "Error: unable to create native thread",
    ),
    (
        re.compile(
            r"(?<!On)OutOfMemory|(?i:\bout of memory (?:error|exception)s?\b|"
            r"\b(?:map(?:per)?s?|reduc(?:e|er|ers)|(?:map|reduce) tasks?)\b"
            r"(?:(?!not\b|never\b|n['\u2019]t\b|no longer\b)[^.;:!?]){0,40}?"
            r"\b(?:ran|runs?|running|went|goe?s?|going) out of memory\b)"
        ),
        "java.lang.OutOfMemoryError",
    ),
)
_DENIED: Final = re.compile(
    r"(?i)(?:\b(?:no|not|never|without|nor|avoid\w*|prevent\w*|kein\w*|nicht|n\u00e3o|nem|sem|"
    r"nenhum\w*|sin|ning\u00fan\w*|sans|aucun\w*)\b|n't\b|\u6ca1\u6709|\u6c92\u6709|\u4e0d\u662f)"
    r"[^.;:!?\u3002\uff1b]{0,40}$"
)
_SIZE: Final = r"(?P<{}>\d{{1,6}}(?:[.,]\d{{1,2}})?) ?(?P<{}_unit>[GM])(?:i?B|\b)"
_USED_OF_LIMIT: Final = re.compile(
    _SIZE.format("used", "used")
    + r"[\s\"'`,\uff0c]{0,3}(?:(?:used |were used |was used )?(?:out )?of(?: (?:the|its|a))?|"
    r"\uff0c?\u4e0a\u9650(?:\u662f|\u4e3a)?|(?:where )?(?:the )?limit (?:is|was)(?: of)?)"
    + r" ?[\"'`]?"
    + _SIZE.format("limit", "limit")
)
_KILLS: Final = re.compile(
    r"(?i)\b(?:kill(?:s|ed|ing)?|beyond|exceed(?:s|ed|ing)?|over (?:its|the) (?:memory )?limit)\b|"
    r"\u6740\u6389|\u8d85\u51fa|\u8d85\u8fc7"
)
_OF_A_CONTAINER: Final = re.compile(r"(?i)\b(?:containers?|yarn)\b")
_VIRTUAL: Final = re.compile(r"(?i)\b(?:virtual|vmem)\b")
_OF_SPARK: Final = re.compile(r"(?i)\bexecutors?\b|\bspark\b")
_SIDE: Final = re.compile(r"(?i)\b(?P<side>map|reduc)(?:pers?|ers?|e|es|s)?\b(?![.-]\w|\s?=)")
_ENDS: Final = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s*(?=\S)")


def told_end(lines: Sequence[str]) -> ToldEnd | None:
    """The end that sentences tell of; None where none does.

    >>> told = told_end(["My reducers always fail with java heap  space, why?"])
    >>> told.as_logged, told.side
    ('Error: Java heap space', 'reduce')
    >>> told_end(["It is not the usual Java heap space error."]) is None
    True
    >>> told_end(["A map container was killed, it had 1.4 GB of 1 GB."]).side
    'map'
    """
    paragraphs = [*_paragraphs(lines)]
    killed = (_killed(each) for each in paragraphs)
    found = next(filter(None, killed), None)
    return found or _of_hotspot(lines, paragraphs)


def _killed(paragraph: Sequence[str]) -> ToldEnd | None:
    """Two sizes, and that something was killed for the first being more than the second."""
    text = " ".join(" ".join(paragraph).split())
    for one in _USED_OF_LIMIT.finditer(text):
        used, limit = (
            float(one[name].replace(",", ".")) * (1024 if one[f"{name}_unit"] == "G" else 1)
            for name in ("used", "limit")
        )
        near = text[max(0, one.start() - _NEAR) : one.end() + _NEAR]
        if used < limit or not (_KILLS.search(near) and _OF_A_CONTAINER.search(near)):
            continue
        sizes = f"{one['used']} {one['used_unit']}B of {one['limit']} {one['limit_unit']}B"
        which = "virtual" if _VIRTUAL.search(near) else "physical"
        words = "killed by YARN for exceeding memory limits. "
        if not _OF_SPARK.search(near):
            words = f"is running beyond {which} memory limits. Current usage: "
        line = next((line for line in paragraph if one["used"] in line), paragraph[0])
        return ToldEnd(f"Container {words}{sizes} {which} memory used.", line.strip(), _side(near))
    return None


_NEAR: Final = 200  # characters of the sentences around two sizes


def _of_hotspot(lines: Sequence[str], paragraphs: Sequence[Sequence[str]]) -> ToldEnd | None:
    told = [(line, " ".join(line.split())) for line in lines if not is_of_a_log(line)]
    for pattern, as_logged in _WORDS_OF_HOTSPOT:
        for line, text in told:
            found = pattern.search(text)
            if found is not None and not _DENIED.search(text[: found.start()]):
                side = _side_of(pattern, [" ".join(one) for one in paragraphs])
                return ToldEnd(as_logged, line.strip(), side)
    return None


def _side_of(words: re.Pattern[str], paragraphs: Sequence[str]) -> Side | None:
    """The side that the sentences with these words name, or their paragraphs, or else the text."""
    having = [one for one in paragraphs if words.search(one)]
    sentences = [each for one in having for each in _ENDS.split(one) if words.search(each)]
    named = (_side(" ".join(each)) for each in (sentences, having, paragraphs) if each)
    return next(filter(None, named), None)


def _paragraphs(lines: Sequence[str]) -> Iterator[list[str]]:
    paragraph: list[str] = []
    for line in lines:
        if is_of_a_log(line) or not line.strip():
            if paragraph:
                yield paragraph
            paragraph = []
        else:
            paragraph.append(line)
    if paragraph:
        yield paragraph


def _side(text: str) -> Side | None:
    named = {one["side"].lower() for one in _SIDE.finditer(text)}
    if len(named) != 1:
        return None
    return "map" if named == {"map"} else "reduce"
