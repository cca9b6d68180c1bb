"""G_m, and the groups to compare it with."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mprof.evidence.distribution import Distribution
from mprof.evidence.unknown import Unknown

__all__ = ["Group", "GroupSizes"]

_NO_LOG = Unknown("the event log of this attempt", "run")


@dataclass(frozen=True, slots=True)
class Group:
    """One group; `whole` when it was counted to its end."""

    ordinal: int | None
    records: int
    bytes: int | None = None
    digest: str | None = None
    key: str | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class GroupSizes:
    """G_m and the groups to compare it with.

    Attributes:
        current: G_m, None before the first group.
        other_records: records of every other group seen, G_m not among them.
        other_bytes: their key and value bytes.
        all_reducers: the others are those of all reducers (of all combine calls of this
            task for combine), each read to its end; else some are missing. Of this reducer
            they are those before G_m, and those after it where they were counted.
        passed_records: of them those that user code is known to have got through; None where that
            is not told apart.
        passed_bytes: their key and value bytes.
        largest: the largest group of this partition seen so far, G_m included, by bytes
            where they are known, else by records.
        counted: G_m as far as it was counted after the failure, or in a verification; None where
            neither was done.
    """

    current: Group | None
    other_records: Distribution | Unknown = _NO_LOG
    other_bytes: Distribution | Unknown = _NO_LOG
    all_reducers: bool = False
    largest: Group | None = None
    counted: Group | None = None
    passed_records: Distribution | None = None
    passed_bytes: Distribution | None = None

    @property
    def bytes_so_far(self) -> int:
        """Key and value bytes of G_m at the death; 0 where they were not counted."""
        return (self.current.bytes if self.current is not None else None) or 0

    @property
    def largest_records(self) -> int:
        """Records of the largest group of the partition that was seen; 0 where none was."""
        return self.largest.records if self.largest is not None else 0

    @property
    def whole(self) -> Group | None:
        """G_m counted to its end, with its ordinal; None where nobody has.

        A count of fewer records than the user's code had met is of another group.
        """
        current, counted = self.current, self.counted
        met = current.records if current is not None else 0
        if counted is not None and counted.whole and counted.records >= met:
            return replace(counted, ordinal=current.ordinal if current else counted.ordinal)
        return current if current is not None and current.whole else None
