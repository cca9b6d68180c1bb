"""Fetching the files that a cluster holds of a job."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mprof.errors import EvidenceError, MprofError
from mprof.history import read_conf
from mprof.io.files import UnreadableError, is_there, read_file
from mprof.runs.capture import Capture, RunManifest, reserve_manifest, write_manifest
from mprof.runs.observer import Observer
from mprof.runs.staging import fetch_copies
from mprof.runs.switch import Switch, switch_in
from mprof.units import MIB

if TYPE_CHECKING:
    from mprof.hadoop import Cluster, JobStatus

__all__ = ["ended_job", "fetch_copied_files", "fetch_job", "fetch_job_files"]

# They are deleted once read; a hard link left in the node's log folder would keep their bytes, and
# a cluster that keeps running would fill the disk.
_PROBE_DUMPS = "probe-*.hprof"
_MOST_MISSING = 16 * MIB
_FINISHED = frozenset({"SUCCEEDED", "FAILED", "KILLED", "ERROR"})


def fetch_job(cluster: Cluster, capture: Capture, job_id: str, observer: Observer) -> None:
    """Add a job that ran without mprof to a capture, as a run of its own.

    Raises:
        EvidenceError: as `ended_job`.
    """
    started = time.time()
    job = ended_job(cluster, job_id)
    folder = capture.new_run_folder()
    reserve_manifest(folder)
    fetch_job_files(cluster, job, folder / "jobs" / job_id, observer)
    _fetch_from_area(cluster, job_id, folder / "jobs", observer)
    watched = any((folder / "jobs" / job_id).glob("attempts/*/events.jsonl"))
    manifest = RunManifest(
        mode="watch" if watched else "none",
        command=(),
        job_ids=(job_id,),
        exit_code=None,
        seconds={"collect": round(time.time() - started, 1)},
        started_ms=job.submit_time_ms or int(started * 1000),
        why="the agent is in every job of the cluster; the files of this one were fetched"
        if watched
        else "the job ran without mprof; its files were fetched from the cluster",
    )
    write_manifest(folder, manifest)


def ended_job(cluster: Cluster, job_id: str) -> JobStatus:
    """The status of a job that has ended.

    Raises:
        EvidenceError: if the job is still running, or the cluster does not know it.
    """
    job = cluster.job(job_id)
    if job.state not in _FINISHED:
        raise EvidenceError(
            f"{job_id} is still {job.state.lower()}", next_step="diagnose it once it has ended"
        )
    return job


def _fetch_from_area(cluster: Cluster, job_id: str, jobs: Path, observer: Observer) -> None:
    """Fetch what the agent copied to the capture area of a cluster that is switched on."""
    lost: list[str] = []
    with _losing(f"the capture of {job_id}", lost):
        switch = _switch_of(cluster, jobs / job_id)
        if switch is not None and switch.captures is not None:
            observer.progress(f"capture of {job_id}", None)
            _fetch_copies_of(cluster, f"{switch.captures}/{job_id}", jobs, lost)
    _say_missing(jobs / job_id, lost, observer)


def fetch_copied_files(cluster: Cluster, copies: str, jobs: Path, observer: Observer) -> None:
    """Fetch what agents copied of the jobs of a run; what is lost is stated with each of them.

    Args:
        cluster: where the copies are.
        copies: URI of the folder that holds one folder per attempt; it may not exist.
        jobs: the local folder that holds one folder per job.
        observer: told what is lost where nothing can be written.
    """
    lost: list[str] = []
    with _losing("the copies of the tasks", lost):
        _fetch_copies_of(cluster, copies, jobs, lost)
    folders = sorted(jobs.iterdir()) if jobs.is_dir() else []
    for folder in folders or [jobs]:
        _say_missing(folder, lost, observer)


def _fetch_copies_of(cluster: Cluster, copies: str, jobs: Path, lost: list[str]) -> None:
    def lose(file: Path, error: Exception) -> None:
        lost.append(f"{file.name} of {file.parent.name} could not be kept: {_why(error)}")

    fetch_copies(cluster, copies, jobs, lose)


def _switch_of(cluster: Cluster, job: Path) -> Switch | None:
    """As the job saw it; where its configuration is lost, as the site has it now."""
    conf = job / "conf.xml"
    if conf.is_file():
        with contextlib.suppress(EvidenceError):
            return switch_in(read_conf(conf).raw)
    return switch_in(cluster.site_properties().values)


def fetch_job_files(
    cluster: Cluster,
    job: JobStatus,
    folder: Path,
    observer: Observer,
    *,
    missing: Sequence[str] = (),
) -> None:
    """Fetch every file the cluster holds of one job; ``missing.txt`` states what is missing."""
    lost = [*missing]
    with _losing(f"the files of {job.job_id}", lost):
        folder.mkdir(parents=True)
    with _losing(f"the status of {job.job_id}", lost):
        status = msgspec.json.format(msgspec.json.encode(job), indent=1)
        (folder / "job.json").write_bytes(status)
    observer.progress(f"history of {job.job_id}", None)
    with _losing(f"the history of {job.job_id}", lost):
        cluster.fetch_history(job.job_id, folder)
    observer.progress(f"logs of {job.job_id}", None)
    with _losing(f"the logs of {job.job_id}", lost):
        cluster.fetch_attempt_files(
            job.job_id, None, folder / "attempts", move=_PROBE_DUMPS, on_loss=lost.append
        )
    _say_missing(folder, lost, observer)


@contextlib.contextmanager
def _losing(what: str, lost: list[str]) -> Iterator[None]:
    """Whatever cannot be fetched or kept is said; the rest is fetched all the same."""
    try:
        yield
    except MprofError as error:
        lost.append(str(error))
    except OSError as error:
        lost.append(f"{what} could not be kept: {_why(error)}")


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _say_missing(folder: Path, lost: Sequence[str], observer: Observer) -> None:
    if not lost:
        return
    try:
        file = folder / "missing.txt"
        before = read_file(file, limit_bytes=_MOST_MISSING) if is_there(file) else b""
        file.write_bytes(before + ("\n".join(lost) + "\n").encode())
    except (OSError, UnreadableError):  # nor this list: the disk is full
        for line in lost:
            observer.output(f"mprof: {line}")
