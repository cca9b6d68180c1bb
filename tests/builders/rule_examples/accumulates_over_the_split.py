"""Evidence, and what the rule of accumulates_over_the_split.py says of it."""

from __future__ import annotations

from builders.evidence import growing_series, holder, map_attempt, with_growth
from builders.examples import Example

from mprof.evidence import Evidence, Progress
from mprof.units import MIB


def _grown_slowly() -> Evidence:
    # 30 MB at 90 % of the split: 33 MB at its end, 14 % of the heap
    progress = Progress(0.9, "bytes read of the split")
    return with_growth(map_attempt(progress=progress), "this.seen", 30 * MIB)


def _only_one_dump() -> Evidence:
    return map_attempt(holders=(holder("this.counts", 170 * MIB, length=1_017_646),))


def _one_element_a_record() -> Evidence:
    return map_attempt(holders=(holder("this.lines", 170 * MIB, length=4000),))


def _constant_model() -> Evidence:
    return map_attempt(
        holders=(holder("this.model", 100 * MIB),),
        series=(growing_series("this.model", [100 * MIB] * 8),),
    )


EXAMPLES = (
    Example(
        "FIRES",
        "a map of counts that grows evenly to 170 MB of 240 MB",
        lambda: with_growth(map_attempt(), "this.counts", 170 * MIB),
    ),
    Example("FIRES", "one dump: a list with one element per record", _one_element_a_record),
    Example("SILENT", "a model that is as large before R_1 as at death", _constant_model),
    Example("SILENT", "growth that ends at a seventh of the heap", _grown_slowly),
    Example("SILENT", "nothing map-level is large", map_attempt),
    Example("CANNOT_TELL", "one dump, and no count it could track", _only_one_dump),
)
