"""Evidence, and what the rule of too_few_reducers.py says of it."""

from __future__ import annotations

from dataclasses import replace

from builders.evidence import map_attempt, reduce_attempt, with_growth
from builders.examples import Example

from mprof.evidence import (
    Evidence,
    Group,
    GroupSizes,
    Partitions,
    Progress,
    Shuffle,
    Unknown,
)
from mprof.units import MIB


def _shuffling(sizes_mib: tuple[int, ...], *, limit_mib: int = 170) -> Evidence:
    sizes = tuple(size * MIB for size in sizes_mib)
    return reduce_attempt(
        place="shuffle",
        shuffle=Shuffle(limit_mib * MIB, 170 * MIB, held_bytes=200 * MIB),
        partitions=Partitions(0, records=tuple(s // 100 for s in sizes), bytes=sizes),
        reducers=len(sizes),
    )


def _accumulating(records: tuple[int, ...], done: float, kept_mib: int = 190) -> Evidence:
    evidence = reduce_attempt(
        progress=Progress(done, "records of the merged input"),
        partitions=Partitions(0, records=records, bytes=tuple(100 * r for r in records)),
        reducers=len(records),
    )
    return with_growth(
        evidence, "this.index", kept_mib * MIB, lifecycle="reduce", unit="group", last_x=30
    )


EXAMPLES = (
    Example("FIRES", "even partitions of 400 MB", lambda: _shuffling((400, 410, 395))),
    Example(
        "FIRES",
        "it keeps 190 MB at half of an even partition",
        lambda: _accumulating((1000, 1010, 990), 0.5),
    ),
    Example(
        "FIRES",
        "cleanup() died of an even partition, 150 MB of which were kept",
        lambda: replace(_accumulating((1000, 1010, 990), 1.0, 150), place="cleanup"),
    ),
    Example(
        "CANNOT_TELL",
        "480 of 500 records read are of the group at the death",
        lambda: replace(
            _accumulating((1000, 1010, 990), 0.5),
            groups=GroupSizes(Group(30, records=480, bytes=48_000)),
        ),
    ),
    Example("SILENT", "even partitions of 200 MB", lambda: _shuffling((200, 205, 195))),
    Example(
        "FIRES",
        "other partitions are uneven; the one that died is the mean one",
        lambda: _shuffling((400, 1500, 60, 60, 60, 60)),
    ),
    Example("SILENT", "uneven", lambda: _accumulating((9000, 100, 100, 100, 100, 100), 0.5)),
    Example("SILENT", "a map attempt", map_attempt),
    Example(
        "CANNOT_TELL",
        "nobody counted the partitions",
        lambda: replace(
            _shuffling((400, 400)), partitions=Unknown("sizes of all partitions", "run")
        ),
    ),
)
