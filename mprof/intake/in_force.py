"""Whether the words around a value say that a task died with it, or of another time, or only wish.

A value stands in a clause, the clause in a sentence, and a fragment of a file or a command below a
sentence that introduces it. The nearest of these that says anything decides: the clause itself, the
clauses before it, the sentence above. Nothing is concluded from where the error stands: people
give the error first or the configuration first, as they like.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["led_out_of_force", "out_of_force"]

# a clause that wants, tries, advises, supposes or denies; or tells of others, or of the past
_NOT_IN_FORCE: Final = re.compile(
    r"(?i)\b(?:"
    # wanted, tried, supposed
    r"tr(?:y|ied|ies|ying)|attempt(?:s|ed|ing)|test(?:ed|ing)|experiment\w*|play\w*|should|shall|"
    r"want\w*|would|could|can|may|might|must|need\w*|have to|plan\w*|going to|hope|wonder\w*|"
    r"to (?:use|set|have|run|change|raise|increase)|consider\w*|thinking|think (?:of|about)|"
    r"(?:what|how) about|if|whether|maybe|perhaps|better|luck|no (?:difference|effect)|"
    r"even (?:with|if|when|at)|"
    # advised, or of others
    r"recommend\w*|suggest\w*|advi[sc]e\w*|propos\w+|let'?s|(?:please|just) (?:use|set|try)|"
    r"giv(?:e|ing)|told|(?<!log )(?<!xml )says?|answer\w*|documentation|docs|guide|manual|"
    r"blog|wiki|idea|"
    r"practice|thumb|calculat\w+|example|e\.g|such as|(?<!our )(?<!cluster )(?<!cluster's )"
    r"default\w*\b(?!\.(?:conf|xml|properties)\b)|reference|elsewhere|"
    r"other|another|different|colleagues?|friend|some(?:body|one)|every(?:body|one)|he|she|his|her|their|"
    r"(?:bigger|larger|smaller) (?:cluster|job)|often|"
    r"(?:dev|test|staging) (?:cluster|system|job)|"
    # denied, or of another time
    r"not(?! final\b)|never|without|remov\w+|unset|instead|edit:?|update:?|finally|ended up|"
    r"workaround|worked|"
    r"fine|previous\w*|formerly|used to|original\w*|initial\w*|earlier|until|ago|at first|"
    r"at that time|back then|last (?:week|month|year|time|day|night)|old|in the past|"
    r"since then|in (?:19|20)\d\d"
    r")\b|n['\u2019]t\b|\b(?:as well|too)\W*$"
)
# a clause that tells of the present, whatever else it says of times
_IN_FORCE: Final = re.compile(
    r"(?i)\b(?:current(?:ly)?|in force|now (?:to|at)|"
    r"this is|these are|here (?:is|are)|the following|"
    r"(?:I|we|it|job|cluster) (?:have|has|runs?|uses?)|(?:is|are) (?:set|configured)|"
    r"(?:I am|I['\u2019]m|we are|we['\u2019]re|it is) back (?:at|to|on|with)|"
    r"(?:I|we) (?:put|added|set|specified|configured)|(?:our|cluster(?:'s)?) default|"
    r"(?:my|our|job|relevant) (?:[a-z]+-)?(?:config|setting|value|site)\w*(?! (?:had|was|were)))\b|"
    r"I['\u2019]ve\b"
)
# a clause that tells of a change: on which side of it the end is, it does not say
_OF_A_CHANGE: Final = re.compile(
    r"(?i)\b(?:increas\w+|decreas\w+|rais\w+|lower\w*|reduc(?:ed|ing)|bump\w*|chang\w+|doubl\w+|"
    r"halv\w+|decid\w+)\b"
)
# a clause that orders times, and does not tell of the present
_OF_TIMES: Final = re.compile(
    r"(?i)\b(?:before|then|after\w*(?! (?:\w+ )?(?:min|hour|sec|record))|later|again|next|"
    r"now(?!\W*$))\b"
)
# a sentence of which no value is one that the task died with
_SOLVED: Final = re.compile(
    r"(?i)\b(?:fix(?:ed|es)?|solv\w+|solution|resolv\w+|help(?:s|ed)|ma(?:ke|de)s? it work|"
    r"(?:it|job|that|this|which) works)\b"
)
# where a value is from, whoever set it
_SOURCE: Final = re.compile(
    r"(?i)\bas (?:recommended|suggested|advised|described|proposed)\b[^,;:()]{0,80}|"
    r"\b(?:\w+ly )?(?:from|according to|based on|as per|follow(?:ing|ed)) [^,;:()]{0,60}?"
    r"\b(?:blog|wiki|docs|documentation|guide|manual|book|article|tutorial|post|page)s?\b"
)
# whatever was advised: it was followed
_DONE: Final = re.compile(r"(?i)\b(?:which|so) (?:I|we) did\W*$")
_ASKED: Final = re.compile(r"\?\W*$")
_PRESUPPOSES: Final = re.compile(r"(?i)\W*(?:why|how come)\b")  # what such a question asks about
_CLAUSES: Final = re.compile(
    r"[,;]\s+|\s\(|\)\s*|(?<![Aa]t)\s(?=(?:that|which|and|but|because|so)\s)|\s[-\u2013]{1,2}\s"
)
# Cyrillic, Japanese, Chinese, Korean: what such a sentence says of its values is not known here
_OTHER_SCRIPT: Final = re.compile("[\u0400-\u04ff\u3040-\u9fff\uac00-\ud7af]")


def out_of_force(sentence: str, at: int) -> str | None:
    """The words by which a value in a sentence was not in force, or may not have been.

    Args:
        sentence: without the names of settings, which may hold such words.
        at: where the value's name stands in it.

    Returns:
        "" where it says that the value was in force; None where it says nothing.

    >>> out_of_force("I tried          4096, without success", 8)
    'tried'
    >>> out_of_force("We run with          4096, no other settings", 12)
    ''
    """
    whole = _OTHER_SCRIPT.search(sentence) or _SOLVED.search(sentence)
    if whole is not None:
        return whole[0]
    sentence = _without_sources(sentence)
    if _ASKED.search(sentence) and not _PRESUPPOSES.match(sentence):
        return "?"
    begins = [0, *(one.end() for one in _CLAUSES.finditer(sentence))]
    bounds = [*zip(begins, [*begins[1:], len(sentence)], strict=True)]
    nearest_first = [sentence[low:high] for low, high in bounds if low <= at][::-1]
    return next((found for one in nearest_first if (found := _of_clause(one)) is not None), None)


def led_out_of_force(sentence: str) -> str | None:
    """The same of the values of a fragment that a sentence introduces: its main clause decides.

    >>> led_out_of_force("This is what I have in mapred-site.xml now:")
    ''
    >>> led_out_of_force("Before the upgrade we had:")
    'Before'
    """
    whole = _OTHER_SCRIPT.search(sentence) or _SOLVED.search(sentence)
    if whole is not None:
        return whole[0]
    if _DONE.search(sentence):
        return ""
    clauses = _CLAUSES.split(re.sub(r"\([^()]*\)", " ", _without_sources(sentence)))
    told = [found for one in clauses if (found := _of_clause(one)) is not None]
    # "Before you ask, my file has": what orders times is only said of such a sentence
    is_now = any(_IN_FORCE.search(one) for one in clauses)
    told = [one for one in told if not (is_now and _OF_TIMES.fullmatch(one))]
    return next(iter(told), None)


def _without_sources(sentence: str) -> str:
    """The sentence with spaces in place of what says where values are from."""
    return _SOURCE.sub(lambda found: " " * len(found[0]), sentence)


def _of_clause(clause: str) -> str | None:
    for words in (_NOT_IN_FORCE, _OF_A_CHANGE, _IN_FORCE, _OF_TIMES):
        found = words.search(clause)
        if found is not None:
            return "" if words is _IN_FORCE else found[0]
    return None
