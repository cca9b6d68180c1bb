"""Growth by lifecycle: which objects grow with their data, by which curve, and to what end."""

from __future__ import annotations

from mprof.patterns.growth.curve import (
    NOISE,
    NOISE_SHARE,
    TREND_POINTS,
    Curve,
    fit_curve,
    noise_floor_bytes,
)
from mprof.patterns.growth.element_counts import LEAST_CHARACTERS, MOST_CHARACTERS
from mprof.patterns.growth.find import GROWTH_THRESHOLDS, find_growth
from mprof.patterns.growth.model import Growing
from mprof.patterns.growth.subject import Subject, fitted, subject_of

__all__ = [
    "GROWTH_THRESHOLDS",
    "LEAST_CHARACTERS",
    "MOST_CHARACTERS",
    "NOISE",
    "NOISE_SHARE",
    "TREND_POINTS",
    "Curve",
    "Growing",
    "Subject",
    "find_growth",
    "fit_curve",
    "fitted",
    "noise_floor_bytes",
    "subject_of",
]
