"""Large reduce-level accumulated results: the reducer keeps more with every group.

What it means
    Objects that live as long as the reduce task (a field of the reducer, a static) grow
    continuously from group to group, and what they hold, or will hold at the end of the
    partition, is huge. The same of a combiner's fields within one combine pass.

Why it happens
    The code carries results from one key to the next: an index of all keys, a list of the best,
    a buffer that cleanup() writes out.

Patterns
    Growth is looked for in the objects' own sizes, in the live heap, or in a container with one
    element per group or record. Accumulation is growth that is huge: now, or (before it was nearly
    finished) by the fitted curve at the end of the partition. A combiner runs beside a full sort
    buffer or segments: of it, huge is a share of what those leave.

What to change
    Write the result of each group at once instead of keeping it. Rules 6-1 and 6-2 say whether
    more reducers or another partitioner help.

For example
    A reducer that keeps every id it has seen in a HashSet field.

Sources
    Rule 2 of the paper (Table 5).
"""

from __future__ import annotations

from mprof.evidence import DeathPosition
from mprof.patterns import Accumulation, FailedAllocation, MemoryModel
from mprof.rules.accumulating import conditions_of_accumulation, fires_of
from mprof.rules.rule import Condition, ErrorData, Fires, Rule
from mprof.units import format_count

__all__ = ["RULE"]


def _ask(
    reduce_accumulation: Accumulation,
    failed_allocation: FailedAllocation,
    position: DeathPosition,
    memory_model: MemoryModel | None = None,
) -> Fires:
    """Do reduce-level objects grow continuously over G_1..G_m, and are they huge?"""
    growing = reduce_accumulation.grown
    groups, after = round(growing.x_now), ""
    if growing.unit == "record":
        groups = max(position.groups, 1)
        after = f"{format_count(round(growing.x_now))} records in "
    return fires_of(
        reduce_accumulation,
        growing,
        failed_allocation,
        memory_model,
        unnamed="memory of the reducer",
        over="the groups",
        after=f"{after}{format_count(groups)} groups",
        data=ErrorData("groups", first=1, last=max(groups, 1)),
    )


RULE = Rule(
    cause="large_accumulated_results.reduce",
    published_as="2",
    category="code",
    title="Large reduce-level accumulated results",
    name="results accumulated over all groups",
    asks=(_ask,),
    conditions=(
        Condition(
            _ask,
            "The rule is applied in reduce()",
            "A reduce attempt after shuffle and sort, or a combine(): a group had been handed"
            " over (`_no_data_yet`)",
            "A combiner's fields live for one pass of combine(), and are user code's too",
        ),
        Condition(
            _ask,
            "Continuous growth of reduce-level objects in [G_1, G_m), by linear or non-linear"
            " regression",
            "Reduce-level objects grow by one of the [laws of growth](../growth-laws.md) over"
            " the groups, or over the records of all groups where that explains them better; "
            "what is flat from group to group, or had no second group, is group-level "
            "(`find_growth`)",
            "Groups are of different sizes; a field that is emptied for each group is rule 3",
        ),
        *conditions_of_accumulation(
            _ask,
            "partition",
            Condition(
                _ask,
                "No size is asked for",
                "Huge: 30 % of the heap at death (of a combiner, of what the framework leaves), "
                "or predicted at the end of a partition of which less than 80 % was done; *likely*"
                " at best where the smaller end of the interval is not huge",
                "Growth that stays small fills no heap; a combiner runs beside a full sort buffer"
                " or segments",
            ),
        ),
    ),
    numbers=("huge", "one of several", "nearly finished", "jump", "least room"),
    module=__name__,
)
