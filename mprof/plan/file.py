"""The probe plan as a file, shipped with the agent: ``docs/reference/probe-plan.md``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mprof.plan.probe_plan import ProbePlan, TaskPlan

__all__ = ["render_plan"]

_VERSION: Final = "1"
_OF_JOB: Final = "job."  # before the name of a property: what the job is told by
_HISTOGRAM: Final = "h"  # after an ordinal: the probe there is a class histogram


def render_plan(plan: ProbePlan) -> str:
    """The text of the plan file, without the summary, which the agent does not use."""
    lines = [f"version={_VERSION}", f"default={plan.default}"]
    lines += [f"{_OF_JOB}{name}={value}" for name, value in plan.job.items()]
    for task in plan.tasks:
        lines += [f"{task.task}.{key}={value}" for key, value in _entries(task)]
    return "".join(f"{line}\n" for line in lines)


def _entries(task: TaskPlan) -> Iterable[tuple[str, str]]:
    yield "mode", task.mode
    where = {
        "in_group": f"{task.in_group[0]}:" if task.in_group else "",
        "in_group_digest": f"{task.in_group_digest[0]}:" if task.in_group_digest else "",
        "in_combine": "{}/{}/{}:".format(*task.in_combine) if task.in_combine else "",
        "in_combine_digest": f"{task.in_combine_digest[0]}:" if task.in_combine_digest else "",
    }
    for name, ordinals in task.lists.items():
        kinds = (_HISTOGRAM if (name, each) in task.by_histogram else "" for each in ordinals)
        points = ",".join(f"{each}{kind}" for each, kind in zip(ordinals, kinds, strict=True))
        yield name, where.get(name, "") + points
    for key in (
        "setup_bytes",
        "doubling",
        "points",
        "histograms",
        "probe",
        "leave_out_record",
        "leave_out_group",
        "verify_record",
        "verify_digest",
        "verify_group",
        "verify_place",
        "verify_live",
        "verify_live_is",
        "verify_warm_up",
        "verify_hold",
    ):
        value = getattr(task, key)
        if value is not None:
            yield key, str(value)
