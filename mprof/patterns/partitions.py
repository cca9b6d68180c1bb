"""How the partitions compare, and whether the failed reducer's is in question at all."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Distribution, Evidence, Partitions, Unknown
from mprof.patterns.accumulation import ACCUMULATION_THRESHOLDS, Accumulation
from mprof.patterns.fences import upper_fence
from mprof.patterns.finding import Absent
from mprof.patterns.memory_model import MemoryModel
from mprof.patterns.shuffle import ShuffledData
from mprof.patterns.skew import gini
from mprof.threshold import Threshold

__all__ = [
    "BACK_TO_MEAN",
    "BALANCE_THRESHOLDS",
    "IN_QUESTION_THRESHOLDS",
    "Balance",
    "InQuestion",
    "balance_of",
    "in_question_of",
]

GINI = Threshold(
    "uneven",
    0.40,
    "Gini index",
    'the paper\'s number (Table 6: "Gini > 0.4"), over its Figure 7 form',
)

BACK_TO_MEAN = Threshold(
    "near the mean",
    1.3,
    "times the mean partition",
    "hash partitions of equal keys differ by a few percent; less than a third more decides no heap",
)

PARTITIONS_OF_A_FENCE = Threshold(
    "partitions of a fence",
    6.0,
    "partitions",
    "the fence is that of all, the own one among them: of five or fewer none can stand above it",
)

BALANCE_THRESHOLDS = (GINI, PARTITIONS_OF_A_FENCE, BACK_TO_MEAN)
IN_QUESTION_THRESHOLDS = (*BALANCE_THRESHOLDS, *ACCUMULATION_THRESHOLDS)


@dataclass(frozen=True, slots=True)
class Balance:
    """The partitions in numbers; `measure` is the one that shows the unevenness most.

    Attributes:
        measure: `records` or `bytes`.
        own: size of the failed reducer's partition in `measure`.
        mean: of all partitions in `measure`.
        own_bytes: of the failed reducer's partition, None where bytes were not counted.
        mean_bytes: of all partitions.
        gini: the larger of both measures.
        skewed: Gini above the threshold, or the own partition above the fence of all.
        how: the same in words.
        is_complete: both records and bytes were counted.
    """

    measure: str
    own: float
    mean: float
    own_bytes: float | None
    mean_bytes: float | None
    gini: float
    skewed: bool
    how: str
    is_complete: bool

    @property
    def own_over_mean(self) -> float:
        """How many times the mean the own partition is."""
        return self.own / self.mean if self.mean > 0 else 1.0

    @property
    def is_near_the_mean(self) -> bool:
        """The own partition is no larger than most are."""
        return self.own <= BACK_TO_MEAN.value * self.mean

    @property
    def is_to_blame(self) -> bool:
        """The partitions are skewed, and the own one is a large one."""
        return self.skewed and not self.is_near_the_mean


def balance_of(partitions: Partitions | Unknown | None) -> Balance | Absent | Unknown:
    """Gini and fence over records and bytes; unknown where neither was counted."""
    if partitions is None:
        return Absent("a map attempt has no partitions to compare")
    if isinstance(partitions, Unknown):
        return partitions
    found: list[Balance] = []
    sizes_known = (isinstance(one, tuple) for one in (partitions.records, partitions.bytes))
    complete = all(sizes_known)
    every = partitions.bytes if not isinstance(partitions.bytes, Unknown) else None
    own_bytes = float(every[partitions.own]) if every else None
    mean_bytes = sum(every) / len(every) if every else None
    for measure, sizes in (("records", partitions.records), ("bytes", partitions.bytes)):
        if isinstance(sizes, Unknown) or not sizes:
            continue
        own, mean, index = float(sizes[partitions.own]), sum(sizes) / len(sizes), gini(sizes)
        fenced = len(sizes) >= PARTITIONS_OF_A_FENCE.value and own > upper_fence(
            Distribution.of(sizes)
        )
        how = f"Gini {index:.2f} over {measure}" + (", above the outlier fence" if fenced else "")
        skewed = index > GINI.value or fenced
        found.append(
            Balance(measure, own, mean, own_bytes, mean_bytes, index, skewed, how, complete)
        )
    if not found:
        counted = Unknown("sizes of the partitions", "run")
        return partitions.bytes if isinstance(partitions.bytes, Unknown) else counted
    return max(found, key=lambda one: (one.is_to_blame, one.gini))


@dataclass(frozen=True, slots=True)
class InQuestion:
    """The partition of a reducer that accumulates over its groups, or that died of shuffled data.

    Attributes:
        partitions: all of them.
        balance: how they compare.
        accumulation: of reduce-level objects; None where it died of shuffled data.
        shuffled: map output in the heap; None where it is what reduce() keeps that counts.
    """

    partitions: Partitions
    balance: Balance
    accumulation: Accumulation | None
    shuffled: ShuffledData | None

    @property
    def held_bytes(self) -> int | None:
        """Heap bytes that came with the partition."""
        if self.accumulation is not None:
            return self.accumulation.held_bytes
        return self.shuffled.held_bytes if self.shuffled is not None else None

    def need_of_mean(self, memory: MemoryModel, *, more_reducers: float = 1.0) -> float | None:
        """Live bytes that a reducer with the mean partition would need; None where unknown.

        Args:
            memory: of the attempt.
            more_reducers: how many times as many reducers share the data.
        """
        if self.shuffled is not None:
            mean = self.balance.mean_bytes
            return None if mean is None else self.shuffled.peak_of(mean / more_reducers, memory)
        growing = self.accumulation.growing if self.accumulation is not None else None
        if growing is None or growing.end_x is None or self.balance.own <= 0:
            return None
        share = self.balance.mean / self.balance.own / more_reducers
        return memory.need_at(growing, growing.end_x * share)


def in_question_of(
    evidence: Evidence,
    accumulation: Accumulation | Absent | Unknown,
    shuffled: ShuffledData | Absent | Unknown,
    balance: Balance | Absent | Unknown,
) -> InQuestion | Absent | Unknown:
    """The partition, where it may be at fault: what rules 6-1 and 6-2 both begin with.

    Args:
        evidence: of the attempt.
        accumulation: of reduce-level objects.
        shuffled: map output held at a death in the shuffle.
        balance: of the partitions.
    """
    if evidence.is_map:
        return Absent("a map attempt has no partition of its own")
    if not isinstance(accumulation, Accumulation):
        if isinstance(accumulation, Unknown) and not isinstance(shuffled, ShuffledData):
            return accumulation
        if not isinstance(shuffled, ShuffledData):
            return shuffled
    if isinstance(balance, Absent | Unknown):
        return balance
    assert isinstance(evidence.partitions, Partitions)  # noqa: S101 - the balance is of them
    if isinstance(accumulation, Accumulation):
        return InQuestion(evidence.partitions, balance, accumulation, None)
    assert isinstance(shuffled, ShuffledData)  # noqa: S101 - said above
    return InQuestion(evidence.partitions, balance, None, shuffled)
