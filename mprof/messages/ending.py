"""How a process ended, where that can be said more exactly than by the kind of its death."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from mprof.evidence import Evidence
from mprof.messages.containers import BY_OOM_HANDLER
from mprof.messages.message import Reading
from mprof.messages.said import OF_MEMORY, is_only_named
from mprof.messages.spark import LOST
from mprof.trace import CAUGHT_BEFORE

__all__ = ["Ending", "ending_of", "is_lost", "never_started", "went_with_its_node"]

Ending = Literal[
    "own limit",
    "permgen",
    "caught before",
    "open",
    "killed",
    "killed, open",
    "process tree",
    "never started",
    "not started again",
    "lost",
    "without its message",
]
"""``own limit``: it stopped itself before its heap was full; ``permgen``: JDK 7's memory of classes
was full; ``caught before``: an OutOfMemoryError had not ended it; ``open``: memory may be the
reason; ``killed``: YARN or the application master ended it; ``process tree``: a TaskTracker of
Hadoop 1 ended its processes, which are in no container; ``never started``: the node could not
prepare the container of an application master; ``not started again``: it is not known of its first
attempt; ``lost``: a driver does not reach its executor any
more, and nothing says how that ended; ``without its message``: an OutOfMemoryError of which no more
than the class stands there, as where a text is cut off."""

_NEVER_STARTED: Final = -1000  # ContainerExitStatus.INVALID, where localization failed

# of an application, which may have started before
_LATER_ATTEMPT: Final = re.compile(r"\bappattempt_\d+_\d+_0*(?:[2-9]|1\d)\b")

_BEFORE_IT_IS_FULL: Final = ("return code 3 from", "exit status: 3", "MapJoinMemoryExhaustion")
"""Hive's local task ends so at a share of its heap, and at an OutOfMemoryError as well."""
_OF_OTHERS: Final = (
    "low on resource: memory", "(java.lang.OutOfMemoryError)", BY_OOM_HANDLER,
)  # fmt: skip
"""Words of the kubelet, of RPC and of a NodeManager where a node or a server was short: memory is
the reason."""
_BY_OTHERS: Final = (
    "Attempt killed",
    "Container preempted",
    "Container killed",
    "Task killed",
    "Task KILL is received",
    "Kill job",
    "Speculation: ",
    "Issuing kill to other attempt",
)
"""What YARN and the application master say of an attempt that they end, whatever it did."""
_BY_A_USER: Final = "was killed by user "
"""What the ResourceManager says of an application that somebody ended."""
_TAKEN: Final = ("was preempted", "Container released on a *lost* node")
"""What YARN and Spark say of a container that was taken back: such an attempt has not failed."""
_OWN_MASTER: Final = "Reducer preempted to make room for pending map attempts"
"""The same, which stands behind other words: nothing else says it."""


def never_started(evidence: Evidence) -> bool:
    """Whether a node could not prepare a container, so that no process of it ran."""
    end = evidence.death.container
    return end is not None and end.exit_code == _NEVER_STARTED


_RELEASED: Final = -100  # ContainerExitStatus.ABORTED


def went_with_its_node(evidence: Evidence) -> bool:
    """Whether its container was released from outside, as those of a lost node are."""
    end = evidence.death.container
    return end is not None and end.exit_code == _RELEASED


_CARRIES: Final = re.compile(
    r"(?:Runtime|SQL|Execution|InvocationTarget|UndeclaredThrowable)Exception$|ShuffleError$"
)
"""Errors that are thrown for another one, which is their cause."""


def _is_cut(evidence: Evidence) -> bool:
    """Whether the error carries another one, which is not told: it may have been one of memory."""
    death = evidence.death
    return len(death.chain) == 1 and _CARRIES.search(death.error_class or "") is not None


def is_lost(evidence: Evidence) -> bool:
    """Whether it is an executor of Spark that was lost, and nothing tells of its own end."""
    death, name = evidence.death, evidence.attempt.container_id or ""
    program = death.program
    of_spark = name.startswith("executor ") or (program and program.id == "spark-executor")
    told = death.kind != "not-memory" or death.container is not None or death.error_class
    return bool(of_spark) and not told and LOST.search(death.evidence) is not None


def ending_of(evidence: Evidence, readings: Sequence[Reading]) -> Ending | None:
    """How it ended; None where the kind of the death says as much.

    Args:
        evidence: the facts about one attempt.
        readings: what the messages of the death say, those that prove something first.
    """
    kind, words = evidence.death.kind, evidence.death.evidence
    if kind == "application-master" and never_started(evidence):
        again = _LATER_ATTEMPT.search(words) is not None
        return "not started again" if again else "never started"
    if kind == "heap" and any(one in words for one in _BEFORE_IT_IS_FULL):
        return "own limit"
    if kind == "metaspace" and "PermGen space" in words:
        return "permgen"
    if kind.startswith("container-") and ("TaskTree" in words or "TaskTracker" in words):
        return "process tree"
    if kind == "application-made" and is_only_named(evidence):
        return "without its message"
    if kind != "not-memory":
        return None
    if is_lost(evidence):
        return "lost"
    within = (_OWN_MASTER, BY_OOM_HANDLER, _BY_A_USER, *_TAKEN)
    killed = words.startswith(_BY_OTHERS) or any(one in words for one in within)
    first = next((one for one in readings if one.proof != "known to"), None)
    told = "\n".join((words, *evidence.death.chain))
    is_open = OF_MEMORY.search(told) is not None or any(one in words for one in _OF_OTHERS)
    if first is None or first.proof != "proves":
        is_open = is_open or (evidence.job.names_memory and _is_cut(evidence))
    if (first is not None and first.proof == "suggests") or is_open:
        return "killed, open" if killed else "open"
    if killed:
        return "killed"
    return "caught before" if CAUGHT_BEFORE in words else None
