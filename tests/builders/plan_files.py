"""Reads a plan file as the agent does: ``docs/reference/probe-plan.md``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from mprof.plan.probe_plan import ProbePlan, TaskPlan

__all__ = ["parse_plan"]

_OF_JOB: Final = "job."
_HISTOGRAM: Final = "h"
_LISTS: Final = frozenset(
    {"before_record", "before_group", "in_group", "in_group_digest", "in_combine",
     "in_combine_digest"}
)  # fmt: skip


def parse_plan(text: str) -> ProbePlan:
    """The plan in a plan file."""
    pairs = [
        (key.strip(), value.strip())
        for line in text.splitlines()
        if line.strip() and not line.startswith("#")
        for key, _, value in [line.partition("=")]
    ]
    table = dict(pairs)
    assert table["version"] == "1"
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
        counted = _by_histogram(member, value)
        tasks[name] = replace(
            task,
            **{member: _PARSERS[member](value.replace(_HISTOGRAM, "") if counted else value)},
            by_histogram=task.by_histogram | counted,
        )
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
