"""Ends that are known by their words alone, each a row of a table.

An entry speaks where its words stand in what an end was told from, and nothing else told of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from mprof.evidence import Evidence
from mprof.messages.message import Message, Reading, SaidSetting, Source
from mprof.messages.said import Where, where_of

__all__ = ["MEMORY_IS_NOT_IT", "PAGE", "KnownEnd", "SaidOfEnd", "message_of", "quoted"]

MEMORY_IS_NOT_IT: Final = "Anything about memory: no end of this kind comes from a lack of it."

PAGE: Final = """\
{first}

What it means
    {means}

What it does not prove
    {not_proven}

What to change
    {change}

What would tell more
    {more}"""


class SaidOfEnd(NamedTuple):
    """What the words say, and what would tell more where that is not the entry's own."""

    sentence: str
    next_step: str = ""


Says = Callable[[re.Match[str], str], SaidOfEnd]
"""By where the words were found, and the text around."""
Adds = Callable[[Evidence, str], tuple[str, tuple[SaidSetting, ...]]]
"""What settings and frames at hand say beside the words, and what to change."""


@dataclass(frozen=True, slots=True)
class KnownEnd:
    """An entry that speaks where its words stand in what an end was told from.

    Attributes:
        id: of the page.
        title: in a few words.
        words: a pattern; the class of an error stands in it as well as its message.
        says: what they say here.
        first: sentence of the page.
        means: how such an end comes about.
        not_proven: by these words.
        change: where something can be.
        more: what would tell more, as the page says it.
        next_step: the same in a few words.
        sources: where the words are from.
        engine: a pattern for words of the engine that alone means this by them; "" where they say
            enough.
        next_step_of_a_pod: the next step where the text is of Kubernetes; "" where it is the same.
        next_step_of_one_jvm: the next step in local mode of Spark; "" where it is the same.
        says_in: what they say where it is not the same everywhere.
        adds: what settings and frames say beside the words; None where none do.
        fuller: a pattern for the words with all that they may tell, which is looked for first; ""
            where they tell no more.
    """

    id: str
    title: str
    words: str
    says: Says
    first: str
    means: str
    not_proven: str
    change: str
    more: str
    next_step: str
    sources: tuple[Source, ...]
    engine: str = ""
    next_step_of_a_pod: str = ""
    next_step_of_one_jvm: str = ""
    says_in: Mapping[Where, Says] = field(default_factory=dict)
    adds: Adds | None = None
    fuller: str = ""

    def found_in(self, text: str, around: str = "") -> re.Match[str] | None:
        """Where the words stand in a text; None where nothing beside them is of its engine."""
        found = re.search(self.fuller, text) if self.fuller else None
        found = found or re.search(self.words, text)
        of_engine = re.search(self.engine, f"{text}\n{around}") is not None
        return found if of_engine else None

    def says_where(self, where: Where | None) -> Says:
        """What they say where it ran."""
        return self.says if where is None else self.says_in.get(where, self.says)


def message_of(end: KnownEnd) -> Message:
    """The entry of the table that speaks by a row's words."""

    def reads(evidence: Evidence) -> Reading | None:
        death = evidence.death
        # an error of memory that code made itself may quote what really failed, such as a disk
        if death.kind not in ("not-memory", "application-master", "application-made"):
            return None
        text = "\n".join((death.evidence, death.message or "", *death.chain))
        program = death.program.title if death.program is not None else ""
        frames = (one.class_name for one in death.stack)
        found = end.found_in(text, "\n".join((program, *frames)))
        if found is None:
            return None
        sentence, next_step = end.says_where(where_of(evidence))(found, text)
        line = quoted(found, text)
        line = line if line.endswith("...") else line.rstrip(". ")
        is_local = death.program is not None and death.program.id == "spark-local"
        step = end.next_step_of_a_pod if death.in_pod else ""
        step = (end.next_step_of_one_jvm if is_local else step) or end.next_step
        more, settings = end.adds(evidence, text) if end.adds is not None else ("", ())
        said = " ".join(filter(None, (sentence, more, f"The message was: {line}.")))
        return Reading(said, "proves", next_step or step, settings)

    page = PAGE.format(
        first=end.first,
        means=end.means,
        not_proven=end.not_proven,
        change=end.change,
        more=end.more,
    )
    return Message(end.id, end.title, reads, end.sources, page)


def quoted(found: re.Match[str], text: str) -> str:
    """The line that the words stand in; of a long one its beginning, and the part around them.

    The words themselves are kept whole: the numbers that decide stand at their end.
    What stands on both sides of an arrow is kept together: one of them alone would mislead.
    """
    begin = text.rfind("\n", 0, found.start()) + 1
    stop = text.find("\n", found.end())
    line = text[begin : stop if stop >= 0 else len(text)]
    at = found.start() - begin
    if at < _MOST_QUOTED:
        return _cut(line, max(_MOST_QUOTED, at + _AROUND, found.end() - begin + _PLACE))
    pair = _PAIR.search(line, 0, at)
    first = _cut(line, max(_AROUND, pair.end() if pair and pair.start() < _AROUND else 0))
    rest = line.find(" ", at - _AROUND, at) + 1 or at
    of_words = found.end() - begin - rest + _PLACE
    return f"{first.removesuffix(' ...')} ... {_cut(line[rest:], max(_MOST_QUOTED, of_words))}"


def _cut(line: str, most: int) -> str:
    """The line, of a long one as many words as fit."""
    words = " ".join(line.split())
    if len(words) <= most:
        return words
    return f"{words[: most + 1].rpartition(' ')[0] or words[:most]} ..."


_MOST_QUOTED: Final = 240
_AROUND: Final = 120
_PLACE: Final = 40  # the file and the line that stand behind what was read there
_PAIR: Final = re.compile(r"\S{1,300} (?:-->|->|=>) \S{1,300}")
