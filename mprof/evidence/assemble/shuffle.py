"""The memory of a reduce attempt's shuffle."""

from __future__ import annotations

from dataclasses import replace

from mprof.dataflow import shuffle_of
from mprof.evidence.assemble.position import absent
from mprof.evidence.facts import Shuffle, Unknown
from mprof.objects import HeapObjects
from mprof.trace import Trace

__all__ = ["shuffle_facts_of"]


def shuffle_facts_of(
    trace: Trace, total_maps: int | None, death: HeapObjects | None
) -> Shuffle | Unknown | None:
    """The shuffle at death: what its memory manager counted, and what the heap holds.

    Args:
        trace: of the attempt.
        total_maps: map tasks of the job.
        death: the heap at death, where there is one.
    """
    if trace.task_type == "map":
        return None
    state = shuffle_of(trace, total_maps)
    if state is None or state.limit is None or state.used is None:
        return absent(trace, "what the shuffle held")
    counted = Shuffle(
        limit_bytes=state.limit,
        used_bytes=state.used,
    )
    if death is None:
        return counted
    leftover = death.part("shuffle_leftover").bytes
    return replace(counted, leftover_bytes=leftover, held_bytes=death.shuffle_bytes)
