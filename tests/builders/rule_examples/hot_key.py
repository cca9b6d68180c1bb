"""Evidence, and what the rule of hot_key.py says of it."""

from __future__ import annotations

from dataclasses import replace

from builders.evidence import reduce_attempt, with_growth
from builders.examples import Example

from mprof.evidence import (
    Distribution,
    Evidence,
    Group,
    GroupSizes,
    Partitions,
    Shuffle,
)
from mprof.units import MIB


def _in_group(group: Group, others: GroupSizes, kept_mib: int = 200) -> Evidence:
    evidence = reduce_attempt(groups=replace(others, current=group))
    return with_growth(
        evidence,
        "local list",
        kept_mib * MIB,
        lifecycle="group",
        unit="record_in_group",
        last_x=50000,
    )


def _groups(records: list[int], bytes_: list[int] | None = None) -> GroupSizes:
    sizes = bytes_ if bytes_ is not None else [100 * one for one in records]
    return GroupSizes(None, Distribution.of(records), Distribution.of(sizes), all_reducers=True)


def _shuffling(largest: int) -> Evidence:
    records, largest_keys = (6_000_000, *(100_000,) * 4), (largest, *(1000,) * 4)
    keys = (900, 20, 20, 20, 20)
    return reduce_attempt(
        place="shuffle",
        groups=None,
        shuffle=Shuffle(170 * MIB, 170 * MIB, held_bytes=200 * MIB),
        partitions=Partitions(
            0,
            records=records,
            bytes=tuple(100 * one for one in records),
            keys=keys,
            keys_in_one_map=keys,
            largest_key_records=largest_keys,
            largest_key_bytes=tuple(100 * one for one in largest_keys),
        ),
        reducers=5,
    )


_EVEN = [40_000, 45_000, 50_000, 55_000, 60_000, 62_000, 65_000, 70_000]


_SMALL = [200, 300, 400, 500, 600, 700, 800, 900]


EXAMPLES = (
    Example(
        "FIRES",
        "50,001 records so far, where others have hundreds",
        lambda: _in_group(Group(31, 50001, 5_000_100), _groups(_SMALL)),
    ),
    Example(
        "FIRES",
        "as many records as others, and a thousand times the bytes",
        lambda: _in_group(
            Group(31, 700, 700_000_000, whole=True),
            replace(_groups(_SMALL), other_bytes=Distribution.of([n * 1000 for n in _SMALL])),
        ),
    ),
    Example(
        "FIRES",
        "dead in the shuffle: one of 900 keys has at least 5.5 of 6 million records",
        lambda: _shuffling(largest=5_500_000),
    ),
    Example(
        "SILENT",
        "dead in the shuffle: no key is the excess of the partition",
        lambda: _shuffling(largest=1_000_000),
    ),
    Example(
        "FIRES",
        "the key is too coarse: the median group has twice the records at which it died",
        lambda: _in_group(Group(1, 50001, 5_000_100), _groups([100_000] * 8, [10_000_000] * 8)),
    ),
    Example(
        "SILENT",
        "one of many alike, and the median fits",
        lambda: _in_group(
            Group(31, 60_000, 6_000_000, whole=True), _groups([n // 2 for n in _EVEN] + _EVEN)
        ),
    ),
    Example(
        "SILENT",
        "one record more than groups of one size, of which the median fits",
        lambda: _in_group(Group(31, 50_001, 5_000_100, whole=True), _groups([50_000] * 8)),
    ),
    Example("SILENT", "reduce() keeps nothing", reduce_attempt),
    Example(
        "CANNOT_TELL",
        "four unlike groups in the whole job, and the median fits",
        lambda: _in_group(
            Group(1, 50_001, 5_000_100, whole=True), _groups([5_000, 10_000, 20_000])
        ),
    ),
    Example(
        "CANNOT_TELL",
        "not far larger so far, but not counted to its end",
        lambda: _in_group(Group(31, 50_001, 5_000_000), _groups([n // 2 for n in _EVEN] + _EVEN)),
    ),
)
