"""Containers that hold as many elements as data were taken in: one dump shows that they accumulate.

A list with 50,000 elements after 50,000 records of a group kept one of each.
A narrow band and a least number keep agreement by chance out.
"""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Evidence, Holder, Lifecycle, known
from mprof.threshold import Threshold

__all__ = [
    "ELEMENT_COUNT_THRESHOLDS",
    "LEAST_CHARACTERS",
    "MOST_CHARACTERS",
    "Count",
    "counts_so_far",
]

LEAST_COUNT = Threshold(
    "least count",
    100.0,
    "elements",
    "a container of fewer elements agrees with a count of records by chance: within a tenth, one "
    "in ten containers of ten elements would",
)

LEAST_OF_EACH = Threshold(
    "elements of each, at least",
    0.90,
    "elements per record or group",
    "a container that keeps every record but the odd one that is filtered out or met twice",
)

MOST_OF_EACH = Threshold(
    "elements of each, at most",
    1.05,
    "elements per record or group",
    "one element a record, and a few of its own (a sentinel, a header): half the slack below",
)

LEAST_CHARACTERS = Threshold(
    "characters of a byte, at least",
    0.40,
    "characters a byte of the group",
    "text in UTF-8 has one character a byte (ASCII) or one in two or three; below it the text was "
    "not kept whole",
)

MOST_CHARACTERS = Threshold(
    "characters of a byte, at most",
    1.60,
    "characters a byte of the group",
    "one character a byte, and separators between short values",
)

ELEMENT_COUNT_THRESHOLDS = (
    LEAST_COUNT, LEAST_OF_EACH, MOST_OF_EACH, LEAST_CHARACTERS, MOST_CHARACTERS,
)  # fmt: skip
"""All that decide whether a container has one element a record."""

_CHARACTERS = frozenset({None, "byte", "char"})
"""Elements that may be the bytes of records again; None where nothing says."""


@dataclass(frozen=True, slots=True)
class Count:
    """So many of something were taken in.

    Attributes:
        of: what was counted, in words.
        x: the count in the unit that objects of the lifecycle grow with.
        seen: how many.
        elements: classes of the characters of a text, where bytes were counted; None where records
            or groups were, and elements of any class may stand for them.
    """

    of: str
    x: float
    seen: int
    elements: frozenset[str | None] | None = None

    def is_kept_by(self, holder: Holder) -> bool:
        """Whether the holder has one element of each."""
        if holder.length is None or self.seen < LEAST_COUNT.value:
            return False
        if self.elements is None:
            least, most = LEAST_OF_EACH.value, MOST_OF_EACH.value
        elif holder.element_class in self.elements:
            least, most = LEAST_CHARACTERS.value, MOST_CHARACTERS.value
        else:
            return False
        return least <= holder.length / self.seen <= most


def counts_so_far(evidence: Evidence, lifecycle: Lifecycle) -> tuple[Count, ...]:
    """What was taken in at the death that objects of the lifecycle may have kept."""
    position = known(evidence.position)
    if position is None:
        return ()
    record, group, inside = position.records, position.groups, position.records_of_group
    if lifecycle == "map":
        return (Count("records", float(record), record),)
    groups = known(evidence.groups)
    if lifecycle == "group":
        size = groups.bytes_so_far if groups is not None else 0
        return (
            Count("records of the group", float(inside), inside),
            Count("bytes of the group", float(inside), size, _CHARACTERS),
        )
    # In the first group nothing tells a field that is emptied from one that is not; nor does it
    # where one group has nearly all records: the next one may empty it, once it is met.
    if group <= 1:
        return ()
    by_group, by_record = (
        Count("groups", float(group), group),
        Count("records", float(group), record),
    )
    if groups is not None and groups.largest_records >= LEAST_OF_EACH.value * record:
        return (by_group,)
    return (by_group, by_record)
