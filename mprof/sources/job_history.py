"""Job history files of every Hadoop line, as ``mprof.history`` reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mprof.errors import EvidenceError
from mprof.history import FILE_SYSTEM, AttemptHistory, Counters, JobHistory, parse_history
from mprof.sources.reading import Losses, Part, Reader, open_content
from mprof.store import frame_of

__all__ = ["JOB_HISTORY"]

_BEGINNINGS: Final = (b"Avro-Json", b"Avro-Binary", b'Meta VERSION="')
_READ: Final = ("FILE_BYTES_READ", "HDFS_BYTES_READ")
_WRITTEN: Final = ("FILE_BYTES_WRITTEN", "HDFS_BYTES_WRITTEN")


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None or milliseconds <= 0 else milliseconds / 1000


def _bytes(counters: Counters, names: tuple[str, ...]) -> int | None:
    known = [
        value for name in names if (value := counters.get(name, group=FILE_SYSTEM)) is not None
    ]
    return sum(known) if known else None


def _attempt(job: JobHistory, kind: str, one: AttemptHistory) -> dict[str, Any]:
    rack, _, host = (one.host or "").rpartition("/")
    counters = {group: dict(values) for group, values in one.counters.groups.items()}
    return {
        "job": job.job_id,
        "attempt": one.id,
        "kind": kind.lower(),
        "host": host or None,
        "rack": rack.lstrip("/") or None,
        "started_s": _seconds(one.start_ms),
        "shuffled_s": _seconds(one.shuffle_finish_ms),
        "sorted_s": _seconds(one.sort_finish_ms),
        "finished_s": _seconds(one.finish_ms),
        "state": (one.state or "running").lower(),
        "error": one.error or None,
        "read_bytes": _bytes(one.counters, _READ),
        "written_bytes": _bytes(one.counters, _WRITTEN),
        "counters": json.dumps(counters) if counters else None,
        "slices_ms": list(map(float, one.splits.wall_ms)) if one.splits is not None else None,
    }


def _read(path: Path, losses: Losses) -> Iterator[Part]:
    with open_content(path) as file:
        content = file.read()
    try:
        job = parse_history(content, name=path.name)
    except EvidenceError as error:
        losses.add(error.what)
        return
    for loss in job.losses:
        losses.add(loss)
    row = {
        "job": job.job_id,
        "name": job.name or None,
        "user": job.user or None,
        "submitted_s": _seconds(job.submit_ms),
        "launched_s": _seconds(job.launch_ms),
        "finished_s": _seconds(job.finish_ms),
        "state": (job.state or "running").lower(),
        "maps": job.total_maps,
        "reduces": job.total_reduces,
    }
    yield "jobs", frame_of("jobs", [row])
    attempts = [_attempt(job, task.type, one) for task in job.tasks for one in task.attempts]
    yield "attempts", frame_of("attempts", attempts)


JOB_HISTORY: Final = Reader(
    kind="job history",
    recognises=lambda _, head: head.startswith(_BEGINNINGS),
    read=_read,
    tables=("jobs", "attempts"),
)
