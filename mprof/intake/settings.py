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
from itertools import pairwise
from typing import Final

from mprof.history.deprecated import NEW_NAMES
from mprof.intake.by_number import BACK, of_fractions, of_pairs, raised, taken_back
from mprof.intake.commands import typed_again
from mprof.intake.in_force import (
    NOT_ENGLISH,
    is_of_others,
    is_wanted,
    led_out_of_force,
    may_be_tried,
    out_of_force,
)
from mprof.intake.orders import goes_on, is_an_order, reproduces, supposition_in
from mprof.intake.outcomes import (
    Outcome,
    is_of_a_trial,
    outcome_of,
    outcomes_of_rows,
    was_followed,
)
from mprof.intake.sentences import is_of_a_log, tells_of_an_end
from mprof.intake.sides import (
    CONTAINER_SIZE,
    OF_ANOTHER_PROCESS,
    XMX,
    side_beside,
    sizes_of_sides,
)
from mprof.intake.spelling import spelled_out
from mprof.intake.stated import (
    DIED_TOO,
    OF_A_COMMAND,
    OF_A_PROCESS,
    OF_A_SESSION,
    OF_ANOTHER_RUN,
    TWO_VALUES,
    WENT_THROUGH,
    Row,
    Stated,
)
from mprof.intake.tables import changes_in_tables, rows_of_tables
from mprof.intake.values import (
    ENGINES,
    HEAP_OPTION,
    NAME,
    OPTIONS,
    PLAIN,
    QUOTE,
    VALUE,
    WHOLE,
    as_hadoop_reads,
)
from mprof.trace import refused_in

__all__ = ["is_elsewhere", "is_not_read", "is_wished", "stated_in"]

