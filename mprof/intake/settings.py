"""Values of settings that a text gives in passing: in sentences, fragments, commands and sessions.

Somebody who asks about a death writes down with which settings the job ran, in many forms::

    I set mapreduce.reduce.memory.mb to 4096           a sentence
    <name>io.sort.mb</name>  <value>400</value>        a part of a file
    set hive.tez.container.size=4096;                  a session of Hive, of Pig without the sign
    hadoop jar ... -D mapreduce.map.memory.mb=2048     a command, of Spark with --executor-memory
    conf.setInt("mapreduce.task.io.sort.mb", 400)      code of the job
    spark.executor.memory 4g                           a file of Spark, or a table
    export HADOOP_CLIENT_OPTS="-Xmx4g"                 an environment

What they tried, want, are advised to do or did later was not in force when the task died: such a
value is not used (``in_force``), and neither is a property with two values. Both are kept with the
reason, because then nobody may say that the value is not known.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from mprof.history.deprecated import NEW_NAMES
from mprof.intake.by_number import of_fractions, of_pairs, raised, taken_back
from mprof.intake.forms import MAY_STATE, WAS, pairs_in
from mprof.intake.in_force import (
    NOT_ENGLISH,
    is_of_others,
    is_proposed,
    is_wanted,
    led_out_of_force,
    may_be_tried,
    out_of_force,
)
from mprof.intake.misspelt import meant_by, misspelt
from mprof.intake.orders import is_an_order, reproduces
from mprof.intake.outcomes import Outcome, is_of_a_trial, outcome_of, was_followed
from mprof.intake.rows import A_COMMAND, LOGGED, OF_ADVICE, PROMPT, SENTENCES, own_columns, rows_in
from mprof.intake.sentences import is_of_a_log
from mprof.intake.shown import COMMAND_LINE, counted_in, logged, of_a_jvm, of_answers, of_looks
from mprof.intake.sides import CONTAINER_SIZE, XMX
from mprof.intake.stated import (
    DIED_TOO,
    OF_A_COMMAND,
    OF_A_SESSION,
    OF_ANOTHER_RUN,
    TWO_VALUES,
    WENT_THROUGH,
    Row,
    Stated,
)
from mprof.intake.tables import changes_in_tables, overrides_in_tables, rows_of_tables
from mprof.intake.unread_values import (
    BEHIND_ARGUMENTS,
    FINAL,
    IS_FINAL,
    NO_SUCH_NAME,
    OF_DRIVERS,
    READS_NO_OPTIONS,
    STANDING_BEFORE,
    TOO_LATE,
    is_behind_arguments,
    is_not_read,
    reads_no_options,
)
from mprof.intake.values import ENGINES, NAME, OPTIONS, PLAIN, QUOTE, VALUE, WHOLE, as_hadoop_reads
from mprof.intake.voices import heads_trials

__all__ = ["is_elsewhere", "is_remedy", "is_wished", "stated_in"]

_IN_XML: Final = re.compile(
    rf"<name>\s*(?P<name>{NAME})\s*</name>\s*<value>\s*(?P<value>{OPTIONS}|{PLAIN})\s*</value>"
)
# a heap that is for a server, or goes into its options, whichever line says so
_FOR_A_SERVER: Final = re.compile(
    r"\S*[\"'`]?\s+(?:(?:for|in|of|to|into) (?:the |our |your |my )?)"
    r"(?:(?:[nN]ame|[dD]ata)\s?[nN]ode|NN\b|DN\b|(?:[nN]ode|[rR]esource)\s?[mM]anager|NM\b|RM\b|"
    r"[A-Z]+_(?:NAMENODE|DATANODE|NODEMANAGER|RESOURCEMANAGER|JOBTRACKER|TASKTRACKER)_OPTS\b)"
)

_COMMENTED: Final = re.compile(r"\s*(?:#|//|-- )")


def is_elsewhere(one: Stated) -> bool:
    """Whether nobody is told to have run here with a value."""
    if one.why_not in {OF_ANOTHER_RUN, WENT_THROUGH}:
        return True
    return not one.outcome and is_of_others(one.why_not.strip('"'))


def is_remedy(one: Stated) -> bool:
    """Whether the words beside a value give it as a remedy, and nothing tells of a run with it."""
    return not one.outcome and is_proposed(one.why_not.strip('"'))


def is_wished(why_not: str) -> bool:
    """Whether the words beside a value want it, suppose it or ask for it."""
    return is_wanted(why_not.strip('"'))


def stated_in(lines: Iterable[tuple[int, str]]) -> tuple[Stated, ...]:
    """The settings that lines state: of each property that in force, and all that are doubtful.

    Args:
        lines: each with its number, in order.

    >>> [one.value for one in stated_in([(1, "I set mapreduce.map.memory.mb to 4096")])]
    ['4096']
    >>> [one.why_not for one in stated_in([(1, "We tried mapreduce.map.memory.mb=4096.")])]
    ['"tried"']
    """
    numbered = [
        *rows_of_tables([*own_columns(changes_in_tables([*overrides_in_tables([*lines])]))])
    ]
    if not any(MAY_STATE.search(line) for _, line in numbered):
        return ()
    rows = [*rows_in(numbered)]
    not_parsed = reads_no_options([line for _, line in numbered])
    finals = {name for _, line in numbered for name in FINAL.findall(line)}
    by_name: dict[str, list[Stated]] = {}
    given = [*_of_xml(rows), *_of_lines(rows)]
    for one in (
        *given,
        *of_pairs(rows, given),
        *of_fractions(rows),
        *of_answers(numbered),
        *of_looks(numbered),
        *misspelt(rows),
        *taken_back(rows, given),
        *raised(rows),
    ):
        if (near := meant_by(one.name)) is not None:
            one = replace(one, why_not=f"{NO_SUCH_NAME}{near}")
        if one.in_command and not_parsed:
            behind = STANDING_BEFORE if one.why_not == BEHIND_ARGUMENTS else ""
            one = replace(one, why_not=f"{READS_NO_OPTIONS}{behind}")
        if one.rank > 0 and one.name in finals:
            one = replace(one, why_not=IS_FINAL)
        if one.rank == OF_A_SESSION and OF_DRIVERS.fullmatch(one.name):
            one = replace(one, why_not=TOO_LATE)
        by_name.setdefault(NEW_NAMES.get(one.name, one.name), []).append(one)
    return tuple(one for same in by_name.values() for one in _in_force(same))


def _in_force(same: Sequence[Stated]) -> Sequence[Stated]:
    """Of several values of a property that which goes before the others.

    A session or a script goes before the command that starts it, and that before files; of a script
    the last value counts. Where two are left, or none that was in force, all of them, with why they
    are not used.
    """
    passed = {one.value for one in same if one.outcome == "passed"}
    same = [  # with another value beside it: what it died with alone is another run
        replace(one, why_not=DIED_TOO)
        if one.outcome == "died" and one.value in passed and not one.why_not
        else one
        for one in same
    ]
    sure = [one for one in same if not one.why_not]
    highest = max((one.rank for one in sure), default=0)
    asked = [one for one in sure if one.rank == highest]
    if highest == OF_A_SESSION and len({one.fragment for one in asked}) == 1:
        asked = asked[-1:]
    if len({one.value for one in asked}) > 1:  # with some of which it was tried, and died as well
        asked = [one for one in asked if one.outcome != "died"] or asked
    kept = {one.value for one in asked}
    same = [
        replace(one, why_not=DIED_TOO)
        if one.outcome == "died" and one.value not in kept and not is_not_read(one.why_not)
        else one
        for one in same
    ]
    values = {one.value for one in asked}
    if len(values) == 1:
        return [*asked[:1], *(one for one in same if one.why_not and one.value not in values)]
    # of a value that died and went through both are told
    first = {(one.value, one.outcome): one for one in reversed(asked or same)}
    return [replace(one, why_not=one.why_not or TWO_VALUES) for one in reversed(first.values())]


def _of_xml(rows: Sequence[Row]) -> Iterator[Stated]:
    """Of elements of a configuration, however they are broken into lines."""
    if not any("<name>" in row.line for row in rows):
        return
    text = _without_comments("\n".join(row.line for row in rows))
    ends = [at for at, character in enumerate(text) if character == "\n"]
    for found in _IN_XML.finditer(text):
        row = rows[bisect_left(ends, found.start())]
        yield from _stated(found["name"], found["value"], row)


def _without_comments(text: str) -> str:
    """The text with the ends of lines alone in place of each comment that is closed."""
    parts, at = [], 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin)) >= 0:
        parts += [text[at:begin], "\n" * text.count("\n", begin, end)]
        at = end + len("-->")
    return "".join(parts) + text[at:]


def _of_lines(rows: Sequence[Row]) -> Iterator[Stated]:
    for row, next_one in zip(rows, [*rows[1:], None], strict=True):
        line = row.line
        if MAY_STATE.search(line) is None or "<name>" in line:
            continue
        if _COMMENTED.match(line) and not row.row:
            continue
        if LOGGED.match(line):  # a server may quote the settings of another process
            yield from logged(row)
            continue
        shown = COMMAND_LINE.search(line)
        if shown is not None:
            yield from of_a_jvm(shown, row)
            continue
        yield from counted_in(row)
        for sentence in SENTENCES.split(line):
            error = _AN_ERROR.search(sentence) if is_of_a_log(line) else None
            for name, value, at in pairs_in(sentence):
                if error is not None and error.end() <= at:
                    continue  # in the message of an error, which nobody set
                if name == XMX and next_one is not None:
                    goes_on = " ".join(f"{sentence} {next_one.line.lstrip('> ')}".split())
                    of_it = goes_on.find(value)
                    if of_it >= 0 and _FOR_A_SERVER.match(goes_on, of_it):
                        continue
                if name == XMX and (introduced := _OPTIONS_ABOVE.fullmatch(row.above)) is not None:
                    name = introduced["name"]
                yield from _stated(name, value, row, sentence, at)


# a name by itself, and below it the options that it has, had or may have
_OPTIONS_ABOVE: Final = re.compile(rf"\W*(?P<name>{WHOLE})(?<=opts)\W*")
_AN_ERROR: Final = re.compile(r"\b(?:[a-z]\w{0,60}\.){2,12}[A-Z]\w{0,100}(?:Exception|Error): ")


def _stated(name: str, value: str, row: Row, sentence: str = "", at: int = 0) -> Iterator[Stated]:
    read = as_hadoop_reads(name, value)
    if read is None:
        return
    in_command = f"-D{name}=" in row.line.replace("-D ", "-D")
    is_named = name in {XMX, CONTAINER_SIZE} or name in row.line
    rank = -1 if not is_named else OF_A_COMMAND if in_command or _BY_COMMAND.search(row.line) else 0
    rank = OF_A_SESSION if _BY_SESSION.search(row.line) else rank
    as_answered = row.asked == name  # by the session
    is_typed = PROMPT.match(row.line) is not None
    against = None if as_answered or is_typed else _against(row, sentence, at)
    why_not = f'"{against}"' if against and against != NOT_ENGLISH else against or ""
    if (name in {XMX, CONTAINER_SIZE} or not is_named) and against and is_wanted(against):
        return  # a size that nobody has set, and of which property it would be
    outcome: Outcome = ""
    if row.row or not (as_answered or is_typed or is_of_a_log(row.line)):
        outcome = _outcome(name, value, row, sentence, at, against)
    if outcome == "shown":
        why_not, outcome = "", ""
    elif outcome == "passed":
        why_not = WENT_THROUGH
    elif outcome == "died" and is_typed:
        why_not = DIED_TOO  # the first one is that whose end is told
    if in_command and is_behind_arguments(row.line, name):
        why_not, outcome = BEHIND_ARGUMENTS, ""
    was = _was(name, value, row, sentence, at)
    yield Stated(name, read, row.number, in_command, why_not, rank, row.fragment, outcome, was)
    if outcome == "passed" and was:  # with which it had died
        yield Stated(name, was, row.number, in_command, rank=rank, fragment=row.fragment)


_FURTHER: Final = re.compile(
    rf"(?:[\s,;]{{1,3}}(?:and\s+)?(?:-D\s?)?{ENGINES}\.[\w.-]{{1,60}}\s?[=:]?\s?(?:{OPTIONS}|{PLAIN}))+"
)


def _was(name: str, value: str, row: Row, sentence: str, at: int) -> str | None:
    """What a property had before, as the words right beside its value say."""
    begin = max(row.line.find(sentence), 0) + at if sentence else 0
    end = row.line.find(value, begin)
    if end < 0:
        return None
    from_one = re.search(rf"\bfrom\s+{QUOTE}{VALUE}{QUOTE}\s+to\s+{QUOTE}$", row.line[begin:end])
    end_of_value = end + len(value.rstrip())
    further = _FURTHER.match(row.line, end_of_value)
    behind = WAS.match(row.line, end_of_value)
    if behind is None and further is not None:
        behind = WAS.match(row.line, further.end())
    if from_one is None and behind is None:
        return None
    if behind is not None and behind["unset"]:
        return ""
    found = behind or from_one
    values = (found["value"], behind["second"] if behind is not None else None) if found else ()
    read = (as_hadoop_reads(name, one) for one in values if one is not None)
    return next((one for one in read if one is not None), None)


def _outcome(
    name: str, value: str, row: Row, sentence: str, at: int, against: str | None
) -> Outcome:
    """What became of a run with the value, as the words around it say."""
    begin = row.line.find(sentence) if sentence else 0
    end = row.line.find(value, max(begin, 0) + at)
    if row.row and may_be_tried(against):
        return row.row
    if end < 0 or name == CONTAINER_SIZE:
        return ""
    if "<name>" in row.line and not is_of_a_trial(row.above):
        return ""  # of a file, which nobody has tried for itself
    end += len(value.rstrip())
    if (further := _FURTHER.match(row.line, end)) is not None:  # of the same run
        end = further.end()
    if (was := WAS.match(row.line, end)) is not None:
        end = was.end()
    before = f"{row.above} {row.line[max(begin, 0) : end]}"
    behind = f"{row.line[end:]} {row.behind}"
    # of what stands in a section of advice alone, the sentence may tell of a run all the same
    if not (may_be_tried(against) or against == OF_ADVICE or was_followed(behind)):
        return ""
    return outcome_of(before, behind)


_BY_COMMAND: Final = re.compile(r"--(?:hiveconf|conf|executor-memory|driver-memory)\b")
# a line of a session or a script, and a call in the code of the job
_BY_SESSION: Final = re.compile(
    rf"^\W{{0,4}}(?:{PROMPT.pattern})?(?i:set)\s+[\"'`]?{ENGINES}\.|"
    r"\.(?:set(?:Int|Long|Float|Strings)?|config)\(\s*\""
)


_IS_SAID: Final = re.compile(rf"\W*{WHOLE}{QUOTE} is (?:now |still )?\S")


# names of settings, and the address before those that stand in one: jdbc:hive2://HOST/DATABASE?
_OF_NO_SENTENCE: Final = re.compile(
    rf"(?:{MAY_STATE.pattern})|[a-z][\w+:]{{1,30}}://[^\s?;]{{1,300}}"
)


def _against(row: Row, sentence: str, at: int) -> str | None:
    """The words by which a value was not in force: in its sentence, or else in what is above."""
    own = None
    if not A_COMMAND.match(sentence):
        if row.begun and row.line.lstrip().startswith(sentence.lstrip()):
            sentence, at = f"{row.begun} {sentence}", at + len(row.begun) + 1
        plain = _OF_NO_SENTENCE.sub(lambda one: " " * len(one[0]), sentence)
        own = out_of_force(plain, at)
        if is_an_order(own) and reproduces(row.above):
            own = None
        if is_an_order(own) and heads_trials(row.above):
            return "tried"
        if own != "" and row.supposed:
            return row.supposed
        if own is None and _IS_SAID.match(sentence):
            return None  # a statement by itself, which nothing above introduces
    elif row.supposed == OF_ADVICE:
        return row.supposed
    return led_out_of_force(MAY_STATE.sub(" ", row.above)) if own is None else own
