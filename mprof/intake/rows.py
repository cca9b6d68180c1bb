"""The lines of a text, each with what introduces it and what goes on behind it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mprof.intake.by_number import BACK
from mprof.intake.commands import typed_again
from mprof.intake.forms import FORMS, MAY_STATE, pairs_in
from mprof.intake.orders import goes_on, section_of_advice, supposition_in
from mprof.intake.outcomes import outcomes_of_chats, outcomes_of_rows
from mprof.intake.sentences import begins_a_message, is_of_a_log, tells_of_an_end
from mprof.intake.spelling import spelled_out
from mprof.intake.stated import Row
from mprof.intake.values import ENGINES
from mprof.trace import refused_in

__all__ = ["A_COMMAND", "LOGGED", "OF_ADVICE", "PROMPT", "SENTENCES", "own_columns", "rows_in"]

# a column of a table whose values nobody has set here
_OF_OTHERS: Final = re.compile(
    r"(?i)\b(?:defaults?|recommended|suggested|before|old|previous)\b|"
    # the same head in other languages: a page that explains properties gives nobody's settings
    "\u9ed8\u8ba4|\u9ed8\u8a8d|\u9810\u8a2d|\u9884\u8bbe|\u7f3a\u7701|"  # Chinese
    "\u30c7\u30d5\u30a9\u30eb\u30c8|\u65e2\u5b9a\u5024|\u521d\u671f\u5024|"  # Japanese
    "\uae30\ubcf8\uac12|\u043f\u043e \u0443\u043c\u043e\u043b\u0447|"  # Korean, Russian
    r"\b(?:Standardwert|Vorgabe|par d\u00e9faut|por defecto|predeterminado|predefinito|"
    r"padr\u00e3o)\b"
)


_OF_REMEDIES: Final = re.compile(
    r"(?i)\W*(?:(?:the |possible |how to )?(?:fix(?:es)?|solutions?|solve|remed(?:y|ies)|"
    r"resolutions?|workarounds?|what (?:to do|helps))|"
    "(?:\u89e3\u51b3|\u5904\u7406|\u5bfe\u51e6|\u5bfe\u7b56|\uc870\uce58|\ud574\uacb0).{0,4})\\W*"
)


def own_columns(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines; of a table without the columns that its head says are of others.

    A column of remedies stands behind the others, in sentences of its own.
    """
    others: list[int] = []
    remedies: list[int] = []
    for number, line in lines:
        cells = line.strip().split("|")
        least = _LEAST_CELLS if not cells[0] else _LEAST_OPEN
        others = others if len(cells) >= least else []
        remedies = remedies if len(cells) >= least - 1 else []
        states = MAY_STATE.search(line) is not None
        if not states:
            heads = [(at, one) for at, one in enumerate(cells) if len(one) <= _HEAD]
            if len(cells) >= least and not others:
                others = [at for at, one in heads if _OF_OTHERS.search(one)]
            if len(cells) >= least - 1 and not remedies:
                remedies = [at for at, one in heads if _OF_REMEDIES.fullmatch(one)]
        if others or remedies:
            kept = [cell for at, cell in enumerate(cells) if at not in {*others, *remedies}]
            told = [
                f"Solution: {cells[at].strip()}" for at in remedies if states and at < len(cells)
            ]
            line = ". ".join(("|".join(kept).rstrip(" |."), *told)) if told else "|".join(kept)
        spelled = spelled_out(line)
        yield number, line if is_of_a_log(spelled) else spelled


_LEAST_CELLS: Final = 5  # |name|default|mine|, with what stands before and behind

_LEAST_OPEN: Final = 3  # name | default | what it does, without a bar before the first

_HEAD: Final = 40  # characters of a cell, above which it is no head of a column

LOGGED: Final = re.compile(
    r"\s*\[?\d{2,4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d|\s+at \S+\(|\s*\|- |"
    r"\s*(?:[a-z]\w*\.){2,}[A-Z]\w*(?:Exception|Error)\b"
)
PROMPT: Final = re.compile(
    r"\s*(?:hive(?: \([\w.]+\))?>|grunt>|\d+: jdbc:hive2?:\S*>|beeline>|scala>|>>>|"
    r"(?:\[?[\w.-]{1,64}@[\w.-]{1,64}[^\]$#]{0,80}\]?)?[$]) "
)

_ASKS: Final = re.compile(rf"{PROMPT.pattern}(?i:set)\s+([\w.-]+)\s*;?\s*$")

OF_ADVICE: Final = "advice"
"""Of what stands in a section of advice; no word of the text."""

SENTENCES: Final = re.compile(
    r"(?<=[.!?;])\s+(?=[A-Z\"'`(]|--[a-z])|"
    # of those who write no capitals
    r"(?<=[a-z\d)]{3}[.?!])(?<!approx\.)(?<!resp\.)(?<!incl\.)(?<!etc\.)(?<!max\.)(?<!min\.)"
    r"\s+(?=[a-z])|"
    rf"(?:(?<=\d\.)|(?<=\w\w[.?!]))\s+(?={ENGINES}\.\w)|"  # and not behind e.g.
    r",?\s(?=(?:but|however|yet|and still)\b)"
)

