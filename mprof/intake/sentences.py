"""Which lines of a text somebody wrote about a log, and which are of one.

Nothing but a log is written in the words that a log has, but people quote them: in a question that
supposes an end, in advice, in what they tried before with another engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from mprof.trace import Excerpt

__all__ = ["is_of_a_log", "of_logs", "tells_of_an_end", "without_suppositions"]

# what a line of a log, a stack or a command begins with, and no sentence
_OF_A_LOG: Final = re.compile(
    r"\s*(?:\[?\d{2,4}[-/]\d\d|at |Caused by|Error: |Exception in |Container [\[c]|Task Id|\$ |> |"
    r"\|- |#|(?:INFO|WARN|ERROR|FATAL|DEBUG|TRACE)\b|(?:[a-z]\w*\.){2}|attempt_|"
    r"[A-Z][a-z]{2} [ \d]\d )"
)
_BY_SOMEBODY: Final = re.compile(
    r"\b(?:I|I'm|I've|I'd)\b|(?i:\b(?:my|we|we've|our|us|anyone|somebody|someone|thanks)\b)|\?\s*$"
)
_SUPPOSES: Final = re.compile(
    r"(?i)\bwhat happens (?:if|when)\b|\bin case (?:of|an?|the|any)\b|\bto (?:avoid|prevent)\b|"
    r"\bnever (?:seen|had|got|get|met|run into)\b"
)
_IN_GENERAL: Final = re.compile(r"(?i)\bif (?:an?|any|one|your)\b")
_FIRST: Final = re.compile(r"\b(?:I|I'm|I've)\b|(?i:\b(?:my|we|our)\b)")
_WORDS_OF_AN_END: Final = re.compile(
    # of the JVM's options that name the error (-XX:+HeapDumpOnOutOfMemoryError) none tells of one
    r"(?<!On)OutOfMemoryError|Java heap space|GC overhead limit|"
    r"beyond (?:the )?'?(?:physical|virtual)|memory limits?\b|[Ee]xit code|"
    r"OOMKilled|Killing container"
)
_SENTENCE_ENDS: Final = re.compile(r"[.?!:]\s+(?=[A-Z\"'`])")


def of_logs(lines: Iterable[str]) -> str:
    """The lines that are not plainly somebody's own sentences."""
    return "\n".join(
        line for line in lines if _OF_A_LOG.match(line) or not _BY_SOMEBODY.search(line)
    )


def is_of_a_log(line: str) -> bool:
    """Whether a line begins as those of a log, a stack or a command do, and no sentence."""
    return _OF_A_LOG.match(line) is not None


def tells_of_an_end(line: str) -> bool:
    """Whether the words of an end stand in a line, whoever wrote it."""
    return _WORDS_OF_AN_END.search(line) is not None


def without_suppositions(excerpt: Excerpt) -> Excerpt:
    """The excerpt with a blank in place of each line that only supposes an end, or denies one."""
    parts = tuple((first, _kept(lines)) for first, lines in excerpt.parts)
    if all(before[1] == after[1] for before, after in zip(excerpt.parts, parts, strict=True)):
        return excerpt
    return Excerpt(parts, excerpt.tail, excerpt.lines, excerpt.left_out)


def _kept(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        "" if _is_supposed(line, lines[at - 1] if at else "") else line
        for at, line in enumerate(lines)
    )


def _is_supposed(line: str, above: str) -> bool:
    """Whether the words of an end stand in a sentence that says of none that it happened."""
    found = _WORDS_OF_AN_END.search(line)
    if found is None or _OF_A_LOG.match(line):
        return False
    if line.startswith("Subject:") and line.rstrip().endswith("?"):
        return True
    before = line[: found.start()]
    goes_on = bool(above.strip()) and not _OF_A_LOG.match(above)
    if goes_on and not above.rstrip().endswith((".", "?", "!", ":")):
        before = f"{above} {before}"
    sentence = _SENTENCE_ENDS.split(before)[-1]
    in_general = _IN_GENERAL.search(sentence) and not _FIRST.search(sentence)
    return bool(_SUPPOSES.search(sentence) or in_general)
