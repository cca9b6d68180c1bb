"""A larger heap within the container that the task has already: it goes on, and is not cured.

Also where no cause is named: that room lies idle is known from the settings alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from mprof.advice.of_emptied import HOW_FULL
from mprof.advice.peaks import GROWING, Peaks, peaks_of
from mprof.advice.properties import heap_setting
from mprof.advice.thresholds import HEADROOM, LEAST_MORE_HEAP
from mprof.diagnosed import Advice, Cause, Diagnosis
from mprof.evidence import HEAP_KINDS, Evidence, known
from mprof.messages.thresholds import HEAP_OF_CONTAINER
from mprof.patterns import Patterns, own_container_bytes
from mprof.units import MIB, format_bytes, format_count

__all__ = ["FIRST_AID", "first_aid"]

FIRST_AID: Final = "first_aid"
"""Stands where a cause id stands in advice, where no cause is named."""

_STEP: Final = 64 * MIB
_MOST_TIMES: Final = 1000.0  # of the input so far: beyond it nothing of the growth was measured
_COUNTED: Final = {
    "record": "record {}", "group": "group {}", "record_in_group": "record {} of the group",
}  # fmt: skip


def first_aid(
    evidence: Evidence, patterns: Patterns, diagnosis: Diagnosis, advised: Iterable[Advice]
) -> tuple[Advice, ...]:
    """-Xmx up to what the container holds, where a cause is in code or data, or none is named.

    Args:
        evidence: of the attempt.
        patterns: found in it.
        diagnosis: its causes.
        advised: so far; a heap that is advised as a cure needs no first aid.
    """
    causes = [one for one in diagnosis.causes if one.rule.category in ("code", "data")]
    heap, container = known(evidence.memory.heap_max_bytes), own_container_bytes(evidence)
    name = f"mapreduce.{'reduce' if evidence.is_reduce else 'map'}.java.opts"
    if (
        (diagnosis.causes and not causes)
        or _would_not_help(evidence, diagnosis)
        or heap is None
        or container is None
        or evidence.child is not None  # what is free may be the child's
        or evidence.death.kind not in HEAP_KINDS
        or any(one.property == name for one in advised)
    ):
        return ()
    larger = math.floor(HEAP_OF_CONTAINER * container / _STEP) * _STEP
    if larger < LEAST_MORE_HEAP.value * heap:
        return ()
    text = (
        f"First aid: a container of {format_bytes(container)} has room for a heap of "
        f"{format_bytes(larger)}, where {format_bytes(heap)} are set. "
        f"{_how_long(evidence, causes[0] if causes else None, patterns, larger / heap)}"
    )
    name_of = causes[0].cause if causes else FIRST_AID
    line, *_ = heap_setting(evidence, name_of, larger, text, peak_bytes=None)
    return (replace(line, first_aid=True),)


def _would_not_help(evidence: Evidence, diagnosis: Diagnosis) -> bool:
    """Where no cause is named: an array that no heap holds, or a setting that is wrong."""
    if diagnosis.causes:
        return False
    proven = any(one.reading.proof == "proves" for one in diagnosis.said)
    return proven or evidence.death.kind == "array-limit"


def _how_long(evidence: Evidence, cause: Cause | None, patterns: Patterns, times: float) -> str:
    """Until which input it lets the task go on."""
    lifecycle = GROWING.get(cause.cause) if cause is not None else None
    growing = patterns.growth(lifecycle) if lifecycle is not None else None
    memory = patterns.memory
    cure = "It removes no cause."
    if growing is None or memory is None or growing.x_now <= 0 or growing.outgrew:
        return f"How far the task then comes was not measured. {cure}"
    if growing.emptied is not None:
        return f"How far the task then comes is not known: {HOW_FULL}. {cure}"
    reached = _reached(peaks_of(memory, growing, evidence.series), times)
    if growing.end_x is not None and reached >= growing.end_x:
        of_pass = evidence.place == "combine" and growing.lifecycle == "reduce"
        what = "this pass of its combiner" if of_pass else "its input"
        return f"By the growth measured the task then comes to the end of {what}. {cure}"
    if reached >= _MOST_TIMES * growing.x_now:
        return f"How far the task then comes is not known: it grows too slowly. {cure}"
    counted = _COUNTED.get(growing.unit)
    in_words = format_count if counted else format_bytes
    there, was = in_words(reached), in_words(growing.x_now)
    if there == was:
        return f"By the growth measured the task then comes hardly further. {cure}"
    at = counted.format(there) if counted else f"{there} of input"
    return f"By the growth measured the task then comes to about {at} instead of {was}. {cure}"


def _reached(peaks: Peaks, times: float) -> float:
    """The x at which the larger heap is as full as advised settings aim at."""
    room = HEADROOM.value * times * peaks.memory.capacity_bytes
    low, high = peaks.growing.x_now, _MOST_TIMES * peaks.growing.x_now
    if peaks.at(high) <= room:
        return high
    if peaks.at(low) > room:
        return low
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if peaks.at(middle) <= room else (low, middle)
    return low
