"""By which law does it grow with the data? A handful of points, a handful of laws, and their doubt.

Laws, each y = a + b f(x), b > 0, x the records or groups taken in, u = x / (largest x):

=============  =================================  ==================================================
law            f                                  what grows so
=============  =================================  ==================================================
linear         u                                  one element a record
power          u^k, k = 0.1 ... 4 fitted          sets of distinct values (k < 1); pairs (k = 2)
logarithmic    ln(1 + c u), c fitted              distinct values of few
n log n        u ln(1 + c u), c >= 1,000          sorted runs, indexes
saturating     1 - exp(-u / t), t fitted          distinct values of a limited set
bounded        min(u, c), c fitted                a cache that is full from c on
late           max(0, u - c), c fitted            what begins after c
=============  =================================  ==================================================

Least squares give a and b, a grid the third parameter. Among the laws the corrected Akaike
criterion chooses (Hurvich and Tsai 1989): m ln(RSS / m + s^2) + 2p + 2p(p + 1) / (m - p - 1), of m
points and p parameters: a, b and the third, but not c of n log n, which hardly bends it, and not
the variance, which s bounds (counted, no third parameter is ever chosen of six points). s is 1 % of
the largest size, to which sizes of dumps repeat: no law is better for following that noise. A line
that is within 2 units of the best is taken instead. With fewer than five points nothing can choose,
and it is a line.

Three things are no law of f, and are seen before any fit:

* *flat*: it ends no higher than it began, but for the noise: six s, the range within which eight
  sizes of one constant object lie in 999 cases of 1,000. What rises evenly rises within it too.
* *flushed*: it fell back by more than a quarter of what it rose, and by more than that noise. Only
  its crest is followed.
* *loaded*: one step makes nine tenths of the rise and it is constant before and after; it came with
  the data of one step, and did not grow with the rest.

The death is a further point where it does not lie above what the law predicts: a jump at R_n may
be that record's own. A law that the size at death contradicts is therefore never chosen. Nor is
*bounded* of a container that was being enlarged at the death: it was not full.

Doubt: all laws within 6 units of AICc of the best have support (Burnham and Anderson 2002, 2.6:
beyond 7 there is hardly any). What they predict between them, and twice the noise on both sides,
is the interval of every number that is predicted. The noise is s, or the standard deviation of the
residuals where that is more, once for the last point, on which a prediction stands, and once more
for each time that it predicts the whole rise that was seen.

Error rates by simulation: `tests/patterns/test_laws.py` and `docs/reference/growth-laws.md`.

Worked example: the published word count (2014, six points, 1,884 records apart).

>>> curve = [(1, 0), (1885, 92036792), (3769, 174789544), (5653, 259954488),
...          (7537, 345406000), (9425, 420835528)]
>>> growth = fit_law(curve, noise_floor_bytes=3 * 2**20)
>>> growth.grows, growth.shape, round(growth.slope), round(growth.r_squared, 3)
(True, 'linear', 44828, 0.999)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from mprof.threshold import Threshold
from mprof.units import MIB

__all__ = [
    "FLUSHED",
    "LAW_THRESHOLDS",
    "NOISE",
    "NOISE_SHARE",
    "TREND_POINTS",
    "Law",
    "Shape",
    "fit_law",
    "noise_floor_bytes",
]

NOISE = Threshold(
    "noise floor",
    float(3 * MIB),
    "bytes, or `noise share` of the heap where that is more",
    'the paper looks at user objects of "e.g. 3MB+" (section 5.1)',
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

FLUSHED = Threshold(
    "flushed",
    0.25,
    "of what it rose",
    "minor collections leave some garbage behind, so a live heap falls back a little; what falls "
    "back by more than a quarter is emptied now and then",
)

ONE_STEP = Threshold(
    "one step",
    0.90,
    "of the rise",
    "the last enlargement of an array that doubles is half of the whole rise; nine tenths in one "
    "step, and a tenth at most before and after it, are no growth with the data",
)

REPEATS_TO = Threshold(
    "repeatability of a size",
    0.01,
    "of the largest size",
    "dumps of one object that nothing changed differ by up to a percent",
)

RANGE_OF_NOISE = Threshold(
    "range of noise",
    6.0,
    "times the repeatability",
    "eight sizes of a constant object lie within six standard deviations in 999 cases of 1,000",
)

EVEN = Threshold(
    "even",
    0.995,
    "of R squared",
    "a rise within the noise is one all the same where four points or more lie on a line; of noise "
    "four do so in one case of 400",
)

POINTS_OF_A_CHOICE = Threshold(
    "points of a choice",
    5.0,
    "points",
    "the corrected Akaike criterion of three parameters has no value with fewer",
)

SUPPORTED = Threshold(
    "supported",
    6.0,
    "units of AICc above the best law",
    "beyond 7 a law has hardly any support (Burnham and Anderson 2002, 2.6)",
)

AS_GOOD = Threshold(
    "as good",
    2.0,
    "units of AICc above the best law",
    "within 2 units two laws have much the same support (the same), and the line is the simpler",
)

DEVIATIONS = Threshold(
    "noise of a prediction",
    2.0,
    "standard deviations",
    "95 of 100 predictions lie within two standard deviations",
)

FORESEEN = Threshold(
    "foreseen",
    2.0,
    "times the range measured",
    "up to twice the range the laws were simulated; what was never seen to end may still end later",
)

LAW_THRESHOLDS = (
    NOISE, NOISE_SHARE, TREND_POINTS, FLUSHED, ONE_STEP, REPEATS_TO, RANGE_OF_NOISE, EVEN,
    POINTS_OF_A_CHOICE, SUPPORTED, AS_GOOD, DEVIATIONS, FORESEEN,
)  # fmt: skip
"""All that decide whether something grows with its data, and by which law."""

_GOOD_FIT: Final = 0.97

Shape = Literal[
    "flat", "loaded", "flushed", "linear", "concave", "convex", "logarithmic", "n log n",
    "saturating", "bounded", "late",
]  # fmt: skip


def noise_floor_bytes(capacity_bytes: int | None) -> float:
    """The growth or size below which nothing is said: 3 MB or half a percent of the heap."""
    return max(NOISE.value, NOISE_SHARE.value * (capacity_bytes or 0))


@dataclass(frozen=True, slots=True)
class _Fit:
    """One law with its third parameter, fitted: y = a + b f(x / scale)."""

    family: str
    theta: float
    scale: float
    coefficient: float
    r_squared: float
    aicc: float
    deviation: float

    def rise(self, start: float, end: float) -> float:
        """Bytes that it rises from one x to another."""
        f = _FAMILIES[self.family].f(np.array([start, end]) / self.scale, np.array(self.theta))
        return float(self.coefficient * (f[1] - f[0]))

    @property
    def shape(self) -> Shape:
        if self.family != "power":
            return _FAMILIES[self.family].shape
        return "concave" if self.theta < 1 else "convex"


@dataclass(frozen=True, slots=True)
class _Family:
    f: Callable[[np.ndarray, np.ndarray], np.ndarray]
    shape: Shape
    thetas: tuple[float, ...] = (1.0,)
    is_free: bool = True

    @property
    def parameters(self) -> int:
        """Of the law: a, b, and the third where there is one that is free."""
        return 3 if self.is_free and len(self.thetas) > 1 else 2


_FAMILIES: Final[dict[str, _Family]] = {
    "linear": _Family(lambda u, one: u * one, "linear"),
    "power": _Family(
        lambda u, k: u**k,
        "concave",
        tuple(i / 20 for i in (*range(2, 20), *range(22, 81))),
    ),
    "logarithmic": _Family(
        lambda u, c: np.log1p(c * u), "logarithmic", tuple(10 ** (i / 4) for i in range(4, 25))
    ),
    "n log n": _Family(lambda u, c: u * np.log1p(c * u), "n log n", (1e3, 1e4, 1e6), is_free=False),
    "saturating": _Family(
        lambda u, t: -np.expm1(-u / t),
        "saturating",
        tuple(i / 20 for i in range(1, 21)),
    ),
    "bounded": _Family(np.minimum, "bounded", tuple(i / 40 for i in range(2, 36))),
    "late": _Family(
        lambda u, c: np.maximum(0.0, u - c), "late", tuple(i / 40 for i in range(4, 37))
    ),
}

_FULL: Final[frozenset[Shape]] = frozenset({"bounded"})
_LIMITED: Final[frozenset[Shape]] = _FULL | {"saturating"}
_BENT_DOWN: Final[frozenset[Shape]] = _FULL | {"concave", "logarithmic", "saturating"}

_WORDS: Final[dict[Shape, str]] = {
    "flat": "does not grow with the data, O(1)",
    "loaded": "came in one step and was constant before and after",
    "flushed": "is emptied now and then, and filled again",
    "linear": "grows linearly with the data, O(n)",
    "logarithmic": "grows with the logarithm of the data, O(log n), as distinct values do",
    "n log n": "grows a little faster than the data, O(n log n)",
    "saturating": "grows ever slower, towards a limit",
    "bounded": "grew up to a bound and is constant since, as a full cache is",
    "late": "began to grow late, and grows linearly since",
}


@dataclass(frozen=True, slots=True)
class Law:
    """What was found in the points of one object, or of the live heap.

    Attributes:
        grows: it holds more the more of the data was taken in, or is filled again and again.
        why: in words, where it does not.
        shape: of the law chosen.
        power: k of the law y = a + b x^k; None of any other law.
        coefficient: b of that law, in bytes for x^k.
        slope: bytes a unit of x: Theil's robust line where the shape is linear, of a flushed one
            the steepest rise between two points, of a late one that since it began, else the mean
            over the range.
        r_squared: of the law chosen, 0 to 1.
        points: how many.
        first_x: smallest x.
        last_x: largest x measured before R_n.
        grown_bytes: last size less first size; of a flushed one from its least to its crest.
        last_bytes: size at the largest x; of a flushed one its crest.
        rising_steps: intervals between points over which it rose by more than the noise.
    """

    grows: bool
    why: str
    shape: Shape
    power: float | None
    coefficient: float | None
    slope: float
    r_squared: float
    points: int
    first_x: float
    last_x: float
    grown_bytes: float
    last_bytes: float
    rising_steps: int = 0
    _fits: tuple[_Fit, ...] = field(default=(), repr=False)
    _crests: tuple[tuple[float, float], ...] = field(default=(), repr=False)

    def at(self, x: float) -> float:
        """The size that the law predicts at x, moved so that it meets the last measured point."""
        return self.last_bytes + self.rise(self.last_x, x)

    @property
    def begins(self) -> float | None:
        """X at which it began to grow, to a fortieth of the range; None where it always grew."""
        return self._fits[0].theta * self._fits[0].scale if self.shape == "late" else None

    def rise(self, start: float, end: float) -> float:
        """Bytes that it rises by from one x to another."""
        return self._fits[0].rise(start, end) if self._fits else 0.0

    def at_least(self, x: float) -> float:
        """The smaller end of the interval at x: the least that a supported law predicts.

        A cache may fill, a buffer may be flushed: growth beyond twice the range is no least. What
        is flushed had not risen to its crest at every x: up to x it was seen to hold so much.
        """
        if self._crests:
            at, crest = zip(*self._crests, strict=True)
            return float(np.interp(x, at, crest))
        near = min(x, FORESEEN.value * self.last_x)
        return min((self._predicted(fit, near, -1) for fit in self._fits), default=self.last_bytes)

    def at_most(self, x: float) -> float:
        """The larger end of the interval at x."""
        return max((self._predicted(fit, x, 1) for fit in self._fits), default=self.last_bytes)

    def _predicted(self, fit: _Fit, x: float, side: int) -> float:
        rise, seen = fit.rise(self.last_x, x), fit.rise(self.first_x, self.last_x)
        noise = max(fit.deviation, REPEATS_TO.value * self.last_bytes)
        off = DEVIATIONS.value * noise * (1 + abs(rise) / seen if seen > 0 else 1.0)
        return max(0.0, self.last_bytes + rise + side * off)

    @property
    def is_emptied(self) -> bool:
        """Whether it was emptied now and then: it grows with what came since, and not with all."""
        return self.shape == "flushed"

    @property
    def is_full(self) -> bool:
        """Whether it had come to a bound before the last point."""
        return self.shape in _FULL

    @property
    def has_a_limit(self) -> bool:
        """Whether it tends to a limit, or has come to one, by each law that has support."""
        return bool(self._fits) and all(fit.shape in _LIMITED for fit in self._fits)

    @property
    def may_have_a_limit(self) -> bool:
        """The same by one law at least that has support."""
        return any(fit.shape in _LIMITED for fit in self._fits)

    @property
    def is_fitted(self) -> bool:
        """Whether there were points enough to see growth, or that there is none."""
        return self.points >= TREND_POINTS.value

    @property
    def complexity(self) -> str:
        """The law in words, as the end of a sentence about what grows."""
        if self.power is not None and self.shape in ("concave", "convex"):
            than = "slower than the data" if self.shape == "concave" else "faster than the data"
            like = ", as sets of distinct values do" if self.shape == "concave" else ""
            return f"grows {than}, about O(n^{self.power:g}){like}"
        if self.shape == "saturating" and not self.has_a_limit:
            return "grows ever slower"
        return _WORDS[self.shape]

    @property
    def fit(self) -> str:
        """How far the law is from the points, in words; empty where it is near."""
        if self.r_squared >= _GOOD_FIT or not self._fits:
            return ""
        return f" (a rough fit: R² = {self.r_squared:.2f})"


def fit_law(
    points: Iterable[tuple[float, float]],
    *,
    noise_floor_bytes: float,
    at_death: tuple[float, float] | None = None,
    upper_bounds: bool = False,
    was_enlarged: bool = False,
) -> Law:
    """Choose the law of (x, bytes) points and say whether it grows with its data.

    Args:
        points: in any order; x not negative. Of several points at one x the mean is taken.
        noise_floor_bytes: growth up to here is noise.
        at_death: a further point, counted where it does not lie above the law without it.
        upper_bounds: the sizes hold garbage too, the more of it the emptier the heap still was: a
            line then looks bent downwards, so no law that is bent so is chosen.
        was_enlarged: its container was being enlarged at the death, so it was not full.
    """
    x, y = _one_point_an_x(points)
    if len(x) < TREND_POINTS.value:
        return _no_law(x, y, "flat", f"{len(x)} points, {TREND_POINTS.value:.0f} are needed")
    death = at_death if at_death is not None and at_death[0] > x[-1] else None
    ends = y if death is None else np.append(y, death[1])
    floor = min(noise_floor_bytes, max(float(np.ptp(ends)) / 4, noise_floor_bytes / 4))
    noise = RANGE_OF_NOISE.value * REPEATS_TO.value * float(y.max())
    steps = np.diff(y)
    rose, fell = float(steps[steps > 0].sum()), float(-steps[steps < 0].sum())
    rising = int((steps > max(REPEATS_TO.value * float(y.max()), 1.0)).sum())
    back = float((np.maximum.accumulate(y) - y).max())
    if rose > noise_floor_bytes and fell > max(FLUSHED.value * rose, floor) and back > noise:
        return _flushed(x, y, crest=float(ends.max()), rising=rising)
    grown = float(y[-1] - y[0])
    if grown <= noise_floor_bytes or (grown <= noise and not _is_even(x, y)):
        return _no_law(x, y, "flat", "its growth stays within the noise")
    once = _loaded_at(y, rose)
    if once is not None and once < len(steps) - 1:
        return _no_law(x, y, "loaded", "it came in one step, and was constant before and after")
    excluded = _BENT_DOWN if upper_bounds else _FULL if was_enlarged else frozenset()
    fits = _fits(x, y, excluded)
    if death is not None and death[1] <= float(y[-1]) + max(0.0, fits[0].rise(x[-1], death[0])):
        fits = _fits(np.append(x, death[0]), ends, excluded)
    return _law(x, y, fits, rising)


def _one_point_an_x(points: Iterable[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    table: dict[float, list[float]] = {}
    for x, size in points:
        table.setdefault(float(x), []).append(float(size))
    ordered = sorted(table)
    # fsum, so that the order in which the points came cannot show in the last bit
    means = [math.fsum(table[x]) / len(table[x]) for x in ordered]
    return np.array(ordered, dtype=np.float64), np.array(means, dtype=np.float64)


def _is_even(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether a rise that may be noise is a line of four points or more, as noise hardly is."""
    return len(x) > TREND_POINTS.value and float(np.corrcoef(x, y)[0, 1]) ** 2 >= EVEN.value


