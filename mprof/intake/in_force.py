"""Whether the words around a value say that a task died with it, or of another time, or only wish.

A value stands in a clause, the clause in a sentence, and a fragment of a file or a command below a
sentence that introduces it. The nearest of these that says anything decides: the clause itself, the
clauses before it, the sentence above. Nothing is concluded from where the error stands: people
give the error first or the configuration first, as they like.
"""

from __future__ import annotations

import re
from typing import Final

from mprof.intake.orders import ORDERED, heads_advice, order_in

__all__ = [
    "NOT_ENGLISH",
    "is_of_others",
    "is_proposed",
    "is_wanted",
    "led_out_of_force",
    "may_be_tried",
    "out_of_force",
    "tells_of_others",
    "without_question",
]

# a clause that tries
_TRIES: Final = (
    r"tr(?:y|ied|ies|ying)|attempt(?:s|ed|ing)|test(?:ed|ing)|experiment\w*|play\w*|luck|"
    r"no (?:difference|effect)|even (?:with|if|when|at)|(?:have |had |already )went through"
)
# that wants, or supposes
_WANTS: Final = (
    r"should|shall|want\w*|would|could|can|may|might|must|need\w*|have to|plan\w*|going to|hope|"
    r"suppos\w+|assum\w+|imagine|wonder\w*|consider\w*|thinking|if|whether|maybe|perhaps"
)
# that advises, or tells of others
_OF_OTHERS: Final = (
    r"to (?:use|set|have|run|change|raise|increase)|think (?:of|about)|(?:what|how) about|better|"
    r"recommend\w*|suggest\w*|advi[sc]e\w*|propos\w+|let'?s|(?:please|just) (?:use|set|try)|"
    r"giv(?:e|ing)|told|(?<!log )(?<!xml )says?|answer\w*|documentation|docs|guide|manual|"
    r"blog|wiki|idea|"
    r"practice|thumb|calculat\w+|example|e\.g|such as|(?<!our )(?<!cluster )(?<!cluster's )"
    r"default\w*\b(?!\.(?:conf|xml|properties)\b)|reference|elsewhere|"
    r"other|another|colleagues?|friend|partner|customer|some(?:body|one)|every(?:body|one)|he|she|his|her|their|"
    r"(?:bigger|larger|smaller) (?:cluster|job)|often|(?:dev|test|staging) (?:cluster|system|job)"
)
_AFTERWARDS: Final = r"(?:afterwards?|later(?: on)?)(?=,? (?:I|we)\b)"
# that denies, or tells of another time
_DENIES: Final = (
    rf"{_AFTERWARDS}|"
    r"not(?! final\b)|never|without|remov\w+|unset|instead|different|edit:?|update:?|finally|"
    r"ended up|workaround|worked|fine|previous\w*|formerly|used to|original\w*|initial\w*|"
    r"earlier|until|ago|at first|at that time|back then|last (?:week|month|year|time|day|night)|"
    r"old(?= (?:values?|settings?|config\w*|clusters?|versions?|ones?|limits?|sizes?|heap|memory|"
    r"files?|hadoop|nodes?|machines?|systems?)\b|\W*$)|in the past|since then|in (?:19|20)\d\d"
)
_NOT_IN_FORCE: Final = re.compile(
    rf"(?i)\b(?:{_TRIES}|{_WANTS}|{_OF_OTHERS}|{_DENIES})\b|n['\u2019]t\b|"
    r"\b(?:as well|too)\W*$"
)
# a clause that tells of the present, whatever else it says of times
_IN_FORCE: Final = re.compile(
    r"(?i)\b(?:current(?:ly)?|in force|now (?:to|at|has|have|with|runs?)|now(?=:)|"
    r"^now(?=\s+[\d-])|"
    r"this is|these are|here (?:is|are)|the following|"
    r"(?:I|we|it|job|cluster) (?:have|has|runs?|uses?)|(?:is|are) (?:set|configured)|"
    r"(?:I am|I['\u2019]m|we are|we['\u2019]re|it is) back (?:at|to|on|with)|"
    r"(?:I|we) (?:put|added|set|specified|configured)|(?:our|cluster(?:'s)?) default|"
    r"(?:my|our|job|relevant) (?:[a-z]+-)?(?:config|setting|value|site)\w*(?! (?:had|was|were)))\b|"
    r"\b(?:I|we)['\u2019]ve\b"
)
# whatever else stands beside it: EDIT: "X" was in force too
_WAS_IN_FORCE: Final = re.compile(
    r"(?i)(?<!not )(?<!n['\u2019]t )\b(?:is|was|are|were) (?:also |already |still )?"
    r"in (?:force|effect)\b|"
    # whoever it is that does so
    r"\b(?:starts|runs|submits|launches|started|submitted|launched) (?:it|this job|the job) "
    r"(?:so|like (?:this|that)|this way|as follows|by|with)\b(?! (?:a|some) (?:other|larger))"
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
_SOLVES: Final = (
    r"fix(?:ed|es)?|solv\w+|solution|resolv\w+|overc[oa]me|help(?:s|ed)|avoid(?:s|ed)|"
    r"prevent(?:s|ed)|ma(?:ke|de)s? it work|(?:gets?|got) (?:rid of|around)|"
    r"(?:go(?:es)?|went) away|disappear\w*|"
    r"(?:it|job|that|this|which) works"
)
# a sentence of which no value is one that the task died with
_SOLVED: Final = re.compile(
    r"(?i)(?:\b(?:not|never|nothing|without|no)\s(?:\w+\s){0,2}|n['\u2019]t\s(?:\w+\s)?)?"
    rf"\b(?:{_SOLVES})\b"
)
# what somebody came to, after all that had failed
_CHOOSES: Final = (
    r"opted (?:to|for)|settled (?:on|for|with)|ended up (?:with|\w+ing)|"
    r"what worked(?: for (?:me|us))?(?: was| is)?|did the trick"
)
_CHOSEN: Final = re.compile(rf"(?i)\b(?:{_CHOOSES})\b")
_AFTER_THAT: Final = re.compile(r"(?i)\bafter (?:that|this)(?=,? (?:I|we)\b)")
_LATER: Final = re.compile(rf"(?i)\b{_AFTERWARDS}")
_NOT_SET_HERE: Final = re.compile(
    r"(?i)\bhere (?:it|that|this)(?: is|['\u2019]s) (?:not set|unset|not there)\b"
)
# where a value is from, whoever set it
_SOURCE: Final = re.compile(
    r"(?i)\bas (?:recommended|suggested|advised|described|proposed)\b[^,;:()]{0,80}|"
    r"\b(?:\w+ly )?(?:from|according to|based on|as per|follow(?:ing|ed)) [^,;:()]{0,60}?"
    r"\b(?:blog|wiki|docs|documentation|guide|manual|book|article|tutorial|post|page)s?\b"
)
# what the files of a cluster are written from, so that its defaults are in force
_OF_ITS_FILES: Final = re.compile(
    r"(?i)\b(?:ambari|cloudera(?: manager)?|cm|hdp|cdh|cdp|emr|dataproc|hdinsight|mapr|bigtop|"
    r"template|platform|site)(?:['\u2019]s)? defaults?\b(?! for\b)|"
    r"\bdefaults? of (?:our|my|the|this) (?:\w+ ){0,2}(?:cluster|template|platform|site)\b|"
    # is set to 1g by default in Cloudera Manager
    r"\bby default (?:in|on|by|with|of|from) (?:(?:our|my|the|this) )?(?:ambari|cloudera ?manager|"
    r"cloudera|cm|hdp|cdh|cdp|emr|dataproc|hdinsight|mapr|bigtop|cluster|template|platform|site)\b"
)
_OF_NOTHING: Final = re.compile(r"(?i)\bnothing else [^,;:()]{0,60}")
# whatever was advised: it was followed
_DONE: Final = re.compile(
    r"(?i)\b(?:which|so) (?:I|we) did\W*$|"
    # I found somebody with the same and put this in yarn-site.xml
    r"\bI\b[^.!?]*\band (?:put|added|wrote) (?:this|these|it|that|the following) (?:in|into|to) "
    r"\S+\s*:?$"
)
# whoever advised it: what stands below is of that run
_SO: Final = re.compile(r"(?i)\W*so (?:(?:I|we) (?:did|set|ran|used|gave it) )?\W*-D\b[^:]*:\s*$")
# the first words of somebody who proposes something else
_OR: Final = re.compile(r"(?i)(?:\W|\[?\d\d?:\d\d\]?|[\w.-]{1,30}:){0,6}\bor\s")
_NEAR: Final = 16
"""Characters between "or" and what is proposed: more of them are of a sentence of its own."""
_ASKED: Final = re.compile(r"\?\W*$")
# a question by itself behind what is stated: ", so is it a leak?"
_ASKS_OF_IT: Final = re.compile(
    r"(?i)[,;:)\u2013-]\s+(?:so |but |and |or )?(?:is|are|was|does|do|did|can|could|should|why|"
    r"what|how|where|any(?:one|body)?)\b[^,;:?]*\?\W*$"
)
_PRESUPPOSES: Final = re.compile(r"(?i)\W*(?:why|how come)\b")  # what such a question asks about
_CLAUSES: Final = re.compile(
    # an arrow or the sign of a comment, behind which somebody says who has set it
    r"\s(?:<-|\u2190|#|//|;)+\s|[,;]\s+|\s\(|\)\s*|(?<![Aa]t)\s(?=(?:that|which|and|but|because|so)\s)|\s[-\u2013]{1,2}\s"
)
_RELATIVE: Final = re.compile(r"\W*(?:that|which)\b")
# what heads a remedy in a note in Japanese or Korean
_REMEDY_OF_OTHERS: Final = re.compile(
    r"\W{0,6}(?:\u5bfe\u51e6|\u5bfe\u7b56|\u5bfe\u5fdc|\u89e3\u6c7a|\uc870\uce58|\ud574\uacb0)"
    r"(?:\S{0,4}|\s\S{1,3})\s?[:\uff1a]"
)
# Cyrillic, Japanese, Chinese, Korean: what such a sentence says of its values is not known here
NOT_ENGLISH: Final = "its sentence is not in English, and is not read"
_OTHER_SCRIPT: Final = re.compile("[\u0400-\u04ff\u3040-\u9fff\uac00-\ud7af]")


# behind a value, which then is the one to be changed, and not what it is to be changed to
_TO_BE_CHANGED: Final = re.compile(
    r"(?i)(?<!to )\b(?:(?:rais|increas|lower|decreas|reduc|chang|enlarg|doubl|bump)\w*\b"
    r"(?![^.;]{0,200}\bto\b)|(?:too|so) (?:small|low|little|large|high|much)\b|not enough\b)"
)


def out_of_force(sentence: str, at: int) -> str | None:
    """The words by which a value in a sentence was not in force, or may not have been.

    Args:
        sentence: without the names of settings, which may hold such words.
        at: where the value's name stands in it.

    Returns:
        "" where it says that the value was in force; None where it says nothing; `NOT_ENGLISH` of
        a sentence in another language.

    >>> out_of_force("I tried          4096, without success", 8)
    'tried'
    >>> out_of_force("\u6211\u5011\u8a2d\u4e86          4096", 4) == NOT_ENGLISH
    True
    >>> out_of_force("We run with          4096, no other settings", 12)
    ''
    """
    found = _words_against(sentence, at)
    if found and _OF_A_CHANGE.fullmatch(found):  # an order to make one, and not what was done
        found = order_in(sentence, at) or found
    changed = _TO_BE_CHANGED.search(sentence, at) if found and is_proposed(found) else None
    return changed[0] if changed is not None else found


def _words_against(sentence: str, at: int) -> str | None:
    if _OTHER_SCRIPT.search(sentence) is not None:
        return "solution" if _REMEDY_OF_OTHERS.match(sentence) else NOT_ENGLISH
    whole = _CHOSEN.search(sentence) or _SOLVED.search(sentence) or _NOT_SET_HERE.search(sentence)
    if whole is not None:
        return "?" if _ASKED.search(sentence) and not _PRESUPPOSES.match(sentence) else whole[0]
    proposed = _OR.match(sentence)
    if proposed is not None and at - proposed.end() <= _NEAR:
        return "or"
    sentence = _AFTER_THAT.sub("afterwards", sentence)  # one word, which no clause begins with
    sentence = without_question(_without_sources(sentence), at)
    if _ASKED.search(sentence) and not _PRESUPPOSES.match(sentence):
        return "?"
    begins = [0, *(one.end() for one in _CLAUSES.finditer(sentence))]
    bounds = [*zip(begins, [*begins[1:], len(sentence)], strict=True)]
    nearest_first = [sentence[low:high] for low, high in bounds if low <= at][::-1]
    if _SO.match(nearest_first[0]) and _of_clause(nearest_first[0]) is None:
        return ""
    told = (found for one in nearest_first if (found := _of_clause(one)) is not None)
    return next(told, order_in(sentence, at))


def led_out_of_force(sentence: str) -> str | None:
    """The same of the values of a fragment that a sentence introduces: its last clause decides.

    >>> led_out_of_force("This is what I have in mapred-site.xml now:")
    ''
    >>> led_out_of_force("Before the upgrade we had:")
    'Before'
    """
    if _OTHER_SCRIPT.search(sentence) is not None:
        return NOT_ENGLISH
    whole = _CHOSEN.search(sentence) or _SOLVED.search(sentence)
    if whole is not None:
        return whole[0]
    if _DONE.search(sentence):
        return ""
    if heads_advice(sentence):
        return "advice"
    told_to = order_in(sentence, len(sentence))
    if told_to is not None:
        return told_to
    sentence = _AFTER_THAT.sub("afterwards", sentence)
    clauses = _CLAUSES.split(re.sub(r"\([^()]*\)", " ", _without_sources(sentence)))
    main = [one for one in clauses if not _RELATIVE.match(one)]
    told = [found for one in main if (found := _of_clause(one)) is not None]
    told = told or [found for one in clauses if (found := _of_clause(one)) is not None]
    # "Before you ask, my file has": what orders times is only said of such a sentence
    is_now = any(_IN_FORCE.search(one) and not _LATER.search(one) for one in clauses)
    told = [one for one in told if not (is_now and _OF_TIMES.fullmatch(one))]
    return next(reversed(told), None)


_WANTED: Final = re.compile(rf"(?i)(?:{_WANTS}|\?)")
_ADVISED: Final = re.compile(
    rf"(?i)(?:{_WANTS}|{_OF_OTHERS}|{ORDERED}|{_SOLVED.pattern.removeprefix('(?i)')}|\?)"
)


def is_wanted(words: str) -> bool:
    """Whether words by which a value was not in force want it, suppose it or ask for it."""
    return _WANTED.fullmatch(words) is not None


_NOT_HERE: Final = re.compile(
    rf"(?i)(?!default)(?:{_WANTS}|{_OF_OTHERS}|{ORDERED}|last year|back then|at that time|"
    r"in the past|in (?:19|20)\d\d|\?)"
)


def is_of_others(words: str) -> bool:
    """Whether words beside a value tell of others, of long ago, or of what is only wanted."""
    return _NOT_HERE.fullmatch(words) is not None


_SOMEBODY_ELSE: Final = re.compile(
    r"(?i)\b(?:another (?:job|team|cluster|pipeline)|colleagues?|friend|somebody|someone|she|her|"
    r"(?-i:[A-Z])\w+['\u2019]s (?:job|query|team))\b"
)


def tells_of_others(sentence: str) -> bool:
    """Whether a sentence tells of a job of somebody else."""
    return _SOMEBODY_ELSE.search(sentence) is not None


_PROPOSED: Final = re.compile(
    rf"(?i)(?:advice|{ORDERED}|{_SOLVES}|{_CHOOSES}|should|must|need\w*|try|better|recommend\w*|"
    r"suggest\w*|advi[sc]e\w*|propos\w+)"
)


def is_proposed(words: str) -> bool:
    """Whether words by which a value was not in force give it as a remedy.

    >>> is_proposed("solution"), is_proposed("not fix"), is_proposed("want")
    (True, False, False)
    """
    return _PROPOSED.fullmatch(words) is not None


def may_be_tried(words: str | None) -> bool:
    """Whether the words beside a value leave it one that somebody ran with."""
    return not words or _ADVISED.fullmatch(words) is None


def without_question(sentence: str, at: int = 0) -> str:
    """The sentence without the question by itself that stands behind a place in it.

    >>> without_question("with 4096 it fails in the same place, so is it a leak?")
    'with 4096 it fails in the same place'
    """
    asked = _ASKS_OF_IT.search(sentence, at)
    return sentence[: asked.start()] if asked is not None else sentence


def _without_sources(sentence: str) -> str:
    """The sentence with spaces in place of what says where values of its cluster are from."""
    for words in (_SOURCE, _OF_ITS_FILES, _OF_NOTHING):
        sentence = words.sub(lambda found: " " * len(found[0]), sentence)
    return sentence


def _of_clause(clause: str) -> str | None:
    if _WAS_IN_FORCE.search(clause) and not _ASKED.search(clause):
        return ""
    for words in (_NOT_IN_FORCE, _OF_A_CHANGE, _IN_FORCE, _OF_TIMES):
        found = words.search(clause)
        if found is not None:
            return "" if words is _IN_FORCE else found[0]
    return None
