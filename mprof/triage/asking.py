"""From what the user names, a job id, a history or a capture, to a triage: reads files, no more."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mprof.diagnosis import Diagnosed
from mprof.errors import EvidenceError, MprofError, UsageError
from mprof.history import read_conf
from mprof.io.files import is_there
from mprof.runs import (
    Observer,
    diagnose,
    diagnose_capture,
    failed_job_of,
    job_named,
    kept_capture,
    open_capture,
)
from mprof.sources import import_files
from mprof.store import Store
from mprof.triage.facts import facts_of
from mprof.triage.failures import failure_of
from mprof.triage.model import Triage
from mprof.triage.node import Comparing
from mprof.triage.triaging import triage_job

__all__ = ["triage"]

_NAME_IT: str = "name a job id with --store, a job history file, or a capture folder"


@dataclass(frozen=True, slots=True)
class _Subject:
    """What the user names, opened."""

    store: Store
    job: str
    diagnose_command: str
    capture: Path | None = None
    conf: Path | None = None


def triage(
    what: str, *, store: Path | None, observer: Observer, comparing: Comparing | None = None
) -> Triage:
    """Say of one job whether it is the application, its data, settings, memory, or a node.

    Args:
        what: the id of a job, application or attempt; a job history file; a capture folder.
        store: folder of tables that has the job and what else is known of its time; with a history
            or a capture it may be None, and that job alone is looked at.
        observer: is told how it goes.
        comparing: how nodes are compared; without a calibration and in this process where None.

    Raises:
        EvidenceError: if there is nothing of that job, or what is named cannot be read.
        UsageError: if a job id is named and nothing to look it up in.
    """
    with _opened(what, store, observer) as subject:
        losses = [one.sentence for one in subject.store.unfinished()]
        diagnosed = _diagnosed(subject, observer, losses)
        conf = _conf(subject, losses)
        observer.stage(f"comparing what is known of {subject.job}")
        facts = facts_of(
            subject.store,
            subject.job,
            diagnosed=diagnosed,
            conf=conf,
            diagnose_command=subject.diagnose_command,
            store_named=store,
        )
        return triage_job(facts, tuple(losses), comparing)


@contextmanager
def _opened(what: str, folder: Path | None, observer: Observer) -> Iterator[_Subject]:
    store = None if folder is None else Store.at(folder)
    path, job = Path(what), job_named(what)
    if not is_there(path) and job is None:
        raise EvidenceError(f"{what} is no file or folder, nor the id of a job", next_step=_NAME_IT)
    if not is_there(path) and job is not None:
        if store is not None:
            yield _Subject(store, job, f"mprof diagnose {job}")
            return
        kept = kept_capture(job)
        if kept is None:
            raise UsageError(
                f"nothing says where to look for {job}",
                next_step="add --store DIR, which mprof import fills, or name its history file",
            )
        path = kept.path
    with _of_files(path, store, observer) as subject:
        yield subject


@contextmanager
def _of_files(path: Path, store: Store | None, observer: Observer) -> Iterator[_Subject]:
    capture = conf = None
    history = path
    if path.is_dir():
        if not (path / "capture.json").is_file():
            raise EvidenceError(
                f"{path} is a folder and no capture",
                next_step=f"mprof import {path} --store DIR, then mprof triage JOB_ID --store DIR",
            )
        capture = path
        history, conf = _files_of(path)
    observer.stage(f"reading {history.name}")
    with tempfile.TemporaryDirectory(prefix="mprof-triage-") as folder:
        alone = Store(Path(folder) / "store")
        (imported,) = import_files([history], alone)
        if imported.kind != "job history" or imported.outcome != "imported":
            why = imported.first_unread or "it is no job history"
            raise EvidenceError(f"{history} cannot be read: {why}", next_step=_NAME_IT)
        jobs = alone.read("jobs", columns=["job"])["job"]
        if jobs.empty:
            raise EvidenceError(f"{history} tells of no job", next_step=_NAME_IT)
        job = str(jobs.iloc[0])
        if store is not None and job not in set(store.read("jobs", columns=["job"])["job"]):
            raise EvidenceError(
                f"{store.folder} has no job {job}",
                next_step=f"mprof import {history} --store {store.folder}",
            )
        yield _Subject(store or alone, job, f"mprof diagnose {path}", capture or history, conf)


def _files_of(capture: Path) -> tuple[Path, Path | None]:
    """History and configuration of the job that the capture is about, of its first run."""
    opened = open_capture(capture)
    run = opened.runs[0] if opened.runs else opened.latest
    job = failed_job_of(opened).find_in(run)
    files = () if job is None else sorted(job.path.glob("*.jhist"))
    if job is None or not files:
        raise EvidenceError(
            f"the capture {capture} holds no job history",
            next_step=f"mprof diagnose {capture} reads what is there",
        )
    return files[0], next(iter(sorted(job.path.glob("*conf.xml"))), None)


def _diagnosed(subject: _Subject, observer: Observer, losses: list[str]) -> Diagnosed | None:
    """The diagnosis of memory, where an attempt died of it or a capture was made."""
    evidence = subject.capture or _history_in(subject)
    if evidence is None:
        return None
    try:
        if evidence.is_dir():
            return diagnose_capture(open_capture(evidence), observer)
        if not _died_of_memory(subject):
            return None
        return diagnose(
            str(evidence), embedded=False, conf_dir=None, capture=None, observer=observer
        )
    except MprofError as error:
        losses.append(f"the diagnosis of memory could not be made: {error.what}")
        return None


def _history_in(subject: _Subject) -> Path | None:
    """The history file of the job from which the store has it, if it is still there."""
    return next(iter(subject.store.job_histories([subject.job])), None)


def _died_of_memory(subject: _Subject) -> bool:
    rows = subject.store.read("attempts", columns=["job", "state", "error"])
    rows = rows[(rows["job"] == subject.job) & (rows["state"] == "failed")]
    return any(failure_of(each).kind == "memory" for each in rows["error"].dropna())


def _conf(subject: _Subject, losses: list[str]) -> Mapping[str, str]:
    if subject.conf is None:
        return {}
    try:
        return dict(read_conf(subject.conf).shown_all())
    except MprofError as error:
        losses.append(error.what)
        return {}
