"""Evidence, and what the rule of map_buffer_too_large.py says of it."""

from __future__ import annotations

from dataclasses import replace

from builders.evidence import (
    growing_series,
    holder,
    map_attempt,
    reduce_attempt,
    with_growth,
)
from builders.examples import Example

from mprof.evidence import (
    DeathPosition,
    Evidence,
    MapBuffer,
    Progress,
    StackFrame,
    Unknown,
)
from mprof.units import MIB


def _with_buffer(buffer_mib: int, done: float, kept_mib: int) -> Evidence:
    evidence = map_attempt(
        map_buffer=MapBuffer(buffer_mib * MIB, allocated=True),
        progress=Progress(done, "bytes read of the split"),
    )
    return with_growth(evidence, "this.seen", kept_mib * MIB)


def _outgrows() -> Evidence:
    # 160 MB at 81 % of the split: 244 MB at its end
    kept = growing_series("this.pairs", [160 * MIB * (i / 7) ** 2 for i in range(8)])
    evidence = _with_buffer(75, 0.81, 0)
    return replace(evidence, holders=(holder("this.pairs", 160 * MIB),), series=(kept,))


def _no_room() -> Evidence:
    return map_attempt(place="init", map_buffer=MapBuffer(300 * MIB, allocated=False))


def _room_enough() -> Evidence:
    evidence = map_attempt(place="init", map_buffer=MapBuffer(1 * MIB, allocated=False))
    return replace(evidence, memory=replace(evidence.memory, live_bytes_at_death=200 * MIB))


def _not_counted() -> Evidence:
    return replace(
        _with_buffer(130, 0.9, 40), progress=Unknown("how much of the split was done", "run")
    )


EXAMPLES = (
    Example(
        "SILENT",
        "a buffer of 1 MB that was not allocated yet",
        _room_enough,
    ),
    Example("FIRES", "300 MB requested in a 256 MB heap", _no_room),
    Example(
        "FIRES",
        "130 MB beside a mapper of 40 MB, 90 % done",
        lambda: _with_buffer(130, 0.9, 40),
    ),
    Example(
        "FIRES",
        "the same, met by the thread that spills",
        lambda: replace(_with_buffer(130, 0.9, 40), place="sort"),
    ),
    Example(
        "SILENT",
        "the same while the last spill is merged",
        lambda: replace(
            _with_buffer(130, 1.0, 40), place="sort", position=DeathPosition("merge", record=9)
        ),
    ),
    Example(
        "CANNOT_TELL",
        "the same in combine(), of which no group and no record fills the heap",
        lambda: replace(_with_buffer(130, 0.9, 40), place="combine"),
    ),
    Example(
        "SILENT",
        "a record reader that fills the heap before any buffer is there",
        lambda: replace(
            _no_room(), stack=(StackFrame("com.x.WholeFileReader", "<init>", user=True),)
        ),
    ),
    Example("FIRES", "the same at 50 %", lambda: _with_buffer(130, 0.5, 40)),
    Example(
        "SILENT",
        "at 30 % of the split, beside a mapper of 120 MB: no buffer would make it fit",
        lambda: _with_buffer(80, 0.3, 120),
    ),
    Example("SILENT", "a buffer of 40 MB", lambda: _with_buffer(40, 0.9, 40)),
    Example("SILENT", "a reduce attempt", reduce_attempt),
    Example(
        "SILENT",
        "what the mapper keeps grows with the square of the records",
        _outgrows,
    ),
    Example("CANNOT_TELL", "nobody counted how far it was", _not_counted),
)
