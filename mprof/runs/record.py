"""One recorded run: agent in, driver run, jobs awaited, files brought home."""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from mprof.errors import ClusterError, MprofError, UsageError
from mprof.hadoop import Cluster, JobStatus, Submission
from mprof.runs.bring import bring_files
from mprof.runs.capture import (
    Capture,
    Mode,
    RecordedRun,
    RunRecord,
    mask_command,
    write_record,
)
from mprof.runs.observer import Observer
from mprof.runs.staging import COPIES, fetch_copies, staged_agent
from mprof.runs.way_in import WayIn, way_in

__all__ = ["Recording", "check_command", "record_run"]


@dataclass(frozen=True, slots=True)
class Recording:
    """What to record.

    Attributes:
        command: the user's command as given.
        mode: how the failed tasks run.
        plan: text of the probe plan, None in watch mode.
        why: the reason for the run, one sentence.
        settings: further settings of the agent.
    """

    command: tuple[str, ...]
    mode: Mode
    plan: str | None
    why: str
    settings: dict[str, str]


def check_command(command: Sequence[str]) -> tuple[str, ...]:
    """The command as a tuple.

    Raises:
        UsageError: if it is empty.
    """
    if not command:
        raise UsageError(
            "no command given", next_step="put it after two dashes: -- hadoop jar JOB.jar MAIN ARGS"
        )
    return tuple(command)


def record_run(
    cluster: Cluster, capture: Capture, recording: Recording, observer: Observer
) -> RecordedRun:
    """Run the command with the agent and bring everything it left behind into the capture.

    Raises:
        ClusterError: if the driver started no job.
    """
    folder = capture.new_run_folder()
    run_id = uuid.uuid4().hex[:12]
    started_ms = int(time.time() * 1000)
    if recording.plan is not None:
        (folder / "plan").write_text(recording.plan, encoding="utf-8")
    with staged_agent(cluster, recording.plan) as staged:
        way = _way_in(cluster, recording, run_id, staged)
        observer.stage("running the job")
        try:
            submission, jobs = _submit_and_wait(cluster, recording.command, way, observer)
        except KeyboardInterrupt:
            _name_what_runs_on(cluster, way.tag, observer)
            raise
        submitted = time.time()
        (folder / "output.txt").write_text(
            "\n".join(submission.output_tail) + "\n", encoding="utf-8"
        )
        observer.stage("bringing history, logs and dumps")
        for job in jobs:
            bring_files(cluster, job, folder / "jobs" / job.job_id, observer)
        fetch_copies(cluster, staged, folder / "jobs")
    if not jobs:
        exists = any("FileAlreadyExistsException" in line for line in submission.output_tail)
        raise ClusterError(
            f"the command ended with exit code {submission.exit_code} and started no job",
            next_step="its output folder exists: give another one, or move that away"
            if exists
            else "read its output above; mprof finds jobs by a tag in the client's "
            "configuration, so it must submit from this machine",
        )
    record = RunRecord(
        mode=recording.mode,
        command=mask_command(recording.command),
        job_ids=tuple(job.job_id for job in jobs),
        exit_code=submission.exit_code,
        seconds={
            "run": round(submitted - started_ms / 1000, 1),
            "collect": round(time.time() - submitted, 1),
        },
        started_ms=started_ms,
        why=recording.why,
    )
    write_record(folder, record)
    return RecordedRun(int(folder.name), folder, record)


def _name_what_runs_on(cluster: Cluster, tag: str, observer: Observer) -> None:
    """A job outlives the command that submitted it, as it does without mprof."""
    with contextlib.suppress(MprofError):
        for each in cluster.tagged(tag):
            if each.state in {"PREP", "RUNNING"}:
                observer.stage(
                    f"{each.job_id} goes on running; end it with: "
                    f"yarn application -kill {each.application_id}"
                )


def _way_in(cluster: Cluster, recording: Recording, run_id: str, staged: str) -> WayIn:
    # The embedded cluster's log folders lie on this machine; elsewhere a dump on a node's disk is
    # out of reach unless the agent copies it.
    copies = {} if cluster.is_embedded else {"capture": f"{staged}/{COPIES}"}
    return way_in(
        run_id,
        staged,
        mode=recording.mode,
        settings={**copies, **recording.settings},
        with_plan=recording.plan is not None,
    )


def _submit_and_wait(
    cluster: Cluster, command: tuple[str, ...], way: WayIn, observer: Observer
) -> tuple[Submission, tuple[JobStatus, ...]]:
    submission = cluster.submit(
        command, overlay=way.overlay, append=way.append, on_line=observer.output
    )

    def on_progress(job_id: str, state: str, map_share: float, reduce_share: float) -> None:
        text = f"{job_id} {state.lower()}"
        if state == "RUNNING":  # of an ended job the cluster no longer knows the shares
            text += f": map {map_share:.0%}, reduce {reduce_share:.0%}"
        observer.progress(text, None)

    return submission, cluster.wait(submission.job_ids, on_progress)
