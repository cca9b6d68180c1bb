"""What became of a run with another value: the words behind a value that was tried.

People write what they tried in one breath with how it ended: "with 4 GB it died all the same",
"then -Xmx2g: same error", "I ran it again with 8192 and it went through", "here is the log of that
run". The words of the same sentence, and of the one behind it, decide; a question says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

from mprof.intake.in_force import tells_of_others, without_question
from mprof.intake.sentences import begins_a_message, tells_of_an_end

__all__ = [
    "Outcome", "is_of_a_trial", "outcome_of", "outcomes_of_chats", "outcomes_of_rows",
    "was_followed",
]  # fmt: skip

Outcome = Literal["died", "passed", "shown", ""]
"""``shown``: the log in the text is of the run with it."""

_DIES: Final = (
    r"(?:die[sd]?|dying|fail(?:s|ed|ures?|ing)?|crash(?:es|ed)?|(?:get|was|were|got|is|are) killed|"
    r"error|oom|ooms|out of memory|gc overhead|heap space|blows? up|blew up)"
)
_HANGS: Final = r"(?:hangs?|hung|stands still|stuck|times? out|timed out)"
_DIED: Final = re.compile(
    rf"(?i)\b\d+ (?:of|out of) (?:the |my )?\d+ (?:tasks?|maps?|mappers?|reduc(?:e|er)s?)\b"
    rf"[^.!?;]{{0,12}}?\b{_DIES}\b|"
    rf"\b(?:always|both|all of (?:them|these))\b[^.!?;:]{{0,20}}?\b{_DIES}\b|"
    rf"\b(?:still|again|also|too|then|just as|as well)\b[^.!?;:]{{0,40}}?\b{_DIES}\b|"
    rf"\b{_DIES}\b[^.!?;:]{{0,30}}?\b(?:again|as before|all the same|anyway|too|as well|the same|"
    r"just the same|nevertheless|at the same)\b|"
    rf"\b{_DIES}\b[^.!?;:]{{0,25}}?\b(?:later|earlier|sooner)\b|"
    r"\b(?:the |exactly (?:the )?)?same (?:error|message|minute|place|point|result|thing|exception|"
    r"end|death|problem|outcome|story|picture|stack|failure|vertex|step|stage)\b|"
    r"\bno (?:change|difference|luck|effect|help|success|use|avail|improvement|better)\b|"
    r"\b(?:did|do|does)(?: not|n['\u2019]t) (?:help|change|work|make|pass|matter|prevent)\b|"
    r"\b(?:error|problem|issue|failure|exception) (?:still )?(?:remain(?:s|ed)|persist(?:s|ed)|"
    r"stay(?:s|ed)|is still there)\b|"
    r"\bin vain\b|\bnope\b|\bwithout success\b|\bnothing changed\b|\bexactly as before\b|"
    r"[:,(] ?the same\b(?!\s\w)|"
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
    r"(?i)\b(?:it|(?:the |our |this |that |whole )(?:job|query|script|step|insert)|"
    r"they all|"
    r"all (?:of them|(?:of )?(?:the )?(?:\d{1,6} )?(?:map|reduc)(?:per|er|e)?s|tasks)|"
    r"everything|every (?:task|map|reducer)|"
    r"(?:the |this |that )(?:reducer|mapper|task|run|attempt)s?)"
    r" (?:has |have |had |all |then |now |finally |just |successfully )*"
    r"(?:(?<=successfully )ran|ran successfully|"
    r"ran in (?:under |less than |only |about )?\w+ min\w*|"
    r"passe[sd]|pass|went through|goes through|go through|succeed(?:ed|s)?|works?|worked|"
    r"finish(?:ed|es)?|complete[sd]?|ran (?:fine|through|to (?:the|its) end)|"
    r"runs? (?:well|fine|stably|smoothly|through)|"
    r"(?:is|was|were|are) (?:fine|ok|okay|well|successful|stable)|survive[sd]?)\b"
)
# by signs: -> SUCCEEDED; or that nothing failed
_PASSED_BY_SIGN: Final = re.compile(
    r"(?i)(?:->|=>|\u2192|--?|\u2013|:|=)\s?(?:job |it |all |then )?"
    r"(?:SUCCEEDED|success|passe[sd]|ok|okay|works|worked|(?:went|goes|ran|runs) through|"
    r"finishe[sd]|fine|green|done)\b|"
    r"(?<!not )(?<!n't )\b(?:done|finished|through) in \d+ ?(?:h|m|s|min\w*|sec\w*|hours?)\b|"
    r"\bno (?:\w+ )?(?:attempt|task|map|mapper|reducer|reduce)s? (?:failed|died|was killed)\b|"
    r"\b(?:no|zero|0) (?:killed|failed|lost) (?:attempt|task|map|reducer|executor|container)s?\b"
)
# of the value right before it
_WAS_ENOUGH: Final = re.compile(
    r"(?i)[\"'`*)]{0,3} (?:then |finally |alone |already )?(?:(?:was|were|is|has been) "
    r"(?:enough|sufficient)|did the (?:trick|job)|made it (?:work|pass|go through|run))\b"
    r"(?! (?:for (?:the )?(?:small|first|other|old)|until|before|in |when|if)\b)"
    r"(?![^.!?;]{0,30}\b(?:last (?:week|month|year)|ago|so far|always|for (?:months|years))\b)"
)
# of other data, or of another place: nothing of a run with the value
_OF_LESS: Final = re.compile(
    r"(?i)\s(?:(?:fine|well|ok|great) )?(?:with|on|for|when|if|in|as long as)\b[^.!?;]{0,40}?"
    r"\b(?:small\w*|less|few\w*|half|samples?|subsets?|part|others?|another|single|test|local\w*|"
    r"standalone|laptop|machine|(?:one|two|three) (?:day|file|month|week|partition)s?|\d+ ?%)"
)
_THINKS: Final = re.compile(
    r"(?i)\b(?:thought|thinks?|guess\w*|hop(?:e|ed|ing)|believ\w+|assum\w+|expect\w*|figured|said|"
    r"told|claim\w*|sure)\b(?:[^.!?;]|\.\d){0,40}$"
)
_BY_ITSELF: Final = re.compile(
    r"(?i)\b(?:went through|goes through|succeeded|passed|completed|finished|failed|died)\b"
)
_OF_A_PART: Final = re.compile(r"\s+(?:its|the|only|some|most|half)\b")
# when something passed that was not this run
_OF_THE_PAST: Final = re.compile(
    r"(?i)\b(?:last (?:week|month|year|time)|ago|before|until|used to|always|so far|previously|"
    r"earlier|without|in (?:19|20)\d\d)\b"
)
_NOT_PASSED: Final = re.compile(
    r"(?i)\b(?:not|never|n['\u2019]t|no longer|until|if|when|once|would|should|could)\b[^.]{0,30}$"
)
_BUT: Final = re.compile(r"(?i)\b(?:but|though|however|yet)\b")
_TRIES: Final = re.compile(
    r"(?i)\b(?:with|using|again|tr(?:y|ied|ying)|rais\w+|increas\w+|set|doubl\w+|gave|bump\w*|"
    r"re-?r[au]n|chang\w+|lower\w*|decreas\w+|reduc\w+|put|went (?:up|down)|back|"
    r"did (?:that|it|so|this)|now)\b|\bafter [\"'`]?[\w.-]+\s?=\s?\S+\s*$|"
    r"\b(?:update|edit)(?: #?\d)?\W{0,3}:"
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
# and now the maps fail: what stands below is of it
_NOW_SHOWN: Final = re.compile(
    rf"(?i)[^.!?;]{{0,60}}\bnow\b[^.!?;]{{0,60}}\b(?:{_DIES}|says?|gets?|shows?)\b"
    r"[^.!?;]{0,40}:\s*$"
)
_A_SIZE: Final = re.compile(r"(?i)(?<![\w.])\d{3,6}\b|\b\d{1,4}(?:\.\d+)? ?[mg]i?b?\b|-Xmx")
_ANOTHER: Final = re.compile(rf"{_A_SIZE.pattern}|(?<![\w.])0?\.\d{{1,3}}\b")
# the other half of a pair, right behind the value: " in 4096", "/-Xmx3g"
_WITH_IT: Final = re.compile(
    r"(?i)^\W*(?:(?:and|in|with|at)\s+)?(?:a |the same )?(?:container of |heap of )?"
    r"(?:-Xmx)?\d{1,6} ?[mg]?i?b?\b(?:\s?/\s?\d{1,6} ?[mg]?i?b?\b)?"
    r"(?: containers?| heap)?"
)
_AND_THE_SAME: Final = re.compile(r"(?i)\s*(?:,|and|with) (?:with )?the same\s(?:-Xmx)?\d")
# what is said behind it is of another value
_BACK: Final = re.compile(r"(?i)\bback (?:at|to|on|with)\b|\brevert\w*\b|\bundid\b|\bwithout it\b")
_FOLLOWED: Final = re.compile(
    r"(?i)\b(?:I|we|they) (?:have |then |now |just |already )*"
    r"(?:changed|did|tried|done|set|used|took|applied|followed) "
    r"(?:that|it|so(?! far)|this|both|them|the same)\b|"
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
    shown = _OF_THAT_RUN.search(behind[:_LONGEST]) or _NOW_SHOWN.match(behind)
    if shown or (_RAN.search(before) and _SHOWN.search(before)):
        return "shown"
    if _WAS_ENOUGH.match(behind) and not (_SUPPOSES.search(before) or _THINKS.search(before)):
        return "passed"
    tries = _TRIES.search(before) is not None or _AND_THE_SAME.match(behind) is not None
    sentences = _END.split(behind[:_LONGEST])[:_MOST_BEHIND]
    for at, one in enumerate(map(without_question, sentences)):
        if one.rstrip().endswith("?") or (at and (_BACK.search(one) or tells_of_others(one))):
            return ""
        passed = (_PASSED.search(one) or _PASSED_BY_SIGN.search(one)) if tries else None
        died = _DIED.search(one)
        if passed and died and _ANOTHER.search(one, passed.end(), died.start()):
            one = one[: passed.end()]  # what is told behind it is of that other value
        elif died:
            return "died"
        if passed is None or (at and not _tells_by_itself(one, passed)):
            continue
        between = " ".join((*sentences[:at], one[: passed.start()]))
        if _A_SIZE.search(_WITH_IT.sub("", between)):
            return ""  # with which it passed, for all that is said
        if _OF_LESS.match(one, passed.end()):
            return ""
        if not _BUT.search(one, passed.end()) and not _NOT_PASSED.search(
            one[: passed.end()].rpartition(",")[2]
        ):
            return "passed"
    return ""


# a row of a list of runs: "#2  4 GB, -Xmx3g  -> heap space after 9 min"
_ROW: Final = re.compile(
    r"(?i)\W{0,4}(?:#\s?(?P<number>\d{1,2})|(?P<count>\d{1,2})[.)]\s|"
    r"(?P<time>\d{1,2}:\d{2}(?!:?\d))|(?P<day>mon|tue|wed|thu|fri|sat|sun)(?:\w{0,6}day)?|"
    r"(?:run|try|attempt|test|round|trial|v)\s?#?(?P<run>\d{1,2})|(?P<letter>[a-h])[.):]\s)"
)
_ENDS: Final = re.compile(
    r"(?:->|=>|\u2192|\s[-\u2013:|]|:)\s+"
    r"(?P<end>(?:(?!->|=>|\u2192)[^|]){1,160}?)\s*\|?\s*$"
)
_ROW_DIED: Final = re.compile(
    r"(?i)\b(?:ooms?|oomed|heap space|gc overhead|same|killed|fail\w*|die[sd]|dead|crash\w*|"
    r"errors?|143|137|hangs?|hung|timeout|timed out|no (?:luck|change|difference|effect)|in vain)\b"
)
_ROW_PASSED: Final = re.compile(
    r"(?i)\W*(?:it |job |all )?(?:(?:ok|okay)(?!,? (?:\w+ing|I|we|so|then|let|now|will)\b)|"
    r"passe[sd]|pass|success\w*|succeeded|works?|worked|"
    r"fine|green|(?:went|goes|ran|runs) through|done|finishe[sd]|completed|good|"
    r"goes on, (?:finished|done|passed))\b"
)
_IS_SHOWN: Final = re.compile(
    r"(?i)\b(?:above|below|logs?|trace|stack|error|paste[d]?|output)\b[^.\n]{0,30}?"
    r"\b(?:is|are|was|were|comes?) (?:of|from) (?:the )?(?:run |try |attempt )?"
    r"#?(?P<which>\w{1,9})\b"
)


def outcomes_of_rows(lines: Sequence[str]) -> dict[int, Outcome]:
    """What the rows of lists of runs say that became of each, by the index of the line.

    >>> outcomes_of_rows(["#1 2 GB -> heap space", "#2 4 GB -> ok", "the log is of #1"])
    {0: 'shown', 1: 'passed'}
    """
    found: dict[int, Outcome] = {}
    which: dict[int, str] = {}
    for at, line in enumerate(lines):
        row = _ROW.match(line)
        end = _ENDS.search(line, row.end()) if row is not None else None
        if row is None or end is None:
            continue
        if _ROW_PASSED.match(end["end"]) and not _ROW_DIED.search(end["end"]):
            found[at] = "passed"
        elif _ROW_DIED.search(end["end"]):
            found[at] = "died"
        which[at] = next(one for one in row.groups() if one is not None).lower()
    if len(found) < _LEAST_ROWS:
        return {}
    said = next((one for line in lines if (one := _IS_SHOWN.search(line)) is not None), None)
    if said is not None:
        asked = said["which"].lower()
        found |= {at: "shown" for at, one in which.items() if at in found and one == asked[:3]}
    return found


_LEAST_ROWS: Final = 2

_SPEAKER: Final = re.compile(
    r"[\s\[\]<]*(?:[A-Z][a-z]{2,8},? (?=\d))?(?:\d\d?:\d\d(?::\d\d)?[\s\]<]*)?([A-Za-z][\w.-]*)"
)
_JOB_DONE: Final = re.compile(r"\b[Jj]ob job_\d+_(\d+) completed successfully\b")
_JOB_OF: Final = re.compile(
    r"\b(?:job|attempt|container|application)_(?:e\d+_)?\d{10,14}_(\d{3,9})"
)


def outcomes_of_chats(lines: Sequence[str]) -> dict[int, Outcome]:
    """What a chat says of the run with what a message has set, by the index of the line.

    A job that is done ran with what the same person has set right before, where it is a later one
    than those of the ends that were told above.

    >>> text = ["ann  14:02  job_1445463321764_0101: Exit code is 143", "ann  14:48  X=false"]
    >>> done = "ann  15:06  Job job_1445463321764_0102 completed successfully"
    >>> outcomes_of_chats([*text, done])
    {1: 'passed'}
    """
    begins = [at for at, line in enumerate(lines) if begins_a_message(line)]
    bounds = [*pairwise([*begins, len(lines)])]
    died: list[int] = []
    has_died = False
    found: dict[int, Outcome] = {}
    for own, after in pairwise(bounds):
        words = "\n".join(lines[own[0] : own[1]])
        tells = any(map(tells_of_an_end, lines[own[0] : own[1]]))
        done = _JOB_DONE.search("\n".join(lines[after[0] : after[1]]))
        same = _speaker(lines[own[0]]) == _speaker(lines[after[0]])
        is_later = done is not None and int(done[1]) > max(died, default=-1)
        if has_died and is_later and same and not tells:
            found |= dict.fromkeys(range(*own), "passed")
        if tells:
            has_died, died = True, [*died, *map(int, _JOB_OF.findall(words))]
    return found


def _speaker(line: str) -> str:
    found = _SPEAKER.match(line)
    return found[1] if found is not None else ""


def is_of_a_trial(words: str) -> bool:
    """Whether words introduce what somebody ran with."""
    return _TRIES.search(words) is not None


def _tells_by_itself(sentence: str, passed: re.Match[str]) -> bool:
    """Whether a sentence behind that of the value tells how a run ended, and of no other time."""
    is_an_end = _BY_ITSELF.search(passed[0]) and not _OF_A_PART.match(sentence, passed.end())
    return bool(is_an_end) and _OF_THE_PAST.search(sentence) is None


def was_followed(behind: str) -> bool:
    """Whether the words behind advice say that somebody took it.

    >>> was_followed(" to 30 min. Did that for one run, then it hangs.")
    True
    >>> was_followed(" to 30 min. Should I have set it?")
    False
    """
    found = _FOLLOWED.search(behind[:_LONGEST])
    return found is not None and not _SUPPOSES.search(behind[: found.start()])
