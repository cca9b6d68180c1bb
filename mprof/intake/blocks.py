"""Reports of one attempt or container, with the lines below them that belong to each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, count
from typing import Final

from mprof.intake.owners import only_job
from mprof.intake.reported import ATTEMPT, Reports, is_executor
from mprof.intake.sections import CONTAINER
from mprof.intake.sentences import OF_A_CHAT

__all__ = ["INNER", "MASTER", "following", "read_block"]

_TASK_AND_NODE: Final = r"task_\d{1,19}_\d{1,10}_[mr]_\d{1,10} \S{1,300} "

_MOST_BLOCK: Final = 400  # lines

# a line by itself, so that no report goes on across it
_OF_THE_KERNEL: Final = (
    r"\[ *\d{1,9}\.\d{1,6}\] |\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\] |"
    r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,255} kernel: "
)
"""What the lines of the kernel's log begin with, as dmesg and syslog print it."""

_LINE_BEGIN: Final = re.compile(
    r"^\s*(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d|\d\d/\d\d/\d\d \d\d:\d\d:\d\d |\[?[A-Z]+ *\]? *: "
    r"|\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^\]]*\](?:INFO|WARN|ERROR)|map \d+% reduce"
    rf"|{_OF_THE_KERNEL})"
)

# (a word of it, expression with the groups id and rest); the block is the rest, and the lines that
# follow it. Most lines hold none of the words, and to look for one takes a tenth of a search.
_BLOCKS: Final = (
    (
        "Task Id : ",
        re.compile(rf"Task Id : (?P<id>{ATTEMPT}), Status : (?P<state>[A-Z]+)(?P<rest>)"),
    ),
    (
        "Diagnostics report from ",
        re.compile(rf"Diagnostics report from (?P<id>{ATTEMPT}): ?(?P<rest>.*)"),
    ),
    # TaskImpl, of an attempt that another one of its task was quicker than
    (
        "Issuing kill to other",
        re.compile(rf"(?P<rest>(?P<state>Issuing kill) to other attempt (?P<id>{ATTEMPT}))"),
    ),
    (" - exited : ", re.compile(rf"Task: (?P<id>{ATTEMPT}) - exited : (?P<rest>.*)")),
    (
        "containerID=",
        re.compile(rf"(?P<rest>Container \[pid=-?\d+,containerID=(?P<id>{CONTAINER})\].*)"),
    ),
    (
        " is under oom",
        re.compile(rf"(?P<rest>Container \[?(?P<id>{CONTAINER})\]? is under oom.*)"),
    ),
    ("tipID=", re.compile(rf"(?P<rest>TaskTree \[pid=-?\d+,tipID=(?P<id>{ATTEMPT})\].*)")),  # 1.x
    # 1.x, TaskRunner.run: the reason is the error below it
    (
        " : Child Error",
        re.compile(rf"\b(?P<id>{ATTEMPT}) : (?P<state>Child Error)(?P<rest>)"),
    ),
    (
        "AttemptID:",
        re.compile(rf"(?P<rest>AttemptID:(?P<id>{ATTEMPT}) (?P<state>[Tt]imed out|task).*)"),
    ),
    # 1.x, TaskTracker.markUnresponsiveTasks, wherever somebody quotes it
    (
        " failed to report",
        re.compile(
            rf"(?P<rest>\bTask (?P<id>{ATTEMPT}) (?P<state>failed to report) status for \d.*)"
        ),
    ),
    # jobfailures.jsp of a JobTracker: attempt, task, node, state and error, a row each
    (
        " task_",
        re.compile(rf"\b(?P<id>{ATTEMPT}) {_TASK_AND_NODE}(?P<state>FAILED|KILLED)\b(?P<rest>.*)"),
    ),
    # as somebody tells it: "Error: Java heap space" on attempt_...
    (
        "Error: ",
        re.compile(
            r"(?P<rest>Error: (?:Java heap space|GC overhead limit exceeded|Direct buffer memory|"
            r"Metaspace|PermGen space|unable to create new native thread))[\"'`\u201d,]{0,3} "
            rf"(?:on|of|in|for|from|at) (?P<id>{ATTEMPT})\b(?P<state>)"
        ),
    ),
    ("FAILED", re.compile(rf"\b(?P<id>{ATTEMPT})\s+(?P<state>FAILED)\b(?P<rest>.*)")),
    ("KILLED", re.compile(rf"\b(?P<id>{ATTEMPT})\s+(?P<state>KILLED)\b(?P<rest>.*)")),
    ("Container ", re.compile(rf"Container [iI]d: (?P<id>{CONTAINER})(?P<rest>)")),
    # its exit status stands below, where somebody has taken lines together
    (
        " exited with",
        re.compile(rf"Container (?P<id>{CONTAINER}) exited with (?P<rest>(?:exit )?status\b.*)"),
    ),
    # ContainerExecutor: what the script that starts the process printed stands below it
    (
        "container-launch",
        re.compile(
            rf"(?P<rest>Exception from container-launch with container ID: ?(?P<id>{CONTAINER}) "
            r"and exit code.*)"
        ),
    ),
    # what the masters of other engines print of a ContainerStatus, and Flink and Spark of their own
    (
        "xitStatus",
        re.compile(
            rf"\b[cC]ontainerI[dD][=:] ?(?P<id>{CONTAINER}),"
            r"(?P<rest>.{0,200}?\bexitStatus[=:] ?-?[1-9].*)"
        ),
    ),
    (
        "marked as failed",
        re.compile(rf"Container (?P<id>{CONTAINER}) (?P<state>marked as failed)(?P<rest>.*)"),
    ),
    (
        "marked as failed",
        re.compile(rf"(?P<rest>Container (?P<state>marked as failed): (?P<id>{CONTAINER}).*)"),
    ),
    (
        "from a bad node",
        re.compile(rf"(?P<rest>Container (?P<state>from a bad node): (?P<id>{CONTAINER}).*)"),
    ),
    # org.apache.spark.scheduler: TaskSetManager, TaskSchedulerImpl; what a task threw and no
    # OutOfMemoryError is does not end its executor
    (
        "Lost task ",
        re.compile(
            r"(?P<state>Lost task) [\d.]+ in stage [\d.]+ \(TID \d{1,19}(?:, |\) \()"
            r"(?P<host>[^\s,()]{1,255})\b.{0,100}?(?P<id>executor \d{1,9})\): "
            r"(?P<rest>(?:java\.lang\.OutOfMemoryError|ExecutorLostFailure).*)"
        ),
    ),
    (
        "Lost executor ",
        re.compile(r"(?P<rest>(?P<state>Lost) (?P<id>executor \d{1,9}) on (?P<host>\S+?): .*)"),
    ),
    # TaskSetManager.handleFailedTask: for what a task threw a job was given up, and the executor
    # of that task goes on; 3.x closes the bracket behind the TID
    (
        "most recent failure: Lost task ",
        re.compile(
            r"(?P<rest>(?P<state>Lost) (?P<id>task [\d.]{1,12} in stage [\d.]{1,12}) "
            r"\(TID (?P<tid>\d{1,19})(?:, |\) \()(?P<host>[^\s,()]{1,255})[^()]{0,100}\): "
            r"(?!ExecutorLostFailure|java\.lang\.OutOfMemoryError)\S.*)"
        ),
    ),
    # o.a.s.deploy.client.StandaloneAppClient, o.a.s.deploy.worker.Worker
    (
        "Command exited with code",
        re.compile(
            r"app-\d{14}-\d{4,9}/(?P<number>\d{1,9}) (?P<state>finished with state|is now) "
            r"(?P<rest>(?:EXITED|FAILED|LOST)\b.{0,20}?Command exited with code [1-9].*)"
        ),
    ),
)