# the forms in which nothing but a setting stands
_FORMS: Final = tuple(
    re.compile(one)
    for one in (
        rf"(?P<value>{HEAP_OPTION}) (?:in|for|as) {QUOTE}(?P<name>{WHOLE})",
        # an assignment: of a command, a session, a file of properties, a table
        rf"(?P<name>{WHOLE}){QUOTE}\s*[=:|]\s*{QUOTE}{VALUE}",
        # org.apache.hadoop.conf.Configuration.set and its like
        rf"\.(?:set(?:Int|Long|Float|Strings)?|config)\(\s*\"(?P<name>{WHOLE})\"\s*,\s*\"?{VALUE}",
        rf"(?i:\bset)\s+{QUOTE}(?P<name>{WHOLE}){QUOTE}\s+[\"']?{VALUE}",  # Pig
        rf"^\W{{0,4}}(?P<name>{WHOLE}){QUOTE}\s+{QUOTE}{VALUE}{QUOTE}\W{{0,3}}$",
    )
)
_SENTENCE: Final = re.compile(
    rf"(?P<name>{WHOLE}){QUOTE}\s+(?:(?:is|are|was|were|has|have|had|been|currently|already|here|"
    rf"both|set|configured|value)\s+){{0,5}}(?:from\s+{QUOTE}\S{{1,40}}\s+)?"
    rf"(?:(?:to|at|as|is|of)\s+)?{QUOTE}{VALUE}"
)
_IN_XML: Final = re.compile(
    rf"<name>\s*(?P<name>{NAME})\s*</name>\s*<value>\s*(?P<value>{OPTIONS}|{PLAIN})\s*</value>"
)
# of the process that died, whichever property sets them
_BARE: Final = (
    re.compile(
        rf"(?<![\w=:.\-\"'])(?P<value>(?:-XX:[\w:+\-=./%]+\s+)*{HEAP_OPTION}\b(?:\s+-XX:[\w:+\-=./%]+\w)*)"
    ),
    # a heap that somebody gives, not one that a report found in use
    re.compile(
        r"\b(?:have|has|had|with|gave|give|get|gets|got|to|of) (?:a |an |only |each )*"
        r"(?P<heap>\d{1,6} ?[mMgG][bB]?) (?:of )?(?:java |JVM )?heap\b"
        r"(?! (?:is |was )?(?:used|in use|left|free))"
    ),
    re.compile(
        r"\b[cC]ontainers?(?: size| memory)?(?: of| is| are| has| have| with|:|=)? "
        r"(?P<value>\d{1,6}(?:\.0)? ?[mMgG][bB]?)\b(?! (?:was|were|exceed))"
    ),
    re.compile(r"(?<![\w.])(?P<value>\d{1,6} ?[mMgG][bB]) [cC]ontainers?\b"),
)
# a heap that is for a server, or goes into its options, whichever line says so
_FOR_A_SERVER: Final = re.compile(
    r"\S*[\"'`]?\s+(?:(?:for|in|of|to|into) (?:the |our |your |my )?)"
    r"(?:(?:[nN]ame|[dD]ata)\s?[nN]ode|NN\b|DN\b|(?:[nN]ode|[rR]esource)\s?[mM]anager|NM\b|RM\b|"
    r"[A-Z]+_(?:NAMENODE|DATANODE|NODEMANAGER|RESOURCEMANAGER|JOBTRACKER|TASKTRACKER)_OPTS\b)"
)
_OF_A_MASTER: Final = re.compile(r"\bAM\b|\b[aA]pp(?:lication)?[ -]?[mM]aster\b")
_OF_A_TASK: Final = re.compile(r"(?i)\b(?:map|reduc)(?:per|er|e)?s?\b")
# of a value that was changed, and changed again
_CHANGED: Final = re.compile(
    rf"{QUOTE}\s{{0,3}}(?:\([^()]{{1,20}}\)\s{{0,3}})?(?:->|=>|\u2192)\s{{0,3}}{QUOTE}{VALUE}"
)
# org.apache.hadoop.mapreduce.JobResourceUploader, JobSubmitter, and JobClient of Hadoop 1
_NOT_PARSED: Final = re.compile(
    r"Hadoop command-line option parsing not performed|Use GenericOptionsParser for parsing the"
)
_OF_A_DRIVER: Final = re.compile(r"\b(?:hadoop|yarn)\s+jar\b")
_OF_A_SCRIPT: Final = re.compile(r"\W*(?:pig|hive|beeline|sqoop|oozie|mahout)\s")
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
# org.apache.spark.deploy.SparkSubmitArguments
_OF_SUBMIT: Final = re.compile(
    r"--(executor-memory|driver-memory|executor-cores)[ =]\s*(\d{1,9}[kKmMgGtT]?)\b"
)
_SUBMIT_NAMES: Final = {
    "executor-memory": "spark.executor.memory",
    "driver-memory": "spark.driver.memory",
    "executor-cores": "spark.executor.cores",
}
# hadoop-env.sh, yarn-env.sh, mapred-env.sh
_ENVIRONMENT: Final = re.compile(
    r"\b(?P<name>HADOOP_(?:CLIENT_OPTS|OPTS|HEAPSIZE(?:_MAX)?)|YARN_(?:NODEMANAGER|RESOURCEMANAGER)_OPTS"
    r"|HADOOP_JOB_HISTORYSERVER_HEAPSIZE|YARN_HEAPSIZE)=[\"']?"
    rf"(?P<value>{OPTIONS}|\d{{1,9}}[kKmMgG]?)"
)
_MAY: Final = re.compile(
    rf"{ENGINES}\.[\w.-]+|--(?:executor|driver)-memory|--executor-cores|HEAPSIZE|_OPTS=|-Xmx\d|"
    r"\b[cC]ontainers?\b|\d ?[mMgG][bB]? (?:of )?(?:java |JVM )?heap\b|"
    r"\b[hH]eaps?\b(?=.{0,80}?\d ?[mMgG]?)|\b(?:map|reduc)(?:per|er|e)?s? memory\b|"
    r"YarnAllocator: Will request|Total input |GC time elapsed|CPU time spent|"
    r"Reduce (?:shuffle|input) |"
    r"Memory usage of ProcessTree|"
    r"(?:max user|Max) processes|MemoryStore started|\bulimit\b|\bnproc\b|TasksMax|pids\.max|"
    r"\bps -| -count\b"
)
"""A line without it states nothing."""

