"""Plans the probes of the next run from the failed one: paper 4.2.2 and 6.1.

Which of them are heap dumps and which class histograms is chosen in `mprof.plan.kinds`.

There are h points (7 by default, at least 3) besides the one at death: in map(), before records at
equal steps from R_1 to R_n; in reduce(), before groups at equal steps over [G_1, G_m), then before
records at equal steps inside G_m; likewise inside a call of combine(); in setup(), by bytes read.
If R_n is not known, ordinals double, and the agent keeps only some of the dumps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mprof.dataflow import (
    died_of_memory,
    failed_by_evidence,
    finished_tasks,
    last_record,
    one_per_task,
    with_history,
)
from mprof.errors import UsageError
from mprof.history import TaskHistory
from mprof.job_run import JobRun
from mprof.plan.counting import VERIFY_HOLD_SECONDS, counting_tasks
from mprof.plan.kinds import choose_kinds
from mprof.plan.probe_plan import ProbePlan, TaskPlan
from mprof.plan.same_room import live_before_record
from mprof.plan.thresholds import BUDGET, CONCURRENT
from mprof.trace import MEMORY_KINDS, Position, Trace, digest_text
from mprof.trace.events import Open, Verify
from mprof.units import MIB, format_bytes, format_count, format_ratio

__all__ = [
    "MAX_TASKS",
    "MIN_PROBES",
    "PROBES",
    "failed_to_warm_up",
    "plan_profile",
    "plan_verify",
    "spread",
]

PROBES: Final = 7
MIN_PROBES: Final = 3
MAX_TASKS: Final = 3
"""Profiled tasks: more would show the same cause again, and each costs its dumps."""

_MAP_POINTS_WITH_COMBINE: Final = 3  # points over map()'s records if combine() is what died
_SMALL_GROUP_POINTS: Final = 3  # points in a group of no more records than probes
_VERIFY_DUMPS: Final = 3  # before the record, after it, and at death
# Loaded data took 3.7 to 4.5 bytes of heap per byte read (MahoutBayes, PigMapJoin of the paper)
_HEAP_BYTES_PER_BYTE_READ: Final = 4
_DEFAULT_HEAP: Final = 1024 * MIB


def spread(first: int, last: int, points: int) -> tuple[int, ...]:
    """At most ``points`` increasing ordinals at equal steps, including the first and the last.

    >>> spread(1, 9651, 7)
    (1, 1609, 3218, 4826, 6434, 8043, 9651)
    """
    if last <= first:
        return (first,)
    steps = max(1, min(points - 1, last - first))
    return tuple(first + round(k * (last - first) / steps) for k in range(steps + 1))


def plan_profile(runs: Sequence[JobRun], *, probes: int = PROBES) -> ProbePlan | None:
    """Probe points for the failed tasks of the newest run that died of memory.

    At most ``MAX_TASKS`` tasks are profiled, those with most evidence first. All other tasks run in
    watch mode, because their partitions, segments and groups are evidence too.

    Args:
        runs: runs of one job, oldest first.
        probes: points per range of ordinals, at least ``MIN_PROBES``.

    Returns:
        The plan, or None if no task failed.

    Raises:
        UsageError: if ``probes`` is too small.
    """
    if probes < MIN_PROBES:
        raise UsageError(
            f"{probes} probes are too few to measure growth",
            next_step=f"use --probes {MIN_PROBES} or more; the default is {PROBES}",
        )
    run, failed = _target(runs)
    if run is None:
        return None
    tasks = _profiled(run, failed, probes)
    if not tasks:
        return None
    heap = _heap(run, tasks[0][0].task)
    chosen = [
        choose_kinds(task, trace, run, runs, heap or _DEFAULT_HEAP)
        for task, trace in tasks
        if trace is not None and (task.lists or task.setup_bytes is not None)
    ]
    kinds = {task.task: task for task, _ in chosen}
    plan = ProbePlan(
        tasks=tuple(kinds.get(task.task, task) for task, _ in tasks),
        heap_bytes=heap,
        expected=tuple(cost for _, cost in chosen),
    )
    return replace(plan, summary=_profile_summary(plan))


def plan_verify(runs: Sequence[JobRun], attempt_id: str | None = None) -> ProbePlan | None:
    """Plan a verification: R_n alone, for the attempt that is diagnosed.

    It is given a heap as full as it was before R_n, where that is known, and some other records
    first, so that what user code loads once is not taken for R_n's; none where it has failed at one
    of them. Concurrent reducers count their groups if no run has done so yet.

    Args:
        runs: of one job, oldest first.
        attempt_id: the attempt that is diagnosed; None for that with most evidence.

    Returns:
        The plan, or None if R_n cannot be identified in another run: no ordinal in map(), no digest
        in combine() or reduce(), or no user code running.
    """
    run, failed = _target(runs, attempt_id)
    task = _verified(failed[0]) if failed else None  # R_n of the diagnosed attempt only
    if run is None or task is None:
        return None
    live = live_before_record(failed[0], run)
    task = replace(
        task,
        verify_live=None if live is None else live.bytes,
        verify_live_is=None if live is None or live.bound == "exact" else live.bound,
        verify_warm_up=0 if any(failed_to_warm_up(each) for each in runs) else None,
    )
    plan = ProbePlan(tasks=(task,), heap_bytes=_heap(run, task.task))
    earlier = [one for each in runs if each.mode != "verify" for one in each.traces]
    counting = counting_tasks(task, run.traces, earlier, seconds=plan.cost.seconds)
    if counting:
        task = replace(task, verify_hold=VERIFY_HOLD_SECONDS)
        plan = replace(plan, tasks=(task, *counting))
    return replace(plan, summary=_verify_summary(plan, task))


def failed_to_warm_up(run: JobRun) -> bool:
    """Whether user code failed in a verification at a record before R_n.

    The first records alone are an input that it has never seen, such as a group cut short.
    """
    return any(step.step == "warm_up_failed" for each in run.traces for step in each.of(Verify))


def _target(
    runs: Sequence[JobRun], attempt_id: str | None = None
) -> tuple[JobRun | None, tuple[Trace, ...]]:
    """The newest run that died of memory, else the newest that failed; its failed tasks.

    Of an attempt that is asked for its run, and that attempt alone.
    """
    best: tuple[JobRun | None, tuple[Trace, ...]] = (None, ())
    original = [run for run in reversed(runs) if run.mode != "verify"]
    for run in original if attempt_id is not None else ():
        asked = tuple(each for each in _failed(run) if each.attempt_id == attempt_id)
        if asked:
            return run, asked
    for run in original:
        failed = _failed(run)
        if failed and failed[0].death.kind in MEMORY_KINDS:
            return run, failed
        if best[0] is None and (failed or _failed_in_history(run)):
            best = (run, failed)
    return best


def _failed_in_history(run: JobRun) -> list[TaskHistory]:
    """Failed tasks of a job that ran without the agent and has no logs left."""
    tasks = run.history.tasks if run.history is not None else ()
    return [
        task
        for task in tasks
        if task.type in {"map", "reduce"} and any(a.state == "FAILED" for a in task.attempts)
    ]


def _failed(run: JobRun) -> tuple[Trace, ...]:
    traces = with_history(run.traces, run.history)
    dumps = {name: len(many) for name, many in run.snapshots.items()}
    # Killed because the job had failed: of those, only the ones that had died of memory by then.
    failed = [each for each in traces if each.state != "KILLED" or died_of_memory(each)]
    ranked = one_per_task(failed_by_evidence(failed, dumps=dumps))
    memory = tuple(each for each in ranked if each.death.kind in MEMORY_KINDS)
    return memory or ranked


def _concurrent_tasks(run: JobRun, failed: tuple[Trace, ...]) -> list[Trace]:
    """Tasks that ran concurrently with the first failed one and were killed with the job.

    Dumps slow the failed task down, so one of these may die of the same cause before it, and the
    job with it. Those with most progress come first.
    """
    if not failed or failed[0].death.kind not in MEMORY_KINDS or not _records(failed[0]):
        return []
    first = failed[0]
    traces = with_history(run.traces, run.history)
    taken = finished_tasks(traces) | {(each.task_type, each.index) for each in failed}
    concurrent = [
        each
        for each in one_per_task(traces)
        if each.state == "KILLED"
        and each.task_type == first.task_type
        and (each.task_type, each.index) not in taken
        and _records(each) >= CONCURRENT.value * _records(first)
    ]
    return sorted(concurrent, key=lambda each: (-_records(each), each.index or 0))


def _records(trace: Trace) -> int:
    return (trace.position.records_in if trace.position else None) or 0


def _profiled(
    run: JobRun, failed: tuple[Trace, ...], probes: int
) -> tuple[tuple[TaskPlan, Trace | None], ...]:
    """The plan of each task, all its probes dumps, and its attempt where it left a trace."""
    tasks: list[tuple[TaskPlan, Trace | None]] = [
        (plan, trace)
        for trace in (*failed, *_concurrent_tasks(run, failed))
        if (plan := _task(trace, probes)) is not None
    ]
    if not failed:
        tasks = [
            (_unknown(_name(task.type, task.index), task.type, probes), None)
            for task in _failed_in_history(run)
        ]
    return tuple(tasks[:MAX_TASKS])


def _task(trace: Trace, probes: int) -> TaskPlan | None:
    if trace.task_type not in {"map", "reduce"} or trace.index is None:
        return None
    name = _name(trace.task_type, trace.index)
    position = trace.position
    if position is None or position.phase is None:
        return _unknown(name, trace.task_type, probes)
    phase = position.phase
    if trace.place == "combine":
        return _bounded(_combine(name, position, trace.task_type, probes))
    if phase in {"setup", "reduce_setup"}:
        return TaskPlan(name, "profile", setup_bytes=_setup_step(trace, probes), points=probes)
    if trace.task_type == "map":
        if phase in {"start", "init"}:
            return TaskPlan(
                name, "profile", points=1
            )  # no record was read: only the dump at death helps
        if not position.records_in:
            return _unknown(name, "map", probes)
        records = spread(1, position.records_in, probes)
        return _bounded(TaskPlan(name, "profile", before_record=records))
    if phase in {"reduce", "cleanup"}:
        return _bounded(_reduce(name, position, probes))
    return TaskPlan(name, "profile", points=1)  # shuffle and sort run no user code


def _reduce(name: str, position: Position, probes: int) -> TaskPlan:
    group, record = position.group, position.record_in_group
    if not group:
        return _unknown(name, "reduce", probes)
    if not record:
        return TaskPlan(name, "profile", before_group=spread(1, group, probes))
    # the probe before G_m and the one before its first record would show the same heap
    groups = tuple(each for each in spread(1, group, probes) if each < group)
    points = _SMALL_GROUP_POINTS if record <= probes else probes
    return TaskPlan(
        name,
        "profile",
        before_group=groups,
        in_group=(group, spread(1, record, points)),
    )


def _combine(name: str, position: Position, side: str, probes: int) -> TaskPlan:
    ordinals = spread(1, position.combine_record_in_group or 1, probes)
    digest = digest_text(position.combine_group_digest)
    # besides combine() itself: what the mapper keeps over its records
    records: tuple[int, ...] = ()
    if side == "map" and position.records_in:
        records = spread(1, position.records_in, _MAP_POINTS_WITH_COMBINE)
    plan = TaskPlan(name, "profile", before_record=records)
    in_spill = position.combine_place == 1
    if in_spill and position.spill is not None and position.combine_group is not None:
        call = (position.spill, position.combine_partition or 0, position.combine_group, ordinals)
        return replace(plan, in_combine=call)
    if (
        digest is not None
    ):  # merge sets depend on the order of fetches: only the key identifies the call
        return replace(plan, in_combine_digest=(digest, ordinals))
    return plan


def _bounded(plan: TaskPlan) -> TaskPlan:
    """Limit the probes, with slack for a combine call that occurs in several merges."""
    slack = len(plan.in_combine_digest[1]) if plan.in_combine_digest else 1
    return replace(plan, points=plan.dumps + slack)


def _unknown(name: str, side: str, probes: int) -> TaskPlan:
    """The plan for a task of unknown position: doubling ordinals; the agent drops some dumps."""
    doubling = "map" if side == "map" else "group"
    return TaskPlan(name, "profile", doubling=doubling, points=probes + 1)


def _setup_step(trace: Trace, probes: int) -> int:
    opened = sum(each.length or 0 for each in trace.of(Open))
    heap = trace.heap_max or _DEFAULT_HEAP
    # the task died while loading, so it had read no more than the heap can hold
    readable = min(opened or heap, heap) if opened else heap // _HEAP_BYTES_PER_BYTE_READ
    return max(readable // probes, 64 * 1024)


def _verified(trace: Trace) -> TaskPlan | None:
    record = last_record(trace)
    if trace.task_type not in {"map", "reduce"} or trace.index is None or record is None:
        return None
    return TaskPlan(
        _name(trace.task_type, trace.index),
        "verify",
        verify_record=record.ordinal,
        verify_digest=record.digest,
        verify_group=record.group,
        verify_place=record.place,
        points=_VERIFY_DUMPS,
    )


def _heap(run: JobRun, task: str) -> int | None:
    side = "map" if task.startswith("m_") else "reduce"
    for trace in run.traces:
        if trace.task_type == side and trace.heap_max:
            return trace.heap_max
    return run.conf.task_heap_bytes(side) if run.conf else None


def _name(side: str, index: int) -> str:
    return f"{side[0]}_{index:06d}"


def _profile_summary(plan: ProbePlan) -> str:
    cost = plan.cost
    names = ", ".join(each.task for each in plan.tasks)
    counted = f" and {_number(cost.histograms, 'class histogram')}" if cost.histograms else ""
    dumps = _number(cost.dumps, "heap dump")
    return (
        f"profiling {names}: up to {dumps}{counted}, about {cost.seconds:.0f} s "
        f"and {format_bytes(cost.bytes)} of disk{_budget(plan)}; all other tasks in watch mode"
    )


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _budget(plan: ProbePlan) -> str:
    """How the probes of the costliest task stand to their budget, and why they are dumps alone."""
    costliest = max(plan.expected, key=lambda each: each.seconds, default=None)
    if costliest is None:
        return ""
    text = ""
    if costliest.task_seconds is not None:
        text = (
            f" (the probes before the death {costliest.seconds:.1f} s, of a task that took "
            f"{costliest.task_seconds:.0f} s; the budget is {format_ratio(BUDGET.value)})"
        )
    return f"{text}; no class histograms, because {costliest.why}" if costliest.why else text


def _verify_summary(plan: ProbePlan, task: TaskPlan) -> str:
    what = (
        f"record {format_count(task.verify_record)}"
        if task.verify_record is not None
        else f"the record with digest {task.verify_digest}"
    )
    names = ", ".join(each.task for each in plan.tasks if each.counts_only)
    room = ""
    if task.verify_live is not None:
        room = f" in a heap filled to {format_bytes(task.verify_live)}, as before it"
    first = "" if task.verify_warm_up == 0 else ", after a few others to warm up,"
    return (
        f"verifying {task.task}: {what} alone{first} is handed to {task.verify_place}(){room}, "
        f"about {plan.cost.seconds:.0f} s; the attempt never commits"
        + (f"; meanwhile the groups of {names} are counted" if names else "")
    )
