"""The numbers that decide how an attempt died, each with its reason."""

from __future__ import annotations

from typing import Final

from mprof.threshold import Threshold

__all__ = ["COLLECTING", "DEATH_THRESHOLDS", "GIVEN_UP", "MOST_OF_THE_TIME", "QUIET"]

GIVEN_UP: Final = Threshold(
    "given up",
    0.80,
    "of -Xmx",
    "a collector gives up with the heap at least this full; less means that one allocation was too "
    "large, and what was live then is no limit",
)

COLLECTING: Final = Threshold(
    "collecting",
    0.70,
    "of the time, at least",
    "Parallel GC alone throws an error for this, at 98 % (-XX:GCTimeLimit). With -Xmx200m, a "
    "program that allocates without a pause stood still for 43 % (Serial) and 52 % (Parallel) of "
    "the time with a tenth of the heap free, and a mapper that crawled until its timeout for 86 %",
)

MOST_OF_THE_TIME: Final = Threshold(
    "most of the time without progress",
    0.50,
    "of mapreduce.task.timeout",
    "what took the larger part of it is what the task was killed for",
)

QUIET: Final = Threshold(
    "quiet heap",
    0.70,
    "of the heap, after a full collection",
    "Serial and Parallel give what lives long two thirds of the heap: with more left than that, "
    "the heap is short as well, whatever stands beside it",
)

DEATH_THRESHOLDS: Final = (GIVEN_UP, COLLECTING, MOST_OF_THE_TIME)
