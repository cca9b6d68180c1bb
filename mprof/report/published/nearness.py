"""How near its limit an attempt came that did not fail."""

from __future__ import annotations

import math
from typing import Literal

from msgspec import field

from mprof.diagnosis import Diagnosed
from mprof.evidence import Unit, Unknown, known
from mprof.evidence.thresholds import GIVEN_UP
from mprof.patterns import Absent, Fits, Forecast
from mprof.report.published.base import Published

__all__ = ["FullAt", "LivePart", "Nearness"]


class LivePart(Published, frozen=True, kw_only=True):
    """A part of the live heap: a buffer of Hadoop's, or all objects of a class."""

    of: Literal["sort buffer", "shuffle", "class"]
    class_name: str | None = field(name="class")
    bytes: int


class FullAt(Published, frozen=True, kw_only=True):
    """Where the heap would be full if the live heap went on growing as it did.

    Attributes:
        unit: what ordinal counts.
        ordinal: of the first record or group for which there is no room.
        times: of the input of this attempt; of records of one group, of those that were seen.
        group: ordinal of that group.
        input_bytes: of a split or partition of that many; null where that is not known.
        at_the_earliest: the growth was measured by upper bounds, so that it may come later.
    """

    unit: Unit
    ordinal: int
    times: float
    input_bytes: int | None
    at_the_earliest: bool
    group: int | None


class Nearness(Published, frozen=True, kw_only=True):
    """How near its limit the attempt came.

    Attributes:
        live_bytes: the most that was live; where only minor collections were seen, the most that
            may have stayed to the end.
        at_most: only minor collections were seen, which leave garbage too.
        most_left_bytes: the most that any collection left in use, garbage included.
        later_bytes: what may have been live later, where that is more: only minor collections came
            after the full one that showed live_bytes; null where none left more.
        briefly_bytes: what minor collections left at other times, where that is more: it may have
            been live and gone again by the next full collection; null otherwise.
        heap_bytes: the limit.
        record: input records taken in by then.
        parts: what was live, the largest first.
        full_at: null where nothing says so.
        looked_at: whether a class histogram was made near it, so that parts has classes.
        why_not_full: why there is no full_at, a phrase.
        may_be_soft: it was nearly full, and nothing shows that it went on growing: part of what was
            live may be what soft references alone hold, which is freed before any error.
        fits_times: so many times the input would have fitted, were all that any collection left to
            grow with it; null where that cannot be said.
    """

    live_bytes: int
    at_most: bool
    most_left_bytes: int | None
    later_bytes: int | None
    briefly_bytes: int | None
    heap_bytes: int | None
    record: int | None
    parts: tuple[LivePart, ...]
    full_at: FullAt | None
    looked_at: bool
    why_not_full: str | None
    may_be_soft: bool
    fits_times: float | None

    @classmethod
    def of(cls, diagnosed: Diagnosed) -> Nearness | None:
        """None where an attempt failed, or where nothing says how full its heap was."""
        evidence, patterns = diagnosed.evidence, diagnosed.patterns
        forecast, fits = patterns.forecast, patterns.fits
        peak = known(evidence.peak)
        if evidence.death.kind != "none" or peak is None:
            return None
        heap = known(evidence.memory.capacity_bytes)
        return cls.taken(
            peak,
            heap_bytes=heap,
            record=peak.records,
            parts=tuple(LivePart.taken(one) for one in peak.parts),
            full_at=FullAt.taken(forecast, ordinal=round(forecast.at))
            if isinstance(forecast, Forecast)
            else None,
            why_not_full=_why(forecast),
            # java.lang.ref.SoftReference: all are cleared before the error, not at each collection
            may_be_soft=not isinstance(forecast, Forecast)
            and peak.live_bytes >= GIVEN_UP.value * (heap or math.inf),
            fits_times=fits.times if isinstance(fits, Fits) else None,
        )


def _why(forecast: Forecast | Absent | Unknown) -> str | None:
    if isinstance(forecast, Unknown):
        return f"cannot tell without {forecast.missing}"
    return forecast.why if isinstance(forecast, Absent) else None
