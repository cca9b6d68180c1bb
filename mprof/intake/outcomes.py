"""What became of a run with another value: the words behind a value that was tried.

People write what they tried in one breath with how it ended: "with 4 GB it died all the same",
"then -Xmx2g: same error", "I ran it again with 8192 and it went through", "here is the log of that
run". The words of the same sentence, and of the one behind it, decide; a question says nothing.
"""

from __future__ import annotations

import re
from typing import Final, Literal

__all__ = ["Outcome", "outcome_of", "was_followed"]

Outcome = Literal["died", "passed", "shown", ""]
"""``shown``: the log in the text is of the run with it."""

_DIES: Final = (
    r"(?:die[sd]?|dying|fail(?:s|ed|ures?|ing)?|crash(?:es|ed)?|(?:get|was|were|got|is|are) killed|"
    r"error|oom|ooms|out of memory|blows? up|blew up)"
)
_HANGS: Final = r"(?:hangs?|hung|stands still|stuck|times? out|timed out)"
_DIED: Final = re.compile(
    rf"(?i)\b(?:still|again|also|too|then|just as|as well)\b[^.!?;:]{{0,40}}?\b{_DIES}\b|"
    rf"\b{_DIES}\b[^.!?;:]{{0,30}}?\b(?:again|as before|all the same|anyway|too|as well|the same|"
    r"just the same|nevertheless|at the same)\b|"
    rf"\b{_DIES}\b[^.!?;:]{{0,25}}?\b(?:later|earlier|sooner)\b|"
    r"\b(?:the |exactly (?:the )?)?same (?:error|message|minute|place|point|result|thing|exception|"
    r"end|death|problem|outcome|story|picture|stack|failure)\b|"
    r"\bno (?:change|difference|luck|effect|help|success|use|avail|improvement|better)\b|"
    r"\b(?:did|do|does)(?: not|n['\u2019]t) (?:help|change|work|make|pass|matter|prevent)\b|"
    r"\bin vain\b|\bwithout success\b|\bnothing changed\b|\bexactly as before\b|[:,(] ?the same\b|"
    r"\bstill (?:the same|no|java heap)\b|\bnot (?:help|pass|work)\b|"
    # the same later, or more of the same
    r"\b(?:got|gets?|even|only|so|much|(?:made|makes?) (?:it|things)) worse\b"
    r"(?! (?:without|if|when))|"
    r"\bthen (?:it (?:is|was) )?(?:the )?same\b|"
    rf"\b(?:then|now|still|just|again)\b[^.!?;]{{0,30}}?\b{_HANGS}\b|"
    rf"\b{_HANGS}\b[^.!?;]{{0,20}}?\b(?:after|for|then|instead)\b[^.!?;]{{0,10}}?\d|"
    r"\bnow (?:it |\w+ ){0,2}(?:says?|shows?|reports?|is|takes?)\b[^!?;]{0,40}?"
    r"\b(?:virtual|physical) memory\b|\bmore, not less\b"
)
_PASSED: Final = re.compile(
    r"(?i)\b(?:it|(?:the |our |this |that |whole )job|they all|all (?:of them|maps|reducers|tasks)|"
    r"everything|every (?:task|map|reducer)|"
    r"(?:the |this |that )(?:reducer|mapper|task|run|attempt)s?)"
    r" (?:has |have |had |all |then |now |finally |just )*"
    r"(?:passe[sd]|pass|went through|goes through|go through|succeed(?:ed|s)?|works?|worked|"
    r"finish(?:ed|es)?|complete[sd]?|ran (?:fine|through|to (?:the|its) end)|"
    r"(?:is|was|were|are) (?:fine|ok|okay|well|successful)|survive[sd]?)\b"
)
_NOT_PASSED: Final = re.compile(
    r"(?i)\b(?:not|never|n['\u2019]t|no longer|until|if|when|once|would|should|could)\b[^.]{0,30}$"
)
_BUT: Final = re.compile(r"(?i)\b(?:but|though|however|yet)\b")
_TRIES: Final = re.compile(
    r"(?i)\b(?:with|using|again|tr(?:y|ied|ying)|rais\w+|increas\w+|set|doubl\w+|gave|bump\w*|"
    r"rerun)\b"
)
_RAN: Final = re.compile(
    r"(?i)\b(?:ran|run|started|submitted)\b[^.?!]{0,30}\b(?:again|once more)\b|\bre-?ran\b"
)
_SHOWN: Final = re.compile(r"(?i)\bhere(?: it)? (?:is|are)\b|\bhere['\u2019]s\b")
_OF_THAT_RUN: Final = re.compile(
    r"(?i)\b(?:log|logs|output|trace|stack|dump|console)"
    r"(?: \w+){0,3} (?:above|below|here)?\s?(?:is|are|was|were|comes?) (?:from|of) "
    r"(?:that|this|the (?:second|last|new|third)|it)\b"
)
_FOLLOWED: Final = re.compile(
    r"(?i)\b(?:I|we|they) (?:have |then |now |just |already )*"
    r"(?:changed|did|tried|done|set|used|took|applied|followed) "
    r"(?:that|it|so|this|both|them|the same)\b|"
    r"(?:^|[.!?;,]\s+)(?:did|done|tried|changed|applied) (?:that|so|it|this|both)\b"
)
_SUPPOSES: Final = re.compile(
    r"(?i)\b(?:if|when|should|would|could|never|not|before)\b[^.!?;]{0,20}$"
)
_END: Final = re.compile(r"(?<=[.!?;])\s+(?=[A-Z\"'`(\u201c])")
_MOST_BEHIND: Final = 2  # sentences: that of the value, and the next one
_LONGEST: Final = 260


def outcome_of(before: str, behind: str) -> Outcome:
    """What the words around a value say of a run with it.

    Args:
        before: what stands before it, of its sentence or of that which introduces it.
        behind: what stands behind it, up to the end of its paragraph.

    >>> outcome_of("Then I gave it", " 4 GB: same error.")
    'died'
    >>> outcome_of("I ran it again with", " and the job went through.")
    'passed'
    >>> outcome_of("Would it help to use", "? The same error comes up elsewhere.")
    ''
    """
    if _OF_THAT_RUN.search(behind[:_LONGEST]) or (_RAN.search(before) and _SHOWN.search(before)):
        return "shown"
    tries = _TRIES.search(before) is not None
    sentences = _END.split(behind[:_LONGEST])[:_MOST_BEHIND]
    for at, one in enumerate(sentences):
        if one.rstrip().endswith("?"):
            return ""
        if _DIED.search(one):
            return "died"
        passed = _PASSED.search(one) if at == 0 and tries else None
        if (
            passed is not None
            and not _BUT.search(one, passed.end())
            and not _NOT_PASSED.search(one[: passed.end()].rpartition(",")[2])
        ):
            return "passed"
    return ""


def was_followed(behind: str) -> bool:
    """Whether the words behind advice say that somebody took it.

    >>> was_followed(" to 30 min. Did that for one run, then it hangs.")
    True
    >>> was_followed(" to 30 min. Should I have set it?")
    False
    """
    found = _FOLLOWED.search(behind[:_LONGEST])
    return found is not None and not _SUPPOSES.search(behind[: found.start()])
