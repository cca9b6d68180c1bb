"""``rerun``: profiles the failed tasks, then verifies R_n if a verdict depends on it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from mprof.diagnosis import Diagnosed
from mprof.errors import EvidenceError
from mprof.hadoop import HEADROOM_MB, Cluster, ContainerRoom, connect
from mprof.history import read_conf
from mprof.io.secrets import mask_command
from mprof.job_run import JobRun
from mprof.plan import (
    ProbePlan,
    failed_to_warm_up,
    plan_profile,
    plan_room,
    plan_verify,
    render_plan,
)
from mprof.runs.capture import (
    Capture,
    CapturedRun,
    create_capture,
    default_capture_folder,
    kept_capture,
    open_capture,
)
from mprof.runs.captured_run import RunRequest, capture_run, check_command
from mprof.runs.diagnosing import (
    diagnose_capture,
    load_failed_job,
)
from mprof.runs.failed_job import failed_job_of
from mprof.runs.fetching import ended_job, fetch_job
from mprof.runs.locking import adding_to
from mprof.runs.naming import check_run_before
from mprof.runs.observer import Observer, SilentObserver
from mprof.runs.outputs import (
    OUTPUT_PROPERTY,
    JobOutput,
    check_outputs,
    move_outputs_aside,
    written_for_good,
)
from mprof.runs.partitioning import with_partition_file
from mprof.runs.running import RunResult, job_failed

__all__ = ["failed_capture", "make_way", "rerun"]

_NOT_ALONE = (
    "the record at death is not run alone, because nothing tells the failed job from the others "
    "that the command starts"
)
_NOT_PROFILED = (
    "no task was profiled: the run did not come to the job that failed before, or it has other "
    "classes or another name now"
)
_WRITES_FOR_GOOD = (
    "the record at death is not run alone, because the job writes through {}, which may keep what "
    "an attempt wrote that never commits"
)


def rerun(
    what: str,
    command: Sequence[str],
    *,
    capture: Path | None = None,
    embedded: bool,
    conf_dir: Path | None = None,
    probes: int = 7,
    verify: bool = True,
    settings: dict[str, str] | None = None,
    headroom_mb: int = HEADROOM_MB,
    observer: Observer | None = None,
) -> RunResult:
    """Run a failed job again with its failed tasks profiled.

    Args:
        what: a capture folder, or the id of a job that the cluster still knows.
        command: the driver's command once more; neither the cluster nor its job history keeps it.
        capture: with a job id, the new capture folder.
        embedded: use the embedded cluster.
        conf_dir: otherwise the cluster of this client configuration.
        probes: points over each range of the data of a profiled task, at least 3.
        verify: run R_n alone in a further run if a verdict depends on it.
        settings: further settings of the agent.
        headroom_mb: for the agent, in tight containers; 0 for none.
        observer: receives progress.

    Raises:
        EvidenceError: if the capture or job does not exist or did not fail.
        ClusterError: if an output folder blocks the command and mprof must not move it (nothing
            has been started then), or the cluster or the job could not be run.
    """
    argv = check_command(command)
    watching = observer or SilentObserver()
    with failed_capture(what, capture, conf_dir, watching, embedded=embedded) as (cluster, target):
        job_runs = load_failed_job(target, watching)
        plan = plan_profile(job_runs, probes=probes)
        if plan is None:
            raise EvidenceError(
                f"no task of the job in {target.path} failed, so there is nothing to profile",
                next_step=f"see its report: mprof report {target.path}",
            )
        how = _How(cluster, target, argv, settings or {}, headroom_mb, watching)
        again = _run_again(how, "profile", plan, job_runs)
        if not failed_job_of(target).is_told_in(again):
            watching.output(f"mprof: {_NOT_PROFILED}")
        diagnosed = diagnose_capture(target, watching)
        # A job at its limit may finish this time; its output is worth more than the last proof.
        if verify and job_failed(again):
            diagnosed = _verify(how, diagnosed)
        diagnosed = with_partition_file(cluster, target, argv, diagnosed, watching)
    latest = target.latest
    return RunResult(target, diagnosed, job_failed(latest), latest.manifest.exit_code or 0)


@dataclass(frozen=True, slots=True)
class _How:
    """What both runs of a rerun have in common."""

    cluster: Cluster
    target: Capture
    argv: tuple[str, ...]
    settings: dict[str, str]
    headroom_mb: int
    observer: Observer


def _verify(how: _How, diagnosed: Diagnosed) -> Diagnosed:
    """Run R_n alone, if a verdict depends on it and R_n can be identified in another run."""
    if not diagnosed.hangs_on_verification:
        return diagnosed
    job_runs = load_failed_job(how.target, how.observer)
    attempt_id = diagnosed.evidence.attempt.attempt_id
    plan = plan_verify(job_runs, attempt_id)
    if plan is None:
        return diagnosed
    if failed_job_of(how.target).telling is None:
        # A record alone in a task of an earlier job would end the driver before the failed one.
        how.observer.output(f"mprof: {_NOT_ALONE}")
        return diagnosed
    newest = job_runs[-1].conf
    writes = written_for_good(newest) if newest is not None else None
    if writes is not None:
        how.observer.output(f"mprof: {_WRITES_FOR_GOOD.format(writes)}")
        return diagnosed
    _run_again(how, "verify", plan, job_runs)
    after = load_failed_job(how.target, how.observer)
    again = plan_verify(after, attempt_id) if failed_to_warm_up(after[-1]) else None
    if again is not None:
        _run_again(how, "verify", again, after)
    return diagnose_capture(how.target, how.observer)


def _run_again(
    how: _How,
    mode: Literal["profile", "verify"],
    plan: ProbePlan,
    job_runs: Sequence[JobRun],
) -> CapturedRun:
    observer = how.observer
    make_way(how.cluster, how.target, how.argv, observer)
    room = plan_room(job_runs)
    plan = replace(plan, job=failed_job_of(how.target).telling or {})
    why = "; ".join(part for part in (plan.summary, room.summary) if part)
    observer.output(f"mprof: {why}")
    request = RunRequest(
        command=how.argv,
        mode=mode,
        plan=render_plan(plan),
        why=why,
        settings=how.settings,
        room=ContainerRoom(how.headroom_mb, room.map_mb, room.reduce_mb),
    )
    return capture_run(how.cluster, how.target, request, observer)


@contextlib.contextmanager
def failed_capture(
    what: str, capture: Path | None, conf_dir: Path | None, observer: Observer, *, embedded: bool
) -> Iterator[tuple[Cluster, Capture]]:
    """The cluster, and the capture to which a run is to be added: locked, fetched where need be.

    Raises:
        EvidenceError: if the capture or job does not exist or did not fail.
        ClusterError: if the cluster cannot be reached.
    """
    found = _captured_before(what, capture)
    with contextlib.ExitStack() as stack:
        if found is not None:
            stack.enter_context(adding_to(found, new=False))
        cluster = stack.enter_context(connect(conf_dir, embedded=embedded))
        yield cluster, found or _fetched_capture(cluster, stack, what, capture, observer)


def make_way(cluster: Cluster, target: Capture, argv: tuple[str, ...], observer: Observer) -> None:
    """Rename the output folders that a recorded run made and did not finish.

    Raises:
        ClusterError: if a folder blocks the command and must not be renamed; nothing is then.
    """
    same = mask_command(argv) == target.runs[0].manifest.command
    movable = check_outputs(cluster, _outputs(target), argv, same=same)
    for output in move_outputs_aside(cluster, movable):
        observer.output(
            f"mprof: renamed the output folder {output.uri} of the failed run to {output.now_at}"
        )


def _outputs(target: Capture) -> tuple[JobOutput, ...]:
    """The output folders of all jobs of the capture, each with the start of its newest run."""
    newest: dict[str, int] = {}
    for run in target.runs:
        for job in run.jobs:
            for path in job.path.glob("*conf.xml"):
                uri = read_conf(path).get(OUTPUT_PROPERTY)
                if uri:
                    newest[uri] = run.manifest.started_ms
    return tuple(JobOutput(uri=uri, not_before_ms=at) for uri, at in newest.items())


def _captured_before(what: str, capture: Path | None) -> Capture | None:
    """The capture that is meant; None where the job has to be fetched from the cluster.

    Raises:
        EvidenceError: if it is neither a capture nor the id of a job.
    """
    check_run_before(what)
    path = Path(what)
    if path.exists():
        return open_capture(path)
    return kept_capture(_job_id(what)) if capture is None else None


def _job_id(what: str) -> str:
    return what.replace("application_", "job_")


def _fetched_capture(
    cluster: Cluster,
    stack: contextlib.ExitStack,
    what: str,
    capture: Path | None,
    observer: Observer,
) -> Capture:
    """A new capture of a job that the cluster still knows."""
    job_id = _job_id(what)
    observer.stage(f"looking up {job_id} on the cluster")
    ended_job(cluster, job_id)  # first, so that a job without files leaves no folder behind
    target = create_capture(capture or default_capture_folder(job_id))
    stack.enter_context(adding_to(target, new=True))
    fetch_job(cluster, target, job_id, observer)
    return target