def _loaded_at(y: np.ndarray, rose: float) -> int | None:
    """The step that makes nearly all of the rise, with constant sizes before and after it."""
    steps = np.diff(y)
    largest = int(np.argmax(steps))
    rest = 1 - ONE_STEP.value
    before, after = y[: largest + 1], y[largest + 1 :]
    constant = np.ptp(before) <= rest * rose and np.ptp(after) <= rest * rose
    return largest if steps[largest] >= ONE_STEP.value * rose and constant else None


def _fits(x: np.ndarray, y: np.ndarray, excluded: frozenset[Shape]) -> tuple[_Fit, ...]:
    """All laws with support but those of the shapes excluded, the best first."""
    every = [
        fit
        for name, family in _FAMILIES.items()
        if len(x) >= POINTS_OF_A_CHOICE.value or name in ("linear", "power")
        for fit in _fitted(name, family, x, y)
        if fit.coefficient > 0 and fit.shape not in excluded
    ]
    if len(x) < POINTS_OF_A_CHOICE.value:
        # nothing chooses: a line, and as far from it as the square root and the square are
        near = [fit for fit in every if fit.family == "linear" or fit.theta in (0.5, 2.0)]
        return tuple(sorted(near, key=lambda fit: fit.family != "linear"))
    every.sort(key=lambda fit: (fit.aicc, fit.family != "linear"))
    least = every[0].aicc
    # of laws that are as good, a line
    every.sort(key=lambda fit: fit.family != "linear" or fit.aicc > least + AS_GOOD.value)
    return tuple(fit for fit in every if fit.aicc <= least + SUPPORTED.value)


