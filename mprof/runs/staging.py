"""The agent and its plan on the cluster's file system, for the duration of a run."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from mprof.errors import MprofError
from mprof.hadoop import Cluster
from mprof.runs.agent_archive import patch_classes, write_agent_archive
from mprof.runs.agent_injection import ARCHIVE
from mprof.trace import parse_attempt_id

__all__ = ["COPIES", "fetch_copies", "staged_agent"]

COPIES = "attempts"
"""Folder beside the archive into which agents copy events, positions and dumps."""


@contextlib.contextmanager
def staged_agent(
    cluster: Cluster, plan: str | None, on_loss: Callable[[str], None]
) -> Iterator[str]:
    """Put the archive with the agent, and the plan if there is one, on the cluster.

    Args:
        cluster: where the run is made.
        plan: of the run, or None.
        on_loss: told why no classes were patched, or why the folder could not be deleted: the run
            counts all the same.

    Yields:
        The URI of a private folder that holds it. The folder is deleted when the run has ended.
        After an interruption or an error it stays, because jobs may still be running, and a task
        whose archive is gone cannot start.
    """
    with tempfile.TemporaryDirectory(prefix="mprof-stage-") as scratch:
        archive = Path(scratch) / ARCHIVE
        try:
            patched = patch_classes(cluster, archive.parent)
        except MprofError as error:
            patched = None
            on_loss(f"each task patches Hadoop's classes itself: {error.what}")
        write_agent_archive(archive, patched=patched, plan=plan)
        staged = cluster.stage({ARCHIVE: archive})
    yield staged
    try:
        cluster.unstage(staged)
    except MprofError as error:
        on_loss(f"{staged} is left on the cluster: {error}")


def fetch_copies(
    cluster: Cluster, copies: str, jobs: Path, on_loss: Callable[[Path, Exception], None]
) -> None:
    """Fetch the files that agents copied, unless they came with the logs.

    Args:
        cluster: where the copies are.
        copies: URI of the folder that holds one folder per attempt; it may not exist.
        jobs: the local folder that holds one folder per job.
        on_loss: told of a file that cannot be fetched or kept, such as one that an agent is
            replacing: where it would have been, and why not.
    """
    if not cluster.exists(copies):
        return
    for attempt in cluster.list(copies):
        name = attempt.uri.rstrip("/").rsplit("/", 1)[-1]
        attempt_id = parse_attempt_id(name) if attempt.is_folder else None
        if attempt_id is None:
            continue
        folder = jobs / attempt_id.job_id / "attempts" / name
        for file in cluster.list(attempt.uri):
            base = file.uri.rsplit("/", 1)[-1]
            if not base.startswith(".") and not (folder / base).exists():
                try:
                    cluster.fetch(file.uri, folder)
                except (MprofError, OSError) as error:
                    on_loss(folder / base, error)
