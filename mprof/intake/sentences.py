"""Which lines of a text somebody wrote about a log, and which are of one.

Nothing but a log is written in the words that a log has, but people quote them: in a question that
supposes an end, in advice, in a denial, in what they remember. Where such words stand in a sentence
alone, that the text says so is all that is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from mprof.trace import Death, Excerpt

__all__ = [
    "HEADING", "OF_A_CHAT", "SHORTEST_WRAPPED", "Lines", "begins_a_message", "is_by_the_jvm",
    "is_of_a_log", "is_of_somebody", "is_said", "names_memory", "of_logs", "rests_on", "said_in",
    "tells_of_an_end", "without_examples", "without_links", "without_sentences",
]  # fmt: skip

Lines = Sequence[tuple[int, str]]
"""Of a text, each with its number."""

SHORTEST_WRAPPED: Final = 50
"""Characters of a line, below which nobody breaks it for its length."""
# what a line of a log, a stack or a command begins with, and no sentence
_OF_A_LOG: Final = re.compile(
    r"\s*(?:\[?\d{2,4}[-/]\d\d|at |Caused by|Error: |Exception in |Task Id|\$ |> |"
    r"Container (?:[\[c]|exited|killed)|\|- |#|(?:INFO|WARN|ERROR|FATAL|DEBUG|TRACE)\b|"
    r"(?!(?:mapred|mapreduce|yarn|hive|tez|spark)\.)(?:[a-z]\w*\.){2}|attempt_|"
    r"[A-Z][a-z]{2} [ \d]\d |FAILED\b|Exit code|Killing |Failing |User class |Vertex |Job aborted|"
    r"Diagnostics|Application application_|Executor\w+ \(|Execution |Reason: |Last 4096 bytes)"
)
_BY_SOMEBODY: Final = re.compile(
    r"\b(?:I|I'm|I've|I'd)\b|(?i:\b(?:my|we|we've|our|us|anyone|somebody|someone|thanks)\b)|\?\s*$"
)
_WORDS_OF_AN_END: Final = re.compile(
    # of the JVM's options that name the error (-XX:+HeapDumpOnOutOfMemoryError) none tells of one
    r"(?<!On)OutOfMemoryError|Java heap space|GC overhead limit|"
    r"beyond (?:the )?'?(?:physical|virtual)|memory limits?\b|[Ee]xit code|"
    r"OOMKilled|Killing container|MapJoinMemoryExhaustion"
)
# of an end for lack of memory, and not of any end
_OF_MEMORY: Final = re.compile(
    r"MapJoinMemoryExhaustion|(?<!On)OutOfMemoryError|Java heap space|GC overhead limit|"
    r"beyond (?:the )?'?(?:phys|virt)|memory limits?\b|OOMKilled"
)
# the same in somebody's own words, a title for one
_NAMES_MEMORY: Final = re.compile(
    r"(?<!On)OutOfMemory|(?i:\bout ?of ?memory\b|\bgc overhead limit|\bjava heap space|\boom\b)"
)
# what stands in a report and in no sentence: ids, sizes
_OF_A_REPORT: Final = re.compile(
    r"(?:attempt|container|application|task|job|vertex)_\d|\[pid=|\d ?[KMGkmg][Bb] of \d|TID \d"
)
_WORD: Final = re.compile(r"(?<![\w.$/-])[A-Za-z][a-z'\u2019]*(?![\w.$/(=-])")
_HEADS: Final = re.compile(
    r"(?:^|[.?!]\s)[^.?!]{0,80}[:|>-]\s*$"
)  # what is quoted stands behind it
_FEWEST: Final = 2  # words of a sentence before those that it quotes


OF_A_CHAT: Final = (
    r"\s*(?:\[?(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?"
    r"\d\d?:\d\d(?::\d\d)?\]? <?[\w.-]{1,40}[>:] |"
    r"(?!(?:INFO|WARN|ERROR|FATAL|DEBUG|TRACE|SEVERE|at|since|until|around|from|line)\b)"
    r"[A-Za-z][\w.-]{0,39}(?: {2,3}\d\d?:\d\d(?::\d\d)?(?: [AP]M)? {1,3}|"
    r" \d\d?:\d\d(?::\d\d)?(?: [AP]M)? {2,3})(?!(?:INFO|WARN|ERROR|FATAL|DEBUG)\b)\S)"
)
"""What a message of a chat begins with: ``[09:16] ann: it``, ``ann  14:02  it``."""
_BEGINS: Final = re.compile(OF_A_CHAT)


def begins_a_message(line: str) -> bool:
    """Whether a line begins a message of a chat."""
    return _BEGINS.match(line) is not None


def of_logs(lines: Iterable[str]) -> str:
    """The lines that are not plainly somebody's own sentences."""
    return "\n".join(
        line for line in lines if _OF_A_LOG.match(line) or not _BY_SOMEBODY.search(line)
    )


