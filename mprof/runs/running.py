"""``run``: the job itself, the agent watching; and what both ``run`` and ``rerun`` return."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mprof.diagnosis import Diagnosed
from mprof.hadoop import connect
from mprof.runs.capture import Capture, CapturedRun, create_capture
from mprof.runs.captured_run import RunRequest, capture_run, check_command
from mprof.runs.diagnosing import diagnose_capture, failed_job
from mprof.runs.load import read_status
from mprof.runs.observer import Observer, SilentObserver
from mprof.runs.partitioning import with_partition_file

__all__ = ["RunResult", "job_failed", "run"]


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run came to.

    Attributes:
        capture: the capture folder.
        diagnosed: the diagnosis and the evidence behind it.
        job_failed: whether a job of the newest run failed.
    """

    capture: Capture
    diagnosed: Diagnosed
    job_failed: bool


def run(
    command: Sequence[str],
    *,
    capture: Path,
    embedded: bool,
    conf_dir: Path | None = None,
    settings: dict[str, str] | None = None,
    observer: Observer | None = None,
) -> RunResult:
    """Run a command with the agent in watch mode and diagnose its failed job.

    Args:
        command: the driver, ``hadoop jar ...``.
        capture: new folder for everything that is recorded.
        embedded: use the embedded cluster, starting one for the command if none runs.
        conf_dir: else the cluster of this client configuration (default ``HADOOP_CONF_DIR``).
        settings: further settings of the agent.
        observer: told how it goes.

    Raises:
        UsageError: if the command is empty or the capture folder cannot be used.
        ClusterError: if the cluster or the job could not be run.
    """
    words = check_command(command)
    watching = observer or SilentObserver()
    target = create_capture(capture)
    job_run = RunRequest(
        command=words,
        mode="watch",
        plan=None,
        why="the job itself, the agent watching",
        settings=settings or {},
    )
    watching.stage("connecting to the cluster")
    with connect(conf_dir, embedded=embedded) as cluster:
        recorded = capture_run(cluster, target, job_run, watching)
        diagnosed = diagnose_capture(target, watching)
        diagnosed = with_partition_file(cluster, target, words, diagnosed, watching)
    return RunResult(target, diagnosed, job_failed(recorded))


def job_failed(recorded: CapturedRun) -> bool:
    """Whether a job of that run did not succeed."""
    job = recorded.jobs[failed_job(recorded)]
    status, _ = read_status(job.path)
    return status is not None and status.state != "SUCCEEDED"
