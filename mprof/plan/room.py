"""How much larger the containers of a rerun must be for a heap to show what it would have become.

A container that was killed for its memory says nothing of the heap in it. In the rerun the same
heap, -Xmx unchanged, gets a container that holds all of it and what the process took beside it: it
then dies of its heap, or finishes, or is killed again at a size that no longer is the container's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from mprof.dataflow import with_history
from mprof.job_run import JobRun
from mprof.plan.thresholds import LARGER, SPARE, SPARE_OF_VIRTUAL
from mprof.trace import Trace
from mprof.trace.events import ProcessEvent
from mprof.units import MIB

__all__ = ["RoomPlan", "plan_room"]

_KILLED: Final = frozenset({"container-physical", "container-virtual"})

_STEP: Final = 128 * MIB


@dataclass(frozen=True, slots=True)
class RoomPlan:
    """Sizes of the containers of the next run, in MB; None where the job's own will do."""

    map_mb: int | None = None
    reduce_mb: int | None = None

    @property
    def summary(self) -> str:
        """One phrase for users, empty where nothing changes."""
        sides = (("map", self.map_mb), ("reduce", self.reduce_mb))
        sizes = [f"{mb} MB for each {side} task" for side, mb in sides if mb is not None]
        if not sizes:
            return ""
        return (
            f"larger containers, because one was killed for its memory: {', '.join(sizes)}; "
            "-Xmx and all other options as they were"
        )


def plan_room(runs: Sequence[JobRun]) -> RoomPlan:
    """Room for the tasks whose containers were killed for memory, in whichever run.

    Args:
        runs: runs of one job, oldest first. What an earlier rerun was given the next one gets too.
    """
    return RoomPlan(map_mb=_largest(runs, "map"), reduce_mb=_largest(runs, "reduce"))


def _largest(runs: Sequence[JobRun], side: Literal["map", "reduce"]) -> int | None:
    wanted = [size for run in runs for size in _wanted(run, side)]
    if not wanted:
        return None
    return math.ceil(max(wanted) / _STEP) * _STEP // MIB


def _wanted(run: JobRun, side: str) -> Iterable[float]:
    given = run.conf.container_room(side) if run.conf is not None else None
    if given is not None and given.wanted_mb is not None:
        yield given.wanted_mb * MIB
    for trace in with_history(run.traces, run.history):
        if trace.task_type == side and trace.state != "KILLED" and trace.death.kind in _KILLED:
            yield from _room_for(trace, run)


def _room_for(trace: Trace, run: JobRun) -> Iterable[float]:
    end = trace.death.container
    conf = run.conf
    limit = end.physical_limit_bytes if end is not None else None
    if limit is None and conf is not None:
        limit = conf.task_container_bytes(trace.task_type or "map")
    if limit is None or end is None:
        return
    yield LARGER.value * limit
    if end.virtual_used_bytes and end.virtual_limit_bytes and end.limit == "virtual":
        yield SPARE_OF_VIRTUAL.value * limit * end.virtual_used_bytes / end.virtual_limit_bytes
    heap = trace.heap_max or (conf.task_heap_bytes(trace.task_type or "map") if conf else None)
    if heap is not None and end.physical_used_bytes is not None:
        seen = [each.heap_used for each in trace.of(ProcessEvent) if each.heap_used is not None]
        outside = end.physical_used_bytes - max(seen, default=min(heap, end.physical_used_bytes))
        yield heap + max(outside, 0) + SPARE.value