def _fitted(name: str, family: _Family, x: np.ndarray, y: np.ndarray) -> Iterable[_Fit]:
    count, parameters = len(x), family.parameters
    scale = float(x[-1])  # of three points or more, none of which is negative
    noise = (REPEATS_TO.value * float(np.max(np.abs(y)))) ** 2
    spare = count - parameters - 1
    correction = 2 * parameters * (parameters + 1) / spare if spare > 0 else math.inf
    centred = y - y.mean()
    whole = float(centred @ centred)
    thetas = np.array(family.thetas)
    f = family.f((x / scale)[None, :], thetas[:, None])  # a row each, a column a point
    f = f - f.mean(axis=1, keepdims=True)
    spreads = (f * f).sum(axis=1)
    bent = spreads > 0
    slopes = f[bent] @ centred / spreads[bent]
    residuals = np.maximum(0.0, whole - slopes * slopes * spreads[bent])
    criteria = count * np.log(residuals / count + noise) + 2 * parameters + correction
    for theta, slope, residual, aicc in zip(
        thetas[bent].tolist(), slopes.tolist(), residuals.tolist(), criteria.tolist(), strict=True
    ):
        yield _Fit(
            family=name,
            theta=theta,
            scale=scale,
            coefficient=slope,
            r_squared=1 - residual / whole,
            aicc=round(aicc, 6),  # of laws that are as good the last bit is not to choose
            deviation=math.sqrt(residual / max(count - parameters, 1)),
        )


