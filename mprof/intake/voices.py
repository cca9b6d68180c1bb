"""A text in which several people speak: the lines of the first of them that tells of an end.

A page of questions and answers, a thread of mails and the comments below a report hold one
person's death, and the advice, the values and the deaths of others. The words by which such pages
separate them:

- StackExchange: ``asked Mar 3, 2014 at 10:00`` below the question, ``2 Answers`` above the rest;
- mails: ``On Mon, Mar 3, 2014, NAME wrote:``, ``-----Original Message-----``, ``From: NAME``;
- JIRA, GitHub, forums: ``NAME added a comment``, ``NAME commented on``, ``NAME · comment ·``,
  ``Reply``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import Final

from mprof.intake.sentences import begins_a_message, is_of_a_log
from mprof.trace import Excerpt

__all__ = [
    "begins_of_entries", "begins_of_voices", "heads_trials", "speak_several", "voices_of",
    "without_trials",
]  # fmt: skip

_HEADS: Final = r"(?:Answers?|Repl(?:y|ies)|Responses?|Comments?)"  # Hive itself says Solution:
_SPEAKS: Final = re.compile(
    # a heading by itself: 2 Answers, ## Accepted answer, Reply from NAME:
    r"[#*=\-\s\d]{0,8}(?i:(?:accepted|best|top|suggested|other|all) solutions?|"
    rf"(?:(?:accepted|best|top|suggested|other|all) )?{_HEADS})"
    r"(?: #?\d{1,3}| (?:by|from) \S.{0,60})?[ \t:*#=\-().\d]{0,8}$|"
    # and one with the first words behind it: Answer 2 (14, accepted): Switch it off
    rf"[*\s>]{{0,4}}(?:A|Ans|{_HEADS}|(?i:(?:accepted|best|top) answer|answer|comment|reply))"
    r"(?: ?#?\d{1,3})?(?: (?:by|from) \S{1,30})?(?: ?\([^()]{1,40}\))?"
    r"(?:[* ]{0,3}:|\*{2}) {0,3}\S|"
    r"asked (?:[A-Z][a-z]{2} \d|on \w|\d)|answered (?:[A-Z][a-z]{2} \d|on \w|\d)|"
    r"\S.{0,60} · (?:description|comment|review thread) · \d{4}-|"
    r"(?i:share ?\|? ?(?:improve|edit|cite) |improve this (?:question|answer))|"
    r"\S.{0,80} (?:added a comment|commented (?:on \w|[A-Z][a-z]{2} \d|\d))|"
    r"[> ]*On \S.{4,120} wrote:\s*$|[> ]*-{3,} ?(?:Original|Forwarded) [Mm]essage|"
    r"[> ]*From: \S.{0,100}(?:@|\[mailto:|\sDate: )|\S.{0,60} (?:wrote|replied):\s*$|"
    # of a forum: #3 name, 2 Aug 2016 13:31
    r"#\d{1,3}[ :.)]{1,2}\S.{1,40}?[ ,(|\u00b7\u2013\u2014-]{1,4}[^\n]{0,20}?\b\d{1,2}:\d\d\b"
)
_SPEAKER: Final = re.compile(
    r"#\d{1,3}[ :.)]{1,2}(?P<number>[\w.@-]{2,40})\b|"
    r"\W{0,4}(?P<says>[\w.@-]{2,40}(?: [\w.@-]{1,40}){0,2}) (?:added a comment|commented|wrote)\b|"
    r"\W{0,4}(?:Reporter|Author|Posted by|(?:opened|asked) by):? "
    r"(?P<asks>[\w.@-]{2,40}(?: [A-Z][\w.-]{1,40})?)"
)
_MAY: Final = re.compile(
    r"(?i)answer|repl(?:y|ies)|respon|comment|solution|asked|wrote|"
    r"improve|message|from:|^#\d|^[*>\s]*A ?#?\d*[* ]*:|ans[* ]*:"
)
"""A line without it is no such word; to look for it takes a tenth of the time."""


_TITLE: Final = 5  # lines, with what a page puts between a title and who asked
_OF_WHO_ASKS: Final = re.compile(
    r"(?i)\W{0,4}(?:asked |1[ :.)]|.{0,80} (?:asked|opened|commented))"
)
# what a page writes above all answers: nobody behind it has asked
_ANSWERS: Final = re.compile(r"[#*=\-\s]{0,8}\d{1,3} (?:Answers?|Repl(?:y|ies)|Responses?)\s*$")
_MOST_VOICES: Final = 100


# what introduces a list of what was tried, or an error of others, by itself in its line
_TRIALS: Final = re.compile(
    r"(?i)[#*=\s]{0,6}(?:(?:here is |this is )?(?:what|things|stuff|settings) )?"
    r"(?:(?:I|we)(?:['\u2019]ve| have)? )?(?:already |also )?"
    r"tried(?: (?:so far|already|until now))?"
    r"[\s*]{0,3}[:.]?[\s*]{0,3}$|"
    # an error that is shown for contrast alone
    r"[^.!?\n]{0,80}\b(?:different from|not (?:the same as|to be confused with)|unlike)"
    r"(?: (?:the|this|that) (?:one|error|following|next))?\s?:\s*$"
)


def heads_trials(line: str) -> bool:
    """Whether a line introduces what somebody tried, or an error that is shown for contrast."""
    return _TRIALS.match(line) is not None


def without_trials(excerpt: Excerpt, tells: Callable[[Excerpt], bool]) -> Excerpt:
    """The text without the list of what was tried, where the rest tells of an end.

    Ends in that list are of runs after the one that is asked about. It reaches down to a blank
    line; blank lines stand in its place.
    """
    lines = [*excerpt.numbered()]
    begins = [at for at, (_, line) in enumerate(lines) if heads_trials(line)]
    if not begins:
        return excerpt
    listed: set[int] = set()
    for begin in begins:
        end = next((at for at in range(begin + 2, len(lines)) if not lines[at][1].strip()), None)
        listed |= {number for number, _ in lines[begin + 1 : end]}
    rest = _blank(excerpt, lambda at: at in listed)
    return rest if tells(rest) else excerpt


def _blank(excerpt: Excerpt, is_left_out: Callable[[int], bool]) -> Excerpt:
    """The same lines with blank ones in place of some, by their numbers."""
    parts = tuple(
        (
            first,
            tuple("" if is_left_out(at) else line for at, line in enumerate(part, start=first)),
        )
        for first, part in excerpt.parts
    )
    return replace(excerpt, parts=parts)


def begins_of_voices(lines: Iterable[tuple[int, str]]) -> list[int]:
    """The numbers of the lines in which another person begins to speak.

    Below a title alone such a line is of whoever asks.
    """
    begins: list[int] = []
    above, is_title = 0, True
    for number, line in lines:
        if not line.strip():
            continue
        begin = _MAY.search(line) is not None and _SPEAKS.match(line) is not None
        is_title = is_title and above < _TITLE and not is_of_a_log(line)
        if begin and not (is_title and _OF_WHO_ASKS.match(line)):
            begins.append(number)
        above += 1
    return begins


# the head of a mail, of a comment (in Chinese, too), of an entry of a ticket: [03/02 10:25 - ann]
_HEADS_AN_ENTRY: Final = re.compile(
    r"(?:From: |\S.{0,60} wrote:\s*$|(?i:comment|kommentar|commentaire|\u8bc4\u8bba)\s?#?\d|"
    r"\[\d\d?[/.]\d\d?(?:[/.]\d{2,4})? \d\d?:\d\d \W? ?[A-Z])"
)
_FEWEST_ENTRIES: Final = 2


def begins_of_entries(lines: Sequence[tuple[int, str]]) -> list[int]:
    """The numbers of the lines that head a mail, a comment, an entry of a ticket, a message."""
    return [
        number for number, line in lines if _HEADS_AN_ENTRY.match(line) or begins_a_message(line)
    ]


def speak_several(lines: Sequence[tuple[int, str]]) -> bool:
    """Whether several people speak in a text: in a thread, a chat, mails or a ticket.

    >>> speak_several([(1, "[09:12] ann: try X=4"), (2, "[09:14] bo: that is never read")])
    True
    """
    return len(begins_of_entries(lines)) >= _FEWEST_ENTRIES or bool(begins_of_voices(lines))


def voices_of(excerpt: Excerpt, tells: Callable[[Excerpt], bool]) -> tuple[Excerpt, int | None]:
    """What the first who tells of an end wrote, and the line where another begins to tell of one.

    Args:
        excerpt: the text.
        tells: whether a part of it tells of an end.
    """
    begins = begins_of_voices(excerpt.numbered())
    if not begins:
        return excerpt, None
    answers = next((n for n, line in excerpt.numbered() if _ANSWERS.match(line)), None)
    bounds = [0, *begins[:_MOST_VOICES], excerpt.lines + 1]
    telling = [(low, high) for low, high in pairwise(bounds) if tells(excerpt.between(low, high))]
    if not telling:
        return excerpt, None
    if answers is not None and telling[0][0] >= answers:
        asked = excerpt.between(0, answers)
        if any(map(str.strip, asked.all_lines())):
            return asked, telling[0][0]
    first = _with_own_words(excerpt, telling[0], [*pairwise(bounds)])
    ends = _named_in(first)
    # who names nothing else tells of the same end
    others = (low for low, high in telling[1:] if not _are_all(excerpt.between(low, high), ends))
    return first, next(others, None)


def _with_own_words(
    excerpt: Excerpt, own: tuple[int, int], voices: Sequence[tuple[int, int]]
) -> Excerpt:
    """What one voice wrote, with what the same person says further down; other lines are blank."""
    first = excerpt.between(*own)
    who = _speaker(first, within=_TITLE if own[0] == 0 else 1)
    others = [one for one in voices if one > own]
    later = [one for one in others if who and _speaker(excerpt.between(*one)) == who]
    if own[0] == 0:  # who asks adds to the question, whoever has spoken in between
        updates = (_update_in(excerpt.between(*one), one) for one in others if one not in later)
        later = sorted([*later, *filter(None, updates)])
    if not later:
        return first
    whole = excerpt.between(own[0], later[-1][1])
    return _blank(whole, lambda at: not any(low <= at < high for low, high in (own, *later)))


# by itself below a blank line: **Update:** it finished; whoever comments edits a comment
_UPDATE: Final = re.compile(
    r"[#*_ ]{0,6}(?:UPDATE|Update)(?: ?#?\d)?[*_ ]{0,3}:(?![^\n]*\b(?:mine|my own|same here)\b)"
)


def _update_in(voice: Excerpt, bounds: tuple[int, int]) -> tuple[int, int] | None:
    """From where on a voice is an update of the question; None where none stands in it."""
    above = ""
    for number, line in voice.numbered():
        if _UPDATE.match(line) and not above.strip() and number > bounds[0]:
            return number, bounds[1]
        above = line
    return None


def _speaker(voice: Excerpt, within: int = 1) -> str:
    """The name in the line in which a voice begins to speak, or in one of its first; else ""."""
    heads = islice(filter(str.strip, voice.all_lines()), within)
    found = next(filter(None, map(_SPEAKER.match, heads)), None)
    return "" if found is None else found["number"] or found["says"] or found["asks"]


_ID: Final = re.compile(r"\b(?:container|attempt|task)_(?:e\d{1,5}_)?\d{10,14}_[\w]{4,40}")


def _named_in(excerpt: Excerpt) -> frozenset[str]:
    """The ids of containers and attempts in a part of a text."""
    return frozenset(_ID.findall("\n".join(excerpt.all_lines())))


def _are_all(excerpt: Excerpt, known: frozenset[str]) -> bool:
    """Whether a part of a text names ids, and no others than those."""
    named = _named_in(excerpt)
    return bool(named) and named <= known
