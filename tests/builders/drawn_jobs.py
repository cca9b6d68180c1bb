"""Histories of jobs whose first attempts were drawn for the agent, as files of a history server."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import fastavro

from mprof.runs.draw import draw

__all__ = ["GONE", "TOLD", "Attempt", "Drawn", "containers"]

_NS = "org.apache.hadoop.mapreduce.jobhistory"
_RECORDS = {
    "JobSubmitted": ("jobid", "jobName", "submitTime"),
    "TaskAttemptStarted": ("taskid", "attemptId", "taskType", "startTime", "containerId"),
    "MapAttemptFinished": ("taskid", "attemptId", "taskType", "taskStatus", "finishTime"),
    "TaskAttemptUnsuccessfulCompletion": (
        "taskid", "attemptId", "taskType", "status", "error", "finishTime"),
    "TaskFinished": ("taskid", "taskType", "status", "finishTime", "successfulAttemptId"),
    "JobFinished": ("jobid", "finishTime"),
}  # fmt: skip
_TYPES = ("JOB_SUBMITTED", "MAP_ATTEMPT_STARTED", "MAP_ATTEMPT_FINISHED", "MAP_ATTEMPT_FAILED",
          "MAP_ATTEMPT_KILLED", "TASK_FINISHED", "JOB_FINISHED")  # fmt: skip
_LONG = {"submitTime", "startTime", "finishTime"}
_SCHEMA = {
    "type": "record", "name": "Event", "namespace": _NS,
    "fields": [
        {"name": "type", "type": {"type": "enum", "name": "EventType", "symbols": list(_TYPES)}},
        {"name": "event", "type": [
            {"type": "record", "name": name, "fields": [
                {"name": each, "type": "long" if each in _LONG else "string"} for each in fields]}
            for name, fields in _RECORDS.items()]},
    ],
}  # fmt: skip

TOLD = "Error: java.lang.IllegalStateException: no such line\n\tat acme.Way.map(Way.java:3)\n"
GONE = (
    "[2026-11-28 04:00:00.000]Exception from container-launch.\nContainer id: container_1\n"
    "Exit code: 1\n\n[2026-11-28 04:00:00.000]Container exited with a non-zero exit code 1.\n"
)
_BEGIN_MS = 1_700_000_000_000


@dataclass(frozen=True)
class Attempt:
    """The first attempt of a map task; one that did not succeed is followed by one that did."""

    container: str
    state: str = "SUCCEEDED"
    error: str = ""
    seconds: int = 10


def containers(job: int, seed: int = 1) -> Iterator[str]:
    """Ids of a job's containers, of which some are of other attempts."""
    chance, number = random.Random(f"{seed} {job}"), 1
    while True:
        number += chance.randint(1, 3)
        yield f"container_{_BEGIN_MS}_{job:04d}_01_{number:06d}"


@dataclass
class Drawn:
    """A job: its number, its configuration, and the first attempts of its tasks."""

    number: int
    conf: dict[str, str]
    attempts: list[Attempt] = field(default_factory=list)
    ended: bool = True

    @property
    def job_id(self) -> str:
        return f"job_{_BEGIN_MS}_{self.number:04d}"

    def add(self, share: float, tasks: int, harm: dict[bool, tuple[float, str]]) -> Drawn:
        """Tasks, of which those in the share, and those not, fail at a rate of their own."""
        chance = random.Random(f"{self.number} {tasks}")
        for _, container in zip(range(tasks), containers(self.number), strict=False):
            rate, error = harm[(draw(container) or 0) < share]
            failed = chance.random() < rate
            state = "FAILED" if failed else "SUCCEEDED"
            self.attempts.append(Attempt(container, state, error if failed else ""))
        return self

    def write(self, folder: Path) -> None:
        """The files, as in the done folder of a history server."""
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{self.job_id}-{_BEGIN_MS}-ann-words-{_BEGIN_MS}-9-1-SUCCEEDED-default.jhist"
        (folder / name).write_bytes(self._history())
        properties = "".join(
            f"<property><name>{key}</name><value>{escape(value)}</value></property>"
            for key, value in self.conf.items()
        )
        (folder / f"{self.job_id}_conf.xml").write_text(
            f"<configuration>{properties}</configuration>"
        )

    def _history(self) -> bytes:
        schema = fastavro.parse_schema(json.loads(json.dumps(_SCHEMA)))
        out = io.BytesIO()
        for type_, record, values in self._events():
            event = (f"{_NS}.{record}", dict(zip(_RECORDS[record], values, strict=True)))
            fastavro.schemaless_writer(out, schema, {"type": type_, "event": event})
        return b"Avro-Binary\n" + json.dumps(_SCHEMA).encode() + b"\n" + out.getvalue()

    def _events(self) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
        submitted = _BEGIN_MS + 1000 * self.number
        yield "JOB_SUBMITTED", "JobSubmitted", (self.job_id, "words", submitted)
        for index, one in enumerate(self.attempts):
            task = f"task_{self.job_id[4:]}_m_{index:06d}"
            first, second = (f"attempt{task[4:]}_{number}" for number in (0, 1))
            end = submitted + 1000 * one.seconds
            yield "MAP_ATTEMPT_STARTED", "TaskAttemptStarted", (
                task, first, "MAP", submitted, one.container)  # fmt: skip
            if one.state == "SUCCEEDED":
                yield "MAP_ATTEMPT_FINISHED", "MapAttemptFinished", (
                    task, first, "MAP", "SUCCEEDED", end)  # fmt: skip
            else:
                yield f"MAP_ATTEMPT_{one.state}", "TaskAttemptUnsuccessfulCompletion", (
                    task, first, "MAP", one.state, one.error, end)  # fmt: skip
                yield "MAP_ATTEMPT_STARTED", "TaskAttemptStarted", (
                    task, second, "MAP", end, f"{one.container[:-6]}{900000 + index}")  # fmt: skip
                yield "MAP_ATTEMPT_FINISHED", "MapAttemptFinished", (
                    task, second, "MAP", "SUCCEEDED", end + 9000)  # fmt: skip
            yield "TASK_FINISHED", "TaskFinished", (
                task, "MAP", "SUCCEEDED", end + 9000,
                first if one.state == "SUCCEEDED" else second)  # fmt: skip
        if self.ended:
            yield "JOB_FINISHED", "JobFinished", (self.job_id, submitted + 99_000)
