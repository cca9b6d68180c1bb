"""The histories of jobs that have ended: in a folder here, or where the history server has them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mprof.errors import EvidenceError
from mprof.hadoop import Cluster, FileStatus

__all__ = ["EndedJob", "ended_jobs_here", "ended_jobs_on"]

DAYS = 2
"""How far back the history server's folders are looked through, where nothing else is asked for:
a job gets its line at the first look after its end, and a look costs a request for each folder.
"""

_DONE = "mapreduce.jobhistory.done-dir"
_FRESH = "mapreduce.jobhistory.intermediate-done-dir"
_HISTORY = re.compile(r"(job_\d+_\d{4,})-.*\.jhist")  # that of a running job is JOB_ID_1.jhist
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class EndedJob:
    """The files of a job that has ended: paths here, or URIs on the cluster."""

    job_id: str
    history: str
    conf: str


def ended_jobs_here(folder: Path) -> tuple[EndedJob, ...]:
    """The jobs whose history and configuration lie in a folder or below it.

    Raises:
        EvidenceError: if there is no such folder.
    """
    if not folder.is_dir():
        raise EvidenceError(
            f"{folder} is not a folder",
            next_step="name a copy of the history server's folder, or leave it out",
        )
    return _paired(folder.rglob("job_*"))


def ended_jobs_on(cluster: Cluster, *, since_s: float | None) -> tuple[EndedJob, ...]:
    """The jobs whose history and configuration the cluster has, those of the last days only.

    Args:
        cluster: the cluster.
        since_s: from that day on; None for the last `DAYS` days.

    Raises:
        EvidenceError: if the folders are not there, or not open to this user.
    """
    since_s = time.time() - DAYS * 86_400 if since_s is None else since_s
    # Folders are named in the time zone of the history server.
    first = datetime.fromtimestamp(since_s, UTC).date() - timedelta(days=1)
    day = (first.year, first.month, first.day)
    files: list[FileStatus] = []
    for key in (_FRESH, _DONE):
        root = cluster.property(key)
        if root and cluster.exists(root):
            files += _below(cluster, root, () if key == _DONE else None, day)
    return _paired(file.uri for file in files)


def _below(
    cluster: Cluster, folder: str, dated: tuple[int, ...] | None, day: tuple[int, int, int]
) -> Iterator[FileStatus]:
    """The files below a folder; of ``YYYY/MM/DD``, those of that day and later."""
    for entry in cluster.list(folder):
        if not entry.is_folder:
            yield entry
        elif not entry.is_link:
            below = dated
            if dated is not None and len(dated) < len(day) and _NUMBER.fullmatch(entry.name):
                below = (*dated, int(entry.name))
                if below < day[: len(below)]:
                    continue
            yield from _below(cluster, entry.uri, below, day)


def _paired(files: Iterable[Path | str]) -> tuple[EndedJob, ...]:
    """In the order of their numbers, without those whose configuration is not there (yet)."""
    places = {str(each).rpartition("/")[2]: str(each) for each in files}
    found = {match[1]: name for name in places if (match := _HISTORY.fullmatch(name)) is not None}
    return tuple(
        EndedJob(job_id, places[name], places[f"{job_id}_conf.xml"])
        for job_id, name in sorted(found.items(), key=lambda one: _order(one[0]))
        if f"{job_id}_conf.xml" in places
    )


def _order(job_id: str) -> tuple[int, int]:
    _, cluster, number = job_id.split("_")
    return int(cluster), int(number)
