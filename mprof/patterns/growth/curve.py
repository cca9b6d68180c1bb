"""Does it grow with the data, and how? Regression over a handful of points.

Definition: ordinary least squares (statsmodels ``OLS``) of size on x to a power,
y = a + b * x^k, for k = 1 (linear), k = 1/4, 1/2, 3/4 (concave: slower than the data, as sets of
distinct values grow) and k = 3/2, 2 (convex). A power other than 1 is chosen only where the line
explains less than 97 % of the variance, the power leaves 0.35 of its residual or less, and there
are five points or more, because with fewer points a curve always fits better than a line.
Points that are upper bounds (what minor collections leave) are taken for concave only where a line
explains less than 70 %.
Theil's slope (scipy ``theilslopes``) stands beside it: the median of all pairwise slopes, which a
container that doubles cannot pull.

Growth is *continuous* when all of this holds (the paper says "linear or non-linear growth" and
gives no number):

1. three points or more,
2. it grew by more than the noise floor,
3. it fell back by at most a quarter of what it rose (passive points carry some garbage),
4. no single step makes up more than three quarters of it, or than its share of x and a tenth
   where that is more, or than nine tenths in any case: one jump is not a trend; a doubling array
   makes steps too, but the last doubling is at most half of the whole,
5. it still grew in the last part: it was not flat over more than 55 % of x before the end
   (an array that doubles is flat over at most half of x, a bounded cache for longer),
6. the fitted curve explains 70 % of the variance or more.

Worked example: the published word count (2014, six points, 1,884 records apart).

>>> curve = [(1, 0), (1885, 92036792), (3769, 174789544), (5653, 259954488),
...          (7537, 345406000), (9425, 420835528)]
>>> growth = fit_curve(curve, noise_floor_bytes=3 * 2**20)
>>> growth.continuous, growth.shape, round(growth.slope), round(growth.r_squared, 4)
(True, 'linear', 44828, 0.9993)
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mprof.threshold import Threshold
from mprof.units import MIB

__all__ = [
    "CURVE_THRESHOLDS",
    "NOISE",
    "NOISE_SHARE",
    "TREND_POINTS",
    "Curve",
    "fit_curve",
    "noise_floor_bytes",
]

NOISE = Threshold(
    "noise floor",
    float(3 * MIB),
    "bytes, or `noise share` of the heap where that is more",
    'the paper looks at user objects of "e.g. 3MB+" (section 5.1); where all values before were '
    "alike the interquartile range is 0 and anything would be an outlier",
)

NOISE_SHARE = Threshold(
    "noise share",
    0.005,
    "share of the heap",
    "3 MB of the 600 MB heaps of the paper's study: on a larger heap the floor rises with it",
)

TREND_POINTS = Threshold(
    "points of a trend",
    3.0,
    "points",
    "two points lie on a line whatever they are; the third can contradict it",
)

CURVE_POINTS = Threshold(
    "points of a curve",
    5.0,
    "points",
    "a curve has one parameter more than a line: with four points it always fits better",
)

CURVE_GAIN = Threshold(
    "gain of a curve",
    0.35,
    "of the line's residual sum of squares, at most",
    "the power is chosen among five: chance among five halves the residual now and then, and does "
    "not take two thirds of it away",
)

GOOD_LINE = Threshold(
    "good line",
    0.97,
    "R squared",
    "an array that doubles makes steps around its line and leaves 3 % unexplained over seven "
    "points; a line this good is not bent",
)

LARGEST_DROP = Threshold(
    "largest drop",
    0.25,
    "of what it rose",
    "minor collections leave some garbage behind, so a live heap falls back a little; what falls "
    "back by more than a quarter is emptied now and then",
)

LARGEST_STEP = Threshold(
    "largest step",
    0.75,
    "of the growth",
    "the last enlargement of an array that doubles is half of the whole; three quarters in one "
    "step is a jump and not a trend",
)

BEYOND_ITS_SHARE = Threshold(
    "beyond its share of x",
    0.10,
    "of the growth",
    "a step that is long in x may be large; one that makes up a tenth more of the growth than of x "
    "is a jump",
)

NEARLY_ALL = Threshold(
    "nearly all",
    0.90,
    "of the growth",
    "of growth that is one step to nine tenths, however long in x, the other points show no trend",
)

FLAT_TAIL = Threshold(
    "flat tail",
    0.55,
    "of the range of x",
    "an array that doubles is flat over at most half of x, a bounded cache for longer",
)

FINAL_SIZE = Threshold(
    "final size",
    0.02,
    "of the growth below the last size",
    "points this close to the last one count as equal to it: dump sizes repeat to a percent",
)

FINAL_NOISE = Threshold(
    "noise near the final size",
    0.10,
    "of the growth, where the noise floor is more",
    "the noise floor may not hide growth that is only a few times as large as itself",
)

LEAST_R_SQUARED = Threshold(
    "explained",
    0.70,
    "R squared, at least",
    "below it a curve says less about the next point than the last one does",
)

CURVE_THRESHOLDS = (
    NOISE, NOISE_SHARE, TREND_POINTS, CURVE_POINTS, CURVE_GAIN, GOOD_LINE, LARGEST_DROP,
    LARGEST_STEP, BEYOND_ITS_SHARE, NEARLY_ALL, FLAT_TAIL, FINAL_SIZE, FINAL_NOISE, LEAST_R_SQUARED,
)  # fmt: skip
"""All that decide whether growth is continuous, and which curve it follows."""

_POWERS = (0.25, 0.5, 0.75, 1.5, 2.0)

Shape = Literal["linear", "concave", "convex", "flat"]


def noise_floor_bytes(capacity_bytes: int | None) -> float:
    """The growth or size below which nothing is said: 3 MB or half a percent of the heap."""
    return max(NOISE.value, NOISE_SHARE.value * (capacity_bytes or 0))


@dataclass(frozen=True, slots=True)
class Curve:
    """A fitted curve and what it says.

    Attributes:
        continuous: it grows with the data, by the six conditions above.
        why: the condition that failed.
        shape: of the best fit; flat where it does not rise above the noise floor.
        power: k of y = a + b * x^k.
        coefficient: b.
        slope: bytes per unit of x over the whole range, by Theil's robust line where
            the shape is linear, else the mean.
        r_squared: of the fit, 0 to 1. Condition 6 asks for it, and a report says it where it is
            below 97 %.
        p_value: of "b = 0", by Student's t; None where nothing was fitted. Said with R squared, and
            no condition: over three to eight points that rise it adds nothing to the six.
        points: how many.
        first_x: smallest x.
        last_x: largest x.
        grown_bytes: last size less first size.
        last_bytes: size at the largest x.
    """

    continuous: bool
    why: str
    shape: Shape
    power: float
    coefficient: float
    slope: float
    r_squared: float
    p_value: float | None
    points: int
    first_x: float
    last_x: float
    grown_bytes: float
    last_bytes: float

    def at(self, x: float) -> float:
        """The fitted size at x, moved so that it meets the last measured point."""
        return float(self.last_bytes + self.coefficient * (x**self.power - self.last_x**self.power))

    @property
    def is_fitted(self) -> bool:
        """Whether there were points enough to see a trend, or that there is none."""
        return self.points >= TREND_POINTS.value

    @property
    def complexity(self) -> str:
        """The fitted space complexity in words."""
        if self.shape == "flat":
            return "does not grow with the data, O(1)"
        if self.shape == "linear":
            return "grows linearly with the data, O(n)"
        order = f"O(n^{self.power:g})"
        if self.shape == "concave":
            return f"grows slower than the data, about {order}, as sets of distinct values do"
        return f"grows faster than the data, about {order}"

    @property
    def fit(self) -> str:
        """How far the curve is from the points, in words; empty where it is a good one."""
        if self.r_squared >= GOOD_LINE.value or self.p_value is None:
            return ""
        return f" (a rough fit: R² = {self.r_squared:.2f}, p = {self.p_value:.2g})"


def fit_curve(
    points: Iterable[tuple[float, float]], *, noise_floor_bytes: float, upper_bounds: bool = False
) -> Curve:
    """Fit a curve to (x, bytes) points and say whether it is continuous growth.

    Args:
        points: in any order; x not negative. Of several points at one x the mean is taken.
        noise_floor_bytes: growth up to here is noise.
        upper_bounds: the sizes hold garbage too, the more of it the emptier the heap still was:
            a straight line then looks bent downwards, so where a line will do, it is one.
    """
    x, y = _one_point_an_x(points)
    if len(x) < TREND_POINTS.value:
        return _no_fit(x, y, f"{len(x)} points, {TREND_POINTS.value:.0f} are needed")
    grown = float(y[-1] - y[0])
    if grown <= noise_floor_bytes:
        return _no_fit(x, y, "their growth stays within the noise floor")
    power, coefficient, r_squared, p_value = _best_fit(x, y, upper_bounds=upper_bounds)
    shape: Shape = "linear" if power == 1 else "concave" if power < 1 else "convex"
    failed = _failed_condition(x, y, grown, r_squared, noise_floor_bytes)
    return Curve(
        continuous=failed is None,
        why=failed or "it grows from point to point",
        shape=shape,
        power=power,
        coefficient=coefficient,
        slope=_theil_slope(x, y) if shape == "linear" else grown / float(x[-1] - x[0]),
        r_squared=r_squared,
        p_value=p_value,
        points=len(x),
        first_x=float(x[0]),
        last_x=float(x[-1]),
        grown_bytes=grown,
        last_bytes=float(y[-1]),
    )


def _one_point_an_x(points: Iterable[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    table: dict[float, list[float]] = {}
    for x, size in points:
        table.setdefault(float(x), []).append(float(size))
    ordered = sorted(table)
    # fsum, so that the order in which the points came cannot show in the last bit
    means = [math.fsum(table[x]) / len(table[x]) for x in ordered]
    return np.array(ordered, dtype=np.float64), np.array(means, dtype=np.float64)


def _no_fit(x: np.ndarray, y: np.ndarray, why: str) -> Curve:
    last = float(y[-1]) if len(y) else 0.0
    return Curve(
        continuous=False, why=why, shape="flat", power=1.0, coefficient=0.0,
        slope=0.0, r_squared=0.0, p_value=None, points=len(x),
        first_x=float(x[0]) if len(x) else 0.0, last_x=float(x[-1]) if len(x) else 0.0,
        grown_bytes=float(y[-1] - y[0]) if len(y) else 0.0, last_bytes=last,
    )  # fmt: skip


def _best_fit(
    x: np.ndarray, y: np.ndarray, *, upper_bounds: bool
) -> tuple[float, float, float, float | None]:
    """(power, coefficient, R squared, p value) of the chosen power."""
    # x and y are brought to 0..1 first: the choice must not depend on their units.
    x_scale, y_scale = float(x[-1]) or 1.0, float(np.max(np.abs(y))) or 1.0
    u, v = x / x_scale, y / y_scale
    power, whole = 1.0, float(np.sum((v - v.mean()) ** 2))
    line = _residual(u, v)
    if len(x) >= CURVE_POINTS.value and line > (1 - GOOD_LINE.value) * whole:
        straight = upper_bounds and line <= (1 - LEAST_R_SQUARED.value) * whole
        powers = [one for one in _POWERS if one > 1 or not straight]
        best = min(powers, key=lambda one: _residual(u**one, v))
        if _residual(u**best, v) < CURVE_GAIN.value * line:
            power = best
    coefficient, r_squared, p_value = _least_squares(u**power, v)
    return power, coefficient * y_scale / x_scale**power, r_squared, p_value


def _residual(f: np.ndarray, y: np.ndarray) -> float:
    """Residual sum of squares of the line through (f, y)."""
    centred, rise = f - f.mean(), y - y.mean()
    slope = float(centred @ rise) / float(centred @ centred)
    return float(np.sum((rise - slope * centred) ** 2))


def _least_squares(f: np.ndarray, y: np.ndarray) -> tuple[float, float, float | None]:
    """(coefficient, R squared, p value of the coefficient) of y on f."""
    # Imported here: statsmodels takes a second to load, and most commands never fit a curve.
    from statsmodels.regression.linear_model import OLS

    result = OLS(y, np.column_stack((np.ones_like(f), f))).fit()
    residual = float(result.ssr)
    whole = float(np.sum((y - y.mean()) ** 2))
    r_squared = max(0.0, 1.0 - residual / whole) if whole > 0 else 0.0
    # A perfect fit divides by a residual of 0: Student's t is then without meaning.
    exact = residual <= 1e-20 * max(whole, 1e-300)
    p_value = 0.0 if exact else float(result.pvalues[1])
    return float(result.params[1]), r_squared, p_value


def _failed_condition(
    x: np.ndarray, y: np.ndarray, grown: float, r_squared: float, floor: float
) -> str | None:
    steps = np.diff(y)
    rise, drop = float(steps[steps > 0].sum()), float(-steps[steps < 0].sum())
    if drop > LARGEST_DROP.value * rise:
        return "it falls back between the points"
    largest = int(np.argmax(steps))
    of_growth = float(steps[largest]) / grown
    of_x = float((x[largest + 1] - x[largest]) / (x[-1] - x[0]))
    if of_growth > max(LARGEST_STEP.value, min(of_x + BEYOND_ITS_SHARE.value, NEARLY_ALL.value)):
        return "a single step makes up most of it"
    still = y >= y[-1] - max(FINAL_SIZE.value * grown, min(floor, FINAL_NOISE.value * grown))
    flat_from = float(x[int(np.argmax(still))])
    if (x[-1] - flat_from) > FLAT_TAIL.value * (x[-1] - x[0]):
        return "it stopped growing well before the end"
    if r_squared < LEAST_R_SQUARED.value:
        return "no growth curve accounts for it"
    return None


def _theil_slope(x: np.ndarray, y: np.ndarray) -> float:
    from scipy.stats import theilslopes

    return float(theilslopes(y, x).slope)
