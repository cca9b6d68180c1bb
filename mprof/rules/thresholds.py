"""The numbers that more than one rule decides by, each with its reason."""

from __future__ import annotations

from mprof.evidence.fences import FENCE_MINIMUM
from mprof.evidence.growth import NOISE_FLOOR_BYTES
from mprof.rules.rule import Threshold

__all__ = [
    "FENCE_SAMPLES",
    "GINI",
    "HUGE",
    "IN_ONE_PIECE",
    "JUMP",
    "LEAST_ROOM",
    "NEARLY_FINISHED",
    "NEXT_ARRAY",
    "NOISE",
    "SHARP",
    "VERIFIED",
    "WORTH_A_RUN",
]

HUGE = Threshold(
    "huge",
    0.30,
    "share of the heap that live objects may take",
    'the paper\'s own number for huge objects (Table 5: "e.g., occupies 30% of the memory space"); '
    "the smallest accumulation among its 28 cases was 36 %",
)

LEAST_ROOM = Threshold(
    "least room",
    0.40,
    "share of the heap that counts as left by the framework, at least",
    "beside larger buffers a huge share of what they leave would be less than 12 % of the heap, "
    "which no accumulation worth naming is",
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

WORTH_A_RUN = Threshold(
    "worth a run",
    0.10,
    "share of the heap that the framework leaves",
    "what grows over a group that nobody counted to its end, and has a third of what is huge: "
    "the group need only be three times as large",
)

JUMP = Threshold(
    "jump",
    1.5,
    "times the last measured size",
    "the last of seven even intervals adds a sixth to what grows in proportion to the data; half "
    "as much again is a container's enlargement, or one record's",
)

NEXT_ARRAY = Threshold(
    "next array",
    4.0,
    "times what a container holds, of room that was free",
    "the array that it was refused is at most twice as large, and half of the room may lie in "
    "pieces (G1 refused 26 MB where 39 MB were free)",
)

IN_ONE_PIECE = Threshold(
    "in one piece",
    0.50,
    "share of the free room that one object finds at least",
    "Serial and Parallel move everything together and leave all of it; G1 places a large object in "
    "adjacent regions, and moves no large one to make room",
)