_PROMPT: Final = re.compile(
    r"\s*(?:hive(?: \([\w.]+\))?>|grunt>|\d+: jdbc:hive2?:\S*>|beeline>|scala>|>>>|"
    r"(?:\[?[\w.-]{1,64}@[\w.-]{1,64}[^\]$#]{0,80}\]?)?[$]) "
)
_ASKS: Final = re.compile(rf"{_PROMPT.pattern}(?i:set)\s+([\w.-]+)\s*;?\s*$")
_COMMENTED: Final = re.compile(r"\s*(?:#|//|-- )")
_SENTENCES: Final = re.compile(
    r"(?<=[.!?;])\s+(?=[A-Z\"'`(])|"
    # of those who write no capitals
    r"(?<=[a-z\d)]{3}[.?!])(?<!approx\.)(?<!resp\.)(?<!incl\.)(?<!etc\.)(?<!max\.)(?<!min\.)"
    r"\s+(?=[a-z])|"
    rf"(?:(?<=\d\.)|(?<=\w\w[.?!]))\s+(?={ENGINES}\.\w)|"  # and not behind e.g.
    r",?\s(?=(?:but|however|yet|and still)\b)"
)
_LOGGED: Final = re.compile(
    r"\s*\[?\d{2,4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d|\s+at \S+\(|\s*\|- |"
    r"\s*(?:[a-z]\w*\.){2,}[A-Z]\w*(?:Exception|Error)\b"
)
# MapTask.MapOutputBuffer, of the task's own sort buffer, in the log of the JVM that ran it
_OF_THE_TASK: Final = re.compile(
    r"\bmapred\.MapTask: (?P<name>(?:mapreduce\.task\.)?io\.sort\.mb)(?: =|:) (?P<value>\d{1,4})$"
)
# org.apache.spark.storage.memory.MemoryStore
_STORE: Final = re.compile(r"\bMemoryStore started with capacity (\d{1,9}\.\d [MG])i?B\b")
# counters of a task or a job, as the client prints them and pages have them
_COUNTED: Final = re.compile(
    r"\b(GC time elapsed|CPU time spent) \(ms\)[ =:\t|]{1,20}(\d[\d,]{0,18})"
)
# a row of counters of two tasks beside each other, as pages of tasks have them
_OF_TWO: Final = re.compile(
    r"^\W*(Reduce (?:shuffle bytes|input records))[ \t|:]+(\d[\d,]{0,20})"
    r"(?:[ \t]{2,}|[ \t]*[|\t][ \t]*)(\d[\d,]{0,20})\W*$"
)
# FileInputFormat.listStatus of either API
_LISTED: Final = re.compile(
    r"\bFileInputFormat: Total input (?:paths|files) to process : (\d{1,9})\b"
)
# org.apache.spark.deploy.yarn.YarnAllocator
_OF_EXECUTORS: Final = re.compile(
    r"\bYarnAllocator: Will request .{0,200}? (\d{1,9}) MB memory,? "
    r"\(?including (\d{1,9}) MB of overhead"
)
# bash, ulimit -a; proc(5), /proc/PID/limits
_OF_USER: Final = re.compile(
    r"\bmax user processes\s+\(-u\)\s+(\d{1,9})\b|\bMax processes\s+(\d{1,9})\s+\S+\s+processes\b"
)
# a command whose answer is a number on the next line, and what that is; ulimit -a gives it by name
_COUNTS: Final = (
    (re.compile(r"[$#>] .*?\bulimit -\w*u\b|^\s*ulimit -u\b"), "ulimit -u"),
    (
        re.compile(
            r"[$#>] .*?\bps (?=[^|]*-\w*L)(?:[^|]*-u ?\w[^|]*|[^|]*\| ?awk [^|]*\$1 ?==[^|]*|"
            r"[^|]*\| ?grep \^?\w[^|]*)\| ?wc -l"
        ),
        "threads of the user",
    ),
    # hdfs dfs -count: folders, files, bytes, path
    (re.compile(r"\b(?:hdfs dfs|hadoop fs) -count\b"), "files of a folder"),
)
_A_NUMBER: Final = re.compile(
    r"\s*(?:\d{1,9}\s+(?=\d{1,9}\s+\d{1,18}\s+\S*/))?(\d{1,9})(?:\s+\d{1,18}\s+\S*/\S*)?\s*$"
)
_A_COMMAND: Final = re.compile(
    r"\s*(?:[\w./-]*/)?(?:hadoop|yarn|mapred|hive|pig|sqoop|spark-submit|spark-shell|pyspark|hbase|"
    r"mahout|export|set|SET)\s"
)
# the command line of a running JVM, as ps and /proc show it, by its main class: what its last -Xmx
# is of (YarnChild or Child of a map or reduce task, MRAppMaster, RunJar of hadoop jar, FsShell of
# hadoop fs, SparkSubmit of Spark)
_COMMAND_LINE: Final = re.compile(
    rf"\bjava\b.*?{HEAP_OPTION}\b.*\borg\.apache\.(?:hadoop\.(?:mapred\.YarnChild \S+ \d+ "
    r"attempt_\d+_\d+_(?P<side>[mr])_|mapred\.(?P<child>Child) \S+ \d+ attempt_\d+_\d+_[mr]_|"
    r"util\.(?P<client>RunJar)\b|(?P<shell>fs\.FsShell)\b|"
    r"mapreduce\.v2\.app\.(?P<master>MRAppMaster)\b)|"
    # in cluster mode it is none
    r"spark\.deploy\.(?P<driver>SparkSubmit)\b.*(?:pyspark-shell|spark-shell|mode[ =]client))"
)
_LAST_XMX: Final = re.compile(rf"(?<=\s){HEAP_OPTION}(?=\s)")
_RUNS: Final = re.compile(
    r"(?<![.\w])java(?![.\w]).*\s-|_OPTS\b|\bexport\b|</?value>|heap size|\|- |\[pid="
)
_NEAR: Final = 2  # lines, blank ones among them, between a fragment and what introduces it
# a record of some program, whatever its words are: ]], Vertex did not succeed, failedTasks:1
_OF_A_REPORT: Final = re.compile(r"^\W*\]|\w[:=]\w")
_POINTS: Final = re.compile(r"(?i)\b(?:this|these|following|below)\b")


