"""Bringing home what a cluster holds of a job."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from mprof.errors import EvidenceError, MprofError
from mprof.hadoop import Cluster, JobStatus
from mprof.runs.capture import Capture, RunManifest, write_manifest
from mprof.runs.observer import Observer

__all__ = ["fetch_job", "fetch_job_files"]

# They go once they are read; a second name in the node's log folder would keep their bytes, and a
# cluster that runs on would fill the disk with them.
_PROBE_DUMPS = "probe-*.hprof"
_FINISHED = frozenset({"SUCCEEDED", "FAILED", "KILLED", "ERROR"})


def fetch_job(cluster: Cluster, capture: Capture, job_id: str, observer: Observer) -> None:
    """Record a job that ran without mprof, or long ago, as a run of its own.

    Raises:
        EvidenceError: if the job still runs, or the cluster does not know it.
    """
    started = time.time()
    job = cluster.job(job_id)
    if job.state not in _FINISHED:
        raise EvidenceError(
            f"{job_id} is still {job.state.lower()}", next_step="diagnose it once it has ended"
        )
    folder = capture.new_run_folder()
    fetch_job_files(cluster, job, folder / "jobs" / job_id, observer)
    manifest = RunManifest(
        mode="none",
        command=(),
        job_ids=(job_id,),
        exit_code=None,
        seconds={"collect": round(time.time() - started, 1)},
        started_ms=job.submit_time_ms or int(started * 1000),
        why="the job was diagnosed from what the cluster still held of it",
    )
    write_manifest(folder, manifest)


def fetch_job_files(
    cluster: Cluster,
    job: JobStatus,
    folder: Path,
    observer: Observer,
    *,
    missing: Sequence[str] = (),
) -> None:
    """Everything the cluster holds of one job; what is missing is stated in ``missing.txt``.

    Args:
        cluster: that ran it.
        job: which one.
        folder: a new one for its files.
        observer: told how it goes.
        missing: what is known to be missing already, one sentence each.
    """
    folder.mkdir(parents=True)
    folder.joinpath("job.json").write_bytes(msgspec.json.format(msgspec.json.encode(job), indent=1))
    lost = [*missing]
    observer.progress(f"history of {job.job_id}", None)
    try:
        cluster.fetch_history(job.job_id, folder)
    except MprofError as error:
        lost.append(str(error))
    observer.progress(f"logs of {job.job_id}", None)
    try:
        cluster.fetch_attempt_files(job.job_id, None, folder / "attempts", move=_PROBE_DUMPS)
    except MprofError as error:
        lost.append(str(error))
    if lost:
        (folder / "missing.txt").write_text("\n".join(lost) + "\n", encoding="utf-8")
