"""External data: what stood in the heap before the data did, seen in a dump or bounded without."""

from __future__ import annotations

import math
from dataclasses import replace

from mprof.evidence import Evidence, ExternalLoad, Unknown
from mprof.patterns.accumulation import Accumulation
from mprof.patterns.finding import Absent
from mprof.patterns.loaded import known_load
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

NUMBERS_OF_A_FILE = Threshold(
    "numbers of a file",
    8.0,
    "heap bytes in arrays of numbers, per byte of the files that were opened",
    "a double takes 8 bytes, and a digit and a separator in text at least one: what is more was "
    "not read, it is work space",
)

EXTERNAL_LOAD_THRESHOLDS = (HUGE, ALWAYS_THERE, NUMBERS_OF_A_FILE)


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
    if not load.holders:
        return _from_collections(evidence, load, memory, accumulation)
    mine = known_load(evidence, load)
    if mine is load or mine.bytes >= HUGE.value * memory.capacity_bytes:
        return _without_work_space(evidence, mine)
    if load.when == "once":
        return Unknown("what it was read from: no file was seen opened", "none")
    return Unknown("the heap before the last record", "rerun")


def _without_work_space(evidence: Evidence, load: ExternalLoad) -> ExternalLoad | Absent:
    """Without arrays of numbers that are too large for what was read, or were read from nothing."""
    lengths = [one.length_bytes for one in load.opened]
    read = math.inf if None in lengths else NUMBERS_OF_A_FILE.value * sum(filter(None, lengths))
    work = [
        one
        for one in evidence.held
        if one.key in load.holders and one.is_of_numbers and one.bytes > read
    ]
    keys = tuple(key for key in load.holders if key not in {one.key for one in work})
    if not keys:
        return Absent("it is work space: arrays of numbers that no opened file filled")
    return replace(load, bytes=load.bytes - sum(one.bytes for one in work), holders=keys)


def _from_collections(
    evidence: Evidence,
    bound: ExternalLoad,
    memory: MemoryModel,
    accumulation: Accumulation | Absent | Unknown,
) -> ExternalLoad | Absent | Unknown:
    """No dump before R_1: what was always live since then bounds what was loaded before it."""
    if isinstance(evidence.holders, Unknown):
        return evidence.holders
    huge = HUGE.value * memory.capacity_bytes
    most = bound.bytes - memory.framework_bytes
    lasting = [
        one
        for one in evidence.holders
        if one.owner in ("user", "external") and one.lifecycle != "record"
    ]
    of_task = [one for one in lasting if one.lifecycle in ("map", "reduce")]
    held = sum(one.bytes for one in of_task)
    if sum(one.bytes for one in lasting) < huge:
        return Absent("nothing that outlives a record was large at death")
    before = Unknown("the heap before the first record", "rerun")
    if most < huge:
        # It was not loaded before the first record; it may have been at its first use.
        if bound.opened and held >= huge:
            return before
        return Absent(f"at most {format_bytes(max(most, 0))} were live before the first record")
    if isinstance(accumulation, Accumulation | Unknown):
        return before
    if not huge <= held <= ALWAYS_THERE.value * most:
        return before
    return replace(bound, bytes=held, when="once", holders=tuple(one.key for one in of_task))
