"""What more reducers would do: the need of the one to which the group at the death goes.

With k times as many reducers each gets a k-th of the groups, and three things that no number of
reducers divides: a group, which goes to one of them whole; what the work on one record takes; and
what is there before the data. Two moments count for the reducer to which the group at the death
goes (G_m):

* at the end of G_m: what is kept of G_m then, and of the groups before it. Those are a k-th of what
  the task had got through when it died; none where G_m comes first, all of the share where it comes
  last;
* at the end of the share: what is kept of all of it, of one group at the least.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from mprof.evidence import Evidence, Unknown, known
from mprof.patterns.accumulation import Accumulation
from mprof.patterns.finding import Absent
from mprof.patterns.growth import Growing
from mprof.patterns.memory_model import MemoryModel
from mprof.patterns.partitions import InQuestion, NeedOfMean
from mprof.threshold import Threshold

__all__ = ["MOST_REDUCERS", "SharedOut", "shared_out_of"]

MOST_REDUCERS = Threshold(
    "more reducers",
    10.0,
    "times as many",
    "beyond ten times as many, the number of reducers is not what is wrong",
)


@dataclass(frozen=True, slots=True)
class SharedOut:
    """Live bytes that a reducer needs of ten times as many: the one to which G_m goes.

    Attributes:
        of_mean: what one needs of as many as there are, with a partition of mean size.
        at_least: where G_m comes first, and by the law that rises least.
        predicted: where it comes as late as it came, by the law that was chosen.
        at_most: where it comes last, and by the law that rises most; without end where nobody knows
            what is kept of G_m.
        is_group_complete: G_m was counted to its end, or nothing grows over its records.
        is_record_complete: R_n held less than what grows; else how much more it would have taken
            decides, and nobody saw the end of the work on it.
        without_group: what is kept of the share where nothing is kept of G_m.
    """

    of_mean: NeedOfMean
    at_least: float
    predicted: float
    at_most: float
    is_group_complete: bool
    is_record_complete: bool
    without_group: float


def shared_out_of(
    evidence: Evidence,
    asked: InQuestion | Absent | Unknown,
    memory: MemoryModel | Unknown,
    of_group: Accumulation | Absent | Unknown,
) -> SharedOut | Absent | Unknown:
    """The need with ten times as many reducers, where memory grows over the groups.

    Args:
        evidence: of the attempt.
        asked: the partition that may be at fault.
        memory: of the attempt.
        of_group: what accumulates over the records of G_m.
    """
    if isinstance(asked, Absent | Unknown):
        return asked
    if isinstance(memory, Unknown):
        return memory
    growing = asked.growing
    if growing is None:
        return Absent("it does not grow over the groups of its partition")
    mean = asked.need_of_mean(memory)
    if growing.end_x is None or mean is None:
        return Unknown("how much of its partition the reducer had done", "run")
    group = of_group.growing if isinstance(of_group, Accumulation) else None
    own = _of_one_group(evidence, asked, growing, growing.end_x)
    share = _with_a_tenth(growing.end_x, own)
    before = _with_a_tenth(growing.x_now, own)
    one = min(own, 1.0) if growing.unit == "group" else own
    least = _with_a_tenth(asked.at_least_x(growing, growing.end_x), one)
    return SharedOut(
        of_mean=mean,
        at_least=max(
            memory.need_at_least(growing, one) + _rise(group, "least"),
            memory.need_at_least(growing, least) - asked.passing_bytes,
        ),
        predicted=max(
            _died_at(growing, before, memory, memory.need_at(growing, before))
            + _rise(group, "predicted"),
            _died_at(growing, share, memory, memory.need_at(growing, share)),
        ),
        at_most=_died_at(growing, share, memory, memory.need_at_most(growing, share))
        + (math.inf if isinstance(of_group, Unknown) else _rise(group, "most")),
        is_group_complete=group is None or group.end_x is not None,
        is_record_complete=asked.record_bytes <= growing.held_bytes,
        without_group=memory.need_at(growing, share) - asked.passing_bytes,
    )


def _with_a_tenth(x: float, of_group: float) -> float:
    """X of one group, and of its share of the others."""
    return of_group + max(0.0, x - of_group) / MOST_REDUCERS.value


def _of_one_group(evidence: Evidence, asked: InQuestion, growing: Growing, end: float) -> float:
    """X of the largest group that was counted; one, where it grows by the group."""
    if growing.by_group:
        return 1.0
    groups = known(evidence.groups)
    counted = (groups.largest, groups.whole) if groups is not None else ()
    of = "records" if asked.balance.measure == "records" else "bytes"
    sizes = [getattr(one, of) or 0 for one in counted if one is not None]
    return end * min(1.0, max(sizes, default=0) / asked.balance.own)


def _rise(group: Growing | None, end: Literal["least", "predicted", "most"]) -> float:
    """What is still to come of G_m after the death."""
    if group is None or group.end_x is None:
        return 0.0
    at = {"least": group.at_least, "predicted": group.at, "most": group.at_most}[end]
    return max(0.0, at(group.end_x) - group.held_bytes)


def _died_at(growing: Growing, x: float, memory: MemoryModel, need: float) -> float:
    """No less than was too much: the task died of as much data."""
    return max(need, memory.capacity_bytes + 1.0) if x >= growing.x_now else need
