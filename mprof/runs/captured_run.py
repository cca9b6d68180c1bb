"""One recorded run: agent in, driver run, jobs awaited, files brought home."""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mprof.errors import ClusterError, MprofError, UsageError
from mprof.hadoop import Cluster, JobStatus, Submission
from mprof.runs.agent_injection import AgentInjection, inject_agent
from mprof.runs.capture import (
    Capture,
    CapturedRun,
    Mode,
    RunManifest,
    mask_command,
    write_manifest,
)
from mprof.runs.fetching import fetch_job_files
from mprof.runs.observer import Observer
from mprof.runs.staging import COPIES, fetch_copies, staged_agent

__all__ = ["RunRequest", "capture_run", "check_command", "no_job"]

_UNREACHED = (
    "its driver submitted it with a configuration of its own, which mprof's did not reach: "
    "no agent was in its tasks. Next step: let the driver start from the client configuration, "
    "or set the agent's properties in the job (docs/guides/real-cluster.md)"
)


@dataclass(frozen=True, slots=True)
class RunRequest:
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


def capture_run(
    cluster: Cluster, capture: Capture, request: RunRequest, observer: Observer
) -> CapturedRun:
    """Run the command with the agent and bring everything it left behind into the capture.

    Raises:
        ClusterError: if the driver started no job.
    """
    folder = capture.new_run_folder()
    run_id = uuid.uuid4().hex[:12]
    started_ms = int(time.time() * 1000)
    if request.plan is not None:
        (folder / "plan").write_text(request.plan, encoding="utf-8")
    with staged_agent(cluster, request.plan) as staged:
        injection = _injection(cluster, request, run_id, staged)
        observer.stage("running the job")
        try:
            submission, jobs = _submit_and_wait(cluster, request.command, injection, observer)
        except KeyboardInterrupt:
            _name_what_runs_on(cluster, injection.tag, observer)
            raise
        submitted = time.time()
        (folder / "output.txt").write_text(
            "\n".join(submission.output_tail) + "\n", encoding="utf-8"
        )
        observer.stage("bringing history, logs and dumps")
        for job in jobs:
            unreached = [_UNREACHED] if job.job_id in submission.untagged_job_ids else []
            fetch_job_files(cluster, job, folder / "jobs" / job.job_id, observer, missing=unreached)
        fetch_copies(cluster, staged, folder / "jobs")
    if not jobs:
        raise no_job(submission)
    manifest = RunManifest(
        mode=request.mode,
        command=mask_command(request.command),
        job_ids=tuple(job.job_id for job in jobs),
        exit_code=submission.exit_code,
        seconds={
            "run": round(submitted - started_ms / 1000, 1),
            "collect": round(time.time() - submitted, 1),
        },
        started_ms=started_ms,
        why=request.why,
    )
    write_manifest(folder, manifest)
    return CapturedRun(int(folder.name), folder, manifest)


def no_job(submission: Submission) -> ClusterError:
    """What to say of a command that started no job on the cluster."""
    if submission.local_job_ids:
        return ClusterError(
            f"{', '.join(submission.local_job_ids)} ran inside the driver, not on the cluster",
            next_step="add -D mapreduce.framework.name=yarn; inside the driver all tasks share "
            "its heap (HADOOP_CLIENT_OPTS), and mprof does not watch it",
        )
    exists = any("FileAlreadyExistsException" in line for line in submission.output_tail)
    return ClusterError(
        f"the command ended with exit code {submission.exit_code} and started no job",
        next_step="its output folder exists: give another one, or move that away"
        if exists
        else "read its output above; mprof finds jobs by a tag in the client's "
        "configuration, so it must submit from this machine",
    )


def _name_what_runs_on(cluster: Cluster, tag: str, observer: Observer) -> None:
    """A job outlives the command that submitted it, as it does without mprof."""
    with contextlib.suppress(MprofError):
        for each in cluster.tagged(tag):
            if each.state in {"PREP", "RUNNING"}:
                observer.stage(
                    f"{each.job_id} goes on running; end it with: "
                    f"yarn application -kill {each.application_id}"
                )


def _injection(cluster: Cluster, request: RunRequest, run_id: str, staged: str) -> AgentInjection:
    # The embedded cluster's log folders lie on this machine; elsewhere a dump on a node's disk is
    # out of reach unless the agent copies it.
    copies = {} if cluster.is_embedded else {"capture": f"{staged}/{COPIES}"}
    return inject_agent(
        run_id,
        staged,
        mode=request.mode,
        settings={**copies, **request.settings},
        with_plan=request.plan is not None,
    )


def _submit_and_wait(
    cluster: Cluster, command: tuple[str, ...], injection: AgentInjection, observer: Observer
) -> tuple[Submission, tuple[JobStatus, ...]]:
    submission = cluster.submit(
        command, overlay=injection.overlay, append=injection.append, on_line=observer.output
    )

    def on_progress(job_id: str, state: str, map_share: float, reduce_share: float) -> None:
        text = f"{job_id} {state.lower()}"
        if state == "RUNNING":  # of an ended job the cluster no longer knows the shares
            text += f": map {map_share:.0%}, reduce {reduce_share:.0%}"
        observer.progress(text, None)

    jobs = cluster.wait(submission.job_ids, on_progress)
    if jobs and submission.local_job_ids:
        local = ", ".join(submission.local_job_ids)
        observer.output(f"mprof: {local} ran inside the driver, where nothing is watched")
    # A master that died took what it knew along; the client had been told.
    uber = submission.uber_job_ids
    return submission, tuple(replace(job, uber=job.uber or job.job_id in uber) for job in jobs)
