"""How near its limit an attempt came that did not fail, in words."""

from __future__ import annotations

from mprof.report.view import ForecastView, Nearness, PeakPartView
from mprof.report.words import UNIT_NAMES
from mprof.units import format_bytes, format_count, format_ratio

__all__ = ["nearness_sentences", "peak_part_name"]

_PART_NAMES = {"sort buffer": "the sort buffer", "shuffle": "map output, fetched"}


def nearness_sentences(near: Nearness) -> tuple[str, ...]:
    """How full the heap was, what an attempt like it would die of, and what was not looked at."""
    upper = "at most " if near.at_most else ""
    first = (
        f"{near.attempt_id or 'The task'} came nearest: {upper}{format_bytes(near.live.bytes)} "
        f"live of {format_bytes(near.heap_bytes)} ({format_ratio(near.live.ratio)})."
    )
    sentences = [first, _prediction(near)]
    if not near.looked_at:
        sentences.append(
            "Its classes were not looked at: by default a class histogram is made only once the "
            "old generation is 70 % full, and only if it fits into 1 % of the task's run time "
            "(agent settings histogram.percent and histogram.share)."
        )
    return tuple(sentences)


def _prediction(near: Nearness) -> str:
    if near.forecast is None:
        return f"No input size is predicted at which it would die: {near.why_none}."
    found = near.forecast
    when = "at the earliest" if found.at_the_earliest else "about"
    unit = UNIT_NAMES[found.unit]
    return (
        f"If its growth goes on, the heap is full {when} after {format_count(found.at)} {unit}, "
        f"{found.times:.1f} times its input{_size(found)}."
    )


def _size(found: ForecastView) -> str:
    if found.input_bytes is None:
        return ""
    of = "split" if found.unit == "record" else "partition"
    return f": a {of} of {format_bytes(found.input_bytes)}"


def peak_part_name(part: PeakPartView) -> str:
    """What a part of the live heap is called."""
    return _PART_NAMES.get(part.kind) or f"all objects of class {part.of}"
