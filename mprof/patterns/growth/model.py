"""Objects that grow with their data: what was seen, the law of it, and where the data ends."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Holder, HolderKey, Lifecycle, Source, Unit
from mprof.patterns.finding import Confidence
from mprof.patterns.growth.laws import Law
from mprof.patterns.where import Where, where_of, where_of_key

__all__ = ["Growing"]


@dataclass(frozen=True, slots=True)
class Growing:
    """Objects of one lifecycle that grow continuously.

    Attributes:
        lifecycle: theirs.
        unit: what x counts.
        laws: one a series; empty where a single dump showed it.
        holders: at death, largest first; empty without a dump.
        held_bytes: what they hold at death, else at the last point.
        x_now: x at death, else at the last point.
        source: of the points.
        confidence: `sure` for the holder's own sizes in dumps, or between two that leave little
            of them open, `likely` where two other observations had to be joined, `possible` where
            nothing says whose memory it is.
        how: a phrase for people.
        keys: logical keys of what grew, in the order of `laws`; empty where no series has one.
        by_group: it grows so much a group, whatever the group's size: a line over the groups
            explains it clearly better than one over their records.
        end_x: x at the end of the split, of the partition or of G_m; None where that is not known.
    """

    lifecycle: Lifecycle
    unit: Unit
    laws: tuple[Law, ...]
    holders: tuple[Holder, ...]
    held_bytes: int
    x_now: float
    source: Source
    confidence: Confidence
    how: str
    keys: tuple[HolderKey, ...] = ()
    by_group: bool = False
    end_x: float | None = None

    def at(self, x: float) -> float:
        """The bytes predicted at x; through the origin where a single dump showed it."""
        if not self.laws:
            return self.held_bytes * x / self.x_now if self.x_now > 0 else float(self.held_bytes)
        rise = sum(law.at(x) - law.last_bytes for law in self.laws)
        # The fit is tied to the last point measured, so that a jump at R_n, which may be a
        # container that doubled, does not count as growth.
        return self.measured_bytes + rise

    def at_least(self, x: float) -> float:
        """The smaller end of the interval of what is predicted at x."""
        if not self.laws:
            return min(self.at(x), float(self.held_bytes))
        return self.measured_bytes + sum(law.at_least(x) - law.last_bytes for law in self.laws)

    def at_most(self, x: float) -> float:
        """The larger end of the interval of what is predicted at x."""
        if not self.laws:
            return max(self.at(x), float(self.held_bytes))
        return self.measured_bytes + sum(law.at_most(x) - law.last_bytes for law in self.laws)

    @property
    def measured_bytes(self) -> float:
        """Bytes at the last point measured before R_n."""
        if not self.laws:
            return float(self.held_bytes)
        if self.source == "dump":
            return sum(law.last_bytes for law in self.laws)
        # Of the whole live heap only the rise can be theirs; what had risen before the first
        # collection is read off the law, which may go below nothing there: the heap did not.
        starts = (min(max(law.at(0.0), 0.0), law.last_bytes) for law in self.laws)
        return sum(law.last_bytes for law in self.laws) - sum(starts)

    @property
    def bytes_per_unit(self) -> float:
        """Bytes a unit of x over the whole range."""
        if self.laws:
            return sum(law.slope for law in self.laws)
        return self.held_bytes / self.x_now if self.x_now > 0 else 0.0

    @property
    def complexity(self) -> str:
        """The space complexity in words, of the law of what grew most."""
        if not self.laws:
            return "grows linearly with the data, O(n)"
        return max(self.laws, key=lambda law: law.grown_bytes).complexity

    @property
    def doubling(self) -> bool:
        """Whether one of their containers was being enlarged at the death."""
        return any(one.doubling for one in self.holders)

    @property
    def where(self) -> Where | None:
        """The code that holds the largest of them; without a dump at death, as their keys say."""
        if self.holders:
            return where_of(self.holders[0])
        return where_of_key(self.keys[0]) if self.keys else None
