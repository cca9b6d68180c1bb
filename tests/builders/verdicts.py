"""Rules asked of built evidence, in one call."""

from __future__ import annotations

from mprof.evidence import Evidence, Lifecycle, Unknown
from mprof.patterns import Absent, FailedAllocation, Growing, MemoryModel, find_patterns
from mprof.patterns.accumulation import AccumulatedNeed, accumulated_need
from mprof.rules import Verdict, ask_all

__all__ = ["allocation_of", "growth_of", "memory_of", "need_of", "verdicts_of"]


def verdicts_of(evidence: Evidence) -> dict[str, Verdict]:
    """The verdict of every rule, by cause."""
    return ask_all(evidence, find_patterns(evidence))


def growth_of(evidence: Evidence, lifecycle: Lifecycle) -> Growing | Absent | Unknown:
    """What grows over its data, of one lifecycle."""
    found = find_patterns(evidence)
    return {
        "map": found.map_growth,
        "reduce": found.reduce_growth,
        "group": found.group_growth,
    }[lifecycle]


def memory_of(evidence: Evidence) -> MemoryModel:
    """The memory model of an attempt whose heap is known."""
    found = find_patterns(evidence).memory
    assert found is not None
    return found


def allocation_of(evidence: Evidence) -> FailedAllocation:
    """What the heap had no room for."""
    return find_patterns(evidence).failed_allocation


def need_of(evidence: Evidence, growing: Growing) -> AccumulatedNeed:
    """What growing objects hold, or would hold at the end of their data."""
    return accumulated_need(evidence, growing, memory_of(evidence), allocation_of(evidence))
