"""The numbers that more than one rule decides by, each with its reason."""

from __future__ import annotations

from mprof.evidence.fences import FENCE_MINIMUM
from mprof.evidence.growth import NOISE_FLOOR_BYTES
from mprof.rules.rule import Threshold

__all__ = [
    "FENCE_SAMPLES",
    "GINI",
    "HUGE",
    "NEARLY_FINISHED",
    "NOISE",
    "SHARP",
    "VERIFIED",
]

HUGE = Threshold(
    "huge",
    0.30,
    "share of the heap that live objects may take",
    'the paper\'s own number for huge objects (Table 5: "e.g., occupies 30% of the memory space"); '
    "the smallest accumulation among its 28 cases was 36 %",
)

SHARP = Threshold(
    "sharp",
    0.20,
    "share of the heap that live objects may take",
    "the smallest record-level result that the paper diagnoses was 28 % (282 MB of 1 GB, "
    "case study 1); below a fifth another record would have done as well",
)

NEARLY_FINISHED = Threshold(
    "nearly finished",
    0.80,
    "share of the input",
    'the paper\'s number (Table 7: "e.g., 80%")',
)

GINI = Threshold(
    "uneven",
    0.40,
    "Gini index",
    'the paper\'s number (Table 6: "Gini > 0.4"), over its Figure 7 form',
)

FENCE_SAMPLES = Threshold(
    "samples of a fence",
    float(FENCE_MINIMUM),
    "values before the one compared",
    "of five or fewer values none can stand above their own fence: the largest makes up half of "
    "the upper quartile",
)

NOISE = Threshold(
    "noise floor",
    float(NOISE_FLOOR_BYTES),
    "bytes, or half a percent of the heap where that is more",
    'the paper looks at user objects of "e.g. 3MB+"; where all values before were alike the '
    "interquartile range is 0 and anything would be an outlier",
)

VERIFIED = Threshold(
    "verified share",
    0.50,
    "share of the growth at R_n that R_n alone shows again",
    "of the published reruns, one record's own results came again whole (385 of 385 MB), while of "
    "a container that doubled at most a quarter did (30 of 121 MB, 0.1 of 202 MB)",
)