# YarnScheduler: what YARN says of the container of an executor names it
_CONTAINER_OF: Final = re.compile(rf"Lost executor \d+ on \S+: Container ({CONTAINER})\b")

_LOST: Final = re.compile(r"Lost (executor \d{1,9}) on ")

_OF_FAILURE: Final = (
    "Child Error", "Timed out", "timed out", "task", "marked as failed", "from a bad node",
    "Lost task", "Lost", "finished with state", "is now", "failed to report",
)  # fmt: skip
"""Words of reports that say no state, and are made of failures alone."""

_OF_ATTEMPTS: Final = tuple(pattern for _, pattern in _BLOCKS[:3])

_LINKS: Final = re.compile(r"\s*Last 4KB\s*$")  # below an error in such a table

# of a page's table
_ROW: Final = re.compile(rf"\s*({ATTEMPT})\s+(?:{_TASK_AND_NODE})?(?:FAILED|KILLED|SUCCEEDED)\b")

INNER: Final = re.compile(rf"(?:containerID=|Container [iI]d: )({CONTAINER})")

_CHILD: Final = re.compile(rf"YarnChild \S+ \d+ ({ATTEMPT})")

MASTER: Final = re.compile(r"\bMRAppMaster\b|\bAM Container for appattempt_")


def read_block(found: Reports, lines: Sequence[str], at: int) -> None:
    """Take in a report that begins in a line, with the lines that belong to it."""
    line = lines[at]
    row, inner = _ROW.match(line), INNER.search(line)
    if row is not None and inner is not None:
        found.ran_in(inner[1], row[1])
    for word, pattern in _BLOCKS:
        match = pattern.search(line) if word in line else None
        if match is None:
            continue
        is_told = word == "Error: "  # in a sentence, with which no line goes on
        text = "\n".join([match["rest"], *(() if is_told else following(lines, at))])
        if match["rest"] == "" and word == "Container " and not _EXITED.search(text):
            text = "\n".join([_exit_above(lines, at), text])
        groups = match.groupdict()
        id_ = groups.get("id") or f"executor {groups['number']}"
        if groups.get("host"):
            id_ = _of_its_application(found, id_, groups["host"], groups.get("tid") or "")
        found.say(id_, text)
        found.texts.setdefault(id_, [])
        state = groups.get("state")
        state = "FAILED" if state in _OF_FAILURE else state
        state = "KILLED" if state == "Issuing kill" else state
        if state in {"FAILED", "KILLED", "SUCCEEDED"}:
            found.states.setdefault(id_, state)
        if groups.get("host"):
            found.hosts.setdefault(id_, groups["host"])
        of_executor = _CONTAINER_OF.match(match["rest"]) if is_executor(id_) else None
        if of_executor is not None:
            found.executors[id_] = of_executor[1]
        inner = INNER.search(text)
        if inner is not None and id_.startswith("attempt"):
            found.ran_in(inner[1], id_)
        if id_.startswith("container"):
            child, lost = _CHILD.search(text), _LOST.search(line)
            if child is not None:
                found.ran_in(id_, child[1])
            if MASTER.search(text):
                found.masters.add(id_)
            if lost is not None:
                found.executors[lost[1]] = id_
            _read_executor(found, id_, text)
        return


