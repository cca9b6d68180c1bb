"""Whether it is the Java heap that ran out, so that a cause is sought."""

from __future__ import annotations

from mprof.evidence.facts import Evidence, Kind, known
from mprof.evidence.thresholds import HEAP_OF_A_KILL

__all__ = ["HEAP_KINDS", "is_heap_death"]

HEAP_KINDS: frozenset[Kind] = frozenset({"heap", "gc-overhead", "array-limit"})
"""Deaths that the rules explain: the Java heap, or an array beyond what the JVM can make."""


def is_heap_death(evidence: Evidence) -> bool:
    """Whether the Java heap is what ran out.

    A container killed for physical memory counts where live objects took half of it or more: then
    the heap, not native memory, is what filled it.
    """
    if evidence.death.kind in HEAP_KINDS:
        return True
    live = known(evidence.memory.live_bytes_at_death)
    container = known(evidence.memory.container_bytes)
    if evidence.death.kind != "container-physical" or live is None or container is None:
        return False
    return live >= HEAP_OF_A_KILL.value * container
