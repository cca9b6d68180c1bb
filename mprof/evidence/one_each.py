"""Containers that hold as many elements as data were taken in: one dump says that they accumulate.

A list with 50,000 elements after 50,000 records of a group kept one of each.
Agreement by chance is kept out by a narrow band and a least number.
"""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence.facts import Evidence, Holder, Lifecycle, known

__all__ = ["Count", "counts_so_far"]

_LEAST = 100
"""Fewer elements than this agree by chance."""

_OF_ALL = (0.90, 1.01)
"""Elements a record: a container that keeps (nearly) every record."""

_OF_BYTES = (0.40, 1.60)
"""Characters a byte of the group: text decoded to characters of one or two bytes."""

_CHARACTERS = frozenset({None, "byte", "char"})
"""Elements that may be the bytes of records again; None where nothing tells."""


@dataclass(frozen=True, slots=True)
class Count:
    """So many of something were taken in.

    Attributes:
        of: what was counted, in words.
        x: the count in the unit that objects of the lifecycle grow with.
        seen: how many.
        band: least and most elements of each that count as one of each.
        elements: their classes, where not every element will do.
    """

    of: str
    x: float
    seen: int
    band: tuple[float, float] = _OF_ALL
    elements: frozenset[str | None] | None = None

    def is_kept_by(self, holder: Holder) -> bool:
        """Whether the holder has one element of each."""
        if holder.length is None or self.seen < _LEAST:
            return False
        if self.elements is not None and holder.element_class not in self.elements:
            return False
        least, most = self.band
        return least <= holder.length / self.seen <= most


def counts_so_far(evidence: Evidence, lifecycle: Lifecycle) -> tuple[Count, ...]:
    """What was taken in at the death that objects of the lifecycle may have kept."""
    position = known(evidence.position)
    if position is None:
        return ()
    if lifecycle == "map":
        record = position.record or 0
        return (Count("records", float(record), record),)
    if lifecycle == "reduce":
        group, record = position.group or 0, position.record or 0
        # In the first group nothing tells a field that is emptied from one that is not.
        if group < 2:
            return ()
        return (Count("groups", float(group), group), Count("records", float(group), record))
    inside = position.record_in_group or 0
    records = Count("records of the group", float(inside), inside)
    groups = known(evidence.groups)
    if groups is None or groups.current is None or not groups.current.bytes:
        return (records,)
    size = groups.current.bytes
    return (records, Count("bytes of the group", float(inside), size, _OF_BYTES, _CHARACTERS))
