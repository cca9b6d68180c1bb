"""From the files of one job in a capture to the values that a diagnosis is made from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from mprof.engines import MAPREDUCE, UserClasses
from mprof.errors import EvidenceError
from mprof.hadoop import JobStatus
from mprof.history import JobConf, read_conf, read_history
from mprof.io.files import UnreadableError, is_there, read_ends
from mprof.io.json import read_json
from mprof.job_run import JobRun
from mprof.objects import HeapObjects
from mprof.runs.capture import JobFolder, Mode
from mprof.runs.observer import Observer
from mprof.runs.partition_file import read_partition_file
from mprof.runs.snapshots import read_snapshots
from mprof.trace import Trace, read_trace, reason_in_words, trace_of_diagnostics

T = TypeVar("T")

__all__ = ["load_job", "read_status", "user_classes"]

_MAX_MISSING_BYTES = 1 << 20  # of longer ones the beginning and the end are said

_STATES: Final = {
    "SUCCEEDED": "SUCCEEDED", "OBSOLETE": "SUCCEEDED", "FAILED": "FAILED", "TIPFAILED": "FAILED",
    "KILLED": "KILLED",
}  # fmt: skip
"""The states of ``TaskCompletionEvent`` as the history calls them."""

_UBER = (
    "ran in uber mode: its tasks ran in the JVM of the application master, without the agent. "
    "Next step: mprof run it with -D mapreduce.job.ubertask.enable=false"
)


def load_job(folder: JobFolder, mode: Mode, observer: Observer) -> JobRun:
    """Read history, configuration, traces and heap dumps of one job in a capture."""
    losses = [*folder.losses]
    history = _read(folder.path, "*.jhist", read_history, losses)
    conf = _read(folder.path, "*conf.xml", read_conf, losses)
    losses += _missing(folder.path / "missing.txt")
    status, lost = read_status(folder.path)
    losses += lost
    if (status is not None and status.uber) or (history is not None and history.uber):
        losses.append(f"{folder.job_id} {_UBER}")
    reported = {one.attempt_id: one for one in status.attempts} if status is not None else {}
    classes = user_classes(conf)
    traces: list[Trace] = []
    snapshots: dict[str, tuple[HeapObjects, ...]] = {}
    for attempt in folder.attempts:
        told = reported.get(attempt.attempt_id)
        trace = read_trace(
            attempt.path,
            diagnostics=(told.diagnostics or None) if told is not None else None,
            state=_STATES.get(told.state) if told is not None else None,
        )
        traces.append(trace)
        found, unread = read_snapshots(
            trace, attempt.path, classes, lambda name: observer.progress(f"reading {name}", None)
        )
        if found:
            snapshots[attempt.attempt_id] = found
        losses += [f"{attempt.attempt_id}: {line}" for line in unread]
    if history is None:  # which would tell of them
        found_of = {trace.attempt_id for trace in traces}
        traces += [
            trace_of_diagnostics(one.attempt_id, diagnostics=one.diagnostics, state="FAILED")
            for one in reported.values()
            if one.failed and one.attempt_id not in found_of
        ]
    partition_file, lost = read_partition_file(folder.path)
    losses += lost
    if not snapshots:
        losses += [line for trace in traces if (line := _no_dump(trace)) is not None]
    return JobRun(
        job_id=folder.job_id,
        mode=mode,
        history=history,
        conf=conf,
        traces=tuple(traces),
        snapshots=snapshots,
        losses=tuple(losses),
        state=status.state if status else history.state if history else None,
        diagnostics=status.diagnostics if status else history.diagnostics if history else "",
        partition_file=partition_file,
    )


def _missing(path: Path) -> list[str]:
    """What could not be fetched, a line each."""
    if not is_there(path):
        return []
    try:
        data, _ = read_ends(path, limit_bytes=_MAX_MISSING_BYTES)
    except UnreadableError as error:
        return [error.what]
    return data.decode("utf-8", "replace").splitlines()


def _no_dump(trace: Trace) -> str | None:
    """Why there is no dump of a full heap; None where the agent had asked the JVM for one."""
    attach = trace.attach
    if trace.death.kind not in ("heap", "gc-overhead") or attach is None:
        return None
    why = attach.oom_dump.why if attach.oom_dump is not None else None
    if why is None:
        return None
    return f"{trace.attempt_id}: no heap dump at its death: {reason_in_words(why)}"


def user_classes(conf: JobConf | None) -> UserClasses:
    """The classes that the job's configuration names as its own."""
    if conf is None:
        return UserClasses(MAPREDUCE)
    named = (conf.get(one) for one in MAPREDUCE.class_properties)
    return UserClasses(MAPREDUCE, frozenset(name for name in named if name))


def read_status(folder: Path) -> tuple[JobStatus | None, tuple[str, ...]]:
    """The job's status as the cluster reported it, and what could not be read of it.

    Args:
        folder: of the job; a capture made from files alone has no ``job.json`` in it.

    Returns:
        The status, None where there is none or it is damaged; a damaged one is stated as a loss.
    """
    file = folder / "job.json"
    try:
        return read_json(file, JobStatus), ()
    except UnreadableError as error:
        return None, () if error.missing else (f"{file.name} cannot be read: {error.reason}",)


def _read(folder: Path, pattern: str, read: Callable[[Path], T], losses: list[str]) -> T | None:
    for path in sorted(folder.glob(pattern)):
        try:
            return read(path)
        except EvidenceError as error:
            losses.append(error.what)
    return None
