"""The numbers that decide what a message says, each with its reason; advice shares some."""

from __future__ import annotations

from typing import Final

from mprof.threshold import Threshold

__all__ = [
    "BUFFER_OF_HEAP",
    "HALF_OF_A_SHARE",
    "HEAP_OF_CONTAINER",
    "HEAP_TOO_LARGE",
    "SPARE_OF_A_PEAK",
    "TIMES_A_LIMIT",
    "WORTH_TELLING",
]

HALF_OF_A_SHARE: Final = 0.5
"""As Hive itself suggests: MapAggrMemErrorHeuristic halves the share."""

HEAP_OF_CONTAINER: Final = 0.8
"""Hadoop's own `mapreduce.job.heap.memory-mb.ratio` (mapred-default.xml)."""

WORTH_TELLING: Final = Threshold(
    "worth telling", 0.10, "share of what live objects may take",
    "less than a tenth of the heap does not fill it, so a known leak of that class is not worth a"
    " line",
)  # fmt: skip

BUFFER_OF_HEAP: Final = Threshold(
    "buffer of the heap", 0.5, "share of -Xmx",
    "one array has to stand in the old generation, two thirds of the heap with Serial and Parallel;"
    " Hadoop's own defaults are 100 MB in 200 MB",
)  # fmt: skip

TIMES_A_LIMIT: Final = Threshold(
    "times a limit", 2.0, "times the limit that was reached",
    "nothing says how much more is wanted: doubled, a few runs find it, none takes far too much",
)  # fmt: skip

HEAP_TOO_LARGE: Final = Threshold(
    "heap too large", 0.9, "share of the container",
    "a larger heap leaves too little for code, threads and buffers, 60 to 150 MB in a task: Hadoop"
    " itself gives the heap 0.8 (`mapreduce.job.heap.memory-mb.ratio`)",
)  # fmt: skip

SPARE_OF_A_PEAK: Final = Threshold(
    "spare of a peak", 1.1, "times the peak that was measured",
    "the peak of a process differs from run to run by a few per cent, and one kilobyte too many"
    " kills it",
)  # fmt: skip
