"""The fullest that the heap of an attempt was seen, from its collections and histograms."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from mprof.dataflow import groups_of
from mprof.evidence.facts import Unknown
from mprof.evidence.peak import Peak, PeakPart
from mprof.evidence.thresholds import NEAR_THE_PEAK, WORTH_A_LINE
from mprof.trace import Position as TracePosition
from mprof.trace import Trace
from mprof.trace.events import Histogram, MemoryEvent

__all__ = ["peak_of"]

_MOST_CLASSES: Final = 6
"""More lines tell a reader no more."""

_BUFFER_CLASS: Final = "byte[]"
"""What the sort buffer and the segments in memory are made of."""


def peak_of(trace: Trace) -> Peak | Unknown:
    """The peak of an attempt.

    Class histograms and major collections leave what is live. Where there is neither, the least
    that a minor one and those after it left behind is an upper bound at that moment.
    """
    if trace.attach is None:
        return Unknown("the event log of this attempt", "run")
    histograms = [each for each in trace.of(Histogram) if each.total_bytes]
    exact: list[tuple[int, Histogram | MemoryEvent]] = [
        (each.total_bytes or 0, each) for each in histograms
    ]
    exact += [(each.used_after, each) for each in trace.of(MemoryEvent)
              if each.major and each.used_after]  # fmt: skip
    bounds = _upper_bounds(trace.of(MemoryEvent))
    seen = exact or bounds
    if not seen:
        return Unknown("a garbage collection: the heap was never full", "none")
    size, then = max(seen, key=lambda one: one[0])
    at = then.at
    later = max((most for most, each in bounds if each.n > then.n), default=0)
    parts, looked_at = _parts(histograms, size, at)
    groups = groups_of(trace, "reduce")
    left = [each for each in trace.of(MemoryEvent) if each.used_after is not None]
    return Peak(
        live_bytes=size,
        at_most=not exact,
        records=at.records_in if at is not None else None,
        records_in_all=trace.position.records_in if trace.position is not None else None,
        groups_in_all=groups.count if groups is not None else None,
        parts=parts,
        looked_at=looked_at,
        most_left_bytes=max((each.used_after or 0 for each in left), default=None),
        collections=sum(
            each.at is not None and each.at.phase in {"map", "reduce"} for each in left
        ),
        later_bytes=later if later > size else None,
        briefly_bytes=_left_briefly(trace.of(MemoryEvent), max(size, later)) if exact else None,
    )


def _left_briefly(events: Sequence[MemoryEvent], told: int) -> int | None:
    """The most that minor collections left, where that is more than `told`.

    A full collection that comes next, in the same phase, says what of it was live.
    """
    known = [each for each in events if each.used_after is not None]
    left = [
        each.used_after or 0
        for each, following in zip_longest(known, known[1:])
        if not each.major
        and not (following is not None and following.major and _phase(each) == _phase(following))
    ]
    most = max(left, default=0)
    return most if most > told else None


def _phase(event: MemoryEvent) -> str | None:
    return event.at.phase if event.at is not None else None


def _upper_bounds(
    events: Sequence[MemoryEvent],
) -> list[tuple[int, Histogram | MemoryEvent]]:
    """What was live at each collection, at most: what was there and still is cannot be more."""
    least: int | None = None
    found: list[tuple[int, Histogram | MemoryEvent]] = []
    for each in reversed(events):
        if each.used_after is not None:
            least = each.used_after if least is None else min(least, each.used_after)
            found.append((least, each))
    return found


def _parts(
    histograms: Sequence[Histogram], size: int, at: TracePosition | None
) -> tuple[tuple[PeakPart, ...], bool]:
    """Buffers of the framework and the largest classes, and whether classes were looked at."""
    # The position is of when the event was written: what did not fit into the heap came after it.
    buffers = [each for each in _buffers(at) if each.bytes <= size]
    near = [each for each in histograms if (each.total_bytes or 0) >= NEAR_THE_PEAK.value * size]
    if not near:
        return tuple(buffers), False
    inside = sum(each.bytes for each in buffers)
    classes = []
    for name, _, of_class in max(near, key=lambda each: each.total_bytes or 0).classes:
        rest = max(0, of_class - inside) if name == _BUFFER_CLASS else of_class
        if rest >= WORTH_A_LINE.value * size:
            classes.append(PeakPart("class", rest, name))
    parts = [*buffers, *sorted(classes, key=lambda each: -each.bytes)[:_MOST_CLASSES]]
    return tuple(sorted(parts, key=lambda each: -each.bytes)), True


def _buffers(at: TracePosition | None) -> list[PeakPart]:
    if at is None:
        return []
    found = []
    if at.map_buffer_ready and at.map_buffer_bytes:
        found.append(PeakPart("sort buffer", at.map_buffer_bytes))
    if at.shuffle_used and at.phase in {"shuffle", "sort"}:
        found.append(PeakPart("shuffle", at.shuffle_used))
    return found
