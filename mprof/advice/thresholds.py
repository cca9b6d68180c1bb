"""The numbers that decide what is advised, each with its reason."""

from __future__ import annotations

from typing import Final

from mprof.messages.thresholds import HEAP_TOO_LARGE, SPARE_OF_A_PEAK
from mprof.threshold import Threshold
from mprof.units import MIB

__all__ = [
    "ADVICE_THRESHOLDS",
    "FAR_INTO",
    "HEADROOM",
    "HEAP_TOO_LARGE",
    "LARGE_KEY",
    "LEAST_MORE_HEAP",
    "LEAST_RATIO",
    "LEAST_SORT_BUFFER",
    "LIVE_OF_A_BOUND",
    "MORE_THAN_KILLED",
    "MOST_OF_USABLE",
    "NEARBY",
    "OF_THE_ROOM",
    "OF_THE_SHUFFLE",
    "OF_THE_SORT_BUFFER",
    "ROOM_TO_SEE",
    "SPARE_OF_A_PEAK",
    "UNKNOWN_MAPPER",
]

HEADROOM: Final = Threshold(
    "headroom", 0.85, "share of what live objects may take",
    "advised settings aim at it: a fit over seven points and a collector near its limit are both"
    " good to about a tenth",
)  # fmt: skip

MOST_OF_USABLE: Final = Threshold(
    "most of usable", 0.90, "share of what live objects may take",
    "a setting that leaves less is not advised: a fit over seven points, and a collector near its"
    " limit, are both good to about a tenth",
)  # fmt: skip

LEAST_MORE_HEAP: Final = Threshold(
    "least more heap", 1.25, "times -Xmx",
    "a heap that is a quarter larger is the least that is worth another run",
)  # fmt: skip

ROOM_TO_SEE: Final = Threshold(
    "room to see the peak", 2.0, "times -Xmx",
    "where nothing says how much the rest of the input needs, the heap in which it is tried",
)  # fmt: skip

OF_THE_ROOM: Final = Threshold(
    "of the room", 0.5, "of the room beside everything else",
    "what a library counts of its own is about half of what it takes: HBase leaves out the entry of"
    " the tree that keeps a cell, Hive what the values of some functions hold, a bag of Pig is"
    " written beside its bytes that are written already; and a late flush must still fit",
)  # fmt: skip

OF_THE_SORT_BUFFER: Final = Threshold(
    "of the sort buffer", 0.5, "of the sort buffer that it died with, at most",
    "the collector, and the records in flight, want the other half",
)  # fmt: skip

LEAST_SORT_BUFFER: Final = Threshold(
    "least sort buffer", float(16 * MIB), "bytes",
    "a smaller one spills so often that the merge of the spills costs more than it saves",
)  # fmt: skip

UNKNOWN_MAPPER: Final = Threshold(
    "unknown mapper", 0.25, "share of what live objects may take",
    "given to a mapper that never began, of which nothing is known",
)  # fmt: skip

OF_THE_SHUFFLE: Final = Threshold(
    "of the shuffle", 2 / 3, "of the bound that it died with, at most",
    "the shuffle allocates whole segments, and the collector needs free room in one piece for them",
)  # fmt: skip

LEAST_RATIO: Final = Threshold(
    "least ratio", 0.10, "share of the heap",
    "half of what the rule of the shuffle calculates with: less makes every segment go to disk",
)  # fmt: skip

LARGE_KEY: Final = Threshold(
    "large key", 1.5, "times the mean partition",
    "keys that are small beside a partition are cut to within a few percent of the mean"
    " (`KeySample`, an entry stands for 1/256 of a map output); half as much again is one key's"
    " doing",
)  # fmt: skip

MORE_THAN_KILLED: Final = Threshold(
    "more than was killed", 1.5, "times what the container had reached",
    "it was killed on its way up, and nothing says how far that led",
)  # fmt: skip

NEARBY: Final = Threshold(
    "nearby", 0.01, "of the records before",
    "a heap that is full of something else lets so few more through",
)  # fmt: skip

FAR_INTO: Final = Threshold(
    "far into", 0.1, "of the records of the group that was left out",
    "what dies before it has met so many of another group was full already",
)  # fmt: skip

LIVE_OF_A_BOUND: Final = Threshold(
    "live of a bound", 0.5, "of what the fullest collection left",
    "a full collection that leaves less than half of it came at another time",
)  # fmt: skip

ADVICE_THRESHOLDS: Final = (
    HEADROOM, MOST_OF_USABLE, LEAST_MORE_HEAP, ROOM_TO_SEE, OF_THE_ROOM, OF_THE_SORT_BUFFER,
    LEAST_SORT_BUFFER, UNKNOWN_MAPPER, OF_THE_SHUFFLE, LEAST_RATIO, LARGE_KEY, HEAP_TOO_LARGE,
    SPARE_OF_A_PEAK, MORE_THAN_KILLED, NEARBY, FAR_INTO, LIVE_OF_A_BOUND,
)  # fmt: skip
