"""Whether it is the Java heap that ran out, so that a cause is sought."""

from __future__ import annotations

from mprof.evidence.facts import Evidence, Kind, known
from mprof.evidence.thresholds import HEAP_OF_A_KILL

__all__ = ["HEAP_KINDS", "is_heap_death"]

HEAP_KINDS: frozenset[Kind] = frozenset({"heap", "gc-overhead", "array-limit"})
"""Deaths that the rules explain: the Java heap, or an array beyond what the JVM can make."""


def is_heap_death(evidence: Evidence) -> bool:
    """Whether the Java heap is what ran out.

    A container killed for physical memory counts where the heap took half of it or more: then the
    heap, not native memory, is what filled it. That is what was live, else what the last collection
    of any kind left in use: it is in memory, whether all of it was live or not.
    """
    if evidence.death.kind in HEAP_KINDS:
        return True
    memory = evidence.memory
    container = known(memory.container_bytes)
    if evidence.death.kind != "container-physical" or container is None:
        return False
    facts = (memory.live_bytes_at_death, memory.held_bytes_at_death)
    return max((known(one) or 0 for one in facts), default=0) >= HEAP_OF_A_KILL.value * container
