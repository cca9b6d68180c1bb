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

from mprof.evidence import DeathPosition, GroupSizes
from mprof.patterns import Accumulation, FailedAllocation, MemoryModel
from mprof.rules.accumulating import conditions_of_accumulation, fires_of
from mprof.rules.rule import Condition, ErrorData, Fires, Rule
from mprof.units import format_bytes, format_count

__all__ = ["RULE"]


def _grown(
    group_accumulation: Accumulation,
    failed_allocation: FailedAllocation,
    position: DeathPosition,
    memory_model: MemoryModel | None = None,
    groups: GroupSizes | None = None,
    reduce_accumulation: Accumulation | None = None,
) -> Fires | None:
    """Do group-level objects grow continuously over the records of G_m, and are they huge?

    Not surely beside more that is kept of all groups: without that, the group might have fitted.
    """
    growing = group_accumulation.growing
    if growing is None:
        return None
    records = round(growing.x_now)
    current = groups.current if groups is not None else None
    found = group_accumulation
    if reduce_accumulation is not None and reduce_accumulation.held_bytes > found.held_bytes:
        found = found.at_most_likely
    return fires_of(
        found,
        growing,
        failed_allocation,
        memory_model,
        unnamed="memory of the call",
        over=f"the records of group {format_count(position.groups)}",
        after=f"{format_count(records)} records",
        data=ErrorData(
            "group",
            first=1,
            last=max(records, 1),
            group=position.group,
            records=current.records if current else records,
            bytes=current.bytes if current else None,
        ),
    )


def _made_at_once(group_accumulation: Accumulation, position: DeathPosition) -> Fires:
    """Else: were huge group-level objects made of the whole group at once?"""
    found = group_accumulation
    records = max(position.records_of_group, 1)
    told = "and the last record alone, in the room that it had, passes"
    if found.group_bytes is not None:
        told = f"of the {format_bytes(found.group_bytes)} that these records have"
    if found.refused_bytes:
        told += f"; there was no room for its next array, of {format_bytes(found.refused_bytes)}"
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
            group=position.group,
            bytes=found.group_bytes,
        ),
    )


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
                "Huge: 30 % of what the framework leaves of the heap, at death or predicted at the"
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
            "written for each of its bytes: *likely*; where its array could not be doubled, "
            "the array of twice the size counts with it, and it has up to twice the bytes "
            "that were written (`_written_whole`)",
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
    module=__name__,
)
