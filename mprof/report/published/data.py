"""The data of the job beside that of the attempt: partitions and groups."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from mprof.evidence import GroupSizes, known
from mprof.evidence import Partitions as PartitionFacts
from mprof.report.published.base import Published

__all__ = ["Groups", "Measure", "Partition", "Partitions"]

Measure = Literal["bytes", "records"]

MOST_PARTITIONS: Final = 24
"""Bars; more are a fringe in which none can be read, and the skew is in the largest ones."""


class Partition(Struct, frozen=True):
    """The input of one reducer.

    Attributes:
        size: in the measure of the partitions.
        own: it is that of the attempt.
    """

    index: int
    size: int
    own: bool


class Partitions(Published, frozen=True, kw_only=True):
    """What the reducers receive.

    Attributes:
        shown: that of the attempt first, then the largest ones.
        count: how many there are.
        source: where the sizes were read.
    """

    measure: Measure
    shown: tuple[Partition, ...]
    count: int
    source: str

    @classmethod
    def of(cls, facts: PartitionFacts | None) -> Partitions | None:
        """By bytes where they are known, else by records; None for one reducer alone."""
        if facts is None:
            return None
        measure: Measure = "bytes"
        sizes = known(facts.bytes)
        if sizes is None:
            measure, sizes = "records", known(facts.records)
        if sizes is None or len(sizes) < 2:
            return None
        every = [Partition(i, size, own=i == facts.own) for i, size in enumerate(sizes)]
        every.sort(key=lambda one: (not one.own, -one.size))
        return cls(
            measure=measure,
            shown=tuple(every[:MOST_PARTITIONS]),
            count=len(every),
            source=facts.source,
        )


class Groups(Published, frozen=True, kw_only=True):
    """The group at death beside the others, in one measure.

    Attributes:
        others: how many others there are.
        all_reducers: the others are those of every reducer, not of this one alone.
    """

    measure: Measure
    at_death: float
    largest_other: float
    upper_quartile: float
    median: float
    others: int
    all_reducers: bool

    @classmethod
    def of(cls, facts: GroupSizes | None) -> Groups | None:
        """By bytes where they are known, else by records; None without anything to compare."""
        if facts is None or facts.current is None:
            return None
        measure: Measure = "bytes"
        at_death, others = facts.current.bytes, known(facts.other_bytes)
        if at_death is None or others is None:
            measure = "records"
            at_death, others = facts.current.records, known(facts.other_records)
        if others is None or not others.count:
            return None
        return cls(
            measure=measure,
            at_death=at_death,
            largest_other=others.quantile(1.0),
            upper_quartile=others.quantile(0.75),
            median=others.quantile(0.5),
            others=others.count,
            all_reducers=facts.all_reducers,
        )
