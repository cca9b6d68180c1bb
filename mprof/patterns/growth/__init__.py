"""Growth by lifecycle: which objects grow with their data, by which law, and to what end."""

from __future__ import annotations

from mprof.patterns.growth.element_counts import (
    LEAST_CHARACTERS,
    MOST_CHARACTERS,
    counts_so_far,
)
from mprof.patterns.growth.find import GROWTH_THRESHOLDS, find_growth
from mprof.patterns.growth.growth import Growing
from mprof.patterns.growth.laws import (
    NOISE,
    NOISE_SHARE,
    TREND_POINTS,
    Law,
    fit_law,
    noise_floor_bytes,
)
from mprof.patterns.growth.subject import Subject, fitted, subject_of

__all__ = [
    "GROWTH_THRESHOLDS",
    "LEAST_CHARACTERS",
    "MOST_CHARACTERS",
    "NOISE",
    "NOISE_SHARE",
    "TREND_POINTS",
    "Growing",
    "Law",
    "Subject",
    "counts_so_far",
    "find_growth",
    "fit_law",
    "fitted",
    "noise_floor_bytes",
    "subject_of",
]
