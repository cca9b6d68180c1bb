"""At how much input the heap of an attempt that finished would have been full."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Evidence, Unit, Unknown, known
from mprof.patterns.finding import Absent
from mprof.patterns.growth import TREND_POINTS, Curve, fitted, noise_floor_bytes
from mprof.threshold import Threshold

__all__ = ["FORECAST_THRESHOLDS", "Forecast", "forecast_of"]

FURTHEST = Threshold(
    "furthest forecast",
    100.0,
    "times the input that was seen",
    "a line through one run says nothing of an input a hundred times as large",
)

FORECAST_THRESHOLDS = (TREND_POINTS, FURTHEST)


@dataclass(frozen=True, slots=True)
class Forecast:
    """When the heap would be full, if the live heap went on growing as it did.

    Attributes:
        unit: what `at` counts: records of map(), or groups of reduce().
        at: 1-based ordinal of the first one for which there is no room.
        times: the input of this attempt that so many are.
        input_bytes: the size of a split, or of a partition, of that many; None where that of this
            attempt is not known.
        at_the_earliest: it was measured by upper bounds, so it may come later.
    """

    unit: Unit
    at: float
    times: float
    input_bytes: int | None
    at_the_earliest: bool


def forecast_of(evidence: Evidence) -> Forecast | Absent | Unknown:
    """The forecast for an attempt that did not fail.

    The live heap after collections is followed over the records of a split, or over the groups of
    a partition, whatever it consists of.
    """
    if evidence.death.kind != "none":
        return Absent("it died")
    peak, capacity = evidence.peak, evidence.memory.capacity_bytes
    if isinstance(peak, Unknown):
        return peak
    if isinstance(capacity, Unknown):
        return capacity
    unit: Unit = "group" if evidence.is_reduce else "record"
    total = peak.groups_in_all if evidence.is_reduce else peak.records_in_all
    passive = (one for one in evidence.series if one.source == "passive")
    live = next((one for one in passive if one.unit == unit), None)
    if live is None or not total:
        return Unknown("garbage collections at known positions", "none")
    curve = fitted(live, noise_floor_bytes(capacity)).curve
    if curve.points < TREND_POINTS.value:
        return Unknown(f"{TREND_POINTS.value:.0f} garbage collections while it read", "none")
    if not curve.continuous:
        return Absent(f"its live heap does not grow with its input: {curve.why}")
    x = _full_at(curve, float(capacity), FURTHEST.value * total)
    if x is None:
        return Absent(f"{FURTHEST.value:.0f} times its input would fit too")
    if x <= total:
        return Absent("its live heap did not go on growing as it had begun")
    own = _input_bytes(evidence)
    return Forecast(
        unit=unit,
        at=x,
        times=x / total,
        input_bytes=round(own * x / total) if own is not None else None,
        at_the_earliest=live.upper_bounds,
    )


def _full_at(curve: Curve, capacity: float, furthest: float) -> float | None:
    """The least x with this many bytes on the curve, which ends in its last point."""
    from scipy.optimize import brentq  # a tenth of a second that only few reports need

    def missing(x: float) -> float:
        return capacity - curve.last_bytes - (curve.at(x) - curve.at(curve.last_x))

    if missing(curve.last_x) <= 0 or missing(furthest) > 0:
        return None
    return float(brentq(missing, curve.last_x, furthest))


def _input_bytes(evidence: Evidence) -> int | None:
    """Of the split of a map attempt, or of the partition of a reduce attempt."""
    if evidence.is_map:
        split = known(evidence.split)
        return split.length_bytes if split is not None else None
    partitions = known(evidence.partitions)
    sizes = known(partitions.bytes) if partitions is not None else None
    return sizes[partitions.own] if partitions is not None and sizes is not None else None
