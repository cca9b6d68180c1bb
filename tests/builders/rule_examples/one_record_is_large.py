"""Evidence, and what the rule of one_record_is_large.py says of it."""

from __future__ import annotations

from dataclasses import replace

from builders.evidence import holder, map_attempt
from builders.examples import Example

from mprof.evidence import (
    Composition,
    Distribution,
    Evidence,
    RecordGrowth,
    RecordSizes,
    StackFrame,
    Unknown,
)
from mprof.units import MIB


def _exploding(size_bytes: int, before: Distribution | Unknown) -> Evidence:
    growth = RecordGrowth(tuple((10, 2000) for _ in range(7)), 1, 150 * MIB, "dump")
    one = holder("local lemmas", 150 * MIB, lifecycle="record")
    return map_attempt(
        record_growth=growth, holders=(one,), records=RecordSizes(4001, size_bytes, before)
    )


_LINES = Distribution.of(range(10_000, 200_000, 5_000))


def _refused_while_read(live_mib: int) -> Evidence:
    # readFields() asks for an array, in a heap of which so much is live
    evidence = map_attempt(
        records=RecordSizes(3, Unknown("its size: it was never read whole", "none"),
                            Distribution.of([900, 1000]), being_read=True),
        composition=Composition(framework_bytes=60 * MIB, other_bytes=(live_mib - 60) * MIB),
        stack=(StackFrame("com.x.Vector", "readFields", "Vector.java", 33, user=True),),
    )  # fmt: skip
    return replace(evidence, memory=replace(evidence.memory, live_bytes_at_death=live_mib * MIB))


def _endless_line() -> Evidence:
    # the stock reader asks for it: no user code is on the stack
    frame = StackFrame("org.apache.hadoop.io.Text", "append", "Text.java", 252)
    return replace(_refused_while_read(70), stack=(frame,))


def _whole_file() -> Evidence:
    return map_attempt(
        records=RecordSizes(3, Unknown("its size: it was never read whole", "none"),
                            Distribution.of([900, 1000]), being_read=True),
        composition=Composition(framework_bytes=60 * MIB, record_bytes=150 * MIB),
    )  # fmt: skip


def _room_of_another() -> Evidence:
    records = RecordSizes(4001, 100, Distribution.of([*range(90, 110), 40 * MIB]))
    composition = Composition(framework_bytes=60 * MIB, record_bytes=120 * MIB)
    return map_attempt(records=records, composition=composition)


EXAMPLES = (
    Example("FIRES", "a line of 12 MB among 200 KB", lambda: _exploding(12 * MIB, _LINES)),
    Example("FIRES", "a file that is read as one record", _whole_file),
    Example(
        "FIRES",
        "an array for it does not fit into 170 MB of free heap",
        lambda: _refused_while_read(70),
    ),
    Example("FIRES", "a line without an end, in Hadoop's own reader", _endless_line),
    Example(
        "SILENT", "a small array does not fit into a full heap", lambda: _refused_while_read(235)
    ),
    Example("SILENT", "100 B in the room of a record of 40 MB before it", _room_of_another),
    Example("SILENT", "a small record that explodes", lambda: _exploding(90_000, _LINES)),
    Example(
        "SILENT",
        "rule 4 is silent",
        lambda: replace(map_attempt(), records=RecordSizes(4001, 12 * MIB, _LINES)),
    ),
    Example(
        "CANNOT_TELL",
        "twice the largest of only three before it, which are unlike",
        lambda: _exploding(12 * MIB, Distribution.of([MIB, 3 * MIB, 6 * MIB])),
    ),
)
