"""External data: what stood in the heap before the data did, seen in a dump or bounded without."""

from __future__ import annotations

from dataclasses import replace

from mprof.evidence import Evidence, ExternalLoad, Unknown, known
from mprof.patterns.accumulation import Accumulation
from mprof.patterns.finding import Absent
from mprof.patterns.memory_model import MemoryModel
from mprof.patterns.sizes import HUGE
from mprof.threshold import Threshold
from mprof.units import format_bytes

__all__ = ["EXTERNAL_LOAD_THRESHOLDS", "external_load_of"]

ALWAYS_THERE = Threshold(
    "always there",
    1.1,
    "times the least that any collection left behind since the first record",
    "what is held at the death may be a tenth more: a minor collection is not exact to a tenth",
)

EXTERNAL_LOAD_THRESHOLDS = (HUGE, ALWAYS_THERE)


def external_load_of(
    evidence: Evidence,
    memory: MemoryModel | Unknown,
    accumulation: Accumulation | Absent | Unknown,
) -> ExternalLoad | Absent | Unknown:
    """What was loaded before the first record, was being loaded at the death, or loaded once.

    Args:
        evidence: of the attempt.
        memory: of the attempt.
        accumulation: of the objects that live as long as the task.
    """
    if evidence.place in ("init", "shuffle", "sort"):
        return Absent("no user code had loaded anything")
    load = evidence.external
    if load is None:
        return Absent("nothing large was in the heap before the first record")
    if isinstance(load, Unknown):
        return load
    if isinstance(memory, Unknown):
        return memory
    return load if load.holders else _from_collections(evidence, load, memory, accumulation)


def _from_collections(
    evidence: Evidence,
    bound: ExternalLoad,
    memory: MemoryModel,
    accumulation: Accumulation | Absent | Unknown,
) -> ExternalLoad | Absent | Unknown:
    """No dump before R_1: what was always live since then bounds what was loaded before it."""
    if isinstance(evidence.holders, Unknown):
        return evidence.holders
    if known(evidence.composition) is None:
        return Unknown("a heap dump made at death", "run")
    huge = HUGE.value * memory.capacity_bytes
    most = bound.bytes - memory.framework_bytes
    if most < huge:
        return Absent(f"at most {format_bytes(max(most, 0))} were live before the first record")
    lasting = [
        one
        for one in evidence.holders
        if one.owner in ("user", "external") and one.lifecycle != "record"
    ]
    of_task = [one for one in lasting if one.lifecycle in ("map", "reduce")]
    held = sum(one.bytes for one in of_task)
    if sum(one.bytes for one in lasting) < huge:
        return Absent("nothing that outlives a record was large at death")
    if isinstance(accumulation, Accumulation):
        return Absent("what was large at death had grown with the data")
    if isinstance(accumulation, Unknown) or not huge <= held <= ALWAYS_THERE.value * most:
        return Unknown("the heap before the first record", "rerun")
    return replace(bound, bytes=held, when="once", holders=tuple(one.key for one in of_task))
