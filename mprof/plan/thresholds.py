"""The numbers that decide what the next run measures, each with its reason."""

from __future__ import annotations

from typing import Final

from mprof.threshold import Threshold
from mprof.units import MIB

__all__ = [
    "AGREE",
    "BUDGET",
    "COMING_AND_GOING",
    "CONCURRENT",
    "IN_WORK",
    "LARGER",
    "LIVE_AT_FIRST",
    "MADE_IN_TIME",
    "MEASURED_HEAP",
    "PLAN_THRESHOLDS",
    "SPARE",
    "SPARE_OF_VIRTUAL",
    "WITH_THE_PROBE",
]

BUDGET: Final = Threshold(
    "budget of the probes", 0.10, "of the time that the task took until it failed",
    "the probes may take so much of the rerun's: nobody waits notably longer for it",
)  # fmt: skip

MEASURED_HEAP: Final = Threshold(
    "measured heap", float(64 * MIB), "bytes of live objects",
    "a probe of a smaller heap takes its seconds for starting, and says little about those that a"
    " byte takes",
)  # fmt: skip

LIVE_AT_FIRST: Final = Threshold(
    "live at first", 0.10, "share of the heap",
    "what a task holds before its first record, where no collection says: it only weighs the first"
    " probes of a plan",
)  # fmt: skip

COMING_AND_GOING: Final = Threshold(
    "coming and going", 0.05, "of the live heap",
    "so much may come and go beside the user's memory and histograms can still be read: the size of"
    " a holder may be open by a tenth, and it is what holds most of the heap that a rule asks of",
)  # fmt: skip

MADE_IN_TIME: Final = Threshold(
    "made in time", 0.8, "of what the collections before it left",
    "a dump that holds less was made after the task had given up, and is no witness of the death",
)  # fmt: skip

CONCURRENT: Final = Threshold(
    "concurrent", 0.5, "of the records that the failed task had read",
    "a concurrent task that had read so much may die first next time, because dumps slow the failed"
    " one down",
)  # fmt: skip

LARGER: Final = Threshold(
    "larger container", 2.0, "times the container that was killed, at least",
    "what grows without bound is then seen to",
)  # fmt: skip

SPARE: Final = Threshold(
    "spare of the container", float(128 * MIB), "bytes",
    "beside the whole heap and what was seen outside it, which may grow with the heap",
)  # fmt: skip

SPARE_OF_VIRTUAL: Final = Threshold(
    "spare of virtual memory", 1.25, "times the virtual memory that was used",
    "the limit that killed it is a multiple of the container, so the container has to grow as much"
    " as the use went over; a quarter more, because it was killed on its way up",
)  # fmt: skip

AGREE: Final = Threshold(
    "same room", 0.02, "of the heap",
    "the tolerance of the agent (`SameRoom.TOLERANCE`), in which rooms are the same",
)  # fmt: skip

IN_WORK: Final = Threshold(
    "much in work", 0.05, "of the heap",
    "the margin of the agent (`SameRoom.MARGIN`); with less in work R_n lives in it",
)  # fmt: skip

WITH_THE_PROBE: Final = Threshold(
    "with the probe", 4, "events",
    "between that of a probe and that of its collection, which comes on a thread of its own",
)  # fmt: skip

PLAN_THRESHOLDS: Final = (
    BUDGET, MEASURED_HEAP, LIVE_AT_FIRST, COMING_AND_GOING, MADE_IN_TIME, CONCURRENT, LARGER, SPARE,
    SPARE_OF_VIRTUAL, AGREE, IN_WORK, WITH_THE_PROBE,
)  # fmt: skip
