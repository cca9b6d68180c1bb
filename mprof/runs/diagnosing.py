"""From a capture, or from any other evidence, to a diagnosis.

Modules that talk to a cluster are imported only where one is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mprof.advice import advise, what_came_of_it, with_outcome
from mprof.diagnosis import Diagnosed, diagnose_runs
from mprof.errors import EvidenceError
from mprof.findings import Findings, Told
from mprof.io.files import STANDARD_INPUT, is_there
from mprof.job_run import JobRun
from mprof.runs.anything import found_in
from mprof.runs.capture import (
    Capture,
    CapturedRun,
    JobFolder,
    create_capture,
    default_capture_folder,
    kept_capture,
    open_capture,
)
from mprof.runs.code_at_hand import jars_of, with_code
from mprof.runs.failed_job import failed_job_of
from mprof.runs.load import load_job
from mprof.runs.locking import adding_to
from mprof.runs.naming import job_to_ask_for
from mprof.runs.observer import Observer

__all__ = [
    "diagnose",
    "diagnose_all",
    "diagnose_capture",
    "load_failed_job",
]


def diagnose(
    what: str, *, embedded: bool, conf_dir: Path | None, capture: Path | None, observer: Observer
) -> Diagnosed:
    """Diagnose a job from whatever evidence there is; of several deaths the most telling one.

    Args:
        what: a capture folder, the id of a job, application or attempt, or any file, folder or
            archive with what is left of a job, as `diagnose_all` takes them.
        embedded: look up a job id on the embedded cluster.
        conf_dir: otherwise on the cluster of this client configuration.
        capture: with a job id, the folder to keep its files in; None for `default_capture_folder`.
        observer: receives progress.

    Raises:
        EvidenceError: if there is nothing to diagnose.
    """
    found = diagnose_all(
        [what], embedded=embedded, conf_dir=conf_dir, capture=capture, observer=observer
    )
    if not found.told:
        raise EvidenceError(
            f"nothing in {what} says how a task ended",
            next_step="mprof diagnose " + what + " says what was found there",
        )
    return found.told[0].diagnosed


def diagnose_all(
    what: Sequence[str],
    *,
    embedded: bool,
    conf_dir: Path | None,
    capture: Path | None,
    observer: Observer,
    sources: Sequence[Path] = (),
) -> Findings:
    """Diagnose every death that anything at the places named tells of.

    Args:
        what: captures, ids of jobs, applications or attempts, files, folders and archives of any
            kind and name, and ``-`` for standard input.
        embedded: look up job ids on the embedded cluster.
        conf_dir: otherwise on the cluster of this client configuration.
        capture: with one job id, the folder to keep its files in.
        observer: receives progress.
        sources: folders and jars with sources or classes of the jobs.

    Raises:
        EvidenceError: if there is nothing of one of the names, or nothing that can be used.
    """
    places, told = [], []

    def of_capture(folder: Path) -> Diagnosed:
        return diagnose_capture(open_capture(folder), observer, sources=sources)

    for name in what:
        if (Path(name) / "capture.json").is_file():
            told.append(Told(of_capture(Path(name))))
        elif name == STANDARD_INPUT or is_there(Path(name)):
            places.append(name)
        else:
            diagnosed = _diagnose_job(
                job_to_ask_for(name),
                embedded=embedded,
                conf_dir=conf_dir,
                capture=capture,
                observer=observer,
                sources=sources,
            )
            told.append(Told(diagnosed))
    if not places:
        return Findings(tuple(told))
    observer.stage("reading what was named")
    found = found_in(places, told, of_capture, observer)
    every = (replace(one, diagnosed=with_code(one.diagnosed, sources)) for one in found.told)
    return replace(found, told=tuple(every))


def diagnose_capture(
    capture: Capture,
    observer: Observer,
    *,
    runs: int | None = None,
    loaded: tuple[JobRun, ...] | None = None,
    sources: Sequence[Path] = (),
) -> Diagnosed:
    """Diagnose the failed job of a capture.

    Args:
        capture: the folder.
        observer: receives progress.
        runs: only its first runs, so many; None for all.
        loaded: what `load_failed_job` gave, where it was read before.
        sources: folders and jars with sources or classes of the job; the jars that its command
            names are read as well.

    Runs with advised settings are of a changed job: they say nothing of the job as it is, but
    whether the advice, and so the diagnosis, was right.
    """
    job_runs = (loaded if loaded is not None else load_failed_job(capture, observer))[:runs]
    observer.stage("evaluating the rules")
    diagnosed = advise(diagnose_runs(job_runs))
    diagnosed = with_code(diagnosed, (*sources, *jars_of(capture)))
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
    sources: Sequence[Path],
) -> Diagnosed:
    from mprof.hadoop import connect
    from mprof.runs.fetching import ended_job, fetch_job

    kept = kept_capture(job_id) if capture is None else None
    if kept is not None:
        observer.stage(f"reading the files of {job_id} in {kept.path}")
        return diagnose_capture(kept, observer, sources=sources)
    observer.stage(f"looking up {job_id} on the cluster")
    with connect(conf_dir, embedded=embedded) as cluster:
        ended_job(cluster, job_id)  # first, so that a job without files leaves no folder behind
        target = create_capture(capture or default_capture_folder(job_id))
        with adding_to(target, new=True):
            fetch_job(cluster, target, job_id, observer)
    observer.stage(f"the files of {job_id} are in {target.path}")
    return diagnose_capture(target, observer, sources=sources)
