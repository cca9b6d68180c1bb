"""Evidence, and what the rule of partitions_unbalanced.py says of it."""

from __future__ import annotations

from dataclasses import replace

from builders.evidence import map_attempt, reduce_attempt, with_growth
from builders.examples import Example

from mprof.evidence import (
    Evidence,
    Group,
    GroupSizes,
    Partitions,
    Shuffle,
    Unknown,
)
from mprof.units import MIB


def _shuffling(
    sizes_mib: tuple[int, ...],
    keys: tuple[int, ...],
    *,
    limit_mib: int = 170,
    largest_mib: tuple[int, ...] | None = None,
) -> Evidence:
    sizes = tuple(size * MIB for size in sizes_mib)
    partitions = Partitions(
        0, records=tuple(s // 100 for s in sizes), bytes=sizes, keys=keys, keys_in_one_map=keys
    )
    if largest_mib is not None:
        largest = tuple(size * MIB for size in largest_mib)
        partitions = replace(
            partitions,
            largest_key_records=tuple(size // 100 for size in largest),
            largest_key_bytes=largest,
        )
    return reduce_attempt(
        place="shuffle",
        groups=None,
        shuffle=Shuffle(limit_mib * MIB, 170 * MIB, held_bytes=200 * MIB),
        partitions=partitions,
        reducers=len(sizes),
    )


def _accumulating(largest: int) -> Evidence:
    records = (60000, 4000, 4000, 4000, 4000)
    evidence = reduce_attempt(
        partitions=Partitions(0, records=records, bytes=tuple(100 * r for r in records)),
        groups=GroupSizes(None, largest=Group(12, largest, bytes=100 * largest)),
        reducers=5,
    )
    return with_growth(
        evidence, "this.index", 190 * MIB, lifecycle="reduce", unit="group", last_x=30
    )


EXAMPLES = (
    Example(
        "FIRES",
        "dead in the shuffle of 600 MB where the others have 10 MB",
        lambda: _shuffling((600, 10, 10, 10, 10), (900, 20, 20, 20, 20)),
    ),
    Example(
        "FIRES",
        "as many keys as the others, but frequent ones",
        lambda: _shuffling((600, 10, 10, 10, 10), (400, 400, 400, 400, 400)),
    ),
    Example("FIRES", "it keeps all ids, and has most of them", lambda: _accumulating(100)),
    Example("SILENT", "one group is the whole excess", lambda: _accumulating(56000)),
    Example(
        "SILENT",
        "a single key, and sixty times the data",
        lambda: _shuffling((600, 10, 10, 10, 10), (1, 20, 20, 20, 20)),
    ),
    Example(
        "SILENT",
        "one of 900 keys has 550 of 600 MB",
        lambda: _shuffling(
            (600, 10, 10, 10, 10), (900, 20, 20, 20, 20), largest_mib=(550, 1, 1, 1, 1)
        ),
    ),
    Example(
        "FIRES",
        "one of 900 keys has 100 of 600 MB",
        lambda: _shuffling(
            (600, 10, 10, 10, 10), (900, 20, 20, 20, 20), largest_mib=(100, 1, 1, 1, 1)
        ),
    ),
    Example(
        "FIRES",
        "two keys, each as frequent as the others",
        lambda: _shuffling((200, *(100,) * 9), (2, *(1,) * 9), largest_mib=(100,) * 10),
    ),
    Example("SILENT", "even", lambda: _shuffling((400, 410, 390, 400, 400), (9, 9, 9, 9, 9))),
    Example(
        "SILENT",
        "uneven, and the mean does not fit either",
        lambda: _shuffling((3000, 10, 10, 10, 10), (900, 20, 20, 20, 20)),
    ),
    Example("SILENT", "a map attempt", map_attempt),
    Example(
        "CANNOT_TELL",
        "half of the partition is unread, and may belong to its largest group",
        lambda: _accumulating(20000),
    ),
    Example(
        "CANNOT_TELL",
        "nobody counted the partitions",
        lambda: replace(
            _shuffling((400, 4), (9, 9)), partitions=Unknown("sizes of all partitions", "run")
        ),
    ),
)
