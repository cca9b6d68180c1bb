"""One run of a capture: inject the agent, run the driver, wait for its jobs, fetch their files."""

from __future__ import annotations

import contextlib
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mprof.advised import Intervention
from mprof.errors import ClusterError, MprofError, UsageError
from mprof.exit_code import end_in_words
from mprof.hadoop import Cluster, ContainerRoom, JobStatus, Submission, TaggedApplication
from mprof.io.secrets import mask_command
from mprof.runs.agent_archive import agent_checksum
from mprof.runs.agent_injection import (
    ARCHIVE,
    AgentInjection,
    archive_facts,
    inject_agent,
)
from mprof.runs.capture import (
    Capture,
    CapturedRun,
    Mode,
    RunManifest,
    reserve_manifest,
    write_manifest,
)
from mprof.runs.command_settings import refuse_unreadable
from mprof.runs.fetching import fetch_copied_files, fetch_job_files
from mprof.runs.kept_output import KeptOutput
from mprof.runs.observer import Observer
from mprof.runs.staging import COPIES, staged_agent

if TYPE_CHECKING:
    from mprof.runs.early_reading import EarlyReader

__all__ = ["RunRequest", "capture_run", "check_command", "no_job_error"]

# How full a dump may make the disk of the embedded cluster. The agent's default, 80, keeps a margin
# below the 90 % at which a NodeManager gives up a disk; the embedded one does so at 99.5 % only,
# and many a disk of one's own machine is more than 80 % full.
_OWN_DISK_PERCENT = 95

# Of a job that is followed: its copies are what is looked at. Otherwise they come every 12 minutes.
_FOLLOWED_COPY_SECONDS = 60

