"""The input of the reducers and the sizes of the groups, side by side."""

from __future__ import annotations

from mprof.evidence import Distribution, GroupSizes, known
from mprof.evidence import Partitions as PartitionFacts
from mprof.report.view.model import Groups, Measure, Partition, Partitions

__all__ = ["groups_of", "partitions_of"]

MOST_PARTITIONS = 24
"""Bars; more are a fringe in which none can be read, and the skew is in the largest ones."""


def partitions_of(facts: PartitionFacts | None) -> Partitions | None:
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
    return Partitions(measure, tuple(every[:MOST_PARTITIONS]), len(every), facts.source)


def groups_of(facts: GroupSizes | None) -> Groups | None:
    """By bytes where they are known, else by records; None where there is nothing to compare."""
    if facts is None or facts.current is None:
        return None
    current, by_bytes = facts.current, known(facts.other_bytes)
    if current.bytes is not None and by_bytes is not None:
        return _compared("bytes", current.bytes, by_bytes, all_reducers=facts.all_reducers)
    return _compared(
        "records", current.records, known(facts.other_records), all_reducers=facts.all_reducers
    )


def _compared(
    measure: Measure, at_death: int, others: Distribution | None, *, all_reducers: bool
) -> Groups | None:
    if others is None or not others.count:
        return None
    return Groups(
        measure=measure,
        at_death=at_death,
        largest_other=others.quantile(1.0),
        upper_quartile=others.quantile(0.75),
        median=others.quantile(0.5),
        others=others.count,
        all_reducers=all_reducers,
    )