_BEHIND_ARGUMENTS: Final = (
    "it stands behind the program's own arguments, where Hadoop reads no options"
)
_IS_FINAL: Final = "Hadoop logs that a file of the cluster sets it as final, and ignores this"
_READS_NO_OPTIONS: Final = (
    "Hadoop warns that the driver does not parse its command-line options; one that implements "
    "Tool and runs through ToolRunner does"
)
_STANDING_BEFORE: Final = ", where they stand before the program's own arguments"
_TOO_LATE: Final = (
    "the program sets it, and the driver that runs the program has its heap by then; "
    "--driver-memory of spark-submit or PYSPARK_SUBMIT_ARGS sets it in time"
)
_OF_DRIVERS: Final = re.compile(r"spark\.(?:yarn\.)?driver\.(?:memory\w*|extraJavaOptions)")
_NO_SUCH_NAME: Final = "no property has that name, and nothing reads it; the nearest is "
_NOT_READ: Final = (_BEHIND_ARGUMENTS, _IS_FINAL, _READS_NO_OPTIONS, _TOO_LATE, _NO_SUCH_NAME)
_SIZES: Final = (
    "mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb", "mapreduce.map.java.opts",
    "mapreduce.reduce.java.opts", "mapred.child.java.opts", "mapreduce.task.io.sort.mb",
    "yarn.app.mapreduce.am.resource.mb", "yarn.app.mapreduce.am.command-opts",
    "hive.tez.container.size", "hive.tez.java.opts", "tez.am.resource.memory.mb",
    "mapred.map.child.java.opts", "mapred.reduce.child.java.opts", "spark.executor.memory",
    "spark.driver.memory", "spark.executor.memoryOverhead", "spark.driver.memoryOverhead",
    "spark.yarn.executor.memoryOverhead", "spark.yarn.driver.memoryOverhead",
)  # fmt: skip
"""What people set a size by, and may misspell."""
_LIKE_THEM: Final = frozenset({
    *_SIZES, *NEW_NAMES, *NEW_NAMES.values(), "tez.task.resource.memory.mb",
})  # fmt: skip
"""Names near those that are properties as well."""
_A_PAIR: Final = re.compile(
    rf"(?:(?<=-D)|(?<![\w.\-/]))(?P<name>{ENGINES}\.[\w-]{{1,30}}(?:\.[\w-]{{1,30}}){{1,6}})"
    rf"[\"'`]?\s?(?:=|,|</name>\s*<value>)\s?[\"']?{VALUE}"
)


def is_not_read(why_not: str) -> bool:
    """Whether Hadoop itself did not take a value, which was then tried by nobody."""
    return why_not.startswith(_NOT_READ)


def is_elsewhere(one: Stated) -> bool:
    """Whether nobody is told to have run here with a value."""
    if one.why_not in {OF_ANOTHER_RUN, WENT_THROUGH}:
        return True
    return not one.outcome and is_of_others(one.why_not.strip('"'))


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
    numbered = [*rows_of_tables([*_own_columns(changes_in_tables([*lines]))])]
    if not any(_MAY.search(line) for _, line in numbered):
        return ()
    rows = [*_rows(numbered)]
    not_parsed = _reads_no_options([line for _, line in numbered])
    finals = {name for _, line in numbered for name in _FINAL.findall(line)}
    by_name: dict[str, list[Stated]] = {}
    given = [*_of_xml(rows), *_of_lines(rows)]
    for one in (
        *given,
        *of_pairs(rows, given),
        *of_fractions(rows),
        *_of_answers(numbered),
        *_looks(numbered),
        *_misspelt(rows),
        *taken_back(rows, given),
        *raised(rows),
    ):
        if (near := _meant_by(one.name)) is not None:
            one = replace(one, why_not=f"{_NO_SUCH_NAME}{near}")
        if one.in_command and not_parsed:
            behind = _STANDING_BEFORE if one.why_not == _BEHIND_ARGUMENTS else ""
            one = replace(one, why_not=f"{_READS_NO_OPTIONS}{behind}")
        if one.rank > 0 and one.name in finals:
            one = replace(one, why_not=_IS_FINAL)
        if one.rank == OF_A_SESSION and _OF_DRIVERS.fullmatch(one.name):
            one = replace(one, why_not=_TOO_LATE)
        by_name.setdefault(NEW_NAMES.get(one.name, one.name), []).append(one)
    return tuple(one for same in by_name.values() for one in _in_force(same))