def _law(x: np.ndarray, y: np.ndarray, fits: Sequence[_Fit], rising: int) -> Law:
    best, grown = fits[0], float(y[-1] - y[0])
    mean = grown / float(x[-1] - x[0])
    of_power = best.family in ("linear", "power")
    slopes = {"linear": _theil_slope(x, y), "late": best.coefficient / best.scale}
    return Law(
        grows=True,
        why="it grows from point to point",
        shape=best.shape,
        power=best.theta if of_power else None,
        coefficient=best.coefficient / best.scale**best.theta if of_power else None,
        slope=slopes.get(best.family, mean),
        r_squared=best.r_squared,
        points=len(x),
        first_x=float(x[0]),
        last_x=float(x[-1]),
        grown_bytes=grown,
        last_bytes=float(y[-1]),
        rising_steps=rising,
        _fits=tuple(fits),
    )


def _flushed(x: np.ndarray, y: np.ndarray, *, crest: float, rising: int) -> Law:
    steps = np.diff(y) / np.diff(x)
    highest = np.append(np.maximum.accumulate(y)[:-1], crest)
    return Law(
        grows=True,
        why="it is filled again after it fell back",
        shape="flushed",
        power=None,
        coefficient=None,
        slope=float(steps.max()),
        r_squared=0.0,
        points=len(x),
        first_x=float(x[0]),
        last_x=float(x[-1]),
        grown_bytes=crest - float(y.min()),
        last_bytes=crest,
        rising_steps=rising,
        _crests=tuple(zip(x.tolist(), highest.tolist(), strict=True)),
    )


def _no_law(x: np.ndarray, y: np.ndarray, shape: Shape, why: str) -> Law:
    return Law(
        grows=False,
        why=why,
        shape=shape,
        power=None,
        coefficient=None,
        slope=0.0,
        r_squared=0.0,
        points=len(x),
        first_x=float(x[0]) if len(x) else 0.0,
        last_x=float(x[-1]) if len(x) else 0.0,
        grown_bytes=float(y[-1] - y[0]) if len(y) else 0.0,
        last_bytes=float(y[-1]) if len(y) else 0.0,
    )


def _theil_slope(x: np.ndarray, y: np.ndarray) -> float:
    """The median of all pairwise slopes, which a container that doubles cannot pull."""
    before, after = np.triu_indices(len(x), k=1)
    run = x[after] - x[before]
    apart = run != 0
    return float(np.median((y[after] - y[before])[apart] / run[apart]))
