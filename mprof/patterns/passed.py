"""Is one value far beyond those that went well? Instead of quartile fences (paper, Table 6).

A group, a record or a partition is to blame where one like the largest that passed would have let
the task live, and where ordinary skew does not explain the difference. Sizes of groups and records
are skewed in any real data (log-normal, Zipf), so they are compared on a log scale:

1. *Ratio.* x is at least 1.6 times the largest that passed.
2. *Chance.* Of n + 1 ordinary values the one in question is the largest with probability
   1 / (n + 1), and it is r times the next with probability r^-a, where a is the index of the tail:
   in the tail of a Pareto law i ln(X_i / X_i+1), i = 1, 2, ... from the largest down, are
   independent exponentials of one mean 1 / a (Rényi 1953). With H the mean of k of them,
   P(ratio > r) = (1 + ln r / (k H))^-k exactly, an F(2, 2k) law. Chance = both together, 1 % or
   less.

The second decides where few passed, the first where many did.

Error rate by simulation (`tests/patterns/test_passed.py`): a random draw of n = 3 to 3,000
log-normal (sigma 0.5 to 3), Pareto (a 1 to 3) or uniform values is called *beyond* in at most 1 %
of 4,000 draws each.

The quartile fence, which this replaces, calls 5 to 18 % of such draws outliers: its 1.5
interquartile ranges are those of the normal distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from mprof.evidence import Distribution
from mprof.threshold import Threshold

__all__ = ["BEYOND_THRESHOLDS", "LARGER", "ORDINARY", "Beyond", "beyond_what_passed"]

LARGER = Threshold(
    "larger than what passed",
    1.6,
    "times the largest that went well",
    "what is a third or half larger needs a third or half more memory, which decides few heaps; "
    "the smallest of the recorded hot keys has 1.94 times the largest, as far as it was read",
)

ORDINARY = Threshold(
    "chance of an ordinary value",
    0.01,
    "probability, at most",
    "one false alarm in a hundred ordinary groups, records or growths",
)

LEAST_OF_TAIL = Threshold(
    "values of a tail",
    5.0,
    "values, or the square root of how many there are",
    "the index of a tail is known to half of its size by five spacings; more reach into the body",
)

OF_ONE = Threshold(
    "tail of one",
    0.5,
    "index of the tail",
    "where a single value passed nothing says how wide the tail is: wider than that of Zipf's law, "
    "whose index is 1",
)

ALIKE = Threshold(
    "alike",
    0.1,
    "mean of the spacings, at the least",
    "sizes that happen to be alike may differ by a tenth as well",
)

BEYOND_THRESHOLDS = (LARGER, ORDINARY, LEAST_OF_TAIL, OF_ONE, ALIKE)


@dataclass(frozen=True, slots=True)
class Beyond:
    """How a value stands to those that went well.

    Attributes:
        stands: `above`, `below`, or `cannot tell` (too few values, or inside the error band).
        largest: of those that went well; 0 where there is none.
        count: how many there are.
        why: one phrase.
        is_gap: even the largest of so many ordinary values would be so far from the next in one
            case in a hundred at most: no skew of the data explains it.
    """

    stands: Literal["above", "below", "cannot tell"]
    largest: float
    count: int
    why: str
    is_gap: bool = False


def beyond_what_passed(
    value: float,
    passed: Distribution,
    *,
    noise_floor: float = 0.0,
    lower_bound: bool = False,
) -> Beyond:
    """Whether a value is far beyond the largest of those that went well, and above a noise floor.

    Args:
        value: x.
        passed: the values that went well, x not among them.
        noise_floor: in the unit of the values; at or below it nothing is large, and what passed
            counts as at least so much.
        lower_bound: x is only known to be at least `value` (a group not counted to its end), so
            that "below" cannot be concluded.

    >>> beyond_what_passed(1500, Distribution.of(range(10, 80))).stands
    'above'
    >>> beyond_what_passed(150, Distribution.of([10, 20, 90])).stands
    'cannot tell'
    """
    count, largest = passed.count, passed.largest
    if not count:
        return Beyond("cannot tell", 0.0, 0, "there is none to compare with")
    if value <= noise_floor:
        return _below(largest, count, "below the noise floor", lower_bound=lower_bound)
    floor = max(largest, noise_floor, math.ulp(1.0))
    error = passed.relative_error / (1 - passed.relative_error)
    ratio = value / floor
    if ratio / (1 + error) < LARGER.value <= ratio * (1 + error) and error > 0:
        return Beyond("cannot tell", largest, count, "inside the error band of the sketch")
    if ratio < LARGER.value:
        return _below(
            largest, count, "not much larger than the largest of them", lower_bound=lower_bound
        )
    gap = chance_of_ratio(value / max(largest, math.ulp(1.0)), passed)
    if gap / (count + 1) > ORDINARY.value:
        few = f"of only {count} others the largest may well be {ratio:.1f} times the next"
        return Beyond("cannot tell", largest, count, few)
    return Beyond("above", largest, count, "far larger", is_gap=gap <= ORDINARY.value)


def chance_of_ratio(ratio: float, passed: Distribution) -> float:
    """P(the largest of ordinary values is so many times the next), by the tail of what passed.

    Args:
        ratio: above 1.
        passed: one value or more.
    """
    rise = math.log(ratio)
    wanted = min(passed.count - 1, max(round(LEAST_OF_TAIL.value), math.isqrt(passed.count)))
    if wanted < 1:
        return math.exp(-OF_ONE.value * rise)
    base = max(passed.at_rank(passed.count - wanted), math.ulp(1.0))
    # the sum of (i + 1) ln(x_i / x_i+1): x itself is the first of all, so x_1 is the second
    total, seen = max(0.0, math.log(max(passed.largest, base) / base)), 0
    for value, times in zip(reversed(passed.values), reversed(passed.counts), strict=True):
        taken = min(times, wanted - seen)
        total += taken * max(0.0, math.log(max(value, base) / base))
        seen += taken
        if seen == wanted:
            break
    mean = max(total / wanted, ALIKE.value)
    return float((1 + rise / (wanted * mean)) ** -wanted)


def _below(largest: float, count: int, why: str, *, lower_bound: bool) -> Beyond:
    if lower_bound:
        why = "this one was not counted to its end, and is not yet far larger than the others"
        return Beyond("cannot tell", largest, count, why)
    return Beyond("below", largest, count, why)
