"""From what the user names, a job id, a history or a capture, to a triage: reads files, no more."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from mprof.diagnosis import Diagnosed
from mprof.errors import EvidenceError, MprofError, UsageError
from mprof.history import JobConf, JobHistory, read_conf, read_history
from mprof.io.files import is_there
from mprof.job_run import JobRun
from mprof.remote.address import Place
from mprof.runs import (
    Capture,
    Observer,
    diagnose_capture,
    diagnose_history,
    failed_job_of,
    job_named,
    kept_capture,
    load_failed_job,
    open_capture,
)
from mprof.sources import import_history
from mprof.sources.remote import brought
from mprof.store import Store
from mprof.triage.answer import Triage
from mprof.triage.facts import facts_of
from mprof.triage.failures import failure_of
from mprof.triage.naming import NAME_IT, check_subject
from mprof.triage.node import Comparing
from mprof.triage.ranking import triage_job

__all__ = ["triage"]


@dataclass(frozen=True, slots=True)
class _Subject:
    """What the user names, read: each file once.

    Attributes:
        job: its id.
        diagnose_command: that diagnoses it.
        history: None where only a store is named.
        path: of the history.
        conf: of the job; None where there is none.
        capture: of which it is, with its runs; None where it is of none.
        loaded: its runs; None where they could not be read.
    """

    job: str
    diagnose_command: str
    history: JobHistory | None = None
    path: Path | None = None
    conf: JobConf | None = None
    capture: Capture | None = None
    loaded: tuple[JobRun, ...] | None = None


def triage(
    what: str, *, store: Place | None, observer: Observer, comparing: Comparing | None = None
) -> Triage:
    """Say of one job whether it is the application, its data, settings, memory, or a node.

    Args:
        what: the id of a job, application or attempt; a job history file; a capture folder.
        store: folder or address of tables that has the job and what else is known of its time; with
            a history or a capture it may be None, and that job alone is looked at.
        observer: is told how it goes.
        comparing: how nodes are compared; without a calibration and in this process where None.

    Raises:
        EvidenceError: if there is nothing of that job, or what is named cannot be read.
        UsageError: if a job id is named and nothing to look it up in.
    """
    tables = None if store is None else Store.at(store)
    losses: list[str] = []
    subject = _subject(what, tables, observer, losses)
    with ExitStack() as stack:
        if tables is None:
            # The detectors read tables, of which they may ask for parts.
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mprof-triage-"))
            tables = Store(Path(folder) / "store")
            if subject.history is not None and subject.path is not None:
                import_history(subject.history, subject.path, tables)
        losses = [*(one.sentence for one in tables.unfinished()), *losses]
        diagnosed = _diagnosed(subject, tables, observer, losses)
        observer.stage(f"comparing what is known of {subject.job}")
        facts = facts_of(
            tables,
            subject.job,
            diagnosed=diagnosed,
            conf=_shown(subject.conf),
            diagnose_command=subject.diagnose_command,
            store_named=store,
            history=subject.path,
        )
        return triage_job(facts, tuple(losses), comparing)


def _subject(what: str, store: Store | None, observer: Observer, losses: list[str]) -> _Subject:
    path, job = Path(what), job_named(what)
    check_subject(what)
    if job is not None and not is_there(path):
        if store is not None:
            return _Subject(job, f"mprof diagnose {job}")
        kept = kept_capture(job)
        if kept is None:
            raise UsageError(
                f"nothing says where to look for {job}",
                next_step="add --store DIR, which mprof import fills, or name its history file",
            )
        path = kept.path
    subject = _of_capture(path, observer, losses) if path.is_dir() else _of_history(path, observer)
    if store is not None and subject.job not in set(store.read("jobs", columns=["job"])["job"]):
        raise EvidenceError(
            f"{store.folder} has no job {subject.job}",
            next_step=f"mprof import {subject.path} --store {store.folder}",
        )
    return subject


def _of_history(path: Path, observer: Observer) -> _Subject:
    observer.stage(f"reading {path.name}")
    try:
        history = read_history(path)
    except EvidenceError as error:
        raise EvidenceError(error.what, next_step=NAME_IT) from error
    if not history.job_id:
        raise EvidenceError(f"{path} has no data about a job", next_step=NAME_IT)
    return _Subject(history.job_id, f"mprof diagnose {path}", history, path)


def _of_capture(path: Path, observer: Observer, losses: list[str]) -> _Subject:
    """The job that a capture is about, in its first run."""
    if not (path / "capture.json").is_file():
        raise EvidenceError(
            f"{path} is a folder and no capture",
            next_step=f"mprof import {path} --store DIR, then mprof triage JOB_ID --store DIR",
        )
    capture = open_capture(path)
    run = capture.runs[0] if capture.runs else capture.latest
    job = failed_job_of(capture).find_in(run)
    files = () if job is None else sorted(job.path.glob("*.jhist"))
    if job is None or not files:
        raise EvidenceError(
            f"the capture {path} holds no job history",
            next_step=f"mprof diagnose {path} reads what is there",
        )
    loaded = None
    try:
        loaded = load_failed_job(capture, observer)
    except MprofError as error:
        losses.append(_not_diagnosed(error))
    first = next((one for one in loaded or () if one.number == run.number), None)
    history = first.history if first is not None else None
    conf = first.conf if first is not None else None
    if history is None:
        history = read_history(files[0])
    if conf is None:
        conf = _conf(next(iter(sorted(job.path.glob("*conf.xml"))), None), losses)
    command = f"mprof diagnose {path}"
    return _Subject(history.job_id, command, history, files[0], conf, capture, loaded)


def _conf(path: Path | None, losses: list[str]) -> JobConf | None:
    if path is None:
        return None
    try:
        return read_conf(path)
    except MprofError as error:
        losses.append(error.what)
        return None


def _shown(conf: JobConf | None) -> Mapping[str, str]:
    return {} if conf is None else dict(conf.shown_all())


def _diagnosed(
    subject: _Subject, store: Store, observer: Observer, losses: list[str]
) -> Diagnosed | None:
    """The diagnosis of memory, where an attempt died of it or a capture was made."""
    try:
        if subject.capture is not None:
            if subject.loaded is None:
                return None
            return diagnose_capture(subject.capture, observer, loaded=subject.loaded)
        if not _died_of_memory(subject.job, store):
            return None
        with tempfile.TemporaryDirectory(prefix="mprof-") as folder:
            history = subject.history or _history_in(store, subject.job, Path(folder))
            return None if history is None else diagnose_history(history, observer)
    except MprofError as error:
        losses.append(_not_diagnosed(error))
        return None


def _not_diagnosed(error: MprofError) -> str:
    return f"the diagnosis of memory could not be made: {error.what}"


def _history_in(store: Store, job: str, folder: Path) -> JobHistory | None:
    """The history of the job in the file from which the store has it, if it is still there."""
    place = next(iter(store.job_histories([job])), None)
    return None if place is None else read_history(brought(place, folder))


def _died_of_memory(job: str, store: Store) -> bool:
    rows = store.read("attempts", columns=["job", "state", "error"])
    rows = rows[(rows["job"] == job) & (rows["state"] == "failed")]
    return any(failure_of(each).kind == "memory" for each in rows["error"].dropna())
