"""The probe plan as a file, shipped with the agent: ``docs/reference/probe-plan.md``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from mprof.errors import EvidenceError
from mprof.plan.model import ProbePlan, TaskPlan

__all__ = ["parse_plan", "render_plan"]

_VERSION: Final = "1"
_OF_JOB: Final = "job."  # before the name of a property: what the job is told by
_HISTOGRAM: Final = "h"  # after an ordinal: the probe there is a class histogram
_LISTS: Final = frozenset(
    {"before_record", "before_group", "in_group", "in_group_digest", "in_combine",
     "in_combine_digest"}
)  # fmt: skip


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


def parse_plan(text: str) -> ProbePlan:
    """The plan in a plan file, written by ``render_plan`` or by hand.

    Raises:
        EvidenceError: if its version is not supported, or a line is invalid.
    """
    pairs = [
        (key.strip(), value.strip())
        for line in text.splitlines()
        if line.strip() and not line.startswith("#")
        for key, _, value in [line.partition("=")]
    ]
    table = dict(pairs)
    if table.get("version") != _VERSION:
        raise EvidenceError(
            f"the probe plan has version {table.get('version', 'none')}, not {_VERSION}",
            next_step="let mprof rerun write the plan",
        )
    tasks: dict[str, TaskPlan] = {}
    job: dict[str, str] = {}
    for key, value in pairs:
        if key.startswith(_OF_JOB):
            job[key.removeprefix(_OF_JOB)] = value
            continue
        name, dot, member = key.partition(".")
        if not dot:
            continue
        task = tasks.get(name, TaskPlan(name, table.get("default", "watch")))
        try:
            counted = _by_histogram(member, value)
            tasks[name] = replace(
                task,
                **{member: _PARSERS[member](value.replace(_HISTOGRAM, "") if counted else value)},
                by_histogram=task.by_histogram | counted,
            )
        except (ValueError, KeyError) as error:
            raise EvidenceError(
                f"the probe plan has an invalid line: {key}={value}",
                next_step="see docs/reference/probe-plan.md",
            ) from error
    return ProbePlan(tasks=tuple(tasks.values()), default=table.get("default", "watch"), job=job)


def _by_histogram(member: str, value: str) -> frozenset[tuple[str, int]]:
    """The points of a list at which a class histogram is made."""
    if member not in _LISTS:
        return frozenset()
    words = (word.strip() for word in value.rpartition(":")[2].split(","))
    return frozenset(
        (member, int(word.removesuffix(_HISTOGRAM))) for word in words if word.endswith(_HISTOGRAM)
    )


def _ordinals(text: str) -> tuple[int, ...]:
    return tuple(sorted(int(each) for each in text.split(",") if each.strip()))


def _in_group(text: str) -> tuple[int, tuple[int, ...]]:
    where, _, ordinals = text.partition(":")
    return int(where), _ordinals(ordinals)


def _by_digest(text: str) -> tuple[str, tuple[int, ...]]:
    where, _, ordinals = text.partition(":")
    return where, _ordinals(ordinals)


def _in_combine(text: str) -> tuple[int, int, int, tuple[int, ...]]:
    where, _, ordinals = text.partition(":")
    spill, partition, group = (int(each) for each in where.split("/"))
    return spill, partition, group, _ordinals(ordinals)


_PARSERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "mode": str,
    "before_record": _ordinals,
    "before_group": _ordinals,
    "in_group": _in_group,
    "in_group_digest": _by_digest,
    "in_combine": _in_combine,
    "in_combine_digest": _by_digest,
    "setup_bytes": int,
    "doubling": str,
    "points": int,
    "histograms": int,
    "probe": str,
    "leave_out_record": int,
    "leave_out_group": str,
    "verify_record": int,
    "verify_digest": str,
    "verify_group": str,
    "verify_place": str,
    "verify_live": int,
    "verify_live_is": str,
    "verify_warm_up": int,
    "verify_hold": int,
}