def is_of_a_log(line: str) -> bool:
    """Whether a line begins as those of a log, a stack or a command do, and no sentence."""
    return _OF_A_LOG.match(line) is not None


def is_of_somebody(lines: Iterable[str]) -> bool:
    """Whether somebody speaks in a text, beside whatever log it has."""
    return any(_BY_SOMEBODY.search(line) and not _OF_A_LOG.match(line) for line in lines)


def tells_of_an_end(line: str) -> bool:
    """Whether the words of an end stand in a line, whoever wrote it."""
    return _WORDS_OF_AN_END.search(line) is not None


def names_memory(line: str) -> bool:
    """Whether a line names a lack of memory, in whatever words."""
    return _NAMES_MEMORY.search(line) is not None


def is_said(line: str, after: str = "") -> bool:
    """Whether the words of an end stand in somebody's sentence, and not as a log gives them.

    Args:
        line: with the words of an end.
        after: the next line; a stack is of a log.

    >>> is_said("There were no java.lang.OutOfMemoryError messages in the log.")
    True
    >>> is_said("Error: java.lang.OutOfMemoryError: Java heap space")
    False
    """
    found = _WORDS_OF_AN_END.search(line)
    if found is None or _OF_A_LOG.match(line) or re.match(r"\s+at \S", after):
        return False
    if line.rstrip().endswith("?"):
        return True
    before = re.sub(r"(?:[a-z]\w*\.)*$|\bError: $", "", line[: found.start()])
    if before.rstrip().endswith(("(", '("', "('")):
        return True  # in code
    if _OF_A_REPORT.search(line) or _HEADS.search(before):
        return False
    return len(_WORD.findall(before)) >= _FEWEST


# of a page in Markdown: what stands in it is the title of another page
_LINK: Final = re.compile(r"\[[^\[\]]{1,300}\]\(https?://[^()\s]{1,500}\)")


def without_links(excerpt: Excerpt) -> Excerpt:
    """The excerpt with spaces in place of the links to other pages in somebody's sentences."""
    if not any("](http" in line for line in excerpt.all_lines()):
        return excerpt
    parts = tuple(
        (
            first,
            tuple(
                _LINK.sub(lambda one: " " * len(one[0]), line) if "](http" in line else line
                for line in lines
            ),
        )
        for first, lines in excerpt.parts
    )
    return replace(excerpt, parts=parts)


HEADING: Final = re.compile(r"\s{0,3}#{1,6}[ \t]*\S")
"""A heading of Markdown."""
# what a page shows its readers, who may not have met it; "for example:" introduces what was met
_OF_AN_EXAMPLE: Final = re.compile(
    r"(?:(?:^|[.!?]\s+)\W{0,4}Examples?|\u793a\u4f8b)\W{0,3}[:\uff1a]\W{0,3}$"
)
_BY_THE_JVM: Final = re.compile(r"#\s+(?:java\.|-XX:|There is insufficient)")
"""What HotSpot prints behind a number sign when it runs ``-XX:OnOutOfMemoryError``, or crashes."""
_FEWEST_HEADINGS: Final = 2
"""One alone is the title of somebody who met it."""
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")