_WITHOUT_AGENT = (
    "its driver submitted it with a configuration of its own, without the properties that inject "
    "the agent: its tasks ran without it. Next step: let the driver start from the client "
    "configuration, or set these properties in the job (docs/guides/real-cluster.md)"
)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to run.

    Attributes:
        command: the user's command as given.
        plan: text of the probe plan; None in watch mode.
        settings: further settings of the agent.
        follow: say while the job runs which of its tasks will run out of memory.
        room: larger containers, for the agent and for heaps whose containers were killed.
        advised: what is changed of the job on advice; None for the job as it is.
    """

    command: tuple[str, ...]
    mode: Mode
    plan: str | None
    why: str
    settings: dict[str, str]
    room: ContainerRoom
    follow: bool = False
    advised: Intervention | None = None


def check_command(command: Sequence[str]) -> tuple[str, ...]:
    """The command as a tuple.

    Raises:
        UsageError: if it is empty, or sets a property of memory to what Hadoop cannot read.
    """
    if not command:
        raise UsageError(
            "no command was given",
            next_step="put it after two dashes: -- hadoop jar JOB.jar MAIN ARGS",
        )
    refuse_unreadable(command)
    return tuple(command)


def capture_run(
    cluster: Cluster, capture: Capture, request: RunRequest, observer: Observer
) -> CapturedRun:
    """Run the command with the agent, and fetch the files of its jobs into the capture.

    Raises:
        ClusterError: if the driver started no job.
    """
    folder = capture.new_run_folder()
    reserve_manifest(folder)
    run_id = uuid.uuid4().hex[:12]
    started_ms = int(time.time() * 1000)
    if request.plan is not None:
        (folder / "plan").write_text(request.plan, encoding="utf-8")
    with (
        staged_agent(cluster, request.plan, observer.stage) as staged,
        _scratch() as scratch,
        contextlib.closing(KeptOutput(folder / "output.txt")) as kept,
    ):
        injection = _injection(cluster, request, run_id, staged)
        observer.stage("running the job")
        early = _early_reader(cluster, run_id, scratch)
        try:
            with (
                _following(cluster, staged, run_id, observer, wanted=request.follow),
                early or contextlib.nullcontext(),
            ):
                submission, jobs = _submit_and_wait(cluster, request, injection, observer, kept.add)
                submitted = time.time()
        except KeyboardInterrupt:
            _report_running_jobs(cluster, injection.tag, observer)
            raise
        kept.end(submission.output_tail)
        observer.stage("fetching history, logs and dumps")
        for job in jobs:
            missing = [_WITHOUT_AGENT] if job.job_id in submission.untagged_job_ids else []
            fetch_job_files(cluster, job, folder / "jobs" / job.job_id, observer, missing=missing)
        fetch_copied_files(cluster, f"{staged}/{COPIES}", folder / "jobs", observer)
        if early is not None:
            early.hand_over(folder / "jobs")
    if not jobs:
        raise no_job_error(submission)
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
        driver_error=submission.memory_error or "",
        local_job_ids=submission.local_job_ids,
        advised=request.advised,
    )
    write_manifest(folder, manifest)
    return CapturedRun(int(folder.name), folder, manifest)


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="mprof-early-") as folder:
        yield Path(folder)


def _early_reader(cluster: Cluster, run_id: str, scratch: Path) -> EarlyReader | None:
    """The reader of dumps that lie on this machine; dumps on other nodes are fetched first."""
    local = cluster.local_log_dirs
    if local is None:
        return None
    # Here: they take long to load, and a cluster that is not there needs none of them.
    from mprof.runs.early_reading import EarlyReader
    from mprof.runs.following import local_folders

    return EarlyReader(local_folders(local), run_id, cluster.local_job_conf, scratch)


@contextlib.contextmanager
def _following(
    cluster: Cluster, staged: str, run_id: str, observer: Observer, *, wanted: bool
) -> Iterator[None]:
    if not wanted:
        yield
        return
    from mprof.runs.following import Follower, local_folders, staged_folders

    with tempfile.TemporaryDirectory(prefix="mprof-follow-") as scratch:
        local = cluster.local_log_dirs
        folders = (
            local_folders(local)
            if local is not None
            else staged_folders(cluster, staged, Path(scratch))
        )
        with Follower(folders, run_id, observer):
            yield


def no_job_error(submission: Submission) -> ClusterError:
    """The error for a command that started no job on the cluster."""
    if submission.local_job_ids:
        return _local_error(submission)
    if submission.memory_error is not None:
        return ClusterError(
            f"the command itself ran out of memory ({submission.memory_error}) before it had "
            "started a job",
            next_step="give it a larger heap: HADOOP_CLIENT_OPTS=-Xmx2g for hadoop and what calls "
            "it, PIG_HEAPSIZE for pig",
        )
    if submission.exit_code < 0:
        return ClusterError(
            f"the command {end_in_words(submission.exit_code)} before it had started a job",
            next_step="find out what ended it: where a machine or a control group is short of "
            "memory, the kernel sends SIGKILL (see dmesg)",
        )
    exists = any("FileAlreadyExistsException" in line for line in submission.output_tail)
    return ClusterError(
        f"the command {end_in_words(submission.exit_code)} and started no job",
        next_step="its output folder exists: name another one, or move that one away"
        if exists
        else "read its output above; mprof finds jobs by a tag in the client "
        "configuration, so the command must submit them from this machine",
    )


def _local_error(submission: Submission) -> ClusterError:
    """The error for a command whose jobs all ran in its own process."""
    jobs = ", ".join(submission.local_job_ids)
    if submission.memory_error is not None:
        end = f", and ran out of memory there ({submission.memory_error})"
    elif submission.exit_code:
        end = f"; the command {end_in_words(submission.exit_code)}"
    else:
        end = ""
    return ClusterError(
        f"{jobs} ran inside the command, not on the cluster{end}",
        next_step="run it on the cluster, where mprof watches: with -D "
        "mapreduce.framework.name=yarn, of Pig without -x local, of Hive with "
        "hive.exec.mode.local.auto=false; in one process all tasks share the heap of "
        "HADOOP_CLIENT_OPTS",
    )


def _report_running_jobs(cluster: Cluster, tag: str, observer: Observer) -> None:
    """Report the jobs that keep running after the command was interrupted, as they always do."""
    with contextlib.suppress(MprofError):
        for each in cluster.tagged(tag):
            if each.state in {"PREP", "RUNNING"}:
                observer.stage(_way_on(cluster, each))


def _way_on(cluster: Cluster, job: TaggedApplication) -> str:
    """What becomes of a job without the command that submitted it, and what can be done with it."""
    if not cluster.stays:
        return (
            f"{job.job_id} ends here, with the embedded cluster that was started for this command; "
            "after mprof cluster start a job goes on, and can be diagnosed, when the command ends"
        )
    where = "--embedded " if cluster.is_embedded else ""
    return (
        f"{job.job_id} is still running; to diagnose it once it has ended: mprof diagnose {where}"
        f"{job.job_id}; to kill it: {cluster.command('yarn')} application -kill "
        f"{job.application_id}"
    )


def _injection(cluster: Cluster, request: RunRequest, run_id: str, staged: str) -> AgentInjection:
    # The log folders of the embedded cluster are on this machine; on another cluster, a dump on a
    # node's disk cannot be fetched unless the agent copies it to the cluster's file system.
    if cluster.is_embedded:
        settings = {"disk.percent": str(_OWN_DISK_PERCENT)}
    else:
        settings = {"capture": f"{staged}/{COPIES}"}
        if request.follow:
            settings["copy.seconds"] = str(_FOLLOWED_COPY_SECONDS)
    injection = inject_agent(
        run_id,
        staged,
        jar_checksum=agent_checksum(),
        mode=request.mode,
        settings={**settings, **request.settings},
        with_plan=request.plan is not None,
    )
    archive = cluster.status(f"{staged}/{ARCHIVE}")
    facts = archive_facts(modified_ms=archive.modified_ms, size_bytes=archive.size_bytes)
    return replace(injection, append={**injection.append, **facts})


def _submit_and_wait(
    cluster: Cluster,
    request: RunRequest,
    injection: AgentInjection,
    observer: Observer,
    keep: Callable[[str], None],
) -> tuple[Submission, tuple[JobStatus, ...]]:
    def on_line(line: str) -> None:
        keep(line)
        observer.output(line)

    submission = cluster.submit(
        request.command,
        overlay={**(request.advised.given if request.advised else {}), **injection.overlay},
        append=injection.append,
        on_line=on_line,
        room=request.room,
    )

    def on_progress(job_id: str, state: str, map_share: float, reduce_share: float) -> None:
        text = f"{job_id} {state.lower()}"
        if state == "RUNNING":  # once a job has ended, the cluster no longer knows its progress
            text += f": map {map_share:.0%}, reduce {reduce_share:.0%}"
        observer.progress(text, None)

    jobs = cluster.wait(submission.job_ids, on_progress)
    if jobs and submission.local_job_ids:
        local = ", ".join(submission.local_job_ids)
        observer.output(f"mprof: {local} ran inside the driver, which mprof does not watch")
    # An application master that died can no longer say so; the client printed it in time.
    uber = submission.uber_job_ids
    return submission, tuple(replace(job, uber=job.uber or job.job_id in uber) for job in jobs)