def _reads_no_options(lines: Sequence[str]) -> bool:
    """Whether the job's own driver left the options of its command unread, as Hadoop warns.

    Pig and Hive read theirs themselves, and the same is logged.
    """
    warned = any(_NOT_PARSED.search(line) for line in lines)
    of_driver = warned and any(_OF_A_DRIVER.search(line) for line in lines)
    return of_driver and not any(_OF_A_SCRIPT.match(line) for line in lines)


# org.apache.hadoop.conf.Configuration.loadProperty
_FINAL: Final = re.compile(r"an attempt to override final parameter: ([\w.-]{1,200});")


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


def _own_columns(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines; of a table without the columns that its head says are of others."""
    others: list[int] = []
    for number, line in lines:
        cells = line.strip().split("|")
        if len(cells) < (_LEAST_CELLS if not cells[0] else _LEAST_OPEN):
            others = []
        elif not others and _MAY.search(line) is None:
            heads = enumerate(cells)
            others = [at for at, one in heads if len(one) <= _HEAD and _OF_OTHERS.search(one)]
        if others:
            line = "|".join(cell for at, cell in enumerate(cells) if at not in others)
        spelled = spelled_out(line)
        yield number, line if is_of_a_log(spelled) else spelled


_LEAST_CELLS: Final = 5  # |name|default|mine|, with what stands before and behind
_LEAST_OPEN: Final = 3  # name | default | what it does, without a bar before the first
_HEAD: Final = 40  # characters of a cell, above which it is no head of a column


def _rows(lines: Iterable[tuple[int, str]]) -> Iterator[Row]:
    """Lines with what stands above them.

    The lines of a fragment follow one another; what stands right above the first introduces all.
    A sentence that has come to its end introduces nothing below a blank line, unless it points
    there; and one that gives values itself introduces nothing. What introduces a list introduces
    each item of it.
    """
    above, blank, asked, fragment, begun, supposed = "", 0, "", 0, "", ""
    lines = [*lines]
    plain = [line for _, line in lines]
    outcomes = {**outcomes_of_rows(plain), **typed_again(plain)}
    for at, (number, line) in enumerate(lines):
        if line.strip() and not _of_a_fragment(line):
            fragment += 1
        behind = _behind(lines, at) if _MAY.search(line) else ""
        row = outcomes.get(at, "")
        yield Row(number, line, above, fragment, asked, behind, row, begun, supposed)
        begun = _begun(begun, line, plain[at + 1] if at + 1 < len(plain) else "")
        supposed = (supposition_in(line) or supposed) if line.strip() else ""
        typed = _ASKS.match(line)
        asked = typed[1] if typed is not None else "" if line.strip() else asked
        blank = 0 if line.strip() else blank + 1
        if blank:
            is_over = above.endswith((".", "!", "?")) and not _POINTS.search(above)
            above = above if blank <= _NEAR and not is_over else ""
        elif not _of_a_fragment(line) and not (above and _ITEM.match(line)):
            sentence = _SENTENCES.split(line.strip())[-1]
            is_none = is_of_a_log(line) or _OF_A_REPORT.search(sentence) or any(_pairs(sentence))
            is_none = is_none or bool(refused_in([line]))
            is_none = is_none or (tells_of_an_end(line) and not line.rstrip().endswith(":"))
            above = "" if is_none else sentence


def _begun(begun: str, line: str, below: str) -> str:
    """What a line, and those above it, have of the sentence that goes on below; "" of none."""
    if _of_a_fragment(line) or is_of_a_log(line) or is_of_a_log(below):
        return ""
    if not goes_on(line, below):
        return ""
    parts = _SENTENCES.split(line.strip())
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
        elif BACK.search(line) or (not _of_a_fragment(line) and any(_pairs(line))):
            break  # what somebody goes on with is of that value
        elif said or not _of_a_fragment(line):
            said.append(line.strip())
    return " ".join(said)


_ITEM: Final = re.compile(r"\s*(?:[*+\u2022-]|\d{1,2}[.)])\s+\S")


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
        if _MAY.search(line) is None or "<name>" in line:
            continue
        if _COMMENTED.match(line) and not row.row:
            continue
        if _LOGGED.match(line):  # a server may quote the settings of another process
            yield from _logged(row)
            continue
        shown = _COMMAND_LINE.search(line)
        if shown is not None:
            yield from _of_a_jvm(shown, row)
            continue
        two = _OF_TWO.match(line)
        if two is not None:
            both = sorted((int(one.replace(",", "")) for one in two.groups()[1:]), reverse=True)
            yield Stated(f"{two[1]} of two tasks", " and ".join(map(str, both)), row.number)
        for name, number in _COUNTED.findall(line):
            yield Stated(f"{name} (ms)", number.replace(",", ""), row.number)
        of_user = _OF_USER.search(line)
        if of_user is not None:
            yield Stated("ulimit -u", of_user[1] or of_user[2], row.number)
        for sentence in _SENTENCES.split(line):
            error = _AN_ERROR.search(sentence) if is_of_a_log(line) else None
            for name, value, at in _pairs(sentence):
                if error is not None and error.end() <= at:
                    continue  # in the message of an error, which nobody set
                if name == XMX and next_one is not None:
                    goes_on = " ".join(f"{sentence} {next_one.line.lstrip('> ')}".split())
                    of_it = goes_on.find(value)
                    if of_it >= 0 and _FOR_A_SERVER.match(goes_on, of_it):
                        continue
                yield from _stated(name, value, row, sentence, at)


def _misspelt(rows: Sequence[Row]) -> Iterator[Stated]:
    """Sizes that are set under a name which differs from that of a property by a letter or two."""
    for row in rows:
        if _MAY.search(row.line) is None or _LOGGED.match(row.line):
            continue
        for found in _A_PAIR.finditer(row.line):
            if _meant_by(found["name"]) is not None:
                yield Stated(found["name"], found["value"], row.number)


def _meant_by(name: str) -> str | None:
    """The property that was meant by a name which is none; None of one that may be one."""
    if name in _LIKE_THEM:
        return None
    return next((one for one in _SIZES if _differs_little(name, one)), None)


_FEW: Final = 2


def _differs_little(name: str, other: str) -> bool:
    """Whether one becomes the other by few letters that are left out, added or changed.

    By difflib's ratio `mapreduce.map.memory` would be nearer to a name than two wrong letters are.
    """
    if abs(len(name) - len(other)) > _FEW or name[0] != other[0]:
        return False
    row: list[int] = [*range(len(other) + 1)]
    for at, letter in enumerate(name, 1):
        last = row
        row = [at]
        for to, wanted in enumerate(other, 1):
            row.append(min(last[to] + 1, row[-1] + 1, last[to - 1] + (letter != wanted)))
        if min(row) > _FEW:
            return False
    return row[-1] <= _FEW


def _of_answers(lines: Sequence[tuple[int, str]]) -> Iterator[Stated]:
    """What commands that count something have answered, of each the line right below it."""
    for (_, line), (number, below) in pairwise(lines):
        answer = _A_NUMBER.match(below)
        names = (name for words, name in _COUNTS if words.search(line)) if answer else ()
        name = next(iter(names), None)
        if answer is not None and name is not None:
            yield Stated(name, answer[1], number)


# ContainersMonitorImpl, at each look
_OF_A_LOOK: Final = re.compile(
    r"\bMemory usage of ProcessTree \d+ for container-id (container_\w+): "
    r"(\d+(?:\.\d+)? [KMGT]?B of \d+(?:\.\d+)? [KMGT]?B) physical memory used"
)
IN_USE: Final = "physical memory in use at the last look"


def _looks(lines: Sequence[tuple[int, str]]) -> Iterator[Stated]:
    """What the NodeManager saw a container take when it last looked."""
    looks = {
        look[1]: Stated(IN_USE, look[2], number)
        for number, line in lines
        if (look := _OF_A_LOOK.search(line)) is not None
    }
    if len(looks) == 1:  # of several, which of them failed is not told here
        yield from looks.values()


_AN_ERROR: Final = re.compile(r"\b(?:[a-z]\w{0,60}\.){2,12}[A-Z]\w{0,100}(?:Exception|Error): ")


def _of_a_jvm(shown: re.Match[str], row: Row) -> Iterator[Stated]:
    """The heap of a JVM by its command line, which goes before whatever is written elsewhere."""
    heap = _LAST_XMX.findall(shown[0])
    if not heap:
        return
    name = _OF_SUBMIT_JVM if shown["driver"] else _OF_FS_SHELL if shown["shell"] else _OF_RUN_JAR
    if shown["child"]:
        name = "mapred.child.java.opts"
    elif shown["side"]:
        name = f"mapreduce.{'map' if shown['side'] == 'm' else 'reduce'}.java.opts"
    elif shown["master"]:
        name = "yarn.app.mapreduce.am.command-opts"
    yield Stated(name, heap[-1], row.number, rank=OF_A_PROCESS, fragment=row.fragment)


def _logged(row: Row) -> Iterator[Stated]:
    """What a process logs of its own settings."""
    own = _OF_THE_TASK.search(row.line)
    if own is not None:
        yield Stated(own["name"], own["value"], row.number)
    store = _STORE.search(row.line)
    if store is not None:
        yield Stated("MemoryStore capacity", f"{store[1]}B", row.number)
    listed = _LISTED.search(row.line)
    if listed is not None:
        yield Stated("input paths", listed[1], row.number)
    asked = _OF_EXECUTORS.search(row.line)
    if asked is not None:
        overhead = int(asked[2])
        heap = f"{int(asked[1]) - overhead}m"
        for name, value in (
            ("spark.executor.memory", heap),
            ("spark.executor.memoryOverhead", str(overhead)),
        ):
            yield Stated(name, value, row.number, in_command=True, rank=OF_A_SESSION)


def _pairs(sentence: str) -> Iterator[tuple[str, str, int]]:
    """Names and values in a sentence or a line that is none, and where each name stands."""
    taken: list[tuple[int, int]] = []
    for form in (*_FORMS, _SENTENCE, _ENVIRONMENT):
        for found in form.finditer(sentence):
            taken.append(found.span())
            yield found["name"], found["value"], found.start("name")
            end = found.end()
            while (changed := _CHANGED.match(sentence, end)) is not None:
                end = changed.end()
                taken.append(changed.span())
                yield found["name"], changed["value"], found.start("name")
    for found in _OF_SUBMIT.finditer(sentence):
        yield _SUBMIT_NAMES[found[1]], found[2], found.start()
    if _RUNS.search(sentence):
        return  # of the process that this command starts
    before = (_WAS.match(sentence, end) for _, end in taken)
    taken += [one.span() for one in before if one is not None]
    for name, value, at, end in sizes_of_sides(sentence):
        taken.append((at, end))
        yield name, value, at
    for form in _BARE:
        for found in form.finditer(sentence):
            heap = found.groupdict().get("heap")
            at, value = found.start(1), heap or found["value"]
            if any(low <= at < high for low, high in taken) or _IT_WAS.search(sentence[:at]):
                continue
            if heap is not None and OF_ANOTHER_PROCESS.search(sentence):
                continue
            if heap is not None:
                value = f"{XMX}{heap.rstrip('bB').replace(' ', '').lower()}"
            if _OF_A_MASTER.search(sentence[:at]) and not _OF_A_TASK.search(sentence):
                master = "command-opts" if XMX in value else "resource.mb"
                yield f"yarn.app.mapreduce.am.{master}", value, at
                continue
            side = side_beside(sentence, found.start(), found.end())
            if XMX in value:
                yield f"mapreduce.{side}.java.opts" if side else XMX, value, at
            else:
                yield f"mapreduce.{side}.memory.mb" if side else CONTAINER_SIZE, value, at


def _stated(name: str, value: str, row: Row, sentence: str = "", at: int = 0) -> Iterator[Stated]:
    read = as_hadoop_reads(name, value)
    if read is None:
        return
    in_command = f"-D{name}=" in row.line.replace("-D ", "-D")
    is_named = name in {XMX, CONTAINER_SIZE} or name in row.line
    rank = -1 if not is_named else OF_A_COMMAND if in_command or _BY_COMMAND.search(row.line) else 0
    rank = OF_A_SESSION if _BY_SESSION.search(row.line) else rank
    as_answered = row.asked == name  # by the session
    is_typed = _PROMPT.match(row.line) is not None
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
    if in_command and _is_behind_arguments(row.line, name):
        why_not, outcome = _BEHIND_ARGUMENTS, ""
    was = _was(name, value, row, sentence, at)
    yield Stated(name, read, row.number, in_command, why_not, rank, row.fragment, outcome, was)
    if outcome == "passed" and was:  # with which it had died
        yield Stated(name, was, row.number, in_command, rank=rank, fragment=row.fragment)


# what stands behind a value that was changed: "(was 5)", ", before 0.70", "instead of -Xmx1g"
_WAS: Final = re.compile(
    rf"(?i:{QUOTE}\s{{0,20}}[(\[,;]?\s{{0,3}}(?:(?:it|which|that) )?"
    r"(?:was|were|had been|before(?: it was)?|previously|formerly|instead of|up from|down from)"
    r"[:=]?\s{1,3}(?:set to |at )?)"
    rf"{QUOTE}(?:(?P<unset>(?i:not set|unset|(?:the |at )?default))\b|"
    rf"(?P<value>{HEAP_OPTION}(?=\s?/\s?\d)|{OPTIONS}|{PLAIN}))"
    # a container and its heap: "instead of 2048/-Xmx1638m"
    rf"(?:\s?/\s?(?P<second>{OPTIONS}|\d{{1,6}}[ ]?(?:[mMgG][bB]?)?))?"
)
_IT_WAS: Final = re.compile(r"(?i)\((?:it )?(?:was|before|previously) $")
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
    behind = _WAS.match(row.line, end_of_value)
    if behind is None and further is not None:
        behind = _WAS.match(row.line, further.end())
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
    if (was := _WAS.match(row.line, end)) is not None:
        end = was.end()
    before = f"{row.above} {row.line[max(begin, 0) : end]}"
    behind = f"{row.line[end:]} {row.behind}"
    if not may_be_tried(against) and not was_followed(behind):
        return ""
    return outcome_of(before, behind)


_OF_RUN_JAR: Final = "the command line of RunJar"
_OF_FS_SHELL: Final = "the command line of FsShell"
_OF_SUBMIT_JVM: Final = "the command line of SparkSubmit"
"""What shows the heap of a process, whatever sets it."""
_BY_COMMAND: Final = re.compile(r"--(?:hiveconf|conf|executor-memory|driver-memory)\b")
# a line of a session or a script, and a call in the code of the job
_BY_SESSION: Final = re.compile(
    rf"^\W{{0,4}}(?:{_PROMPT.pattern})?(?i:set)\s+[\"'`]?{ENGINES}\.|"
    r"\.(?:set(?:Int|Long|Float|Strings)?|config)\(\s*\""
)
_JAR: Final = re.compile(r"\b(?:hadoop|yarn)\s+jar\s+(\S+)\s+(.*)$")


def _is_behind_arguments(line: str, name: str) -> bool:
    """Whether a -D of `hadoop jar` stands behind an argument of the program that it starts.

    ``GenericOptionsParser`` stops at the first word that is no option. The first word behind the
    jar may be the main class, or the name of an example.
    """
    command = _JAR.search(line)
    if command is None or "streaming" in command[1]:
        return False
    before = re.split(rf"-D\s?{re.escape(name)}=", command[2], maxsplit=1)[0].split()
    words = before[1:] if before and not before[0].startswith("-") else before
    of_an_option = False
    for word in words:
        if not of_an_option and not word.startswith("-"):
            return True
        of_an_option = word.startswith("-") and "=" not in word
    return False


_IS_SAID: Final = re.compile(rf"\W*{WHOLE}{QUOTE} is (?:now |still )?\S")


def _against(row: Row, sentence: str, at: int) -> str | None:
    """The words by which a value was not in force: in its sentence, or else in what is above."""
    own = None
    if not _A_COMMAND.match(sentence):
        if row.begun and row.line.lstrip().startswith(sentence.lstrip()):
            sentence, at = f"{row.begun} {sentence}", at + len(row.begun) + 1
        own = out_of_force(_MAY.sub(lambda name: " " * len(name[0]), sentence), at)
        if is_an_order(own) and reproduces(row.above):
            own = None
        if own != "" and row.supposed:
            return row.supposed
        if own is None and _IS_SAID.match(sentence):
            return None  # a statement by itself, which nothing above introduces
    return led_out_of_force(_MAY.sub(" ", row.above)) if own is None else own


_FRAGMENT: Final = re.compile(
    r"\s*(?:</?(?:property|name|value|description|final|configuration|source)\b|<\?xml|<!--|```|#|"
    r"export |[\w.]+\.set\w*\(|-D ?\S|--\S|\|[-\s|]*$|\$ |hive> |grunt> )"
)


_MOST_WORDS: Final = 4  # beside the names in it: a line of more is a sentence


def _of_a_fragment(line: str) -> bool:
    """Whether a line is of a file, a command or a table, and no sentence."""
    if _FRAGMENT.match(line) or _A_COMMAND.match(line):
        return True
    return (
        _MAY.search(line) is not None
        and any(form.search(line) for form in _FORMS)
        and len(_MAY.sub(" ", line).split()) <= _MOST_WORDS
    )
