"""One key that is what a partition has more than the others, by what the map tasks counted."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Partitions, Unknown, known
from mprof.patterns.finding import Absent
from mprof.patterns.groups import size_in_words
from mprof.patterns.partitions import BALANCE_THRESHOLDS, Balance
from mprof.patterns.passed import LARGER
from mprof.units import format_bytes, format_count

__all__ = ["HOT_KEY_THRESHOLDS", "HotKey", "hot_key_of"]

HOT_KEY_THRESHOLDS = (*BALANCE_THRESHOLDS, LARGER)


@dataclass(frozen=True, slots=True)
class HotKey:
    """The largest key of the own partition, which is near the mean without it.

    Attributes:
        partition: the own one.
        measure: the one that shows the unevenness of the partitions most.
        at_least: what the key has of it, after the combiner of the map tasks.
        of: what its partition has.
        mean_at_most: what the keys of all partitions have on average.
        records: the key has at least so many; None where they were not counted.
        bytes: likewise.
    """

    partition: int
    measure: str
    at_least: int
    of: float
    mean_at_most: float
    records: int | None
    bytes: int | None

    @property
    def share(self) -> str:
        """How much of its partition the key has, in words."""
        if self.measure == "records":
            size = f"{format_count(self.at_least)} of the {format_count(self.of)} records"
            return f"one key has at least {size} of partition {self.partition}"
        size = f"{format_bytes(self.at_least)} of the {format_bytes(self.of)}"
        records = f" ({format_count(self.records)} records)" if self.records is not None else ""
        return f"one key has at least {size} of partition {self.partition}{records}"

    @property
    def mean(self) -> str:
        """What the mean key has at most, in words."""
        return size_in_words(self.measure, self.mean_at_most)


def hot_key_of(
    partitions: Partitions | Unknown | None, balance: Balance | Absent | Unknown
) -> HotKey | Absent | Unknown:
    """The largest key of the own partition, where that is what it has more than the others.

    Bounds that hold for certain are compared: what is counted of the key is the least it has, and
    with the keys that one map task has met, as with no more than there are, the mean is the most it
    can be. So a key is missed where the map tasks do not agree on which is the largest.
    """
    if isinstance(balance, Absent | Unknown):
        return balance
    assert isinstance(partitions, Partitions)  # noqa: S101 - the balance is of them
    records, sizes = known(partitions.largest_key_records), known(partitions.largest_key_bytes)
    largest = sizes if balance.measure == "bytes" else records
    of_all = known(partitions.bytes if balance.measure == "bytes" else partitions.records)
    keys = known(partitions.keys_in_one_map)
    if largest is None or of_all is None:
        return Unknown("the largest key of each partition", "run")
    if keys is None:
        return Unknown("the keys of the partitions", "run")
    own = partitions.own
    mean = sum(of_all) / max(sum(keys), 1)
    if not balance.is_the_excess(largest[own]):
        return Absent("without its largest key the partition would still be larger than the mean")
    if largest[own] <= LARGER.value * mean:
        return Absent("the largest key of the partition is as frequent as others")
    return HotKey(
        partition=own,
        measure=balance.measure,
        at_least=largest[own],
        of=balance.own,
        mean_at_most=mean,
        records=records[own] if records is not None else None,
        bytes=sizes[own] if sizes is not None else None,
    )