# org.apache.spark.deploy.yarn.ExecutorRunnable, in the list of the processes of a container
_RUNS_EXECUTOR: Final = re.compile(
    r"\bCoarseGrainedExecutorBackend\b[^\n]{0,1000}? --executor-id (\d{1,9})\b"
)


def _read_executor(found: Reports, container: str, text: str) -> None:
    """The executor that ran in a container, by its command; of none that two containers name.

    Each application counts its executors from 1.
    """
    command = _RUNS_EXECUTOR.search(text)
    if command is None:
        return
    executor = f"executor {command[1]}"
    other = found.executors.setdefault(executor, container)
    if other != container:
        found.executors[executor] = ""


def _of_its_application(found: Reports, id_: str, host: str, tid: str) -> str:
    """The id of an executor or a task of Spark's, told from that of another application.

    Each application counts its executors, stages and tasks from 0, or 1: an executor of the same
    number on another machine, or an attempt of the same number with another TID, is of another one.
    """
    if not id_.startswith(("executor ", "task ")):
        return id_
    place = f"{host.partition(':')[0]} {tid}"
    again = (f"{id_} of another run{f' ({n})' if n > 1 else ''}" for n in count(1))
    names = chain([id_], again)
    return next(one for one in names if _is_at(found.places.setdefault(one, place), place))


def _is_at(known: str, place: str) -> bool:
    """Whether two places may be one: a machine has a name, a longer one, and an address."""
    (one, tid), (other, other_tid) = known.split(" "), place.split(" ")
    if _ADDRESS.fullmatch(one) is None and _ADDRESS.fullmatch(other) is None:
        one, other = one.partition(".")[0], other.partition(".")[0]
    elif _ADDRESS.fullmatch(one) is None or _ADDRESS.fullmatch(other) is None:
        other = one
    return (one, tid) == (other, other_tid)


_ADDRESS: Final = re.compile(r"[\d.]+")

_EXITED: Final = re.compile(r"(?i)\bexit ?(?:code|status)\b")


def _exit_above(lines: Sequence[str], at: int) -> str:
    """The exit code that stands in the line above a container's id, and below none of another."""
    above = lines[at - 1] if at else ""
    others = lines[max(at - _MOST_ABOVE, 0) : at]
    is_own = _EXITED.search(above) is not None and not any(map(INNER.search, others))
    return above if is_own else ""


_MOST_ABOVE: Final = 20

_OF_SPARK: Final = ("Lost executor ", "Lost task ")  # which stand in no report of another

# a mark of Markdown that ends what was pasted, and what begins a message of a chat
_ENDS_PASTED: Final = re.compile(rf"\s*(?:```|~~~)\s*$|{OF_A_CHAT}")
_LEFT_OUT: Final = re.compile(r"\W*(?:\.{3,}|\u2026|snip)\W*")


def following(lines: Sequence[str], at: int) -> list[str]:
    """The lines that belong to the report that begins there."""
    found: list[str] = []
    own = only_job(lines[at])
    is_of_a_kill = "containerID=" in lines[at]
    for line in lines[at + 1 : at + 1 + _MOST_BLOCK]:
        if (
            _LINE_BEGIN.match(line)
            or _ROW.match(line)
            or _LINKS.match(line)
            or any(word in line for word in _OF_SPARK)
            or any(pattern.search(line) for pattern in _OF_ATTEMPTS if "attempt_" in line)
            or (_ENDS_PASTED.match(line) and any(map(str.strip, found)))
        ):
            break
        if own is not None and "containerID=" in line and only_job(line) not in {None, own}:
            break
        if is_of_a_kill and line.startswith("Error: "):
            break  # of an attempt that was not killed
        if _LEFT_OUT.fullmatch(line) and not any(map(str.strip, found)):
            return []  # what it said somebody has left out, and below stands something else
        found.append(line)
    by_kernel = len(found) < len(lines) - at - 1 and re.match(
        _OF_THE_KERNEL, lines[at + 1 + len(found)]
    )
    while found and (not found[-1].strip() or (by_kernel and found[-1].rstrip().endswith(":"))):
        found.pop()
    while found and not found[0].strip():
        found.pop(0)
    return found
