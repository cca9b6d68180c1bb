"""The memory of a reduce attempt's shuffle."""

from __future__ import annotations

from dataclasses import replace

from mprof.evidence.assemble.position import absent
from mprof.evidence.facts import Shuffle, Unknown
from mprof.objects import HeapObjects
from mprof.trace import Position, Trace
from mprof.trace.events import ShuffleLimits

__all__ = ["shuffle_facts_of"]


def shuffle_facts_of(trace: Trace, death: HeapObjects | None) -> Shuffle | Unknown | None:
    """The shuffle at death: what its memory manager counted, and what the heap holds.

    Args:
        trace: of the attempt.
        death: the heap at death, where there is one.
    """
    if trace.task_type == "map":
        return None
    limits = trace.last(ShuffleLimits)
    position = trace.position or Position()
    limit = limits.memory_limit if limits else None
    limit = limit if limit is not None else position.shuffle_limit
    if limit is None or position.shuffle_used is None:
        return absent(trace, "what the shuffle held")
    counted = Shuffle(limit_bytes=limit, used_bytes=position.shuffle_used)
    if death is None:
        return counted
    leftover = death.part("shuffle_leftover").bytes
    return replace(counted, leftover_bytes=leftover, held_bytes=death.shuffle_bytes)
