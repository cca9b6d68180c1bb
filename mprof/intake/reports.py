"""What Hadoop's own processes say about containers, attempts and jobs, wherever they say it.

The words are those of the NodeManager (``ContainersMonitorImpl``, ``ContainerImpl``,
``DefaultContainerExecutor``, ``CGroupElasticMemoryController``), of the application master
(``TaskAttemptImpl``, ``JobImpl``, ``TaskAttemptListenerImpl``, ``RMContainerAllocator``), of the
ResourceManager (``RMAppImpl``, ``RMAppAttemptImpl``, ``RMAppManager``), and of the command that
submitted the job (``org.apache.hadoop.mapreduce.Job``; ``JobClient`` in Hadoop 1): in their logs,
on a terminal, or copied from a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from mprof.intake.blocks import read_block
from mprof.intake.broken_lines import unbroken
from mprof.intake.hive_and_pig import OF_HIVE, read_hive, read_pig
from mprof.intake.reported import MOST_TEXT, Reports, is_first, job_of
from mprof.intake.states import read_pair_of_a_line, read_state
from mprof.intake.states_of_jobs import NO_SUCCESS, read_counters, read_headings, read_job

__all__ = ["read_reports"]

_LONGEST_LINE: Final = 1000
_APPLICATION: Final = re.compile(r"\bapplication_\d{12,13}_\d{3,9}\b")
# org.apache.spark.deploy.yarn.ApplicationMaster.finish, which does not name its application
_FINAL: Final = re.compile(r"\bFinal app status: (SUCCEEDED)\b")
_CANCELLED: Final = re.compile(r"^\s*FAILED: Operation cancelled")  # of Hive's query


# JobImpl.InitTransition, of an application master
_COUNTED: Final = re.compile(
    r"Input size for job (job_\d+_\d+) = \d+\. Number of splits = (\d{1,9})\b"
)
# JobSubmitter.submitJobInternal
# org.apache.hadoop.mapreduce.v2.app.job.impl.JobImpl.InitTransition
_NO_REDUCES: Final = re.compile(r"\bNumber of reduces for job (job_\d{1,19}_\d{1,10}) = 0\s*$")
# org.apache.hadoop.hive.ql.exec.mr.HadoopJobExecHelper, of the job that it has just started
_NO_REDUCERS: Final = re.compile(r"\bnumber of mappers: \d{1,9}; number of reducers: 0\s*$")
_SPLITS: Final = re.compile(r"\bnumber of splits: ?(\d{1,9})\b")


def read_reports(parts: Iterable[tuple[int, Sequence[str]]]) -> Reports:
    """Every report in a text."""
    found = Reports()
    last_job: str | None = None
    splits: re.Match[str] | None = None
    parts = [*parts]
    read_counters(found, (line for _, part in parts for line in part))
    final: re.Match[str] | None = None
    for _, part in parts:
        lines = unbroken(part)
        for at, line in enumerate(lines):
            if "Final app status: " in line:
                final = _FINAL.search(line) or final
            if "_" in line or "xecutor" in line or "Lost task " in line:
                read_block(found, lines, at)
                read_state(found, line)
                read_pair_of_a_line(found, line)
                if "Number of splits" in line and (counted := _COUNTED.search(line)) is not None:
                    found.maps.setdefault(counted[1], int(counted[2]))
                if "Number of reduces" in line and (none := _NO_REDUCES.search(line)) is not None:
                    found.map_only.add(none[1])
                job = read_job(found, lines, at)
                last_job = job or last_job
                if job is not None and splits is not None:  # counted before it has an id
                    found.maps.setdefault(job, int(splits[1]))
                    splits = None
            elif "umber of splits" in line:
                splits = _SPLITS.search(line) or splits
            elif "umber of reducers: 0" in line:
                if last_job is not None and _NO_REDUCERS.search(line):
                    found.map_only.add(last_job)
            elif last_job is not None and NO_SUCCESS.search(line):
                found.jobs[last_job] = "FAILED"
            elif OF_HIVE.match(line):
                read_hive(found, lines, at, last_job)
            elif _CANCELLED.match(line) and found.jobs.get(last_job or "") == "FAILED":
                found.jobs[last_job or ""] = "KILLED"
        for line in lines if found.job_texts else ():
            for job in map(job_of, _APPLICATION.findall(line)):
                if job in found.job_texts and len(found.beside.get(job, "")) < MOST_TEXT:
                    found.beside[job] = f"{found.beside.get(job, '')}{line[:_LONGEST_LINE]}\n"
    applications = {one for _, part in parts for line in part for one in _APPLICATION.findall(line)}
    if final is not None and len(applications) == 1:
        found.jobs.setdefault(job_of(applications.pop()) or "", final[1])
    read_pig(found, (line for _, part in parts for line in part))
    read_headings(found, (line for _, part in parts for line in part))
    _read_same(found)
    _join_the_only_ones(found)
    return found


def _join_the_only_ones(found: Reports) -> None:
    """The only attempt of a text of which nothing is said but its state ran in its only container.

    Where the container failed as well, and is of the same job, and no application master's.
    """
    containers = [one for one in found.texts if one.startswith("container_")]
    attempts = [one for one in {**found.texts, **found.states} if one.startswith("attempt_")]
    if len(containers) != 1 or len(attempts) != 1 or containers[0] in found.attempts:
        return
    (container,), (attempt,) = containers, attempts
    says_nothing = not any(found.texts.get(attempt, ())) and found.states.get(attempt) == "FAILED"
    if says_nothing and job_of(container) == job_of(attempt) and not is_first(container):
        found.attempts[container] = attempt


# what people write in place of a stack that they would have to repeat
_SAME: Final = re.compile(
    r"(?i)\W*(?:(?:the |exactly )?same\b.{0,60}|ditto|idem|(?:as|see) above|and so on|etc)\W*$|"
    r"\s*[\[(]?(?:\.\.\.+|\u2026)[\])]?\s*$"
)
_DIGITS: Final = re.compile(r"\d+")


def _read_same(found: Reports) -> None:
    """Of an attempt of which a text says that it ended as one above did, what is said of that.

    Both begin with the same line but for the numbers in it.
    """
    above: dict[str, list[str]] = {}
    for id_, texts in found.texts.items():
        lines = [line for line in "\n".join(texts).split("\n") if line.strip()]
        if not lines or not id_.startswith("attempt_"):
            continue
        begin = _DIGITS.sub("0", lines[0])
        if len(lines) > 1 and _SAME.match(lines[1]) and begin in above:
            found.texts[id_] = ["\n".join([lines[0], *above[begin][1:]])[:MOST_TEXT]]
        elif len(lines) > 1:
            above.setdefault(begin, lines)