A_COMMAND: Final = re.compile(
    r"\s*(?:[\w./-]*/)?(?:hadoop|yarn|mapred|hive|pig|sqoop|spark-submit|spark-shell|pyspark|hbase|"
    r"mahout|export|set|SET)\s"
)

_NEAR: Final = 2  # lines, blank ones among them, between a fragment and what introduces it

# a record of some program, whatever its words are: ]], Vertex did not succeed, failedTasks:1
_OF_A_REPORT: Final = re.compile(r"^\W*\]|\w[:=]\w")

_POINTS: Final = re.compile(r"(?i)\b(?:this|these|following|below)\b")


def rows_in(lines: Iterable[tuple[int, str]]) -> Iterator[Row]:
    """Lines with what stands above them.

    The lines of a fragment follow one another; what stands right above the first introduces all.
    A sentence that has come to its end introduces nothing below a blank line, unless it points
    there; and one that gives values itself introduces nothing. What introduces a list introduces
    each item of it.

    >>> [row.above for row in rows_in([(1, "It has:"), (2, "-Xmx1g")])]
    ['', 'It has:']
    """
    above, blank, asked, fragment, begun, supposed = "", 0, "", 0, "", ""
    is_advice = in_fence = False
    lines = [*lines]
    plain = [line for _, line in lines]
    outcomes = {**outcomes_of_rows(plain), **outcomes_of_chats(plain), **typed_again(plain)}
    for at, (number, line) in enumerate(lines):
        if line.strip() and not _of_a_fragment(line):
            fragment += 1
        above = (
            "" if begins_a_message(line) else above
        )  # nobody introduces the words of the next one
        behind = _behind(lines, at) if MAY_STATE.search(line) else ""
        row = outcomes.get(at, "")
        in_fence ^= line.lstrip().startswith("```")
        # of what is shown as code a comment begins as a heading does
        is_advice = is_advice if in_fence else section_of_advice(line, is_advice)
        only_supposed = supposed or (OF_ADVICE if is_advice else "")
        yield Row(number, line, above, fragment, asked, behind, row, begun, only_supposed)
        begun = _begun(begun, line, plain[at + 1] if at + 1 < len(plain) else "")
        supposed = (supposition_in(line) or supposed) if line.strip() else ""
        typed = _ASKS.match(line)
        asked = typed[1] if typed is not None else "" if line.strip() else asked
        blank = 0 if line.strip() else blank + 1
        if blank:
            is_over = above.endswith((".", "!", "?")) and not _POINTS.search(above)
            above = above if blank <= _NEAR and not is_over else ""
        elif not _of_a_fragment(line) and not (above and _ITEM.match(line)):
            sentence = SENTENCES.split(line.strip())[-1]
            is_none = is_of_a_log(line) or _OF_A_REPORT.search(sentence) or any(pairs_in(sentence))
            is_none = is_none or bool(refused_in([line]))
            is_none = is_none or (tells_of_an_end(line) and not line.rstrip().endswith(":"))
            above = "" if is_none else sentence


def _begun(begun: str, line: str, below: str) -> str:
    """What a line, and those above it, have of the sentence that goes on below; "" of none."""
    if _of_a_fragment(line) or is_of_a_log(line) or is_of_a_log(below):
        return ""
    if not goes_on(line, below):
        return ""
    parts = SENTENCES.split(line.strip())
    return f"{begun} {parts[0]}".strip() if len(parts) == 1 else parts[-1]


_MOST_BEHIND: Final = 4


def _behind(lines: Sequence[tuple[int, str]], at: int) -> str:
    """What somebody goes on with behind a line: past the rest of a fragment, to a blank line."""
    said: list[str] = []
    for _, line in lines[at + 1 : at + 1 + 2 * _MOST_BEHIND]:
        if not line.strip():
            if said or not _of_a_fragment(lines[at][1]):
                break
        elif is_of_a_log(line) or len(said) == _MOST_BEHIND:
            break
        elif BACK.search(line) or (not _of_a_fragment(line) and any(pairs_in(line))):
            break  # what somebody goes on with is of that value
        elif said or not _of_a_fragment(line):
            said.append(line.strip())
    return " ".join(said)


_ITEM: Final = re.compile(r"\s*(?:[*+\u2022-]|\d{1,2}[.)])\s+\S")

_FRAGMENT: Final = re.compile(
    r"\s*(?:</?(?:property|name|value|description|final|configuration|source)\b|<\?xml|<!--|```|#|"
    r"export |[\w.]+\.set\w*\(|-D ?\S|--\S|\|[-\s|]*$|\$ |hive> |grunt> )"
)

_MOST_WORDS: Final = 4  # beside the names in it: a line of more is a sentence


def _of_a_fragment(line: str) -> bool:
    """Whether a line is of a file, a command or a table, and no sentence."""
    if _FRAGMENT.match(line) or A_COMMAND.match(line):
        return True
    return (
        MAY_STATE.search(line) is not None
        and any(form.search(line) for form in FORMS)
        and len(MAY_STATE.sub(" ", line).split()) <= _MOST_WORDS
    )
