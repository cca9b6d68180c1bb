"""How much more input would still have fitted into the heap of an attempt that finished."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Evidence, Unknown
from mprof.patterns.finding import Absent
from mprof.patterns.growth import noise_floor_bytes
from mprof.patterns.growth.laws import POINTS_OF_A_CHOICE
from mprof.patterns.growth.subject import fitted
from mprof.threshold import Threshold

__all__ = ["FITS_THRESHOLDS", "Fits", "fits_of"]

LEAST_COLLECTIONS = Threshold(
    "collections of a peak",
    8.0,
    "collections",
    "so few are too far apart: what was live between two of them may be far more than they left",
)

UNSEEN = Threshold(
    "unseen peak",
    1.4,
    "times the most that a collection left",
    "what was live between two collections is more than they left; 1.3 and 1.5 were tried too "
    "(decision 0093)",
)

WORTH_SAYING = Threshold(
    "more input",
    1.1,
    "times the input",
    "a tenth more input is within what splits and partitions of one job differ by",
)

FURTHEST_FIT = Threshold(
    "furthest fit",
    10.0,
    "times the input",
    "what was never seen to grow may grow later",
)

STEEPEST = Threshold(
    "steepest unseen growth",
    2.0,
    "power of the input",
    "pairs of what was read grow with its square; where nothing shows how steeply the live heap "
    "grows, and inside groups nothing does, no less can be taken for safe",
)

FITS_THRESHOLDS = (LEAST_COLLECTIONS, UNSEEN, WORTH_SAYING, FURTHEST_FIT, STEEPEST)


@dataclass(frozen=True, slots=True)
class Fits:
    """How much more input would have fitted, were all of the live heap to grow with it.

    Attributes:
        times: so many times the input of this attempt.
    """

    times: float


def fits_of(evidence: Evidence) -> Fits | Absent | Unknown:
    """How many times its input would have fitted.

    All that any collection left, garbage and what never grows included, is taken to grow with the
    input: as steeply as the law of the live heap of a map task, at least in proportion; of a
    reduce task, and where no law was seen, with its square at least.
    """
    if evidence.death.kind != "none":
        return Absent("it died")
    peak, capacity = evidence.peak, evidence.memory.capacity_bytes
    if isinstance(peak, Unknown):
        return peak
    if isinstance(capacity, Unknown):
        return capacity
    if peak.collections < LEAST_COLLECTIONS.value or not peak.most_left_bytes:
        return Unknown(f"{LEAST_COLLECTIONS.value:.0f} garbage collections while it read", "none")
    times = capacity / (UNSEEN.value * peak.most_left_bytes)
    power = _power(evidence, capacity)
    times = min(times ** (1 / power), FURTHEST_FIT.value)
    if times < WORTH_SAYING.value:
        return Absent("its heap was too full at times to say that more input would fit")
    return Fits(times)


def _power(evidence: Evidence, capacity: int) -> float:
    """Of the input, that the live heap grows with at most."""
    floor = noise_floor_bytes(capacity)
    passive = [one for one in evidence.series if one.source == "passive"]
    if evidence.fullest_group is not None:
        passive.append(evidence.fullest_group)
    laws = [fitted(one, floor).law for one in passive if not one.upper_bounds]
    seen = evidence.is_map and any(law.points >= POINTS_OF_A_CHOICE.value for law in laws)
    powers = (law.power for law in laws if law.power is not None)
    return max([1.0 if seen else STEEPEST.value, *powers])
