"""Fetches the history and the logs of a job into local files, unchanged."""

from __future__ import annotations

import os
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from mprof.errors import EvidenceError, MprofError
from mprof.hadoop.gateway import Gateway, GatewayGoneError
from mprof.hadoop.values import AttemptStatus, HistoryFiles

__all__ = ["ContainerLogs", "attempt_folders", "fetch_history"]

# The application master writes the history when it ends; the history server moves it in minutes.
_HISTORY_SECONDS = 60.0
# An application master that was killed, or did not start, has probably not written one.
_UNLIKELY_HISTORY_SECONDS = 5.0
# A NodeManager aggregates logs once its application has ended: all of a job's are waited for at
# once, and of an old job they may have been deleted.
_AGGREGATION_SECONDS = 60.0
_POLL_SECONDS = 0.5

# Larger files, which are heap dumps, are hard-linked rather than copied.
_LINK_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class ContainerLogs:
    """Where the logs of containers are.

    Attributes:
        log_dirs: the NodeManager's log folders if they are on this machine, else None.
    """

    gateway: Gateway
    log_dirs: Sequence[Path] | None
    aggregation: bool


def fetch_history(gateway: Gateway, job_id: str, into: Path) -> HistoryFiles:
    """Copy the history and the configuration of a job.

    Raises:
        EvidenceError: if they are not there in time, or cannot be read.
    """
    into.mkdir(parents=True, exist_ok=True)
    files = HistoryFiles(jhist=into / "job.jhist", conf_xml=into / "conf.xml")
    for last_try in (False, True):
        found = _history(gateway, job_id)
        try:
            for uri, target in zip(found, (files.jhist, files.conf_xml), strict=True):
                gateway.call("get", uri, str(target.resolve()))
        except EvidenceError:
            # The history server may have moved them in the meantime.
            if last_try:
                raise
        else:
            break
    return files


def _history(gateway: Gateway, job_id: str) -> tuple[str, str]:
    """The URIs of both files, once they exist."""
    started = time.monotonic()
    while True:
        found = gateway.ask("history", job_id)
        if found["jhist"] and found["conf_xml"]:
            return found["jhist"], found["conf_xml"]
        # For an unknown job this raises at once, not after the wait.
        likely = gateway.ask("progress", job_id).get("ended_by_itself", True)
        waited = time.monotonic() - started
        if waited > (_HISTORY_SECONDS if likely else _UNLIKELY_HISTORY_SECONDS):
            raise EvidenceError(
                f"there is no history of {job_id} after {waited:.0f} s",
                next_step="check that the history server is running, or diagnose the .jhist file",
            )
        time.sleep(_POLL_SECONDS)


def attempt_folders(
    logs: ContainerLogs,
    attempts: Iterable[AttemptStatus],
    *,
    user: str,
    into: Path,
    move: str | None = None,
    on_loss: Callable[[str], None] = lambda _line: None,
) -> dict[str, Path]:
    """Fetch the log folder of each attempt.

    A file that cannot be copied, to a full disk mostly, is a loss and not the end of the others;
    so are aggregated logs that are not there in time, or cannot be read. Failed attempts come
    first: those behind them are waited for only as long as these were not.

    Args:
        logs: where the logs are.
        attempts: the attempts.
        user: who ran the job.
        into: local folder that gets one folder per attempt.
        move: a shell pattern; matching files in log folders on this machine are moved, not copied.
        on_loss: told what could not be fetched, one line each.

    Returns:
        Attempt id -> local folder; attempts without logs are left out.

    Raises:
        EvidenceError: if the logs stay on the nodes where the containers ran.
        GatewayGoneError: if the gateway ended.
    """
    found = {}
    others = defaultdict[str, list[str]](list)  # of a large job there may be thousands
    deadline = time.monotonic() + _AGGREGATION_SECONDS
    for attempt in sorted(attempts, key=lambda each: not each.failed):
        if attempt.container_id is None:
            continue
        if logs.log_dirs is None and not logs.aggregation:
            raise EvidenceError(
                "the cluster does not aggregate logs (yarn.log-aggregation-enable is false): "
                f"those of {attempt.attempt_id} are on {attempt.node}, in {attempt.container_id}",
                next_step="copy that folder from yarn.nodemanager.log-dirs on that node, "
                "or let the agent copy to a capture folder",
            )
        target = into / attempt.attempt_id
        if logs.log_dirs is not None:
            copied = _copy_local_logs(logs.log_dirs, attempt.container_id, target, move, on_loss)
        else:
            target.mkdir(parents=True, exist_ok=True)
            loss = _fetch_aggregated_logs(
                logs.gateway, attempt, user=user, into=target, deadline=deadline
            )
            if loss is not None and attempt.failed:
                on_loss(f"{attempt.attempt_id}: {loss}")
            elif loss is not None:
                others[loss].append(attempt.attempt_id)
            copied = any(target.iterdir())
            if not copied:
                target.rmdir()
        if copied:
            found[attempt.attempt_id] = target
    for loss, ids in others.items():
        more = f" (and {len(ids) - 1} other attempts that did not fail)" if len(ids) > 1 else ""
        on_loss(f"{ids[0]}{more}: {loss}")
    return found


def _copy_local_logs(
    log_dirs: Sequence[Path],
    container_id: str,
    target: Path,
    move: str | None,
    on_loss: Callable[[str], None],
) -> bool:
    copied = False
    for log_dir in log_dirs:
        # Each container writes into one of the folders.
        for folder in log_dir.glob(f"application_*/{container_id}"):
            files = [file for file in folder.rglob("*") if file.is_file() and not file.is_symlink()]
            # The smallest first: where the disk is nearly full, the logs matter more than a dump.
            for file in sorted(files, key=lambda each: each.stat().st_size):
                copy = target / file.relative_to(folder)
                try:
                    _link_or_copy(file, copy)
                except OSError as error:
                    copy.unlink(missing_ok=True)
                    on_loss(f"{target.name}: {file.name} was not copied: {error.strerror}")
                    continue
                copied = True
                if move is not None and fnmatchcase(file.name, move):
                    file.unlink()
    return copied


def _link_or_copy(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if file.stat().st_size >= _LINK_BYTES:
        try:
            os.link(file, target)
        except OSError:  # on another file system, or hard links are not supported
            shutil.copy2(file, target)
    else:
        shutil.copy2(file, target)


def _fetch_aggregated_logs(
    gateway: Gateway, attempt: AttemptStatus, *, user: str, into: Path, deadline: float
) -> str | None:
    """What went wrong; None where all files were fetched."""
    where = (attempt.container_id, attempt.node, user, str(into.resolve()))
    try:
        while not gateway.call("containerLogs", *where):
            if time.monotonic() > deadline:
                return (
                    "the cluster has no logs of it: they are not aggregated yet, or no longer kept "
                    "(yarn.log-aggregation.retain-seconds)"
                )
            time.sleep(_POLL_SECONDS)
    except GatewayGoneError:  # the others would fail in the same way
        raise
    except MprofError as error:
        return f"its logs cannot be read: {error}"
    return None
