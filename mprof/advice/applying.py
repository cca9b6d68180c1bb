"""Which of the advice a run can apply, and the run with more room where it can apply none."""

from __future__ import annotations

from typing import Literal

from mprof.advice.peaks import GROWING, peaks_of
from mprof.advice.properties import heap_setting
from mprof.advice.thresholds import HEADROOM, ROOM_TO_SEE
from mprof.advised import AdvisedSetting, Intervention
from mprof.diagnosed import Advice, Diagnosed
from mprof.evidence import Evidence, Lifecycle, known
from mprof.messages.thresholds import HEAP_OF_CONTAINER
from mprof.patterns import Patterns
from mprof.units import MIB

__all__ = ["advised_settings", "causes_of_a_part", "intervention_for"]

_MOST_ROOM = 4.0  # times -Xmx: a task that needs more is seen to need more

_ROOM_CAUSES: dict[str, Lifecycle | None] = {
    **GROWING,
    "large_external_data": None,
    "large_intermediate_results": None,
    "large_single_record": None,
}
"""Causes in code or data whose peak a larger heap shows, and what grows."""


_OF_A_PART = {
    "record": ("large_intermediate_results", "large_single_record"),
    "group": ("hotspot_key",),
}


def advised_settings(advice: tuple[Advice, ...]) -> tuple[AdvisedSetting, ...]:
    """The settings that are advised as a cure; of two for one property the first.

    First aid lets a task go on for a while, so that its end proves nothing.
    """
    found: dict[str, AdvisedSetting] = {}
    for one in advice:
        if one.property is None or one.new is None or one.first_aid:
            continue
        setting = AdvisedSetting(one.cause, one.property, one.new, one.predicted_peak_bytes)
        found.setdefault(one.property, setting)
    return tuple(found.values())


def intervention_for(diagnosed: Diagnosed, *, most_mb: int | None) -> Intervention | None:
    """What the next run should change: all that is advised, else the heap.

    Args:
        diagnosed: with its advice.
        most_mb: the largest container that the cluster grants; None where that is not known.

    Returns:
        None where nothing is advised and no cause asks for room.
    """
    settings = advised_settings(diagnosed.diagnosis.advice)
    if settings:
        return Intervention("settings", settings)
    room = _more_room(diagnosed, most_mb)
    return Intervention("room", room) if room else None


def _more_room(diagnosed: Diagnosed, most_mb: int | None) -> tuple[AdvisedSetting, ...]:
    """A heap in which the peak can be seen, and its container."""
    evidence, patterns = diagnosed.evidence, diagnosed.patterns
    heap = known(evidence.memory.heap_max_bytes)
    asked = [one.cause for one in diagnosed.diagnosis.causes if one.cause in _ROOM_CAUSES]
    if heap is None or not asked:
        return ()
    need = _need(evidence, patterns, asked[0])
    memory = patterns.memory
    times = ROOM_TO_SEE.value
    if need is not None and memory is not None:
        times = min(_MOST_ROOM, max(times, need / (HEADROOM.value * memory.capacity_bytes)))
    wanted = heap * times
    if most_mb is not None:
        wanted = min(wanted, int(HEAP_OF_CONTAINER * most_mb) // 64 * 64 * MIB)
    if wanted <= heap:
        return ()
    lines = heap_setting(evidence, asked[0], wanted, "", peak_bytes=need)
    return tuple(
        AdvisedSetting(one.cause, one.property, one.new, one.predicted_peak_bytes)
        for one in lines
        if one.property is not None and one.new is not None
    )


def causes_of_a_part(diagnosed: Diagnosed, what: Literal["record", "group"]) -> tuple[str, ...]:
    """The causes that are gone where R_n or G_m is left out; none where a setting is advised."""
    if advised_settings(diagnosed.diagnosis.advice):
        return ()
    position = known(diagnosed.evidence.position)
    if what == "record" and (position is None or position.unread):
        return ()  # its reader has to read it, to pass it over
    named = [one.cause for one in diagnosed.diagnosis.causes]
    return tuple(one for one in named if one in _OF_A_PART[what])


def _need(evidence: Evidence, patterns: Patterns, cause: str) -> float | None:
    """The peak at the end of the input, where the growth was measured and the end is known."""
    lifecycle, memory = _ROOM_CAUSES[cause], patterns.memory
    growing = patterns.growth(lifecycle) if lifecycle is not None else None
    if growing is None or growing.end_x is None or memory is None:
        return None
    return peaks_of(memory, growing, evidence.series).at(growing.end_x)
