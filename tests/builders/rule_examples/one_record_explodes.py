"""Evidence, and what the rule of one_record_explodes.py says of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from builders.evidence import holder, map_attempt, reduce_attempt, with_growth
from builders.examples import Example

from mprof.evidence import (
    Composition,
    Evidence,
    RecordGrowth,
    StackFrame,
    Verification,
)
from mprof.units import MIB


def _explodes(jump_bytes: int, flat_points: int = 7, **changes: Any) -> Evidence:
    growth = RecordGrowth(
        before=tuple((10, 2000) for _ in range(flat_points)),
        last_records=1,
        last_bytes=jump_bytes,
        source="dump",
    )
    one = holder("local lemmas", jump_bytes, lifecycle="record", class_name="java.util.ArrayList")
    return replace(map_attempt(record_growth=growth, holders=(one,)), **changes)


def _field_of_one_record(samples: int) -> Evidence:
    # a mapper's field that one record fills: only R_n alone can say so with so few before
    evidence = _explodes(150 * MIB, samples)
    return replace(evidence, holders=(holder("this.columns", 150 * MIB),))


def _refused(live_mib: int) -> Evidence:
    # map() asks for one array, in a heap of which so much is live; nothing grew before
    growth = RecordGrowth(tuple((10, 2000) for _ in range(7)), 1, 0, "dump")
    stack = (StackFrame("com.x.Words", "map", "Words.java", 18, user=True),)
    composition = Composition(framework_bytes=60 * MIB, other_bytes=(live_mib - 60) * MIB)
    evidence = map_attempt(record_growth=growth, stack=stack, composition=composition)
    return replace(evidence, memory=replace(evidence.memory, live_bytes_at_death=live_mib * MIB))


def _doubling() -> Evidence:
    evidence = with_growth(
        reduce_attempt(), "local map", 180 * MIB, lifecycle="group", unit="record_in_group",
        last_x=50000,
    )  # fmt: skip
    growth = RecordGrowth(
        before=tuple((7000, 10 * MIB) for _ in range(7)), last_records=1, last_bytes=70 * MIB,
        source="dump", doubling=True, unit="record_in_group",
    )  # fmt: skip
    return replace(evidence, record_growth=growth)


def _verified(*, died: bool, same_room: bool) -> Evidence:
    alone = Verification(True, 150 * MIB if died else 0, died, same_room, 8)
    return _explodes(150 * MIB, 3, verification=alone)


EXAMPLES = (
    Example("FIRES", "flat, then 150 MB at R_n", lambda: _explodes(150 * MIB)),
    Example("FIRES", "R_n alone dies again", lambda: _verified(died=True, same_room=False)),
    Example(
        "FIRES",
        "R_n alone passes in an empty heap, where there is room for it",
        lambda: _verified(died=False, same_room=False),
    ),
    Example(
        "FIRES", "an array in map() does not fit into 170 MB of free heap", lambda: _refused(70)
    ),
    Example("SILENT", "a small array does not fit into a full heap", lambda: _refused(235)),
    Example(
        "FIRES",
        "R_n alone dies in the room it had",
        lambda: _verified(died=True, same_room=True),
    ),
    Example(
        "SILENT",
        "R_n alone passes in the room it had, and a field held the memory",
        lambda: replace(
            _verified(died=False, same_room=True), holders=(holder("this.columns", 150 * MIB),)
        ),
    ),
    Example(
        "CANNOT_TELL",
        "R_n alone passes in the room it had, though a local of it held 150 MB",
        lambda: _verified(died=False, same_room=True),
    ),
    Example("SILENT", "R_n added 4 MB", lambda: _explodes(4 * MIB)),
    Example("SILENT", "a map that doubles while it accumulates", _doubling),
    Example(
        "CANNOT_TELL",
        "150 MB, of twelve records at work at once",
        lambda: _explodes(150 * MIB, records_at_once=12),
    ),
    Example(
        "CANNOT_TELL",
        "a field filled by one of the first records",
        lambda: _field_of_one_record(3),
    ),
)