def without_examples(excerpt: Excerpt) -> Excerpt:
    """The excerpt without the paragraphs that a line ending in "Example:" introduces.

    Nor the headings of a page that lists ends under several.

    >>> shown = Excerpt(((1, ("The words. Example:", "", "java.lang.OutOfMemoryError")),))
    >>> without_examples(shown).parts
    ((1, ('The words. Example:', '', '')),)
    """
    heads = [line for line in excerpt.all_lines() if _heads_an_end(line)]
    is_list = len(heads) >= _FEWEST_HEADINGS
    if not is_list and not any(map(_OF_AN_EXAMPLE.search, excerpt.all_lines())):
        return excerpt
    named = frozenset(heads if is_list else ())
    parts = tuple(
        (first, tuple("" if line in named else line for line in _without_examples(lines)))
        for first, lines in excerpt.parts
    )
    return replace(excerpt, parts=parts)


def _heads_an_end(line: str) -> bool:
    return HEADING.match(line) is not None and not is_by_the_jvm(line) and tells_of_an_end(line)


def is_by_the_jvm(line: str) -> bool:
    """Whether HotSpot printed a line behind a number sign, which is no heading.

    >>> is_by_the_jvm("# java.lang.OutOfMemoryError: Java heap space")
    True
    """
    return _BY_THE_JVM.match(line) is not None


def _without_examples(lines: Sequence[str]) -> Iterator[str]:
    is_shown = has_begun = False
    for line in lines:
        is_blank = not line.strip() or _FENCE.match(line) is not None
        if is_shown and has_begun and is_blank:
            is_shown = False
        has_begun = is_shown and not is_blank
        yield "" if has_begun else line
        if _OF_AN_EXAMPLE.search(line):
            is_shown = True


# words before an error in a line that no log has; a colon before it heads what is quoted
_IN_IDEOGRAPHS: Final = re.compile(
    r"^(?!\s*(?:\[|\d{2,4}[-/]|at )).*?[\u4e00-\u9fff][^:\uff1a]{0,80}?"
    r"(?:java\.lang\.OutOfMemoryError|Java heap space|GC overhead limit)"
)


def without_sentences(excerpt: Excerpt) -> Excerpt:
    """The excerpt without the sentences that speak of an end, where a log tells of one.

    What a log tells is what happened; what people say beside it supposes, denies or remembers, and
    where it says the same, nothing is lost. A blank stands in place of each.
    """
    ends = [
        (line, is_one or _IN_IDEOGRAPHS.search(line) is not None)
        for _, lines in excerpt.parts
        for line, is_one in _ends(lines)
    ]
    said = {line for line, is_one in ends if is_one}
    if not said or all(is_one or not _OF_MEMORY.search(line) for line, is_one in ends):
        return excerpt
    parts = tuple(
        (first, tuple("" if line in said else line for line in lines))
        for first, lines in excerpt.parts
    )
    return replace(excerpt, parts=parts)


def said_in(lines: Iterable[tuple[int, str]]) -> frozenset[str]:
    """The lines in which somebody speaks of an end of which no line of a log tells.

    Args:
        lines: each with its number, in order.
    """
    told = [line for _, line in lines]
    ends = _ends(told)
    logged = [line for line, is_one in ends if not is_one]
    if any(map(_OF_MEMORY.search, logged)):
        return frozenset()
    said = (line for line, is_one in ends if is_one)
    return frozenset(one.strip() for one in said if not logged or _OF_MEMORY.search(one))


def _ends(lines: Sequence[str]) -> list[tuple[str, bool]]:
    """The lines with the words of an end, each with whether they are said there."""
    pairs = zip(lines, (*lines[1:], ""), strict=True)
    return [(line, is_said(line, after)) for line, after in pairs if _WORDS_OF_AN_END.search(line)]


def rests_on(death: Death, said: str) -> bool:
    """Whether all that is known of a death is such a sentence: it has no frame and no size."""
    end = death.container
    if death.stack or (end is not None and (end.physical_used_bytes or end.processes)):
        return False
    words = re.sub(r"(?: \([^()]*\))?(?:; .*)?$", "", death.evidence).strip()
    return bool(words) and (words in said or (end is not None and end.line.strip() in said))
