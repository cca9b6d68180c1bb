"""From a capture, or from any other evidence, to a diagnosis.

Modules that talk to a cluster are imported only where one is asked.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

from mprof.advice import advise, what_came_of_it, with_outcome
from mprof.diagnosis import Diagnosed, diagnose_runs
from mprof.engines import MAPREDUCE, UserClasses
from mprof.errors import EvidenceError
from mprof.files import UnreadableError, is_there, open_file
from mprof.history import read_history
from mprof.job_run import JobRun
from mprof.runs.capture import Capture, CapturedRun, JobFolder, create_capture, open_capture
from mprof.runs.failed_job import failed_job_of
from mprof.runs.load import load_job
from mprof.runs.locking import adding_to
from mprof.runs.observer import Observer
from mprof.runs.snapshots import read_lone_dump, read_snapshots
from mprof.trace import find_attempt_id, read_trace

__all__ = [
    "default_capture_folder",
    "diagnose",
    "diagnose_capture",
    "job_named",
    "kept_capture",
    "load_failed_job",
]

_JOB_ID = re.compile(r"(?:job|application)_(\d+_\d+)$")
_LOCAL_JOB = re.compile(r"job_local\d+_\d+$")  # org.apache.hadoop.mapred.LocalJobRunner
_LOG_FILES = ("events.jsonl", "position.bin", "syslog", "stderr", "stdout")


def diagnose(
    what: str, *, embedded: bool, conf_dir: Path | None, capture: Path | None, observer: Observer
) -> Diagnosed:
    """Diagnose a job from whatever evidence there is.

    Args:
        what: a capture folder, the id of a job, application or attempt, a history file, a folder
            with the logs of an attempt (or of several, in a folder each), or a heap dump.
        embedded: look up a job id on the embedded cluster.
        conf_dir: otherwise on the cluster of this client configuration.
        capture: with a job id, the folder to keep its files in; None for `default_capture_folder`.
        observer: receives progress.

    Raises:
        EvidenceError: if there is nothing to diagnose.
    """
    path = Path(what)
    if path.is_dir():
        if (path / "capture.json").is_file():
            return diagnose_capture(open_capture(path), observer)
        return _diagnose_folder(path, observer)
    if is_there(path):
        return _diagnose_file(path, observer)
    if (local := _LOCAL_JOB.search(what)) is not None:
        raise EvidenceError(
            f"{local[0]} ran inside the command that submitted it, so no cluster knows of it",
            next_step="run the command on the cluster: mprof run -- COMMAND, with -D "
            "mapreduce.framework.name=yarn (of Pig without -x local)",
        )
    job_id = job_named(what)
    if job_id is None:
        raise EvidenceError(
            f"{what} is not a file or folder, nor the id of a job, application or attempt",
            next_step="name a capture folder, a job id, a history file, a folder with logs, "
            "or a heap dump",
        )
    return _diagnose_job(
        job_id,
        embedded=embedded,
        conf_dir=conf_dir,
        capture=capture,
        observer=observer,
    )


def diagnose_capture(capture: Capture, observer: Observer, *, runs: int | None = None) -> Diagnosed:
    """Diagnose the failed job of a capture from its first ``runs`` runs, None for all.

    Runs with advised settings are of a changed job: they say nothing of the job as it is, but
    whether the advice, and so the diagnosis, was right.
    """
    job_runs = load_failed_job(capture, observer)[:runs]
    observer.stage("evaluating the rules")
    diagnosed = advise(diagnose_runs(job_runs))
    return diagnosed if runs is not None else _with_outcome(capture, diagnosed, observer)


def load_failed_job(capture: Capture, observer: Observer) -> tuple[JobRun, ...]:
    """The failed job in every run of the capture that came to it as it is, oldest first."""
    observer.stage("reading the heap dumps and the event logs")
    failed = failed_job_of(capture)
    return tuple(
        _loaded(run, job, observer)
        for run in capture.runs
        if run.manifest.advised is None and (job := failed.find_in(run)) is not None
    )


def _loaded(run: CapturedRun, job: JobFolder, observer: Observer) -> JobRun:
    return replace(
        load_job(job, run.manifest.mode, observer),
        number=run.number,
        why=run.manifest.why,
        driver_error=run.manifest.driver_error,
        driver_exit_code=run.manifest.exit_code,
        local_jobs=run.manifest.local_job_ids,
    )


def _with_outcome(capture: Capture, diagnosed: Diagnosed, observer: Observer) -> Diagnosed:
    """The same with what came of the newest run with advised settings, if there is one."""
    newest = next((run for run in reversed(capture.runs) if run.manifest.advised), None)
    if newest is None or newest.manifest.advised is None:
        return diagnosed
    job = failed_job_of(capture).find_in(newest)
    again = diagnose_runs([_loaded(newest, job, observer)]) if job is not None else None
    tried = newest.manifest.advised
    return with_outcome(diagnosed, what_came_of_it(diagnosed, again, tried, run=newest.number))


def _diagnose_job(
    job_id: str,
    *,
    embedded: bool,
    conf_dir: Path | None,
    capture: Path | None,
    observer: Observer,
) -> Diagnosed:
    from mprof.hadoop import connect
    from mprof.runs.fetching import ended_job, fetch_job

    kept = kept_capture(job_id) if capture is None else None
    if kept is not None:
        observer.stage(f"reading the files of {job_id} in {kept.path}")
        return diagnose_capture(kept, observer)
    observer.stage(f"looking up {job_id} on the cluster")
    with connect(conf_dir, embedded=embedded) as cluster:
        ended_job(cluster, job_id)  # first, so that a job without files leaves no folder behind
        target = create_capture(capture or default_capture_folder(job_id))
        with adding_to(target, new=True):
            fetch_job(cluster, target, job_id, observer)
    observer.stage(f"the files of {job_id} are in {target.path}")
    return diagnose_capture(target, observer)


def default_capture_folder(name: str | None = None) -> Path:
    """A capture folder in the working folder, named after the job or else the time."""
    return Path(f"mprof-{name}" if name else time.strftime("mprof-capture-%Y%m%d-%H%M%S"))


def kept_capture(job_id: str) -> Capture | None:
    """The capture that an earlier ``mprof diagnose JOB`` made in its default folder, if any.

    None also where that one was broken off before it had a run: the job is fetched again.
    """
    folder = default_capture_folder(job_id)
    if not (folder / "capture.json").is_file():
        return None
    capture = open_capture(folder)
    return capture if capture.runs else None


def _diagnose_folder(path: Path, observer: Observer) -> Diagnosed:
    """Diagnose a folder with the files of one attempt, or with one such folder per attempt."""
    attempts = [path] if _holds_logs(path) else [p for p in sorted(path.iterdir()) if p.is_dir()]
    attempts = [p for p in attempts if _holds_logs(p)]
    if not attempts:
        dumps = [p for p in path.iterdir() if p.name.endswith((".hprof", ".hprof.gz"))]
        if len(dumps) == 1:
            return _diagnose_file(dumps[0], observer)
        raise EvidenceError(
            f"{path} is not a capture, and holds no logs ({', '.join(_LOG_FILES)})",
            next_step="name a capture, a container's log folder, or a folder of log folders",
        )
    losses: list[str] = []
    traces, snapshots = [], {}
    observer.stage("reading logs and heap dumps")
    for folder in attempts:
        trace = read_trace(folder, diagnostics=None)
        traces.append(trace)
        # The folder is the user's: nothing is written into it, and no dump is deleted.
        found, lost = read_snapshots(
            trace,
            folder,
            UserClasses(MAPREDUCE),
            lambda name: observer.progress(f"reading {name}", None),
            keep=True,
        )
        if found:
            snapshots[trace.attempt_id or ""] = found
        losses += lost
    job_id = next((job_named(t.attempt_id) for t in traces if t.attempt_id), None)
    job_run = JobRun(
        job_id=job_id,
        mode="none",
        traces=tuple(traces),
        snapshots=snapshots,
        losses=tuple(losses),
    )
    return advise(diagnose_runs([job_run]))


def _diagnose_file(path: Path, observer: Observer) -> Diagnosed:
    """Diagnose a job history file or a heap dump."""
    if path.name.endswith((".jhist", ".jhist.gz")) or _looks_like_history(path):
        history = read_history(path)
        job_run = JobRun(job_id=history.job_id, mode="none", history=history)
        return advise(diagnose_runs([job_run]))
    if path.name in _LOG_FILES:
        raise EvidenceError(
            f"{path} is only one of the logs of an attempt",
            next_step=f"name its folder: mprof diagnose {path.parent}",
        )
    observer.stage(f"reading {path.name}")
    snapshot = read_lone_dump(path)
    job_run = JobRun(job_id=None, mode="none", snapshots={"": (snapshot,)}, losses=snapshot.losses)
    return advise(diagnose_runs([job_run]))


def _holds_logs(path: Path) -> bool:
    return any((path / name).is_file() for name in _LOG_FILES)


def _looks_like_history(path: Path) -> bool:
    try:
        with open_file(path) as file:
            return file.read(12).startswith((b"Avro-", b"Meta VERSION"))
    except OSError as error:  # the file of a device, such as /proc/self/mem
        raise UnreadableError(path, error.strerror or str(error)) from error


def job_named(what: str) -> str | None:
    """The job id in the id of a job, application or attempt; None where it is none of them."""
    attempt = find_attempt_id(what)
    match = _JOB_ID.search(what)
    return attempt.job_id if attempt else f"job_{match.group(1)}" if match else None
