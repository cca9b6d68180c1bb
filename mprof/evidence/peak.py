"""How full the heap of an attempt was at its fullest, and of what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Peak", "PeakPart"]


@dataclass(frozen=True, slots=True)
class PeakPart:
    """A part of the live heap.

    Attributes:
        of: the sort buffer, the map output that a reducer holds, or all objects of a class.
        bytes: its size.
        class_name: in Java source form, of a class.
    """

    of: Literal["sort buffer", "shuffle", "class"]
    bytes: int
    class_name: str | None = None


@dataclass(frozen=True, slots=True)
class Peak:
    """The fullest that the heap of an attempt was seen.

    Attributes:
        live_bytes: what was live then.
        at_most: only minor collections were seen: they leave garbage too, so less was live.
        records: input records taken in by then; None where they were not counted.
        records_in_all: input records that the attempt took in, to its end.
        groups_in_all: groups of a reduce attempt, to its end.
        parts: the largest first; what they do not add up to was not looked at.
        most_left_bytes: the most that any collection left in use, garbage included.
        collections: how many there were while map() or reduce() was called.
        later_bytes: where only minor collections came after what full ones showed: what may have
            been live then, where that is more; else None.
        briefly_bytes: what minor collections left at other times, where that is more: it may have
            been live and gone again by the next full one, as open writers are; else None.
        looked_at: whether a class histogram was made near it, so that `parts` has classes.
    """

    live_bytes: int
    at_most: bool
    records: int | None = None
    records_in_all: int | None = None
    groups_in_all: int | None = None
    parts: tuple[PeakPart, ...] = ()
    looked_at: bool = False
    most_left_bytes: int | None = None
    collections: int = 0
    later_bytes: int | None = None
    briefly_bytes: int | None = None
