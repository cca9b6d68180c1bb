"""Is the container large enough for the heap it was given? A finding of its own."""

from __future__ import annotations

from mprof.advice.properties import container_for, setting, side
from mprof.diagnosis import Advice
from mprof.evidence import Evidence, known
from mprof.units import MIB, format_bytes, format_ratio

__all__ = ["CONTAINER_MEMORY", "container_too_small"]

CONTAINER_MEMORY = "container_memory"
"""Stands where a cause id stands in advice: it is a finding, and no cause of a heap death."""

_SHARE = 0.9
"""A heap above this share of its container leaves too little for code, threads and buffers:
Hadoop itself gives the heap 0.8 (`mapreduce.job.heap.memory-mb.ratio`)."""

_OF_A_JVM = 128 * MIB
"""What a task's JVM takes beside its heap without any doing of the job: classes, compiled code,
the collector's tables, stacks. It hardly depends on the heap, so a share of a small container is
too little: a heap of 200 MB was killed in one of 256 MB, with 64 MB beside it."""


def container_too_small(evidence: Evidence) -> tuple[Advice, ...]:
    """`memory.mb`, where -Xmx and what a JVM needs beside it do not fit into it."""
    heap, container = (
        known(evidence.memory.heap_max_bytes),
        known(evidence.memory.container_bytes),
    )
    if heap is None or container is None:
        return ()
    killed = evidence.death.kind == "container-physical"
    name = f"mapreduce.{side(evidence)}.memory.mb"
    if heap > _SHARE * container:
        text = (
            f"The heap of {format_bytes(heap)} is {format_ratio(heap / container)} of its "
            "container: nothing is left for the code, the threads and the buffers of the JVM."
        )
        wanted = container_for(heap)
    elif killed:
        reached = max(container, evidence.death.container_used_bytes or 0)
        text = (
            f"The container was killed at {format_bytes(reached)} although the heap is limited "
            f"to {format_bytes(heap)}: native memory filled it. "
        )
        if reached - heap <= _OF_A_JVM:
            text += (
                f"A JVM takes these {format_bytes(reached - heap)} for its classes, code and "
                "threads: the container is too small for them."
            )
        else:
            text += (
                "A larger container only postpones the failure unless what allocates native "
                "memory is bounded."
            )
        wanted = max(container_for(heap), reached * 3 // 2 // MIB)
    else:
        return ()
    old = str(container // MIB)
    return (setting(evidence, CONTAINER_MEMORY, name, str(wanted), text, old=old),)
