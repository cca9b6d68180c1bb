"""Job traces of Rumen, one JSON object a job, and the topology that it writes beside them.

``org.apache.hadoop.tools.rumen.LoggedJob``, ``LoggedTask``, ``LoggedTaskAttempt`` and
``LoggedNetworkTopology``. -1 stands for a figure that was not recorded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from mprof.sources.json_objects import json_objects
from mprof.sources.reader import (
    ROWS_AT_ONCE,
    Losses,
    Part,
    Reader,
    as_count,
    as_text,
    as_word,
    slices_of,
)
from mprof.store import frame_of

__all__ = ["RUMEN_JOBS", "RUMEN_TOPOLOGY"]

_LATEST_MS: Final = 1e15  # beyond the year 30000: no time, or one in another unit
_STATES: Final = {"SUCCESS": "succeeded", "FAILED": "failed", "KILLED": "killed"}
_TASKS: Final = ("mapTasks", "reduceTasks", "otherTasks")
_COUNTERS: Final = (
    "hdfsBytesRead", "hdfsBytesWritten", "fileBytesRead", "fileBytesWritten", "mapInputBytes",
    "mapInputRecords", "mapOutputBytes", "mapOutputRecords", "combineInputRecords",
    "reduceInputGroups", "reduceInputRecords", "reduceOutputRecords", "reduceShuffleBytes",
    "spilledRecords",
)  # fmt: skip


def _name(escaped: Any) -> str | None:
    """A name in which Rumen's anonymiser has put backslashes before full stops."""
    return escaped.replace("\\.", ".") if isinstance(escaped, str) else None


def _place(attempt: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Host and rack of ``/rack/host``."""
    rack, _, host = (_name(attempt.get("hostName")) or "").rpartition("/")
    return host or None, rack.lstrip("/") or None


def _seconds(milliseconds: Any) -> float | None:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return None
    return milliseconds / 1000 if 0 < milliseconds < _LATEST_MS else None


def _sum(*values: int | None) -> int | None:
    known = [value for value in values if value is not None]
    return as_count(sum(known)) if known else None


def _state(outcome: Any) -> str:
    """How it ended; an end that Rumen does not name in this way is left as it is written."""
    if outcome is None:
        return "running"
    word = as_word(outcome) or "unknown"
    return _STATES.get(word, word.lower())


def _attempt(job: str, task: Mapping[str, Any], one: Mapping[str, Any]) -> dict[str, Any]:
    host, rack = _place(one)
    counters = {name: value for name in _COUNTERS if (value := as_count(one.get(name))) is not None}
    kind = (as_word(task.get("taskType")) or "").lower().removeprefix("job_")
    return {
        "job": job,
        "attempt": as_text(one.get("attemptID")),
        "kind": kind or None,
        "host": host,
        "rack": rack,
        "started_s": _seconds(one.get("startTime")),
        "shuffled_s": _seconds(one.get("shuffleFinished")),
        "sorted_s": _seconds(one.get("sortFinished")),
        "finished_s": _seconds(one.get("finishTime")),
        "state": _state(one.get("result")),
        "read_bytes": _sum(counters.get("hdfsBytesRead"), counters.get("fileBytesRead")),
        "written_bytes": _sum(counters.get("hdfsBytesWritten"), counters.get("fileBytesWritten")),
        "counters": json.dumps(counters) if counters else None,
        "slices_ms": slices_of(one.get("clockSplits")),
    }


def _attempts(job: Mapping[str, Any], losses: Losses) -> Iterator[dict[str, Any]]:
    for kind in _TASKS:
        for task in _objects_in(job, kind, losses):
            for one in _objects_in(task, "attempts", losses):
                row = _attempt(job["jobID"], task, one)
                if row["attempt"] is None:
                    losses.add("an attempt has no id", one)
                else:
                    yield row


def _objects_in(owner: Mapping[str, Any], name: str, losses: Losses) -> Iterator[dict[str, Any]]:
    listed = owner.get(name)
    if listed is not None and not isinstance(listed, list):
        losses.add(f"{name} is no list", listed)
        return
    for each in listed or ():
        if isinstance(each, dict):
            yield each
        else:
            losses.add(f"one of {name} is no object", each)


def _read_jobs(path: Path, losses: Losses) -> Iterator[Part]:
    jobs: list[dict[str, Any]] = []
    attempts: list[dict[str, Any]] = []
    for job in json_objects(path, losses):
        if as_text(job.get("jobID")) is None:
            losses.add("an object is no job", job)
            continue
        jobs.append(_job(job))
        attempts += _attempts(job, losses)
        if len(attempts) >= ROWS_AT_ONCE:
            yield "attempts", frame_of("attempts", attempts)
            attempts = []
    yield "jobs", frame_of("jobs", jobs)
    yield "attempts", frame_of("attempts", attempts)


def _job(job: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "job": job["jobID"],
        "name": as_text(job.get("jobName")),
        "user": as_text(job.get("user")),
        "submitted_s": _seconds(job.get("submitTime")),
        "launched_s": _seconds(job.get("launchTime")),
        "finished_s": _seconds(job.get("finishTime")),
        "state": _state(job.get("outcome")),
        "maps": as_count(job.get("totalMaps")),
        "reduces": as_count(job.get("totalReduces")),
    }


def _read_topology(path: Path, losses: Losses) -> Iterator[Part]:
    rows: list[dict[str, Any]] = []
    for root in json_objects(path, losses):
        # Racks may stand in data centres: the name before a leaf's is its rack.
        left: list[tuple[str | None, Any]] = [(None, root)]
        while left:
            rack, node = left.pop()
            if not isinstance(node, dict) or not isinstance(node.get("name"), str):
                losses.add("a node of the topology has no name", node)
                continue
            children = node.get("children")
            if isinstance(children, list) and children:
                left += ((_name(node["name"]), child) for child in reversed(children))
            else:
                rows.append({"host": _name(node["name"]), "rack": rack, "known_from": "topology"})
    yield "nodes", frame_of("nodes", rows)


def _begins(head: bytes, *words: str) -> bool:
    text = head.decode("utf-8", "replace").lstrip()
    return text.startswith("{") and all(f'"{word}"' in text for word in words)


RUMEN_JOBS: Final = Reader(
    kind="Rumen job trace",
    recognises=lambda _, head: _begins(head, "jobID"),
    read=_read_jobs,
    tables=("jobs", "attempts"),
)
RUMEN_TOPOLOGY: Final = Reader(
    kind="Rumen topology",
    recognises=lambda _, head: _begins(head, "name", "children"),
    read=_read_topology,
    tables=("nodes",),
)
