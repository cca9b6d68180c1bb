"""A small builder of evidence, for the examples of the rules and for other tests.

Numbers are those of a 256 MB heap; a test changes what it is about and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from mprof.evidence import (
    Attempt,
    CodeSite,
    Composition,
    Death,
    DeathPosition,
    Evidence,
    Holder,
    HolderKey,
    Job,
    MapBuffer,
    Memory,
    Point,
    Progress,
    RecordGrowth,
    Series,
    Split,
)
from mprof.evidence.facts import Lifecycle, Owner, Source, Unit
from mprof.units import MIB

__all__ = ["CAPACITY", "growing_series", "holder", "key_of", "map_attempt", "reduce_attempt",
           "with_growth"]  # fmt: skip

CAPACITY = 240 * MIB

_MEMORY = Memory(
    heap_max_bytes=256 * MIB,
    usable_bytes=CAPACITY,
    live_bytes_at_death=CAPACITY,
    largest_block_bytes=CAPACITY,
    container_bytes=1024 * MIB,
)


def map_attempt(**changes: Any) -> Evidence:
    """A map attempt that died of heap in map() at record 4,001 of about 10,000."""
    evidence = Evidence(
        job=Job("job_1_0001", "words"),
        attempt=Attempt("attempt_1_0001_m_000000_0", "map", 0, mode="profile"),
        death=Death("heap", "java.lang.OutOfMemoryError: Java heap space"),
        place="map",
        position=DeathPosition("map", record=4001),
        memory=_MEMORY,
        composition=Composition(framework_bytes=60 * MIB,
                                user_bytes=170 * MIB, other_bytes=10 * MIB),
        holders=(),
        stack=(),
        record_growth=RecordGrowth(before=(), last_records=1, last_bytes=0, source="dump"),
        external=None,
        progress=Progress(0.4, "bytes read of the split"),
        split=Split("hdfs:/in/part-0", 0, 64 * MIB, splittable=True),
        map_buffer=MapBuffer(40 * MIB, allocated=True),
        shuffle=None,
        partitions=None,
        groups=None,
        records=None,
        reducers=2,
    )  # fmt: skip
    return replace(evidence, **changes)


def reduce_attempt(**changes: Any) -> Evidence:
    """A reduce attempt that died of heap in reduce(), at record 50,001 of group 31."""
    evidence = replace(
        map_attempt(),
        attempt=Attempt("attempt_1_0001_r_000000_0", "reduce", 0, mode="profile"),
        place="reduce",
        position=DeathPosition(
            "reduce", record=60001, group=31, record_in_group=50001, partition=0
        ),
        composition=Composition(
            framework_bytes=20 * MIB, user_bytes=210 * MIB, other_bytes=10 * MIB
        ),
        progress=Progress(0.5, "records of the merged input"),
        split=None,
        map_buffer=None,
    )
    return replace(evidence, **changes)


def key_of(path: str) -> HolderKey:
    """The key of an object that com.example.Job holds, told by its path."""
    return HolderKey("field", "com.example.Job", fields=(path,))


def holder(
    path: str,
    size_bytes: int,
    *,
    lifecycle: Lifecycle | None = "map",
    owner: Owner = "user",
    class_name: str = "java.util.HashMap",
    method: str = "map",
    length: int | None = None,
    doubling: bool = False,
    key: HolderKey | None = None,
) -> Holder:
    """A large object at death, held by a frame of com.example.Job.

    Args:
        path: in words, as a report prints it.
        size_bytes: retained.
        lifecycle: how long it lives; None where that is not known.
        owner: whose it is.
        class_name: of the object.
        method: of the frame.
        length: elements it holds, None where it is no container.
        doubling: it was being enlarged.
        key: what holds it; a field of com.example.Job where it is left out.
    """
    return Holder(
        key=key_of(path) if key is None else key,
        owner=owner,
        lifecycle=lifecycle,
        class_name=class_name,
        path=path,
        bytes=size_bytes,
        site=CodeSite("com.example.Job", method, "Job.java", 42),
        length=length,
        doubling=doubling,
    )


def growing_series(
    path: str | None,
    sizes: Iterable[float],
    *,
    lifecycle: Lifecycle = "map",
    unit: Unit = "record",
    last_x: float = 4000,
    source: Source = "dump",
    key: HolderKey | None = None,
) -> Series:
    """Sizes at even distances from 0 to `last_x`, of the object with that key, else path.

    Without either the whole live heap was measured.
    """
    every = list(sizes)
    step = last_x / (len(every) - 1)
    points = tuple(Point(index * step, size) for index, size in enumerate(every))
    if key is None and path is not None:
        key = key_of(path)
    return Series(key, lifecycle, unit, points, source, at_death=Point(last_x + 1, every[-1]))


def with_growth(
    evidence: Evidence,
    path: str,
    size_bytes: int,
    *,
    lifecycle: Lifecycle = "map",
    unit: Unit = "record",
    last_x: float = 4000,
) -> Evidence:
    """The same, with an object that grew evenly from nothing to its size at death."""
    series = growing_series(
        path, [size_bytes * i / 7 for i in range(8)], lifecycle=lifecycle, unit=unit, last_x=last_x
    )
    method = "map" if lifecycle == "map" else "reduce"
    one = holder(path, size_bytes, lifecycle=lifecycle, method=method)
    held = evidence.holders if isinstance(evidence.holders, tuple) else ()
    return replace(evidence, holders=(*held, one), series=(*evidence.series, series))
