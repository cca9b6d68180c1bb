"""Names of settings and their values in a sentence, or in a line that is none.

In the forms in which people write them down: an assignment, a call of ``Configuration.set``, an
option of a command, an environment, words; and sizes that stand without their property.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mprof.intake.sides import CONTAINER_SIZE, OF_ANOTHER_PROCESS, XMX, side_beside, sizes_of_sides
from mprof.intake.values import ENGINES, HEAP_OPTION, OPTIONS, PLAIN, QUOTE, VALUE, WHOLE

__all__ = ["FORMS", "MAY_STATE", "WAS", "pairs_in"]

MAY_STATE: Final = re.compile(
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

# the forms in which nothing but a setting stands
FORMS: Final = tuple(
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

_OF_A_MASTER: Final = re.compile(r"\bAM\b|\b[aA]pp(?:lication)?[ -]?[mM]aster\b")

_OF_A_TASK: Final = re.compile(r"(?i)\b(?:map|reduc)(?:per|er|e)?s?\b")

# of a value that was changed, and changed again
_CHANGED: Final = re.compile(
    rf"{QUOTE}\s{{0,3}}(?:\([^()]{{1,20}}\)\s{{0,3}})?(?:->|=>|\u2192)\s{{0,3}}{QUOTE}{VALUE}"
)

# org.apache.spark.deploy.SparkSubmitArguments
_OF_SUBMIT: Final = re.compile(
    r"--(executor-memory|driver-memory|executor-cores)[`'\"]?(?:[ =]|\s(?:is|was|of|to)\s)"
    r"\s*[`'\"]?(\d{1,9}[kKmMgGtT]?)\b"
)

_SUBMIT_NAMES: Final = {
    "executor-memory": "spark.executor.memory",
    "driver-memory": "spark.driver.memory",
    "executor-cores": "spark.executor.cores",
}

# hadoop-env.sh, yarn-env.sh, mapred-env.sh
_ENVIRONMENT: Final = re.compile(
    r"\b(?P<name>HADOOP_HEAPSIZE_MAX|SPARK_DAEMON_MEMORY|"
    r"(?:HADOOP|HDFS|YARN|MAPRED|HBASE|HIVE|BEELINE|PIG|SQOOP|MAHOUT|NUTCH)_(?:[A-Z_]{2,30}_)?"
    r"(?:OPTS|HEAPSIZE))=[\"']?"
    rf"(?P<value>{OPTIONS}|\d{{1,9}}[kKmMgG]?)"
)

_RUNS: Final = re.compile(
    r"(?<![.\w])java(?![.\w]).*\s-|_OPTS\b|\bexport\b|</?value>|heap size|\|- |\[pid="
)

# what stands behind a value that was changed: "(was 5)", ", before 0.70", "instead of -Xmx1g"
WAS: Final = re.compile(
    rf"(?i:{QUOTE}\s{{0,20}}[(\[,;]?\s{{0,3}}(?:(?:it|which|that) )?"
    r"(?:was|were|had been|before(?: it was)?|previously|formerly|instead of|up from|down from)"
    r"[:=]?\s{1,3}(?:set to |at )?)"
    rf"{QUOTE}(?:(?P<unset>(?i:not set|unset|(?:the |at )?default))\b|"
    rf"(?P<value>{HEAP_OPTION}(?=\s?/\s?\d)|{OPTIONS}|{PLAIN}))"
    # a container and its heap: "instead of 2048/-Xmx1638m"
    rf"(?:\s?/\s?(?P<second>{OPTIONS}|\d{{1,6}}[ ]?(?:[mMgG][bB]?)?))?"
)

_IT_WAS: Final = re.compile(r"(?i)\((?:it )?(?:was|before|previously) $")


def pairs_in(sentence: str) -> Iterator[tuple[str, str, int]]:
    """Names and values in a sentence or a line that is none, and where each name stands."""
    taken: list[tuple[int, int]] = []
    for form in (*FORMS, _SENTENCE, _ENVIRONMENT):
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
    before = (WAS.match(sentence, end) for _, end in taken)
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
