"""How much of the heap is much."""

from __future__ import annotations

from mprof.threshold import Threshold

__all__ = ["HUGE", "ONE_OF_SEVERAL", "WORTH_A_RUN"]

HUGE = Threshold(
    "huge",
    0.30,
    "share of the heap that live objects may take",
    'the paper\'s own number for huge objects (Table 5: "e.g., occupies 30% of the memory space"); '
    "the smallest accumulation among its 28 cases was 36 %",
)

ONE_OF_SEVERAL = Threshold(
    "one of several",
    0.22,
    "share of the heap that live objects may take",
    "where nothing holds 30 %, what grows is still what will not fit: four equal consumers hold a "
    "fourth each, less an eighth of it for what nobody owns",
)

WORTH_A_RUN = Threshold(
    "worth a run",
    0.10,
    "share of the heap that the framework leaves",
    "what grows over a group that nobody counted to its end, and has a third of what is huge: "
    "the group need only be three times as large",
)
