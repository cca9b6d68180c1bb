"""Old captures leave the capture area; nothing else does.

A job's folder goes when the job has ended, its newest file is old enough, and all that it holds is
what the agent writes there, by name and by content. Files are deleted one by one and folders when
they are empty, so what appears meanwhile stays. Links are not followed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from mprof.errors import MprofError
from mprof.hadoop import Cluster, FileStatus
from mprof.trace import parse_attempt_id

__all__ = ["Expired", "expire"]

_JOB = re.compile(r"job_\d+_\d{4,}$")
_CLAIM = re.compile(r"\.(?:attempt|dump)-\d{1,2}$")
_DUMP = re.compile(r"(?:oom-attempt_\w+(?:-\d+)?|probe-[\w.-]+)\.hprof(?:\.gz)?$")

_POSITION_MAGIC = b"MPROFPOS"
_DUMP_MAGIC = (b"JAVA PROFILE ", b"\x1f\x8b")
_EVENT_MAGIC = re.compile(rb'\{"v":\d+,')


@dataclass(frozen=True, slots=True)
class Expired:
    """The folder of one job in the capture area.

    Attributes:
        kept: why it was not deleted, or would not be; None if it was, or would be.
    """

    uri: str
    size_bytes: int
    kept: str | None


@dataclass(frozen=True, slots=True)
class _Content:
    """What a job's folder holds: ``entries`` in the order in which they can be deleted."""

    entries: tuple[FileStatus, ...]
    newest_ms: int
    foreign: str | None

    @property
    def size_bytes(self) -> int:
        return sum(each.size_bytes for each in self.entries if not each.is_folder)


def expire(
    cluster: Cluster, captures: str, *, older_than_seconds: float, pretend: bool
) -> tuple[Expired, ...]:
    """Delete the captures of jobs that ended long ago.

    Returns:
        One entry for each folder of a job, and for each other thing in the area, which stays.

    Raises:
        EvidenceError: if there is no such area.
        ClusterError: if the cluster does not say which jobs are running.
    """
    running = cluster.live_jobs()
    newest_ms = (time.time() - older_than_seconds) * 1000
    found = []
    for entry in cluster.list(captures):
        if entry.is_link or not entry.is_folder or _JOB.match(entry.name) is None:
            found.append(Expired(entry.uri, 0, "not the folder of a job"))
        elif entry.name in running:
            found.append(Expired(entry.uri, 0, "the job is running"))
        else:
            found.append(_guarded(entry, lambda job: _expire(cluster, job, newest_ms, pretend)))
    return tuple(found)


def _guarded(job: FileStatus, do: Callable[[FileStatus], Expired]) -> Expired:
    try:
        return do(job)
    except MprofError as error:  # another user's, mostly; the other jobs do not depend on it
        return Expired(job.uri, 0, error.what)


def _expire(cluster: Cluster, job: FileStatus, newest_ms: float, pretend: bool) -> Expired:
    content = _content(cluster, job)
    if content.newest_ms > newest_ms:
        return Expired(job.uri, content.size_bytes, "not old enough")
    if content.foreign is not None:
        return Expired(
            job.uri, content.size_bytes, f"{content.foreign} was not written by the agent"
        )
    if not pretend:
        for entry in (*content.entries, job):
            cluster.delete_one(entry.uri)
    return Expired(job.uri, content.size_bytes, None)


def _content(cluster: Cluster, job: FileStatus) -> _Content:
    entries: list[FileStatus] = []
    foreign = None
    for entry in cluster.list(job.uri):
        attempt = parse_attempt_id(entry.name) if entry.is_folder and not entry.is_link else None
        if attempt is not None and attempt.job_id == job.name:
            files = cluster.list(entry.uri)
            entries += [*files, entry]
            foreign = foreign or next((f.uri for f in files if not _is_ours(cluster, f)), None)
        else:
            entries.append(entry)
            is_claim = _CLAIM.match(entry.name) is not None and entry.size_bytes == 0
            if entry.is_folder or entry.is_link or not is_claim:
                foreign = foreign or entry.uri
    newest_ms = max([job.modified_ms, *(each.modified_ms for each in entries)])
    return _Content(tuple(entries), newest_ms, foreign)


def _is_ours(cluster: Cluster, file: FileStatus) -> bool:
    """Whether the agent wrote this file of an attempt: by its name, and how it begins."""
    if file.is_link or file.is_folder:
        return False
    # A copy that was interrupted, under a name of its own.
    name = file.name.removeprefix(".").removesuffix(".part")
    head = cluster.head(file.uri, 16) if file.size_bytes else b""
    if name == "events.jsonl":
        return not head or _EVENT_MAGIC.match(head) is not None
    if name == "position.bin":
        return not head or head.startswith(_POSITION_MAGIC)
    return _DUMP.match(name) is not None and (not head or head.startswith(_DUMP_MAGIC))
