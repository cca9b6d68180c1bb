"""Evidence, and what the rule of accumulates_in_one_group.py says of it."""

from __future__ import annotations

from dataclasses import replace

from builders.evidence import (
    growing_series,
    holder,
    key_of,
    map_attempt,
    reduce_attempt,
    with_growth,
)
from builders.examples import Example

from mprof.evidence import (
    DeathPosition,
    Evidence,
    Group,
    GroupSizes,
    Point,
    RecordGrowth,
    RecordSizes,
    Series,
    Unknown,
    Verification,
)
from mprof.units import MIB


def _grows(size_bytes: int, whole: int | None = None) -> Evidence:
    groups = GroupSizes(Group(31, whole or 50_001, whole=whole is not None))
    return with_growth(
        reduce_attempt(groups=groups),
        "local list",
        size_bytes,
        lifecycle="group",
        unit="record_in_group",
        last_x=50000,
    )


def _builder() -> Evidence:
    # one dump: as many characters as bytes have been read of the group
    size = holder("local builder", 190 * MIB, lifecycle="group", class_name="StringBuilder",
                  method="reduce", length=95 * MIB)  # fmt: skip
    return reduce_attempt(holders=(size,), groups=GroupSizes(Group(31, 50001, bytes=100 * MIB)))


def _flat_then_one_record() -> Evidence:
    flat = growing_series(
        "local parts", [0] * 8, lifecycle="group", unit="record_in_group", last_x=50000
    )
    one = holder("local parts", 200 * MIB, lifecycle="group", method="reduce")
    return reduce_attempt(holders=(one,), series=(flat,))


def _at_r_n(*, dies: bool) -> Evidence:
    growth = RecordGrowth(((7000, 0),) * 7, 1, 200 * MIB, "dump", unit="record_in_group")
    alone = Verification(True, 190 * MIB if dies else 5 * MIB, dies, same_room=not dies)
    return replace(_flat_then_one_record(), record_growth=growth, verification=alone)


def _at_the_end() -> Evidence:
    # a method that was called after the last record builds a string of the whole group
    text = holder("local text", 120 * MIB, lifecycle="record", class_name="java.lang.StringBuilder",
                  method="line", doubling=True)  # fmt: skip
    groups = GroupSizes(Group(31, 50_001, whole=True))
    return replace(_at_r_n(dies=False), holders=(text,), series=(), groups=groups)


def _written(last_record_mib: int = 0) -> Evidence:
    # one dump: the serialised record has 90 MB of the 150 MB of the group, and is being enlarged
    size = holder("buffer", 90 * MIB, lifecycle=None, owner="serialization",
                  class_name="DataOutputBuffer", method="reduce", length=90 * MIB,
                  doubling=True)  # fmt: skip
    last = RecordSizes(50_001, last_record_mib * MIB, Unknown("sizes", "run"))
    groups = GroupSizes(Group(31, 50_001, bytes=150 * MIB, whole=True))
    return reduce_attempt(holders=(replace(size, in_writing=True),), groups=groups, records=last)


def _one_record() -> Evidence:
    # a dump right before the only record of the group: a trend takes three, and no run has them
    before = Series(key_of("local parts"), "group", "record_in_group", (Point(0, 0),), "dump",
                    at_death=Point(1, 200 * MIB))  # fmt: skip
    one = holder("local parts", 200 * MIB, lifecycle="group", method="reduce")
    position = DeathPosition("reduce", record=31, group=31, record_in_group=1)
    return reduce_attempt(holders=(one,), series=(before,), position=position)


EXAMPLES = (
    Example("FIRES", "a list of 200 MB after 50,000 records", lambda: _grows(200 * MIB)),
    Example("FIRES", "one dump: a builder with the group's characters", _builder),
    Example(
        "FIRES",
        "the same inside combine() of a map task",
        lambda: replace(_grows(200 * MIB), place="combine", attempt=replace(map_attempt().attempt)),
    ),
    Example("FIRES", "one dump: a record in writing with the group's bytes", _written),
    Example(
        "SILENT",
        "the same, and R_n has half of the group's bytes",
        lambda: _written(last_record_mib=75),
    ),
    Example("SILENT", "flat over the group, all of it at R_n", _flat_then_one_record),
    Example(
        "SILENT",
        "the same, and R_n alone dies in a heap of its own",
        lambda: _at_r_n(dies=True),
    ),
    Example(
        "FIRES",
        "the same, and R_n alone passes in its room: a product of the values",
        lambda: _at_r_n(dies=False),
    ),
    Example(
        "FIRES",
        "R_n is the last of the group, and a method is at work that passes with R_n alone",
        _at_the_end,
    ),
    Example("SILENT", "a group of one record, which made all of it", _one_record),
    Example("SILENT", "nothing group-level is large", reduce_attempt),
    Example("SILENT", "a map attempt", map_attempt),
    Example("SILENT", "it will end at 40 MB", lambda: _grows(30 * MIB, 66_000)),
    Example("FIRES", "it will end at 120 MB", lambda: _grows(30 * MIB, 200_000)),
    Example(
        "CANNOT_TELL",
        "30 MB in a group that was not counted to its end",
        lambda: _grows(30 * MIB),
    ),
    Example(
        "CANNOT_TELL",
        "one dump, and a map that need not hold every record",
        lambda: reduce_attempt(
            holders=(holder("local m", 200 * MIB, lifecycle="group", length=9000),)
        ),
    ),
)
