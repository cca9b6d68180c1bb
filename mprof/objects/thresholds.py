"""The numbers that decide whose memory it is, each with its reason."""

from __future__ import annotations

from typing import Final

from mprof.threshold import Threshold
from mprof.units import KIB, MIB

__all__ = [
    "CLASS_OF_A_HOLDER",
    "GARBAGE",
    "GROWN_FULL",
    "LARGE_OBJECT",
    "LEADS_ON",
    "LEAST_LEFTOVER",
    "LEAST_SLOTS",
    "LISTED",
    "MANY",
    "OBJECT_THRESHOLDS",
    "SIDE_BY_SIDE",
]

LARGE_OBJECT: Final = Threshold(
    "large object", float(3 * MIB), "bytes",
    'the paper looks at user objects of "e.g. 3MB+" (section 5.1)',
)  # fmt: skip

LISTED: Final = Threshold(
    "listed", float(64 * KIB), "bytes",
    "holders from this size on are listed: a curve needs its small beginnings too",
)  # fmt: skip

CLASS_OF_A_HOLDER: Final = Threshold(
    "class of a holder", 0.01, "of the holder",
    "a class that takes less says nothing about its size",
)  # fmt: skip

LEADS_ON: Final = Threshold(
    "leads on", 0.5, "of what an object keeps",
    "a path goes on into the one field that keeps most of it; where no field does, it ends",
)  # fmt: skip

GARBAGE: Final = Threshold(
    "garbage at death", 0.1, "of the bytes that are unreachable, at most",
    "full collections precede the error, so little garbage is left: what died since the last of"
    " them",
)  # fmt: skip

GROWN_FULL: Final = Threshold(
    "full when grown", 0.2, "of the slots",
    "an array that doubles is half full right after that, the table of a hash map three eighths,"
    " one of open addressing a quarter: what is emptier was made for other contents",
)  # fmt: skip

LEAST_SLOTS: Final = Threshold(
    "slots of a list", 1000, "elements",
    "a shorter array may have one of the lengths of an ArrayList by chance: 12 of the numbers below"
    " 1000 are such lengths, and of all that follow hardly any",
)  # fmt: skip

MANY: Final = Threshold(
    "many read ahead", 100, "elements",
    "a record has some dozens of fields: so many elements are records",
)  # fmt: skip

LEAST_LEFTOVER: Final = Threshold(
    "least leftover", float(64 * KIB), "bytes",
    "a smaller array that a merge still pins is a buffer and no segment of map output",
)  # fmt: skip

SIDE_BY_SIDE: Final = Threshold(
    "side by side", 100, "objects",
    "a registry of a library has some dozens of objects that the user gave to it, each a holder by"
    " itself; more than that are data, which the registry holds",
)  # fmt: skip

OBJECT_THRESHOLDS: Final = (
    LARGE_OBJECT, LISTED, CLASS_OF_A_HOLDER, LEADS_ON, GARBAGE, GROWN_FULL, LEAST_SLOTS,
    MANY, LEAST_LEFTOVER, SIDE_BY_SIDE,
)  # fmt: skip
