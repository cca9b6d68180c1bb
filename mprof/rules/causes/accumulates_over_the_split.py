"""Large map-level accumulated results: the mapper keeps more with every record of its split.

What it means
    Objects that live as long as the map task (a field of the mapper, a static) grow continuously
    from R_1 to R_n-1, and what they hold, or will hold at the end of the split, is huge.

Why it happens
    The code collects per-record results in memory instead of emitting them: word counts in a map,
    a set against duplicates, a list that cleanup() writes out.

Patterns
    Growth is looked for in the objects' own sizes over several heap dumps, else in the live heap
    after collections with the dump at death saying whose it is, else in a container that holds one
    element per record. Accumulation is growth that is huge: now, or (before it was nearly finished)
    by the fitted curve at the end of the split. Where it jumped at R_n, the run of R_n alone
    decides whether that is the container (it counts) or the record (it does not).

What to change
    Emit records and let the framework sort and combine them, or write out and clear what is kept
    every so many records.

For example
    In-mapper word count: a HashMap of 411 MB after 9,651 records, 44 KB per record.

Sources
    Rule 1 of the paper (Table 5, Listing 1), sections 4.2.1 and 5.2.
"""

from __future__ import annotations

from mprof.patterns import Accumulation, FailedAllocation, MemoryModel
from mprof.rules.accumulating import conditions_of_accumulation, fires_of
from mprof.rules.rule import Condition, ErrorData, Fires, Rule
from mprof.units import format_count

__all__ = ["RULE"]


def _ask(
    map_accumulation: Accumulation,
    failed_allocation: FailedAllocation,
    memory_model: MemoryModel | None = None,
) -> Fires:
    """Do map-level objects grow continuously over R_1..R_n-1, and are they huge?"""
    growing = map_accumulation.grown
    records = round(growing.x_now)
    return fires_of(
        map_accumulation,
        growing,
        failed_allocation,
        memory_model,
        unnamed="memory of the mapper",
        over="the records of the split",
        after=f"{format_count(records)} records",
        data=ErrorData("records", first=1, last=max(records - 1, 1), records=records),
    )


RULE = Rule(
    cause="large_accumulated_results.map",
    published_as="1",
    category="code",
    title="Large map-level accumulated results",
    name="results accumulated over all records of the map task",
    asks=(_ask,),
    conditions=(
        Condition(
            _ask,
            "The rule is applied in map()",
            "A map attempt, and a record had been handed to map() (`_no_data_yet`)",
        ),
        Condition(
            _ask,
            "Continuous growth of map-level objects in [R_1, R_n), by linear or non-linear "
            "regression",
            "Map-level objects grow by one of the [laws of growth](../growth-laws.md): by "
            "their own sizes at several points, else by the live heap after collections, else"
            " one element a record in the dump at death (`find_growth`)",
            "The paper names neither a model nor a test of it; a first run has one dump",
        ),
        *conditions_of_accumulation(
            _ask,
            "split",
            Condition(
                _ask,
                "No size is asked for",
                "Huge: 30 % of the heap at death, or predicted at the end of a split of which less"
                " than 80 % was done; *likely* at best where the smaller end of the interval is "
                "not huge",
                "Growth that stays small fills no heap",
            ),
        ),
    ),
    numbers=("huge", "one of several", "nearly finished", "jump"),
    module=__name__,
)
