"""What logs, commands and the command lines of JVMs show of settings and sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from mprof.intake.stated import OF_A_PROCESS, OF_A_SESSION, Row, Stated
from mprof.intake.values import HEAP_OPTION

__all__ = ["COMMAND_LINE", "counted_in", "logged", "of_a_jvm", "of_answers", "of_looks"]

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

FILES_OF_A_FOLDER: Final = "files of a folder"

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
    (re.compile(r"\b(?:hdfs dfs|hadoop fs) -count\b"), FILES_OF_A_FOLDER),
)
_OF_FOLDERS: Final = re.compile(r"\s*(?!1\s)\d{1,9}\s+\d{1,9}\s+\d{1,18}\s+\S*/")

_A_NUMBER: Final = re.compile(
    r"\s*(?:\d{1,9}\s+(?=\d{1,9}\s+\d{1,18}\s+\S*/))?(\d{1,9})(?:\s+\d{1,18}\s+\S*/\S*)?\s*$"
)


def of_answers(lines: Sequence[tuple[int, str]]) -> Iterator[Stated]:
    """What commands that count something have answered, of each the line right below it.

    Of a tree it is not said how many files are in one folder, where that is said of another.
    """
    found: list[tuple[Stated, bool]] = []
    for (_, line), (number, below) in pairwise(lines):
        answer = _A_NUMBER.match(below)
        names = (name for words, name in _COUNTS if words.search(line)) if answer else ()
        name = next(iter(names), None)
        if answer is not None and name is not None:
            of_a_tree = name == FILES_OF_A_FOLDER and _OF_FOLDERS.match(below) is not None
            found.append((Stated(name, answer[1], number), of_a_tree))
    of_one = {one.name for one, of_a_tree in found if not of_a_tree}
    yield from (one for one, of_a_tree in found if not (of_a_tree and one.name in of_one))


# ContainersMonitorImpl, at each look
_OF_A_LOOK: Final = re.compile(
    r"\bMemory usage of ProcessTree \d+ for container-id (container_\w+): "
    r"(\d+(?:\.\d+)? [KMGT]?B of \d+(?:\.\d+)? [KMGT]?B) physical memory used"
)

IN_USE: Final = "physical memory in use at the last look"


def of_looks(lines: Sequence[tuple[int, str]]) -> Iterator[Stated]:
    """What the NodeManager saw a container take when it last looked."""
    looks = {
        look[1]: Stated(IN_USE, look[2], number)
        for number, line in lines
        if (look := _OF_A_LOOK.search(line)) is not None
    }
    if len(looks) == 1:  # of several, which of them failed is not told here
        yield from looks.values()


# the command line of a running JVM, as ps and /proc show it, by its main class: what its last -Xmx
# is of (YarnChild or Child of a map or reduce task, MRAppMaster, RunJar of hadoop jar, FsShell of
# hadoop fs, SparkSubmit of Spark)
COMMAND_LINE: Final = re.compile(
    rf"\bjava\b.*?{HEAP_OPTION}\b.*\borg\.apache\.(?:hadoop\.(?:mapred\.YarnChild \S+ \d+ "
    r"attempt_\d+_\d+_(?P<side>[mr])_|mapred\.(?P<child>Child) \S+ \d+ attempt_\d+_\d+_[mr]_|"
    r"util\.(?P<client>RunJar)\b|(?P<shell>fs\.FsShell)\b|"
    r"mapreduce\.v2\.app\.(?P<master>MRAppMaster)\b)|"
    # in cluster mode it is none
    r"spark\.deploy\.(?P<driver>SparkSubmit)\b.*(?:pyspark-shell|spark-shell|mode[ =]client))"
)

_LAST_XMX: Final = re.compile(rf"(?<=\s){HEAP_OPTION}(?=\s)")

_OF_RUN_JAR: Final = "the command line of RunJar"

_OF_FS_SHELL: Final = "the command line of FsShell"

_OF_SUBMIT_JVM: Final = "the command line of SparkSubmit"
"""What shows the heap of a process, whatever sets it."""


def of_a_jvm(shown: re.Match[str], row: Row) -> Iterator[Stated]:
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


def logged(row: Row) -> Iterator[Stated]:
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


def counted_in(row: Row) -> Iterator[Stated]:
    """What a row of counters or of ``ulimit -a`` gives by its name."""
    two = _OF_TWO.match(row.line)
    if two is not None:
        both = sorted((int(one.replace(",", "")) for one in two.groups()[1:]), reverse=True)
        yield Stated(f"{two[1]} of two tasks", " and ".join(map(str, both)), row.number)
    for name, number in _COUNTED.findall(row.line):
        yield Stated(f"{name} (ms)", number.replace(",", ""), row.number)
    of_user = _OF_USER.search(row.line)
    if of_user is not None:
        yield Stated("ulimit -u", of_user[1] or of_user[2], row.number)
