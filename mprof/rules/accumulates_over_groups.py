"""Large reduce-level accumulated results: the reducer keeps more with every group.

What it means
    Objects that live as long as the reduce task (a field of the reducer, a static) grow
    continuously from group to group, and what they hold, or will hold at the end of the
    partition, is huge. The same of a combiner's fields within one combine pass.

Why it happens
    The code carries results from one key to the next: an index of all keys, a list of the best,
    a buffer that cleanup() writes out.

What it asks
    1. Do reduce-level objects grow over the groups G_1..G_m (own sizes, live heap, or one element
       a group or a record)?
    2. Are they huge: now, or (before it was nearly finished) by the fitted curve at the end of the
       partition? A combiner runs beside a full sort buffer or segments: of it, huge is a share of
       what those leave.

What to change
    Emit with each group; then rules 6-1 and 6-2 say whether partitions are part of it.

For example
    A reducer that keeps every id it has seen in a HashSet field.

Sources
    Rule 2 of the paper (Table 5).

Where it departs from the paper
    Where groups are of unlike sizes, growth is looked for over the records of all groups too.
    Growth that stays small is not a cause. A field that grows within one group and is emptied for
    the next is group-level (rule 3), and so is one that had no second group.
"""

from __future__ import annotations

from mprof.evidence import Evidence, Progress, known
from mprof.evidence.growing import Growing
from mprof.rules.accumulation import huge_growth, name_of, where_of_growing
from mprof.rules.examples import growing_series, holder, map_attempt, reduce_attempt, with_growth
from mprof.rules.need import end_of_data, place_of
from mprof.rules.refused import refused
from mprof.rules.rule import (
    ErrorData,
    Example,
    Fires,
    Rule,
    Silent,
    Verdict,
    Verdicts,
)
from mprof.rules.thresholds import (
    HUGE,
    JUMP,
    LEAST_ROOM,
    NEARLY_FINISHED,
    NEXT_ARRAY,
    NOISE,
    VERIFIED,
)
from mprof.units import MIB, format_bytes, format_count

__all__ = ["RULE"]


def _ask(evidence: Evidence, earlier: Verdicts) -> Verdict:  # noqa: ARG001 - asked first
    place = place_of(evidence)
    if evidence.is_map and place != "combine":
        return Silent("a map attempt outside combine() has no reduce-level objects")
    if place in ("init", "setup", "shuffle", "sort"):
        return Silent("no group had been handed to reduce()")
    found = huge_growth(evidence, "reduce", beside_buffers=place == "combine")
    if not isinstance(found, Growing):
        return found
    return _fires(evidence, found)


def _fires(evidence: Evidence, found: Growing) -> Fires:
    position = known(evidence.position)
    groups = round(found.x_now)
    over = f"{format_count(groups)} groups, {format_bytes(found.bytes_per_unit)} a group"
    if found.unit == "record":
        groups = (position.group if position is not None else None) or 1
        over = (
            f"{format_count(round(found.x_now))} records in {format_count(groups)} groups, "
            f"{format_bytes(found.bytes_per_unit)} a record"
        )
    end = end_of_data(evidence, found)
    what = name_of(found, "memory of the reducer")
    return Fires(
        confidence=found.confidence,
        evidence=found.source,
        sentence=(
            f"{what} accumulates over the groups: {format_bytes(found.held_bytes)} after {over}; "
            f"{found.how}{refused(evidence, found)}"
        ),
        bytes=found.held_bytes,
        where=where_of_growing(found),
        data=ErrorData("groups", first=1, last=max(groups, 1)),
        numbers={
            f"bytes_per_{found.unit}": found.bytes_per_unit,
            **({} if end is None else {"bytes_at_the_end": found.at(end)}),
        },
    )


def _grows(size_bytes: int, done: float = 0.5) -> Evidence:
    evidence = reduce_attempt(progress=Progress(done, "records of the merged input"))
    return with_growth(
        evidence, "this.index", size_bytes, lifecycle="reduce", unit="group", last_x=30
    )


def _flat_over_groups() -> Evidence:
    return reduce_attempt(
        holders=(holder("this.index", 180 * MIB, lifecycle="reduce", method="reduce"),),
        series=(
            growing_series(
                "this.index", [0, 0, 0, 0, 0, 0, 0, 0], lifecycle="reduce", unit="group", last_x=30
            ),
        ),
    )


RULE = Rule(
    cause="large_accumulated_results.reduce",
    published_as="2",
    category="code",
    title="Large reduce-level accumulated results",
    thresholds=(HUGE, NEARLY_FINISHED, NOISE, VERIFIED, JUMP, NEXT_ARRAY, LEAST_ROOM),
    ask=_ask,
    examples=(
        Example("FIRES", "a field of 180 MB after 30 groups", lambda: _grows(180 * MIB)),
        Example("SILENT", "the field was empty before each group", _flat_over_groups),
        Example("SILENT", "it will end at 33 MB", lambda: _grows(30 * MIB, 0.9)),
        Example("SILENT", "a map attempt", map_attempt),
        Example(
            "CANNOT_TELL",
            "a large field in a single dump",
            lambda: reduce_attempt(
                holders=(holder("this.index", 180 * MIB, lifecycle="reduce", length=77),)
            ),
        ),
    ),
    module=__name__,
)
