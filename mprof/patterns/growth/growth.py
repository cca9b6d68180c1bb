"""Objects that grow with their data: what was seen, the law of it, and where the data ends."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from mprof.evidence import Holder, HolderKey, Lifecycle, Source, Unit
from mprof.patterns.finding import Confidence
from mprof.patterns.growth.laws import Law
from mprof.patterns.where import Where, where_of, where_of_key
from mprof.threshold import Threshold

__all__ = ["GREW_FASTER", "NAMED", "Growing"]

GREW_FASTER = "grows by more and more with the data"

NAMED = Threshold(
    "named beside another",
    0.25,
    "of what the first object holds",
    "with less than a quarter of it another explains no death that the first does not explain",
)


@dataclass(frozen=True, slots=True)
class Growing:
    """Objects of one lifecycle that grow continuously.

    Attributes:
        lifecycle: theirs.
        unit: what x counts.
        laws: one a series, those that are not full yet first, of these the one that grew most;
            empty where a single dump showed it.
        holders: at death, in the order of their laws, largest first where they have none of their
            own; empty without a dump.
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
        outgrew: the size at death lies above what the laws predict, and not by R_n alone: they say
            that it grows, and not what it will need.
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
    outgrew: bool = False

    def at(self, x: float) -> float:
        """The bytes predicted at x; through the origin where a single dump showed it."""
        if not self.laws:
            return self.held_bytes * x / self.x_now if self.x_now > 0 else float(self.held_bytes)
        rise = sum(law.at(x) - law.last_bytes for law in self.laws)
        # The fit is tied to the last point measured, so that a jump at R_n, which may be a
        # container that doubled, does not count as growth.
        size = self.measured_bytes + rise
        began_late = any(law.shape == "late" for law in self.laws)
        return max(size, self._in_the_last(x)) if began_late else size

    def at_least(self, x: float) -> float:
        """The smaller end of the interval of what is predicted at x."""
        if not self.laws:
            return min(self.at(x), float(self.held_bytes))
        return self.measured_bytes + sum(law.at_least(x) - law.last_bytes for law in self.laws)

    def at_most(self, x: float) -> float:
        """The larger end of the interval of what is predicted at x, in any piece of the data."""
        if not self.laws:
            return max(self.at(x), float(self.held_bytes))
        rise = sum(law.at_most(x) - law.last_bytes for law in self.laws)
        return max(self.measured_bytes + rise, self._in_the_last(x))

    def _in_the_last(self, x: float) -> float:
        """The same in the last piece before the death: what began late has no beginning there."""
        if x >= self.x_now:
            return 0.0
        return self.held_bytes - sum(law.rise(0.0, self.x_now - x) for law in self.laws)

    @property
    def measured_bytes(self) -> float:
        """Bytes at the last point measured before R_n."""
        if not self.laws:
            return float(self.held_bytes)
        if self.source == "dump":
            return sum(law.last_bytes for law in self.laws)
        # Of the whole live heap only the rise can be theirs, as far as they hold it at the death;
        # what had risen before the first collection is read off the law, which may go below nothing
        # there: the heap did not.
        starts = (min(max(law.at(0.0), 0.0), law.last_bytes) for law in self.laws)
        rise = sum(law.last_bytes for law in self.laws) - sum(starts)
        return min(rise, float(self.held_bytes)) if self.holders else rise

    @property
    def came_with_the_last(self) -> float:
        """Bytes that came with one record or group, where the last point is right before it."""
        is_next = bool(self.laws) and self.x_now - max(law.last_x for law in self.laws) <= 1
        return self.held_bytes - self.measured_bytes if is_next else 0.0

    @property
    def bytes_per_unit(self) -> float:
        """Bytes a unit of x over the whole range, of what began late since then."""
        if self.laws:
            return sum(law.slope for law in self.laws)
        return self.held_bytes / self.x_now if self.x_now > 0 else 0.0

    @property
    def begins(self) -> float | None:
        """X at which the first of them began to grow; None where that always grew."""
        return self.laws[0].begins if self.laws else None

    @property
    def complexity(self) -> str:
        """The space complexity in words, of the first law."""
        if self.outgrew:
            return GREW_FASTER
        return self.laws[0].complexity if self.laws else "grows linearly with the data, O(n)"

    def complexity_of(self, key: HolderKey) -> str | None:
        """The same of one of the objects; None where they were seen together only."""
        if key in self.keys:
            return self.laws[self.keys.index(key)].complexity
        alone = len(self.named) == 1 and self.named[0].key == key
        return self.complexity if alone else None

    @property
    def is_of_one(self) -> bool:
        """Whether one object grows, or each by a law of its own: else only their sum is known."""
        return len(self.named) <= 1 or bool(self.keys)

    @property
    def named(self) -> tuple[Holder, ...]:
        """Those that a sentence about them names: the first, and what is not small beside it."""
        least = NAMED.value * self.holders[0].bytes if self.holders else 0.0
        return tuple(one for one in self.holders if one.bytes >= least)

    @property
    def is_full(self) -> bool:
        """Whether all of them had come to a bound: what is there is all that there will be."""
        return bool(self.laws) and all(law.is_full for law in self.laws)

    @property
    def has_a_limit(self) -> bool:
        """Whether all of them tend to a limit, whatever the amount of data."""
        return bool(self.laws) and all(law.has_a_limit for law in self.laws)

    @property
    def may_have_a_limit(self) -> bool:
        """Whether each of them may, by a law that its points support."""
        return bool(self.laws) and all(law.may_have_a_limit for law in self.laws)

    @property
    def emptied(self) -> Growing | None:
        """Those of them that are emptied now and then; None where none is."""
        return self._of(emptied=True)

    @property
    def kept(self) -> Growing | None:
        """Those of them that are not; None where all are."""
        return self._of(emptied=False)

    def _of(self, *, emptied: bool) -> Growing | None:
        mine = [law.is_emptied is emptied for law in self.laws]
        if all(mine):
            return self if mine or not emptied else None
        if not any(mine):
            return None
        keys = tuple(itertools.compress(self.keys, mine))
        laws = tuple(itertools.compress(self.laws, mine))
        holders = tuple(one for one in self.holders if one.key in keys)
        held = sum(one.bytes for one in holders) or sum(round(law.last_bytes) for law in laws)
        return replace(self, laws=laws, keys=keys, holders=holders, held_bytes=held)

    @property
    def doubling(self) -> bool:
        """Whether one of their containers was being enlarged at the death."""
        return any(one.doubling for one in self.holders)

    @property
    def where(self) -> Where | None:
        """The code that holds the first of them; without a dump at death, as their keys say."""
        if self.holders:
            others = tuple(one.path for one in self.named[1:])
            return replace(where_of(self.holders[0]), beside=others)
        return where_of_key(self.keys[0]) if self.keys else None
