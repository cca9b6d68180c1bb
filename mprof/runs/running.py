"""``run``: runs the job with the agent in watch mode; and what ``run`` and ``rerun`` return."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mprof.hadoop import HEADROOM_MB, ContainerRoom, connect
from mprof.runs.capture import Capture, CapturedRun, create_capture
from mprof.runs.captured_run import RunRequest, capture_run, check_command
from mprof.runs.locking import adding_to
from mprof.runs.observer import Observer, SilentObserver

if TYPE_CHECKING:
    from mprof.diagnosis import Diagnosed

__all__ = ["RunResult", "job_failed", "run"]


@dataclass(frozen=True, slots=True)
class RunResult:
    """The outcome of a run.

    Attributes:
        job_failed: whether a job of the newest run failed, or is not known to have succeeded.
        exit_code: of the command in the newest run, negative for the signal that ended it.
    """

    capture: Capture
    diagnosed: Diagnosed
    job_failed: bool
    exit_code: int


def run(
    command: Sequence[str],
    *,
    capture: Path,
    embedded: bool,
    conf_dir: Path | None = None,
    settings: dict[str, str] | None = None,
    follow: bool = False,
    headroom_mb: int = HEADROOM_MB,
    observer: Observer | None = None,
) -> RunResult:
    """Run a command with the agent in watch mode and diagnose its failed job.

    Args:
        command: the driver's, ``hadoop jar ...``.
        capture: new capture folder.
        embedded: use the embedded cluster; if none is running, one is started for the command.
        conf_dir: otherwise the cluster of this client configuration; None for
            ``HADOOP_CONF_DIR``.
        settings: further settings of the agent.
        follow: say while the job runs which of its tasks will run out of memory.
        headroom_mb: for the agent, in tight containers; 0 leaves every container as it is.
        observer: receives progress.

    Raises:
        UsageError: if the command is empty or the capture folder cannot be used.
        ClusterError: if the cluster or the job could not be run.
    """
    argv = check_command(command)
    watching = observer or SilentObserver()
    target = create_capture(capture)
    request = RunRequest(
        command=argv,
        mode="watch",
        plan=None,
        why="the job as it is, in watch mode",
        settings=settings or {},
        follow=follow,
        room=ContainerRoom(headroom_mb),
    )
    with contextlib.ExitStack() as stack:
        stack.enter_context(adding_to(target, new=True))
        watching.stage("connecting to the cluster")
        cluster = stack.enter_context(connect(conf_dir, embedded=embedded))
        captured = capture_run(cluster, target, request, watching)
        # Here: nothing of it is needed before a job has run, and it takes half a second to load.
        from mprof.runs.diagnosing import diagnose_capture
        from mprof.runs.partitioning import with_partition_file

        diagnosed = diagnose_capture(target, watching)
        diagnosed = with_partition_file(cluster, target, argv, diagnosed, watching)
    return RunResult(target, diagnosed, job_failed(captured), captured.manifest.exit_code or 0)


def job_failed(run: CapturedRun) -> bool:
    """Whether a job of that run is not known to have succeeded."""
    from mprof.runs.failed_job import index_of_failed, state_of

    return state_of(run.jobs[index_of_failed(run)]) != "SUCCEEDED"
