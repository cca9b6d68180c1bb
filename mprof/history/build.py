"""Builds a job from the events of a history file, in the order written.

Two attempts of the application master write into one file: the second repeats what the first wrote,
so later events replace earlier ones and nothing is counted twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from mprof.history.counters import NO_COUNTERS, Counters, sum_counters
from mprof.history.event import HistoryEvent
from mprof.history.job_history import AttemptHistory, JobHistory, TaskHistory

__all__ = ["build_job"]

_ID: Final = re.compile(
    r"^(?:task|attempt)_[0-9]+_[0-9]+_([a-z])_([0-9]{1,10})(?:_([0-9]{1,10}))?$"
)
_TYPE_OF_LETTER: Final = {"m": "map", "r": "reduce"}
_TYPE_OF_NAME: Final = {
    "MAP": "map",
    "REDUCE": "reduce",
    "SETUP": "setup",
    "CLEANUP": "cleanup",
    "JOB_SETUP": "setup",
    "JOB_CLEANUP": "cleanup",
    "TASK_CLEANUP": "cleanup",
}
_FINISHED: Final = "SUCCEEDED"
_JOB_ENDS: Final = {
    "JOB_FINISHED": _FINISHED,
    "JOB_FAILED": "FAILED",
    "JOB_KILLED": "KILLED",
    "JOB_ERROR": "ERROR",
}
_ATTEMPT_EVENT: Final = re.compile(r"^(?:MAP|REDUCE|SETUP|CLEANUP)_ATTEMPT_(\w+)$")
# how Hadoop writes a host name or other text that it does not know
_NO_TEXT: Final = frozenset({"", "null", "N/A"})


def build_job(
    events: Iterable[HistoryEvent], *, file_format: str, losses: tuple[str, ...]
) -> JobHistory:
    """Fold the events into a job; what no event says is None, and a missing end is a loss."""
    job = JobHistory(format=file_format, job_id="")
    tasks: dict[str, TaskHistory] = {}
    attempts: dict[str, dict[str, AttemptHistory]] = {}
    damaged = 0
    for event in events:
        try:
            job = _fold(event, job, tasks, attempts)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            damaged += 1  # valid JSON, but without the members of its type
    if damaged:
        losses = (*losses, f"history: {damaged} events are damaged and left out")
    for task_id in attempts:
        if task_id not in tasks:
            tasks[task_id] = _new_task(task_id, {})
    whole = tuple(
        replace(task, attempts=_by_number(attempts.get(task_id, {}).values()))
        for task_id, task in sorted(tasks.items(), key=lambda item: _task_order(item[1]))
    )
    job = _with_counters(replace(job, tasks=whole))
    if job.state is None:
        losses = (*losses, "history: the file has no end of the job: cut off, or still running")
    return replace(job, losses=losses)


def _fold(
    event: HistoryEvent,
    job: JobHistory,
    tasks: dict[str, TaskHistory],
    attempts: dict[str, dict[str, AttemptHistory]],
) -> JobHistory:
    attempt_event = _ATTEMPT_EVENT.match(event.type)
    if attempt_event:
        _fold_attempt(attempts, event.fields, edge=attempt_event[1])
    elif event.type.startswith("TASK_"):
        _fold_task(tasks, event.fields, event.type)
    else:
        return _fold_job(job, event.fields, event.type)
    return job


def _with_counters(job: JobHistory) -> JobHistory:
    if job.counters:
        return job
    finished = [t.counters for t in job.tasks if t.state == _FINISHED and t.counters]
    if not finished:
        return job
    return replace(job, counters=sum_counters(finished))


def _fold_job(job: JobHistory, fields: Mapping[str, Any], type_: str) -> JobHistory:
    if "jobid" in fields:
        job = replace(job, job_id=str(fields["jobid"]))
    if type_ == "JOB_SUBMITTED":
        return replace(
            job,
            name=_text(fields.get("jobName")) or "",
            user=_text(fields.get("userName")) or "",
            queue=_text(fields.get("jobQueueName")) or job.queue,
            submit_ms=_time(fields.get("submitTime")),
        )
    if type_ == "JOB_INITED":
        return replace(
            job,
            launch_ms=_time(fields.get("launchTime")),
            total_maps=_int(fields.get("totalMaps")),
            total_reduces=_int(fields.get("totalReduces")),
            uber=fields.get("uberized"),
        )
    if type_ == "JOB_INFO_CHANGED":
        return replace(
            job,
            submit_ms=_time(fields.get("submitTime")) or job.submit_ms,
            launch_ms=_time(fields.get("launchTime")) or job.launch_ms,
        )
    if type_ == "JOB_QUEUE_CHANGED":
        return replace(job, queue=_text(fields.get("jobQueueName")) or job.queue)
    if type_ in _JOB_ENDS:
        return replace(
            job,
            state=_text(fields.get("jobStatus")) or _JOB_ENDS[type_],
            finish_ms=_time(fields.get("finishTime")),
            diagnostics=_text(fields.get("diagnostics")) or "",
            counters=_counters(fields.get("totalCounters")) or job.counters,
        )
    return job


def _fold_task(tasks: dict[str, TaskHistory], fields: Mapping[str, Any], type_: str) -> None:
    task_id = str(fields.get("taskid", ""))
    task = tasks.get(task_id) or _new_task(task_id, fields)
    if type_ in {"TASK_FINISHED", "TASK_FAILED"}:
        default = _FINISHED if type_ == "TASK_FINISHED" else "FAILED"
        task = replace(
            task,
            state=_text(fields.get("status")) or default,
            successful_attempt=_text(fields.get("successfulAttemptId")),
            counters=_counters(fields.get("counters")),
        )
    tasks[task_id] = task


def _fold_attempt(
    attempts: dict[str, dict[str, AttemptHistory]], fields: Mapping[str, Any], *, edge: str
) -> None:
    attempt_id = str(fields.get("attemptId", ""))
    task_id = str(fields.get("taskid", ""))
    of_task = attempts.setdefault(task_id, {})
    attempt = of_task.get(attempt_id) or _new_attempt(attempt_id, fields)
    if edge == "STARTED":
        attempt = replace(
            attempt,
            start_ms=_time(fields.get("startTime")),
            container_id=_text(fields.get("containerId")),
            host=_text(fields.get("trackerName")),
        )
    else:
        # the event's name says how it ended; a status field of an older schema says the same
        state = {"FINISHED": _FINISHED}.get(edge, edge)
        attempt = replace(
            attempt,
            state=_text(fields.get("status")) or _text(fields.get("taskStatus")) or state,
            error=_text(fields.get("error")) or "",
            host=_text(fields.get("hostname")) or attempt.host,
            rack=(_text(fields.get("rackname")) or "").strip("/") or None,
            finish_ms=_time(fields.get("finishTime")),
            shuffle_finish_ms=_time(fields.get("shuffleFinishTime")),
            sort_finish_ms=_time(fields.get("sortFinishTime")),
            counters=_counters(fields.get("counters")),
            wall_splits_ms=_splits(fields.get("clockSplits")),
        )
    of_task[attempt_id] = attempt


def _new_task(task_id: str, fields: Mapping[str, Any]) -> TaskHistory:
    match = _ID.match(task_id)
    return TaskHistory(
        id=task_id,
        type=_type(match, fields),
        index=int(match[2]) if match else -1,
    )


def _new_attempt(attempt_id: str, fields: Mapping[str, Any]) -> AttemptHistory:
    match = _ID.match(attempt_id)
    number = int(match[3]) if match and match[3] else -1
    return AttemptHistory(id=attempt_id, type=_type(match, fields), number=number)


def _type(match: re.Match[str] | None, fields: Mapping[str, Any]) -> str:
    named = _TYPE_OF_NAME.get(str(fields.get("taskType", "")))
    return named or (_TYPE_OF_LETTER.get(match[1], "") if match else "")


def _task_order(task: TaskHistory) -> tuple[int, int, str]:
    kinds = ("setup", "map", "reduce", "cleanup")
    return (kinds.index(task.type) if task.type in kinds else len(kinds), task.index, task.id)


def _by_number(attempts: Iterable[AttemptHistory]) -> tuple[AttemptHistory, ...]:
    return tuple(sorted(attempts, key=lambda each: each.number))


def _counters(value: Any) -> Counters:
    if not isinstance(value, dict):
        return NO_COUNTERS
    return Counters.of(
        (
            str(group["name"]),
            (
                (str(c["name"]), c["value"])
                for c in group.get("counts", ())
                if _int(c["value"]) is not None
            ),
        )
        for group in value.get("groups", ())
    )


def _splits(value: Any) -> tuple[int, ...] | None:
    return tuple(value) if isinstance(value, list) and value else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value not in _NO_TEXT else None


def _time(value: Any) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _int(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
