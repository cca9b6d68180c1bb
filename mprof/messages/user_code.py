"""An error that the job's own code threw for a record which it does not expect."""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import Evidence
from mprof.messages.message import Reading, Source, message
from mprof.messages.said import code_that_asked, is_of_a_task

__all__ = ["MESSAGES"]

_WORDS: Final = {
    "ArrayIndexOutOfBoundsException": "an index beyond the end of an array, as a rule a line with "
    "fewer fields than the code takes: an empty one, a head, or one with another separator",
    "StringIndexOutOfBoundsException": "an index beyond the end of a text, as a rule a field that "
    "is shorter than the code takes it to be",
    "NumberFormatException": "a text that is no number, as a rule a head, an empty field or one "
    "with a blank",
    "NullPointerException": "a value that is not there",
    "DateTimeParseException": "a text that is no date of the format that the code takes",
    "ParseException": "a text that is not of the format that the code takes",
}
_ERROR: Final = re.compile(
    rf"\b(?:[a-z]\w*\.)+(?P<name>{'|'.join(_WORDS)})\b(?:: [^\n]{{0,120}}?(?=$|\n| \())?"
)
_WITH_A_COMMA: Final = re.compile(r'NumberFormatException: For input string: "-?\d[\d.]*,\d+"')
_OF_RECORDS: Final = frozenset({"map", "reduce", "combine"})


@message(
    "Code of the job threw an exception",
    Source("1.2 to 3.5", "org.apache.hadoop.mapreduce.Mapper.run", "map(context.getCurrentKey()"),
)
def user_code_threw(evidence: Evidence) -> Reading | None:
    """A record, or a group, made the code of the job throw an exception.

    What it means
        The task reads its records in the same order each time, so that each attempt comes to the
        same one and fails there. Four attempts of one task that fail so end the job
        (`mapreduce.map.maxattempts`, `mapreduce.reduce.maxattempts`).

    What it does not prove
        Which record it was: the stack names a line of code, and no line of the input.

    What to change
        Look at what the line of code takes for granted, guard it, and count what is left out
        (`context.getCounter(...).increment(1)`). Memory is of no use.

    What would tell more
        The split in the log of the attempt (`Processing split:`) names the file; a `try` around
        that line which logs the record names that.
    """
    death = evidence.death
    if death.kind != "not-memory" or not is_of_a_task(evidence):
        return None
    if evidence.place not in _OF_RECORDS:
        return None
    found = _ERROR.search("\n".join((death.evidence, *death.chain)))
    where = code_that_asked(evidence)
    if found is None or where is None:
        return None
    what = _WORDS[found["name"]]
    if _WITH_A_COMMA.search(found[0]):
        what = (
            "a number with a comma, which Java's own parsers do not take (NumberFormat of a locale "
            "that has it does)"
        )
    return Reading(
        f"Code of the job, or of a library in its jar, threw {found[0].strip()}, in {where}: "
        f"{what}. As a rule each attempt comes to the same record and fails "
        "there, so that neither more attempts nor more memory help: guard that line, and count "
        "what is left out.",
        "proves",
        "the line Processing split: in the log of the attempt names the file; a try around that "
        "line of code which logs the record names that.",
    )


MESSAGES = (user_code_threw,)
