"""How the partitions compare, and whether the failed reducer's is in question at all."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from mprof.evidence import HEAP_KINDS, Evidence, Partitions, Unknown, known
from mprof.patterns.accumulation import ACCUMULATION_THRESHOLDS, Accumulation
from mprof.patterns.failed_allocation import FailedAllocation
from mprof.patterns.finding import Absent, found
from mprof.patterns.growth import Growing
from mprof.patterns.jump import record_level_bytes
from mprof.patterns.memory_model import MemoryModel
from mprof.patterns.passed import LARGER, ORDINARY
from mprof.patterns.shuffle import ShuffledData
from mprof.patterns.skew import gini
from mprof.threshold import Threshold

__all__ = [
    "BACK_TO_MEAN",
    "BALANCE_THRESHOLDS",
    "IN_QUESTION_THRESHOLDS",
    "OF_MEAN_SIZE",
    "Balance",
    "InQuestion",
    "NeedOfMean",
    "balance_of",
    "idle_reducers",
    "in_question_of",
    "own_partitioner",
]

BACK_TO_MEAN = Threshold(
    "near the mean",
    1.3,
    "times the mean partition",
    "hash partitions of equal keys differ by a few percent; less than a third more decides no heap",
)

OF_MEAN_SIZE = Threshold(
    "of mean size",
    1.05,
    "times what the mean partition has",
    "partitions of a hash of many keys differ by a few percent",
)

MOST_OF_EXCESS = Threshold(
    "most of the excess",
    0.5,
    "of what a partition has more than the mean",
    "with less than half of it, the other keys together have the larger part in it",
)

BALANCE_THRESHOLDS = (LARGER, BACK_TO_MEAN, MOST_OF_EXCESS)
IN_QUESTION_THRESHOLDS = (*BALANCE_THRESHOLDS, ORDINARY, *ACCUMULATION_THRESHOLDS)

_PARTITIONERS = ("mapreduce.job.partitioner.class", "mapred.partitioner.class")


@dataclass(frozen=True, slots=True)
class Balance:
    """The partitions in numbers; `measure` is the one that shows the unevenness most.

    Attributes:
        measure: `records` or `bytes`.
        own: size of the failed reducer's partition in `measure`.
        mean: of all partitions in `measure`.
        own_bytes: of the failed reducer's partition, None where bytes were not counted.
        mean_bytes: of all partitions, when all map tasks have written theirs, as far as those that
            were counted tell.
        share_of_maps: that were counted.
        gini: of `measure`; said, and no condition: of few partitions it cannot be large, however
            uneven they are.
        times_the_others: how many times the median of the others the own one is; 1 without others.
        how: the same in words.
        is_complete: both records and bytes were counted.
    """

    measure: str
    own: float
    mean: float
    own_bytes: float | None
    mean_bytes: float | None
    gini: float
    times_the_others: float
    how: str
    is_complete: bool
    share_of_maps: float = 1.0

    @property
    def own_over_mean(self) -> float:
        """How many times the mean the own partition is."""
        return self.own / self.mean

    @property
    def is_near_the_mean(self) -> bool:
        """The own partition is no larger than most are."""
        return self.own <= BACK_TO_MEAN.value * self.mean

    def is_the_excess(self, part: float) -> bool:
        """Whether a part is what the partition has more than the mean.

        Without it the partition is near the mean, and it is most of the difference: a partition
        that is little larger than that would be near the mean without any part.
        """
        near = self.own - part <= BACK_TO_MEAN.value * self.mean
        return near and part >= MOST_OF_EXCESS.value * (self.own - self.mean)

    @property
    def is_to_blame(self) -> bool:
        """The own partition is far larger than the others, and than the mean."""
        return self.times_the_others >= LARGER.value and not self.is_near_the_mean


def balance_of(partitions: Partitions | Unknown | None) -> Balance | Absent | Unknown:
    """The own partition against the others, by records and by bytes; unknown without either."""
    if partitions is None:
        return Absent("a map attempt has no partitions to compare")
    if isinstance(partitions, Unknown):
        return partitions
    columns = {"records": known(partitions.records), "bytes": known(partitions.bytes)}
    compared = [
        _balance_in(measure, sizes, partitions, is_complete=None not in columns.values())
        for measure, sizes in columns.items()
        if sizes and sizes[partitions.own] > 0
    ]
    if not compared:
        return Unknown("sizes of the partitions", "run")
    return max(compared, key=lambda one: (one.is_to_blame, one.times_the_others))


def _balance_in(
    measure: str, sizes: tuple[int, ...], partitions: Partitions, *, is_complete: bool
) -> Balance:
    own, every = partitions.own, known(partitions.bytes)
    others = [size for index, size in enumerate(sizes) if index != own]
    middle = median(others) if others else sizes[own]
    times = sizes[own] / max(middle, 1)
    beside = f", {times:.1f} times the median of the others" if others else ""
    if not middle:
        beside = ", half of the others or more got nothing"
    index = gini(sizes)
    return Balance(
        measure=measure,
        own=float(sizes[own]),
        mean=sum(sizes) / len(sizes),
        own_bytes=float(every[own]) if every else None,
        mean_bytes=sum(every) / len(every) / partitions.share_of_maps if every else None,
        gini=index,
        times_the_others=times,
        how=f"Gini {index:.2f} over {measure}{beside}",
        is_complete=is_complete,
        share_of_maps=partitions.share_of_maps,
    )


@dataclass(frozen=True, slots=True)
class NeedOfMean:
    """Live bytes that a reducer with a partition of mean size would need.

    Attributes:
        at_least: by the law that rises least, and where none of its groups or records takes as much
            as G_m and R_n.
        predicted: by the law that was chosen.
        at_most: by the law that rises most, in any part of the data of that size.
        died_within: the reducer died before it had taken in as much.
    """

    at_least: float
    predicted: float
    at_most: float
    died_within: bool = False

    def fits(self, memory: MemoryModel) -> bool | None:
        """Whether the mean partition would have fitted; None where nobody knows.

        So it is where only the smaller end of the interval fits, and where it would fit by the law
        and the reducer died before it had taken in as much.
        """
        if not memory.fits(self.predicted):
            return None if memory.fits(self.at_least) else False
        return None if self.died_within else True


@dataclass(frozen=True, slots=True)
class InQuestion:
    """The partition of a reducer that accumulates over its groups, or that died of shuffled data.

    Attributes:
        partitions: all of them.
        balance: how they compare.
        accumulation: of reduce-level objects; None where it died of shuffled data.
        shuffled: map output in the heap; None where it is what reduce() keeps that counts.
        group_bytes: what was kept of G_m only.
        record_bytes: what R_n and the work on it held.
        was_full: it died of a full heap.
        idle: reducers that got nothing although there are keys for all of them.
        own_partitioner: the job's own, which may send by a part of the key only.
    """

    partitions: Partitions
    balance: Balance
    accumulation: Accumulation | None
    shuffled: ShuffledData | None
    group_bytes: int = 0
    record_bytes: int = 0
    was_full: bool = True
    idle: int = 0
    own_partitioner: str | None = None

    @property
    def passing_bytes(self) -> int:
        """What was there for G_m or R_n only, and not when others come to their end."""
        return self.group_bytes + self.record_bytes

    @property
    def growing(self) -> Growing | None:
        """What grows over the groups; None where it died of shuffled data."""
        return self.accumulation.grown if self.accumulation is not None else None

    @property
    def held_bytes(self) -> int | None:
        """Heap bytes that came with the partition."""
        if self.accumulation is not None:
            return self.accumulation.held_bytes
        return self.shuffled.held_bytes if self.shuffled is not None else None

    def at_least_x(self, growing: Growing, end_x: float) -> float:
        """X at the end of the partition where all of it grows by the group: no more than its keys.

        The share of the records that was read says how many groups there are only where they are
        alike.
        """
        return min(end_x, self.partitions.groups_at_most) if growing.unit == "group" else end_x

    def need_of_mean(self, memory: MemoryModel) -> NeedOfMean | None:
        """What a reducer with the mean partition would need; None where that is not known."""
        if self.shuffled is not None:
            mean = self.balance.mean_bytes
            peak = None if mean is None else self.shuffled.peak_of(mean, memory)
            return None if peak is None else NeedOfMean(peak, peak, peak)
        growing = self.growing
        if growing is None or growing.end_x is None:
            return None
        of_mean = self.balance.mean / self.balance.own
        least = memory.need_at_least(growing, of_mean * self.at_least_x(growing, growing.end_x))
        end_of_mean = of_mean * growing.end_x
        return NeedOfMean(
            at_least=least - self.passing_bytes,
            predicted=memory.need_at(growing, end_of_mean),
            at_most=memory.need_at_most(growing, end_of_mean),
            died_within=self.was_full and growing.x_now <= OF_MEAN_SIZE.value * end_of_mean,
        )


def in_question_of(
    evidence: Evidence,
    accumulation: Accumulation | Absent | Unknown,
    shuffled: ShuffledData | Absent | Unknown,
    balance: Balance | Absent | Unknown,
    allocation: FailedAllocation,
    of_group: Accumulation | Absent | Unknown,
) -> InQuestion | Absent | Unknown:
    """The partition, where it may be at fault: what rules 6-1 and 6-2 both begin with.

    Args:
        evidence: of the attempt.
        accumulation: of reduce-level objects.
        shuffled: map output held at a death in the shuffle.
        balance: of the partitions.
        allocation: the one that failed.
        of_group: what accumulates over the records of G_m.
    """
    if evidence.is_map:
        return Absent("a map attempt has no partition of its own")
    over, data = found(accumulation), found(shuffled)
    if over is None and data is None:
        missing = accumulation if isinstance(accumulation, Unknown) else shuffled
        assert isinstance(missing, Absent | Unknown)  # noqa: S101 - found() said so
        return missing
    if isinstance(balance, Absent | Unknown):
        return balance
    assert isinstance(evidence.partitions, Partitions)  # noqa: S101 - the balance is of them
    group = found(of_group)
    return InQuestion(
        partitions=evidence.partitions,
        balance=balance,
        accumulation=over,
        shuffled=data if over is None else None,
        group_bytes=group.held_bytes if group is not None else 0,
        record_bytes=record_level_bytes(evidence, allocation),
        was_full=evidence.death.kind in HEAP_KINDS,
        idle=idle_reducers(evidence.partitions),
        own_partitioner=own_partitioner(evidence),
    )


def own_partitioner(evidence: Evidence) -> str | None:
    """The job's own partitioner, which may bring keys together that its results need together."""
    told = (evidence.conf.get(name) for name in _PARTITIONERS)
    return next((name for name in told if name and not name.startswith("org.apache.")), None)


def idle_reducers(partitions: Partitions) -> int:
    """Reducers that got nothing, where a hash of so many keys leaves one so in 1 % of all jobs.

    Then the keys are not divided by what tells them apart, but by fewer values, such as a part of
    the key: so many reducers more may get nothing as well. Of R reducers and K keys R (1 - 1/R)^K
    are empty on the mean, and some are in no more of all jobs than that.
    """
    records, keys = known(partitions.records), known(partitions.keys_in_one_map)
    if not records or keys is None or not partitions.complete:
        return 0
    count = len(records)
    expected = count * (1 - 1 / count) ** sum(keys)
    return records.count(0) if expected <= ORDINARY.value else 0
