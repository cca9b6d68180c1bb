"""The agent and its plan on the cluster's file system, for as long as a run needs them."""

from __future__ import annotations

import contextlib
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from mprof.hadoop import Cluster, agent_jar
from mprof.runs.agent_injection import AGENT_JAR, ARCHIVE, PLAN_FILE
from mprof.trace import parse_attempt_id

__all__ = ["COPIES", "fetch_copies", "staged_agent"]

COPIES = "attempts"
"""Folder beside the archive into which agents copy events, positions and dumps."""


@contextlib.contextmanager
def staged_agent(cluster: Cluster, plan: str | None) -> Iterator[str]:
    """Put the archive with the agent, and the plan if there is one, on the cluster.

    Yields:
        The URI of a private folder that holds it; gone with all it holds once the run has ended.
        After an interruption or a fault it stays, because jobs may go on running without us, and a
        task whose archive is gone cannot start.
    """
    with tempfile.TemporaryDirectory(prefix="mprof-stage-") as scratch:
        archive = Path(scratch) / ARCHIVE
        with zipfile.ZipFile(archive, "w") as packed:
            packed.write(agent_jar(), AGENT_JAR)
            if plan is not None:
                packed.writestr(PLAN_FILE, plan)
        staged = cluster.stage({ARCHIVE: archive})
    yield staged
    cluster.unstage(staged)


def fetch_copies(cluster: Cluster, staged_uri: str, jobs: Path) -> None:
    """Bring what agents copied beside the archive; what the logs brought already is left alone.

    Args:
        cluster: where the copies lie.
        staged_uri: the staged folder.
        jobs: the local folder with one folder a job.
    """
    copies = f"{staged_uri}/{COPIES}"
    if not cluster.exists(copies):
        return
    for attempt in cluster.list(copies):
        name = attempt.uri.rstrip("/").rsplit("/", 1)[-1]
        told = parse_attempt_id(name) if attempt.is_folder else None
        if told is None:
            continue
        folder = jobs / told.job_id / "attempts" / name
        for file in cluster.list(attempt.uri):
            base = file.uri.rsplit("/", 1)[-1]
            if not base.startswith(".") and not (folder / base).exists():
                cluster.fetch(file.uri, folder)
