"""Large group-level accumulated results: reduce() or combine() keeps the records of one key.

What it means
    Objects that live as long as one call of reduce() or combine() (a local outside the loop, or a
    field emptied for each group) grow continuously over the records of G_m, and they are huge.

Why it happens
    The code copies the values of a key into a list, a set, a map or a builder before it writes:
    to sort, to join, to remove duplicates, to count per value.

What it asks
    1. Do group-level objects grow over the records of G_m (own sizes over several heap dumps, the
       live heap after collections, or a container that holds one element a record of the group)?
    2. Are they huge: now, or by the fitted curve at the end of a group counted whole? Huge is a
       share of what the framework leaves: combine() runs beside a full sort buffer or segments.
       Where they jumped at R_n, the run with R_n only says whether that is the container; where
       they are a third of huge in a group that was not counted to its end, it counts that.
    3. Else: did huge group-level objects come with R_n, of which R_n alone makes less than half?
       They are made of the whole group at once, after the loop over its values.

What to change
    One pass over sorted values (a), several light operations (b), or spilling and merging (c).
    Rule 7 then says whether the group itself is out of line.

For example
    Co-occurrence "stripes": a hash map of 372 MB at record 779,551 of the word "of".

Sources
    Rule 3 of the paper (Table 5), its case studies 2 and 3.

Where it departs from the paper
    Growth that stays small is not a cause. A reducer's field that is flat from group to group
    counts as group-level.
"""

from __future__ import annotations

from dataclasses import replace

from mprof.evidence import (
    Evidence,
    Group,
    GroupSizes,
    Point,
    Position,
    RecordGrowth,
    Series,
    Unknown,
    Verification,
    known,
)
from mprof.evidence.growing import Growing, large_holders
from mprof.rules.accumulation import huge_growth, name_of, where_of_growing
from mprof.rules.examples import (
    growing_series,
    holder,
    key_of,
    map_attempt,
    reduce_attempt,
    with_growth,
)
from mprof.rules.need import place_of, room_of_user_code, verified_share
from mprof.rules.refused import refused
from mprof.rules.rule import (
    CannotTell,
    ErrorData,
    Example,
    Fires,
    Rule,
    Silent,
    Verdict,
    Verdicts,
    cannot_tell,
    where_of,
)
from mprof.rules.thresholds import (
    HUGE,
    JUMP,
    LEAST_ROOM,
    NEARLY_FINISHED,
    NEXT_ARRAY,
    NOISE,
    VERIFIED,
    WORTH_A_RUN,
)
from mprof.units import MIB, format_bytes, format_count

__all__ = ["RULE"]


def _ask(evidence: Evidence, earlier: Verdicts) -> Verdict:  # noqa: ARG001 - asked first
    place = place_of(evidence)
    if evidence.is_map and place != "combine":
        return Silent("a map attempt outside combine() has no group-level objects")
    if place in ("init", "setup", "shuffle", "sort", "cleanup"):
        return Silent("no group was being processed")
    found = huge_growth(evidence, "group", beside_buffers=True)
    if isinstance(found, Growing):
        return _fires(evidence, found)
    at_once = _made_at_once(evidence) if isinstance(found, Silent) else None
    return at_once or found


def _made_at_once(evidence: Evidence) -> Fires | CannotTell | None:
    """What came with R_n and is not of R_n: a product, a copy of all records of the group.

    It is made after the loop over the values, so no curve over the records shows it. The run with
    R_n only is the proof: without the records before it there is next to nothing.
    """
    room, growth = room_of_user_code(evidence), evidence.record_growth
    holders = known(large_holders(evidence, "group")) or ()
    own = [one for one in holders if one.lifecycle == "group"]
    held = sum(one.bytes for one in own)
    if room is None or held < HUGE.value * room:
        return None
    if isinstance(growth, Unknown):
        return cannot_tell(growth)
    if growth.last_bytes < VERIFIED.value * held:
        return None
    share = verified_share(evidence)
    if share is None:
        return CannotTell("the growth that the last record shows alone", "verify")
    if share >= VERIFIED.value:
        return None
    position = known(evidence.position)
    records = (position.record_in_group if position else None) or 1
    return Fires(
        confidence="sure",
        evidence="verified",
        sentence=(
            f"{own[0].path} is made of all {format_count(records)} records of the group at once: "
            f"{format_bytes(held)}, of which the last record alone makes {share:.0%}"
        ),
        bytes=held,
        where=where_of(own[0]),
        data=ErrorData("group", first=1, last=records, records=records,
                       group=position.group if position else None),
    )  # fmt: skip


def _fires(evidence: Evidence, found: Growing) -> Fires:
    records = round(found.x_now)
    groups, position = known(evidence.groups), known(evidence.position)
    ordinal = position.group if position else None
    current = groups.current if groups else None
    what = name_of(found, "memory of the call")
    name = "the group" if ordinal is None else f"group {format_count(ordinal)}"
    return Fires(
        confidence=found.confidence,
        evidence=found.source,
        sentence=(
            f"{what} accumulates over the records of {name}: "
            f"{format_bytes(found.held_bytes)} after {format_count(records)} records, "
            f"{format_bytes(found.bytes_per_unit)} a record; {found.how}"
            f"{refused(evidence, found)}"
        ),
        bytes=found.held_bytes,
        where=where_of_growing(found),
        data=ErrorData(
            "group",
            first=1,
            last=max(records, 1),
            group=ordinal,
            records=current.records if current else records,
            bytes=current.bytes if current else None,
        ),
        numbers={"bytes_per_record": found.bytes_per_unit},
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


def _at_r_n(alone_mib: int) -> Evidence:
    growth = RecordGrowth(((7000, 0),) * 7, 1, 200 * MIB, "dump", unit="record_in_group")
    alone = Verification(met=True, growth_bytes=alone_mib * MIB)
    return replace(_flat_then_one_record(), record_growth=growth, verification=alone)


def _one_record() -> Evidence:
    # a dump right before the only record of the group: a trend takes three, and no run has them
    before = Series(key_of("local parts"), "group", "record_in_group", (Point(0, 0),), "dump",
                    at_death=Point(1, 200 * MIB))  # fmt: skip
    one = holder("local parts", 200 * MIB, lifecycle="group", method="reduce")
    position = Position("reduce", record=31, group=31, record_in_group=1)
    return reduce_attempt(holders=(one,), series=(before,), position=position)


RULE = Rule(
    cause="large_accumulated_results.group",
    published_as="3",
    category="code",
    title="Large group-level accumulated results",
    thresholds=(HUGE, NEARLY_FINISHED, NOISE, VERIFIED, JUMP, NEXT_ARRAY, LEAST_ROOM, WORTH_A_RUN),
    ask=_ask,
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
        Example("SILENT", "flat over the group, all of it at R_n", _flat_then_one_record),
        Example("SILENT", "the same, and R_n alone makes 190 MB", lambda: _at_r_n(alone_mib=190)),
        Example(
            "FIRES",
            "the same, and R_n alone makes 5 MB: a product of the values",
            lambda: _at_r_n(alone_mib=5),
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
