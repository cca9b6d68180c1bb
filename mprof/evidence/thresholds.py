"""The numbers that decide what counts as a fact, each with its reason.

They stand on the page of every rule that takes such a fact, directly or through a pattern.
"""

from __future__ import annotations

from typing import Final

from mprof.objects import LARGE_OBJECT
from mprof.threshold import Threshold
from mprof.trace import DEATH_THRESHOLDS, GIVEN_UP
from mprof.units import MIB

__all__ = [
    "AS_GOOD_AS_FULL",
    "CONSTANT",
    "CONSTANT_POINTS",
    "CURVE_FACTS",
    "ENLARGING_FRAMES",
    "EVIDENCE_THRESHOLDS",
    "EXTERNAL_FACTS",
    "FILE_INFLATION",
    "GIVEN_UP",
    "HEAP_OF_A_KILL",
    "HOLDER_FACTS",
    "LARGE_OBJECT",
    "LEAST_HOLDER",
    "LIVE_HEAP_FACTS",
    "MAJOR_COLLECTIONS",
    "MAPS_COUNTED",
    "MEMORY_FACTS",
    "MOST_OF_IT",
    "NEAR_THE_PEAK",
    "OF_THE_DEATH",
    "OPEN",
    "OPEN_OF_HEAP",
    "PARTITION_FACTS",
    "PEAK_FACTS",
    "RECORD_INFLATION",
    "STILL_THERE",
    "THRESHOLDS_OF_FACTS",
    "WHOLE_COLLECTION",
    "WORTH_A_LINE",
]

LEAST_HOLDER = Threshold(
    "least holder",
    float(MIB),
    "bytes",
    "a third of a large object: a curve needs its small beginnings, and what holds less at death "
    "explains nothing of a heap that ran full",
)

STILL_THERE = Threshold(
    "still there",
    0.80,
    "of the size at death",
    "what was loaded before R_1 is at death at most a quarter larger: else it grew with the data",
)

MOST_OF_IT = Threshold(
    "most of it",
    0.50,
    "of what objects hold at death",
    "objects are of R_n alone, or of more than R_n, by the half of them that was live before",
)

RECORD_INFLATION = Threshold(
    "inflation of a record",
    100.0,
    "heap bytes per byte of a record, at most",
    "a boxed number of one byte in a hash map takes 72 (entry 32, slots 8, key and value 16 each), "
    "and the fields around it the rest: an object that holds more is of more records than one",
)

WHOLE_COLLECTION = Threshold(
    "parts of a record",
    100.0,
    "elements of a collection that a reader holds, at least",
    "a record has some dozens of fields; a collection of a hundred objects is of many records",
)

FILE_INFLATION = Threshold(
    "inflation of a file",
    50.0,
    "heap bytes per byte of a file, at most",
    "ten to one for a gzip, and five heap bytes per byte of text for strings in a hash map",
)

CONSTANT = Threshold(
    "constant",
    0.10,
    "of the largest size",
    "what was loaded once stays within a tenth of its size at every later point: dump sizes repeat "
    "to a percent, and a growing object gains a seventh over the last of seven even intervals",
)

CONSTANT_POINTS = Threshold(
    "points of a load",
    4.0,
    "points",
    "one before the load and three after it, the least that show no trend",
)

OF_THE_DEATH = Threshold(
    "dump of the death",
    0.50,
    "of what the collections before it left",
    "a dump that holds less was made after the task had released its memory: a collection frees "
    "garbage, not half of what was live",
)

AS_GOOD_AS_FULL = Threshold(
    "as good as full",
    0.80,
    "of what live objects may take",
    "the rest is a fifth of it, the least that counts as a jump: a probe of a heap this full "
    "stands for a dump at death that is missing",
)

MAJOR_COLLECTIONS = Threshold(
    "major collections",
    4.0,
    "at different positions",
    "a trend takes three points, its denial four; with fewer the minor collections, which leave "
    "some garbage, are needed too",
)

OPEN = Threshold(
    "left open",
    0.10,
    "of the holder's size, at most",
    "between two dumps, what others hold of the holder's classes lies between its values in both; "
    "as with what is constant, a tenth is less than the seventh that a step of a growing object is",
)

OPEN_OF_HEAP = Threshold(
    "left open of user memory",
    0.02,
    "of the live heap, at most",
    "a tenth of the fifth of the heap that a jump at R_n must be",
)

MAPS_COUNTED = Threshold(
    "maps counted",
    0.50,
    "of the map tasks",
    "the output of half of the map tasks says how it is spread over the reducers, less does not",
)

ENLARGING_FRAMES = Threshold(
    "frames of an enlargement",
    4.0,
    "frames from the top of the stack",
    "Arrays.copyOf stands on the array's constructor, the grow() or resize() of the container on "
    "that, with one helper between them (ArrayList, HashMap, StringBuilder; JDK 8 to 25)",
)

HEAP_OF_A_KILL = Threshold(
    "heap of a kill",
    0.50,
    "of the container that the heap takes",
    "it is then most of what the process used, whatever native memory came on top",
)

MEMORY_FACTS = (GIVEN_UP,)
HOLDER_FACTS = (
    LEAST_HOLDER, LARGE_OBJECT, STILL_THERE, MOST_OF_IT, RECORD_INFLATION, WHOLE_COLLECTION,
    OF_THE_DEATH, AS_GOOD_AS_FULL,
)  # fmt: skip
LIVE_HEAP_FACTS = (MAJOR_COLLECTIONS,)
CURVE_FACTS = (*HOLDER_FACTS, *LIVE_HEAP_FACTS, OPEN)
GROWTH_AT_RECORD_FACTS = (*HOLDER_FACTS, OPEN_OF_HEAP, ENLARGING_FRAMES)
EXTERNAL_FACTS = (*HOLDER_FACTS, OPEN, FILE_INFLATION, CONSTANT, CONSTANT_POINTS)
PARTITION_FACTS = (MAPS_COUNTED,)

WORTH_A_LINE = Threshold(
    "worth a line",
    0.03,
    "of the live heap",
    "a class of less explains nothing of how full the heap was",
)

NEAR_THE_PEAK = Threshold(
    "near the peak",
    0.90,
    "of what was live at the peak",
    "a class histogram of less was made before what filled the heap was there",
)

PEAK_FACTS = (WORTH_A_LINE, NEAR_THE_PEAK)

THRESHOLDS_OF_FACTS: Final = {
    "death": (HEAP_OF_A_KILL, *DEATH_THRESHOLDS),
    "memory": MEMORY_FACTS,
    "composition": HOLDER_FACTS,
    "holders": HOLDER_FACTS,
    "series": CURVE_FACTS,
    "record_growth": GROWTH_AT_RECORD_FACTS,
    "external": EXTERNAL_FACTS,
    "partitions": PARTITION_FACTS,
    "peak": PEAK_FACTS,
}
"""The numbers that decide each fact, by its name; facts that are read off have none."""

EVIDENCE_THRESHOLDS = tuple(
    dict.fromkeys(one for many in THRESHOLDS_OF_FACTS.values() for one in many)
)
"""All of them, once."""
