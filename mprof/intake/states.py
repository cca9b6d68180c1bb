"""States of attempts and containers, each told in one line."""

from __future__ import annotations

import re
from typing import Final

from mprof.intake.blocks import INNER
from mprof.intake.reported import ATTEMPT, Reports, is_first, job_of
from mprof.intake.sections import CONTAINER

__all__ = ["read_pair_of_a_line", "read_state"]

# (framework, expression with the number of a job): what only these print of one:
# HadoopJobExecHelper of Hive, MapReduceLauncher and Launcher of Pig
_FRAMEWORKS: Final = (
    ("Hive", re.compile(r"(?:Starting|Ended) Job = job_(\d+_\d+)")),
    ("Pig", re.compile(r"HadoopJobId: job_(\d+_\d+)")),
    # org.apache.pig.backend.hadoop.executionengine.Launcher, of an error that a task reported
    ("Pig", re.compile(r"recreate exception from backed error: AttemptID:attempt_(\d+_\d+)_")),
)

# (a word of it, expression, state): of the id in group 1
_STATES: Final = (
    (
        "ransitioned from",
        re.compile(
            rf"({ATTEMPT}) (?:TaskAttempt )?[Tt]ransitioned from (?:state )?\S+ to "
            r"(?:state )?(SUCCEEDED|FAILED|KILLED)\b"
        ),
        None,
    ),
    ("Task '", re.compile(rf"Task '({ATTEMPT})' done\."), "SUCCEEDED"),
    # a row of a page's table
    ("SUCCEEDED", re.compile(rf"^\W*({ATTEMPT})\s+SUCCEEDED\b"), "SUCCEEDED"),
    (
        "Task succeeded with",
        re.compile(rf"Task succeeded with attempt ({ATTEMPT})"),
        "SUCCEEDED",
    ),
    (
        " transitioned from ",
        re.compile(
            rf"\bContainer ({CONTAINER}) transitioned from \S+ to "
            r"(EXITED_WITH_FAILURE|EXITED_WITH_SUCCESS|KILLING)\b"
        ),
        None,
    ),
)

_OF_CONTAINER: Final = {
    "EXITED_WITH_FAILURE": "FAILED",
    "EXITED_WITH_SUCCESS": "SUCCEEDED",
    "KILLING": "STOPPED",  # by the NodeManager: for its memory, as it says, or because it was asked
}

_PAIRS: Final = (
    (
        "using containerId",
        re.compile(
            rf"\[(?P<attempt>{ATTEMPT})\] using containerId: \[(?P<container>{CONTAINER})"
            r"(?: on NM: \[(?P<host>[^\]:]+))?"
        ),
    ),
    (
        "Assigned container ",
        re.compile(rf"Assigned container (?P<container>{CONTAINER}) to (?P<attempt>{ATTEMPT})"),
    ),
)

# DefaultOOMHandler: what one of its candidates had taken, and the kill of one, a line each (in 3.1
# both in one); no other line goes on with them
_OVER: Final = re.compile(rf"Container ({CONTAINER}) (is out of its limits, using .*)")

_BY_HANDLER: Final = re.compile(
    rf"[cC]ontainer ({CONTAINER}) (?:was )?killed by elastic cgroups OOM handler.*"
)

_EXIT: Final = re.compile(rf"Exit code from container ({CONTAINER}) is ?: ?(-?\d+)")

# TaskCompletion of JobImpl and JobInProgress, which Pig prints of a job
_LAST_FAILED: Final = re.compile(r"LastFailedTask: (task_(\d+_\d+)_[mr]_\d+)")


def read_state(found: Reports, line: str) -> None:
    """Take in the states that a line tells."""
    for word, pattern, state in _STATES:
        match = pattern.search(line) if word in line else None
        if match is not None:
            told = state or _OF_CONTAINER.get(match[2], match[2])
            if found.states.get(match[1]) in (None, "STOPPED"):
                found.states[match[1]] = told
    for word, pattern in _PAIRS:
        match = pattern.search(line) if word in line else None
        if match is not None:
            found.ran_in(match["container"], match["attempt"])
            host = match.groupdict().get("host")
            if host is not None:
                found.hosts[match["container"]] = host
    last = _LAST_FAILED.search(line) if "LastFailedTask" in line else None
    if last is not None:
        found.tasks.setdefault(f"job_{last[2]}", last[1])
    for framework, pattern in _FRAMEWORKS:
        match = pattern.search(line) if "job_" in line or "backed error" in line else None
        if match is not None:
            found.frameworks[f"job_{match[1]}"] = framework
    over = _OVER.search(line) if "is out of its limits" in line else None
    if over is not None:
        found.over[over[1]] = over[2]
    by_handler = _BY_HANDLER.search(line) if "elastic cgroups OOM" in line else None
    if by_handler is not None:
        id_ = by_handler[1]
        found.say(id_, f"{by_handler[0]} {found.over.get(id_, '')}")
        if found.states.get(id_) in (None, "STOPPED"):
            found.states[id_] = "FAILED"
    match = _EXIT.search(line) if "Exit code from container" in line else None
    if match is not None:
        found.exits[match[1]] = int(match[2])


def read_pair_of_a_line(found: Reports, line: str) -> None:
    """The attempt of a container that was killed, where one line names one of each of a job."""
    containers = {*INNER.findall(line)} if "containerID=" in line else set[str]()
    attempts = {*_ANY_ATTEMPT.findall(line)} if containers else set[str]()
    if len(containers) == len(attempts) == 1:
        (container,), (attempt,) = containers, attempts
        if job_of(container) == job_of(attempt) and not is_first(container):
            found.attempts.setdefault(container, attempt)


_ANY_ATTEMPT: Final = re.compile(rf"\b{ATTEMPT}\b")
