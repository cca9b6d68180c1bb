"""How often the law of growth is the right one, by simulation: docs/reference/growth-laws.md.

Each law is drawn with 1 % of noise at seven or eight points that are jittered by a third of the
distance between two of them, as a plan of probes sets them, and `fit_law` sees nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from mprof.patterns.growth.laws import Law, fit_law
from mprof.units import MIB

__all__ = ["CONSTANT", "DRAWN", "Drawn", "Rates", "draw", "growth_laws_page", "rates_of", "truth"]

NOISE_SHARE: Final = 0.01
FLOOR_BYTES: Final = 3.0 * MIB
LAST_BYTES: Final = 200.0 * MIB
LAST_X: Final = 100_000.0
DRAWS: Final = 150
SEED: Final = 2026
AHEAD: Final = (1.5, 2.0)


@dataclass(frozen=True, slots=True)
class Drawn:
    """One law to draw from.

    Attributes:
        name: in words.
        f: of u = x / (largest x), not negative.
        shapes: the words of `Law.shape` that are right.
    """

    name: str
    f: Callable[[np.ndarray], np.ndarray]
    shapes: tuple[str, ...]


# No third parameter lies on the grid of those that are fitted. At seven points the logarithm of
# 400 times the data differs from a low power by a percent: either will do.
DRAWN: Final = (
    Drawn("linear", lambda u: u, ("linear",)),
    Drawn("u^0.43", lambda u: u**0.43, ("concave",)),
    Drawn("u^0.72", lambda u: u**0.72, ("concave",)),
    Drawn("u^1.33", lambda u: u**1.33, ("convex",)),
    Drawn("u^1.62", lambda u: u**1.62, ("convex",)),
    Drawn("u^2.23", lambda u: u**2.23, ("convex",)),
    Drawn("ln(1 + 40 u)", lambda u: np.log1p(40 * u), ("logarithmic",)),
    Drawn("ln(1 + 400 u)", lambda u: np.log1p(400 * u), ("logarithmic", "concave")),
    Drawn("u ln(1 + 4000 u)", lambda u: u * np.log1p(4000 * u), ("n log n",)),
    Drawn("u ln(1 + 100,000 u)", lambda u: u * np.log1p(1e5 * u), ("n log n",)),
    Drawn("1 - exp(-u / 0.27)", lambda u: -np.expm1(-u / 0.27), ("saturating",)),
    Drawn("1 - exp(-u / 0.53)", lambda u: -np.expm1(-u / 0.53), ("saturating",)),
    Drawn("min(u, 0.41)", lambda u: np.minimum(u, 0.41), ("bounded",)),
    Drawn("min(u, 0.62)", lambda u: np.minimum(u, 0.62), ("bounded",)),
    Drawn("max(0, u - 0.31)", lambda u: np.maximum(0.0, u - 0.31), ("late",)),
    Drawn("max(0, u - 0.56)", lambda u: np.maximum(0.0, u - 0.56), ("late",)),
)
CONSTANT: Final = Drawn("constant", np.ones_like, ("flat",))


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of the draws of one law, 0 to 1.

    Attributes:
        grows: it was called growing.
        chosen: the right family was chosen.
        near: what was predicted at twice the range is within a tenth of the truth.
        covered: the interval holds the truth, at each of `AHEAD`.
    """

    grows: float
    chosen: float
    near: float
    covered: tuple[float, ...]


def draw(law: Drawn, count: int, rng: np.random.Generator) -> list[tuple[float, float]]:
    """So many (x, bytes) points of a law, jittered, with noise; the first at 0."""
    u = np.arange(count) + rng.uniform(-1 / 3, 1 / 3, count)
    u[0] = 0.0
    u /= u[-1]
    noise = 1 + NOISE_SHARE * rng.standard_normal(count)
    sizes = law.f(u) * _scale(law) * noise
    return [(float(x), float(y)) for x, y in zip(u * LAST_X, sizes, strict=True)]


def truth(law: Drawn, times: float) -> float:
    """Bytes of the law at so many times the range."""
    return float(law.f(np.array([times]))[0]) * _scale(law)


