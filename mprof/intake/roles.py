"""Who wrote a log, by words of the classes that log in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = [
    "CONSOLE",
    "MASTER",
    "NODE",
    "OTHERS",
    "RESOURCE",
    "TASK",
    "TEXT",
    "Role",
    "role_by_words",
    "side_by_loggers",
]

Role = str

MASTER: Final = "logs of application masters"
NODE: Final = "logs of NodeManagers or TaskTrackers"
RESOURCE: Final = "logs of ResourceManagers"
TASK: Final = "logs of containers"
CONSOLE: Final = "output of the command that submitted a job"
TEXT: Final = "other texts"
# the first that fits
_ROLES: Final[tuple[tuple[Role, tuple[str, ...]], ...]] = (
    (
        MASTER,
        (
            ".mapreduce.v2.app.",
            "MRAppMaster",
            ".JobHistoryEventHandler:",
            # threads of the master's alone: CommitterEventHandler, RMCommunicator
            "[CommitterEvent Processor #",
            "[RMCommunicator Allocator]",
        ),
    ),
    (
        NODE,
        (
            ".yarn.server.nodemanager.",
            "Starting NodeManager",
            # classes without their packages, as other layouts of the log have them
            " nodemanager.",
            " monitor.ContainersMonitorImpl ",
            " container.ContainerImpl ",
            "mapred.TaskTracker: ",  # of Hadoop 1, with the JvmManager in it
            "mapred.JvmManager: ",
        ),
    ),
    (RESOURCE, (".yarn.server.resourcemanager.", "Starting ResourceManager")),
    (
        CONSOLE,
        (
            "Task Id : attempt_",
            *(
                f"{before}{logger}: "
                for before in (" ", ".")
                for logger in ("mapreduce.Job", "mapreduce.JobSubmitter", "mapred.JobClient")
            ),
        ),
    ),
    (
        TASK,
        (
            "Processing split: ",
            "Error running child",
            "mapreduce.task.reduce.",
            *(
                f"mapred.{logger}{after}"
                for logger in ("YarnChild", "Child", "MapTask", "ReduceTask", "Task", "Merger")
                for after in (":", " ")
            ),
            "mapred.TaskRunner:",
        ),
    ),
)
OTHERS: Final = "|".join(
    re.escape(word) for role, words in _ROLES if role != TASK for word in words
)
"""An expression whose lines are of another writer than a task; a log without them is a task's."""


_CHILD: Final = "mapred.Child: Error running child"
_CHILD_OF_0_20: Final = "mapred.TaskTracker: Error running child"
"""``TaskTracker.Child``, which logs in the name of its server."""


def role_by_words(lines: Iterable[str]) -> Role | None:
    """The role by the classes that log in some lines; None where none of them does."""
    own = [  # frames name classes too
        line.replace(_CHILD_OF_0_20, _CHILD) for line in lines if not line[:1].isspace()
    ]
    roles = [role for role, words in _ROLES if any(_has(line, words) for line in own)]
    if MASTER in roles and not any(map(_DATED.match, own)):
        roles.remove(MASTER)  # somebody has copied a line of it, and its time is gone
    if MASTER in roles and CONSOLE in roles:
        # somebody's own words, or what the command quotes, may name the class of a master
        of_console, of_master = dict(_ROLES)[CONSOLE], dict(_ROLES)[MASTER]
        logged = [one for one in own if _DATED.match(one) and not _has(one, of_console)]
        if not any(_has(one, of_master) for one in logged):
            roles.remove(MASTER)
    return next(iter(roles), None)


# MapTask and ReduceTask, what Pig and Hive log in the tasks of one side
_OF_SIDES: Final = {
    "map": re.compile(
        r" (?:\S*\.)?(?:MapTask|PigGenericMapBase|PigMapOnly\$Map|PigMapReduce\$Map|ExecMapper): "
    ),
    "reduce": re.compile(
        r" (?:\S*\.)?(?:ReduceTask|task\.reduce\.\w+|PigMapReduce\$Reduce|"
        r"PigMapReduce\$ReduceWithComparator|ExecReducer): "
    ),
}


def side_by_loggers(lines: Iterable[str]) -> str | None:
    """The side of the task whose log some lines are, by what logs on that side alone."""
    own = [line for line in lines if _DATED.match(line)]
    sides = [side for side, logs in _OF_SIDES.items() if any(map(logs.search, own))]
    return sides[0] if len(sides) == 1 else None


_DATED: Final = re.compile(r"\W{0,3}\d{2,4}[-/]\d\d[-/]\d\d")


def _has(line: str, words: Iterable[str]) -> bool:
    return any(word in line for word in words)
