"""Large group-level accumulated results: reduce() or combine() keeps the records of one key.

What it means
    Objects that live as long as one call of reduce() or combine() (a local outside the loop, or a
    field emptied for each group) grow continuously over the records of G_m, and they are huge.

Why it happens
    The code copies the values of a key into a list, a set, a map or a builder before it writes:
    to sort, to join, to remove duplicates, to count per value.

Patterns
    Growth is looked for in the objects' own sizes over several heap dumps, in the live heap after
    collections, or in a container that holds one element per record of the group. Accumulation is
    growth that is huge: now, or by the fitted curve at the end of a group counted whole. Huge is a
    share of what the framework leaves: combine() runs beside a full sort buffer or segments. Where
    they jumped at R_n, the run of R_n alone decides whether that is the container; where they are
    a third of huge in a group that was not counted to its end, it counts that group. And huge
    group-level objects that came with R_n, with which R_n alone passes, were made of
    the whole group at once, after the loop over its values; where R_n is the last record of the
    group, so were those of the methods at work, and what they were asking for. So was a huge record
    that reduce() or combine() is writing, which has a byte for each byte of the group.

What to change
    Stream over sorted values (secondary sort), split the operation into several lighter ones, or
    spill to disk and merge. Rule 7 then says whether the group itself is an outlier.

For example
    Co-occurrence "stripes": a hash map of 372 MB at record 779,551 of the word "of".

Sources
    Rule 3 of the paper (Table 5), its case studies 2 and 3.
"""

from __future__ import annotations

from dataclasses import replace

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
from mprof.patterns import Accumulation, FailedAllocation, MemoryModel, enlargement_phrase
from mprof.rules.accumulating import conditions_of_accumulation
from mprof.rules.examples import (
    growing_series,
    holder,
    key_of,
    map_attempt,
    reduce_attempt,
    with_growth,
)
from mprof.rules.rule import Condition, ErrorData, Example, Fires, Rule
from mprof.units import MIB, format_bytes, format_count

__all__ = ["RULE"]


def _grown(
    group_accumulation: Accumulation,
    failed_allocation: FailedAllocation,
    memory_model: MemoryModel | None = None,
    groups: GroupSizes | None = None,
    position: DeathPosition | None = None,
) -> Fires | None:
    """Do group-level objects grow continuously over the records of G_m, and are they huge?"""
    growing = group_accumulation.growing
    if growing is None:
        return None
    records = round(growing.x_now)
    current = groups.current if groups is not None else None
    group = position.group if position is not None else None
    name = "the group" if group is None else f"group {format_count(group)}"
    return Fires(
        confidence=group_accumulation.confidence,
        evidence=group_accumulation.source,
        sentence=(
            f"{group_accumulation.path or 'memory of the call'} accumulates over the records of "
            f"{name}: {format_bytes(growing.held_bytes)} after {format_count(records)} records, "
            f"{format_bytes(growing.bytes_per_unit)} per record; {growing.how}"
            f"{enlargement_phrase(failed_allocation, memory_model, growing)}"
        ),
        bytes=growing.held_bytes,
        where=group_accumulation.where,
        data=ErrorData(
            "group",
            first=1,
            last=max(records, 1),
            group=group,
            records=current.records if current else records,
            bytes=current.bytes if current else None,
        ),
        numbers={"bytes_per_record": growing.bytes_per_unit},
    )


def _made_at_once(group_accumulation: Accumulation, position: DeathPosition | None = None) -> Fires:
    """Else: were huge group-level objects made of the whole group at once?"""
    found = group_accumulation
    records = (position.record_in_group if position else None) or 1
    told = "and the last record alone, in the room that it had, passes"
    if found.group_bytes is not None:
        told = f"of the {format_bytes(found.group_bytes)} that these records have"
    return Fires(
        confidence=found.confidence,
        evidence=found.source,
        sentence=(
            f"{found.path} is built from all {format_count(records)} records of the group at "
            f"once: {format_bytes(found.held_bytes)}, {told}"
        ),
        bytes=found.held_bytes,
        where=found.where,
        data=ErrorData(
            "group",
            first=1,
            last=records,
            records=records,
            group=position.group if position else None,
            bytes=found.group_bytes,
        ),
    )


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


RULE = Rule(
    cause="large_accumulated_results.group",
    published_as="3",
    category="code",
    title="Large group-level accumulated results",
    name="results accumulated over the records of one group",
    asks=(_grown, _made_at_once),
    conditions=(
        Condition(
            _grown,
            "Growth in group G_m, in reduce()",
            "A group was at work in reduce() or combine() (`_no_data_yet`)",
            "combine() is given groups, too",
        ),
        Condition(
            _grown,
            "Continuous growth in group G_m, by linear or non-linear regression",
            "Group-level objects grow by one of the [laws of growth](../growth-laws.md) over "
            "the records of G_m: by their own sizes at several points, else by the live heap,"
            " else one element a record, or a character or so a byte, in one dump "
            "(`find_growth`)",
            "A first run has one dump; a reducer's field that is flat from group to group "
            "counts as group-level",
        ),
        *conditions_of_accumulation(
            _grown,
            "group",
            Condition(
                _grown,
                "No size is asked for",
                "Huge: 30 % of what the framework leaves of the heap, at death or foretold at the"
                " end of a group that was counted whole; *likely* at best where the smaller end "
                "of the interval is not huge; cannot tell from 10 % on, where G_m was not counted"
                " to its end",
                "Growth that stays small fills no heap; a group stands beside segments or a sort "
                "buffer",
            ),
        ),
        Condition(
            _made_at_once,
            "Not covered: there is no growth from record to record",
            "Or: the record in writing is huge, has 0.4 to 1.6 bytes for each byte of G_m, "
            "R_n has at most a quarter of these, and R_n alone passes or 100 bytes were "
            "written for each of its bytes: *likely* (`_written_whole`)",
            "A string of all values is made after the loop over them; no curve over records "
            "shows it",
        ),
        Condition(
            _made_at_once,
            "Not covered",
            "Or: huge group-level objects, of which half or more came at R_n, with which R_n "
            "alone passes in its room: *sure*; where R_n is the last record of G_m, what the "
            "methods at work hold and asked for counts as well (`_made_at_once` of the "
            "pattern)",
            "The same of a product, or a copy, of all values",
        ),
    ),
    numbers=(
        "huge",
        "least room",
        "worth a run",
        "jump",
        "one record of the group, at most",
        "made of many",
    ),
    examples=(
        Example("FIRES", "a list of 200 MB after 50,000 records", lambda: _grows(200 * MIB)),
        Example("FIRES", "one dump: a builder with the group's characters", _builder),
        Example(
            "FIRES",
            "the same inside combine() of a map task",
            lambda: replace(
                _grows(200 * MIB), place="combine", attempt=replace(map_attempt().attempt)
            ),
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
    ),
    module=__name__,
)
