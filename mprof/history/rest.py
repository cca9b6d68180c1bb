"""Answers of a MapReduce HistoryServer's REST interface -> the events of a history file.

``org.apache.hadoop.mapreduce.v2.hs.webapp.HsWebServices``: what it tells of a job it has read from
the job's history file (``JobHistoryParser``, ``CompletedJob``), so the events of that file are made
from it, and one builder makes jobs of both. Hadoop 2 writes ``null`` for an empty list and Hadoop 3
``{}``; converters from XML write a list of one as the one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from mprof.history.build import build_job
from mprof.history.event import HistoryEvent
from mprof.history.job_history import JobHistory
from mprof.units import parse_long

__all__ = ["jobs_of_answers", "listed_in"]

_OF_JOB: Final = re.compile(r"(?:job|task|attempt)_([0-9]{1,20}_[0-9]{1,10})(?:_[a-z]_[0-9_]+)?")
_TASK_OF: Final = re.compile(r"attempt(_[0-9]{1,20}_[0-9]{1,10}_[a-z]_[0-9]{1,10})_[0-9]{1,10}")
_ENDS: Final = frozenset({"SUCCEEDED", "FAILED", "KILLED", "ERROR"})
# CompletedTaskAttempt writes it, with the state KILLED, of one whose end is in no history.
_NO_END: Final = "Attmpt state missing from History"
_NOWHERE: Final = frozenset({"", "null", "N/A"})


def listed_in(answer: Mapping[str, Any], many: str, one: str) -> list[dict[str, Any]]:
    """The objects of an answer such as ``{"tasks": {"task": [...]}}``.

    >>> listed_in({"jobs": {"job": [{"id": "a"}]}}, "jobs", "job")
    [{'id': 'a'}]
    >>> listed_in({"jobs": None}, "jobs", "job"), listed_in({"jobs": {}}, "jobs", "job")
    ([], [])
    """
    of = answer.get(many)
    found = of.get(one) if isinstance(of, dict) else None
    found = [found] if isinstance(found, dict) else found
    return [each for each in found or () if isinstance(each, dict)] if found else []


def jobs_of_answers(answers: Iterable[Mapping[str, Any]]) -> Iterator[JobHistory]:
    """The jobs that answers tell of, whichever come first.

    Memory: all of the answers.
    """
    by_job: dict[str, _Answers] = {}
    unknown = 0
    for answer in answers:
        for part, told in _parts(answer):
            found = _OF_JOB.fullmatch(str(told.get("id")))
            if found is None:
                unknown += 1
                continue
            by_job.setdefault(f"job_{found[1]}", _Answers()).add(part, told)
    for job, each in by_job.items():
        losses = (f"{unknown} parts of answers have no id of Hadoop",) if unknown else ()
        unknown = 0
        yield build_job(each.events(job), file_format="rest", losses=losses)


class _Answers:
    """What was told of a job."""

    def __init__(self) -> None:
        self._told: dict[str, list[Mapping[str, Any]]] = {}

    def add(self, part: str, told: Mapping[str, Any]) -> None:
        self._told.setdefault(part, []).append(told)

    def events(self, job: str) -> Iterator[HistoryEvent]:
        yield HistoryEvent("JOB_SUBMITTED", {"jobid": job})
        for told in self._told.get("job", ()):
            yield from _job(job, told)
        for told in self._told.get("task", ()):
            yield from _task(told)
        counters = {told["id"]: _counters(told) for told in self._told.get("counters", ())}
        for told in self._told.get("attempt", ()):
            yield from _attempt(told, counters.get(told["id"]))


def _parts(answer: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for part, name in (("job", "job"), ("counters", "jobTaskAttemptCounters")):
        told = answer.get(name)
        if isinstance(told, dict):
            yield part, told
    for told in listed_in(answer, "tasks", "task"):
        yield "task", told
    for told in listed_in(answer, "taskAttempts", "taskAttempt"):
        yield "attempt", told


def _job(job: str, told: Mapping[str, Any]) -> Iterator[HistoryEvent]:
    yield HistoryEvent(
        "JOB_SUBMITTED",
        {
            "jobid": job,
            "jobName": told.get("name"),
            "userName": told.get("user"),
            "jobQueueName": told.get("queue"),
            "submitTime": _number(told.get("submitTime")),
        },
    )
    yield HistoryEvent(
        "JOB_INITED",
        {
            "launchTime": _number(told.get("startTime")),
            "totalMaps": _number(told.get("mapsTotal")),
            "totalReduces": _number(told.get("reducesTotal")),
            "uberized": told.get("uberized") is True,
        },
    )
    if told.get("state") in _ENDS:
        fields = {"finishTime": _number(told.get("finishTime")), "jobStatus": told["state"],
                  "diagnostics": told.get("diagnostics")}  # fmt: skip
        yield HistoryEvent("JOB_FINISHED", fields)


def _task(told: Mapping[str, Any]) -> Iterator[HistoryEvent]:
    about = {"taskid": told["id"], "taskType": told.get("type")}
    yield HistoryEvent("TASK_STARTED", {**about, "startTime": _number(told.get("startTime"))})
    if told.get("state") in _ENDS:
        ended = {
            "status": told["state"],
            "finishTime": _number(told.get("finishTime")),
            "successfulAttemptId": told.get("successfulAttempt"),
        }
        yield HistoryEvent("TASK_FINISHED", {**about, **ended})


def _attempt(told: Mapping[str, Any], counters: Any) -> Iterator[HistoryEvent]:
    of = _TASK_OF.fullmatch(told["id"])
    if of is None:
        return
    about = {"attemptId": told["id"], "taskid": f"task{of[1]}"}
    host = _host(told.get("nodeHttpAddress"))
    started = {
        "startTime": _number(told.get("startTime")),
        "containerId": told.get("assignedContainerId"),
        "trackerName": host,
    }
    yield HistoryEvent("MAP_ATTEMPT_STARTED", {**about, **started})
    said = told.get("diagnostics")
    missing = isinstance(said, str) and said.startswith(_NO_END)
    if told.get("state") not in _ENDS or missing:
        return
    ended = {
        "status": told["state"],
        "error": said,
        "hostname": host,
        "rackname": told.get("rack"),
        "finishTime": _number(told.get("finishTime")),
        "counters": counters,
    }
    if told["state"] == "SUCCEEDED":  # of others JobHistoryParser fills in when they ended
        ended["shuffleFinishTime"] = _number(told.get("shuffleFinishTime"))
        ended["sortFinishTime"] = _number(told.get("mergeFinishTime"))
    yield HistoryEvent("MAP_ATTEMPT_FINISHED", {**about, **ended})


def _counters(told: Mapping[str, Any]) -> dict[str, Any]:
    """Counters as a history file has them."""
    groups = told.get("taskAttemptCounterGroup")
    groups = [groups] if isinstance(groups, dict) else groups
    return {
        "groups": [
            {"name": group.get("counterGroupName"), "counts": _counts(group.get("counter"))}
            for group in groups or ()
            if isinstance(group, dict)
        ]
    }


def _counts(told: Any) -> list[dict[str, Any]]:
    told = [told] if isinstance(told, dict) else told
    return [
        {"name": each.get("name"), "value": _number(each.get("value"))}
        for each in told or ()
        if isinstance(each, dict)
    ]


def _host(address: Any) -> str | None:
    """The host of ``host:port``; None where the history knew none."""
    if not isinstance(address, str):
        return None
    host = address.rpartition(":")[0]
    return None if host in _NOWHERE else host


def _number(value: Any) -> int | None:
    if isinstance(value, str):
        return parse_long(value) if value.isascii() and value.isdigit() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
