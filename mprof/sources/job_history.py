"""Job history files of every Hadoop line, as ``mprof.history`` reads them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mprof.errors import EvidenceError
from mprof.history import (
    FILE_SYSTEM,
    AttemptHistory,
    Counters,
    JobHistory,
    is_history,
    parse_history,
)
from mprof.sources.reader import Losses, Part, Reader, as_count, pieces_of, slices_of
from mprof.store import frame_of

__all__ = ["JOB_HISTORY", "tables_of"]

_MOST_BYTES: Final = 1 << 30  # as mprof.history: a job of 100,000 tasks has some 400 MB
_READ: Final = ("FILE_BYTES_READ", "HDFS_BYTES_READ")
# TaskAttemptImpl writes it of an attempt that was killed before it had a container.
_UNASSIGNED: Final = "UNKNOWN"
_TRACKER: Final = re.compile(r"tracker_([^:/]+):.*")
_WRITTEN: Final = ("FILE_BYTES_WRITTEN", "HDFS_BYTES_WRITTEN")


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None or milliseconds <= 0 else milliseconds / 1000


def _bytes(counters: Counters, names: tuple[str, ...]) -> int | None:
    known = [
        value for name in names if (value := counters.get(name, group=FILE_SYSTEM)) is not None
    ]
    return as_count(sum(known)) if known else None


def _place(name: str) -> tuple[str, str]:
    """Rack and host: of a host, of ``/rack/host``, or of a TaskTracker.

    A MapReduce 1 attempt that has not ended is known by its tracker alone,
    ``tracker_<host>:<address of its port>`` (``org.apache.hadoop.mapred.TaskTracker``).
    """
    tracker = _TRACKER.fullmatch(name)
    if tracker is not None:
        return "", tracker[1]
    rack, _, host = name.rpartition("/")
    return rack.lstrip("/"), host


def _attempt(job: JobHistory, kind: str, one: AttemptHistory) -> dict[str, Any]:
    unassigned = one.host == _UNASSIGNED and not one.start_ms
    rack, host = ("", "") if unassigned else _place(one.host or "")
    counters = {group: dict(values) for group, values in one.counters.groups.items()}
    return {
        "job": job.job_id,
        "attempt": one.id,
        "kind": kind.lower(),
        "host": host or None,
        "rack": None if unassigned else one.rack or rack or None,
        "started_s": _seconds(one.start_ms),
        "shuffled_s": _seconds(one.shuffle_finish_ms),
        "sorted_s": _seconds(one.sort_finish_ms),
        "finished_s": _seconds(one.finish_ms),
        "state": (one.state or "running").lower(),
        "error": one.error or None,
        "read_bytes": _bytes(one.counters, _READ),
        "written_bytes": _bytes(one.counters, _WRITTEN),
        "counters": json.dumps(counters) if counters else None,
        "slices_ms": slices_of(one.wall_splits_ms),
    }


def _read(path: Path, losses: Losses) -> Iterator[Part]:
    pieces, size = [], 0
    for piece in pieces_of(path, losses):
        pieces.append(piece)
        size += len(piece)
        if size > _MOST_BYTES:
            losses.add(f"the history is larger than {_MOST_BYTES:,} bytes")
            return
    try:
        job = parse_history(b"".join(pieces), name=path.name)
    except EvidenceError as error:
        losses.add(error.what)
        return
    for loss in job.losses:
        losses.add(loss)
    yield from tables_of(job)


def tables_of(job: JobHistory) -> Iterator[Part]:
    """The rows of the store's tables that a job history tells of."""
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
    recognises=lambda _, head: is_history(head),
    read=_read,
    tables=("jobs", "attempts"),
)
