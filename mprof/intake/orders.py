"""What a text tells its readers to do, or only supposes: no value in it was in force for that.

``Use X=4096``, ``If that fails, raise X``, ``Add to mapred-site.xml:`` are orders to whoever reads
them. The same verbs tell what was done where somebody speaks of themselves (``we set X``), and what
leads to the death where a text says how to reproduce it. Behind ``Suppose each node has 48 GB`` all
of a paragraph is supposed.
"""

from __future__ import annotations

import re
from typing import Final

from mprof.intake.sentences import HEADING, SHORTEST_WRAPPED

__all__ = [
    "ORDERED",
    "goes_on",
    "heads_advice",
    "is_an_order",
    "order_in",
    "reproduces",
    "section_of_advice",
    "supposition_in",
]

# "Set in the driver: ..." tells where it was set, "Run with ..." how it ran, "reduce tasks" which
_VERBS: Final = (
    r"(?:use(?! cases?\b)|(?:set|put)(?! (?:to|in|at|by|via|through|as|here|on)\b)|"
    r"reduce(?=\s{16}| (?:the|it|this|these|your|both)\b)|add|append|insert|place|"
    r"paste|raise|increase|lower|decrease|give|allocate|assign|change|edit|modify|update|"
    r"adjust|tune|bump(?: up)?|double|halve|turn|switch|enable|disable|configure|define|specify|"
    r"choose|pick|keep|open|type|enter|restart|re-?run|run(?= (?:it|the|this|that|your|again)\b)|"
    r"start(?= (?:it|the|your)\b)|execute|pass|make sure|ensure|export(?! [A-Z_]+=)|limit|leave|"
    r"go (?:up |down )?(?:to|with))"
)
# what may stand before the verb; nobody is its subject there
_BEFORE: Final = (
    r"\W{0,4}(?:\d{1,2}[.)]\s+|[-*+\u2022]\s+)?\W{0,3}"
    r"(?:(?:please|just|then|also|simply|first|second|next|and|or|so|but|either|alternatively|"
    r"otherwise|finally|instead|always|never|do not|don['\u2019]t),?\s+){0,3}"
    r"(?:(?:if|when|unless|to|for|in|on|with|as)\b[^,;:]{0,120}[,:]\s+|"
    r"(?:to|in|for)\b(?:\s+(?!(?:I|we|he|she|they|you|it|who|that|which)\b)"
    r"(?-i:[^\sA-Z,;:]+)){1,6}\s+)?"
    r"(?:(?:please|just|then|also|simply),?\s+)?"
)
_ORDER: Final = re.compile(rf"(?i){_BEFORE}(?P<verb>{_VERBS})\b(?!\s?[:=]\s?\d)")
_OF_ONESELF: Final = re.compile(r"\b(?:I|I['\u2019]\w+)\b|(?i:\b(?:we|my|our|we['\u2019]\w+)\b)")
_REPRODUCES: Final = re.compile(r"(?i)\brepro(?:duc\w+)?\b")
ORDERED: Final = rf"{_VERBS} \.\.\."
"""The words of an order, as `order_in` gives them."""
_AN_ORDER: Final = re.compile(rf"(?i){ORDERED}")
_ADVICE: Final = re.compile(
    r"(?i)[\W\d]{0,8}(?:(?:possible|some|other|more|the|two|three|several) )?"
    r"(?:ways? (?:out|around|to \w+)|remed(?:y|ies)|solutions?|fix(?:es)?|cures?|tips?|hints?|"
    r"how to (?:fix|solve|avoid|prevent)\b.*|what (?:to do|helps)|resolutions?|mitigations?)"
    r"\b[^.!?]{0,30}$"
)
_SUPPOSES: Final = re.compile(
    r"(?:^|[.!?]\s+)\W{0,3}(?P<word>Suppose|Assum(?:e|ing)|Imagine|Let['\u2019]?s (?:say|assume)|"
    r"Let us (?:say|assume)|For (?:example|instance)|As an example)\b"
)
# a line that ends in one of these does not end its sentence
_OPEN: Final = re.compile(
    rf"(?i)(?:,|\b(?:{_VERBS}|a|an|the|of|to|by|at|in|on|for|with|from|and|or|but|if|when|that|"
    r"which|is|are|be|was|were|can|could|may|might|must|should|would|will|have|has|try|"
    r"setting|using|raising|increasing|lowering|trying))\s*$"
)
_WORD: Final = re.compile(r"\s*(?:[a-z]+|\([a-z]\w*)(?=[\s,;]|$)")
_END: Final = re.compile(r"[.!?:;]\W*$")


def order_in(sentence: str, at: int) -> str | None:
    """The verb by which a sentence tells its readers to set what stands in it; None of no order.

    Args:
        sentence: without the names of settings.
        at: where the value's name stands in it.

    >>> order_in("If that fails, raise           to 4096", 21)
    'raise ...'
    >>> order_in("In Hive we set            to 4096", 15)
    """
    found = _ORDER.match(sentence)
    if found is None or found.end() > max(at, 0) or reproduces(sentence):
        return None
    # "Use what we have": somebody tells what they did
    return None if _OF_ONESELF.search(sentence, 0, at) else f"{found['verb']} ..."


def is_an_order(words: str | None) -> bool:
    """Whether words beside a value tell readers to set it."""
    return words is not None and _AN_ORDER.fullmatch(words) is not None


def reproduces(sentence: str) -> bool:
    """Whether a sentence introduces how to see the death again: its orders lead there."""
    return _REPRODUCES.search(sentence) is not None


def heads_advice(line: str) -> bool:
    """Whether a line is a heading of advice: "Ways out:", "## How to fix it".

    >>> heads_advice("Ways out:"), heads_advice("The fix was simple.")
    (True, False)
    """
    return _ADVICE.match(line) is not None


# headings of pages in Chinese and Japanese, and what may stand before the words
_REMEDY: Final = re.compile(
    # "the problem, solved", but not what is said to be unsolved
    r"[#*\s\W\d]{0,12}(?!.{0,10}[\u672a\u6ca1\u65e0])"
    r"(?:[\u4e00-\u9fff]{0,8}(?:\u89e3\u51b3|\u89e3\u6c7a)|\u5904\u7406|\u51e6\u7406|\u5bfe\u51e6)"
    r"(?:\u65b9\u6848|\u65b9\u6cd5|\u529e\u6cd5|\u7b56)?"
)


def section_of_advice(line: str, now: bool) -> bool:
    """Whether what stands below a line is of a section of advice, where Markdown heads sections.

    >>> section_of_advice("## Solution", False), section_of_advice("## The log", True)
    (True, False)
    """
    if HEADING.match(line) is None:
        return now
    return heads_advice(line) or _REMEDY.match(line) is not None


def supposition_in(line: str) -> str | None:
    """The word by which a line begins to suppose; None of one that does not.

    >>> supposition_in("Suppose each node has 48 GB.")
    'Suppose'
    """
    found = _SUPPOSES.search(line)
    return found["word"] if found is not None else None


def goes_on(line: str, below: str) -> bool:
    """Whether a sentence that ends no line goes on in the next one.

    A line that begins with the name of a setting may be an entry of its own.

    >>> goes_on("You can switch the check off in yarn-site.xml, or raise the ratio to", "5")
    True
    """
    if len(line.strip()) < SHORTEST_WRAPPED or not below.strip() or _END.search(line):
        return False
    return _OPEN.search(line) is not None or _WORD.match(below) is not None
