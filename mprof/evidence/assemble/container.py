"""The container of an attempt: from the cluster's words, the agent's log, and the other runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mprof.evidence.assemble.moments import Snapshots
from mprof.evidence.container import ContainerFacts, DirectHolder, InOtherRoom, JvmMemory
from mprof.history import JobConf
from mprof.job_run import JobRun
from mprof.objects import path_in_words
from mprof.trace import Trace
from mprof.trace.events import MemoryEvent, ProcessEvent

__all__ = ["container_of"]

_COUNTERS: Final = ("MAP_PHYSICAL_MEMORY_BYTES_MAX", "REDUCE_PHYSICAL_MEMORY_BYTES_MAX")
_LAST_COUNTER: Final = "PHYSICAL_MEMORY_BYTES"


def container_of(
    runs: Sequence[JobRun],
    run: JobRun,
    trace: Trace,
    conf: JobConf | None,
    snapshots: Snapshots,
) -> ContainerFacts:
    """What is known about the container of an attempt.

    Args:
        runs: all runs of the job, oldest first.
        run: that of the attempt.
        trace: of the attempt.
        conf: the configuration of its job.
        snapshots: of its heap, or of the same task's in another run.
    """
    end, side = trace.death.container, trace.task_type or "map"
    limit = end.physical_limit_bytes if end is not None else None
    if limit is None and conf is not None:
        limit = conf.task_container_bytes(side)
    used = end.physical_used_bytes if end is not None else None
    return ContainerFacts(
        limit_bytes=limit,
        used_bytes=used,
        virtual_limit_bytes=end.virtual_limit_bytes if end is not None else None,
        virtual_used_bytes=end.virtual_used_bytes if end is not None else None,
        processes=end.processes if end is not None else (),
        jvm=_jvm(trace),
        peak_bytes=_peak(trace, run),
        room=conf.container_room(side) if conf is not None else None,
        elsewhere=tuple(
            found
            for other in runs
            if other is not run and (found := _elsewhere(other, trace)) is not None
        ),
        direct=_direct(snapshots),
        unlisted_bytes=end.unlisted_bytes if end is not None else 0,
    )


def _direct(snapshots: Snapshots) -> DirectHolder | None:
    dumps = [each.objects for each in snapshots.moments]
    dumps += [snapshots.dump] if snapshots.dump is not None else []
    holders = [each for one in dumps for each in one.holders if each.direct_bytes]
    most = max(holders, key=lambda each: each.direct_bytes, default=None)
    if most is None:
        return None
    return DirectHolder(
        path_in_words(most), most.class_name, most.direct_bytes, most.direct_buffers
    )


def _jvm(trace: Trace) -> JvmMemory | None:
    seen = [each for each in trace.of(ProcessEvent) if each.resident is not None]
    if not seen:
        return None
    last = seen[-1]
    used = [each.heap_used for each in seen if each.heap_used is not None]
    # not of a collection after the last look: the JVM lives on for a moment after the kill
    used += [
        each.used_before
        for each in trace.of(MemoryEvent)
        if each.used_before is not None and each.n < last.n
    ]
    non_heap = [each.non_heap for each in seen if each.non_heap is not None]
    return JvmMemory(
        resident_bytes=last.resident or 0,
        heap_peak_bytes=max(used, default=None),
        heap_committed_bytes=last.heap_committed,
        direct_bytes=last.direct,
        direct_buffers=last.direct_buffers,
        non_heap_bytes=non_heap[-1] if non_heap else None,
        of_files_bytes=last.of_files,
        threads=last.threads,
        record=last.at.records_in if last.at is not None else None,
        looks=tuple(
            {
                each.at.records_in: each.resident or 0
                for each in seen
                if each.at is not None and each.at.records_in is not None
            }.items()
        ),
    )


def _peak(trace: Trace, run: JobRun) -> int | None:
    """The most that is known of: of the JVM by the kernel, of the tree by counters and the kill."""
    sizes = [each.resident_peak for each in trace.of(ProcessEvent)]
    end = trace.death.container
    sizes.append(end.physical_used_bytes if end is not None else None)
    recorded = run.history.attempts().get(trace.attempt_id or "") if run.history else None
    if recorded is not None:
        sizes += [recorded.counters.get(name) for name in (*_COUNTERS, _LAST_COUNTER)]
    return max((size for size in sizes if size), default=None)


def _elsewhere(run: JobRun, trace: Trace) -> InOtherRoom | None:
    """The same task in that run; of several attempts the one that was seen to take most."""
    side = trace.task_type or "map"
    room = run.conf.container_room(side) if run.conf is not None else None
    if run.mode == "verify" or room is None or room.wanted_mb is None:
        return None
    asked = room.asked_mb or room.plain_mb
    same = [each for each in run.traces if (each.task_type, each.index) == (side, trace.index)]
    if asked is None or not same:
        return None
    best = max(same, key=lambda each: _peak(each, run) or 0)
    finished = any(each.state == "SUCCEEDED" or not each.failed for each in same)
    return InOtherRoom(
        asked_mb=asked,
        outcome="finished" if finished else "died",
        death=None if finished else best.death.kind,
        peak_bytes=_peak(best, run),
        heap_max_bytes=best.heap_max,
    )
