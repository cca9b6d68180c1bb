"""Is one value far above the others? The paper's Table 6, with the holes filled.

Definition: the *upper inner fence* of values x_1..x_N is Q3 + 1.5 * (Q3 - Q1)
(NIST/SEMATECH e-Handbook of Statistical Methods, 7.1.6, "What are outliers in the data?").
Quartiles are those of the same handbook, 7.2.6.2, "Percentiles": the value at position p * (N + 1),
between ranks by linear interpolation, the ends taken where the position is outside.

Worked example: with seven values Q1 is the second, Q3 the sixth.

>>> upper_fence(Distribution.of([10, 20, 30, 40, 50, 60, 70]))
120.0

Three things differ from the paper, deliberately: x_n is compared with the values *before* it (the
paper includes it, so that in a small sample nothing can ever be outside), strictly above (its ">="
makes equal groups match), and at least six of them (quartiles of fewer are little more than their
extremes). A noise floor guards against an interquartile range of 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mprof.evidence import Distribution
from mprof.threshold import Threshold

__all__ = ["FENCE_SAMPLES", "FenceComparison", "compare_with_fence", "upper_fence"]

FENCE_SAMPLES = Threshold(
    "samples of a fence",
    6.0,
    "values before the one compared",
    "the quartiles of five or fewer values are little more than their extremes: of five, Q3 is "
    "halfway to the largest; none of so few can stand above the fence of all",
)

_FENCE_FACTOR = 1.5
_LOWER, _UPPER = 0.25, 0.75


@dataclass(frozen=True, slots=True)
class FenceComparison:
    """How a value stands to a fence.

    Attributes:
        stands: `above`, `below`, or `cannot tell` (too few values, or inside the error band).
        fence: the fence; None with too few values.
        count: values the fence stands on.
        why: one phrase.
    """

    stands: Literal["above", "below", "cannot tell"]
    fence: float | None
    count: int
    why: str


def upper_fence(values: Distribution) -> float:
    """Q3 + 1.5 * (Q3 - Q1) of at least one value."""
    q1, q3 = values.quantile(_LOWER), values.quantile(_UPPER)
    return q3 + _FENCE_FACTOR * (q3 - q1)


def compare_with_fence(
    value: float,
    others: Distribution,
    *,
    noise_floor: float = 0.0,
    lower_bound: bool = False,
) -> FenceComparison:
    """Whether a value stands above the fence of the others and above a noise floor.

    Args:
        value: x_n.
        others: the values before it, x_n not among them.
        noise_floor: in the unit of the values; at or below it nothing is an outlier.
        lower_bound: x_n is only known to be at least `value` (a group not counted to its end),
            so that "below" cannot be concluded.

    >>> compare_with_fence(150, Distribution.of([10, 20, 30, 40, 50, 60, 70])).stands
    'above'
    >>> compare_with_fence(150, Distribution.of([10, 20, 30])).stands
    'cannot tell'
    """
    count = others.count
    if count < FENCE_SAMPLES.value:
        return FenceComparison(
            "cannot tell",
            None,
            count,
            f"only {count} to compare with, {FENCE_SAMPLES.value:.0f} are needed",
        )
    fence = upper_fence(others)
    # Error of the fence 2.5 * Q3 - 1.5 * Q1 when each quartile is off by the sketch's error, which
    # is a share of the true value: at most so much of the value read.
    error = others.relative_error / (1 - others.relative_error)
    band = error * (
        (1 + _FENCE_FACTOR) * others.quantile(_UPPER) + _FENCE_FACTOR * others.quantile(_LOWER)
    )
    if value <= noise_floor:
        stands: Literal["above", "below", "cannot tell"] = "below"
        why = "below the noise floor"
    elif value > fence + band:
        stands, why = "above", "above the fence"
    elif value < fence - band or band == 0:
        stands, why = "below", "not above the fence"
    else:
        stands, why = "cannot tell", "inside the error band of the sketch"
    if stands == "below" and lower_bound:
        stands = "cannot tell"
        why = "this one was not counted to its end, and is still below the fence"
    return FenceComparison(stands, fence, count, why)
