"""The limits of the attempt's heap, and what was live at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mprof.evidence.facts import Memory, Unknown
from mprof.evidence.thresholds import GIVEN_UP
from mprof.history import JobConf
from mprof.objects import REGION_BYTES, HeapObjects
from mprof.trace import Trace
from mprof.trace.events import MemoryEvent

__all__ = ["container_bytes", "memory_of", "usable_bytes"]

_REGIONS: Final = 2048
"""That G1 aims at for the largest heap (`G1HeapRegionBounds::target_number`), by powers of two."""


def memory_of(
    trace: Trace | None,
    death: HeapObjects | None,
    conf: JobConf | None,
    others: Sequence[Trace] = (),
) -> Memory:
    """Limits of the attempt and what was live at its end.

    Args:
        trace: of the attempt; None of a lone dump.
        death: its heap; None where no dump holds it.
        conf: of the job; None where it is not at hand.
        others: attempts of the job: those of its side have the same heap, which is a job's setting.
    """
    if trace is None:
        live = death.live_bytes if death is not None else None
        return Memory() if live is None else Memory(live_bytes_at_death=live)
    side = trace.task_type or "map"
    alike = (_heap_told(each) for each in others if each.task_type == trace.task_type)
    heap = (
        _heap_told(trace)
        or (conf.task_heap_bytes(side) if conf else None)
        or (next(filter(None, alike), None) if trace.task_type else None)
    )
    live = death.live_bytes if death is not None else _live_by_collections(trace, heap)
    defaults = Memory()
    return Memory(
        heap_max_bytes=heap if heap is not None else defaults.heap_max_bytes,
        usable_bytes=defaults.usable_bytes if heap is None else usable_bytes(trace, live, heap),
        live_bytes_at_death=live if live is not None else defaults.live_bytes_at_death,
        largest_block_bytes=_largest_block(trace, heap),
        container_bytes=container_bytes(trace, conf),
        held_bytes_at_death=_held(trace, defaults),
        lost_bytes=_lost(trace, death, conf, heap),
    )


def _heap_told(trace: Trace) -> int | None:
    """-Xmx as the agent or the list of a killed container's processes tells it."""
    end = trace.death.container
    return trace.heap_max or (end.task_heap_bytes if end is not None else None)


def _live_by_collections(trace: Trace, heap: int | None) -> int | None:
    """What collections say of the live bytes at death, where no dump does.

    Without -Xmx this stands for what the heap could hold, which it is only if the heap was full:
    where the collector had far more, the allocation that failed was a large one.
    """
    live = trace.peak_before_failure
    had = max((each.committed for each in trace.collections), default=0)
    return None if heap is None and live is not None and live < GIVEN_UP.value * had else live


def _lost(trace: Trace, death: HeapObjects | None, conf: JobConf | None, heap: int | None) -> int:
    """What the ends of regions take that large objects have to themselves, under G1."""
    if death is None or heap is None or not trace.collectors[:1] or not death.lost_at_ends:
        return 0
    if not trace.collectors[0].startswith("G1"):
        return 0
    region = conf.g1_region_bytes(trace.task_type or "map") if conf is not None else None
    if region is None:
        region = 1 << (max(1, heap // _REGIONS).bit_length() - 1)
    sizes = dict(zip(REGION_BYTES, death.lost_at_ends, strict=True))
    return sizes[min(max(region, REGION_BYTES[0]), REGION_BYTES[-1])]


def _held(trace: Trace, defaults: Memory) -> int | Unknown:
    """What the last collection left in use before the task failed."""
    failed = trace.death.failure
    seen = [
        each.used_after
        for each in trace.of(MemoryEvent)
        if each.used_after is not None and (failed is None or each.n < failed.n)
    ]
    if not seen and trace.attach is None:
        seen = [each.used_after for each in trace.collections]
    return seen[-1] if seen else defaults.held_bytes_at_death


def usable_bytes(trace: Trace, live: int | None, heap: int) -> int:
    """What live objects may take before this collector gives up.

    Args:
        trace: of the attempt.
        live: bytes that were live at its end, None where nothing says.
        heap: -Xmx.
    """
    died_full = trace.death.kind in {"heap", "gc-overhead"} and live is not None
    return live if died_full and live is not None and live >= GIVEN_UP.value * heap else heap


def _largest_block(trace: Trace, heap: int | None) -> int | Unknown:
    """Old generation of Serial and Parallel, the whole heap else."""
    for pool in trace.attach.pools if trace.attach else ():
        if pool.name in {"Tenured Gen", "PS Old Gen"} and pool.max:
            return pool.max
    old = next((each.old_max for each in trace.of(MemoryEvent) if each.old_max), None)
    largest = old or heap
    return largest if largest is not None else Memory().largest_block_bytes


def container_bytes(trace: Trace, conf: JobConf | None) -> int | Unknown:
    """What the container of an attempt was granted."""
    end = trace.death.container
    if end is not None and end.physical_limit_bytes:
        return end.physical_limit_bytes
    size = conf.task_container_bytes(trace.task_type or "map") if conf else None
    return size if size is not None else Memory().container_bytes
