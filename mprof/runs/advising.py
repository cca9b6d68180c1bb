"""``rerun --advised``: the job once more with the advised settings, and what comes of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from mprof.advice import causes_of_a_part, intervention_for
from mprof.advised import AdvisedSetting, Intervention
from mprof.diagnosis import Diagnosed
from mprof.errors import ClusterError, EvidenceError
from mprof.hadoop import HEADROOM_MB, Cluster, ContainerRoom
from mprof.io.secrets import MASK
from mprof.plan import ProbePlan, plan_leave_out, render_plan
from mprof.runs.capture import Capture
from mprof.runs.captured_run import RunRequest, capture_run, check_command
from mprof.runs.command_settings import with_settings
from mprof.runs.diagnosing import diagnose_capture, load_failed_job
from mprof.runs.failed_job import failed_job_of
from mprof.runs.observer import Observer, SilentObserver
from mprof.runs.outputs import written_for_good
from mprof.runs.rerunning import failed_capture, make_way
from mprof.runs.running import RunResult, job_failed

__all__ = ["rerun_advised"]

_PARTS: Final[tuple[Literal["record", "group"], ...]] = ("record", "group")


def rerun_advised(
    what: str,
    command: Sequence[str],
    *,
    capture: Path | None = None,
    embedded: bool,
    conf_dir: Path | None = None,
    settings: dict[str, str] | None = None,
    headroom_mb: int = HEADROOM_MB,
    observer: Observer | None = None,
) -> RunResult:
    """Run a failed job once more with all the settings that its diagnosis advises.

    Where what has to change is code or data: without the record or group at death, in an attempt
    that never commits, where that is at fault and can be told in another run; else with a larger
    heap, so that its peak is seen. All others commit as the user's own run would.

    Raises:
        EvidenceError: if the capture or job does not exist, or nothing is advised.
        ClusterError: if an output folder blocks the command and mprof must not move it, or the
            cluster or the job could not be run.
    """
    argv = check_command(command)
    watching = observer or SilentObserver()
    with failed_capture(what, capture, conf_dir, watching, embedded=embedded) as (cluster, target):
        diagnosed = diagnose_capture(target, watching)
        leaving = _leaving_out(target, diagnosed, watching)
        tried, plan = leaving or (_intervention(cluster, target, diagnosed), None)
        for one in tried.settings:
            if one.why_not:
                text = f"{one.property}={one.value} is not applied: {one.why_not}"
                watching.output(f"mprof: {text}")
        make_way(cluster, target, argv, watching)
        why = plan.summary if plan is not None else _why(tried)
        watching.output(f"mprof: {why}")
        request = RunRequest(
            command=with_settings(argv, tried.given),
            mode="watch" if plan is None else "verify",
            plan=None if plan is None else render_plan(plan),
            why=why,
            settings=settings or {},
            room=ContainerRoom(headroom_mb),
            advised=tried,
        )
        captured = capture_run(cluster, target, request, watching)
        diagnosed = diagnose_capture(target, watching)
    if plan is not None:
        # The job fails because nothing may be committed: what counts is what became of the task.
        came = diagnosed.advised
        finished = came is not None and came.outcome == "finished"
        return RunResult(target, diagnosed, job_failed=not finished, exit_code=0)
    return RunResult(target, diagnosed, job_failed(captured), captured.manifest.exit_code or 0)


def _leaving_out(
    target: Capture, diagnosed: Diagnosed, observer: Observer
) -> tuple[Intervention, ProbePlan] | None:
    """A run without R_n or G_m, where that is at fault and can be told in another run."""
    telling = failed_job_of(target).telling
    causes = {what: causes_of_a_part(diagnosed, what) for what in _PARTS}
    if telling is None or not any(causes.values()):
        return None
    job_runs = [one for one in load_failed_job(target, observer) if one.mode != "verify"]
    newest = job_runs[-1].conf if job_runs else None
    if newest is not None and written_for_good(newest) is not None:
        return None
    shown = diagnosed.evidence.attempt.attempt_id
    for what, named in causes.items():
        plan = plan_leave_out(job_runs, what, shown) if named else None
        if plan is not None:
            (task,) = plan.tasks
            tried = Intervention(
                "left out", (), task.leave_out_record, task.leave_out_group, causes=named
            )
            return tried, replace(plan, job=telling)
    return None


def _intervention(cluster: Cluster, target: Capture, diagnosed: Diagnosed) -> Intervention:
    """What to try, with a reason for each setting that cannot be given.

    Raises:
        EvidenceError: if there is nothing to try.
    """
    try:
        most_mb = cluster.largest_container_mb()
    except ClusterError:
        most_mb = None
    tried = intervention_for(diagnosed, most_mb=most_mb)
    if tried is None:
        causes = ", ".join(one.cause for one in diagnosed.diagnosis.causes)
        why = f"{causes} asks for no setting" if causes else "no cause is named"
        raise EvidenceError(
            f"there is nothing to try for the job in {target.path}: {why}",
            next_step=f"see its report: mprof report {target.path}",
        )
    final = cluster.site_properties().final
    checked = [replace(one, why_not=_why_not(diagnosed, one, final)) for one in tried.settings]
    if all(one.why_not for one in checked):
        said = "; ".join(f"{one.property}: {one.why_not}" for one in checked)
        raise EvidenceError(
            f"nothing that is advised can be set from outside the job ({said})",
            next_step="change it where it is set, and run the job again: mprof run",
        )
    return replace(tried, settings=tuple(checked))


def _why_not(diagnosed: Diagnosed, setting: AdvisedSetting, final: Collection[str]) -> str:
    evidence = diagnosed.evidence
    # The framework of a script sets every property by a call, those of the configuration too.
    if setting.property in evidence.set_in_code and evidence.script is None:
        return "the driver sets it by a call in its code, which overrides -D"
    if setting.property in final:
        return "the cluster's configuration marks it as final"
    if MASK in setting.value:
        return "its value has secrets in it, which a capture does not keep"
    return ""


def _why(tried: Intervention) -> str:
    what = "as advised" if tried.kind == "settings" else "with room, to see the peak"
    given = " ".join(f"-D {name}={value}" for name, value in tried.given.items())
    return f"the job {what}: {given}"