def _scale(law: Drawn) -> float:
    return LAST_BYTES / float(law.f(np.array([1.0]))[0])


def rates_of(law: Drawn, count: int, *, draws: int = DRAWS, seed: int = SEED) -> Rates:
    """How often the fit of so many points says what the law is."""
    rng = np.random.default_rng([seed, count])
    found = [fit_law(draw(law, count, rng), noise_floor_bytes=FLOOR_BYTES) for _ in range(draws)]
    far = truth(law, AHEAD[-1])
    return Rates(
        grows=_share(one.grows for one in found),
        chosen=_share(one.shape in law.shapes for one in found),
        near=_share(abs(one.at(AHEAD[-1] * LAST_X) / far - 1) <= 0.1 for one in found),
        covered=tuple(_share(_covers(one, law, times) for one in found) for times in AHEAD),
    )


def _covers(found: Law, law: Drawn, times: float) -> bool:
    x = times * LAST_X
    return found.at_least(x) <= truth(law, times) <= found.at_most(x)


def _share(said: Iterable[bool]) -> float:
    return float(np.mean(list(said)))


def growth_laws_page() -> str:
    """The page of the documentation."""
    rows = [_row(law, rates_of(law, 7), rates_of(law, 8)) for law in DRAWN]
    of_constant = [f"{100 * rates_of(CONSTANT, count).grows:.0f}" for count in (7, 8)]
    rows.append(f"| constant | {' / '.join(of_constant)} | | | | |")
    return _PAGE.format(draws=DRAWS, rows="\n".join(rows))


def _row(law: Drawn, of_seven: Rates, of_eight: Rates) -> str:
    cells = [
        f"{100 * getattr(one, name):.0f}"
        for name in ("grows", "chosen", "near")
        for one in (of_seven, of_eight)
    ]
    covered = [f"{100 * one.covered[i]:.0f}" for i in range(2) for one in (of_seven, of_eight)]
    pairs = [*cells, *covered]
    columns = [f"{pairs[i]} / {pairs[i + 1]}" for i in range(0, len(pairs), 2)]
    return f"| {law.name} | " + " | ".join(columns) + " |"


_PAGE: Final = """\
# Laws of growth

mprof fits the growth of an object with one of seven laws, y = a + b f(u), where u is x divided by the largest x measured.
The law decides how large the object is predicted to become over the rest of the data, and what the advice is.

| law | f | typical of |
|---|---|---|
| linear | u | one element a record |
| power | u^k, k from 0.1 to 4 | distinct values (k < 1), pairs (k = 2) |
| logarithmic | ln(1 + c u) | distinct values from a small set |
| n log n | u ln(1 + c u) | sorted runs, indexes |
| saturating | 1 - exp(-u / t) | distinct values from a limited set |
| bounded | min(u, c) | a cache that is full at c |
| late | max(0, u - c) | growth that starts after c |

Sizes that are flat, that were loaded in one step, or that fall when a buffer is flushed are recognized before any law is fitted.
The laws are fitted by least squares and compared by the corrected Akaike information criterion (AICc); sizes are assumed to repeat to 1 % at best.
Every law within 6 units of the best is supported: the prediction interval covers all supported laws and twice the noise.
Fewer than five points cannot decide between laws: the fit is then a line, and the interval runs from the square-root law to the square law.
The docstring of `mprof/patterns/growth/laws.py` has the formulas and their sources.

## Error rates

{draws} draws each, with 1 % noise, at seven and at eight points, jittered by a third of their spacing.
All numbers are percentages of the draws, for seven / for eight points. *near*: the prediction at twice the range is within a tenth of the truth. *covered*: the interval contains the truth at 1.5 and at 2 times the range.
The third parameter of a drawn law never lies on the grid of the fitted ones.

| drawn from | called growing | law chosen | near at 2 | covered at 1.5 | covered at 2 |
|---|---|---|---|---|---|
{rows}

Made by `python -m reliability.growth_laws docs/reference/growth-laws.md`.
"""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(growth_laws_page(), encoding="utf-8")
