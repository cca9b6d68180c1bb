"""Evidence, and what the rule of shuffle_buffer_too_large.py says of it."""

from __future__ import annotations

from dataclasses import replace

from builders.evidence import map_attempt, reduce_attempt
from builders.examples import Example

from mprof.evidence import Composition, Evidence, Partitions, Progress, Shuffle, Unknown
from mprof.units import MIB


def _shuffling(
    sizes_mib: tuple[int, ...], held_mib: int = 190, *, refused_mib: int = 0
) -> Evidence:
    sizes = tuple(size * MIB for size in sizes_mib)
    return reduce_attempt(
        place="shuffle",
        shuffle=Shuffle(
            175 * MIB,
            (held_mib - 5 + refused_mib) * MIB,
            held_bytes=held_mib * MIB,
        ),
        composition=Composition(
            framework_bytes=(held_mib + 10) * MIB, shuffle_bytes=held_mib * MIB
        ),
        partitions=Partitions(0, records=tuple(s // 100 for s in sizes), bytes=sizes),
    )


def _in_reduce(done: float) -> Evidence:
    evidence = _shuffling((180, 185, 175), held_mib=120)
    return replace(evidence, place="reduce", progress=Progress(done, "records of the merged input"))


EXAMPLES = (
    Example(
        "FIRES",
        "partitions between the limit and the heap",
        lambda: _shuffling((230, 225, 235)),
    ),
    Example(
        "FIRES",
        "60 MB, and another 115 MB that were reserved but did not fit",
        lambda: _shuffling((230, 225, 235), 60, refused_mib=120),
    ),
    Example("FIRES", "kept during reduce(), 90 % done", lambda: _in_reduce(0.9)),
    Example(
        "SILENT",
        "one partition is huge, the mean fits",
        lambda: _shuffling((600, 10, 10, 10, 10)),
    ),
    Example("SILENT", "kept during reduce(), 40 % done", lambda: _in_reduce(0.4)),
    Example("SILENT", "30 MB of shuffled data", lambda: _shuffling((30, 30, 30), 30)),
    Example("SILENT", "a map attempt", map_attempt),
    Example(
        "CANNOT_TELL",
        "nobody counted the partitions",
        lambda: replace(
            _shuffling((230, 230)), partitions=Unknown("sizes of all partitions", "run")
        ),
    ),
)
