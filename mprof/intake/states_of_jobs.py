"""How jobs ended, as the client, the masters and the ResourceManager tell it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from mprof.intake.blocks import INNER, MASTER, following
from mprof.intake.reported import MOST_TEXT, RUNNING, Reports, job_of

__all__ = [
    "NO_SUCCESS", "killed_alone", "read_counters", "read_headings", "read_job", "spilled_again",
]  # fmt: skip

_OF_APPLICATION: Final = re.compile(
    r"(?P<rest>Application (?P<id>application_\d+_\d+) failed \d+ times? "
    r"(?:in previous \d+ milliseconds )?due to.*)"
)

# RMAppImpl; as `yarn application -status` prints it
_OF_A_USER: Final = re.compile(
    r"(?P<rest>Application (?P<id>application_\d+_\d+) was killed by user .*)"
)

_JOBS: Final = (
    (
        "Transitioned",
        re.compile(r"(job_\d+_\d+) ?Job Transitioned from \S+ to (SUCCEEDED|FAILED|KILLED|ERROR)"),
        "",
    ),
    (
        "successfully",
        re.compile(r"Job (job_(?:local)?\d+_\d+) completed successfully"),
        "SUCCEEDED",
    ),
    (
        "with state",
        re.compile(r"Job (job_(?:local)?\d+_\d+) failed with state (FAILED|KILLED|ERROR)"),
        "",
    ),
    ("complete: ", re.compile(r"Job complete: (job_\d+_\d+)"), "ENDED"),
    (
        "finalStatus",
        re.compile(r"appId=(application_\d+_\d+),.*?finalStatus=(SUCCEEDED|FAILED|KILLED)"),
        "",
    ),
    (
        "with exception",
        re.compile(r"Ended Job = (job_\d+_\d+) with exception"),
        "FAILED",
    ),
    (
        "State change from",
        re.compile(r"(application_\d+_\d+) State change from \S+ to (FAILED|KILLED)"),
        "",
    ),
    (
        "with final state",
        re.compile(r"application (application_\d+_\d+) with final state: (FAILED|KILLED)"),
        "",
    ),
    # LocalJobRunner.Job.run logs the error of a job below the line of its id
    ("LocalJobRunner", re.compile(r"LocalJobRunner\s*[:-]\s+(job_local\d+_\d+)\s*$"), "FAILED"),
    # HadoopJobExecHelper of Hive
    ("with errors", re.compile(r"Ended Job = (job_\d+_\d+) with errors"), "FAILED"),
    ("Ended Job", re.compile(r"Ended Job = (job_\d+_\d+)\s*$"), "SUCCEEDED"),
    ("Running job", re.compile(r"Running job: (job_(?:local)?\d+_\d+)"), "RUNNING"),
    ("Starting Job", re.compile(r"Starting Job = (job_\d+_\d+)"), "RUNNING"),
)

_SAYS: Final = re.compile(r"due to: ?(.*)$")

_WITH: Final = re.compile(r"with exception ?(.*)$")


def read_job(found: Reports, lines: Sequence[str], at: int) -> str | None:
    """The job whose state the line tells; and what it says about it."""
    line = lines[at]
    match = _OF_APPLICATION.search(line) if "Application application_" in line else None
    by_user = _OF_A_USER.search(line) if " was killed by user " in line else None
    if by_user is not None and (job := job_of(by_user["id"])) is not None:
        found.jobs[job] = "KILLED"
        found.job_texts.setdefault(job, by_user["rest"].strip())
        return job
    if match is not None:
        job = job_of(match["id"])
        if job is not None:
            text = "\n".join([match["rest"], *following(lines, at)])
            found.job_texts.setdefault(job, text[:MOST_TEXT])
            found.jobs[job] = "FAILED"
            if MASTER.search(match["rest"]):
                found.masters.update(INNER.findall(text))
        return job
    for word, pattern, state in _JOBS:
        match = pattern.search(line) if word in line else None
        if match is None:
            continue
        job = job_of(match[1])
        if job is None:
            continue
        told = state or match[2]
        if told != "RUNNING" or job not in found.jobs:
            found.jobs[job] = told
        says = _SAYS.search(line)
        if told == "FAILED" and word == "LocalJobRunner":
            found.job_texts.setdefault(job, "\n".join(following(lines, at))[:MOST_TEXT])
        if told in {"FAILED", "KILLED", "ERROR"} and says is None and " with exception" in line:
            says = _WITH.search(line)
        if told in {"FAILED", "KILLED", "ERROR"} and says is not None:
            text = "\n".join([says[1], *following(lines, at)])
            found.job_texts.setdefault(job, text[:MOST_TEXT])
        return job
    return None


# Counters.log of 1.x; JobInProgress.failedTask counts no attempts, but tasks that failed for good
_COUNTER: Final = re.compile(r"mapred\.JobClient:\s+(Launched|Failed) (?:map|reduce) tasks=[1-9]")

_COMPLETE: Final = re.compile(r"mapred\.JobClient: (?:Running job|(Job complete)): (job_\d+_\d+)")

NO_SUCCESS: Final = re.compile(r"Job not successful|Job failed!|Job Failed: ")


def read_counters(found: Reports, lines: Iterable[str]) -> None:
    """The jobs that ended with counters of tasks that ran, and of none that failed for good.

    A job that is killed has such counters too, and its progress is set to 100 %
    (``JobInProgress.terminateJob``).
    """
    job = None
    counted: dict[str, set[str]] = {}
    for line in lines:
        begins = _COMPLETE.search(line) if "JobClient" in line else None
        if begins is not None:
            job = begins[2] if begins[1] else None
        elif job is not None and NO_SUCCESS.search(line):
            counted.setdefault(job, set()).add("Failed")
        elif job is not None:
            counted.setdefault(job, set()).update(_COUNTER.findall(line))
    found.no_task_failed = {job for job, words in counted.items() if words == {"Launched"}}


# what somebody writes above what they paste of a job: ``[job 0311, SUCCEEDED]``
_HEADED: Final = re.compile(
    r"\W{0,8}[Jj]ob[ _](?:(\d{12,13})_)?(\d{3,9})\b\W{1,6}(SUCCEEDED|FAILED|KILLED)\W*$"
)


# org.apache.hadoop.mapreduce.JobCounter: a container that is killed for memory makes a failed task
_KILLED_TASKS: Final = re.compile(r"\bKilled (map|reduce) tasks=(\d{1,9})\b")
_FAILED_TASKS: Final = re.compile(r"\bFailed (?:map|reduce) tasks=[1-9]")


_SPILLED: Final = re.compile(r"\bSpilled Records=(\d{1,19})")
_PUT_OUT: Final = re.compile(r"\bMap output records=(\d{1,19})")


def spilled_again(text: str) -> str:
    """That records which were spilled several times are no lack of memory, of a job that is done.

    >>> spilled_again("Map output records=100 Spilled Records=300").partition(",")[0]
    '300 records were spilled to local disk'
    """
    spilled, put_out = _SPILLED.findall(text), _PUT_OUT.findall(text)
    if len(spilled) != 1 or len(put_out) != 1 or not int(put_out[0]):
        return ""
    times = int(spilled[0]) / int(put_out[0])
    if times <= _ORDINARY:
        return ""
    return (
        f"{int(spilled[0]):,} records were spilled to local disk, {times:.1f} for each map output "
        "record. That costs time, not memory: one spill of a record in the map task and one in the "
        "merge of the reducer are normal. If map tasks spill more than once, a larger "
        "mapreduce.task.io.sort.mb reduces it, as far as their heap has room"
    )


_ORDINARY: Final = 2
"""Spills of a record: one in its map task, and one where its reducer merges."""


def killed_alone(text: str) -> str:
    """What the counters of a job say of attempts that were killed, where none failed; or "".

    >>> killed_alone("Killed map tasks=9 Launched map tasks=90").partition(":")[0]
    '9 attempts of map tasks were killed and none failed'
    """
    killed = {side: int(count) for side, count in _KILLED_TASKS.findall(text) if int(count)}
    if not killed or _FAILED_TASKS.search(text):
        return ""
    counts = " and ".join(
        f"{count:,} {'attempt' if count == 1 else 'attempts'} of {side} tasks"
        for side, count in killed.items()
    )
    was = "was" if sum(killed.values()) == 1 else "were"
    return (
        f"{counts} {was} killed and none failed: as a rule another attempt of the same task was "
        "done first (speculative execution), or a node went away. One that lacks memory fails "
        "instead"
    )


def read_headings(found: Reports, lines: Iterable[str]) -> None:
    """How jobs ended by somebody's headings, which may name one by the end of its id."""
    headed = [one for line in lines if "ob" in line and (one := _HEADED.match(line)) is not None]
    if not headed:
        return
    ids = (*found.texts, *found.states, *found.exits)
    named = {job for job in map(job_of, ids) if job is not None}
    for one in headed:
        jobs = [job for job in named if job.endswith(f"{one[1] or ''}_{one[2]}")]
        if len(jobs) == 1 and found.jobs.get(jobs[0], "RUNNING") in RUNNING:
            found.jobs[jobs[0]] = one[3]
