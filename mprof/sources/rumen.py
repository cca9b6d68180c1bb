"""Job traces of Rumen, one JSON object a job, and the topology that it writes beside them.

``org.apache.hadoop.tools.rumen.LoggedJob``, ``LoggedTask``, ``LoggedTaskAttempt`` and
``LoggedNetworkTopology``. -1 stands for a figure that was not recorded.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from mprof.sources.reading import ROWS_AT_ONCE, Losses, Part, Reader, open_content
from mprof.store import frame_of

__all__ = ["RUMEN_JOBS", "RUMEN_TOPOLOGY"]

_PIECE: Final = 1 << 20
_LONGEST_OBJECT: Final = 1 << 30
_SPACE: Final = re.compile(r"\s*")
_DECODER: Final = json.JSONDecoder()
_STATES: Final = {"SUCCESS": "succeeded", "FAILED": "failed", "KILLED": "killed"}
_TASKS: Final = ("mapTasks", "reduceTasks", "otherTasks")
_COUNTERS: Final = (
    "hdfsBytesRead", "hdfsBytesWritten", "fileBytesRead", "fileBytesWritten", "mapInputBytes",
    "mapInputRecords", "mapOutputBytes", "mapOutputRecords", "combineInputRecords",
    "reduceInputGroups", "reduceInputRecords", "reduceOutputRecords", "reduceShuffleBytes",
    "spilledRecords",
)  # fmt: skip


def _objects(path: Path, losses: Losses) -> Iterator[dict[str, Any]]:
    """JSON objects one after the other, with nothing but space between them."""
    held = ""
    with open_content(path) as file:
        while True:
            try:
                piece = file.read(_PIECE)
            except (OSError, EOFError, zlib.error) as error:
                losses.add(f"the file is damaged or cut off from here on ({error})")
                piece = b""
            held += piece.decode("utf-8", "replace")
            at = 0
            while True:
                start = _SPACE.match(held, at)
                at = start.end() if start else at
                if at == len(held):
                    break
                try:
                    found, at = _DECODER.raw_decode(held, at)
                except ValueError:
                    break
                except RecursionError:
                    losses.add("an object is nested too deeply", held[at : at + 80])
                    return
                if isinstance(found, dict):
                    yield found
                else:
                    losses.add("a value is no object", str(found))
            held = held[at:]
            if not piece:
                if held:
                    losses.add("the last object is cut off, or no JSON", held[:80])
                return
            if len(held) > _LONGEST_OBJECT:
                losses.add("an object is longer than 1 GiB, or no JSON", held[:80])
                return


def _name(escaped: Any) -> str | None:
    """A name in which Rumen's anonymiser has put backslashes before full stops."""
    return escaped.replace("\\.", ".") if isinstance(escaped, str) else None


def _place(attempt: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Host and rack of ``/rack/host``, or of the layers of its location."""
    host = _name(attempt.get("hostName"))
    if host is None:
        return None, None
    rack, _, name = host.rpartition("/")
    return name, rack.lstrip("/") or None


def _seconds(milliseconds: Any) -> float | None:
    is_time = isinstance(milliseconds, int | float) and milliseconds > 0
    return milliseconds / 1000 if is_time else None


def _figure(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and value >= 0 else None


def _sum(*values: int | None) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _attempt(job: str | None, task: Mapping[str, Any], one: Mapping[str, Any]) -> dict[str, Any]:
    host, rack = _place(one)
    counters = {name: value for name in _COUNTERS if (value := _figure(one.get(name))) is not None}
    slices = one.get("clockSplits")
    result = one.get("result")
    return {
        "job": job,
        "attempt": one.get("attemptID"),
        "kind": str(task.get("taskType", "")).lower() or None,
        "host": host,
        "rack": rack,
        "started_s": _seconds(one.get("startTime")),
        "shuffled_s": _seconds(one.get("shuffleFinished")),
        "sorted_s": _seconds(one.get("sortFinished")),
        "finished_s": _seconds(one.get("finishTime")),
        "state": _STATES.get(str(result), "running" if result is None else str(result).lower()),
        "read_bytes": _sum(counters.get("hdfsBytesRead"), counters.get("fileBytesRead")),
        "written_bytes": _sum(counters.get("hdfsBytesWritten"), counters.get("fileBytesWritten")),
        "counters": json.dumps(counters) if counters else None,
        "slices_ms": [float(each) for each in slices] if isinstance(slices, list) else None,
    }


def _read_jobs(path: Path, losses: Losses) -> Iterator[Part]:
    jobs: list[dict[str, Any]] = []
    attempts: list[dict[str, Any]] = []
    for job in _objects(path, losses):
        if not isinstance(job.get("jobID"), str):
            losses.add("an object is no job", json.dumps(job)[:80])
            continue
        try:
            jobs.append(_job(job))
            attempts += (
                _attempt(job["jobID"], task, one)
                for kind in _TASKS
                for task in job.get(kind) or ()
                for one in task.get("attempts") or ()
            )
        except (AttributeError, TypeError, ValueError, OverflowError) as error:
            losses.add(f"a job has a field of another type ({error})", job["jobID"])
        if len(attempts) >= ROWS_AT_ONCE:
            yield "attempts", frame_of("attempts", attempts)
            attempts = []
    yield "jobs", frame_of("jobs", jobs)
    yield "attempts", frame_of("attempts", attempts)


def _job(job: Mapping[str, Any]) -> dict[str, Any]:
    outcome = job.get("outcome")
    return {
        "job": job["jobID"],
        "name": job.get("jobName"),
        "user": job.get("user"),
        "submitted_s": _seconds(job.get("submitTime")),
        "launched_s": _seconds(job.get("launchTime")),
        "finished_s": _seconds(job.get("finishTime")),
        "state": _STATES.get(str(outcome), "running" if outcome is None else str(outcome).lower()),
        "maps": _figure(job.get("totalMaps")),
        "reduces": _figure(job.get("totalReduces")),
    }


def _read_topology(path: Path, losses: Losses) -> Iterator[Part]:
    rows: list[dict[str, Any]] = []
    for root in _objects(path, losses):
        # Racks may stand in data centres: the name before a leaf's is its rack.
        left: list[tuple[str | None, Any]] = [(None, root)]
        while left:
            rack, node = left.pop()
            if not isinstance(node, dict) or not isinstance(node.get("name"), str):
                losses.add("a node of the topology has no name", str(node)[:80])
                continue
            children = node.get("children")
            if children:
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
