"""The limits of the attempt's heap, and what was live at its end."""

from __future__ import annotations

from typing import Final

from mprof.evidence.facts import Memory, Unknown
from mprof.evidence.thresholds import GIVEN_UP, OF_THE_DEATH
from mprof.history import JobConf
from mprof.objects import HeapObjects
from mprof.trace import Trace
from mprof.trace.events import MemoryEvent

__all__ = ["collector_of", "dump_is_of_death", "memory_of"]

# names of the collectors' MBeans -> the name people use (HotSpot: gcVMOperations, management)
_COLLECTORS: Final = (
    ("G1", "G1"),
    ("PS ", "Parallel"),
    ("MarkSweepCompact", "Serial"),
    ("Copy", "Serial"),
    ("ConcurrentMarkSweep", "CMS"),
    ("ParNew", "CMS"),
    ("ZGC", "ZGC"),
    ("Shenandoah", "Shenandoah"),
)


def collector_of(trace: Trace) -> str | None:
    """The collector's usual name."""
    for name in trace.collectors:
        for beginning, usual in _COLLECTORS:
            if name.startswith(beginning):
                return usual
    return trace.collectors[0] if trace.collectors else None


def memory_of(trace: Trace | None, death: HeapObjects | None, conf: JobConf | None) -> Memory:
    """Limits of the attempt and what was live at its end."""
    if trace is None:
        live = death.live_bytes if death is not None else None
        return Memory() if live is None else Memory(live_bytes_at_death=live)
    side = trace.task_type or "map"
    heap = trace.heap_max or (conf.task_heap_bytes(side) if conf else None)
    live = death.live_bytes if death is not None else _last_live(trace)
    defaults = Memory()
    usable: int | Unknown = defaults.usable_bytes
    if heap is not None:
        died_full = trace.death.kind in {"heap", "gc-overhead"} and live is not None
        usable = live if died_full and live is not None and live >= GIVEN_UP.value * heap else heap
    return Memory(
        heap_max_bytes=heap if heap is not None else defaults.heap_max_bytes,
        usable_bytes=usable,
        live_bytes_at_death=live if live is not None else defaults.live_bytes_at_death,
        largest_block_bytes=_largest_block(trace, heap),
        container_bytes=_container(trace, conf),
    )


def _last_live(trace: Trace) -> int | None:
    """The most that a major collection left behind: nothing but live objects."""
    majors = [each.used_after for each in trace.of(MemoryEvent) if each.major and each.used_after]
    return max(majors, default=None) if trace.failed else None


def dump_is_of_death(trace: Trace, death: HeapObjects) -> bool:
    """Whether the dump shows the heap that the task died of.

    The JVM dumps at its first OutOfMemoryError, which may hit another thread (one of the JVM's own,
    the status reporter) when the task's thread has died of the same and given its memory up: then
    the dump holds far less than the collections before it.
    """
    peak = _last_live(trace)
    return peak is None or death.live_bytes >= OF_THE_DEATH.value * peak


def _largest_block(trace: Trace, heap: int | None) -> int | Unknown:
    """Old generation of Serial and Parallel, the whole heap else."""
    for pool in trace.attach.pools if trace.attach else ():
        if pool.name in {"Tenured Gen", "PS Old Gen"} and pool.max:
            return pool.max
    old = next((each.old_max for each in trace.of(MemoryEvent) if each.old_max), None)
    largest = old or heap
    return largest if largest is not None else Memory().largest_block_bytes


def _container(trace: Trace, conf: JobConf | None) -> int | Unknown:
    end = trace.death.container
    if end is not None and end.physical_limit_bytes:
        return end.physical_limit_bytes
    size = conf.task_container_bytes(trace.task_type or "map") if conf else None
    return size if size is not None else Memory().container_bytes
