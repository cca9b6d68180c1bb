"""How the partitions compare, and what a partition of mean size would have needed.

Shared by rules 6-1, 6-2 and 9-2.
"""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Distribution, Evidence, Partitions, Shuffle, Unknown, known
from mprof.evidence.fences import upper_fence
from mprof.evidence.growing import Growing, find_growth
from mprof.evidence.skew import gini
from mprof.rules.need import capacity_of, end_of_data, live_of, need_at
from mprof.rules.rule import (
    CannotTell,
    Fires,
    Silent,
    Threshold,
    Verdict,
    Verdicts,
    cannot_tell,
)
from mprof.rules.thresholds import GINI, HUGE

__all__ = [
    "BACK_TO_MEAN",
    "PARTITIONS_OF_A_FENCE",
    "Balance",
    "InQuestion",
    "balance_of",
    "in_question",
    "map_output_bytes",
    "need_of_mean",
    "peak_in_shuffle",
    "shuffled_bytes_held",
]

BACK_TO_MEAN = Threshold(
    "near the mean",
    1.2,
    "times the mean partition",
    "hash partitions of equal keys differ by a few percent; a fifth more decides no heap",
)

PARTITIONS_OF_A_FENCE = Threshold(
    "partitions of a fence",
    6.0,
    "partitions",
    "the fence is that of all, the own one among them: of five or fewer none can stand above it",
)

_REDUCE_LEVEL = "large_accumulated_results.reduce"


@dataclass(frozen=True, slots=True)
class Balance:
    """The partitions in numbers; `measure` is the one that shows the unevenness most.

    Attributes:
        own: size of the failed reducer's partition in `measure`.
        mean: of all partitions in `measure`.
        gini: the larger of both measures.
        uneven: Gini above the threshold, or the own partition above the fence of all; and the own
            partition is larger than near the mean.
    """

    measure: str
    own: float
    mean: float
    own_bytes: float | None
    mean_bytes: float | None
    gini: float
    uneven: bool
    how: str

    @property
    def own_over_mean(self) -> float:
        """How many times the mean the own partition is."""
        return self.own / self.mean if self.mean > 0 else 1.0


def balance_of(partitions: Partitions) -> Balance | Unknown:
    """Gini and fence over records and bytes; unknown where neither was counted."""
    found: list[Balance] = []
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
        how = f"Gini {index:.2f} over {measure}" + (", above the fence of all" if fenced else "")
        uneven = (index > GINI.value or fenced) and own > BACK_TO_MEAN.value * mean
        found.append(Balance(measure, own, mean, own_bytes, mean_bytes, index, uneven, how))
    if not found:
        return partitions.bytes if isinstance(partitions.bytes, Unknown) else Unknown(
            "sizes of the partitions", "run"
        )  # fmt: skip
    return max(found, key=lambda one: (one.uneven, one.gini))


@dataclass(frozen=True, slots=True)
class InQuestion:
    """The partition of a reducer that accumulates over its groups, or that died of shuffled data.

    `held_bytes`: map output in the heap at death; None where it is rule 2 that asks.
    """

    partitions: Partitions
    balance: Balance
    held_bytes: int | None


def in_question(evidence: Evidence, rule_2: Verdict) -> InQuestion | Silent | CannotTell:
    """What rules 6-1 and 6-2 both begin with, or why they have nothing to ask.

    Args:
        evidence: of the attempt.
        rule_2: verdict of rule 2.
    """
    if evidence.is_map:
        return Silent("a map attempt has no partition of its own")
    held = None
    if not isinstance(rule_2, Fires):
        found = shuffled_bytes_held(evidence)
        if isinstance(rule_2, CannotTell) and not isinstance(found, int):
            return rule_2
        if isinstance(found, Unknown):
            return cannot_tell(found)
        if found is None:
            return Silent("the reducer neither accumulates over groups nor died of shuffled data")
        held = found
    partitions = evidence.partitions
    if partitions is None:
        return Silent("there is one partition only, and no other to compare")
    if isinstance(partitions, Unknown):
        return cannot_tell(partitions)
    balance = balance_of(partitions)
    if isinstance(balance, Unknown):
        return cannot_tell(balance)
    return InQuestion(partitions, balance, held)


def shuffled_bytes_held(evidence: Evidence) -> int | Unknown | None:
    """Map output in the heap at death; None where it is not huge, or user code ran."""
    shuffle, place, capacity = evidence.shuffle, evidence.place, capacity_of(evidence)
    if evidence.is_map or shuffle is None:
        return None
    if isinstance(place, Unknown):
        return place
    if place not in ("shuffle", "sort"):
        return None
    if isinstance(shuffle, Unknown):
        return shuffle
    if shuffle.user_code_running:
        return None
    if capacity is None:
        return Unknown("the size of the heap", "run")
    held = map_output_bytes(evidence, shuffle)
    return held if held >= HUGE.value * capacity else None


def map_output_bytes(evidence: Evidence, shuffle: Shuffle) -> int:
    """Map output in the heap: found in the dump, else reserved by the shuffle."""
    if shuffle.held_bytes is not None:
        return shuffle.held_bytes
    composition = known(evidence.composition)
    if composition is not None and composition.shuffle_bytes > 0:
        return composition.shuffle_bytes
    return shuffle.used_bytes + shuffle.leftover_bytes


def peak_in_shuffle(evidence: Evidence, partition_bytes: float, held: int) -> float | None:
    """Live bytes at the peak of shuffling a partition of that size.

    Below the bound all of it lies in memory; from the bound on, the peak is what it was at death,
    because the same buffer fills.
    """
    shuffle, live = known(evidence.shuffle), live_of(evidence)
    if shuffle is None or live is None:
        return None
    rest = max(0, live - held)
    if partition_bytes < shuffle.limit_bytes:
        return rest + partition_bytes
    capacity = capacity_of(evidence) or 0
    # It died there: whatever was asked for last came on top of what was live.
    return max(rest + float(max(held, shuffle.limit_bytes)), capacity + 1.0)


def need_of_mean(
    evidence: Evidence, earlier: Verdicts, balance: Balance, *, more_reducers: float = 1.0
) -> float | None:
    """Live bytes that a reducer with the mean partition would need after rule 2.

    Args:
        evidence: of the attempt.
        earlier: with the verdict of rule 2.
        balance: of the partitions.
        more_reducers: how many times as many reducers share the data.
    """
    if not isinstance(earlier[_REDUCE_LEVEL], Fires):
        return None
    found = find_growth(evidence, "reduce")
    if not isinstance(found, Growing):
        return None
    end = end_of_data(evidence, found)
    if end is None or balance.own <= 0:
        return None
    return need_at(evidence, found, end * balance.mean / balance.own / more_reducers)
