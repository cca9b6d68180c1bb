"""``rerun``: the failed tasks profiled, then, where a verdict hangs on it, R_n alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from mprof.diagnosis import Diagnosed
from mprof.errors import EvidenceError
from mprof.hadoop import Cluster, connect
from mprof.history import read_conf
from mprof.plan import ProbePlan, plan_profile, plan_verify, render_plan
from mprof.runs.capture import Capture, CapturedRun, create_capture, mask_command, open_capture
from mprof.runs.captured_run import RunRequest, capture_run, check_command
from mprof.runs.diagnosing import (
    default_capture_folder,
    diagnose_capture,
    kept_capture,
    load_failed_job,
)
from mprof.runs.fetching import fetch_job
from mprof.runs.observer import Observer, SilentObserver
from mprof.runs.outputs import RecordedOutput, check_outputs, move_outputs_aside
from mprof.runs.partitioning import with_partition_file
from mprof.runs.running import RunResult, job_failed

__all__ = ["rerun"]

OUTPUT_PROPERTY = "mapreduce.output.fileoutputformat.outputdir"


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
    observer: Observer | None = None,
) -> RunResult:
    """Run a failed job again with its failed tasks profiled.

    Args:
        what: a capture folder, or the id of a job that the cluster still knows.
        command: the driver again; nothing records how to start it but the user.
        capture: with a job id, the new capture folder.
        embedded: use the embedded cluster.
        conf_dir: else the cluster of this client configuration.
        probes: heap dumps of each profiled task, at least 3.
        verify: run R_n alone in a further run where a verdict hangs on it.
        settings: further settings of the agent.
        observer: told how it goes.

    Raises:
        EvidenceError: if the capture or job does not exist or did not fail.
        ClusterError: if an output folder stands in the way and is not ours to move, or the
            cluster or job could not be run. Nothing was started then.
    """
    words = check_command(command)
    watching = observer or SilentObserver()
    found = _existing(what, capture)
    with connect(conf_dir, embedded=embedded) as cluster:
        target = found or _from_cluster(cluster, what, capture, watching)
        job_runs = load_failed_job(target, watching)
        plan = plan_profile(job_runs, probes=probes)
        if plan is None:
            raise EvidenceError(
                f"no task of the recorded job in {target.path} failed: there is nothing to profile",
                next_step=f"look at it with: mprof report {target.path}",
            )
        _record(cluster, target, words, "profile", plan, settings or {}, watching)
        diagnosed = diagnose_capture(target, watching)
        if verify:
            diagnosed = _verified(cluster, target, words, diagnosed, settings or {}, watching)
        diagnosed = with_partition_file(cluster, target, words, diagnosed, watching)
    return RunResult(target, diagnosed, job_failed(target.latest))


def _verified(
    cluster: Cluster,
    target: Capture,
    words: tuple[str, ...],
    diagnosed: Diagnosed,
    settings: dict[str, str],
    observer: Observer,
) -> Diagnosed:
    """R_n alone, where a verdict hangs on it and R_n can be told again."""
    if not diagnosed.hangs_on_verification:
        return diagnosed
    plan = plan_verify(load_failed_job(target, observer))
    if plan is None:
        return diagnosed
    _record(cluster, target, words, "verify", plan, settings, observer)
    return diagnose_capture(target, observer)


def _record(
    cluster: Cluster,
    target: Capture,
    words: tuple[str, ...],
    mode: Literal["profile", "verify"],
    plan: ProbePlan,
    settings: dict[str, str],
    observer: Observer,
) -> CapturedRun:
    same = mask_command(words) == target.runs[0].manifest.command
    movable = check_outputs(cluster, _outputs(target), words, same=same)
    moved = move_outputs_aside(cluster, movable)
    for output in moved:
        observer.output(f"mprof: moved {output.uri} of the recorded run to {output.now_at}")
    observer.output(f"mprof: {plan.summary}")
    job_run = RunRequest(
        command=words, mode=mode, plan=render_plan(plan), why=plan.summary, settings=settings
    )
    return capture_run(cluster, target, job_run, observer)


def _outputs(target: Capture) -> tuple[RecordedOutput, ...]:
    """The output folders of every recorded job, each with the time its newest run began."""
    newest: dict[str, int] = {}
    for run in target.runs:
        for job in run.jobs:
            for path in job.path.glob("*conf.xml"):
                uri = read_conf(path).get(OUTPUT_PROPERTY)
                if uri:
                    newest[uri] = run.manifest.started_ms
    return tuple(RecordedOutput(uri=uri, not_before_ms=at) for uri, at in newest.items())


def _existing(what: str, capture: Path | None) -> Capture | None:
    path = Path(what)
    if path.exists():
        return open_capture(path)
    if what.startswith(("job_", "application_")):
        return kept_capture(_job_id(what)) if capture is None else None
    raise EvidenceError(
        f"there is no capture {what}, and it is no job id either",
        next_step="record one with: mprof run -o NEW_FOLDER -- hadoop jar ...",
    )


def _job_id(what: str) -> str:
    return what.replace("application_", "job_")


def _from_cluster(cluster: Cluster, what: str, capture: Path | None, observer: Observer) -> Capture:
    job_id = _job_id(what)
    observer.stage(f"asking the cluster for {job_id}")
    cluster.job(job_id)  # a job nobody knows leaves no folder behind
    target = create_capture(capture or default_capture_folder(job_id))
    fetch_job(cluster, target, job_id, observer)
    return target
